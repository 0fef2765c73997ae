// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds functions while a recording is made. */
#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "perfdata/perfdata.h"
#include "profile/gpmu_profile.h"
#include "profile/profile_code.h"
#include "profile/cubin/profile_cubin.h"
#include "profile/profile_unwind.h"

struct gpmu_profile_symbols {
	struct gpmu_perfdata *perfdata;	/* parses records; without a file */
	struct gpmu_perfdata *samples;	/* parses samples with copies of stacks; NULL: there was none yet */
	struct utsname machine;
	struct gpmu_perfdata_info info;	/* the machine's name only */
	struct profile_tasks tasks;
	struct strings texts;
	struct profile_code code;
	struct profile_unwind unwind;
	struct map cubins;	/* struct profile_cubin *, by the address of its bytes */
	bool is_unsorted;
};

/* The layout of sample_id in the records */
static int set_layout(struct gpmu_profile_symbols *symbols)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr), .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	};

	return perfdata_events_add(&symbols->perfdata->events, &attr, sizeof(attr));
}

/* Functions are looked up in all maps up to now. */
static void sort(struct gpmu_profile_symbols *symbols)
{
	if (symbols->is_unsorted)
		profile_tasks_sort(&symbols->tasks);
	symbols->is_unsorted = false;
}

struct gpmu_profile_symbols *gpmu_profile_symbols_new(void)
{
	struct gpmu_profile_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->code.tasks = &symbols->tasks;
	symbols->code.info = &symbols->info;
	symbols->unwind.code = &symbols->code;
	if (!uname(&symbols->machine))
		symbols->info.arch = symbols->machine.machine;
	symbols->code.texts = &symbols->texts;
	symbols->code.is_kernel_known = true;
	symbols->perfdata = calloc(1, sizeof(*symbols->perfdata));
	if (!symbols->perfdata || set_layout(symbols) || profile_symbols_read_kernel(&symbols->code.kernel) ||
	    profile_code_begin(&symbols->code)) {
		gpmu_profile_symbols_free(symbols);
		return NULL;
	}
	return symbols;
}

static void free_cubin(void *cubin)
{
	profile_cubin_free(cubin);
}

void gpmu_profile_symbols_free(struct gpmu_profile_symbols *symbols)
{
	if (!symbols)
		return;
	profile_unwind_release(&symbols->unwind);
	map_release_objects(&symbols->cubins, free_cubin);
	profile_code_release(&symbols->code);
	profile_tasks_release(&symbols->tasks);
	strings_release(&symbols->texts);
	gpmu_perfdata_free(symbols->perfdata);
	gpmu_perfdata_free(symbols->samples);
	free(symbols);
}

int gpmu_profile_symbols_take(void *user, const struct perf_event_header *header)
{
	struct gpmu_profile_symbols *symbols = user;
	struct gpmu_perfdata_record record = {
		.type = header->type, .misc = header->misc, .body = header + 1, .size = header->size - sizeof(*header),
	};

	if (header->type != PERF_RECORD_MMAP2 && header->type != PERF_RECORD_COMM && header->type != PERF_RECORD_FORK)
		return 0;
	/* A record that cannot be parsed costs the functions of its map only. */
	if (perfdata_parse(symbols->perfdata, &record))
		return 0;
	symbols->is_unsorted = true;
	return profile_tasks_add(&symbols->tasks, &record);
}

int gpmu_profile_symbols_find(void *user, pid_t pid, uint64_t address, uint64_t time, const char **function,
			      const char **object)
{
	struct gpmu_profile_symbols *symbols = user;
	struct profile_range range = PROFILE_RANGE_ALL;
	struct profile_place place;

	sort(symbols);
	if (profile_code_find(&symbols->code, pid ? (uint32_t)pid : PROFILE_KERNEL, address, time, &range,
			      &place))
		return -ENOMEM;
	*function = strings_text(&symbols->texts, place.function - 1);
	*object = strings_text(&symbols->texts, place.object - 1);
	return 0;
}

int gpmu_profile_symbols_unwind(void *user, const struct perf_event_attr *attr, const struct perf_event_header *sample,
				uint64_t chain[GPMU_RECORDER_CHAIN], size_t *count)
{
	struct gpmu_profile_symbols *symbols = user;
	struct gpmu_perfdata_record record = {
		.type = sample->type, .misc = sample->misc, .body = sample + 1, .size = sample->size - sizeof(*sample),
	};

	*count = 0;
	if (!symbols->samples) {
		symbols->samples = calloc(1, sizeof(*symbols->samples));
		if (!symbols->samples || perfdata_events_add(&symbols->samples->events, attr, sizeof(*attr)))
			return -ENOMEM;
	}
	sort(symbols);
	return perfdata_parse(symbols->samples, &record) ? 0 : profile_unwind_chain(&symbols->unwind, &record, chain, count);
}

int gpmu_profile_symbols_lines(void *user, const void *cubin, size_t size, const char *function,
			       uint64_t offset, struct gpmu_recorder_line list[GPMU_RECORDER_LINES],
			       size_t *count)
{
	struct gpmu_profile_symbols *symbols = user;
	union map_cell *cell = map_add(&symbols->cubins, (uintptr_t)cubin, NULL);

	*count = 0;
	if (cell && !cell->pointer)
		cell->pointer = profile_cubin_new(cubin, size);
	if (!cell || !cell->pointer)
		return -ENOMEM;
	*count = profile_cubin_lines(cell->pointer, function, offset, list);
	return 0;
}
