// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "catalog/catalog.h"
#include "event/event_build.h"
#include "event/gpmu_core.h"

/* Returns whether the suffix is "_1_inst_2": a Grace can have several PMUs of a type in a socket. */
static bool is_instance(const char *suffix)
{
	static const char digits[] = "0123456789", word[] = "_inst_";
	size_t n = strspn(suffix + 1, digits);

	if (*suffix != '_' || !n || strncmp(suffix + 1 + n, word, sizeof(word) - 1))
		return false;
	suffix += 1 + n + sizeof(word) - 1;
	n = strspn(suffix, digits);
	return n && !suffix[n];
}

bool event_pmu_is(const struct gpmu_pmu *pmu, const char *wanted)
{
	const char *name = catalog_without_uncore(gpmu_pmu_name(pmu)), *suffix;
	size_t length;

	wanted = catalog_without_uncore(wanted);
	length = strlen(wanted);
	if (!length)
		return false;
	if (!strncmp(name, wanted, length)) {
		suffix = name + length;
		if (!*suffix || catalog_is_number(suffix))
			return true;
		if (gpmu_pmu_kind(pmu) >= GPMU_PMU_SCF && is_instance(suffix))
			return true;
	}
	return strpbrk(wanted, "*?[") && !fnmatch(wanted, name, 0);
}

const struct gpmu_pmu *event_next_pmu(const struct gpmu_machine *machine, const char *wanted,
				      size_t *index)
{
	const struct gpmu_pmu *pmu = gpmu_machine_find_pmu(machine, wanted);

	/* An exact name means that PMU only: nvidia_scf_pmu_1 is not nvidia_scf_pmu_10. */
	if (pmu)
		return (*index)++ ? NULL : pmu;
	while ((pmu = gpmu_machine_pmu(machine, (*index)++)))
		if (event_pmu_is(pmu, wanted))
			return pmu;
	return NULL;
}

const struct gpmu_pmu *event_next_core(const struct gpmu_machine *machine, size_t *index)
{
	const struct gpmu_pmu *pmu;

	while ((pmu = gpmu_machine_pmu(machine, (*index)++)))
		if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
			return pmu;
	return NULL;
}

size_t event_count_cores(const struct gpmu_machine *machine)
{
	size_t n = 0;

	for (size_t i = 0; event_next_core(machine, &i); )
		n++;
	return n;
}

const struct gpmu_pmu *gpmu_core_pmu(const struct gpmu_machine *machine)
{
	size_t i = 0;
	const struct gpmu_pmu *core = event_next_core(machine, &i);

	return core && !event_next_core(machine, &i) ? core : NULL;
}

const struct gpmu_pmu *event_pmu_of_type(const struct gpmu_machine *machine, uint32_t type)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_type(pmu) == type)
			return pmu;
	return NULL;
}

/* Returns whether @wanted is @pmu with a number, such as "nvidia_scf_pmu_0" for "nvidia_scf_pmu". */
static bool names(const char *wanted, const char *pmu)
{
	size_t length = strlen(pmu);

	return !strncmp(wanted, pmu, length) &&
	       (!wanted[length] || catalog_is_number(wanted + length) || is_instance(wanted + length));
}

int event_fail_pmu(struct event_builder *builder, const char *name)
{
	const struct gpmu_event_def *event;
	const struct gpmu_pmu *pmu;
	struct nearest nearest;

	gpmu_nearest_init(&nearest, name);
	for (size_t i = 0; (pmu = gpmu_machine_pmu(builder->machine, i)); i++)
		gpmu_nearest_try(&nearest, gpmu_pmu_name(pmu));
	for (size_t i = 0; (event = event_def(builder, i)); i++) {
		if (!gpmu_event_def_pmu(event))
			continue;
		if (names(name, gpmu_event_def_pmu(event)))
			return event_fail(builder, name, ENODEV, "this machine has no PMU %.60s",
					  name);
		gpmu_nearest_try(&nearest, gpmu_event_def_pmu(event));
	}
	if (nearest.name)
		return event_fail(builder, name, ENOENT,
				  "there is no PMU or event %.60s, did you mean %.60s?", name,
				  nearest.name);
	return event_fail(builder, name, ENOENT, "there is no PMU or event %.60s", name);
}
