// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gpmu_json.h"
#include "list/list_sections.h"

#define MAX_NAME	44	/* characters of the column; longer names push the others */

static const char *const scope_names[] = {
	[GPMU_SECTION_LAUNCH] = "launch", [GPMU_SECTION_RANGE] = "range",
};

static struct gpmu_section_metrics *select_metrics(const struct gpmu_section *section, int arch, enum gpmu_section_scope scope)
{
	const struct gpmu_section_target target = { .size = sizeof(target), .arch = arch, .scope = scope };

	return need_memory(gpmu_section_select(section, &target));
}

static size_t count_metrics(const struct gpmu_section_metrics *metrics)
{
	size_t n = 0;

	while (gpmu_section_metrics_at(metrics, n))
		n++;
	return n;
}

/* Returns whether the metrics have one of this name and place. */
static bool has_metric(const struct gpmu_section_metrics *metrics, const struct gpmu_section_metric *metric)
{
	const struct gpmu_section_metric *other;

	for (size_t i = 0; (other = gpmu_section_metrics_at(metrics, i)); i++)
		if (other->line == metric->line && !strcmp(other->name, metric->name))
			return true;
	return false;
}

/* --- text */

/* The member as a text that ends a line of -v; "" for NULL */
static char *print_member(const char *label, const char *text)
{
	return text && *text ? print_text(", %s %s", label, text) : print_text("%s", "");
}

/* "      metrics     NAME: LABEL, groups sampling_0 (Header/Metrics)" */
static void add_metric(struct table *table, const struct gpmu_section_metric *metric, const char *heading)
{
	char *groups = print_member("groups", metric->groups), *domains = print_member("domains", metric->domains);
	char *factor = metric->multiplier != 1 ? print_text(", times %g", metric->multiplier) : print_text("%s", "");
	const bool has_label = metric->label && *metric->label;

	table_note(table, 0, "      %-12s%s%s%s%s%s%s%s%s%s%s (%s)", heading, metric->is_pattern ? "regex:" : "", metric->name,
		   has_label ? ": " : "", has_label ? metric->label : "", metric->expr ? " = " : "", metric->expr ? metric->expr : "",
		   groups, domains, factor, metric->importance == GPMU_SECTION_REQUIRED ? ", required" : "", metric->place);
	free(groups);
	free(domains);
	free(factor);
}

/* The metrics of kernel launches, and behind them those of ranges alone */
static void add_metrics(struct table *table, const struct gpmu_section *section, int arch)
{
	struct gpmu_section_metrics *launch = select_metrics(section, arch, GPMU_SECTION_LAUNCH);
	struct gpmu_section_metrics *range = select_metrics(section, arch, GPMU_SECTION_RANGE);
	const struct gpmu_section_metric *metric;
	bool is_first = true;

	for (size_t i = 0; (metric = gpmu_section_metrics_at(launch, i)); i++)
		add_metric(table, metric, i ? "" : "metrics");
	for (size_t i = 0; (metric = gpmu_section_metrics_at(range, i)); i++)
		if (!has_metric(launch, metric)) {
			add_metric(table, metric, is_first ? "of ranges" : "");
			is_first = false;
		}
	gpmu_section_metrics_free(launch);
	gpmu_section_metrics_free(range);
}

static void add_details(struct table *table, const struct sections *sections, const struct gpmu_section *section, int arch)
{
	const char *text;

	list_more(table, "file", gpmu_section_file(section));
	for (size_t i = 0; (text = gpmu_section_set(section, i)); i++)
		list_more(table, i ? "" : "sets", text);
	for (size_t i = 0; (text = gpmu_section_extends(section, i)); i++)
		table_note(table, 0, "      %-12s%s%s", i ? "" : "extends", text,
			   gpmu_sections_find(sections->list, text, NULL) ? "" : ", which is missing");
	add_metrics(table, section, arch);
}

