// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/raw_clock.h"
#include "base/vector.h"
#include "event/event_fd.h"
#include "record/ring/record_ring.h"

#define AUX_PAGES_MIN	2	/* pages of an AUX buffer that every PMU accepts */
#define AUX_WAKEUPS	8	/* wakeups while an AUX buffer is filled; the kernel's default, 2, leaves half as spare room */
#define DRAIN_EACH	10	/* ms */
#define DELAY		1000000	/* ns after which a record has reached its ring */
#define AUX_RATIO	4	/* size of an AUX buffer for each byte of its ring, while both are halved */

static int map_failed(void)
{
	return errno == EPERM ? -ENOBUFS : -errno;
}

static int map_aux(struct record_ring *ring, size_t offset, size_t room)
{
	void *aux;

	ring->records.page->aux_offset = offset;
	ring->records.page->aux_size = room;
	aux = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, (off_t)offset);
	if (aux == MAP_FAILED)
		return map_failed();
	ring->aux = aux;
	ring->aux_room = room;
	return 0;
}

static int map_ring(struct record_ring *ring, const struct record_rings *rings, size_t room)
{
	const size_t size = rings->page_size + room;
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);

	if (page == MAP_FAILED)
		return map_failed();
	event_ring_init(&ring->records, page, rings->page_size, room);
	return rings->aux_max ? map_aux(ring, size, rings->aux_max) : 0;
}

/* Returns a descriptor or -errno. */
static int open_event(struct record_ring *ring, const struct perf_event_attr *attr, pid_t tid,
		      const struct record_rings *rings)
{
	struct perf_event_attr own = *attr;
	int fd;

	own.inherit = tid >= 0;
	own.use_clockid = 1;
	own.clockid = CLOCK_MONOTONIC_RAW;
	own.disabled = 1;
	own.aux_watermark = (uint32_t)(rings->aux_max / AUX_WAKEUPS);
	own.read_format = PERF_FORMAT_LOST;
	fd = event_fd_open(&own, tid, ring->cpu, -1);
	ring->can_count_lost = fd >= 0;
	own.read_format = 0;
	return fd == -EINVAL ? event_fd_open(&own, tid, ring->cpu, -1) : fd;
}

/* Adds the event of a further task. */
static int add_event(struct record_ring *ring, int fd)
{
	int *added = vector_append(ring->more, ring->more_count);

	if (!added) {
		close(fd);
		return -ENOMEM;
	}
	*added = fd;
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? -errno : 0;
}

static int open_task(struct record_ring *ring, const struct perf_event_attr *attr, pid_t tid,
		     const struct record_rings *rings, size_t room)
{
	int fd = open_event(ring, attr, tid, rings), ret;

	if (fd < 0)
		return fd;
	if (ring->records.page) {
		ret = add_event(ring, fd);
	} else {
		ring->fd = fd;
		ret = map_ring(ring, rings, room);
	}
	if (ret || rings->aux_max)
		return ret;
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static int open_ring(struct record_ring *ring, const struct perf_event_attr *attr,
		     const struct record_reader *reader, const struct record_rings *rings, size_t room)
{
	int ret = -ESRCH;

	ring->fd = -1;
	if (!reader->tid_count)
		return open_task(ring, attr, -1, rings, room);
	for (size_t i = 0; i < reader->tid_count && (!ret || ret == -ESRCH); i++)
		ret = open_task(ring, attr, reader->tids[i], rings, room);
	return ret == -ESRCH && ring->records.page ? 0 : ret;
}

static void close_ring(struct record_ring *ring, size_t page_size)
{
	if (ring->aux)
		munmap((void *)ring->aux, ring->aux_room);
	if (ring->records.page)
		munmap(ring->records.page, page_size + ring->records.size);
	if (ring->fd >= 0)
		close(ring->fd);
	while (ring->more_count)
		close(ring->more[--ring->more_count]);
	free(ring->more);
	*ring = (struct record_ring){ .fd = -1 };
}

static void close_rings(struct record_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++)
		close_ring(&rings->list[i], rings->page_size);
	rings->count = 0;
}

