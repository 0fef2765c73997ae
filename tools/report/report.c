// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu report: summarises traces of gpmu record, recordings of perf, and reports of Nsight Compute, as tables. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "common.h"
#include "output/output.h"
#include "report/report.h"
#include "report/report_ncu.h"
#include "report/report_perf.h"

#define PATTERN		"gpmu-*.pftrace"
#define TOP		10	/* default rows of a text table */

enum { KEY_SORT = COMMON_KEYS, KEY_TOP, KEY_BY, KEY_FORMAT, KEY_LINK, KEY_FOLDED, KEY_NO_INLINE, KEY_RULES };

struct arguments {
	const char *sort, *link, *path, *rules;
	const char *separator;	/* of CSV; NULL: "," */
	const char *by_text;	/* NULL: not given */
	const struct by *by;	/* NULL: all */
	const struct format *format;	/* NULL: not given, while options are parsed */
	bool wants_folded, wants_no_inline;
	size_t top;		/* 0: not given */
	char **files;		/* ends in NULL */
	size_t file_count;
};

/* Identifies a file that was read */
struct known {
	dev_t device;
	ino_t inode;
};

/* The tables of each --by, the main one first */
static const struct by {
	const char *name, *tables[3];
} bys[] = {
	{ "kernel", { "kernels" } },
	{ "nvtx", { "nvtx", "nvtx_counters", "nvtx_tiers" } },
	{ "stream", { "streams" } },
	{ "rank", { "ranks", "imbalance" } },
	{ "api", { "api", "sync" } },
	{ "copy", { "copies", "links" } },
	{ "gpu", { "gpus" } },
	{ "attribution", { "attribution", "links" } },
	{ "memory", { "memory" } },
	{ "counter", { "counters" } },
	{ "thread", { "threads" } },
	{ "tier", { "tiers" } },
	{ "function", { "functions", "pcs" } },
	{ "pc", { "pcs" } },
	{ "stack", { "stacks" } },
	{ "module", { "modules" } },
	{ "node", { "nodes" } },
	{ "openacc", { "openacc" } },
};

static const struct format {
	const char *name;
	void (*write)(const struct report_output *output);
} formats[] = {
	{ "text", report_write_text }, { "csv", report_write_csv }, { "json", report_write_json },
};

/* The tables that are printed without --by */
static const struct shown {
	const char *name;
	bool needs_gpu;		/* printed in text even without rows if there is a GPU */
	bool is_whole;		/* printed with all rows, also with --top */
	bool is_new;		/* last in CSV and JSON, which get new tables at the end */
} shown[] = {
	{ .name = "gpus", .needs_gpu = true, .is_whole = true }, { .name = "kernels", .needs_gpu = true },
	{ .name = "copies" }, { .name = "api" }, { .name = "sync" }, { .name = "nvtx" },
	{ .name = "attribution" }, { .name = "links", .is_whole = true }, { .name = "counters", .is_new = true },
	{ .name = "threads", .is_new = true }, { .name = "tiers", .is_new = true },
	{ .name = "stacks", .is_new = true }, { .name = "ranks", .is_whole = true },
	{ .name = "imbalance", .is_whole = true }, { .name = "audit", .is_whole = true }, { .name = "streams" }, { .name = "nvtx_counters" },
	{ .name = "functions", .is_new = true }, { .name = "nvtx_tiers", .is_new = true }, { .name = "pcs", .is_new = true },
	{ .name = "memory", .is_new = true },
	{ .name = "modules", .is_new = true }, { .name = "nodes", .is_new = true },
	{ .name = "openacc", .is_new = true },
};

/* How often a name is in a list that commas separate */
static size_t count_listed(const char *list, const char *name)
{
	const size_t length = strlen(name);
	size_t times = 0;

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		times += strcspn(list, ",") == length && !strncmp(list, name, length);
	return times;
}

