// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "output/output.h"
#include "output/table.h"
#include "ranges/gpmu_ranges.h"
#include "stat/stat_ranges.h"

static const char *const reasons[GPMU_RECORDER_RANGE_REASONS] = {
	[GPMU_RECORDER_RANGE_DROPPED] = "lost by CUPTI",
	[GPMU_RECORDER_RANGE_SKIPPED] = "left out by --range-filter, --range-skip or --range-count",
	[GPMU_RECORDER_RANGE_DEEP] = "nested deeper than --range-levels",
	[GPMU_RECORDER_RANGE_OVERLAPPING] = "begun during a range of another thread or a stream capture",
	[GPMU_RECORDER_RANGE_LAPS] = "combined with others, as each counts one pass",
	[GPMU_RECORDER_RANGE_PARTIAL] = "not counted in all passes",
	[GPMU_RECORDER_RANGE_FOREIGN] = "in another context, or after counting had ended",
	[GPMU_RECORDER_RANGE_EMPTY] = "without work of the GPU",
};

/* Reasons that differ with SASS metrics */
static const char *const sass_reasons[GPMU_RECORDER_RANGE_REASONS] = {
	[GPMU_RECORDER_RANGE_DROPPED] = "not counted as often as they were launched",
	[GPMU_RECORDER_RANGE_PARTIAL] = "contexts of which CUPTI has lost records",
	[GPMU_RECORDER_RANGE_FOREIGN] = "in a context that CUPTI does not count",
	[GPMU_RECORDER_RANGE_EMPTY] = "without an instruction of these metrics",
};

/* Members of JSON */
static const char *const reason_names[GPMU_RECORDER_RANGE_REASONS] = {
	[GPMU_RECORDER_RANGE_DROPPED] = "dropped", [GPMU_RECORDER_RANGE_SKIPPED] = "skipped",
	[GPMU_RECORDER_RANGE_DEEP] = "deep", [GPMU_RECORDER_RANGE_OVERLAPPING] = "overlapping",
	[GPMU_RECORDER_RANGE_LAPS] = "laps", [GPMU_RECORDER_RANGE_PARTIAL] = "partial",
	[GPMU_RECORDER_RANGE_FOREIGN] = "foreign", [GPMU_RECORDER_RANGE_EMPTY] = "empty",
};

const char *stat_ranges_noun(const struct stat_options *options)
{
	return options->ranges.choice.mode != GPMU_RECORDER_RANGE_USER ? "kernels" : "ranges";
}

static const char *reason_text(const struct stat_options *options, int reason)
{
	return options->ranges.sass && sass_reasons[reason] ? sass_reasons[reason] : reasons[reason];
}

#define VALUE_SIZE	40	/* bytes of the text of a value */

/* Copies a whole number; with @is_grouped each group of three digits but the last is followed by a comma. */
static void copy_digits(char *text, const char *digits, bool is_grouped)
{
	for (size_t left = strlen(digits); left; left--) {
		*text++ = *digits++;
		if (is_grouped && left % 3 == 1 && left > 1 && digits[-1] != '-')
			*text++ = ',';
	}
	*text = '\0';
}

/* A count without a fraction, or a value with six significant digits */
static void format_value(char *text, double value, const struct stat_options *options)
{
	char digits[VALUE_SIZE / 2];

	if (isnan(value)) {
		snprintf(text, VALUE_SIZE, "<not counted>");
	} else if (value == floor(value) && fabs(value) < 1e15) {
		snprintf(digits, sizeof(digits), "%.0f", value);
		copy_digits(text, digits, !options->wants_no_big_num);
	} else {
		snprintf(text, VALUE_SIZE, "%.6g", value);
	}
}

/* --- text */

static void print_values(const struct stat_options *options, const struct gpmu_ranges *ranges, struct table *table, size_t row)
{
	const char *name;
	char value[VALUE_SIZE];

	for (size_t i = 0; (name = gpmu_ranges_name(ranges, i)); i++) {
		format_value(value, gpmu_ranges_value(ranges, row, i), options);
		table_cell(table, "%s", value);
		table_cell(table, "%s", gpmu_ranges_unit(ranges, i));
		table_cell(table, "%s", name);
	}
}

/* The name of a range, a level deeper than that around it */
static void print_head(FILE *file, const struct stat_options *options, const struct gpmu_ranges_row *row)
{
	fprintf(file, "%*s", 1 + 2 * (int)row->level, "");
	gpmu_shown_print(file, row->name);
	if (options->ranges.wants_each)
		fprintf(file, ", number %" PRIu64 ":\n", row->number);
	else
		fprintf(file, ", %s: %" PRIu64 "\n", stat_ranges_noun(options), row->count);
}

