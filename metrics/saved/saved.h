/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads saved output of "perf stat", CSV (-x) or JSON (-j), of perf 6.1 to 7.3. Each line
 * becomes a record. The records of an interval, or of a whole run, form a table; its
 * counts are assigned to the slots of a plan by event names.
 */
#ifndef GPMU_SAVED_H
#define GPMU_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/strings.h"
#include "saved/gpmu_saved.h"
#include "values/counts.h"
#include "gpmu.h"
#include "plan/plan.h"
#include "values/row_maker.h"

#define SAVED_MAX_TEXTS		16384	/* distinct names and units */
#define SAVED_MAX_RECORDS	1000000	/* in a table */
#define SAVED_NONE		SIZE_MAX
#define SAVED_PARTS		3	/* numbers in a label after the package's */
#define SAVED_SEPARATOR		8	/* bytes of a separator of columns */

/* --- saved_line.c, saved_csv.c, saved_json.c, saved_gpmu.c, saved_field.c: parsing a line --- */

/* The scope over which perf has aggregated a line */
enum saved_label {
	SAVED_ALL,
	SAVED_NODE,	/* N1 */
	SAVED_PACKAGE,	/* S1; S1-D0, S1-D0-C3 and other parts of a package */
	SAVED_CPU,	/* CPU3 */
	SAVED_THREAD,	/* COMMAND-1234 */
};

/* Part of a line */
struct saved_text {
	const char *begin;	/* NULL: none */
	size_t length;
};

/* The numbers of a line */
struct saved_count {
	enum saved_label label;
	int number;		/* in the label */
	int parts[SAVED_PARTS];	/* of the package: die, core or others; 0: none */
	unsigned int counters;	/* number of aggregated counters; 0: unknown */
	enum count_state state;
	double value;		/* in the unit; scaled if multiplexed */
	double deviation;	/* of the mean of several runs, percent; NaN: one run */
	double metric_value;	/* NaN: none */
	double share;		/* percent; perf truncates the decimals */
	uint64_t running;	/* ns, sum over all counters */
};

struct saved_line {
	/* blank, a comment, a message, or part of the summary after the intervals */
	bool is_empty;
	bool is_begin;	/* "# started on": a run begins */
	bool is_timed;
	uint64_t time;		/* ns from the start to the end of the interval */
	struct saved_text event;	/* none: the line has only a metric */
	struct saved_text unit;
	struct saved_text cgroup;	/* none: counted without cgroups */
	struct saved_text metric;	/* unit, followed by the metric's name; or none */
	struct saved_count count;
	bool has_count, has_metric;	/* JSON: a count, and the value or group of a metric */
};

enum saved_kind {
	SAVED_UNKNOWN,
	SAVED_CSV,
	SAVED_JSON,
	SAVED_GPMU,	/* gpmu's CSV of version 1 */
};

/* Columns and keys of gpmu's version 1; others are ignored */
enum saved_gpmu_key {
	SAVED_GPMU_END,
	SAVED_GPMU_SCOPE,
	SAVED_GPMU_NODE,
	SAVED_GPMU_CPU,
	SAVED_GPMU_KIND,
	SAVED_GPMU_NAME,
	SAVED_GPMU_VALUE,
	SAVED_GPMU_UNIT,
	SAVED_GPMU_STATE,
	SAVED_GPMU_SHARE,
	SAVED_GPMU_RUNNING,
	SAVED_GPMU_COUNTERS,
	SAVED_GPMU_RUNS,
	SAVED_GPMU_DEVIATION,
	SAVED_GPMU_KEYS,	/* number of keys; another key */
};
#define SAVED_GPMU_COLUMNS	32

struct saved_format {
	enum saved_kind kind;
	char separator[SAVED_SEPARATOR + 1];	/* of CSV columns */
	enum saved_gpmu_key columns[SAVED_GPMU_COLUMNS];	/* of SAVED_GPMU */
	bool is_message;	/* the previous line announced that this line is a message */
};

/* The position of a syntax error, and what was expected there */
struct saved_expected {
	size_t offset;
	const char *what;
};

/*
 * Parses a line. The first line with content determines the format. Returns 0, or -EINVAL
 * with @expected set.
 */
