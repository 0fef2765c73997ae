// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu list: prints events, metrics and PMUs, and which of them this machine has. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/gpmu_json.h"
#include "base/text/gpmu_nearest.h"
#include "base/text/gpmu_plural.h"
#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "common.h"
#include "list/list.h"
#include "list/list_gpu.h"
#include "list/list_items.h"
#include "list/list_legacy.h"
#include "list/list_sections.h"
#include "list/list_stalls.h"

#define MAX_NAME	44	/* characters of the column; longer names push the others */

enum {
	KEY_ALL = COMMON_KEYS,
	KEY_NAMES,
	KEY_CHIP,
	KEY_CHIPS,
	KEY_PASSES,
	KEY_LIST_GPU,
	KEY_LEGACY,
	KEY_SECTIONS,
	KEY_STALLS,
};

enum listed {
	LISTED_ITEMS,
	LISTED_GPU,
	LISTED_LEGACY,
	LISTED_SECTIONS,
	LISTED_STALLS,
};

struct arguments {
	struct list list;
	enum listed listed;
	struct list_gpu gpu;
	struct sections sections;
};

/* The options that exclude each other, and whether they accept a kind such as event */
static const struct {
	const char *option;
	bool has_kinds;
} listed[] = {
	[LISTED_ITEMS] = { NULL, true },
	[LISTED_GPU] = { "--gpu", true },
	[LISTED_LEGACY] = { "--legacy", true },
	[LISTED_SECTIONS] = { "--sections", false },
	[LISTED_STALLS] = { "--stall-reasons", false },
};

/* Kinds, with perf's words for them. */
static const struct {
	const char *word;
	enum item_kind kind;
} words[] = {
	{ "metric", ITEM_METRIC }, { "metrics", ITEM_METRIC },
	{ "group", ITEM_GROUP }, { "groups", ITEM_GROUP },
	{ "metricgroup", ITEM_GROUP }, { "metricgroups", ITEM_GROUP },
	{ "event", ITEM_EVENT }, { "events", ITEM_EVENT },
	{ "pmu", ITEM_PMU }, { "pmus", ITEM_PMU },
	{ "tracepoint", ITEM_TRACEPOINT }, { "tracepoints", ITEM_TRACEPOINT },
};

static const struct {
	const char *word;	/* in JSON */
	const char *heading;
} kinds[ITEM_KINDS] = {
	[ITEM_METRIC] = { "metric", "METRIC" },
	[ITEM_GROUP] = { "group", "METRIC GROUP" },
	[ITEM_EVENT] = { "event", "EVENT" },
	[ITEM_PMU] = { "pmu", "PMU" },
	[ITEM_TRACEPOINT] = { "tracepoint", "TRACEPOINT" },
};

static const char *const pmu_kinds[] = {
	[GPMU_PMU_OTHER] = "other", [GPMU_PMU_CORE] = "core", [GPMU_PMU_SCF] = "scf",
	[GPMU_PMU_PCIE] = "pcie", [GPMU_PMU_C2C0] = "nvlink_c2c0",
	[GPMU_PMU_C2C1] = "nvlink_c2c1", [GPMU_PMU_CNVLINK] = "cnvlink",
};

static const char *pmu_kind(const struct gpmu_pmu *pmu)
{
	size_t kind = gpmu_pmu_kind(pmu);

	return kind < ARRAY_SIZE(pmu_kinds) ? pmu_kinds[kind] : "other";
}

/* --- options --- */

static void add_argument(struct list *list, const char *arg)
{
	for (size_t i = 0; list->kind < 0 && !list->globs.length &&
	     i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, arg)) {
			list->kind = (int)words[i].kind;
			return;
		}
	texts_add(&list->globs, arg);
}

