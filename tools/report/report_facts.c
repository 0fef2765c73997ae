// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table "recording": machine, command, events, losses and missing data of a recording of perf */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_plural.h"
#include "common.h"
#include "machine/gpmu_midr.h"
#include "message.h"
#include "report/report_perf.h"

#define FILES_MAX	8	/* named in a line */
#define RECORD_BUILD_IDS	"record to a file without -z, --no-buildid or --switch-output, and do not kill perf"

/* Bits of config: formats of arm_spe_pmu, of Linux's drivers/perf/arm_spe_pmu.c */
static const struct {
	unsigned int bit;
	const char *name;
} filters[] = {
	{ 32, "branches" }, { 33, "loads" }, { 34, "stores" }, { 39, "SIMD operations" }, { 41, "floating-point operations" },
	{ 36, "branch_filter_mask" }, { 37, "load_filter_mask" }, { 38, "store_filter_mask" }, { 40, "simd_filter_mask" },
	{ 42, "float_filter_mask" }, { 35, "discard" },
};

/* Adds a line. @text is taken. */
static void add(struct report_facts *facts, const char *what, char *text)
{
	facts->cells = need_memory(realloc(facts->cells, (facts->count + 1) * 2 * sizeof(*facts->cells)));
	facts->cells[facts->count * 2] = (struct gpmu_report_cell){ .known = 1, .text = what };
	facts->cells[facts->count * 2 + 1] = (struct gpmu_report_cell){ .known = 1, .text = text };
	facts->count++;
}

/* Appends to a text that is then freed. */
static char *joined(char *text, char *more)
{
	char *both = print_text("%s%s%s", text, *text && *more ? ", " : "", more);

	free(text);
	free(more);
	return both;
}

static void add_machine(struct report_facts *facts, const struct gpmu_perfdata_info *info)
{
	char *text = print_text("%s", info->hostname ? info->hostname : "");

	if (info->arch)
		text = joined(text, print_text("%s", info->arch));
	if (info->cpudesc)
		text = joined(text, print_text("%s", info->cpudesc));
	if (info->cpus_online)
		text = joined(text, print_text("%u %s", info->cpus_online, gpmu_plural(info->cpus_online, "CPU", "CPUs")));
	if (info->osrelease)
		text = joined(text, print_text("Linux %s", info->osrelease));
	if (info->version)
		text = joined(text, print_text("perf %s", info->version));
	if (*text)
		add(facts, "machine", text);
	else
		free(text);
}

static void add_command(struct report_facts *facts, const struct gpmu_perfdata_info *info)
{
	char *text, *longer;

	if (!info->arg_count)
		return;
	text = print_text("%s", info->args[0]);
	for (size_t i = 1; i < info->arg_count; i++) {
		longer = print_text("%s %s", text, info->args[i]);
		free(text);
		text = longer;
	}
	add(facts, "command", text);
}

/* The operations that SPE records, by the configuration of its event */
static char *filters_of(const struct gpmu_perfdata_event *event)
{
	const struct perf_event_attr *attr = event->attr;
	char *text = print_text("%s", "");

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if (attr->config >> filters[i].bit & 1)
			text = joined(text, print_text("%s", filters[i].name));
	if (attr->config1)
		text = joined(text, print_text("event_filter 0x%" PRIx64, (uint64_t)attr->config1));
	if (event->config3)
		text = joined(text, print_text("inv_event_filter 0x%" PRIx64, event->config3));
	if (event->config4)
		text = joined(text, print_text("inv_data_src_filter 0x%" PRIx64, event->config4));
	if (attr->config2 & 0xfff)
		text = joined(text, print_text("latency of at least %u cycles", (unsigned int)attr->config2 & 0xfff));
	if (!*text)
		text = joined(text, print_text("all operations"));
	if (attr->exclude_kernel)
		text = joined(text, print_text("not of the kernel"));
	if (attr->exclude_user)
		text = joined(text, print_text("not of user space"));
	return text;
}

