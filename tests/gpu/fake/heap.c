// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "fake.h"
#include "heap.h"

#define FIRST	UINT64_C(0x7f0000000000)
#define STEP	UINT64_C(0x1000000)

static struct heap_block blocks[HEAP_MAX];
static size_t length;
static long used;

uint64_t heap_allocate(size_t bytes, bool is_host)
{
	if (length == HEAP_MAX)
		abort();
	blocks[length] = (struct heap_block){ .address = FIRST + length * STEP, .bytes = bytes, .is_host = is_host };
	if (!is_host)
		heap_use((long)bytes);
	return blocks[length++].address;
}

struct heap_block *heap_block(size_t number)
{
	return number < length ? &blocks[number] : NULL;
}

long heap_run(void)
{
	long sum = 0;

	for (size_t i = 0; i < length; i++)
		sum += blocks[i].address ? blocks[i].content++ : 0;
	return sum;
}

void heap_use(long bytes)
{
	used += bytes;
}

size_t heap_total(void)
{
	return (size_t)fake_options()->device << 20;
}

size_t heap_available(void)
{
	return heap_total() - (size_t)used;
}
