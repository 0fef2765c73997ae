/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The traffic model: scenarios that run on a chip, and the count of each event
 * of each PMU at a given time.
 *
 * Times are ns from an origin the caller chooses; counts begin at 0 there. The
 * model has no clock: a count is a function of the scenarios' flows, of when
 * they were started and stopped, and of the given time. It never shrinks
 * as the time grows. Times given to one model must not lie before the last
 * start or stop.
 */
#ifndef GPMU_MODEL_MODEL_H
#define GPMU_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "chip.h"
#include "scenario.h"

#define MODEL_MAX_SCENARIOS	32
#define MODEL_NEVER		UINT64_MAX
/* How far model_when() looks ahead, in ns. */
#define MODEL_HORIZON		3600000000000ull

struct model;

/* An event of one PMU. The meaning of @filter depends on the kind of PMU. */
struct model_event {
	enum pmu_kind kind;
	unsigned int socket;
	uint64_t event;
	uint32_t filter;	/* root_port, port or rem_socket bitmap; SCF: unused */
};

/*
 * Returns NULL with errno EINVAL (no such system) or ENOMEM. Freed with
 * model_free(), which accepts NULL.
 */
struct model *model_new(const struct chip *chip, unsigned int sockets);
void model_free(struct model *model);

/*
 * Adds a scenario, which the model then owns, even on failure. Returns its
 * index, or -EINVAL (does not fit the chip, or sets a clock that another one
 * sets differently) or -ENOSPC with @err set.
 */
int model_add(struct model *model, struct scenario *scenario,
	      struct text_error *err);

unsigned int model_scenarios(const struct model *model);
/* Borrowed; NULL if there is no such scenario. */
const char *model_scenario_name(const struct model *model, unsigned int index);

/*
 * Starts a scenario from its beginning; one that runs is stopped first.
 * Returns 0 or -ENOENT.
 */
int model_start(struct model *model, unsigned int index, uint64_t time);
/* Stops all its flows; their counts remain. Returns 0 or -ENOENT. */
int model_stop(struct model *model, unsigned int index, uint64_t time);

/* Bitmap of the scenarios that have a flow that is not finished. */
uint32_t model_running(const struct model *model, uint64_t time);

/* The clock of a PMU in Hz. */
uint64_t model_clock(const struct model *model, enum pmu_kind kind,
		     unsigned int socket);

/* The count at @time, modulo 2^64. An event the PMU does not have counts 0. */
uint64_t model_count(const struct model *model, const struct model_event *event,
		     uint64_t time);

/*
 * The first time after @from at which the count has grown by at least
 * @increase; MODEL_NEVER if that is not within MODEL_HORIZON.
 */
uint64_t model_when(const struct model *model, const struct model_event *event,
		    uint64_t from, uint64_t increase);

#endif /* GPMU_MODEL_MODEL_H */
