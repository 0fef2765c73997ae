/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of a timeline. report_table.c builds a table, report_tally.c adds up entries of
 * the same name, report_load.c collects the work of a GPU, report_link.c the bytes of
 * links. Each other file makes one or two tables.
 */
#ifndef GPMU_REPORT_H
#define GPMU_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpmu.h"
#include "base/spans.h"
#include "report/gpmu_report.h"
#include "report/timeline/timeline.h"

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
	REPORT_ATTRIBUTION,
	REPORT_RANKS,
	REPORT_IMBALANCE,
	REPORT_AUDIT,
	REPORT_COUNTERS,
	REPORT_THREADS,
	REPORT_SAMPLES,
	REPORT_STACKS,
	REPORT_NVTX_TIERS,
	REPORT_FUNCTIONS,
	REPORT_PCS,
	REPORT_MEMORY,
	REPORT_MODULES,
	REPORT_NODES,
	REPORT_OPENACC,
	REPORT_TABLES
};

struct report_table {
	struct gpmu_report_table shown;
	VECTOR(struct gpmu_report_cell) cells;	/* row by row */
};

/* --- report_link.c */

enum report_way { REPORT_IN, REPORT_OUT, REPORT_BOTH, REPORT_WAYS };	/* seen from the GPU */

/* An interval of a counter: its rate, and the integral before it */
struct report_step {
	uint64_t begin, end;
	double rate;		/* per ns */
	double sum;		/* of all earlier steps */
	uint64_t time;		/* ns of all earlier steps */
};

/* Sorted by time */
struct report_steps {
	struct report_step *list;
	size_t n;
};

struct report_series {
	const struct timeline_counter *counter;
	enum report_way way;
	struct report_steps steps;
};

/* The counters of a link */
struct report_link {
	struct report_series *list;
	size_t n;
};

enum { REPORT_C2C, REPORT_PCIE, REPORT_NVLINK, REPORT_DRAM, REPORT_LINKS_N };

/* --- report_load.c: the work on a GPU, of one file or of all files */

struct report_load {
	uint32_t file, gpu;	/* file: TIMELINE_NONE for all files */
	struct spans busy, kernels, copies;
	/* ns: sum over all works; time in which two or more ran concurrently */
	uint64_t sum, several;
	uint64_t bytes;		/* bytes copied */
};

/* A GPU of the report */
struct report_gpu {
	const char *label;	/* "GPU 0" */
	uint32_t load;		/* index of the load for all work on the GPU */
	struct report_link links[REPORT_LINKS_N];
};

/* Keys of PC samples, in the order of their columns */
enum report_pc_key { REPORT_PC_FUNCTION, REPORT_PC_LINE, REPORT_PC_OFFSET, REPORT_PC_STALL, REPORT_PC_KEYS };

#define REPORT_PC_COLUMNS	(REPORT_PC_KEYS + 4)

struct gpmu_report {
	struct timeline timeline;
	size_t link;		/* link whose bytes are attributed */
	unsigned int pc_keys;	/* bits 1 << enum report_pc_key */
	struct gpmu_report_column pc_columns[REPORT_PC_COLUMNS];
	bool is_made, has_failed;	/* has_failed: out of memory */
	struct report_table tables[REPORT_TABLES];
	VECTOR(struct report_load) loads;
	VECTOR(struct report_gpu) gpus;
	uint32_t *stream_loads;	/* index of the load for each stream's file and GPU */
	double unexplained;	/* bytes on links to hosts: those without a copy; all of them */
	double counted;
};

/* --- report_table.c: when memory runs out, the report fails and further calls do nothing */

