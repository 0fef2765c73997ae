// SPDX-License-Identifier: LGPL-2.1-or-later
/* Fields of samples: perf_event_open(2), PERF_RECORD_SAMPLE */
#include <errno.h>

#include "perfdata/perfdata.h"

/* All fields that a sample of Linux 7.3 can have */
#define SAMPLE_KNOWN	((1ULL << 25) - 1)
#define OFF_CPU_SUMS	(~0ULL << 32)	/* times of the sums of perf record --off-cpu begin here */

/* IDENTIFIER to PERIOD */
static void take_ids(struct gpmu_perfdata_record *record, uint64_t type, struct cursor *cursor)
{
	struct gpmu_perfdata_sample *sample = &record->sample;

	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_IP)
		sample->ip = cursor_u64(cursor);
	if (type & PERF_SAMPLE_TID) {
		record->pid = cursor_u32(cursor);
		record->tid = cursor_u32(cursor);
	}
	if (type & PERF_SAMPLE_TIME)
		record->time = cursor_u64(cursor);
	if (type & PERF_SAMPLE_ADDR)
		sample->addr = cursor_u64(cursor);
	if (type & PERF_SAMPLE_ID)
		record->id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		record->stream_id = cursor_u64(cursor);
	if (type & PERF_SAMPLE_CPU)
		record->cpu = (uint32_t)cursor_u64(cursor);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = cursor_u64(cursor);
}

static void take_value(struct gpmu_perfdata_value *value, uint64_t format, struct cursor *cursor)
{
	if (format & PERF_FORMAT_ID)
		value->id = cursor_u64(cursor);
	if (format & PERF_FORMAT_LOST)
		value->lost = cursor_u64(cursor);
}

static void take_times(struct gpmu_perfdata_read *read, uint64_t format, struct cursor *cursor)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		read->enabled = cursor_u64(cursor);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		read->running = cursor_u64(cursor);
}

void perfdata_take_read(struct gpmu_perfdata *perfdata, const struct perf_event_attr *attr, struct cursor *cursor,
			struct gpmu_perfdata_read *read)
{
	uint64_t format = attr->read_format, first = cursor_u64(cursor);
	uint64_t count = format & PERF_FORMAT_GROUP ? first : 1;

	take_times(read, format, cursor);
	if (count > cursor->left / sizeof(uint64_t) && format & PERF_FORMAT_GROUP)
		cursor->has_failed = true;
	for (read->count = 0; read->count < count && !cursor->has_failed; read->count++) {
		struct gpmu_perfdata_value *value = &perfdata->values[read->count];

		*value = (struct gpmu_perfdata_value){ .value = first };
		if (format & PERF_FORMAT_GROUP)
			value->value = cursor_u64(cursor);
		take_value(value, format, cursor);
	}
	read->values = perfdata->values;
}

static void take_callchain(struct gpmu_perfdata_sample *sample, struct cursor *cursor)
{
	uint64_t count = cursor_u64(cursor);

	sample->callchain = cursor_array(cursor, count, sizeof(uint64_t));
	sample->callchain_count = sample->callchain ? (size_t)count : 0;
}

static void take_raw(struct gpmu_perfdata_sample *sample, struct cursor *cursor)
{
	sample->raw_size = cursor_u32(cursor);
	sample->raw = cursor_bytes(cursor, sample->raw_size);
}

static void take_branches(struct gpmu_perfdata_sample *sample, const struct perf_event_attr *attr,
			  struct cursor *cursor)
{
	uint64_t count = cursor_u64(cursor);

	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor_u64(cursor);
	sample->branches = cursor_array(cursor, count, sizeof(*sample->branches));
	sample->branch_count = sample->branches ? (size_t)count : 0;
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
		cursor_array(cursor, count, sizeof(uint64_t));
}

static void take_regs(struct gpmu_perfdata_regs *regs, uint64_t mask, struct cursor *cursor)
{
	regs->abi = cursor_u64(cursor);
	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	regs->count = (size_t)__builtin_popcountll(mask);
	regs->values = cursor_array(cursor, regs->count, sizeof(uint64_t));
}

static void take_stack(struct gpmu_perfdata_sample *sample, struct cursor *cursor)
{
	sample->stack_size = cursor_u64(cursor);
	sample->stack = cursor_bytes(cursor, sample->stack_size);
	if (!sample->stack_size)
		return;
	sample->stack_used = cursor_u64(cursor);
	if (sample->stack_used > sample->stack_size)
		cursor->has_failed = true;
}

