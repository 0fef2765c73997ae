// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any file is accepted as a trace, or refused with an offset and the expected content. The result conforms to the
 * documentation in the headers of the reader and of the report.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpmu.h"
#include "report/gpmu_report.h"
#include "trace/reader/gpmu_trace_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static void check_item(struct gpmu_trace_reader *reader, const struct gpmu_trace_item *item)
{
	must(item->begin <= item->end && item->end < 1ULL << 63);
	must(item->kind <= GPMU_TRACE_STACK && !gpmu_trace_reader_track(reader, -1));
	must(!item->arg_count == !item->args);
	for (size_t i = 0; i < item->arg_count; i++)
		must(item->args[i].name && (item->args[i].kind != GPMU_TRACE_TEXT || item->args[i].text));
	/* Walks up to the root; the limit bounds a cycle */
	for (int track = item->track, n = 0; track && n < 100; n++) {
		const struct gpmu_trace_track_info *info = gpmu_trace_reader_track(reader, track);

		must(info && info->size == sizeof(*info));
		track = info->parent;
	}
}

static void check_failure(const struct gpmu_error *error, int ret, size_t size)
{
	must(ret == -EINVAL && error->offset <= size && !strncmp(error->text, "f:", 2));
}

static int check_reader(int fd, size_t size)
{
	struct gpmu_trace_reader_stats stats = { .size = sizeof(stats) };
	struct gpmu_trace_reader *reader = gpmu_trace_reader_new(fd, "f", NULL);
	const struct gpmu_trace_item *item;
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	must(reader != NULL);
	while ((ret = gpmu_trace_reader_next(reader, &item, &error)) == 1)
		check_item(reader, item);
	if (ret)
		check_failure(&error, ret, size);
	must(gpmu_trace_reader_next(reader, &item, NULL) == ret);
	must(!gpmu_trace_reader_get_stats(reader, &stats));
	must(ret ? stats.bytes + stats.cut <= size : stats.bytes + stats.cut == size);
	gpmu_trace_reader_free(reader);
	return ret;
}

static void check_table(const struct gpmu_report_table *table)
{
	must(table->name && table->title && table->column_count && (!table->row_count || table->cells));
	for (size_t i = 0; i < table->row_count * table->column_count; i++)
		if (table->columns[i % table->column_count].kind == GPMU_REPORT_TEXT)
			must(!table->cells[i].known || table->cells[i].text);
}

static void check_report(int fd, int refused)
{
	struct gpmu_report *report = gpmu_report_new(NULL, NULL);
	const struct gpmu_report_table *table;
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	must(report && !gpmu_report_table(report, 0));
	ret = gpmu_report_add(report, fd, "f", &error);
	must(refused ? ret == refused : !ret || ret == -EINVAL);
	if (!ret) {
		must(!gpmu_report_make(report, &error));
		for (size_t i = 0; (table = gpmu_report_table(report, i)); i++)
			check_table(table);
	}
	gpmu_report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC), ret;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	ret = check_reader(fd, size);
	lseek(fd, 0, SEEK_SET);
	check_report(fd, ret);
	close(fd);
	return 0;
}
