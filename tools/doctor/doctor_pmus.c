// SPDX-License-Identifier: LGPL-2.1-or-later
/* doctor: the machine, its driver and its PMUs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_plural.h"
#include "doctor/doctor.h"
#include "machine/gpmu_midr.h"

#define APMT	    "sys/firmware/acpi/tables/APMT"
#define MAX_SOCKETS 16

static const struct {
	enum gpmu_pmu_kind kind;
	const char *name, *counts;
} kinds[] = {
	{ .kind = GPMU_PMU_SCF, .name = "nvidia_scf_pmu", .counts = "CPUs to memory and of the last-level cache" },
	{ .kind = GPMU_PMU_PCIE, .name = "nvidia_pcie_pmu", .counts = "PCIe devices" },
	{ .kind = GPMU_PMU_C2C0, .name = "nvidia_nvlink_c2c0_pmu",
	  .counts = "the GPU, or the other socket's PCIe devices" },
	{ .kind = GPMU_PMU_C2C1, .name = "nvidia_nvlink_c2c1_pmu", .counts = "the GPU without address translation" },
	{ .kind = GPMU_PMU_CNVLINK, .name = "nvidia_cnvlink_pmu", .counts = "other sockets' GPUs and PCIe devices" },
};

#define N_KINDS ARRAY_SIZE(kinds)

static bool is_grace_pmu(const struct gpmu_pmu *pmu)
{
	return gpmu_pmu_kind(pmu) >= GPMU_PMU_SCF;
}

void doctor_look(struct doctor *doctor)
{
	const struct gpmu_machine *machine = doctor->common.machine;
	bool is_v2 = gpmu_midr_is_neoverse_v2(gpmu_machine_midr(machine));
	const struct gpmu_pmu *pmu;
	const char *warning;

	doctor->is_here = common_is_here(&doctor->common);
	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		doctor->has_pmus = doctor->has_pmus || is_grace_pmu(pmu);
	doctor->is_grace = doctor->has_pmus || (is_v2 && doctor_exists(doctor, APMT));
	if (doctor->has_pmus)
		doctor_find(doctor, LEVEL_OK, "machine", NULL, "an NVIDIA Grace");
	else if (doctor->is_grace)
		doctor_find(doctor, LEVEL_OK, "machine", NULL,
			    "Neoverse V2 with an APMT table, as on an NVIDIA Grace");
	else
		doctor_find(doctor, LEVEL_OK, "machine", NULL,
			    "not an NVIDIA Grace%s: Grace-only checks skipped",
			    is_v2 ? ", or a virtual machine on one" : "");
	for (size_t i = 0; (warning = gpmu_machine_warning(machine, i)); i++)
		doctor_find(doctor, LEVEL_WARNING, "machine", NULL, "%s", warning);
}

/* --- driver --- */

static bool has_driver(const struct doctor *doctor, const char *module, const char *driver)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/module/%s", module);
	if (doctor_exists(doctor, path))
		return true;
	snprintf(path, sizeof(path), "sys/bus/platform/drivers/%s", driver);
	return doctor_exists(doctor, path);
}

static void no_driver(struct doctor *doctor, bool has_in_tree_driver, bool has_own_driver)
{
	if (has_own_driver || has_in_tree_driver)
		doctor_find(doctor, LEVEL_PROBLEM, "driver",
			    has_in_tree_driver ? "sudo modprobe nvidia_cspmu; sudo dmesg | grep -i cspmu" :
				      "sudo dmesg | grep grace-cspmu",
			    "%s is loaded but has no PMU",
			    has_in_tree_driver ? "arm_cspmu_module" : "grace_cspmu");
	else
		doctor_find(
			doctor, LEVEL_PROBLEM, "driver",
			"sudo modprobe -a arm_cspmu_module nvidia_cspmu, or if the kernel lacks "
			"them: sudo modprobe grace_cspmu (gpmu's kernel-drivers: make dkms)",
			"no driver of Grace's PMUs is loaded");
}

void doctor_check_driver(struct doctor *doctor)
{
	bool has_own_driver = has_driver(doctor, "grace_cspmu", "grace-cspmu");
	bool has_in_tree_driver = has_driver(doctor, "arm_cspmu_module", "arm-cs-arch-pmu");

	if (!doctor->is_grace)
		return;
	if (!doctor->has_pmus)
		no_driver(doctor, has_in_tree_driver, has_own_driver);
	else if (has_own_driver && has_in_tree_driver)
		doctor_find(doctor, LEVEL_OK, "driver", NULL,
			    "grace_cspmu and the kernel's "
			    "arm_cspmu_module: each device belongs to the driver that bound it first");
	else if (has_own_driver || has_in_tree_driver)
		doctor_find(doctor, LEVEL_OK, "driver", NULL, "%s",
			    has_own_driver ? "grace_cspmu" :
				   "the kernel's arm_cspmu_module and nvidia_cspmu");
	else
		doctor_find(doctor, LEVEL_OK, "driver", NULL, "built into the kernel, or PMUs of "
			"a source plugin");
	if (doctor_exists(doctor, APMT))
		doctor_find(doctor, LEVEL_OK, "firmware", NULL,
			    "has the table APMT, which describes the PMUs");
	else if (!doctor->has_pmus)
		doctor_find(doctor, LEVEL_PROBLEM, "firmware", "update the machine's firmware",
			    "has no table APMT, which describes the PMUs");
}

