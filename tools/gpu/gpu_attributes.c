// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text of the attributes that CUPTI's former Event API had. */
#include <stdio.h>

#include "gpu/gpu.h"

/* Lines in order. A value of true or false has no unit. */
static const struct {
	const char *key, *label, *unit;
	double factor;
} lines[] = {
	{ "class", "class", "", 1 },
	{ "memory_bus_width", "memory bus", " bits", 1 },
	{ "memory_bandwidth", "memory peak", " GB/s", 1e-9 },
	{ "sms", "SMs", "", 1 },
	{ "instructions_per_cycle", "issue", " instructions per cycle and SM", 1 },
	{ "sp_instructions_per_second", "FP32 peak", " instructions per ns", 1e-9 },
	{ "flop_hp_per_cycle", "FP16", " FLOP per cycle", 1 },
	{ "flop_sp_per_cycle", "FP32", " FLOP per cycle", 1 },
	{ "flop_dp_per_cycle", "FP64", " FLOP per cycle", 1 },
	{ "shared_memory", "shared memory", " KiB per SM", 1.0 / 1024 },
	{ "pcie_generation", "PCIe", "", 1 },
	{ "pcie_width", "PCIe lanes", "", 1 },
	{ "pcie_lane_rate", "PCIe lane", " Mbit/s", 1 },
	{ "nvlink", "NVLink", "", 1 },
	{ "nvswitch", "NVSwitch", "", 1 },
	{ "cpu_bandwidth", "CPU link", " GB/s", 1e-9 },
};

void gpu_text_attributes(const json_t *gpu)
{
	const json_t *attributes = json_object_get(gpu, "attributes"), *value;

	for (size_t i = 0; attributes && i < sizeof(lines) / sizeof(lines[0]); i++) {
		value = json_object_get(attributes, lines[i].key);
		printf("  %-13s ", lines[i].label);
		if (json_is_boolean(value))
			puts(json_is_true(value) ? "yes" : "no");
		else if (json_is_number(value))
			printf("%.12g%s\n", json_number_value(value) * lines[i].factor, lines[i].unit);
		else
			puts(gpu_text_of(attributes, lines[i].key));
	}
}
