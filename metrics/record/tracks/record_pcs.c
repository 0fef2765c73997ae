// SPDX-License-Identifier: LGPL-2.1-or-later
/* PC samples of a process: what has arrived, and its sums */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "record/tracks/record_map.h"
#include "record/tracks/record_pcs.h"

#define CUBIN_MAX	(UINT64_C(1) << 30)	/* bytes of all images of a process; modules beyond have no lines */
#define FOREIGN_SHARE	20	/* divisor: if more samples than this share have no instruction, they are lost */

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
	uint8_t *image;

	if (!cubin)
		return -ENOMEM;
	if (!part->bytes || part->bytes > part->head.size - sizeof(*part) || !part->total || part->total > CUBIN_MAX)
		return 0;
	if (!cubin->arrived)
		cubin->size = part->total;
	if (part->offset != cubin->arrived || part->bytes > cubin->size - cubin->arrived || part->bytes > CUBIN_MAX - pcs->image_bytes)
		return 0;
	/* Memory grows with what has arrived: a process may announce anything. */
	image = realloc(cubin->image, cubin->arrived + part->bytes);
	if (!image)
		return -ENOMEM;
	cubin->image = image;
	pcs->image_bytes += part->bytes;
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
	const uint64_t counted = pcs->samples + pcs->dropped;

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
		 (unsigned long long)pcs->delivered, (unsigned long long)counted);
}

/* --- in the order of time */

int record_pcs_add(struct record_pcs *pcs, const struct activity_pc *pc)
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
