// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A plugin for tests. Its options, fake=ADDRESS, point to a struct fake_state, which controls it
 * and logs its calls. $FAKE_TABLE names a defect of its table; "older" and "newer" make it a
 * plugin built with a header of smaller or larger events and counts. It has two PMUs, on node 0
 * and node 7, and counters for three events at a time. An event counts config times the ns that
 * it was enabled.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpmu.h"
/* The header declares it const; change_table() changes it before the library reads it. */
#define gpmu_source_plugin	gpmu_source_plugin_const
#include "gpmu-source.h"
#undef gpmu_source_plugin
#include "source-fake.h"

#define FAKE_ABSENT	4	/* config of the absent event */

struct group {
	uint64_t config[FAKE_COUNTERS];
	size_t length;
	struct group *next;
};

static struct fake_state *state;
static struct group *groups;
static uint64_t enabled_at, enabled_ns;
static bool is_enabled;

static int failure(int ret, struct gpmu_error *error, const char *text)
{
	if (ret && !state->is_silent)
		snprintf(error->text, sizeof(error->text), "fake: %s", text);
	return ret;
}

static void see(uint64_t time)
{
	state->has_gone_back = state->has_gone_back || time < state->time;
	state->time = time;
}

static int fake_open(void **source, const char *options, struct gpmu_error *error)
{
	static struct fake_state none;
	void *address = NULL;
	int len = 0;

	if (sscanf(options, "%p%n", &address, &len) != 1)
		address = &none;
	state = address;
	snprintf(state->options, sizeof(state->options), "%s", options + len);
	*source = NULL;
	error->offset = 2;
	if (!state->open)
		state->opens++;
	return failure(state->open, error, "it does not open");
}

static void fake_close(void *source)
{
	(void)source;
	state->closes++;
}

/* With "newer", both have one number more than this libgpmu knows; with "older", one less. */
static size_t event_numbers = sizeof(struct gpmu_source_event) / sizeof(uint64_t);
static size_t count_numbers = sizeof(struct gpmu_source_count) / sizeof(uint64_t);

static const struct gpmu_source_gpu *gpu_of(size_t index)
{
	static struct gpmu_source_gpu gpu;

	gpu = (struct gpmu_source_gpu){
		.size = sizeof(gpu),
		.uuid = state->show == FAKE_SHOW_UUID ? "" : index ? "GPU-b" : "GPU-a",
		.name = index ? "Fake 2" : "Fake 1",
		.chip = "FK100",
		.pci = index ? NULL : state->pci,
	};
	return state->has_gpus || state->show == FAKE_SHOW_UUID ? &gpu : NULL;
}

static const struct gpmu_source_pmu *fake_pmu(void *source, size_t index)
{
	static const char *const formats[] = { "event", "config:0-7", "a", "config1:0", NULL };
	static const char *const no_text[] = { "event", NULL };
	static const char *const events[] = { "two", "event=0x2", "one", "event=0x1", NULL };
	static const char *const lines[] = { "one", "event=0x1\n", NULL };
	static const char *const twice[] = { "one", "event=0x1", "one", "event=0x2", NULL };
	static struct gpmu_source_pmu pmu;
	enum fake_show show = state->show;

	(void)source;
	pmu = (struct gpmu_source_pmu){
		.size = show == FAKE_SHOW_SHORT ? offsetof(struct gpmu_source_pmu, identifier) :
						  sizeof(pmu),
		.name = show == FAKE_SHOW_NO_NAME ? NULL : show == FAKE_SHOW_BLANK ? "a b" :
			index && show != FAKE_SHOW_TWICE ? "fake_1" : "fake_0",
		.identifier = show == FAKE_SHOW_IDENTIFIER ? "" : "f00",
		.node = show == FAKE_SHOW_NODE ? 8 : index ? 7 : state->pci ? -1 : 0,
		.counters = show == FAKE_SHOW_COUNTERS ? -2 : show == FAKE_SHOW_UNKNOWN ? -1 :
			    FAKE_COUNTERS,
		.counter_width = show == FAKE_SHOW_WIDTH ? 65 : show == FAKE_SHOW_UNKNOWN ? -1 : 32,
		.cycle_counter = show == FAKE_SHOW_UNKNOWN ? -1 : 0,
		.formats = show == FAKE_SHOW_FORMAT ? no_text : formats,
		.events = show == FAKE_SHOW_EVENTS ? twice : show == FAKE_SHOW_TEXT ? lines : events,
		.gpu = gpu_of(index),
	};
	return index < 2 || show == FAKE_SHOW_ENDLESS ? &pmu : NULL;
}

