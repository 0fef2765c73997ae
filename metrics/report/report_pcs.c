// SPDX-License-Identifier: LGPL-2.1-or-later
/* PC samples by function, line, offset and stall reason, with the source text beside */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "report/report.h"

#define SOURCE_MAX	(16 << 20)	/* bytes of a source file; larger ones are not shown */

/* A key by which samples are grouped, and its column */
static const struct key {
	const char *name;
	struct gpmu_report_column column;
} keys[REPORT_PC_KEYS] = {
	[REPORT_PC_FUNCTION] = { "function", { .size = sizeof(struct gpmu_report_column), .name = "function", .is_long = 1 } },
	[REPORT_PC_LINE] = { "line", { .size = sizeof(struct gpmu_report_column), .name = "line", .is_long = 1 } },
	[REPORT_PC_OFFSET] = { "offset", { .size = sizeof(struct gpmu_report_column), .name = "offset", .kind = GPMU_REPORT_TEXT } },
	[REPORT_PC_STALL] = { "stall", { .size = sizeof(struct gpmu_report_column), .name = "stall", .kind = GPMU_REPORT_TEXT } },
};

static const struct gpmu_report_column numbers[] = {
	{ .size = sizeof(numbers[0]), .name = "share", .kind = GPMU_REPORT_SHARE },
	{ .size = sizeof(numbers[0]), .name = "samples", .kind = GPMU_REPORT_COUNT },
	{ .size = sizeof(numbers[0]), .name = "not_issued", .kind = GPMU_REPORT_COUNT },
};
static const struct gpmu_report_column source_column = { .size = sizeof(source_column), .name = "source", .is_long = 1 };

unsigned int report_pc_keys(const char *text)
{
	unsigned int bits = 0;

	for (const char *name = text; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
		const size_t length = strcspn(name, ",");
		size_t i = 0;

		while (i < ARRAY_SIZE(keys) && (strlen(keys[i].name) != length || strncmp(keys[i].name, name, length) != 0))
			i++;
		if (i == ARRAY_SIZE(keys) || bits >> i & 1)
			return 0;
		bits |= 1u << i;
	}
	return bits;
}

static bool has(const struct gpmu_report *report, enum report_pc_key key)
{
	return report->pc_keys >> key & 1;
}

static void set_columns(struct gpmu_report *report)
{
	struct gpmu_report_table *table = &report->tables[REPORT_PCS].shown;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (has(report, i))
			report->pc_columns[n++] = keys[i].column;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		report->pc_columns[n++] = numbers[i];
	if (has(report, REPORT_PC_LINE))
		report->pc_columns[n++] = source_column;
	table->columns = report->pc_columns;
	table->column_count = n;
}

/* --- source text */

/* Reads a source file. Returns NULL if there is none, or it is too large or no regular file. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	char *text = NULL;
	ssize_t length;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size <= SOURCE_MAX)
		text = malloc((size_t)status.st_size + 1);
	length = text ? read(fd, text, (size_t)status.st_size) : 0;
	close(fd);
	if (text)
		text[length > 0 ? length : 0] = '\0';
	return text;
}

/* Text of a line without the blanks around it, at most 80 bytes; NULL: there is no such line */
static const char *line_text(struct gpmu_report *report, const char *text, unsigned int line)
{
	while (text && --line) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text)
		return NULL;
	text += strspn(text, " \t");
	return report_print(report, "%.*s", (int)(strcspn(text, "\r\n") < 80 ? strcspn(text, "\r\n") : 80), text);
}

/* A file is read once; its text is kept until the table is made. */
static const char *source_of(struct gpmu_report *report, struct map *files, const struct timeline_pc *pc)
{
	union map_cell *cell;
	bool is_new;

	if (pc->file == TIMELINE_NONE || !pc->line)
		return NULL;
	cell = map_add(files, pc->file, &is_new);
	if (!cell)
		return NULL;
	if (is_new)
		cell->pointer = read_file(report_string(report, pc->file));
	return line_text(report, cell->pointer, pc->line);
}

/* --- rows */

