// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn: opening the counters of a program, its regions in two threads,
 * and their rows and table.
 */
#include <pthread.h>

#include "alloc.h"
#include "count/kernel-test.h"
#include "gpmu.h"
#include "plugin/source-fake.h"
#include "plugin/source-paths.h"

#define STEADY	MODEL "=metrics/sources/model/scenarios/steady.scenario"
#define REGIONS	20	/* more than the first tables hold */

static struct fake_state state;
static const char *sources[] = { STEADY };
static const char *list;
static struct gpmu_options options = {
	.size = sizeof(options), .sources = sources, .source_count = 1,
};

static int open_and_close(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const int before = open_files();
	struct gpmu *gpmu = gpmu_open(list, &options, &error);
	int ret = gpmu ? 0 : -errno;

	gpmu_close(gpmu);
	if (open_files() == before && (ret != -ENOMEM || strstr(error.text, "memory")))
		return ret;
	diag("%d files were open, and %d are: %s", before, open_files(), error.text);
	return 1;
}

/* Opens without failures. */
static struct gpmu *open_surely(void)
{
	const int left = alloc_left;
	struct gpmu *gpmu;

	alloc_left = -1;
	gpmu = gpmu_open(list, &options, NULL);
	alloc_left = left;
	if (gpmu)
		return gpmu;
	printf("Bail out! %s cannot be opened\n", list);
	exit(1);
}

static int visit(struct gpmu *gpmu, const char *name)
{
	int ret = gpmu_begin(gpmu, name);

	/* A region that has begun can be ended. */
	if (!ret && gpmu_end(gpmu, name))
		ret = 1;
	return ret;
}

static int begin_regions(struct gpmu *gpmu)
{
	char name[24];
	int ret = 0;

	for (int i = 0; i < REGIONS && !ret; i++) {
		snprintf(name, sizeof(name), "%d", i);
		ret = visit(gpmu, name);
	}
	/* A failed begin leaves no region open. */
	if (gpmu_end(gpmu, "0") != -EINVAL)
		ret = 1;
	return ret;
}

static int regions(void)
{
	struct gpmu *gpmu = open_surely();
	int ret = begin_regions(gpmu);

	gpmu_close(gpmu);
	return ret;
}

static struct gpmu *opened;
static int begun;		/* regions of the thread */

static void *work(void *unused)
{
	char name[24];

	for (begun = 0; begun < REGIONS; begun++) {
		snprintf(name, sizeof(name), "%d", begun);
		if (visit(opened, name))
			break;
	}
	return unused;
}

/* Returns whether each region of the thread has one visit. */
static bool is_counted_once(void)
{
	char name[24];
	bool is_once = true;

	for (int i = 0; i < REGIONS; i++) {
		snprintf(name, sizeof(name), "%d", i);
		is_once = is_once && gpmu_visits(opened, name) == (i < begun);
	}
	return is_once;
}

/* A thread whose counts cannot be copied at its end keeps its counters. */
static int thread_ends(void)
{
	pthread_t thread;
	int left;
	bool is_once;

	opened = open_surely();
	left = alloc_left;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	left = left >= 0 && alloc_left < 0 ? -ENOMEM : 0;
	if (left)
		is_once = is_counted_once();
	else
		is_once = begun == REGIONS;
	gpmu_close(opened);
	return is_once ? left : 1;
}

static int rows_and_table(void)
{
	struct gpmu *gpmu = open_surely();
	const int left = alloc_left;
	const struct gpmu_rows *rows;
	FILE *file;
	int ret;

	alloc_left = -1;
	file = fopen("/dev/null", "we");
	begin_regions(gpmu);
	alloc_left = left;
	ret = gpmu_get_rows(gpmu, "0", &rows);
	if (!ret)
		ret = gpmu_print(gpmu, file);
	/* The next call succeeds. */
	if (ret && (gpmu_get_rows(gpmu, "0", &rows) || !gpmu_rows_at(rows, 0) || gpmu_print(gpmu, file)))
		ret = 1;
	fclose(file);
	gpmu_close(gpmu);
	return ret;
}

/* The source cannot be read at the end of a region, and its reason needs memory. */
static int end_of_lost(void)
{
	struct gpmu *gpmu = open_surely();
	const struct gpmu_rows *rows;
	int left = alloc_left, ret;

	alloc_left = -1;
	gpmu_begin(gpmu, "a");
	state.read = -EIO;
	alloc_left = left;
	ret = gpmu_end(gpmu, "a");
	left = alloc_left;
	alloc_left = -1;
	state.read = 0;
	/* The region has ended nevertheless, so the next visit ends, too. */
	if (visit(gpmu, "a") || gpmu_get_rows(gpmu, "a", &rows) || !gpmu_rows_at(rows, 0)->time_end)
		ret = 1;
	alloc_left = left;
	gpmu_close(gpmu);
	return ret;
}

int main(void)
{
	char spec[600];

	list = "GraceMemBW,duration_time";
	alloc_fail_each(open_and_close, 100, "measure: opening counters of the machine");
	alloc_fail_each(regions, 40, "measure: beginning regions");
	alloc_fail_each(rows_and_table, 4, "measure: getting rows and printing a table");
	alloc_fail_each(thread_ends, 40, "measure: the end of a thread");
	options.per_thread = 1;
	alloc_fail_each(thread_ends, 40, "measure: the end of a thread with per_thread");
	alloc_fail_each(rows_and_table, 4, "measure: getting rows and printing a table with per_thread");
	snprintf(spec, sizeof(spec), "%s=%p", FAKE, (void *)&state);
	sources[0] = spec;
	list = "fake_0/one/";
	alloc_fail_each(end_of_lost, 1, "measure: the end of a region of a source that is lost");
	sources[0] = STEADY;
	list = "page-faults:u";
	if (kernel_counts()) {
		alloc_fail_each(open_and_close, 100, "measure: opening counters of threads");
		alloc_fail_each(thread_ends, 40, "measure: the end of a thread that counts itself");
	} else {
		skip("measure: opening counters of threads",
		     "this kernel does not let this user count events");
	}
	return done_testing();
}
