// SPDX-License-Identifier: GPL-2.0-only
/*
 * spe - a stand-in for the driver of Arm's Statistical Profiling Extension: a PMU arm_spe_0 that
 * writes the records of a script to the AUX buffer, so that an unmodified perf records them.
 *
 * The script is a file of records of 64 bytes in the layout of struct spe_slot, which is that of
 * Neoverse cores; only events in 2 bytes fit. The module repeats the script on each CPU while an
 * event counts there. It
 *
 *	leaves out records that the event's filters (type, events, min_latency) or its exception
 *	levels exclude;
 *	fills in the thread of a context packet and the counter of a time stamp;
 *	replaces by padding the packets that the event does not request: the time stamp without
 *	ts_enable, the physical address without pa_enable, the context without CAP_PERFMON. A record
 *	without a time stamp ends with an end packet.
 *
 * A timer stands for the sampling interval and the buffer's interrupt: the rate of records is that
 * of tick_us and burst, whatever the event's period. An event that stops keeps the rest of its tick
 * for the next start, as arm_spe_pmu keeps the counter of the interval. With record_ns, a tick
 * writes as many records as the clock has made due since the last one, until record_count records
 * have been due on the CPU; records that are due while a full buffer has stopped the event are not
 * written. The outputs end where those of arm_spe_pmu end: at the watermark, the end of the buffer
 * and the reader's tail, all rounded to pages. A full buffer sets PERF_AUX_FLAG_TRUNCATED, after
 * which the kernel disables the event.
 *
 * Differences from arm_spe_pmu: jitter, pct_enable and the period have no effect, and the privilege
 * is that of Linux 6.1 (CAP_PERFMON alone) on all kernels.
 *
 * The module refuses to load where the CPU has SPE or where an arm_spe_0 exists.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kernel_read_file.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/cputype.h>
#include <clocksource/arm_arch_timer.h>

#define SPE_NAME	"arm_spe_0"
#define SPE_CPUS	16

static char *script = "";
module_param(script, charp, 0444);
MODULE_PARM_DESC(script, "file with the records, 64 bytes each");

static unsigned int tick_us = 1000;
module_param(tick_us, uint, 0644);
MODULE_PARM_DESC(tick_us, "microseconds between two bursts of records on a CPU");

static unsigned int burst = 16;
module_param(burst, uint, 0644);
MODULE_PARM_DESC(burst, "records of a burst");

static unsigned int record_ns;
module_param(record_ns, uint, 0644);
MODULE_PARM_DESC(record_ns, "nanoseconds between two records of a CPU by the clock; 0: bursts");

static unsigned int record_count;
module_param(record_count, uint, 0444);
MODULE_PARM_DESC(record_count, "records of each CPU that are due with record_ns");

static unsigned int flags;
module_param(flags, uint, 0644);
MODULE_PARM_DESC(flags, "PERF_AUX_FLAG_ bits of the next output that ends; then 0. PARTIAL cuts its last record, which is written again");

static unsigned long written[SPE_CPUS];
module_param_array(written, ulong, NULL, 0444);
MODULE_PARM_DESC(written, "whole records written so far, by CPU");

static unsigned long truncated[SPE_CPUS];
module_param_array(truncated, ulong, NULL, 0444);
MODULE_PARM_DESC(truncated, "outputs with PERF_AUX_FLAG_TRUNCATED so far, by CPU");

/* Packets: a header, 0 for padding, and a payload */
struct spe_packet8 {
	u8 header, value;
} __packed;

struct spe_packet16 {
	u8 header;
	__le16 value;
} __packed;

struct spe_packet32 {
	u8 header;
	__le32 value;
} __packed;

struct spe_packet64 {
	u8 header;
	__le64 value;
} __packed;

struct spe_slot {
	struct spe_packet64 pc;
	u8 pad[5];
	struct spe_packet32 context;
	struct spe_packet8 op;
	struct spe_packet16 events, issue, total;
	struct spe_packet64 va;
	struct spe_packet16 translation;
	struct spe_packet64 pa;
	struct spe_packet8 source;
	u8 pad2[2];
	struct spe_packet64 time;
} __packed;
static_assert(sizeof(struct spe_slot) == 64);

