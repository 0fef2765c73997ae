// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds instances to an event that is being made, and sets its error. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/vector.h"
#include "event/event_build.h"

/* Event of each PMU that uses the cycle counter instead of a general counter */
static const struct {
	enum gpmu_pmu_kind kind;
	const char *prefix;	/* of the PMU's name */
	uint64_t bits, cycles;	/* bits of config to compare, and their value for cycles */
} cycle_counters[] = {
	/* kernel-drivers/grace-cspmu.rst: the event number just above the 32-bit ones */
	{ .kind = GPMU_PMU_SCF, .prefix = "", .bits = ~0ull, .cycles = 0x100000000 },
	{ .kind = GPMU_PMU_PCIE, .prefix = "", .bits = ~0ull, .cycles = 0x100000000 },
	{ .kind = GPMU_PMU_C2C0, .prefix = "", .bits = ~0ull, .cycles = 0x100000000 },
	{ .kind = GPMU_PMU_C2C1, .prefix = "", .bits = ~0ull, .cycles = 0x100000000 },
	{ .kind = GPMU_PMU_CNVLINK, .prefix = "", .bits = ~0ull, .cycles = 0x100000000 },
	/* CPU_CYCLES: Arm DDI 0487, "The PMU event number space" */
	{ .kind = GPMU_PMU_CORE, .prefix = "armv8_", .bits = 0xffff, .cycles = 0x11 },
};

static bool takes_cycle_counter(const struct gpmu_pmu *pmu, const struct perf_event_attr *attr)
{
	for (size_t i = 0; pmu && i < ARRAY_SIZE(cycle_counters); i++) {
		const char *prefix = cycle_counters[i].prefix;

		if (cycle_counters[i].kind != gpmu_pmu_kind(pmu) ||
		    strncmp(gpmu_pmu_name(pmu), prefix, strlen(prefix)))
			continue;
		if (attr->type == PERF_TYPE_HARDWARE)
			return (uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES;
		return attr->type == gpmu_pmu_type(pmu) &&
		       (attr->config & cycle_counters[i].bits) == cycle_counters[i].cycles;
	}
	return false;
}

int event_fail(struct event_builder *builder, const char *pos, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error_set_at(&builder->why, event_text_offset(&builder->text, pos), fmt, args);
	va_end(args);
	return -error;
}

char *event_instance_name(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			  const char *name)
{
	const char *body = builder->text.body ? builder->text.body : "", *modifiers = builder->modifiers;

	if (pmu && name)
		return text_print("%s/%s%s%s/%s", gpmu_pmu_name(pmu), name, *body ? "," : "", body, modifiers);
	if (pmu || *body)
		return text_print("%s/%s/%s", pmu ? gpmu_pmu_name(pmu) : name, body, modifiers);
	return text_print("%s%s%s", name, *modifiers ? ":" : "", modifiers);
}

/* The driver would refuse it without a reason. */
static int fail_excludes(struct event_builder *builder, const struct gpmu_pmu *pmu)
{
	return event_fail(builder, builder->excludes, EINVAL,
			  "%.60s counts the whole machine: the modifiers "
			  "u, k, h, G, H and I do not apply", gpmu_pmu_name(pmu));
}

int event_add(struct event_builder *builder, const struct gpmu_pmu *pmu,
	      const struct perf_event_attr *attr, char *name)
{
	struct gpmu_event *event = builder->event;
	struct event_instance *added;

	if (pmu && builder->excludes && gpmu_pmu_has_cpumask(pmu) &&
	    gpmu_pmu_kind(pmu) != GPMU_PMU_CORE) {
		free(name);
		return fail_excludes(builder, pmu);
	}
	added = name ? vector_append(event->instances, event->length) : NULL;
	if (!added) {
		free(name);
		return error_no_memory(&builder->why);
	}
	*added = builder->form;
	added->name = name;
	added->pmu = pmu;
	added->attr = *attr;
	added->is_cycle_counter = takes_cycle_counter(pmu, attr);
	return 0;
}
