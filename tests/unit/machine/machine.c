// SPDX-License-Identifier: LGPL-2.1-or-later
/* A Grace Superchip with the in-tree driver, and with the out-of-tree driver */
#include <errno.h>

#include "sysroot.h"
#include "gpmu.h"
#include "machine/pmu.h"
#include "tap.h"

static const char *cpus_text(size_t len, const int *cpus)
{
	static char text[64];

	text[0] = '\0';
	for (size_t i = 0; i < len; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), i ? " %d" : "%d", cpus[i]);
	return text;
}

static const char *pmu_cpus(const struct gpmu_pmu *pmu)
{
	const int *cpus;
	size_t len = gpmu_pmu_cpus(pmu, &cpus);

	return cpus_text(len, cpus);
}

static const char *names(const char *(*name)(const struct gpmu_pmu *, size_t),
			 const struct gpmu_pmu *pmu)
{
	static char text[2048];

	text[0] = '\0';
	for (size_t i = 0; name(pmu, i); i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), i ? " %s" : "%s",
			 name(pmu, i));
	return text;
}

/* As perf list shows them, but with numbers sorted by value */
static const struct {
	const char *name;
	uint32_t type;
	enum gpmu_pmu_kind kind;
	const char *identifier;
	int number, node;
	int has_cpumask;
	const char *cpus;
} pmus[] = {
	{ "arm_spe_0", 9, GPMU_PMU_OTHER, NULL, 0, 0, 1, "0" },
	{ "armv8_pmuv3_0", 8, GPMU_PMU_CORE, NULL, 0, -1, 0, "0 1 2 3" },
	{ "breakpoint", 5, GPMU_PMU_OTHER, NULL, -1, -1, 0, "" },
	{ "nvidia_cnvlink_pmu_0", 16, GPMU_PMU_CNVLINK, "1060036b", 0, 0, 1, "0" },
	{ "nvidia_cnvlink_pmu_1", 21, GPMU_PMU_CNVLINK, "1060036b", 1, 1, 1, "2" },
	{ "nvidia_nvlink_c2c0_pmu_0", 14, GPMU_PMU_C2C0, "1050036b", 0, 0, 1, "0" },
	{ "nvidia_nvlink_c2c0_pmu_1", 19, GPMU_PMU_C2C0, "1050036b", 1, 1, 1, "2" },
	{ "nvidia_nvlink_c2c1_pmu_0", 15, GPMU_PMU_C2C1, "1040036b", 0, 0, 1, "0" },
	{ "nvidia_nvlink_c2c1_pmu_1", 20, GPMU_PMU_C2C1, "1040036b", 1, 1, 1, "2" },
	{ "nvidia_pcie_pmu_0", 13, GPMU_PMU_PCIE, "1030036b", 0, 0, 1, "0" },
	{ "nvidia_pcie_pmu_1", 18, GPMU_PMU_PCIE, "1030036b", 1, 1, 1, "2" },
	{ "nvidia_scf_pmu_0", 12, GPMU_PMU_SCF, "2cf0036b", 0, 0, 1, "0" },
	{ "nvidia_scf_pmu_1", 17, GPMU_PMU_SCF, "2cf0036b", 1, 1, 1, "2" },
	{ "software", 1, GPMU_PMU_OTHER, NULL, -1, -1, 0, "" },
	{ "tracepoint", 2, GPMU_PMU_OTHER, NULL, -1, -1, 0, "" },
};

#define PMUS	(sizeof(pmus) / sizeof(pmus[0]))

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void listing(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu;
	const int *cpus;

	for (size_t i = 0; i < PMUS; i++) {
		pmu = gpmu_machine_pmu(machine, i);
		if (!ok(pmu && is_same(gpmu_pmu_name(pmu), pmus[i].name),
			"machine: PMU %s is listed in order", pmus[i].name))
			continue;
		ok(gpmu_pmu_type(pmu) == pmus[i].type && gpmu_pmu_kind(pmu) == pmus[i].kind,
		   "machine: PMU %s has its type and kind", pmus[i].name);
		ok(is_same(gpmu_pmu_identifier(pmu), pmus[i].identifier),
		   "machine: PMU %s has its identifier",
		   pmus[i].name);
		ok(gpmu_pmu_number(pmu) == pmus[i].number,
		   "machine: PMU %s has its number", pmus[i].name);
		ok(gpmu_pmu_node(pmu) ? gpmu_node_number(gpmu_pmu_node(pmu)) == pmus[i].node :
		   pmus[i].node == -1, "machine: PMU %s has its node", pmus[i].name);
		ok(gpmu_pmu_has_cpumask(pmu) == pmus[i].has_cpumask &&
		   is_same(pmu_cpus(pmu), pmus[i].cpus), "machine: PMU %s has its CPUs", pmus[i].name);
		ok(gpmu_pmu_cpus(pmu, NULL) == gpmu_pmu_cpus(pmu, &cpus),
		   "machine: the number of CPUs of PMU %s is returned without a list", pmus[i].name);
		ok(gpmu_machine_find_pmu(machine, pmus[i].name) == pmu,
		   "machine: PMU %s is found by its name", pmus[i].name);
	}
	ok(!gpmu_machine_pmu(machine, PMUS) && !gpmu_machine_pmu(machine, SIZE_MAX),
	   "machine: no other PMU is listed");
	ok(!gpmu_machine_find_pmu(machine, "nvidia_scf_pmu") &&
	   !gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_2") &&
	   !gpmu_machine_find_pmu(machine, ""), "machine: a PMU is not found by another name");
	ok(!gpmu_machine_warning(machine, 0), "machine: a complete machine has no warnings");
}

