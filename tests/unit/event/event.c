// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PMU/terms/: the resulting perf_event_attr. The expected numbers follow from the files of
 * tests/sysroot and from tests/vm/guest/lib/golden.sh.
 */
#include "event-test.h"

#define PMUS	"sys/bus/event_source/devices/"

static void grace(const struct fixture *superchip)
{
	is_event(superchip, "nvidia_scf_pmu_0/cmem_rd_data/",
		 "nvidia_scf_pmu_0/cmem_rd_data/ = nvidia_scf_pmu_0 12 0x1a5",
		 "an event of one PMU is encoded");
	is_event(superchip, "nvidia_scf_pmu/cmem_rd_data/",
		 "nvidia_scf_pmu_0/cmem_rd_data/ = nvidia_scf_pmu_0 12 0x1a5; "
		 "nvidia_scf_pmu_1/cmem_rd_data/ = nvidia_scf_pmu_1 17 0x1a5",
		 "a PMU name without its number means each socket's");
	is_event(superchip, "nvidia_*_pmu_1/cycles/",
		 "nvidia_cnvlink_pmu_1/cycles/ = nvidia_cnvlink_pmu_1 21 0x100000000 "
		 "cycle_counter; "
		 "nvidia_nvlink_c2c0_pmu_1/cycles/ = nvidia_nvlink_c2c0_pmu_1 19 0x100000000 "
		 "cycle_counter; "
		 "nvidia_nvlink_c2c1_pmu_1/cycles/ = nvidia_nvlink_c2c1_pmu_1 20 0x100000000 "
		 "cycle_counter; "
		 "nvidia_pcie_pmu_1/cycles/ = nvidia_pcie_pmu_1 18 0x100000000 cycle_counter; "
		 "nvidia_scf_pmu_1/cycles/ = nvidia_scf_pmu_1 17 0x100000000 cycle_counter",
		 "a pattern matches PMUs, and cycles takes the cycle counter of each");
	is_event(superchip, "nvidia_*_pmu_0/cmem_rd_data/",
		 "nvidia_scf_pmu_0/cmem_rd_data/ = nvidia_scf_pmu_0 12 0x1a5",
		 "a pattern selects those of its PMUs that have the event");
	is_event(superchip, "nvidia_scf_pmu_0/event=cycles/",
		 "nvidia_scf_pmu_0/event=cycles/ = nvidia_scf_pmu_0 12 0x100000000 cycle_counter",
		 "event= accepts an event's name, as in the tuning guide");
	is_event(superchip, "nvidia_scf_pmu_0/event\\=cycles/",
		 "nvidia_scf_pmu_0/event=cycles/ = nvidia_scf_pmu_0 12 0x100000000 cycle_counter",
		 "a backslash before = is accepted, as in metrics");
	is_event(superchip, "nvidia_scf_pmu_0/event=0x1A5/",
		 "nvidia_scf_pmu_0/event=0x1A5/ = nvidia_scf_pmu_0 12 0x1a5",
		 "event= accepts a hexadecimal number");
	is_event(superchip, "nvidia_scf_pmu_0/event=421/",
		 "nvidia_scf_pmu_0/event=421/ = nvidia_scf_pmu_0 12 0x1a5",
		 "event= accepts a decimal number");
	is_event(superchip, "nvidia_scf_pmu_0//",
		 "nvidia_scf_pmu_0// = nvidia_scf_pmu_0 12 0", "empty terms encode config 0");
	is_event(superchip, "nvidia_scf_pmu_0/CMEM_RD_DATA/",
		 "nvidia_scf_pmu_0/CMEM_RD_DATA/ = nvidia_scf_pmu_0 12 0x1a5",
		 "event names match in any case");
}