static int compare_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By the selected keys: two samples with the result 0 are in the same row. */
static int compare(const void *left, const void *right, void *user)
{
	const struct timeline_pc *a = left, *b = right;
	const struct gpmu_report *report = user;
	int order = 0;

	if (has(report, REPORT_PC_FUNCTION) || has(report, REPORT_PC_OFFSET))
		order = compare_number(a->function, b->function);
	if (!order && has(report, REPORT_PC_LINE))
		order = compare_number(a->file, b->file);
	if (!order && has(report, REPORT_PC_LINE))
		order = compare_number(a->line, b->line);
	if (!order && has(report, REPORT_PC_OFFSET))
		order = compare_number(a->offset, b->offset);
	if (!order && has(report, REPORT_PC_STALL))
		order = compare_number(a->stall, b->stall);
	return order;
}

static void put_keys(struct gpmu_report *report, const struct timeline_pc *pc)
{
	if (has(report, REPORT_PC_FUNCTION))
		report_text(report, REPORT_PCS, report_string(report, pc->function));
	if (has(report, REPORT_PC_LINE) && pc->file != TIMELINE_NONE)
		report_text(report, REPORT_PCS, report_print(report, "%s:%u", report_string(report, pc->file), pc->line));
	else if (has(report, REPORT_PC_LINE))
		report_none(report, REPORT_PCS);
	if (has(report, REPORT_PC_OFFSET))
		report_text(report, REPORT_PCS, report_print(report, "0x%x", pc->offset));
	if (has(report, REPORT_PC_STALL))
		report_put_text(report, REPORT_PCS, pc->stall);
}

static void put_row(struct gpmu_report *report, struct map *files, const struct timeline_pc *pc, uint64_t all)
{
	const char *source;

	put_keys(report, pc);
	report_maybe(report, REPORT_PCS, all, (double)pc->samples / (double)all);
	report_number(report, REPORT_PCS, (double)pc->samples);
	report_number(report, REPORT_PCS, (double)pc->not_issued);
	if (!has(report, REPORT_PC_LINE))
		return;
	source = source_of(report, files, pc);
	if (source)
		report_text(report, REPORT_PCS, source);
	else
		report_none(report, REPORT_PCS);
}

/* The numbers of samples of all processes */
static const char *title_of(struct gpmu_report *report)
{
	const char *const names[] = { "samples", "delivered", "dropped", "foreign", "full" };
	double sums[ARRAY_SIZE(names)] = { 0 }, value, period = 0;

	for (size_t i = 0; i < report->timeline.facts.n; i++) {
		const struct timeline_fact *fact = &report->timeline.facts.list[i];

		if (strcmp(report_string(report, fact->name), "pc_sampling") != 0)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			if (timeline_number(&report->timeline, fact, names[k], &value))
				sums[k] += value;
		timeline_number(&report->timeline, fact, "period", &period);
	}
	return report_print(report, "PC samples: %.0f of %.0f delivered, %.0f dropped, %.0f without an instruction%s, one per %.0f cycles "
			    "of a multiprocessor", sums[1], sums[0] + sums[2], sums[2], sums[3],
			    sums[4] > 0 ? ", and more lost because the hardware buffer was full" : "", period);
}

void report_pcs(struct gpmu_report *report)
{
	struct timeline *timeline = &report->timeline;
	struct map files = { 0 };
	uint64_t all = 0;

	set_columns(report);
	for (size_t i = 0; i < timeline->pcs.n; i++)
		all += timeline->pcs.list[i].samples;
	if (timeline->pcs.n) {
		report->tables[REPORT_PCS].shown.title = title_of(report);
		qsort_r(timeline->pcs.list, timeline->pcs.n, sizeof(timeline->pcs.list[0]), compare, report);
	}
	for (size_t i = 0, next; i < timeline->pcs.n && !report->has_failed; i = next) {
		struct timeline_pc sum = timeline->pcs.list[i];

		for (next = i + 1; next < timeline->pcs.n && !compare(&sum, &timeline->pcs.list[next], report); next++) {
			sum.samples += timeline->pcs.list[next].samples;
			sum.not_issued += timeline->pcs.list[next].not_issued;
		}
		put_row(report, &files, &sum, all);
	}
	map_release_objects(&files, free);
	report_table_done(report, REPORT_PCS, "samples");
}
