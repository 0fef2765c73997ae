// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernels whose counts by the names of CUPTI's former APIs are known, for counters of ranges. "known KERNEL" launches one
 * of them once, and prints the names with their counts as JSON. Instructions are written as assembler, so that the
 * compiler neither merges nor removes them.
 */
#include "load.h"

#define BLOCKS	264
#define THREADS	256
#define ROUNDS	64
#define BANKS	32
#define WORDS	64	/* of a thread's local array */
#define SECTORS	4	/* of 32 lanes that access a word each, which are adjacent */

static __device__ size_t own_index(void)
{
	return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void single_known(unsigned *out, const unsigned *in)
{
	float x = __uint_as_float(in[1]), a = __uint_as_float(in[2]), b = __uint_as_float(in[3]);

#pragma unroll 1
	for (int i = 0; i < ROUNDS; i++)
		asm volatile("fma.rn.f32 %0, %0, %1, %2;\n\tmul.rn.f32 %0, %0, %1;\n\tadd.rn.f32 %0, %0, %2;"
			     : "+f"(x) : "f"(a), "f"(b));
	out[own_index()] = __float_as_uint(x);
}

extern "C" __global__ void twofold_known(unsigned *out, const unsigned *in)
{
	double x = __hiloint2double(in[1], 0), a = __hiloint2double(in[2], 0), b = __hiloint2double(in[3], 0);

#pragma unroll 1
	for (int i = 0; i < ROUNDS; i++)
		asm volatile("fma.rn.f64 %0, %0, %1, %2;\n\tmul.rn.f64 %0, %0, %1;\n\tadd.rn.f64 %0, %0, %2;"
			     : "+d"(x) : "d"(a), "d"(b));
	out[own_index()] = __double2hiint(x);
}

extern "C" __global__ void half_pairs_known(unsigned *out, const unsigned *in)
{
	unsigned x = in[1], a = in[2], b = in[3];

#pragma unroll 1
	for (int i = 0; i < ROUNDS; i++)
		asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
	out[own_index()] = x;
}

/* Each lane loads and stores a word; the words of a warp are adjacent. */
extern "C" __global__ void copy_known(unsigned *out, const unsigned *in)
{
	unsigned x;

	asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(in + own_index()));
	asm volatile("st.global.u32 [%0], %1;" :: "l"(out + own_index()), "r"(x) : "memory");
}

extern "C" __global__ void reduce_known(unsigned *out, const unsigned *in)
{
	asm volatile("red.global.add.u32 [%0], %1;" :: "l"(out + own_index()), "r"((unsigned)(size_t)in) : "memory");
}

extern "C" __global__ void add_atomically_known(unsigned *out, const unsigned *in)
{
	unsigned x;

	asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(in + own_index()), "r"(3u) : "memory");
	out[own_index()] = x;
}

/* @step: words between the lanes: 1: no bank conflict, BANKS: all lanes use the same bank */
static __device__ void use_shared(unsigned *shared, unsigned *out, unsigned step)
{
	unsigned address = (unsigned)__cvta_generic_to_shared(shared + threadIdx.x % BANKS * step), sum = 0, x;

#pragma unroll 1
	for (unsigned i = 0; i < ROUNDS; i++) {
		asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(address), "r"(i) : "memory");
		asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
		sum += x;
	}
	out[own_index()] = sum;
}

extern "C" __global__ void share_known(unsigned *out, const unsigned *in)
{
	__shared__ unsigned shared[BANKS];

	use_shared(shared, out, 1);
}

extern "C" __global__ void conflict_known(unsigned *out, const unsigned *in)
{
	__shared__ unsigned shared[BANKS * BANKS];

	use_shared(shared, out, BANKS);
}

extern "C" __global__ void spill_known(unsigned *out, const unsigned *in)
{
	unsigned words[WORDS], sum = 0, x;
	size_t local = __cvta_generic_to_local(words);

#pragma unroll 1
	for (unsigned i = 0; i < ROUNDS; i++) {
		asm volatile("st.local.u32 [%0], %1;" :: "l"(local + i * 7 % WORDS * sizeof(*words)), "r"(sum) : "memory");
		asm volatile("ld.local.u32 %0, [%1];"
			     : "=r"(x) : "l"(local + i * 3 % WORDS * sizeof(*words)) : "memory");
		sum += x;
	}
	out[own_index()] = sum;
}

struct known {
	const char *name;
	double value;		/* of a warp, or of the whole kernel if has_no_sum */
	bool has_no_sum;
};

