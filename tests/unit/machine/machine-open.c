// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu_machine_open() reads CPUs, nodes and PMUs when they are first needed. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gpmu.h"
#include "machine/machine.h"
#include "sysroot.h"
#include "tap.h"

#define PMUS	"sys/bus/event_source/devices/"

static const struct gpmu_pmu *event_pmu(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog,
					const char *text)
{
	struct gpmu_event *event = gpmu_event_new(machine, catalog, text, NULL);
	const struct gpmu_pmu *pmu = event ? gpmu_event_instance_pmu(event, 0) : NULL;

	ok(event != NULL, "machine: %s is an event of an opened machine", text);
	gpmu_event_free(event);
	return pmu;
}

static void events(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_pmu *software, *core;
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_make(&root, "superchip");
	machine = gpmu_machine_open(root.path, NULL);
	software = event_pmu(machine, catalog, "page-faults");
	ok(software && !strcmp(gpmu_pmu_name(software), "software") && gpmu_pmu_type(software) == 1,
	   "machine: a software event is of the PMU software");
	ok(event_pmu(machine, catalog, "context-switches:u") == software,
	   "machine: software events share their PMU");
	ok(!event_pmu(machine, catalog, "duration_time"), "machine: duration_time has no PMU");
	ok(!machine->has_counters, "machine: events of the kernel need no other PMU");
	core = event_pmu(machine, catalog, "inst_retired");
	ok(core && core == gpmu_machine_find_pmu(machine, "armv8_pmuv3_0"),
	   "machine: an event of the cores reads the PMUs");
	ok(machine->has_counters && gpmu_machine_find_pmu(machine, "software") == software,
	   "machine: the PMU of software events stays the same when the others are read");
	ok(event_pmu(machine, catalog, "page-faults") == software,
	   "machine: a later software event has the same PMU");
	gpmu_machine_free(machine);
	gpmu_catalog_free(catalog);
	sysroot_release(&root);
}

/* Each query is the first of its machine. */
static void queries(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_make(&root, "superchip");
	machine = gpmu_machine_open(root.path, &error);
	ok(gpmu_machine_online_cpus(machine, NULL) == 4, "machine: an opened machine has its CPUs");
	gpmu_machine_free(machine);
	machine = gpmu_machine_open(root.path, &error);
	ok(gpmu_machine_midr(machine), "machine: an opened machine has its MIDR");
	gpmu_machine_free(machine);
	machine = gpmu_machine_open(root.path, &error);
	ok(gpmu_machine_node(machine, 1) && !gpmu_machine_node(machine, 2), "machine: an opened machine has its nodes");
	gpmu_machine_free(machine);
	machine = gpmu_machine_open(root.path, &error);
	ok(gpmu_machine_pmu(machine, 14) && !gpmu_machine_pmu(machine, 15), "machine: an opened machine has its PMUs");
	gpmu_machine_free(machine);
	machine = gpmu_machine_open(root.path, &error);
	ok(!gpmu_machine_warning(machine, 0) && machine->has_counters, "machine: a query for warnings reads the PMUs");
	gpmu_machine_free(machine);
	sysroot_release(&root);
	machine = gpmu_machine_open("/var/empty/none", &error);
	ok(!machine && errno == ENOENT && strstr(error.text, "/var/empty/none"),
	   "machine: a folder that does not exist cannot be opened");
}

static void without_software(void)
{
	struct gpmu_machine *machine;
	const char *warning;
	struct sysroot root;
	uint64_t n = 0;

	sysroot_init(&root);
	sysroot_put(&root, PMUS "software/type", "x\n");
	machine = gpmu_machine_open(root.path, NULL);
	ok(!event_pmu(machine, NULL, "page-faults"), "machine: a malformed PMU of software events is left out");
	for (size_t i = 0; (warning = gpmu_machine_warning(machine, i)); i++)
		n += strstr(warning, PMUS "software/type") != NULL;
	is_u64(n, 1, "machine: a malformed PMU that two reads find has one warning");
	gpmu_machine_free(machine);
	sysroot_release(&root);

	sysroot_init(&root);
	sysroot_put(&root, "sys/devices/system/cpu/online", "0\n");
	machine = gpmu_machine_open(root.path, NULL);
	ok(!event_pmu(machine, NULL, "page-faults"), "machine: without PMUs a software event has none");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

/* Without file descriptors a read fails, and the next query repeats it. */
static void few_descriptors(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine;
	struct rlimit limit, low;
	struct sysroot root;
	int first;

	sysroot_make(&root, "superchip");
	machine = gpmu_machine_open(root.path, NULL);
	first = dup(0);
	close(first);
	getrlimit(RLIMIT_NOFILE, &limit);
	low = limit;
	low.rlim_cur = (rlim_t)first + 1;
	setrlimit(RLIMIT_NOFILE, &low);
	errno = 0;
	ok(!gpmu_machine_online_cpus(machine, NULL) && errno == EMFILE,
	   "machine: without file descriptors there are no CPUs, and errno is EMFILE");
	ok(!gpmu_event_new(machine, NULL, "inst_retired", &error) && errno == EMFILE &&
	   strstr(error.text, "Too many open files"), "machine: an event of the cores needs file descriptors");
	ok(!gpmu_event_new(machine, NULL, "page-faults", &error) && errno == EMFILE &&
	   strstr(error.text, "Too many open files"), "machine: the PMU of software events needs file descriptors");
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(gpmu_machine_online_cpus(machine, NULL) == 4, "machine: a read that failed is repeated");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

int main(void)
{
	events();
	queries();
	without_software();
	few_descriptors();
	return done_testing();
}
