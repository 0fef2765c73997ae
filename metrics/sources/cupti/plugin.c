// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_source.h"

static const char *const formats[] = { "event", "config:0-31", NULL };

/* CUPTI calls a function of this plugin as long as it is loaded, so the plugin is never unloaded. */
static void stay_loaded(void)
{
	Dl_info info;

	if (dladdr((void *)stay_loaded, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

struct chip *source_chip(struct source *source, const char *name, int *ret, struct gpmu_error *error)
{
	struct chip *chip;

	for (size_t i = 0; i < source->chips_len; i++)
		if (source->chips[i].name && !strcmp(source->chips[i].name, name))
			return &source->chips[i];
	chip = &source->chips[source->chips_len];
	*ret = host_new(&source->library, name, &chip->host, error);
	if (*ret || !chip->host)
		return NULL;
	source->chips_len++;
	*ret = events_init(&chip->events, chip->host);
	if (*ret) {
		fail_memory(error);
		return NULL;
	}
	chip->name = chip->host->chip;
	return chip;
}

static int list_events(struct pmu *pmu)
{
	const struct events *events = &pmu->chip->events;

	pmu->listed = calloc(events->listed + 1, sizeof(*pmu->listed));
	if (!pmu->listed)
		return -ENOMEM;
	for (size_t i = 0; i < events->listed; i++)
		if (!pmu_lacks(pmu, events->events[i]))
			pmu->listed[pmu->listed_len++] = i;
	return 0;
}

static void add_pmu(struct source *source, struct gpu *gpu, struct chip *chip)
{
	struct pmu *pmu = &source->pmus[source->pmus_len++];

	*pmu = (struct pmu){ .source = source, .gpu = gpu, .chip = chip };
	snprintf(pmu->name, sizeof(pmu->name), "nvidia_gpu_%u", gpu ? gpu->index : 0);
	pmu->shown = (struct gpmu_source_pmu){
		.size = sizeof(pmu->shown),
		.name = pmu->name,
		.identifier = chip->host->chip,
		.node = -1,
		.counters = -1,
		.counter_width = 64,
		.cycle_counter = 0,
		.formats = formats,
	};
	if (!gpu)
		return;
	pmu->shown_gpu = (struct gpmu_source_gpu){
		.size = sizeof(pmu->shown_gpu),
		.uuid = gpu->uuid,
		.name = gpu->name,
		.chip = gpu->chip,
		.pci = gpu->pci,
	};
	pmu->shown.gpu = &pmu->shown_gpu;
	pmu->is_saved = source->options.load != NULL;
	sampler_init(&pmu->sampler, &source->library, gpu, &source->messages);
	pmu->sampler.saver = source->saver;
}

/* Removes the last PMU again if its GPU cannot be sampled. */
static int try_pmu(struct source *source, struct gpu *gpu, struct gpmu_error *error)
{
	struct pmu *pmu = &source->pmus[source->pmus_len - 1];
	int ret;

	if (source->options.wants_list)
		return 0;
	ret = sampler_try(&pmu->sampler, pmu->chip->host, &source->options, error);
	if (!ret)
		return 0;
	gpu->trouble = pmu->sampler.trouble;
	sampler_release(&pmu->sampler);
	source->pmus_len--;
	return ret;
}

/* Logs the whole text of a trouble, which the text of an error would cut. */
static void report_trouble(struct source *source, const struct gpu *gpu)
{
	messages_add(&source->messages, "%s: %s%s%s", gpu->uuid, gpu->trouble.text, *gpu->trouble.remedy ? ": " : "",
		     gpu->trouble.remedy);
}

/* A GPU that CUPTI cannot sample gets no PMU. That is no failure, as others may be sampled. */
static int add_gpu(struct source *source, struct gpu *gpu, struct gpmu_error *error)
{
	struct chip *chip;
	int ret = 0;

	if (!gpu_is_supported(&source->library, gpu, &gpu->trouble)) {
		report_trouble(source, gpu);
		return 0;
	}
	chip = source_chip(source, gpu->chip, &ret, error);
	if (chip) {
		add_pmu(source, gpu, chip);
		ret = try_pmu(source, gpu, error);
	}
	if (!ret || ret == -ENOMEM)
		return ret;
	if (gpu->trouble.kind) {
		report_trouble(source, gpu);
	} else {
		messages_add(&source->messages, "%s%s%s", chip ? "" : gpu->uuid, chip ? "" : ": ", error->text);
		trouble_set(&gpu->trouble, "other", "", "%s", error->text);
	}
	error->text[0] = '\0';
	return 0;
}

/* Several runs of a GPU in a file are one PMU. */
static int add_saved(struct source *source, struct gpu *gpu, struct gpmu_error *error)
{
	struct chip *chip;
	int ret = 0;

	for (size_t i = 0; i < source->pmus_len; i++)
		if (source->pmus[i].gpu && !strcmp(source->pmus[i].gpu->uuid, gpu->uuid))
			return 0;
	chip = source_chip(source, gpu->chip, &ret, error);
	if (chip)
		add_pmu(source, gpu, chip);
	return ret;
}

static int make_pmus(struct source *source, struct gpmu_error *error)
{
	size_t max = source->gpus_len + source->saved.length + 1;
	struct chip *chip;
	int ret = 0;

	source->chips = calloc(max, sizeof(*source->chips));
	source->pmus = calloc(max, sizeof(*source->pmus));
	if (!source->chips || !source->pmus)
		return fail_memory(error);
	for (size_t i = 0; i < source->saved.length && !ret; i++)
		ret = add_saved(source, &source->saved.runs[i].gpu, error);
	if (source->options.chip) {
		chip = source_chip(source, source->options.chip, &ret, error);
		if (chip)
			add_pmu(source, NULL, chip);
	}
	for (size_t i = 0; i < source->gpus_len && !ret; i++)
		ret = add_gpu(source, &source->gpus[i], error);
	for (size_t i = 0; i < source->pmus_len && !ret; i++)
		if (list_events(&source->pmus[i]))
			ret = fail_memory(error);
	return ret;
}

static void cupti_close(void *data)
{
	struct source *source = data;

	for (size_t i = 0; i < source->pmus_len; i++) {
		if (source->pmus[i].gpu)
			sampler_release(&source->pmus[i].sampler);
		free(source->pmus[i].listed);
	}
	saver_close(source->saver);
	saved_release(&source->saved);
	for (size_t i = 0; i < source->chips_len; i++) {
		events_release(&source->chips[i].events);
		host_free(source->chips[i].host);
	}
	free(source->pmus);
	free(source->chips);
	free(source->gpus);
	messages_release(&source->messages);
	options_release(&source->options);
	library_close(&source->library);
	free(source);
}

/* CUPTI may crash on images of a later version. */
static int check_saved(const struct source *source, struct gpmu_error *error)
{
	const struct library *library = &source->library;

	for (size_t i = 0; i < source->saved.length; i++) {
		int cuda = source->saved.runs[i].cuda;

		if (cuda > library->cuda_version)
			return fail(error, -EINVAL, "%.120s was saved with CUPTI of CUDA %d.%d, this machine has CUPTI of "
				    "CUDA %d.%d: install the former or a later one", source->options.load, cuda / 1000,
				    cuda % 1000 / 10, library->cuda_version / 1000,
				    library->cuda_version % 1000 / 10);
	}
	return 0;
}

static int open_library(struct source *source, struct gpmu_error *error)
{
	const struct options *options = &source->options;
	bool needs_gpus = !options->chip && !options->load;
	int ret = library_open(&source->library, needs_gpus, error);

	if (!ret && needs_gpus)
		ret = gpus_find(&source->library, &source->gpus, &source->gpus_len,
				&source->messages, error);
	if (!ret || ret == -ENOMEM || !options->wants_check)
		return ret;
	if (!source->library.trouble.kind)
		trouble_set(&source->library.trouble, "other", "", "%s", error->text);
	error->text[0] = '\0';
	return 0;
}

static int open_parts(struct source *source, struct gpmu_error *error)
{
	const struct options *options = &source->options;
	int ret = 0;

	if (options->load)
		ret = saved_load(&source->saved, options->load, error);
	if (!ret)
		ret = open_library(source, error);
	if (!ret)
		ret = check_saved(source, error);
	if (!ret && options->save)
		ret = saver_new(options->save, &source->messages, &source->saver, error);
	return ret ? ret : make_pmus(source, error);
}

static int cupti_open(void **data, const char *text, struct gpmu_error *error)
{
	struct source *source = calloc(1, sizeof(*source));
	int ret;

	if (!source)
		return fail_memory(error);
	stay_loaded();
	messages_init(&source->messages);
	ret = options_parse(&source->options, text, error);
	if (!ret)
		ret = open_parts(source, error);
	if (ret)
		cupti_close(source);
	else
		*data = source;
	return ret;
}

static const struct gpmu_source_pmu *cupti_pmu(void *data, size_t index)
{
	const struct source *source = data;

	return index < source->pmus_len ? &source->pmus[index].shown : NULL;
}

static const struct gpmu_source_event_info *cupti_event(void *data, size_t pmu, size_t index)
{
	const struct source *source = data;
	const struct pmu *owner;

	if (pmu >= source->pmus_len)
		return NULL;
	owner = &source->pmus[pmu];
	return index < owner->listed_len ? &owner->chip->events.events[owner->listed[index]]->info : NULL;
}

static const struct gpmu_source_event_info *cupti_event_find(void *data, size_t pmu, const char *name)
{
	struct source *source = data;
	struct event *event;

	if (pmu >= source->pmus_len)
		return NULL;
	event = events_find(&source->pmus[pmu].chip->events, name);
	if (!event)
		return NULL;
	return pmu_lacks(&source->pmus[pmu], event) ? &event->lacking : &event->info;
}

static int cupti_group_open(void *data, size_t pmu, const struct gpmu_source_event *events,
			    size_t length, void **result, struct gpmu_error *error)
{
	struct source *source = data;
	struct group *group = NULL;
	int ret;

	if (source->is_enabled)
		return fail(error, -EBUSY, "expected no group while the GPU is counted");
	if (pmu >= source->pmus_len || !length)
		return fail(error, -EINVAL, "expected events of a PMU below %zu", source->pmus_len);
	ret = groups_open(&source->pmus[pmu], events, length, &group, error);
	*result = group;
	return ret;
}

static int cupti_fits(void *data, size_t pmu, const struct gpmu_source_event *events, size_t length)
{
	struct source *source = data;

	return pmu < source->pmus_len && length ? groups_fit(&source->pmus[pmu], events, length) : -EINVAL;
}

static void cupti_group_close(void *data, void *group)
{
	(void)data;
	groups_close(group);
}

/* Starts all GPUs before it waits for the first sample of any. */
static int cupti_prepare(void *data, struct gpmu_error *error)
{
	struct source *source = data;
	int ret = 0;

	for (size_t i = 0; i < source->pmus_len && !ret; i++)
		ret = groups_prepare(&source->pmus[i], error);
	for (size_t i = 0; i < source->pmus_len && !ret; i++)
		groups_wait(&source->pmus[i]);
	return ret;
}

static int switch_all(struct source *source, uint64_t time, bool is_on)
{
	int ret = 0;

	if (is_on)
		replay_begin(source, time);
	for (size_t i = 0; i < source->pmus_len && !ret; i++)
		ret = groups_switch(&source->pmus[i], time, is_on);
	if (!ret)
		source->is_enabled = is_on;
	return ret;
}

static int cupti_enable(void *data, uint64_t time)
{
	struct source *source = data;
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	if (source->is_enabled)
		return -EINVAL;
	ret = cupti_prepare(source, &error);
	return ret ? ret : switch_all(source, time, true);
}

static int cupti_disable(void *data, uint64_t time)
{
	struct source *source = data;

	return source->is_enabled ? switch_all(source, time, false) : -EINVAL;
}

static int cupti_group_read(void *data, void *group, uint64_t time, struct gpmu_source_count *counts)
{
	(void)data;
	return groups_read(group, time, counts);
}

static const char *cupti_message(void *data)
{
	struct source *source = data;

	for (size_t i = 0; i < source->pmus_len; i++)
		if (source->pmus[i].gpu)
			sampler_report(&source->pmus[i].sampler, !source->is_enabled);
	return messages_take(&source->messages);
}

const struct gpmu_source_plugin gpmu_source_plugin = {
	.size = sizeof(gpmu_source_plugin),
	.abi = GPMU_SOURCE_ABI,
	.name = "cupti",
	.open = cupti_open,
	.close = cupti_close,
	.pmu = cupti_pmu,
	.group_open = cupti_group_open,
	.group_close = cupti_group_close,
	.enable = cupti_enable,
	.disable = cupti_disable,
	.group_read = cupti_group_read,
	.usage = OPTIONS_USAGE,
	.event_size = sizeof(struct gpmu_source_event),
	.count_size = sizeof(struct gpmu_source_count),
	.event = cupti_event,
	.event_find = cupti_event_find,
	.prepare = cupti_prepare,
	.message = cupti_message,
	.query = source_query,
	.fits = cupti_fits,
};
