// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Queries, answered in JSON:
 *   "chips"		names of the chips that CUPTI knows
 *   "chip"		the chip of chip=, or those of the GPUs: an array of names
 *   "metrics"		metrics of the chip of chip=, or of the first GPU: an array of objects
 *			with name, type, description, hw_unit, unit, and sub_metrics, the suffixes
 *			that make names of events
 *   "metrics passes"	the same with the passes that the natural suffix needs; takes seconds
 *   "ranges NAME NAME..."	the passes that the range profiler needs for these metrics of the chip: an array of an
 *			object with chip, passes, and units, an array of the unit of each metric. An error names the
 *			metric that the chip lacks
 *   "sampling"		statistics of each GPU's sampling: an array of objects with uuid; interval, in
 *			ns or, if trigger is "sysclk", in cycles; samples, their number; gaps, an
 *			object with a member for each reason, the number of gaps and their ns; buffer
 *			and image, in bytes; image_samples, the room of the image
 *   "check"		driver, CUPTI and GPUs, and why a GPU cannot be sampled; with the option check
 *			open() does not fail either. An object with driver, the driver's CUDA version
 *			or null; cupti, null or an object with path, version, of its API, and cuda,
 *			its CUDA version; trouble, the reason why no GPU can be sampled, or null; gpus,
 *			an array of objects with index, uuid, name, chip, pci and trouble. A trouble
 *			has kind, a word, text, and remedy, null if none is known
 *   "samples"		the content of the file of load=: an array of objects, one for each run, with
 *			uuid, chip, trigger, interval, metrics, their names, and samples: for each an
 *			array of its start and end, CLOCK_MONOTONIC_RAW in ns, and the values of the
 *			metrics, null without a value
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_source.h"

static json_t *text_array(const char *const *texts, size_t length)
{
	json_t *array = json_array();

	for (size_t i = 0; i < length; i++)
		json_array_append_new(array, json_string(texts[i]));
	return array;
}

static json_t *chips(struct source *source)
{
	const char *const *names = NULL;
	size_t length = host_chips(&source->library, &names);

	return text_array(names, length);
}

static json_t *own_chips(const struct source *source)
{
	json_t *array = json_array();

	for (size_t i = 0; i < source->chips_len; i++)
		json_array_append_new(array, json_string(source->chips[i].name));
	return array;
}

static json_t *suffixes(const struct host *host, const struct host_metric *metric)
{
	const char *const *list = NULL;
	size_t length = host_suffixes(host, metric, &list);

	return text_array(list, length);
}

static json_t *describe(struct chip *chip, struct event *event, bool wants_passes)
{
	const struct host_metric *metric = event->metric;
	json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o*}", "name", metric->name,
				   "type", host_type(metric->type), "description", metric->description,
				   "hw_unit", metric->hw_unit, "unit", metric->unit, "event", event->name,
				   "sub_metrics", suffixes(chip->host, metric));

	if (wants_passes) {
		events_find(&chip->events, event->name);
		json_object_set_new(object, "passes", json_integer(event->info.passes));
	}
	return object;
}

static json_t *metrics(struct source *source, bool wants_passes)
{
	struct chip *chip = &source->chips[0];
	json_t *array = json_array();

	for (size_t i = 0; i < chip->events.listed; i++)
		json_array_append_new(array, describe(chip, chip->events.events[i], wants_passes));
	return array;
}

/* Splits names at blanks, in place. Returns their number, or -ENOMEM. */
static ssize_t split(char *text, const char ***names)
{
	size_t length = 0;

	for (char *name = strtok_r(text, " ", &text); name; name = strtok_r(NULL, " ", &text)) {
		const char **longer = reallocarray(*names, length + 1, sizeof(**names));

		if (!longer)
			return -ENOMEM;
		*names = longer;
		(*names)[length++] = name;
	}
	return (ssize_t)length;
}

/* Sets the error to that of the first metric that fails alone, if one does. Returns -errno. */
static int blame(const struct host *host, const char *const *names, size_t length, int ret, struct gpmu_error *error)
{
	struct host_config config;

	for (size_t i = 0; i < length && length > 1; i++) {
		int alone = host_configure(host, &names[i], 1, &config, error);

		host_config_release(&config);
		if (alone)
			return alone;
	}
	return ret;
}

static json_t *units_of(const struct host *host, const char *const *names, size_t length)
{
	struct host_metric *metrics = host_describe(host, names, length);
	json_t *array = json_array();

	for (size_t i = 0; i < length; i++) {
		const char *suffix = host_suffix(names[i]);
		char *unit = metrics && suffix ? events_unit(&metrics[i], suffix) : NULL;

		json_array_append_new(array, json_string(unit ? unit : ""));
		free(unit);
	}
	host_metrics_free(metrics, length);
	return array;
}

