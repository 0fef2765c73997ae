/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that the program has allocated on the fakes: each allocation holds a number, which each kernel increments. */
#ifndef GPMU_TESTS_GPU_FAKE_HEAP_H
#define GPMU_TESTS_GPU_FAKE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_MAX	64

struct heap_block {
	uint64_t address;	/* 0: freed */
	size_t bytes;
	bool is_host;		/* of the host */
	long content;
};

/* Returns the address. */
uint64_t heap_allocate(size_t bytes, bool is_host);
/* Blocks by number, in the order of their allocation; NULL after the last */
struct heap_block *heap_block(size_t number);
/* A kernel runs. Returns the sum of the contents before. */
long heap_run(void);
/* Takes memory of the GPU, or gives it back. */
void heap_use(long bytes);
/* Bytes of the GPU's memory */
size_t heap_total(void);
size_t heap_available(void);

#endif /* GPMU_TESTS_GPU_FAKE_HEAP_H */
