// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checks whether a machine has the CPU and the PMU of a metric or an event. */
#include <errno.h>
#include <regex.h>
#include <string.h>

#include "base/array.h"
#include "catalog/catalog.h"

/* MIDR_EL1 without variant and revision: implementer, architecture and part */
#define MIDR_MASK	0xff0ffff0u

#define MAX_PATTERN	64

/*
 * CPUs by their folder in pmu-events/arch. perf's arch/arm64/mapfile.csv gives this folder to
 * Neoverse N2 too, but the built-in metrics assume the slots per cycle of Neoverse V2.
 */
static const struct {
	const char *folder;
	uint32_t midr;
} cpus[] = {
	{ "arm64/arm/neoverse-n2-v2", 0x410fd4f0 },	/* Neoverse V2, Grace's */
};

static bool has_cpu(const struct gpmu_machine *machine, const char *folder)
{
	uint64_t midr = gpmu_machine_midr(machine) & MIDR_MASK;

	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		if (cpus[i].midr == midr && !strcmp(cpus[i].folder, folder))
			return true;
	return false;
}

static bool has_core_pmu(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
			return true;
	return false;
}

bool catalog_is_number(const char *text)
{
	size_t digits, decimal;

	text += *text == '_';
	digits = strspn(text, "0123456789abcdefABCDEF");
	decimal = strspn(text, "0123456789");
	return digits && !text[digits] && (digits == decimal || digits > 2);
}

const char *catalog_without_uncore(const char *name)
{
	static const char prefix[] = CATALOG_UNCORE;

	return strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
}

bool catalog_is_pmu(const char *name, const char *wanted)
{
	size_t length;

	name = catalog_without_uncore(name);
	wanted = catalog_without_uncore(wanted);
	if (!strchr(wanted, ',')) {
		length = strlen(wanted);
		if (strncmp(name, wanted, length))
			return false;
		return !name[length] || catalog_is_number(name + length);
	}
	for (;; wanted++) {
		length = strcspn(wanted, ",");
		if (strncmp(name, wanted, length))
			return false;
		name += length;
		name += strspn(name, "0123456789");
		name += *name == '_';
		wanted += length;
		if (!*wanted)
			return !*name;
	}
}

/*
 * Returns whether the identifier is @compat or, as since perf 6.12, all of it matches @compat as an
 * extended regular expression. "{", "+" and "\" are no such expression, as glibc's regcomp()
 * can need unbounded time and memory for "{" and nested "+", and regexec() for "\1".
 * Returns 1, 0 or -ENOMEM.
 */
static int matches(const char *compat, const char *identifier)
{
	size_t length = strlen(identifier);
	regmatch_t match;
	regex_t pattern;
	int ret;

	if (!strcmp(compat, identifier))
		return 1;
	if (strlen(compat) > MAX_PATTERN || strpbrk(compat, "+{\\") || !strpbrk(compat, ".*|([?"))
		return 0;
	ret = regcomp(&pattern, compat, REG_EXTENDED);
	if (ret)
		return ret == REG_ESPACE ? -ENOMEM : 0;
	ret = regexec(&pattern, identifier, 1, &match, 0);
	regfree(&pattern);
	if (ret)
		return ret == REG_ESPACE ? -ENOMEM : 0;
	return !match.rm_so && (size_t)match.rm_eo == length;
}

static int has_pmu(const struct gpmu_machine *machine, const char *name, const char *compat)
{
	const struct gpmu_pmu *pmu;
	const char *identifier;
	int ret;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++) {
		if (!catalog_is_pmu(gpmu_pmu_name(pmu), name))
			continue;
		if (!compat)
			return 1;
		identifier = gpmu_pmu_identifier(pmu);
		ret = identifier ? matches(compat, identifier) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

int catalog_supported(const struct catalog_entry *entry, const struct gpmu_machine *machine)
{
	if (entry->file->cpu && !has_cpu(machine, entry->file->cpu))
		return 0;
	if (!entry->pmu)
		return has_core_pmu(machine);
	return has_pmu(machine, entry->pmu, entry->compat);
}

int gpmu_event_def_supported(const struct gpmu_event_def *event,
			     const struct gpmu_machine *machine)
{
	return catalog_supported(&event->entry, machine);
}
