// SPDX-License-Identifier: LGPL-2.1-or-later
/* The plugin's table. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "nvml_source.h"

static int parse_period(struct source *source, const char *text, size_t length, struct gpmu_error *error)
{
	unsigned long ms;
	char *end;

	ms = strtoul(text, &end, 10);
	if (end == text || end != text + length || *text == '-' || ms < PERIOD_MIN || ms > PERIOD_MAX)
		return fail(error, -EINVAL, "period: expected ms from %d to %d, found \"%.*s\"",
			    PERIOD_MIN, PERIOD_MAX, (int)(length < 64 ? length : 64), text);
	source->period = (unsigned int)ms;
	return 0;
}

static int parse(struct source *source, const char *options, struct gpmu_error *error)
{
	static const char period[] = "period=", check[] = "check";
	const char *pos = options;
	int ret = 0;

	source->period = PERIOD_MS;
	while (*pos && !ret) {
		size_t length = strcspn(pos, ","), offset = (size_t)(pos - options);

		if (length == strlen(check) && !strncmp(pos, check, length)) {
			source->wants_check = true;
		} else if (!strncmp(pos, period, strlen(period))) {
			offset += strlen(period);
			ret = parse_period(source, pos + strlen(period), length - strlen(period), error);
		} else {
			ret = fail(error, -EINVAL, "expected %s, found \"%.64s\"", NVML_USAGE, pos);
		}
		pos += length;
		if (!ret && *pos && !pos[1]) {
			offset = (size_t)(pos - options);
			ret = fail(error, -EINVAL, "expected %s, found \"%s\"", NVML_USAGE, pos);
		}
		pos += *pos == ',';
		error->offset = ret ? offset : 0;
	}
	return ret;
}

static void init_locks(struct source *source)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&source->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&source->wake, &attr);
	pthread_condattr_destroy(&attr);
	messages_init(&source->messages);
}

static void close_source(void *data)
{
	struct source *source = data;

	nv_stop(source);
	nv_release_gpus(source);
	nv_unload(&source->api);
	messages_release(&source->messages);
	pthread_cond_destroy(&source->wake);
	pthread_mutex_destroy(&source->lock);
	free(source);
}

/* With the option check only lack of memory is a failure. */
static int find_gpus(struct source *source, struct gpmu_error *error)
{
	int ret = nv_load(&source->api, &source->trouble);

	if (!ret) {
		ret = nv_find_gpus(source, error);
		if (!ret || ret == -ENOMEM)
			return ret;
		trouble_set(&source->trouble, "gpu", "", "%s", error->text);
		error->text[0] = '\0';
	}
	return source->wants_check ? 0 : trouble_fail(&source->trouble, NULL, ret, error);
}

static int open_source(void **data, const char *options, struct gpmu_error *error)
{
	struct source *source = calloc(1, sizeof(*source));
	int ret;

	if (!source)
		return fail(error, -ENOMEM, "NVML: %s", ERROR_NO_MEMORY);
	init_locks(source);
	ret = parse(source, options, error);
	if (!ret)
		ret = find_gpus(source, error);
	if (ret)
		close_source(source);
	else
		*data = source;
	return ret;
}

static const struct gpmu_source_pmu *get_pmu(void *data, size_t index)
{
	const struct source *source = data;

	return index < source->pmu_count ? &source->pmus[index]->shown : NULL;
}

static const struct gpmu_source_event_info *get_event(void *data, size_t pmu, size_t index)
{
	const struct source *source = data;
	struct gpu_pmu *owner;
	size_t length;

	if (pmu >= source->pmu_count)
		return NULL;
	owner = source->pmus[pmu];
	nv_events(owner->kind, &length);
	for (; owner->listed_len <= index && owner->looked_at < length; owner->looked_at++)
		if (!nv_has_event(owner, owner->looked_at))
			owner->listed[owner->listed_len++] = owner->looked_at;
	return index < owner->listed_len ? &owner->infos[owner->listed[index]] : NULL;
}

static const struct gpmu_source_event_info *find_event(void *data, size_t pmu, const char *name)
{
	const struct source *source = data;
	const struct nv_event *list;
	size_t length;

	if (pmu >= source->pmu_count)
		return NULL;
	list = nv_events(source->pmus[pmu]->kind, &length);
	for (size_t i = 0; i < length; i++)
		if (!strcmp(list[i].name, name))
			return nv_info(source->pmus[pmu], i);
	return nv_foreign(source->pmus[pmu], name);
}

static const char *get_message(void *data)
{
	struct source *source = data;

	return messages_take(&source->messages);
}

const struct gpmu_source_plugin gpmu_source_plugin = {
	.size = sizeof(gpmu_source_plugin),
	.abi = GPMU_SOURCE_ABI,
	.name = "nvml",
	.open = open_source,
	.close = close_source,
	.pmu = get_pmu,
	.group_open = nv_group_open,
	.group_close = nv_group_close,
	.enable = nv_enable,
	.disable = nv_disable,
	.group_read = nv_group_read,
	.usage = NVML_USAGE,
	.event_size = sizeof(struct gpmu_source_event),
	.count_size = sizeof(struct gpmu_source_count),
	.event = get_event,
	.event_find = find_event,
	.prepare = nv_prepare,
	.message = get_message,
	.query = nv_query,
};
