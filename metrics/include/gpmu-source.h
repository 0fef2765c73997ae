/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plugin ABI of libgpmu: what produces counts beside the kernel's perf events.
 *
 * A plugin is a shared object, gpmu-NAME.so, that exports one table of this
 * header's type under this header's name, gpmu_source_plugin, and nothing else. It
 * needs no function of libgpmu. What it opens is a source: nodes and PMUs that are
 * added to those of a machine, and groups of events that it counts.
 *
 * Conventions. Functions that return int return 0 or -errno. Those that have an
 * argument error set its text, one line without a full stop that says what is wrong
 * with what and what to do, when they fail; it is never NULL, its text is empty
 * before. A plugin prints nothing, never exits, leaves signals alone.
 *
 * Threads. libgpmu calls the functions of one source by one thread at a time, not
 * always the same one; those of different sources at any time.
 *
 * Growth. Structures can get members at their end, and nothing else. Each begins with its
 * size, but for those of arrays, events and counts, whose sizes the table has: libgpmu
 * makes and reads these arrays in the plugin's sizes, so that a plugin steps through
 * them as through any of its own. What an older plugin's shorter structure does not have
 * is taken as absent, which is 0 in a count; an event that needs what its structure has
 * no room for is not supported. What a newer one's has beyond this header is 0 in an event,
 * and is not looked at elsewhere. GPMU_SOURCE_ABI changes where that is not enough; a
 * plugin of another ABI is refused.
 */
#ifndef GPMU_SOURCE_H
#define GPMU_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPMU_SOURCE_ABI	1

struct gpmu_error;	/* of gpmu.h */

/**
 * struct gpmu_source_node - a NUMA node of the source
 * @size: of this structure
 * @number: the number in the names of its PMUs, 0 or more
 * @package: perf's label S<n>, the physical_package_id of its CPUs; -1: not known
 *
 * One whose number the machine has too is the machine's.
 */
struct gpmu_source_node {
	size_t size;
	int number;
	int package;
};

/**
 * struct gpmu_source_gpu - a GPU of the source
 * @size: of this structure
 * @uuid: by which everybody knows it: "GPU-8a56a4bc-...", as NVML writes it
 * @name: "NVIDIA GH200 480GB", or NULL
 * @chip: "GH100", or NULL
 * @pci: "0009:01:00.0", domain, bus, device and function, or NULL
 */
struct gpmu_source_gpu {
	size_t size;
	const char *uuid;
	const char *name;
	const char *chip;
	const char *pci;
};

/**
 * struct gpmu_source_pmu - a PMU of the source
 * @size: of this structure
 * @name: of printable characters without blanks: "nvidia_scf_pmu_0"
 * @identifier: what the Compat of events and metrics is compared with, or NULL
 * @node: number of its node, which the machine or the source has; -1: of none, or of a GPU the
 *	one that the machine has its PCI device at
 * @counters: event counters beside the cycle counter, at most 256; -1: not known
 * @counter_width: their bits, 1 to 64; -1: not known
 * @cycle_counter: 1: it has one, 0: none, -1: not known
 * @formats: names and texts in turn, "event", "config:0-32", ..., NULL; NULL: none
 * @events: likewise: "cmem_rd_data", "event=0x1a5", ..., NULL
 * @gpu: that it counts, or NULL: of no GPU
 *
 * A name is there once. All texts belong to the source and live as long as it.
 */
struct gpmu_source_pmu {
	size_t size;
	const char *name;
	const char *identifier;
	int node;
	int counters;
	int counter_width;
	int cycle_counter;
	const char *const *formats;
	const char *const *events;
	const struct gpmu_source_gpu *gpu;
};

/**
 * struct gpmu_source_event_info - an event that has a name
 * @size: of this structure
 * @name: "dram__bytes_read.sum", of printable characters without blanks, "," and "/"
 * @terms: what it is by the PMU's formats: "event=0x1a5"
 * @unit: of counts times @scale: "B"; NULL: a number
 * @scale: 0: 1
 * @mean: 1: it is no number of what has happened but what is, as a temperature or a share. The
 *	count is its integral over the ns that the event was running, over @scale: what is
 *	shown is raw * @scale / running, the mean of that time
 * @description: a line; or NULL
 * @passes: how often the same work has to run to count it; 0: not known
 * @absent: 1: the PMU knows the name and cannot count it, as others of its kind can: its counts say
 *	why. Unit, scale and mean are those of the others
 */
struct gpmu_source_event_info {
	size_t size;
	const char *name;
	const char *terms;
	const char *unit;
	double scale;
	int mean;
	const char *description;
	int passes;
	int absent;
};

/* An event: config and others of struct perf_event_attr, as the PMU's formats say */
struct gpmu_source_event {
	uint64_t config, config1, config2, config3, config4;
};

