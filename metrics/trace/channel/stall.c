// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "base/array.h"
#include "trace/channel/gpmu_stall.h"

const struct gpmu_stall gpmu_stalls[] = {
	{ "barrier", "waits at a barrier for other warps of its block" },
	{ "branch_resolving", "waits for the target of a branch" },
	{ "dispatch_stall", "the dispatcher holds back an instruction that was selected" },
	{ "drain", "has ended and waits for its stores to memory" },
	{ "imc_miss", "waits for the cache of immediate constants" },
	{ "lg_throttle", "the queue of local and global memory instructions is full" },
	{ "long_scoreboard", "waits for data of local, global or texture memory" },
	{ "math_pipe_throttle", "waits for a busy arithmetic pipe" },
	{ "membar", "waits for a memory barrier" },
	{ "mio_throttle", "the queue of shared memory and special instructions is full" },
	{ "misc", "waits for another reason" },
	{ "no_instructions", "waits for instructions to be fetched" },
	{ "not_selected", "was ready, and another warp was selected" },
	{ "selected", "issued an instruction" },
	{ "short_scoreboard", "waits for data of shared memory or a special unit" },
	{ "sleeping", "executes an instruction that sleeps" },
	{ "tex_throttle", "the queue of texture instructions is full" },
	{ "wait", "waits for the fixed latency of its previous instruction" },
	{ "warpgroup_arrive", "waits for an instruction of its warp group" },
};

const size_t gpmu_stall_count = ARRAY_SIZE(gpmu_stalls);

uint32_t gpmu_stall_find(const char *name, size_t length)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(gpmu_stalls); i++)
		if (strlen(gpmu_stalls[i].name) == length && !memcmp(gpmu_stalls[i].name, name, length))
			return i;
	return GPMU_STALL_NONE;
}
