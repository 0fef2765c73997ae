// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * All of Linux's pmu-events, 27 MB, are to be loaded in 0.3 s, and jansson alone
 * needs about that much to parse them. Most objects are plain: known keys, each
 * once, and strings of printable ASCII without escapes. Those are read where
 * they are. The first thing that is not plain, be it an error, makes the object
 * jansson's; that what it means does not depend on who reads it is tested.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog_object.h"
#include "base/error.h"
#include "gpmu.h"

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* A plain string; what is behind it, or NULL */
static const char *plain_string(const char *at, const char *end, struct catalog_text *string)
{
	const char *start;

	if (at == end || *at != '"')
		return NULL;
	for (start = ++at; at < end && *at != '"'; at++)
		if (*at < ' ' || *at > '~' || *at == '\\')
			return NULL;
	if (at == end)
		return NULL;
	*string = (struct catalog_text){ start, (size_t)(at - start) };
	return at + 1;
}

/* The member at @at; what is behind it, or NULL if it is not plain */
static const char *plain_member(struct catalog_object *object, const char *at, const char *end,
				uint64_t *seen)
{
	struct catalog_text name, value;
	const struct catalog_key_info *key;
	uint64_t bit;

	at = plain_string(at, end, &name);
	if (!at)
		return NULL;
	key = catalog_key_find(name);
	at = skip_space(at, end);
	if (!key || at == end || *at != ':')
		return NULL;
	at = plain_string(skip_space(at + 1, end), end, &value);
	bit = 1ull << catalog_key_index(key);
	if (!at || *seen & bit)
		return NULL;
	*seen |= bit;
	if (key->kind == KIND_LINE && value.length > CATALOG_MAX_LINE)
		return NULL;
	if (key->kind != KIND_IGNORED)
		object->values[key->key] = value;
	return at;
}

/* false leaves it half read, with values that are those of jansson too. */
static bool read_plain(struct catalog_object *object, const char *text, size_t size)
{
	const char *at = skip_space(text + 1, text + size), *end = text + size;
	uint64_t seen = 0;

	if (at < end && *at != '}') {
		for (;;) {
			at = plain_member(object, at, end, &seen);
			if (!at)
				return false;
			at = skip_space(at, end);
			if (at == end || *at != ',')
				break;
			at = skip_space(at + 1, end);
		}
	}
	object->length = (size_t)(at + 1 - text);
	return at < end && *at == '}';
}

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
		[JSON_FALSE] = "false", [JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

static bool is_line(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return length <= CATALOG_MAX_LINE;
}

/* The closing quote of the string that begins at @at, or the end */
static size_t string_end(const char *text, size_t length, size_t at)
{
	for (at++; at < length && text[at] != '"'; at++)
		if (text[at] == '\\')
			at++;
	return at < length ? at : length;
}

size_t catalog_object_find(const char *text, size_t length, const char *key)
{
	size_t at, end, key_length = strlen(key);
	bool name = false;	/* the next string is a key */
	int depth = 0;

	for (at = 0; at < length; at++) {
		switch (text[at]) {
		case '{':
		case '[':
			depth++;
			name = depth == 1;
			break;
		case '}':
		case ']':
			depth--;
			break;
		case ',':
			name = depth == 1;
			break;
		case '"':
			end = string_end(text, length, at);
			if (name && end - at - 1 == key_length &&
			    !memcmp(text + at + 1, key, key_length))
				return at;
			name = false;
			at = end;
			break;
		default:
			break;
		}
	}
	return 0;
}

/* A member of what jansson has read of @text */
static int json_member(struct catalog_object *object, const char *text, const char *name,
		       const json_t *value, struct gpmu_error *error)
{
	struct catalog_text string = { name, strlen(name) };
	const struct catalog_key_info *key = catalog_key_find(string);

	if (!key && !object->unknown[0])
		snprintf(object->unknown, sizeof(object->unknown), "%s", name);
	if (!key || key->kind == KIND_IGNORED)
		return 0;
	if (!json_is_string(value)) {
		error_set(error, catalog_object_find(text, object->length, name),
			  "%s: expected a string, found %s", name, type_name(value));
		return -EINVAL;
	}
	string = (struct catalog_text){ json_string_value(value), json_string_length(value) };
	if (key->kind == KIND_LINE && !is_line(string.at, string.length)) {
		error_set(error, catalog_object_find(text, object->length, name),
			  "%s: expected one line of at most %d bytes", name, CATALOG_MAX_LINE);
		return -EINVAL;
	}
	object->values[key->key] = string;
	return 0;
}

static int read_json(struct catalog_object *object, const char *text, size_t size,
		     struct gpmu_error *error)
{
	json_error_t why;
	void *member;
	int ret = 0;

	errno = 0;
	object->json = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK,
				  &why);
	if (!object->json && errno == ENOMEM)
		return -ENOMEM;
	if (!object->json) {
		if ((size_t)why.position >= CATALOG_MAX_OBJECT)
			error_set(error, 0, "expected an object of at most %u MiB",
				  CATALOG_MAX_OBJECT >> 20);
		else
			error_set(error, why.position > 0 ? (size_t)why.position - 1 : 0, "%s",
				  why.text);
		return -EINVAL;
	}
	object->length = (size_t)why.position;	/* on success, how much was read */
	member = json_object_iter(object->json);
	for (; member && !ret; member = json_object_iter_next(object->json, member))
		ret = json_member(object, text, json_object_iter_key(member),
				  json_object_iter_value(member), error);
	if (ret)
		catalog_object_release(object);
	return ret;
}

int catalog_object_read(struct catalog_object *object, const char *text, size_t size,
			struct gpmu_error *error)
{
	*object = (struct catalog_object){ .json = NULL };
	if (size > CATALOG_MAX_OBJECT)
		size = CATALOG_MAX_OBJECT;
	return read_plain(object, text, size) ? 0 : read_json(object, text, size, error);
}

void catalog_object_release(struct catalog_object *object)
{
	json_decref(object->json);
	object->json = NULL;
}
