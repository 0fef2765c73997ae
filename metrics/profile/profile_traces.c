// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An AUXTRACE record is followed by a part of the buffer of a CPU, or of a thread if perf recorded without CPUs. An
 * AUX record names the bytes that the kernel published at once. They begin with a sample record. The bytes between those of
 * two AUX records are padding. Offsets count the bytes of the buffer.
 *
 * In snapshot mode (perf record -S) AUX records have AUX_OVERWRITE, and offsets are positions in the buffer. Once the buffer
 * has wrapped around, perf writes all of it at each snapshot (arm_spe_find_snapshot()), so that parts overlap. They are
 * decoded in the order of the file. A record whose time stamp is not above that of the last record of the part before is a
 * repetition.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/profile_traces.h"

#define CHUNK		(256U << 10)
#define BATCH		64	/* records, which fit in the L1 cache */
#define AUX_TRUNCATED	1	/* PERF_AUX_FLAG_, of <linux/perf_event.h> */
#define AUX_OVERWRITE	2
#define AUX_PARTIAL	4
#define AUX_COLLISION	8

static int add_aux(struct profile_traces *traces, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_aux *from = &record->aux;

	traces->stats.truncations += (from->flags & AUX_TRUNCATED) != 0;
	traces->stats.partials += (from->flags & AUX_PARTIAL) != 0;
	traces->stats.collisions += (from->flags & AUX_COLLISION) != 0;
	traces->is_snapshot |= (from->flags & AUX_OVERWRITE) != 0;
	if (from->flags & AUX_OVERWRITE || !from->size)
		return 0;
	return vector_push(&traces->auxes, &(struct profile_aux){
		.offset = from->offset, .tid = record->has & PERF_SAMPLE_TID ? record->tid : UINT32_MAX,
		.buffer = record->has & PERF_SAMPLE_CPU ? record->cpu : UINT32_MAX });
}

static int add_part(struct profile_traces *traces, const struct gpmu_perfdata_record *record)
{
	traces->bytes += record->auxtrace.size;
	traces->is_per_thread |= record->auxtrace.cpu == UINT32_MAX;
	return vector_push(&traces->parts, &record->auxtrace);
}

static int add_turn(struct profile_traces *traces, const struct gpmu_perfdata_record *record)
{
	struct profile_switch change = { .time = record->time, .cpu = record->cpu, .tid = record->tid };

	if (!(record->has & PERF_SAMPLE_CPU) || !(record->has & PERF_SAMPLE_TIME) || !(record->has & PERF_SAMPLE_TID))
		return 0;
	if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		change.tid = record->type == PERF_RECORD_SWITCH_CPU_WIDE ? record->other.tid : PROFILE_NO_TID;
	return vector_push(&traces->switches, &change);
}

int profile_traces_add(struct profile_traces *traces, const struct gpmu_perfdata_record *record)
{
	switch (record->type) {
	case GPMU_PERFDATA_AUXTRACE:
		return add_part(traces, record);
	case PERF_RECORD_AUX:
		return add_aux(traces, record);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return add_turn(traces, record);
	default:
		return 0;
	}
}

/* --- order */

static uint64_t buffer_of(const struct profile_traces *traces, const struct gpmu_perfdata_auxtrace *part)
{
	return traces->is_per_thread ? part->tid : part->cpu;
}

static int compare_parts(const void *a, const void *b, void *user)
{
	const struct gpmu_perfdata_auxtrace *left = a, *right = b;
	const struct profile_traces *traces = user;
	int buffers = COMPARE(buffer_of(traces, left), buffer_of(traces, right));

	if (buffers || !traces->is_snapshot)
		return buffers ?: COMPARE(left->offset, right->offset);
	return COMPARE(left->file, right->file) ?: COMPARE(left->position, right->position);
}

static int compare_auxes(const void *a, const void *b)
{
	const struct profile_aux *left = a, *right = b;

	return COMPARE(left->buffer, right->buffer) ?: COMPARE(left->offset, right->offset);
}

