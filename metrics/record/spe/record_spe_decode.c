// SPDX-License-Identifier: LGPL-2.1-or-later
/* Decodes the contents of AUX buffers that record_spe.c has put into a file, and queues the samples. */
#include <poll.h>

#include "record/spe/record_spe.h"

#define BATCH		64
#define PIECE		((size_t)64 << 10)
#define ROOM		((size_t)64 << 10)	/* of the queue, for the records of record_spe.c */
#define WAIT		1			/* ms */

#ifdef __aarch64__
static int64_t counter_frequency(void)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency & UINT32_MAX;
}
#else
/* No other architecture has SPE. */
static int64_t counter_frequency(void)
{
	return 0;
}
#endif

/* A sample without a time stamp has that of its AUX record. */
static uint64_t time_of(const struct record_spe_chunk *chunk, const struct gpmu_spe_record *record, int64_t frequency)
{
	const int64_t ticks = (int64_t)(record->value[GPMU_SPE_TIME] - chunk->counter);

	if (!gpmu_spe_has(record, GPMU_SPE_TIME) || !frequency)
		return chunk->time;
	return chunk->raw + (uint64_t)(ticks / frequency * 1000000000 + ticks % frequency * 1000000000 / frequency);
}

/*
 * The context packet, which requires privilege, has the thread. Without it, the thread is that of a task's AUX record:
 * the thread that ran when the record was published.
 */
static void set_thread(const struct record_spe *spe, const struct record_spe_chunk *chunk, struct record_sample *sample)
{
	const struct gpmu_spe_record *record = &sample->spe;

	if (!spe->has_no_contexts && gpmu_spe_has(record, GPMU_SPE_CONTEXT_EL2))
		sample->tid = (int32_t)record->value[GPMU_SPE_CONTEXT_EL2];
	else if (!spe->has_no_contexts && gpmu_spe_has(record, GPMU_SPE_CONTEXT_EL1))
		sample->tid = (int32_t)record->value[GPMU_SPE_CONTEXT_EL1];
	else if (spe->reader.tid_count)
		sample->tid = chunk->tid;
	if (sample->tid == chunk->tid)
		sample->pid = chunk->pid;
}

/* Waits for the writing thread: the samples wait in the file, not in memory. */
static void put_surely(struct record_spe *spe, enum record_type type, uint64_t time, const void *data, size_t size)
{
	while (!record_queue_has_room(spe->reader.queue, sizeof(struct record_sample) + ROOM))
		poll(NULL, 0, WAIT);
	record_queue_put_at(spe->reader.queue, type, time, data, size);
}

static void put(struct record_spe *spe, const struct record_spe_chunk *chunk, const struct gpmu_spe_record *decoded)
{
	struct record_sample sample = {
		.cpu = (uint32_t)spe->rings.list[chunk->ring].cpu, .node = spe->buffers[chunk->ring].node, .spe = *decoded,
	};
	const uint64_t time = time_of(chunk, decoded, spe->frequency);

	if (time < chunk->window.begin || (chunk->window.end && time > chunk->window.end)) {
		spe->outside++;
		return;
	}
	set_thread(spe, chunk, &sample);
	put_surely(spe, RECORD_SPE, time, &sample, sizeof(sample));
}

static void feed(struct record_spe *spe, const struct record_spe_chunk *chunk, const void *bytes, size_t size)
{
	struct gpmu_spe_decoder *decoder = &spe->buffers[chunk->ring].decoder;
	struct gpmu_spe_record records[BATCH];
	size_t n;

	gpmu_spe_feed(decoder, bytes, size);
	while ((n = gpmu_spe_next(decoder, records, BATCH)))
		for (size_t i = 0; i < n; i++)
			put(spe, chunk, &records[i]);
}

static void put_lost(struct record_spe *spe, enum record_kernel_why why, uint64_t count)
{
	const struct record_kernel_lost lost = { .count = count, .why = why };

	if (lost.count)
		put_surely(spe, RECORD_LOST, 0, &lost, sizeof(lost));
}

static void decode(struct record_spe *spe, const struct record_spe_chunk *chunk)
{
	struct gpmu_spe_decoder *decoder = &spe->buffers[chunk->ring].decoder;
	char piece[PIECE];
	ssize_t n;

	gpmu_spe_begin(decoder, chunk->offset);
	while ((n = record_spool_read(&spe->spool, piece, sizeof(piece))) > 0)
		feed(spe, chunk, piece, (size_t)n);
	gpmu_spe_end(decoder, chunk->flags);
}

/* Bytes count from when the spool was last empty. */
static bool is_ended(struct record_spe *spe)
{
	return atomic_load(spe->reader.ending) && spe->progress &&
	       spe->progress(spe->user, spe->spool.begin, record_spool_size(&spe->spool));
}

void *record_spe_decode(void *data)
{
	struct record_spe *spe = data;
	struct record_spe_chunk chunk;
	uint64_t omitted = 0;
	bool has_ended = false;

	spe->frequency = counter_frequency();
	while (record_spool_take(&spe->spool)) {
		has_ended = has_ended || is_ended(spe);
		if (record_spool_read(&spe->spool, &chunk, sizeof(chunk)) != sizeof(chunk))
			continue;
		if (chunk.is_mark)
			put_surely(spe, RECORD_MARK, chunk.raw, NULL, 0);
		else if (has_ended)
			omitted += record_spe_samples(chunk.size);
		else
			decode(spe, &chunk);
	}
	put_lost(spe, RECORD_KERNEL_UNSPOOLED, record_spe_samples(spe->spool.unread));
	put_lost(spe, RECORD_KERNEL_ENDED, omitted);
	for (size_t i = 0; i < spe->rings.count; i++)
		gpmu_spe_stats_add(&spe->stats, &spe->buffers[i].decoder.stats);
	return NULL;
}
