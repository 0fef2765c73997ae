// SPDX-License-Identifier: LGPL-2.1-or-later
/* Growing lists, their reuse, and texts of any length */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "tap.h"

static void grow(size_t **list, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		*list = list_room(*list, i, sizeof(**list));
		if (!*list)
			exit(1);
		(*list)[i] = i;
	}
}

int main(void)
{
	size_t *list = NULL, wrong = 0;
	char *text;

	grow(&list, 1000);
	for (size_t i = 0; i < 1000; i++)
		wrong += list[i] != i;
	is_u64(wrong, 0, "list: a list keeps its items when it grows");
	grow(&list, 5);
	is_u64(list[4], 4, "list: a list can be filled anew");
	free(list);
	text = text_print("%300d-%s", 7, "end");
	ok(text && strlen(text) == 304 && !strcmp(text + 299, "7-end"),
	   "list: text_print() returns a text of any length");
	free(text);
	return done_testing();
}
