/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations shared by the parts of the driver for NVIDIA Grace PMUs.
 *
 *   device.c       probes a platform device
 *   core.c         the callbacks of struct pmu, CPU hotplug
 *   sysfs.c        attributes
 *   counter.c      counters: read, preset, overflow interrupt
 *   lock.c         the lock of a PMU and its rules
 *   ident.c        identification, counter configuration, CPUs and name of a PMU
 *   nvidia.c       tables of PMU variants and events
 *   apmt_device.c  creates platform devices where the kernel does not
 *   apmt.c         the APMT and the node of a device in it
 *
 * trace.h has the tracepoints; counter.c defines them.
 * A file calls functions of the files below it only.
 */
#ifndef GRACE_CSPMU_H
#define GRACE_CSPMU_H

#include <linux/acpi.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/io.h>
#include <linux/kconfig.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>

#include "regs.h"

#define GRACE_DRIVER		"grace-cspmu"

/* The name that the kernel's APMT code gives its platform devices */
#define GRACE_DEVICE		"arm-cs-arch-pmu"

/* Event number of the cycle counter. Other event numbers have at most 32 bits. */
#define GRACE_CYCLES		BIT_ULL(32)

/**
 * struct grace_event - one event of a PMU variant
 * @name: name in sysfs
 * @id: value of PMEVTYPER, or GRACE_CYCLES
 */
struct grace_event {
	const char *name;
	u64 id;
};

/**
 * struct grace_variant - one of the five PMU variants of Grace
 * @part: product, variant and revision fields of PMIIDR
 * @name: name of the PMU without its number
 * @events: the named events, ends with a NULL name
 * @filter_name: name of the filter's format attribute, NULL if there is no filter
 * @filter_format: value of the filter's format attribute
 * @filter_mask: bits of the filter; all bits set select all traffic
 */
struct grace_variant {
	u32 part;
	const char *name;
	const struct grace_event *events;
	const char *filter_name;
	const char *filter_format;
	u32 filter_mask;
};

/**
 * struct grace_pmu - one PMU
 * @pmu: the PMU registered with perf
 * @dev: the platform device
 * @node: its node in the APMT
 * @variant: the tables of its variant
 * @name: name in perf
 * @iidr: identification, in the layout of PMIIDR
 * @counters: number of event counters, without the cycle counter
 * @has_cycles: there is a cycle counter, number GRACE_CYCLE_IDX
 * @page0: first page
 * @page1: second page; equal to @page0 in a PMU of one page
 * @irq: overflow interrupt
 * @cpus: CPUs of its socket
 * @active: the CPU of @cpus that counts; empty while the socket is offline
 * @cpu: the only CPU on which events are added. It is the CPU in @active, except
 *       that it is already the next CPU while the events migrate, and remains the
 *       last CPU while @active is empty.
 * @hotplug: node in the list of the hotplug state
 * @is_registered: the PMU is registered with perf
 * @failed_reads: failed counter reads that no message has reported yet
 * @lock: guards the registers and all members below; see lock.c. The overflow
 *        interrupt may arrive on any CPU: it may be shared by PMUs of several
 *        sockets, and setting its affinity may fail.
 * @is_running: PMCR.E is set
 * @used: counters in use by an event
 * @events: the event of each used counter
 */
struct grace_pmu {
	struct pmu pmu;
	struct device *dev;
	const struct acpi_apmt_node *node;
	const struct grace_variant *variant;
	const char *name;
	u32 iidr;
	unsigned int counters;
	bool has_cycles;
	void __iomem *page0;
	void __iomem *page1;
	int irq;

	cpumask_t cpus;
	cpumask_t active;
	int cpu;
	struct hlist_node hotplug;
	bool is_registered;
	atomic_t failed_reads;

	raw_spinlock_t lock;
	bool is_running;
	DECLARE_BITMAP(used, GRACE_INDEXES);
	struct perf_event *events[GRACE_INDEXES];
};

#define to_grace_pmu(p)		container_of(p, struct grace_pmu, pmu)

/* nvidia.c */
const struct grace_variant *grace_find_variant(u32 iidr);

/* ident.c */
int grace_identify(struct grace_pmu *gp);
int grace_find_cpus(struct grace_pmu *gp);

/* core.c */
int grace_core_init(void);
void grace_core_exit(void);
int grace_core_register(struct grace_pmu *gp);

/* lock.c */
void grace_lock(struct grace_pmu *gp, unsigned long *flags) __acquires(&gp->lock);
void grace_unlock(struct grace_pmu *gp, unsigned long flags) __releases(&gp->lock);
void grace_locked(struct grace_pmu *gp, struct perf_event *event,
		  void (*function)(struct grace_pmu *gp, struct perf_event *event));

/* counter.c: all except the interrupt handler and the reset require the lock */
void grace_counters_reset(struct grace_pmu *gp);
void grace_counter_preset(struct grace_pmu *gp, struct perf_event *event);
void grace_counter_enable(struct grace_pmu *gp, int idx);
void grace_counter_disable(struct grace_pmu *gp, int idx);
int grace_counter_update(struct grace_pmu *gp, struct perf_event *event);
irqreturn_t grace_overflow(int irq, void *data);

/* apmt.c */
int grace_apmt_init(void);
void grace_apmt_exit(void);
const struct acpi_table_header *grace_apmt_table(void);
const struct acpi_apmt_node *grace_apmt_node(struct device *dev);

/* apmt_device.c */
#if IS_ENABLED(CONFIG_ACPI_APMT)
static inline void grace_apmt_add_devices(void)
{
}

static inline void grace_apmt_remove_devices(void)
{
}
#else
void grace_apmt_add_devices(void);
void grace_apmt_remove_devices(void);
#endif

/* sysfs.c */
const struct attribute_group **grace_make_groups(struct grace_pmu *gp);

#endif /* GRACE_CSPMU_H */
