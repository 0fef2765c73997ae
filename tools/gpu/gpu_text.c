// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text of GPUs and of the processes that use them. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#define GIB	(1024.0 * 1024 * 1024)

const char *gpu_text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? text : "-";
}

void gpu_text_head(const json_t *gpu)
{
	printf("GPU %" JSON_INTEGER_FORMAT "  %s  %s  %s\n",
	       json_integer_value(json_object_get(gpu, "index")), gpu_text_of(gpu, "name"),
	       gpu_text_of(gpu, "pci"), gpu_text_of(gpu, "uuid"));
}

void gpu_text_unavailable(const json_t *object, const char *indent)
{
	json_t *missing = json_object_get(object, "unavailable"), *reason;
	const char *key, *between = "";

	if (!missing)
		return;
	printf("%snot available: ", indent);
	json_object_foreach(missing, key, reason) {
		printf("%s%s (%s)", between, key, json_string_value(reason));
		between = ", ";
	}
	putchar('\n');
}

void gpu_text_number(const json_t *object, const char *key, const char *unit, char *text, size_t size)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_number(value))
		snprintf(text, size, "%.12g%s", json_number_value(value), unit);
	else
		snprintf(text, size, "-");
}

void gpu_text_bytes(const json_t *object, const char *key, char *text, size_t size)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_number(value))
		snprintf(text, size, "%.1f GiB", json_number_value(value) / GIB);
	else
		snprintf(text, size, "-");
}

void gpu_text_cell(struct table *table, const json_t *object, const char *key, const char *unit)
{
	char text[48];

	gpu_text_number(object, key, unit, text, sizeof(text));
	table_cell(table, "%s", text);
}

void gpu_text_bytes_cell(struct table *table, const json_t *object, const char *key)
{
	char text[48];

	gpu_text_bytes(object, key, text, sizeof(text));
	table_cell(table, "%s", text);
}

/* --- lines of a GPU --- */

/* "  utilization   sm 87 %, memory 34 %", without values that are not available */
static void print_numbers(const json_t *object, const char *name, const char *unit)
{
	const json_t *value;
	const char *key, *between = "";

	printf("  %-13s", name);
	json_object_foreach((json_t *)object, key, value) {
		if (!json_is_number(value))
			continue;
		printf("%s %s %.12g %s", between, key, json_number_value(value), unit);
		between = ",";
	}
	printf("%s\n", *between ? "" : " -");
}

static void print_clocks(const json_t *gpu)
{
	const json_t *max = json_object_get(gpu, "clocks_max"), *value, *limit;
	const char *key, *between = "";

	printf("  %-13s", "clocks");
	json_object_foreach(json_object_get(gpu, "clocks"), key, value) {
		limit = json_object_get(max, key);
		if (!json_is_number(value))
			continue;
		printf("%s %s %.0f", between, key, json_number_value(value));
		if (json_is_number(limit))
			printf(" of %.0f", json_number_value(limit));
		printf(" MHz");
		between = ",";
	}
	printf("%s\n", *between ? "" : " -");
}

static void print_throttle(const json_t *gpu)
{
	const json_t *list = json_object_get(gpu, "throttle"), *reason;
	const char *between = "";
	size_t i;

	if (!json_is_array(list))
		return;
	printf("  %-13s", "throttled by");
	json_array_foreach(list, i, reason) {
		printf("%s %s", between, json_string_value(reason));
		between = ",";
	}
	printf("%s\n", *between ? "" : " nothing");
}

static void print_power(const json_t *gpu)
{
	const json_t *energy = json_object_get(gpu, "energy"), *memory;
	char text[48];

	gpu_text_number(gpu, "power", " W", text, sizeof(text));
	printf("  %-12s  %s", "power", text);
	if (json_is_number(json_object_get(gpu, "power_limit")))
		printf(" of %.12g W", json_number_value(json_object_get(gpu, "power_limit")));
	if (json_is_number(energy))
		printf(", %.0f J since the driver was loaded", json_number_value(energy));
	gpu_text_number(gpu, "temperature", " C", text, sizeof(text));
	printf("\n  %-12s  %s", "temperature", text);
	memory = json_object_get(gpu, "memory_temperature");
	if (json_is_number(memory))
		printf(", memory %.12g C", json_number_value(memory));
	putchar('\n');
}

