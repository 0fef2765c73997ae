// SPDX-License-Identifier: LGPL-2.1-or-later
/* The GPUs' own counts, below the matrix. */
#include <math.h>
#include <string.h>

#include "message.h"
#include "traffic/traffic.h"

const struct traffic_gpu_part traffic_gpu_parts[TRAFFIC_GPU_PARTS] = {
	{ .name = "memory", .metrics = { "GpuDramReadBW", "GpuDramWriteBW" } },
	{ .name = "PCIe", .metrics = { "GpuPcieReadBW", "GpuPcieWriteBW" } },
	{ .name = "NVLink", .metrics = { "GpuNvlinkRxBW", "GpuNvlinkTxBW" } },
	{ .name = "NVLink-C2C", .metrics = { "GpuC2cRxBW", "GpuC2cTxBW" }, .is_to_grace = true },
};

bool traffic_has_gpus(const struct gpmu_machine *machine)
{
	static const char kind[] = "nvidia_gpu_";
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_gpu(pmu) && !strncmp(gpmu_pmu_name(pmu), kind, sizeof(kind) - 1))
			return true;
	return false;
}

bool traffic_gpu_has_grace(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog)
{
	const struct gpmu_metric *metric;

	for (size_t i = 0; i < TRAFFIC_GPU_PARTS; i++) {
		if (!traffic_gpu_parts[i].is_to_grace)
			continue;
		metric = gpmu_catalog_find_metric(catalog, traffic_gpu_parts[i].metrics[0], machine);
		if (metric && gpmu_metric_supported(metric, machine))
			return true;
	}
	return false;
}

int traffic_gpu_plan(struct gpmu_plan *plan, bool has_grace, struct gpmu_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < TRAFFIC_GPU_PARTS && !ret; i++)
		for (size_t way = 0; way < 2 && !ret && (has_grace || !traffic_gpu_parts[i].is_to_grace); way++)
			ret = gpmu_plan_add_metrics(plan, traffic_gpu_parts[i].metrics[way], error);
	return ret;
}

const struct gpmu_row *traffic_gpu_row(const struct traffic_view *view, size_t gpu, size_t part,
				       size_t way)
{
	const char *name = traffic_gpu_parts[part].metrics[way];
	const struct gpmu_row *row;

	for (size_t i = 0; (row = gpmu_rows_at(view->rows, i)); i++)
		if (row->metric && row->gpu_number == (int)gpu && !strcmp(row->name, name))
			return row;
	return NULL;
}

struct gpmu_traffic_value traffic_gpu_value(const struct gpmu_row *row)
{
	struct gpmu_traffic_value value = {
		.bytes = NAN, .rate = NAN, .low = NAN, .high = NAN, .share = row->share,
		.why = row->why,
	};

	switch (row->state) {
	case GPMU_STATE_OK:
		value.rate = value.low = value.high = row->value * 1e9;
		value.bytes = row->value * (double)row->enabled;
		return value;
	case GPMU_STATE_IDLE:
		value.state = GPMU_TRAFFIC_IDLE;
		return value;
	case GPMU_STATE_NOT_SUPPORTED:
		value.state = GPMU_TRAFFIC_NOT_SUPPORTED;
		return value;
	default:
		value.state = GPMU_TRAFFIC_NOT_COUNTED;
		return value;
	}
}
