// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of libpfm4: "perf::" on all machines, and those of a core PMU. libpfm4 has only the PMUs
 * of the architecture it was built for, here not this machine's.
 */
#include "event-test.h"

static void perf_names(const struct fixture *superchip)
{
	is_event(superchip, "perf::CYCLES", "cycles = armv8_pmuv3_0 0 0 cycle_counter",
		 "the instance of a perf:: event has perf's own name");
	is_event(superchip, "perf::PERF_COUNT_HW_CPU_CYCLES:u",
		 "cycles:u = armv8_pmuv3_0 0 0 -k -h cycle_counter",
		 "a perf:: constant with modifiers is encoded");
	is_event(superchip, "perf::PERF_COUNT_SW_PAGE_FAULTS", "page-faults = software 1 0x2",
		 "a software event of libpfm4 is encoded");
	is_event(superchip, "perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS",
		 "L1-dcache-load-misses = armv8_pmuv3_0 3 0x10000",
		 "a cache event has perf's own name");
	is_event(superchip, "perf::PERF_COUNT_HW_CACHE_DTLB:WRITE:ACCESS:k",
		 "dTLB-stores:k = armv8_pmuv3_0 3 0x103 -u -h", "a TLB event has perf's own name");
	is_refused(superchip, "perf::NOTHING", ENOENT, 0,
		   "perf::NOTHING: libpfm4: event not found");
	is_refused(superchip, "perf::CYCLES:nothing", EINVAL, 0,
		   "perf::CYCLES:nothing: libpfm4: invalid event attribute");
	is_refused(superchip, "perf::CYCLES:period=100", EINVAL, 0,
		   "perf::CYCLES:period=100: libpfm4: invalid event attribute");
	is_refused(superchip, "no_such_pmu::EVENT", ENOENT, 0,
		   "no_such_pmu::EVENT: libpfm4: this architecture has no such PMU");
}

/* Raw codes that libpfm4 encodes on every machine */
static void raw(const struct fixture *superchip)
{
	struct fixture fixture;

	is_event(superchip, "perf_raw::r11",
		 "armv8_pmuv3_0/config=0x11/ = armv8_pmuv3_0 8 0x11 cycle_counter",
		 "a raw code belongs to the core PMU and has a name that perf accepts");
	is_event(superchip, "perf_raw::r1b:u",
		 "armv8_pmuv3_0/config=0x1b/u = armv8_pmuv3_0 8 0x1b -k -h", "a raw code can have modifiers");
	fixture_init(&fixture, "vm");
	is_refused(&fixture, "perf_raw::r11", ENODEV, 0,
		   "perf_raw::r11: this machine has no PMU of its cores");
	is_event(&fixture, "perf::CS", "context-switches = software 1 0x3",
		 "perf:: names work without a core PMU");
	fixture_release(&fixture);
}

/* LIBPFM_ENCODE_INACTIVE makes libpfm4 encode events of other machines. */
static void inactive(const struct fixture *laptop)
{
#if defined(__x86_64__)
	is_event(laptop, "snb::INST_RETIRED:ANY_P", "cpu/config=0xc0/ = cpu 4 0xc0",
		 "an event of libpfm4's core PMU is encoded");
	is_event(laptop, "snb::L1D:REPLACEMENT:c=2",
		 "cpu/config=0x2000151/ = cpu 4 0x2000151", "unit mask and counter mask are encoded");
	is_refused(laptop, "snb::L1D:NOTHING", EINVAL, 0,
		   "snb::L1D:NOTHING: libpfm4: invalid event attribute");
#elif defined(__aarch64__)
	is_event(laptop, "arm_ac57::INST_RETIRED", "cpu/config=0x8/ = cpu 4 0x8",
		 "an event of libpfm4's core PMU is encoded");
#else
	(void)laptop;
#endif
}

/* libpfm4 reads its environment once, so this runs in a child process. */
static void absent(const struct fixture *superchip)
{
#if defined(__x86_64__)
	static const char why[] =
		"netburst::UOPS_RETIRED: libpfm4: this machine does not have that PMU";
	struct gpmu_error error = { .size = sizeof(error) };
	int status = -1;
	pid_t pid;

	unsetenv("LIBPFM_ENCODE_INACTIVE");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(gpmu_event_new(superchip->machine, NULL, "netburst::UOPS_RETIRED", &error) ||
		      errno != ENODEV || strcmp(error.text, why));
	waitpid(pid, &status, 0);
	ok(!status, "event: libpfm4's PMU of another machine, a Pentium 4, is -ENODEV");
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
