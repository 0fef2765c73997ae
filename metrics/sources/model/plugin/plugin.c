// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define KINDS		PMU_FOREIGN	/* of Grace */
#define MAX_PMUS	(KINDS * CHIP_MAX_SOCKETS)
#define ALL_PORTS	UINT32_MAX

/* As in sysfs: kernel-drivers/grace-cspmu.rst, "User ABI" */
static const struct {
	const char *name;
	const char *identifier;
	uint32_t filter;	/* bits of config1 */
	const char *formats[5];
} kinds[KINDS] = {
	[PMU_SCF] = { .name = "nvidia_scf_pmu", .identifier = "2cf0036b",
		      .formats = { "event", "config:0-32" } },
	[PMU_PCIE] = { .name = "nvidia_pcie_pmu", .identifier = "1030036b", .filter = 0x3ff,
		       .formats = { "event", "config:0-32", "root_port", "config1:0-9" } },
	[PMU_C2C0] = { .name = "nvidia_nvlink_c2c0_pmu", .identifier = "1050036b", .filter = 0x3,
		       .formats = { "event", "config:0-32", "port", "config1:0-1" } },
	[PMU_C2C1] = { .name = "nvidia_nvlink_c2c1_pmu", .identifier = "1040036b", .filter = 0x3,
		       .formats = { "event", "config:0-32", "port", "config1:0-1" } },
	[PMU_CNVLINK] = { .name = "nvidia_cnvlink_pmu", .identifier = "1060036b", .filter = 0xf,
			  .formats = { "event", "config:0-32", "rem_socket", "config1:0-3" } },
};

/* The events of a kind of PMU, in the form of struct gpmu_source_pmu */
struct events {
	const char **list;
	char (*texts)[24];
};

struct source {
	struct model *model;
	struct events events[KINDS];
	struct plugin_pmu pmus[MAX_PMUS];
	size_t pmus_len;
	struct gpmu_source_node nodes[CHIP_MAX_SOCKETS];
	size_t nodes_len;
	bool has_begun, is_enabled;
	uint64_t origin;	/* the model's time 0; both CLOCK_MONOTONIC_RAW */
	uint64_t last;		/* of enabling and disabling */
};

static int no_memory(struct gpmu_error *error)
{
	plugin_fail(error, 0, "%s", strerror(ENOMEM));
	return -ENOMEM;
}

static int make_events(struct events *events, enum pmu_kind kind)
{
	const struct chip_event *list;
	size_t len;

	list = chip_events(kind, &len);
	events->list = calloc(2 * len + 1, sizeof(*events->list));
	events->texts = calloc(len, sizeof(*events->texts));
	if (!events->list || !events->texts)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++) {
		snprintf(events->texts[i], sizeof(events->texts[i]), "event=0x%llx",
			 (unsigned long long)list[i].id);
		events->list[2 * i] = list[i].name;
		events->list[2 * i + 1] = events->texts[i];
	}
	return 0;
}

static void make_pmu(struct source *source, enum pmu_kind kind, unsigned int socket,
		     unsigned int counters)
{
	struct plugin_pmu *pmu = &source->pmus[source->pmus_len++];

	snprintf(pmu->name, sizeof(pmu->name), "%s_%u", kinds[kind].name, socket);
	pmu->kind = kind;
	pmu->socket = socket;
	pmu->counters = counters;
	pmu->model = source->model;
	pmu->shown = (struct gpmu_source_pmu){
		.size = sizeof(pmu->shown),
		.name = pmu->name,
		.identifier = kinds[kind].identifier,
		.node = (int)socket,
		.counters = (int)counters,
		.counter_width = PLUGIN_WIDTH,
		.cycle_counter = 1,
		.formats = kinds[kind].formats,
		.events = source->events[kind].list,
	};
}

/* A single Grace Hopper has no CNVLink. */
static int make_pmus(struct source *source, const struct plugin_options *options)
{
	bool is_single = options->chip->has_gpu && options->sockets == 1;
	int ret;

	for (enum pmu_kind kind = 0; kind < KINDS; kind++) {
		ret = make_events(&source->events[kind], kind);
		if (ret)
			return ret;
	}
	for (unsigned int socket = 0; socket < options->sockets; socket++) {
		source->nodes[source->nodes_len++] = (struct gpmu_source_node){
			.size = sizeof(source->nodes[0]), .number = (int)socket, .package = (int)socket,
			.gpu_count = options->chip->has_gpu };
		for (enum pmu_kind kind = 0; kind < KINDS; kind++)
			if (kind != PMU_CNVLINK || !is_single)
				make_pmu(source, kind, socket, options->counters);
	}
	return 0;
}

