// SPDX-License-Identifier: LGPL-2.1-or-later
/* The plugin of libtraceevent prints records of the driver's tracepoints. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "tap.h"

/* The kernel's format; tests/vm/t/tracepoints.t compares the fields */
#define FORMAT(name, id) \
	"name: " name "\nID: " #id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:char pmu[32];\toffset:8;\tsize:32;\tsigned:0;\n" \
	"\tfield:u64 event;\toffset:40;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 raw;\toffset:48;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 count;\toffset:56;\tsize:8;\tsigned:0;\n" \
	"\tfield:u32 filter;\toffset:64;\tsize:4;\tsigned:0;\n" \
	"\tfield:int counter;\toffset:68;\tsize:4;\tsigned:1;\n\n" \
	"print fmt: \"pmu=%s counter=%d event=0x%llx filter=0x%x raw=0x%llx count=%llu\", REC->pmu, " \
	"REC->counter, REC->event, REC->filter, REC->raw, REC->count\n"

static const char *const formats[] = {
	FORMAT("counter_start", 101), FORMAT("counter_read", 102), FORMAT("counter_overflow", 103),
	FORMAT("counter_stop", 104),
};

struct raw_record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t common_pid;
	char pmu[32];
	uint64_t event, raw, count;
	uint32_t filter;
	int32_t counter;
};

/* Returns the text of a record by libtraceevent, valid until the next call. */
static const char *text(struct tep_handle *tep, struct raw_record made)
{
	struct tep_record record = { .size = sizeof(made), .record_size = sizeof(made), .data = &made };
	static char line[512];
	struct trace_seq s;

	made.type = made.type ? made.type : 102;
	trace_seq_init(&s);
	tep_print_event(tep, &s, &record, "%s: %s", TEP_PRINT_NAME, TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	snprintf(line, sizeof(line), "%s", s.buffer);
	trace_seq_destroy(&s);
	return line;
}

static struct tep_handle *handle(void)
{
	struct tep_handle *tep = tep_alloc();

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (tep_parse_event(tep, formats[i], strlen(formats[i]), "grace_cspmu"))
			printf("Bail out! format %zu\n", i);
	}
	return tep;
}

static void test_names(struct tep_handle *tep)
{
	is_str(text(tep, (struct raw_record){ .pmu = "nvidia_scf_pmu_0", .event = 0x1a5, .raw = 0x80000009, .count = 10 }),
	       "counter_read: nvidia_scf_pmu_0/cmem_rd_data/ counter=0 raw=0x80000009 count=10",
	       "traceevent: a record has the PMU and the name of the event");
	is_str(text(tep, (struct raw_record){ .pmu = "nvidia_scf_pmu_1", .event = 0x100000000, .counter = 31 }),
	       "counter_read: nvidia_scf_pmu_1/cycles/ counter=31 raw=0x0 count=0",
	       "traceevent: the cycle counter has the name cycles");
	is_str(text(tep, (struct raw_record){ .pmu = "nvidia_pcie_pmu_1", .event = 0x1a5, .filter = 0x3ff }),
	       "counter_read: nvidia_pcie_pmu_1/event=0x1a5/ counter=0 raw=0x0 count=0",
	       "traceevent: the name of an event of another PMU is not used");
}

static void test_filters(struct tep_handle *tep)
{
	struct raw_record made = { .pmu = "nvidia_pcie_pmu_0", .event = 0x100000000, .filter = 0x101 };

	is_str(text(tep, made), "counter_read: nvidia_pcie_pmu_0/cycles,root_port=0x101/ counter=0 raw=0x0 count=0",
	       "traceevent: a filter is printed as a term of the event");
	made.filter = 0x3ff;
	is_str(text(tep, made), "counter_read: nvidia_pcie_pmu_0/cycles/ counter=0 raw=0x0 count=0",
	       "traceevent: a filter that selects all traffic is not printed");
	strcpy(made.pmu, "nvidia_nvlink_c2c1_pmu_0");
	made.filter = 1;
	is_str(text(tep, made), "counter_read: nvidia_nvlink_c2c1_pmu_0/cycles,port=0x1/ counter=0 raw=0x0 count=0",
	       "traceevent: the filter of NVLink-C2C is port");
	strcpy(made.pmu, "nvidia_cnvlink_pmu_0");
	is_str(text(tep, made), "counter_read: nvidia_cnvlink_pmu_0/cycles,rem_socket=0x1/ counter=0 raw=0x0 count=0",
	       "traceevent: the filter of CNVLink is rem_socket");
}

int main(void)
{
	struct raw_record plain = { .pmu = "nvidia_scf_pmu_0", .event = 0x1a5, .raw = 1, .count = 2 };
	static const char *const points[] = { "counter_start", "counter_read", "counter_overflow", "counter_stop" };
	struct tep_plugin_list *plugins;
	struct tep_handle *tep = handle();
	char want[128], what[128];

	setenv("TRACEEVENT_PLUGIN_DIR", PLUGIN_DIR, 1);
	setenv("HOME", "/nonexistent", 1);
	is_str(text(tep, plain), "counter_read: pmu=nvidia_scf_pmu_0 counter=0 event=0x1a5 filter=0x0 raw=0x1 count=2",
	       "traceevent: without the plugin a record has the number of the event");
	plugins = tep_load_plugins(tep);
	ok(plugins != NULL, "traceevent: TRACEEVENT_PLUGIN_DIR selects the folder of the plugin");
	for (uint16_t i = 0; i < 4; i++) {
		plain.type = 101 + i;
		snprintf(want, sizeof(want), "%s: nvidia_scf_pmu_0/cmem_rd_data/ counter=0 raw=0x1 count=2", points[i]);
		snprintf(what, sizeof(what), "traceevent: the plugin prints %s", points[i]);
		is_str(text(tep, plain), want, what);
	}
	test_names(tep);
	test_filters(tep);
	/* The handlers of an unloaded plugin are not called */
	tep_unload_plugins(plugins, tep);
	plain.type = 102;
	is_str(text(tep, plain), "counter_read: pmu=nvidia_scf_pmu_0 counter=0 event=0x1a5 filter=0x0 raw=0x1 count=2",
	       "traceevent: an unloaded plugin prints nothing");
	tep_free(tep);
	return done_testing();
}
