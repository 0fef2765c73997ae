// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Answers what expressions ask about the machine: #NAME, has_event() and
 * strcmp_cpuid_str(), with the meanings of Linux 7.3's perf. A value that the machine does
 * not provide is unknown (NaN); there are no defaults.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/strings.h"
#include "machine/pmu.h"
#include "plan/plan_build.h"

#define CPU		"sys/devices/system/cpu/"
#define MAX_CPUINFO	(4u << 20)	/* bytes: 2 KiB for each of 2048 CPUs */

/* MIDR_EL1: the bits that identify the CPU, and below them variant and revision (r0p0) */
#define MIDR_VERSION	0x00f0000full
#define MIDR_VARIANT(m)		((m) >> 20 & 0xf)
#define MIDR_REVISION(m)	((m) & 0xf)

#define MAX_LITERALS	16

struct plan_facts {
	double values[MAX_LITERALS];	/* valid where asked[] is set */
	bool is_asked[MAX_LITERALS];
	bool is_out_of_memory;
};

struct literal {
	const char *name;
	double (*value)(const struct gpmu_plan *plan);
	const char *const *files;	/* in place of @value: count_first() has the value */
};

/* Notes that a query failed for lack of memory. */
static double no_memory(const struct gpmu_plan *plan)
{
	plan->facts->is_out_of_memory = true;
	return NAN;
}

/* --- topology --- */

/* Reads the first line of a CPU's topology/@name; false if there is none. */
static bool topology_line(const struct gpmu_plan *plan, int cpu, const char *name, char *line,
			  size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), CPU "cpu%d/topology/%s", cpu, name);
	return gpmu_machine_read(plan->machine, path, line, size) > 0;
}

/* Number of distinct values over all online CPUs; NaN if a CPU has none */
static double count_lines(const struct gpmu_plan *plan, const char *name)
{
	struct strings lines = { 0 };
	char line[4096];
	double count = NAN;
	const int *cpus;
	size_t i, n = gpmu_machine_online_cpus(plan->machine, &cpus);
	uint32_t number;

	for (i = 0; i < n && topology_line(plan, cpus[i], name, line, sizeof(line)); i++)
		if (strings_number(&lines, line, &number)) {
			no_memory(plan);
			break;
		}
	if (n && i == n)
		count = (double)lines.texts.n;
	strings_release(&lines);
	return count;
}

/* Tries several file names for one value; newer kernels' names come first. */
static double count_first(const struct gpmu_plan *plan, const char *const *names)
{
	double count = NAN;

	for (; *names && isnan(count); names++)
		count = count_lines(plan, *names);
	return count;
}

static const char *const core_files[] = { "core_cpus_list", "thread_siblings_list", NULL };
static const char *const die_files[] = { "die_cpus_list", NULL };
static const char *const package_files[] = { "package_cpus_list", "core_siblings_list", "physical_package_id", NULL };

/* Highest present CPU number plus 1 */
static double num_cpus(const struct gpmu_plan *plan)
{
	char list[1024];
	struct cpus cpus;
	double number = NAN;

	if (gpmu_machine_read(plan->machine, CPU "present", list, sizeof(list)) <= 0 ||
	    cpus_parse(&cpus, list))
		return NAN;
	if (cpus.len)
		number = cpus.ids[cpus.len - 1] + 1;
	cpus_release(&cpus);
	return number;
}

static double num_cpus_online(const struct gpmu_plan *plan)
{
	const int *cpus;
	size_t n = gpmu_machine_online_cpus(plan->machine, &cpus);

	return n ? (double)n : NAN;
}

static double smt_on(const struct gpmu_plan *plan)
{
	double cores, cpus;
	char line[16];

	if (gpmu_machine_read(plan->machine, CPU "smt/active", line, sizeof(line)) > 0)
		return !strcmp(line, "1");
	cores = count_first(plan, core_files);
	cpus = num_cpus_online(plan);
	return isnan(cores) || isnan(cpus) ? NAN : cores < cpus;
}

static double core_wide(const struct gpmu_plan *plan)
{
	return plan->options.system_wide != 0;
}

/* --- the core PMU, memory, clock --- */

static double slots(const struct gpmu_plan *plan)
{
	const struct gpmu_pmu *pmu;
	unsigned long number;
	const char *cap;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(plan->machine, i)); i++) {
		cap = gpmu_pmu_kind(pmu) == GPMU_PMU_CORE ? pmu_cap(pmu, "slots") : NULL;
		number = cap ? strtoul(cap, NULL, 0) : 0;
		if (number)
			return (double)number;
	}
	return NAN;
}

/* ACPI's NFIT table describes persistent memory. */
static double has_pmem(const struct gpmu_plan *plan)
{
	char byte[2];

	return gpmu_machine_read(plan->machine, "sys/firmware/acpi/tables/NFIT", byte,
				 sizeof(byte)) != -ENOENT;
}

/*
 * Parses "2.80GHz" into Hz, with "." as the decimal point in any locale; NaN for any other
 * text.
 */
