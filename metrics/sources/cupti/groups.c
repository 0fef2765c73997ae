// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups of events of a GPU. All open groups are sampled in one configuration. A group that does not fit into it is
 * refused when it is opened, so that no group is multiplexed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/raw_clock.h"
#include "cupti_source.h"

#define NOT_YET		SIZE_MAX
#define CLOCK_TOLERANCE	5	/* per cent */
#define WAITS_MAX	5	/* for the first sample, some more than a second each */
#define CATCHES_MAX	10	/* waits for the decoder to catch up */
#define IN_TIME		100000000	/* ns from a sample to its values, at most */

/* A set of events, and their names */
struct set {
	struct event **events;
	const char **names;
	size_t length;
};

static bool set_has(const struct set *set, const struct event *event)
{
	for (size_t i = 0; i < set->length; i++)
		if (set->events[i] == event)
			return true;
	return false;
}

static void set_add(struct set *set, const struct group *group)
{
	for (size_t i = 0; i < group->length; i++) {
		struct event *event = group->events[i].event;

		if (set_has(set, event))
			continue;
		set->names[set->length] = event->name;
		set->events[set->length++] = event;
	}
}

static void set_release(struct set *set)
{
	free(set->events);
	free(set->names);
	*set = (struct set){ 0 };
}

/* Collects the events of all groups of a PMU and of @more, which may be NULL */
static int set_init(struct set *set, const struct pmu *pmu, const struct group *more)
{
	size_t room = more ? more->length : 0;

	for (const struct group *group = pmu->groups; group; group = group->next)
		room += group->length;
	*set = (struct set){ .events = calloc(room + 1, sizeof(struct event *)),
			     .names = calloc(room + 1, sizeof(char *)) };
	if (!set->events || !set->names) {
		set_release(set);
		return -ENOMEM;
	}
	for (const struct group *group = pmu->groups; group; group = group->next)
		set_add(set, group);
	if (more)
		set_add(set, more);
	return 0;
}

/* Reports which metrics to leave out: "needs 2 passes, PM sampling has one: ..." */
static int refuse(struct pmu *pmu, const struct set *set, const struct event *first, size_t passes,
		  struct gpmu_error *error)
{
	const struct host *host = pmu->chip->host;
	bool *is_dropped = calloc(set->length, sizeof(*is_dropped));
	char list[128] = "";
	size_t used = 0;
	int ret;

	if (!is_dropped)
		return fail_memory(error);
	ret = host_drop(host, set->names, set->length, is_dropped, error);
	for (size_t i = 0; i < set->length && ret > 0; i++)
		if (is_dropped[i] && used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", set->names[i]);
	free(is_dropped);
	if (ret < 0)
		return ret;
	fail(error, -ENOSPC, "needs %zu passes with the others, PM sampling has one: without %s they fit",
	     passes, list);
	/* Report it now, as counts may take hours, and once, as a group may be tried twice. */
	if (pmu->refused != first)
		messages_add(&pmu->source->messages, "%s: %s %s", pmu->gpu->uuid, first->name,
			     error->text);
	pmu->refused = first;
	return -ENOSPC;
}

static int check_group(struct pmu *pmu, const struct group *group, struct gpmu_error *error)
{
	const struct host *host = pmu->chip->host;
	struct host_config config;
	struct set set;
	int ret;

	for (size_t i = 0; i < group->length; i++)
		if (group->events[i].event->info.passes > 1)
			return fail(error, -EOPNOTSUPP, "%s: needs %d passes of the same work, PM sampling "
				    "has one", group->events[i].event->name,
				    group->events[i].event->info.passes);
	/* A file takes any metric; a metric whose counters it lacks has no value. */
	if (pmu->is_saved)
		return 0;
	if (set_init(&set, pmu, group))
		return fail_memory(error);
	ret = host_configure(host, set.names, set.length, &config, error);
	if (!ret && config.passes > 1)
		ret = refuse(pmu, &set, group->events[0].event, config.passes, error);
	host_config_release(&config);
	set_release(&set);
	return ret;
}

static void free_group(struct group *group)
{
	if (!group)
		return;
	free(group->events);
	free(group);
}

static struct group *new_group(struct pmu *pmu, size_t length)
{
	struct group *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	group->pmu = pmu;
	group->length = length;
	group->events = calloc(length, sizeof(*group->events));
	if (group->events)
		return group;
	free(group);
	return NULL;
}

static int find_events(struct group *group, const struct gpmu_source_event *events,
		       struct gpmu_error *error)
{
	for (size_t i = 0; i < group->length; i++) {
		struct event *event = events_get(&group->pmu->chip->events, events[i].config);

		if (!event)
			return fail(error, -ENOENT, "%s has no event 0x%llx", group->pmu->name,
				    (unsigned long long)events[i].config);
		group->events[i] = (struct group_event){ .event = event, .place = NOT_YET };
	}
	return 0;
}

int groups_open(struct pmu *pmu, const struct gpmu_source_event *events, size_t length,
		struct group **result, struct gpmu_error *error)
{
	struct group *group;
	int ret;

