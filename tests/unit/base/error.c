// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors of callers that were built with another gpmu.h */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "gpmu.h"
#include "tap.h"

/* Fills an error with '#' and sets it with this size. Returns the number of bytes written. */
static size_t written(struct gpmu_error *error, size_t size, const char *text)
{
	char bytes[sizeof(*error)];
	size_t n = sizeof(bytes);

	memset(bytes, '#', sizeof(bytes));
	memcpy(bytes, &size, sizeof(size));
	memcpy(error, bytes, sizeof(bytes));
	error_set(error, 7, "%s", text);
	memcpy(bytes, error, sizeof(bytes));
	while (n > sizeof(size) && bytes[n - 1] == '#')
		n--;
	return n == sizeof(size) ? 0 : n;
}

/* The text of an error of a path of @length bytes, which ends with @end */
static const char *text_of(size_t length, const char *end, const char *reason)
{
	static struct gpmu_error error = { .size = sizeof(error) };
	char path[600];

	memset(path, 'p', length);
	path[0] = '/';
	strcpy(path + length - strlen(end), end);
	error_set_path(&error, 5, path, ":%d: %s", 5, reason);
	return error.offset == 5 ? error.text : "another offset";
}

static void test_paths(void)
{
	const size_t max = sizeof(((struct gpmu_error *)0)->text) - 1;
	const char *text = text_of(40, "/perf.data", "expected a record");
	char reason[400];

	ok(strlen(text) == 40 + strlen(":5: expected a record") && !strstr(text, "..."), "error: a path that fits is whole");
	text = text_of(max - strlen(":5: why"), "/perf.data", "why");
	ok(strlen(text) == max && !strstr(text, "..."), "error: a path that just fits is whole");
	text = text_of(max - strlen(":5: why") + 1, "/perf.data", "why");
	ok(strlen(text) == max && !strncmp(text, "/ppp", 4) && strstr(text, "p...p") && strstr(text, "p/perf.data:5: why"),
	   "error: a longer path is shortened in the middle, and has its begin and its end");
	memset(reason, 'r', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	text = text_of(500, "/a/long/name/of/a/file.data", reason);
	ok(strlen(text) == max && strstr(text, "...") && strstr(text, "/a/long/name/of/a/file.data:5: rrr"),
	   "error: a path next to a long reason has its end");
}

/* Paths of 2-byte characters, of which the first begins at each byte of the text that is cut */
static void test_characters(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char path[400];
	size_t wrong = 0;

	for (size_t first = 1; first < 3; first++) {
		const char *dots;

		memset(path, '/', sizeof(path));
		for (size_t i = first; i + 3 < sizeof(path); i += 2)
			memcpy(path + i, "\xc3\xa4", 3);
		error_set_path(&error, 0, path, ": why");
		dots = strstr(error.text, "...");
		wrong += !dots || dots[-1] != '\xa4' || dots[3] != '\xc3';
	}
	is_u64(wrong, 0, "error: a path is not cut within a character of UTF-8");
}

int main(void)
{
	const size_t head = offsetof(struct gpmu_error, text);
	struct {
		struct gpmu_error error;
		char more[8];
	} newer = { .error = { .size = sizeof(newer) }, .more = "####" };
	struct gpmu_error error;
	char text[400];
	bool is_fitting = true;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ok(written(&error, sizeof(error), "no such event") == head + sizeof("no such event") &&
		   error.offset == 7 && error.size == sizeof(error),
	   "error: the offset and the text are set, and the size is kept");
	is_str(error.text, "no such event", "error: the text is set unchanged");
	for (size_t size = head + 1; size <= sizeof(error); size++)
		is_fitting = is_fitting && written(&error, size, text) == size && !error.text[size - head - 1];
	ok(is_fitting, "error: a long text is truncated to the size and ends with a null byte");
	is_fitting = true;
	for (size_t size = 0; size <= head; size++)
		is_fitting = is_fitting && !written(&error, size, text);
	ok(is_fitting, "error: nothing is written if the size has no room for a text");
	error_set(&newer.error, 0, "%s", text);
	ok(strlen(newer.error.text) == sizeof(error.text) - 1 && !strcmp(newer.more, "####"),
	   "error: the members of a longer struct keep their values");
	error_set_offset(&newer.error, 3);
	newer.error.size = 0;
	error_set_offset(&newer.error, 4);
	ok(newer.error.offset == 3, "error: an offset is changed only if the size includes it");
	error_set(NULL, 0, "nobody reads this");
	error_set_offset(NULL, 1);
	error_set_path(NULL, 0, "path", ": nobody reads this");
	test_paths();
	test_characters();
	error.size = sizeof(error);
	ok(error_no_memory(&error) == -ENOMEM && errno == ENOMEM && !strcmp(error.text, "out of memory"),
	   "error_no_memory(): it sets the text and errno, and returns -ENOMEM");
	return done_testing();
}
