// SPDX-License-Identifier: LGPL-2.1-or-later
/* Converts any text to UTF-8 that readers of protocol buffers accept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "trace/trace.h"

#define REPLACEMENT_LENGTH	(sizeof(UTF8_REPLACEMENT) - 1)

/* Bytes of the valid beginning of @text, at most TRACE_NAME_MAX */
static size_t fine(const char *text)
{
	size_t length = 0, n;

	while (text[length]) {
		n = utf8_length(text + length);
		if (!n || length + n > TRACE_NAME_MAX)
			break;
		length += n;
	}
	return length;
}

int trace_text(struct gpmu_trace *trace, const char *text, char **mended, size_t *length)
{
	size_t good = fine(text), n;
	bool is_bad = false;
	char *out;

	*mended = NULL;
	*length = good;
	if (!text[good])
		return 0;
	out = malloc(TRACE_NAME_MAX + 1);
	if (!out)
		return -ENOMEM;
	memcpy(out, text, good);
	text += good;
	while (*text) {
		n = utf8_length(text);
		if (good + (n ? n : REPLACEMENT_LENGTH) > TRACE_NAME_MAX)
			break;
		memcpy(out + good, n ? text : UTF8_REPLACEMENT, n ? n : REPLACEMENT_LENGTH);
		good += n ? n : REPLACEMENT_LENGTH;
		is_bad = is_bad || !n;
		text += n ? n : 1;
	}
	out[good] = '\0';
	trace->stats.cut += *text != '\0';
	trace->stats.mended += is_bad;
	*mended = out;
	*length = good;
	return 0;
}

int trace_text_copy(struct gpmu_trace *trace, const char *text, char **copy)
{
	size_t length;

	if (!text) {
		*copy = NULL;
		return 0;
	}
	if (trace_text(trace, text, copy, &length))
		return -ENOMEM;
	if (!*copy)
		*copy = strdup(text);
	return *copy ? 0 : -ENOMEM;
}
