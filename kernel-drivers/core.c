// SPDX-License-Identifier: GPL-2.0-only
/*
 * The callbacks of struct pmu and of CPU hotplug.
 *
 * The PMUs count for the whole system: one CPU of the socket, the active one,
 * has all events of a PMU. perf core calls the callbacks there with interrupts
 * off. A group led by a sampling software event reads its members in the context
 * of the sample, which may be a hard interrupt, a tracepoint or an NMI. A BPF program
 * may read an event in an NMI, too. See lock.c.
 */
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/ratelimit.h>

#include "compat/compat.h"
#include "cspmu.h"
#include "trace.h"

static enum cpuhp_state hotplug_state;

static bool wants_cycles(const struct grace_pmu *gp, const struct perf_event *event)
{
	return gp->has_cycles && event->attr.config == GRACE_CYCLES;
}

/* Counters that a group needs on this PMU */
struct demand {
	unsigned int counters;
	unsigned int cycles;
};

static bool add_demand(struct demand *sum, struct grace_pmu *gp, struct perf_event *event)
{
	if (is_software_event(event))
		return true;
	if (event->pmu != &gp->pmu)
		return false;
	if (wants_cycles(gp, event))
		sum->cycles++;
	else
		sum->counters++;
	return true;
}

/* Returns whether the counters of the PMU suffice for the group including @event. */
static bool group_fits(struct grace_pmu *gp, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct demand sum = {};

	if (!add_demand(&sum, gp, event))
		return false;
	if (event != leader) {
		if (!add_demand(&sum, gp, leader))
			return false;
		for_each_sibling_event(sibling, leader) {
			if (!add_demand(&sum, gp, sibling))
				return false;
		}
	}
	return sum.counters <= gp->counters && sum.cycles <= 1;
}

/*
 * The in-tree driver ignores bits that no format describes. A filter of which only such
 * bits are set would then select all ports.
 */
static bool has_unknown_bits(const struct grace_pmu *gp, const struct perf_event *event)
{
	return event->attr.config > GRACE_CYCLES ||
	       event->attr.config1 & ~(u64)gp->variant->filter_mask ||
	       grace_attr_rest(&event->attr);
}

