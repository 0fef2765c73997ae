// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events by libpfm4's names. "perf stat -e" does not accept these, so instances have names
 * with codes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/event_build.h"
#include "event/event_pfm.h"
#include "machine/machine.h"

/* Returns "PMU/config=0x151/u"; NULL if out of memory. */
static char *name_codes(const struct gpmu_pmu *pmu, const struct perf_event_attr *attr,
			const char *modifiers)
{
	char codes[2][32] = { "", "" };

	if (attr->config1)
		snprintf(codes[0], sizeof(codes[0]), ",config1=0x%llx", (unsigned long long)attr->config1);
	if (attr->config2)
		snprintf(codes[1], sizeof(codes[1]), ",config2=0x%llx", (unsigned long long)attr->config2);
	return text_print("%s/config=0x%llx%s%s/%s", gpmu_pmu_name(pmu), (unsigned long long)attr->config, codes[0],
			  codes[1], modifiers);
}

static const char *name_levels(struct event_builder *builder, const struct event_pfm *event,
			       char *levels)
{
	char *c = levels;

	if (event->is_user_excluded || event->is_kernel_excluded || event->is_hv_excluded) {
		builder->excludes = builder->text.head;
		if (!event->is_user_excluded)
			*c++ = 'u';
		if (!event->is_kernel_excluded)
			*c++ = 'k';
		if (!event->is_hv_excluded)
			*c++ = 'h';
	}
	*c = '\0';
	return levels;
}

/* Adds the codes on all core PMUs, or on the one PMU of that type. */
static int add_codes(struct event_builder *builder, const struct perf_event_attr *attr)
{
	const struct gpmu_pmu *pmu;
	int ret = machine_need_counters(builder->machine, &builder->why);

	if (ret)
		return ret;
	if (attr->type != PERF_TYPE_RAW) {
		pmu = event_pmu_of_type(builder->machine, attr->type);
		if (!pmu)
			return event_fail(builder, builder->text.head, ENODEV,
					  "%.60s: this machine has no PMU for it",
					  builder->text.head);
		return event_add(builder, pmu, attr, name_codes(pmu, attr, builder->modifiers));
	}
	if (!event_count_cores(builder->machine))
		return event_fail(builder, builder->text.head, ENODEV,
				  "%.60s: this machine has no PMU of its cores",
				  builder->text.head);
	for (size_t i = 0; !ret && (pmu = event_next_core(builder->machine, &i)); ) {
		struct perf_event_attr own = *attr;

		own.type = gpmu_pmu_type(pmu);
		ret = event_add(builder, pmu, &own, name_codes(pmu, &own, builder->modifiers));
	}
	return ret;
}

int event_add_native(struct event_builder *builder)
{
	const char *text = builder->text.head, *why = "";
	const char *name;
	char levels[4];
	struct perf_event_attr *attr = &builder->form.attr;
	struct event_pfm event;
	int ret;

	ret = event_pfm_encode(text, &event, &why);
	if (ret == -ENOMEM)
		return error_no_memory(&builder->why);
	if (ret)
		return event_fail(builder, text, -ret, "%.60s: libpfm4: %.60s", text, why);
	attr->exclude_user = event.is_user_excluded;
	attr->exclude_kernel = event.is_kernel_excluded;
	attr->exclude_hv = event.is_hv_excluded;
	builder->modifiers = name_levels(builder, &event, levels);
	name = event_generic_of(event.type, event.config);
	if (name) {
		/* Handle it as if the user had written perf's own name. */
		ret = event_add_bare(builder, name);
		ret = ret > 0 ? 0 : ret;
	} else {
		attr->type = event.type;
		attr->config = event.config;
		attr->config1 = event.config1;
		attr->config2 = event.config2;
		ret = add_codes(builder, attr);
	}
	builder->modifiers = "";
	return ret;
}
