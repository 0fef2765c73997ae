// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A plugin of libtraceevent: prints the tracepoints of the driver grace_cspmu with the
 * names of the events, as perf writes them. The records have numbers of events. The names
 * are in sysfs of the recorded machine only, and a recording may be read on another machine.
 */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include <traceevent/event-parse.h>

#define SYSTEM	"grace_cspmu"

struct name {
	const char *pmu;	/* without its number */
	uint64_t event;
	const char *name;
};

static const struct name names[] = {
#include "events.h"
};

/* The filter of each PMU that has one; a filter with all bits selects all traffic. */
static const struct {
	const char *pmu;
	const char *name;
	uint32_t all;
} filters[] = {
	{ "nvidia_pcie_pmu", "root_port", 0x3ff },
	{ "nvidia_nvlink_c2c0_pmu", "port", 0x3 },
	{ "nvidia_nvlink_c2c1_pmu", "port", 0x3 },
	{ "nvidia_cnvlink_pmu", "rem_socket", 0xf },
};

static const char *const tracepoints[] = { "counter_start", "counter_read", "counter_overflow", "counter_stop" };

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Returns whether a PMU such as nvidia_scf_pmu_0 is a @kind, such as nvidia_scf_pmu. */
static int is_kind(const char *pmu, const char *kind)
{
	size_t length = strlen(kind);

	return !strncmp(pmu, kind, length) && pmu[length] == '_';
}

static void print_event(struct trace_seq *s, const char *pmu, uint64_t number, uint32_t filter)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		if (names[i].event == number && is_kind(pmu, names[i].pmu)) {
			trace_seq_printf(s, "%s/%s", pmu, names[i].name);
			goto named;
		}
	}
	trace_seq_printf(s, "%s/event=0x%" PRIx64, pmu, number);
named:
	for (size_t i = 0; i < COUNT(filters); i++) {
		if (is_kind(pmu, filters[i].pmu) && filter != filters[i].all)
			trace_seq_printf(s, ",%s=0x%x", filters[i].name, filter);
	}
	trace_seq_putc(s, '/');
}

/* Returns 0, or -1 for a record that this plugin does not know; libtraceevent then uses its format. */
static int print_record(struct trace_seq *s, struct tep_record *record, struct tep_event *event, void *context)
{
	unsigned long long number, filter, raw, count, counter;
	int length = 0;
	const char *pmu = tep_get_field_raw(s, event, "pmu", record, &length, 0);

	(void)context;
	if (!pmu || length <= 0 || !memchr(pmu, '\0', (size_t)length) ||
	    tep_get_field_val(s, event, "event", record, &number, 0) ||
	    tep_get_field_val(s, event, "filter", record, &filter, 0) ||
	    tep_get_field_val(s, event, "raw", record, &raw, 0) ||
	    tep_get_field_val(s, event, "count", record, &count, 0) ||
	    tep_get_field_val(s, event, "counter", record, &counter, 0))
		return -1;
	print_event(s, pmu, number, (uint32_t)filter);
	trace_seq_printf(s, " counter=%llu raw=0x%llx count=%llu", counter, raw, count);
	return 0;
}

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	for (size_t i = 0; i < COUNT(tracepoints); i++)
		tep_register_event_handler(tep, -1, SYSTEM, tracepoints[i], print_record, NULL);
	return 0;
}

void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	for (size_t i = 0; i < COUNT(tracepoints); i++)
		tep_unregister_event_handler(tep, -1, SYSTEM, tracepoints[i], print_record, NULL);
}