static json_t *ranges(struct source *source, const char *list, int *ret, struct gpmu_error *error)
{
	const struct chip *chip = &source->chips[0];
	const struct host host = {
		.library = &source->library, .chip = (char *)chip->name, .type = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
	};
	struct host_config config = { .image = NULL };
	char *text = strdup(list);
	const char **names = NULL;
	ssize_t length = text ? split(text, &names) : -ENOMEM;
	json_t *answer = NULL;

	*ret = length < 0 ? fail_memory(error) : !length ? fail(error, -EINVAL, "ranges: expected names of metrics") :
	       host_configure(&host, names, (size_t)length, &config, error);
	if (*ret && length > 1)
		*ret = blame(&host, names, (size_t)length, *ret, error);
	if (!*ret)
		answer = json_pack("[{s:s, s:I, s:o}]", "chip", chip->name, "passes", (json_int_t)config.passes,
				   "units", units_of(&host, names, (size_t)length));
	host_config_release(&config);
	free(names);
	free(text);
	return answer;
}

static json_t *gaps_of(const struct sampler *sampler)
{
	json_t *object = json_object();

	for (enum gap gap = 0; gap < GAPS; gap++)
		if (sampler->gaps[gap].number)
			json_object_set_new(object, sampler_gap(gap),
					    json_pack("{s:I, s:I}",
						      "number", (json_int_t)sampler->gaps[gap].number,
						      "ns", (json_int_t)sampler->gaps[gap].length));
	return object;
}

static json_t *sampling(struct source *source)
{
	json_t *array = json_array();

	for (size_t i = 0; i < source->pmus_len; i++) {
		struct sampler *sampler = &source->pmus[i].sampler;

		if (!source->pmus[i].gpu)
			continue;
		pthread_mutex_lock(&sampler->lock);
		json_array_append_new(array, json_pack(
			"{s:s, s:s, s:I, s:I, s:o*, s:I, s:I, s:I}", "uuid", sampler->gpu->uuid,
			"trigger", sampler->trigger == TRIGGER_SYSCLK ? "sysclk" : "time",
			"interval", (json_int_t)sampler->interval,
			"samples", (json_int_t)sampler->samples, "gaps", gaps_of(sampler),
			"buffer", (json_int_t)sampler->buffer, "image", (json_int_t)sampler->image_size,
			"image_samples", (json_int_t)sampler->image_samples));
		pthread_mutex_unlock(&sampler->lock);
	}
	return array;
}

/* A growing array of samples, and their number of metrics */
struct samples {
	json_t *array;
	size_t length;
};

static int append_sample(void *data, struct sample_time time, const double *values)
{
	struct samples *samples = data;
	json_t *sample = json_pack("[I, I]", (json_int_t)time.start, (json_int_t)time.end);

	for (size_t i = 0; i < samples->length; i++)
		json_array_append_new(sample, isfinite(values[i]) ? json_real(values[i]) : json_null());
	return json_array_append_new(samples->array, sample) ? -ENOMEM : 0;
}

static json_t *run_of(struct source *source, const struct saved_run *run, int *ret,
		      struct gpmu_error *error)
{
	struct chip *chip = source_chip(source, run->gpu.chip, ret, error);
	struct samples samples = { .length = run->names_len };

	if (!chip)
		return NULL;
	samples.array = json_array();
	*ret = replay_run(chip->host, run, (const char *const *)run->names, run->names_len, append_sample,
			  &samples, error);
	if (*ret) {
		json_decref(samples.array);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o}", "uuid", run->gpu.uuid, "chip", run->gpu.chip,
			 "trigger", run->is_sysclk ? "sysclk" : "time", "interval",
			 (json_int_t)run->interval, "metrics",
			 text_array((const char *const *)run->names, run->names_len), "samples", samples.array);
}

static json_t *samples_of(struct source *source, int *ret, struct gpmu_error *error)
{
	json_t *array = json_array();

	for (size_t i = 0; i < source->saved.length && !*ret; i++)
		json_array_append_new(array, run_of(source, &source->saved.runs[i], ret, error));
	return array;
}

int source_query(void *data, const char *question, char **answer, struct gpmu_error *error)
{
	struct source *source = data;
	json_t *json;
	int ret = 0;

	errno = 0;
	if (!strcmp(question, "check"))
		json = source_check(source);
	else if (!source->library.cupti_handle)
		return trouble_fail(&source->library.trouble, NULL, -ENODEV, error);
	else if (!strcmp(question, "chips"))
		json = chips(source);
	else if (!strcmp(question, "sampling"))
		json = sampling(source);
	else if (!strcmp(question, "samples"))
		json = samples_of(source, &ret, error);
	else if (!strcmp(question, "chip"))
		json = own_chips(source);
	else if (!strncmp(question, "ranges ", 7) && source->chips_len)
		json = ranges(source, question + 7, &ret, error);
	else if (strcmp(question, "metrics") && strcmp(question, "metrics passes"))
		return fail(error, -ENOENT, "expected chips, chip, metrics, metrics passes, ranges, sampling, check "
			    "or samples, found \"%.32s\"", question);
	else if (!source->chips_len)
		return fail(error, -ENODEV, "no GPU can be sampled: name a chip by chip=");
	else
		json = metrics(source, strcmp(question, "metrics"));
	if (ret) {
		json_decref(json);
		*answer = NULL;
		return ret;
	}
	*answer = answer_text(json);
	return *answer ? 0 : fail_memory(error);
}
