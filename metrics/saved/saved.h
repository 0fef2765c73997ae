/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What "perf stat" has printed, as CSV (-x) or JSON (-j), by perf 6.1 to 7.3. A line
 * becomes a record; the records of an interval, or of a whole run, are a table, whose
 * counts go into the slots of a plan by their events' names.
 */
#ifndef GPMU_SAVED_H
#define GPMU_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "values/counts.h"
#include "gpmu.h"
#include "plan/plan.h"
#include "values/row.h"

#define SAVED_MAX_TEXTS		16384	/* different names and units */
#define SAVED_MAX_RECORDS	1000000	/* of a table */
#define SAVED_NONE		SIZE_MAX

/* --- saved_line.c, saved_csv.c, saved_json.c: a line --- */

/* What perf has added up in a line */
enum saved_label {
	SAVED_ALL,
	SAVED_NODE,	/* N1 */
	SAVED_PACKAGE,	/* S1, also S1-D0, S1-D0-C3 and other parts of a package */
	SAVED_CPU,	/* CPU3 */
	SAVED_THREAD,	/* COMMAND-1234 */
};

/* Part of a line */
struct saved_text {
	const char *at;		/* NULL: there is none */
	size_t length;
};

struct saved_line {
	bool nothing;		/* blank, a comment, a message, or of the summary that ends intervals */
	bool timed;
	uint64_t time;		/* ns from the start to the interval's end */
	enum saved_label label;
	int number;		/* of the label */
	unsigned int counters;	/* that were added up; 0: not said */
	struct saved_text event;	/* none: the line has a metric alone */
	struct saved_text unit;
	enum count_state state;
	double value;		/* in the unit, scaled where it was multiplexed */
	double deviation;	/* of the mean of several runs, in percent of it */
	uint64_t running;	/* ns, of all counters */
	double share;		/* percent; perf cuts off what is behind the point */
	struct saved_text metric;	/* its unit, and with it its name; or none */
	double metric_value;	/* NaN: none */
};

enum saved_kind {
	SAVED_UNKNOWN,
	SAVED_CSV,
	SAVED_JSON,
};

struct saved_format {
	enum saved_kind kind;
	char separator;		/* of CSV */
	bool warning;		/* the line before says that this is one */
};

/* What a line cannot be read for: where, and what was expected there */
struct saved_expected {
	size_t offset;
	const char *what;
};

/*
 * The first line that has anything says what the format is. 0, or -EINVAL with
 * @expected set
 */
int saved_line_parse(struct saved_format *format, const char *text, size_t length,
		     struct saved_line *line, struct saved_expected *expected);

int saved_csv_parse(char separator, const char *text, size_t length, struct saved_line *line,
		    struct saved_expected *expected);
int saved_json_parse(const char *text, size_t length, struct saved_line *line,
		     struct saved_expected *expected);
/* The separator of a line, 0: it is no line of CSV */
char saved_csv_separator(const char *text, size_t length);

/* Fields, wherever they are from; each the whole of the text, or false */
bool saved_parse_u64(struct saved_text text, uint64_t *value);
/* With a point, or the comma of another locale */
bool saved_parse_double(struct saved_text text, double *value);
/* Percent, 0 to 100 */
bool saved_parse_share(struct saved_text text, double *share);
/* "12.345678901", 9 decimals; blanks before it */
bool saved_parse_time(struct saved_text text, uint64_t *ns);
/* "S0-D0", "N1", "CPU3" */
bool saved_parse_label(struct saved_text text, struct saved_line *line);
/* "comm-1234" */
bool saved_parse_thread(struct saved_text text, struct saved_line *line);
/* "123.45", "<not counted>", "<not supported>" */
bool saved_parse_count(struct saved_text text, struct saved_line *line);
bool saved_is(struct saved_text text, const char *word);

/* --- saved_name.c: events' names --- */

