// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A file of pmu-events: an array of objects. jansson reads each object on its own, as it does
 * not give the line of an object in an array.
 */
#include <errno.h>
#include <string.h>

#include "catalog/catalog.h"

struct reader {
	const char *text;
	size_t size;
	struct catalog_source pos;
};

static void skip(struct reader *r, size_t length)
{
	const char *text = r->text + r->pos.offset, *end = text + length;

	r->pos.offset += length;
	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		r->pos.line++;
	}
}

/* Skips white space; returns the next character, or 0 at the end of the text. */
static char next(struct reader *r)
{
	const char *text = r->text + r->pos.offset, *end = r->text + r->size, *c = text;

	while (c < end && (*c == ' ' || *c == '\n' || *c == '\t' || *c == '\r'))
		c++;
	skip(r, (size_t)(c - text));
	return c < end ? *c : 0;
}

static int expected(struct reader *r, const char *what)
{
	return catalog_fail(r->pos.load, r->pos.file->name, r->pos.line, r->pos.offset, "expected %s",
			    what);
}

static int read_object(struct reader *r, bool is_added)
{
	struct catalog_object object;
	struct gpmu_error why = { .size = sizeof(why) };
	int ret;

	if (next(r) != '{')
		return expected(r, "an object");
	ret = catalog_object_read(&object, r->text + r->pos.offset, r->size - r->pos.offset, &why);
	if (ret == -EINVAL) {
		skip(r, why.offset);
		catalog_fail(r->pos.load, r->pos.file->name, r->pos.line, r->pos.offset, "%s",
			     why.text);
	}
	if (ret)
		return ret;
	if (is_added)
		ret = catalog_add_object(&r->pos, &object);
	skip(r, object.length);
	catalog_object_release(&object);
	return ret;
}

static int read_array(struct reader *r)
{
	int ret;

	if (next(r) != '[')
		return expected(r, "[ and objects in it");
	skip(r, 1);
	if (next(r) != ']') {
		for (;;) {
			ret = read_object(r, true);
			if (ret)
				return ret;
			if (next(r) != ',')
				break;
			skip(r, 1);
		}
	}
	if (next(r) != ']')
		return expected(r, "a comma or ] after an object");
	skip(r, 1);
	return 0;
}

int catalog_read(struct catalog_load *load, const struct catalog_file *file, const char *text,
		 size_t size)
{
	struct reader r = {
		.text = text, .size = size, .pos = { .load = load, .file = file, .line = 1 },
	};
	int ret = file->has_descriptions ? read_object(&r, false) : read_array(&r);

	next(&r);
	if (!ret && r.pos.offset < size)
		ret = expected(&r, file->has_descriptions ? "nothing after }" : "nothing after ]");
	return ret;
}
