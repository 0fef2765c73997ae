// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Replays a recording of tests/gpu/recorder: the GPUs, and of the first GPU the samples of the run, from a Start to the
 * next, that has most of them. Samples keep their times since Start.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define NAMES	300
#define LINE	16384

static struct run {
	struct fake_sample *samples;
	double *values;		/* sample by sample */
	size_t length, size;
} best;
static char names[NAMES][128];
static size_t names_length;

static void free_run(struct run *run)
{
	free(run->samples);
	free(run->values);
	*run = (struct run){ 0 };
}

void fake_replay_end(void)
{
	free_run(&best);
	names_length = 0;
}

bool fake_replays(void)
{
	return best.length;
}

bool fake_replayed(size_t index, struct fake_sample *result)
{
	if (index >= best.length)
		return false;
	*result = best.samples[index];
	return true;
}

double fake_replayed_value(size_t index, const char *name)
{
	for (size_t i = 0; i < names_length; i++)
		if (!strcmp(names[i], name) && index < best.length)
			return best.values[index * names_length + i];
	return NAN;
}

/* Finds KEY=VALUE in a line and copies the value up to the next tab */
static bool get(const char *line, const char *key, char *value, size_t size)
{
	char with[32];
	const char *begin;
	int length = snprintf(with, sizeof(with), "\t%s=", key);

	begin = strstr(line, with);
	if (!begin)
		return false;
	begin += length;
	snprintf(value, size, "%.*s", (int)strcspn(begin, "\t\n"), begin);
	return true;
}

static void read_names(char *text)
{
	char *state = NULL;

	names_length = 0;
	for (char *name = strtok_r(text, "\t\n", &state); name && names_length < NAMES;
	     name = strtok_r(NULL, "\t\n", &state))
		snprintf(names[names_length++], sizeof(names[0]), "%s", name);
}

static void add_sample(struct run *run, char *text)
{
	int64_t start = strtol(text, &text, 10), length = strtol(text, &text, 10);
	struct fake_sample *sample;

	if (run->length == run->size) {
		run->size = run->size ? 2 * run->size : 256;
		run->samples = reallocarray(run->samples, run->size, sizeof(*run->samples));
		run->values = reallocarray(run->values, run->size, names_length * sizeof(double));
		if (!run->samples || !run->values)
			abort();
	}
	sample = &run->samples[run->length];
	sample->start = (run->length ? sample[-1].end : 0) + start;
	sample->end = sample->start + length;
	for (size_t i = 0; i < names_length; i++)
		run->values[run->length * names_length + i] = strtod(text, &text);
	run->length++;
}

/* Marks units without any value as absent */
static void set_absent(struct fake_gpu *gpu)
{
	struct fake_name name;

	for (size_t i = 0; i < names_length && best.length; i++) {
		size_t used = strlen(gpu->absent);

		if (isnan(best.values[i]) && fake_find(names[i], &name))
			snprintf(gpu->absent + used, sizeof(gpu->absent) - used, ",%s",
				 name.metric->unit);
	}
}

static void read_gpu(struct fake_gpu *gpu, const char *line)
{
	get(line, "uuid", gpu->uuid, sizeof(gpu->uuid));
	get(line, "name", gpu->name, sizeof(gpu->name));
	get(line, "chip", gpu->chip, sizeof(gpu->chip));
	get(line, "pci", gpu->pci, sizeof(gpu->pci));
}

static void end_run(struct run *run)
{
	if (run->length > best.length) {
		free_run(&best);
		best = *run;
	} else {
		free_run(run);
	}
	*run = (struct run){ 0 };
}

void fake_replay(const char *path)
{
	struct fake_gpu list[FAKE_GPUS] = { 0 };
	char line[LINE], function[64], code[16], device[16];
	FILE *file = fopen(path, "re");
	struct run run = { 0 };

	if (!file) {
		perror(path);
		abort();
	}
	fake_replay_end();
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "sample\t0\t", 9) && names_length)
			add_sample(&run, line + 9);
		/* Failed calls have no data about a GPU. */
		if (sscanf(line, "call\t%*[0-9]\t%*[0-9]\t%63s\t%15[0-9]", function, code) != 2 ||
		    strcmp(code, "0") != 0)
			continue;
		if (!strcmp(function, "cuptiPmSamplingStart"))
			end_run(&run);
		if (!strcmp(function, "metrics")) {
			end_run(&run);
			read_names(strstr(line, "metrics") + strlen("metrics\t0\t"));
		} else if (get(line, "device", device, sizeof(device))) {
			read_gpu(&list[strtoul(device, NULL, 10) % FAKE_GPUS], line);
		}
	}
	end_run(&run);
	fclose(file);
	set_absent(&list[0]);
	fake_clear_gpus();
	for (size_t i = 0; i < FAKE_GPUS && list[i].uuid[0]; i++)
		fake_add_gpu(&list[i]);
}
