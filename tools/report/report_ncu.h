/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpmu report of a report of Nsight Compute */
#ifndef GPMU_TOOLS_REPORT_NCU_H
#define GPMU_TOOLS_REPORT_NCU_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/gpmu_advice.h"
#include "gpmu.h"
#include "report/report.h"

struct report_ncu {
	const char *path;
	const char *by, *sort;	/* NULL: not given */
	const char *rules;	/* a file with more rules; NULL: none */
	size_t top;		/* most kernels, and most rows of tables that are not of kernels; 0: all */
	const char *output;	/* NULL: standard output */
	void (*write)(const struct report_output *output);
};

/* Returns whether a path is a report of Nsight Compute. "-" is standard input, of which nothing is consumed. */
bool report_is_ncu(const char *path);
/* Prints the report. Returns the exit status. Dies on options that do not fit. */
int report_ncu(const struct report_ncu *report);

/* --- tables */

/* The actions of a name, in the order of the file */
struct ncu_kernel {
	const char *name;
	enum gpmu_ncu_work work;
	const struct gpmu_ncu_action **actions;	/* borrowed from struct ncu_input */
	size_t count;
	size_t timed;		/* actions with a time */
	double total, min, max;	/* ns */
};

struct ncu_input {
	const char *path;
	const struct gpmu_ncu_report *report;
	bool wants_raw;		/* metrics of the file, not only those of gpmu */
	const struct gpmu_catalog *catalog;
	const struct gpmu_advice *advice;
	const struct gpmu_ncu_action **actions;	/* by name */
	size_t action_count;
	struct ncu_kernel *kernels;		/* by total time, largest first */
	size_t kernel_count, shown;		/* shown: kernels in the tables of metrics and advice */
};

struct ncu_table {
	struct gpmu_report_table table;
	struct gpmu_report_cell *cells;
	size_t row_room;
	char **texts;		/* of cells, freed with the table */
	size_t text_count, text_room;
};

void ncu_group(struct ncu_input *input, size_t top);
void ncu_group_release(struct ncu_input *input);

void ncu_table_init(struct ncu_table *table, const char *name, const char *title, const struct gpmu_report_column *columns,
		    size_t column_count);
void ncu_table_release(struct ncu_table *table);
/* Returns the cells of a new row, which are not known; valid until the next row */
struct gpmu_report_cell *ncu_table_row(struct ncu_table *table);
/* A text that the table frees */
const char *ncu_table_keep(struct ncu_table *table, char *text);
/* A borrowed text; NULL: not known */
struct gpmu_report_cell ncu_text(const char *text);
struct gpmu_report_cell ncu_number(double number);

/* These make the tables. */
void ncu_make_kernels(const struct ncu_input *input, struct ncu_table *table);
void ncu_make_launches(const struct ncu_input *input, struct ncu_table *table);
void ncu_make_metrics(const struct ncu_input *input, struct ncu_table *table);
void ncu_make_nvtx(const struct ncu_input *input, struct ncu_table *table);
void ncu_make_source(const struct ncu_input *input, struct ncu_table *table);
void ncu_make_advice(const struct ncu_input *input, struct ncu_table *table);
void ncu_make_rules(const struct ncu_input *input, struct ncu_table *table);

#define NCU_COLUMN(column_name, column_kind) \
	{ .size = sizeof(struct gpmu_report_column), .name = (column_name), .kind = GPMU_REPORT_##column_kind }
#define NCU_LONG(column_name) \
	{ .size = sizeof(struct gpmu_report_column), .name = (column_name), .kind = GPMU_REPORT_TEXT, .is_long = 1 }

#endif /* GPMU_TOOLS_REPORT_NCU_H */