/* The unit of SPE's period */
static const char *unit_of(const struct gpmu_perfdata_info *info)
{
	for (size_t i = 0; i < info->cap_count; i++)
		if (!strcmp(info->caps[i].name, "arch_inst") && !strcmp(info->caps[i].value, "1"))
			return " instructions";
	return " operations";
}

static void add_event(struct report_facts *facts, const struct gpmu_profile_event *event,
		      const struct gpmu_perfdata_info *info)
{
	const struct perf_event_attr *attr = event->event ? event->event->attr : NULL;
	char *text = print_text("%s: %" PRIu64 " %s", event->name, event->samples,
				gpmu_plural(event->samples, "sample", "samples"));

	if (!event->samples && !event->is_spe) {
		free(text);
		return;
	}
	if (attr && attr->freq)
		text = joined(text, print_text("%" PRIu64 " per second", (uint64_t)attr->sample_freq));
	else if (attr && attr->sample_period)
		text = joined(text, print_text("one per %" PRIu64 "%s", (uint64_t)attr->sample_period,
					       event->is_spe ? unit_of(info) : ""));
	if (attr && event->is_spe)
		text = joined(text, filters_of(event->event));
	add(facts, "event", text);
}

/* Losses that are 0 have no line. */
static void add_losses(struct report_facts *facts, const struct gpmu_profile_facts *from)
{
	const struct gpmu_spe_stats *spe = &from->spe;

	if (from->lost)
		add(facts, "lost", print_text("%" PRIu64 " %s because perf's ring buffer was full", from->lost,
					      gpmu_plural(from->lost, "sample or record: the kernel dropped it",
							  "samples or records: the kernel dropped them")));
	if (spe->collisions)
		add(facts, "collisions", print_text("%" PRIu64 " %s SPE dropped at least one sample, because another was in flight",
						    spe->collisions, gpmu_plural(spe->collisions, "AUX record; in it",
										 "AUX records; in each of them")));
	if (spe->truncations)
		add(facts, "truncations", print_text("%" PRIu64 " %s the AUX buffer was full and SPE stopped until perf had read it; "
						     "record with a larger -m ,PAGES or a longer period", spe->truncations,
						     gpmu_plural(spe->truncations, "time", "times")));
	if (spe->partials)
		add(facts, "partial", print_text("%" PRIu64 " AUX %s with an incomplete last sample", spe->partials,
						 gpmu_plural(spe->partials, "record", "records")));
	if (spe->damages || spe->lost_bytes)
		add(facts, "damage", print_text("%" PRIu64 " damaged %s of the AUX data; %" PRIu64 " %s to no sample", spe->damages,
						gpmu_plural(spe->damages, "part", "parts"), spe->lost_bytes,
						gpmu_plural(spe->lost_bytes, "byte belongs", "bytes belong")));
	if (spe->unknown)
		add(facts, "unknown", print_text("%" PRIu64 " %s of SPE that this version does not know", spe->unknown,
						 gpmu_plural(spe->unknown, "packet", "packets")));
	if (from->repeated)
		add(facts, "repeated", print_text("%" PRIu64 " %s counted once", from->repeated,
						  gpmu_plural(from->repeated, "sample that an earlier snapshot of the same buffer has, too; it is",
							      "samples that an earlier snapshot of the same buffer has, too; they are")));
	if (from->untimed)
		add(facts, "snapshots", print_text("%" PRIu64 " %s; record with ts_enable=1", from->untimed,
						   gpmu_plural(from->untimed, "sample without a time stamp, which is counted in each snapshot that has it",
							       "samples without a time stamp, which are counted in each snapshot that has them")));
	if (from->no_thread)
		add(facts, "thread", print_text("not recorded for %" PRIu64 " %s", from->no_thread,
						gpmu_plural(from->no_thread, "sample", "samples")));
	if (from->outside_tasks)
		add(facts, "outside", print_text("%" PRIu64 " %s", from->outside_tasks, gpmu_outside_why(from->outside_tasks)));
}

