/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMUs of NVIDIA Grace: what the parts of the driver share.
 *
 *   device.c   a platform device becomes a PMU, or is left alone
 *   ident.c    who made the PMU, which counters it has, what it is called
 *   core.c     the callbacks of struct pmu, CPU hotplug
 *   counter.c  counters: read, preset, overflow interrupt
 *   poll.c     counters that would wrap unseen: the timer
 *   sysfs.c    attributes
 *   nvidia.c   the tables
 *   apmt.c     the parser of the APMT
 *   apmt_check.c   is a device's node in order?
 *   apmt_device.c  makes the devices where the kernel does not
 */
#ifndef GRACE_CSPMU_H
#define GRACE_CSPMU_H

#include <linux/acpi.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>

#include "regs.h"

#define GRACE_DRIVER		"grace-cspmu"

/* What the kernel's APMT code calls its platform devices */
#define GRACE_DEVICE		"arm-cs-arch-pmu"

/* The event that stands for the cycle counter: no 32-bit event can be it */
#define GRACE_CYCLES		BIT_ULL(32)

/**
 * struct grace_event - one event of a kind of PMU
 * @name: name in sysfs
 * @id: value of PMEVTYPER, or GRACE_CYCLES
 * @max_inc: the most it counts in one cycle of the PMU, 0 if no bound is known
 */
struct grace_event {
	const char *name;
	u64 id;
	u32 max_inc;
};

/**
 * struct grace_kind - one of the five kinds of PMU that Grace has
 * @part: product, variant and revision fields of PMIIDR
 * @name: name of the PMU less its socket
 * @events: the named events, ends with a NULL name
 * @filter_name: name of the format of the filter, NULL if it has none
 * @filter_format: where perf puts the filter
 * @filter_mask: bits of the filter, which is also the filter that lets all pass
 */
struct grace_kind {
	u32 part;
	const char *name;
	const struct grace_event *events;
	const char *filter_name;
	const char *filter_format;
	u32 filter_mask;
};

/**
 * struct grace_config - what PMCFGR says
 * @counters: event counters, the cycle counter not among them
 * @width: bits of a counter
 * @has_cycles: there is a cycle counter, number GRACE_CYCLE_IDX
 */
struct grace_config {
	unsigned int counters;
	unsigned int width;
	bool has_cycles;
};

/**
 * struct grace_pmu - one PMU
 * @pmu: perf's side of it
 * @dev: the platform device
 * @kind: its tables
 * @cfg: its counters
 * @name: name in perf
 * @iidr: identification, shown in sysfs
 * @page0: first page
 * @page1: second page, or the first again
 * @atomic: 64-bit counters can be read and written in one access
 * @irq: overflow interrupt, 0 if none
 * @cpus: CPUs of its socket
 * @active: the one of them that counts, none while the socket is offline
 * @node: in the list of the hotplug state
 * @registered: perf knows the PMU
 * @lock: guards what follows and the registers. The overflow interrupt may
 *        come to any CPU: it is shared between PMUs of both sockets, or its
 *        affinity cannot be set.
 * @running: PMCR.E is set
 * @implemented: event counters that exist, by number
 * @used: counters that have an event
 * @events: the event of each used counter
 * @unstable: reads that were given up
 * @timer: reads the counters before they wrap unseen
 * @poll_ns: its period, 0 while it is stopped
 * @polled: when it last did
 */
struct grace_pmu {
	struct pmu pmu;
	struct device *dev;
	const struct grace_kind *kind;
	struct grace_config cfg;
	const char *name;
	u32 iidr;
	void __iomem *page0;
	void __iomem *page1;
	bool atomic;
	int irq;

	cpumask_t cpus;
	cpumask_t active;
	struct hlist_node node;
	bool registered;

	raw_spinlock_t lock;
	bool running;
	DECLARE_BITMAP(implemented, GRACE_MAX_COUNTERS);
	DECLARE_BITMAP(used, GRACE_MAX_COUNTERS);
	struct perf_event *events[GRACE_MAX_COUNTERS];
	unsigned long unstable;

	struct hrtimer timer;
	u64 poll_ns;
	ktime_t polled;
};

#define to_grace_pmu(p)		container_of(p, struct grace_pmu, pmu)

static inline bool grace_is_cycles(const struct grace_pmu *gp, int idx)
{
	return gp->cfg.has_cycles && idx == GRACE_CYCLE_IDX;
}

/* SET and CLR registers that the counters take */
static inline unsigned int grace_set_regs(const struct grace_pmu *gp)
{
	unsigned int total = gp->cfg.counters + gp->cfg.has_cycles;

	if (gp->cfg.has_cycles)
		total = max(total, GRACE_CYCLE_IDX + 1U);
	return DIV_ROUND_UP(total, GRACE_SET_BITS);
}

static inline struct acpi_apmt_node *grace_apmt_node(struct device *dev)
{
	struct acpi_apmt_node **node = dev_get_platdata(dev);

	return node ? *node : NULL;
}

/* nvidia.c */
const struct grace_kind *grace_kind_of(u32 iidr);
const struct grace_event *grace_event_of(const struct grace_kind *kind, u64 id);

/* ident.c */
unsigned int grace_phys_bits(void);
int grace_check_page(struct platform_device *pdev, unsigned int page);
int grace_identify(struct grace_pmu *gp);
int grace_find_cpus(const struct acpi_apmt_node *node, cpumask_t *cpus);
const char *grace_make_name(struct grace_pmu *gp);

/* core.c */
int grace_core_init(void);
void grace_core_exit(void);
int grace_core_register(struct grace_pmu *gp);

/* counter.c: all but the interrupt and the reset want the lock held */
void grace_counters_reset(struct grace_pmu *gp);
void grace_counter_preset(struct grace_pmu *gp, struct perf_event *event);
void grace_counter_enable(struct grace_pmu *gp, int idx);
void grace_counter_disable(struct grace_pmu *gp, int idx);
int grace_counter_update(struct grace_pmu *gp, struct perf_event *event);
void grace_counters_update(struct grace_pmu *gp);
irqreturn_t grace_overflow(int irq, void *data);

/* poll.c: add and del want the lock held */
int grace_poll_setup(struct grace_pmu *gp);
int grace_poll_event_init(struct grace_pmu *gp, struct perf_event *event);
void grace_poll_add(struct grace_pmu *gp, struct perf_event *event);
void grace_poll_del(struct grace_pmu *gp);

/* apmt_check.c */
int grace_apmt_check(struct device *dev);

/* sysfs.c */
const struct attribute_group **grace_make_groups(struct grace_pmu *gp);

#endif /* GRACE_CSPMU_H */
