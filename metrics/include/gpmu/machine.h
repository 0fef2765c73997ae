/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* machine: what can be counted here */
#ifndef GPMU_MACHINE_API_H
#define GPMU_MACHINE_API_H

#include <stddef.h>
#include <stdint.h>

#include <gpmu/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What was there when gpmu_machine_new() looked; PCI devices are looked for when they, or
 * warnings, are first asked for: without memory or file descriptors for that there are none,
 * and errno tells. A machine and all that is asked of it do not change: threads may share
 * them. Pointers are borrowed from the machine. Functions with an index return NULL after the last.
 */
struct gpmu_machine;
struct gpmu_pmu;
struct gpmu_node;
struct gpmu_pci;
struct gpmu_gpu;

enum gpmu_pmu_kind {
	GPMU_PMU_OTHER,
	GPMU_PMU_CORE,		/* of the CPUs themselves */
	GPMU_PMU_SCF,		/* these are a Grace's */
	GPMU_PMU_PCIE,
	GPMU_PMU_C2C0,
	GPMU_PMU_C2C1,
	GPMU_PMU_CNVLINK,
};

/**
 * gpmu_machine_new() - looks at a machine
 * @root: the folder below which sys and proc are; NULL: "/"
 * @error: set on failure, or NULL
 *
 * What cannot be used of a PMU, a node or a PCI device leaves out that alone:
 * gpmu_machine_warning().
 *
 * Return: new; NULL with errno ENOMEM, EMFILE, ENFILE, or that of opening @root
 */