static error_t choose(struct arguments *arguments, enum listed choice)
{
	if (arguments->listed != LISTED_ITEMS && arguments->listed != choice)
		die("%s and %s: choose one", listed[arguments->listed].option, listed[choice].option);
	arguments->listed = choice;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct list *list = &arguments->list;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &list->common;
		state->child_inputs[1] = &arguments->sections;
		return 0;
	case KEY_LIST_GPU:
		return choose(arguments, LISTED_GPU);
	case KEY_LEGACY:
		return choose(arguments, LISTED_LEGACY);
	case KEY_SECTIONS:
		return choose(arguments, LISTED_SECTIONS);
	case KEY_STALLS:
		return choose(arguments, LISTED_STALLS);
	case KEY_CHIP:
		arguments->gpu.chip = arg;
		return 0;
	case KEY_CHIPS:
		arguments->gpu.wants_chips = true;
		return 0;
	case KEY_PASSES:
		arguments->gpu.wants_passes = true;
		return 0;
	case KEY_ALL:
		list->wants_all = true;
		return 0;
	case 'j':
		list->wants_json = true;
		return 0;
	case KEY_NAMES:
		list->wants_names = true;
		return 0;
	case ARGP_KEY_ARG:
		add_argument(list, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ .name = "all", .key = KEY_ALL, .doc = "also list names that this machine does not have" },
	OPTION_JSON,
	{ .name = "names", .key = KEY_NAMES, .doc = "print names only" },
	{ .name = "gpu", .key = KEY_LIST_GPU,
	  .doc = "list the metrics of the GPU; with \"event\", all that CUPTI can sample on its chip" },
	{ .name = "legacy", .key = KEY_LEGACY,
	  .doc = "list the names of CUPTI's former APIs and of nvprof, and what counts them now" },
	{ .name = "chip", .key = KEY_CHIP, .arg = "NAME",
	  .doc = "with --gpu or --sections: list those of this chip, such as GH100; needs no GPU" },
	{ .name = "chips", .key = KEY_CHIPS, .doc = "with --gpu: list the names of chips" },
	{ .name = "passes", .key = KEY_PASSES, .doc = "with --gpu: print the number of passes; takes seconds" },
	{ .name = "sections", .key = KEY_SECTIONS, .doc = "list sections of Nsight Compute's section files; with -v, their metrics" },
	{ .name = "stall-reasons", .key = KEY_STALLS, .doc = "list the stall reasons of gpmu record --pc-sampling" },
	{ 0 },
};

