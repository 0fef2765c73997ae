// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/queue/record_merge.h"
#include "tap.h"

#define NEVER	UINT64_MAX

static int add(struct record_merge *merge, int stream, uint64_t begin, uint64_t end)
{
	const struct record record = { .size = sizeof(record), .begin = begin, .end = end };

	return record_merge_add(merge, &record, stream);
}

/* Returns the records up to a bound as "1-9 2-3". */
static const char *taken(struct record_merge *merge, uint64_t bound)
{
	static char text[512];
	const struct record *record;
	size_t pos = 0;

	text[0] = '\0';
	while ((record = record_merge_next(merge, bound)))
		pos += (size_t)snprintf(text + pos, sizeof(text) - pos, "%s%" PRIu64 "-%" PRIu64,
					pos ? " " : "", record->begin, record->end);
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
	ok(record_merge_bound(&merge, 0) == 0, "merge: the bound is 0 before any mark");
	is_str(taken(&merge, 0), "", "merge: no record is taken before any mark");
	record_merge_mark(&merge, a, 50, 1);
	record_merge_mark(&merge, b, 20, 1);
	ok(record_merge_bound(&merge, 0) == 20,
	   "merge: the bound is the earliest mark of all streams");
	is_str(taken(&merge, 20), "5-6 10-20 10-12",
	       "merge: records come in order of begin, the longer one first");
	record_merge_close(&merge, b);
	ok(record_merge_bound(&merge, 0) == 50,
	   "merge: a closed stream does not hold the bound back");
	is_str(taken(&merge, 50), "30-40",
	       "merge: the remaining record comes once the bound has passed it");
	ok(merge.late == 0, "merge: records in time are not counted as late");
	add(&merge, a, 1, 49);
	add(&merge, a, 1, 50);
	ok(merge.late == 1,
	   "merge: a record that ended before its stream's mark is counted as late");
	is_str(taken(&merge, NEVER), "1-50 1-49", "merge: a late record is still delivered");
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
	ok(record_merge_bound(&merge, 100) == 0,
	   "merge: the bound waits for a stream without a mark");
	ok(record_merge_bound(&merge, 101) == 7000,
	   "merge: the bound stops waiting for a silent stream after the patience");
	record_merge_mark(&merge, b, 6000, 400);
	ok(record_merge_bound(&merge, 101) == 6000,
	   "merge: the bound waits for a silent stream again once it sets a mark");
	record_merge_mark(&merge, b, 10, 500);
	ok(record_merge_bound(&merge, 101) == 6000, "merge: a mark does not move backwards");
	record_merge_release(&merge);
}

static void bounded(void)
{
	struct record_merge merge;
	size_t max = 0;
	int a;

	record_merge_init(&merge, 100 * sizeof(struct record));
	a = record_merge_open(&merge, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		add(&merge, a, 1000 - i, 2000);
		record_merge_next(&merge, 0);
		if (merge.bytes > max)
			max = merge.bytes;
	}
	ok(max <= 101 * sizeof(struct record),
	   "merge: at the memory limit the earliest record is released");
	ok(merge.forced == 900,
	   "merge: 900 of 1,000 records are counted as forced out by the memory limit");
	record_merge_release(&merge);
}

/* 100,000 records with random begins and ends come out sorted. */
static void many(void)
{
	struct record_merge merge;
	const struct record *record;
	uint64_t last = 0, last_end = NEVER;
	bool is_sorted = true;
	size_t n = 0;
	int a;

	record_merge_init(&merge, SIZE_MAX);
	a = record_merge_open(&merge, 0);
	srandom(2);
	for (int i = 0; i < 100000; i++) {
		uint64_t begin = (uint64_t)random() % 50000;

		add(&merge, a, begin, begin + (uint64_t)random() % 100);
	}
	for (; (record = record_merge_next(&merge, NEVER)); n++) {
		is_sorted = is_sorted && (record->begin > last || (record->begin == last && record->end <= last_end));
		last = record->begin;
		last_end = record->end;
	}
	ok(is_sorted && n == 100000 && !merge.bytes,
	   "merge: 100,000 records in random order come out sorted, each once");
	record_merge_release(&merge);
}

/* 1,000 records of one begin: the longest comes first, and of equal ones that which came first. */
static void equal(void)
{
	struct {
		struct record record;
		uint64_t number;
	} made = { .record = { .size = sizeof(made), .begin = 7 } };
	const struct record *record;
	uint64_t last_end = NEVER, last = 0;
	struct record_merge merge;
	bool is_sorted = true;
	size_t n = 0;
	int a;

	record_merge_init(&merge, SIZE_MAX);
	a = record_merge_open(&merge, 0);
	for (made.number = 1; made.number <= 1000; made.number++) {
		made.record.end = 7 + made.number * 7919 % 100;
		record_merge_add(&merge, &made.record, a);
	}
	for (; (record = record_merge_next(&merge, NEVER)); n++) {
		memcpy(&made, record, sizeof(made));
		is_sorted = is_sorted &&
			    (made.record.end < last_end || (made.record.end == last_end && made.number > last));
		last_end = made.record.end;
		last = made.number;
	}
	ok(is_sorted && n == 1000, "merge: of records with the same begin the longest comes first, "
	   "of equal ones the one that was added first");
	record_merge_release(&merge);
}

/* A record larger than a chunk of the arena, between small ones, some of which are never taken */
static void large(void)
{
	const size_t size = (size_t)3 << 20;
	struct record *made = calloc(1, size);
	const struct record *record;
	struct record_merge merge;
	int a;

	record_merge_init(&merge, SIZE_MAX);
	a = record_merge_open(&merge, 0);
	add(&merge, a, 1, 2);
	made->size = (uint32_t)size;
	made->begin = 3;
	((char *)made)[size - 1] = 'x';
	ok(!record_merge_add(&merge, made, a), "merge: a record of 3 MiB is added");
	free(made);
	for (uint64_t i = 0; i < 100000; i++)
		add(&merge, a, 4 + i, 5 + i);
	record = record_merge_next(&merge, NEVER);
	ok(record && record->begin == 1, "merge: a small record before a large one comes first");
	record = record_merge_next(&merge, NEVER);
	ok(record && record->size == size && ((const char *)record)[size - 1] == 'x',
	   "merge: a record of 3 MiB is returned whole");
	for (uint64_t i = 0; i < 50000; i++)
		record = record_merge_next(&merge, NEVER);
	ok(record && record->begin == 4 + 49999, "merge: small records after a large one are returned in order");
	record_merge_release(&merge);
}

int main(void)
{
	equal();
	large();
	order();
	patience();
	bounded();
	many();
	return done_testing();
}
