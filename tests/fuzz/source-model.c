// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any options open the model or are refused with a reason. For any operations on groups
 * in an order that gpmu-source.h allows, counts never decrease and no PMU has more active
 * events than counters. The input is a line of options after the path of a scenario, then
 * one or two bytes for each operation.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu-source.h"
#include "gpmu.h"

#define SCENARIO	"metrics/sources/model/scenarios/steady.scenario"
#define GROUPS		6
#define EVENTS		8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct gpmu_source_plugin *const plugin = &gpmu_source_plugin;

struct group {
	void *handle;
	size_t length;
	struct gpmu_source_count last[EVENTS];
};

struct state {
	void *source;
	uint64_t time;
	int enabled, begun;
	struct group groups[GROUPS];	/* all of the first PMU */
};

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static void open_group(struct state *state, struct group *group, unsigned int bits)
{
	static const uint64_t events[] = { 0x1a5, 0x1a6, 0x100000000, 0x1db, 0xffff, 0xf2 };
	struct gpmu_source_event list[EVENTS] = { { 0 } };
	struct gpmu_error error = { .size = sizeof(error) };
	size_t length = 1 + bits % EVENTS;

	if (group->handle || state->enabled)
		return;
	for (size_t i = 0; i < length; i++)
		list[i].config = events[(bits / EVENTS + i) % (sizeof(events) / sizeof(events[0]))];
	memset(group, 0, sizeof(*group));
	group->length = length;
	if (plugin->group_open(state->source, 0, list, length, &group->handle, &error))
		must(error.text[0] && !group->handle);
}

static void close_group(struct state *state, struct group *group)
{
	if (!group->handle || state->enabled)
		return;
	plugin->group_close(state->source, group->handle);
	group->handle = NULL;
}

/* The running times of events add up to at most those of the counters: 6 and the cycle counter. */
static void read_all(struct state *state)
{
	struct gpmu_source_count counts[EVENTS];

	if (!state->begun)
		return;
	for (size_t i = 0; i < GROUPS; i++) {
		struct group *group = &state->groups[i];

		if (!group->handle)
			continue;
		must(!plugin->group_read(state->source, group->handle, state->time, counts));
		for (size_t k = 0; k < group->length; k++) {
			must(counts[k].running <= counts[k].enabled);
			must(counts[k].running >= group->last[k].running);
			must(counts[k].enabled - group->last[k].enabled >=
			     counts[k].running - group->last[k].running);
			must(counts[k].raw >= group->last[k].raw);
			must(counts[k].running == counts[0].running);
		}
		memcpy(group->last, counts, sizeof(counts));
	}
}

static void step(struct state *state, unsigned int what, unsigned int bits)
{
	struct group *group = &state->groups[bits % GROUPS];

	state->time += 700000 * (uint64_t)(bits % 32) + bits;
	switch (what % 5) {
	case 0:
		open_group(state, group, bits / GROUPS);
		break;
	case 1:
		close_group(state, group);
		break;
	case 2:
		if (!state->enabled)
			must(!plugin->enable(state->source, state->time));
		state->enabled = state->begun = 1;
		break;
	case 3:
		if (state->enabled)
			must(!plugin->disable(state->source, state->time));
		state->enabled = 0;
		break;
	default:
		read_all(state);
	}
}

static void use(void *source, const uint8_t *data, size_t size)
{
	struct state state = { .source = source, .time = 1000 };
	size_t n = 0;

	must(plugin->node(source, 0) && plugin->pmu(source, 0));
	while (plugin->pmu(source, n))
		must(plugin->pmu(source, n++)->name[0]);
	for (size_t i = 0; i + 1 < size && i < 400; i += 2)
		step(&state, data[i], data[i + 1]);
	read_all(&state);
	if (state.enabled)
		must(!plugin->disable(source, state.time));
	state.enabled = 0;
	for (size_t i = 0; i < GROUPS; i++)
		close_group(&state, &state.groups[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - data) : size;
	struct gpmu_error error = { .size = sizeof(error) };
	char options[512];
	void *source;

	/* Only the project's own files are read. */
	if (len > 400 || memchr(data, '/', len))
		return 0;
	snprintf(options, sizeof(options), "%s%.*s", SCENARIO, (int)len, (const char *)data);
	if (plugin->open(&source, options, &error)) {
		must(error.text[0] && error.offset <= strlen(options));
		return 0;
	}
	use(source, data + len, size - len);
	plugin->close(source);
	return 0;
}
