// SPDX-License-Identifier: LGPL-2.1-or-later
/* The string table: each text has one number */
#include <string.h>

#include "base/strings.h"
#include "tap.h"

int main(void)
{
	struct strings strings = { 0 };
	uint32_t one = 9, other = 9, again = 9;
	bool all = true;
	char text[32];

	ok(!strings_number(&strings, "one", &one) && !strings_number(&strings, "", &other),
	   "string table: two texts are added");
	ok(one == 0 && other == 1, "string table: the first two numbers are 0 and 1");
	memcpy(text, "one", 4);
	ok(!strings_number(&strings, text, &again) && again == one,
	   "string table: an equal text has the same number");
	ok(!strings_number_of(&strings, "ones", 3, &again) && again == one,
	   "string table: an equal part of a text has the same number");
	is_str(strings_text(&strings, one), "one", "string table: a number gives its text");
	is_str(strings_text(&strings, other), "", "string table: a number gives an empty text");
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		all = all && !strings_number(&strings, text, &again) && again == i + 2;
	}
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		all = all && !strcmp(strings_text(&strings, i + 2), text);
	}
	ok(all, "string table: a thousand numbers give their texts");
	strings_release(&strings);
	ok(!strings.texts.n, "string table: a released table has no texts");
	return done_testing();
}
