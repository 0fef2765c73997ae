// SPDX-License-Identifier: LGPL-2.1-or-later
/* The string table: each text has one number */
#include <string.h>

#include "base/strings.h"
#include "tap.h"

int main(void)
{
	struct strings strings = { 0 };
	uint32_t number = 9, other = 9, again = 9;
	bool is_right = true;
	char text[32];

	ok(!strings_number(&strings, "one", &number) && !strings_number(&strings, "", &other),
	   "string table: two texts are added");
	ok(number == 0 && other == 1, "string table: the first two numbers are 0 and 1");
	memcpy(text, "one", 4);
	ok(!strings_number(&strings, text, &again) && again == number,
	   "string table: an equal text has the same number");
	ok(!strings_number_of(&strings, "ones", 3, &again) && again == number,
	   "string table: an equal part of a text has the same number");
	is_str(strings_text(&strings, number), "one", "string table: a number gives its text");
	is_str(strings_text(&strings, other), "", "string table: a number gives an empty text");
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		is_right = is_right && !strings_number(&strings, text, &again) && again == i + 2;
	}
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		is_right = is_right && !strcmp(strings_text(&strings, i + 2), text);
	}
	ok(is_right, "string table: a thousand numbers give their texts");
	strings_release(&strings);
	ok(!strings.texts.n, "string table: a released table has no texts");
	return done_testing();
}
