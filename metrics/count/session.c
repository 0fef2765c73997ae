// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counting. Counts of sources are cumulative and never reset; rows are computed from the difference
 * of two readings.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "count/session.h"
#include "count/session_ring.h"

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

/* Applies to all groups, also after an error. Returns the first error. */
static int disable_groups(struct gpmu_session *session, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < session->plan->group_count; i++) {
		struct source_group *group = session->groups[i].open;
		int failed = group->ops->disable(group, time);

		if (failed && !ret)
			ret = failed;
	}
	return ret;
}

/* Enables the groups of the kernel, or those of plugins. */
static int enable_groups(struct gpmu_session *session, bool kernel, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < session->plan->group_count && !ret; i++) {
		struct source_group *group = session->groups[i].open;

		if ((group->ops == &source_perf) == kernel)
			ret = group->ops->enable(group, time);
	}
	return ret;
}

/*
 * Plugins come first, as they can fail. Enabling a second time would start events that the kernel
 * enables on exec immediately.
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
	session->begun = session->ended = session->rest_taken = false;
	/* The counts before enabling, which the rows do not include */
	ret = session_read(session);
	if (ret)
		return ret;
	time = raw_clock_now();
	session->now->end = time;
	ret = counts_assign(session->base, session->now);
	if (!ret)
		ret = counts_assign(session->last, session->now);
	if (session->rings)
		session_rings_stop(session->rings);
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
	 * Read now, because events that are enabled on exec count even after they were disabled. If
	 * memory for a reason is short, the next function that returns rows reads instead.
	 */
	session->ended = !session_read(session);
	return ret;
}

/* Reads the counters, and computes session->difference. */
static int read_since(struct gpmu_session *session, const struct gpmu_counts *earlier)
{
	int ret = session->ended ? 0 : session_read(session);

	return ret ? ret : counts_difference(session->difference, session->now, earlier);
}

/*
 * Whether the session reads an interval now. A program may call gpmu_session_next() until it
 * returns 0, so within the first half of an interval there is none.
 */
static bool is_due(const struct gpmu_session *session)
{
	if (!session->enabled)
		return !session->rest_taken;
	return !session->interval ||
	       raw_clock_now() - session->last->end >= session->interval / 2;
}

/* Reads the counters for the rows since the last interval. 1, 0 if it is too early, or -ENOMEM */
static int read_next(struct gpmu_session *session, const struct gpmu_row **rows, size_t *length)
{
	int ret;

	if (!is_due(session))
		return 0;
	if (session->rings)
		session_rings_enter_read(session);
	ret = read_since(session, session->last);
	if (!ret)
		ret = session_rows(session, session->base->end, rows, length);
	if (!ret)
		ret = counts_assign(session->last, session->now);
	if (!ret)
		session->rest_taken = !session->enabled;
	if (session->rings)
		session_rings_leave_read(session);
	return ret ? ret : 1;
}

int gpmu_session_next(struct gpmu_session *session, const struct gpmu_row **rows, size_t *length)
{
	int ret;

	if (!session->begun)
		return -EINVAL;
	ret = session->rings ? session_rings_next(session) : -ENODATA;
	if (ret == -ENODATA)
		return read_next(session, rows, length);
	if (ret <= 0)
		return ret;
	ret = session_rows(session, session->base->end, rows, length);
	return ret ? ret : 1;
}

uint64_t gpmu_session_wait_time(const struct gpmu_session *session)
{
	uint64_t time = session->rings ? session_rings_wait_time(session->rings) : 0;

	return time ? time : session->interval;
}

int gpmu_session_total(struct gpmu_session *session, const struct gpmu_row **rows, size_t *length)
{
	int ret;

	if (!session->begun)
		return -EINVAL;
	ret = read_since(session, session->base);
	return ret ? ret : session_rows(session, session->base->end, rows, length);
}

void gpmu_session_set_times(struct gpmu_session *session, uint64_t user, uint64_t system)
{
	session->times.of = TIMES_TOLD;
	session->now->times_why = NULL;
	session->now->user_time = user;
	session->now->system_time = system;
}