static double parse_clock(const char *text)
{
	double number = 0, unit = 1e9;
	bool is_fraction = false;

	for (; (*text >= '0' && *text <= '9') || (*text == '.' && !is_fraction); text++) {
		if (*text == '.') {
			is_fraction = true;
			continue;
		}
		number = number * 10 + (*text - '0');
		if (is_fraction)
			unit /= 10;
	}
	return number > 0 && !strncmp(text, "GHz", 3) ? number * unit : NAN;
}

/* Frequency in Hz from the first CPU's "model name : ... @ 2.80GHz" */
static double system_tsc_freq(const struct gpmu_plan *plan)
{
	char *text = malloc(MAX_CPUINFO), *line, *at_sign;
	double hz = NAN;

	if (!text)
		return no_memory(plan);
	if (gpmu_machine_read(plan->machine, "proc/cpuinfo", text, MAX_CPUINFO) > 0 &&
	    (line = strstr(text, "model name"))) {
		line[strcspn(line, "\n")] = '\0';
		at_sign = strstr(line, " @ ");
		hz = at_sign ? parse_clock(at_sign + 3) : NAN;
	}
	free(text);
	return hz;
}

/* --- the functions of an expression's environment --- */

static const struct literal literals[] = {
	{ .name = "core_wide", .value = core_wide },
	{ .name = "has_pmem", .value = has_pmem },
	{ .name = "num_cores", .files = core_files },
	{ .name = "num_cpus", .value = num_cpus },
	{ .name = "num_cpus_online", .value = num_cpus_online },
	{ .name = "num_dies", .files = die_files },
	{ .name = "num_packages", .files = package_files },
	{ .name = "slots", .value = slots },
	{ .name = "smt_on", .value = smt_on },
	{ .name = "system_tsc_freq", .value = system_tsc_freq },
	{ .name = "target_cpu", .value = core_wide },
};

#define N_LITERALS	ARRAY_SIZE(literals)

_Static_assert(N_LITERALS <= MAX_LITERALS, "room for each");

static const struct literal *literals_find(const char *name)
{
	for (size_t i = 0; i < N_LITERALS; i++)
		if (!strcasecmp(literals[i].name, name))
			return &literals[i];
	return NULL;
}

double plan_literal(struct gpmu_plan *plan, const char *name)
{
	const struct literal *literal = literals_find(name);
	size_t i;

	if (!literal || !plan->facts)
		return NAN;
	i = (size_t)(literal - literals);
	if (!plan->facts->is_asked[i]) {
		plan->facts->values[i] = literal->files ? count_first(plan, literal->files) : literal->value(plan);
		plan->facts->is_asked[i] = !plan->facts->is_out_of_memory;
	}
	return plan->facts->values[i];
}

static double env_literal(const char *name, void *user)
{
	return plan_literal(user, name);
}

/* The name has "@" for a PMU's slashes. */
static int env_has_event(const char *name, void *user)
{
	struct gpmu_plan *plan = user;
	char *text = strdup(name), *first, *last;
	struct gpmu_event *event = NULL;

	errno = ENOMEM;
	if (text) {
		first = strchr(text, '@');
		last = strrchr(text, '@');
		if (first)
			*first = *last = '/';
		event = gpmu_event_new(plan->machine, plan->catalog, text, NULL);
	}
	plan->facts->is_out_of_memory |= !event && errno == ENOMEM;
	free(text);
	gpmu_event_free(event);
	return event != NULL;
}

/* Returns whether the machine's CPU is the given one, at that version or a later one. */
static int env_cpuid_matches(const char *pattern, void *user)
{
	const struct gpmu_plan *plan = user;
	uint64_t midr = gpmu_machine_midr(plan->machine);
	char *end;
	uint64_t wanted = strtoull(pattern, &end, 16);

	if (!midr)
		return -1;
	if (*end || (midr & ~MIDR_VERSION) != (wanted & ~MIDR_VERSION))
		return 0;
	if (MIDR_VARIANT(midr) != MIDR_VARIANT(wanted))
		return MIDR_VARIANT(midr) > MIDR_VARIANT(wanted);
	return MIDR_REVISION(midr) >= MIDR_REVISION(wanted);
}

int plan_env(struct gpmu_plan *plan, struct gpmu_expr_env *env)
{
	if (!plan->facts)
		plan->facts = calloc(1, sizeof(*plan->facts));
	if (!plan->facts)
		return -ENOMEM;
	*env = (struct gpmu_expr_env){
		.size = sizeof(*env), .literal = env_literal, .has_event = env_has_event,
		.cpuid_matches = env_cpuid_matches, .user = plan,
	};
	return 0;
}

bool plan_env_no_memory(struct gpmu_plan *plan)
{
	bool is_out_of_memory = plan->facts->is_out_of_memory;

	plan->facts->is_out_of_memory = false;
	return is_out_of_memory;
}

void plan_facts_free(struct plan_facts *facts)
{
	free(facts);
}