/* An event's name, in one form for all that perf prints of the same event */
struct saved_name {
	char *text;	/* as it is */
	char *pmu;	/* or NULL */
	char *terms;	/* without "name=", and "event=" before a name; numbers are decimal */
	char *modifiers;	/* in alphabetical order; "" */
	char *label;	/* of "name="; or NULL */
};

/* 0 or -ENOMEM, then with nothing to release */
int saved_name_init(struct saved_name *name, const char *text, size_t length);
void saved_name_release(struct saved_name *name);

/* How well a printed name fits a planned one: 0 not at all, more is better */
int saved_name_fits(const struct saved_name *printed, const struct saved_name *planned,
		    const struct gpmu_pmu *pmu);

/* --- saved.c --- */

/* Texts, each once */
struct saved_texts {
	struct saved_name *list;
	size_t length;
	size_t *table;		/* by hash: index + 1, or 0 */
	size_t table_size;
};

struct saved_record {
	size_t event;		/* of the texts; SAVED_NONE: there is a metric alone */
	size_t unit, metric;	/* likewise */
	size_t metric_name;	/* likewise: what the metric's row is called */
	size_t metric_unit;
	enum saved_label label;
	int number;
	unsigned int counters;
	enum count_state state;
	double value, deviation, metric_value;
	uint64_t running;
	double share;
	size_t turn;		/* how many records before it have the same event and label */
	size_t before;		/* the last one before it of the same event, or SAVED_NONE */
	bool repeated;		/* another one of the same event and label follows */
	bool used;		/* by the plan */
};

struct saved_table {
	struct saved_record *list;
	size_t length;
	size_t *last;		/* of each text: its last record, or SAVED_NONE */
	size_t last_room;
	bool timed;
	uint64_t begin, end;	/* ns */
};

/* The records that a slot's counts are of */
struct saved_slot {
	struct saved_name name;
	size_t turn;		/* how many slots before it have the same name */
	size_t *events;		/* of the texts, those that fit best */
	size_t length;
	int fits;		/* how well */
};

struct gpmu_saved {
	struct gpmu_saved_options options;
	struct saved_format format;
	struct saved_texts texts;
	struct saved_table tables[2], *filling, *complete;
	unsigned long line;	/* its number */
	bool timed;		/* there are intervals */
	bool cut;
	/* Of the plan that rows were last asked for */
	const struct gpmu_plan *plan;
	struct saved_slot *slots;
	size_t matched;		/* texts that the slots were compared with */
	struct gpmu_counts *counts;
	struct rows_options rows_options;
	struct gpmu_rows *rows;
	struct gpmu_row *others;
};

/* Its index in the texts; SAVED_NONE of an empty one. 0, -ENOMEM or -E2BIG */
int saved_texts_add(struct saved_texts *texts, const char *text, size_t length, size_t *index);

/* --- saved_slots.c --- */

/* What of the texts fits the plan's slots. 0 or -ENOMEM */
int saved_slots_match(struct gpmu_saved *saved, const struct gpmu_plan *plan);
void saved_slots_release(struct gpmu_saved *saved);

/* --- saved_counts.c --- */

/* The complete table into saved->counts. 0 or -ENOMEM */
int saved_counts_fill(struct gpmu_saved *saved);
/* What is known of a value that perf does not have */
const char *saved_why(enum count_state state);
/* The number of the node that a record is of; -1: of none, or not known. @machine: or NULL */
int saved_node(const struct gpmu_machine *machine, const struct saved_record *record);
/*
 * How long a record's counters were enabled and ran, the mean of them; @single: it is of one,
 * else perf may have added up those of all CPUs. @wall: ns of the table
 */
void saved_times(const struct saved_record *record, uint64_t wall, bool single,
		 uint64_t *enabled, uint64_t *running);
/* ns that the complete table is of; 0: not known */
uint64_t saved_wall(const struct gpmu_saved *saved);

#endif /* GPMU_SAVED_H */