static void take_weight(struct gpmu_perfdata_sample *sample, uint64_t type, struct cursor *cursor)
{
	if (type & PERF_SAMPLE_WEIGHT) {
		sample->weight = cursor_u64(cursor);
		return;
	}
	sample->weight = cursor_u32(cursor);
	sample->ins_lat = cursor_u16(cursor);
	sample->p_stage_cyc = cursor_u16(cursor);
}

/* READ to AUX */
static void take_rest(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record,
		      const struct perf_event_attr *attr, struct cursor *cursor)
{
	struct gpmu_perfdata_sample *sample = &record->sample;
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		perfdata_take_read(perfdata, attr, cursor, &sample->read);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_callchain(sample, cursor);
	if (type & PERF_SAMPLE_RAW)
		take_raw(sample, cursor);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(sample, attr, cursor);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(&sample->user, attr->sample_regs_user, cursor);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(sample, cursor);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		take_weight(sample, type, cursor);
	if (type & PERF_SAMPLE_DATA_SRC)
		sample->data_src = cursor_u64(cursor);
	if (type & PERF_SAMPLE_TRANSACTION)
		sample->transaction = cursor_u64(cursor);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_regs(&sample->intr, attr->sample_regs_intr, cursor);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		sample->phys_addr = cursor_u64(cursor);
	if (type & PERF_SAMPLE_CGROUP)
		sample->cgroup = cursor_u64(cursor);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		sample->data_page_size = cursor_u64(cursor);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		sample->code_page_size = cursor_u64(cursor);
	if (type & PERF_SAMPLE_AUX) {
		sample->aux_size = cursor_u64(cursor);
		sample->aux = cursor_bytes(cursor, sample->aux_size);
	}
}

/* The event of perf record --off-cpu since perf 6.16: a BPF program writes its samples as raw bytes. */
static bool is_off_cpu(const struct gpmu_perfdata_event *event)
{
	const struct perf_event_attr *attr = event->attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       attr->sample_type & PERF_SAMPLE_RAW && !strcmp(event->name, "offcpu-time");
}

/*
 * Takes the fields in the raw bytes of such a sample, which are of the thread that waited: the other ones are of the thread that
 * ran before it, or 0. The call chain is that of the process, after a mark. A sample with other raw bytes is left as it is.
 * Samples of perf's BPF program (off_cpu_dump()) begin with the thread, the sums of short waits at the end of a recording
 * (off_cpu_write()) with the process.
 */
static void take_off_cpu(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record)
{
	struct gpmu_perfdata_sample *sample = &record->sample;
	struct cursor cursor = { .data = sample->raw, .left = sample->raw_size };
	const bool is_sum = record->time >= OFF_CPU_SUMS;
	const uint32_t first = cursor_u32(&cursor), second = cursor_u32(&cursor);
	uint64_t period = cursor_u64(&cursor), count = cursor_u64(&cursor), cgroup;
	const void *chain = cursor_array(&cursor, count, sizeof(uint64_t));

	cgroup = cursor_u64(&cursor);
	if (cursor.has_failed)
		return;
	memcpy(perfdata->callchain, chain, (size_t)count * sizeof(uint64_t));
	record->has |= PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP;
	record->misc = (uint16_t)((record->misc & ~PERF_RECORD_MISC_CPUMODE_MASK) | PERF_RECORD_MISC_USER);
	record->pid = is_sum ? first : second;
	record->tid = is_sum ? second : first;
	sample->period = period;
	sample->callchain = perfdata->callchain;
	sample->callchain_count = (size_t)count;
	sample->ip = count > 1 ? perfdata->callchain[1] : 0;
	sample->cgroup = cgroup;
}

int perfdata_parse_sample(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record)
{
	const struct perf_event_attr *attr = record->event->attr;
	struct cursor cursor = { .data = record->body, .left = record->size };

	record->sample = (struct gpmu_perfdata_sample){ 0 };
	record->has = attr->sample_type & SAMPLE_KNOWN;
	take_ids(record, record->has, &cursor);
	take_rest(perfdata, record, attr, &cursor);
	if (!cursor.has_failed && is_off_cpu(record->event))
		take_off_cpu(perfdata, record);
	return cursor.has_failed ? -EINVAL : 0;
}
