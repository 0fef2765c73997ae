/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CUPTI's PM sampling as a source of libgpmu (gpmu-source.h): a PMU nvidia_gpu_N for each
 * GPU whose profiler can be had, whose events are CUPTI's metrics.
 */
#ifndef GPMU_CUPTI_SOURCE_H
#define GPMU_CUPTI_SOURCE_H

#include <jansson.h>

#include "cupti_events.h"
#include "cupti_gpus.h"
#include "cupti_options.h"
#include "cupti_sampling.h"
#include "gpmu-source.h"

/* What GPUs of one chip have in common */
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
		size_t place;		/* in the PMU's counts; SIZE_MAX: not yet in them */
		uint64_t raw, running;	/* of earlier counts */
	} *events;
	uint64_t enabled;		/* of earlier counts */
};

/* A GPU that is shown */
struct pmu {
	struct source *source;
	struct gpu *gpu;		/* NULL: of a chip alone */
	bool saved;			/* in a file: the samples of its runs are counted */
	uint64_t begin;			/* of the first of them; 0: they are put in time */
	struct chip *chip;
	char name[32];
	struct gpmu_source_gpu shown_gpu;
	struct gpmu_source_pmu shown;

	struct group *groups;		/* that are open */
	const struct event *refused;	/* the first of those that last did not fit, which is said */
	bool stale;			/* the following are not those of the groups */
	struct event **events;		/* that are sampled, each once */
	const char **names;		/* theirs */
	size_t length;
	struct counts counts;
	struct sampler sampler;
	unsigned int clock;		/* MHz, before it was sampled */
};

struct source {
	struct library library;
	struct options options;
	struct messages messages;
	struct saver *saver;
	struct saved saved;
	struct gpu *gpus;
	size_t gpus_len;
	struct chip *chips;		/* room for as many as GPUs, and one */
	size_t chips_len;
	struct pmu *pmus;		/* likewise */
	size_t pmus_len;
	bool enabled;
};

/* A PMU's groups, as the functions of struct gpmu_source_plugin: groups.c */
int groups_open(struct pmu *pmu, const struct gpmu_source_event *events, size_t length,
		struct group **group, struct gpmu_error *error);
void groups_close(struct group *group);
/*
 * Begins to sample what the groups need; groups_wait() waits for the first sample. Where none
 * comes that is said, and groups_read() is -ENODEV.
 */
int groups_prepare(struct pmu *pmu, struct gpmu_error *error);
void groups_wait(struct pmu *pmu);
int groups_switch(struct pmu *pmu, uint64_t time, bool on);
int groups_read(struct group *group, uint64_t time, struct gpmu_source_count *counts);
/* Ends sampling; the groups are closed. */
void groups_release(struct pmu *pmu);

/* Samples of a file: replay.c. Fills the counts of the groups. */
int replay_prepare(struct pmu *pmu, struct gpmu_error *error);
/* The first sample of the file, of whichever GPU, is at @time. */
void replay_begin(struct source *source, uint64_t time);
/*
 * What each sample of a run of the file comes to for some metrics: calls @each with its time
 * and values. Returns 0 or -errno with the error set.
 */
int replay_run(const struct host *host, const struct saved_run *run, const char *const *names,
	       size_t length, int (*each)(void *data, struct sample_time time, const double *values),
	       void *data, struct gpmu_error *error);

/* The chip of this name, which is there from now on; NULL with the error set, ret is -errno. */
struct chip *source_chip(struct source *source, const char *name, int *ret,
			 struct gpmu_error *error);
/* The answer to "check": check.c */
json_t *source_check(const struct source *source);
/* Answers to questions: query.c */
int source_query(struct source *source, const char *question, char **answer,
		 struct gpmu_error *error);

#endif /* GPMU_CUPTI_SOURCE_H */
