/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report: tables of a timeline. report_table.c builds one, report_tally.c adds up what has the same name,
 * report_place.c is what a GPU did, report_link.c what links moved; the others are a table or two each.
 */
#ifndef GPMU_REPORT_H
#define GPMU_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpmu.h"
#include "base/spans.h"
#include "report/timeline.h"

enum report_table_id {
	REPORT_KERNELS,
	REPORT_COPIES,
	REPORT_GPUS,
	REPORT_STREAMS,
	REPORT_API,
	REPORT_WAITS,
	REPORT_NVTX,
	REPORT_NVTX_COUNTERS,
	REPORT_LINKS,
	REPORT_PAYS,
	REPORT_RANKS,
	REPORT_IMBALANCE,
	REPORT_AUDIT,
	REPORT_COUNTERS,
	REPORT_TABLES
};

struct report_table {
	struct gpmu_report_table shown;
	struct array cells;	/* struct gpmu_report_cell */
};

/* --- report_link.c */

enum report_way { REPORT_IN, REPORT_OUT, REPORT_BOTH, REPORT_WAYS };	/* of the GPU */

/* What a counter shows: a rate over time, and its integral */
struct report_step {
	uint64_t begin, end;
	double rate;		/* a ns */
	double sum;		/* of all before it */
	uint64_t time;		/* likewise */
};

struct report_series {
	const struct timeline_counter *counter;
	enum report_way way;
	struct array steps;	/* struct report_step, in order of time */
};

enum { REPORT_C2C, REPORT_PCIE, REPORT_NVLINK, REPORT_DRAM, REPORT_LINKS_N };

/* --- report_place.c: what was done on a GPU, by one file or by all */

struct report_place {
	uint32_t file, gpu;	/* file: none: of all */
	struct spans busy, kernels, copies;
	uint64_t sum, several;	/* ns of all works; in which two or more ran at a time */
	uint64_t bytes;		/* that were copied */
};

/* Of a GPU */
struct report_gpu {
	const char *label;	/* "GPU 0" */
	uint32_t place;		/* of all that was done there */
	struct array links[REPORT_LINKS_N];	/* struct report_series */
};

struct gpmu_report {
	struct timeline timeline;
	size_t link;		/* whose bytes are paid for */
	bool made, failed;	/* failed: there was no memory */
	struct report_table tables[REPORT_TABLES];
	struct array places;	/* struct report_place */
	struct array gpus;	/* struct report_gpu */
	uint32_t *stream_places;	/* of the file's own */
	double unexplained;	/* bytes that links moved to or from hosts, and no copy did; counted: all of them */
	double counted;
};

/* --- report_table.c: where there is no memory, the report has failed and nothing more is done */

void report_table_init(struct gpmu_report *report);
struct report_table *report_table(struct gpmu_report *report, enum report_table_id id);
/* The next cell. @text is to live as long as the report */
void report_text(struct gpmu_report *report, enum report_table_id id, const char *text);
void report_number(struct gpmu_report *report, enum report_table_id id, double number);
void report_none(struct gpmu_report *report, enum report_table_id id);
/* The number, or none where @known is false */
void report_maybe(struct gpmu_report *report, enum report_table_id id, bool known, double number);
/* A text that lives as long as the report, or "" */
const char *report_print(struct gpmu_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void report_note(struct gpmu_report *report, enum report_table_id id, const char *note);
/* All rows are there. By a column, the largest first; NULL: as they are */
void report_table_done(struct gpmu_report *report, enum report_table_id id, const char *column);
const char *report_word(const struct gpmu_report *report, uint32_t word);

/* --- report_tally.c */

struct report_entry {
	uint64_t key, time, bytes;
};

struct report_tally {
	uint64_t key, count, total, bytes, min, median, max;
};

void report_count(struct gpmu_report *report, struct array *entries, uint64_t key, uint64_t time,
		  uint64_t bytes);
/* Tallies of entries, which are sorted for it; the caller's to release */
struct array report_tallies(struct gpmu_report *report, struct array *entries);

/* --- report_place.c */

void report_places(struct gpmu_report *report);
void report_places_release(struct gpmu_report *report);
struct report_place *report_place(const struct gpmu_report *report, size_t index);
struct report_gpu *report_gpu(const struct gpmu_report *report, size_t index);
/* From when to when a GPU was looked at: by all files that have it */
struct span report_gpu_wall(const struct gpmu_report *report, uint32_t gpu);
/* What a counter is of, for people: "GPU 0", "node 1", "machine", "command", "100 train" */
const char *report_counter_of(struct gpmu_report *report, const struct timeline_counter *counter);

/* --- report_link.c */

/* What a counter showed, without its gaps; @scale: of a value; 0: an amount of the time up to the next one, which
 * becomes a rate. The caller's to release */
struct array report_steps(struct gpmu_report *report, const struct timeline_counter *counter, double scale);
void report_links(struct gpmu_report *report);
void report_links_release(struct gpmu_report *report);
/* What was moved from @begin to @end, and how much of that time was counted */
double report_within(const struct array *steps, uint64_t begin, uint64_t end, uint64_t *time);
/* Whether a counter's values are a rate in bytes or an amount of them, and its factor to bytes */
bool report_is_rate(const struct gpmu_report *report, const struct timeline_counter *counter, double *factor);
const char *report_link_title(size_t link);
/* What is to be recorded for it: "GpuC2cRxBW,GpuC2cTxBW" */
const char *report_link_metrics(size_t link);

/* --- the tables */

void report_kernels(struct gpmu_report *report);	/* and copies */
void report_gpus(struct gpmu_report *report);		/* and streams */
void report_api(struct gpmu_report *report);		/* and waits */
void report_nvtx(struct gpmu_report *report);		/* and its counters */
void report_moved(struct gpmu_report *report);		/* over links */
void report_pays(struct gpmu_report *report);
void report_ranks(struct gpmu_report *report);		/* and imbalance */
void report_audit(struct gpmu_report *report);
void report_counters(struct gpmu_report *report);

/* A file's rank, else its number among the files */
const char *report_rank(struct gpmu_report *report, uint32_t file);
/* The files in the order of their ranks; the caller's to free, NULL where there is no memory */
uint32_t *report_rank_order(struct gpmu_report *report);
/* How long threads of a file were in calls, each moment once for a thread */
uint64_t report_api_time(struct gpmu_report *report, uint32_t file);

#endif /* GPMU_REPORT_H */
