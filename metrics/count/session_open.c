// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sized.h"
#include "machine/pmu.h"
#include "count/session.h"
#include "count/session_ring.h"

/* The soft limit of open files before a session first raised it; 0: no session has */
static _Atomic rlim_t files_before;

static rlim_t files_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
}

static void note_limit(rlim_t before)
{
	rlim_t none = 0, now = files_limit();

	if (before && now > before && atomic_compare_exchange_strong(&files_before, &none, before))
		log_line(GPMU_LOG_INFO, "raised the limit of open files from %llu to %llu",
			 (unsigned long long)before, (unsigned long long)now);
}

void gpmu_session_restore_limits(void)
{
	rlim_t before = atomic_load(&files_before);
	struct rlimit limit;

	if (!before || getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur <= before)
		return;
	limit.rlim_cur = before;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_group(struct gpmu_session *session, size_t index,
		      const struct source_selection *selection, struct gpmu_error *error)
{
	const struct gpmu_pmu *pmu = session->plan->groups[index].pmu;
	struct gpmu_source *source = pmu ? pmu->source : NULL;
	const struct source_ops *ops = source ? &source_plugin : &source_perf;

	return ops->open(source, session->plan, index, selection, session->now,
			 &session->groups[index].open, error);
}

static bool has_plugins(const struct gpmu_plan *plan)
{
	for (size_t i = 0; i < plan->group_count; i++)
		if (plan->groups[i].pmu && plan->groups[i].pmu->source)
			return true;
	return false;
}

static int open_groups(struct gpmu_session *session, const struct gpmu_session_options *options,
		       const struct session_target *target, struct gpmu_error *error)
{
	rlim_t before = files_limit();
	int ret = 0;

	for (size_t i = 0; i < session->plan->group_count && !ret; i++)
		ret = open_group(session, i, &target->selection, error);
	note_limit(before);
	for (size_t i = 0; i < session->plan->group_count && !ret; i++) {
		struct source_group *group = session->groups[i].open;

		if (group->ops->prepare)
			ret = group->ops->prepare(group, error);
	}
	if (ret == -ESRCH && options->pid_count)
		session_target_gone(options, error);
	return ret;
}

static struct row_maker *new_maker(const struct gpmu_session *session,
				   const struct gpmu_session_options *options,
				   const struct session_target *target)
{
	const struct rows_options rows_options = {
		.aggregation = options->aggregation,
		.has_tasks = !target->selection.is_system_wide,
		.pid = target->pid,
		.is_zero_asleep = options->zero_asleep,
	};

	return row_maker_new(session->plan, &rows_options);
}

/* Allocates the tables and rows, once the slots and their targets are known */
static int make_tables(struct gpmu_session *session, const struct gpmu_session_options *options,
		       const struct session_target *target, struct gpmu_error *error)
{
	const struct gpmu_rows *rows;

	session->last = counts_copy(session->now);
	session->base = counts_copy(session->now);
	session->difference = counts_copy(session->now);
	session->maker = new_maker(session, options, target);
	if (!session->last || !session->base || !session->difference || !session->maker ||
	    row_maker_rows(session->maker, session->difference, 0, &rows) ||
	    session_times_init(&session->times, session->plan, options, target) ||
	    session_rings_new(session, target->selection.interval))
		return error_no_memory(error);
	for (size_t i = 0; i < session->now->slot_count; i++)
		session->target_count += session->now->slots[i].length;
	return 0;
}

static int open_session(struct gpmu_session *session, const struct gpmu_session_options *options,
			struct gpmu_error *error)
{
	const struct gpmu_plan *plan = session->plan;
	struct session_target target;
	int ret;

	if (plan->cgroup_count && !options->system && !options->cpus) {
		error_set(error, 0, "cgroups are counted on CPUs, not in tasks");
		return -EINVAL;
	}
	ret = session_target_init(&target, options, plan->machine, error);
	if (ret)
		return ret;
	target.selection.interval = session_ring_interval(plan, options, &target);
	target.selection.can_skip_denied = options->skip_denied && has_plugins(plan);
	session->groups = calloc(plan->group_count ? plan->group_count : 1,
				 sizeof(*session->groups));
	session->now = counts_new(plan->slot_count);
	if (!session->groups || !session->now) {
		ret = error_no_memory(error);
	} else {
		ret = open_groups(session, options, &target, error);
	}
	if (!ret)
		ret = make_tables(session, options, &target, error);
	session_target_release(&target);
	return ret;
}

static struct gpmu_session *fail(int err, struct gpmu_error *error, const char *what)
{
	error_set(error, 0, "%s", what);
	errno = err;
	return NULL;
}

struct gpmu_session *gpmu_session_new(const struct gpmu_plan *plan,
				      const struct gpmu_session_options *options,
				      struct gpmu_error *error)
{
	struct gpmu_session_options all = { 0 };
	int ret = sized_options(&all, sizeof(all), options, error);
	struct gpmu_session *session;

	if (ret) {
		errno = -ret;
		return NULL;
	}
	if ((unsigned int)all.aggregation > GPMU_AGGREGATE_THREAD)
		return fail(EINVAL, error, "no such aggregation");
	if (!plan->is_made)
		return fail(EINVAL, error, "the plan has no groups yet: call gpmu_plan_make()");
	session = calloc(1, sizeof(*session));
	if (!session)
		return fail(ENOMEM, error, ERROR_NO_MEMORY);
	session->plan = plan;
	session->interval = all.interval;
	ret = open_session(session, &all, error);
	if (ret) {
		gpmu_session_free(session);
		errno = -ret;
		return NULL;
	}
	return session;
}

void gpmu_session_free(struct gpmu_session *session)
{
	if (!session)
		return;
	for (size_t i = 0; session->groups && i < session->plan->group_count; i++) {
		struct source_group *group = session->groups[i].open;

		if (group)
			group->ops->close(group);
	}
	session_regions_release(&session->regions);
	session_times_release(&session->times);
	session_rings_free(session->rings);
	row_maker_free(session->maker);
	counts_free(session->difference);
	counts_free(session->base);
	counts_free(session->last);
	counts_free(session->now);
	free(session->groups);
	free(session);
}
