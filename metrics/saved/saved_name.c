// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Normalises events' names as printed by perf. Depending on version and options,
 * nvidia_scf_pmu_0/cycles/ is printed as itself, with modifiers, as "cycles
 * [nvidia_scf_pmu_0]" (6.1), or as its label ("name="). A name without a PMU can be
 * printed with one: cpu/cycles/ (7.3).
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "saved/saved.h"

/* Prefixes of PMUs that perf adds to names without one */
static const char *const implied[] = {
	"cpu", "armv8_", "arm_v", "default_core", "software", "tool", "msr",
};

/* --- terms --- */

static bool is_number(struct saved_text value)
{
	return value.length && isdigit((unsigned char)*value.begin);
}

/* Writes "0x1A5" and "421" as "421", and any other value in lower case. */
static char *put_value(char *to, struct saved_text value)
{
	char text[32], *end;

	if (is_number(value) && value.length < sizeof(text)) {
		unsigned long long number;

		memcpy(text, value.begin, value.length);
		text[value.length] = '\0';
		number = strtoull(text, &end, 0);
		if (!*end)
			return to + sprintf(to, "%llu", number);
	}
	for (size_t i = 0; i < value.length; i++)
		*to++ = (char)tolower((unsigned char)value.begin[i]);
	return to;
}

/* Writes "event=cycles" as "cycles", and "edge=1" as "edge". */
static char *put_term(char *to, struct saved_text key, struct saved_text value)
{
	bool is_event = key.length == 5 && !strncasecmp(key.begin, "event", 5);
	char *end, *number;

	if (value.begin && is_event && !is_number(value))
		return put_value(to, value);
	end = put_value(to, key);
	if (!value.begin)
		return end;
	number = end + 1;
	*end = '=';
	to = put_value(number, value);
	return to == number + 1 && *number == '1' ? end : to;
}

static struct saved_text cut(struct saved_text *rest, char c)
{
	const char *end = memchr(rest->begin, c, rest->length);
	struct saved_text first = { rest->begin, end ? (size_t)(end - rest->begin) : rest->length };
	size_t taken = first.length + (end ? 1 : 0);

	rest->begin += taken;
	rest->length -= taken;
	return first;
}

static int put_terms(struct saved_name *name, struct saved_text terms)
{
	/* A number of n digits has at most 2n digits in another base. */
	char *to = malloc(2 * terms.length + 1);

	name->terms = to;
	if (!to)
		return -ENOMEM;
	while (terms.length) {
		struct saved_text value = cut(&terms, ','), key = cut(&value, '=');

		/* Treat "a=" as "a". */
		if (!value.length)
			value.begin = NULL;
		if (key.length == 4 && !memcmp(key.begin, "name", 4) && value.begin) {
			free(name->label);
			name->label = strndup(value.begin, value.length);
			if (!name->label)
				return -ENOMEM;
			continue;
		}
		if (!key.length)
			continue;
		if (to != name->terms)
			*to++ = ',';
		to = put_term(to, key, value);
	}
	*to = '\0';
	return 0;
}

/* --- names --- */

static int compare_chars(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static int put_modifiers(struct saved_name *name, struct saved_text modifiers)
{
	name->modifiers = strndup(modifiers.begin, modifiers.length);
	if (!name->modifiers)
		return -ENOMEM;
	qsort(name->modifiers, modifiers.length, 1, compare_chars);
	return 0;
}

static bool is_modifiers(struct saved_text text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!strchr("ukhGHIpPSDWebRX", text.begin[i]))
			return false;
	return text.length && text.length < 9;
}

/* Splits "cycles:u"; "sched:sched_switch" has no modifiers. */
static int split_plain(struct saved_name *name, struct saved_text text)
{
	const char *colon = memrchr(text.begin, ':', text.length);
	struct saved_text modifiers = { text.begin + text.length, 0 };

	if (colon) {
		struct saved_text behind = { colon + 1, (size_t)(text.begin + text.length - colon - 1) };

		if (is_modifiers(behind)) {
			modifiers = behind;
			text = (struct saved_text){ text.begin, (size_t)(colon - text.begin) };
		}
	}
	return put_modifiers(name, modifiers) ?: put_terms(name, text);
}

static int split(struct saved_name *name, struct saved_text text)
{
	const char *slash = memchr(text.begin, '/', text.length), *end, *bracket;
	struct saved_text modifiers;

	bracket = memmem(text.begin, text.length, " [", 2);
	if (bracket && text.begin[text.length - 1] == ']') {
		struct saved_text pmu = { bracket + 2, (size_t)(text.begin + text.length - bracket - 3) };

		name->pmu = strndup(pmu.begin, pmu.length);
		text.length = (size_t)(bracket - text.begin);
		return name->pmu ? split_plain(name, text) : -ENOMEM;
	}
	if (!slash || slash == text.begin)
		return split_plain(name, text);
	end = memrchr(text.begin, '/', text.length);
	if (end == slash)
		return split_plain(name, text);
	name->pmu = strndup(text.begin, (size_t)(slash - text.begin));
	if (!name->pmu)
		return -ENOMEM;
	modifiers = (struct saved_text){ end + 1, (size_t)(text.begin + text.length - end - 1) };
	if (modifiers.length && *modifiers.begin == ':') {
		modifiers.begin++;
		modifiers.length--;
	}
	return put_modifiers(name, modifiers) ?:
	       put_terms(name, (struct saved_text){ slash + 1, (size_t)(end - slash - 1) });
}

