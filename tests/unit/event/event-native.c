// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of libpfm4: "perf::" everywhere, and of a core PMU. libpfm4 has the PMUs
 * of its own architecture alone, and here is not the one of this machine.
 */
#include "event-test.h"

static void perf_names(const struct fixture *superchip)
{
	is_event(superchip, "perf::CYCLES", "cycles = armv8_pmuv3_0 0 0 cycle_counter",
		 "an instance has perf's own name");
	is_event(superchip, "perf::PERF_COUNT_HW_CPU_CYCLES:u",
		 "cycles:u = armv8_pmuv3_0 0 0 -k -h cycle_counter",
		 "also of a constant, with a level");
	is_event(superchip, "perf::PERF_COUNT_SW_PAGE_FAULTS", "page-faults = software 1 0x2",
		 "what the kernel counts");
	is_event(superchip, "perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS",
		 "L1-dcache-load-misses = armv8_pmuv3_0 3 0x10000",
		 "a cache's, spelt as perf does");
	is_event(superchip, "perf::PERF_COUNT_HW_CACHE_DTLB:WRITE:ACCESS:k",
		 "dTLB-stores:k = armv8_pmuv3_0 3 0x103 -u -h", "a TLB's");
	is_refused(superchip, "perf::NOTHING", ENOENT, 0,
		   "perf::NOTHING: libpfm4: event not found");
	is_refused(superchip, "perf::CYCLES:nothing", EINVAL, 0,
		   "perf::CYCLES:nothing: libpfm4: invalid event attribute");
	is_refused(superchip, "perf::CYCLES:period=100", EINVAL, 0,
		   "perf::CYCLES:period=100: libpfm4: invalid event attribute");
	is_refused(superchip, "no_such_pmu::EVENT", ENOENT, 0,
		   "no_such_pmu::EVENT: libpfm4: no such PMU; it has those of this architecture");
}

/* Raw codes that libpfm4 makes on every machine */
static void raw(const struct fixture *superchip)
{
	struct fixture fixture;

	is_event(superchip, "perf_raw::r11",
		 "armv8_pmuv3_0/config=0x11/ = armv8_pmuv3_0 8 0x11 cycle_counter",
		 "a code is of the core PMU, and its instance one that perf takes");
	is_event(superchip, "perf_raw::r1b:u",
		 "armv8_pmuv3_0/config=0x1b/u = armv8_pmuv3_0 8 0x1b -k -h", "with a level");
	fixture_init(&fixture, "vm");
	is_refused(&fixture, "perf_raw::r11", ENODEV, 0,
		   "perf_raw::r11: this machine shows no PMU of its cores");
	is_event(&fixture, "perf::CS", "context-switches = software 1 0x3",
		 "perf's names are there");
	fixture_release(&fixture);
}

/* LIBPFM_ENCODE_INACTIVE lets libpfm4 use tables that are not of this machine */
static void inactive(const struct fixture *laptop)
{
#if defined(__x86_64__)
	is_event(laptop, "snb::INST_RETIRED:ANY_P", "cpu/config=0xc0/ = cpu 4 0xc0",
		 "an event of a core PMU");
	is_event(laptop, "snb::L1D:REPLACEMENT:c=2",
		 "cpu/config=0x2000151/ = cpu 4 0x2000151", "with umask and a counter mask");
	is_refused(laptop, "snb::L1D:NOTHING", EINVAL, 0,
		   "snb::L1D:NOTHING: libpfm4: invalid event attribute");
#elif defined(__aarch64__)
	is_event(laptop, "arm_ac57::INST_RETIRED", "cpu/config=0x8/ = cpu 4 0x8",
		 "an event of a core PMU");
#else
	(void)laptop;
#endif
}

/* libpfm4 looks at its variable once: in a process of its own */
static void absent(const struct fixture *superchip)
{
#if defined(__x86_64__)
	static const char why[] =
		"netburst::UOPS_RETIRED: libpfm4: that PMU is not of this machine";
	struct gpmu_error error = { .text = "" };
	int status = -1;
	pid_t pid;

	unsetenv("LIBPFM_ENCODE_INACTIVE");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(gpmu_event_new(superchip->machine, NULL, "netburst::UOPS_RETIRED", &error) ||
		      errno != ENODEV || strcmp(error.text, why));
	waitpid(pid, &status, 0);
	ok(!status, "a PMU that libpfm4 knows, of another machine, is ENODEV: a Pentium 4's");
#else
	(void)superchip;
#endif
}

int main(void)
{
	struct fixture fixture;

	fixture_init(&fixture, "superchip");
	absent(&fixture);
	fixture_release(&fixture);
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	fixture_init(&fixture, "superchip");
	perf_names(&fixture);
	raw(&fixture);
	fixture_release(&fixture);
	fixture_init(&fixture, "laptop");
	inactive(&fixture);
	fixture_release(&fixture);
	return done_testing();
}
