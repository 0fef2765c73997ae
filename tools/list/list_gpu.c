// SPDX-License-Identifier: LGPL-2.1-or-later
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_plural.h"
#include "chip.h"
#include "list/list_gpu.h"
#include "list/list_items.h"
#include "output/output.h"

#define MAX_NAME	56	/* characters of the column; longer names push the others */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static int put_chips(const struct list *list)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *chips = chip_names(&error), *chip;
	size_t i, n = 0;

	if (!chips)
		die("%s", error.text);
	json_array_foreach(chips, i, chip) {
		if (!list_matches(list, json_string_value(chip)))
			continue;
		n++;
		if (!list->wants_json) {
			list_put_name(json_string_value(chip));
			continue;
		}
		printf("{\"gpmu\":%d", LIST_SCHEMA);
		list_put_key("kind", "chip");
		list_put_key("name", json_string_value(chip));
		puts("}");
	}
	json_decref(chips);
	return n ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Keeps the metrics whose own name or event name matches. */
static void select_metrics(const struct list *list, json_t *metrics)
{
	for (size_t i = json_array_size(metrics); i-- > 0;) {
		const json_t *metric = json_array_get(metrics, i);

		if (!list_matches(list, text_of(metric, "name")) &&
		    !list_matches(list, text_of(metric, "event")))
			json_array_remove(metrics, i);
	}
}

static void add_suffixes(struct table *table, const json_t *metric)
{
	const json_t *suffixes = json_object_get(metric, "sub_metrics"), *suffix;
	size_t i;

	json_array_foreach(suffixes, i, suffix)
		list_more(table, i ? "" : "suffixes", json_string_value(suffix));
}

static void put_table(const struct list *list, const json_t *metrics, bool wants_passes)
{
	const json_t *metric;
	struct table table;
	size_t i;

	table_init(&table, stdout, "");
	table_column(&table, "EVENT", 0, 0, MAX_NAME);
	table_column(&table, "UNIT", 0, 0, 0);
	table_column(&table, "TYPE", 0, strlen("throughput"), 0);
	if (wants_passes)
		table_column(&table, "PASSES", TABLE_RIGHT, 0, 0);
	table_column(&table, "DESCRIPTION", TABLE_CUT, 0, 0);
	json_array_foreach(metrics, i, metric) {
		json_int_t number = json_integer_value(json_object_get(metric, "passes"));

		table_cell(&table, "%s", text_of(metric, "event"));
		table_cell(&table, "%s", text_of(metric, "unit"));
		table_cell(&table, "%s", text_of(metric, "type"));
		if (wants_passes && number)
			table_cell(&table, "%" JSON_INTEGER_FORMAT, number);
		else if (wants_passes)
			table_cell(&table, "%s", "");
		table_cell(&table, "%s", text_of(metric, "description"));
		if (list->common.is_verbose)
			add_suffixes(&table, metric);
	}
	table_print(&table);
}

static void put_json(const json_t *metric)
{
	static const char *const keys[] = { "name", "event", "type", "unit", "description" };
	const json_t *passes = json_object_get(metric, "passes");
	char *suffixes = json_dumps(json_object_get(metric, "sub_metrics"), JSON_COMPACT);

	printf("{\"gpmu\":%d", LIST_SCHEMA);
	list_put_key("kind", "gpu");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		list_put_key(keys[i], text_of(metric, keys[i]));
	printf(",\"suffixes\":%s", suffixes ? suffixes : "[]");
	if (passes)
		printf(",\"passes\":%lld}\n", (long long)json_integer_value(passes));
	else
		printf(",\"passes\":null}\n");
	free(suffixes);
}

static void put_metrics(const struct list *list, const json_t *metrics, bool wants_passes)
{
	const json_t *metric;
	size_t i;

	if (!list->wants_json && !list->wants_names) {
		put_table(list, metrics, wants_passes);
		return;
	}
	json_array_foreach(metrics, i, metric) {
		if (list->wants_json)
			put_json(metric);
		else
			list_put_name(text_of(metric, "event"));
	}
}

/*
 * Adds NVML's own events of the GPUs, which need no profiler. Without NVML there are none. NVML's PMUs nvidia_gpu have
 * some of CUPTI's events, which are listed with the chip.
 */
