// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events without a PMU: of the cores, of the kernel, of other PMUs, raw codes, and libgpmu's own */
#include "event/event_build.h"
#include "event-test.h"

#define PMUS	"sys/bus/event_source/devices/"

static void software(void)
{
	const struct gpmu_event_def *event;
	struct fixture vm;
	uint64_t config, software = 0;
	uint32_t type;

	fixture_init(&vm, "vm");
	is_event(&vm, "page-faults", "page-faults = software 1 0x2", "a software event is encoded");
	fixture_release(&vm);
	fixture_init(&vm, "superchip");
	is_event(&vm, "page-faults", "page-faults = software 1 0x2",
		 "a software event is encoded beside a core PMU");
	for (size_t i = 0; (event = gpmu_catalog_event(vm.catalog, i)); i++)
		if (!gpmu_event_def_pmu(event) &&
		    event_find_generic(gpmu_event_def_name(event), &type, &config))
			software += type == PERF_TYPE_SOFTWARE;
	is_u64(software, 0, "event: the catalog has no core event with a software event's name");
	fixture_release(&vm);
}

static void grace(const struct fixture *superchip)
{
	is_event(superchip, "inst_retired", "inst_retired = armv8_pmuv3_0 8 0x8",
		 "an event of the core PMU is encoded");
	is_event(superchip, "CPU_CYCLES", "CPU_CYCLES = armv8_pmuv3_0 8 0x11 cycle_counter",
		 "names match in any case, and CPU_CYCLES takes the cycle counter");
	is_event(superchip, "cycles", "cycles = armv8_pmuv3_0 0 0 cycle_counter",
		 "perf's generic name is a core event, though all other PMUs have one");
	is_event(superchip, "instructions", "instructions = armv8_pmuv3_0 0 0x1",
		 "perf's generic name is encoded");
	is_event(superchip, "bus-cycles", "bus-cycles = armv8_pmuv3_0 0 0x6",
		 "perf's bus-cycles is not the SCF's bus_cycles");
	is_event(superchip, "bus_cycles", "bus_cycles = armv8_pmuv3_0 8 0x1d",
		 "the core's bus_cycles is not the SCF's");
	is_event(superchip, "nvidia_scf_pmu/bus_cycles/",
		 "nvidia_scf_pmu_0/bus_cycles/ = nvidia_scf_pmu_0 12 0x1d; "
		 "nvidia_scf_pmu_1/bus_cycles/ = nvidia_scf_pmu_1 17 0x1d",
		 "the SCF's bus_cycles is selected by its PMU");
	is_event(superchip, "ld_spec", "ld_spec = armv8_pmuv3_0 8 0x70",
		 "a core event without a name in sysfs is encoded");
	is_event(superchip, "scf_cache",
		 "nvidia_scf_pmu_0/scf_cache/ = nvidia_scf_pmu_0 12 0xf2; "
		 "nvidia_scf_pmu_1/scf_cache/ = nvidia_scf_pmu_1 17 0xf2",
		 "an event of other PMUs is opened on all PMUs that have it");
	is_event(superchip, "scf_cache/name=x/",
		 "nvidia_scf_pmu_0/scf_cache,name=x/ = nvidia_scf_pmu_0 12 0xf2; "
		 "nvidia_scf_pmu_1/scf_cache,name=x/ = nvidia_scf_pmu_1 17 0xf2",
		 "an event of other PMUs can have terms");
	is_event(superchip, "rd_bytes_loc/root_port=0x3/e",
		 "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/e = "
		 "nvidia_pcie_pmu_0 13 0 config1=0x3 exclusive; "
		 "nvidia_pcie_pmu_1/rd_bytes_loc,root_port=0x3/e = "
		 "nvidia_pcie_pmu_1 18 0 config1=0x3 exclusive",
		 "PMUs without the format of a term are left out");
	is_event(superchip, "r11", "r11 = armv8_pmuv3_0 8 0x11 cycle_counter",
		 "a raw code is encoded for the core PMU");
	is_event(superchip, "r0x1B:u", "r0x1B:u = armv8_pmuv3_0 8 0x1b -k -h",
		 "a raw code can start with 0x");
	is_event(superchip, "default_core/cpu_cycles/",
		 "cpu_cycles = armv8_pmuv3_0 8 0x11 cycle_counter",
		 "default_core is perf's name for all core PMUs");
	is_event(superchip, "cycles/name=x,config1=0x2/u",
		 "cycles/name=x,config1=0x2/u = armv8_pmuv3_0 0 0 config1=0x2 -k -h cycle_counter",
		 "perf's generic name can have terms");
	is_refused(superchip, "rd_bytes_loc/umask=1/", ENOENT, 13,
		   "umask: nvidia_cnvlink_pmu_0 has no such format; its formats are event, rem_socket");
	is_refused(superchip, "cycles/umask=1/", ENOENT, 7, "umask: cycles has no such format");
	is_refused(superchip, "cycels", ENOENT, 0,
		   "there is no event cycels, did you mean cycles?");
	is_refused(superchip, "inst_retird:u", ENOENT, 0,
		   "there is no event inst_retird, did you mean inst_retired?");
	is_refused(superchip, "cmem_read_data", ENOENT, 0,
		   "there is no event cmem_read_data, did you mean cmem_rd_data?");
	is_refused(superchip, "context-switchs", ENOENT, 0,
		   "there is no event context-switchs, did you mean context-switches?");
	is_refused(superchip, "qwertyuiop", ENOENT, 0, "there is no event qwertyuiop");
	is_refused(superchip, "nvidia_scf_pmu", EINVAL, 0,
		   "nvidia_scf_pmu is a PMU: expected nvidia_scf_pmu/event/");
	is_refused(superchip, "r12345678123456789", ENOENT, 0,
		   "there is no event r12345678123456789");
}

