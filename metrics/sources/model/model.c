// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define NSEC_PER_SEC	1000000000ull
#define PSEC_PER_SEC	1000000000000ull

/* A scenario in the model. */
struct run {
	struct scenario *scenario;
	struct flow_tally *done;	/* of earlier runs, one for each flow */
	bool is_active;
	uint64_t start;
};

struct model {
	const struct chip *chip;
	unsigned int sockets;
	uint64_t clock[PMU_KINDS][CHIP_MAX_SOCKETS];
	struct run runs[MODEL_MAX_SCENARIOS];
	unsigned int runs_len;
};

struct model *model_new(const struct chip *chip, unsigned int sockets)
{
	struct model *m;
	unsigned int i;
	enum pmu_kind kind;

	if (!chip || !chip_has_sockets(chip, sockets)) {
		errno = EINVAL;
		return NULL;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->chip = chip;
	m->sockets = sockets;
	for (kind = 0; kind < PMU_KINDS; kind++)
		for (i = 0; i < sockets; i++)
			m->clock[kind][i] = chip_default_clock(kind);
	return m;
}

void model_free(struct model *m)
{
	unsigned int i;

	if (!m)
		return;
	for (i = 0; i < m->runs_len; i++) {
		scenario_free(m->runs[i].scenario);
		free(m->runs[i].done);
	}
	free(m);
}

/* The scenario that set this clock before, or NULL. */
static const struct scenario *clock_owner(const struct model *m,
					  enum pmu_kind kind, unsigned int socket)
{
	unsigned int i;

	for (i = 0; i < m->runs_len; i++)
		if (m->runs[i].scenario->clock[kind][socket])
			return m->runs[i].scenario;
	return NULL;
}

/* Clocks hold for the whole model, so scenarios used together must agree. */
static int add_clocks(struct model *m, const struct scenario *s,
		      struct text_error *err)
{
	const struct scenario *owner;
	enum pmu_kind kind;
	unsigned int i;