static const struct gpmu_source_node *fake_node(void *source, size_t index)
{
	static struct gpmu_source_node node;

	(void)source;
	node = (struct gpmu_source_node){
		.size = state->show == FAKE_SHOW_SHORT ?
			offsetof(struct gpmu_source_node, package) : sizeof(node),
		.number = state->show == FAKE_SHOW_NEGATIVE ? -1 : index ? 7 : 0,
		.package = 42,
	};
	return index < 2 || state->show == FAKE_SHOW_ENDLESS_NODES ? &node : NULL;
}

static int fake_group_open(void *source, size_t pmu, const struct gpmu_source_event *events,
			   size_t length, void **result, struct gpmu_error *error)
{
	const uint64_t *numbers = (const uint64_t *)events;
	struct group *group;

	(void)source;
	if (state->group_open)
		return failure(state->group_open, error, "no such group");
	if (pmu > 1 || length > FAKE_COUNTERS)
		return failure(-ENOSPC, error, "it has three counters");
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	group->length = length;
	memset(state->configs, 0, sizeof(state->configs));
	for (size_t i = 0; i < length; i++) {
		memcpy(state->configs[i], numbers + i * event_numbers,
		       event_numbers * sizeof(*numbers));
		group->config[i] = state->configs[i][0];
	}
	group->next = groups;
	groups = group;
	state->groups++;
	*result = group;
	return 0;
}

static void fake_group_close(void *source, void *handle)
{
	struct group **link = &groups;

	(void)source;
	if (is_enabled)
		abort();
	while (*link != handle)
		link = &(*link)->next;
	*link = (*link)->next;
	free(handle);
	state->groups--;
	if (!groups)
		enabled_ns = 0;
}

static int fake_enable(void *source, uint64_t time)
{
	(void)source;
	if (is_enabled)
		abort();
	see(time);
	state->enables++;
	if (!state->enable) {
		is_enabled = true;
		enabled_at = time;
	}
	return state->enable;
}

static int fake_disable(void *source, uint64_t time)
{
	(void)source;
	if (!is_enabled)
		abort();
	see(time);
	state->disables++;
	enabled_ns += time - enabled_at;
	is_enabled = false;
	return state->disable;
}

static int fake_group_read(void *source, void *handle, uint64_t time,
			   struct gpmu_source_count *counts)
{
	const struct group *group = handle;
	uint64_t *numbers = (uint64_t *)counts;
	uint64_t ns = enabled_ns + (is_enabled ? time - enabled_at : 0);

	(void)source;
	see(time);
	state->reads++;
	for (size_t i = 0; i < group->length; i++, numbers += count_numbers) {
		numbers[0] = group->config[i] * ns;
		numbers[1] = ns;
		numbers[2] = state->is_lying ? ns + 1 : ns;
		for (size_t k = 3; k < count_numbers; k++)
			numbers[k] = k == 3 ? 0 : UINT64_MAX;
		if (count_numbers > 3 && group->config[i] == FAKE_ABSENT)
			counts[i].why = "its unit is absent";
	}
	return state->read;
}

#define INFO	.size = sizeof(struct gpmu_source_event_info)

static const struct gpmu_source_event_info infos[] = {
	{ INFO, .name = "mean", .terms = "event=0x3", .unit = "%", .scale = 0.5, .mean = 1 },
	{ INFO, .name = "absent", .terms = "event=0x4" },
	{ INFO, .name = "unlisted.sum", .terms = "event=0x5", .unit = "B" },
};

static const struct gpmu_source_event_info *fake_event(void *source, size_t pmu, size_t index)
{
	(void)source;
	(void)pmu;
	return state->has_gpus && index < 2 ? &infos[index] : NULL;
}

static const struct gpmu_source_event_info *fake_event_find(void *source, size_t pmu,
							    const char *name)
{
	(void)source;
	(void)pmu;
	for (size_t i = 0; state->has_gpus && i < sizeof(infos) / sizeof(infos[0]); i++)
		if (!strcmp(infos[i].name, name))
			return &infos[i];
	return NULL;
}

static int fake_prepare(void *source, struct gpmu_error *error)
{
	(void)source;
	state->prepares++;
	state->prepared_groups = state->groups;
	return failure(state->prepare, error, "it is not ready");
}

