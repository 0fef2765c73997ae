// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of recordings that do not name them, as of a perf that was killed */
#include "perfdata-test.h"

static struct made file, records, pmus;

static const struct {
	uint32_t type;
	uint64_t config;
	const char *name, *with_pmus;
} events[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", NULL },
	{ PERF_TYPE_HARDWARE, 10, "hardware/config=0xa/", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock", NULL },
	{ PERF_TYPE_SOFTWARE, 11, "cgroup-switches", NULL },
	{ PERF_TYPE_TRACEPOINT, 301, "tracepoint/config=0x12d/", NULL },
	{ PERF_TYPE_RAW, 0x11, "raw/config=0x11/", NULL },
	{ 9, 0x200000003, "9/config=0x200000003/", "arm_spe_0/config=0x200000003/" },
	{ UINT32_MAX, UINT64_MAX, "4294967295/config=0xffffffffffffffff/", NULL },
};

#define COUNT	(sizeof(events) / sizeof(events[0]))

static void check(struct gpmu_perfdata *perfdata, bool has_pmus, const char *what)
{
	const struct gpmu_perfdata_event *event;
	const char *want;
	size_t wrong = 0;

	for (size_t i = 0; i < COUNT; i++) {
		event = perfdata ? gpmu_perfdata_event(perfdata, i) : NULL;
		want = has_pmus && events[i].with_pmus ? events[i].with_pmus : events[i].name;
		if (event && !strcmp(event->name, want))
			continue;
		diag("%s, expected %s", event ? event->name : "no event", want);
		wrong++;
	}
	ok(!wrong, "perfdata: events that %s does not name have names by their type and config", what);
}

static void put_pmus(struct made *made)
{
	put32(made, 2);
	put32(made, PERF_TYPE_SOFTWARE);
	put_string(made, "software");
	put32(made, 9);
	put_string(made, "arm_spe_0");
}

static void test_modifiers(void)
{
	static const struct {
		struct perf_event_attr attr;
		const char *name;
	} cases[] = {
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 2 }, "cycles:pp" },
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 3, .exclude_kernel = 1, .exclude_hv = 1 }, "cycles:uppp" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_user = 1, .exclude_hv = 1 }, "cycles:k" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_user = 1 }, "cycles:kh" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_guest = 1 }, "cycles" },
		{ { .type = PERF_TYPE_SOFTWARE, .precise_ip = 1 }, "cpu-clock:p" },
		{ { .type = PERF_TYPE_RAW, .config = 0x11, .precise_ip = 2 }, "raw/config=0x11/pp" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 301, .precise_ip = 2 }, "tracepoint/config=0x12d/" },
		{ { .type = 9, .config = 3, .exclude_kernel = 1 }, "9/config=0x3/" },
	};
	struct gpmu_error error = { .size = sizeof(error) };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_attr attr = cases[i].attr;
		struct gpmu_perfdata *perfdata;

		attr.size = MADE_ATTR;
		file.length = 0;
		make_file(&file, &attr, 1, &records, NULL, 0);
		perfdata = open_made(&file, file.length, &error);
		is_str(perfdata ? gpmu_perfdata_event(perfdata, 0)->name : error.text, cases[i].name,
		       "perfdata: an event that the file does not name has perf's modifiers in its name");
		gpmu_perfdata_free(perfdata);
	}
}

/* Attributes of Linux 6.18 have two members more than those of 6.1. */
static void test_configs(void)
{
	struct perf_event_attr attr = test_attr();
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	const struct gpmu_perfdata_event *event;
	struct gpmu_perfdata *perfdata;

	file.length = 0;
	put_pipe_header(&file);
	put_pipe_attr(&file, &attr, 1);
	begin(&file, GPMU_PERFDATA_HEADER_ATTR, 0);
	attr.size = MADE_ATTR + 16;
	put(&file, &attr, MADE_ATTR);
	put64(&file, 0x123);
	put64(&file, 0x456);
	put64(&file, 2);
	end(&file);
	perfdata = open_made(&file, file.length, &error);
	while (perfdata && gpmu_perfdata_next(perfdata, &record, &error) == 1)
		;
	event = perfdata ? gpmu_perfdata_event(perfdata, 0) : NULL;
	ok(event && !event->config3 && !event->config4, "perfdata: config3 and config4 are 0 if the attr lacks them");
	event = perfdata ? gpmu_perfdata_event(perfdata, 1) : NULL;
	ok(event && event->config3 == 0x123 && event->config4 == 0x456, "perfdata: an event has config3 and config4 of its attr");
	gpmu_perfdata_free(perfdata);
}

int main(void)
{
	struct perf_event_attr attrs[COUNT];
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata *perfdata;

	for (size_t i = 0; i < COUNT; i++) {
		attrs[i] = test_attr();
		attrs[i].type = events[i].type;
		attrs[i].config = events[i].config;
	}
	put_comm(&records, "app", 7, 100, 1);
	make_file(&file, attrs, COUNT, &records, NULL, 0);
	perfdata = open_made(&file, file.length, &error);
	check(perfdata, false, "a file without features");
	gpmu_perfdata_free(perfdata);

	put_pmus(&pmus);
	file.length = 0;
	make_file(&file, attrs, COUNT, &records, &(struct feature){ 16, &pmus }, 1);
	perfdata = open_made(&file, file.length, &error);
	check(perfdata, true, "a file with the names of PMUs");
	gpmu_perfdata_free(perfdata);

	/* PMU_MAPPINGS comes between the attributes. */
	file.length = 0;
	put_pipe_header(&file);
	for (size_t i = 0; i < COUNT; i++) {
		if (i == 4) {
			begin(&file, GPMU_PERFDATA_HEADER_FEATURE, 0);
			put64(&file, 16);
			put_pmus(&file);
			end(&file);
		}
		put_pipe_attr(&file, &attrs[i], i + 1);
	}
	perfdata = open_made(&file, file.length, &error);
	while (perfdata && gpmu_perfdata_next(perfdata, &record, &error) == 1)
		;
	check(perfdata, true, "a pipe");
	gpmu_perfdata_free(perfdata);
	test_modifiers();
	test_configs();
	return done_testing();
}