#define PART_METRICS	8	/* that fit into a line */

static bool fits_line(const struct gpmu_ranges *ranges)
{
	size_t count = 0;

	while (gpmu_ranges_name(ranges, count))
		count++;
	return count <= PART_METRICS;
}

/* Prints a line for each part of a function, with all metrics in their order. Returns the row after the last part. */
static size_t print_parts(FILE *file, const struct stat_options *options, const struct gpmu_ranges *ranges, size_t row_index)
{
	struct gpmu_ranges_row row;
	struct table table;
	char value[VALUE_SIZE];

	table_init(&table, file, "");
	for (size_t i = 0; gpmu_ranges_name(ranges, i); i++)
		table_column(&table, NULL, TABLE_RIGHT, 22, 0);
	table_column(&table, NULL, 0, 0, 0);
	for (; !gpmu_ranges_row(ranges, row_index, &row) && row.level; row_index++) {
		for (size_t i = 0; gpmu_ranges_name(ranges, i); i++) {
			format_value(value, gpmu_ranges_value(ranges, row_index, i), options);
			table_cell(&table, "%s", value);
		}
		table_cell(&table, "%s", row.name);
	}
	table_print(&table);
	putc('\n', file);
	return row_index;
}

static void print_rows(FILE *file, const struct stat_options *options, const struct gpmu_ranges *ranges)
{
	struct gpmu_ranges_row row;

	for (size_t i = 0; !gpmu_ranges_row(ranges, i, &row); i++) {
		struct table table;

		if (options->ranges.sass && row.level && fits_line(ranges)) {
			i = print_parts(file, options, ranges, i) - 1;
			continue;
		}

		print_head(file, options, &row);
		table_init(&table, file, "");
		table_column(&table, NULL, TABLE_RIGHT, 22 + 2 * row.level, 0);
		table_column(&table, NULL, 0, 6, 0);
		table_column(&table, NULL, 0, 0, 0);
		print_values(options, ranges, &table, i);
		table_print(&table);
		putc('\n', file);
	}
}

/* Returns whether a metric of all instructions is counted, by which the warps of a function are compared with its launches. */
static bool has_proof(const struct gpmu_ranges *ranges)
{
	const char *name;

	for (size_t i = 0; (name = gpmu_ranges_name(ranges, i)); i++)
		if (!strcmp(name, "smsp__sass_inst_executed") || !strcmp(name, "smsp__sass_thread_inst_executed"))
			return true;
	return false;
}

static void print_checkpoints(FILE *file, const struct stat_options *options, const struct gpmu_recorder_checkpoints *checkpoints)
{
	const uint64_t number = checkpoints->saved ? checkpoints->saved : 1;
	char bytes[VALUE_SIZE], device_bytes[VALUE_SIZE];

	format_value(bytes, (double)(checkpoints->bytes / number), options);
	format_value(device_bytes, (double)(checkpoints->device_bytes / number), options);

	fprintf(file, " checkpoints: %" PRIu64 " saved in %.3f ms, %" PRIu64 " restored in %.3f ms, %" PRIu64 " failed\n",
		checkpoints->saved, (double)checkpoints->save_time / 1e6, checkpoints->restored,
		(double)checkpoints->restore_time / 1e6, checkpoints->failed);
	fprintf(file, " bytes per checkpoint: %s allocated by the program, %s of the GPU's memory\n", bytes, device_bytes);
}

static void print_numbers(FILE *file, const struct stat_options *options, const struct gpmu_ranges *ranges)
{
	const struct gpmu_recorder_range_numbers *numbers = gpmu_ranges_numbers(ranges);

	fprintf(file, " %" PRIu64 " of %" PRIu64 " %s", numbers->counted, numbers->seen, stat_ranges_noun(options));
	if (!options->ranges.sass)
		fprintf(file, "; passes: %u\n", numbers->passes);
	else
		fputs(has_proof(ranges) ? "\n" : "; counts not compared with the launches: no smsp__sass_inst_executed\n", file);
	for (int i = 0; i < GPMU_RECORDER_RANGE_REASONS; i++)
		if (numbers->lost[i])
			fprintf(file, " %" PRIu64 " %s\n", numbers->lost[i], reason_text(options, i));
	if (options->ranges.choice.checkpoint)
		print_checkpoints(file, options, &numbers->checkpoints);
	putc('\n', file);
}