int saved_name_init(struct saved_name *name, const char *text, size_t length)
{
	*name = (struct saved_name){ .text = strndup(text, length) };
	/* strlen(): a NUL ends the name. */
	if (name->text && !split(name, (struct saved_text){ name->text, strlen(name->text) }))
		return 0;
	saved_name_release(name);
	return -ENOMEM;
}

void saved_name_release(struct saved_name *name)
{
	free(name->text);
	free(name->pmu);
	free(name->terms);
	free(name->modifiers);
	free(name->label);
	*name = (struct saved_name){ 0 };
}

/*
 * Events of Arm cores behind perf's generic names: armv8_pmuv3_perf_map and armv8_pmuv3_perf_cache_map
 * of Linux' drivers/perf/arm_pmuv3.c. branches are BR_RETIRED on cores without PC_WRITE_RETIRED, such as
 * Neoverse V2. All names are in lower case, as terms are.
 */
static const struct {
	const char *generic, *event;
} generics[] = {
	{ "cycles", "cpu_cycles" },
	{ "cpu-cycles", "cpu_cycles" },
	{ "instructions", "inst_retired" },
	{ "branches", "br_retired" },
	{ "branch-instructions", "br_retired" },
	{ "branch-misses", "br_mis_pred" },
	{ "branch-loads", "br_pred" },
	{ "branch-load-misses", "br_mis_pred" },
	{ "bus-cycles", "bus_cycles" },
	{ "cache-references", "l1d_cache" },
	{ "cache-misses", "l1d_cache_refill" },
	{ "stalled-cycles-frontend", "stall_frontend" },
	{ "idle-cycles-frontend", "stall_frontend" },
	{ "stalled-cycles-backend", "stall_backend" },
	{ "idle-cycles-backend", "stall_backend" },
	{ "l1-dcache-loads", "l1d_cache" },
	{ "l1-dcache-load-misses", "l1d_cache_refill" },
	{ "l1-icache-loads", "l1i_cache" },
	{ "l1-icache-load-misses", "l1i_cache_refill" },
	{ "dtlb-loads", "l1d_tlb" },
	{ "dtlb-load-misses", "l1d_tlb_refill" },
	{ "itlb-loads", "l1i_tlb" },
	{ "itlb-load-misses", "l1i_tlb_refill" },
	{ "llc-loads", "ll_cache_rd" },
	{ "llc-load-misses", "ll_cache_miss_rd" },
};

static bool is_generic_of(const char *generic, const char *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		if (!strcmp(generics[i].generic, generic) && !strcmp(generics[i].event, event))
			return true;
	return false;
}

static bool is_implied(const char *pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(implied); i++)
		if (!strncmp(pmu, implied[i], strlen(implied[i])))
			return true;
	return false;
}

bool saved_is_uncore(const struct gpmu_pmu *pmu)
{
	return pmu && gpmu_pmu_has_cpumask(pmu);
}

/* Returns whether the printed name is perf's generic name of the planned event, without a PMU or with that of the cores. */
static bool is_printed_generic(const struct saved_name *printed, const struct saved_name *planned,
			       const struct gpmu_pmu *pmu)
{
	return !saved_is_uncore(pmu) && is_generic_of(printed->terms, planned->terms) &&
	       (!printed->pmu || is_implied(printed->pmu));
}

enum {
	FITS_NOT,
	FITS_GENERIC_WITHOUT_MODIFIERS,
	FITS_GENERIC,
	FITS_WITHOUT_PMU,
	FITS_WITHOUT_MODIFIERS,
	FITS_TERMS,
	FITS_TEXT,
};

int saved_name_fits(const struct saved_name *printed, const struct saved_name *planned,
		    const struct gpmu_pmu *pmu)
{
	if (!strcmp(printed->text, planned->text) ||
	    (planned->label && !strcmp(printed->text, planned->label)))
		return FITS_TEXT;
	if (is_printed_generic(printed, planned, pmu))
		return strcmp(printed->modifiers, planned->modifiers) ? FITS_GENERIC_WITHOUT_MODIFIERS :
									FITS_GENERIC;
	if (strcmp(printed->terms, planned->terms))
		return FITS_NOT;
	if (printed->pmu && planned->pmu ? strcmp(printed->pmu, planned->pmu) != 0 :
					   printed->pmu != planned->pmu) {
		const char *pmu_name = printed->pmu ? printed->pmu : planned->pmu;

		/* "cycles" without a PMU is never an uncore event. */
		if ((printed->pmu && planned->pmu) || !is_implied(pmu_name) ||
		    saved_is_uncore(pmu))
			return FITS_NOT;
		return FITS_WITHOUT_PMU;
	}
	return strcmp(printed->modifiers, planned->modifiers) ? FITS_WITHOUT_MODIFIERS : FITS_TERMS;
}