static int compare_switches(const void *a, const void *b)
{
	const struct profile_switch *left = a, *right = b;

	return COMPARE(left->cpu, right->cpu) ?: COMPARE(left->time, right->time);
}

static void sort(struct profile_traces *traces)
{
	for (size_t i = 0; i < traces->auxes.n && traces->is_per_thread; i++)
		traces->auxes.list[i].buffer = traces->auxes.list[i].tid;
	if (traces->parts.n)
		qsort_r(traces->parts.list, traces->parts.n, sizeof(*traces->parts.list), compare_parts, traces);
	vector_sort(&traces->auxes, compare_auxes);
	vector_sort(&traces->switches, compare_switches);
}

/* The number of elements before @wanted, or up to it if @is_inclusive */
static size_t count_before(const void *list, size_t n, size_t size, const void *wanted, bool is_inclusive,
			   int (*compare)(const void *a, const void *b))
{
	size_t from = 0;

	while (from < n) {
		size_t middle = from + (n - from) / 2;

		if (compare((const char *)list + middle * size, wanted) < is_inclusive)
			from = middle + 1;
		else
			n = middle;
	}
	return from;
}

/* The first AUX record of a buffer at or after an offset */
static const struct profile_aux *next_aux(const struct profile_traces *traces, uint64_t buffer, uint64_t offset)
{
	const struct profile_aux *list = traces->auxes.list, wanted = { .buffer = buffer, .offset = offset };
	size_t from = count_before(list, traces->auxes.n, sizeof(*list), &wanted, false, compare_auxes);

	return from < traces->auxes.n && list[from].buffer == buffer ? &list[from] : NULL;
}

static uint32_t running_on(const struct profile_traces *traces, uint32_t cpu, uint64_t time)
{
	const struct profile_switch *list = traces->switches.list, wanted = { .cpu = cpu, .time = time };
	size_t from = count_before(list, traces->switches.n, sizeof(*list), &wanted, true, compare_switches);

	return from && list[from - 1].cpu == cpu && time != UINT64_MAX ? list[from - 1].tid : PROFILE_NO_TID;
}

/* --- records */

/* The reader of one buffer */
struct buffer {
	struct profile_traces *traces;
	struct gpmu_spe_decoder decoder;
	uint32_t cpu, tid;
	int node;
	uint64_t midr;
	uint64_t since, next;		/* of snapshots: lowest time stamp that is new in this part, and in the next one */
	uint8_t chunk[CHUNK];
	struct gpmu_spe_record records[BATCH];
};

static uint64_t time_of(const struct profile_traces *traces, const struct gpmu_spe_record *record)
{
	if (!traces->has_times || !gpmu_spe_has(record, GPMU_SPE_TIME))
		return UINT64_MAX;
	return gpmu_perfdata_time_of(&traces->conv, record->value[GPMU_SPE_TIME]);
}

static uint32_t tid_of(const struct buffer *buffer, const struct gpmu_spe_record *record, uint64_t time)
{
	uint32_t tid;

	if (gpmu_spe_has(record, GPMU_SPE_CONTEXT_EL2))
		return (uint32_t)record->value[GPMU_SPE_CONTEXT_EL2];
	if (gpmu_spe_has(record, GPMU_SPE_CONTEXT_EL1))
		return (uint32_t)record->value[GPMU_SPE_CONTEXT_EL1];
	tid = running_on(buffer->traces, buffer->cpu, time);
	return tid != PROFILE_NO_TID ? tid : buffer->tid;
}

static int label_tier(struct profile_traces *traces, const struct gpmu_spe_tier *tier, uint32_t *number)
{
	char text[GPMU_SPE_LABEL_MAX];

	if (tier->kind == GPMU_SPE_TIER_NONE)
		return 0;
	gpmu_spe_tier_label(tier, text, sizeof(text));
	return profile_code_text(traces->code, text, number);
}

