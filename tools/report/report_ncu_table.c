// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tables of a report of Nsight Compute: rows, groups of actions by name, and the tables of kernels, launches and NVTX
 * ranges.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "report/report_ncu.h"

#define TIME	"gpu__time_duration.sum"

/* --- rows */

void ncu_table_init(struct ncu_table *table, const char *name, const char *title, const struct gpmu_report_column *columns,
		    size_t column_count)
{
	*table = (struct ncu_table){ .table = {
		.size = sizeof(table->table), .name = name, .title = title, .columns = columns, .column_count = column_count,
		.sorted_by = -1,
	} };
}

void ncu_table_release(struct ncu_table *table)
{
	for (size_t i = 0; i < table->text_count; i++)
		free(table->texts[i]);
	free(table->texts);
	free(table->cells);
}

struct gpmu_report_cell *ncu_table_row(struct ncu_table *table)
{
	const size_t width = table->table.column_count;
	struct gpmu_report_cell *row;

	if (table->table.row_count == table->row_room) {
		table->row_room = table->row_room ? table->row_room * 2 : 64;
		table->cells = need_memory(reallocarray(table->cells, table->row_room, width * sizeof(*table->cells)));
		table->table.cells = table->cells;
	}
	row = table->cells + table->table.row_count++ * width;
	memset(row, 0, width * sizeof(*row));
	return row;
}

const char *ncu_table_keep(struct ncu_table *table, char *text)
{
	if (table->text_count == table->text_room) {
		table->text_room = table->text_room ? table->text_room * 2 : 64;
		table->texts = need_memory(reallocarray(table->texts, table->text_room, sizeof(*table->texts)));
	}
	table->texts[table->text_count++] = text;
	return text;
}

struct gpmu_report_cell ncu_text(const char *text)
{
	return (struct gpmu_report_cell){ .known = text != NULL, .text = text };
}

struct gpmu_report_cell ncu_number(double number)
{
	return (struct gpmu_report_cell){ .known = !isnan(number), .number = isnan(number) ? 0 : number };
}

/* --- actions by name */

static const char *const works[] = {
	[GPMU_NCU_KERNEL] = "kernel", [GPMU_NCU_RANGE] = "range", [GPMU_NCU_CMDLIST] = "command list", [GPMU_NCU_GRAPH] = "graph",
};

static const char *name_of(const struct gpmu_ncu_action *action)
{
	return action->demangled ? action->demangled : action->name ? action->name : action->mangled ? action->mangled : "";
}

/* An action and its number in the file */
struct numbered {
	const struct gpmu_ncu_action *action;
	size_t number;
};

static int compare_names(const struct gpmu_ncu_action *a, const struct gpmu_ncu_action *b)
{
	return a->work != b->work ? (a->work > b->work) - (a->work < b->work) : strcmp(name_of(a), name_of(b));
}

