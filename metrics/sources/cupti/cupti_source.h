/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CUPTI's PM sampling as a source of libgpmu (gpmu-source.h): each GPU whose profiler is free has a PMU nvidia_gpu_N,
 * whose events are CUPTI's metrics.
 */
#ifndef GPMU_CUPTI_SOURCE_H
#define GPMU_CUPTI_SOURCE_H

#include <jansson.h>

#include "cupti_events.h"
#include "cupti_gpus.h"
#include "cupti_options.h"
#include "cupti_sampling.h"
#include "gpmu-source.h"

/* Shared by all GPUs of one chip */
struct chip {
	const char *name;	/* the host's */
	struct host *host;
	struct events events;
};

struct group {
	struct pmu *pmu;
	struct group *next;
	size_t length;
	struct group_event {
		struct event *event;
		size_t place;		/* index in the PMU's counts; SIZE_MAX: not in them yet */
		uint64_t raw, running;	/* sums over earlier counts */
	} *events;
	uint64_t enabled;		/* sum over earlier counts */
};

/* A PMU: a GPU, the samples of a file, or a chip alone */
struct pmu {
	struct source *source;
	struct gpu *gpu;		/* NULL for a chip alone */
	bool is_saved;			/* counts the samples of a file's runs */
	uint64_t begin;			/* time of the file's first sample; 0 once the samples are moved to it */
	struct chip *chip;
	char name[32];
	struct gpmu_source_gpu shown_gpu;
	struct gpmu_source_pmu shown;
	size_t *listed;			/* numbers of the chip's listed events that the GPU does not lack */
	size_t listed_len;

	struct group *groups;		/* that are open */
	const struct event *refused;	/* first event of the last group that did not fit; it is reported once */
	bool is_stale;			/* the members below do not match the groups */
	struct event **events;		/* sampled events, without duplicates */
	const char **names;		/* their names */
	size_t length;
	struct counts counts;
	struct sampler sampler;
	unsigned int clock;		/* SM clock in MHz before sampling */
};

struct source {
	struct library library;
	struct options options;
	struct messages messages;
	struct saver *saver;
	struct saved saved;
	struct gpu *gpus;
	size_t gpus_len;
	struct chip *chips;		/* room for one more than GPUs */
	size_t chips_len;
	struct pmu *pmus;		/* likewise */
	size_t pmus_len;
	bool is_enabled;
};

/* Returns whether the PMU's GPU lacks the link that the event counts. */
static inline bool pmu_lacks(const struct pmu *pmu, const struct event *event)
{
	return pmu->gpu && gpu_lacks(pmu->gpu, event->need);
}

/* A PMU's groups, as the functions of struct gpmu_source_plugin: groups.c */
/* Returns 1 if one pass can sample all events, 0 if not, or -errno. */
int groups_fit(struct pmu *pmu, const struct gpmu_source_event *events, size_t length);
int groups_open(struct pmu *pmu, const struct gpmu_source_event *events, size_t length,
		struct group **group, struct gpmu_error *error);
void groups_close(struct group *group);
/*
 * Begins to sample the events of all groups; groups_wait() waits for the first sample. If none comes, a message reports
 * it and groups_read() returns -ENODEV.
 */
int groups_prepare(struct pmu *pmu, struct gpmu_error *error);
void groups_wait(struct pmu *pmu);
int groups_switch(struct pmu *pmu, uint64_t time, bool is_on);
int groups_read(struct group *group, uint64_t time, struct gpmu_source_count *counts);
/* Ends sampling after all groups are closed */
void groups_release(struct pmu *pmu);

/* Adds the samples of a file to the counts of the groups: replay.c */
int replay_prepare(struct pmu *pmu, struct gpmu_error *error);
/* Moves the samples in time: the file's first sample, of any GPU, is at @time. */
void replay_begin(struct source *source, uint64_t time);
/*
 * Evaluates some metrics for the samples of a run: calls @each with the time and values of each sample. Returns 0 or
 * -errno with the error set.
 */
int replay_run(const struct host *host, const struct saved_run *run, const char *const *names,
	       size_t length, int (*each)(void *data, struct sample_time time, const double *values),
	       void *data, struct gpmu_error *error);

/* The chip of this name, made at its first use. On failure NULL with the error set and *@ret -errno. */
struct chip *source_chip(struct source *source, const char *name, int *ret,
			 struct gpmu_error *error);
/* The answer to "check": check.c */
json_t *source_check(const struct source *source);
/* Answers to queries, as the function of struct gpmu_source_plugin: query.c */
int source_query(void *data, const char *question, char **answer, struct gpmu_error *error);

#endif /* GPMU_CUPTI_SOURCE_H */
