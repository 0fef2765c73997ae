/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The model as a source of libgpmu (gpmu-source.h): "model=FILE,chip=gracehopper".
 *
 * Its PMUs are those of the chip, with the names, formats, events and identifiers that
 * the drivers show. Each time that the source is enabled traffic flows from the scenario's
 * beginning.
 */
#ifndef GPMU_MODEL_PLUGIN_H
#define GPMU_MODEL_PLUGIN_H

#include "gpmu-source.h"
#include "gpmu.h"
#include "model.h"

#define PLUGIN_COUNTERS		6	/* event counters of a PMU, where no option says how many */
#define PLUGIN_MAX_COUNTERS	256
#define PLUGIN_WIDTH		64	/* their bits */
#define PLUGIN_SLICE		4000000ull	/* ns: perf's time for a turn */

#define PLUGIN_USAGE	"FILE[,scenario=FILE][,chip=superchip|gracehopper][,sockets=N][,counters=N]"

/* What the options say */
struct plugin_options {
	struct scenario *scenarios[MODEL_MAX_SCENARIOS];
	unsigned int scenarios_len;
	const struct chip *chip;
	unsigned int sockets;
	unsigned int counters;
};

/*
 * Reads the options and the scenario files. Without the options the chip is a Superchip,
 * or a Grace Hopper if a scenario has a GPU, with as many sockets as its flows name, or
 * the next number of them that is built.
 * Returns 0 or -errno with the error set; the caller releases the options in any case.
 */
int plugin_options_parse(struct plugin_options *options, const char *text,
			 struct gpmu_error *error);
/* Frees the scenarios that are there. */
void plugin_options_release(struct plugin_options *options);

/* Sets the error; returns -EINVAL. */
__attribute__((format(printf, 3, 4)))
int plugin_fail(struct gpmu_error *error, size_t offset, const char *fmt, ...);

/* Sets it to a scenario's message; of one too long what is behind the path, and the path's end. */
void plugin_hand_on(struct gpmu_error *error, size_t offset, const struct text_error *text);

struct plugin_pmu;

/* Events that are counted together */
struct plugin_group {
	struct plugin_pmu *pmu;
	struct model_event *events;
	uint64_t *raw;
	size_t length;
	unsigned int counters, cycle_counters;	/* that it needs */
	uint64_t settled;	/* the time up to which the following, and raw, are counted */
	uint64_t enabled, running;
};

struct plugin_pmu {
	struct gpmu_source_pmu shown;
	char name[32];
	enum pmu_kind kind;
	unsigned int socket;
	unsigned int counters;
	const struct model *model;
	struct plugin_group **groups;	/* that are open, in that order */
	size_t groups_len;
	uint64_t begin;			/* when they were enabled last */
};

/* Whether the counters of the PMU have room for the group */
bool plugin_group_fits(const struct plugin_group *group);
/*
 * Counts on to @time. Groups that have no room at once take turns: in slice number n
 * since they were enabled, group n begins, modulo their number, then come those after
 * it, up to the first that has no room.
 */
void plugin_group_settle(struct plugin_group *group, uint64_t time);

#endif /* GPMU_MODEL_PLUGIN_H */