static void print_memory(const json_t *gpu)
{
	const json_t *memory = json_object_get(gpu, "memory"), *reserved = json_object_get(memory, "reserved");
	char used[48];

	gpu_text_bytes(memory, "used", used, sizeof(used));
	printf("  %-12s  %s of %.1f GiB", "memory", used, json_number_value(json_object_get(memory, "total")) / GIB);
	if (json_is_number(reserved))
		printf(", %.1f GiB reserved", json_number_value(reserved) / GIB);
	putchar('\n');
}

static void print_mode(const json_t *gpu, const char *key, const char *name)
{
	const json_t *mode = json_object_get(gpu, key);

	if (json_is_boolean(mode))
		printf(", %s %s", name, json_is_true(mode) ? "on" : "off");
}

static void print_modes(const json_t *gpu)
{
	const json_t *pcie = json_object_get(gpu, "pcie"), *node = json_object_get(gpu, "node");
	const json_t *nvlinks = json_object_get(gpu, "nvlinks"), *c2c = json_object_get(gpu, "c2c");

	printf("  %-13s", "links");
	if (json_is_number(json_object_get(pcie, "generation")))
		printf(" PCIe %.0f x%.0f,", json_number_value(json_object_get(pcie, "generation")),
		       json_number_value(json_object_get(pcie, "width")));
	if (json_is_integer(nvlinks))
		printf(" %" JSON_INTEGER_FORMAT " NVLinks", json_integer_value(nvlinks));
	else
		printf(" NVLinks unknown");
	if (!json_is_false(c2c))
		printf(", NVLink-C2C%s", json_is_null(c2c) ? " unknown" : "");
	if (json_is_number(node))
		printf(", near node %" JSON_INTEGER_FORMAT, json_integer_value(node));
	printf("\n  %-13s compute %s", "modes", gpu_text_of(gpu, "compute_mode"));
	print_mode(gpu, "ecc", "ECC");
	print_mode(gpu, "mig", "MIG");
	print_mode(gpu, "persistence", "persistence");
	if (strcmp(gpu_text_of(gpu, "virtualization"), "none") &&
	    strcmp(gpu_text_of(gpu, "virtualization"), "-"))
		printf(", %s", gpu_text_of(gpu, "virtualization"));
	putchar('\n');
}

static void print_processes(const json_t *list)
{
	const json_t *process;
	struct table table;
	size_t i;

	if (!json_array_size(list))
		return;
	table_init(&table, stdout, "  ");
	table_column(&table, "pid", TABLE_RIGHT, 8, 0);
	table_column(&table, "type", 0, 8, 0);
	table_column(&table, "memory", TABLE_RIGHT, 9, 0);
	table_column(&table, "SM", TABLE_RIGHT, 5, 0);
	table_column(&table, "memory", TABLE_RIGHT, 6, 0);
	table_column(&table, "encoder", TABLE_RIGHT, 7, 0);
	table_column(&table, "decoder", TABLE_RIGHT, 7, 0);
	table_column(&table, "name", TABLE_CUT, 0, 0);
	json_array_foreach(list, i, process) {
		gpu_text_cell(&table, process, "pid", "");
		table_cell(&table, "%s", gpu_text_of(process, "type"));
		gpu_text_bytes_cell(&table, process, "memory");
		gpu_text_cell(&table, process, "sm", " %");
		gpu_text_cell(&table, process, "memory_utilization", " %");
		gpu_text_cell(&table, process, "encoder", " %");
		gpu_text_cell(&table, process, "decoder", " %");
		table_cell(&table, "%s", gpu_text_of(process, "name"));
	}
	putchar('\n');
	table_print(&table);
}

void gpu_text(const json_t *answer, const json_t *gpu)
{
	gpu_text_head(gpu);
	printf("  %-13s %s, CUDA %s\n", "driver", gpu_text_of(answer, "driver"),
	       gpu_text_of(answer, "cuda"));
	print_numbers(json_object_get(gpu, "utilization"), "utilization", "%");
	print_clocks(gpu);
	print_throttle(gpu);
	print_power(gpu);
	print_memory(gpu);
	print_modes(gpu);
	gpu_text_attributes(gpu);
	gpu_text_unavailable(gpu, "  ");
	print_processes(json_object_get(gpu, "processes"));
}
