// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counting. Counts of sources are cumulative and never reset; rows are computed from the difference
 * of two readings.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "count/session.h"
#include "count/session_ring.h"

void session_log_failure(struct gpmu_session *session, size_t index, int err)
{
	const struct gpmu_group *group = &session->plan->groups[index];

	if (session->groups[index].is_logged)
		return;
	session->groups[index].is_logged = true;
	log_line(GPMU_LOG_WARNING, "%s could not be read, and is not counted: %s",
		 group->pmu ? gpmu_pmu_name(group->pmu) :
			      session->plan->slots[group->first].instance->name,
		 error_text(-err));
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

/* Enables, or resumes, the groups of the kernel, or those of plugins. */
static int enable_groups(struct gpmu_session *session, bool is_kernel, bool is_resumed, uint64_t time)
{
	int ret = 0;

	for (size_t i = 0; i < session->plan->group_count && !ret; i++) {
		struct source_group *group = session->groups[i].open;

		if ((group->ops == &source_perf) == is_kernel)
			ret = (is_resumed ? group->ops->resume : group->ops->enable)(group, time);
	}
	return ret;
}

/*
 * Plugins come first, as they can fail. Enabling a second time would start events that the kernel
 * enables on exec immediately.
 */
static int enable_all(struct gpmu_session *session, bool is_resumed, uint64_t time)
{
	int ret = enable_groups(session, false, is_resumed, time);

	if (!ret)
		ret = enable_groups(session, true, is_resumed, time);
	if (ret)
		disable_groups(session, time);
	return ret;
}

int gpmu_session_enable(struct gpmu_session *session)
{
	uint64_t time;
	int ret;

	if (session->is_enabled)
		return -EALREADY;
	session->has_begun = session->has_ended = session->is_rest_taken = session->is_paused = false;
	session->pause_time = 0;
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
		ret = enable_all(session, false, time);
	session->stop = time;
	if (ret)
		return ret;
	session->is_enabled = session->has_begun = true;
	session->has_ended = false;
	return 0;
}

int gpmu_session_disable(struct gpmu_session *session)
{
	int ret;

	if (!session->is_enabled)
		return 0;
	session->stop = raw_clock_now();
	session->is_enabled = false;
	ret = disable_groups(session, session->stop);
	/*
	 * Read now, because events that are enabled on exec count even after they were disabled. If
	 * the read fails with -ENOMEM, the next function that returns rows repeats it.
	 */
	session->has_ended = !session_read(session);
	return ret;
}

int gpmu_session_pause(struct gpmu_session *session)
{
	uint64_t time = raw_clock_now();
	int ret, failed;

	if (!session->is_enabled)
		return -EINVAL;
	if (session->is_paused)
		return 0;
	if (session->rings)
		session_rings_pause(session);
	ret = disable_groups(session, time);
	/*
	 * Enabling a pinned event that lost its counter would hide the loss, so it is detected now.
	 * The read also gets the times of the target, which continue while it is paused.
	 */
	failed = session_read(session);
	session->is_paused = true;
	session->pause_begin = time;
	return ret ? ret : failed;
}

int gpmu_session_resume(struct gpmu_session *session)
{
	uint64_t time;
	int ret;

	if (!session->is_enabled)
		return -EINVAL;
	if (!session->is_paused)
		return 0;
	session_times_skip(&session->times, session->now);
	time = raw_clock_now();
	ret = enable_all(session, true, time);
	if (ret)
		return ret;
	session->is_paused = false;
	session->pause_time += time - session->pause_begin;
	return 0;
}

/*
 * Returns whether the session reads an interval now. A program may call gpmu_session_next() until it
 * returns 0, so within the first half of an interval there is none. After a reading that takes
 * longer than that, such as one that waits for samples of a GPU, the next interval is not read
 * immediately either.
 */
static bool is_due(const struct gpmu_session *session)
{
	const uint64_t now = raw_clock_now();

	if (!session->is_enabled)
		return !session->is_rest_taken;
	return !session->interval || (now - session->last->end >= session->interval / 2 &&
				      now - session->read_end >= session->interval / 8);
}

/* Reads the next interval into session->difference. 1, 0 if it is too early, or -ENOMEM */
static int read_next(struct gpmu_session *session)
{
	int ret;

	if (!is_due(session))
		return 0;
	if (session->rings)
		session_rings_enter_read(session);
	ret = session->has_ended ? 0 : session_read(session);
	if (!ret)
		ret = counts_step(session->difference, session->last, session->now);
	if (!ret)
		session->is_rest_taken = !session->is_enabled;
	session->read_end = raw_clock_now();
	if (session->rings)
		session_rings_leave_read(session);
	return ret ? ret : 1;
}

int gpmu_session_next(struct gpmu_session *session, const struct gpmu_rows **rows)
{
	int ret;

	if (!session->has_begun)
		return -EINVAL;
	ret = session->rings ? session_rings_next(session) : -ENODATA;
	if (ret == -ENODATA)
		ret = read_next(session);
	if (ret <= 0)
		return ret;
	ret = row_maker_rows(session->maker, session->difference, session->base->end, rows);
	return ret ? ret : 1;
}

uint64_t gpmu_session_wait_time(const struct gpmu_session *session)
{
	uint64_t time = session->rings ? session_rings_wait_time(session->rings) : 0;

	return time ? time : session->interval;
}

int gpmu_session_total(struct gpmu_session *session, const struct gpmu_rows **rows)
{
	int ret;

	if (!session->has_begun)
		return -EINVAL;
	ret = session->has_ended ? 0 : session_read(session);
	if (!ret)
		ret = counts_difference(session->difference, session->now, session->base);
	if (ret)
		return ret;
	return row_maker_rows(session->maker, session->difference, session->base->end, rows);
}

void gpmu_session_set_times(struct gpmu_session *session, uint64_t user, uint64_t system)
{
	session->times.scope = TIMES_SET;
	session->now->times_why = NULL;
	/* These readings do not contain the time since the pause began. */
	if (!session->is_paused)
		session_times_set(&session->times, user, system, session->now);
}