static void filters(const struct fixture *superchip)
{
	is_event(superchip, "nvidia_pcie_pmu_0/rd_bytes_rem,root_port=0x3/",
		 "nvidia_pcie_pmu_0/rd_bytes_rem,root_port=0x3/ = nvidia_pcie_pmu_0 13 0x1 "
		 "config1=0x3",
		 "the filter root_port is encoded in config1");
	is_event(superchip, "nvidia_pcie_pmu_0/root_port=0x3ff,rd_bytes_rem/",
		 "nvidia_pcie_pmu_0/root_port=0x3ff,rd_bytes_rem/ = nvidia_pcie_pmu_0 13 0x1 "
		 "config1=0x3ff",
		 "a filter can precede the event and have its largest value");
	is_event(superchip, "nvidia_pcie_pmu_0/rd_bytes_rem,root_port=0x3,root_port=4/",
		 "nvidia_pcie_pmu_0/rd_bytes_rem,root_port=0x3,root_port=4/ = nvidia_pcie_pmu_0 "
		 "13 0x1 config1=0x4",
		 "the last of two equal terms is used");
	is_event(superchip, "nvidia_nvlink_c2c0_pmu_0/rd_bytes_rem,port=0x2/",
		 "nvidia_nvlink_c2c0_pmu_0/rd_bytes_rem,port=0x2/ = nvidia_nvlink_c2c0_pmu_0 14 "
		 "0x1 config1=0x2",
		 "the filter port of C2C is encoded");
	is_event(superchip, "nvidia_cnvlink_pmu/total_bytes_loc,rem_socket=0xf/",
		 "nvidia_cnvlink_pmu_0/total_bytes_loc,rem_socket=0xf/ = nvidia_cnvlink_pmu_0 16 "
		 "0x4 config1=0xf; "
		 "nvidia_cnvlink_pmu_1/total_bytes_loc,rem_socket=0xf/ = nvidia_cnvlink_pmu_1 21 "
		 "0x4 config1=0xf",
		 "the filter rem_socket of CNVLink is encoded");
	is_event(superchip, "nvidia_pcie_pmu_0/rd_bytes_rem/",
		 "nvidia_pcie_pmu_0/rd_bytes_rem/ = nvidia_pcie_pmu_0 13 0x1",
		 "an event without a filter has config1 0");
	is_event(superchip, "nvidia_pcie_pmu_0/config=0x5,config1=0x10,config2=7/",
		 "nvidia_pcie_pmu_0/config=0x5,config1=0x10,config2=7/ = nvidia_pcie_pmu_0 13 0x5 "
		 "config1=0x10 config2=0x7",
		 "config, config1 and config2 are encoded");
	is_event(superchip, "nvidia_pcie_pmu_0/root_port=2,config1=0xffff0001/",
		 "nvidia_pcie_pmu_0/root_port=2,config1=0xffff0001/ = nvidia_pcie_pmu_0 13 0 "
		 "config1=0xffff0002",
		 "config1 is applied before filters, wherever it is");
}

static void refused(const struct fixture *superchip)
{
	is_refused(superchip, "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x400/", EINVAL, 31,
		   "root_port=0x400: nvidia_pcie_pmu_0 takes 0 to 0x3ff");
	is_refused(superchip, "nvidia_scf_pmu/event=0x200000000/", EINVAL, 15,
		   "event=0x200000000: nvidia_scf_pmu_0 takes 0 to 0x1ffffffff");
	is_refused(superchip, "nvidia_pcie_pmu_0/port=1/", ENOENT, 18,
		   "port: nvidia_pcie_pmu_0 has no such format; its formats are event, root_port");
	is_refused(superchip, "nvidia_pcie_pmu/rd_bytes_lok/", ENOENT, 16,
		   "rd_bytes_lok: nvidia_pcie_pmu_0 has no such event, did you mean rd_bytes_loc?");
	is_refused(superchip, "nvidia_pcie_pmu/rd_bytes_loc,rootport/", ENOENT, 29,
		   "rootport: nvidia_pcie_pmu_0 has no such event, did you mean root_port?");
	is_refused(superchip, "nvidia_scf_pmu_0/instructions/", ENOENT, 17,
		   "instructions: nvidia_scf_pmu_0 has no such event");
	is_refused(superchip, "nvidia_scf_pmu_0/event=cykles/", ENOENT, 23,
		   "cykles: nvidia_scf_pmu_0 has no such event, did you mean cycles?");
	is_refused(superchip, "nvidia_scf_pmu_0/event\\=cykles/", ENOENT, 24,
		   "cykles: nvidia_scf_pmu_0 has no such event, did you mean cycles?");
	is_refused(superchip, "nvidia_scf_pmu_0/event=0x1g/", EINVAL, 23,
		   "event=0x1g: expected a number such as 17 or 0x11");
	is_refused(superchip, "nvidia_scf_pmu_0/event=18446744073709551616/", EINVAL, 23,
		   "event=18446744073709551616: expected a number such as 17 or 0x11");
	is_refused(superchip, "nvidia_pcie_pmu_0/root_port/", EINVAL, 18,
		   "root_port needs a value from 0 to 0x3ff");
	is_refused(superchip, "nvidia_pcie_pmu_0/cycles,rd_bytes_loc/", EINVAL, 25,
		   "cycles and rd_bytes_loc are two events");
	is_refused(superchip, "nvidia_pcie_pmu_0/cycles,period=100/", EINVAL, 25,
		   "period=: supported by perf record only");
	is_refused(superchip, "nvidia_pcie_pmu_0/config=x/", EINVAL, 18,
		   "config=: expected a number such as 17 or 0x11");
	is_refused(superchip, "nvidia_scf_pmu_0/cycles,name=/", EINVAL, 24, "name= needs a name");
	is_refused(superchip, "nvidia_scf_pmu_2/cycles/", ENODEV, 0,
		   "this machine has no PMU nvidia_scf_pmu_2");
	is_refused(superchip, "nvidia_scf_pm_0/cycles/", ENOENT, 0,
		   "there is no PMU or event nvidia_scf_pm_0, did you mean nvidia_scf_pmu_0?");
	is_refused(superchip, "uncore_imc/data_reads/", ENOENT, 0,
		   "there is no PMU or event uncore_imc");
	is_refused(superchip, "/cycles/", ENOENT, 0, "there is no PMU or event ");
}

