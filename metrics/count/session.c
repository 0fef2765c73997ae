// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counting. Sources have cumulative counts, which are never reset; rows are of the
 * difference of two readings.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "count/session.h"

void session_tell(struct gpmu_session *session, size_t index, int err)
{
	const struct gpmu_group *group = &session->plan->groups[index];
	char why[64];

	if (session->groups[index].told)
		return;
	session->groups[index].told = true;
	log_line(GPMU_LOG_WARNING, "%s could not be read, and is not counted: %s",
		 group->pmu ? gpmu_pmu_name(group->pmu) :
			      session->plan->slots[group->first].instance->name,
		 strerror_r(-err, why, sizeof(why)));
}

int session_rows(struct gpmu_session *session, uint64_t start, const struct gpmu_row **rows,
		 size_t *length)
{
	int ret;

	session->rows->options.start = start;
	ret = rows_fill(session->rows, session->difference);
	if (ret)
		return ret;
	*rows = rows_get(session->rows, length);
	return 0;
}

/* All groups; the first error, after which it goes on. */
static int disable_groups(struct gpmu_session *session, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < session->plan->n_groups; i++) {
		struct source_group *group = session->groups[i].open;
		int failed = group->ops->disable(group, time);

		if (failed && !ret)
			ret = failed;
	}
	return ret;
}

/* Those of the kernel, or those of plugins */
static int enable_groups(struct gpmu_session *session, bool kernel, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < session->plan->n_groups && !ret; i++) {
		struct source_group *group = session->groups[i].open;

		if ((group->ops == &source_perf) == kernel)
			ret = group->ops->enable(group, time);
	}
	return ret;
}

/*
 * Plugins first, as they can fail: what the kernel is to enable on exec would count at once
 * if it were enabled a second time.
 */
static int enable_all(struct gpmu_session *session, uint64_t time)
{
	int ret = enable_groups(session, false, time);

	if (!ret)
		ret = enable_groups(session, true, time);
	if (ret)
		disable_groups(session, time);
	return ret;
}

int gpmu_session_enable(struct gpmu_session *session)
{
	uint64_t time;
	int ret;

	if (session->enabled)
		return -EALREADY;
	session->begun = session->ended = false;
	/* What was counted before, which is not in the rows that follow */
	ret = session_read(session);
	if (ret)
		return ret;
	time = raw_clock_now();
	session->now->end = time;
	ret = counts_assign(session->base, session->now);
	if (!ret)
		ret = counts_assign(session->last, session->now);
	session_rings_stop(&session->rings);
	if (!ret)
		ret = enable_all(session, time);
	session->stop = time;
	if (ret)
		return ret;
	session->enabled = session->begun = true;
	session->ended = false;
	return 0;
}

int gpmu_session_disable(struct gpmu_session *session)
{
	int ret;

	if (!session->enabled)
		return 0;
	session->stop = raw_clock_now();
	session->enabled = false;
	ret = disable_groups(session, session->stop);
	/*
	 * Read now: what is to count on exec does so even when it has been disabled. Without
	 * memory for a reason it is read when it is asked for.
	 */
	session->ended = !session_read(session);
	return ret;
}

/* Into session->difference, and the rows of it */
static int read_since(struct gpmu_session *session, const struct gpmu_counts *earlier,
		      const struct gpmu_row **rows, size_t *length)
{
	int ret;

	if (!session->begun)
		return -EINVAL;
	ret = session->ended ? 0 : session_read(session);
	if (!ret)
		ret = counts_difference(session->difference, session->now, earlier);
	return ret ? ret : session_rows(session, session->base->end, rows, length);
}

int gpmu_session_interval(struct gpmu_session *session, const struct gpmu_row **rows,
			  size_t *length)
{
	int ret;

	/* What is left out while it is read is the next interval's. */
	session_rings_skip(session);
	ret = read_since(session, session->last, rows, length);
	if (!ret)
		ret = counts_assign(session->last, session->now);
	session_rings_skip(session);
	return ret;
}

int gpmu_session_total(struct gpmu_session *session, const struct gpmu_row **rows, size_t *length)
{
	return read_since(session, session->base, rows, length);
}

void gpmu_session_set_times(struct gpmu_session *session, uint64_t user, uint64_t system)
{
	session->times.of = TIMES_TOLD;
	session->now->times_why = NULL;
	session->now->user_time = user;
	session->now->system_time = system;
}