/**
 * struct gpmu_source_count - what an event has counted
 * @raw: the count. It never falls: what a counter has lost by an overflow is the plugin's to
 *	add. Where it has fallen, the event is shown as not counted
 * @enabled: ns that its group was enabled
 * @running: ns of these that it really counted, at most @enabled. Where it is less,
 *	groups took turns, and raw * enabled / running is the estimate for all of it
 * @why: not NULL: this event cannot be counted, as a unit of the chip is absent, and why, a
 *	line; it is shown as not supported, and the others of its group go on. The text
 *	belongs to the source
 */
struct gpmu_source_count {
	uint64_t raw, enabled, running;
	const char *why;
};

/**
 * struct gpmu_source_plugin - what a plugin can do
 * @size: of this structure
 * @abi: GPMU_SOURCE_ABI
 * @name: "model": what people call it
 * @open: opens a source. @options is what the user wrote behind "NAME=", "" if that is
 *	nothing; error's offset is one in it. *source gets whatever the plugin wants to
 *	see again, which may be NULL
 * @close: closes it; all its groups have been closed
 * @pmu: PMUs by number from 0, the same each time; NULL after the last. They belong to
 *	the source
 * @group_open: opens events of one PMU that are counted together; @length is at least
 *	1, *group as *source. It does not count yet; no group is opened while the source
 *	is enabled. -ENOSPC: they need more counters than there are, -EOPNOTSUPP, -ENOENT:
 *	such an event cannot be counted, -ENODEV: the PMU is gone: these groups are shown
 *	as not supported. Other errors end the run
 * @group_close: closes a group; the source is not enabled
 * @enable: all groups begin to count at @time, CLOCK_MONOTONIC_RAW in ns. They may have
 *	counted before and been disabled; then they go on, nothing is reset
 * @disable: all groups end to count at @time
 * @group_read: the counts of a group's events at @time, in their order: sums over all
 *	the time since it was opened. Called after the first enable, also after disable.
 *	-ENODEV: the PMU has vanished: its events are shown as not counted
 * @node: nodes, as @pmu; NULL: it has none of its own
 * @usage: how options are written, one line: "FILE[,chip=NAME]"; or NULL
 * @event_size: of struct gpmu_source_event; 0: it ends with config3
 * @count_size: of struct gpmu_source_count; 0: it ends with running
 * @event: events with names beside those in its struct gpmu_source_pmu, by number from 0,
 *	that are worth to be listed; NULL after the last. They belong to the source
 * @event_find: one by its name, also one that is not listed; NULL: it has none. It belongs
 *	to the source, and is the same each time
 * @prepare: all groups are open that will be enabled together. What takes time to begin
 *	can begin here, so that counting itself begins and ends at the times that @enable
 *	and @disable are given. A failure ends the run before it has begun
 * @message: what the user should know, a line without a full stop, the oldest first, each once:
 *	what is missing, lost, or not as it seems; NULL: nothing more. Asked for after @open,
 *	@prepare, @disable, @group_read. The text is valid until the next call
 * @query: answers @question about what is no count. *answer gets a text in JSON, which
 *	is the caller's to free(). -ENOENT: it knows no such question. What may be asked, and
 *	what the answer looks like, is the plugin's to say
 *
 * From @node on a table may end. Times never lie before one of an earlier call.
 */
struct gpmu_source_plugin {
	size_t size;
	unsigned int abi;
	const char *name;
	int (*open)(void **source, const char *options, struct gpmu_error *error);
	void (*close)(void *source);
	const struct gpmu_source_pmu *(*pmu)(void *source, size_t index);
	int (*group_open)(void *source, size_t pmu, const struct gpmu_source_event *events,
			  size_t length, void **group, struct gpmu_error *error);
	void (*group_close)(void *source, void *group);
	int (*enable)(void *source, uint64_t time);
	int (*disable)(void *source, uint64_t time);
	int (*group_read)(void *source, void *group, uint64_t time,
			  struct gpmu_source_count *counts);
	const struct gpmu_source_node *(*node)(void *source, size_t index);
	const char *usage;
	size_t event_size;
	size_t count_size;
	const struct gpmu_source_event_info *(*event)(void *source, size_t pmu, size_t index);
	const struct gpmu_source_event_info *(*event_find)(void *source, size_t pmu,
							   const char *name);
	int (*prepare)(void *source, struct gpmu_error *error);
	const char *(*message)(void *source);
	int (*query)(void *source, const char *question, char **answer,
		     struct gpmu_error *error);
};

/* What a plugin exports */
extern const struct gpmu_source_plugin gpmu_source_plugin
	__attribute__((visibility("default")));

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SOURCE_H */
