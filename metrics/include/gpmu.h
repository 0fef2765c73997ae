/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu: from the counters of NVIDIA Grace to metrics.
 *
 * Functions that return int return 0 or -errno, those that return a pointer
 * NULL with errno set. Nothing is printed. An object is used by one thread at a
 * time; different objects do not share anything. "borrowed" belongs to the
 * object it was asked of.
 */
#ifndef GPMU_H
#define GPMU_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct gpmu_error - why a text was refused
 * @offset: where in the text, in bytes from its beginning
 * @text: one line without a full stop
 *
 * Set only by a function that fails.
 */
struct gpmu_error {
	size_t offset;
	char text[192];
};

/* --- machine: what can be counted here ---------------------------------------- */

/*
 * What was there when gpmu_machine_new() looked. A machine and all that is asked
 * of it do not change: threads may share them. Pointers are borrowed from the
 * machine. Functions with an index return NULL after the last.
 */
struct gpmu_machine;
struct gpmu_pmu;
struct gpmu_node;
struct gpmu_pci;

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
/* How many CPUs are online, and could be; their numbers, ascending */
size_t gpmu_machine_online_cpus(const struct gpmu_machine *machine, const int **cpus);
size_t gpmu_machine_possible_cpus(const struct gpmu_machine *machine, const int **cpus);

/* By name, with numbers in the order of their values: _2 is before _10. */
const struct gpmu_pmu *gpmu_machine_pmu(const struct gpmu_machine *machine, size_t index);
const struct gpmu_pmu *gpmu_machine_find_pmu(const struct gpmu_machine *machine, const char *name);

const char *gpmu_pmu_name(const struct gpmu_pmu *pmu);
/* Of struct perf_event_attr */
uint32_t gpmu_pmu_type(const struct gpmu_pmu *pmu);
enum gpmu_pmu_kind gpmu_pmu_kind(const struct gpmu_pmu *pmu);
/* "2cf0036b", or NULL */
const char *gpmu_pmu_identifier(const struct gpmu_pmu *pmu);
/* N of NAME_N, of a Grace PMU also of NAME_N_inst_M: the number of its node. -1 if there is none */
int gpmu_pmu_number(const struct gpmu_pmu *pmu);
/* The node that all of gpmu_pmu_cpus() are of, or NULL */
const struct gpmu_node *gpmu_pmu_node(const struct gpmu_pmu *pmu);
/*
 * 1: of something outside the cores: an event is opened on each of
 * gpmu_pmu_cpus(), whatever is to be counted, and if there are none, as while
 * the socket is offline, it cannot be counted. 0: of CPUs or tasks.
 */
int gpmu_pmu_has_cpumask(const struct gpmu_pmu *pmu);
/*
 * How many CPUs it counts on, and their numbers, ascending: a cpumask, or the
 * CPUs that are online of a core PMU. 0 for others, such as software.
 */
size_t gpmu_pmu_cpus(const struct gpmu_pmu *pmu, const int **cpus);
/* From caps/; -1: not known. Event counters beside the cycle counter, their bits, 1 or 0 */
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

/* --- source: what counts beside the kernel's perf events ------------------------ */

/*
 * A source is opened by a plugin (gpmu-source.h): a shared object gpmu-NAME.so in one
 * of the folders of $GPMU_PLUGINS, separated by ":", which a program that runs with
 * more rights than its user's does not look at, or in the folder that libgpmu was
 * built with. Sources have references, and threads may share them. One session at a
 * time counts with a source: while it has groups open another one is refused, EBUSY.
 */
struct gpmu_source;

/**
 * gpmu_source_new() - opens a source
 * @spec: "NAME", "NAME=OPTIONS", or in place of NAME the path of the shared object,
 *	with a "/" in it: "model=steady.scenario,sockets=2", "./gpmu-x.so=FILE".
 *	What is behind the first "=" is for the plugin
 * @error: set on failure, or NULL; its offset is one in @spec
 *
 * Return: new, the caller's to put; NULL with errno ENOENT (no such plugin; the message
 * lists where it was looked for), EINVAL (not such a text, no plugin, one for another
 * libgpmu, options that it refuses), ENOMEM, or another one of the plugin
 */