static const struct kernel {
	const char *name;
	void (*function)(unsigned *out, const unsigned *in);
	struct known known[32];
} kernels[] = {
	{ "single_known", single_known, {
		{ "flop_count_sp_fma", 32 * ROUNDS }, { "flop_count_sp_add", 32 * ROUNDS },
		{ "flop_count_sp_mul", 32 * ROUNDS }, { "flop_count_sp", 4 * 32 * ROUNDS },
	} },
	{ "twofold_known", twofold_known, {
		{ "flop_count_dp_fma", 32 * ROUNDS }, { "flop_count_dp_add", 32 * ROUNDS },
		{ "flop_count_dp_mul", 32 * ROUNDS }, { "flop_count_dp", 4 * 32 * ROUNDS },
		{ "inst_executed_fp64_pipe_s0", 3 * ROUNDS },
	} },
	{ "half_pairs_known", half_pairs_known, { { "flop_count_hp_fma", 2 * 32 * ROUNDS }, { "flop_count_hp", 4 * 32 * ROUNDS } } },
	{ "copy_known", copy_known, {
		{ "inst_executed_global_loads", 1 }, { "inst_executed_global_stores", 1 }, { "global_load", 1 },
		{ "global_store", 1 }, { "global_load_requests", 1 }, { "global_store_requests", 1 },
		{ "gld_transactions", SECTORS }, { "gst_transactions", SECTORS },
		{ "gld_transactions_per_request", SECTORS, true }, { "gst_transactions_per_request", SECTORS, true },
		{ "gld_efficiency", 100, true }, { "gst_efficiency", 100, true }, { "warp_execution_efficiency", 100, true },
		{ "warps_launched", 1 }, { "unique_warps_launched", 1 }, { "sm_cta_launched", 32. / THREADS },
		{ "l2_tex_read_transactions", SECTORS }, { "l2_tex_write_transactions", SECTORS },
		{ "l2_read_transactions", SECTORS }, { "l2_write_transactions", SECTORS },
		{ "l2_subp0_read_tex_sector_queries", SECTORS }, { "l2_subp0_write_tex_sector_queries", SECTORS },
		{ "l2_subp0_total_read_sector_queries", SECTORS }, { "l2_subp0_total_write_sector_queries", SECTORS },
		{ "l2_global_load_bytes", 32 * SECTORS }, { "l2_local_global_store_bytes", 32 * SECTORS },
	} },
	{ "reduce_known", reduce_known, {
		{ "inst_executed_global_reductions", 1 }, { "global_reduction_requests", 1 }, { "gred_count", 1 },
		{ "l2_global_reduction_bytes", 32 * SECTORS },
	} },
	{ "add_atomically_known", add_atomically_known, {
		{ "inst_executed_global_atomics", 1 }, { "global_atomic_requests", 1 }, { "atom_count", 1 },
		{ "atomic_transactions_per_request", SECTORS, true }, { "l2_atomic_transactions", SECTORS },
		{ "l2_global_atomic_store_bytes", 32 * SECTORS },
	} },
	{ "share_known", share_known, {
		{ "inst_executed_shared_loads", ROUNDS }, { "inst_executed_shared_stores", ROUNDS },
		{ "shared_load", ROUNDS }, { "shared_store", ROUNDS }, { "shared_load_transactions", ROUNDS },
		{ "shared_store_transactions", ROUNDS }, { "shared_ld_transactions", ROUNDS },
		{ "shared_st_transactions", ROUNDS }, { "shared_load_transactions_per_request", 1, true },
		{ "shared_store_transactions_per_request", 1, true }, { "shared_efficiency", 100, true },
	} },
	{ "conflict_known", conflict_known, {
		{ "shared_ld_bank_conflict", ROUNDS * (BANKS - 1) }, { "shared_st_bank_conflict", ROUNDS * (BANKS - 1) },
	} },
	{ "spill_known", spill_known, {
		{ "inst_executed_local_loads", ROUNDS }, { "inst_executed_local_stores", ROUNDS }, { "local_load", ROUNDS },
		{ "local_store", ROUNDS }, { "local_load_requests", ROUNDS }, { "local_store_requests", ROUNDS },
		{ "local_load_transactions", SECTORS * ROUNDS }, { "local_store_transactions", SECTORS * ROUNDS },
		{ "local_load_transactions_per_request", SECTORS, true },
		{ "local_store_transactions_per_request", SECTORS, true },
	} },
};

static void launch(const struct kernel *kernel)
{
	const size_t threads = (size_t)BLOCKS * THREADS;
	unsigned *out, *in;

	LOAD_CHECK(cudaMalloc(&out, threads * sizeof(*out)));
	LOAD_CHECK(cudaMalloc(&in, threads * sizeof(*in)));
	LOAD_CHECK(cudaMemset(in, 0, threads * sizeof(*in)));
	LOAD_CHECK(cudaDeviceSynchronize());
	kernel->function<<<BLOCKS, THREADS>>>(out, in);
	LOAD_CHECK(cudaGetLastError());
	LOAD_CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	for (const struct kernel &kernel : kernels) {
		const char *separator = "{";

		if (argc != 2 || strcmp(argv[1], kernel.name))
			continue;
		launch(&kernel);
		for (const struct known &known : kernel.known) {
			if (!known.name)
				break;
			printf("%s\"%s\":%.0f", separator, known.name, known.value * (known.has_no_sum ? 1 : BLOCKS * THREADS / 32));
			separator = ",";
		}
		puts("}");
		return 0;
	}
	fprintf(stderr, "usage: known KERNEL\n");
	return 2;
}
