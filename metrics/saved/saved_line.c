// SPDX-License-Identifier: LGPL-2.1-or-later
/* The format of a line, and its parser. */
#include <errno.h>
#include <math.h>

#include "saved/saved.h"

static bool is_nothing(const char *text, size_t length)
{
	size_t i = 0;

	while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r'))
		i++;
	return i == length || text[i] == '#';
}

/* Messages that perf writes to the same standard error as its output */
static bool is_message(struct saved_format *format, struct saved_text text)
{
	bool warning = format->warning;

	format->warning = saved_is(text, "Warning:");
	return warning || format->warning || saved_is(text, "Events disabled") ||
	       saved_is(text, "Events enabled");
}

int saved_line_parse(struct saved_format *format, const char *text, size_t length,
		     struct saved_line *line, struct saved_expected *expected)
{
	*line = (struct saved_line){ .number = -1, .metric_value = NAN };
	if (is_nothing(text, length) || is_message(format, (struct saved_text){ text, length })) {
		line->nothing = true;
		return 0;
	}
	if (format->kind == SAVED_UNKNOWN) {
		format->separator = saved_csv_separator(text, length);
		if (*text == '{')
			format->kind = SAVED_JSON;
		else if (format->separator)
			format->kind = SAVED_CSV;
	}
	switch (format->kind) {
	case SAVED_JSON:
		return saved_json_parse(text, length, line, expected);
	case SAVED_CSV:
		return saved_csv_parse(format->separator, text, length, line, expected);
	default:
		expected->offset = 0;
		expected->what = "a line that \"perf stat -j\" or \"perf stat -x,\" prints";
		return -EINVAL;
	}
}
