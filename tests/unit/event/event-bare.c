// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events without a PMU: of the cores, of the kernel, of other PMUs, raw, and libgpmu's own. */
#include "catalog/catalog.h"
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
	is_event(&vm, "page-faults", "page-faults = software 1 0x2", "an event of the kernel");
	fixture_release(&vm);
	fixture_init(&vm, "superchip");
	is_event(&vm, "page-faults", "page-faults = software 1 0x2", "also beside a core PMU");
	ok(!vm.catalog->complete, "they take nothing of the catalog");
	for (size_t i = 0; (event = gpmu_catalog_event(vm.catalog, i)); i++)
		if (!gpmu_event_def_pmu(event) &&
		    event_find_generic(gpmu_event_def_name(event), &type, &config))
			software += type == PERF_TYPE_SOFTWARE;
	is_u64(software, 0, "which has no event of a CPU with such a name");
	fixture_release(&vm);
}

static void grace(const struct fixture *superchip)
{
	is_event(superchip, "inst_retired", "inst_retired = armv8_pmuv3_0 8 0x8",
		 "an event of the core PMU");
	is_event(superchip, "CPU_CYCLES", "CPU_CYCLES = armv8_pmuv3_0 8 0x11 cycle_counter",
		 "case does not matter, and it takes the cycle counter");
	is_event(superchip, "cycles", "cycles = armv8_pmuv3_0 0 0 cycle_counter",
		 "perf's name is of the cores, though all other PMUs have that event");
	is_event(superchip, "instructions", "instructions = armv8_pmuv3_0 0 0x1", "another");
	is_event(superchip, "bus-cycles", "bus-cycles = armv8_pmuv3_0 0 0x6",
		 "which is not the fabric's bus_cycles");
	is_event(superchip, "bus_cycles", "bus_cycles = armv8_pmuv3_0 8 0x1d",
		 "nor is the cores' own");
	is_event(superchip, "nvidia_scf_pmu/bus_cycles/",
		 "nvidia_scf_pmu_0/bus_cycles/ = nvidia_scf_pmu_0 12 0x1d; "
		 "nvidia_scf_pmu_1/bus_cycles/ = nvidia_scf_pmu_1 17 0x1d",
		 "that one is said by its PMU");
	is_event(superchip, "ld_spec", "ld_spec = armv8_pmuv3_0 8 0x70",
		 "an event of the cores that the kernel has no name for");
	is_event(superchip, "scf_cache",
		 "nvidia_scf_pmu_0/scf_cache/ = nvidia_scf_pmu_0 12 0xf2; "
		 "nvidia_scf_pmu_1/scf_cache/ = nvidia_scf_pmu_1 17 0xf2",
		 "an event that only other PMUs have is of all that have it");
	is_event(superchip, "scf_cache/name=x/",
		 "nvidia_scf_pmu_0/scf_cache,name=x/ = nvidia_scf_pmu_0 12 0xf2; "
		 "nvidia_scf_pmu_1/scf_cache,name=x/ = nvidia_scf_pmu_1 17 0xf2", "with terms");
	is_event(superchip, "rd_bytes_loc/root_port=0x3/e",
		 "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/e = "
		 "nvidia_pcie_pmu_0 13 0 config1=0x3 exclusive; "
		 "nvidia_pcie_pmu_1/rd_bytes_loc,root_port=0x3/e = "
		 "nvidia_pcie_pmu_1 18 0 config1=0x3 exclusive",
		 "PMUs without that format are left out");
	is_event(superchip, "r11", "r11 = armv8_pmuv3_0 8 0x11 cycle_counter", "a raw code");
	is_event(superchip, "r0x1B:u", "r0x1B:u = armv8_pmuv3_0 8 0x1b -k -h", "with 0x");
	is_event(superchip, "default_core/cpu_cycles/",
		 "cpu_cycles = armv8_pmuv3_0 8 0x11 cycle_counter",
		 "perf's name for all core PMUs");
	is_event(superchip, "cycles/name=x,config1=0x2/u",
		 "cycles/name=x,config1=0x2/u = armv8_pmuv3_0 0 0 config1=0x2 -k -h cycle_counter",
		 "terms of perf's names");
	is_refused(superchip, "rd_bytes_loc/umask=1/", ENOENT, 13,
		   "umask: nvidia_cnvlink_pmu_0 has no such format, but event, rem_socket");
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

	is_event(superchip, "duration_time", "duration_time = tool 1", "libgpmu's own");
	is_event(superchip, "user_time", "user_time = tool 2", "likewise");
	is_event(superchip, "tool/system_time/", "system_time = tool 3", "as perf 6.14 writes it");
	ok(event && !gpmu_event_instance_attr(event, 0) && !gpmu_event_instance_pmu(event, 0) &&
	   gpmu_event_instances(event) == 1, "the kernel is not asked for it");
	gpmu_event_free(event);
	is_refused(superchip, "duration_time:u", EINVAL, 0,
		   "duration_time takes no terms and no modifiers");
	is_refused(superchip, "tool/cycles/", ENOENT, 0, "there is no PMU or event tool");
}