	for (kind = 0; kind < PMU_KINDS; kind++) {
		for (i = 0; i < m->sockets; i++) {
			if (!s->clock[kind][i])
				continue;
			owner = clock_owner(m, kind, i);
			if (owner && owner->clock[kind][i] != s->clock[kind][i])
				return text_fail_at(err, s->path, s->clock_line[kind][i],
						    "expected the same %s:%u clock as in %s:%u",
						    chip_kind_name(kind), i, owner->path,
						    owner->clock_line[kind][i]);
		}
	}
	for (kind = 0; kind < PMU_KINDS; kind++)
		for (i = 0; i < m->sockets; i++)
			if (s->clock[kind][i])
				m->clock[kind][i] = s->clock[kind][i];
	return 0;
}

int model_add(struct model *m, struct scenario *s, struct text_error *err)
{
	struct flow_tally *done = NULL;
	int ret;

	if (m->runs_len == MODEL_MAX_SCENARIOS) {
		snprintf(err->message, sizeof(err->message),
			 "%s: expected at most %d scenarios", s->path,
			 MODEL_MAX_SCENARIOS);
		ret = -ENOSPC;
		goto fail;
	}
	ret = scenario_check(s, m->chip, m->sockets, err);
	if (ret)
		goto fail;
	done = calloc(s->flows_len + 1, sizeof(*done));
	if (!done) {
		snprintf(err->message, sizeof(err->message), "%s: %s", s->path,
			 strerror(ENOMEM));
		ret = -ENOMEM;
		goto fail;
	}
	ret = add_clocks(m, s, err);
	if (ret)
		goto fail;
	m->runs[m->runs_len] = (struct run){ .scenario = s, .done = done };
	return m->runs_len++;

fail:
	free(done);
	scenario_free(s);
	return ret;
}

unsigned int model_scenarios(const struct model *m)
{
	return m->runs_len;
}

const char *model_scenario_name(const struct model *m, unsigned int index)
{
	return index < m->runs_len ? m->runs[index].scenario->name : NULL;
}

static uint64_t elapsed(const struct run *run, uint64_t time)
{
	return time > run->start ? time - run->start : 0;
}

/* All requests that flow number @i of the run has done by @time. */
static struct flow_tally run_tally(const struct run *run, unsigned int i,
				   uint64_t time)
{
	struct flow_tally sum = run->done[i], now;

	if (run->is_active) {
		flow_progress(&run->scenario->flows[i], elapsed(run, time), &now);
		flow_tally_add(&sum, &now);
	}
	return sum;
}

int model_stop(struct model *m, unsigned int index, uint64_t time)
{
	struct run *run;
	unsigned int i;

	if (index >= m->runs_len)
		return -ENOENT;
	run = &m->runs[index];
	for (i = 0; i < run->scenario->flows_len; i++)
		run->done[i] = run_tally(run, i, time);
	run->is_active = false;
	return 0;
}

int model_start(struct model *m, unsigned int index, uint64_t time)
{
	int ret = model_stop(m, index, time);

	if (ret)
		return ret;
	m->runs[index].is_active = true;
	m->runs[index].start = time;
	return 0;
}

uint32_t model_running(const struct model *m, uint64_t time)
{
	uint32_t running = 0;
	unsigned int i, j;

	for (i = 0; i < m->runs_len; i++) {
		const struct run *run = &m->runs[i];

		for (j = 0; run->is_active && j < run->scenario->flows_len; j++)
			if (!flow_has_finished(&run->scenario->flows[j], elapsed(run, time)))
				running |= 1u << i;
	}
	return running;
}

uint64_t model_clock(const struct model *m, enum pmu_kind kind,
		     unsigned int socket)
{
	return socket < m->sockets ? m->clock[kind][socket] : 0;
}

static bool row_covers(const struct chip_coverage *row, const struct flow *f)
{
	return row->initiators >> f->initiator & 1 &&
	       row->memories >> f->memory & 1 &&
	       row->is_remote == !flow_is_local(f) &&
	       row->ops & f->op;
}

/* Returns whether the event's PMU, with its filter, sees the flow by this row. */
static bool event_sees(const struct model_event *event,
		       const struct chip_event *desc,
		       const struct chip_coverage *row, const struct flow *f)
{
	if (row->kind != event->kind || row->family != desc->family ||
	    !(desc->ops & f->op) ||
	    event->socket != (row->place == AT_HOME ? f->home : f->source))
		return false;

	switch (row->family) {
	case FAM_CMEM:
	case FAM_GMEM:
		/* Requests that the home's cache serves do not reach its memory. */
		return !f->is_from_cache;
	case FAM_SOCKET:
		return desc->socket == EVENT_ANY_SOCKET ||
		       (unsigned int)desc->socket == f->home;
	default:
		break;
	}
	if (row->kind == PMU_PCIE)
		return event->filter >> f->root_port & 1;
	if (row->kind == PMU_CNVLINK)
		return event->filter >> f->source & 1;
	return true;
}

/* The count that one flow adds to an event by one row of the coverage table. */
static flow_count_t count_row(const struct model *m,
			      const struct model_event *event,
			      const struct chip_event *desc,
			      const struct chip_coverage *row,
			      const struct flow *f, const struct flow_tally *tally)
{
	unsigned int ports = (1u << CHIP_C2C_PORTS) - 1;
	flow_count_t count;
	uint64_t latency;

	if (row->kind == PMU_C2C0 || row->kind == PMU_C2C1)
		ports &= event->filter;
	count = flow_measure(f, tally, desc->measure, ports);
	if (desc->measure != MEASURE_OUTSTANDING)
		return count;

	/* At most 2^64 requests * 2^27 ps * 2^34 Hz. */
	latency = row->place == AT_HOME ? f->home_latency : f->latency;
	return count * latency * m->clock[event->kind][event->socket] /
	       PSEC_PER_SEC;
}

static flow_count_t count_flow(const struct model *m,
			       const struct model_event *event,
			       const struct chip_event *desc,
			       const struct run *run, unsigned int i, uint64_t time)
{
	const struct flow *f = &run->scenario->flows[i];
	struct flow_tally tally = run_tally(run, i, time);
	flow_count_t count = 0;
	size_t r;

	for (r = 0; r < m->chip->coverage_len; r++) {
		const struct chip_coverage *row = &m->chip->coverage[r];

		if (row_covers(row, f) && event_sees(event, desc, row, f))
			count += count_row(m, event, desc, row, f, &tally);
	}
	return count;
}

static flow_count_t count_at(const struct model *m,
			     const struct model_event *event, uint64_t time)
{
	const struct chip_event *desc = chip_event(event->kind, event->event);
	flow_count_t count = 0;
	unsigned int i, j;

	if (!desc || event->socket >= m->sockets)
		return 0;
	if (desc->measure == MEASURE_CYCLES)
		return (flow_count_t)m->clock[event->kind][event->socket] *
		       time / NSEC_PER_SEC;

	for (i = 0; i < m->runs_len; i++)
		for (j = 0; j < m->runs[i].scenario->flows_len; j++)
			count += count_flow(m, event, desc, &m->runs[i], j, time);
	return count;
}

uint64_t model_count(const struct model *m, const struct model_event *event,
		     uint64_t time)
{
	return count_at(m, event, time);
}

uint64_t model_when(const struct model *m, const struct model_event *event,
		    uint64_t from, uint64_t increase)
{
	uint64_t early = from, late = from + MODEL_HORIZON;
	flow_count_t target = count_at(m, event, from) + increase;

	if (!increase)
		return from;
	if (late < from || count_at(m, event, late) < target)
		return MODEL_NEVER;
	/* Counts never shrink: early is below the target, late is not. */
	while (late - early > 1) {
		uint64_t middle = early + (late - early) / 2;

		if (count_at(m, event, middle) < target)
			early = middle;
		else
			late = middle;
	}
	return late;
}
