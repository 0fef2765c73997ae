// SPDX-License-Identifier: LGPL-2.1-or-later
/* The format of a line, and its parser. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "saved/saved.h"

static struct saved_text skip_blanks(struct saved_text text)
{
	while (text.length && (*text.begin == ' ' || *text.begin == '\t' || *text.begin == '\r')) {
		text.begin++;
		text.length--;
	}
	return text;
}

static bool begins_with(struct saved_text text, const char *word)
{
	return text.length >= strlen(word) && !memcmp(text.begin, word, strlen(word));
}

/* Messages that perf writes to the same standard error as its output */
static const struct {
	const char *begin;
	bool has_more;		/* the next line belongs to the message */
} messages[] = {
	{ "Warning:", true },
	{ "WARNING: grouped events cpus do not match.", false },
	/* perf 6.1, before the lines of all groups */
	{ "WARNING: grouped events cpus do not match, disabling group:", true },
	{ "anon group { ", false },
	{ "Events with CPUs not matching the leader", true },
	{ "Events disabled", false },
	{ "Events enabled", false },
	{ "timeout < 100ms", false },
	{ "print interval < 100ms", false },
	{ "[ perf stat: executing run #", false },
	{ "Disabling BPF counters due to more events", false },
	{ "PID/TID switch overriding ", false },
	{ "UID switch overriding ", false },
	{ "SYSTEM/CPU switch overriding ", false },
};

static bool is_message(struct saved_format *format, struct saved_text text)
{
	bool is_match = format->is_message;

	format->is_message = false;
	for (size_t i = 0; !is_match && i < ARRAY_SIZE(messages); i++)
		if (begins_with(text, messages[i].begin)) {
			format->is_message = messages[i].has_more;
			is_match = true;
		}
	return is_match;
}

/* With the separator "#", a line without a value begins with it. */
static bool is_comment(const struct saved_format *format, struct saved_text content)
{
	return *content.begin == '#' && (*format->separator != '#' || begins_with(content, "# started on "));
}

int saved_line_parse(struct saved_format *format, const char *text, size_t length,
		     struct saved_line *line, struct saved_expected *expected)
{
	const struct saved_text content = skip_blanks((struct saved_text){ text, length });

	*line = (struct saved_line){ .count = { .number = -1, .deviation = NAN, .metric_value = NAN } };
	line->is_begin = begins_with(content, "# started on ");
	if (!content.length || is_comment(format, content) || is_message(format, content)) {
		line->is_empty = true;
		return 0;
	}
	if (format->kind == SAVED_UNKNOWN && saved_gpmu_heading(format, content)) {
		format->kind = SAVED_GPMU;
		line->is_empty = true;
		return 0;
	}
	if (format->kind == SAVED_UNKNOWN && *text == '{')
		format->kind = SAVED_JSON;
	else if (format->kind == SAVED_UNKNOWN && saved_csv_separator(text, length, format->separator))
		format->kind = SAVED_CSV;
	switch (format->kind) {
	case SAVED_JSON:
		return saved_json_parse(text, length, line, expected);
	case SAVED_CSV:
		return saved_csv_parse(format->separator, text, length, line, expected);
	case SAVED_GPMU:
		return saved_gpmu_csv(format, content, line, expected);
	default:
		expected->offset = 0;
		expected->what = "a line that \"perf stat -j\" or \"perf stat -x,\" prints";
		return -EINVAL;
	}
}
