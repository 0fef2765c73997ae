// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text of accounting and vGPUs. */
#include <stdio.h>

#include "common.h"
#include "gpu/gpu.h"

static void print_forgotten(const json_t *object, const char *indent)
{
	json_int_t forgotten = json_integer_value(json_object_get(object, "forgotten"));

	if (forgotten)
		printf("%saccounts replaced while they were read: %" JSON_INTEGER_FORMAT "\n", indent,
		       forgotten);
}

/* NVML reports the time of a process only after its end. */
static void print_accounts(const json_t *list, const char *indent)
{
	const json_t *process, *time;
	struct table table;
	size_t i;

	if (!json_array_size(list)) {
		printf("%sno accounts of processes\n", indent);
		return;
	}
	table_init(&table, stdout, indent);
	table_column(&table, "pid", TABLE_RIGHT, 8, 0);
	table_column(&table, "time", TABLE_RIGHT, 10, 0);
	table_column(&table, "SM", TABLE_RIGHT, 5, 0);
	table_column(&table, "memory", TABLE_RIGHT, 6, 0);
	table_column(&table, "memory max", TABLE_RIGHT, 10, 0);
	table_column(&table, "name", TABLE_CUT, 0, 0);
	json_array_foreach(list, i, process) {
		time = json_object_get(process, "time_ms");
		gpu_text_cell(&table, process, "pid", "");
		if (json_is_number(time))
			table_cell(&table, "%.3f s", json_number_value(time) / 1000);
		else
			table_cell(&table, "running");
		gpu_text_cell(&table, process, "sm", " %");
		gpu_text_cell(&table, process, "memory", " %");
		gpu_text_bytes_cell(&table, process, "memory_max");
		table_cell(&table, "%s", gpu_text_of(process, "name"));
	}
	table_print(&table);
}

void gpu_text_accounting(const json_t *answer, const json_t *gpu)
{
	const json_t *mode = json_object_get(gpu, "mode"), *size = json_object_get(gpu, "buffer_size");

	(void)answer;
	gpu_text_head(gpu);
	if (json_is_boolean(mode))
		printf("  accounting is %s", json_is_true(mode) ? "on" : "off");
	if (json_is_boolean(mode) && json_is_number(size))
		printf(", for up to %" JSON_INTEGER_FORMAT " processes", json_integer_value(size));
	if (json_is_boolean(mode))
		putchar('\n');
	gpu_text_unavailable(gpu, "  ");
	if (json_is_array(json_object_get(gpu, "processes")))
		print_accounts(json_object_get(gpu, "processes"), "  ");
	print_forgotten(gpu, "  ");
}

/* --- vGPUs --- */

static void add_shares(struct table *table, const json_t *object)
{
	static const char *const keys[] = { "sm", "memory", "encoder", "decoder", "jpeg", "ofa" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		gpu_text_cell(table, object, keys[i], " %");
	table_cell(table, "%s", json_is_string(json_object_get(object, "name")) ?
				gpu_text_of(object, "name") : "");
}

static void print_samples(const json_t *instance)
{
	const json_t *used = json_object_get(instance, "utilization"), *process;
	const json_t *list = json_object_get(instance, "processes");
	struct table table;
	size_t i;

	if (!json_is_object(used) && !json_array_size(list)) {
		printf("    no new samples of utilization\n");
		return;
	}
	table_init(&table, stdout, "    ");
	table_column(&table, "pid", TABLE_RIGHT, 8, 0);
	table_column(&table, "SM", TABLE_RIGHT, 5, 0);
	table_column(&table, "memory", TABLE_RIGHT, 6, 0);
	table_column(&table, "encoder", TABLE_RIGHT, 7, 0);
	table_column(&table, "decoder", TABLE_RIGHT, 7, 0);
	table_column(&table, "JPEG", TABLE_RIGHT, 5, 0);
	table_column(&table, "OFA", TABLE_RIGHT, 5, 0);
	table_column(&table, "", TABLE_CUT, 0, 0);
	if (json_is_object(used)) {
		table_cell(&table, "all");
		add_shares(&table, used);
	}
	json_array_foreach(list, i, process) {
		gpu_text_cell(&table, process, "pid", "");
		add_shares(&table, process);
	}
	table_print(&table);
}

static void print_license(const json_t *license)
{
	if (!json_is_object(license))
		return;
	printf("    license: %s", gpu_text_of(license, "state"));
	if (json_is_string(json_object_get(license, "expiry")))
		printf(", until %s", gpu_text_of(license, "expiry"));
	putchar('\n');
}

static void print_instance(const json_t *instance)
{
	const json_t *accounting = json_object_get(instance, "accounting");
	char used[48];

	gpu_text_bytes(instance, "memory_used", used, sizeof(used));
	printf("  vGPU %" JSON_INTEGER_FORMAT "  %s  VM %s  driver %s  %s\n    %s\n",
	       json_integer_value(json_object_get(instance, "instance")), gpu_text_of(instance, "type"),
	       gpu_text_of(instance, "vm"), gpu_text_of(instance, "vm_driver"), used,
	       gpu_text_of(instance, "vgpu_uuid"));
	print_license(json_object_get(instance, "license"));
	gpu_text_unavailable(instance, "    ");
	print_samples(instance);
	if (!json_is_object(accounting))
		return;
	printf("    accounting is %s\n", json_is_true(json_object_get(accounting, "mode")) ? "on" : "off");
	if (json_array_size(json_object_get(accounting, "processes")))
		print_accounts(json_object_get(accounting, "processes"), "    ");
	print_forgotten(accounting, "    ");
}

void gpu_text_vgpu(const json_t *answer, const json_t *gpu)
{
	const json_t *list = json_object_get(gpu, "instances"), *instance;
	size_t i;

	(void)answer;
	gpu_text_head(gpu);
	gpu_text_unavailable(gpu, "  ");
	if (json_is_array(list) && !json_array_size(list))
		printf("  no vGPU\n");
	json_array_foreach(list, i, instance)
		print_instance(instance);
	if (json_integer_value(json_object_get(gpu, "gone")))
		printf("  vGPUs that ended while they were read: %" JSON_INTEGER_FORMAT "\n",
		       json_integer_value(json_object_get(gpu, "gone")));
}
