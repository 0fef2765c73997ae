// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text of accounting and vGPUs. */
#include <stdio.h>

#include "gpu/gpu.h"

static void print_forgotten(const json_t *object, const char *indent)
{
	json_int_t forgotten = json_integer_value(json_object_get(object, "forgotten"));

	if (forgotten)
		printf("%s%" JSON_INTEGER_FORMAT " more left the accounts while they were read\n", indent,
		       forgotten);
}

/* NVML reports the time of a process only after its end. */
static void print_accounts(const json_t *list, const char *indent)
{
	const json_t *process, *time;
	size_t i;

	if (!json_array_size(list)) {
		printf("%sno accounts of processes\n", indent);
		return;
	}
	printf("%s%8s  %10s  %5s  %6s  %10s  %s\n", indent, "pid", "time", "SM", "memory", "memory max",
	       "name");
	json_array_foreach(list, i, process) {
		char text[32] = "running";

		time = json_object_get(process, "time_ms");
		if (json_is_number(time))
			snprintf(text, sizeof(text), "%.3f s", json_number_value(time) / 1000);
		printf("%s%8" JSON_INTEGER_FORMAT "  %10s", indent,
		       json_integer_value(json_object_get(process, "pid")), text);
		gpu_text_cell(process, "sm", 5, " %");
		gpu_text_cell(process, "memory", 6, " %");
		gpu_text_bytes(process, "memory_max", 10);
		printf("  %s\n", gpu_text_of(process, "name"));
	}
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

static void print_shares(const json_t *object)
{
	gpu_text_cell(object, "sm", 5, " %");
	gpu_text_cell(object, "memory", 6, " %");
	gpu_text_cell(object, "encoder", 7, " %");
	gpu_text_cell(object, "decoder", 7, " %");
	gpu_text_cell(object, "jpeg", 5, " %");
	gpu_text_cell(object, "ofa", 5, " %");
}

static void print_samples(const json_t *instance)
{
	const json_t *used = json_object_get(instance, "utilization"), *process;
	const json_t *list = json_object_get(instance, "processes");
	size_t i;

	if (!json_is_object(used) && !json_array_size(list)) {
		printf("    no new samples of utilization\n");
		return;
	}
	printf("    %8s  %5s  %6s  %7s  %7s  %5s  %5s\n", "pid", "SM", "memory", "encoder", "decoder",
	       "JPEG", "OFA");
	if (json_is_object(used)) {
		printf("    %8s", "all");
		print_shares(used);
		putchar('\n');
	}
	json_array_foreach(list, i, process) {
		printf("    %8" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(process, "pid")));
		print_shares(process);
		printf("  %s\n", gpu_text_of(process, "name"));
	}
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

	printf("  vGPU %" JSON_INTEGER_FORMAT "  %s  VM %s  driver %s",
	       json_integer_value(json_object_get(instance, "instance")), gpu_text_of(instance, "type"),
	       gpu_text_of(instance, "vm"), gpu_text_of(instance, "vm_driver"));
	gpu_text_bytes(instance, "memory_used", -1);
	printf("\n    %s\n", gpu_text_of(instance, "vgpu_uuid"));
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
		printf("  %" JSON_INTEGER_FORMAT " more vGPUs ended while they were read\n",
		       json_integer_value(json_object_get(gpu, "gone")));
}