static void own(const struct fixture *superchip)
{
	struct gpmu_event *event = gpmu_event_new(superchip->machine, NULL, "duration_time", NULL);

	is_event(superchip, "duration_time", "duration_time = tool 1",
		 "duration_time is libgpmu's own event");
	is_event(superchip, "user_time", "user_time = tool 2", "user_time is libgpmu's own event");
	is_event(superchip, "tool/system_time/", "system_time = tool 3",
		 "tool/ names libgpmu's own events, as in perf 6.14");
	ok(event && !gpmu_event_instance_attr(event, 0) && !gpmu_event_instance_pmu(event, 0) &&
	   event->length == 1, "event: duration_time has no perf_event_attr and no PMU");
	gpmu_event_free(event);
	is_refused(superchip, "duration_time:u", EINVAL, 0,
		   "duration_time takes no terms and no modifiers");
	is_refused(superchip, "tool/cycles/", ENOENT, 0, "there is no PMU or event tool");
}

/* perf's generic names; the numbers are those of linux/perf_event.h */
static void generic(const struct fixture *superchip)
{
	static const struct {
		const char *name, *want;
	} names[] = {
		{ "cpu-cycles", "armv8_pmuv3_0 0 0 cycle_counter" },
		{ "cache-references", "armv8_pmuv3_0 0 0x2" },
		{ "cache-misses", "armv8_pmuv3_0 0 0x3" },
		{ "branches", "armv8_pmuv3_0 0 0x4" },
		{ "branch-instructions", "armv8_pmuv3_0 0 0x4" },
		{ "branch-misses", "armv8_pmuv3_0 0 0x5" },
		{ "stalled-cycles-frontend", "armv8_pmuv3_0 0 0x7" },
		{ "idle-cycles-frontend", "armv8_pmuv3_0 0 0x7" },
		{ "stalled-cycles-backend", "armv8_pmuv3_0 0 0x8" },
		{ "ref-cycles", "armv8_pmuv3_0 0 0x9" },
		{ "cpu-clock", "software 1 0" },
		{ "task-clock", "software 1 0x1" },
		{ "page-faults", "software 1 0x2" },
		{ "faults", "software 1 0x2" },
		{ "context-switches", "software 1 0x3" },
		{ "cs", "software 1 0x3" },
		{ "cpu-migrations", "software 1 0x4" },
		{ "migrations", "software 1 0x4" },
		{ "minor-faults", "software 1 0x5" },
		{ "major-faults", "software 1 0x6" },
		{ "alignment-faults", "software 1 0x7" },
		{ "emulation-faults", "software 1 0x8" },
		{ "dummy", "software 1 0x9" },
		{ "bpf-output", "software 1 0xa" },
		{ "cgroup-switches", "software 1 0xb" },
		{ "L1-dcache-loads", "armv8_pmuv3_0 3 0" },
		{ "L1-dcache-load-misses", "armv8_pmuv3_0 3 0x10000" },
		{ "L1-dcache-stores", "armv8_pmuv3_0 3 0x100" },
		{ "L1-dcache-prefetch-misses", "armv8_pmuv3_0 3 0x10200" },
		{ "L1-icache-load-misses", "armv8_pmuv3_0 3 0x10001" },
		{ "LLC-loads", "armv8_pmuv3_0 3 0x2" },
		{ "LLC-store-misses", "armv8_pmuv3_0 3 0x10102" },
		{ "dTLB-load-misses", "armv8_pmuv3_0 3 0x10003" },
		{ "iTLB-load-misses", "armv8_pmuv3_0 3 0x10004" },
		{ "branch-load-misses", "armv8_pmuv3_0 3 0x10005" },
		{ "node-loads", "armv8_pmuv3_0 3 0x6" },
		/* spellings that "perf list" does not show */
		{ "l1d", "armv8_pmuv3_0 3 0" },
		{ "l1-d-read-miss", "armv8_pmuv3_0 3 0x10000" },
		{ "L1-data-write-ops", "armv8_pmuv3_0 3 0x100" },
		{ "l1i-misses", "armv8_pmuv3_0 3 0x10001" },
		{ "L2-prefetches-access", "armv8_pmuv3_0 3 0x202" },
		{ "LLC-misses-store", "armv8_pmuv3_0 3 0x10102" },
		{ "Data-TLB-speculative-load-refs", "armv8_pmuv3_0 3 0x203" },
		{ "btb-loads", "armv8_pmuv3_0 3 0x5" },
	};
	char want[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(want, sizeof(want), "%s = %s", names[i].name, names[i].want);
		is_event(superchip, names[i].name, want, "the generic name is encoded as in perf");
	}
	is_refused(superchip, "L1-dcache-", ENOENT, 0,
		   "there is no event L1-dcache-, did you mean l1d_cache?");
	is_refused(superchip, "LLC-loads-stores", ENOENT, 0,
		   "there is no event LLC-loads-stores, did you mean LLC-load-misses?");
	is_refused(superchip, "iTLB-stores", ENOENT, 0,
		   "there is no event iTLB-stores, did you mean dTLB-stores?");
}

