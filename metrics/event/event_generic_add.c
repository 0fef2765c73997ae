// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds perf's generic events, and raw codes. */
#include <stdio.h>
#include <string.h>

#include "event/event_build.h"
#include "machine/machine.h"

/*
 * Adds the event on each core PMU, under the PMU's own type if several share the generic
 * type.
 */
static int add_on_cores(struct event_builder *builder, const char *name, const char *qualified,
			const struct perf_event_attr *attr)
{
	size_t n = event_count_cores(builder->machine);
	const struct gpmu_pmu *pmu;
	int ret = 0;

	if (!n)
		return event_add(builder, NULL, attr, event_instance_name(builder, NULL, name));
	for (size_t i = 0; !ret && (pmu = event_next_core(builder->machine, &i)); ) {
		struct perf_event_attr own = *attr;

		if (own.type == PERF_TYPE_RAW)
			own.type = gpmu_pmu_type(pmu);
		else
			own.config = event_generic_config(builder, pmu, own.config);
		ret = event_add(builder, pmu, &own,
				n == 1 ? event_instance_name(builder, NULL, name) :
				event_instance_name(builder, pmu, qualified));
	}
	return ret;
}

int event_add_generic(struct event_builder *builder, const char *name, uint32_t type,
		      uint64_t config)
{
	struct perf_event_attr attr = builder->form.attr;
	const struct gpmu_pmu *software;
	int ret = event_apply_common(builder, &attr);

	if (ret)
		return ret;
	attr.type = type;
	attr.config = config;
	if (type != PERF_TYPE_SOFTWARE)
		return add_on_cores(builder, name, name, &attr);
	ret = machine_find_software(builder->machine, &software, &builder->why);
	if (ret)
		return ret;
	return event_add(builder, software, &attr, event_instance_name(builder, NULL, name));
}

int event_add_raw(struct event_builder *builder, const char *name)
{
	struct perf_event_attr attr = builder->form.attr;
	const char *digits = name + 1;
	char text[20], qualified[40];
	uint64_t code;
	int ret;

	if (*name != 'r')
		return 0;
	digits += digits[0] == '0' && digits[1] == 'x' ? 2 : 0;
	if (strlen(digits) > 16)
		return 0;
	snprintf(text, sizeof(text), "0x%s", digits);
	if (!event_parse_number(text, &code))
		return 0;
	ret = event_apply_common(builder, &attr);
	if (ret)
		return ret;
	attr.type = PERF_TYPE_RAW;
	attr.config = code;
	snprintf(qualified, sizeof(qualified), "config=%s", text);
	ret = add_on_cores(builder, name, qualified, &attr);
	return ret ? ret : 1;
}
