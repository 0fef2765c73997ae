// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "record/record_missing.h"

/* "GPU0: ", or "" for a row that is not of one GPU */
static char *label_of(const struct gpmu_row *row)
{
	return row->gpu_number < 0 ? print_text("%s", "") : print_text("GPU%d: ", row->gpu_number);
}

/* Returns whether one line reports both rows. */
static bool is_alike(const struct gpmu_row *a, const struct gpmu_row *b)
{
	return a->gpu_number == b->gpu_number && !strcmp(a->why ? a->why : "", b->why ? b->why : "");
}

static bool is_of_nvml(const struct gpmu_row *row, const struct gpmu_plan *plan)
{
	(void)plan;
	return row->state == GPMU_STATE_OK && row->source && !strcmp(row->source, "nvml") && row->pmu &&
	       !strncmp(row->pmu, "nvidia_gpu", strlen("nvidia_gpu"));
}

static bool is_missing(const struct gpmu_row *row, const struct gpmu_plan *plan)
{
	const char *item;

	if (row->state < GPMU_STATE_NOT_COUNTED || !row->why)
		return false;
	for (size_t i = 0; (item = gpmu_plan_item(plan, i)); i++)
		if (!strcmp(item, row->name))
			return !gpmu_plan_item_why(plan, i);
	return true;
}

/* Returns whether a list contains the name. */
static bool has_name(const char *names, const char *name)
{
	const size_t length = strlen(name);

	for (const char *cursor = names; cursor && (cursor = strstr(cursor, name)); cursor++)
		if ((cursor == names || (cursor >= names + 2 && !strncmp(cursor - 2, ", ", 2))) &&
		    (!cursor[length] || !strncmp(cursor + length, ", ", 2)))
			return true;
	return false;
}

/* Returns the names, each once, of row @first and the later rows that the same line reports; NULL: an earlier row has been reported by it. */
static char *names_of(const struct gpmu_rows *rows, size_t first, const struct gpmu_plan *plan,
		      bool (*is_reported)(const struct gpmu_row *row, const struct gpmu_plan *plan))
{
	const struct gpmu_row *row, *other;
	char *names = NULL, *longer;

	row = gpmu_rows_at(rows, first);
	for (size_t i = 0; (other = gpmu_rows_at(rows, i)); i++) {
		if (!is_reported(other, plan) || !is_alike(row, other))
			continue;
		if (i < first)
			return NULL;
		/* An event has a row for each CPU, node or socket. */
		if (has_name(names, other->name))
			continue;
		longer = print_text("%s%s%s", names ? names : "", names ? ", " : "", other->name);
		free(names);
		names = longer;
	}
	return names;
}

static void report(const struct gpmu_rows *rows, const struct gpmu_plan *plan, struct gpmu_recorder *recorder, const char *format,
		   bool (*is_reported)(const struct gpmu_row *row, const struct gpmu_plan *plan))
{
	const struct gpmu_row *row;

	for (size_t i = 0; (row = gpmu_rows_at(rows, i)); i++) {
		char *names = is_reported(row, plan) ? names_of(rows, i, plan, is_reported) : NULL, *label, *text;

		if (!names)
			continue;
		label = label_of(row);
		text = print_text("%s%s%s%s", label, names, format, row->why ? row->why : "");
		warn("%s", text);
		if (gpmu_recorder_note(recorder, text))
			die_no_memory();
		free(text);
		free(label);
		free(names);
	}
}

void record_missing_report(const struct gpmu_rows *rows, const struct gpmu_plan *plan, bool wants_cupti,
			   struct gpmu_recorder *recorder)
{
	if (wants_cupti)
		report(rows, plan, recorder, " counted by NVML instead of CUPTI", is_of_nvml);
	report(rows, plan, recorder, " not recorded: ", is_missing);
}
