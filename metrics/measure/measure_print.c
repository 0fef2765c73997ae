// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the counts of all regions: as a table for people, as CSV or as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gpmu_json.h"
#include "base/text/gpmu_shown.h"
#include "count/session.h"
#include "measure/measure.h"
#include "values/sink/sink_text.h"

#define PLACE	32	/* size of " of CPU3" or " of S36-D0-C7" */

/* Rows of a region */
struct part {
	const char *region;
	pid_t tid;			/* -1: several threads */
	uint64_t visits;
	const struct gpmu_rows *rows;
};

struct printer {
	const struct gpmu *gpmu;
	FILE *file;
	int (*part)(struct printer *printer, const struct part *part);	/* 0 or -errno */
	int region, counter, value;	/* widths of the table's columns */
};

/* --- parts of all regions */

static int print_part(struct printer *printer, struct gpmu *gpmu, struct part *part)
{
	int ret = region_sum_rows(&gpmu->sum, gpmu->blank, &part->rows);

	part->visits = gpmu->sum.visits;
	return ret ? ret : printer->part(printer, part);
}

static int print_threads(struct printer *printer, struct gpmu *gpmu, struct part *part)
{
	int ret = 0;

	for (struct measure_thread *thread = gpmu->threads; thread && ret >= 0;
	     thread = thread->next) {
		region_sum_release(&gpmu->sum);
		ret = measure_thread_sum(thread, part->region, &gpmu->sum);
		part->tid = thread->tid;
		if (ret > 0)
			ret = print_part(printer, gpmu, part);
	}
	part->tid = -1;
	return ret < 0 ? ret : 0;
}

static int print_region(struct printer *printer, struct gpmu *gpmu, size_t index)
{
	struct part part = { .region = gpmu_region_name(gpmu->shared, index), .tid = -1 };
	int ret = 0;

	if (gpmu->options.per_thread)
		ret = print_threads(printer, gpmu, &part);
	if (!ret)
		ret = measure_sum(gpmu, part.region);
	gpmu->sum.time = session_region_at(gpmu->shared, index)->time;
	/* If no visit of a region has ended, each counter has one row for all threads, with the reason. */
	if (!ret && (!gpmu->options.per_thread || !gpmu->sum.visits))
		ret = print_part(printer, gpmu, &part);
	part.visits = gpmu->sum.visits;
	if (!ret)
		ret = gpmu_region_rows(gpmu->shared, index, &part.rows);
	return ret ? ret : printer->part(printer, &part);
}

static int print_all(struct printer *printer, struct gpmu *gpmu)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < gpmu_session_region_count(gpmu->shared); i++)
		ret = print_region(printer, gpmu, i);
	return ret;
}

/* --- table */

/* Writes " of N1", " of S36" or " of CPU3", or "". Returns the length. */
static int place_of(char *text, const struct printer *printer, const struct gpmu_row *row)
{
	char label[PLACE - sizeof(" of ") + 1];

	if (sink_label(row, printer->gpmu->options.aggregation, label, sizeof(label)))
		return snprintf(text, PLACE, " of %s", label);
	*text = '\0';
	return 0;
}

/* Writes the value and unit of a row, or why it has none, and ends the line. */
static void print_value(FILE *file, int width, const struct gpmu_row *row)
{
	const char *after = row->state == GPMU_STATE_OK ? row->unit : row->why;
	char value[NUMBER_SIZE + 1];

	sink_value(value, row, false);
	fprintf(file, "%*s%s", width, value, after ? " " : "");
	gpmu_shown_print(file, after ? after : "");
	if (row->state <= GPMU_STATE_IDLE && row->share < 1)
		fprintf(file, "  (%.2f%%)", 100 * row->share);
	putc('\n', file);
}

static int measure_part(struct printer *printer, const struct part *part)
{
	int width = (int)gpmu_shown_width(part->region);

	printer->region = width > printer->region ? width : printer->region;
	for (size_t i = 0; i < part->rows->length; i++) {
		const struct gpmu_row *row = &part->rows->list[i];
		char place[PLACE], value[NUMBER_SIZE + 1];

		width = (int)gpmu_shown_width(row->name) + place_of(place, printer, row);
		printer->counter = width > printer->counter ? width : printer->counter;
		sink_value(value, row, false);
		width = (int)strlen(value);
		printer->value = width > printer->value ? width : printer->value;
	}
	return 0;
}