static int label_home(struct profile_traces *traces, const struct gpmu_spe_home *home, uint32_t *number)
{
	char text[GPMU_SPE_LABEL_MAX];

	if (home->kind == GPMU_SPE_HOME_NONE)
		return 0;
	gpmu_spe_home_label(home, text, sizeof(text));
	return profile_code_text(traces->code, text, number);
}

static int label_op(struct profile_traces *traces, const struct gpmu_spe_record *record, uint32_t *number)
{
	const uint64_t op = record->value[GPMU_SPE_OP];
	char text[GPMU_SPE_LABEL_MAX];

	if (!gpmu_spe_has(record, GPMU_SPE_OP) || map_get(&traces->ops, op, number))
		return 0;
	gpmu_spe_op_label(op, text, sizeof(text));
	return profile_code_text(traces->code, text, number) ?: map_set(&traces->ops, op, *number);
}

/* A load or store: its tier and home */
static int take_access(struct buffer *buffer, const struct gpmu_spe_record *record, struct profile_sample *sample)
{
	struct profile_traces *traces = buffer->traces;
	const struct gpmu_spe_tier tier = gpmu_spe_tier(record, buffer->midr);
	const struct gpmu_spe_home home = gpmu_spe_home(record, &traces->machine->memory, buffer->node);
	const uint64_t source = (uint64_t)(tier.number + 1), node = (uint64_t)(home.node + 1);
	uint32_t *known;

	traces->memory++;
	traces->physical += gpmu_spe_has(record, GPMU_SPE_PA);
	traces->outside += home.kind == GPMU_SPE_HOME_OUTSIDE;
	known = source < PROFILE_LABELS ? &traces->tiers[tier.kind][source] : &sample->tier;
	if (!*known && label_tier(traces, &tier, known))
		return -ENOMEM;
	sample->tier = *known;
	known = node < PROFILE_LABELS ? &traces->homes[home.kind][node] : &sample->home;
	if (!*known && label_home(traces, &home, known))
		return -ENOMEM;
	sample->home = *known;
	return 0;
}

/* Returns whether an earlier snapshot has a record, too. */
static bool is_repeated(struct buffer *buffer, const struct gpmu_spe_record *record)
{
	struct profile_traces *traces = buffer->traces;

	if (!traces->is_snapshot)
		return false;
	if (!gpmu_spe_has(record, GPMU_SPE_TIME)) {
		traces->untimed++;
		return false;
	}
	buffer->next = record->value[GPMU_SPE_TIME] + 1;
	if (record->value[GPMU_SPE_TIME] >= buffer->since)
		return false;
	traces->repeated++;
	return true;
}

static int take(struct buffer *buffer, const struct gpmu_spe_record *record)
{
	struct profile_traces *traces = buffer->traces;
	struct profile_sample sample = {
		.event = traces->event, .cpu = buffer->cpu, .pid = UINT32_MAX, .node = buffer->node, .period = 1,
		.time = time_of(traces, record), .ip = gpmu_spe_address(record->value[GPMU_SPE_PC]),
		.has_ip = gpmu_spe_has(record, GPMU_SPE_PC), .is_kernel = gpmu_spe_level(record->value[GPMU_SPE_PC]),
		.has_data = gpmu_spe_has(record, GPMU_SPE_VA), .data = gpmu_spe_address(record->value[GPMU_SPE_VA]),
		.has_latency = gpmu_spe_has(record, GPMU_SPE_TOTAL), .latency = (uint32_t)record->value[GPMU_SPE_TOTAL],
	};

	sample.tid = tid_of(buffer, record, sample.time);
	sample.is_outside = !sample.tid && sample.has_ip && !sample.is_kernel;
	if (gpmu_spe_is_memory(record) && take_access(buffer, record, &sample))
		return -ENOMEM;
	if (traces->counter->wanted >> GPMU_PROFILE_OP & 1 && label_op(traces, record, &sample.op))
		return -ENOMEM;
	traces->samples++;
	return traces->taker ? traces->taker(traces->user, record, &sample) : profile_count(traces->counter, &sample);
}

