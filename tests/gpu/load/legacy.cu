// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernels whose counts are known before they run, for the names of CUPTI's former APIs. "--to gpu" runs the kernel of
 * shared and local memory, "--to host" that of arithmetic. Instructions are written as assembler, so that the compiler
 * neither merges nor removes them.
 */
#include "load.h"

#define THREADS		256
#define WARPS		(THREADS / 32)
#define ROUNDS		2000	/* of a kernel */
#define BLOCKS_PER_SM	2
#define FMAS		256	/* of a round */
#define BANKS		32
#define WORDS		64	/* of a thread's local array */
#define SECTORS		4	/* of 32 lanes that access a word each, which are adjacent */

struct kernels {
	int blocks;
	bool is_memory;
	unsigned int *out;
	unsigned long long *cycles;	/* of all blocks */
};

/* Each round has a load and a store without bank conflicts, and one of each in which all lanes use the same bank. */
static __global__ void memory(unsigned int *out)
{
	__shared__ unsigned int shared[BANKS * BANKS];
	unsigned int words[WORDS];
	unsigned int lane = threadIdx.x % BANKS, sum = 0, value;
	unsigned int row = (unsigned int)__cvta_generic_to_shared(shared + lane);
	size_t local = __cvta_generic_to_local(words);
	unsigned int column = (unsigned int)__cvta_generic_to_shared(shared + lane * BANKS);

#pragma unroll 1
	for (unsigned int i = 0; i < ROUNDS; i++) {
		asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(row), "r"(i) : "memory");
		asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(column), "r"(i) : "memory");
		asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(row) : "memory");
		sum += value;
		asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(column) : "memory");
		sum += value;
		asm volatile("st.local.u32 [%0], %1;"
			     :: "l"(local + i * 7 % WORDS * sizeof(*words)), "r"(sum) : "memory");
		asm volatile("ld.local.u32 %0, [%1];"
			     : "=r"(value) : "l"(local + i * 3 % WORDS * sizeof(*words)) : "memory");
		sum += value;
	}
	if (sum == 0xffffffff)
		*out = sum;
}

/* Four independent chains of multiply-adds */
static __global__ void arithmetic(unsigned int *out, unsigned long long *cycles, float factor)
{
	float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
	long long begin = clock64();

#pragma unroll 1
	for (unsigned int i = 0; i < ROUNDS; i++) {
#pragma unroll
		for (unsigned int k = 0; k < FMAS / 4; k++)
			asm volatile("fma.rn.f32 %0, %0, %4, %4;\n\tfma.rn.f32 %1, %1, %4, %4;\n\t"
				     "fma.rn.f32 %2, %2, %4, %4;\n\tfma.rn.f32 %3, %3, %4, %4;"
				     : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(factor));
	}
	if (!threadIdx.x)
		atomicAdd(cycles, (unsigned long long)(clock64() - begin));
	if (a + b + c + d == -1)
		*out = 1;
}

static void once(struct load *load, void *arg)
{
	const struct kernels *kernels = (const struct kernels *)arg;

	(void)load;
	if (kernels->is_memory)
		memory<<<kernels->blocks, THREADS>>>(kernels->out);
	else
		arithmetic<<<kernels->blocks, THREADS>>>(kernels->out, kernels->cycles, 0.5f);
	LOAD_CHECK(cudaGetLastError());
}

/* Prints the member "counts": the names of CUPTI's former APIs that the kernel knows. */
static void print(const struct load *load, const struct kernels *kernels)
{
	unsigned long long warps = load->done * kernels->blocks * WARPS, rounds = warps * ROUNDS, cycles = 0;
	char more[1024];

	LOAD_CHECK(cudaMemcpy(&cycles, kernels->cycles, sizeof(cycles), cudaMemcpyDeviceToHost));
	if (kernels->is_memory)
		snprintf(more, sizeof(more),
			 ",\"counts\":{\"warps_launched\":%llu,\"unique_warps_launched\":%llu,\"sm_cta_launched\":%llu,"
			 "\"shared_load_transactions\":%llu,\"shared_store_transactions\":%llu,"
			 "\"shared_ld_transactions\":%llu,\"shared_st_transactions\":%llu,"
			 "\"shared_ld_bank_conflict\":%llu,\"shared_st_bank_conflict\":%llu,"
			 "\"local_load_transactions\":%llu,\"local_store_transactions\":%llu}",
			 warps, warps, warps / WARPS, rounds * (1 + BANKS), rounds * (1 + BANKS),
			 rounds * (1 + BANKS), rounds * (1 + BANKS), rounds * (BANKS - 1), rounds * (BANKS - 1),
			 rounds * SECTORS, rounds * SECTORS);
	else
		snprintf(more, sizeof(more),
			 ",\"counts\":{\"inst_executed\":%llu,\"inst_issued\":%llu,\"inst_issued1\":%llu,\"issue_slots\":%llu,"
			 "\"inst_executed_fma_pipe_s0\":%llu,\"not_predicated_off_thread_inst_executed\":%llu,"
			 "\"active_cycles\":%llu,\"active_cycles_pm\":%llu,\"active_warps\":%llu,\"active_warps_pm\":%llu,"
			 "\"achieved_occupancy\":%.6f,\"issued_ipc\":%.6f,\"issue_slot_utilization\":%.6f}",
			 rounds * FMAS, rounds * FMAS, rounds * FMAS, rounds * FMAS, rounds * FMAS,
			 rounds * FMAS * 32, cycles, cycles, cycles * WARPS, cycles * WARPS,
			 (double)WARPS * 32 / load->gpu.maxThreadsPerMultiProcessor,
			 (double)rounds * FMAS / cycles / 4, 100.0 * rounds * FMAS / cycles / 4);
	load_print(load, 0, 0, more);
}

int main(int argc, char **argv)
{
	struct load load = load_begin("legacy", " [--to gpu|host]", argc, argv);
	struct kernels kernels = {};

	kernels.is_memory = load.up;
	kernels.blocks = load.gpu.multiProcessorCount * (load.up ? BLOCKS_PER_SM : 1);
	LOAD_CHECK(cudaMalloc(&kernels.out, sizeof(*kernels.out)));
	LOAD_CHECK(cudaMalloc(&kernels.cycles, sizeof(*kernels.cycles)));
	LOAD_CHECK(cudaMemset(kernels.cycles, 0, sizeof(*kernels.cycles)));
	load_run(&load, once, &kernels);
	print(&load, &kernels);
	return 0;
}