static void put_table(const struct list *list, const struct sections *sections, int arch)
{
	const struct gpmu_section *section;
	struct table table;

	table_init(&table, stdout, "");
	table_column(&table, "SECTION", 0, 0, MAX_NAME);
	table_column(&table, "METRICS", TABLE_RIGHT, 0, 0);
	table_column(&table, "NAME", 0, 0, MAX_NAME);
	table_column(&table, "DESCRIPTION", TABLE_CUT, 0, 0);
	for (size_t i = 0; (section = gpmu_sections_at(sections->list, i)); i++) {
		struct gpmu_section_metrics *metrics;
		const char *description = gpmu_section_description(section);

		if (!list_matches(list, gpmu_section_identifier(section)) && !list_matches(list, gpmu_section_name(section)))
			continue;
		metrics = select_metrics(section, arch, GPMU_SECTION_LAUNCH);
		table_cell(&table, "%s", gpmu_section_identifier(section));
		table_cell(&table, "%zu", count_metrics(metrics));
		table_cell(&table, "%s", gpmu_section_name(section));
		table_cell(&table, "%s", description ? description : "");
		gpmu_section_metrics_free(metrics);
		if (list->common.is_verbose)
			add_details(&table, sections, section, arch);
	}
	table_print(&table);
}

/* --- JSON */

static void put_texts(const char *key, const struct gpmu_section *section,
		      const char *(*text)(const struct gpmu_section *section, size_t index))
{
	printf(",\"%s\":[", key);
	for (size_t i = 0; text(section, i); i++) {
		if (i)
			putchar(',');
		gpmu_json_print(stdout, text(section, i));
	}
	putchar(']');
}

static void put_metric(const struct gpmu_section_metric *metric, const char *scope, bool is_first)
{
	printf("%s{\"scope\":\"%s\"", is_first ? "" : ",", scope);
	list_put_key(metric->is_pattern ? "pattern" : "name", metric->name);
	list_put_key("label", metric->label);
	list_put_key("description", metric->description);
	list_put_key("place", metric->place);
	list_put_key("formula", metric->expr);
	list_put_key("groups", metric->groups);
	list_put_key("domains", metric->domains);
	if (isfinite(metric->multiplier))
		printf(",\"multiplier\":%.17g", metric->multiplier);
	else
		printf(",\"multiplier\":null");
	printf(",\"required\":%s,\"instances\":%s,\"line\":%u}",
	       metric->importance == GPMU_SECTION_REQUIRED ? "true" : "false", metric->has_instances ? "true" : "false",
	       metric->line);
}

static void put_json(const struct gpmu_section *section, int arch)
{
	const struct gpmu_section_metric *metric;
	bool is_first = true;

	printf("{\"gpmu\":%d", LIST_SCHEMA);
	list_put_key("kind", "section");
	list_put_key("name", gpmu_section_identifier(section));
	list_put_key("display_name", gpmu_section_name(section));
	list_put_key("description", gpmu_section_description(section));
	printf(",\"order\":%d", gpmu_section_order(section));
	put_texts("sets", section, gpmu_section_set);
	put_texts("extends", section, gpmu_section_extends);
	list_put_key("file", gpmu_section_file(section));
	printf(",\"metrics\":[");
	for (size_t k = 0; k < ARRAY_SIZE(scope_names); k++) {
		struct gpmu_section_metrics *metrics = select_metrics(section, arch, (enum gpmu_section_scope)k);

		for (size_t i = 0; (metric = gpmu_section_metrics_at(metrics, i)); i++, is_first = false)
			put_metric(metric, scope_names[k], is_first);
		gpmu_section_metrics_free(metrics);
	}
	puts("]}");
}

/* --- all sections */

int list_sections(const struct list *list, struct sections *sections, const char *chip)
{
	const int arch = gpmu_section_arch(chip);
	const struct gpmu_section *section;
	size_t n = 0;

	if (chip && !arch)
		die("--chip %s: the compute capability of this chip is not known; omit --chip", chip);
	sections_open(sections);
	for (size_t i = 0; (section = gpmu_sections_at(sections->list, i)); i++) {
		if (!list_matches(list, gpmu_section_identifier(section)) && !list_matches(list, gpmu_section_name(section)))
			continue;
		n++;
		if (list->wants_json)
			put_json(section, arch);
		else if (list->wants_names)
			list_put_name(gpmu_section_identifier(section));
	}
	if (n && !list->wants_json && !list->wants_names)
		put_table(list, sections, arch);
	if (!n && !list->wants_names)
		say("no section matches");
	return n ? EXIT_SUCCESS : EXIT_FAILURE;
}
