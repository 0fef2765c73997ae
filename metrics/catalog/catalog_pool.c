// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_pool.h"

#define BLOCK_SIZE	32768

struct catalog_block {
	struct catalog_block *next;
	size_t size, used;
	_Alignas(max_align_t) char bytes[];
};

/* @align is a power of two. */
static void *take(struct catalog_pool *pool, size_t size, size_t align)
{
	struct catalog_block *block = pool->blocks;
	size_t start = block ? (block->used + align - 1) & ~(align - 1) : 0, room;

	if (block && start <= block->size && size <= block->size - start) {
		block->used = start + size;
		return block->bytes + start;
	}
	if (size > SIZE_MAX / 2)
		return NULL;
	room = size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE;
	block = malloc(sizeof(*block) + room);
	if (!block)
		return NULL;
	block->size = room;
	block->used = size;
	/* A block for one large text is full; keep the block with free space first. */
	if (room == size && pool->blocks) {
		block->next = pool->blocks->next;
		pool->blocks->next = block;
	} else {
		block->next = pool->blocks;
		pool->blocks = block;
	}
	return block->bytes;
}

void *catalog_pool_alloc(struct catalog_pool *pool, size_t size)
{
	void *memory = take(pool, size, _Alignof(max_align_t));

	return memory ? memset(memory, 0, size) : NULL;
}

char *catalog_pool_copy(struct catalog_pool *pool, const char *text, size_t length)
{
	char *copy = length < SIZE_MAX ? take(pool, length + 1, 1) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

void catalog_pool_take(struct catalog_pool *pool, struct catalog_pool *from)
{
	struct catalog_block **last = &from->blocks;

	while (*last)
		last = &(*last)->next;
	*last = pool->blocks;
	pool->blocks = from->blocks;
	from->blocks = NULL;
}

void catalog_pool_release(struct catalog_pool *pool)
{
	while (pool->blocks) {
		struct catalog_block *next = pool->blocks->next;

		free(pool->blocks);
		pool->blocks = next;
	}
}
