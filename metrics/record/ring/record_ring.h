/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of kernel perf events, with a ring for each CPU */
#ifndef GPMU_RECORD_RING_H
#define GPMU_RECORD_RING_H

#include <linux/perf_event.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/event_ring.h"
#include "gpmu.h"
#include "record/queue/record_queue.h"
#include "record/queue/record_window.h"

/* Data that a thread that reads rings needs of its owner, who sets it before the rings are opened */
struct record_reader {
	const struct gpmu_machine *machine;	/* NULL: all configured CPUs are tried */
	pid_t *tids;			/* tasks that are recorded */
	size_t tid_count;		/* 0: all tasks */
	struct record_queue *queue;
	struct record_window *window;	/* samples outside it are dropped */
	atomic_bool *ending;		/* set: the thread drains the rings and ends */
};

/* Fields that follow each record because of sample_id_all, with PERF_SAMPLE_TID, _TIME and _CPU; samples begin with them */
struct record_sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

struct record_ring {
	int fd, cpu;
	struct event_ring records;
	/* Losses of a full ring, by PERF_RECORD_LOST, and of a full AUX buffer, which the owner counts */
	uint64_t lost[RECORD_KERNEL_REASONS];
	bool can_count_lost;		/* the kernel also counts lost records (Linux 6.0) */
	const uint8_t *aux;		/* the AUX buffer; NULL: not mapped */
	size_t aux_room;		/* bytes of it, a power of 2 */
	uint64_t aux_end;		/* for the owner: end of the bytes that were taken */
	int *more;			/* events of further tasks, which use the same ring */
	size_t more_count;
	size_t ended;			/* events, from @fd on, whose tasks have ended */
};

struct record_rings {
	struct record_ring *list;
	struct pollfd *fds;		/* of record_rings_wait() */
	size_t count, page_size;
	/*
	 * Bytes of an AUX buffer for each ring, a power of 2; 0: none. Set before record_rings_open(), which may reduce it, or
	 * raise it to two pages. The kernel wakes for each eighth of a buffer.
	 */
	size_t aux_max;
};

/*
 * Opens an event on each online CPU, of the reader's tasks and their later children, or of all tasks, with time stamps of
 * CLOCK_MONOTONIC_RAW. Enables each event without an AUX buffer; record_ring_restart() enables the others when the caller is
 * ready to drain. Tasks that have ended are left out, and so are CPUs that the PMU of an event with an AUX buffer does not
 * have. Each ring has @max bytes, or all have fewer, down to one
 * page, if the limit of locked memory requires it. Returns 0 or -errno; -ENOBUFS if not even one page can be locked,
 * -ESRCH if all tasks have ended. The caller releases @rings in any case.
 */
int record_rings_open(struct record_rings *rings, const struct record_reader *reader, const struct perf_event_attr *attr,
		      size_t max);
/*
 * Sets the error for a result of record_rings_open() that has a remedy; returns false for others. @what: the recording;
 * @memory: its memory; @paranoid: values of the sysctl that permit it
 */
bool record_rings_refuse(int ret, const char *what, const char *memory, const char *paranoid, struct gpmu_error *error);
void record_rings_release(struct record_rings *rings);

/*
 * Handles a record other than PERF_RECORD_LOST, with @size bytes after its header. Returns false
 * if the record is malformed, which is then counted as lost.
 */
typedef bool record_ring_take(void *user, const struct record_ring *ring,
			      const struct perf_event_header *header, const char *data,
			      size_t size);

void record_rings_drain(struct record_rings *rings, record_ring_take *take, void *user);
/* Drains one of them. */
void record_ring_drain(const struct record_rings *rings, struct record_ring *ring, record_ring_take *take, void *user);
/*
 * Disables the events of a ring, so that the PMU publishes what it has written to the AUX buffer, and enables them again if
 * @wants_enabled. An event whose AUX buffer was full must be disabled first: some kernels leave it enabled, and enabling it
 * then has no effect. A process that a child of the task forks between both may be enabled by the next restart only
 * (Linux 7.3).
 */
void record_ring_restart(const struct record_ring *ring, bool wants_enabled);
/*
 * Waits until the kernel wakes for a ring, according to the event's watermark, or for @ms. Returns
 * whether there was a ring.
 */
bool record_rings_wait(struct record_rings *rings, int ms);
/*
 * Number of records lost for a reason, according to the drained records; the kernel reports a loss with
 * the CPU's next record. @is_last: nothing more will be drained, so losses after the last
 * record are included. Records lost from the ring of an event with an AUX buffer are not counted.
 */
uint64_t record_rings_lost(const struct record_rings *rings, enum record_kernel_why why, bool is_last);

/* Queues the numbers of records lost since @known, which becomes the current numbers. @is_last: likewise */
void record_rings_put_lost(const struct record_rings *rings, struct record_queue *queue,
			   uint64_t known[RECORD_KERNEL_REASONS], bool is_last);

/*
 * Drains rings until the owner ends the thread, and queues losses and marks. @last: called with @user before the last losses
 * are queued; may be NULL
 */
void record_rings_run(struct record_rings *rings, const struct record_reader *reader, record_ring_take *take,
		      void (*last)(void *user), void *user);

#endif /* GPMU_RECORD_RING_H */
