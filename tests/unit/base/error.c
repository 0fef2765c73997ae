// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors of callers that were built with another gpmu.h */
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

int main(void)
{
	const size_t head = offsetof(struct gpmu_error, text);
	struct {
		struct gpmu_error error;
		char more[8];
	} newer = { .error = { .size = sizeof(newer) }, .more = "####" };
	struct gpmu_error error;
	char text[400];
	bool fits = true;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ok(written(&error, sizeof(error), "no such event") == head + sizeof("no such event") &&
		   error.offset == 7 && error.size == sizeof(error),
	   "error: the offset and the text are set, and the size is kept");
	is_str(error.text, "no such event", "error: the text is set unchanged");
	for (size_t size = head + 1; size <= sizeof(error); size++)
		fits = fits && written(&error, size, text) == size && !error.text[size - head - 1];
	ok(fits, "error: a long text is truncated to the size and ends with a null byte");
	fits = true;
	for (size_t size = 0; size <= head; size++)
		fits = fits && !written(&error, size, text);
	ok(fits, "error: nothing is written if the size has no room for a text");
	error_set(&newer.error, 0, "%s", text);
	ok(strlen(newer.error.text) == sizeof(error.text) - 1 && !strcmp(newer.more, "####"),
	   "error: the members of a longer struct keep their values");
	error_set_offset(&newer.error, 3);
	newer.error.size = 0;
	error_set_offset(&newer.error, 4);
	ok(newer.error.offset == 3, "error: an offset is changed only if the size includes it");
	error_set(NULL, 0, "nobody reads this");
	error_set_offset(NULL, 1);
	return done_testing();
}
