// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Shows PC samples. Each fetch from CUPTI becomes a slice for each kernel, with its stall reasons. Sums by instruction,
 * with function, line and stall reason, are instants at the end: lines are looked up once, and the trace does not grow
 * with the length of the recording.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/demangle.h"
#include "record/tracks/record_map.h"

#define SUBTRACKS	2	/* number of the sub-tracks below a GPU */
#define CALLERS		1024	/* bytes of the text of an instruction's callers */

/* Writes the slice of the parts of a kernel, which are those from @first on. */
static int put_kernel(struct record_map *map, struct record_process *process, const struct record_pc_part *first, size_t count)
{
	struct record_gpu *gpu = record_process_gpu(map, process, process->pcs.device);
	struct gpmu_trace_event event = {
		.time = process->pcs.begin, .category = "pc_samples", .name = record_string_demangled(process, first->name),
	};
	struct record_args args = { .count = 0 };
	uint64_t samples = 0;

	if (!gpu)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		samples += first[i].samples;
	record_arg(&args, "samples", (int64_t)samples);
	for (size_t i = 0; i < count && args.count < RECORD_ARGS; i++)
		record_arg(&args, record_string(process, first[i].stall), (int64_t)first[i].samples);
	return record_slice(map, record_gpu_subtracks(map, process, gpu, "PC samples", SUBTRACKS), &event, &args, process->pcs.end);
}

static int compare_parts(const void *left, const void *right)
{
	const struct record_pc_part *a = left, *b = right;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->samples < b->samples ? 1 : a->samples > b->samples ? -1 : 0;
}

static int put_parts(struct record_map *map, struct record_process *process)
{
	struct record_pcs *pcs = &process->pcs;
	int ret = 0;

	vector_sort(&pcs->parts, compare_parts);
	for (size_t i = 0, next; i < pcs->parts.n && !ret; i = next) {
		for (next = i; next < pcs->parts.n && pcs->parts.list[next].name == pcs->parts.list[i].name; next++)
			;
		ret = put_kernel(map, process, &pcs->parts.list[i], next - i);
	}
	pcs->parts.n = 0;
	map_clear(&pcs->part_numbers);
	return ret;
}

int record_pc(struct record_map *map, struct record_process *process, const struct activity_pc *pc)
{
	struct record_pcs *pcs = &process->pcs;
	struct record_pc_part *part;
	int ret = 0;

	if (pcs->parts.n && (pcs->begin != pc->begin || pcs->end != pc->end || pcs->device != pc->device))
		ret = put_parts(map, process);
	pcs->begin = pc->begin;
	pcs->end = pc->end;
	pcs->device = pc->device;
	part = vector_element(&pcs->parts, &pcs->part_numbers, (uint64_t)pc->function << 32 | pc->stall);
	if (!part)
		return -ENOMEM;
	part->name = pc->function;
	part->stall = pc->stall;
	part->samples += pc->samples;
	return ret ? ret : record_pcs_add(pcs, pc);
}

/* --- at the end */

static int find_lines(const struct record_map *map, const struct record_process *process, const struct record_pc *pc,
		      struct gpmu_recorder_line lines[GPMU_RECORDER_LINES], size_t *count)
{
	const struct record_pc_function *function = &process->pcs.functions.list[pc->function];
	const struct record_pc_cubin *cubin = &process->pcs.cubins.list[function->cubin];
	const struct gpmu_recorder_symbols *symbols = map->symbols;

	*count = 0;
	if (!symbols || !symbols->lines || !cubin->image || cubin->arrived != cubin->size)
		return 0;
	return symbols->lines(symbols->user, cubin->image, cubin->size, record_string(process, function->name), pc->offset, lines, count);
}

/* "a.cu:9 < a.cu:20": the calls by which the instruction is inlined, innermost first */
static void print_callers(char text[CALLERS], const struct gpmu_recorder_line *lines, size_t count)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 1; i < count && length < CALLERS; i++)
		length += (size_t)snprintf(text + length, CALLERS - length, "%s%s:%u", i > 1 ? " < " : "", lines[i].file, lines[i].line);
}

static int put_sum(struct record_map *map, const struct record_process *process, int track, const struct record_pc *pc)
{
	const struct record_pc_function *function = &process->pcs.functions.list[pc->function];
	struct gpmu_recorder_line lines[GPMU_RECORDER_LINES];
	struct gpmu_trace_event event = {
		.size = sizeof(event), .track = track, .time = process->pcs.end, .category = "pc",
		.name = record_string_demangled(process, function->name),
	};
	struct record_args args = { .count = 0 };
	char callers[CALLERS], *inlined;
	size_t count;
	int ret;

	if (find_lines(map, process, pc, lines, &count))
		return -ENOMEM;
	record_arg(&args, "samples", (int64_t)pc->samples);
	record_arg(&args, "not_issued", (int64_t)pc->not_issued);
	record_arg_name(&args, "stall", record_string(process, pc->stall));
	record_arg(&args, "offset", pc->offset);
	if (count) {
		record_arg_name(&args, "file", lines[0].file);
		record_arg(&args, "line", lines[0].line);
	}
	inlined = count && lines[0].function ? demangle(lines[0].function) : NULL;
	if (inlined)
		record_arg_name(&args, "inlined", inlined);
	print_callers(callers, lines, count);
	if (*callers)
		record_arg_name(&args, "callers", callers);
	event.args = args.list;
	event.arg_count = args.count;
	ret = gpmu_trace_instant(map->trace, &event);
	free(inlined);
	return ret;
}

int record_pcs_end(struct record_map *map, struct record_process *process)
{
	struct record_pcs *pcs = &process->pcs;
	int ret = put_parts(map, process), track = 0;

	if (pcs->pcs.n && !ret)
		track = gpmu_trace_track(map->trace, process->track, "PC samples by instruction");
	if (track < 0)
		return track;
	for (size_t i = 0; i < pcs->pcs.n && !ret; i++)
		ret = put_sum(map, process, track, &pcs->pcs.list[i]);
	return ret;
}