#define SPE_OP_MEMORY		0x49
#define SPE_OP_BRANCH		0x4a
#define SPE_END			0x01

/* Bits of config */
#define SPE_TS			BIT_ULL(0)
#define SPE_PA			BIT_ULL(1)
#define SPE_PCT			BIT_ULL(2)
#define SPE_BRANCH		BIT_ULL(32)
#define SPE_LOAD		BIT_ULL(33)
#define SPE_STORE		BIT_ULL(34)
#define SPE_CONTEXT		BIT_ULL(63)	/* the module's own */
/* config1: filterable events of SPEv1p1 */
#define SPE_EVENTS		(GENMASK_ULL(63, 48) | GENMASK_ULL(31, 24) | GENMASK_ULL(18, 17) | \
				 GENMASK_ULL(15, 11) | 0xaa)
/* config2 */
#define SPE_LATENCY		GENMASK_ULL(11, 0)

struct spe_buffer {
	u8 *base;
	u64 size;
	bool is_snapshot;
};

/* The output of a CPU. @pos, @limit: as handle.head; in a snapshot from the start of the buffer */
struct spe_cpu {
	struct hrtimer timer;
	struct perf_output_handle handle;
	struct perf_event *event;
	struct spe_buffer *buffer;	/* NULL: no output has begun */
	u64 pos, limit;
	unsigned int next, last;	/* the script's records to write, and written */
	/* With record_ns */
	u64 began;			/* ns: the start, later by the time when stopped */
	u64 stopped;			/* ns; 0: not stopped, or stopped by a full buffer */
	u64 due;			/* records so far */
};

static DEFINE_PER_CPU(struct spe_cpu, spe_cpus);
static struct spe_slot *slots;
static unsigned int slot_count;

static void spe_skip(struct spe_cpu *cpu, u64 size)
{
	u64 from = cpu->pos % cpu->buffer->size;
	u64 first = min(size, cpu->buffer->size - from);

	memset(cpu->buffer->base + from, 0, first);
	memset(cpu->buffer->base, 0, size - first);
	if (!cpu->buffer->is_snapshot)
		perf_aux_output_skip(&cpu->handle, size);
	cpu->pos += size;
}

/* Ends an output of @size bytes. */
static void spe_end(struct spe_cpu *cpu, u64 size, u32 aux_flags)
{
	if (aux_flags & PERF_AUX_FLAG_TRUNCATED)
		truncated[smp_processor_id()]++;
	if (aux_flags)
		perf_aux_output_flag(&cpu->handle, aux_flags);
	if (cpu->buffer->is_snapshot)
		cpu->handle.head = cpu->pos;
	cpu->buffer = NULL;
	perf_aux_output_end(&cpu->handle, size);
}

/* Where an output ends that begins at cpu->at */
static u64 spe_limit(const struct spe_cpu *cpu)
{
	u64 size = cpu->buffer->size, head = cpu->pos, tail, limit;

	if (cpu->buffer->is_snapshot)
		return head < size / 2 ? size / 2 : size;
	tail = cpu->handle.head + cpu->handle.size;
	limit = min(round_down(head, size) + size, round_down(tail, PAGE_SIZE));
	if (cpu->handle.wakeup > head)
		limit = min(limit, round_up(cpu->handle.wakeup, PAGE_SIZE));
	return limit;
}

/* Begins an output. Returns false if the buffer is full; the kernel then disables the event. */
static bool spe_begin(struct spe_cpu *cpu)
{
	u64 odd;

	cpu->buffer = perf_aux_output_begin(&cpu->handle, cpu->event);
	if (!cpu->buffer)
		return false;
	cpu->pos = cpu->handle.head;
	odd = -cpu->pos % sizeof(struct spe_slot);
	if (cpu->buffer->is_snapshot) {
		spe_skip(cpu, odd);
		if (cpu->pos == cpu->buffer->size)
			cpu->pos = 0;
		cpu->handle.head = cpu->pos;
	} else {
		spe_skip(cpu, min_t(u64, odd, cpu->handle.size));
	}
	cpu->limit = spe_limit(cpu);
	if (cpu->pos < cpu->limit)
		return true;
	spe_skip(cpu, cpu->handle.size);
	spe_end(cpu, 0, PERF_AUX_FLAG_TRUNCATED);
	return false;
}

