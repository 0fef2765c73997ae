// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kernels of a process: one entry of the trace for the launches that differ in their grid only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/tracks/record_map.h"
#include "trace/trace.h"

/* Variants of a process with a configuration; further ones have the names only, which bounds the size of the trace. */
#define VARIANTS_MAX	4096

static uint64_t hash_of(const struct record_kernel_variant *variant)
{
	const uint32_t numbers[] = {
		variant->name, variant->device, variant->launch.block[0], variant->launch.block[1], variant->launch.block[2],
		variant->launch.registers, variant->launch.shared_static, variant->launch.shared_dynamic,
	};

	return trace_hash((const char *)numbers, sizeof(numbers));
}

static bool is_same(const struct record_kernel_variant *a, const struct record_kernel_variant *b)
{
	return a->name == b->name && a->device == b->device && !memcmp(&a->launch, &b->launch, sizeof(a->launch));
}

static void add_occupancy(struct record_args *args, const struct record_limits *limits, const struct record_occupancy *occupancy)
{
	record_arg(args, "occupancy_limit_blocks", occupancy->by_blocks);
	record_arg(args, "occupancy_limit_registers", occupancy->by_registers);
	record_arg(args, "occupancy_limit_shared_mem", occupancy->by_shared);
	record_arg(args, "occupancy_limit_warps", occupancy->by_warps);
	record_arg(args, "sm__maximum_warps_avg_per_active_cycle", occupancy->warps);
	args->list[args->count++] = (struct gpmu_trace_arg){
		.name = "sm__maximum_warps_per_active_cycle_pct", .kind = GPMU_TRACE_DOUBLE,
		.real = 100.0 * occupancy->warps / limits->warps,
	};
}

static void add_launch(struct record_args *args, const struct record_launch *launch)
{
	record_arg(args, "registers_per_thread", launch->registers);
	record_arg(args, "shared_mem_static", launch->shared_static);
	record_arg(args, "shared_mem_dynamic", launch->shared_dynamic);
	record_arg(args, "workgroup_size", (int64_t)launch->block[0] * launch->block[1] * launch->block[2]);
}

/* Adds the kernel to the trace. Its arguments have the names that Perfetto's plugin for GPU computing reads. */
static int add_to_trace(struct record_map *map, const struct record_process *process, const struct record_limits *limits,
			struct record_kernel_variant *variant)
{
	const struct record_launch *launch = &variant->launch;
	struct gpmu_trace_kernel kernel = {
		.size = sizeof(kernel), .name = record_string(process, variant->name),
		.demangled = record_string_demangled(process, variant->name),
	};
	struct record_occupancy occupancy;
	struct record_args args = { .count = 0 };
	char arch[32];

	if (launch->block[0])
		add_launch(&args, launch);
	if (record_occupancy(limits, launch, &occupancy)) {
		add_occupancy(&args, limits, &occupancy);
		variant->wave = occupancy.blocks * limits->multiprocessors;
	}
	if (limits->major) {
		snprintf(arch, sizeof(arch), "sm_%u%u", limits->major, limits->minor);
		kernel.arch = arch;
	}
	kernel.args = args.list;
	kernel.arg_count = args.count;
	variant->number = gpmu_trace_kernel(map->trace, &kernel);
	return variant->number < 0 ? variant->number : 0;
}

/* Returns the variant's index in the process's kernels, or adds it. -ENOMEM: out of memory */
static int64_t find_or_add(struct record_map *map, struct record_process *process, struct record_kernel_variant *variant)
{
	const struct record_gpu *gpu;
	uint64_t hash;
	uint32_t index;

	/* If another kernel has this hash, try the next one. */
	for (hash = hash_of(variant); map_get(&process->kernel_numbers, hash, &index); hash++)
		if (is_same(&process->kernels.list[index], variant))
			return index;
	/* Names are limited in number, so these entries are, too. */
	if (process->kernels.n >= VARIANTS_MAX && variant->launch.block[0]) {
		variant->launch = (struct record_launch){ .registers = 0 };
		return find_or_add(map, process, variant);
	}
	gpu = record_process_gpu(map, process, variant->device);
	if (!gpu || add_to_trace(map, process, &gpu->limits, variant) || vector_push(&process->kernels, variant) ||
	    map_set(&process->kernel_numbers, hash, (uint32_t)process->kernels.n - 1))
		return -ENOMEM;
	return (int64_t)process->kernels.n - 1;
}

const struct record_kernel_variant *record_kernel_variant(struct record_map *map, struct record_process *process,
							   const struct activity_kernel *kernel)
{
	struct record_kernel_variant variant = {
		.launch = { .block = { kernel->block[0], kernel->block[1], kernel->block[2] }, .registers = kernel->registers,
			    .shared_static = kernel->shared_static, .shared_dynamic = kernel->shared_dynamic },
		.name = kernel->name, .device = kernel->work.device,
	};
	const int64_t index = find_or_add(map, process, &variant);

	return index < 0 ? NULL : &process->kernels.list[index];
}