void report_table_init(struct gpmu_report *report);
/* Appends a text cell. @text must live as long as the report. */
void report_text(struct gpmu_report *report, enum report_table_id id, const char *text);
void report_number(struct gpmu_report *report, enum report_table_id id, double number);
void report_none(struct gpmu_report *report, enum report_table_id id);
/* Appends a number, or an empty cell if @is_known is false. */
void report_maybe(struct gpmu_report *report, enum report_table_id id, bool is_known, double number);
/* Returns a formatted text that lives as long as the report, or "". */
const char *report_print(struct gpmu_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Replaces the note that a table without rows has. */
void report_note(struct gpmu_report *report, enum report_table_id id, const char *note);
/* Completes a table. Sorts it by @column, largest first; NULL keeps the order of the rows. A table with rows has no note. */
void report_table_done(struct gpmu_report *report, enum report_table_id id, const char *column);
const char *report_string(const struct gpmu_report *report, uint32_t word);

/* --- report_tally.c */

struct report_entry {
	uint64_t key, time, bytes;
};

struct report_entries {
	struct report_entry *list;
	size_t n;
};

struct report_tally {
	uint64_t key, count, total, bytes, min, median, max;
};

struct report_tallies {
	struct report_tally *list;
	size_t n;
};

void report_count(struct gpmu_report *report, struct report_entries *entries, uint64_t key, uint64_t time,
		  uint64_t bytes);
/* Adds up entries with the same key, and frees @entries. The caller frees the list of the returned tallies. */
struct report_tallies report_tallies(struct gpmu_report *report, struct report_entries *entries);
/* Appends total, minimum, median and maximum of the durations. */
void report_put_times(struct gpmu_report *report, enum report_table_id id, const struct report_tally *tally);

/* --- report_load.c */

void report_loads(struct gpmu_report *report);
void report_loads_release(struct gpmu_report *report);
/* The time in which a GPU was recorded, over all files that have it */
struct span report_gpu_wall(const struct gpmu_report *report, uint32_t gpu);
/* The target of a counter as text: "GPU 0", "node 1", "machine", "command", "100 train" */
const char *report_counter_of(struct gpmu_report *report, const struct timeline_counter *counter);

/* --- report_link.c */

/*
 * Intervals of a counter without its gaps; the caller frees their list. @scale: factor of the
 * values; 0: a value is an amount up to the next value and is converted to a rate
 */
struct report_steps report_steps(struct gpmu_report *report, const struct timeline_counter *counter,
				 double scale);
void report_links(struct gpmu_report *report);
void report_links_release(struct gpmu_report *report);
/* Integral of the steps from @begin to @end; @time: ns of it that were counted */
double report_within(const struct report_steps *steps, uint64_t begin, uint64_t end, uint64_t *time);
const char *report_link_title(size_t link);
/* Metrics to record for the link: "GpuC2cRxBW,GpuC2cTxBW" */
const char *report_link_metrics(size_t link);

/* --- the tables */

void report_kernels(struct gpmu_report *report);	/* also copies */
void report_gpus(struct gpmu_report *report);		/* also streams */
void report_api(struct gpmu_report *report);		/* also waits */
void report_nvtx(struct gpmu_report *report);		/* also counters and samples in ranges */
/* @order: indices of the ranges by tally */
void report_nvtx_tiers(struct gpmu_report *report, const size_t *order, const struct report_tallies *tallies);
void report_moved(struct gpmu_report *report);		/* bytes over links */
/* Returns whether a copy is between GPU and host in this direction: HtoD, HtoA, or DtoH, AtoH. */
bool report_is_in_direction(const char *name, enum report_way way);
void report_attribution(struct gpmu_report *report);
void report_memory(struct gpmu_report *report);		/* bytes of the host's memory that no copy moved */
void report_ranks(struct gpmu_report *report);		/* also imbalance */
void report_audit(struct gpmu_report *report);
void report_counters(struct gpmu_report *report);
void report_threads(struct gpmu_report *report);
void report_samples(struct gpmu_report *report);	/* also functions */
void report_nodes(struct gpmu_report *report);
void report_openacc(struct gpmu_report *report);
void report_modules(struct gpmu_report *report);
/* Returns whether this kind of CUPTI's overhead is the program's loading of modules. */
bool report_is_loading(const char *name);
void report_pcs(struct gpmu_report *report);
/* Bits of the keys in "function,line"; 0: a key is not known or repeated */
unsigned int report_pc_keys(const char *text);
/* Appends a text, or an empty cell for TIMELINE_NONE. */
void report_put_text(struct gpmu_report *report, enum report_table_id id, uint32_t text);
/* Appends share, number and latencies of samples. @all: number of samples of which they are a share */
void report_put_samples(struct gpmu_report *report, enum report_table_id id, const struct timeline_samples *samples, uint64_t all);
void report_stacks(struct gpmu_report *report);

/* Rank of a file, else its number among the files */
const char *report_rank(struct gpmu_report *report, uint32_t file);
/* Files in the order of their ranks; the caller frees the array. NULL if out of memory */
uint32_t *report_rank_order(struct gpmu_report *report);
/* Time in ns that threads of a file spent in calls; nested calls count once */
uint64_t report_api_time(struct gpmu_report *report, uint32_t file);

#endif /* GPMU_REPORT_H */
