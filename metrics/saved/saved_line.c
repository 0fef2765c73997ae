// SPDX-License-Identifier: LGPL-2.1-or-later
/* The format of a line, and its parser. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "saved/saved.h"

static struct saved_text skip_blanks(struct saved_text text)
{
	while (text.length && (*text.at == ' ' || *text.at == '\t' || *text.at == '\r')) {
		text.at++;
		text.length--;
	}
	return text;
}

static bool begins(struct saved_text text, const char *word)
{
	return text.length >= strlen(word) && !memcmp(text.at, word, strlen(word));
}

/* Messages that perf writes to the same standard error as its output */
static const struct {
	const char *begin;
	bool ahead;		/* the next line belongs to the message */
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
	bool is = format->message_ahead;

	format->message_ahead = false;
	for (size_t i = 0; !is && i < ARRAY_SIZE(messages); i++)
		if (begins(text, messages[i].begin)) {
			format->message_ahead = messages[i].ahead;
			is = true;
		}
	return is;
}

/* With the separator "#", a line without a value begins with it. */
static bool is_comment(const struct saved_format *format, struct saved_text content)
{
	return *content.at == '#' && (*format->separator != '#' || begins(content, "# started on "));
}

int saved_line_parse(struct saved_format *format, const char *text, size_t length,
		     struct saved_line *line, struct saved_expected *expected)
{
	const struct saved_text content = skip_blanks((struct saved_text){ text, length });

	*line = (struct saved_line){ .count = { .number = -1, .deviation = NAN, .metric_value = NAN } };
	line->begins = begins(content, "# started on ");
	if (!content.length || is_comment(format, content) || is_message(format, content)) {
		line->nothing = true;
		return 0;
	}
	if (format->kind == SAVED_UNKNOWN && saved_gpmu_heading(format, content)) {
		format->kind = SAVED_GPMU;
		line->nothing = true;
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
