/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMUs of NVIDIA Grace: what the parts of the driver share.
 *
 *   device.c   a platform device becomes a PMU, or is left alone
 *   ident.c    who made the PMU, which counters it has, what it is called
 *   core.c     the callbacks of struct pmu, CPU hotplug
 *   counter.c  counters: read, preset, overflow interrupt
 *   lock.c     the lock, and who may not wait for it
 *   poll.c     counters that would wrap unseen: the timer
 *   report.c   what is noticed under the lock, and said later
 *   sysfs.c    attributes
 *   nvidia.c   the tables
 *   apmt.c     the parser of the APMT
 *   apmt_table.c   the nodes of this machine's APMT
 *   apmt_device.c  makes the devices where the kernel does not
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

/* What the kernel's APMT code calls its platform devices */
#define GRACE_DEVICE		"arm-cs-arch-pmu"

/*
 * Bound of the high-low-high read of a counter without single-copy atomicity.
 * The high word changes once in 2^32 counts, tens of ms at the highest rate of
 * any event, so a second round can only be needed if the carry falls between
 * two reads, and a third never. Eight rounds are 17 reads of 32 bits: with 1 us
 * for an uncached read across the fabric no read takes more than 17 us.
 */
#define GRACE_STABLE_ROUNDS	8

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

struct grace_apmt_found;

/**
 * struct grace_report - what is to be said about a PMU
 * @notice: has the work done
 * @work: says it
 * @unread_limit: how often a line about counters that could not be read may come
 * @late_limit: ... about lateness
 * @refused_limit: ... about an event that is refused
 * @unread: reads of counters that failed
 * @unread_idx: the counter of the last of them
 * @unread_gone: it failed because the registers read all ones
 * @unread_new: there was one since the last line about them
 * @late_ns: by how much the counters were read too late, at most, since the
 *           last line about that
 */
struct grace_report {
	struct irq_work notice;
	struct work_struct work;
	struct ratelimit_state unread_limit;
	struct ratelimit_state late_limit;
	struct ratelimit_state refused_limit;
	unsigned long unread;
	int unread_idx;
	bool unread_gone;
	bool unread_new;
	s64 late_ns;
};

/**
 * struct grace_pmu - one PMU
 * @pmu: perf's side of it
 * @dev: the platform device
 * @node: its node in the APMT
 * @kind: its tables
 * @cfg: its counters
 * @name: name in perf
 * @iidr: identification, shown in sysfs
 * @page0: first page
 * @page1: second page, or the first again
 * @irq: overflow interrupt, 0 if none
 * @cpus: CPUs of its socket
 * @active: the one of them that counts, none while the socket is offline
 * @cpu: the only one on which events are added now: of @active, or the next one as
 *       soon as that goes offline, or the last one that there was
 * @hotplug: in the list of the hotplug state
 * @registered: perf knows the PMU
 * @lock: guards what follows and the registers; see lock.c. The overflow interrupt may
 *        come to any CPU: it is shared between PMUs of both sockets, or its
 *        affinity cannot be set.
 * @running: PMCR.E is set
 * @implemented: event counters that exist, by number
 * @used: counters that have an event
 * @events: the event of each used counter
 * @wraps: overflows of each counter since it was preset, but 0 until one came
 *         at which it could not be read
 * @seen: when each counter was last read or preset, of grace_poll_clock(); only of
 *        PMUs with a timer
 * @report: what is to be said
 * @timer: reads the counters before they wrap unseen
 * @poll_ns: its period, 0 while it is stopped
 */
struct grace_pmu {
	struct pmu pmu;
	struct device *dev;
	const struct grace_apmt_found *node;
	const struct grace_kind *kind;
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

/* SET and CLR registers that the counters take */
static inline unsigned int grace_set_regs(const struct grace_pmu *gp)
{
	unsigned int total = gp->cfg.counters + gp->cfg.has_cycles;

	if (gp->cfg.has_cycles)
		total = max(total, GRACE_CYCLE_IDX + 1U);
	return DIV_ROUND_UP(total, GRACE_SET_BITS);
}

/* nvidia.c */
const struct grace_kind *grace_kind_of(u32 iidr);
const struct grace_event *grace_event_of(const struct grace_kind *kind, u64 id);

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
void grace_lock(struct grace_pmu *gp, unsigned long *flags);
bool grace_lock_inside(struct grace_pmu *gp, unsigned long *flags);
void grace_unlock(struct grace_pmu *gp, unsigned long flags);

/* counter.c: all but the interrupt and the reset want the lock held */
void grace_counters_reset(struct grace_pmu *gp);
void grace_counter_preset(struct grace_pmu *gp, struct perf_event *event);
void grace_counter_enable(struct grace_pmu *gp, int idx);
void grace_counter_disable(struct grace_pmu *gp, int idx);
int grace_counter_update(struct grace_pmu *gp, struct perf_event *event);
void grace_counters_update(struct grace_pmu *gp);
irqreturn_t grace_overflow(int irq, void *data);

/* poll.c: judge wants the lock held; add and del take it */
int grace_poll_setup(struct grace_pmu *gp);
int grace_poll_event_init(struct grace_pmu *gp, struct perf_event *event);
void grace_poll_add(struct grace_pmu *gp, struct perf_event *event);
void grace_poll_del(struct grace_pmu *gp);
u64 grace_poll_clock(void);
void grace_poll_judge(struct grace_pmu *gp, const struct perf_event *event);

/* report.c: all but the setup want the lock held */
int grace_report_setup(struct grace_pmu *gp);
void grace_report_unread(struct grace_pmu *gp, int idx, bool gone);
void grace_report_late(struct grace_pmu *gp, s64 ns);

/* apmt_table.c */
int grace_apmt_init(void);
void grace_apmt_exit(void);
const struct grace_apmt_found *grace_apmt_after(const struct grace_apmt_found *node);
struct acpi_apmt_node *grace_apmt_raw(const struct grace_apmt_found *node);
const struct grace_apmt_found *grace_apmt_node(struct platform_device *pdev);
void grace_apmt_tell_missing(void);

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
