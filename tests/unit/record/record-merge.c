// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>

#include "record/record_merge.h"
#include "tap.h"

#define NEVER	UINT64_MAX

static int add(struct record_merge *merge, int stream, uint64_t begin, uint64_t end)
{
	const struct record_item item = { .size = sizeof(item), .begin = begin, .end = end };

	return record_merge_add(merge, &item, stream);
}

/* "1-9 2-3": what is taken up to a bound */
static const char *taken(struct record_merge *merge, uint64_t bound)
{
	static char text[512];
	struct record_item *item;
	size_t at = 0;

	text[0] = '\0';
	while ((item = record_merge_next(merge, bound))) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%" PRIu64 "-%" PRIu64,
				       at ? " " : "", item->begin, item->end);
		free(item);
	}
	return text;
}

static void order(void)
{
	struct record_merge merge;
	int a, b;

	record_merge_init(&merge, 1 << 20);
	a = record_merge_open(&merge, 0);
	b = record_merge_open(&merge, 0);
	add(&merge, a, 30, 40);
	add(&merge, a, 10, 12);
	add(&merge, b, 10, 20);
	add(&merge, b, 5, 6);
	ok(record_merge_bound(&merge, 0) == 0, "before any mark nothing is taken");
	is_str(taken(&merge, 0), "", "... indeed");
	record_merge_mark(&merge, a, 50, 1);
	record_merge_mark(&merge, b, 20, 1);
	ok(record_merge_bound(&merge, 0) == 20, "the bound is the earliest mark");
	is_str(taken(&merge, 20), "5-6 10-20 10-12", "in order of begin, the longer first");
	record_merge_close(&merge, b);
	ok(record_merge_bound(&merge, 0) == 50, "a stream that is closed is not waited for");
	is_str(taken(&merge, 50), "30-40", "... and the rest comes");
	ok(merge.late == 0, "none was late");
	add(&merge, a, 1, 49);
	add(&merge, a, 1, 50);
	ok(merge.late == 1, "what has ended before the mark, and comes after it, is counted as late");
	is_str(taken(&merge, NEVER), "1-50 1-49", "and is there all the same");
	record_merge_release(&merge);
}

static void patience(void)
{
	struct record_merge merge;
	int a, b;

	record_merge_init(&merge, 1 << 20);
	a = record_merge_open(&merge, 100);
	b = record_merge_open(&merge, 100);
	record_merge_mark(&merge, a, 7000, 300);
	ok(record_merge_bound(&merge, 100) == 0, "a stream that says nothing is waited for");
	ok(record_merge_bound(&merge, 101) == 7000, "but not for ever");
	record_merge_mark(&merge, b, 6000, 400);
	ok(record_merge_bound(&merge, 101) == 6000, "and again, once it has said something");
	record_merge_mark(&merge, b, 10, 500);
	ok(record_merge_bound(&merge, 101) == 6000, "marks do not go back");
	record_merge_release(&merge);
}

static void bounded(void)
{
	struct record_merge merge;
	size_t most = 0;
	int a;

	record_merge_init(&merge, 100 * sizeof(struct record_item));
	a = record_merge_open(&merge, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		add(&merge, a, 1000 - i, 2000);
		free(record_merge_next(&merge, 0));
		if (merge.bytes > most)
			most = merge.bytes;
	}
	ok(most <= 101 * sizeof(struct record_item), "of more than there is room for the earliest is taken");
	ok(merge.forced == 900, "which is counted: 900 of 1,000");
	record_merge_release(&merge);
}

/* 100,000 in a random order, with ends, against what qsort() has of them */
static void many(void)
{
	struct record_merge merge;
	struct record_item *item;
	uint64_t last = 0, last_end = NEVER;
	bool sorted = true;
	size_t n = 0;
	int a;

	record_merge_init(&merge, SIZE_MAX);
	a = record_merge_open(&merge, 0);
	srandom(2);
	for (int i = 0; i < 100000; i++) {
		uint64_t begin = (uint64_t)random() % 50000;

		add(&merge, a, begin, begin + (uint64_t)random() % 100);
	}
	for (; (item = record_merge_next(&merge, NEVER)); n++) {
		sorted = sorted && (item->begin > last || (item->begin == last && item->end <= last_end));
		last = item->begin;
		last_end = item->end;
		free(item);
	}
	ok(sorted && n == 100000 && !merge.bytes, "100,000 in any order come in order, each once");
	record_merge_release(&merge);
}

int main(void)
{
	order();
	patience();
	bounded();
	many();
	return done_testing();
}