int saved_line_parse(struct saved_format *format, const char *text, size_t length,
		     struct saved_line *line, struct saved_expected *expected);

int saved_csv_parse(const char *separator, const char *text, size_t length, struct saved_line *line,
		    struct saved_expected *expected);
int saved_json_parse(const char *text, size_t length, struct saved_line *line,
		     struct saved_expected *expected);
/* Finds the separator of a CSV line. @separator: room for SAVED_SEPARATOR bytes and a NUL. Returns false if the line is not CSV. */
bool saved_csv_separator(const char *text, size_t length, char *separator);

/* saved_gpmu.c: returns SAVED_GPMU_KEYS for another name. */
enum saved_gpmu_key saved_gpmu_key(struct saved_text name);
/* Parses the heading of CSV into the format; false if @text is none. */
bool saved_gpmu_heading(struct saved_format *format, struct saved_text text);
int saved_gpmu_csv(const struct saved_format *format, struct saved_text text,
		   struct saved_line *line, struct saved_expected *expected);
/* Parses the texts of a row, by key; begin is NULL where a text is missing. */
int saved_gpmu_row(const struct saved_text *row, struct saved_line *line,
		   struct saved_expected *expected);

/* saved_field.c: parsers of fields, for all formats. They return false unless the whole text matches. */
struct saved_text saved_skip_blanks(struct saved_text text);
bool saved_parse_u64(struct saved_text text, uint64_t *value);
/* Likewise, a number up to UINT_MAX or INT_MAX */
bool saved_parse_unsigned(struct saved_text text, unsigned int *value);
bool saved_parse_int(struct saved_text text, int *value);
/* Accepts a point, or a comma as in other locales. */
bool saved_parse_double(struct saved_text text, double *value);
/* Percent, 0 to 100, with two decimals. Times in ns have none, which distinguishes the two. */
bool saved_parse_share(struct saved_text text, double *share);
/* "12.345678901": 9 decimals, optional leading blanks */
bool saved_parse_time(struct saved_text text, uint64_t *ns);
/* "S0-D0", "N1", "CPU3" */
bool saved_parse_label(struct saved_text text, struct saved_line *line);
/* "comm-1234" */
bool saved_parse_thread(struct saved_text text, struct saved_line *line);
/* "123.45", "<not counted>", "<not supported>"; not "1,234", in which digits are grouped */
bool saved_parse_count(struct saved_text text, struct saved_line *line);
bool saved_is(struct saved_text text, const char *word);

/* --- saved_name.c: events' names --- */

/* An event's name, normalised so that all spellings that perf prints of an event are equal */
struct saved_name {
	char *text;	/* as printed */
	char *pmu;	/* NULL: none */
	/* without "name=", and without "event=" before a name; numbers are decimal */
	char *terms;
	char *modifiers;	/* sorted; "" if there are none */
	char *label;	/* from "name="; NULL: none */
};

/* Returns 0, or -ENOMEM with nothing to release. */
int saved_name_init(struct saved_name *name, const char *text, size_t length);
void saved_name_release(struct saved_name *name);
bool saved_is_uncore(const struct gpmu_pmu *pmu);

/* How well a printed name matches a planned one: 0 for no match, higher is better */
int saved_name_fits(const struct saved_name *printed, const struct saved_name *planned,
		    const struct gpmu_pmu *pmu);

/* --- saved.c --- */

/* Unique strings */
struct saved_texts {
	struct strings strings;
	struct saved_name *list;	/* by number in the string table */
	size_t length;
};

struct saved_record {
	size_t event;		/* index in the texts; SAVED_NONE: the record has only a metric */
	size_t unit, metric;	/* indices in the texts, or SAVED_NONE */
	/* index in the texts of the name of the metric's row, or SAVED_NONE */
	size_t metric_name;
	size_t metric_unit;
	struct saved_count count;
	size_t occurrence;		/* number of earlier records with the same event and label */
	size_t before;		/* previous record of the same event, or SAVED_NONE */
	/* index of the first record with the same target: CPU, thread or part of the machine */
	size_t target;
	/* of the first record of a target: ns that an event ran that ran all the time; 0: none */
	uint64_t whole;
	bool is_repeated;	/* a later record has the same event and label */
	bool is_used;		/* assigned to a slot of the plan */
};