/* A filter of 0 selects all ports */
static void decode(struct grace_pmu *gp, struct perf_event *event)
{
	event->hw.config = lower_32_bits(event->attr.config);
	event->hw.config_base = event->attr.config1 ?: gp->variant->filter_mask;
	event->hw.idx = -1;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/* Runs in the context of a process, unlike the reads */
static void report_failed_reads(struct perf_event *event)
{
	static DEFINE_RATELIMIT_STATE(limit, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
	struct grace_pmu *gp = to_grace_pmu(event->pmu);

	if (atomic_read(&gp->failed_reads) && __ratelimit(&limit))
		dev_warn(gp->dev, "%d reads of counters failed: the last values were kept\n",
			 atomic_xchg(&gp->failed_reads, 0));
}

static int grace_event_init(struct perf_event *event)
{
	struct grace_pmu *gp = to_grace_pmu(event->pmu);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;

	/* The overflow interrupt comes at half the range. It cannot take samples. */
	if (is_sampling_event(event))
		return -EOPNOTSUPP;

	if (event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK)
		return -EINVAL;

	if (!cpumask_test_cpu(event->cpu, &gp->cpus))
		return -EINVAL;

	event->cpu = cpumask_first(&gp->active);
	if (event->cpu >= nr_cpu_ids)
		return -EINVAL;

	if (has_unknown_bits(gp, event))
		return -EINVAL;

	/* The low 32 bits would select event 0 */
	if (event->attr.config == GRACE_CYCLES && !gp->has_cycles)
		return -EOPNOTSUPP;

	if (!group_fits(gp, event))
		return -EINVAL;

	decode(gp, event);
	event->destroy = report_failed_reads;
	return 0;
}

static int free_counter(struct grace_pmu *gp, struct perf_event *event)
{
	unsigned int idx;

	if (wants_cycles(gp, event))
		return test_bit(GRACE_CYCLE_IDX, gp->used) ? -EAGAIN : GRACE_CYCLE_IDX;

	idx = find_first_zero_bit(gp->used, gp->counters);
	return idx < gp->counters ? idx : -EAGAIN;
}

static void start(struct grace_pmu *gp, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u32 reg = hwc->idx * sizeof(u32);

	/* A preset would lose the counts of a running counter */
	if (!(hwc->state & PERF_HES_STOPPED))
		return;
	grace_counter_preset(gp, event);
	if (hwc->idx == GRACE_CYCLE_IDX) {
		writel(hwc->config_base, gp->page0 + PMCCFILTR);
	} else {
		writel(hwc->config, gp->page0 + PMEVTYPER + reg);
		writel(hwc->config_base, gp->page0 + PMEVFILTR + reg);
	}
	hwc->state = 0;
	grace_counter_enable(gp, hwc->idx);
	trace_counter_start(event);
}

static void stop(struct grace_pmu *gp, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	grace_counter_disable(gp, hwc->idx);
	/* Retry once: start() resets the counter, and counts not yet read are lost */
	if (grace_counter_update(gp, event))
		grace_counter_update(gp, event);
	hwc->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	trace_counter_stop(event);
}

static void grace_start(struct perf_event *event, int flags)
{
	struct grace_pmu *gp = to_grace_pmu(event->pmu);
	unsigned long irq;

	grace_lock(gp, &irq);
	start(gp, event);
	grace_unlock(gp, irq);
}

/* An event throttled under a lock keeps counting, and grace_start() finds it running */
static void grace_stop(struct perf_event *event, int flags)
{
	grace_locked(to_grace_pmu(event->pmu), event, stop);
}

static int grace_add(struct perf_event *event, int flags)
{
	struct grace_pmu *gp = to_grace_pmu(event->pmu);
	unsigned long irq;
	int idx;

	/* The CPU of the event is going offline. perf core will remove the event. */
	if (smp_processor_id() != READ_ONCE(gp->cpu))
		return -EAGAIN;

	grace_lock(gp, &irq);
	idx = free_counter(gp, event);
	if (idx >= 0) {
		event->hw.idx = idx;
		event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		gp->events[idx] = event;
		__set_bit(idx, gp->used);
		if (flags & PERF_EF_START)
			start(gp, event);
	}
	grace_unlock(gp, irq);
	if (idx < 0)
		return idx;

	perf_event_update_userpage(event);
	return 0;
}

static void grace_del(struct perf_event *event, int flags)
{
	struct grace_pmu *gp = to_grace_pmu(event->pmu);
	unsigned long irq;

	grace_lock(gp, &irq);
	stop(gp, event);
	__clear_bit(event->hw.idx, gp->used);
	gp->events[event->hw.idx] = NULL;
	grace_unlock(gp, irq);

	perf_event_update_userpage(event);
}

static void update_if_counting(struct grace_pmu *gp, struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		grace_counter_update(gp, event);
}

/* Under a lock, the count of the last read stays */
static void grace_read(struct perf_event *event)
{
	grace_locked(to_grace_pmu(event->pmu), event, update_if_counting);
}

static void grace_enable(struct pmu *pmu)
{
	struct grace_pmu *gp = to_grace_pmu(pmu);
	unsigned long irq;

	grace_lock(gp, &irq);
	if (!bitmap_empty(gp->used, GRACE_INDEXES)) {
		gp->is_running = true;
		writel(PMCR_E, gp->page0 + PMCR);
	}
	grace_unlock(gp, irq);
}

static void grace_disable(struct pmu *pmu)
{
	struct grace_pmu *gp = to_grace_pmu(pmu);
	unsigned long irq;

	grace_lock(gp, &irq);
	gp->is_running = false;
	writel(0, gp->page0 + PMCR);
	grace_unlock(gp, irq);
}

/*
 * The handler may run on any CPU. Setting the affinity may fail, for example if
 * another driver shares the interrupt and has pinned it. That costs only locality.
 */
static void set_active(struct grace_pmu *gp, unsigned int cpu)
{
	WRITE_ONCE(gp->cpu, cpu);
	cpumask_set_cpu(cpu, &gp->active);
	if (irq_set_affinity(gp->irq, cpumask_of(cpu)))
		dev_dbg(gp->dev, "cannot set the affinity of interrupt %d\n", gp->irq);
}

static int grace_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct grace_pmu *gp = hlist_entry_safe(node, struct grace_pmu, hotplug);

	if (cpumask_test_cpu(cpu, &gp->cpus) && cpumask_empty(&gp->active))
		set_active(gp, cpu);
	return 0;
}

/*
 * If no CPU of the socket remains online, the events stay on this CPU. perf core
 * then removes them from its context permanently: see grace-cspmu.rst.
 */
static int grace_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct grace_pmu *gp = hlist_entry_safe(node, struct grace_pmu, hotplug);
	unsigned int next;

	if (!cpumask_test_and_clear_cpu(cpu, &gp->active))
		return 0;

	for_each_cpu_and(next, &gp->cpus, cpu_online_mask) {
		if (next == cpu)
			continue;
		WRITE_ONCE(gp->cpu, next);
		if (gp->is_registered)
			perf_pmu_migrate_context(&gp->pmu, cpu, next);
		set_active(gp, next);
		break;
	}
	return 0;
}

