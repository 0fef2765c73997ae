// SPDX-License-Identifier: LGPL-2.1-or-later
/* Strings of JSON, in memory and in a file */
#include <stdlib.h>

#include "base/gpmu_json.h"
#include "tap.h"

#define BAD	"\xef\xbf\xbd"

int main(void)
{
	static const struct {
		const char *text, *want, *what;
	} texts[] = {
		{ NULL, "null", "NULL is null" },
		{ "", "\"\"", "an empty text is an empty string" },
		{ "a \"b\" \\", "\"a \\\"b\\\" \\\\\"", "quotes and backslashes are escaped" },
		{ "\n\x7f", "\"\\u000a\\u007f\"", "control characters are escaped" },
		{ "\u20ac\U0001f600", "\"\u20ac\U0001f600\"", "UTF-8 is unchanged" },
		{ "\xff\xc3", "\"" BAD BAD "\"", "a byte that begins no character becomes U+FFFD" },
		{ "\xc0\x80", "\"" BAD BAD "\"", "an overlong encoding becomes U+FFFD" },
		{ "\xed\xa0\x80x", "\"" BAD BAD BAD "x\"", "a surrogate becomes U+FFFD" },
		{ "\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"",
		  "a number above U+10FFFF becomes U+FFFD" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char added[64], *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		*gpmu_json_add(added, texts[i].text) = '\0';
		gpmu_json_print(file, texts[i].text);
		fclose(file);
		ok(!strcmp(added, texts[i].want) && !strcmp(text, texts[i].want), "JSON strings: %s",
		   texts[i].what);
		free(text);
	}
	return done_testing();
}
