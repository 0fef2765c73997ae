// SPDX-License-Identifier: LGPL-2.1-or-later
/* Who runs on which CPU: the tracepoint sched:sched_switch, from a ring of each CPU. */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "record.h"

#define RING_PAGES	128	/* a power of 2 */
#define LOOK_EACH	10	/* ms */
#define ON_ITS_WAY	1000000	/* ns after which what has happened is in the ring */
#define RECORD_MOST	512	/* bytes of the kernel's record */

static const char *const folders[] = {
	"/sys/kernel/tracing/events/sched/sched_switch",
	"/sys/kernel/debug/tracing/events/sched/sched_switch",
};

enum {
	PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO, FIELDS
};

static const char *const fields[FIELDS] = {
	"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio",
};

struct sched_ring {
	int fd, cpu;
	struct perf_event_mmap_page *page;	/* or NULL */
};

struct record_sched {
	struct {
		size_t offset, size;
	} fields[FIELDS];
	uint64_t id;
	size_t page_size;
	struct sched_ring *rings;
	size_t n_rings;
};

/* --- what the kernel says of its records --- */

static int read_id(struct record_sched *sched, const char *folder)
{
	char path[96], text[32];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/id", folder);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	ret = fgets(text, sizeof(text), file) ? 0 : -EINVAL;
	fclose(file);
	if (!ret)
		sched->id = strtoull(text, NULL, 10);
	return ret;
}

/* "	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;" */
static void read_field(struct record_sched *sched, const char *line)
{
	const char *end = strchr(line, ';'), *name = end;
	size_t length;

	if (!end || !strstr(line, "field:"))
		return;
	while (name > line && name[-1] != ' ' && name[-1] != '\t')
		name--;
	length = strcspn(name, "[;");
	for (int i = 0; i < FIELDS; i++) {
		const char *offset = strstr(end, "offset:"), *size = strstr(end, "size:");

		if (strlen(fields[i]) != length || strncmp(name, fields[i], length) || !offset || !size)
			continue;
		sched->fields[i].offset = strtoul(offset + strlen("offset:"), NULL, 10);
		sched->fields[i].size = strtoul(size + strlen("size:"), NULL, 10);
	}
}

static int read_format(struct record_sched *sched, const char *folder)
{
	char path[96], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/format", folder);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		read_field(sched, line);
	fclose(file);
	for (int i = 0; i < FIELDS; i++)
		if (!sched->fields[i].size || sched->fields[i].offset > RECORD_MOST)
			return -EINVAL;
	return 0;
}

static int read_tracepoint(struct record_sched *sched, struct gpmu_error *error)
{
	int ret = -ENOENT;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && ret == -ENOENT; i++) {
		ret = read_id(sched, folders[i]);
		if (!ret)
			ret = read_format(sched, folders[i]);
	}
	if (ret == -ENOENT)
		error_set(error, 0, "scheduling is recorded by the kernel's tracepoints: mount -t tracefs "
			  "nodev /sys/kernel/tracing");
	else if (ret)
		error_set(error, 0, "scheduling is recorded by tracepoints, which /sys/kernel/tracing has for "
			  "root: %s", strerror(-ret));
	return ret;
}

/* --- rings --- */

static int open_ring(const struct record_sched *sched, struct sched_ring *ring)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = sched->id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
		.wakeup_watermark = INT32_MAX,
		.disabled = 1,
	};
	void *page;

	ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, ring->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	page = mmap(NULL, (1 + RING_PAGES) * sched->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		    ring->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	ring->page = page;
	return ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static int open_rings(struct record_sched *sched, const struct gpmu_machine *machine)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	const int *cpus = NULL;
	int ret = 0;

	if (machine)
		n = (long)gpmu_machine_online_cpus(machine, &cpus);
	sched->rings = calloc((size_t)n + 1, sizeof(*sched->rings));
	if (!sched->rings)
		return -ENOMEM;
	for (long i = 0; i < n && !ret; i++) {
		struct sched_ring *ring = &sched->rings[sched->n_rings];

		ring->cpu = cpus ? cpus[i] : (int)i;
		ret = open_ring(sched, ring);
		/* It is offline. */
		if (ret == -ENODEV) {
			ret = 0;
			continue;
		}
		sched->n_rings++;
	}
	return ret;
}

int record_sched_open(struct gpmu_record *record, struct gpmu_error *error)
{
	struct record_sched *sched = calloc(1, sizeof(*sched));
	char why[96];
	int ret;

	if (!sched) {
		error_set(error, 0, "no memory");
		return -ENOMEM;
	}
	record->sched = sched;
	sched->page_size = (size_t)sysconf(_SC_PAGESIZE);
	ret = read_tracepoint(sched, error);
	if (ret)
		return ret;
	ret = open_rings(sched, record->machine);
	if (ret == -EACCES || ret == -EPERM)
		error_set(error, 0, "scheduling of all CPUs takes CAP_PERFMON, or the sysctl "
			  "kernel.perf_event_paranoid at -1");
	else if (ret)
		error_set(error, 0, "scheduling cannot be recorded: %s",
			  strerror_r(-ret, why, sizeof(why)));
	return ret;
}