static void attributes(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *scf = gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_1");
	const struct gpmu_pmu *pcie = gpmu_machine_find_pmu(machine, "nvidia_pcie_pmu_0");
	const struct gpmu_pmu *c2c0 = gpmu_machine_find_pmu(machine, "nvidia_nvlink_c2c0_pmu_0");
	const struct gpmu_pmu *cnvlink = gpmu_machine_find_pmu(machine, "nvidia_cnvlink_pmu_0");

	if (!scf || !pcie || !c2c0 || !cnvlink)
		return;
	is_str(names(gpmu_pmu_event_name, pcie),
	       "cycles rd_bytes_loc rd_bytes_rem rd_cum_outs_loc rd_cum_outs_rem rd_req_loc "
	       "rd_req_rem total_bytes_loc total_bytes_rem total_req_loc total_req_rem "
	       "wr_bytes_loc wr_bytes_rem wr_req_loc wr_req_rem",
	       "machine: a PCIe PMU has its events");
	ok(gpmu_pmu_event_name(scf, 53) && !gpmu_pmu_event_name(scf, 54),
	   "machine: an SCF PMU has 54 events");
	is_str(gpmu_pmu_event(scf, "cmem_rd_data"), "event=0x1a5",
	       "machine: an SCF event has its text");
	is_str(gpmu_pmu_event(scf, "cycles"), "event=0x100000000",
	       "machine: the SCF's cycles has its text");
	ok(!gpmu_pmu_event(scf, "rd_bytes_loc") && !gpmu_pmu_event(scf, ""),
	   "machine: an SCF PMU lacks other PMUs' events");
	ok(pmu_event_scale(scf, "cmem_rd_data") == 1 &&
	   !gpmu_pmu_event_unit(scf, "cmem_rd_data"),
	   "machine: an SCF event has scale 1 and no unit");
	is_str(names(gpmu_pmu_format_name, scf), "event",
	       "machine: an SCF PMU has the format event");
	is_str(names(gpmu_pmu_format_name, pcie), "event root_port",
	       "machine: a PCIe PMU has the formats event and root_port");
	is_str(gpmu_pmu_format(pcie, "event"), "config:0-32",
	       "machine: a PCIe PMU's format has its text");
	is_str(gpmu_pmu_format(pcie, "root_port"), "config1:0-9",
	       "machine: a PCIe PMU has its filter root_port");
	is_str(gpmu_pmu_format(c2c0, "port"), "config1:0-1",
	       "machine: a C2C PMU has its filter port");
	is_str(gpmu_pmu_format(cnvlink, "rem_socket"), "config1:0-3",
	       "machine: a CNVLink PMU has its filter rem_socket");
	ok(!gpmu_pmu_format(scf, "root_port"), "machine: an SCF PMU has no filter");
}

static void caps(const struct gpmu_machine *in_tree, const struct gpmu_machine *ours)
{
	const struct gpmu_pmu *theirs = gpmu_machine_find_pmu(in_tree, "nvidia_scf_pmu_0");
	const struct gpmu_pmu *scf = gpmu_machine_find_pmu(ours, "nvidia_scf_pmu_0");
	const struct gpmu_pmu *core = gpmu_machine_find_pmu(ours, "armv8_pmuv3_0");

	if (!scf || !theirs || !core)
		return;
	ok(gpmu_pmu_counter_count(theirs) == -1 && gpmu_pmu_counter_width(theirs) == -1 &&
	   gpmu_pmu_cycle_counter(theirs) == -1 && !pmu_cap(theirs, "counters"),
	   "machine: the in-tree driver's counters are unknown");
	ok(gpmu_pmu_counter_count(scf) == 6 && gpmu_pmu_counter_width(scf) == 64 &&
	   gpmu_pmu_cycle_counter(scf) == 1,
	   "machine: the out-of-tree driver has six counters of 64 bits and the cycle counter");
	is_str(pmu_cap(scf, "counters"), "6", "machine: the out-of-tree driver's cap has its text");
	is_str(pmu_cap(core, "slots"), "0x00000008", "machine: a core PMU's cap has its text");
	ok(gpmu_pmu_counter_count(core) == -1 && !pmu_cap(core, "counters"),
	   "machine: a core PMU's counters are unknown");
}

