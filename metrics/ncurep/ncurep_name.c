// SPDX-License-Identifier: LGPL-2.1-or-later
/* Describes a metric by its name, UNIT__QUANTITY.ROLLUP.SUBMETRIC. */
#include <string.h>

#include "base/array.h"
#include "ncurep/ncurep.h"

static const struct {
	const char *name;
	enum gpmu_ncu_rollup rollup;
} rollups[] = {
	{ "sum", GPMU_NCU_SUM }, { "avg", GPMU_NCU_AVG }, { "min", GPMU_NCU_MIN }, { "max", GPMU_NCU_MAX },
};

/* Units of quantities, the first of which is in the name, and of their rates */
static const struct {
	const char *quantity, *unit, *per_second, *per_cycle;
} quantities[] = {
	{ "cycles", "cycles", "Hz", NULL },
	{ "__time_", "ns", NULL, NULL },
	{ "bytes", "B", "B/s", "B/cycle" },
	{ "shared_mem", "B", NULL, NULL },
	{ "sectors", "sectors", "sectors/s", "sectors/cycle" },
	{ "requests", "requests", "requests/s", "requests/cycle" },
	{ "wavefronts", "wavefronts", "wavefronts/s", "wavefronts/cycle" },
	{ "thread_inst", "threads", "threads/s", "threads/cycle" },
	{ "inst_", "instructions", "instructions/s", "instructions/cycle" },
	{ "warps", "warps", "warps/s", "warps/cycle" },
};

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static const char *unit_of(const struct gpmu_ncu_metric *metric, const char *part)
{
	const char *end = metric->submetric ? metric->submetric : part;

	if (part && (begins(end, "pct") || begins(end, "peak_")))
		return begins(end, "pct") ? "%" : NULL;
	if (metric->type == GPMU_NCU_RATIO || metric->type == GPMU_NCU_THROUGHPUT)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(quantities); i++) {
		if (!strstr(metric->name, quantities[i].quantity))
			continue;
		if (metric->submetric && begins(end, "per_second"))
			return quantities[i].per_second;
		if (metric->submetric && begins(end, "per_cycle"))
			return quantities[i].per_cycle;
		return metric->submetric ? NULL : quantities[i].unit;
	}
	return NULL;
}

/* The last point after the quantity: a triage group and its unit come before the quantity. */
static const char *first_part(const char *name)
{
	const char *quantity = strstr(name, "__"), *point = strchr(quantity ? quantity : name, '.');

	return point ? point + 1 : NULL;
}

void ncurep_describe(struct gpmu_ncu_metric *metric)
{
	const char *part = first_part(metric->name);
	size_t length = part ? strcspn(part, ".") : 0;

	for (size_t i = 0; part && i < ARRAY_SIZE(rollups); i++)
		if (length == strlen(rollups[i].name) && begins(part, rollups[i].name))
			metric->rollup = rollups[i].rollup;
	if (metric->rollup) {
		metric->submetric = part[length] ? part + length + 1 : NULL;
		metric->type = strstr(metric->name, "throughput.") ? GPMU_NCU_THROUGHPUT : GPMU_NCU_COUNTER;
	} else if (part) {
		metric->type = GPMU_NCU_RATIO;
	}
	metric->unit = unit_of(metric, part);
}
