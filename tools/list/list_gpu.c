// SPDX-License-Identifier: LGPL-2.1-or-later
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "list/list_gpu.h"
#include "output/output.h"

#define ANY_CHIP	"GH100"	/* any chip can answer with the names of all chips */
#define MAX_NAME	56	/* characters of the column; longer names push the others */

/* The plugin's answer, an array; NULL with @error set. */
static json_t *ask(const char *spec, const char *question, struct gpmu_error *error)
{
	struct gpmu_source *source = gpmu_source_new(spec, error);
	json_t *answer = NULL;
	char *text = NULL;

	if (!source)
		return NULL;
	if (!gpmu_source_query(source, question, &text, error)) {
		answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		if (!json_is_array(answer))
			die("plugin cupti: its answer to \"%s\" is no list; install plugins of "
			    "this gpmu's version", question);
	}
	free(text);
	gpmu_source_put(source);
	return answer;
}

static json_t *ask_chip(const char *chip, const char *question, struct gpmu_error *error)
{
	char *spec = chip ? print_text("cupti=chip=%s", chip) : print_text("cupti=list");
	json_t *answer = ask(spec, question, error);

	free(spec);
	return answer;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* "GV100, GV11B, ..."; "" without CUPTI */
static char *names_of_chips(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *chips = ask_chip(ANY_CHIP, "chips", &error), *chip;
	char *text = print_text("%s", ""), *longer;
	size_t i;

	json_array_foreach(chips, i, chip) {
		longer = print_text("%s%s%s", text, i ? ", " : "", json_string_value(chip));
		free(text);
		text = longer;
	}
	json_decref(chips);
	return text;
}

static void die_of_chips(const char *why)
{
	char *names = names_of_chips();

	if (*names)
		die("%s; --chip accepts %s", why, names);
	die("%s", why);
}

static int put_chips(const struct list *list)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *chips = ask_chip(ANY_CHIP, "chips", &error), *chip;
	size_t i, n = 0;

	if (!chips)
		die("%s", error.text);
	json_array_foreach(chips, i, chip) {
		if (!list_matches(list, json_string_value(chip)))
			continue;
		n++;
		if (!list->json) {
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

static void put_table(const struct list *list, const json_t *metrics, bool passes)
{
	const json_t *metric;
	struct table table;
	size_t i;

	table_init(&table, stdout, "");
	table_column(&table, "EVENT", 0, 0, MAX_NAME);
	table_column(&table, "UNIT", 0, 0, 0);
	table_column(&table, "TYPE", 0, strlen("throughput"), 0);
	if (passes)
		table_column(&table, "PASSES", TABLE_RIGHT, 0, 0);
	table_column(&table, "DESCRIPTION", TABLE_CUT, 0, 0);
	json_array_foreach(metrics, i, metric) {
		json_int_t number = json_integer_value(json_object_get(metric, "passes"));

		table_cell(&table, "%s", text_of(metric, "event"));
		table_cell(&table, "%s", text_of(metric, "unit"));
		table_cell(&table, "%s", text_of(metric, "type"));
		if (passes && number)
			table_cell(&table, "%" JSON_INTEGER_FORMAT, number);
		else if (passes)
			table_cell(&table, "%s", "");
		table_cell(&table, "%s", text_of(metric, "description"));
		if (list->common.verbose)
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
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		list_put_key(keys[i], text_of(metric, keys[i]));
	printf(",\"suffixes\":%s", suffixes ? suffixes : "[]");
	if (passes)
		printf(",\"passes\":%lld}\n", (long long)json_integer_value(passes));
	else
		printf(",\"passes\":null}\n");
	free(suffixes);
}

static void put_metrics(const struct list *list, const json_t *metrics, bool passes)
{
	const json_t *metric;
	size_t i;

	if (!list->json && !list->names) {
		put_table(list, metrics, passes);
		return;
	}
	json_array_foreach(metrics, i, metric) {
		if (list->json)
			put_json(metric);
		else
			list_put_name(text_of(metric, "event"));
	}
}

/* Adds NVML's events of the GPUs, which need no profiler. Without NVML there are none. */
static void add_nvml(const struct list *list, json_t *metrics)
{
	struct gpmu_machine *machine = gpmu_machine_new(list->common.root, NULL);
	struct gpmu_source *source = gpmu_source_new("nvml", NULL);
	const char *event, *unit, *description;
	const struct gpmu_pmu *pmu;

	if (machine && source && !gpmu_machine_add_source(machine, source, NULL))
		for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
			for (size_t k = 0;
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

int list_gpu(const struct list *list, const struct list_gpu *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *metrics;
	int status;

	if (options->chips)
		return put_chips(list);
	metrics = ask_chip(options->chip, options->passes ? "metrics passes" : "metrics", &error);
	if (!metrics)
		die_of_chips(error.text);
	if (!options->chip) {
		json_t *nvml = nvml_events(list);

		json_array_extend(metrics, nvml);
		json_decref(nvml);
	}
	select_metrics(list, metrics);
	status = json_array_size(metrics) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (status && !list->names)
		say("nothing of the chip matches");
	else
		put_metrics(list, metrics, options->passes);
	json_decref(metrics);
	return status;
}
