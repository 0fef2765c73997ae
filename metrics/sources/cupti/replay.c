// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counts the samples of a file as if they were taken now. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_source.h"

/* The state of replay_run() for its images */
struct replay {
	const struct saved_run *run;
	struct evaluator evaluator;
	uint8_t *image;
	double *values;
	int (*each)(void *data, struct sample_time time, const double *values);
	void *data;
	struct gpmu_error *error;
};

static int replay_image(struct replay *replay, size_t index)
{
	const struct saved_run *run = replay->run;
	const struct saved_samples *saved = &run->images[index];
	size_t samples;
	int ret = 0, result;

	saved_image(run, index, replay->image);
	result = host_samples(replay->evaluator.library, replay->image, run->image_size, &samples);
	if (samples > saved->samples)
		samples = saved->samples;
	for (size_t i = 0; i < samples && !ret && !result; i++) {
		result = evaluator_values(&replay->evaluator, replay->image, run->image_size, i,
					  replay->values);
		if (!result && saved->times[i].start < saved->times[i].end)
			ret = replay->each(replay->data, saved->times[i], replay->values);
	}
	if (result)
		return fail(replay->error, -EINVAL, "CUPTI cannot evaluate the file's samples: %s (%d)",
			    library_text(replay->evaluator.library, result), result);
	return ret ? fail_memory(replay->error) : 0;
}

int replay_run(const struct host *host, const struct saved_run *run, const char *const *names,
	       size_t length, int (*each)(void *data, struct sample_time time, const double *values),
	       void *data, struct gpmu_error *error)
{
	struct replay replay = { .run = run, .each = each, .data = data, .error = error };
	int ret = evaluator_init(&replay.evaluator, host, names, length, error);

	replay.image = malloc(run->image_size + 1);
	replay.values = calloc(length, sizeof(*replay.values));
	if (!ret && (!replay.image || !replay.values))
		ret = fail_memory(error);
	for (size_t i = 0; i < run->images_len && !ret; i++)
		ret = replay_image(&replay, i);
	evaluator_release(&replay.evaluator);
	free(replay.image);
	free(replay.values);
	return ret;
}

static int count_sample(void *data, struct sample_time time, const double *values)
{
	struct pmu *pmu = data;

	if (!pmu->begin || time.start < pmu->begin)
		pmu->begin = time.start;
	pmu->sampler.samples++;
	return counts_add(&pmu->counts, time.start, time.end, values);
}

/* The file has the runs of a GPU in the order of time. */
int replay_prepare(struct pmu *pmu, struct gpmu_error *error)
{
	const struct saved *saved = &pmu->source->saved;
	int ret = 0;

	pmu->begin = 0;
	for (size_t i = 0; i < saved->length && !ret; i++)
		if (!strcmp(saved->runs[i].gpu.uuid, pmu->gpu->uuid))
			ret = replay_run(pmu->chip->host, &saved->runs[i], pmu->names, pmu->length,
					 count_sample, pmu, error);
	return ret;
}

static void shift(struct counts *counts, uint64_t by)
{
	for (size_t i = 0; i < counts->kept; i++) {
		size_t place = (counts->first + i) % counts->room;

		counts->times[place].start += by;
		counts->times[place].end += by;
	}
	counts->newest += by;
}

void replay_begin(struct source *source, uint64_t time)
{
	uint64_t begin = UINT64_MAX;

	for (size_t i = 0; i < source->pmus_len; i++)
		if (source->pmus[i].begin && source->pmus[i].begin < begin)
			begin = source->pmus[i].begin;
	for (size_t i = 0; i < source->pmus_len; i++) {
		if (source->pmus[i].begin)
			shift(&source->pmus[i].counts, time - begin);
		source->pmus[i].begin = 0;
	}
}