/* What perf calls things: literals are those of linux/perf_event.h */
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
		/* in the words that "perf list" does not show */
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
		is_event(superchip, names[i].name, want, "as in perf");
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
		{ "cpu_cycles:k", " -u -h", "the kernel alone" },
		{ "cpu_cycles:h", " -u -k", "the hypervisor alone" },
		{ "cpu_cycles:uk", " -h", "two of the three" },
		{ "cpu_cycles:ukh", "", "all of them are what there is without" },
		{ "cpu_cycles:G", " -H", "guests alone" },
		{ "cpu_cycles:H", " -G", "the host alone" },
		{ "cpu_cycles:GH", "", "both" },
		{ "cpu_cycles:uH", " -k -h -G", "the host's user" },
		{ "cpu_cycles:I", " -I", "not while idle" },
		{ "cpu_cycles:p", " precise=1", "precise" },
		{ "cpu_cycles:uppp", " -k -h precise=3", "as precise as can be" },
		{ "cpu_cycles:D", " pinned", "pinned" },
		{ "cpu_cycles:e", " exclusive", "exclusive" },
		{ "cpu_cycles:X", "", "not regrouped: it never is" },
	};
	char want[128];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(want, sizeof(want), "%s = armv8_pmuv3_0 8 0x11%s cycle_counter",
			 good[i].text, good[i].want);
		is_event(superchip, good[i].text, want, good[i].what);
	}
	is_event(superchip, "cpu_cycles:W",
		 "cpu_cycles:W = armv8_pmuv3_0 8 0x11 cycle_counter weak",
		 "its group may be broken up");
	is_event(superchip, "cs:u", "cs:u = software 1 0x3 -k -h", "of what the kernel counts");
	is_event(superchip, "armv8_pmuv3_0/event=0x11/kp",
		 "armv8_pmuv3_0/event=0x11/kp = armv8_pmuv3_0 8 0x11 -u -h precise=1 cycle_counter",
		 "behind terms");
	is_event(superchip, "nvidia_scf_pmu_0/cycles/eDWukh",
		 "nvidia_scf_pmu_0/cycles/eDWukh = nvidia_scf_pmu_0 12 0x100000000 pinned "
		 "exclusive "
		 "cycle_counter weak",
		 "of a PMU outside the cores those that leave nothing out");
	is_refused(superchip, "cycles:ux", EINVAL, 8,
		   "x is no modifier, which are u, k, h, G, H, I, p, D, e, W");
	is_refused(superchip, "nvidia_scf_pmu_0/cycles/z", EINVAL, 24,
		   "z is no modifier, which are u, k, h, G, H, I, p, D, e, W");
	is_refused(superchip, "cycles:uu", EINVAL, 8, "modifier u is there twice");
	is_refused(superchip, "cycles:pppp", EINVAL, 10,
		   "modifier p is there more than three times");
	is_refused(superchip, "cycles:P", EINVAL, 7,
		   "P is of perf record: it samples as precisely as can be");
	is_refused(superchip, "cycles:S", EINVAL, 7,
		   "S is of perf record: it samples a group by its leader");
	is_refused(superchip, "cycles:b", EINVAL, 7,
		   "b is of perf alone: it counts in a BPF program");
	is_refused(superchip, "cycles:R", EINVAL, 7,
		   "R is of perf alone: it samples latencies by a perf record beside it");
	is_refused(superchip, "cycles:", EINVAL, 6, "expected modifiers behind \":\"");
	is_refused(superchip, "cs:u:u", EINVAL, 5, "expected one \":\" with all modifiers behind it");
	is_refused(superchip, "cs:k:u", EINVAL, 5, "expected one \":\" with all modifiers behind it");
	is_refused(superchip, "r11:h:u", EINVAL, 6, "expected one \":\" with all modifiers behind it");
	is_refused(superchip, "cs:x:u", EINVAL, 3,
		   "x is no modifier, which are u, k, h, G, H, I, p, D, e, W");
	is_refused(superchip, "nvidia_scf_pmu/cycles/u", EINVAL, 22,
		   "nvidia_scf_pmu_0 counts the whole machine: who runs (u, k, h, G, H, I) cannot "
		 "be told "
		   "apart");
	is_refused(superchip, "cmem_rd_data:eG", EINVAL, 14,
		   "nvidia_scf_pmu_0 counts the whole machine: who runs (u, k, h, G, H, I) cannot "
		 "be told "
		   "apart");
}