/* Files whose samples are in no function */
static void add_files(struct report_facts *facts, const struct gpmu_profile *profile)
{
	char *text = print_text("%s", "");
	const char *file, *why;
	size_t n = 0;

	for (; (file = gpmu_profile_without_functions(profile, n, &why)); n++)
		if (n < FILES_MAX)
			text = joined(text, print_text("%s (%s)", file, why));
	if (n > FILES_MAX)
		text = joined(text, print_text("%zu more", n - FILES_MAX));
	if (n)
		add(facts, "no functions", text);
	else
		free(text);
}

/* Functions of the kernel are those of the running kernel, in /proc/kallsyms. */
static void add_kernel(struct report_facts *facts, enum gpmu_profile_kernel kernel)
{
	static const char *const reasons[] = {
		[GPMU_PROFILE_KERNEL_NO_MAP] = "the recording has no map of the kernel for some samples; record as root or "
			"with kernel.kptr_restrict=0",
		[GPMU_PROFILE_KERNEL_NO_BUILD_ID] = "the recording has no build id of the kernel; " RECORD_BUILD_IDS,
		[GPMU_PROFILE_KERNEL_OTHER] = "the running kernel has another build id than the recorded one; run gpmu "
			"report on the recorded kernel",
		[GPMU_PROFILE_KERNEL_HIDDEN] = "/proc/kallsyms shows this user no addresses; run gpmu report as root, or set "
			"kernel.kptr_restrict=0 and kernel.perf_event_paranoid=1",
	};

	if (kernel)
		add(facts, "kernel", print_text("functions are not known: %s", reasons[kernel]));
}

static void add_memory(struct report_facts *facts, const struct gpmu_profile_facts *from)
{
	if (!from->memory)
		return;
	if (!from->midr)
		add(facts, "tier", print_text("not known: the recording has no MIDR of its CPUs"));
	else if (!gpmu_midr_is_neoverse_v2(from->midr))
		add(facts, "tier", print_text("not known for this CPU (MIDR 0x%" PRIx64 ")", from->midr));
	if (!from->physical)
		add(facts, "home", print_text("not recorded: record with pa_enable=1, which needs CAP_PERFMON or, "
					      "since Linux 6.12, kernel.perf_event_paranoid at most 1"));
	else if (*from->no_homes)
		add(facts, "home", print_text("not known: %s", from->no_homes));
	else if (from->outside)
		add(facts, "home", print_text("%" PRIu64 " physical %s in no node: devices, or memory that was not online", from->outside,
					      gpmu_plural(from->outside, "address is", "addresses are")));
}

static void add_spe(struct report_facts *facts, const struct gpmu_profile_facts *from)
{
	const struct gpmu_perfdata_time_conv *conv = &from->info->time_conv;

	if (from->has_foreign_aux)
		add(facts, "aux", print_text("the AUX buffers are not from Arm SPE and were not read"));
	if (!from->has_spe)
		return;
	if (from->unknown_version)
		add(facts, "aux", print_text("version %" PRIu64 " of AUXTRACE_INFO is not known; it was read as version 2",
					     from->unknown_version));
	if (!from->has_times)
		add(facts, "times", print_text("times of SPE cannot be compared with those of threads and maps: %s",
					       !conv->mult ? "no TIME_CONV record" :
					       !gpmu_perfdata_has_times(conv) ? "the shift of TIME_CONV is above 63" :
					       from->is_in_order ? "record with -T and without the term time=0 of an event" :
					       "record without -k"));
	add_memory(facts, from);
	add(facts, "shares", print_text("shares are of samples, not of accesses: SPE has no sample of an operation that "
					"was filtered, was lost, or came while another was in flight"));
}

