/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations shared by the parts of the driver for NVIDIA Grace PMUs.
 *
 *   device.c       probes a platform device
 *   core.c         the callbacks of struct pmu, CPU hotplug
 *   sysfs.c        attributes
 *   poll.c         the timer that reads counters before they wrap
 *   counter.c      counters: read, preset, overflow interrupt
 *   report.c       log messages about conditions detected under the lock
 *   lock.c         the lock of a PMU and its rules
 *   ident.c        identification, counter configuration, CPUs and name of a PMU
 *   nvidia.c       tables of PMU variants and events
 *   apmt_device.c  creates platform devices where the kernel does not
 *   apmt_table.c   the nodes of this machine's APMT
 *   apmt.c         parser of the APMT
 *
 * trace.h has the tracepoints; counter.c defines them.
 * A file calls functions of the files below it only.
 */
#ifndef GRACE_CSPMU_H
#define GRACE_CSPMU_H

#include <linux/acpi.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/kconfig.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/ratelimit_types.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "regs.h"

#define GRACE_DRIVER		"grace-cspmu"

/* The name that the kernel's APMT code gives its platform devices */
#define GRACE_DEVICE		"arm-cs-arch-pmu"

/*
 * Bound of the high-low-high read of a counter without single-copy atomicity.
 * The high word changes once in 2^32 counts, tens of ms at the highest rate of
 * any event. A second round is needed only if the carry falls between two reads,
 * and a third is never needed. Eight rounds are 17 reads of 32 bits: at 1 us for
 * an uncached read across the fabric, reading a counter takes at most 17 us.
 */
#define GRACE_STABLE_ROUNDS	8

/* Event number of the cycle counter. Other event numbers have at most 32 bits. */
#define GRACE_CYCLES		BIT_ULL(32)

/**
 * struct grace_event - one event of a PMU variant
 * @name: name in sysfs
 * @id: value of PMEVTYPER, or GRACE_CYCLES
 * @max_inc: maximum increment per cycle of the PMU, 0 if no bound is known
 */
struct grace_event {
	const char *name;
	u64 id;
	u32 max_inc;
};

/**
 * struct grace_variant - one of the five PMU variants of Grace, or another PMU of NVIDIA
 * @part: product, variant and revision fields of PMIIDR
 * @name: name of the PMU without its number
 * @events: the named events, ends with a NULL name
 * @filter_name: name of the filter's format attribute, NULL if there is no filter
 * @filter_format: value of the filter's format attribute
 * @filter_mask: bits of the filter; all bits set select all traffic
 * @filter2_mask: the same of the second filter, 0 if there is none
 */
struct grace_variant {
	u32 part;
	const char *name;
	const struct grace_event *events;
	const char *filter_name;
	const char *filter_format;
	u32 filter_mask;
	u32 filter2_mask;
};

/**
 * struct grace_config - counter configuration, from PMCFGR
 * @counters: number of event counters, without the cycle counter
 * @width: bits of a counter
 * @has_cycles: there is a cycle counter, number GRACE_CYCLE_IDX
 */
struct grace_config {
	unsigned int counters;
	unsigned int width;
	bool has_cycles;
};

struct grace_apmt_found;

/**
 * struct grace_report - pending log messages of a PMU
 * @notice: schedules @work
 * @work: prints the messages
 * @unread_limit: rate limit of messages about failed counter reads
 * @stuck_limit: rate limit of messages about stuck overflow flags
 * @late_limit: rate limit of messages about late counter reads
 * @refused_limit: rate limit of messages about refused events
 * @unread: number of failed counter reads
 * @unread_idx: counter of the last failed read
 * @unread_inaccessible: the last read failed because the registers read all ones
 * @unread_new: a read failed since the last message about failed reads
 * @stuck_idx: counter of the last overflow flag that could not be cleared
 * @stuck_new: a flag could not be cleared since the last message about them
 * @late_ns: maximum lateness of a read since the last message about late reads
 */
struct grace_report {
	struct irq_work notice;
	struct work_struct work;
	struct ratelimit_state unread_limit;
	struct ratelimit_state stuck_limit;
	struct ratelimit_state late_limit;
	struct ratelimit_state refused_limit;
	unsigned long unread;
	int unread_idx;
	bool unread_inaccessible;
	bool unread_new;
	int stuck_idx;
	bool stuck_new;
	s64 late_ns;
};