static int table_part(struct printer *printer, const struct part *part)
{
	const bool is_per_thread = printer->gpmu->options.per_thread;
	FILE *file = printer->file;
	char thread[16] = "";

	if (is_per_thread && part->tid >= 0)
		snprintf(thread, sizeof(thread), "%d", (int)part->tid);
	else if (is_per_thread)
		snprintf(thread, sizeof(thread), "all");
	for (size_t i = 0; i < part->rows->length; i++) {
		const struct gpmu_row *row = &part->rows->list[i];
		char place[PLACE];
		int used = place_of(place, printer, row);

		gpmu_shown_print(file, part->region);
		fprintf(file, "%*s%*s%10" PRIu64 "%14.6f  ", printer->region - (int)gpmu_shown_width(part->region), "",
			is_per_thread ? 10 : 0, thread, part->visits, (double)row->time_end / 1e9);
		gpmu_shown_print(file, row->name);
		fprintf(file, "%-*s  ", printer->counter - (int)gpmu_shown_width(row->name), used ? place : "");
		print_value(file, printer->value, row);
	}
	return 0;
}

static int print_table(struct printer *printer, struct gpmu *gpmu)
{
	const bool is_per_thread = gpmu->options.per_thread;
	int ret;

	printer->region = (int)strlen("region");
	printer->counter = (int)strlen("counter");
	printer->value = (int)strlen("value");
	printer->part = measure_part;
	ret = print_all(printer, gpmu);
	if (ret || !gpmu_session_region_count(gpmu->shared))
		return ret;
	fprintf(printer->file, "%-*s%*s    visits       seconds  %-*s  %*s\n", printer->region,
		"region", is_per_thread ? 10 : 0, is_per_thread ? "thread" : "", printer->counter, "counter",
		printer->value, "value");
	printer->part = table_part;
	return print_all(printer, gpmu);
}

/* --- CSV and JSON */

/* A CSV field in quotes; control characters become blanks. */
static void print_quoted(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc((unsigned char)*text < ' ' ? ' ' : *text, file);
	}
	putc('"', file);
}

static void print_front(struct printer *printer, const struct part *part)
{
	const char *separator = printer->gpmu->separator ? printer->gpmu->separator : ",";
	FILE *file = printer->file;

	if (printer->gpmu->options.format == GPMU_SINK_JSON) {
		fputs("{\"region\":", file);
		gpmu_json_print(file, part->region);
		fprintf(file, ",\"process\":%d,\"thread\":%d,\"visits\":%" PRIu64 ",",
			(int)getpid(), (int)part->tid, part->visits);
		return;
	}
	print_quoted(file, part->region);
	fprintf(file, "%s%d%s%d%s%" PRIu64 "%s", separator, (int)getpid(), separator,
		(int)part->tid, separator, part->visits, separator);
}

/* Writes the lines of the sink, each after the columns of the region. */
static void print_lines(struct printer *printer, const struct part *part, char *text)
{
	const bool wants_json = printer->gpmu->options.format == GPMU_SINK_JSON;
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		print_front(printer, part);
		fprintf(printer->file, "%s\n", text + (wants_json && *text == '{'));
	}
}

static int sink_part(struct printer *printer, const struct part *part)
{
	const struct gpmu *gpmu = printer->gpmu;
	const struct gpmu_sink_options options = {
		.size = sizeof(options), .separator = gpmu->separator,
		.aggregation = gpmu->options.aggregation,
	};
	struct gpmu_sink *sink = NULL;
	size_t size;
	char *text = NULL;
	FILE *file;
	int ret;

	if (!part->rows->length)
		return 0;
	file = open_memstream(&text, &size);
	ret = file ? 0 : -ENOMEM;
	if (!ret) {
		sink = gpmu_sink_new(gpmu->options.format, file, &options, NULL);
		ret = sink ? gpmu_sink_rows(sink, part->rows) : -errno;
		gpmu_sink_free(sink);
		if (fclose(file))
			ret = -ENOMEM;
	}
	if (!ret)
		print_lines(printer, part, text);
	free(text);
	return ret;
}

int gpmu_print(struct gpmu *gpmu, FILE *file)
{
	struct printer printer = { .gpmu = gpmu, .file = file, .part = sink_part };
	int ret;

	if (!gpmu)
		return -EINVAL;
	pthread_mutex_lock(&gpmu->lock);
	if (gpmu->options.format == GPMU_SINK_SUMMARY)
		ret = print_table(&printer, gpmu);
	else
		ret = print_all(&printer, gpmu);
	pthread_mutex_unlock(&gpmu->lock);
	if (ret)
		return ret;
	errno = 0;
	return fflush(file) || ferror(file) ? (errno ? -errno : -EIO) : 0;
}
