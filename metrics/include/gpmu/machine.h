/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* machine: PMUs, nodes, PCI devices and GPUs of a machine */
#ifndef GPMU_MACHINE_API_H
#define GPMU_MACHINE_API_H

#include <stddef.h>
#include <stdint.h>

#include <gpmu/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A machine describes the PMUs, nodes, PCI devices and GPUs that gpmu_machine_new() finds. The
 * first query for PCI devices or warnings reads the PCI devices. If that fails for lack of memory
 * or file descriptors, there are no PCI devices and no warnings, and errno holds the error;
 * otherwise errno is unchanged. A machine and the objects obtained from it do not change, so
 * threads may share them. All pointers are borrowed from the machine. Functions with an index
 * return NULL after the last entry.
 */
struct gpmu_machine;
struct gpmu_pmu;
struct gpmu_node;
struct gpmu_pci;
struct gpmu_gpu;

enum gpmu_pmu_kind {
	GPMU_PMU_OTHER,		/* any other PMU */
	GPMU_PMU_CORE,		/* of the CPU cores */
	GPMU_PMU_SCF,		/* Grace: Scalable Coherency Fabric */
	GPMU_PMU_PCIE,		/* Grace: PCIe */
	GPMU_PMU_C2C0,		/* Grace: NVLink-C2C0 */
	GPMU_PMU_C2C1,		/* Grace: NVLink-C2C1 */
	GPMU_PMU_CNVLINK,	/* Grace: CNVLink */
};

/**
 * gpmu_machine_new() - reads the description of a machine from sysfs and procfs
 * @root: the folder that contains sys and proc; NULL: "/"
 * @error: set on failure, or NULL
 *
 * A malformed PMU, node or PCI device, or a malformed part of one, is left out with a warning:
 * gpmu_machine_warning().
 *
 * Return: a new machine; NULL with errno ENOMEM, EMFILE, ENFILE, or the error of opening @root
 */
struct gpmu_machine *gpmu_machine_new(const char *root, struct gpmu_error *error);
/**
 * gpmu_machine_open() - describes a machine as gpmu_machine_new() does, but reads sysfs later
 * @root: the folder that contains sys and proc; NULL: "/"
 * @error: set on failure, or NULL
 *
 * The first function that needs CPUs, nodes or PMUs reads all of them. gpmu_event_new() needs none
 * of them for a software event such as page-faults, so a program that counts only such events starts
 * faster. If the read fails for lack of memory or file descriptors, functions with a parameter @error
 * report the failure; other functions return 0 or NULL and set errno.
 *
 * Return: a new machine; NULL with errno ENOMEM, EMFILE, ENFILE, or the error of opening @root
 */
struct gpmu_machine *gpmu_machine_open(const char *root, struct gpmu_error *error);
/* Frees @machine; NULL is allowed. */
void gpmu_machine_free(struct gpmu_machine *machine);
/* Returns the @root of gpmu_machine_new() or gpmu_machine_open(); "/" if that was NULL */
const char *gpmu_machine_root(const struct gpmu_machine *machine);
/*
 * Returns a warning about an entry that was left out, "PATH: WHY", one line. There are at most
 * 101.
 */
const char *gpmu_machine_warning(const struct gpmu_machine *machine, size_t index);

/**
 * gpmu_machine_read() - reads the current content of a file below the machine's root
 * @machine: the machine
 * @path: relative to the root, "proc/sys/kernel/osrelease"
 * @buffer: set to the content without its last newline, and a NUL
 * @size: size of @buffer in bytes
 *
 * Return: the length of the text in bytes; -EFBIG if the file does not fit; another -errno
 */
int gpmu_machine_read(const struct gpmu_machine *machine, const char *path, char *buffer,
		      size_t size);

/* Returns MIDR_EL1 of the first online CPU; 0 if the machine has no such register */
uint64_t gpmu_machine_midr(const struct gpmu_machine *machine);
/*
 * Returns the number of online CPUs; sets *@cpus, unless @cpus is NULL, to their numbers,
 * ascending.
 */
size_t gpmu_machine_online_cpus(const struct gpmu_machine *machine, const int **cpus);

/*
 * Returns the PMU at @index. PMUs are sorted by name; numbers in names sort by value: _2 is
 * before _10.
 */
const struct gpmu_pmu *gpmu_machine_pmu(const struct gpmu_machine *machine, size_t index);
/* Returns the PMU with this exact name; NULL if there is none */
const struct gpmu_pmu *gpmu_machine_find_pmu(const struct gpmu_machine *machine, const char *name);

/* Returns the name, "nvidia_scf_pmu_0" */
const char *gpmu_pmu_name(const struct gpmu_pmu *pmu);
/* Returns the type for struct perf_event_attr; UINT32_MAX if a source counts the PMU */
uint32_t gpmu_pmu_type(const struct gpmu_pmu *pmu);
/* Returns which part of a machine the PMU counts */
enum gpmu_pmu_kind gpmu_pmu_kind(const struct gpmu_pmu *pmu);
/* Returns the identifier, "2cf0036b"; or NULL */
const char *gpmu_pmu_identifier(const struct gpmu_pmu *pmu);
/*
 * Returns the N of NAME_N, for a PMU of Grace also of NAME_N_inst_M: the number of its node; -1
 * if there is none.
 */
