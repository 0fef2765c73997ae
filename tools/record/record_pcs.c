// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "common.h"
#include "modes/gpmu_modes.h"
#include "record/record_pcs.h"

enum gpmu_recorder_pc record_pcs_mode(const char *text)
{
	if (!text || !strcmp(text, "continuous"))
		return GPMU_RECORDER_PC_CONTINUOUS;
	if (!strcmp(text, "serialized"))
		return GPMU_RECORDER_PC_SERIALIZED;
	die("--pc-sampling=%s: expected continuous or serialized", text);
}

uint32_t record_pcs_period(const char *text)
{
	const uint64_t period = (uint64_t)parse_number("--pc-period", text, 32, INT64_C(1) << 31);

	if (period & (period - 1))
		die("--pc-period %s: expected a power of 2 from 32 to 2147483648 cycles, such as 65536", text);
	return (uint32_t)period;
}

/*
 * PC sampling begins before the program loads its kernels, and CUPTI then refuses to record other kinds of activity
 * later.
 */
void record_pcs_check(const struct record_pcs *pcs, bool has_command, bool has_cuda, bool is_partial)
{
	if ((pcs->period || pcs->stalls) && !pcs->mode)
		die("--pc-period and --pc-stall need --pc-sampling");
	if (!pcs->mode)
		return;
	if (!has_command)
		die("--pc-sampling needs a command");
	if (!has_cuda)
		die("--pc-sampling and --no-cuda-trace: choose one; --cuda=kernel records little other activity");
	if (is_partial)
		die("--pc-sampling cannot be combined with --capture-range or --delay: record the whole run");
}

/* Returns whether a group is of a GPU's PMU, whose counters CUPTI samples. */
static bool has_pm_sampling(const struct gpmu_plan *plan)
{
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++) {
		const struct gpmu_pmu *pmu = gpmu_plan_group_pmu(plan, i);

		if (pmu && !strncmp(gpmu_pmu_name(pmu), "nvidia_gpu_", strlen("nvidia_gpu_")))
			return true;
	}
	return false;
}

void record_pcs_check_plan(const struct record_pcs *pcs, bool has_cuda, const struct gpmu_plan *plan)
{
	static const enum gpmu_mode modes_of_pcs[] = {
		[GPMU_RECORDER_PC_CONTINUOUS] = GPMU_MODE_PC, [GPMU_RECORDER_PC_SERIALIZED] = GPMU_MODE_PC_SERIAL,
	};
	uint32_t modes = (uint32_t)has_cuda << GPMU_MODE_RECORDS;
	char why[256];

	if (pcs->mode)
		modes |= UINT32_C(1) << modes_of_pcs[pcs->mode];
	if (plan && has_pm_sampling(plan))
		modes |= UINT32_C(1) << GPMU_MODE_PM;
	if (gpmu_modes_refuse(modes, why, sizeof(why)))
		die("%s", why);
}
