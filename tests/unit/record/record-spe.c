// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samples on their way from an AUX buffer through the spool to the queue. The kernel's ring and the buffer are faked.
 * Writing and reading of the spool fail on demand.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/spe/record_spe.h"
#include "spe/spe-test.h"

#define PAGE	4096u
#define ROOM	4096u	/* bytes of a ring, and of a buffer */
#define HEAD	(sizeof(uint64_t) + sizeof(struct record_spe_chunk))	/* bytes of the spool before those of a buffer */

/* Calls from 1 on: the first that fails, and the first that succeeds again; 0: none */
static struct {
	unsigned int calls, from, to;
} writes, reads;

/* The page of the ring, and the tail of its buffer when the event was last disabled */
static struct {
	const struct perf_event_mmap_page *page;
	uint64_t tail;
} disabled;

int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	if (request == PERF_EVENT_IOC_DISABLE)
		disabled.tail = disabled.page->aux_tail;
	return 0;
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	const unsigned int call = ++writes.calls;

	errno = EFBIG;
	return writes.from && call >= writes.from && call < writes.to ? -1 : __real_pwrite(fd, bytes, size, offset);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
	const unsigned int call = ++reads.calls;

	errno = EIO;
	return reads.from && call >= reads.from && call < reads.to ? -1 : __real_pread(fd, bytes, size, offset);
}

/* Calls of progress(), and whether each has more bytes than the one before, of the same total; the first call that ends, 0: none */
static struct {
	unsigned int calls, end;
	uint64_t done, total;
	bool is_rising;
} progress;

static int note_progress(void *user, uint64_t done, uint64_t total)
{
	(void)user;
	progress.is_rising = !progress.calls++ ||
			     (progress.is_rising && done > progress.done && total == progress.total && done < total);
	progress.done = done;
	progress.total = total;
	return progress.calls == progress.end;
}

/* The records that have arrived in the queue */
struct arrived {
	uint64_t samples, marks, lost;
	uint64_t ended;		/* samples that are lost as progress() ended the writing */
	uint64_t full, malformed;	/* buffers, records */
	int error;		/* of the spool */
};

static struct arrived arrived_in(struct record_spe *spe)
{
	struct arrived arrived = { .error = spe->spool.error };
	const char *records;
	size_t length = record_queue_take(spe->reader.queue, &records);

	for (size_t offset = 0; offset < length;) {
		const struct record *record = (const struct record *)(records + offset);
		const struct record_kernel_lost *lost = (const void *)(record + 1);

		arrived.samples += record->type == RECORD_SPE;
		arrived.marks += record->type == RECORD_MARK;
		if (record->type == RECORD_LOST && lost->why == RECORD_KERNEL_UNSPOOLED)
			arrived.lost += lost->count;
		if (record->type == RECORD_LOST && lost->why == RECORD_KERNEL_ENDED)
			arrived.ended += lost->count;
		if (record->type == RECORD_LOST && lost->why == RECORD_KERNEL_TRUNCATED)
			arrived.full += lost->count;
		if (record->type == RECORD_LOST && lost->why == RECORD_KERNEL_MALFORMED)
			arrived.malformed += lost->count;
		offset += record->size;
	}
	return arrived;
}

/* The record by which the kernel publishes the last samples */
static struct {
	struct perf_event_header header;
	uint64_t offset, size, flags;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
} aux = { .header = { .type = PERF_RECORD_AUX, .size = sizeof(aux) } };

static void put_record(struct record_ring *ring)
{
	memcpy((char *)ring->records.page + PAGE + ring->records.page->data_head, &aux, sizeof(aux));
	ring->records.page->data_head += sizeof(aux);
}

/* Adds samples to the buffer, and their record, unless the ring was full. */
static void publish(struct record_ring *ring, struct stream *buffer, unsigned int count, bool is_full)
{
	aux.offset = buffer->length;
	aux.size = count * 64;
	while (count--) {
		const struct gpmu_spe_record record = random_slot(1, 0);

		put_slot(buffer, &record, 0);
	}
	ring->records.page->aux_head = buffer->length;
	if (!is_full)
		put_record(ring);
}

/* Pads the buffer until one byte is free. */
static void fill(struct record_ring *ring, struct stream *buffer)
{
	memset(buffer->bytes + buffer->length, 0, ROOM - 1 - buffer->length);
	ring->records.page->aux_head = buffer->length = ROOM - 1;
}

/* The record of the last samples becomes visible after the head of the buffer, and the buffer is full. */
static bool is_late;

static void run(struct record_spe *spe, bool is_immediate)
{
	pthread_t reader, decoder;

	if (pthread_create(&reader, NULL, record_spe_run, spe))
		return;
	if (!is_immediate)
		pthread_join(reader, NULL);
	if (is_late) {
		aux.flags = PERF_AUX_FLAG_TRUNCATED;
		put_record(spe->rings.list);
		record_spe_run(spe);
		aux.flags = 0;
	}
	if (!pthread_create(&decoder, NULL, record_spe_decode, spe))
		pthread_join(decoder, NULL);
	if (is_immediate)
		pthread_join(reader, NULL);
}

