// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <string.h>

#include "base/array.h"
#include "machine/pmu.h"

/*
 * Names of a Grace's PMUs are NAME_N, and NAME_N_inst_M if a socket has several PMUs of
 * that name: Documentation/admin-guide/perf/nvidia-tegra241-pmu.rst of Linux,
 * kernel-drivers/grace-cspmu.rst. nvidia_pcie_pmu_N_rc_M is a name of the successor chip.
 */
static const struct {
	const char *name;
	enum gpmu_pmu_kind kind;
} grace[] = {
	{ "nvidia_scf_pmu", GPMU_PMU_SCF },
	{ "nvidia_pcie_pmu", GPMU_PMU_PCIE },
	{ "nvidia_nvlink_c2c0_pmu", GPMU_PMU_C2C0 },
	{ "nvidia_nvlink_c2c1_pmu", GPMU_PMU_C2C1 },
	{ "nvidia_cnvlink_pmu", GPMU_PMU_CNVLINK },
};

/*
 * Reads the number after a prefix. Returns the text after the number, or NULL if there are no
 * digits or too many.
 */
static const char *parse_suffix(const char *text, const char *prefix, int *number)
{
	size_t len = strlen(prefix);
	int n = 0;

	if (strncmp(text, prefix, len))
		return NULL;
	text += len;
	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *text - '0', &n))
			return NULL;
	*number = n;
	return text;
}

static bool parse_grace(const char *suffix, int *number)
{
	const char *rest = parse_suffix(suffix, "_", number);
	int instance;

	if (rest && *rest)
		rest = parse_suffix(rest, "_inst_", &instance);
	return rest && !*rest;
}

enum gpmu_pmu_kind pmu_name_parse(const char *name, int *number)
{
	const char *last, *rest;
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(grace); i++) {
		len = strlen(grace[i].name);
		if (!strncmp(name, grace[i].name, len) && parse_grace(name + len, number))
			return grace[i].kind;
	}
	last = strrchr(name, '_');
	rest = last ? parse_suffix(last, "_", number) : NULL;
	if (!rest || *rest)
		*number = -1;
	return GPMU_PMU_OTHER;
}
