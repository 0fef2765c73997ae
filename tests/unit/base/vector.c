// SPDX-License-Identifier: LGPL-2.1-or-later
/* Growing arrays and their reuse, and formatted texts */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "tap.h"

/* Returns the number of appended elements that were not zeroed. */
static size_t grow(size_t **list, size_t length)
{
	size_t n = 0, dirty = 0, *added;

	while (n < length) {
		added = vector_append(*list, n);
		if (!added)
			exit(1);
		dirty += *added != 0 || added != &(*list)[n - 1];
		*added = n;
	}
	return dirty;
}

static int compare(const void *a, const void *b)
{
	const size_t *left = a, *right = b;

	return COMPARE(*left, *right);
}

static void test_list(void)
{
	VECTOR(size_t) list = { 0 };
	struct map numbers = { 0 };
	size_t failed = 0, wrong = 0, *element;

	vector_sort(&list, compare);
	for (size_t i = 0; i < 100; i++)
		failed += vector_push(&list, &(size_t){ 100 - i }) != 0;
	vector_sort(&list, compare);
	for (size_t i = 0; i < list.n; i++)
		wrong += list.list[i] != i + 1;
	ok(!failed && list.n == 100, "vector_push(): the length is the number of elements");
	is_u64(wrong, 0, "vector_sort(): a list is sorted");
	vector_free(&list);
	ok(!list.list && !list.n, "vector_free(): the list is empty");
	wrong = 0;
	for (size_t i = 0; i < 200; i++) {
		element = vector_element(&list, &numbers, i % 100);
		if (!element)
			exit(1);
		wrong += *element != i / 100;
		*element = 1;
	}
	ok(!wrong && list.n == 100, "vector_element(): a new key has a zeroed element, a known key its own");
	vector_free(&list);
	map_release(&numbers);
}

int main(void)
{
	size_t *list = NULL, length = 5, wrong = 0, dirty;
	char *text;

	test_list();
	dirty = grow(&list, 1000);
	for (size_t i = 0; i < 1000; i++)
		wrong += list[i] != i + 1;
	is_u64(wrong, 0, "vector_append(): an array keeps its elements when it grows");
	dirty += grow(&list, 5);
	is_u64(list[4], 5, "vector_append(): an array can be filled anew");
	is_u64(vector_append_value(list, length, 7), 0, "vector_append_value(): it returns 0");
	ok(length == 6 && list[4] == 5 && list[5] == 7, "vector_append_value(): the value is the last element");
	is_u64(dirty, 0, "vector_append(): it returns the last element, zeroed, also in room that was used before");
	free(list);
	text = text_print("%300d-%s", 7, "end");
	ok(text && strlen(text) == 304 && !strcmp(text + 299, "7-end"),
	   "text_print(): it returns a text of any length");
	free(text);
	ok(text_is_same(NULL, NULL) && text_is_same("a", "a") && !text_is_same("a", NULL) && !text_is_same("a", "b"),
	   "text_is_same(): two texts are the same if both are equal or NULL");
	ok(!text_compare("L1-Dcache", "l1-dcache") && text_compare("a", "B") < 0 && text_compare("ab", "A") > 0,
	   "text_compare(): the case of letters does not matter");
	return done_testing();
}