static void syntax(const struct fixture *superchip)
{
	is_refused(superchip, "", EINVAL, 0, "expected an event");
	is_refused(superchip, "nvidia_scf_pmu_0/cycles", EINVAL, 23,
		   "expected PMU/terms/: two \"/\"");
	is_refused(superchip, "nvidia_scf_pmu_0/cycles/x/", EINVAL, 25,
		   "expected PMU/terms/: two \"/\"");
	is_refused(superchip, "nvidia_scf_pmu_0/cycles,,a/", EINVAL, 24,
		   "expected a term such as \"event=1\"");
	is_refused(superchip, "nvidia_scf_pmu_0/=1/", EINVAL, 17,
		   "expected a term such as \"event=1\"");
	is_refused(superchip, "nvidia_scf_pmu_0/cycl\303\251s/", EINVAL, 21,
		   "expected printable ASCII characters");
	is_refused(superchip, "cycles,instructions", EINVAL, 6, "expected one event, not a list");
	is_refused(superchip, "{cycles}", EINVAL, 0, "expected one event, not a list");
	is_refused(superchip, "mem:0x1000/8:rw", EINVAL, 0,
		   "mem: is a breakpoint, which only perf counts: perf stat -e mem:...");
}

/* An Intel processor's formats and events, and several PMUs of one kind */
static void laptop(const struct fixture *laptop)
{
	is_event(laptop, "cpu/event=0x3c,umask=0x1,edge,inv,cmask=255/",
		 "cpu/event=0x3c,umask=0x1,edge,inv,cmask=255/ = cpu 4 0xff84013c",
		 "a format of one bit needs no value");
	is_event(laptop, "cpu/mem-loads,ldlat=30/",
		 "cpu/mem-loads,ldlat=30/ = cpu 4 0x1cd config1=0x1e",
		 "a term overrides the event's own value");
	is_event(laptop, "cpu/mem-loads/",
		 "cpu/mem-loads/ = cpu 4 0x1cd config1=0x3",
		 "an event of several terms is encoded");
	is_event(laptop, "cpu/slots.recovery/k",
		 "cpu/slots.recovery/k = cpu 4 0x10d -u -h", "modifiers are kept in the name");
	is_event(laptop, "cpu/cpu-cycles/:k",
		 "cpu/cpu-cycles/k = cpu 4 0x3c -u -h",
		 "modifiers can follow a colon after the terms");
	is_event(laptop, "imc/data_reads/",
		 "uncore_imc_0/data_reads/ = uncore_imc_0 12 0x1; "
		 "uncore_imc_1/data_reads/ = uncore_imc_1 13 0x1",
		 "the prefix uncore_ can be left out");
	is_event(laptop, "uncore_imc_*/data_reads/",
		 "uncore_imc_0/data_reads/ = uncore_imc_0 12 0x1; "
		 "uncore_imc_1/data_reads/ = uncore_imc_1 13 0x1",
		 "the prefix uncore_ can be in a pattern");
	is_event(laptop, "cpu/cycles/",
		 "cpu/cycles/ = cpu 0 0", "perf's generic names are accepted for a core PMU");
	is_event(laptop, "software/cs/",
		 "software/cs/ = software 1 0x3",
		 "perf's software names are accepted for the software PMU");
	is_refused(laptop, "cpu/cs/", ENOENT, 4, "cs: cpu has no such event");
	is_refused(laptop, "cpu/edge=2/", EINVAL, 4, "edge=0x2: cpu takes 0 to 0x1");
}