/* Ends the output at cpu->at. Returns false if its flags make the kernel disable the event. */
static bool spe_flush(struct spe_cpu *cpu)
{
	u64 size = cpu->pos - cpu->handle.head;
	u32 asked = size ? xchg(&flags, 0) : 0;

	if (asked & PERF_AUX_FLAG_PARTIAL) {
		size -= sizeof(struct spe_slot) / 2;
		cpu->pos -= sizeof(struct spe_slot) / 2;
		cpu->next = cpu->last;
		written[smp_processor_id()]--;
	}
	spe_end(cpu, size, asked);
	return !(asked & PERF_AUX_FLAG_TRUNCATED);
}

static bool spe_passes(const struct spe_slot *slot, const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	u64 types = attr->config & (SPE_BRANCH | SPE_LOAD | SPE_STORE);
	unsigned int level = le64_to_cpu(slot->pc.value) >> 61 & 3;
	u64 type = 0;

	if (slot->op.header == SPE_OP_BRANCH)
		type = SPE_BRANCH;
	else if (slot->op.header == SPE_OP_MEMORY)
		type = slot->op.value & 1 ? SPE_STORE : SPE_LOAD;
	return (!types || types & type) && !(level ? attr->exclude_kernel : attr->exclude_user) &&
	       !(attr->config1 & ~(u64)le16_to_cpu(slot->events.value)) &&
	       le16_to_cpu(slot->total.value) >= (attr->config2 & SPE_LATENCY);
}

/* Writes the script's next record that passes the event's filters. Returns false if none passes. */
static bool spe_write(struct spe_cpu *cpu)
{
	struct spe_slot *slot = (void *)(cpu->buffer->base + cpu->pos % cpu->buffer->size);
	u64 config = cpu->event->hw.config;
	unsigned int i = 0;

	while (!spe_passes(&slots[cpu->next], cpu->event)) {
		cpu->next = (cpu->next + 1) % slot_count;
		if (++i == slot_count)
			return false;
	}
	*slot = slots[cpu->next];
	if (!(config & SPE_CONTEXT))
		slot->context = (struct spe_packet32){ 0 };
	if (slot->context.header)
		slot->context.value = cpu_to_le32(task_pid_nr(current));
	if (!(config & SPE_PA))
		slot->pa = (struct spe_packet64){ 0 };
	if (config & SPE_TS) {
		slot->time.value = cpu_to_le64(arch_timer_read_counter());
	} else {
		slot->time = (struct spe_packet64){ 0 };
		((u8 *)slot)[sizeof(*slot) - 1] = SPE_END;
	}
	cpu->pos += sizeof(*slot);
	cpu->last = cpu->next;
	cpu->next = (cpu->next + 1) % slot_count;
	written[smp_processor_id()]++;
	return true;
}

/* Records that have become due since the last call */
static u64 spe_due(struct spe_cpu *cpu)
{
	unsigned int each = READ_ONCE(record_ns);
	u64 before = cpu->due;

	if (!each) {
		cpu->began = ktime_get_ns();
		cpu->due = 0;
		return burst;
	}
	cpu->due = min_t(u64, (ktime_get_ns() - cpu->began) / each, record_count);
	cpu->due = max(cpu->due, before);	/* record_ns may have become longer */
	return cpu->due - before;
}

/* No record is due while the event is stopped, unless a full buffer has stopped it. */
static void spe_resume(struct spe_cpu *cpu)
{
	u64 now = ktime_get_ns();

	if (!cpu->began)
		cpu->began = now;
	else if (cpu->stopped)
		cpu->began += now - cpu->stopped;
	else
		spe_due(cpu);
	cpu->stopped = 0;
}

