// SPDX-License-Identifier: LGPL-2.1-or-later
/* Texts as a terminal gets them, and their widths */
#include <locale.h>
#include <stdlib.h>

#include "base/text/gpmu_shown.h"
#include "tap.h"

static const struct {
	const char *text, *want;
	size_t width;
	const char *what;
} texts[] = {
	{ "", "", 0, "an empty text stays empty" },
	{ "a b~", "a b~", 4, "printable ASCII is unchanged" },
	{ "a\033[2Jb", "a?[2Jb", 6, "the escape character becomes \"?\"" },
	{ "\a\b\t\n\r\x1f", "??????", 6, "each C0 control character becomes \"?\"" },
	{ "\x7f", "?", 1, "DEL becomes \"?\"" },
	{ "\xc2\x80\xc2\x9b" "1m\xc2\x9f", "??1m?", 5, "each C1 control character of two bytes becomes one \"?\"" },
	{ "\xc2\xa0\u00e9", "\xc2\xa0\u00e9", 2, "characters from U+00A0 are unchanged" },
	{ "\x9b" "1m", "?1m", 3, "a C1 control character of one byte, which is not UTF-8, becomes \"?\"" },
	{ "a\xff\xfe" "b", "a??b", 4, "each byte that begins no character becomes \"?\"" },
	{ "\xe2\x82", "??", 2, "each byte of a character that is cut off becomes \"?\"" },
	{ "\xe2\x82x", "??x", 3, "the character after a cut one is unchanged" },
	{ "\xc0\x9b\xe0\x82\x9b", "?????", 5, "each byte of an overlong control character becomes \"?\"" },
	{ "\xed\xa0\x80", "???", 3, "each byte of a surrogate becomes \"?\"" },
	{ "\xf4\x90\x80\x80", "????", 4, "each byte of a number above U+10FFFF becomes \"?\"" },
	{ "\u6f22\u5b57", "\u6f22\u5b57", 4, "a wide character takes two columns" },
	{ "e\u0301", "e\u0301", 1, "a combining character takes no column" },
};

static void test_texts(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char added[64], replaced[64], *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		*gpmu_shown_add(added, texts[i].text) = '\0';
		snprintf(replaced, sizeof(replaced), "%s", texts[i].text);
		gpmu_shown(replaced);
		gpmu_shown_print(file, texts[i].text);
		fclose(file);
		ok(!strcmp(added, texts[i].want) && !strcmp(replaced, texts[i].want) && !strcmp(text, texts[i].want),
		   "shown texts: %s", texts[i].what);
		ok(gpmu_shown_width(texts[i].text) == texts[i].width && gpmu_shown_width(added) == texts[i].width,
		   "shown texts: the width stays the same where %s", texts[i].what);
		free(text);
	}
}

static void test_fit(void)
{
	size_t width;

	ok(gpmu_shown_fit("abc", 2, &width) == 2 && width == 2, "shown texts: two of three letters fit into two columns");
	ok(gpmu_shown_fit("\u6f22\u5b57", 3, &width) == 3 && width == 2,
	   "shown texts: half of a wide character is not part of a text that fits");
	ok(gpmu_shown_fit("e\u0301x", 1, &width) == 3 && width == 1,
	   "shown texts: a combining character stays with the letter before it");
}

int main(void)
{
	test_texts();
	test_fit();
	setlocale(LC_ALL, "C.UTF-8");
	ok(gpmu_shown_width("\u6f22") == 2, "shown texts: a wide character takes two columns in a UTF-8 locale, too");
	ok(!strcmp(setlocale(LC_ALL, NULL), "C.UTF-8"), "shown texts: the locale of the program stays set");
	return done_testing();
}
