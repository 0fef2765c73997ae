// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Drains the AUX buffers into a file, so that none becomes full while samples are decoded and written.
 * PERF_RECORD_AUX names the bytes that the PMU has published, which begin with a sample. The PMU
 * publishes when an eighth of a buffer is full, and when an event stops. The thread therefore restarts all events from
 * time to time: then all samples before the restart have arrived.
 */
#include <string.h>
#include <sys/resource.h>

#include "base/raw_clock.h"
#include "record/spe/record_spe.h"

#define DRAIN_EACH	10		/* ms */
#define RESTART_EACH	500000000u	/* ns */
#define READINGS_MAX	8		/* of both clocks */
#define READING_SHORT	1000u		/* ns; a shorter reading needs no further one */
#define RESTART_SIZE	(16u << 20)	/* bytes of samples; limits those that wait for a mark to be sorted */

/* PERF_RECORD_AUX, followed by sample_id */
struct aux_record {
	uint64_t offset, size, flags;
	struct record_sample_id id;
};

#ifdef __aarch64__
static uint64_t counter_now(void)
{
	uint64_t counter;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(counter) : : "memory");
	return counter;
}
#else
/* No other architecture has SPE. */
static uint64_t counter_now(void)
{
	return 0;
}
#endif

/*
 * Reads both clocks at the same time, within half of the time that the reading of the counter takes. Both are of the
 * same oscillator, so times shortly before and after follow from the frequency. The reading may be interrupted, so the
 * shortest of several is used.
 */
static void read_clocks(struct record_spe *spe)
{
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < READINGS_MAX && shortest > READING_SHORT; i++) {
		const uint64_t before = raw_clock_now(), counter = counter_now(), took = raw_clock_now() - before;

		if (took >= shortest)
			continue;
		shortest = took;
		spe->counter = counter;
		spe->raw = before + took / 2;
	}
	if (spe->bound < (shortest + 1) / 2)
		spe->bound = (shortest + 1) / 2;
}

/* Puts bytes of a buffer into the spool, and makes room for the PMU. */
static void put_chunk(struct record_spe *spe, struct record_ring *ring, const struct aux_record *aux)
{
	const uint64_t from = aux->offset & (ring->aux_room - 1);
	const uint64_t first = aux->size < ring->aux_room - from ? aux->size : ring->aux_room - from;
	const struct record_spe_chunk chunk = {
		.ring = (uint32_t)(ring - spe->rings.list), .pid = (int32_t)aux->id.pid, .tid = (int32_t)aux->id.tid,
		.offset = aux->offset, .size = aux->size, .flags = aux->flags, .time = aux->id.time, .counter = spe->counter,
		.raw = spe->raw, .window = record_window_get(spe->reader.window),
	};
	const struct record_spool_part parts[] = {
		{ &chunk, sizeof(chunk) }, { ring->aux + from, first }, { ring->aux, aux->size - first },
	};

	if (record_spool_put(&spe->spool, parts, 3))
		ring->lost[RECORD_KERNEL_UNSPOOLED] += record_spe_samples(aux->size);
	spe->unmarked += aux->size;
	ring->aux_end = aux->offset + aux->size;
	__atomic_store_n(&ring->records.page->aux_tail, ring->aux_end, __ATOMIC_RELEASE);
}

/*
 * Takes the bytes before @end that no record names: the records were lost, as the ring was full, or the bytes are padding
 * of the PMU. Their thread is not known.
 */
static void put_rest(struct record_spe *spe, struct record_ring *ring, uint64_t end, uint64_t time)
{
	const struct aux_record rest = { .offset = ring->aux_end, .size = end - ring->aux_end, .id.time = time };

	if (end <= ring->aux_end || rest.size > ring->aux_room)
		return;
	put_chunk(spe, ring, &rest);
}

/* The kernel has stopped the event. At least one sample is lost. */
static void note_full(struct record_spe *spe, struct record_ring *ring)
{
	ring->lost[RECORD_KERNEL_TRUNCATED]++;
	record_ring_restart(ring, !atomic_load(spe->reader.ending));
}

static bool take(void *user, const struct record_ring *record_ring, const struct perf_event_header *header,
		 const char *data, size_t size)
{
	struct record_spe *spe = user;
	struct record_ring *ring = &spe->rings.list[record_ring - spe->rings.list];
	struct aux_record aux;

	if (header->type != PERF_RECORD_AUX)
		return true;
	if (size < sizeof(aux))
		return false;
	memcpy(&aux, data, sizeof(aux));
	if (aux.size > ring->aux_room)
		return false;
	/* The kernel writes the heads of both buffers without a barrier, so that put_rest() may have taken these bytes. */
	if (aux.offset >= ring->aux_end) {
		put_rest(spe, ring, aux.offset, aux.id.time);
		put_chunk(spe, ring, &aux);
	}
	if (aux.flags & PERF_AUX_FLAG_TRUNCATED)
		note_full(spe, ring);
	return true;
}

/*
 * The head is read first: the records of all bytes before it are then in the ring, or lost, or become visible later. A
 * buffer is full when one byte is free, as the kernel keeps head and tail apart. It has room again before its event is
 * restarted.
 */
static void drain(struct record_spe *spe)
{
	for (size_t i = 0; i < spe->rings.count; i++) {
		struct record_ring *ring = &spe->rings.list[i];
		const uint64_t head = __atomic_load_n(&ring->records.page->aux_head, __ATOMIC_ACQUIRE);
		const uint64_t tail = ring->aux_end, times = ring->lost[RECORD_KERNEL_TRUNCATED];

		record_ring_drain(&spe->rings, ring, take, spe);
		put_rest(spe, ring, head, spe->raw);
		if (head - tail == ring->aux_room - 1 && ring->lost[RECORD_KERNEL_TRUNCATED] == times)
			note_full(spe, ring);
	}
}

static void put_mark(struct record_spe *spe)
{
	const struct record_spe_chunk mark = { .raw = spe->raw, .is_mark = true };

	/* Without the mark, samples may be out of order. */
	if (record_spool_put(&spe->spool, &(struct record_spool_part){ &mark, sizeof(mark) }, 1))
		spe->rings.list[0].lost[RECORD_KERNEL_UNSPOOLED]++;
	spe->unmarked = 0;
}

void *record_spe_run(void *data)
{
	struct record_spe *spe = data;
	uint64_t lost[RECORD_KERNEL_REASONS] = { 0 }, restart = raw_clock_now() + RESTART_EACH;
	bool is_last = false;

	/* Where the kernel permits it, no program delays this thread: busy CPUs fill their buffers fastest. */
	setpriority(PRIO_PROCESS, 0, -20);
	while (!is_last) {
		bool needs_restart;

		is_last = atomic_load(spe->reader.ending);
		read_clocks(spe);
		needs_restart = is_last || spe->raw >= restart || spe->unmarked >= RESTART_SIZE;
		for (size_t i = 0; needs_restart && i < spe->rings.count; i++)
			record_ring_restart(&spe->rings.list[i], !is_last);
		drain(spe);
		if (needs_restart) {
			restart = spe->raw + RESTART_EACH;
			put_mark(spe);
		}
		record_rings_put_lost(&spe->rings, spe->reader.queue, lost, is_last);
		if (!is_last)
			record_rings_wait(&spe->rings, DRAIN_EACH);
	}
	record_spool_end(&spe->spool);
	return NULL;
}