static int compare_numbered(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;
	int order = compare_names(a->action, b->action);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare_kernels(const void *left, const void *right)
{
	const struct ncu_kernel *a = left, *b = right;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return a->work != b->work ? (a->work > b->work) - (a->work < b->work) : strcmp(a->name, b->name);
}

/* The time of an action in ns; NaN: not known */
static double time_of(const struct gpmu_ncu_action *action)
{
	const struct gpmu_ncu_metric *metric = gpmu_ncu_action_find(action, TIME);
	struct gpmu_ncu_value value = { .size = sizeof(value) };

	return metric && !gpmu_ncu_metric_value(metric, &value) ? value.number : NAN;
}

static void add_time(struct ncu_kernel *kernel, double time)
{
	if (isnan(time))
		return;
	kernel->min = kernel->timed && kernel->min < time ? kernel->min : time;
	kernel->max = kernel->timed && kernel->max > time ? kernel->max : time;
	kernel->total += time;
	kernel->timed++;
}

/* Sets the actions, sorted by name. */
static void sort_actions(struct ncu_input *input)
{
	struct numbered *sorted;

	while (gpmu_ncu_report_action(input->report, input->action_count))
		input->action_count++;
	sorted = need_memory(calloc(input->action_count + 1, sizeof(*sorted)));
	input->actions = need_memory(calloc(input->action_count + 1, sizeof(*input->actions)));
	for (size_t i = 0; i < input->action_count; i++)
		sorted[i] = (struct numbered){ gpmu_ncu_report_action(input->report, i), i };
	qsort(sorted, input->action_count, sizeof(*sorted), compare_numbered);
	for (size_t i = 0; i < input->action_count; i++)
		input->actions[i] = sorted[i].action;
	free(sorted);
}

void ncu_group(struct ncu_input *input, size_t top)
{
	struct ncu_kernel *kernel = NULL;

	sort_actions(input);
	input->kernels = need_memory(calloc(input->action_count + 1, sizeof(*input->kernels)));
	for (size_t i = 0; i < input->action_count; i++) {
		const struct gpmu_ncu_action *action = input->actions[i];

		if (!i || compare_names(input->actions[i - 1], action)) {
			kernel = &input->kernels[input->kernel_count++];
			*kernel = (struct ncu_kernel){ .name = name_of(action), .work = action->work, .actions = &input->actions[i] };
		}
		kernel->count++;
		add_time(kernel, time_of(action));
	}
	qsort(input->kernels, input->kernel_count, sizeof(*input->kernels), compare_kernels);
	input->shown = top && top < input->kernel_count ? top : input->kernel_count;
}

void ncu_group_release(struct ncu_input *input)
{
	free(input->actions);
	free(input->kernels);
}

/* --- kernels: the times of the actions of a name */

void ncu_make_kernels(const struct ncu_input *input, struct ncu_table *table)
{
	enum { WORK, COUNT, SHARE, TOTAL, MIN, MAX, NAME, COLUMNS };
	static const struct gpmu_report_column columns[COLUMNS] = {
		NCU_COLUMN("work", TEXT), NCU_COLUMN("count", COUNT), NCU_COLUMN("share", SHARE), NCU_COLUMN("total", TIME),
		NCU_COLUMN("min", TIME), NCU_COLUMN("max", TIME), NCU_LONG("name"),
	};
	double all = 0;

	ncu_table_init(table, "kernels", "kernels", columns, COLUMNS);
	table->table.sorted_by = TOTAL;
	for (size_t i = 0; i < input->kernel_count; i++)
		all += input->kernels[i].work == GPMU_NCU_KERNEL ? input->kernels[i].total : 0;
	for (size_t i = 0; i < input->kernel_count; i++) {
		const struct ncu_kernel *kernel = &input->kernels[i];
		struct gpmu_report_cell *row = ncu_table_row(table);

		row[WORK] = ncu_text(works[kernel->work]);
		row[COUNT] = ncu_number((double)kernel->count);
		row[NAME] = ncu_text(kernel->name);
		if (!kernel->timed)
			continue;
		/* A range or a graph contains kernels. */
		row[SHARE] = ncu_number(kernel->work == GPMU_NCU_KERNEL && all > 0 ? kernel->total / all : NAN);
		row[TOTAL] = ncu_number(kernel->total);
		row[MIN] = ncu_number(kernel->min);
		row[MAX] = ncu_number(kernel->max);
	}
}

/* --- launches: each action */

static const char *size_text(struct ncu_table *table, const uint64_t size[3])
{
	if (!size[0])
		return NULL;
	return ncu_table_keep(table, print_text("%llux%llux%llu", (unsigned long long)size[0], (unsigned long long)size[1],
						(unsigned long long)size[2]));
}

void ncu_make_launches(const struct ncu_input *input, struct ncu_table *table)
{
	enum { NUMBER, WORK, HOST, PID, CONTEXT, STREAM, GRID, BLOCK, TIME_COLUMN, PROCESS, NAME, COLUMNS };
	static const struct gpmu_report_column columns[COLUMNS] = {
		NCU_COLUMN("number", COUNT), NCU_COLUMN("work", TEXT), NCU_COLUMN("host", TEXT), NCU_COLUMN("pid", COUNT),
		NCU_COLUMN("context", COUNT), NCU_COLUMN("stream", COUNT), NCU_COLUMN("grid", TEXT), NCU_COLUMN("block", TEXT),
		NCU_COLUMN("time", TIME), NCU_COLUMN("process", TEXT), NCU_LONG("name"),
	};
	const struct gpmu_ncu_action *action;

	ncu_table_init(table, "launches", "launches", columns, COLUMNS);
	for (size_t i = 0; (action = gpmu_ncu_report_action(input->report, i)); i++) {
		struct gpmu_report_cell *row = ncu_table_row(table);

		row[NUMBER] = ncu_number((double)i);
		row[WORK] = ncu_text(works[action->work]);
		row[HOST] = ncu_text(action->range->host);
		row[PID] = ncu_number((double)action->range->pid);
		row[CONTEXT] = ncu_number((double)action->range->context);
		row[STREAM] = ncu_number((double)action->range->stream);
		row[GRID] = ncu_text(size_text(table, action->grid));
		row[BLOCK] = ncu_text(size_text(table, action->block));
		row[TIME_COLUMN] = ncu_number(time_of(action));
		row[PROCESS] = ncu_text(action->range->process);
		row[NAME] = ncu_text(name_of(action));
	}
}

/* --- nvtx: the actions in each range */

/* The row of a range; NULL: there is none */
static struct gpmu_report_cell *find_range(struct ncu_table *table, const struct gpmu_ncu_nvtx *range)
{
	const size_t width = table->table.column_count;

	for (size_t i = 0; i < table->table.row_count; i++)
		if (!strcmp(table->cells[i * width].text, range->domain) && !strcmp(table->cells[i * width + width - 1].text, range->name))
			return &table->cells[i * width];
	return NULL;
}

/* Returns whether an earlier range of the action is the same, as with a recursive function. */
static bool is_repeated(const struct gpmu_ncu_action *action, size_t index, const struct gpmu_ncu_nvtx *range)
{
	for (size_t i = 0; i < index; i++) {
		const struct gpmu_ncu_nvtx *earlier = gpmu_ncu_action_nvtx(action, i);

		if (!strcmp(earlier->domain, range->domain) && !strcmp(earlier->name, range->name))
			return true;
	}
	return false;
}

void ncu_make_nvtx(const struct ncu_input *input, struct ncu_table *table)
{
	enum { DOMAIN, COUNT, TOTAL, NAME, COLUMNS };
	static const struct gpmu_report_column columns[COLUMNS] = {
		NCU_COLUMN("domain", TEXT), NCU_COLUMN("count", COUNT), NCU_COLUMN("total", TIME), NCU_LONG("name"),
	};
	const struct gpmu_ncu_action *action;
	const struct gpmu_ncu_nvtx *range;

	ncu_table_init(table, "nvtx", "kernels in NVTX ranges", columns, COLUMNS);
	for (size_t i = 0; (action = gpmu_ncu_report_action(input->report, i)); i++)
		for (size_t k = 0; (range = gpmu_ncu_action_nvtx(action, k)); k++) {
			struct gpmu_report_cell *row = find_range(table, range);
			double time = time_of(action);

			if (is_repeated(action, k, range))
				continue;
			if (!row) {
				row = ncu_table_row(table);
				row[DOMAIN] = ncu_text(range->domain);
				row[NAME] = ncu_text(range->name);
			}
			row[COUNT] = ncu_number(row[COUNT].number + 1);
			if (!isnan(time))
				row[TOTAL] = ncu_number(row[TOTAL].number + time);
		}
}
