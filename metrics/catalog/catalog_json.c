// SPDX-License-Identifier: LGPL-2.1-or-later
/* A file of pmu-events: an array of objects, read one by one, so that each has its line. */
#include <errno.h>
#include <string.h>

#include "catalog/catalog.h"

struct reader {
	struct catalog_load *load;
	const struct catalog_file *file;
	const char *text;
	size_t size;
	size_t at;
	unsigned int line;	/* of @at */
};

static unsigned int count_lines(const char *text, size_t length)
{
	const char *end = text + length;
	unsigned int n = 0;

	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		n++;
	}
	return n;
}

static void skip(struct reader *r, size_t length)
{
	r->line += count_lines(r->text + r->at, length);
	r->at += length;
}

/* The next character that is no white space, 0 at the end */
static char next(struct reader *r)
{
	for (; r->at < r->size; r->at++) {
		switch (r->text[r->at]) {
		case '\n':
			r->line++;
			break;
		case ' ':
		case '\t':
		case '\r':
			break;
		default:
			return r->text[r->at];
		}
	}
	return 0;
}

static int expected(struct reader *r, const char *what)
{
	return catalog_fail(r->load, r->file->name, r->line, r->at, "expected %s", what);
}

/* What is wrong with what begins at r->at */
static int fail_at(struct reader *r, const struct gpmu_error *why)
{
	return catalog_fail(r->load, r->file->name,
			    r->line + count_lines(r->text + r->at, why->offset),
			    r->at + why->offset, "%s", why->text);
}

static int read_object(struct reader *r)
{
	struct catalog_object object;
	struct gpmu_error why;
	struct catalog_source source = {
		.load = r->load, .file = r->file, .line = r->line, .offset = r->at,
		.text = r->text + r->at,
	};
	int ret;

	if (next(r) != '{')
		return expected(r, "an object");
	ret = catalog_object_read(&object, r->text + r->at, r->size - r->at, &why);
	if (ret)
		return ret == -EINVAL ? fail_at(r, &why) : ret;
	ret = catalog_add_object(&source, &object);
	skip(r, object.length);
	catalog_object_release(&object);
	return ret;
}

static int read_array(struct reader *r)
{
	int ret;

	if (next(r) != '[')
		return expected(r, "[ and objects in it");
	r->at++;
	if (next(r) != ']') {
		for (;;) {
			ret = read_object(r);
			if (ret)
				return ret;
			if (next(r) != ',')
				break;
			r->at++;
			next(r);
		}
	}
	if (next(r) != ']')
		return expected(r, "a comma or ] after an object");
	r->at++;
	return next(r) || r->at < r->size ? expected(r, "nothing after ]") : 0;
}

/* Descriptions of metric groups, which are of no use here but have to be JSON */
static int read_descriptions(struct reader *r)
{
	struct catalog_object object;
	struct gpmu_error why;
	int ret;

	if (next(r) != '{')
		return expected(r, "an object");
	ret = catalog_object_read(&object, r->text + r->at, r->size - r->at, &why);
	if (ret)
		return ret == -EINVAL ? fail_at(r, &why) : ret;
	skip(r, object.length);
	catalog_object_release(&object);
	return next(r) || r->at < r->size ? expected(r, "nothing after }") : 0;
}

int catalog_read(struct catalog_load *load, const struct catalog_file *file, const char *text,
		 size_t size)
{
	struct reader r = { .load = load, .file = file, .text = text, .size = size, .line = 1 };

	return file->descriptions ? read_descriptions(&r) : read_array(&r);
}
