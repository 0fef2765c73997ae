// SPDX-License-Identifier: LGPL-2.1-or-later
/* Threads that begin regions: each has a session of its own until it ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"
#include "count/region_sum.h"
#include "count/session.h"
#include "measure/measure.h"

static void thread_free(struct measure_thread *thread)
{
	if (!thread)
		return;
	for (size_t i = 0; i < thread->region_count; i++) {
		region_sum_release(&thread->regions[i].sum);
		free(thread->regions[i].name);
	}
	free(thread->regions);
	gpmu_session_free(thread->session);
	pthread_mutex_destroy(&thread->lock);
	free(thread);
}

static struct measure_thread *thread_new(struct gpmu *gpmu, pid_t tid)
{
	struct measure_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->gpmu = gpmu;
	thread->tid = tid;
	pthread_mutex_init(&thread->lock, NULL);
	return thread;
}

/* Puts a thread at the end of the list, with gpmu->lock held. */
static void append(struct gpmu *gpmu, struct measure_thread *thread)
{
	struct measure_thread **last = &gpmu->threads;

	while (*last)
		last = &(*last)->next;
	*last = thread;
}

static struct measure_thread *open_thread(struct gpmu *gpmu)
{
	struct measure_thread *thread = thread_new(gpmu, gettid());
	int ret;

	if (!thread)
		return NULL;
	errno = 0;
	thread->session = gpmu_session_new(gpmu->own, NULL, NULL);
	ret = thread->session ? gpmu_session_enable(thread->session) : -errno;
	if (!ret)
		ret = -pthread_setspecific(gpmu->key, thread);
	if (ret) {
		thread_free(thread);
		errno = -ret;
		return NULL;
	}
	pthread_mutex_lock(&gpmu->lock);
	append(gpmu, thread);
	pthread_mutex_unlock(&gpmu->lock);
	return thread;
}

struct measure_thread *measure_thread_get(struct gpmu *gpmu)
{
	struct measure_thread *thread = pthread_getspecific(gpmu->key);

	return thread ? thread : open_thread(gpmu);
}

/* The region of that name, created if necessary; NULL: no memory */
static struct measure_region *region_of(struct measure_thread *thread, const char *name)
{
	struct measure_region *added;

	for (size_t i = 0; i < thread->region_count; i++)
		if (!strcmp(thread->regions[i].name, name))
			return &thread->regions[i];
	added = vector_append(thread->regions, thread->region_count);
	if (!added)
		return NULL;
	added->name = strdup(name);
	if (added->name)
		return added;
	thread->region_count--;
	return NULL;
}

/*
 * Copies the regions of a session that is about to be freed: all of them, or none. 0 or -ENOMEM
 */
static int keep(struct measure_thread *to, struct gpmu_session *session)
{
	const char *name;

	for (size_t i = 0; (name = gpmu_region_name(session, i)); i++) {
		struct measure_region *region = region_of(to, name);

		if (!region || region_sum_reserve(&region->sum, session))
			return -ENOMEM;
	}
	for (size_t i = 0; (name = gpmu_region_name(session, i)); i++)
		region_sum_add(&region_of(to, name)->sum, session, i);
	return 0;
}

/* The entry in which the counts of this thread are kept: its own, or that of all ended threads */
static struct measure_thread *keeper_of(struct gpmu *gpmu, struct measure_thread *thread)
{
	struct measure_thread *keeper = gpmu->threads;

	if (gpmu->options.per_thread)
		return thread;
	while (keeper && keeper->tid != -1)
		keeper = keeper->next;
	if (!keeper) {
		keeper = thread_new(gpmu, -1);
		if (keeper)
			append(gpmu, keeper);
	}
	return keeper;
}

static void take_out(struct gpmu *gpmu, struct measure_thread *thread)
{
	struct measure_thread **link = &gpmu->threads;

	while (*link != thread)
		link = &(*link)->next;
	*link = thread->next;
}

void measure_thread_end(void *data)
{
	struct measure_thread *thread = data, *keeper;
	struct gpmu *gpmu = thread->gpmu;
	const char *name;

	/* A child of fork() has the parent's objects, whose counters are the parent's. */
	if (gpmu->pid != getpid())
		return;
	pthread_mutex_lock(&gpmu->lock);
	/* Regions that the thread has not ended end with it, for the other threads' sake. */
	while ((name = session_innermost(thread->session))) {
		gpmu_region_end(thread->session, name);
		session_region_end_any(gpmu->shared, name);
	}
	keeper = keeper_of(gpmu, thread);
	/* Without memory the thread keeps its counters open instead. */
	if (keeper && !keep(keeper, thread->session)) {
		gpmu_session_free(thread->session);
		thread->session = NULL;
		if (keeper != thread) {
			take_out(gpmu, thread);
			thread_free(thread);
		}
	}
	pthread_mutex_unlock(&gpmu->lock);
}

void measure_threads_free(struct gpmu *gpmu)
{
	while (gpmu->threads) {
		struct measure_thread *thread = gpmu->threads;

		gpmu->threads = thread->next;
		thread_free(thread);
	}
}

static int sum_session(struct measure_thread *thread, const char *name, struct region_sum *sum)
{
	size_t index;
	int ret = 0;

	pthread_mutex_lock(&thread->lock);
	index = region_find(thread->session, name);
	if (index != SIZE_MAX && gpmu_region_visit_count(thread->session, index))
		ret = region_sum_add(sum, thread->session, index) ? -ENOMEM : 1;
	pthread_mutex_unlock(&thread->lock);
	return ret;
}

int measure_thread_sum(struct measure_thread *thread, const char *name, struct region_sum *sum)
{
	if (thread->session)
		return sum_session(thread, name, sum);
	for (size_t i = 0; i < thread->region_count; i++)
		if (!strcmp(thread->regions[i].name, name))
			return region_sum_merge(sum, &thread->regions[i].sum) ? -ENOMEM : 1;
	return 0;
}