/* The model then owns the scenarios. */
static int make_model(struct source *source, struct plugin_options *options,
		      struct gpmu_error *error)
{
	struct text_error text = { "" };
	int ret = 0;

	source->model = model_new(options->chip, options->sockets);
	if (!source->model)
		return no_memory(error);
	for (unsigned int i = 0; i < options->scenarios_len && ret >= 0; i++) {
		struct scenario *scenario = options->scenarios[i];

		options->scenarios[i] = NULL;
		ret = model_add(source->model, scenario, &text);
	}
	if (ret >= 0)
		return 0;
	plugin_hand_on(error, 0, &text);
	return ret;
}

static void model_close(void *data)
{
	struct source *source = data;

	for (enum pmu_kind kind = 0; kind < KINDS; kind++) {
		free(source->events[kind].list);
		free(source->events[kind].texts);
	}
	model_free(source->model);
	free(source);
}

static int model_open(void **data, const char *text, struct gpmu_error *error)
{
	struct source *source = calloc(1, sizeof(*source));
	struct plugin_options options;
	int ret;

	if (!source)
		return no_memory(error);
	ret = plugin_options_parse(&options, text, error);
	if (!ret)
		ret = make_model(source, &options, error);
	if (!ret && make_pmus(source, &options))
		ret = no_memory(error);
	plugin_options_release(&options);
	if (ret)
		model_close(source);
	else
		*data = source;
	return ret;
}

static const struct gpmu_source_node *model_node(void *data, size_t index)
{
	const struct source *source = data;

	return index < source->nodes_len ? &source->nodes[index] : NULL;
}

static const struct gpmu_source_pmu *model_pmu(void *data, size_t index)
{
	const struct source *source = data;

	return index < source->pmus_len ? &source->pmus[index].shown : NULL;
}

/* Ignores bits outside of all formats, as the drivers do. No filter selects all ports. */
static void set_event(struct plugin_group *group, size_t index,
		      const struct gpmu_source_event *event)
{
	const struct plugin_pmu *pmu = group->pmu;
	uint32_t filter = event->config1 & kinds[pmu->kind].filter;
	bool is_cycles = event->config == CHIP_EVENT_CYCLES;

	group->events[index] = (struct model_event){
		.kind = pmu->kind,
		.socket = pmu->socket,
		.event = is_cycles ? CHIP_EVENT_CYCLES : (uint32_t)event->config,
		.filter = filter ? filter : ALL_PORTS,
	};
	group->counters += !is_cycles;
	group->cycle_counters += is_cycles;
}

static void free_group(struct plugin_group *group)
{
	if (!group)
		return;
	free(group->events);
	free(group->raw);
	free(group);
}

static struct plugin_group *new_group(struct plugin_pmu *pmu, size_t length)
{
	struct plugin_group *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	group->pmu = pmu;
	group->length = length;
	group->events = calloc(length, sizeof(*group->events));
	group->raw = calloc(length, sizeof(*group->raw));
	if (group->events && group->raw)
		return group;
	free_group(group);
	return NULL;
}

static int append_group(struct plugin_group *group)
{
	struct plugin_pmu *pmu = group->pmu;
	struct plugin_group **larger = realloc(pmu->groups, (pmu->groups_len + 1) *
					       sizeof(struct plugin_group *));

	if (!larger)
		return -ENOMEM;
	pmu->groups = larger;
	pmu->groups[pmu->groups_len++] = group;
	return 0;
}

static int refuse_group(const struct plugin_group *group, struct gpmu_error *error)
{
	if (group->cycle_counters > 1)
		plugin_fail(error, 0, "needs %u cycle counters of %s, which has 1",
			    group->cycle_counters, group->pmu->name);
	else
		plugin_fail(error, 0, "needs %u event counters of %s, which has %u", group->counters,
			    group->pmu->name, group->pmu->counters);
	return -ENOSPC;
}