static void nodes(const struct gpmu_machine *machine)
{
	const struct gpmu_node *node;
	const int *cpus;
	size_t len;

	for (int i = 0; i < 2; i++) {
		node = gpmu_machine_node(machine, (size_t)i);
		if (!ok(node && gpmu_node_number(node) == i, "machine: node %d is found", i))
			continue;
		ok(gpmu_node_package(node) == i, "machine: node %d has its package", i);
		len = gpmu_node_cpus(node, &cpus);
		is_str(cpus_text(len, cpus), i ? "2 3" : "0 1", "machine: a node has its CPUs");
		is_u64(gpmu_node_cpus(node, NULL), 2,
		       "machine: the number of a node's CPUs is returned without a list");
	}
	ok(!gpmu_machine_node(machine, 2), "machine: there are two nodes");
	len = gpmu_machine_online_cpus(machine, &cpus);
	is_u64(gpmu_machine_online_cpus(machine, NULL), len,
	       "machine: the number of CPUs is returned without a list");
	is_str(cpus_text(len, cpus), "0 1 2 3", "machine: the online CPUs are listed");
	ok(gpmu_machine_midr(machine) == 0x410fd4f0, "machine: MIDR is a Neoverse V2's");
}

static void reading(const struct gpmu_machine *machine, const char *root)
{
	char text[64] = "#";

	is_str(gpmu_machine_root(machine), root, "machine: a machine has its root");
	ok(gpmu_machine_read(machine, "proc/sys/kernel/osrelease", text, sizeof(text)) == 5 &&
	   !strcmp(text, "7.3.0"),
	   "machine: gpmu_machine_read() returns text and length without the newline");
	ok(gpmu_machine_read(machine, "/proc/sys/kernel/osrelease", text, sizeof(text)) == 5,
	   "machine: gpmu_machine_read() accepts a path that begins with /");
	ok(gpmu_machine_read(machine, "proc/sys/kernel/osrelease", text, 7) == 5 &&
	   gpmu_machine_read(machine, "proc/sys/kernel/osrelease", text, 6) == -EFBIG &&
	   gpmu_machine_read(machine, "proc/sys/kernel/osrelease", text, 0) == -EFBIG,
	   "machine: gpmu_machine_read() needs room for the text and the NUL");
	ok(!gpmu_machine_read(machine, "sys/devices/software/uevent", text, sizeof(text)) && !*text,
	   "machine: gpmu_machine_read() returns an empty text for an empty file");
	ok(gpmu_machine_read(machine, "proc/none", text, sizeof(text)) == -ENOENT &&
	   gpmu_machine_read(machine, "proc/sys", text, sizeof(text)) == -EISDIR,
	   "machine: gpmu_machine_read() fails for an absent file and for a folder");
}

static void no_machine(void)
{
	struct gpmu_error error = { .size = sizeof(error), .offset = 7, .text = "#" };
	struct gpmu_machine *machine;

	errno = 0;
	machine = gpmu_machine_new("tests/sysroot/none", &error);
	ok(!machine && errno == ENOENT, "machine: an absent root is ENOENT");
	ok(!strcmp(error.text, "tests/sysroot/none: No such file or directory") && !error.offset,
	   "machine: the error for an absent root names it");
	ok(!gpmu_machine_new("tests/sysroot/make", NULL) && errno == ENOTDIR,
	   "machine: a root that is a file is ENOTDIR, and the error can be NULL");
	gpmu_machine_free(NULL);
	machine = gpmu_machine_new(NULL, &error);
	ok(machine && !strcmp(gpmu_machine_root(machine), "/"),
	   "machine: the default root is this machine's");
	gpmu_machine_free(machine);
}

int main(void)
{
	struct gpmu_machine *in_tree, *ours;
	struct sysroot roots[2];

	sysroot_make(&roots[0], "superchip");
	sysroot_make(&roots[1], "superchip-ours");
	in_tree = gpmu_machine_new(roots[0].path, NULL);
	ours = gpmu_machine_new(roots[1].path, NULL);
	if (ok(in_tree && ours, "machine: machines with either driver are read")) {
		listing(in_tree);
		listing(ours);
		attributes(in_tree);
		attributes(ours);
		caps(in_tree, ours);
		nodes(in_tree);
		reading(in_tree, roots[0].path);
	}
	gpmu_machine_free(in_tree);
	gpmu_machine_free(ours);
	sysroot_release(&roots[0]);
	sysroot_release(&roots[1]);
	no_machine();
	return done_testing();
}