int gpmu_pmu_number(const struct gpmu_pmu *pmu);
/* Returns the node of all gpmu_pmu_cpus(), or, for a PMU of a GPU, the node of the GPU; or NULL */
const struct gpmu_node *gpmu_pmu_node(const struct gpmu_pmu *pmu);
/*
 * Returns 1 for a PMU outside the cores, which has a cpumask, and 0 for a PMU that counts CPUs
 * or tasks. An event of a PMU with a cpumask is opened on each of gpmu_pmu_cpus(), whatever the
 * target is. If there are no such CPUs, as while the socket is offline, only a source
 * (gpmu_pmu_source()) can count the event.
 */
int gpmu_pmu_has_cpumask(const struct gpmu_pmu *pmu);
/*
 * Returns the number of CPUs that the PMU counts on; sets *@cpus, unless @cpus is NULL, to
 * their numbers, ascending: the cpumask, or the online CPUs of a core PMU. 0 for other PMUs,
 * such as software.
 */
size_t gpmu_pmu_cpus(const struct gpmu_pmu *pmu, const int **cpus);
/*
 * Return the number of event counters without the cycle counter, their width in bits, and
 * whether the PMU has a cycle counter (1 or 0), from caps/ or from the source; -1 if not known.
 */
int gpmu_pmu_counter_count(const struct gpmu_pmu *pmu);
int gpmu_pmu_counter_width(const struct gpmu_pmu *pmu);
int gpmu_pmu_cycle_counter(const struct gpmu_pmu *pmu);

/* Return the name of the format or event at @index, sorted like names of PMUs */
const char *gpmu_pmu_format_name(const struct gpmu_pmu *pmu, size_t index);
const char *gpmu_pmu_event_name(const struct gpmu_pmu *pmu, size_t index);
/* Return the content of a format, "config1:0-9", or an event, "event=0x1a5"; NULL: no such name */
const char *gpmu_pmu_format(const struct gpmu_pmu *pmu, const char *name);
const char *gpmu_pmu_event(const struct gpmu_pmu *pmu, const char *name);
/* Returns the unit of an event's values in rows, "Joules"; NULL: no unit, or no such event */
const char *gpmu_pmu_event_unit(const struct gpmu_pmu *pmu, const char *name);

/*
 * Returns the name of the event at @index among the events that only the PMU's source lists, such
 * as NVML's; NULL after the last event. Sets *@unit and *@description to texts, or to NULL.
 */
const char *gpmu_pmu_source_event(const struct gpmu_pmu *pmu, size_t index, const char **unit,
				  const char **description);

/* Returns the NUMA node at @index, of the nodes that have CPUs, ascending by number */
const struct gpmu_node *gpmu_machine_node(const struct gpmu_machine *machine, size_t index);
/* Returns the number of the node, which the names of PMUs of Grace contain */
int gpmu_node_number(const struct gpmu_node *node);
/*
 * Returns the physical_package_id of its CPUs, perf's label S<n>; -1 if not known or not the
 * same for all.
 */
int gpmu_node_package(const struct gpmu_node *node);
/* Returns the number of its CPUs; sets *@cpus, unless @cpus is NULL, to their numbers, ascending */
size_t gpmu_node_cpus(const struct gpmu_node *node, const int **cpus);

/* Returns the PCI device at @index, without bridges, sorted by address */
const struct gpmu_pci *gpmu_machine_pci(const struct gpmu_machine *machine, size_t index);
/* Returns the address, "0008:01:00.0" */
const char *gpmu_pci_address(const struct gpmu_pci *pci);
/* Returns class, subclass and interface, 0x010802 */
uint32_t gpmu_pci_class(const struct gpmu_pci *pci);
/* Returns the name of the driver, "nvme"; or NULL */
const char *gpmu_pci_driver(const struct gpmu_pci *pci);
/* Returns the name of the device, "nvme0" or "eth0"; or NULL */
const char *gpmu_pci_name(const struct gpmu_pci *pci);
/* Returns the address of the root port above the device; NULL if there is none */
const char *gpmu_pci_root_port_address(const struct gpmu_pci *pci);
/* Returns the number of its NUMA node; -1 if not known */
int gpmu_pci_node(const struct gpmu_pci *pci);
/*
 * Returns the number of the root port above the device in its Grace socket, for the filter
 * root_port=1 << port; -1 if the device is not below a root port of a Grace.
 */
int gpmu_pci_root_port(const struct gpmu_pci *pci);
/* Returns the PMU that counts the traffic of the device; NULL if there is none */
const struct gpmu_pmu *gpmu_pci_pmu(const struct gpmu_pci *pci);

/* Returns the GPU at @index, in the order of the sources that provide GPUs */
const struct gpmu_gpu *gpmu_machine_gpu(const struct gpmu_machine *machine, size_t index);
/* Returns the GPU that the PMU counts; NULL if it counts none */
const struct gpmu_gpu *gpmu_pmu_gpu(const struct gpmu_pmu *pmu);
/*
 * Returns the index in gpmu_machine_gpu(). Other tools may number GPUs differently; the UUID is
 * unique.
 */
size_t gpmu_gpu_number(const struct gpmu_gpu *gpu);
/* Returns the UUID as NVML writes it, "GPU-8a56a4bc-..." */
const char *gpmu_gpu_uuid(const struct gpmu_gpu *gpu);
/* Return "NVIDIA GH200 480GB", "GH100", "0009:01:00.0"; NULL if no source provides it */
const char *gpmu_gpu_name(const struct gpmu_gpu *gpu);
const char *gpmu_gpu_chip(const struct gpmu_gpu *gpu);
const char *gpmu_gpu_pci(const struct gpmu_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_MACHINE_API_H */
