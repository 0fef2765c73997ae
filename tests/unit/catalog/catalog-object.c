// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plain objects are parsed in place and have the same values as when jansson parses them, for all
 * of pmu-events. An object with an unknown key is parsed by jansson.
 */
#include <ftw.h>
#include <unistd.h>

#include "catalog-test.h"

static struct gpmu_error error;
static size_t n_objects, n_plain, n_differ;

static bool same_values(const struct catalog_object *a, const struct catalog_object *b)
{
	size_t i;

	for (i = 0; i < CATALOG_KEYS; i++)
		if (a->values[i].length != b->values[i].length ||
		    (a->values[i].length &&
		     memcmp(a->values[i].at, b->values[i].at, a->values[i].length) != 0))
			return false;
	return true;
}

/*
 * Parses the object at @text, in place and by jansson, which a further key before its first makes
 * necessary.
 */
static size_t compare(const char *text, size_t size)
{
	static const char odd[] = "{\"odd\": 0,";
	struct catalog_object object, again;
	size_t length;
	char *other;

	if (catalog_object_read(&object, text, size, &error))
		return 0;
	length = object.length;
	other = malloc(length + sizeof(odd));
	if (!other)
		exit(1);
	memcpy(other, odd, sizeof(odd) - 1);
	memcpy(other + sizeof(odd) - 1, text + 1, length - 1);
	n_objects++;
	n_plain += !object.json;
	if (catalog_object_read(&again, other, length + sizeof(odd) - 2, &error)) {
		n_differ++;
	} else {
		n_differ += !again.json || again.length != length + sizeof(odd) - 2 ||
			    !same_values(&object, &again);
		catalog_object_release(&again);
	}
	free(other);
	catalog_object_release(&object);
	return length;
}

static int compare_file(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	char *text, *at, *end;
	size_t length;
	FILE *f;

	(void)ftw;
	if (flag != FTW_F || strcmp(path + strlen(path) - 5, ".json") != 0)
		return 0;
	text = malloc((size_t)st->st_size + 1);
	f = fopen(path, "r");
	if (!text || !f || fread(text, 1, (size_t)st->st_size, f) != (size_t)st->st_size)
		exit(1);
	fclose(f);
	end = text + st->st_size;
	for (at = text; at < end && (at = memchr(at, '{', (size_t)(end - at))); at += length) {
		length = compare(at, (size_t)(end - at));
		if (!length) {
			n_differ++;
			break;
		}
	}
	free(text);
	return 0;
}

static void check_files(const char *folder, const char *what)
{
	n_objects = n_plain = n_differ = 0;
	nftw(folder, compare_file, 16, FTW_PHYS);
	ok(n_objects > 100 && n_plain > n_objects * 3 / 4,
	   "catalog: %s: most objects are plain", what);
	ok(!n_differ, "catalog: %s: plain objects mean the same to jansson", what);
	diag("%zu objects, %zu plain", n_objects, n_plain);
}

static void check_values(void)
{
	static const struct {
		const char *text;
		bool plain;
	} objects[] = {
		{ "{\"Unit\":\"a\"}", true },
		{ "{ \t\r\n\"Unit\" \n:\t \"a\" }", true },
		{ "{\"Counter\":\"b\",\"Unit\":\"a\"}", true },
		{ "{\"Unit\":\"\\u0061\"}", false },
		{ "{\"\\u0055nit\":\"a\"}", false },
		{ "{\"Unit\":\"a\",\"Counter\":1}", false },
		{ "{\"Unit\":\"a\",\"units\":\"b\"}", false },
		{ "{\"Unit\":\"a\",\"Uni\":\"b\"}", false },
		{ "{\"Unit\":\"a\",\"\":\"b\"}", false },
		{ "{\"Unit\":\"a\",\"Counter\":\"\xc3\xb6\"}", false },
	};
	struct catalog_object object;
	size_t i;

	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		size_t length = strlen(objects[i].text);
		char *text = malloc(length);
		struct catalog_text unit;

		/* A sanitizer reports reads past the end. */
		if (!text || catalog_object_read(&object, memcpy(text, objects[i].text, length),
						 length, &error)) {
			ok(false, "catalog: object %zu cannot be read: %s", i, error.text);
			free(text);
			continue;
		}
		unit = object.values[KEY_UNIT];
		ok(unit.length == 1 && *unit.at == 'a' && object.length == length &&
		   !object.json == objects[i].plain, "catalog: %s reads Unit and length of object %zu",
		   objects[i].plain ? "the built-in parser" : "jansson", i);
		catalog_object_release(&object);
		free(text);
	}
}

static void check_offsets(void)
{
	static const char text[] =
		"{\"a\": {\"b\": 1}, \"c\": \"b\", \"d\\\"\": [\"b\", {\"b\":2}],"
		" \"b\": \"e\"}, {\"f\": 1}";
	size_t length = (size_t)(strchr(text, 'e') + 3 - text);

	is_u64(catalog_object_find(text, length, "b"), (size_t)(strstr(text, "\"b\": \"e") - text),
	       "catalog: catalog_object_find() finds a key, not a value or a nested key");
	is_u64(catalog_object_find(text, length, "a"), 1,
	       "catalog: catalog_object_find() finds the first key");
	is_u64(catalog_object_find(text, length, "f"), 0,
	       "catalog: catalog_object_find() returns 0 for an absent key");
	is_u64(catalog_object_find("{\"a\":\"{[,\",\"b\":1}", 17, "b"), 11,
	       "catalog: catalog_object_find() ignores the content of values");
	is_u64(catalog_object_find("{\"a\\\"", 4, "a\\\""), 0,
	       "catalog: catalog_object_find() does not read past the end");
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
		if (!ok(!object.unknown[0] && object.values[key].length == 1,
			"catalog: %s is a known key", name))
			diag("key %zu", key);
		catalog_object_release(&object);
	}
}

int main(void)
{
	const char *cache = getenv("GPMU_CACHE"), *home = getenv("HOME");
	char upstream[512];

	check_values();
	check_offsets();
	check_keys();
	check_files("pmu-events", "our pmu-events");
	snprintf(upstream, sizeof(upstream), "%s%s/source/7.3/tools/perf/pmu-events/arch",
		 cache ? cache : home ? home : "", cache ? "" : "/.cache/gpmu");
	if (access(upstream, R_OK))
		ok(true, "catalog: upstream objects mean the same to jansson # SKIP no kernel source 7.3 in the cache");
	else
		check_files(upstream, "Linux 7.3's pmu-events");
	return done_testing();
}