/* Sets the tables of --by. Keys of PC samples, which a comma separates, select their table. */
static const struct by *parse_by(const char *text, const char **pc_keys)
{
	static const char *const keys[] = { "function", "line", "offset", "stall" };
	size_t known = 0, count = 1;
	bool has_twice = false;

	for (const char *c = text; *c; c++)
		count += *c == ',';
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const size_t times = count_listed(text, keys[i]);

		known += times;
		has_twice |= times > 1;
	}
	if (known == count) {
		if (has_twice)
			die("--by=%s: a key is given twice", text);
		*pc_keys = text;
		text = strcmp(text, "function") != 0 ? "pc" : text;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bys); i++)
		if (!strcmp(bys[i].name, text))
			return &bys[i];
	die("--by=%s: expected kernel, nvtx, stream, rank, api, copy, gpu, attribution, memory, counter, thread, tier, "
	    "stack, module, node, openacc, pc, or one or more of function, line, offset, stall, separated by \",\"", text);
}

static const struct format *parse_format(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, text))
			return &formats[i];
	die("--format=%s: expected text, csv or json", text);
}

/* -x and -j choose a format, too. */
static void choose_format(struct arguments *arguments, const char *text)
{
	const struct format *format = parse_format(text);

	if (arguments->format && arguments->format != format)
		die("-j, -x and --format: choose one");
	arguments->format = format;
}

static const char *parse_link(const char *text)
{
	for (size_t i = 0; gpmu_report_link(i); i++)
		if (!strcmp(gpmu_report_link(i), text))
			return text;
	die("--link=%s: expected c2c, pcie, nvlink or dram", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case KEY_SORT:
		/* Headings have blanks. */
		for (char *c = arg; *c; c++)
			*c = *c == ' ' ? '_' : *c;
		arguments->sort = arg;
		return 0;
	case KEY_TOP:
		arguments->top = (size_t)parse_number("--top", arg, 1, INT32_MAX);
		return 0;
	case KEY_BY:
		arguments->by_text = arg;
		return 0;
	case KEY_FORMAT:
		choose_format(arguments, arg);
		return 0;
	case 'x':
		choose_format(arguments, "csv");
		arguments->separator = parse_separator(arg);
		check_separator(arguments->separator);
		return 0;
	case 'j':
		choose_format(arguments, "json");
		return 0;
	case KEY_FOLDED:
		arguments->wants_folded = true;
		return 0;
	case KEY_NO_INLINE:
		arguments->wants_no_inline = true;
		return 0;
	case KEY_RULES:
		arguments->rules = arg;
		return 0;
	case KEY_LINK:
		arguments->link = parse_link(arg);
		return 0;
	case 'o':
		arguments->path = arg;
		return 0;
	case ARGP_KEY_ARGS:
		arguments->files = state->argv + state->next;
		arguments->file_count = (size_t)(state->argc - state->next);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ .name = "by", .key = KEY_BY, .arg = "WHAT",
	  .doc = "print only the tables by kernel, nvtx, stream, rank, api, "
	  "copy, gpu, attribution, memory, counter, thread, tier, function, stack, module, node, "
	  "openacc or pc, or PC samples by function, line, offset, stall, separated by "
	  "commas; for a recording of perf, by function, object, line, thread, process, "
	  "cpu, node, tier, home, data, page, op, comm, stack, separated by commas; for a report of Nsight Compute, by kernel, launch, metric, "
	  "nvtx, source or advice" },
	{ .name = "folded", .key = KEY_FOLDED, .doc = "print folded call stacks for flame graphs" },
	{ .name = "no-inline", .key = KEY_NO_INLINE,
	  .doc = "omit inlined functions from the call stacks of a recording of perf" },
	{ .name = "rules", .key = KEY_RULES, .arg = "FILE", .doc = "add the rules in FILE to the advice on a report of Nsight Compute" },
	{ .name = "sort", .key = KEY_SORT, .arg = "COLUMN",
	  .doc = "sort by COLUMN: numbers in descending order, text alphabetically" },
	{ .name = "top", .key = KEY_TOP, .arg = "N", .doc = "print at most N rows of a table" },
	{ .name = "link", .key = KEY_LINK, .arg = "LINK", .doc = "attribute the bytes of c2c, pcie, nvlink or dram" },
	{ .name = "format", .key = KEY_FORMAT, .arg = "FORMAT", .doc = "print text, csv or json" },
	OPTION_CSV,
	OPTION_JSON_AS("as --format=json does"),
	OPTION_OUTPUT("output"),
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Summarises traces of gpmu record: kernels, copies, idle GPUs, calls, ranges, "
	       "counters, attribution of a link's bytes, and an audit. Several traces are ranks. "
	       "Summarises a recording of perf: samples by function, and samples of Arm SPE by tier and home of the data. "
	       "Summarises a report of Nsight Compute: kernels, their metrics, and advice.",
};

