// SPDX-License-Identifier: LGPL-2.1-or-later
/* Occupancy against values worked out by hand from the limits of an H200 and of a Turing GPU */
#include "base/array.h"
#include "record/tracks/record_occupancy.h"
#include "tap.h"

static const struct record_limits hopper = {
	.major = 9, .multiprocessors = 132, .warps = 64, .blocks = 32, .registers = 65536, .shared = 233472,
};
static const struct record_limits turing = {
	.major = 7, .minor = 5, .multiprocessors = 40, .warps = 32, .blocks = 16, .registers = 65536, .shared = 65536,
};

int main(void)
{
	static const struct {
		const char *what;
		const struct record_limits *limits;
		struct record_launch launch;
		struct record_occupancy want;
	} cases[] = {
		/* 8 warps a block; 32 registers a thread: 4 KiB of registers a warp, all 64 warps */
		{ "warps limit a launch of 256 threads with 32 registers", &hopper, { { 256, 1, 1 }, 32, 0, 0 }, { 32, 8, 8, 228, 8, 64 } },
		/* 65 registers: 2080, in units 2304 a warp, 28.4 warps, in units 28 */
		{ "registers are allocated in units of a warp and of 4 warps", &hopper, { { 128, 1, 1 }, 65, 0, 0 }, { 32, 16, 7, 228, 7, 28 } },
		/* 49152 + 1024 bytes, 4 of 233472 */
		{ "shared memory has 1 KiB more per block since compute capability 8.0", &hopper, { { 256, 1, 1 }, 64, 1024, 48128 }, { 32, 8, 4, 4, 4, 32 } },
		{ "shared memory of compute capability 7.5 has no such part", &turing, { { 64, 1, 1 }, 32, 0, 16384 }, { 16, 16, 32, 4, 4, 8 } },
		{ "blocks limit a launch of one warp", &hopper, { { 8, 2, 2 }, 16, 0, 0 }, { 32, 64, 128, 228, 32, 32 } },
		{ "threads of a part of a warp take a warp", &hopper, { { 33, 1, 1 }, 0, 0, 0 }, { 32, 32, 32, 228, 32, 64 } },
	};
	const struct record_launch too_large = { { 1024, 1, 1 }, 128, 0, 0 }, no_block = { .registers = 32 };
	struct record_occupancy got;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct record_occupancy *want = &cases[i].want;

		ok(record_occupancy(cases[i].limits, &cases[i].launch, &got) && got.by_blocks == want->by_blocks &&
			   got.by_warps == want->by_warps && got.by_registers == want->by_registers &&
			   got.by_shared == want->by_shared && got.blocks == want->blocks && got.warps == want->warps,
		   "record occupancy: %s", cases[i].what);
	}
	ok(!record_occupancy(&hopper, &too_large, &got), "record occupancy: a block whose registers do not fit has none");
	ok(!record_occupancy(&hopper, &no_block, &got), "record occupancy: a launch without threads has none");
	ok(!record_occupancy(&(struct record_limits){ .warps = 64 }, &cases[0].launch, &got),
	   "record occupancy: a GPU without known limits has none");
	return done_testing();
}
