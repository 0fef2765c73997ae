// SPDX-License-Identifier: LGPL-2.1-or-later
/* Objects, and the keys of perf's schema */
#include "catalog-test.h"

static struct gpmu_error error = { .size = sizeof(error) };

static void check_values(void)
{
	static const char *const objects[] = {
		"{\"Unit\":\"a\"}", "{ \t\r\n\"Unit\" \n:\t \"a\" }",
		"{\"Counter\":\"b\",\"Unit\":\"a\"}", "{\"Unit\":\"\\u0061\"}",
		"{\"\\u0055nit\":\"a\"}", "{\"Unit\":\"a\",\"Counter\":1}",
		"{\"Unit\":\"a\",\"units\":\"b\"}", "{\"Unit\":\"a\",\"Uni\":\"b\"}",
		"{\"Unit\":\"a\",\"\":\"b\"}", "{\"Unit\":\"a\",\"Counter\":\"\xc3\xb6\"}",
	};
	struct catalog_object object;
	size_t i;

	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		size_t length = strlen(objects[i]);
		/* A sanitizer reports reads past the end. */
		char *text = malloc(length + 1);

		if (!text)
			exit(1);
		memcpy(text, objects[i], length);
		text[length] = '}';
		if (ok(!catalog_object_read(&object, text, length + 1, &error),
		       "object: object %zu is read", i)) {
			is_text(object.values[KEY_UNIT], "a", "object: the Unit is read");
			is_u64(object.length, length, "object: the length ends at its }");
			catalog_object_release(&object);
		}
		free(text);
	}
}

static void check_keys(void)
{
	struct catalog_object object;
	char text[128];
	size_t key;

	for (key = 0; key < CATALOG_KEYS; key++) {
		const char *name = catalog_key_name((enum catalog_key)key);

		snprintf(text, sizeof(text), "{\"%s\": \"v\"}", name);
		if (catalog_object_read(&object, text, strlen(text), &error))
			exit(1);
		ok(!object.unknown && object.values[key], "object: %s is a known key", name);
		catalog_object_release(&object);
	}
}

int main(void)
{
	check_values();
	check_keys();
	return done_testing();
}
