// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu report of a report of Nsight Compute: kernels, their metrics, and advice. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "report/report_ncu.h"

#define MAGIC		"NVR"	/* and a NUL */
#define VERSION		7

enum { FACTS, KERNELS, LAUNCHES, METRICS, NVTX, SOURCE, ADVICE, RULES, TABLES };

/* The tables of each --by, the main one first, after that of the report */
static const struct by {
	const char *name;
	int tables[3];		/* ends in FACTS */
	bool is_raw;		/* metrics of the file, too */
} bys[] = {
	{ .name = "kernel", .tables = { KERNELS, METRICS }, .is_raw = true },
	{ .name = "launch", .tables = { LAUNCHES } },
	{ .name = "metric", .tables = { METRICS }, .is_raw = true },
	{ .name = "nvtx", .tables = { NVTX } },
	{ .name = "source", .tables = { SOURCE } },
	{ .name = "advice", .tables = { ADVICE, RULES } },
};

/* Without --by: as text, and in formats for programs */
static const struct by text_tables = { .tables = { KERNELS, METRICS, ADVICE } };
static const int all_tables[] = { KERNELS, METRICS, ADVICE, LAUNCHES, NVTX, SOURCE, RULES };

bool report_is_ncu(const char *path)
{
	char bytes[sizeof(MAGIC)];

	return report_peek(path, bytes, sizeof(bytes)) == sizeof(bytes) && !memcmp(bytes, MAGIC, sizeof(bytes));
}

static const struct by *parse_by(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(bys); i++)
		if (!strcmp(bys[i].name, text))
			return &bys[i];
	die("--by=%s: for a report of Nsight Compute, expected kernel, launch, metric, nvtx, source or advice", text);
}

/* --- lines about the report */

static void add_fact(struct ncu_table *table, const char *name, char *text)
{
	struct gpmu_report_cell *row = ncu_table_row(table);

	row[0] = ncu_text(name);
	row[1] = ncu_text(ncu_table_keep(table, text));
}

static const char *text_metric(const struct gpmu_ncu_action *action, const char *name)
{
	const struct gpmu_ncu_metric *metric = action ? gpmu_ncu_action_find(action, name) : NULL;
	struct gpmu_ncu_value value = { .size = sizeof(value) };

	return metric && !gpmu_ncu_metric_value(metric, &value) ? value.text : NULL;
}

static void add_programs(struct ncu_table *table, const struct gpmu_ncu_report *report)
{
	const struct gpmu_ncu_range *range, *last = NULL;

	for (size_t i = 0; (range = gpmu_ncu_report_range(report, i)); i++) {
		if (!last || last->pid != range->pid)
			add_fact(table, "process", print_text("%llu %s on %s", (unsigned long long)range->pid,
							      range->process ? range->process : "?", range->host ? range->host : "?"));
		last = range;
	}
}

/* Each GPU by its name */
static void add_gpus(struct ncu_table *table, const struct ncu_input *input)
{
	const struct gpmu_ncu_action *action;
	const char *last = NULL;

	for (size_t i = 0; (action = gpmu_ncu_report_action(input->report, i)); i++) {
		const char *name = text_metric(action, "device__attribute_display_name");

		if (name && (!last || strcmp(name, last) != 0))
			add_fact(table, "GPU", print_text("%s", name));
		last = name ? name : last;
	}
}

static void make_facts(const struct ncu_input *input, struct ncu_table *table)
{
	static const struct gpmu_report_column columns[] = { NCU_COLUMN("what", TEXT), NCU_COLUMN("value", TEXT) };
	struct gpmu_ncu_info info = { .size = sizeof(info) };

	gpmu_ncu_report_get_info(input->report, &info);
	ncu_table_init(table, "report", strcmp(input->path, "-") ? input->path : "standard input", columns, ARRAY_SIZE(columns));
	if (info.version == VERSION)
		add_fact(table, "version", print_text("%d", VERSION));
	else if (info.version)
		add_fact(table, "version", print_text("%llu; gpmu knows version %d, so parts may be missing or wrong",
						      (unsigned long long)info.version, VERSION));
	if (info.command)
		add_fact(table, "command", print_text("%s", info.command));
	add_programs(table, input->report);
	add_gpus(table, input);
	add_fact(table, "results", print_text("%zu, of %zu names", input->action_count, input->kernel_count));
	if (info.unnamed)
		add_fact(table, "unnamed", print_text("%llu metrics whose name is not in the file were left out",
						      (unsigned long long)info.unnamed));
	if (info.why)
		add_fact(table, "incomplete", print_text("read up to byte %llu: %s", (unsigned long long)info.end, info.why));
}

/* --- output */

/*
 * The tables; is_cut: printed with as many rows as kernels. Those of metrics and advice have all rows of these kernels.
 */