struct gpmu_source *gpmu_source_new(const char *spec, struct gpmu_error *error);
/* One more reference, which needs a gpmu_source_put() of its own. Returns @source */
struct gpmu_source *gpmu_source_get(struct gpmu_source *source);
/* The last reference closes the source and unloads the plugin. NULL is allowed. */
void gpmu_source_put(struct gpmu_source *source);
/* The plugin's: "model"; borrowed */
const char *gpmu_source_name(const struct gpmu_source *source);

/**
 * gpmu_machine_add_source() - adds the PMUs of a source to a machine
 * @machine: it is as it was if this fails. Nothing may share it yet, and what was asked
 *	of it before, nodes and PMUs, is not valid any more
 * @source: the machine keeps a reference
 * @error: set on failure, or NULL
 *
 * A PMU takes the place of one of the same name. Nodes are added where the machine has
 * none of the number; they have no CPUs.
 *
 * Return: 0; -EINVAL (the source shows what cannot be), -ENOMEM
 */
int gpmu_machine_add_source(struct gpmu_machine *machine, struct gpmu_source *source,
			    struct gpmu_error *error);
/* What counts the PMU's events; borrowed from the machine; NULL: the kernel */
struct gpmu_source *gpmu_pmu_source(const struct gpmu_pmu *pmu);

/* --- catalog: events and metrics --------------------------------------------- */

/*
 * What can be counted and what it means, from JSON files in the schema of perf's
 * pmu-events: those that are built in, and others that are added. A file is for
 * the CPUs of its folder if it is in a tree like perf's, .../arch/ARCH/CPU/x.json,
 * and for every machine if it is in a folder "sys" of one, or elsewhere.
 *
 * A metric or an event is told from others by name, PMU, CPU and identifier
 * (Compat). One that is added later takes the place of the one for the same
 * thing, of two in the same file the first stays. There can be several of one
 * name for different machines: gpmu_catalog_find_metric() and
 * gpmu_catalog_find_event() find the one for this machine.
 *
 * All that is found stays valid and unchanged until the catalog is freed. Threads
 * may share a catalog while nothing is added to it.
 */
struct gpmu_catalog;
struct gpmu_metric;
struct gpmu_event_def;

/**
 * gpmu_catalog_new() - a catalog of what is built in, and more
 * @paths: files and folders separated by ":", as in $GPMU_EVENTS; or NULL
 * @error: set on failure, or NULL; see gpmu_catalog_add()
 *
 * Return: new; NULL with errno, as gpmu_catalog_add()
 */
