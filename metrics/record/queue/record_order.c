// SPDX-License-Identifier: LGPL-2.1-or-later
/* A radix sort: begins of some 100 ms differ in few bits, and comparing records would take several times as long. */
#include <string.h>

#include "record/queue/record_order.h"

#define BITS	11
#define BUCKETS	(1u << BITS)
#define FEW	16	/* entries that are sorted by insertion */

/* Sort keys of an entry, from 0 */
static uint64_t by_begin(const struct record_entry *entry, uint64_t min)
{
	return entry->begin - min;
}

static uint64_t by_end(const struct record_entry *entry, uint64_t max)
{
	return max - entry->end;
}

static void pass(const struct record_entry *from, struct record_entry *to, size_t length,
		 uint64_t (*key)(const struct record_entry *entry, uint64_t base), uint64_t base,
		 unsigned int shift)
{
	size_t offsets[BUCKETS] = { 0 }, sum = 0;

	for (size_t i = 0; i < length; i++)
		offsets[key(&from[i], base) >> shift & (BUCKETS - 1)]++;
	for (size_t i = 0; i < BUCKETS; i++) {
		size_t n = offsets[i];

		offsets[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < length; i++)
		to[offsets[key(&from[i], base) >> shift & (BUCKETS - 1)]++] = from[i];
}

static void sort_by(struct record_entry *entries, struct record_entry *spare, size_t length,
		    uint64_t (*key)(const struct record_entry *entry, uint64_t base), uint64_t base)
{
	struct record_entry *from = entries, *to = spare, *other;
	uint64_t used = 0;

	for (size_t i = 0; i < length; i++)
		used |= key(&entries[i], base);
	for (unsigned int shift = 0; shift < 64 && used >> shift; shift += BITS) {
		pass(from, to, length, key, base, shift);
		other = from;
		from = to;
		to = other;
	}
	if (from != entries)
		memcpy(entries, from, length * sizeof(*entries));
}

static void insert(struct record_entry *entries, size_t length)
{
	for (size_t i = 1; i < length; i++) {
		struct record_entry entry = entries[i];
		size_t index = i;

		for (; index && record_entry_is_before(&entry, &entries[index - 1]); index--)
			entries[index] = entries[index - 1];
		entries[index] = entry;
	}
}

/* Sorts entries of the same begin. */
static void sort_equal(struct record_entry *entries, struct record_entry *spare, size_t length)
{
	uint64_t max = 0;

	if (length <= FEW) {
		insert(entries, length);
		return;
	}
	for (size_t i = 0; i < length; i++)
		max = entries[i].end > max ? entries[i].end : max;
	sort_by(entries, spare, length, by_end, max);
}

static bool is_sorted(const struct record_entry *entries, size_t length)
{
	for (size_t i = 1; i < length; i++)
		if (record_entry_is_before(&entries[i], &entries[i - 1]))
			return false;
	return true;
}

void record_order(struct record_entry *entries, struct record_entry *spare, size_t length)
{
	uint64_t min = UINT64_MAX;
	size_t equal;

	if (is_sorted(entries, length))
		return;
	if (length <= FEW) {
		insert(entries, length);
		return;
	}
	for (size_t i = 0; i < length; i++)
		min = entries[i].begin < min ? entries[i].begin : min;
	sort_by(entries, spare, length, by_begin, min);
	for (size_t i = 0; i < length; i += equal) {
		equal = 1;
		while (i + equal < length && entries[i + equal].begin == entries[i].begin)
			equal++;
		sort_equal(&entries[i], spare, equal);
	}
}
