/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations that measure*.c share */
#ifndef GPMU_MEASURE_H
#define GPMU_MEASURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "count/region_sum.h"
#include "gpmu.h"
#include "values/rows.h"

/* A region of threads that have ended */
struct measure_region {
	char *name;
	struct region_sum sum;
};

/* A thread that has begun a region. Locks are taken in the order gpmu->lock, thread->lock. */
struct measure_thread {
	struct gpmu *gpmu;
	struct measure_thread *next;
	pid_t tid;			/* -1: all threads that have ended */
	pthread_mutex_t lock;		/* of the session */
	/* NULL after the end of the thread: regions has its counts */
	struct gpmu_session *session;
	struct measure_region *regions;
	size_t region_count;
};

struct gpmu {
	struct gpmu_options options;	/* its pointers are not valid after gpmu_open() */
	char *separator;		/* NULL: the default */
	pid_t pid;			/* of the process that opened it */
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
	struct gpmu_plan *own;		/* counted by each thread */
	struct gpmu_plan *common;	/* counted once for all threads */
	pthread_key_t key;		/* the thread's struct measure_thread */
	bool has_key;
	pthread_mutex_t lock;		/* protects the list of threads and all members below */
	struct measure_thread *threads;
	struct gpmu_session *shared;	/* of the plan common; has each region of each thread */
	struct gpmu_session *blank;	/* of the plan own; computes rows of sums */
	struct region_sum sum;
	struct gpmu_rows rows;		/* rows of the last gpmu_get_rows() */
};

/* --- measure_list.c */

/*
 * Adds a list of metrics and events to the plans. If @is_apart is false, all are added to
 * gpmu->common. 0, or -errno with the error set
 */
int measure_list(struct gpmu *gpmu, const char *list, bool is_apart, struct gpmu_error *error);
/* 1: a metric of the list needs a PMU that only plugins for GPUs have; 0: none does; or -ENOMEM */
int measure_needs_gpu(const struct gpmu *gpmu, const char *list);

/* --- measure_thread.c */

/* The calling thread, with its counters open; NULL with errno set */
struct measure_thread *measure_thread_get(struct gpmu *gpmu);
/*
 * Destructor for pthread_key_create(): keeps the counts of a thread that ends and closes its
 * counters
 */
void measure_thread_end(void *thread);
void measure_threads_free(struct gpmu *gpmu);
/*
 * Adds a region of the thread to a sum. With gpmu->lock held. 1; 0 if the thread has not ended a
 * visit; -ENOMEM
 */
int measure_thread_sum(struct measure_thread *thread, const char *name, struct region_sum *sum);

/* --- measure.c */

/* gpmu->sum becomes the sum of all threads. With gpmu->lock held. 0 or -ENOMEM */
int measure_sum(struct gpmu *gpmu, const char *name);

#endif /* GPMU_MEASURE_H */