	if (!pmu->gpu || pmu->source->options.wants_list)
		return fail(error, -ENODEV, "%s: nothing can be counted with chip= or list", pmu->name);
	group = new_group(pmu, length);
	if (!group)
		return fail_memory(error);
	ret = find_events(group, events, error);
	if (!ret)
		ret = check_group(pmu, group, error);
	if (ret) {
		free_group(group);
		return ret;
	}
	group->next = pmu->groups;
	pmu->groups = group;
	pmu->is_stale = true;
	*result = group;
	return 0;
}

int groups_fit(struct pmu *pmu, const struct gpmu_source_event *events, size_t length)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct group *group = new_group(pmu, length);
	struct host_config config = { 0 };
	struct set set = { 0 };
	int ret = group ? find_events(group, events, &error) : -ENOMEM;

	if (!ret && !pmu->is_saved)
		ret = set_init(&set, pmu, group);
	if (!ret && !pmu->is_saved)
		ret = host_configure(pmu->chip->host, set.names, set.length, &config, &error);
	if (!ret)
		ret = config.passes <= 1;
	host_config_release(&config);
	set_release(&set);
	free_group(group);
	return ret;
}

void groups_close(struct group *group)
{
	struct pmu *pmu = group->pmu;
	struct group **link = &pmu->groups;

	while (*link != group)
		link = &(*link)->next;
	*link = group->next;
	free_group(group);
	pmu->is_stale = true;
	/* Releases the GPU's profiler for others. */
	if (!pmu->groups)
		groups_release(pmu);
}

/* Adds the counts to the sums of the groups */
static void carry(struct pmu *pmu)
{
	for (struct group *group = pmu->groups; group; group = group->next) {
		if (group->events[0].place != NOT_YET)
			group->enabled += pmu->counts.enabled;
		for (size_t i = 0; i < group->length; i++) {
			struct group_event *event = &group->events[i];

			if (event->place == NOT_YET)
				continue;
			event->raw += pmu->counts.counts[event->place].raw;
			event->running += pmu->counts.counts[event->place].running;
			event->place = NOT_YET;
		}
	}
}

void groups_release(struct pmu *pmu)
{
	struct counts *counts = &pmu->counts;

	sampler_stop(&pmu->sampler);
	/* After the last switch counting is off. */
	if (counts->switches_len)
		counts_settle(counts, counts->switches[counts->switches_len - 1].time);
	if (pmu->length)
		carry(pmu);
	counts_release(&pmu->counts);
	free(pmu->events);
	free(pmu->names);
	pmu->events = NULL;
	pmu->names = NULL;
	pmu->length = 0;
}

static void place_groups(struct pmu *pmu)
{
	for (struct group *group = pmu->groups; group; group = group->next)
		for (size_t i = 0; i < group->length; i++)
			for (size_t k = 0; k < pmu->length; k++)
				if (pmu->events[k] == group->events[i].event)
					group->events[i].place = k;
}

static int make_counts(struct pmu *pmu)
{
	struct count_event *events;
	struct set set;
	int ret;

	if (set_init(&set, pmu, NULL))
		return -ENOMEM;
	pmu->events = set.events;
	pmu->names = set.names;
	pmu->length = set.length;
	events = calloc(set.length + 1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < set.length; i++)
		events[i] = (struct count_event){ .is_mean = set.events[i]->info.mean,
						  .scale = set.events[i]->info.scale };
	ret = counts_init(&pmu->counts, events, set.length);
	free(events);
	place_groups(pmu);
	return ret;
}

