// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu report of a recording of perf: samples by function, or by the keys of --by. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "common.h"
#include "message.h"
#include "output/progress.h"
#include "report/report_perf.h"

#define MAGIC_SIZE	8
#define TABLES		4	/* with the facts */
#define COLUMNS		(COLUMN_KEYS + GPMU_PROFILE_KEYS_MAX)

enum { COLUMN_EVENT, COLUMN_SHARE, COLUMN_SAMPLES, COLUMN_PERIOD, COLUMN_MEAN, COLUMN_MAX, COLUMN_KEYS };

#define COLUMN(column_name, column_kind) \
	{ .size = sizeof(struct gpmu_report_column), .name = (column_name), .kind = GPMU_REPORT_##column_kind }

static const struct gpmu_report_column columns[COLUMN_KEYS] = {
	[COLUMN_EVENT] = COLUMN("event", TEXT),
	[COLUMN_SHARE] = COLUMN("share", SHARE),
	[COLUMN_SAMPLES] = COLUMN("samples", COUNT),
	[COLUMN_PERIOD] = COLUMN("period", COUNT),
	[COLUMN_MEAN] = COLUMN("latency_mean", NUMBER),
	[COLUMN_MAX] = COLUMN("latency_max", COUNT),
};

static const struct gpmu_report_column fact_columns[] = { COLUMN("what", TEXT), COLUMN("value", TEXT) };

/* A table by keys; is_memory: it has loads and stores of SPE only */
struct kind {
	const char *name, *title;
	bool is_memory;
	enum gpmu_profile_key keys[GPMU_PROFILE_KEYS_MAX];
	size_t key_count;
};

/* Tables without --by: of a recording with SPE all but the first, of others the first */
static const struct kind kinds[] = {
	{ .name = "functions", .title = "samples by function",
	  .keys = { GPMU_PROFILE_FUNCTION, GPMU_PROFILE_OBJECT }, .key_count = 2 },
	{ .name = "tiers", .title = "loads and stores by tier and home", .is_memory = true,
	  .keys = { GPMU_PROFILE_TIER, GPMU_PROFILE_HOME }, .key_count = 2 },
	{ .name = "functions", .title = "samples by function, tier and home",
	  .keys = { GPMU_PROFILE_FUNCTION, GPMU_PROFILE_OBJECT, GPMU_PROFILE_TIER, GPMU_PROFILE_HOME },
	  .key_count = 4 },
	{ .name = "data", .title = "loads and stores by data", .is_memory = true,
	  .keys = { GPMU_PROFILE_DATA, GPMU_PROFILE_TIER, GPMU_PROFILE_HOME }, .key_count = 3 },
};

static const struct kind folded = {
	.name = "folded", .title = "folded stacks", .keys = { GPMU_PROFILE_COMM, GPMU_PROFILE_STACK }, .key_count = 2,
};

/* A table of the report, and what it is made of */
struct made {
	struct gpmu_profile_table rows;
	struct gpmu_report_column columns[COLUMNS];
	struct gpmu_report_cell *cells;
	struct gpmu_report_table table;
	size_t *order;
};

/* --- recognising a recording */

/* Begins of magic numbers. All but that of version 2 on a little-endian machine are refused when the recording is read. */
static const char *const magics[] = { "PERFILE", "PERFFILE", "2ELIFREP", "ELIFFREP" };

static bool is_magic(const char bytes[MAGIC_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (!memcmp(bytes, magics[i], strlen(magics[i])))
			return true;
	return false;
}

bool report_is_perf(const char *path)
{
	char bytes[MAGIC_SIZE];
	struct stat status;
	bool is_perf;
	char *data;

	if (strcmp(path, "-") != 0 && !stat(path, &status) && S_ISDIR(status.st_mode)) {
		data = print_text("%s/data", path);
		is_perf = !access(data, F_OK);
		free(data);
		return is_perf;
	}
	return report_peek(path, bytes, sizeof(bytes)) == sizeof(bytes) && is_magic(bytes);
}

/* --- keys */

static enum gpmu_profile_key parse_key(const char *text, size_t length)
{
	for (enum gpmu_profile_key key = 0; key < GPMU_PROFILE_KEYS; key++)
		if (strlen(gpmu_profile_key_name(key)) == length && !strncmp(gpmu_profile_key_name(key), text, length))
			return key;
	die("--by=%.*s: for a recording of perf, expected function, object, line, thread, process, cpu, node, tier, home, "
	    "data, page, op, comm, stack or event", (int)length, text);
}

/* A list of keys, separated by commas; event is the first key of every table. */
static struct kind parse_by(const char *text)
{
	struct kind kind = { .name = "samples", .title = "samples" };

	for (const char *cursor = text; ; cursor++) {
		size_t length = strcspn(cursor, ",");

		if (length != 5 || strncmp(cursor, "event", length) != 0) {
			if (kind.key_count == GPMU_PROFILE_KEYS_MAX)
				die("--by=%s: expected at most %d keys", text, GPMU_PROFILE_KEYS_MAX);
			kind.keys[kind.key_count++] = parse_key(cursor, length);
		}
		cursor += length;
		if (!*cursor)
			return kind;
	}
}

/* --- tables */

void report_put_frame(FILE *file, const char *text)
{
	char *frame = print_text("%s", text);

	for (char *c = frame; *c; c++)
		*c = *c == ';' ? ':' : *c;
	gpmu_shown_print(file, frame);
	putc(';', file);
	free(frame);
}

/* "COMM;OUTER;INNER COUNT", as flamegraph.pl and similar programs read; with several events, each is an outermost frame. */
static void write_folded(const struct report_output *output)
{
	const struct report_view *view = output->views;
	bool has_one_event = true;

	for (size_t row = 1; row < view->n; row++)
		has_one_event = has_one_event &&
				report_cell(view, row, COLUMN_EVENT)->text == report_cell(view, 0, COLUMN_EVENT)->text;
	for (size_t row = 0; row < view->n; row++) {
		const struct gpmu_report_cell *comm = report_cell(view, row, COLUMN_KEYS);
		const struct gpmu_report_cell *stack = report_cell(view, row, COLUMN_KEYS + 1);

		if (!has_one_event)
			report_put_frame(output->file, report_cell(view, row, COLUMN_EVENT)->text);
		report_put_frame(output->file, comm->known ? comm->text : "[unknown]");
		gpmu_shown_print(output->file, stack->known ? stack->text : "[unknown]");
		fprintf(output->file, " %.0f\n", report_cell(view, row, COLUMN_SAMPLES)->number);
	}
}

static struct gpmu_report_cell number_cell(bool is_known, double number)
{
	return (struct gpmu_report_cell){ .known = is_known, .number = number };
}

static void set_cells(const struct gpmu_profile *profile, const struct gpmu_profile_row *row, size_t key_count,
		      struct gpmu_report_cell *cells)
{
	struct gpmu_profile_event event;
	bool has_latency = row->latency_samples;

	gpmu_profile_event(profile, row->event, &event);
	cells[COLUMN_EVENT] = (struct gpmu_report_cell){ .known = 1, .text = event.name };
	cells[COLUMN_SHARE] = number_cell(event.period, event.period ? (double)row->period / (double)event.period : 0);
	cells[COLUMN_SAMPLES] = number_cell(true, (double)row->samples);
	cells[COLUMN_PERIOD] = number_cell(!event.is_spe, (double)row->period);
	cells[COLUMN_MEAN] =
		number_cell(has_latency, has_latency ? (double)row->latency / (double)row->latency_samples : 0);
	cells[COLUMN_MAX] = number_cell(has_latency, (double)row->latency_max);
	for (size_t k = 0; k < key_count; k++)
		cells[COLUMN_KEYS + k] = (struct gpmu_report_cell){ .known = row->keys[k] != NULL, .text = row->keys[k] };
}

/* Rows of a table of memory have a tier. */
static bool is_shown(const struct kind *kind, const struct gpmu_profile_row *row)
{
	for (size_t k = 0; k < kind->key_count; k++)
		if (kind->is_memory && kind->keys[k] == GPMU_PROFILE_TIER && !row->keys[k])
			return false;
	return true;
}

static void make_table(const struct gpmu_profile *profile, const struct kind *kind, struct made *made)
{
	size_t width = COLUMN_KEYS + kind->key_count, n = 0;

	if (gpmu_profile_table(profile, kind->keys, kind->key_count, &made->rows))
		die_no_memory();
	made->cells = need_memory(calloc(made->rows.count * width + 1, sizeof(*made->cells)));
	for (size_t i = 0; i < made->rows.count; i++)
		if (is_shown(kind, &made->rows.rows[i]))
			set_cells(profile, &made->rows.rows[i], kind->key_count, &made->cells[n++ * width]);
	memcpy(made->columns, columns, sizeof(columns));
	for (size_t k = 0; k < kind->key_count; k++)
		made->columns[COLUMN_KEYS + k] =
			(struct gpmu_report_column)COLUMN(gpmu_profile_key_name(kind->keys[k]), TEXT);
	made->table = (struct gpmu_report_table){
		.size = sizeof(made->table), .name = kind->name, .title = kind->title, .columns = made->columns,
		.column_count = width, .cells = made->cells, .row_count = n, .sorted_by = COLUMN_SHARE,
	};
}

static void release(struct made *made)
{
	gpmu_profile_table_release(&made->rows);
	free(made->cells);
	free(made->order);
}

/* Keeps the first rows of each event, in the order of the view. */
static void keep_top(struct report_view *view, size_t top, size_t event_count)
{
	size_t *kept = need_memory(calloc(event_count + 1, sizeof(*kept))), n = 0, i;
	const char **names = need_memory(calloc(event_count + 1, sizeof(*names)));

	for (size_t row = 0; row < view->n; row++) {
		const char *name = report_cell(view, row, COLUMN_EVENT)->text;

		for (i = 0; names[i] && names[i] != name; i++)
			;
		names[i] = name;
		if (kept[i]++ < top)
			view->order[n++] = view->order[row];
	}
	view->n = n;
	free(kept);
	free(names);
}

static struct report_view view_of(const struct report_perf *report, struct made *made, size_t event_count)
{
	struct report_view view = { .table = &made->table, .n = made->table.row_count };

	made->order = need_memory(calloc(view.n + 1, sizeof(*made->order)));
	view.order = made->order;
	for (size_t i = 0; i < view.n; i++)
		view.order[i] = i;
	if (report->sort && !report_sort(&view, report->sort))
		report_refuse_column(report->sort, &made->table);
	if (report->top)
		keep_top(&view, report->top, event_count);
	return view;
}

/* The tables' kinds. Returns their number. */
static size_t choose(const struct report_perf *report, const struct gpmu_profile *profile, struct kind *chosen)
{
	struct gpmu_profile_facts facts = { .size = sizeof(facts) };
	size_t n = 0;

	gpmu_profile_get_facts(profile, &facts);
	if (report->by) {
		chosen[n++] = parse_by(report->by);
	} else if (facts.has_spe) {
		for (size_t i = 1; i < ARRAY_SIZE(kinds); i++)
			chosen[n++] = kinds[i];
	} else {
		chosen[n++] = kinds[0];
	}
	return n;
}

static int print_folded(const struct report_perf *report, const struct gpmu_profile *profile)
{
	struct gpmu_profile_facts facts = { .size = sizeof(facts) };
	struct made made = { 0 };
	struct report_view view;
	struct report_output output = { .views = &view, .view_count = 1, .file_count = 1 };
	int status;

	gpmu_profile_get_facts(profile, &facts);
	if (report_facts_no_callers(profile))
		warn("%s", report_facts_no_callers(profile));
	if (facts.outside_tasks)
		warn("%" PRIu64 " %s", facts.outside_tasks, gpmu_outside_why(facts.outside_tasks));
	make_table(profile, &folded, &made);
	view = view_of(report, &made, gpmu_profile_event_count(profile));
	status = report_write(report->output, write_folded, &output);
	release(&made);
	return status;
}

static int print(const struct report_perf *report, const struct gpmu_profile *profile)
{
	struct kind chosen[TABLES];
	size_t n = choose(report, profile, chosen);
	struct report_facts facts = { 0 };
	struct made made[TABLES] = { 0 };
	struct report_view views[TABLES] = { 0 };
	struct report_output output = { .views = views, .view_count = 1, .file_count = 1, .separator = report->separator };
	int status;

	report_facts_add(&facts, profile);
	for (size_t i = 0; i < n; i++) {
		make_table(profile, &chosen[i], &made[i + 1]);
		if (report->by) {
			report_facts_missing(&facts, &made[i + 1].rows, chosen[i].keys, chosen[i].key_count);
			report_facts_stacks(&facts, profile, chosen[i].keys, chosen[i].key_count);
		}
		if (made[i + 1].table.row_count)
			views[output.view_count++] = view_of(report, &made[i + 1], gpmu_profile_event_count(profile));
	}
	made[0].table = (struct gpmu_report_table){
		.size = sizeof(made[0].table), .name = "recording",
		.title = strcmp(report->path, "-") ? report->path : "standard input", .columns = fact_columns,
		.column_count = ARRAY_SIZE(fact_columns), .cells = facts.cells, .row_count = facts.count, .sorted_by = -1,
	};
	made[0].order = need_memory(calloc(facts.count + 1, sizeof(size_t)));
	for (size_t i = 0; i < facts.count; i++)
		made[0].order[i] = i;
	views[0] = (struct report_view){ .table = &made[0].table, .order = made[0].order, .n = facts.count };
	status = report_write(report->output, report->write, &output);
	for (size_t i = 0; i < n + 1; i++)
		release(&made[i]);
	report_facts_release(&facts);
	return status;
}

int report_perf(const struct report_perf *report)
{
	struct gpmu_profile_options options = { .size = sizeof(options), .progress = progress_show,
						.waiting = progress_wait };
	struct gpmu_profile_facts facts = { .size = sizeof(facts) };
	struct kind by = report->wants_folded ? folded : report->by ? parse_by(report->by) : (struct kind){ 0 };
	struct gpmu_error error = { .size = sizeof(error) };
	struct progress progress;
	struct gpmu_profile *profile;
	bool is_stopped;
	int status;

	options.keys = by.keys;
	options.key_count = by.key_count;
	options.user = &progress;
	options.wants_no_inlines = report->wants_no_inline;
	progress_begin(&progress, "reading");
	profile = gpmu_profile_new(report->path, &options, &error);
	is_stopped = !profile && errno == EINTR;
	progress_end(&progress);
	if (!profile) {
		say("%s", is_stopped ? "stopped by a signal: nothing was read" : error.text);
		return is_stopped ? EXIT_SIGNAL + SIGINT : EXIT_FAILURE;
	}
	gpmu_profile_get_facts(profile, &facts);
	status = report->wants_folded ? print_folded(report, profile) : print(report, profile);
	gpmu_profile_free(profile);
	if (facts.is_damaged)
		say("%s", error.text);
	/* Tables have a line about it. */
	if (facts.is_stopped && report->wants_folded)
		say("stopped by a signal: only a part of the recording was read");
	if (facts.is_stopped)
		return EXIT_SIGNAL + SIGINT;
	return facts.is_damaged ? EXIT_FAILURE : status;
}