static void add_nvml(const struct list *list, json_t *metrics)
{
	struct gpmu_machine *machine = gpmu_machine_new(list->common.root, NULL);
	struct gpmu_source *source = gpmu_source_new("nvml", NULL);
	const char *event, *unit, *description;
	const struct gpmu_pmu *pmu;

	if (machine && source && !gpmu_machine_add_source(machine, source, NULL))
		for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
			for (size_t k = 0; !strncmp(gpmu_pmu_name(pmu), "nvidia_nvml", strlen("nvidia_nvml")) &&
			     (event = gpmu_pmu_source_event(pmu, k, &unit, &description)); k++) {
				char *name = print_text("nvidia_nvml/%s/", event);

				json_array_append_new(metrics, json_pack(
					"{s:s, s:s, s:s, s:s, s:s, s:[]}", "name", event, "event", name,
					"type", "nvml", "unit", unit ? unit : "", "description",
					description ? description : "", "sub_metrics"));
				free(name);
			}
	gpmu_machine_free(machine);
	gpmu_source_put(source);
}

/* An event of several GPUs is listed once. */
static void keep_once(json_t *metrics)
{
	for (size_t i = json_array_size(metrics); i-- > 0;)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(text_of(json_array_get(metrics, i), "event"),
				    text_of(json_array_get(metrics, k), "event"))) {
				json_array_remove(metrics, i);
				break;
			}
}

/* Returns NVML's events; none if NVML fails, too */
static json_t *nvml_events(const struct list *list)
{
	json_t *metrics = json_array();

	if (!metrics)
		die_no_memory();
	add_nvml(list, metrics);
	keep_once(metrics);
	return metrics;
}

/* Returns CUPTI's events of the chip. */
static json_t *chip_events(const struct list_gpu *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *events = chip_ask(options->chip, options->wants_passes ? "metrics passes" : "metrics", &error);

	if (!events)
		chip_die(error.text);
	return events;
}

/* Prints the metrics of GPUs; returns their number. */
static size_t put_gpu_metrics(struct list *list, const struct list_gpu *options)
{
	char *spec = options->chip ? print_text("cupti=chip=%s", options->chip) : print_text("cupti=list");
	size_t length;

	list->wants_gpus_only = true;
	list->common.wants_gpu = !options->chip;
	list->common.cupti = spec;
	if (options->chip)
		texts_add(&list->common.sources, spec);
	common_open(&list->common);
	length = list_put_kinds(list, 1u << ITEM_METRIC);
	list->common.cupti = NULL;
	list->common.sources.length -= options->chip != NULL;
	free(spec);
	return length;
}

/* Returns whether the chip's own events are listed, and not only their number. */
static bool wants_chip_events(const struct list *list, const struct list_gpu *options)
{
	return list->kind == ITEM_EVENT || list->globs.length || options->wants_passes;
}

/* Prints NVML's events, and the events of the chip or their number, below @above other rows. Returns the number of rows. */
static size_t put_events(const struct list *list, const struct list_gpu *options, const json_t *chip, const json_t *nvml,
			 size_t above)
{
	const bool is_text = !list->wants_json && !list->wants_names, wants_all = wants_chip_events(list, options);
	json_t *events = wants_all ? json_copy((json_t *)chip) : json_array();
	size_t length;

	json_array_extend(events, (json_t *)nvml);
	select_metrics(list, events);
	length = json_array_size(events);
	if (length && above && is_text)
		putchar('\n');
	if (length)
		put_metrics(list, events, options->wants_passes);
	if (!wants_all && json_array_size(chip) && is_text)
		printf("\n%zu %s that CUPTI can sample on the chip: gpmu list --gpu%s%s event\n", json_array_size(chip),
		       gpmu_plural(json_array_size(chip), "event", "events"),
		       options->chip ? " --chip " : "", options->chip ? options->chip : "");
	json_decref(events);
	return length;
}

int list_gpu(struct list *list, const struct list_gpu *options)
{
	json_t *nvml, *chip;
	size_t length = 0;

	if (options->wants_chips)
		return put_chips(list);
	if (list->kind >= 0 && list->kind != ITEM_METRIC && list->kind != ITEM_EVENT)
		die("--gpu lists metrics and events: expected metric, event or neither");
	chip = chip_events(options);
	nvml = options->chip ? json_array() : nvml_events(list);
	if (list->kind != ITEM_EVENT)
		length = put_gpu_metrics(list, options);
	if (list->kind != ITEM_METRIC)
		length += put_events(list, options, chip, nvml, length);
	if (!length && !list->wants_names)
		say("nothing of the GPU matches");
	json_decref(nvml);
	json_decref(chip);
	return length ? EXIT_SUCCESS : EXIT_FAILURE;
}
