// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "catalog/catalog_object.h"
#include "gpmu.h"

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
		[JSON_FALSE] = "false", [JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

static bool is_line(const char *text)
{
	size_t length;

	for (length = 0; text[length]; length++)
		if ((unsigned char)text[length] < ' ' || text[length] == 0x7f)
			return false;
	return length <= CATALOG_MAX_LINE;
}

static int take_member(struct catalog_object *object, const char *name, const json_t *value,
		       struct gpmu_error *error)
{
	const struct catalog_key_info *key = catalog_key_find(name);
	const char *text;

	if (!key && !object->unknown)
		object->unknown = name;
	if (!key || key->kind == KIND_IGNORED)
		return 0;
	if (!json_is_string(value)) {
		error_set(error, 0, "%s: expected a string, found %s", name, type_name(value));
		return -EINVAL;
	}
	text = json_string_value(value);
	if (key->kind == KIND_LINE && !is_line(text)) {
		error_set(error, 0, "%s: expected one line of at most %d bytes", name,
			  CATALOG_MAX_LINE);
		return -EINVAL;
	}
	object->values[key->key] = *text ? text : NULL;
	return 0;
}

int catalog_object_read(struct catalog_object *object, const char *text, size_t size,
			struct gpmu_error *error)
{
	json_error_t why;
	void *member;
	int ret = 0;

	*object = (struct catalog_object){ .json = NULL };
	errno = 0;
	object->json = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK,
				  &why);
	/* jansson can also succeed and drop bytes of a string that it had no memory for. */
	if (errno == ENOMEM) {
		catalog_object_release(object);
		return -ENOMEM;
	}
	if (!object->json) {
		error_set(error, why.position > 0 ? (size_t)why.position - 1 : 0, "%s", why.text);
		return -EINVAL;
	}
	/* On success jansson sets this to the number of bytes that it has read. */
	object->length = (size_t)why.position;
	member = json_object_iter(object->json);
	for (; member && !ret; member = json_object_iter_next(object->json, member))
		ret = take_member(object, json_object_iter_key(member),
				  json_object_iter_value(member), error);
	if (ret)
		catalog_object_release(object);
	return ret;
}

void catalog_object_release(struct catalog_object *object)
{
	json_decref(object->json);
	object->json = NULL;
}