/* --- PMUs --- */

static size_t find_sockets(const struct doctor *doctor, int *sockets)
{
	const struct gpmu_pmu *pmu;
	size_t n = 0, j;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(doctor->common.machine, i)); i++) {
		int number = gpmu_pmu_number(pmu);

		for (j = 0; j < n && sockets[j] != number; j++)
			;
		if (is_grace_pmu(pmu) && number >= 0 && j == n && n < MAX_SOCKETS)
			sockets[n++] = number;
	}
	return n;
}

/* Only a missing SCF PMU is a problem. A Grace without other sockets has no CNVLink. */
static void missing_pmu(struct doctor *doctor, size_t kind, const char *name, size_t sockets)
{
	if (kinds[kind].kind == GPMU_PMU_CNVLINK && sockets == 1)
		return;
	doctor_find(doctor, kinds[kind].kind == GPMU_PMU_SCF ? LEVEL_PROBLEM : LEVEL_WARNING, "PMU",
		    "sudo dmesg | grep -i cspmu", "no %s: traffic of %s is not counted", name,
		    kinds[kind].counts);
}

static void describe_counters(const struct gpmu_pmu *pmu, char *text, size_t size)
{
	int counters = gpmu_pmu_counter_count(pmu), width = gpmu_pmu_counter_width(pmu);

	if (counters < 0)
		snprintf(text, size,
			 "number of counters unknown, gpmu probes the kernel");
	else if (width > 0)
		snprintf(text, size, "%d %s of %d bits", counters,
			 gpmu_plural((uint64_t)counters, "counter", "counters"), width);
	else
		snprintf(text, size, "%d %s", counters, gpmu_plural((uint64_t)counters, "counter", "counters"));
}

static void check_pmu(struct doctor *doctor, size_t kind, int socket, size_t sockets)
{
	const struct gpmu_pmu *pmu;
	char name[64], text[128];
	const int *cpus;

	snprintf(name, sizeof(name), "%s_%d", kinds[kind].name, socket);
	pmu = gpmu_machine_find_pmu(doctor->common.machine, name);
	if (!pmu) {
		missing_pmu(doctor, kind, name, sockets);
		return;
	}
	if (!gpmu_pmu_source(pmu) && gpmu_pmu_has_cpumask(pmu) && !gpmu_pmu_cpus(pmu, &cpus)) {
		doctor_find(
			doctor, LEVEL_PROBLEM, "PMU",
			"echo 1 | sudo tee /sys/devices/system/cpu/cpuN/online, N being a CPU of "
			"that socket",
			"%s: no CPU of its socket is online", name);
		return;
	}
	describe_counters(pmu, text, sizeof(text));
	doctor_find(doctor, LEVEL_OK, "PMU", NULL, "%s: %s", name, text);
}

/* Checks whether a program may read its own counters of the CPUs without a system call. */
static void check_user_reads(struct doctor *doctor, const struct gpmu_pmu *core)
{
	static const char sysctl[] = "perf_user_access";
	char path[128], text[16];
	bool is_arm;

	snprintf(path, sizeof(path), "proc/sys/kernel/%s", sysctl);
	is_arm = doctor_read(doctor, path, text, sizeof(text));
	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/rdpmc", gpmu_pmu_name(core));
	if (!is_arm && !doctor_read(doctor, path, text, sizeof(text)))
		doctor_find(doctor, LEVEL_OK, "PMU", NULL,
			    "reads in user space: no, the kernel does not support them");
	else if (strtol(text, NULL, 10) > 0)
		doctor_find(doctor, LEVEL_OK, "PMU", NULL,
			    "reads in user space: yes, regions of programs need no system call");
	else
		doctor_find(doctor, LEVEL_OK, "PMU",
			    is_arm ? "sudo sysctl kernel.perf_user_access=1" :
				  "echo 1 | sudo tee /sys/bus/event_source/devices/cpu*/rdpmc",
			    "reads in user space: no, %s is %s", is_arm ? sysctl : "rdpmc", text);
}

static void check_core(struct doctor *doctor)
{
	const struct gpmu_pmu *pmu, *core = NULL;
	bool has_spe = false;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(doctor->common.machine, i)); i++) {
		if (!core && gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
			core = pmu;
		has_spe = has_spe || !strncmp(gpmu_pmu_name(pmu), "arm_spe_", 8);
	}
	if (core)
		doctor_find(doctor, LEVEL_OK, "PMU", NULL, "the CPUs have a PMU%s",
			    has_spe ? ", and SPE" : "");
	else
		doctor_find(
			doctor, LEVEL_WARNING, "PMU", NULL,
			"the CPUs have no PMU: cycles and instructions cannot be counted; a "
			"virtual machine's host can enable it");
	if (core)
		check_user_reads(doctor, core);
	if (doctor->is_grace && !has_spe)
		doctor_find(
			doctor, LEVEL_WARNING, "PMU",
			"sudo modprobe arm_spe_pmu; if that does not help, boot with kpti=off",
			"no arm_spe_0: perf record and perf c2c cannot sample memory accesses");
}

void doctor_check_pmus(struct doctor *doctor)
{
	int sockets[MAX_SOCKETS];
	size_t n = find_sockets(doctor, sockets);

	for (size_t i = 0; i < n; i++)
		for (size_t kind = 0; kind < N_KINDS; kind++)
			check_pmu(doctor, kind, sockets[i], n);
	check_core(doctor);
}