/* Records that the kernel could not put into the ring: bit 1 << N of the Nth */
static unsigned int refused;
/* The kernel stops as the buffer is full. */
static bool is_filled;

/* Records two samples and then three, which are two chunks, and a mark. */
static struct arrived record(bool is_immediate)
{
	static struct stream buffer;
	struct record_spe_buffer decoder;
	struct record_queue queue;
	struct record_window window = { 0 };
	atomic_bool ending = true;
	struct record_ring ring = { .fd = -1, .aux = buffer.bytes, .aux_room = ROOM };
	struct record_spe spe = {
		.rings = { .list = &ring, .count = 1, .page_size = PAGE }, .buffers = &decoder,
		.reader = { .queue = &queue, .window = &window, .ending = &ending }, .progress = note_progress,
	};
	struct perf_event_mmap_page *page = calloc(1, PAGE + ROOM);
	struct arrived arrived;

	buffer.length = 0;
	gpmu_spe_decoder_init(&decoder.decoder);
	record_spool_init(&spe.spool);
	if (!page || record_queue_init(&queue, 1 << 20) || record_spool_open(&spe.spool, -1))
		exit(1);
	event_ring_init(&ring.records, page, PAGE, ROOM);
	publish(&ring, &buffer, 2, refused & 1);
	publish(&ring, &buffer, 3, refused & 2);
	if (is_filled)
		fill(&ring, &buffer);
	writes.calls = reads.calls = progress.calls = 0;
	disabled.page = ring.records.page;
	run(&spe, is_immediate);
	arrived = arrived_in(&spe);
	if (ring.records.page->aux_tail != buffer.length)
		diag("bytes of the buffer that were not taken: %zu", buffer.length - (size_t)ring.records.page->aux_tail);
	writes.from = reads.from = refused = progress.end = 0;
	record_spool_release(&spe.spool);
	record_queue_release(&queue);
	free(ring.records.page);
	return arrived;
}

static bool is(struct arrived arrived, uint64_t samples, uint64_t marks, uint64_t lost, int error)
{
	const bool is_same =
		arrived.samples == samples && arrived.marks == marks && arrived.lost == lost && arrived.error == error;

	if (!is_same)
		diag("%" PRIu64 " samples, %" PRIu64 " marks, %" PRIu64 " lost, error %d", arrived.samples, arrived.marks,
		     arrived.lost, arrived.error);
	return is_same;
}

int main(void)
{
	struct arrived arrived;

	ok(is(record(true), 5, 1, 0, 0), "record spe: all samples of a buffer are queued, and a mark");
	record(false);
	ok(progress.calls == 3 && progress.is_rising && progress.total == 5 * 64 + 3 * HEAD,
	   "record spe: progress() is called with rising numbers of bytes after the end of the recorded time");
	for (unsigned int each = 1; each < 4; each++) {
		refused = each;
		ok(is(record(false), 5, 1, 0, 0), "record spe: samples whose records were lost, as the ring was full, are queued (%u)", each);
	}
	refused = 2;
	is_filled = true;
	arrived = record(false);
	ok(is(arrived, 5, 1, 0, 0) && arrived.full == 1, "record spe: a full buffer is counted if its record was lost");
	is_u64(disabled.tail, ROOM - 1, "record spe: a full buffer has room again before its event is restarted");
	is_filled = false;
	refused = 2;
	is_late = true;
	arrived = record(false);
	ok(is(arrived, 5, 2, 0, 0) && arrived.full == 1 && !arrived.malformed,
	   "record spe: a record that is visible after its samples is valid, and its flags are counted");
	is_late = false;
	progress.end = 2;
	arrived = record(false);
	ok(arrived.samples == 2 && arrived.marks == 1 && arrived.ended == 3 && !arrived.lost,
	   "record spe: samples after the end by progress() are counted as lost");
	/* A chunk is written by three calls, and a mark by two. */
	writes.from = 4;
	writes.to = 5;
	ok(is(record(false), 2, 1, 3, -EFBIG), "record spe: the samples of a chunk that is refused are counted as lost, with the error");
	writes.from = 7;
	writes.to = 8;
	ok(is(record(false), 5, 0, 1, -EFBIG), "record spe: a mark that is refused is counted as lost");
	reads.from = 3;
	reads.to = 4;
	ok(is(record(false), 3, 1, 2, -EIO), "record spe: the samples of a chunk that cannot be read are counted as lost");
	reads.from = 1;
	reads.to = 2;
	ok(is(record(false), 0, 0, record_spe_samples(5 * 64 + 3 * HEAD), -EIO),
	   "record spe: if the begin of a chunk cannot be read, all bytes of the file are counted as lost");
	return done_testing();
}