struct saved_table {
	struct saved_record *list;
	size_t length;
	size_t *last;		/* the last record of each text, or SAVED_NONE */
	size_t last_room;
	struct map targets;	/* hash of a target -> 1 + index of its first record */
	struct map latest;	/* event and target -> index of their last record */
	bool is_timed;
	bool is_repeated;	/* perf stat -r: values are means of several runs */
	unsigned int labels;	/* bits of all labels that records have */
	enum saved_label part;	/* the first label that is not SAVED_ALL; SAVED_ALL: none */
	uint64_t begin, end;	/* ns */
	bool has_duration;	/* a record is duration_time, which can be 0, as perf 7.3 prints for a command */
	uint64_t duration;	/* ns that perf printed as duration_time; 0: none */
	uint64_t longest;	/* ns that the counter with the longest time ran, of those that count all of the time; 0: none */
};

/* The records that a slot's counts come from */
struct saved_slot {
	struct saved_name name;
	struct saved_name other;	/* for perf, if it is another one; text NULL: it is not */
	size_t occurrence;		/* number of earlier slots with the same name */
	size_t *events;		/* indices in the texts of the names that match best */
	size_t length;
	int fits;		/* result of saved_name_fits() for these */
};

struct gpmu_saved {
	struct gpmu_saved_options options;
	struct saved_format format;
	struct saved_texts texts;
	struct saved_table tables[2], *filling, *complete;
	unsigned long line;	/* number of the current line */
	bool is_timed;		/* the output has intervals */
	bool is_cut;
	char *cgroup;		/* cgroup of all counts; "": without cgroups; NULL: no count yet */
	/* State for the plan for which rows were last requested */
	const struct gpmu_plan *plan;
	struct saved_slot *slots;
	size_t matched;		/* number of texts already compared with the slots */
	struct gpmu_counts *counts;
	struct rows_options rows_options;
	struct row_maker *maker;
};

/*
 * Finds or adds a text and sets its index; SAVED_NONE for an empty text. Returns 0,
 * -ENOMEM or -E2BIG.
 */
int saved_texts_add(struct saved_texts *texts, const char *text, size_t length, size_t *index);

/* --- saved_slots.c --- */

/* Matches the texts with the plan's slots. Returns 0 or -ENOMEM. */
int saved_slots_match(struct gpmu_saved *saved, const struct gpmu_plan *plan);
void saved_slots_release(struct gpmu_saved *saved);
/* Index of the last record in the complete table of the only event that matches a slot best; SAVED_NONE: no record, or several events */
size_t saved_slot_last(const struct gpmu_saved *saved, const struct saved_slot *slot);

/* --- saved_counts.c --- */

/* Fills saved->counts from the complete table. Returns 0 or -ENOMEM. */
int saved_counts_fill(struct gpmu_saved *saved);
/* Explains a value that perf did not print. */
const char *saved_why(enum count_state state);
/* Number of the record's node; -1 if it has none or it is unknown. @machine: may be NULL */
int saved_node(const struct gpmu_machine *machine, const struct saved_record *record);
/*
 * Mean times for which a record's counters were enabled and ran. @is_single: the record has
 * one counter; otherwise perf may have added up those of all CPUs, or of all PMUs of a kind.
 * Returns the number of counters.
 */
unsigned int saved_times(const struct gpmu_saved *saved, const struct saved_record *record, bool is_single,
			 uint64_t *enabled, uint64_t *running);
/* Adds the times of a record of the table that is filled to its @duration and @longest, and to @whole of its target. */
void saved_add_times(struct gpmu_saved *saved, const struct saved_record *record);
/*
 * Returns whether the complete table is the first interval of a run that perf stat --append has added: a
 * counter that counts all of the time ran since 0, not since the interval before.
 */
bool saved_begins_run(const struct gpmu_saved *saved);
/* Duration of the complete table in ns; 0: unknown */
uint64_t saved_wall(const struct gpmu_saved *saved);

#endif /* GPMU_SAVED_H */
