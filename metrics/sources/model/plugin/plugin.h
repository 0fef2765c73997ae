/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The model as a source of libgpmu (gpmu-source.h): "model=FILE,chip=gracehopper".
 *
 * Its PMUs are those of the chip, with the names, formats, events and identifiers of the drivers. Each time the source is
 * enabled, its scenarios start from their beginning.
 */
#ifndef GPMU_MODEL_PLUGIN_H
#define GPMU_MODEL_PLUGIN_H

#include "gpmu-source.h"
#include "gpmu.h"
#include "model.h"

#define PLUGIN_COUNTERS		6	/* event counters of a PMU by default */
#define PLUGIN_MAX_COUNTERS	256
#define PLUGIN_WIDTH		64	/* their bits */
#define PLUGIN_SLICE		4000000ull	/* ns, perf's multiplexing interval */

#define PLUGIN_USAGE	"FILE[,scenario=FILE][,chip=superchip|gracehopper][,sockets=N][,counters=N]"

/* The parsed options */
struct plugin_options {
	struct scenario *scenarios[MODEL_MAX_SCENARIOS];
	unsigned int scenarios_len;
	const struct chip *chip;
	unsigned int sockets;
	unsigned int counters;
};

/*
 * Reads the options and the scenario files. By default the chip is a Grace Hopper if a scenario has a GPU, else a
 * Superchip, with the lowest existing number of sockets that has room for all flows.
 * Returns 0 or -errno with the error set; the caller releases the options in any case.
 */
int plugin_options_parse(struct plugin_options *options, const char *text,
			 struct gpmu_error *error);
/* Frees the scenarios. */
void plugin_options_release(struct plugin_options *options);

/* Sets the error; returns -EINVAL. */
__attribute__((format(printf, 3, 4)))
int plugin_fail(struct gpmu_error *error, size_t offset, const char *fmt, ...);

/* Sets the error to a scenario's message; of a message that is too long it cuts the path's beginning. */
void plugin_hand_on(struct gpmu_error *error, size_t offset, const struct text_error *text);

struct plugin_pmu;

/* Events that are counted together */
struct plugin_group {
	struct plugin_pmu *pmu;
	struct model_event *events;
	uint64_t *raw;
	size_t length;
	unsigned int counters, cycle_counters;	/* needed by the group */
	uint64_t settled;	/* the counts are settled up to this time */
	uint64_t enabled, running;
};

struct plugin_pmu {
	struct gpmu_source_pmu shown;
	char name[32];
	enum pmu_kind kind;
	unsigned int socket;
	unsigned int counters;
	const struct model *model;
	struct plugin_group **groups;	/* open groups, in the order of opening */
	size_t groups_len;
	uint64_t begin;			/* time of the last enable */
};

/* Returns whether the counters of the PMU have room for the group. */
bool plugin_group_fits(const struct plugin_group *group);
/*
 * Counts up to @time. Groups that do not fit at once are multiplexed: in slice n since enabling, counters are given to
 * group n modulo the number of groups and to those after it, up to the first that does not fit.
 */
void plugin_group_settle(struct plugin_group *group, uint64_t time);

#endif /* GPMU_MODEL_PLUGIN_H */