/* libgpmu's own events and the kernel's clocks count ns. */
static void time_units(const struct fixture *laptop)
{
	static const struct {
		const char *text, *unit;
		double scale;
	} times[] = {
		{ "task-clock:u", "msec", 1e-6 },
		{ "cpu-clock", "msec", 1e-6 },
		{ "software/config=0x1/", "msec", 1e-6 },
		{ "perf::PERF_COUNT_SW_TASK_CLOCK", "msec", 1e-6 },
		{ "duration_time", "ns", 1 },
		{ "user_time", "ns", 1 },
		{ "system_time", "ns", 1 },
		{ "page-faults", "", 1 },
		{ "cpu/config=0x1/", "", 1 },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct gpmu_event *event = gpmu_event_new(laptop->machine, laptop->catalog,
							  times[i].text, NULL);
		const char *unit = event ? gpmu_event_unit(event) : NULL;

		ok(event && gpmu_event_scale(event) == times[i].scale &&
		   !strcmp(unit ? unit : "", times[i].unit),
		   "event: %s: its unit is \"%s\"", times[i].text,
		   times[i].unit);
		gpmu_event_free(event);
	}
}

static void units(const struct fixture *laptop)
{
	struct gpmu_event *joules = gpmu_event_new(laptop->machine, laptop->catalog,
						   "power/energy-pkg/", NULL);
	struct gpmu_event *reads =
		gpmu_event_new(laptop->machine, NULL, "uncore_imc/data_reads/", NULL);
	struct gpmu_event *named = gpmu_event_new(laptop->machine, NULL,
						  "cpu/event=0x3c,name='x,y'/u", NULL);

	if (!ok(joules && reads && named, "event: events with units and with a name are made"))
		return;
	ok(gpmu_event_scale(joules) == 0x1p-32,
	   "event: the scale of power/energy-pkg/ is sysfs' 2^-32");
	is_str(gpmu_event_unit(joules), "Joules",
	       "event: the unit of power/energy-pkg/ is sysfs' Joules");
	ok(gpmu_event_scale(reads) == 0x1p-14 && !strcmp(gpmu_event_unit(reads), "MiB"),
	   "event: an event of two PMUs has their common scale and unit");
	ok(gpmu_event_scale(named) == 1 && !gpmu_event_unit(named),
	   "event: an event without a unit has scale 1");
	is_str(named->label, "x,y", "event: name= is the event's label");
	ok(!joules->label, "event: an event without name= has no label");
	is_str(named->text, "cpu/event=0x3c,name='x,y'/u",
		 "event: the text of an event is unchanged");
	is_str(gpmu_event_instance_name(named, 0), "cpu/event=0x3c,name='x,y'/u",
	       "event: an instance's name is the event's text");
	ok(gpmu_event_instance_name(reads, 1) && !gpmu_event_instance_name(reads, 2) &&
	   !gpmu_event_instance_pmu(reads, 2) && !gpmu_event_instance_attr(reads, 2),
	   "event: there is nothing after the last instance");
	ok(gpmu_event_instance_pmu(reads, 1) ==
			   gpmu_machine_find_pmu(laptop->machine, "uncore_imc_1") &&
		   gpmu_event_instance_attr(reads, 1)->type == 13,
	   "event: an instance has its PMU and perf_event_attr");
	gpmu_event_free(joules);
	gpmu_event_free(reads);
	gpmu_event_free(named);
	gpmu_event_free(NULL);
}