static int model_group_open(void *data, size_t pmu, const struct gpmu_source_event *events,
			    size_t length, void **result, struct gpmu_error *error)
{
	struct source *source = data;
	struct plugin_group *group;
	int ret = 0;

	if (source->is_enabled) {
		plugin_fail(error, 0, "expected no group while the model counts");
		return -EBUSY;
	}
	if (pmu >= source->pmus_len || !length)
		return plugin_fail(error, 0, "expected events of a PMU below %zu", source->pmus_len);
	group = new_group(&source->pmus[pmu], length);
	if (!group)
		return no_memory(error);
	for (size_t i = 0; i < length; i++)
		set_event(group, i, &events[i]);
	if (!plugin_group_fits(group))
		ret = refuse_group(group, error);
	else if (append_group(group))
		ret = no_memory(error);
	if (ret)
		free_group(group);
	else
		*result = group;
	return ret;
}

static void model_group_close(void *data, void *handle)
{
	struct plugin_group *group = handle;
	struct plugin_pmu *pmu = group->pmu;
	size_t i = 0;

	(void)data;
	while (pmu->groups[i] != group)
		i++;
	pmu->groups_len--;
	memmove(&pmu->groups[i], &pmu->groups[i + 1],
		(pmu->groups_len - i) * sizeof(struct plugin_group *));
	if (!pmu->groups_len) {
		free(pmu->groups);
		pmu->groups = NULL;
	}
	free_group(group);
}

/* Converts to the model's time, which must not lie before the last start or stop. */
static int model_time(const struct source *source, uint64_t time, uint64_t *model)
{
	if (time < source->last)
		return -EINVAL;
	*model = time - source->origin;
	return 0;
}

/* Starts all scenarios from their beginning. */
static void start(struct source *source, uint64_t time)
{
	for (unsigned int i = 0; i < model_scenarios(source->model); i++)
		model_start(source->model, i, time);
	for (size_t i = 0; i < source->pmus_len; i++) {
		struct plugin_pmu *pmu = &source->pmus[i];

		pmu->begin = time;
		for (size_t j = 0; j < pmu->groups_len; j++)
			pmu->groups[j]->settled = time;
	}
}

static int model_enable(void *data, uint64_t time)
{
	struct source *source = data;
	uint64_t model;

	if (source->is_enabled)
		return 0;
	if (!source->has_begun)
		source->origin = time;
	if (model_time(source, time, &model))
		return -EINVAL;
	start(source, model);
	source->has_begun = true;
	source->is_enabled = true;
	source->last = time;
	return 0;
}

static int model_disable(void *data, uint64_t time)
{
	struct source *source = data;
	uint64_t model;

	if (!source->is_enabled)
		return 0;
	if (model_time(source, time, &model))
		return -EINVAL;
	for (size_t i = 0; i < source->pmus_len; i++)
		for (size_t j = 0; j < source->pmus[i].groups_len; j++)
			plugin_group_settle(source->pmus[i].groups[j], model);
	source->is_enabled = false;
	source->last = time;
	return 0;
}

static int model_group_read(void *data, void *handle, uint64_t time,
			    struct gpmu_source_count *counts)
{
	const struct source *source = data;
	struct plugin_group *group = handle;
	uint64_t model;

	if (source->is_enabled) {
		if (model_time(source, time, &model))
			return -EINVAL;
		plugin_group_settle(group, model);
	}
	for (size_t i = 0; i < group->length; i++)
		counts[i] = (struct gpmu_source_count){
			.raw = group->raw[i],
			.enabled = group->enabled,
			.running = group->running,
		};
	return 0;
}

const struct gpmu_source_plugin gpmu_source_plugin = {
	.size = sizeof(gpmu_source_plugin),
	.abi = GPMU_SOURCE_ABI,
	.name = "model",
	.open = model_open,
	.close = model_close,
	.pmu = model_pmu,
	.group_open = model_group_open,
	.group_close = model_group_close,
	.enable = model_enable,
	.disable = model_disable,
	.group_read = model_group_read,
	.node = model_node,
	.usage = PLUGIN_USAGE,
	.event_size = sizeof(struct gpmu_source_event),
	.count_size = sizeof(struct gpmu_source_count),
};
