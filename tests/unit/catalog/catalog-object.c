// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One object: what is plain is read in place, and means what it means to
 * jansson, in all of pmu-events. A key that perf does not have is what makes an
 * object jansson's here.
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

/* The object at @text, and what is then read of it with another key before its first */
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
	ok(n_objects > 100 && n_plain > n_objects * 3 / 4, "%s: most objects are plain", what);
	is_u64(n_differ, 0, "and mean the same to jansson");
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

		/* A sanitizer sees reads behind it */
		if (!text || catalog_object_read(&object, memcpy(text, objects[i].text, length),
						 length, &error)) {
			ok(false, "object %zu is read: %s", i, error.text);
			free(text);
			continue;
		}
		unit = object.values[KEY_UNIT];
		ok(unit.length == 1 && *unit.at == 'a' && object.length == length &&
		   !object.json == objects[i].plain, "object %zu: its Unit, its length, by %s", i,
		   objects[i].plain ? "us" : "jansson");
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
	       "a key is found, no value and no key of a value");
	is_u64(catalog_object_find(text, length, "a"), 1, "the first");
	is_u64(catalog_object_find(text, length, "f"), 0, "none that is not there");
	is_u64(catalog_object_find("{\"a\":\"{[,\",\"b\":1}", 17, "b"), 11,
	       "what is in a value does not matter");
	is_u64(catalog_object_find("{\"a\\\"", 4, "a\\\""), 0, "nothing is read behind the end");
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
		if (!ok(!object.unknown[0] && object.values[key].length == 1, "%s is known", name))
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
		ok(true, "Linux 7.3's # SKIP no kernel source 7.3 in the cache");
	else
		check_files(upstream, "Linux 7.3's");
	return done_testing();
}