int groups_prepare(struct pmu *pmu, struct gpmu_error *error)
{
	int ret;

	if (!pmu->groups || !pmu->is_stale)
		return 0;
	groups_release(pmu);
	if (make_counts(pmu))
		return fail_memory(error);
	if (pmu->is_saved) {
		ret = replay_prepare(pmu, error);
		pmu->is_stale = ret != 0;
		return ret;
	}
	pmu->clock = gpu_clock(&pmu->source->library, pmu->gpu);
	ret = sampler_start(&pmu->sampler, pmu->chip->host, pmu->names, pmu->length, &pmu->counts,
			    &pmu->source->options, error);
	pmu->is_stale = ret != 0;
	return ret;
}

/* Profiling can lock the clocks at another frequency; an idle GPU's clocks are low, too. */
static void compare_clocks(struct pmu *pmu)
{
	unsigned int now = gpu_clock(&pmu->source->library, pmu->gpu);

	if (pmu->clock && now && now * 100 < pmu->clock * (100 - CLOCK_TOLERANCE) &&
	    !gpu_is_idle(&pmu->source->library, pmu->gpu))
		messages_add(&pmu->source->messages, "%s: sampling lowered its SM clock from %u to %u MHz",
			     pmu->gpu->uuid, pmu->clock, now);
}

/* A GPU without any sample is treated as lost; other PMUs go on. */
static void give_up(struct pmu *pmu)
{
	struct sampler *sampler = &pmu->sampler;

	pthread_mutex_lock(&sampler->lock);
	if (!sampler->is_dead)
		messages_add(&pmu->source->messages, "%s: it delivers no samples and is not counted",
			     pmu->gpu->uuid);
	sampler->is_dead = true;
	pthread_cond_signal(&sampler->wake);
	pthread_mutex_unlock(&sampler->lock);
}

static uint64_t newest(struct pmu *pmu)
{
	uint64_t time;

	pthread_mutex_lock(&pmu->sampler.lock);
	time = pmu->counts.newest;
	pthread_mutex_unlock(&pmu->sampler.lock);
	return time;
}

void groups_wait(struct pmu *pmu)
{
	struct sampler *sampler = &pmu->sampler;
	bool has_data = false, is_late = true;
	uint64_t before;

	if (!pmu->groups || pmu->is_saved)
		return;
	before = newest(pmu);
	for (int i = 0; i < (has_data ? CATCHES_MAX : WAITS_MAX) && is_late && !sampler->is_dead; i++) {
		uint64_t begin = raw_clock_now();

		has_data = sampler_wait(sampler, begin);
		is_late = !has_data || raw_clock_now() - begin > IN_TIME + 2 * sampler->period;
	}
	/* A decoder that is far behind still makes progress. */
	if (!has_data && newest(pmu) == before)
		return give_up(pmu);
	sampler_begin(sampler);
	compare_clocks(pmu);
}

int groups_switch(struct pmu *pmu, uint64_t time, bool is_on)
{
	int ret;

	if (!pmu->groups)
		return 0;
	pthread_mutex_lock(&pmu->sampler.lock);
	ret = counts_switch(&pmu->counts, time, is_on);
	pthread_mutex_unlock(&pmu->sampler.lock);
	return ret;
}

/*
 * A metric without any value belongs to a unit that the GPU lacks, such as a link. Ratios are excepted, as the divisor may
 * be 0 on an idle GPU.
 */
static bool is_absent(const struct event *event, const struct count *count)
{
	return !count->samples && count->nothing && event->metric->type != CUPTI_METRIC_TYPE_RATIO &&
	       !strstr(event->name, "_active");
}

int groups_read(struct group *group, uint64_t time, struct gpmu_source_count *counts)
{
	struct pmu *pmu = group->pmu;

	if (!sampler_wait(&pmu->sampler, time) && pmu->sampler.is_dead)
		return -ENODEV;
	pthread_mutex_lock(&pmu->sampler.lock);
	counts_settle(&pmu->counts, time);
	for (size_t i = 0; i < group->length; i++) {
		const struct group_event *event = &group->events[i];
		const struct count *count = &pmu->counts.counts[event->place];

		counts[i] = (struct gpmu_source_count){
			.raw = event->raw + count->raw,
			.enabled = group->enabled + pmu->counts.enabled,
			.running = event->running + count->running,
		};
		if (pmu_lacks(pmu, event->event))
			counts[i].why = event->event->lacking.why;
		else if (is_absent(event->event, count))
			counts[i].why = "the GPU has no such unit, or it is not in use";
	}
	pthread_mutex_unlock(&pmu->sampler.lock);
	return 0;
}