/* --- buffers */

static int feed(struct buffer *buffer, size_t size)
{
	size_t n;

	gpmu_spe_feed(&buffer->decoder, buffer->chunk, size);
	while ((n = gpmu_spe_next(&buffer->decoder, buffer->records, BATCH)))
		for (size_t i = 0; i < n; i++)
			if (!is_repeated(buffer, &buffer->records[i]) && take(buffer, &buffer->records[i]))
				return -ENOMEM;
	return 0;
}

/* Begins with another buffer, or with a part that does not continue the last one. */
static void restart(struct buffer *buffer, const struct gpmu_perfdata_auxtrace *part)
{
	const struct profile_machine *machine = buffer->traces->machine;

	gpmu_spe_end(&buffer->decoder, 0);
	gpmu_spe_begin(&buffer->decoder, part->offset);
	buffer->cpu = part->cpu;
	buffer->tid = part->tid;
	buffer->node = part->cpu == UINT32_MAX ? -1 : profile_machine_node(machine, part->cpu);
	buffer->midr = profile_machine_midr(machine, part->cpu);
}

static int read_part(struct buffer *buffer, struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_auxtrace *part,
		     int (*progress)(void *user, const struct profile_traces *traces), void *user,
		     struct gpmu_error *error)
{
	struct profile_traces *traces = buffer->traces;
	uint64_t key = buffer_of(traces, part), offset = 0, next;
	int ret = 0;

	for (; offset < part->size && !ret; offset = next) {
		const struct profile_aux *aux = next_aux(traces, key, part->offset + offset);

		if (aux && aux->offset == part->offset + offset) {
			gpmu_spe_end(&buffer->decoder, 0);
			gpmu_spe_begin(&buffer->decoder, aux->offset);
			aux = next_aux(traces, key, aux->offset + 1);
		}
		next = part->size - offset < CHUNK ? part->size : offset + CHUNK;
		if (aux && aux->offset - part->offset < next)
			next = aux->offset - part->offset;
		ret = gpmu_perfdata_trace(perfdata, part, offset, buffer->chunk, (size_t)(next - offset), error);
		if (!ret)
			ret = feed(buffer, (size_t)(next - offset));
		traces->done += next - offset;
		if (!ret)
			ret = progress(user, traces);
	}
	return ret;
}

int profile_traces_read(struct profile_traces *traces, struct gpmu_perfdata *perfdata,
			int (*progress)(void *user, const struct profile_traces *traces), void *user,
			struct gpmu_error *error)
{
	const struct gpmu_perfdata_auxtrace *parts = traces->parts.list;
	struct buffer *buffer = malloc(sizeof(*buffer));
	int ret = 0;

	if (!buffer)
		return -ENOMEM;
	buffer->traces = traces;
	gpmu_spe_decoder_init(&buffer->decoder);
	sort(traces);
	for (size_t i = 0; i < traces->parts.n && !ret; i++) {
		bool is_other = !i || buffer_of(traces, &parts[i]) != buffer_of(traces, &parts[i - 1]);

		if (is_other || traces->is_snapshot || parts[i].offset != parts[i - 1].offset + parts[i - 1].size)
			restart(buffer, &parts[i]);
		if (is_other)
			buffer->next = 0;
		buffer->since = buffer->next;
		ret = read_part(buffer, perfdata, &parts[i], progress, user, error);
	}
	gpmu_spe_end(&buffer->decoder, 0);
	gpmu_spe_stats_add(&traces->stats, &buffer->decoder.stats);
	free(buffer);
	return ret;
}

void profile_traces_release(struct profile_traces *traces)
{
	vector_free(&traces->parts);
	vector_free(&traces->auxes);
	vector_free(&traces->switches);
	map_release(&traces->ops);
}