static void print_text_form(const struct stat_options *options, const struct gpmu_ranges *ranges, struct output *output)
{
	output_started(output, time(NULL));
	fprintf(output->file, "\n %s of the %s of '", options->ranges.sass ? "SASS metrics" : "GPU metrics", stat_ranges_noun(options));
	for (char **arg = options->argv; *arg; arg++) {
		fputs(arg == options->argv ? "" : " ", output->file);
		gpmu_shown_print(output->file, *arg);
	}
	fprintf(output->file, "':\n\n");
	print_rows(output->file, options, ranges);
	print_numbers(output->file, options, ranges);
}

/* --- JSON and CSV */

static void print_line(FILE *file, json_t *object)
{
	json_dumpf(need_memory(object), file, 0);
	putc('\n', file);
	json_decref(object);
}

static json_t *json_value(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Returns NULL without checkpoints. */
static json_t *json_checkpoints(const struct stat_options *options, const struct gpmu_recorder_checkpoints *from)
{
	if (!options->ranges.choice.checkpoint)
		return NULL;
	return need_memory(json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "saved", (json_int_t)from->saved, "restored",
				     (json_int_t)from->restored, "failed", (json_int_t)from->failed, "bytes",
				     (json_int_t)from->bytes, "device_bytes", (json_int_t)from->device_bytes, "save_ns",
				     (json_int_t)from->save_time, "restore_ns", (json_int_t)from->restore_time));
}

static void print_json(const struct stat_options *options, const struct gpmu_ranges *ranges, FILE *file)
{
	const struct gpmu_recorder_range_numbers *numbers = gpmu_ranges_numbers(ranges);
	json_t *lost = need_memory(json_object());
	struct gpmu_ranges_row row;
	const char *name;

	for (size_t i = 0; !gpmu_ranges_row(ranges, i, &row); i++)
		for (size_t m = 0; (name = gpmu_ranges_name(ranges, m)); m++)
			print_line(file, json_pack("{s:s, s:I, s:I, s:I, s:i, s:s, s:o, s:s}", "range", row.path, "level",
						   (json_int_t)row.level, "count", (json_int_t)row.count, "number",
						   (json_int_t)row.number, "pid", (int)row.pid, "metric", name, "value",
						   json_value(gpmu_ranges_value(ranges, i, m)), "unit",
						   gpmu_ranges_unit(ranges, m)));
	for (int i = 0; i < GPMU_RECORDER_RANGE_REASONS; i++)
		json_object_set_new(lost, reason_names[i], json_integer((json_int_t)numbers->lost[i]));
	print_line(file, json_pack("{s:s, s:I, s:I, s:i, s:o, s:o*}", "total", stat_ranges_noun(options), "seen", (json_int_t)numbers->seen,
				   "counted", (json_int_t)numbers->counted, "passes", (int)numbers->passes, "lost", lost,
				   "checkpoints", json_checkpoints(options, &numbers->checkpoints)));
}

/* A text of CSV, quoted if it has the separator, a quote or a line's end */
static void print_field(FILE *file, const char *separator, const char *text)
{
	if (!strstr(text, separator) && !strpbrk(text, "\"\n\r")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++)
		fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
	putc('"', file);
}

static void print_csv(const struct stat_options *options, const struct gpmu_ranges *ranges, FILE *file)
{
	const char *separator = options->separator, *name;
	struct gpmu_ranges_row row;

	for (size_t i = 0; !gpmu_ranges_row(ranges, i, &row); i++)
		for (size_t m = 0; (name = gpmu_ranges_name(ranges, m)); m++) {
			const double value = gpmu_ranges_value(ranges, i, m);

			fprintf(file, isnan(value) ? "<not counted>%s" : "%2$.17g%1$s", separator, value);
			print_field(file, separator, gpmu_ranges_unit(ranges, m));
			fputs(separator, file);
			print_field(file, separator, name);
			fprintf(file, "%s%" PRIu64 "%s%" PRIu64 "%s", separator, row.count, separator, row.number, separator);
			print_field(file, separator, row.path);
			putc('\n', file);
		}
}

void stat_ranges_print(const struct stat_options *options, const struct gpmu_ranges *ranges, struct output *output)
{
	int ret;

	if (options->wants_json)
		print_json(options, ranges, output->file);
	else if (options->separator)
		print_csv(options, ranges, output->file);
	else
		print_text_form(options, ranges, output);
	ret = output_close(output);
	if (ret)
		die_output(options->path, stderr, ret);
}
