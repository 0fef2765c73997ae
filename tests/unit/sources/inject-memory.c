// SPDX-License-Identifier: LGPL-2.1-or-later
/* The watch over the program's memory: bytes, and whether memory of a checkpoint has been freed */
#include "sources/inject/ranges/memory.c"	/* NOLINT(bugprone-suspicious-include) */
#include "tap.h"

enum { ALLOCATE = 243, PITCH = 244, MANAGED = 371, REGISTER = 379, MAP = 551, UNMAP_CALL = 552, FREE_CALL = 245,
       UNREGISTER = 302, LOAD = 678, UNLOAD = 680, TRIM = 602, OTHER = 307 };

static struct memory memory;
static const int success, failure = 2;

/* A call whose first parameter points to @key */
static void make(uint32_t cbid, uint64_t key, uint64_t size, const int *result)
{
	uint64_t pitch = 512;
	const uint64_t plain[] = { (uintptr_t)&key, size };
	const uint64_t pitched[] = { (uintptr_t)&key, (uintptr_t)&pitch, 100, size };

	memory_call(&memory, cbid, cbid == PITCH ? pitched : plain, NULL);
	memory_call(&memory, cbid, cbid == PITCH ? pitched : plain, result);
}

/* A call whose first parameter is @key */
static void pass(uint32_t cbid, uint64_t key, uint64_t size)
{
	const uint64_t parameters[] = { key, size };

	memory_call(&memory, cbid, parameters, NULL);
	memory_call(&memory, cbid, parameters, &success);
}

static void reset(void)
{
	map_release(&memory.sizes);
	map_release(&memory.recent);
	memory = (struct memory){ 0 };
}

static void test_bytes(void)
{
	make(ALLOCATE, 0x1000, 100, &success);
	make(MANAGED, 0x2000, 20, &success);
	make(PITCH, 0x3000, 2, &success);
	pass(REGISTER, 0x4000, 3);
	pass(MAP, 0x5000, 5);
	ok(memory.bytes == 100 + 20 + 2 * 512 + 3 + 5, "memory: each kind of allocation is counted, with its pitch");
	ok(memory.host == 23, "memory: managed and registered memory counts as the host's");
	make(ALLOCATE, 0x6000, 1000, &failure);
	ok(memory.bytes == 1152, "memory: a failed allocation is not counted");
	make(LOAD, 0x7000, 0, &success);
	ok(memory.bytes == 1152, "memory: a module, whose size is not known, adds no bytes");
	make(ALLOCATE, 0x1000, 50, &success);
	ok(memory.bytes == 1102, "memory: an address that is allocated again has its new size");
	pass(FREE_CALL, 0x1000, 0);
	pass(UNREGISTER, 0x4000, 0);
	pass(UNMAP_CALL, 0x5000, 5);
	ok(memory.bytes == 1044 && memory.host == 20, "memory: freed memory is no longer counted");
	pass(OTHER, 0x2000, 0);
	ok(memory.bytes == 1044 && !memory_has_call(OTHER) && memory_has_call(ALLOCATE),
	   "memory: a call that neither allocates nor frees changes no numbers");
	reset();
}

/* Returns whether a call frees memory of a checkpoint, after which there were further allocations. */
static bool is_freed_by(uint32_t cbid, uint64_t key, uint64_t size)
{
	bool has_freed;

	make(ALLOCATE, 0x1000, 100, &success);
	make(LOAD, 0x2000, 0, &success);
	pass(MAP, 0x3000, 64);
	memory_begin(&memory);
	make(ALLOCATE, 0x4000, 100, &success);
	pass(MAP, 0x5000, 64);
	make(LOAD, 0x6000, 0, &success);
	pass(cbid, key, size);
	has_freed = memory.has_freed;
	reset();
	return has_freed;
}

static void test_freed(void)
{
	ok(is_freed_by(FREE_CALL, 0x1000, 0), "memory: a free of memory allocated before the checkpoint is detected");
	ok(is_freed_by(UNLOAD, 0x2000, 0), "memory: unloading a module loaded before the checkpoint is a free");
	ok(is_freed_by(UNMAP_CALL, 0x3000, 64), "memory: unmapping memory mapped before the checkpoint is a free");
	ok(!is_freed_by(FREE_CALL, 0x4000, 0), "memory: an allocation made after the checkpoint may be freed");
	ok(!is_freed_by(UNMAP_CALL, 0x5000, 64), "memory: a mapping made after the checkpoint may be unmapped");
	ok(is_freed_by(UNMAP_CALL, 0x5000, 128), "memory: unmapping more than a new mapping frees earlier memory");
	ok(!is_freed_by(UNLOAD, 0x6000, 0), "memory: a module loaded after the checkpoint may be unloaded");
	ok(is_freed_by(FREE_CALL, 0x9000, 0), "memory: a free of an unknown address counts as one of earlier memory");
	ok(!is_freed_by(FREE_CALL, 0, 0), "memory: a free of address 0 frees nothing");
	ok(is_freed_by(TRIM, 1, 0), "memory: trimming a pool counts as a free of earlier memory");
}

/* A call of another thread returns after the checkpoint. */
static void test_overlapping(void)
{
	uint64_t address = 0x1000;
	const uint64_t parameters[] = { (uintptr_t)&address, 100 };

	memory_call(&memory, ALLOCATE, parameters, NULL);
	memory_begin(&memory);
	ok(memory.has_freed, "memory: a pending allocation of another thread counts as a free of earlier memory");
	memory_call(&memory, ALLOCATE, parameters, &success);
	memory_begin(&memory);
	ok(!memory.has_freed, "memory: an allocation that has returned does not affect a later checkpoint");
	memory_call(&memory, FREE_CALL, NULL, NULL);
	ok(!memory.has_freed, "memory: a call without parameters is ignored");
	reset();
}

int main(void)
{
	test_bytes();
	test_freed();
	test_overlapping();
	return done_testing();
}
