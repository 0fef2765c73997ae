// SPDX-License-Identifier: LGPL-2.1-or-later
/* The string table: each text has one number */
#include "tap.h"
#include "base/words.h"

int main(void)
{
	struct words words = { 0 };
	uint32_t one = 9, other = 9, again = 9;
	bool all = true;
	char text[32];

	ok(!words_number(&words, "one", &one) && !words_number(&words, "", &other),
	   "string table: two texts are added");
	ok(one == 0 && other == 1, "string table: the first two numbers are 0 and 1");
	memcpy(text, "one", 4);
	ok(!words_number(&words, text, &again) && again == one,
	   "string table: an equal text has the same number");
	is_str(words_text(&words, one), "one", "string table: a number gives its text");
	is_str(words_text(&words, other), "", "string table: a number gives an empty text");
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		all = all && !words_number(&words, text, &again) && again == i + 2;
	}
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		all = all && !strcmp(words_text(&words, i + 2), text);
	}
	ok(all, "string table: a thousand numbers give their texts");
	words_release(&words);
	ok(!words.texts.n, "string table: a released table has no texts");
	return done_testing();
}