static void unregister(void *data)
{
	struct grace_pmu *gp = data;

	if (!gp->is_registered)
		return;
	/* Excludes a migration of the events by CPU hotplug, now and later */
	cpus_read_lock();
	gp->is_registered = false;
	cpus_read_unlock();
	perf_pmu_unregister(&gp->pmu);
}

/* The callbacks would migrate the events of a PMU that is already unregistered */
static void remove_hotplug(void *data)
{
	struct grace_pmu *gp = data;

	cpuhp_state_remove_instance_nocalls(hotplug_state, &gp->hotplug);
}

/**
 * grace_core_register() - register a PMU with perf until its device is released
 * @gp: the PMU, otherwise fully set up
 *
 * Return: 0 or -errno
 */
int grace_core_register(struct grace_pmu *gp)
{
	int ret;

	/*
	 * PERF_PMU_CAP_NO_INTERRUPT is not set although no event samples: with it,
	 * perf core never restarts a software leader that it throttled.
	 */
	gp->pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.task_ctx_nr	= perf_invalid_context,
		.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
		.attr_groups	= grace_make_groups(gp),
		.pmu_enable	= grace_enable,
		.pmu_disable	= grace_disable,
		.event_init	= grace_event_init,
		.add		= grace_add,
		.del		= grace_del,
		.start		= grace_start,
		.stop		= grace_stop,
		.read		= grace_read,
	};
	if (!gp->pmu.attr_groups)
		return -ENOMEM;
	grace_pmu_set_parent(&gp->pmu, gp->dev);

	ret = cpuhp_state_add_instance(hotplug_state, &gp->hotplug);
	if (ret)
		return ret;
	ret = devm_add_action_or_reset(gp->dev, remove_hotplug, gp);
	if (ret)
		return ret;

	/* A registered PMU may have events, so no step after the registration may fail */
	ret = devm_add_action_or_reset(gp->dev, unregister, gp);
	if (ret)
		return ret;

	/* A CPU that went offline between the two would keep events opened on it */
	cpus_read_lock();
	ret = perf_pmu_register(&gp->pmu, gp->name, -1);
	gp->is_registered = !ret;
	cpus_read_unlock();
	if (ret)
		return ret;
	ret = grace_pmu_move(&gp->pmu, gp->dev);
	if (ret)
		dev_warn(gp->dev, "cannot move %s below its device in sysfs (%d)\n", gp->name, ret);
	return 0;
}

/**
 * grace_core_init() - set up CPU hotplug, before PMUs are registered
 *
 * Return: 0 or -errno
 */
int grace_core_init(void)
{
	int ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/arm/grace_cspmu:online",
					  grace_cpu_online, grace_cpu_offline);

	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

/**
 * grace_core_exit() - undo grace_core_init()
 */
void grace_core_exit(void)
{
	cpuhp_remove_multi_state(hotplug_state);
}