static const char *fake_message(void *source)
{
	const char *message = state->message;

	(void)source;
	state->message = NULL;
	return message;
}

static int fake_query(void *source, const char *question, char **answer, struct gpmu_error *error)
{
	(void)source;
	if (!strcmp(question, "nothing"))
		return 0;
	if (!strcmp(question, "fails"))
		return failure(-EPERM, error, "you may not ask that");
	if (strcmp(question, "gpus"))
		return -ENOENT;
	*answer = strdup("[\"GPU-a\"]");
	return *answer ? 0 : -ENOMEM;
}

extern struct gpmu_source_plugin_const gpmu_source_plugin;
struct gpmu_source_plugin_const gpmu_source_plugin = {
	.size = sizeof(gpmu_source_plugin),
	.abi = GPMU_SOURCE_ABI,
	.name = "fake",
	.open = fake_open,
	.close = fake_close,
	.pmu = fake_pmu,
	.group_open = fake_group_open,
	.group_close = fake_group_close,
	.enable = fake_enable,
	.disable = fake_disable,
	.group_read = fake_group_read,
	.node = fake_node,
	.usage = "ADDRESS",
	.event_size = sizeof(struct gpmu_source_event),
	.count_size = sizeof(struct gpmu_source_count),
	.event = fake_event,
	.event_find = fake_event_find,
	.prepare = fake_prepare,
	.message = fake_message,
	.query = fake_query,
};

#define END(member)	(offsetof(struct gpmu_source_plugin_const, member) + \
			 sizeof(gpmu_source_plugin.member))

static void set_numbers(size_t table_size, size_t events, size_t counts)
{
	event_numbers = events;
	count_numbers = counts;
	gpmu_source_plugin.size = table_size;
	gpmu_source_plugin.event_size = events * sizeof(uint64_t);
	gpmu_source_plugin.count_size = counts * sizeof(uint64_t);
}

static void *sleep_for_ever(void *data)
{
	for (;;)
		pause();
	return data;
}

/* Libraries start threads that may receive the process's signals. */
static pthread_t thread;
static bool has_thread;

__attribute__((constructor))
static void start_thread(void)
{
	has_thread = getenv("FAKE_THREAD") && !pthread_create(&thread, NULL, sleep_for_ever, NULL);
}

/* The plugin is unloaded next, and with it the function that the thread executes. */
__attribute__((destructor))
static void end_thread(void)
{
	if (has_thread && !pthread_cancel(thread))
		pthread_join(thread, NULL);
}

__attribute__((constructor))
static void change_table(void)
{
	struct gpmu_source_plugin_const *table = &gpmu_source_plugin;
	const char *what = getenv("FAKE_TABLE");

	if (!what)
		return;
	if (!strcmp(what, "abi"))
		table->abi = GPMU_SOURCE_ABI + 1;
	else if (!strcmp(what, "older"))
		set_numbers(END(usage), 4, 3);
	else if (!strcmp(what, "shorter"))
		set_numbers(END(group_read), 4, 3);
	else if (!strcmp(what, "newer"))
		set_numbers(table->size + 64, event_numbers + 1, count_numbers + 1);
	else if (!strcmp(what, "events"))
		table->event_size -= 2 * sizeof(uint64_t);
	else if (!strcmp(what, "counts"))
		table->count_size += 1;
	else if (!strcmp(what, "huge"))
		table->event_size = 1 << 20;
	else if (!strcmp(what, "short"))
		table->size = END(group_read) - 1;
	else if (!strcmp(what, "empty"))
		table->size = END(size);
	else if (!strcmp(what, "name"))
		table->name = NULL;
	else if (!strcmp(what, "open()"))
		table->open = NULL;
	else if (!strcmp(what, "close()"))
		table->close = NULL;
	else if (!strcmp(what, "pmu()"))
		table->pmu = NULL;
	else if (!strcmp(what, "group_open()"))
		table->group_open = NULL;
	else if (!strcmp(what, "group_close()"))
		table->group_close = NULL;
	else if (!strcmp(what, "enable()"))
		table->enable = NULL;
	else if (!strcmp(what, "disable()"))
		table->disable = NULL;
	else if (!strcmp(what, "group_read()"))
		table->group_read = NULL;
	else if (!strcmp(what, "node()"))
		table->node = NULL;
	else if (!strcmp(what, "usage"))
		table->usage = NULL;
}
