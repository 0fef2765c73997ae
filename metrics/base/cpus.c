// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"

#define WORD_BITS	(sizeof(unsigned long) * CHAR_BIT)
#define WORDS		(CPUS_MAX / WORD_BITS)

/* Parses a number and moves @cursor past it. */
static int parse_cpu(const char **cursor, size_t *cpu)
{
	const char *p = *cursor;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (*cpu = 0; *p >= '0' && *p <= '9'; p++) {
		*cpu = *cpu * 10 + (size_t)(*p - '0');
		if (*cpu >= CPUS_MAX)
			return -ERANGE;
	}
	*cursor = p;
	return 0;
}

/* Sets whole words: a text can repeat a large range thousands of times. */
static void set_range(unsigned long *bits, size_t first, size_t last)
{
	size_t word = first / WORD_BITS, end = last / WORD_BITS;
	unsigned long low = ~0UL << first % WORD_BITS;
	unsigned long high = ~0UL >> (WORD_BITS - 1 - last % WORD_BITS);

	if (word == end) {
		bits[word] |= low & high;
		return;
	}
	bits[word++] |= low;
	while (word < end)
		bits[word++] = ~0UL;
	bits[end] |= high;
}

static int parse_bits(unsigned long *bits, const char *text)
{
	size_t first, last;
	int ret;

	if (!*text)
		return 0;
	for (;; text++) {
		ret = parse_cpu(&text, &first);
		if (ret)
			return ret;
		last = first;
		if (*text == '-') {
			text++;
			ret = parse_cpu(&text, &last);
			if (ret)
				return ret;
		}
		if (last < first)
			return -EINVAL;
		set_range(bits, first, last);
		if (!*text)
			return 0;
		if (*text != ',')
			return -EINVAL;
	}
}

int cpus_parse(struct cpus *cpus, const char *text)
{
	unsigned long bits[WORDS] = { 0 };
	size_t word, len = 0;
	int ret;

	*cpus = (struct cpus){ 0 };
	ret = parse_bits(bits, text);
	if (ret)
		return ret;
	/* Most words are 0, and the instruction that counts bits is not in each x86-64. */
	for (word = 0; word < WORDS; word++)
		len += bits[word] ? (size_t)__builtin_popcountl(bits[word]) : 0;
	if (!len)
		return 0;

	cpus->ids = malloc(len * sizeof(*cpus->ids));
	if (!cpus->ids)
		return -ENOMEM;
	for (word = 0; word < WORDS; word++)
		for (unsigned long left = bits[word]; left; left &= left - 1)
			cpus->ids[cpus->len++] = (int)(word * WORD_BITS) + __builtin_ctzl(left);
	return 0;
}

void cpus_release(struct cpus *cpus)
{
	free(cpus->ids);
	*cpus = (struct cpus){ 0 };
}

size_t cpus_format(const struct cpus *cpus, char *text, size_t size)
{
	char range[sizeof("-65535,-65535")];
	size_t next, len = 0;

	if (size)
		text[0] = '\0';
	for (size_t i = 0; i < cpus->len; i = next) {
		int add = snprintf(range, sizeof(range), i ? ",%d" : "%d", cpus->ids[i]);

		for (next = i + 1; next < cpus->len; next++)
			if (cpus->ids[next] != cpus->ids[next - 1] + 1)
				break;
		if (next > i + 1)
			add += snprintf(range + add, sizeof(range) - (size_t)add, "-%d",
					cpus->ids[next - 1]);
		if (len < size)
			snprintf(text + len, size - len, "%s", range);
		len += (size_t)add;
	}
	return len;
}

int cpus_first(const struct cpus *cpus)
{
	return cpus->len ? cpus->ids[0] : -1;
}

static int compare_ids(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

bool cpus_contain(const struct cpus *cpus, int cpu)
{
	return cpus->len && bsearch(&cpu, cpus->ids, cpus->len, sizeof(cpu), compare_ids);
}

bool cpus_are_within(const struct cpus *cpus, const struct cpus *others)
{
	for (size_t i = 0; i < cpus->len; i++)
		if (!cpus_contain(others, cpus->ids[i]))
			return false;
	return true;
}

void cpus_keep(struct cpus *cpus, const struct cpus *others)
{
	size_t len = 0;

	for (size_t i = 0; i < cpus->len; i++)
		if (cpus_contain(others, cpus->ids[i]))
			cpus->ids[len++] = cpus->ids[i];
	cpus->len = len;
}

int cpus_copy(struct cpus *cpus, const struct cpus *from)
{
	*cpus = (struct cpus){ 0 };
	if (!from->len)
		return 0;
	cpus->ids = malloc(from->len * sizeof(*cpus->ids));
	if (!cpus->ids)
		return -ENOMEM;
	memcpy(cpus->ids, from->ids, from->len * sizeof(*cpus->ids));
	cpus->len = from->len;
	return 0;
}