/* Valid formats and events that are rare on real machines */
static void put_odd(struct sysroot *root)
{
	sysroot_init(root);
	sysroot_put(root, PMUS "odd_0/type", "40\n");
	sysroot_put(root, PMUS "odd_0/format/event", "config:0-7,32-35\n");
	sysroot_put(root, PMUS "odd_0/format/back", "config1:60-63,0\n");
	sysroot_put(root, PMUS "odd_0/format/whole", "config2:0-63\n");
	sysroot_put(root, PMUS "odd_0/format/bit", "config2:63\n");
	sysroot_put(root, PMUS "odd_0/format/period", "config1:8\n");
	sysroot_put(root, PMUS "odd_0/format/later", "config9:0-3\n");
	sysroot_put(root, PMUS "odd_0/format/wrong", "config:8-64\n");
	sysroot_put(root, PMUS "odd_0/format/other", "word:0-7\n");
	sysroot_put(root, PMUS "odd_0/format/none", "config:\n");
	sysroot_put(root, PMUS "odd_0/events/flag", "event=1,bit\n");
	sysroot_put(root, PMUS "odd_0/events/commas", "event=1,,bit\n");
	sysroot_put(root, PMUS "odd_0/events/param", "event=0x2,whole=?\n");
	sysroot_put(root, PMUS "odd_0/events/broken", "event=0x2,nothing=1\n");
	sysroot_put(root, PMUS "odd_0/events/raw", "config=0x77,config1=0x5\n");
	sysroot_put(root, PMUS "odd_0/events/scaled", "event=1\n");
	sysroot_put(root, PMUS "odd_0/events/scaled.scale", "2\n");
	sysroot_put(root, PMUS "odd_1/type", "41\n");
	sysroot_put(root, PMUS "odd_1/format/event", "config:0-7\n");
	sysroot_put(root, PMUS "odd_1/events/scaled", "event=1\n");
	sysroot_put(root, PMUS "odd_10/type", "50\n");
	sysroot_put(root, PMUS "odd_1_inst_0/type", "51\n");
}

static void odd_taken(const struct fixture *fixture)
{
	is_event(fixture, "odd_0/event=0xabc/",
		 "odd_0/event=0xabc/ = odd_0 40 0xa000000bc",
		 "a format of two ranges is encoded");
	is_event(fixture, "odd_0/back=0x13/",
		 "odd_0/back=0x13/ = odd_0 40 0 config1=0x9000000000000001",
		 "lower bits of a format get the lower bits of the value in any order");
	is_event(fixture, "odd_0/whole=0xffffffffffffffff/",
		 "odd_0/whole=0xffffffffffffffff/ = odd_0 40 0 config2=0xffffffffffffffff",
		 "a format of 64 bits is encoded");
	is_event(fixture, "odd_0/bit,period/",
		 "odd_0/bit,period/ = odd_0 40 0 config1=0x100 config2=0x8000000000000000",
		 "bit 63 and a format named like a term of perf are encoded");
	is_event(fixture, "odd_0/param,whole=9/",
		 "odd_0/param,whole=9/ = odd_0 40 0x2 config2=0x9",
		 "an event's parameter is encoded");
	is_event(fixture, "odd_0/raw/",
		 "odd_0/raw/ = odd_0 40 0x77 config1=0x5",
		 "an event that sets config and config1 is encoded");
	is_event(fixture, "odd_0/flag,metric-id=x/",
		 "odd_0/flag,metric-id=x/ = odd_0 40 0x1 config2=0x8000000000000000",
		 "an event with a flag is encoded, and perf's metric-id ignored");
	is_event(fixture, "odd/event=1/",
		 "odd_0/event=1/ = odd_0 40 0x1; "
		 "odd_1/event=1/ = odd_1 41 0x1",
		 "PMUs without the format of a term are left out");
	is_event(fixture, "odd_1//",
		 "odd_1// = odd_1 41 0",
		 "an exact PMU name takes precedence over odd_10");
}