static void modifiers(const struct fixture *superchip)
{
	static const struct {
		const char *text, *want, *what;
	} good[] = {
		{ "cpu_cycles:k", " -u -h", "modifier k selects the kernel" },
		{ "cpu_cycles:h", " -u -k", "modifier h selects the hypervisor" },
		{ "cpu_cycles:uk", " -h", "two levels exclude the third" },
		{ "cpu_cycles:ukh", "", "all three levels exclude nothing" },
		{ "cpu_cycles:G", " -H", "modifier G selects guests" },
		{ "cpu_cycles:H", " -G", "modifier H selects the host" },
		{ "cpu_cycles:GH", "", "modifiers GH exclude nothing" },
		{ "cpu_cycles:uH", " -k -h -G", "modifiers uH select the host's user space" },
		{ "cpu_cycles:I", " -I", "modifier I excludes the idle task" },
		{ "cpu_cycles:p", " precise=1", "modifier p sets precise_ip to 1" },
		{ "cpu_cycles:uppp", " -k -h precise=3", "modifier ppp sets precise_ip to 3" },
		{ "cpu_cycles:D", " pinned", "modifier D pins the event" },
		{ "cpu_cycles:e", " exclusive", "modifier e makes the event exclusive" },
		{ "cpu_cycles:X", "", "modifier X has no effect" },
	};
	char want[128];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(want, sizeof(want), "%s = armv8_pmuv3_0 8 0x11%s cycle_counter",
			 good[i].text, good[i].want);
		is_event(superchip, good[i].text, want, good[i].what);
	}
	is_event(superchip, "cpu_cycles:W",
		 "cpu_cycles:W = armv8_pmuv3_0 8 0x11 cycle_counter weak",
		 "modifier W makes the group weak");
	is_event(superchip, "cs:u", "cs:u = software 1 0x3 -k -h",
		 "a software event can have modifiers");
	is_event(superchip, "armv8_pmuv3_0/event=0x11/kp",
		 "armv8_pmuv3_0/event=0x11/kp = armv8_pmuv3_0 8 0x11 -u -h precise=1 cycle_counter",
		 "modifiers can follow the terms");
	is_event(superchip, "nvidia_scf_pmu_0/cycles/eDWukh",
		 "nvidia_scf_pmu_0/cycles/eDWukh = nvidia_scf_pmu_0 12 0x100000000 pinned "
		 "exclusive "
		 "cycle_counter weak",
		 "an uncore event accepts modifiers that exclude nothing");
	is_refused(superchip, "cycles:ux", EINVAL, 8,
		   "x is not a modifier: expected u, k, h, G, H, I, p, D, e, W");
	is_refused(superchip, "nvidia_scf_pmu_0/cycles/z", EINVAL, 24,
		   "z is not a modifier: expected u, k, h, G, H, I, p, D, e, W");
	is_refused(superchip, "cycles:uu", EINVAL, 8, "modifier u occurs twice");
	is_refused(superchip, "cycles:pppp", EINVAL, 10,
		   "modifier p occurs more than three times");
	is_refused(superchip, "cycles:P", EINVAL, 7,
		   "modifier P is for perf record only: sample as precisely as possible");
	is_refused(superchip, "cycles:S", EINVAL, 7,
		   "modifier S is for perf record only: sample a group by its leader");
	is_refused(superchip, "cycles:b", EINVAL, 7,
		   "modifier b is for perf only: count in a BPF program");
	is_refused(superchip, "cycles:R", EINVAL, 7,
		   "modifier R is for perf only: sample latencies by a concurrent perf record");
	is_refused(superchip, "cycles:", EINVAL, 6, "expected modifiers after \":\"");
	is_refused(superchip, "cs:u:u", EINVAL, 5, "expected one \":\" with all modifiers after it");
	is_refused(superchip, "cs:k:u", EINVAL, 5, "expected one \":\" with all modifiers after it");
	is_refused(superchip, "r11:h:u", EINVAL, 6, "expected one \":\" with all modifiers after it");
	is_refused(superchip, "cs:x:u", EINVAL, 3,
		   "x is not a modifier: expected u, k, h, G, H, I, p, D, e, W");
	is_refused(superchip, "nvidia_scf_pmu/cycles/u", EINVAL, 22,
		   "nvidia_scf_pmu_0 counts the whole machine: the modifiers u, k, h, G, H and I "
		   "do not apply");
	is_refused(superchip, "cmem_rd_data:eG", EINVAL, 14,
		   "nvidia_scf_pmu_0 counts the whole machine: the modifiers u, k, h, G, H and I "
		   "do not apply");
}