static ktime_t spe_interval(void)
{
	return ns_to_ktime(max(tick_us, 1U) * NSEC_PER_USEC);
}

static enum hrtimer_restart spe_tick(struct hrtimer *timer)
{
	struct spe_cpu *cpu = container_of(timer, struct spe_cpu, timer);
	u64 due;

	for (due = spe_due(cpu); due; due--) {
		if (cpu->pos == cpu->limit && !(spe_flush(cpu) && spe_begin(cpu))) {
			cpu->event->hw.state |= PERF_HES_STOPPED;
			return HRTIMER_NORESTART;
		}
		if (!spe_write(cpu))
			break;
	}
	hrtimer_forward_now(timer, spe_interval());
	return HRTIMER_RESTART;
}

/* The PMU's functions, called on the event's CPU with interrupts off */

static void spe_start(struct perf_event *event, int ignored)
{
	struct spe_cpu *cpu = this_cpu_ptr(&spe_cpus);
	s64 left;

	cpu->event = event;
	spe_resume(cpu);
	if (!spe_begin(cpu))
		return;
	event->hw.state = 0;
	left = local64_xchg(&event->hw.period_left, 0);
	hrtimer_start(&cpu->timer, left ? ns_to_ktime(left) : spe_interval(),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void spe_stop(struct perf_event *event, int ignored)
{
	struct spe_cpu *cpu = this_cpu_ptr(&spe_cpus);

	if (!(event->hw.state & PERF_HES_STOPPED)) {
		hrtimer_cancel(&cpu->timer);
		/* A tick that is due occurs after the next start. */
		local64_set(&event->hw.period_left,
			    max_t(s64, ktime_to_ns(hrtimer_get_remaining(&cpu->timer)), 1));
		spe_flush(cpu);
		cpu->stopped = ktime_get_ns();
	}
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int spe_add(struct perf_event *event, int mode)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!(mode & PERF_EF_START))
		return 0;
	spe_start(event, 0);
	return event->hw.state & PERF_HES_STOPPED ? -EINVAL : 0;
}

static void spe_del(struct perf_event *event, int ignored)
{
	spe_stop(event, 0);
}

static void spe_read(struct perf_event *event)
{
}

static int spe_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	if (attr->config1 & ~SPE_EVENTS || attr->exclude_idle)
		return -EOPNOTSUPP;
	if (attr->freq)
		return -EINVAL;
	if (attr->config & (SPE_PA | SPE_PCT) && !perfmon_capable())
		return -EACCES;
	local64_set(&event->hw.period_left, 0);	/* the kernel has set it to the period */
	event->hw.config = attr->config & ~SPE_CONTEXT;
	if (perfmon_capable())
		event->hw.config |= SPE_CONTEXT;
	return 0;
}

static void *spe_setup_aux(struct perf_event *event, void **pages, int page_count,
			   bool is_snapshot)
{
	struct spe_buffer made = {
		.size = (u64)page_count * PAGE_SIZE, .is_snapshot = is_snapshot,
	};
	struct spe_buffer *buffer = NULL;
	struct page **list;
	int i;

	if (page_count < 2 || (is_snapshot && page_count & 1))
		return NULL;
	list = kvmalloc_array(page_count, sizeof(*list), GFP_KERNEL);
	if (!list)
		return NULL;
	for (i = 0; i < page_count; i++)
		list[i] = virt_to_page(pages[i]);
	made.base = vmap(list, page_count, VM_MAP, PAGE_KERNEL);
	kvfree(list);
	if (made.base)
		buffer = kmemdup(&made, sizeof(made), GFP_KERNEL);
	if (!buffer)
		vunmap(made.base);
	return buffer;
}

static void spe_free_aux(void *aux)
{
	struct spe_buffer *buffer = aux;

	vunmap(buffer->base);
	kfree(buffer);
}