static void odd_refused(const struct fixture *fixture)
{
	is_refused(fixture, "odd_0/param/", EINVAL, 6, "param needs \"whole=\" and a value");
	is_refused(fixture, "odd_0/broken/", ENOENT, 6,
		   "nothing: odd_0 has no such format; its formats are back, bit, event, later, none, other, "
		 "period, whole, wrong");
	is_refused(fixture, "odd_0/param,whole/", EINVAL, 6,
		   "param needs \"whole=\" and a value");
	is_refused(fixture, "odd_0/commas/", EINVAL, 6,
		   "commas is \"event=1,,bit\", which is not a list of terms");
	is_refused(fixture, "odd_0/event=/", EINVAL, 12,
		   "event=: expected a number such as 17 or 0x11");
	is_refused(fixture, "odd_0/other=1/", EINVAL, 6,
		   "other: format of odd_0 is \"word:0-7\", expected such as config:0-7");
	is_refused(fixture, "odd_0/none=1/", EINVAL, 6,
		   "none: format of odd_0 is \"config:\", expected such as config:0-7");
#ifdef PERF_ATTR_SIZE_VER8
	is_event(fixture, "odd_0/config3=0x9/", "odd_0/config3=0x9/ = odd_0 40 0 config3=0x9",
		 "config3 is encoded where perf_event_attr has it");
#else
	is_refused(fixture, "odd_0/config3=0x9/", EINVAL, 6,
		   "config3=: this libgpmu was built without it");
#endif
	is_refused(fixture, "odd_0/wrong=1/", EINVAL, 6,
		   "wrong: format of odd_0 is \"config:8-64\", expected such as config:0-7");
	is_refused(fixture, "odd_0/later=1/", EINVAL, 6,
		   "later is in config9:0-3, which libgpmu was built without");
	is_refused(fixture, "odd/scaled/", EINVAL, 0,
		   "its PMUs count in different units: name one PMU, such as odd_1");
}

static void odd(void)
{
	struct fixture fixture = { .catalog = NULL };

	put_odd(&fixture.root);
	fixture.machine = gpmu_machine_new(fixture.root.path, NULL);
	odd_taken(&fixture);
	odd_refused(&fixture);
	gpmu_machine_free(fixture.machine);
	sysroot_release(&fixture.root);
}

/* Two PMUs of one kind in a socket, with the in-tree driver's names */
static void instances(void)
{
	struct fixture fixture = { .catalog = gpmu_catalog_new(NULL, NULL) };
	struct sysroot *root = &fixture.root;
	char path[SYSROOT_PATH];

	sysroot_init(root);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "0", "0_inst_1", "1" };
		snprintf(path, sizeof(path), PMUS "nvidia_pcie_pmu_%s/type", names[i]);
		sysroot_put(root, path, i ? i == 1 ? "31" : "32" : "30");
		snprintf(path, sizeof(path), PMUS "nvidia_pcie_pmu_%s/format/event", names[i]);
		sysroot_put(root, path, "config:0-32");
	}
	fixture.machine = gpmu_machine_new(root->path, NULL);
	is_event(&fixture, "nvidia_pcie_pmu/event=4/",
		 "nvidia_pcie_pmu_0/event=4/ = nvidia_pcie_pmu_0 30 0x4; "
		 "nvidia_pcie_pmu_0_inst_1/event=4/ = nvidia_pcie_pmu_0_inst_1 31 0x4; "
		 "nvidia_pcie_pmu_1/event=4/ = nvidia_pcie_pmu_1 32 0x4",
		 "a PMU's name means all its instances on both sockets");
	is_event(&fixture, "nvidia_pcie_pmu_0_inst_1/event=4/",
		 "nvidia_pcie_pmu_0_inst_1/event=4/ = nvidia_pcie_pmu_0_inst_1 31 0x4",
		 "an instance is selected by its name");
	sysroot_put(root, "many.json", "[{ \"EventName\": \"of_pcie\", \"EventCode\": \"0x9\","
		    " \"Unit\": \"nvidia_pcie_pmu\" }]");
	sysroot_path(root, path, "many.json");
	ok(!gpmu_catalog_add(fixture.catalog, path, NULL), "event: a file is added to the catalog");
	is_event(&fixture, "nvidia_pcie_pmu_0_inst_1/of_pcie/",
		 "nvidia_pcie_pmu_0_inst_1/of_pcie/ = nvidia_pcie_pmu_0_inst_1 31 0x9",
		 "an event of the catalog is found on an instance");
	gpmu_machine_free(fixture.machine);
	gpmu_catalog_free(fixture.catalog);
	sysroot_release(root);
}

