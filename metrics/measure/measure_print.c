// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the counts of all regions: as a table for people, as CSV or as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/session.h"
#include "measure/measure.h"

/* Rows of a region */
struct part {
	const char *region;
	pid_t tid;			/* -1: several threads */
	uint64_t visits;
	const struct gpmu_row *rows;
	size_t length;
};

struct printer {
	const struct gpmu *gpmu;
	FILE *file;
	int (*part)(struct printer *printer, const struct part *part);	/* 0 or -errno */
	int region, counter;		/* widths of the table's columns */
};

/* --- parts of all regions */

static int print_part(struct printer *printer, struct gpmu *gpmu, struct part *part)
{
	int ret = region_sum_rows(&gpmu->sum, gpmu->blank, &part->rows, &part->length);

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
	gpmu->sum.time = gpmu->shared->regions.list[index]->time;
	if (!ret && !gpmu->options.per_thread)
		ret = print_part(printer, gpmu, &part);
	part.visits = gpmu->sum.visits;
	if (!ret)
		ret = gpmu_region_rows(gpmu->shared, index, &part.rows, &part.length);
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

static int measure_part(struct printer *printer, const struct part *part)
{
	const char *at = (const char *)part->rows;
	int width = (int)strlen(part->region);

	printer->region = width > printer->region ? width : printer->region;
	for (size_t i = 0; i < part->length; i++) {
		const struct gpmu_row *row = (const struct gpmu_row *)at;
		char place[REGION_PLACE];

		width = (int)strlen(row->name) + region_print_place(place, sizeof(place), row);
		printer->counter = width > printer->counter ? width : printer->counter;
		at += row->size;
	}
	return 0;
}

static int table_part(struct printer *printer, const struct part *part)
{
	const bool threads = printer->gpmu->options.per_thread;
	const char *at = (const char *)part->rows;
	FILE *file = printer->file;
	char thread[16] = "";

	if (threads && part->tid >= 0)
		snprintf(thread, sizeof(thread), "%d", (int)part->tid);
	else if (threads)
		snprintf(thread, sizeof(thread), "all");
	for (size_t i = 0; i < part->length; i++) {
		const struct gpmu_row *row = (const struct gpmu_row *)at;
		char place[REGION_PLACE];
		int used = region_print_place(place, sizeof(place), row);

		fprintf(file, "%-*s%*s%10" PRIu64 "%14.6f  %s%-*s  ", printer->region, part->region,
			threads ? 10 : 0, thread, part->visits, (double)row->time_end / 1e9,
			row->name,
			printer->counter - (int)strlen(row->name), used ? place : "");
		region_print_value(file, row);
		at += row->size;
	}
	return 0;
}

static int print_table(struct printer *printer, struct gpmu *gpmu)
{
	const bool threads = gpmu->options.per_thread;
	int ret;

	printer->region = (int)strlen("region");
	printer->counter = (int)strlen("counter");
	printer->part = measure_part;
	ret = print_all(printer, gpmu);
	if (ret || !gpmu_session_region_count(gpmu->shared))
		return ret;
	fprintf(printer->file, "%-*s%*s    visits       seconds  %-*s  value\n", printer->region,
		"region", threads ? 10 : 0, threads ? "thread" : "", printer->counter, "counter");
	printer->part = table_part;
	return print_all(printer, gpmu);
}

/* --- CSV and JSON */

/* A CSV field in quotes, or a JSON string; control characters become blanks. */
static void print_quoted(FILE *file, const char *text, bool json)
{
	putc('"', file);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '"' || (json && c == '\\'))
			putc(json ? '\\' : '"', file);
		putc(c < ' ' ? ' ' : c, file);
	}
	putc('"', file);
}

static void print_front(struct printer *printer, const struct part *part)
{
	const char *separator = printer->gpmu->separator ? printer->gpmu->separator : ",";
	FILE *file = printer->file;

	if (printer->gpmu->options.format == GPMU_SINK_JSON) {
		fputs("{\"region\":", file);
		print_quoted(file, part->region, true);
		fprintf(file, ",\"process\":%d,\"thread\":%d,\"visits\":%" PRIu64 ",",
			(int)getpid(), (int)part->tid, part->visits);
		return;
	}
	print_quoted(file, part->region, false);
	fprintf(file, "%s%d%s%d%s%" PRIu64 "%s", separator, (int)getpid(), separator,
		(int)part->tid, separator, part->visits, separator);
}

/* Writes the lines of the sink, each behind the columns of the region. */
static void print_lines(struct printer *printer, const struct part *part, char *text)
{
	const bool json = printer->gpmu->options.format == GPMU_SINK_JSON;
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		print_front(printer, part);
		fprintf(printer->file, "%s\n", text + (json && *text == '{'));
	}
}

static int sink_part(struct printer *printer, const struct part *part)
{
	const struct gpmu *gpmu = printer->gpmu;
	const struct gpmu_sink_options options = {
		.size = sizeof(options), .separator = gpmu->separator, .continues = 1,
	};
	struct gpmu_sink *sink = NULL;
	size_t size;
	char *text = NULL;
	FILE *file;
	int ret;

	if (!part->length)
		return 0;
	file = open_memstream(&text, &size);
	ret = file ? 0 : -ENOMEM;
	if (!ret) {
		sink = gpmu_sink_new(gpmu->options.format, file, &options, NULL);
		ret = sink ? gpmu_sink_rows(sink, part->rows, part->length) : -errno;
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
