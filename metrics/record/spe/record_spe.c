// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Drains the AUX buffers. PERF_RECORD_AUX names the bytes that the PMU has published, which begin with a sample. The PMU
 * publishes when half of a buffer is full, and when an event stops. The thread therefore restarts all events from
 * time to time: then all samples before the restart have arrived.
 */
#include <string.h>

#include "base/raw_clock.h"
#include "record/spe/record_spe.h"

#define DRAIN_EACH	10		/* ms */
#define RESTART_EACH	500000000u	/* ns */
#define BATCH		64

/* PERF_RECORD_AUX, followed by sample_id */
struct aux_record {
	uint64_t offset, size, flags;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

/* --- time stamps */

#ifdef __aarch64__
static uint64_t counter_now(void)
{
	uint64_t counter;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(counter) : : "memory");
	return counter;
}

static uint64_t counter_frequency(void)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency & UINT32_MAX;
}
#else
/* No other architecture has SPE. */
static uint64_t counter_now(void)
{
	return 0;
}

static uint64_t counter_frequency(void)
{
	return 0;
}
#endif

/*
 * Reads both clocks at the same time, within half of the time that the reading of the counter takes. Both are of the
 * same oscillator, so times shortly before and after follow from the frequency.
 */
static void read_clocks(struct record_spe *spe)
{
	const uint64_t before = raw_clock_now();

	spe->counter = counter_now();
	spe->raw = before + (raw_clock_now() - before) / 2;
}

/* A sample without a time stamp has that of its AUX record. */
static uint64_t time_of(const struct record_spe *spe, const struct gpmu_spe_record *record, uint64_t time)
{
	const int64_t ticks = (int64_t)(record->value[GPMU_SPE_TIME] - spe->counter);
	const int64_t frequency = (int64_t)spe->frequency;

	if (!gpmu_spe_has(record, GPMU_SPE_TIME) || !frequency)
		return time;
	return spe->raw + (uint64_t)(ticks / frequency * 1000000000 + ticks % frequency * 1000000000 / frequency);
}

/* --- samples */

/*
 * The context packet has the thread. Without it, which needs privilege, an AUX record of a task's event is of the thread that
 * has run when it was published.
 */
static void set_thread(struct record_sample *sample, const struct aux_record *aux, bool of_task)
{
	const struct gpmu_spe_record *record = &sample->spe;

	if (gpmu_spe_has(record, GPMU_SPE_CONTEXT_EL2))
		sample->tid = (int32_t)record->value[GPMU_SPE_CONTEXT_EL2];
	else if (gpmu_spe_has(record, GPMU_SPE_CONTEXT_EL1))
		sample->tid = (int32_t)record->value[GPMU_SPE_CONTEXT_EL1];
	else if (of_task)
		sample->tid = (int32_t)aux->tid;
	if (sample->tid == (int32_t)aux->tid)
		sample->pid = (int32_t)aux->pid;
}

static void put(struct record_spe *spe, const struct record_ring *ring, const struct aux_record *aux,
		const struct gpmu_spe_record *of)
{
	const struct record_spe_buffer *buffer = &spe->buffers[ring - spe->rings.list];
	struct record_sample sample = { .cpu = (uint32_t)ring->cpu, .node = buffer->node, .spe = *of };
	struct record record = { .type = RECORD_SPE };

	record.begin = record.end = time_of(spe, of, aux->time);
	if (!record_window_has(spe->window, record.begin)) {
		spe->outside++;
		return;
	}
	set_thread(&sample, aux, spe->tid_count != 0);
	record_queue_put(spe->queue, &record, &sample, sizeof(sample));
}

static void feed(struct record_spe *spe, const struct record_ring *ring, const struct aux_record *aux, uint64_t from,
		 uint64_t size)
{
	struct gpmu_spe_decoder *decoder = &spe->buffers[ring - spe->rings.list].decoder;
	struct gpmu_spe_record records[BATCH];
	size_t n;

	gpmu_spe_feed(decoder, ring->aux + from, size);
	while ((n = gpmu_spe_next(decoder, records, BATCH)))
		for (size_t i = 0; i < n; i++)
			put(spe, ring, aux, &records[i]);
}

static bool take(void *user, const struct record_ring *of, const struct perf_event_header *header,
		 const char *data, size_t size)
{
	struct record_spe *spe = user;
	struct record_ring *ring = &spe->rings.list[of - spe->rings.list];
	struct gpmu_spe_decoder *decoder = &spe->buffers[of - spe->rings.list].decoder;
	struct aux_record aux;
	uint64_t from, first;

	if (header->type != PERF_RECORD_AUX)
		return true;
	if (size < sizeof(aux))
		return false;
	memcpy(&aux, data, sizeof(aux));
	if (aux.size > ring->aux_room)
		return false;
	from = aux.offset & (ring->aux_room - 1);
	first = aux.size < ring->aux_room - from ? aux.size : ring->aux_room - from;
	gpmu_spe_begin(decoder, aux.offset);
	feed(spe, ring, &aux, from, first);
	feed(spe, ring, &aux, 0, aux.size - first);
	gpmu_spe_end(decoder, aux.flags);
	__atomic_store_n(&ring->page->aux_tail, aux.offset + aux.size, __ATOMIC_RELEASE);
	if (aux.flags & PERF_AUX_FLAG_TRUNCATED) {
		ring->lost[RECORD_KERNEL_TRUNCATED]++;
		record_ring_restart(ring, !atomic_load(spe->ending));
	}
	return true;
}

/* --- the thread */

void *record_spe_run(void *data)
{
	struct record_spe *spe = data;
	struct record mark = { .type = RECORD_MARK };
	uint64_t lost[RECORD_KERNEL_REASONS] = { 0 }, restart = raw_clock_now() + RESTART_EACH;
	bool last = false;

	spe->frequency = counter_frequency();
	while (!last) {
		bool all;

		last = atomic_load(spe->ending);
		read_clocks(spe);
		all = last || spe->raw >= restart;
		for (size_t i = 0; all && i < spe->rings.count; i++)
			record_ring_restart(&spe->rings.list[i], !last);
		record_rings_drain(&spe->rings, take, spe);
		record_rings_put_lost(&spe->rings, spe->queue, lost, last);
		if (all) {
			restart = spe->raw + RESTART_EACH;
			mark.begin = spe->raw;
			if (record_queue_has_room(spe->queue, 0))
				record_queue_put(spe->queue, &mark, NULL, 0);
		}
		if (!last)
			record_rings_wait(&spe->rings, DRAIN_EACH);
	}
	for (size_t i = 0; i < spe->rings.count; i++)
		gpmu_spe_stats_add(&spe->stats, &spe->buffers[i].decoder.stats);
	return NULL;
}
