/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the dump of a just-in-time compiler. */
#ifndef GPMU_TESTS_JITDUMP_H
#define GPMU_TESTS_JITDUMP_H

#include "perfdata/perfdata-test.h"

static inline void put_jit_header(struct made *made, uint64_t flags)
{
	put32(made, 0x4a695444);
	put32(made, 1);
	put32(made, 40);
	put32(made, 62);
	put32(made, 0);
	put32(made, 7);
	put64(made, 0);
	put64(made, flags);
}

static inline void put_jit_load(struct made *made, const char *name, uint64_t address, uint64_t size, uint64_t index, uint64_t time)
{
	put32(made, 0);
	put32(made, (uint32_t)(16 + 40 + strlen(name) + 1 + size));
	put64(made, time);
	put64(made, 0x700000007);
	put64(made, address);
	put64(made, address);
	put64(made, size);
	put64(made, index);
	put(made, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		put(made, "\xcc", 1);
}

static inline void put_jit_move(struct made *made, uint64_t from, uint64_t to, uint64_t size, uint64_t index, uint64_t time)
{
	put32(made, 1);
	put32(made, 16 + 48);
	put64(made, time);
	put64(made, 0x700000007);
	put64(made, from);
	put64(made, from);
	put64(made, to);
	put64(made, size);
	put64(made, index);
}

/* Unwinding information of the code that is loaded next: .eh_frame, then as many other bytes */
static inline void put_jit_unwinding(struct made *made, const void *frames, uint64_t size, uint64_t other)
{
	put32(made, 4);
	put32(made, (uint32_t)(16 + 24 + size + other));
	put64(made, 0);
	put64(made, size + other);
	put64(made, other);
	put64(made, 0);
	put(made, frames, size);
	for (uint64_t i = 0; i < other; i++)
		put(made, "\x5a", 1);
}

/* A record of another type */
static inline void put_jit_other(struct made *made, uint32_t id, size_t size)
{
	put32(made, id);
	put32(made, (uint32_t)(16 + size));
	put64(made, 0);
	for (size_t i = 0; i < size; i++)
		put(made, "\x5a", 1);
}

/* Function "alpha" at 0x1000, "beta" at 0x2000, "gamma" in place of alpha, and beta moves to 0x3000 */
static inline void put_jit_all(struct made *made, uint64_t flags)
{
	put_jit_header(made, flags);
	put_jit_load(made, "alpha", 0x1000, 64, 1, 100);
	put_jit_other(made, 2, 33);
	put_jit_load(made, "beta", 0x2000, 32, 2, 200);
	put_jit_load(made, "gamma", 0x1000, 128, 3, 300);
	put_jit_move(made, 0x2000, 0x3000, 32, 2, 400);
	put_jit_other(made, 3, 0);
}

#endif /* GPMU_TESTS_JITDUMP_H */