struct gpmu_machine *gpmu_machine_new(const char *root, struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_machine_free(struct gpmu_machine *machine);
/* The folder that gpmu_machine_new() was given; "/" if that was NULL */
const char *gpmu_machine_root(const struct gpmu_machine *machine);
/* What was left out and why: "PATH: WHY" in one line. At most 101 */
const char *gpmu_machine_warning(const struct gpmu_machine *machine, size_t index);

/**
 * gpmu_machine_read() - reads a file now, such as "proc/sys/kernel/osrelease"
 * @machine: the machine
 * @path: below its root
 * @buffer: gets the file's bytes without the last newline, and a NUL
 * @size: of @buffer
 *
 * Return: the length; -EFBIG if the file does not fit, another -errno
 */
int gpmu_machine_read(const struct gpmu_machine *machine, const char *path, char *buffer,
		      size_t size);

/* MIDR_EL1 of the first CPU that is online; 0 where there is none such */
uint64_t gpmu_machine_midr(const struct gpmu_machine *machine);
/* How many CPUs are online, and could be; @cpus, unless NULL: their numbers, ascending */
size_t gpmu_machine_online_cpus(const struct gpmu_machine *machine, const int **cpus);
size_t gpmu_machine_possible_cpus(const struct gpmu_machine *machine, const int **cpus);

/* By name, with numbers in the order of their values: _2 is before _10. */
const struct gpmu_pmu *gpmu_machine_pmu(const struct gpmu_machine *machine, size_t index);
/* By its whole name; NULL: there is none of that name */
const struct gpmu_pmu *gpmu_machine_find_pmu(const struct gpmu_machine *machine, const char *name);

/* "nvidia_scf_pmu_0" */
const char *gpmu_pmu_name(const struct gpmu_pmu *pmu);
/* Of struct perf_event_attr; UINT32_MAX: none, as a source counts it */
uint32_t gpmu_pmu_type(const struct gpmu_pmu *pmu);
/* Which part of a machine it counts */
enum gpmu_pmu_kind gpmu_pmu_kind(const struct gpmu_pmu *pmu);
/* "2cf0036b", or NULL */
const char *gpmu_pmu_identifier(const struct gpmu_pmu *pmu);
/* N of NAME_N, of a Grace PMU also of NAME_N_inst_M: the number of its node. -1 if there is none */
int gpmu_pmu_number(const struct gpmu_pmu *pmu);
/* The node that all of gpmu_pmu_cpus() are of, of a GPU's PMU the one it is at; or NULL */
const struct gpmu_node *gpmu_pmu_node(const struct gpmu_pmu *pmu);
/*
 * 1: of something outside the cores: an event is opened on each of
 * gpmu_pmu_cpus(), whatever is to be counted, and if there are none, as while
 * the socket is offline, it cannot be counted, unless by gpmu_pmu_source(). 0: of
 * CPUs or tasks.
 */
int gpmu_pmu_has_cpumask(const struct gpmu_pmu *pmu);
/*
 * How many CPUs it counts on, and their numbers, ascending: a cpumask, or the
 * CPUs that are online of a core PMU. 0 for others, such as software.
 */
size_t gpmu_pmu_cpus(const struct gpmu_pmu *pmu, const int **cpus);
/* From caps/, or the source; -1: not known. Event counters beside the cycle counter, their bits, 1 or 0 */
int gpmu_pmu_counters(const struct gpmu_pmu *pmu);
int gpmu_pmu_counter_width(const struct gpmu_pmu *pmu);
int gpmu_pmu_cycle_counter(const struct gpmu_pmu *pmu);

/* Names of formats, events and caps, in the order of gpmu_machine_pmu() */
const char *gpmu_pmu_format_name(const struct gpmu_pmu *pmu, size_t index);
const char *gpmu_pmu_event_name(const struct gpmu_pmu *pmu, size_t index);
const char *gpmu_pmu_cap_name(const struct gpmu_pmu *pmu, size_t index);
/* "config1:0-9", "event=0x1a5", "6"; NULL: there is none of that name */
const char *gpmu_pmu_format(const struct gpmu_pmu *pmu, const char *name);
const char *gpmu_pmu_event(const struct gpmu_pmu *pmu, const char *name);
const char *gpmu_pmu_cap(const struct gpmu_pmu *pmu, const char *name);
/* An event's count times its scale is in its unit: "Joules". 1, NULL: none is given */
double gpmu_pmu_event_scale(const struct gpmu_pmu *pmu, const char *name);
const char *gpmu_pmu_event_unit(const struct gpmu_pmu *pmu, const char *name);

/* NUMA nodes with CPUs, ascending */
const struct gpmu_node *gpmu_machine_node(const struct gpmu_machine *machine, size_t index);
/* The number in the names of a Grace's PMUs */
int gpmu_node_number(const struct gpmu_node *node);
/* physical_package_id of its CPUs, perf's label S<n>; -1: not known, or not the same for all */
int gpmu_node_package(const struct gpmu_node *node);
/* How many CPUs it has; their numbers, ascending */
size_t gpmu_node_cpus(const struct gpmu_node *node, const int **cpus);

/* PCI devices that are no bridges, by address */
const struct gpmu_pci *gpmu_machine_pci(const struct gpmu_machine *machine, size_t index);
/* "0008:01:00.0" */
const char *gpmu_pci_address(const struct gpmu_pci *pci);
/* Class, subclass and interface: 0x010802 */
uint32_t gpmu_pci_class(const struct gpmu_pci *pci);
/* "nvme", or NULL */
const char *gpmu_pci_driver(const struct gpmu_pci *pci);
/* "nvme0", "eth0", ... or NULL */
const char *gpmu_pci_name(const struct gpmu_pci *pci);
/* NULL: there is none above it */
const char *gpmu_pci_root_port_address(const struct gpmu_pci *pci);
/* The number of its NUMA node, -1: not known */
int gpmu_pci_node(const struct gpmu_pci *pci);
/* A Grace's socket, and which of its root ports, for the filter root_port=1 << port; else -1 */
int gpmu_pci_socket(const struct gpmu_pci *pci);
int gpmu_pci_root_port(const struct gpmu_pci *pci);
/* The PMU that counts its traffic; NULL: there is none */
const struct gpmu_pmu *gpmu_pci_pmu(const struct gpmu_pci *pci);

/* GPUs that sources have brought (gpmu_machine_add_source()), in the order of the sources */
const struct gpmu_gpu *gpmu_machine_gpu(const struct gpmu_machine *machine, size_t index);
/* The GPU that a PMU counts; NULL: none */
const struct gpmu_gpu *gpmu_pmu_gpu(const struct gpmu_pmu *pmu);
/* Its index in gpmu_machine_gpu(); others may number GPUs otherwise, its UUID is everybody's */
size_t gpmu_gpu_number(const struct gpmu_gpu *gpu);
/* "GPU-8a56a4bc-..." */
const char *gpmu_gpu_uuid(const struct gpmu_gpu *gpu);
/* "NVIDIA GH200 480GB", "GH100", "0009:01:00.0"; NULL: no source has told */
const char *gpmu_gpu_name(const struct gpmu_gpu *gpu);
const char *gpmu_gpu_chip(const struct gpmu_gpu *gpu);
const char *gpmu_gpu_pci(const struct gpmu_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_MACHINE_API_H */