void report_facts_add(struct report_facts *facts, const struct gpmu_profile *profile)
{
	struct gpmu_profile_facts from = { .size = sizeof(from) };
	struct gpmu_profile_event event;
	bool has_switches = false;
	uint64_t samples = 0;

	gpmu_profile_get_facts(profile, &from);
	add_machine(facts, from.info);
	add_command(facts, from.info);
	for (size_t i = 0; i < gpmu_profile_event_count(profile); i++) {
		gpmu_profile_event(profile, i, &event);
		add_event(facts, &event, from.info);
		samples += event.samples;
		has_switches |= event.samples && !strcmp(event.name, "sched:sched_switch");
	}
	if (has_switches)
		add(facts, "threads", print_text("the times that threads run are on a timeline: gpmu import FILE, then gpmu report --by thread "
						 "perf.pftrace"));
	if (!samples)
		add(facts, "samples", print_text("none%s", from.info->is_stat ?
						 "; perf stat report prints the counts of perf stat record" : ""));
	add_losses(facts, &from);
	add_files(facts, profile);
	if (from.unchecked)
		add(facts, "build ids", print_text("not recorded for %" PRIu64 " %s with functions, which may have changed since the recording; "
						   RECORD_BUILD_IDS, from.unchecked, gpmu_plural(from.unchecked, "file", "files")));
	add_kernel(facts, from.kernel);
	add_spe(facts, &from);
	if (from.is_stopped)
		add(facts, "stopped", print_text("stopped by a signal: only a part of the recording was read"));
	if (from.skipped)
		add(facts, "skipped", print_text("%s", from.skipped));
	else if (from.is_damaged && from.is_whole)
		add(facts, "damaged", print_text("all samples in the file were read, but facts about the machine, or names of functions or events, "
						 "may be missing"));
	if (from.is_damaged && !from.is_whole)
		add(facts, "cut off", print_text("only the part before the damage was read"));
}

static bool has_key(const struct gpmu_profile_table *table, size_t key)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].keys[key])
			return true;
	return !table->count;
}

void report_facts_missing(struct report_facts *facts, const struct gpmu_profile_table *table,
			  const enum gpmu_profile_key *keys, size_t key_count)
{
	static const char *const recorded_by[GPMU_PROFILE_KEYS] = {
		[GPMU_PROFILE_CPU] = "perf record --sample-cpu",
		[GPMU_PROFILE_NODE] = "perf record --sample-cpu",
		[GPMU_PROFILE_TIER] = "Arm SPE alone: perf record -e arm_spe_0//",
		[GPMU_PROFILE_HOME] = "Arm SPE alone: perf record -e arm_spe_0/pa_enable=1/",
		[GPMU_PROFILE_DATA] = "perf record -d, or Arm SPE: perf record -e arm_spe_0//",
		[GPMU_PROFILE_PAGE] = "perf record -d, or Arm SPE: perf record -e arm_spe_0//",
		[GPMU_PROFILE_OP] = "Arm SPE alone: perf record -e arm_spe_0//",
	};

	for (size_t k = 0; k < key_count; k++)
		if (recorded_by[keys[k]] && !has_key(table, k))
			add(facts, gpmu_profile_key_name(keys[k]),
			    print_text("in no sample; it is recorded by %s", recorded_by[keys[k]]));
}

const char *report_facts_no_callers(const struct gpmu_profile *profile)
{
	const char *why = NULL;
	struct gpmu_profile_event event;

	for (size_t i = 0; i < gpmu_profile_event_count(profile); i++) {
		gpmu_profile_event(profile, i, &event);
		if (!event.event || !event.samples || event.is_spe)
			continue;
		/* perf record --off-cpu has the call stacks in the raw bytes. */
		if (event.event->attr->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER) ||
		    !strcmp(event.event->name, "offcpu-time"))
			return NULL;
		why = "call stacks have only the sampled function; callers are recorded by perf record -g";
	}
	return why;
}

void report_facts_stacks(struct report_facts *facts, const struct gpmu_profile *profile,
			 const enum gpmu_profile_key *keys, size_t key_count)
{
	const char *why = report_facts_no_callers(profile);

	for (size_t k = 0; why && k < key_count; k++)
		if (keys[k] == GPMU_PROFILE_STACK)
			add(facts, "stacks", print_text("%s", why));
}

void report_facts_release(struct report_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		free((char *)facts->cells[i * 2 + 1].text);
	free(facts->cells);
}
