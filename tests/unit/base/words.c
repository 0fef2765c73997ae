// SPDX-License-Identifier: LGPL-2.1-or-later
/* Texts by number: each once. */
#include "tap.h"
#include "base/words.h"

int main(void)
{
	struct words words = { 0 };
	uint32_t one = 9, other = 9, again = 9;
	bool all = true;
	char text[32];

	ok(!words_number(&words, "one", &one) && !words_number(&words, "", &other), "two texts");
	ok(one == 0 && other == 1, "are 0 and 1");
	memcpy(text, "one", 4);
	ok(!words_number(&words, text, &again) && again == one, "a text that is the same has the same number");
	is_str(words_text(&words, one), "one", "the number has the text");
	is_str(words_text(&words, other), "", "also the empty one");
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		all = all && !words_number(&words, text, &again) && again == i + 2;
	}
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		all = all && !strcmp(words_text(&words, i + 2), text);
	}
	ok(all, "so do a thousand");
	words_release(&words);
	ok(!words.texts.n, "released, there are none");
	return done_testing();
}
