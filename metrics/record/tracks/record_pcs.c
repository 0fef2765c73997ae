// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PC samples. Each fetch from CUPTI becomes a slice for each kernel, with its stall reasons. Sums by instruction, with function,
 * line and stall reason, are instants at the end: lines are looked up once, and the trace does not grow with the length of the
 * recording.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text/text.h"
#include "record/tracks/record_map.h"
#include "record/tracks/record_pcs.h"
#include "trace/channel/channel.h"

#define SUBTRACKS	2	/* number of the sub-tracks below a GPU */
#define CUBIN_MAX	(UINT64_C(1) << 30)
#define FOREIGN_SHARE	20	/* divisor: if more samples than this share have no instruction, they are lost */
#define CALLERS		1024	/* bytes of the text of an instruction's callers */

void record_pcs_release(struct record_pcs *pcs)
{
	for (size_t i = 0; i < pcs->cubins.n; i++)
		free(pcs->cubins.list[i].image);
	vector_free(&pcs->parts);
	vector_free(&pcs->cubins);
	vector_free(&pcs->functions);
	vector_free(&pcs->pcs);
	map_release(&pcs->cubin_numbers);
	map_release(&pcs->function_numbers);
	map_release(&pcs->instruction_numbers);
	map_release(&pcs->pc_numbers);
	map_release(&pcs->part_numbers);
}

/* --- as soon as a record arrives */

static struct record_pc_cubin *cubin_of(struct record_pcs *pcs, uint64_t crc)
{
	struct record_pc_cubin *cubin = vector_element(&pcs->cubins, &pcs->cubin_numbers, crc);

	if (cubin)
		cubin->crc = crc;
	return cubin;
}

/* A part that does not follow the last one is ignored: the module then has no lines. */
static int take_part(struct record_pcs *pcs, const struct activity_cubin *part)
{
	struct record_pc_cubin *cubin = cubin_of(pcs, part->cubin);

	if (!cubin)
		return -ENOMEM;
	if (part->bytes > part->head.size - sizeof(*part) || !part->total || part->total > CUBIN_MAX)
		return 0;
	if (!cubin->image) {
		cubin->image = malloc(part->total);
		cubin->size = part->total;
		if (!cubin->image)
			return -ENOMEM;
	}
	if (part->offset != cubin->arrived || part->bytes > cubin->size - cubin->arrived)
		return 0;
	memcpy(cubin->image + part->offset, part + 1, part->bytes);
	cubin->arrived += part->bytes;
	return 0;
}

static void take_total(struct record_pcs *pcs, const struct activity_pc_total *total)
{
	pcs->samples += total->samples;
	pcs->dropped += total->dropped;
	pcs->foreign += total->foreign;
	pcs->full += total->full;
	pcs->mode = total->mode;
	pcs->period = total->period;
	pcs->stalls = total->stalls;
	pcs->is_used = true;
}

int record_pcs_early(struct record_process *process, const struct activity_head *record)
{
	const void *data = record;

	if (record->kind == ACTIVITY_CUBIN)
		return take_part(&process->pcs, data);
	if (record->kind == ACTIVITY_PC_TOTAL)
		take_total(&process->pcs, data);
	else if (record->kind == ACTIVITY_PC)
		process->pcs.delivered += ((const struct activity_pc *)data)->samples;
	return 0;
}

static void lose(struct record_process *process, enum activity_lost_why why, uint64_t count)
{
	process->lost[why][ACTIVITY_PC].count += count;
}

void record_pcs_balance(struct record_process *process)
{
	const struct record_pcs *pcs = &process->pcs;
	const uint64_t expected = pcs->samples > pcs->foreign ? pcs->samples - pcs->foreign : 0;

	lose(process, ACTIVITY_LOST_PC_FULL, pcs->full);
	lose(process, ACTIVITY_LOST_PC_DROPPED, pcs->dropped);
	if (pcs->foreign > pcs->samples / FOREIGN_SHARE)
		lose(process, ACTIVITY_LOST_PC_FOREIGN, pcs->foreign);
	/* With chosen reasons, samples with other ones are counted and not delivered. */
	if (!pcs->stalls && expected > pcs->delivered)
		lose(process, ACTIVITY_LOST_PC_MISSING, expected - pcs->delivered);
	if (!pcs->is_used)
		return;
	log_line(GPMU_LOG_INFO, "%u %.32s: %llu of %llu PC samples were delivered", process->pid, process->program,
		 (unsigned long long)pcs->delivered, (unsigned long long)(pcs->samples + pcs->dropped));
}

/* --- in the order of time */

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

/* Adds samples to the sum of their instruction and reason. */
static int add_up(struct record_pcs *pcs, const struct activity_pc *pc)
{
	struct record_pc_cubin *cubin = cubin_of(pcs, pc->cubin);
	struct record_pc_function *function;
	union map_cell *instruction;
	struct record_pc *sum;
	bool is_new;

	if (!cubin)
		return -ENOMEM;
	function = vector_element(&pcs->functions, &pcs->function_numbers, (uint64_t)(cubin - pcs->cubins.list) << 32 | pc->function);
	if (!function)
		return -ENOMEM;
	function->cubin = (uint32_t)(cubin - pcs->cubins.list);
	function->name = pc->function;
	instruction = map_add(&pcs->instruction_numbers, (uint64_t)(function - pcs->functions.list) << 32 | (uint32_t)pc->offset, &is_new);
	if (!instruction)
		return -ENOMEM;
	if (is_new)
		instruction->number = pcs->instruction_numbers.n;
	sum = vector_element(&pcs->pcs, &pcs->pc_numbers, instruction->number << 32 | pc->stall);
	if (!sum)
		return -ENOMEM;
	sum->function = (uint32_t)(function - pcs->functions.list);
	sum->offset = (uint32_t)pc->offset;
	sum->stall = pc->stall;
	sum->samples += pc->samples;
	sum->not_issued += pc->not_issued;
	return 0;
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
	return ret ? ret : add_up(pcs, pc);
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
	char callers[CALLERS];
	size_t count;

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
	if (count && lines[0].function)
		record_arg_name(&args, "inlined", lines[0].function);
	print_callers(callers, lines, count);
	if (*callers)
		record_arg_name(&args, "callers", callers);
	event.args = args.list;
	event.arg_count = args.count;
	return gpmu_trace_instant(map->trace, &event);
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