/* Opens rings of the same size on these CPUs; NULL: on CPUs 0 to @n - 1. */
static int open_rings(struct record_rings *rings, const int *cpus, size_t n,
		      const struct perf_event_attr *attr, const struct record_reader *reader, size_t room)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		struct record_ring *ring = &rings->list[rings->count];

		ring->cpu = cpus ? cpus[i] : (int)i;
		ret = open_ring(ring, attr, reader, rings, room);
		/* The CPU is offline; it may have gone offline between two tasks. */
		if (ret == -ENODEV || (ret == -ENOENT && rings->aux_max)) {
			close_ring(ring, rings->page_size);
			ret = 0;
			continue;
		}
		rings->fds[rings->count++] = (struct pollfd){ .fd = ring->fd, .events = POLLIN };
	}
	return ret;
}

static size_t half(size_t room, size_t min)
{
	return room / 2 > min ? room / 2 : min;
}

/*
 * Halves the size of all rings until all can be mapped: other recordings of the user share the
 * limit of locked memory. A ring has a quarter of its AUX buffer's size or less.
 */
int record_rings_open(struct record_rings *rings, const struct record_reader *reader, const struct perf_event_attr *attr,
		      size_t max)
{
	size_t n = (size_t)sysconf(_SC_NPROCESSORS_CONF), room;
	const int *cpus = NULL;
	size_t aux_min;
	int ret;

	rings->page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (reader->machine)
		n = gpmu_machine_online_cpus(reader->machine, &cpus);
	rings->list = calloc(n + 1, sizeof(*rings->list));
	rings->fds = calloc(n + 1, sizeof(*rings->fds));
	if (!rings->list || !rings->fds)
		return -ENOMEM;
	room = max > rings->page_size ? max : rings->page_size;
	aux_min = rings->aux_max ? AUX_PAGES_MIN * rings->page_size : 0;
	if (rings->aux_max < aux_min)
		rings->aux_max = aux_min;
	while ((ret = open_rings(rings, cpus, n, attr, reader, room)) == -ENOBUFS &&
	       (room > rings->page_size || rings->aux_max > aux_min)) {
		close_rings(rings);
		if (rings->aux_max <= AUX_RATIO * room)
			room = half(room, rings->page_size);
		rings->aux_max = half(rings->aux_max, aux_min);
	}
	return ret;
}

bool record_rings_refuse(int ret, const char *what, const char *memory, const char *paranoid, struct gpmu_error *error)
{
	if (ret == -EACCES || ret == -EPERM)
		error_set(error, 0, "%s requires CAP_PERFMON, or the sysctl kernel.perf_event_paranoid at %s", what, paranoid);
	else if (ret == -ENOBUFS)
		error_set(error, 0, "%s exceed the limit of locked memory: raise ulimit -l or the sysctl "
			  "kernel.perf_event_mlock_kb", memory);
	else if (ret == -EMFILE)
		error_set(error, 0, "%s requires a file descriptor for each CPU and each existing thread: raise ulimit -n", what);
	else
		return false;
	return true;
}