void record_sched_release(struct gpmu_record *record)
{
	struct record_sched *sched = record->sched;

	if (!sched)
		return;
	for (size_t i = 0; i < sched->n_rings; i++) {
		if (sched->rings[i].page)
			munmap(sched->rings[i].page, (1 + RING_PAGES) * sched->page_size);
		if (sched->rings[i].fd >= 0)
			close(sched->rings[i].fd);
	}
	free(sched->rings);
	free(sched);
	record->sched = NULL;
}

/* --- records --- */

static int64_t number_of(const struct record_sched *sched, int field, const char *raw, size_t size)
{
	size_t length = sched->fields[field].size, offset = sched->fields[field].offset;
	int64_t large = 0;
	int32_t small = 0;

	if (offset + length > size)
		return 0;
	if (length == sizeof(large)) {
		memcpy(&large, raw + offset, sizeof(large));
		return large;
	}
	if (length == sizeof(small))
		memcpy(&small, raw + offset, sizeof(small));
	return small;
}

static void text_of(const struct record_sched *sched, int field, const char *raw, size_t size,
		    char text[16])
{
	size_t length = sched->fields[field].size, offset = sched->fields[field].offset;

	memset(text, 0, 16);
	if (offset + length <= size)
		memcpy(text, raw + offset, length < 15 ? length : 15);
}

/* PERF_RECORD_SAMPLE: the time, bytes of the tracepoint's, which are behind that */
static void put_sample(struct gpmu_record *record, const struct sched_ring *ring, const char *data,
		       size_t size)
{
	const struct record_sched *sched = record->sched;
	struct record_switch of = { .cpu = (uint32_t)ring->cpu };
	struct record_item item = { .kind = RECORD_SWITCH };
	uint32_t length;
	uint64_t time;

	if (size < sizeof(time) + sizeof(length))
		return;
	memcpy(&time, data, sizeof(time));
	memcpy(&length, data + sizeof(time), sizeof(length));
	data += sizeof(time) + sizeof(length);
	size -= sizeof(time) + sizeof(length);
	if (length < size)
		size = length;
	of.prev_pid = (int32_t)number_of(sched, PREV_PID, data, size);
	of.next_pid = (int32_t)number_of(sched, NEXT_PID, data, size);
	of.prev_prio = (int32_t)number_of(sched, PREV_PRIO, data, size);
	of.next_prio = (int32_t)number_of(sched, NEXT_PRIO, data, size);
	of.prev_state = number_of(sched, PREV_STATE, data, size);
	text_of(sched, PREV_COMM, data, size, of.prev_comm);
	text_of(sched, NEXT_COMM, data, size, of.next_comm);
	item.begin = item.end = time;
	if (record->begin <= time && (!record->end || time <= record->end))
		record_queue_put(&record->queues[RECORD_SCHED], &item, &of, sizeof(of));
}

static void put_lost(struct gpmu_record *record, const char *data, size_t size)
{
	struct record_item item = { .kind = RECORD_LOST };
	uint64_t lost[2];	/* the event's id, how many */

	if (size < sizeof(lost))
		return;
	memcpy(lost, data, sizeof(lost));
	record_queue_put(&record->queues[RECORD_SCHED], &item, &lost[1], sizeof(lost[1]));
}

static void copy(const struct sched_ring *ring, size_t page_size, uint64_t from, char *to,
		 size_t size)
{
	size_t room = RING_PAGES * page_size, offset = (size_t)from & (room - 1);
	size_t first = size < room - offset ? size : room - offset;

	memcpy(to, (const char *)ring->page + page_size + offset, first);
	memcpy(to + first, (const char *)ring->page + page_size, size - first);
}

static void drain(struct gpmu_record *record, struct sched_ring *ring)
{
	size_t page_size = record->sched->page_size;
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ring->page->data_tail;
	struct perf_event_header header;
	char data[RECORD_MOST];

	while (at < head) {
		copy(ring, page_size, at, (char *)&header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - at)
			break;
		if (header.size <= sizeof(data)) {
			copy(ring, page_size, at + sizeof(header), data, header.size - sizeof(header));
			if (header.type == PERF_RECORD_SAMPLE)
				put_sample(record, ring, data, header.size - sizeof(header));
			else if (header.type == PERF_RECORD_LOST)
				put_lost(record, data, header.size - sizeof(header));
		}
		at += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

void *record_sched_run(void *data)
{
	struct gpmu_record *record = data;
	struct record_sched *sched = record->sched;
	bool last = false;

	while (!last) {
		struct record_item mark = { .kind = RECORD_MARK };

		last = atomic_load(&record->ending);
		mark.begin = record_clock() - ON_ITS_WAY;
		for (size_t i = 0; i < sched->n_rings; i++)
			drain(record, &sched->rings[i]);
		if (record_queue_has_room(&record->queues[RECORD_SCHED], 0))
			record_queue_put(&record->queues[RECORD_SCHED], &mark, NULL, 0);
		if (!last)
			poll(NULL, 0, LOOK_EACH);
	}
	return NULL;
}
