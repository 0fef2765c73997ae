/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers for the tests of the traffic model */
#ifndef GPMU_TESTS_MODEL_TEST_H
#define GPMU_TESTS_MODEL_TEST_H

#include <stdlib.h>

#include "model.h"
#include "tap.h"

#define MS	1000000ull	/* in ns */
#define SEC	1000000000ull
#define ALL	0xffffffffu	/* a filter that selects everything */

/* The number of the event with this name; ends the test if there is none. */
__attribute__((unused))
static uint64_t event_id(enum pmu_kind kind, const char *name)
{
	const struct chip_event *events;
	size_t i, len;

	events = chip_events(kind, &len);
	for (i = 0; i < len; i++)
		if (!strcmp(events[i].name, name))
			return events[i].id;
	printf("Bail out! no event %s\n", name);
	exit(1);
}

__attribute__((unused))
static uint64_t count_filtered(const struct model *m, enum pmu_kind kind,
			       unsigned int socket, const char *name,
			       uint32_t filter, uint64_t time)
{
	struct model_event event = {
		.kind = kind, .socket = socket, .event = event_id(kind, name),
		.filter = filter,
	};

	return model_count(m, &event, time);
}

__attribute__((unused))
static uint64_t count(const struct model *m, enum pmu_kind kind,
		      unsigned int socket, const char *name, uint64_t time)
{
	return count_filtered(m, kind, socket, name, ALL, time);
}

/* A model with one scenario, started at 0; ends the test if that fails. */
__attribute__((unused))
static struct model *model_of(const char *chip, unsigned int sockets,
			      struct scenario *scenario, struct text_error *err)
{
	struct model *m = model_new(chip_find(chip), sockets);

	if (!m || !scenario || model_add(m, scenario, err) < 0 ||
	    model_start(m, 0, 0)) {
		printf("Bail out! %s\n", err->message);
		exit(1);
	}
	return m;
}

__attribute__((unused))
static struct model *model_text(const char *chip, unsigned int sockets,
				const char *text)
{
	struct text_error err = { "no model" };

	return model_of(chip, sockets,
			scenario_parse("test.scenario", text, strlen(text), &err),
			&err);
}

/* A model that runs one of the project's scenarios. */
__attribute__((unused))
static struct model *model_file(const char *chip, unsigned int sockets,
				const char *name)
{
	struct text_error err = { "no model" };
	char path[256];

	snprintf(path, sizeof(path), "metrics/sources/model/scenarios/%s.scenario",
		 name);
	return model_of(chip, sockets, scenario_load(path, &err), &err);
}

#endif /* GPMU_TESTS_MODEL_TEST_H */