/* Machines with no core PMU, with another vendor's, and with two */
static void other_machines(void)
{
	struct fixture fixture;

	fixture_init(&fixture, "vm");
	is_event(&fixture, "cycles", "cycles = - 0 0",
		 "a generic event is encoded without a core PMU");
	is_event(&fixture, "r3c", "r3c = - 4 0x3c", "a raw code is encoded without a core PMU");
	is_event(&fixture, "cs", "cs = software 1 0x3",
		 "a software event is encoded without a core PMU");
	is_refused(&fixture, "cmem_rd_data", ENODEV, 0,
		   "this machine has no PMU nvidia_scf_pmu");
	is_refused(&fixture, "nvidia_scf_pmu/cmem_rd_data/", ENODEV, 0,
		   "this machine has no PMU nvidia_scf_pmu");
	fixture_release(&fixture);
	fixture_init(&fixture, "laptop");
	is_event(&fixture, "instructions", "instructions = cpu 4 0xc0",
		 "an event of sysfs takes precedence over perf's generic name");
	is_event(&fixture, "cycles", "cycles = cpu 0 0",
		 "cycles on x86 can use any counter");
	is_event(&fixture, "energy-pkg", "power/energy-pkg/ = power 11 0x2",
		 "an event of one other PMU is found");
	is_event(&fixture, "tsc", "msr/tsc/ = msr 10 0", "an event of a PMU without CPUs is found");
	is_event(&fixture, "tsc:u", "msr/tsc/u = msr 10 0 -k -h",
		 "modifiers of a PMU without a cpumask are left to the kernel");
	is_event(&fixture, "data_reads", "uncore_imc_0/data_reads/ = uncore_imc_0 12 0x1; "
		 "uncore_imc_1/data_reads/ = uncore_imc_1 13 0x1", "an event of two PMUs is found on both");
	fixture_release(&fixture);
	fixture_init(&fixture, "gh4");
	is_event(&fixture, "nvidia_nvlink_c2c0_pmu/rd_bytes_loc/",
		 "nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_0 14 0; "
		 "nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_1 19 0; "
		 "nvidia_nvlink_c2c0_pmu_2/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_2 24 0; "
		 "nvidia_nvlink_c2c0_pmu_3/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_3 29 0",
		 "an event is opened on four sockets");
	fixture_release(&fixture);
	fixture_init(&fixture, "gh200");
	is_event(&fixture, "nvidia_scf_pmu/gmem_rd_data/",
		 "nvidia_scf_pmu_0/gmem_rd_data/ = nvidia_scf_pmu_0 12 0x16d",
		 "an event is opened on one socket");
	fixture_release(&fixture);
	fixture_init(&fixture, "superchip-ours");
	is_event(&fixture, "nvidia_pcie_pmu_0/cycles/",
		 "nvidia_pcie_pmu_0/cycles/ = nvidia_pcie_pmu_0 13 0x100000000 cycle_counter",
		 "the events of the out-of-tree driver are the same");
	fixture_release(&fixture);
	fixture_init(&fixture, "broken");
	is_event(&fixture, "nvidia_scf_pmu/cycles/",
		 "nvidia_scf_pmu_0/cycles/ = nvidia_scf_pmu_0 12 0x100000000 cycle_counter; "
		 "nvidia_scf_pmu_1/cycles/ = nvidia_scf_pmu_1 17 0x100000000 cycle_counter",
		 "events are found beside malformed PMUs");
	is_event(&fixture, "some_of_it/good/", "some_of_it/good/ = some_of_it 100 0x1",
		 "the valid events of a malformed PMU are found");
	is_refused(&fixture, "some_of_it/empty=1/", ENOENT, 11,
		   "empty: some_of_it has no such format; its formats are event");
	fixture_release(&fixture);
}

