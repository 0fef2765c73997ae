// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "output/output.h"
#include "output/unfinished.h"
#include "run/child.h"
#include "run/count.h"
#include "stat/stat_plan.h"
#include "stat/stat_regions.h"

/* Its file has a path if gpmu has capabilities. */
static struct gpmu_marks *volatile unfinished;

static void delete_file(void)
{
	if (unfinished)
		gpmu_marks_delete_file(unfinished);
}

/* Creates the marks, whose file does not outlive gpmu if a signal ends it. */
static struct gpmu_marks *make_marks(const char *list, const struct gpmu_options *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	sigset_t mask;

	unfinished_remove_by(delete_file);
	count_hold_signals(&mask);
	unfinished = gpmu_marks_new(list, options, &error);
	if (!unfinished)
		die("%s", error.text);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return unfinished;
}

static void free_marks(void)
{
	struct gpmu_marks *marks = unfinished;

	unfinished = NULL;
	gpmu_marks_free(marks);
}

/* The lists of -e and -M as one; the caller frees it. */
static char *join_requests(const struct stat_options *stat)
{
	const struct common *common = &stat->common;
	char *list = print_text("%s", common->request_count ? common->requests[0].list :
				stat_default_events);

	for (size_t i = 1; i < common->request_count; i++) {
		char *longer = print_text("%s,%s", list, common->requests[i].list);

		free(list);
		list = longer;
	}
	return list;
}

/* --source and --gpu */
static void gather_sources(const struct common *common, struct texts *sources)
{
	if (common->wants_gpu)
		texts_add(sources, "nvml");
	for (size_t i = 0; i < common->sources.length; i++)
		texts_add(sources, common->sources.list[i]);
	if (common->wants_gpu)
		texts_add(sources, "cupti");
}

/*
 * Opens the counters once in this process: the command would fail in the same way, but only at
 * its first mark.
 */
static void try_counters(const char *list, const struct gpmu_options *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *gpmu = gpmu_open(list, options, &error);

	if (!gpmu)
		die("%s", error.text);
	gpmu_close(gpmu);
}

static void run_command(const struct stat_options *stat, struct gpmu_marks *marks,
			const char *list, const struct gpmu_options *options,
			struct count_end *end)
{
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
	struct count count = { .argv = stat->argv };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan;
	struct child child;
	sigset_t mask;

	/* The command starts before plugins are loaded: see count_begin(). */
	count_begin(&child, stat->argv, gpmu_marks_environment(marks), &mask);
	try_counters(list, options);
	machine = need_memory(gpmu_machine_new(NULL, &error));
	catalog = need_memory(gpmu_catalog_new(NULL, &error));
	/* Nothing is counted here: the command counts itself. */
	plan = need_memory(gpmu_plan_new(machine, catalog, NULL, &error));
	if (gpmu_plan_make(plan, &error))
		die("%s", error.text);
	count.plan = plan;
	count.child = &child;
	count.mask = &mask;
	gpmu_session_free(count_run(&count, end));
	count_heed_signals(&mask);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
}

static void show_warning(const char *line, void *user)
{
	(void)user;
	warn("%s", line);
}

static void print(const struct stat_options *stat, struct gpmu_marks *marks)
{
	const bool is_table = stat_format(stat) == GPMU_SINK_SUMMARY;
	struct output output = { 0 };
	int ret = output_open(&output, stat->path, stat->wants_append ? OUTPUT_APPEND : OUTPUT_REPLACE, stderr);

	if (ret)
		die_output(stat->path, stderr, ret);
	if (is_table) {
		output_started(&output, time(NULL));
		fprintf(output.file, "\n Performance counter stats for the regions of '");
		for (char **arg = stat->argv; *arg; arg++) {
			fputs(arg == stat->argv ? "" : " ", output.file);
			gpmu_shown_print(output.file, *arg);
		}
		fprintf(output.file, "':\n\n");
	}
	ret = gpmu_marks_print(marks, output.file, show_warning, NULL);
	if (ret >= 0 && is_table)
		fprintf(output.file, "\n");
	ret = ret < 0 ? ret : output_close(&output);
	if (ret)
		die_output(stat->path, stderr, ret);
}

int stat_regions(const struct stat_options *stat)
{
	const bool is_per_thread = stat->aggregation.by == GPMU_AGGREGATE_THREAD;
	struct gpmu_options options = {
		.size = sizeof(options),
		.catalogs = stat->common.events.list,
		.catalog_count = stat->common.events.length,
		.aggregation = is_per_thread ? GPMU_AGGREGATE_MACHINE : stat->aggregation.by,
		.per_thread = is_per_thread,
		.format = stat_format(stat),
		.separator = stat->separator,
	};
	char *list = join_requests(stat);
	struct texts sources = { 0 };
	struct gpmu_marks *marks;
	struct count_end end;

	gather_sources(&stat->common, &sources);
	options.sources = sources.list;
	options.source_count = sources.length;
	marks = make_marks(list, &options);
	run_command(stat, marks, list, &options, &end);
	if (end.signal && end.signal != SIGINT && end.signal != SIGPIPE)
		say("%s: %s", stat->argv[0], strsignal(end.signal));
	if (end.is_executed)
		print(stat, marks);
	free_marks();
	free(sources.list);
	free(list);
	return end.status;
}
