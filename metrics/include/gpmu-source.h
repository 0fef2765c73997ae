/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plugin ABI of libgpmu: sources that count in place of the kernel's perf events.
 *
 * A plugin is a shared object, gpmu-NAME.so, that exports one table of type struct
 * gpmu_source_plugin under the name gpmu_source_plugin, and nothing else. It needs no function
 * of libgpmu. A plugin opens sources. A source has nodes and PMUs, which are added to those of
 * a machine, and groups of events, which it counts.
 *
 * Conventions. Functions that return int return 0 or -errno. A function with an argument error
 * sets its text on failure: one line without a full stop that names the problem and the remedy.
 * error is never NULL, and its text is empty before the call. A plugin prints nothing, never
 * exits, and does not change signal handlers.
 *
 * Threads. libgpmu calls the functions of one source from one thread at a time, not always the
 * same one. It calls functions of different sources at any time. libgpmu unloads the plugin after
 * it has closed the last source. Threads that the plugin started must have ended by then, or the
 * plugin's destructor must end them.
 *
 * Growth. Structures grow only by members at their end. Each structure begins with its size,
 * except those of arrays, events and counts, whose sizes the table contains. libgpmu makes and
 * reads these arrays with the plugin's sizes, so a plugin indexes them as its own arrays.
 * Members that an older plugin's shorter structure lacks are treated as absent; in a count they
 * are 0. An event that needs a member that the plugin's structure lacks is not supported.
 * Members of a newer plugin that this header lacks are 0 in an event, and are ignored
 * elsewhere. GPMU_SOURCE_ABI changes for any other change, and a plugin with another
 * GPMU_SOURCE_ABI is refused.
 */
#ifndef GPMU_SOURCE_H
#define GPMU_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPMU_SOURCE_ABI	2

struct gpmu_error;	/* gpmu.h */

/**
 * struct gpmu_source_node - a NUMA node of the source
 * @size: size of this structure
 * @number: number in the names of its PMUs, 0 or more
 * @package: physical_package_id of its CPUs, perf's label S<n>; -1: not known
 * @gpu_count: number of GPUs on NVLink-C2C of its socket
 *
 * If the machine has a node with this number, it is the same node.
 */
struct gpmu_source_node {
	size_t size;
	int number;
	int package;
	size_t gpu_count;
};

/**
 * struct gpmu_source_gpu - a GPU of the source
 * @size: size of this structure
 * @uuid: UUID as NVML writes it, "GPU-8a56a4bc-..."
 * @name: "NVIDIA GH200 480GB", or NULL
 * @chip: "GH100", or NULL
 * @pci: domain, bus, device and function, "0009:01:00.0", or NULL
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
 * @size: size of this structure
 * @name: name of printable characters without blanks, "nvidia_scf_pmu_0"; unique in the source
 * @identifier: compared with Compat of events and metrics; or NULL
 * @node: number of its node, which the machine or the source has. -1: no node; for a PMU of a
 *	GPU the node of the GPU's PCI device in the machine
 * @counters: number of event counters without the cycle counter, at most 256; -1: not known
 * @counter_width: width of the event counters in bits, 1 to 64; -1: not known
 * @cycle_counter: 1: it has a cycle counter, 0: it has none, -1: not known
 * @formats: alternating names and texts, "event", "config:0-32", ..., NULL; NULL: none
 * @events: alternating names and texts, "cmem_rd_data", "event=0x1a5", ..., NULL; NULL: none
 * @gpu: GPU that it counts; or NULL
 *
 * The source owns all texts, and they are valid as long as the source.
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
 * struct gpmu_source_event_info - a named event
 * @size: size of this structure
 * @name: name of printable characters without blanks, "," and "/": "dram__bytes_read.sum"
 * @terms: the event in terms of the PMU's formats, "event=0x1a5"
 * @unit: unit of counts times @scale, "B"; NULL: no unit
 * @scale: factor from counts to @unit; 0: 1
 * @mean: 1: the event measures a state, such as a temperature or a percentage, and not a number
 *	of operations. The raw count is the integral of the state, divided by @scale, over the
 *	ns that the event was running. The value in rows is the mean, raw * @scale / running
 * @description: description, one line; or NULL
 * @passes: number of runs of the same work needed to count the event; 0: not known
 * @absent: 1: this PMU cannot count the event, but other PMUs of its kind can. The event's
 *	counts give the reason. Unit, scale and mean are those of the other PMUs
 * @why: the reason, one line, if @absent is 1; or NULL
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
	const char *why;
};

/* An event: members of struct perf_event_attr, encoded by the PMU's formats */
struct gpmu_source_event {
	uint64_t config, config1, config2, config3, config4;
};