/* --- files */

/* perf record --threads makes a folder. Reading a FIFO of such a name would wait for its writer. */
static bool is_recording(const char *path, const struct stat *status)
{
	return S_ISREG(status->st_mode) || (S_ISDIR(status->st_mode) && !strcmp(path, "perf.data"));
}

/* The newest trace or recording in the current folder, or NULL */
static char *newest(void)
{
	struct timespec when = { 0 };
	char *path = NULL;
	struct stat status;
	glob_t found;

	if (!glob("{" PATTERN ",perf.pftrace,perf.data}", GLOB_BRACE, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			if (stat(found.gl_pathv[i], &status) || !is_recording(found.gl_pathv[i], &status) ||
			    (path && (status.st_mtim.tv_sec < when.tv_sec ||
				      (status.st_mtim.tv_sec == when.tv_sec &&
				       status.st_mtim.tv_nsec <= when.tv_nsec))))
				continue;
			free(path);
			path = need_memory(strdup(found.gl_pathv[i]));
			when = status.st_mtim;
		}
		globfree(&found);
	}
	return path;
}

/* If no file is named, reports the newest one. */
static void choose_file(struct arguments *arguments)
{
	static char *files[2];

	if (arguments->file_count)
		return;
	files[0] = newest();
	if (!files[0]) {
		say("no " PATTERN ", perf.pftrace or perf.data in this folder: name a trace or a recording of perf, or record one "
		    "with gpmu record");
		exit(EXIT_FAILURE);
	}
	say("%s, the newest trace or recording in this folder", files[0]);
	arguments->files = files;
	arguments->file_count = 1;
}

/* Returns whether the file was read before, under any name. It is then no other rank. */
static bool is_known(int fd, struct known *known, size_t *n)
{
	struct stat status;

	if (fstat(fd, &status))
		return false;
	for (size_t i = 0; i < *n; i++)
		if (known[i].device == status.st_dev && known[i].inode == status.st_ino)
			return true;
	known[(*n)++] = (struct known){ .device = status.st_dev, .inode = status.st_ino };
	return false;
}

static bool is_folder(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISDIR(status.st_mode);
}

/* Returns whether the first byte is that of a packet. A pipe may have any: its bytes are read once. */
static bool begins_as_trace(int fd)
{
	char first;

	return pread(fd, &first, 1, 0) != 1 || first == '\n';
}

/* Returns false after a message if the file cannot be read. */
static bool add(struct gpmu_report *report, const char *path, struct known *known, size_t *n)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct gpmu_error error = { .size = sizeof(error) };
	bool is_other;
	int ret;

	if (fd < 0) {
		say("%s: %s", path, strerror(errno));
		return false;
	}
	if (is_folder(fd)) {
		say("%s: a folder: expected a trace of gpmu record or a recording of perf, which may be a folder with a file \"data\"",
		    path);
		close(fd);
		return false;
	}
	if (is_known(fd, known, n)) {
		say("%s is given twice and counted once", is_stdin ? "standard input" : path);
		if (!is_stdin)
			close(fd);
		return true;
	}
	ret = gpmu_report_add(report, fd, is_stdin ? "standard input" : path, &error);
	/* A trace that is damaged has packets before the damage. */
	is_other = ret == -EINVAL && (!error.offset || !begins_as_trace(fd));
	if (!is_stdin)
		close(fd);
	if (is_other)
		say("neither a trace of gpmu record, a recording of perf (perf.data) nor a report of Nsight Compute: %s", error.text);
	else if (ret)
		say("%s", error.text);
	return !ret;
}