/* Events of the catalog that sysfs lacks */
static void catalog(void)
{
	static const char json[] =
		 "[{ \"EventName\": \"made_up\", \"EventCode\": \"0x99\", \"Unit\": "
		 "\"nvidia_scf_pmu\","
		 " \"ScaleUnit\": \"32B\" },"
		 " { \"EventName\": \"core_made_up\", \"EventCode\": \"0x98\" },"
		" { \"EventName\": \"old_misses\", \"LegacyCacheCode\": \"0x10002\" },"
		" { \"EventName\": \"often\", \"EventCode\": \"0x97\","
		" \"SampleAfterValue\": \"1000\" },"
		" { \"EventName\": \"cmem_rd_data\", \"EventCode\": \"0x95\", \"Unit\": "
		"\"nvidia_scf_pmu\" },"
		" { \"EventName\": \"inst_retired\", \"EventCode\": \"0x94\" },"
		" { \"EventName\": \"page-faults\", \"EventCode\": \"0x93\" }]";
	static const char v1[] = "[{ \"EventName\": \"of_v1\", \"EventCode\": \"0x96\" }]";
	struct fixture fixture;
	struct gpmu_event *event;
	char path[SYSROOT_PATH];

	fixture_init(&fixture, "superchip");
	sysroot_put(&fixture.root, "events/made-up.json", json);
	sysroot_put(&fixture.root, "events/arch/arm64/arm/neoverse-v1/v1.json", v1);
	sysroot_path(&fixture.root, path, "events");
	ok(!gpmu_catalog_add(fixture.catalog, path, NULL),
	   "event: a folder is added to the catalog");
	is_event(&fixture, "nvidia_scf_pmu/made_up/",
		 "nvidia_scf_pmu_0/made_up/ = nvidia_scf_pmu_0 12 0x99; "
		 "nvidia_scf_pmu_1/made_up/ = nvidia_scf_pmu_1 17 0x99",
		 "an event of the catalog is found for a PMU without its number");
	is_event(&fixture, "made_up",
		 "nvidia_scf_pmu_0/made_up/ = nvidia_scf_pmu_0 12 0x99; "
		 "nvidia_scf_pmu_1/made_up/ = nvidia_scf_pmu_1 17 0x99",
		 "an event of the catalog is found without its PMU");
	is_event(&fixture, "core_made_up:u",
		 "core_made_up:u = armv8_pmuv3_0 8 0x98 -k -h",
		 "an event of the catalog is found for the cores");
	is_event(&fixture, "old_misses", "old_misses = armv8_pmuv3_0 3 0x10002",
		 "LegacyCacheCode is perf's generic cache event");
	is_event(&fixture, "nvidia_scf_pmu_0/cmem_rd_data/",
		 "nvidia_scf_pmu_0/cmem_rd_data/ = nvidia_scf_pmu_0 12 0x95",
		 "an added event takes precedence over one of sysfs");
	is_event(&fixture, "inst_retired", "inst_retired = armv8_pmuv3_0 8 0x94",
		 "an added event of the cores takes precedence over one of sysfs");
	is_event(&fixture, "page-faults", "page-faults = armv8_pmuv3_0 8 0x93",
		 "an added event takes precedence over one of the kernel");
	is_event(&fixture, "often", "often = armv8_pmuv3_0 8 0x97",
		 "SampleAfterValue is left out of a counting event");
	is_refused(&fixture, "of_v1", ENODEV, 0,
		   "this machine does not have the CPUs of this event: arm64/arm/neoverse-v1");
	event = gpmu_event_new(fixture.machine, fixture.catalog, "made_up", NULL);
	ok(event && gpmu_event_scale(event) == 32 && !strcmp(gpmu_event_unit(event), "B"),
	   "event: ScaleUnit of the catalog sets scale and unit");
	gpmu_event_free(event);
	is_refused(&fixture, "nvidia_pcie_pmu_0/made_up/", ENOENT, 18,
		   "made_up: nvidia_pcie_pmu_0 has no such event");
	fixture_release(&fixture);
}

int main(void)
{
	struct fixture fixture;

	fixture_init(&fixture, "superchip");
	grace(&fixture);
	filters(&fixture);
	refused(&fixture);
	syntax(&fixture);
	fixture_release(&fixture);
	fixture_init(&fixture, "laptop");
	laptop(&fixture);
	units(&fixture);
	time_units(&fixture);
	fixture_release(&fixture);
	odd();
	instances();
	catalog();
	return done_testing();
}
