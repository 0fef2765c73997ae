// SPDX-License-Identifier: LGPL-2.1-or-later
/* Converts any text to UTF-8 that readers of protocol buffers accept. */
#include <errno.h>
#include <stdlib.h>

#include "trace/trace.h"

static const char replacement[] = "\xef\xbf\xbd";	/* U+FFFD */

#define REPLACEMENT_LENGTH	(sizeof(replacement) - 1)

/*
 * Bytes of the character at @text; 0 if it is not valid: overlong, a surrogate, or beyond
 * U+10FFFF (Unicode, table 3-7). The text's final 0 stops the check.
 */
static size_t character(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t n, i;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	n = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	switch (text[0]) {
	case 0xe0: low = 0xa0; break;
	case 0xed: high = 0x9f; break;
	case 0xf0: low = 0x90; break;
	case 0xf4: high = 0x8f; break;
	}
	if (text[1] < low || text[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	return n;
}

/* Bytes of the valid beginning of @text, at most TRACE_NAME_MOST */
static size_t fine(const char *text)
{
	size_t length = 0, n;

	while (text[length]) {
		n = character((const unsigned char *)text + length);
		if (!n || length + n > TRACE_NAME_MOST)
			break;
		length += n;
	}
	return length;
}

int trace_text(struct gpmu_trace *trace, const char *text, char **mended, size_t *length)
{
	size_t good = fine(text), n;
	bool bad = false;
	char *out;

	*mended = NULL;
	*length = good;
	if (!text[good])
		return 0;
	out = malloc(TRACE_NAME_MOST + 1);
	if (!out)
		return -ENOMEM;
	memcpy(out, text, good);
	text += good;
	while (*text) {
		n = character((const unsigned char *)text);
		if (good + (n ? n : REPLACEMENT_LENGTH) > TRACE_NAME_MOST)
			break;
		memcpy(out + good, n ? text : replacement, n ? n : REPLACEMENT_LENGTH);
		good += n ? n : REPLACEMENT_LENGTH;
		bad = bad || !n;
		text += n ? n : 1;
	}
	out[good] = '\0';
	trace->stats.cut += *text != '\0';
	trace->stats.mended += bad;
	*mended = out;
	*length = good;
	return 0;
}