static bool add_all(struct gpmu_report *report, const struct arguments *arguments)
{
	struct known *known = need_memory(calloc(arguments->file_count + 1, sizeof(*known)));
	bool is_done = true;
	size_t n = 0;

	for (size_t i = 0; i < arguments->file_count && is_done; i++)
		is_done = add(report, arguments->files[i], known, &n);
	free(known);
	return is_done;
}

/* --- selection and order */

const struct gpmu_report_cell *report_cell(const struct report_view *view, size_t row, size_t column)
{
	return &view->table->cells[view->order[row] * view->table->column_count + column];
}

static const struct gpmu_report_table *table_of(const struct gpmu_report *report, const char *name)
{
	const struct gpmu_report_table *table;

	for (size_t i = 0; (table = gpmu_report_table(report, i)); i++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

struct sort {
	const struct gpmu_report_table *table;
	size_t column;
};

/* Numbers in descending order, text alphabetically, unknown values last; stable */
static int compare(const void *left, const void *right, void *user)
{
	const struct sort *sort = user;
	size_t i = *(const size_t *)left, k = *(const size_t *)right;
	const struct gpmu_report_cell *a = &sort->table->cells[i * sort->table->column_count + sort->column];
	const struct gpmu_report_cell *b = &sort->table->cells[k * sort->table->column_count + sort->column];
	int order = 0;

	if (a->known != b->known)
		return b->known - a->known;
	if (a->known && sort->table->columns[sort->column].kind == GPMU_REPORT_TEXT)
		order = strcmp(a->text, b->text);
	else if (a->known)
		order = a->number > b->number ? -1 : a->number < b->number;
	return order ? order : i < k ? -1 : i > k;
}

bool report_sort(struct report_view *view, const char *column)
{
	struct sort sort = { .table = view->table };

	while (sort.column < view->table->column_count && strcmp(view->table->columns[sort.column].name, column) != 0)
		sort.column++;
	if (sort.column == view->table->column_count)
		return false;
	if (view->table->row_count)
		qsort_r(view->order, view->table->row_count, sizeof(*view->order), compare, &sort);
	return true;
}

void report_refuse_column(const char *column, const struct gpmu_report_table *table)
{
	char text[512] = "";

	for (size_t i = 0; i < table->column_count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? ", " : "", table->columns[i].name);
	die("--sort=%s: the table %s has no such column; expected one of %s", column, table->name, text);
}

static const struct shown *shown_of(const char *name)
{
	size_t i = 0;

	while (strcmp(shown[i].name, name) != 0)
		i++;
	return &shown[i];
}

static void add_view(const struct arguments *arguments, const struct gpmu_report_table *table,
		     struct report_view *view)
{
	bool is_for_people = arguments->format->write == report_write_text;
	size_t top = arguments->top ? arguments->top : is_for_people ? TOP : table->row_count;

	view->table = table;
	view->order = need_memory(calloc(table->row_count + 1, sizeof(*view->order)));
	for (size_t i = 0; i < table->row_count; i++)
		view->order[i] = i;
	view->n = table->row_count < top || shown_of(table->name)->is_whole ? table->row_count : top;
}

/* Returns whether a table without rows is printed, because its note has the reason. */
static bool is_noted(const struct arguments *arguments, const struct shown *table, bool has_gpus)
{
	return has_gpus && (table->needs_gpu || (arguments->link && !strcmp(table->name, "attribution")));
}

/* Fills @views with the tables to print. Returns their number. */
static size_t choose(const struct arguments *arguments, const struct gpmu_report *report, struct report_view *views)
{
	const struct by *by = arguments->by;
	bool is_for_people = arguments->format->write == report_write_text;
	bool has_gpus = table_of(report, "gpus")->row_count;
	size_t n = 0;

	if (by) {
		for (size_t i = 0; i < ARRAY_SIZE(by->tables) && by->tables[i]; i++) {
			const struct gpmu_report_table *table = table_of(report, by->tables[i]);

			if (!i || table->row_count || table->note || !is_for_people)
				add_view(arguments, table, &views[n++]);
		}
		if (arguments->format->write != report_write_csv)
			add_view(arguments, table_of(report, "audit"), &views[n++]);
		return n;
	}
	for (size_t k = 0; k < 2 * ARRAY_SIZE(shown); k++) {
		size_t i = k % ARRAY_SIZE(shown);
		const struct gpmu_report_table *table = table_of(report, shown[i].name);

		if (k >= ARRAY_SIZE(shown) ? is_for_people || !shown[i].is_new : !is_for_people && shown[i].is_new)
			continue;
		if (is_for_people && (!strcmp(table->name, "streams") || !strcmp(table->name, "nvtx_counters") ||
				      (!table->row_count && !is_noted(arguments, &shown[i], has_gpus)) ||
				      (!strcmp(table->name, "ranks") && table->row_count < 2)))
			continue;
		add_view(arguments, table, &views[n++]);
	}
	return n;
}

static void sort_all(const struct arguments *arguments, const struct gpmu_report *report, struct report_view *views,
		     size_t n)
{
	const char *main = arguments->by ? arguments->by->tables[0] : "kernels";
	bool has_any = false;

	for (size_t i = 0; i < n; i++)
		has_any = report_sort(&views[i], arguments->sort) || has_any;
	if (!has_any)
		report_refuse_column(arguments->sort, table_of(report, main));
}

int report_write(const char *path, void (*write)(const struct report_output *output), struct report_output *shown_output)
{
	struct output output;
	int ret = output_open(&output, path, OUTPUT_REPLACE, stdout);

	if (ret)
		die_output(path, stdout, ret);
	shown_output->file = output.file;
	write(shown_output);
	ret = output_close(&output);
	if (ret)
		die_output(path, stdout, ret);
	return EXIT_SUCCESS;
}

/* "COMM;OUTER;INNER COUNT" of each call stack of a trace; with several events, each is an outermost frame. */
static void write_folded(const struct report_output *output)
{
	enum { STACK, SHARE, SAMPLES, EVENT, COMM };
	const struct report_view *view = output->views;
	bool has_one_event = true;

	for (size_t row = 1; row < view->n; row++)
		has_one_event = has_one_event &&
				!strcmp(report_cell(view, row, EVENT)->text, report_cell(view, 0, EVENT)->text);
	for (size_t row = 0; row < view->n; row++) {
		if (!has_one_event)
			report_put_frame(output->file, report_cell(view, row, EVENT)->text);
		report_put_frame(output->file, report_cell(view, row, COMM)->text);
		gpmu_shown_print(output->file, report_cell(view, row, STACK)->text);
		fprintf(output->file, " %.0f\n", report_cell(view, row, SAMPLES)->number);
	}
}

static int show_folded(const struct arguments *arguments, const struct gpmu_report *report)
{
	struct report_view view = { 0 };
	struct report_output output = { .views = &view, .view_count = 1, .file_count = 1 };
	int status;

	add_view(arguments, table_of(report, "stacks"), &view);
	view.n = arguments->top && arguments->top < view.table->row_count ? arguments->top : view.table->row_count;
	if (!view.n)
		say("no call stacks were sampled: use gpmu record --sample, or perf record -g before gpmu import");
	status = report_write(arguments->path, write_folded, &output);
	free(view.order);
	return status;
}

static int show(const struct arguments *arguments, const struct gpmu_report *report)
{
	struct report_view views[ARRAY_SIZE(shown)] = { 0 };
	struct report_output output = { .views = views, .separator = arguments->separator };
	int status;

	output.view_count = choose(arguments, report, views);
	output.file_count = table_of(report, "ranks")->row_count;
	if (arguments->sort)
		sort_all(arguments, report, views, output.view_count);
	status = report_write(arguments->path, arguments->format->write, &output);
	for (size_t i = 0; i < output.view_count; i++)
		free(views[i].order);
	return status;
}

/* Makes a FIFO the standard input: it is opened once, as a second open(2) would wait for another writer. */
static void open_fifo(struct arguments *arguments)
{
	static char standard[] = "-";
	struct stat status;
	int fd;

	if (arguments->file_count != 1 || stat(arguments->files[0], &status) || !S_ISFIFO(status.st_mode))
		return;
	fd = open(arguments->files[0], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		die("%s: %s", arguments->files[0], strerror(errno));
	if (fd != STDIN_FILENO)
		close(fd);
	arguments->files[0] = standard;
}

/* Returns whether the argument is a recording of perf. Dies if there are other files. */
static bool is_perf(const struct arguments *arguments)
{
	bool is_found = false;

	for (size_t i = 0; i < arguments->file_count; i++)
		is_found = report_is_perf(arguments->files[i]) || is_found;
	if (is_found && arguments->file_count > 1)
		die("a recording of perf cannot be combined with other files");
	if (is_found && arguments->link)
		die("--link needs a trace of gpmu record");
	if (arguments->wants_folded && arguments->link)
		die("--folded cannot be combined with --link");
	if (arguments->wants_folded && (arguments->by_text || arguments->sort || arguments->format != formats))
		die("--folded cannot be combined with --by, --sort, --format, -x or -j");
	return is_found;
}

static int run_perf(const struct arguments *arguments)
{
	struct report_perf report = {
		.path = arguments->files[0], .by = arguments->by_text, .sort = arguments->sort, .output = arguments->path,
		.write = arguments->format->write, .top = arguments->top, .wants_folded = arguments->wants_folded,
		.wants_no_inline = arguments->wants_no_inline, .separator = arguments->separator,
	};

	if (!report.top && !report.wants_folded && report.write == report_write_text)
		report.top = TOP;
	return report_perf(&report);
}

/*
 * Returns whether the argument is a report of Nsight Compute. Dies if there are other files, or options for other
 * files.
 */
static bool is_ncu(const struct arguments *arguments)
{
	bool is_found = false;

	for (size_t i = 0; i < arguments->file_count; i++)
		is_found = report_is_ncu(arguments->files[i]) || is_found;
	if (is_found && arguments->file_count > 1)
		die("a report of Nsight Compute cannot be combined with other files");
	if (is_found && (arguments->link || arguments->wants_folded))
		die("%s needs a trace of gpmu record%s", arguments->link ? "--link" : "--folded",
		    arguments->link ? "" : " or a recording of perf");
	if (!is_found && arguments->rules)
		die("--rules needs a report of Nsight Compute");
	return is_found;
}

static int run_ncu(const struct arguments *arguments)
{
	struct report_ncu report = {
		.path = arguments->files[0], .by = arguments->by_text, .sort = arguments->sort, .rules = arguments->rules,
		.output = arguments->path, .write = arguments->format->write, .top = arguments->top,
	};

	if (!report.top && report.write == report_write_text)
		report.top = TOP;
	return report_ncu(&report);
}

static int run(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct gpmu_report_options report_options = { .size = sizeof(report_options) };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_report *report;
	int status = EXIT_FAILURE;

	parse_arguments(&argp, argc, argv, 0, &arguments);
	if (!arguments.format)
		arguments.format = &formats[0];
	choose_file(&arguments);
	for (size_t i = 0; i < arguments.file_count; i++)
		output_check(arguments.path, arguments.files[i]);
	open_fifo(&arguments);
	if (is_perf(&arguments))
		return run_perf(&arguments);
	if (is_ncu(&arguments) && !arguments.wants_no_inline)
		return run_ncu(&arguments);
	if (arguments.wants_no_inline)
		die("--no-inline needs a recording of perf");
	if (arguments.by_text)
		arguments.by = parse_by(arguments.by_text, &report_options.pc_keys);
	if (arguments.link && arguments.by && strcmp(arguments.by->tables[0], "attribution") != 0)
		die("--link needs --by=attribution, not --by=%s", arguments.by->name);
	report_options.link = arguments.link;
	report = gpmu_report_new(&report_options, &error);
	if (!report)
		die("%s", error.text);
	if (add_all(report, &arguments)) {
		if (gpmu_report_make(report, &error))
			die("%s", error.text);
		status = arguments.wants_folded ? show_folded(&arguments, report) : show(&arguments, report);
	}
	gpmu_report_free(report);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "summarise traces, perf recordings and Nsight Compute reports",
	.run = run,
};
