// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions of a program with threads. Each region is begun in two sessions: that of the thread,
 * and the one that all threads share, where it lasts while any thread is in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/session.h"
#include "measure/measure.h"

static int begin_shared(struct gpmu *gpmu, const char *name)
{
	int ret;

	pthread_mutex_lock(&gpmu->lock);
	ret = gpmu_region_begin(gpmu->shared, name);
	pthread_mutex_unlock(&gpmu->lock);
	return ret;
}

static int end_shared(struct gpmu *gpmu, const char *name)
{
	int ret;

	pthread_mutex_lock(&gpmu->lock);
	ret = session_region_end_any(gpmu->shared, name);
	pthread_mutex_unlock(&gpmu->lock);
	return ret;
}

int gpmu_begin(struct gpmu *gpmu, const char *name)
{
	struct measure_thread *thread;
	int ret;

	if (!gpmu)
		return -EINVAL;
	thread = measure_thread_get(gpmu);
	if (!thread)
		return errno ? -errno : -ENOMEM;
	ret = begin_shared(gpmu, name);
	if (ret)
		return ret;
	pthread_mutex_lock(&thread->lock);
	ret = gpmu_region_begin(thread->session, name);
	pthread_mutex_unlock(&thread->lock);
	if (ret)
		end_shared(gpmu, name);
	return ret;
}

int gpmu_end(struct gpmu *gpmu, const char *name)
{
	struct measure_thread *thread = gpmu ? pthread_getspecific(gpmu->key) : NULL;
	int ret, shared;

	if (!thread)
		return -EINVAL;
	pthread_mutex_lock(&thread->lock);
	ret = gpmu_region_end(thread->session, name);
	pthread_mutex_unlock(&thread->lock);
	if (ret == -EINVAL)
		return ret;
	/* The region has ended in the thread, also without memory. */
	shared = end_shared(gpmu, name);
	return ret ? ret : shared;
}

int measure_sum(struct gpmu *gpmu, const char *name)
{
	region_sum_release(&gpmu->sum);
	for (struct measure_thread *thread = gpmu->threads; thread; thread = thread->next)
		if (measure_thread_sum(thread, name, &gpmu->sum) < 0)
			return -ENOMEM;
	return 0;
}

const char *gpmu_region_at(struct gpmu *gpmu, size_t index)
{
	const char *name;

	if (!gpmu)
		return NULL;
	pthread_mutex_lock(&gpmu->lock);
	name = gpmu_region_name(gpmu->shared, index);
	pthread_mutex_unlock(&gpmu->lock);
	return name;
}

uint64_t gpmu_visits(struct gpmu *gpmu, const char *name)
{
	uint64_t visits;

	if (!gpmu)
		return 0;
	pthread_mutex_lock(&gpmu->lock);
	visits = measure_sum(gpmu, name) ? 0 : gpmu->sum.visits;
	pthread_mutex_unlock(&gpmu->lock);
	return visits;
}

/* 0 or -ENOMEM */
static int append(struct gpmu *gpmu, const struct gpmu_rows *rows)
{
	int ret = 0;

	for (size_t i = 0; i < rows->length && !ret; i++)
		ret = gpmu_rows_add(&gpmu->rows, &rows->list[i]);
	return ret;
}

static int get_rows(struct gpmu *gpmu, const char *name)
{
	size_t index = region_find(gpmu->shared, name);
	const struct gpmu_rows *rows;
	int ret;

	gpmu_rows_clear(&gpmu->rows);
	if (index == SIZE_MAX)
		return -EINVAL;
	ret = measure_sum(gpmu, name);
	if (ret)
		return ret;
	gpmu->sum.time = session_region_at(gpmu->shared, index)->time;
	return region_sum_rows(&gpmu->sum, gpmu->blank, &rows) ?: append(gpmu, rows) ?:
	       gpmu_region_rows(gpmu->shared, index, &rows) ?: append(gpmu, rows);
}

int gpmu_get_rows(struct gpmu *gpmu, const char *name, const struct gpmu_rows **rows)
{
	int ret;

	*rows = NULL;
	if (!gpmu)
		return -EINVAL;
	pthread_mutex_lock(&gpmu->lock);
	ret = get_rows(gpmu, name);
	*rows = &gpmu->rows;
	pthread_mutex_unlock(&gpmu->lock);
	return ret;
}