struct gpmu_catalog *gpmu_catalog_new(const char *paths, struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_catalog_free(struct gpmu_catalog *catalog);

/**
 * gpmu_catalog_add() - adds a JSON file, or every *.json below a folder
 * @catalog: it is as it was if this fails
 * @path: links to files are followed, and @path itself if it is one
 * @error: set on failure, or NULL. Its text begins "file:line: ", or "file: "; its
 * offset is that in the file
 *
 * Keys that perf does not have are warnings, not errors. ArchStdEvent finds what is
 * in the catalog, or in the same call.
 *
 * Return: 0; -EINVAL (the JSON is not that of pmu-events), -EFBIG (a file above
 * 64 MiB, or 256 MiB in all), -ENOMEM, or what the file system says
 */
int gpmu_catalog_add(struct gpmu_catalog *catalog, const char *path, struct gpmu_error *error);
/* "file:line: ..." of what was ignored or left out; NULL after the last; borrowed */
const char *gpmu_catalog_warning(const struct gpmu_catalog *catalog, size_t index);

/* All metrics and events in the order of their names; NULL after the last; borrowed */
const struct gpmu_metric *gpmu_catalog_metric(const struct gpmu_catalog *catalog, size_t index);
const struct gpmu_event_def *gpmu_catalog_event(const struct gpmu_catalog *catalog, size_t index);

/**
 * gpmu_catalog_find_metric() - a metric by its name
 * @catalog: where to look
 * @name: in upper or lower case
 * @machine: if there are several, one that it has is found, or, if it has none of
 * them, another. NULL: it has all
 *
 * Return: the last added of those; borrowed; NULL with errno ENOENT or ENOMEM
 */
const struct gpmu_metric *gpmu_catalog_find_metric(const struct gpmu_catalog *catalog,
						   const char *name,
						   const struct gpmu_machine *machine);
/* Likewise an event of a PMU, "nvidia_scf_pmu" without a number, or NULL for the CPUs' own */
const struct gpmu_event_def *gpmu_catalog_find_event(const struct gpmu_catalog *catalog,
						     const char *pmu, const char *name,
						     const struct gpmu_machine *machine);

/* The groups that metrics are in, in the order of their names; NULL after the last; borrowed */
const char *gpmu_catalog_group(const struct gpmu_catalog *catalog, size_t index);
/* The metrics of a group, named in upper or lower case, in order; NULL after the last; borrowed */
const struct gpmu_metric *gpmu_catalog_group_metric(const struct gpmu_catalog *catalog,
						    const char *group, size_t index);

/*
 * What a metric says. All texts are borrowed; NULL where it says nothing, which
 * cannot be of name, expr and file.
 */
const char *gpmu_metric_name(const struct gpmu_metric *metric);
const char *gpmu_metric_expr(const struct gpmu_metric *metric);
/* An expression that is not 0 where the value deserves attention */
const char *gpmu_metric_threshold(const struct gpmu_metric *metric);
/* "NO_GROUP_EVENTS" and others of perf's: its events may not be one group */
const char *gpmu_metric_constraint(const struct gpmu_metric *metric);
/* NULL after the last */
const char *gpmu_metric_group(const struct gpmu_metric *metric, size_t index);
/* Short, and all that there is to say beyond that */
const char *gpmu_metric_description(const struct gpmu_metric *metric);
const char *gpmu_metric_details(const struct gpmu_metric *metric);
/* The value times the scale, which is 1 if nothing is said, is in this unit: "GB/s" */
const char *gpmu_metric_unit(const struct gpmu_metric *metric);
double gpmu_metric_scale(const struct gpmu_metric *metric);
/* The PMU that it is of, without a number: "nvidia_scf_pmu"; NULL: the CPUs' own */
const char *gpmu_metric_pmu(const struct gpmu_metric *metric);
/* What that PMU's identifier must be, or match as a whole as an extended regular expression */
const char *gpmu_metric_compat(const struct gpmu_metric *metric);
/* The CPUs that it is for: "arm64/arm/neoverse-n2-v2"; NULL: all */
const char *gpmu_metric_cpu(const struct gpmu_metric *metric);
/* Where it is from: a path, or "built in: arch/..."; and the line */
const char *gpmu_metric_file(const struct gpmu_metric *metric);
unsigned int gpmu_metric_line(const struct gpmu_metric *metric);

/* Likewise what an event says; name, terms and file are never NULL */
const char *gpmu_event_def_name(const struct gpmu_event_def *event);	/* in lower case */
const char *gpmu_event_def_terms(const struct gpmu_event_def *event);	/* "event=0x1a5" */
/* "spec operation" of the file spec-operation.json */
const char *gpmu_event_def_topic(const struct gpmu_event_def *event);
const char *gpmu_event_def_description(const struct gpmu_event_def *event);
const char *gpmu_event_def_details(const struct gpmu_event_def *event);
const char *gpmu_event_def_unit(const struct gpmu_event_def *event);
double gpmu_event_def_scale(const struct gpmu_event_def *event);
const char *gpmu_event_def_pmu(const struct gpmu_event_def *event);
const char *gpmu_event_def_compat(const struct gpmu_event_def *event);
const char *gpmu_event_def_cpu(const struct gpmu_event_def *event);
const char *gpmu_event_def_file(const struct gpmu_event_def *event);
unsigned int gpmu_event_def_line(const struct gpmu_event_def *event);

/*
 * Whether a machine has what a metric or an event is for: its CPU, and its PMU
 * with that identifier. 1, 0, or -ENOMEM. Of CPUs in a tree like perf's those of
 * Neoverse N2 and V2 are known, no others.
 */
int gpmu_metric_supported(const struct gpmu_metric *metric, const struct gpmu_machine *machine);
int gpmu_event_def_supported(const struct gpmu_event_def *event,
			     const struct gpmu_machine *machine);

/* --- expr: metric expressions ------------------------------------------------ */

struct gpmu_expr;

/**
 * struct gpmu_expr_env - what an expression asks of the machine when it is made
 * @size: of this structure
 * @parameter: the number that stands for "?" in a name, 0 or more
 * @literal: value of #NAME, the name without "#", such as num_cpus, whose case perf
 *	ignores; NaN if there is none
 * @has_event: 1 if an event can be counted, 0 if not, < 0 if that is not known; its
 *	name as gpmu_expr_id() writes it
 * @cpuid_matches: 1 if the CPU is one that the pattern of a mapfile.csv matches, 0 if
 *	not, < 0 if that is not known
 * @user: handed to the functions
 *
 * Functions may be NULL; an expression that needs one is then refused. They are
 * called by gpmu_expr_new() only.
 */
struct gpmu_expr_env {
	size_t size;
	unsigned int parameter;
	double (*literal)(const char *name, void *user);
	int (*has_event)(const char *event, void *user);
	int (*cpuid_matches)(const char *pattern, void *user);
	void *user;
};

/**
 * struct gpmu_expr_value - an event, or another metric, in an expression
 * @value: its count; of duration_time, seconds; NaN if there is none
 * @sources: source_count(): how many PMUs the count is the sum of, 1 for a metric
 * @lines: aggr_nr(): how many CPUs' or PMUs' counts, 1 for a metric
 */
struct gpmu_expr_value {
	double value;
	double sources;
	double lines;
};

/**
 * gpmu_expr_new() - compiles the MetricExpr of a metric (grammar of Linux 7.3's perf)
 * @text: the expression
 * @env: the machine, or NULL: no parameter, no function. Not kept
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno EINVAL (not an expression, or it needs what @env
 * does not know), E2BIG (nested deeper than 100 levels, longer than 1 MiB) or ENOMEM
 */
struct gpmu_expr *gpmu_expr_new(const char *text, const struct gpmu_expr_env *env,
				struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_expr_free(struct gpmu_expr *expr);

/**
 * gpmu_expr_ids() - how many events and metrics the value depends on
 *
 * What cannot matter on this machine is left out: x of "x if #smt_on else y"
 * where #smt_on is 0.
 */
size_t gpmu_expr_ids(const struct gpmu_expr *expr);
/* The name, "@" in place of "/"; borrowed; NULL if there are no more. */
const char *gpmu_expr_id(const struct gpmu_expr *expr, size_t index);

/**
 * gpmu_expr_eval() - the value of an expression
 * @expr: the expression; it may be evaluated by several threads at a time
 * @values: one for each of gpmu_expr_ids(), in their order; NULL if there are none
 *
 * Return: the value, or NaN: there are no samples, as nothing was counted that
 * could be divided by, or a value is missing. d_ratio() by 0 is 0, NaN is true, and
 * where a divisor of "%" is 0 the whole is NaN: all as in perf. Infinite is only
 * what a double cannot hold.
 */
double gpmu_expr_eval(const struct gpmu_expr *expr, const struct gpmu_expr_value *values);

/*
 * 1 if that value rests on a division by 0, d_ratio()'s too: what the metric is of did not
 * happen, and 0 or NaN is not a measurement. 0 if not. A branch of "if" that is not taken
 * does not matter.
 */
int gpmu_expr_idle(const struct gpmu_expr *expr, const struct gpmu_expr_value *values);

/* --- event: what the kernel is asked to count ---------------------------------- */

struct perf_event_attr;
struct gpmu_event;

/**
 * gpmu_event_new() - finds an event by the text that perf's -e takes
 * @machine: whose PMUs, formats and events; it must outlive the event
 * @catalog: more events' names, or NULL
 * @text: one event, "nvidia_scf_pmu/cmem_rd_data/", "cycles:u", "r11",
 *	"sched:sched_switch", or a name of libpfm4, "arm_v2::INST_RETIRED". No braces,
 *	and no commas outside "/"
 * @error: set on failure, or NULL. Its offset is that in @text
 *
 * A PMU is an exact name, a name without the number that it ends with, which is
 * every PMU of that name, or a pattern, "nvidia_*_pmu_0". A name without a PMU is
 * an event of the cores if they have one of that name, else one of perf's generic
 * names, else an event of all other PMUs that have it. Only modifiers that have to
 * do with counting are taken.
 *
 * Return: new; NULL with errno EINVAL (not of that form, a value that the format has
 * no room for, a modifier), ENOENT (no such PMU, event, format, tracepoint), ENODEV (the
 * machine lacks the PMU or CPU that has it), ENOMEM, or that of reading tracefs, as EACCES
 */
struct gpmu_event *gpmu_event_new(const struct gpmu_machine *machine,
				  const struct gpmu_catalog *catalog, const char *text,
				  struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_event_free(struct gpmu_event *event);
/* What to show of it: "name=" of its terms, else the text */
const char *gpmu_event_label(const struct gpmu_event *event);
/* As it was given */
const char *gpmu_event_text(const struct gpmu_event *event);
/* A count times the scale, which is 1 if nothing is said, is in this unit: "Joules"; or NULL */
const char *gpmu_event_unit(const struct gpmu_event *event);
double gpmu_event_scale(const struct gpmu_event *event);
/*
 * One for each PMU that it is counted on, in the order of gpmu_machine_pmu(), and
 * for each tracepoint: at least 1. Below, all is borrowed, and NULL after the last.
 */
size_t gpmu_event_instances(const struct gpmu_event *event);
/* "nvidia_scf_pmu_0/cmem_rd_data/", as perf stat -e takes it */
const char *gpmu_event_instance_name(const struct gpmu_event *event, size_t index);
/* NULL also where sysfs shows no PMU for it */
const struct gpmu_pmu *gpmu_event_instance_pmu(const struct gpmu_event *event, size_t index);
/*
 * What perf_event_open() takes: size, type, config to config3, and what modifiers
 * set. NULL also where libgpmu itself counts: duration_time
 */
const struct perf_event_attr *gpmu_event_instance_attr(const struct gpmu_event *event,
						       size_t index);

/* --- plan: metrics and events, in groups that fit -------------------------------- */

/*
 * What is counted at the same time. A group is of one PMU, so that an event on
 * nvidia_scf_pmu is in a group of nvidia_scf_pmu_0 and in one of nvidia_scf_pmu_1. All
 * that a metric takes from a PMU is in one group: its ratios are never of counts of
 * different times. Metrics share groups where they can, to have as few as possible.
 */
struct gpmu_plan;
struct gpmu_group;

/**
 * struct gpmu_plan_options - how groups are made
 * @size: of this structure
 * @no_merge: 1: no metric shares a group with another, perf's --metric-no-merge
 * @system_wide: 1: CPUs are counted, 0: tasks; what #core_wide and #target_cpu are
 * @fits: whether these events of one PMU can be counted at the same time: 1, 0, or
 *	< 0 if that cannot be known. Asked where caps/ do not say it. NULL: not known
 * @user: handed to it
 */
struct gpmu_plan_options {
	size_t size;
	int no_merge;
	int system_wide;
	int (*fits)(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		    size_t length, void *user);
	void *user;
};

/**
 * gpmu_plan_new() - a plan of nothing
 * @machine: what there is to count; it must outlive the plan
 * @catalog: whose metrics and events; it must outlive the plan, and nothing may be
 *	added to it as long
 * @options: NULL: all 0. Not kept
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno ENOMEM, or EINVAL (@options are smaller than their size)
 */
struct gpmu_plan *gpmu_plan_new(const struct gpmu_machine *machine,
				const struct gpmu_catalog *catalog,
				const struct gpmu_plan_options *options,
				struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_plan_free(struct gpmu_plan *plan);

/**
 * gpmu_plan_add_metrics() - adds what is to be computed
 * @plan: it is as it was if this fails
 * @list: "GraceMemBW,GracePcieReadBW/root_port=0x3/,grace_c2c0": names of metrics and
 *	of groups of them, in upper or lower case. A filter between slashes takes the
 *	place of that in the metric's events whose PMU has such a format. ":u" and other
 *	modifiers are those of all its events
 * @error: set on failure, or NULL. Its offset is that in @list
 *
 * A metric that is there already is not added again. One that the machine cannot count
 * is added, and a warning.
 *
 * Return: 0; -ENOENT (no such metric; the error names the nearest), -EINVAL (not of
 * that form, a filter that none of its PMUs has, or a formula that uses itself),
 * -EBUSY (the plan is made) or -ENOMEM
 */
int gpmu_plan_add_metrics(struct gpmu_plan *plan, const char *list, struct gpmu_error *error);
/*
 * Likewise events, as perf's -e takes them: "cycles,{a,b}:u,c". Each is counted by itself,
 * those in braces together; of braces that hold events of several PMUs there is a group for
 * each. Returns also what gpmu_event_new() fails with; what the machine has no PMU for is no
 * failure, but a warning.
 */
int gpmu_plan_add_events(struct gpmu_plan *plan, const char *list, struct gpmu_error *error);

/**
 * gpmu_plan_make() - makes the groups
 * @plan: nothing can be added afterwards; after a failure it can only be freed
 * @error: set on failure, or NULL
 *
 * Return: 0, -EBUSY (this was done) or -ENOMEM
 */
int gpmu_plan_make(struct gpmu_plan *plan, struct gpmu_error *error);
/* What cannot be counted, or had to be assumed: one line each; NULL after the last; borrowed */
const char *gpmu_plan_warning(const struct gpmu_plan *plan, size_t index);

/* Of a plan that is made: how many groups; one of them, NULL after the last; borrowed */
size_t gpmu_plan_groups(const struct gpmu_plan *plan);
const struct gpmu_group *gpmu_plan_group(const struct gpmu_plan *plan, size_t index);
/* NULL: of none that sysfs shows, or counted by libgpmu itself */
const struct gpmu_pmu *gpmu_group_pmu(const struct gpmu_group *group);
/* "nvidia_scf_pmu_0/cmem_rd_data/"; NULL after the last; borrowed */
const char *gpmu_plan_group_event(const struct gpmu_plan *plan, size_t group, size_t index);

/**
 * gpmu_plan_text() - a plan for any perf
 *
 * "duration_time,{nvidia_scf_pmu_0/event=cycles/,nvidia_scf_pmu_0/cmem_rd_access/},...", what
 * "perf stat -e" takes: the groups in their order, duration_time first if a metric
 * needs it.
 *
 * Return: new, the caller's to free(); NULL with errno ENOMEM
 */
char *gpmu_plan_text(const struct gpmu_plan *plan);

/* --- row: values, with what they are worth ------------------------------------- */

enum gpmu_state {
	GPMU_OK,
	GPMU_IDLE,		/* a metric's divisor was 0: what it is of did not happen */
	GPMU_NOT_COUNTED,	/* a counter did not run */
	GPMU_NOT_SUPPORTED,	/* there is no such counter here: why says more */
};

/* What a value is of */
enum gpmu_scope {
	GPMU_SCOPE_MACHINE,
	GPMU_SCOPE_NODE,
	GPMU_SCOPE_CPU,
	GPMU_SCOPE_PROCESS,
};

/**
 * struct gpmu_row - the value of an event or a metric
 * @size: of this structure; in an array the next row begins so many bytes further
 * @begin: of the interval, in seconds from the session's start
 * @end: likewise
 * @metric: 1: of a metric, 0: of an event
 * @name: the event's or metric's label, as it was asked for
 * @pmu: "nvidia_scf_pmu_0" of counts of one PMU; of several of a kind the kind,
 *	"nvidia_scf_pmu"; NULL: of different ones, or none
 * @scope: what the value is of. PMUs outside the cores count the machine or a node of it
 *	even if the rest is of a process
 * @node: the number that is in the names of its PMUs; -1: not of one
 * @package: of that node, perf's label S<n>; -1: not known
 * @cpu: -1: not of one
 * @pid: of the process; -1: not of one, or of several
 * @state: a value of which a part is missing is not OK, it is never the sum of the rest
 * @value: in @unit; NaN unless @state is GPMU_OK
 * @unit: "GB/s" (1e9 bytes); NULL: a number
 * @share: of the time, 0 to 1, that the counters ran; the lowest of them. Below 1 they were
 *	multiplexed, and the value is an estimate. NaN if it is not known
 * @raw: the sum as it was counted, of an event; 0 of a metric
 * @enabled: how long a counter was enabled, in ns, the mean of them
 * @running: how long it counted, likewise
 * @counters: how many counts were added
 * @alert: of a metric with a threshold: 1 it is passed, 0 not, -1 not known, or none
 * @runs: the value is the mean of so many; 1
 * @deviation: standard deviation of that mean, in @unit; 0 of one run
 * @why: of GPMU_NOT_COUNTED and GPMU_NOT_SUPPORTED, one line; or NULL
 *
 * Texts are borrowed from whoever the row was got of, and change with it.
 */
struct gpmu_row {
	size_t size;
	double begin, end;
	int metric;
	const char *name;
	const char *pmu;
	enum gpmu_scope scope;
	int node, package, cpu, pid;
	enum gpmu_state state;
	double value;
	const char *unit;
	double share;
	uint64_t raw, enabled, running;
	size_t counters;
	int alert;
	unsigned int runs;
	double deviation;
	const char *why;
};

/* --- sink: rows as text ---------------------------------------------------------- */

/*
 * Rows for people, or for programs in two forms that do not change:
 * metrics/output.rst says what each column is. Numbers are in the C locale in any
 * locale. A sink belongs to one thread at a time.
 */
struct gpmu_sink;

enum gpmu_sink_kind {
	GPMU_SINK_SUMMARY,	/* as perf stat prints it */
	GPMU_SINK_CSV,
	GPMU_SINK_JSON,		/* an object a line */
};

/**
 * struct gpmu_sink_options - how rows are written; what is 0 or NULL is the default
 * @size: of this structure
 * @separator: of a CSV file's columns; NULL: ","
 * @title: of a summary, what was counted: "'./app'"; NULL: "system wide"
 * @host: of CSV and JSON; NULL: this machine's name
 * @color: 1: a metric beyond its threshold is red in a summary
 * @interval: 1: each gpmu_sink_rows() is an interval, 0: there is one of the whole run
 * @big_numbers: 1: a summary's numbers have a comma before each three digits
 * @per_node: 1: a summary has a column of nodes even if no row is of one
 * @runs: how many runs the values are the mean of; 0: 1
 */
struct gpmu_sink_options {
	size_t size;
	const char *separator;
	const char *title;
	const char *host;
	int color;
	int interval;
	int big_numbers;
	int per_node;
	unsigned int runs;
};

/**
 * struct gpmu_sink_end - what a summary ends with
 * @size: of this structure
 * @elapsed: seconds, the mean of several runs
 * @deviation: the standard deviation of that mean
 * @user: seconds of the command; below 0: there was none
 * @system: likewise
 */
struct gpmu_sink_end {
	size_t size;
	double elapsed, deviation;
	double user, system;
};

/**
 * gpmu_sink_new() - a sink that writes to a file
 * @kind: which of them
 * @file: the caller's; it stays open, and is to be there as long as the sink. Each
 *	gpmu_sink_rows() is written at once and is not buffered
 * @options: copied; NULL: all are the default
 * @error: set on failure, or NULL
 *
 * Return: new; NULL with errno EINVAL (no such kind, or a separator that is part of
 * numbers and words) or ENOMEM
 */
struct gpmu_sink *gpmu_sink_new(enum gpmu_sink_kind kind, FILE *file,
				const struct gpmu_sink_options *options,
				struct gpmu_error *error);
/* NULL is allowed. */
void gpmu_sink_free(struct gpmu_sink *sink);

/**
 * gpmu_sink_rows() - writes the rows of an interval, or of the whole run
 * @sink: the sink
 * @rows: @n of them, one after the other in steps of the first one's size
 * @n: 0 is allowed
 *
 * Return: 0; -EINVAL (the size is none), -ENOMEM (nothing is written), or what
 * writing failed with: -ENOSPC, -EPIPE, ...
 */
int gpmu_sink_rows(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n);
/* Writes what comes after the last row. Returns as gpmu_sink_rows() */
int gpmu_sink_end(struct gpmu_sink *sink, const struct gpmu_sink_end *end);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_H */