/**
 * struct gpmu_source_count - the count of an event
 * @raw: the count, which never decreases. The plugin adds what a counter lost by an overflow.
 *	An event whose count decreases is shown as not counted
 * @enabled: ns that the event's group was enabled
 * @running: ns that the event was counted, at most @enabled. If it is less, groups were
 *	multiplexed, and raw * enabled / running is the estimate for the whole time
 * @why: NULL if the event can be counted. Otherwise the reason, one line, as for an absent unit
 *	of the chip. The event is then shown as not supported; other events of the group are not
 *	affected. The source owns the text
 */
struct gpmu_source_count {
	uint64_t raw, enabled, running;
	const char *why;
};

/**
 * struct gpmu_source_plugin - the functions of a plugin
 * @size: size of this structure
 * @abi: GPMU_SOURCE_ABI
 * @name: name of the plugin, "model"
 * @open: opens a source. @options is the user's text after "NAME=", or "". The offset of error
 *	is a byte offset in @options. *source is set to any pointer, which may be NULL; it is
 *	passed to the other functions
 * @close: closes a source after all its groups are closed
 * @pmu: returns PMUs by number from 0, the same for each call; NULL after the last. The source
 *	owns them
 * @group_open: opens a group: @length events, at least 1, of one PMU that are counted together.
 *	*group is set to any pointer. The group does not count yet. No group is opened while the
 *	source is enabled. -ENOSPC (the group needs more counters than there are), -EOPNOTSUPP
 *	or -ENOENT (an event cannot be counted) and -ENODEV (the PMU has vanished): the group is
 *	shown as not supported. Other errors end the run
 * @group_close: closes a group while the source is disabled
 * @enable: starts counting in all groups at @time, CLOCK_MONOTONIC_RAW in ns. Groups that have
 *	counted before continue; nothing is reset
 * @disable: stops counting in all groups at @time
 * @group_read: reads the counts of a group's events at @time, in their order, each the total
 *	since the group was opened. Called after the first enable, also after disable. -ENODEV:
 *	the PMU has vanished, and its events are shown as not counted
 * @node: returns nodes, in the same way as @pmu; NULL: the source has no nodes of its own
 * @usage: syntax of the options, one line, "FILE[,chip=NAME]"; or NULL
 * @event_size: size of struct gpmu_source_event; 0: it ends with config3
 * @count_size: size of struct gpmu_source_count; 0: it ends with running
 * @event: returns named events to be listed, in addition to those in struct gpmu_source_pmu, by
 *	number from 0; NULL after the last. The source owns them
 * @event_find: returns an event by its name, also one that @event does not list; NULL: there is
 *	none. The source owns it, and it is the same for each call
 * @prepare: called when all groups that will be enabled together are open. Slow preparations
 *	belong here, so that counting begins and ends at the times that @enable and @disable
 *	get. A failure ends the run before it begins
 * @message: returns messages for the user, oldest first, each once: one line without a full
 *	stop about data that is missing, lost or not what it seems. NULL: no more. Called after
 *	@open, @prepare, @disable and @group_read. The text is valid until the next call
 * @query: answers @question, which is not about counts. *answer is set to a new text in JSON,
 *	which the caller frees with free(). -ENOENT: unknown question. The plugin documents its
 *	questions and answers
 * @fits: returns 1 if a PMU can count all @length events at the same time, 0 if it cannot, or -errno.
 *	A plugin with this function counts all groups of a PMU at the same time and never multiplexes
 *	them: events that do not fit are not counted
 *
 * The error that libgpmu passes to a function is never NULL. Its text is empty, and its size
 * includes all members up to text.
 *
 * Members from @node on are optional: a table may end before any of them. Times never decrease
 * from one call to the next.
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
	int (*fits)(void *source, size_t pmu, const struct gpmu_source_event *events, size_t length);
};

/* The functions that a plugin exports */
extern const struct gpmu_source_plugin gpmu_source_plugin
	__attribute__((visibility("default")));

#ifdef __cplusplus
}
#endif

#endif /* GPMU_SOURCE_H */