static const struct {
	void (*make)(const struct ncu_input *input, struct ncu_table *table);
	bool is_cut;
} kinds[TABLES] = {
	[FACTS] = { .make = make_facts },
	[KERNELS] = { .make = ncu_make_kernels, .is_cut = true },
	[LAUNCHES] = { .make = ncu_make_launches, .is_cut = true },
	[METRICS] = { .make = ncu_make_metrics },
	[NVTX] = { .make = ncu_make_nvtx, .is_cut = true },
	[SOURCE] = { .make = ncu_make_source, .is_cut = true },
	[ADVICE] = { .make = ncu_make_advice },
	[RULES] = { .make = ncu_make_rules },
};

static struct report_view view_of(const struct report_ncu *report, const struct ncu_table *table, bool is_cut)
{
	size_t n = table->table.row_count;
	struct report_view view = { .table = &table->table, .n = is_cut && report->top && report->top < n ? report->top : n };

	view.order = need_memory(calloc(n + 1, sizeof(*view.order)));
	for (size_t i = 0; i < n; i++)
		view.order[i] = i;
	return view;
}

/* Sorts the tables that have the column; the first one is of the report. Dies if none has. */
static void sort(const struct report_ncu *report, struct report_view *views, size_t n)
{
	bool has_any = false;

	for (size_t i = 1; report->sort && i < n; i++)
		has_any = report_sort(&views[i], report->sort) || has_any;
	if (report->sort && !has_any)
		report_refuse_column(report->sort, views[1].table);
}

/* Fills @chosen with the tables to print. Returns their number. @by: NULL: all */
static size_t choose(const struct by *by, int *chosen)
{
	const int *from = by ? by->tables : all_tables;
	const size_t room = by ? ARRAY_SIZE(by->tables) : ARRAY_SIZE(all_tables);
	size_t n = 0;

	chosen[n++] = FACTS;
	for (size_t i = 0; i < room && from[i] != FACTS; i++)
		chosen[n++] = from[i];
	return n;
}

static int print(const struct report_ncu *report, const struct ncu_input *input, const struct by *by)
{
	struct ncu_table tables[TABLES] = { 0 };
	struct report_view views[TABLES] = { 0 };
	struct report_output output = { .views = views, .file_count = 1 };
	int chosen[TABLES], status;

	output.view_count = choose(by, chosen);
	for (size_t i = 0; i < output.view_count; i++) {
		kinds[chosen[i]].make(input, &tables[i]);
		views[i] = view_of(report, &tables[i], kinds[chosen[i]].is_cut);
	}
	sort(report, views, output.view_count);
	status = report_write(report->output, report->write, &output);
	for (size_t i = 0; i < output.view_count; i++) {
		free(views[i].order);
		ncu_table_release(&tables[i]);
	}
	return status;
}

/* --- inputs */

static struct gpmu_ncu_report *open_report(const char *path)
{
	const bool is_stdin = !strcmp(path, "-");
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_ncu_report *report;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		say("%s: %s", path, strerror(errno));
		return NULL;
	}
	report = gpmu_ncu_report_new(fd, is_stdin ? "standard input" : path, &error);
	if (!is_stdin)
		close(fd);
	if (!report)
		say("%s", error.text);
	return report;
}

static struct gpmu_advice *open_advice(const char *path)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_advice *advice = gpmu_advice_new(&error);

	if (!advice || (path && gpmu_advice_add(advice, path, &error)))
		die("%s", error.text);
	return advice;
}

static struct gpmu_catalog *open_catalog(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_catalog *catalog = gpmu_catalog_new(secure_getenv("GPMU_EVENTS"), &error);

	if (!catalog)
		die("%s", error.text);
	return catalog;
}

/* An incomplete report is an error after its tables. */
static int exit_status(const struct gpmu_ncu_report *report, int status)
{
	struct gpmu_ncu_info info = { .size = sizeof(info) };

	gpmu_ncu_report_get_info(report, &info);
	/* A report that ends before has no version. */
	if (info.version && info.version != VERSION)
		warn("the report has version %llu of the format; gpmu knows version %d", (unsigned long long)info.version, VERSION);
	if (!info.why)
		return status;
	say("%s", info.why);
	return EXIT_FAILURE;
}

int report_ncu(const struct report_ncu *options)
{
	const struct by *by = options->by ? parse_by(options->by) : options->write == report_write_text ? &text_tables : NULL;
	struct gpmu_advice *advice = open_advice(options->rules);
	struct gpmu_catalog *catalog = open_catalog();
	struct gpmu_ncu_report *report = open_report(options->path);
	struct ncu_input input = {
		.path = options->path, .report = report, .catalog = catalog, .advice = advice, .wants_raw = !by || by->is_raw,
	};
	int status = EXIT_FAILURE;

	if (report) {
		ncu_group(&input, options->top);
		status = exit_status(report, print(options, &input, by));
		ncu_group_release(&input);
	}
	gpmu_ncu_report_free(report);
	gpmu_catalog_free(catalog);
	gpmu_advice_free(advice);
	return status;
}
