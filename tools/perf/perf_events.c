// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "event/gpmu_core.h"
#include "message.h"
#include "perf/perf_events.h"

/* Events of core PMUs that perf also knows by a generic name */
static const struct {
	const char *generic;
	const char *event;
} generics[] = {
	{ "cycles", "cpu_cycles" }, { "cycles", "cpu-cycles" },
	{ "cpu-cycles", "cpu_cycles" },
};

static bool others_have(const struct gpmu_machine *machine, const char *name)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_kind(pmu) != GPMU_PMU_CORE && gpmu_pmu_event(pmu, name))
			return true;
	return false;
}

/* The event of the core PMU that @name means; NULL: it has none */
static const char *event_of(const struct gpmu_pmu *core, const char *name)
{
	if (gpmu_pmu_event(core, name))
		return name;
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		if (!strcmp(generics[i].generic, name) && gpmu_pmu_event(core, generics[i].event))
			return generics[i].event;
	return NULL;
}

/*
 * Writes the item of @length bytes, "cycles:u", as "armv8_pmuv3_0/cpu_cycles/u" if its name is
 * ambiguous, else unchanged. Returns whether it was changed.
 */
static bool put_item(FILE *file, const struct gpmu_machine *machine, const struct gpmu_pmu *core,
		     const char *item, size_t length)
{
	char *name = need_memory(strndup(item, length)), *modifiers = strchr(name, ':');
	const char *event = NULL;

	if (modifiers)
		*modifiers++ = '\0';
	/* A second colon, or a character that no modifier is, belongs to another kind of event. */
	if (!modifiers || !modifiers[strspn(modifiers, "ukhGHIpPSDWerbR")])
		event = others_have(machine, name) ? event_of(core, name) : NULL;
	if (event)
		fprintf(file, "%s/%s/%s", gpmu_pmu_name(core), event, modifiers ? modifiers : "");
	else
		fprintf(file, "%.*s", (int)length, item);
	free(name);
	return event != NULL;
}

/* An item ends at a comma, a brace or a blank outside slashes. */
static size_t item_length(const char *item)
{
	bool is_inside = false;
	size_t i;

	for (i = 0; item[i] && (is_inside || !strchr(",{} \t\n", item[i])); i++)
		is_inside ^= item[i] == '/';
	return i;
}

char *perf_events_on_cores(const struct gpmu_machine *machine, const char *list)
{
	const struct gpmu_pmu *core = gpmu_core_pmu(machine);
	bool is_changed = false;
	char *text = NULL;
	size_t size;
	FILE *file;

	if (!core)
		return NULL;
	file = need_memory(open_memstream(&text, &size));
	while (*list) {
		size_t length = item_length(list);

		if (length)
			is_changed |= put_item(file, machine, core, list, length);
		else
			putc(*list, file);
		list += length ? length : 1;
	}
	if (fclose(file))
		die_no_memory();
	if (is_changed)
		return text;
	free(text);
	return NULL;
}