void record_ring_restart(const struct record_ring *ring, bool wants_enabled)
{
	for (size_t i = 0; i <= ring->more_count; i++) {
		const int fd = i ? ring->more[i - 1] : ring->fd;

		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (wants_enabled)
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
}

/* The next event of the ring whose tasks may still run; -1 if there is none */
static int next_event(struct record_ring *ring)
{
	return ring->ended < ring->more_count ? ring->more[ring->ended++] : -1;
}

bool record_rings_wait(struct record_rings *rings, int ms)
{
	bool has_any = false;

	if (poll(rings->fds, rings->count, ms) <= 0)
		return false;
	for (size_t i = 0; i < rings->count; i++) {
		has_any = has_any || rings->fds[i].revents & POLLIN;
		/* The event's tasks have ended: it would end each later wait at once, and not wake any more. */
		if (rings->fds[i].revents & ~POLLIN)
			rings->fds[i].fd = next_event(&rings->list[i]);
	}
	return has_any;
}

void record_rings_release(struct record_rings *rings)
{
	close_rings(rings);
	free(rings->list);
	free(rings->fds);
	*rings = (struct record_rings){ 0 };
}

/*
 * PERF_RECORD_LOST: the event's id, then the number of lost records. Records beside an AUX buffer only describe its contents,
 * which are not lost with them.
 */
static bool note_lost(struct record_ring *ring, const char *data, size_t size)
{
	uint64_t lost[2];

	if (size < sizeof(lost))
		return false;
	memcpy(lost, data, sizeof(lost));
	if (!ring->aux)
		ring->lost[RECORD_KERNEL_FULL] += lost[1];
	return true;
}

/* Takes the current record. Returns whether it is valid. */
static bool take_record(struct record_ring *ring, const struct perf_event_header *header, record_ring_take *take, void *user)
{
	_Alignas(8) char data[UINT16_MAX];	/* header->size is a uint16_t */
	const size_t size = header->size - sizeof(*header);

	event_ring_copy(&ring->records, data, size);
	return header->type == PERF_RECORD_LOST ? note_lost(ring, data, size) : take(user, ring, header, data, size);
}

void record_ring_drain(const struct record_rings *rings, struct record_ring *ring, record_ring_take *take, void *user)
{
	struct event_ring *records = &ring->records;
	struct perf_event_header header;
	int ret;

	event_ring_look(records);
	while ((ret = event_ring_next(records, &header))) {
		if (ret < 0 || !take_record(ring, &header, take, user))
			ring->lost[RECORD_KERNEL_MALFORMED]++;
		/* The kernel can use the room of the records that were taken while others follow. */
		if (records->next - records->page->data_tail >= rings->page_size)
			event_ring_release(records);
	}
	event_ring_release(records);
}

void record_rings_drain(struct record_rings *rings, record_ring_take *take, void *user)
{
	for (size_t i = 0; i < rings->count; i++)
		record_ring_drain(rings, &rings->list[i], take, user);
}

/* The kernel's count of an event's lost records */
static uint64_t lost_of_event(int fd)
{
	uint64_t counts[2];		/* the event's count, number of lost records */

	return read(fd, counts, sizeof(counts)) == (ssize_t)sizeof(counts) ? counts[1] : 0;
}

static uint64_t lost_of(const struct record_ring *ring)
{
	uint64_t lost;

	if (!ring->can_count_lost)
		return 0;
	lost = lost_of_event(ring->fd);
	for (size_t i = 0; i < ring->more_count; i++)
		lost += lost_of_event(ring->more[i]);
	return lost;
}

uint64_t record_rings_lost(const struct record_rings *rings, enum record_kernel_why why, bool is_last)
{
	uint64_t n = 0;

	for (size_t i = 0; i < rings->count; i++) {
		uint64_t counted =
			is_last && why == RECORD_KERNEL_FULL && !rings->aux_max ? lost_of(&rings->list[i]) : 0;
		uint64_t reported = rings->list[i].lost[why];

		n += counted > reported ? counted : reported;
	}
	return n;
}

void record_rings_put_lost(const struct record_rings *rings, struct record_queue *queue,
			   uint64_t known[RECORD_KERNEL_REASONS], bool is_last)
{
	for (uint32_t why = 0; why < RECORD_KERNEL_REASONS; why++) {
		const uint64_t lost = record_rings_lost(rings, why, is_last);
		const struct record_kernel_lost more = { .count = lost - known[why], .why = why };

		if (more.count)
			record_queue_put_at(queue, RECORD_LOST, 0, &more, sizeof(more));
		known[why] = lost;
	}
}

void record_rings_run(struct record_rings *rings, const struct record_reader *reader, record_ring_take *take,
		      void (*last)(void *user), void *user)
{
	uint64_t lost[RECORD_KERNEL_REASONS] = { 0 };
	bool is_last = false;

	while (!is_last) {
		uint64_t mark;

		is_last = atomic_load(reader->ending);
		mark = raw_clock_now() - DELAY;
		record_rings_drain(rings, take, user);
		if (is_last && last)
			last(user);
		record_rings_put_lost(rings, reader->queue, lost, is_last);
		if (record_queue_has_room(reader->queue, 0))
			record_queue_put_at(reader->queue, RECORD_MARK, mark, NULL, 0);
		if (!is_last)
			record_rings_wait(rings, DRAIN_EACH);
	}
}
