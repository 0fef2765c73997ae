// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stat/stat_output.h"
#include "stat/stat_sections.h"

/* "'./app -n 3'", "'system wide'", "'CPU(s) 0-3'", "process id '123'" */
static char *title_of(const struct stat_options *options)
{
	char *title = NULL;
	size_t size;
	FILE *file;

	if (options->cpus)
		return print_text("'CPU(s) %s'", options->cpus);
	if (options->is_system_wide)
		return print_text("'system wide'");
	if (options->pids.length)
		return print_text("process id '%s'", options->pids.text);
	if (options->tids.length)
		return print_text("thread id '%s'", options->tids.text);
	file = need_memory(open_memstream(&title, &size));
	for (char **arg = options->argv; *arg; arg++)
		fprintf(file, "%s%s", arg == options->argv ? "'" : " ", *arg);
	putc('\'', file);
	if (fclose(file))
		die_no_memory();
	return title;
}

void stat_output_open(struct stat_output *output, const struct stat_options *options)
{
	enum output_mode mode = options->wants_append ? OUTPUT_APPEND :
				options->interval ? OUTPUT_WRITE : OUTPUT_REPLACE;
	struct gpmu_sink_options sink = {
		.size = sizeof(sink),
		.separator = options->separator,
		.interval = options->interval > 0,
		.held = options->interval > 0,
		.big_numbers = !options->wants_no_big_num,
		.aggregation = options->aggregation.by,
		.metric_only = options->wants_metric_only,
		.clear = options->wants_clear,
		.cgroups = options->cgroups.list != NULL,
		.runs = options->runs,
		.heading = options->sections.requests.length ? stat_sections_heading : NULL,
		.user = (void *)options,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	char *title = title_of(options);
	int ret;

	*output = (struct stat_output){ .options = options };
	ret = output_open(&output->out, options->path, mode, stderr);
	if (ret)
		die_output(options->path, stderr, ret);
	sink.title = title;
	sink.color = common_wants_color(&options->common, output->out.file);
	output->sink = gpmu_sink_new(stat_format(options), output->out.file, &sink, &error);
	if (!output->sink)
		die("-x: %s", error.text);
	if (!options->wants_json)
		output_started(&output->out, time(NULL));
	free(title);
}

static void fail(struct stat_output *output, int error)
{
	say_output(output->options->path, stderr, error);
	output->has_failed = true;
}

bool stat_output_rows(const struct gpmu_rows *rows, void *user)
{
	struct stat_output *output = user;
	const struct gpmu_row *row;
	int ret = gpmu_sink_rows(output->sink, rows);

	if (ret) {
		fail(output, ret);
		return false;
	}
	for (size_t i = 0; output->options->is_strict && rows && (row = gpmu_rows_at(rows, i)); i++)
		strict_note(&output->reasons, row, output->options->runs);
	return true;
}

void stat_output_end(struct stat_output *output, const struct gpmu_sink_end *end)
{
	int ret;

	if (output->has_failed)
		return;
	ret = gpmu_sink_end(output->sink, end);
	if (!ret)
		ret = output_close(&output->out);
	if (ret)
		fail(output, ret);
}

void stat_output_release(struct stat_output *output)
{
	strict_release(&output->reasons);
	gpmu_sink_free(output->sink);
	output_drop(&output->out);
}