static void hybrid(void)
{
	struct fixture fixture = { .catalog = NULL };
	struct sysroot *root = &fixture.root;

	sysroot_init(root);
	sysroot_put(root, PMUS "cpu_core/type", "4\n");
	sysroot_put(root, PMUS "cpu_core/cpus", "0-1\n");
	sysroot_put(root, PMUS "cpu_core/format/event", "config:0-7\n");
	sysroot_put(root, PMUS "cpu_core/events/mem-loads", "event=0xcd\n");
	sysroot_put(root, PMUS "cpu_core/events/branch-misses", "event=0xc5\n");
	sysroot_put(root, PMUS "cpu_atom/type", "10\n");
	sysroot_put(root, PMUS "cpu_atom/cpus", "2-3\n");
	sysroot_put(root, PMUS "cpu_atom/format/event", "config:0-7\n");
	sysroot_put(root, PMUS "cpu_atom/events/branch-misses", "event=0xc6\n");
	fixture.machine = gpmu_machine_new(root->path, NULL);
	is_event(&fixture, "cycles:u", "cpu_atom/cycles/u = cpu_atom 0 0xa00000000 -k -h; "
		 "cpu_core/cycles/u = cpu_core 0 0x400000000 -k -h",
		 "on a hybrid machine each core PMU's number is in config's upper half");
	is_event(&fixture, "LLC-loads", "cpu_atom/LLC-loads/ = cpu_atom 3 0xa00000002; "
		 "cpu_core/LLC-loads/ = cpu_core 3 0x400000002",
		 "a cache event is opened on each core PMU");
	is_event(&fixture, "branch-misses", "cpu_atom/branch-misses/ = cpu_atom 10 0xc6; "
		 "cpu_core/branch-misses/ = cpu_core 4 0xc5",
		 "an event of sysfs is opened on each core PMU that has it");
	is_event(&fixture, "mem-loads", "cpu_core/mem-loads/ = cpu_core 4 0xcd",
		 "an event of one core PMU is opened on that alone");
	is_event(&fixture, "cpu_atom/cycles/", "cpu_atom/cycles/ = cpu_atom 0 0xa00000000",
		 "a generic name can be given with its core PMU");
	is_event(&fixture, "rc5", "cpu_atom/config=0xc5/ = cpu_atom 10 0xc5; "
		 "cpu_core/config=0xc5/ = cpu_core 4 0xc5", "a raw code is opened on each core PMU");
	gpmu_machine_free(fixture.machine);
	sysroot_release(root);
}

int main(void)
{
	struct fixture fixture;

	fixture_init(&fixture, "superchip");
	grace(&fixture);
	own(&fixture);
	generic(&fixture);
	modifiers(&fixture);
	fixture_release(&fixture);
	software();
	other_machines();
	hybrid();
	return done_testing();
}