/**
 * struct grace_pmu - one PMU
 * @pmu: the PMU registered with perf
 * @dev: the platform device
 * @node: its node in the APMT
 * @variant: the tables of its variant
 * @cfg: its counter configuration
 * @name: name in perf
 * @iidr: identification, in the layout of PMIIDR
 * @page0: first page
 * @page1: second page; equal to @page0 in a PMU of one page
 * @irq: overflow interrupt, 0 if none
 * @cpus: CPUs of its socket
 * @active: the CPU of @cpus that counts; empty while the socket is offline
 * @cpu: the only CPU on which events are added. It is the CPU in @active, except
 *       that it is already the next CPU while the events migrate, and remains the
 *       last CPU while @active is empty.
 * @hotplug: node in the list of the hotplug state
 * @registered: the PMU is registered with perf
 * @lock: guards the registers and all members below; see lock.c. The overflow
 *        interrupt may arrive on any CPU: it may be shared by PMUs of several
 *        sockets, and setting its affinity may fail.
 * @running: PMCR.E is set
 * @implemented: event counters that exist, by number
 * @used: counters in use by an event
 * @events: the event of each used counter
 * @wraps: overflows of each counter since its preset, counted from the first
 *         overflow at which the counter could not be read
 * @seen: time of the last read or preset of each counter, by
 *        ktime_get_mono_fast_ns(), which does not wait for an update of the
 *        timekeeper; used only if the timer reads the counters
 * @report: pending log messages
 * @timer: reads the counters before they wrap
 * @poll_ns: period of @timer, 0 while it is stopped
 */
struct grace_pmu {
	struct pmu pmu;
	struct device *dev;
	const struct grace_apmt_found *node;
	const struct grace_variant *variant;
	struct grace_config cfg;
	const char *name;
	u32 iidr;
	void __iomem *page0;
	void __iomem *page1;
	int irq;

	cpumask_t cpus;
	cpumask_t active;
	int cpu;
	struct hlist_node hotplug;
	bool registered;

	raw_spinlock_t lock;
	bool running;
	DECLARE_BITMAP(implemented, GRACE_MAX_COUNTERS);
	DECLARE_BITMAP(used, GRACE_MAX_COUNTERS);
	struct perf_event *events[GRACE_MAX_COUNTERS];
	u32 wraps[GRACE_MAX_COUNTERS];
	u64 seen[GRACE_MAX_COUNTERS];
	struct grace_report report;

	struct hrtimer timer;
	u64 poll_ns;
};

#define to_grace_pmu(p)		container_of(p, struct grace_pmu, pmu)

static inline bool grace_is_cycles(const struct grace_pmu *gp, int idx)
{
	return gp->cfg.has_cycles && idx == GRACE_CYCLE_IDX;
}

/* Number of 32-bit SET and CLR registers that cover all counters */
static inline unsigned int grace_set_regs(const struct grace_pmu *gp)
{
	unsigned int total = gp->cfg.counters + gp->cfg.has_cycles;

	if (gp->cfg.has_cycles)
		total = max(total, GRACE_CYCLE_IDX + 1U);
	return DIV_ROUND_UP(total, GRACE_SET_BITS);
}

/* nvidia.c */
bool grace_is_unknown(const struct grace_variant *variant);
const struct grace_variant *grace_variant_of(u32 iidr);
const struct grace_event *grace_event_of(const struct grace_variant *variant, u64 id);

/* ident.c */
int grace_check_pages(struct grace_pmu *gp);
int grace_identify(struct grace_pmu *gp);
int grace_find_cpus(const struct grace_apmt_found *node, cpumask_t *cpus);
const char *grace_make_name(struct grace_pmu *gp);

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
void grace_counters_update(struct grace_pmu *gp);
irqreturn_t grace_overflow(int irq, void *data);

/* poll.c: add and del take the lock */
int grace_poll_setup(struct grace_pmu *gp);
int grace_poll_event_init(struct grace_pmu *gp, struct perf_event *event);
void grace_poll_add(struct grace_pmu *gp, struct perf_event *event);
void grace_poll_del(struct grace_pmu *gp);

/* report.c: all except the setup require the lock */
int grace_report_setup(struct grace_pmu *gp);
void grace_report_unread(struct grace_pmu *gp, int idx, bool inaccessible);
void grace_report_stuck(struct grace_pmu *gp, int idx);
void grace_report_late(struct grace_pmu *gp, s64 ns);

/* apmt_table.c */
int grace_apmt_init(void);
void grace_apmt_exit(void);
const struct grace_apmt_found *grace_apmt_after(const struct grace_apmt_found *node);
struct acpi_apmt_node *grace_apmt_raw(const struct grace_apmt_found *node);
const struct grace_apmt_found *grace_apmt_node(struct platform_device *pdev);
void grace_apmt_report_missing(void);

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