static const struct argp_child children[] = {
	{ .argp = &common_argp }, { .argp = &sections_argp }, { 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[metric|group|event|pmu|tracepoint] [GLOB...]",
	.doc = "Lists events, metrics and PMUs.",
	.children = children,
};

/* --- selection --- */

bool list_matches(const struct list *list, const char *name)
{
	for (size_t i = 0; i < list->globs.length; i++) {
		const char *glob = list->globs.list[i];
		char *inside;
		bool is_match;

		/* As in perf list, a word matches any part of a name. */
		if (strpbrk(glob, "*?[")) {
			is_match = !fnmatch(glob, name, FNM_CASEFOLD);
		} else {
			inside = print_text("*%s*", glob);
			is_match = !fnmatch(inside, name, FNM_CASEFOLD);
			free(inside);
		}
		if (is_match)
			return true;
	}
	return !list->globs.length;
}

/* Returns whether only --gpu determines if the item is on this machine. With --all it counts as one of other machines. */
static bool needs_gpu(const struct list *list, const struct item *item)
{
	/* Without a pattern, metrics of GPUs would be listed on machines that have none. */
	return item->needs_gpu && list->globs.length && !list->wants_all;
}

/* Returns whether an item is listed though the machine may not have it. A legacy name is listed only by all of it. */
static bool is_asked_for(const struct list *list, const struct item *item)
{
	if (!item->legacy)
		return item->is_here || needs_gpu(list, item) || list->wants_all;
	for (size_t i = 0; i < list->globs.length; i++)
		if (!strcasecmp(list->globs.list[i], item->name))
			return true;
	return false;
}

/* Removes the items that are not shown. */
static void select_items(const struct list *list, struct items *items)
{
	size_t length = 0;

	for (size_t i = 0; i < items->length; i++) {
		struct item *item = &items->list[i];

		if (is_asked_for(list, item) && list_matches(list, item->name) &&
		    (!list->wants_gpus_only || items_is_gpu(item)))
			items->list[length++] = *item;
		else
			free(item->name);
	}
	items->length = length;
}

/* --- descriptions --- */

/* The description on one line; the caller frees it. */
static char *describe(const struct list *list, const struct item *item)
{
	const struct gpmu_pmu *pmu = item->pmu;
	char *text, *line;
	size_t n = 0;

	if (item->kind == ITEM_GROUP) {
		while (gpmu_catalog_group_metric(list->common.catalog, item->name, n))
			n++;
		return print_text("%zu %s", n, gpmu_plural(n, "metric", "metrics"));
	}
	if (item->kind == ITEM_PMU && gpmu_pmu_counter_count(pmu) >= 0)
		return print_text("%s, %d %s%s", pmu_kind(pmu), gpmu_pmu_counter_count(pmu),
				  gpmu_plural((uint64_t)gpmu_pmu_counter_count(pmu), "counter", "counters"),
				  gpmu_pmu_cycle_counter(pmu) == 1 ? " and a cycle counter" : "");
	if (item->kind == ITEM_PMU)
		return print_text("%s", pmu_kind(pmu));
	text = print_text("%s", item->description ? item->description : "");
	for (line = text; (line = strchr(line, '\n')); )
		*line = ' ';
	return text;
}

/* --- text --- */

void list_more(struct table *table, const char *label, const char *text)
{
	if (text && *text)
		table_note(table, 0, "      %-12s%s", label, text);
}

static void add_file(struct table *table, const char *file, unsigned int line)
{
	table_note(table, 0, "      %-12s%s:%u", "file", file, line);
}

static void add_metric_more(struct table *table, const struct gpmu_metric *metric)
{
	const char *group;

	list_more(table, "details", gpmu_metric_details(metric));
	list_more(table, "formula", gpmu_metric_expr(metric));
	list_more(table, "threshold", gpmu_metric_threshold(metric));
	list_more(table, "PMU", gpmu_metric_pmu(metric));
	list_more(table, "identifier", gpmu_metric_compat(metric));
	for (size_t i = 0; (group = gpmu_metric_group(metric, i)); i++)
		list_more(table, i ? "" : "groups", group);
	add_file(table, gpmu_metric_file(metric), gpmu_metric_line(metric));
}

static void add_pmu_more(struct table *table, const struct gpmu_pmu *pmu)
{
	const struct gpmu_node *node = gpmu_pmu_node(pmu);
	const char *name;

	list_more(table, "identifier", gpmu_pmu_identifier(pmu));
	if (node)
		table_note(table, 0, "      %-12s%d", "node", gpmu_node_number(node));
	for (size_t i = 0; (name = gpmu_pmu_format_name(pmu, i)); i++)
		table_note(table, 0, "      %-12s%s=%s", i ? "" : "formats", name, gpmu_pmu_format(pmu, name));
}

static void add_why_not(struct table *table, const struct gpmu_metric *metric,
			const struct gpmu_machine *machine)
{
	char *why = need_memory(gpmu_metric_why_not(metric, machine));

	list_more(table, "not here", why);
	free(why);
}

static void add_item_more(const struct list *list, struct table *table, const struct item *item)
{
	if (item->metric && !item->is_here && !needs_gpu(list, item))
		add_why_not(table, item->metric, list->common.machine);
	if (item->metric)
		add_metric_more(table, item->metric);
	else if (item->legacy)
		list_legacy_more(table, item->legacy);
	if (item->event) {
		list_more(table, "details", gpmu_event_def_details(item->event));
		list_more(table, "terms", gpmu_event_def_terms(item->event));
		add_file(table, gpmu_event_def_file(item->event), gpmu_event_def_line(item->event));
	} else if (item->terms) {
		list_more(table, "terms", item->terms);
	}
	if (item->kind == ITEM_PMU)
		add_pmu_more(table, item->pmu);
}

static void put_section(const struct list *list, const struct item *items, size_t n)
{
	struct table table;

	table_init(&table, stdout, "");
	table_column(&table, kinds[items->kind].heading, 0, 0, MAX_NAME);
	table_column(&table, "UNIT", TABLE_OPTIONAL, 0, 0);
	table_column(&table, "HERE", 0, 0, 0);
	table_column(&table, "DESCRIPTION", TABLE_CUT, 0, 0);
	for (size_t i = 0; i < n; i++) {
		char *text = describe(list, &items[i]);

		table_cell(&table, "%s", items[i].name);
		table_cell(&table, "%s", items[i].unit ? items[i].unit : "");
		table_cell(&table, "%s", items[i].is_here ? "yes" : needs_gpu(list, &items[i]) ? "--gpu" : "no");
		table_cell(&table, "%s", text);
		free(text);
		if (list->common.is_verbose)
			add_item_more(list, &table, &items[i]);
	}
	table_print(&table);
}

static void put_text(const struct list *list, const struct items *items)
{
	for (size_t i = 0, n; i < items->length; i += n) {
		n = 1;
		while (i + n < items->length && items->list[i + n].kind == items->list[i].kind)
			n++;
		if (i)
			putchar('\n');
		put_section(list, &items->list[i], n);
	}
}

void list_put_name(const char *name)
{
	gpmu_shown_print(stdout, name);
	putchar('\n');
}

/* --- JSON --- */

void list_put_key(const char *key, const char *text)
{
	printf(",\"%s\":", key);
	gpmu_json_print(stdout, text);
}

static void put_metric_json(const struct gpmu_metric *metric)
{
	const char *group;

	list_put_key("unit", gpmu_metric_unit(metric));
	list_put_key("details", gpmu_metric_details(metric));
	list_put_key("formula", gpmu_metric_expr(metric));
	list_put_key("threshold", gpmu_metric_threshold(metric));
	list_put_key("pmu", gpmu_metric_pmu(metric));
	list_put_key("identifier", gpmu_metric_compat(metric));
	printf(",\"groups\":[");
	for (size_t i = 0; (group = gpmu_metric_group(metric, i)); i++) {
		if (i)
			putchar(',');
		gpmu_json_print(stdout, group);
	}
	printf("]");
	list_put_key("file", gpmu_metric_file(metric));
	printf(",\"line\":%u", gpmu_metric_line(metric));
}

static void put_event_json(const struct item *item)
{
	const struct gpmu_event_def *event = item->event;

	list_put_key("unit", item->unit);
	list_put_key("details", event ? gpmu_event_def_details(event) : NULL);
	list_put_key("terms", event ? gpmu_event_def_terms(event) : item->terms);
	list_put_key("pmu", event ? gpmu_event_def_pmu(event) : NULL);
	list_put_key("topic", event ? gpmu_event_def_topic(event) : NULL);
	list_put_key("file", event ? gpmu_event_def_file(event) : NULL);
	if (event)
		printf(",\"line\":%u", gpmu_event_def_line(event));
	else
		printf(",\"line\":null");
}

static void put_number(const char *key, int number)
{
	if (number < 0)
		printf(",\"%s\":null", key);
	else
		printf(",\"%s\":%d", key, number);
}

static void put_pmu_json(const struct gpmu_pmu *pmu)
{
	const struct gpmu_node *node = gpmu_pmu_node(pmu);

	list_put_key("pmu_kind", pmu_kind(pmu));
	list_put_key("identifier", gpmu_pmu_identifier(pmu));
	put_number("node", node ? gpmu_node_number(node) : -1);
	put_number("counters", gpmu_pmu_counter_count(pmu));
	put_number("counter_width", gpmu_pmu_counter_width(pmu));
	put_number("cycle_counter", gpmu_pmu_cycle_counter(pmu));
}

static void put_json(const struct list *list, const struct item *item)
{
	char *text = describe(list, item);

	printf("{\"gpmu\":%d", LIST_SCHEMA);
	list_put_key("kind", kinds[item->kind].word);
	list_put_key("name", item->name);
	printf(",\"here\":%s", item->is_here ? "true" : needs_gpu(list, item) ? "null" : "false");
	list_put_key("description", *text ? text : NULL);
	free(text);
	if (item->metric)
		put_metric_json(item->metric);
	else if (item->legacy)
		list_legacy_json(item->legacy);
	if (item->kind == ITEM_EVENT)
		put_event_json(item);
	if (item->kind == ITEM_PMU)
		put_pmu_json(item->pmu);
	puts("}");
}

static void put_items(const struct list *list, const struct items *items)
{
	if (!list->wants_json && !list->wants_names) {
		put_text(list, items);
		return;
	}
	for (size_t i = 0; i < items->length; i++) {
		if (list->wants_json)
			put_json(list, &items->list[i]);
		else
			list_put_name(items->list[i].name);
	}
}

size_t list_put_kinds(const struct list *list, unsigned int kinds)
{
	struct items items;
	size_t length;

	items_init(&items);
	for (enum item_kind kind = 0; kind < ITEM_KINDS; kind++)
		if (kinds >> kind & 1)
			items_add(&items, &list->common, kind);
	items_sort(&items);
	select_items(list, &items);
	put_items(list, &items);
	length = items.length;
	items_release(&items);
	return length;
}

/* Reports that nothing was listed. The first pattern may be a misspelt kind. */
static void say_nothing(const struct list *list)
{
	struct nearest nearest = { 0 };

	if (list->kind < 0 && list->globs.length) {
		gpmu_nearest_init(&nearest, list->globs.list[0]);
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			gpmu_nearest_try(&nearest, words[i].word);
	}
	if (nearest.name)
		say("nothing here matches %s, did you mean %s?", nearest.wanted, nearest.name);
	else
		say("nothing here matches%s", list->wants_all ? "" : "; --all lists names of other machines too");
}

/* Returns the exit status. */
static int list_all(struct list *list)
{
	size_t length;

	common_open(&list->common);
	length = list_put_kinds(list, list->kind < 0 ? (1u << ITEM_KINDS) - 1 - (1u << ITEM_TRACEPOINT) :
						       1u << list->kind);
	if (!length && !list->wants_names)
		say_nothing(list);
	return length ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Dies if options exclude or lack each other. */
static void check(const struct arguments *arguments)
{
	const struct list *list = &arguments->list;
	const struct list_gpu *gpu = &arguments->gpu;

	if (list->wants_json && list->wants_names)
		die("-j and --names: choose one");
	if (!listed[arguments->listed].has_kinds && list->kind >= 0)
		die("%s lists no other kind", listed[arguments->listed].option);
	if (gpu->chip && arguments->listed != LISTED_GPU && arguments->listed != LISTED_SECTIONS)
		die("--chip needs --gpu or --sections");
	if ((gpu->wants_chips || gpu->wants_passes) && arguments->listed != LISTED_GPU)
		die("--chips and --passes need --gpu");
	if (arguments->sections.folders.length && arguments->listed != LISTED_SECTIONS)
		die("--section-folder needs --sections");
}

/* Returns the exit status. */
static int list_chosen(struct arguments *arguments)
{
	struct list *list = &arguments->list;

	switch (arguments->listed) {
	case LISTED_GPU:
		return list_gpu(list, &arguments->gpu);
	case LISTED_LEGACY:
		return list_legacy(list);
	case LISTED_SECTIONS:
		return list_sections(list, &arguments->sections, arguments->gpu.chip);
	case LISTED_STALLS:
		return list_stalls(list);
	default:
		return list_all(list);
	}
}

static int run(int argc, char **argv)
{
	struct arguments arguments = { .list = { .kind = -1 } };
	struct list *list = &arguments.list;
	int status;

	common_init(&list->common);
	parse_arguments(&argp, argc, argv, 0, &arguments);
	check(&arguments);
	status = list_chosen(&arguments);
	sections_release(&arguments.sections);
	free(list->globs.list);
	common_release(&list->common);
	return status;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list events, metrics and PMUs, and whether this machine has them",
	.run = run,
};