/* No core PMU, one of another vendor, and two */
static void other_machines(void)
{
	struct fixture fixture;

	fixture_init(&fixture, "vm");
	is_event(&fixture, "cycles", "cycles = - 0 0",
		 "without a core PMU the kernel may still have it");
	is_event(&fixture, "r3c", "r3c = - 4 0x3c", "also a raw code");
	is_event(&fixture, "cs", "cs = software 1 0x3", "what the kernel counts is there");
	is_refused(&fixture, "cmem_rd_data", ENODEV, 0,
		   "this machine has no PMU nvidia_scf_pmu");
	is_refused(&fixture, "nvidia_scf_pmu/cmem_rd_data/", ENODEV, 0,
		   "this machine has no PMU nvidia_scf_pmu");
	fixture_release(&fixture);
	fixture_init(&fixture, "laptop");
	is_event(&fixture, "instructions", "instructions = cpu 4 0xc0",
		 "an event of sysfs is before perf's name");
	is_event(&fixture, "cycles", "cycles = cpu 0 0",
		 "x86's cycles may be counted by any counter");
	is_event(&fixture, "energy-pkg", "power/energy-pkg/ = power 11 0x2", "one of another PMU");
	is_event(&fixture, "tsc", "msr/tsc/ = msr 10 0", "one whose PMU has no CPUs");
	is_event(&fixture, "tsc:u", "msr/tsc/u = msr 10 0 -k -h",
		 "where modifiers are the kernel's matter");
	is_event(&fixture, "data_reads", "uncore_imc_0/data_reads/ = uncore_imc_0 12 0x1; "
		 "uncore_imc_1/data_reads/ = uncore_imc_1 13 0x1", "one of two PMUs");
	fixture_release(&fixture);
	fixture_init(&fixture, "gh4");
	is_event(&fixture, "nvidia_nvlink_c2c0_pmu/rd_bytes_loc/",
		 "nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_0 14 0; "
		 "nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_1 19 0; "
		 "nvidia_nvlink_c2c0_pmu_2/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_2 24 0; "
		 "nvidia_nvlink_c2c0_pmu_3/rd_bytes_loc/ = nvidia_nvlink_c2c0_pmu_3 29 0",
		 "four sockets");
	fixture_release(&fixture);
	fixture_init(&fixture, "gh200");
	is_event(&fixture, "nvidia_scf_pmu/gmem_rd_data/",
		 "nvidia_scf_pmu_0/gmem_rd_data/ = nvidia_scf_pmu_0 12 0x16d", "one socket");
	fixture_release(&fixture);
	fixture_init(&fixture, "superchip-ours");
	is_event(&fixture, "nvidia_pcie_pmu_0/cycles/",
		 "nvidia_pcie_pmu_0/cycles/ = nvidia_pcie_pmu_0 13 0x100000000 cycle_counter",
		 "our driver's are the same");
	fixture_release(&fixture);
	fixture_init(&fixture, "broken");
	is_event(&fixture, "nvidia_scf_pmu/cycles/",
		 "nvidia_scf_pmu_0/cycles/ = nvidia_scf_pmu_0 12 0x100000000 cycle_counter; "
		 "nvidia_scf_pmu_1/cycles/ = nvidia_scf_pmu_1 17 0x100000000 cycle_counter",
		 "beside PMUs that are broken");
	is_event(&fixture, "some_of_it/good/", "some_of_it/good/ = some_of_it 100 0x1",
		 "what is left of one");
	is_refused(&fixture, "some_of_it/empty=1/", ENOENT, 11,
		   "empty: some_of_it has no such format, but event");
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
		 "of several core PMUs each, named by the upper half of config");
	is_event(&fixture, "LLC-loads", "cpu_atom/LLC-loads/ = cpu_atom 3 0xa00000002; "
		 "cpu_core/LLC-loads/ = cpu_core 3 0x400000002", "also of caches");
	is_event(&fixture, "branch-misses", "cpu_atom/branch-misses/ = cpu_atom 10 0xc6; "
		 "cpu_core/branch-misses/ = cpu_core 4 0xc5", "events of sysfs of each");
	is_event(&fixture, "mem-loads", "cpu_core/mem-loads/ = cpu_core 4 0xcd", "or of one");
	is_event(&fixture, "cpu_atom/cycles/", "cpu_atom/cycles/ = cpu_atom 0 0xa00000000",
		 "by name");
	is_event(&fixture, "rc5", "cpu_atom/config=0xc5/ = cpu_atom 10 0xc5; "
		 "cpu_core/config=0xc5/ = cpu_core 4 0xc5", "raw codes of each");
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