/* Files in sysfs, each with a constant text */
static ssize_t spe_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct dev_ext_attribute *file = container_of(attr, struct dev_ext_attribute, attr);

	return sysfs_emit(text, "%s\n", (char *)file->var);
}

#define SPE_FILE(name, text)								\
	(&((struct dev_ext_attribute[]) {						\
		{ __ATTR(name, 0444, spe_show, NULL), (void *)(text) }			\
	})[0].attr.attr)

static struct attribute *spe_formats[] = {
	SPE_FILE(ts_enable, "config:0"),
	SPE_FILE(pa_enable, "config:1"),
	SPE_FILE(pct_enable, "config:2"),
	SPE_FILE(jitter, "config:16"),
	SPE_FILE(branch_filter, "config:32"),
	SPE_FILE(load_filter, "config:33"),
	SPE_FILE(store_filter, "config:34"),
	SPE_FILE(event_filter, "config1:0-63"),
	SPE_FILE(min_latency, "config2:0-11"),
	NULL
};

/* The values of min_interval and count_size on Grace are not known. */
static struct attribute *spe_caps[] = {
	SPE_FILE(arch_inst, "0"),
	SPE_FILE(ernd, "0"),
	SPE_FILE(count_size, "12"),
	SPE_FILE(min_interval, "1024"),
	SPE_FILE(event_filter, "0xffff0000ff06f8aa"),
	NULL
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%*pbl\n", cpumask_pr_args(cpu_online_mask));
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *spe_files[] = {
	&dev_attr_cpumask.attr,
	NULL
};

static const struct attribute_group *spe_groups[] = {
	&(const struct attribute_group){ .attrs = spe_files },
	&(const struct attribute_group){ .name = "format", .attrs = spe_formats },
	&(const struct attribute_group){ .name = "caps", .attrs = spe_caps },
	NULL
};

static struct pmu spe_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.attr_groups	= spe_groups,
	.task_ctx_nr	= perf_sw_context,	/* beside hardware events */
	.event_init	= spe_event_init,
	.add		= spe_add,
	.del		= spe_del,
	.start		= spe_start,
	.stop		= spe_stop,
	.read		= spe_read,
	.setup_aux	= spe_setup_aux,
	.free_aux	= spe_free_aux,
};

static bool spe_is_real(void)
{
	struct path path;

	if (read_cpuid(ID_AA64DFR0_EL1) >> 32 & 0xf) {	/* PMSVer */
		pr_err("spe: the CPU has SPE\n");
		return true;
	}
	if (kern_path("/sys/bus/event_source/devices/" SPE_NAME, 0, &path))
		return false;
	path_put(&path);
	pr_err("spe: there is a PMU " SPE_NAME "\n");
	return true;
}

static void spe_init_timer(struct hrtimer *timer)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, spe_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = spe_tick;
#endif
}

static int __init spe_init(void)
{
	ssize_t size;
	int cpu;

	if (nr_cpu_ids > SPE_CPUS) {
		pr_err("spe: more than %d CPUs\n", SPE_CPUS);
		return -EBUSY;
	}
	if (spe_is_real())
		return -EBUSY;
	size = kernel_read_file_from_path(script, 0, (void **)&slots, SZ_1G, NULL,
					  READING_FIRMWARE);
	if (size < 0)
		return size;
	slot_count = size / sizeof(*slots);
	if (!size || size % sizeof(*slots)) {
		pr_err("spe: %s: not records of %zu bytes\n", script, sizeof(*slots));
		vfree(slots);
		return -EINVAL;
	}
	for_each_possible_cpu(cpu)
		spe_init_timer(&per_cpu(spe_cpus, cpu).timer);
	cpu = perf_pmu_register(&spe_pmu, SPE_NAME, -1);
	if (cpu)
		vfree(slots);
	return cpu;
}

static void __exit spe_exit(void)
{
	perf_pmu_unregister(&spe_pmu);
	vfree(slots);
}

module_init(spe_init);
module_exit(spe_exit);

MODULE_DESCRIPTION("Plays a script of SPE records as arm_spe_0");
MODULE_LICENSE("GPL");
