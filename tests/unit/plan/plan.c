// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plans of metrics and events: their groups, and their warnings */
#include "plan-test.h"

#define S0	"nvidia_scf_pmu_0/"
#define S1	"nvidia_scf_pmu_1/"
#define UNKNOWN(pmu) \
	pmu ": its number of counters is unknown, so each metric has its own groups, which are " \
	"assumed to fit; a driver with caps/counters, or permission to open events, makes the " \
	"number known"

/* --- our driver: caps/ gives six counters and a cycle counter --- */

static void groups(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, "GraceMemBW", NULL);

	if (!ok(plan != NULL, "plan: GraceMemBW on a superchip has a plan"))
		return;
	is_u64(gpmu_plan_group_count(plan), 2, "plan: a metric on two sockets has two groups");
	is_str(gpmu_pmu_name(gpmu_plan_group_pmu(plan, 0)), "nvidia_scf_pmu_0",
	       "plan: the first group is on socket 0's PMU");
	is_str(gpmu_pmu_name(gpmu_plan_group_pmu(plan, 1)), "nvidia_scf_pmu_1",
	       "plan: the second group is on socket 1's PMU");
	is_str(gpmu_plan_group_event(plan, 1, 0), S1 "cmem_rd_data/",
	       "plan: read data is the group's first event");
	is_str(gpmu_plan_group_event(plan, 1, 1), S1 "cmem_wr_total_bytes/",
	       "plan: written bytes are the group's second event");
	ok(!gpmu_plan_group_event(plan, 1, 2) && !gpmu_plan_group_event(plan, 2, 0) &&
	   !gpmu_plan_group_pmu(plan, 2) && !gpmu_plan_warning(plan, 0),
	   "plan: there are no more events, groups or warnings");
	ok(gpmu_plan_make(plan, NULL) == -EBUSY && gpmu_plan_add_metrics(plan, "ipc",
		NULL) == -EBUSY &&
	   gpmu_plan_add_events(plan, "cycles", NULL) == -EBUSY,
	   "plan: a plan that has been made refuses further metrics and events");
	gpmu_plan_free(plan);
}

/* The inputs of GraceMemBW's formula are read data, written bytes and duration_time. */
static void inputs(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, "GraceMemReadLatency,GraceMemBW", NULL);
	const struct plan_metric *bw;

	if (!ok(plan && plan->item_count == 2 && plan->slot_count == 10,
		"plan: two metrics with five events on two PMUs have ten slots"))
		return;
	bw = &plan->metrics[plan->items[1].index];
	is_str(bw->label, "GraceMemBW", "plan: the second item is the second metric requested");
	ok(bw->inputs[0].kind == PLAN_SLOTS && bw->inputs[0].length == 2 &&
	   bw->inputs[0].slots[0] == 3 && bw->inputs[0].slots[1] == 8,
	   "plan: the read data of GraceMemBW is the fourth event of each group");
	ok(bw->inputs[1].kind == PLAN_SLOTS && bw->inputs[1].length == 2 &&
	   bw->inputs[1].slots[0] == 4 && bw->inputs[1].slots[1] == 9,
	   "plan: the written bytes of GraceMemBW are the fifth event of each group");
	ok(bw->inputs[2].kind == PLAN_DURATION,
	   "plan: duration_time of a metric is the measured time");
	ok(plan->slots[3].group == 0 && plan->slots[8].group == 1 && plan->slots[8].scale == 1 &&
	   !plan->slots[8].unit, "plan: each slot has its group, scale and unit");
	gpmu_plan_free(plan);
}

static void sharing(const struct fixture *ours)
{
	static const struct gpmu_plan_options apart = { .size = sizeof(apart), .no_merge = 1 };

	is_plan(ours, NULL, "gracemembw", NULL, "duration_time,{" S0 "cmem_rd_data/," S0
		"cmem_wr_total_bytes/},{" S1 "cmem_rd_data/," S1 "cmem_wr_total_bytes/}", "",
		"plan: a metric's name may be in lower case");
	is_plan(ours, NULL, "GraceMemBW,GraceMemReadLatency , GraceMemReadUtil", NULL,
		"duration_time,{" S0 "event=cycles/," S0 "cmem_rd_data/," S0
		"cmem_wr_total_bytes/," S0
		"cmem_rd_outstanding/," S0 "cmem_rd_access/},{" S1 "event=cycles/," S1
		"cmem_rd_data/," S1
		"cmem_wr_total_bytes/," S1 "cmem_rd_outstanding/," S1 "cmem_rd_access/}", "",
		"plan: metrics that fit share a group, with each event once and cycles first");
	is_plan(ours, &apart, "GraceMemReadBW,GraceMemBW", NULL, "duration_time," S0
		"cmem_rd_data/," S1
		"cmem_rd_data/,{" S0 "cmem_rd_data/," S0 "cmem_wr_total_bytes/},{" S1
		"cmem_rd_data/," S1 "cmem_wr_total_bytes/}", "",
		"plan: with no_merge each metric has its own group");
	is_plan(ours, NULL, "GraceMemReadBW,GraceMemReadBW", NULL, "duration_time," S0
		"cmem_rd_data/," S1 "cmem_rd_data/", "",
		"plan: a metric requested twice is planned once");
	is_plan(ours, NULL, "GraceMemReadUtil,GraceRemoteReadUtil0to1", NULL, "{" S0
		"event=cycles/," S0
		"cmem_rd_access/," S0 "socket_1_rd_access/},{" S1 "event=cycles/," S1
		"cmem_rd_access/}",
		"", "plan: a metric of one socket joins that socket's group");
}

static void filters(const struct fixture *ours)
{
	is_plan(ours, NULL, "GracePcieReadBW/root_port=0x3/", NULL, "duration_time,"
		"{nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/,nvidia_pcie_pmu_0/rd_bytes_rem,"
		"root_port=0x3/},"
		"{nvidia_pcie_pmu_1/rd_bytes_loc,root_port=0x3/,nvidia_pcie_pmu_1/rd_bytes_rem,"
		"root_port=0x3/}",
		"", "plan: a filter replaces the metric's own filter");
	is_plan(ours, NULL, "GraceC2c0ReadBW/port=0x1/", NULL, "duration_time,"
		"nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc,port=0x1/,"
		"nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc,port=0x1/",
		"", "plan: a filter is added to events without one");
	is_plan(ours, NULL, "GracePcieFreq/root_port=0x1/,GracePcieFreq/root_port=0x2/", NULL,
		"duration_time,nvidia_pcie_pmu_0/event=cycles,root_port=0x1/,"
		"nvidia_pcie_pmu_1/event=cycles,root_port=0x1/,nvidia_pcie_pmu_0/event=cycles,"
		"root_port=0x2/,nvidia_pcie_pmu_1/event=cycles,root_port=0x2/", "",
		"plan: a metric with two filters has two groups, as a PMU has one cycle counter");
	is_plan(ours, NULL, "grace_cnvlink/rem_socket=0x2/", NULL, "duration_time,"
		"{nvidia_cnvlink_pmu_0/rd_bytes_loc,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_0/rd_bytes_rem,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_0/wr_bytes_loc,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_0/wr_bytes_rem,rem_socket=0x2/},"
		"{nvidia_cnvlink_pmu_1/rd_bytes_loc,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_1/rd_bytes_rem,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_1/wr_bytes_loc,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_1/wr_bytes_rem,rem_socket=0x2/}",
		"", "plan: a filter of a metric group applies to each metric");
	is_plan(ours, NULL, "ipc:u", NULL, "{CPU_CYCLES:u,INST_RETIRED:u}", UNKNOWN("armv8_pmuv3"),
		"plan: a metric's modifier applies to all its events");
	is_refused(ours, gpmu_plan_add_metrics, "GraceMemBW,GraceMemBW/port=1/", EINVAL, 22,
		   "there is no filter \"port\" here: the PMU has none",
		   "plan: a filter that the PMU does not have is refused");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW/root_port=1,port=1/", EINVAL, 24,
		   "there is no filter \"port\" here; there are: root_port",
		   "plan: the error for an unknown filter names the PMU's filters");
	is_refused(ours, gpmu_plan_add_metrics, "GraceC2c0BW/event=1/", EINVAL, 12,
		   "event is not a filter: it selects the event",
		   "plan: event= is refused as a filter");
	is_refused(ours, gpmu_plan_add_metrics, "GraceC2c0BW/config4=1/", EINVAL, 12,
		   "config4 is not a filter: it selects the event",
		   "plan: config4= is refused as a filter");
	is_refused(ours, gpmu_plan_add_metrics, "GraceC2c0BW/=1/", EINVAL, 12,
		   "a filter is NAME=VALUE, such as root_port=0x3",
		   "plan: a filter without a name is refused");
}

static void bad_values(const struct fixture *ours)
{
	struct gpmu_plan *plan = gpmu_plan_new(ours->machine, ours->catalog, NULL, NULL);
	struct gpmu_error error = { .size = sizeof(error) };

	ok(gpmu_plan_add_metrics(plan, "GracePcieBW/root_port=0x400/", &error) == -EINVAL &&
	   strstr(error.text, "0x3ff") && error.offset == 12 && !plan->event_count,
	   "plan: a filter value that is too large is refused: %s", error.text);
	ok(gpmu_plan_add_metrics(plan, "ipc:z", &error) == -EINVAL && *error.text &&
		!plan->event_count, "plan: an unknown modifier is refused: %s", error.text);
	ok(!gpmu_plan_add_metrics(plan, "ipc", &error) && plan->item_count == 1,
	   "plan: a metric can be added after a failure");
	gpmu_plan_free(plan);
}

static void names(const struct fixture *ours)
{
	is_refused(ours, gpmu_plan_add_metrics, "ipc, GraceMenBW", ENOENT, 5,
		"there is no metric or metric group \"GraceMenBW\": did you mean GraceMemBW?",
		   "plan: the error for a misspelt metric suggests the nearest name");
	is_refused(ours, gpmu_plan_add_metrics, "grace_pci", ENOENT, 0,
		"there is no metric or metric "
		   "group \"grace_pci\": did you mean grace_pcie, grace_scf or grace_c2c0?",
		   "plan: the error for a misspelt metric group suggests the nearest groups");
	is_refused(ours, gpmu_plan_add_metrics, "xyzzyxyzzy", ENOENT, 0,
		   "there is no metric or metric group \"xyzzyxyzzy\"",
		   "plan: the error for a name near to none suggests nothing");
	is_refused(ours, gpmu_plan_add_metrics, "ipc,stall_sync", ENOTSUP, 4,
		   "stall_sync: PM sampling has one pass and this needs more; use gpmu stat --ranges=kernel",
		   "plan: the error for a name of CUPTI's former APIs has the option that counts it");
	is_refused(ours, gpmu_plan_add_metrics, "dram_read_bytess", ENOENT, 0,
		   "there is no metric or metric group \"dram_read_bytess\": did you mean dram_read_bytes or dram_write_bytes?",
		   "plan: the error for a misspelt name of CUPTI's former APIs suggests the nearest names");
	is_refused(ours, gpmu_plan_add_metrics, "inst_retired", ENOENT, 0,
		   "\"inst_retired\" is an event, not a metric: use -e",
		   "plan: the error for an event given as a metric refers to -e");
	is_refused(ours, gpmu_plan_add_metrics, "", EINVAL, 0, "expected the name of a metric",
		   "plan: an empty list of metrics is refused");
	is_refused(ours, gpmu_plan_add_metrics, "ipc,", EINVAL, 4, "expected the name of a metric",
		   "plan: a list that ends in a comma is refused");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW/root_port=1", EINVAL, 11,
		   "the \"/\" that ends the filter is missing",
		   "plan: a filter without its closing slash is refused");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW//", EINVAL, 11,
		   "there is no filter between the slashes", "plan: an empty filter is refused");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW/root_port=1/u", EINVAL, 24,
		   "expected \",\" or \":\"",
		   "plan: a character other than , or : after a filter is refused");
	is_refused(ours, gpmu_plan_add_metrics, "ipc:", EINVAL, 4, "a modifier is missing after \":\"",
		   "plan: a colon without a modifier is refused");
}

static const char limits[] = "["
	"{\"MetricName\":\"six\",\"MetricExpr\":\"nvidia_scf_pmu@cmem_rd_data@ + "
	"nvidia_scf_pmu@cmem_wr_data@ + "
	"nvidia_scf_pmu@cmem_rd_access@ + nvidia_scf_pmu@cmem_wr_access@ + "
	"nvidia_scf_pmu@cmem_wb_access@ + "
	"nvidia_scf_pmu@gmem_rd_data@ + nvidia_scf_pmu@cycles@\",\"Unit\":\"nvidia_scf_pmu\"},"
	"{\"MetricName\":\"seven\",\"MetricExpr\":\"six + nvidia_scf_pmu@gmem_rd_access@\","
	"\"Unit\":\"nvidia_scf_pmu\"},"
	"{\"MetricName\":\"twice\",\"MetricExpr\":\"nvidia_pcie_pmu@cycles\\\\,"
	"root_port\\\\=0x1@ + "
	"nvidia_pcie_pmu@cycles\\\\,root_port\\\\=0x2@\",\"Unit\":\"nvidia_pcie_pmu\"}]";

static void fitting(const struct fixture *ours)
{
	struct gpmu_plan *plan;

	is_plan(ours, NULL, "six", NULL, "{" S0 "cycles/," S0 "cmem_rd_data/," S0
		"cmem_wr_data/," S0
		"cmem_rd_access/," S0 "cmem_wr_access/," S0 "cmem_wb_access/," S0
		"gmem_rd_data/},{" S1
		"cycles/," S1 "cmem_rd_data/," S1 "cmem_wr_data/," S1 "cmem_rd_access/," S1
		"cmem_wr_access/," S1 "cmem_wb_access/," S1 "gmem_rd_data/}", "",
		"plan: six events and cycles fit into one group");
	is_plan(ours, NULL, "seven,GraceMemReadBW", NULL, "duration_time," S0 "cmem_rd_data/," S1
		"cmem_rd_data/", "seven: needs 7 event counters of nvidia_scf_pmu_0, which has 6",
		"plan: a metric that needs seven counters is not counted, and the other one is");
	is_plan(ours, NULL, "twice", NULL, "",
		"twice: needs the cycle counter of nvidia_pcie_pmu_0 2 times",
		"plan: a metric that needs the cycle counter twice is not counted");
	plan = plan_of(ours, NULL, "seven", NULL);
	if (!plan)
		return;
	ok(plan->item_count == 1 && !plan->metrics[plan->items[0].index].expr &&
	   !strcmp(plan->metrics[plan->items[0].index].why,
		   "needs 7 event counters of nvidia_scf_pmu_0, which has 6"),
	   "plan: a metric that does not fit stays as an item with the reason");
	gpmu_plan_free(plan);
}

static void tracepoints(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, NULL, "sched:*:u,cycles,{irq:*entry,cs}");
	static const char *const names[] = {
		"sched:sched_switch:u", "sched:sched_wakeup:u", "sched:sched_wakeup_new:u", "cycles",
		"irq:irq_handler_entry", "cs",
	};
	size_t n = 0, same = 0;

	for (; plan && gpmu_plan_item(plan, n); n++)
		same += n < 6 && !strcmp(gpmu_plan_item(plan, n), names[n]);
	ok(n == 6 && same == 6, "plan: each tracepoint of a pattern is an item");
	gpmu_plan_free(plan);
	is_plan(ours, NULL, NULL, "{irq:*entry,sched:*}:u",
		"{irq:irq_handler_entry:u,sched:sched_switch:u,sched:sched_wakeup:u,"
		"sched:sched_wakeup_new:u}", "",
		"plan: tracepoints of a pattern stay in their braces");
}

static void explicit_events(const struct fixture *ours)
{
	struct gpmu_plan *plan;

	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu/cmem_rd_data/,nvidia_scf_pmu/cmem_wr_data/},"
		"nvidia_scf_pmu_1/cycles/", "{" S0 "cmem_rd_data/," S0 "cmem_wr_data/},{" S1
		"cmem_rd_data/," S1 "cmem_wr_data/}," S1 "cycles/", "",
		"plan: braces make one group on each PMU, and a single event stands alone");
	is_plan(ours, NULL, "GraceMemReadBW", S0 "cmem_rd_data/," S0 "cmem_rd_data/,{" S0
		"cycles/}",
		"duration_time," S0 "cmem_rd_data/," S1 "cmem_rd_data/," S0 "cmem_rd_data/," S0
		"cmem_rd_data/,{" S0 "cycles/}", "",
		"plan: events given by the user are not shared with metrics");
	is_plan(ours, NULL, NULL, "{inst_retired,task-clock,nvidia_scf_pmu_0/cycles/,"
		"context-switches}",
		"{inst_retired,task-clock,context-switches}," "{" S0 "cycles/}", "",
		"plan: software events stay in a core's group, events of another PMU do not");
	is_plan(ours, NULL, NULL, "{task-clock,inst_retired,page-faults}",
		"{task-clock,inst_retired,page-faults}", "",
		"plan: a software event may lead a core's group");
	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/cycles/}:W",
		S0 "cycles/W," S0 "cycles/W", "", "plan: a weak group that does not fit is split");
	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/cmem_rd_data/}:W,"
		"task-clock", "{" S0 "cycles/W," S0 "cmem_rd_data/W},task-clock", "",
		"plan: a weak group that fits stays whole");
	is_plan(ours, NULL, NULL, "{task-clock,duration_time,duration_time}",
		"{task-clock},{duration_time},{duration_time}", "",
		"plan: tool events are in no group with kernel events");
	is_plan(ours, NULL, NULL, "{task-clock,sched:sched_switch,inst_retired}",
		"{task-clock,sched:sched_switch,inst_retired}", "",
		"plan: a tracepoint stays in a group with software and core events");
	tracepoints(ours);
	is_plan(ours, NULL, NULL, "{task-clock,nvidia_scf_pmu_0/cycles/,nvidia_pcie_pmu_0/cycles/}",
		"{task-clock},{" S0 "cycles/},{nvidia_pcie_pmu_0/cycles/}", "",
		"plan: events of different PMUs are split in the given order");
	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/cycles/}",
		"{" S0 "cycles/," S0 "cycles/}", "the group of " S0 "cycles/ cannot be counted: "
		"needs the cycle counter of nvidia_scf_pmu_0 2 times",
		"plan: a given group that does not fit stays whole, with a warning");
	is_plan(ours, NULL, "GraceMemReadBW", "duration_time,user_time", "" S0 "cmem_rd_data/," S1
		"cmem_rd_data/,duration_time,user_time", "", "plan: duration_time is planned once");
	plan = plan_of(ours, NULL, NULL, "{nvidia_scf_pmu/cmem_rd_data/,nvidia_scf_pmu/cycles/}");
	if (!plan)
		return;
	ok(plan->slot_count == 4 && plan->events[0].slots[0] == 0 && plan->events[0].slots[1] == 2 &&
	   plan->events[1].slots[0] == 1 && plan->events[1].slots[1] == 3,
	   "plan: an event has a slot on each PMU");
	ok(plan->groups[0].is_given && plan->groups[1].is_given,
	   "plan: groups of braces are marked as given");
	gpmu_plan_free(plan);
	is_refused(ours, gpmu_plan_add_events, "{cycles", EINVAL, 0, "\"{\" without \"}\"",
		   "plan: an opening brace without its end is refused");
	is_refused(ours, gpmu_plan_add_events, "cycles,{inst_retired,"
		"nvidia_scf_pmu_0/cmem_rd_dta/}",
		   ENOENT, 38, "cmem_rd_dta: nvidia_scf_pmu_0 has no such event, did you mean "
		"cmem_rd_data?",
		   "plan: the error for an unknown event gives its offset and suggests the nearest name");
}

/* --- the in-tree driver: there is no caps/ --- */

static unsigned int asked;

/*
 * Answers as a kernel with six counters and a cycle counter; @user, if not NULL, points to
 * another answer.
 */
static int kernel_fits(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		       size_t length, void *user)
{
	size_t i, counters = 0, cycles = 0;

	asked++;
	if (user)
		return *(const int *)user;
	for (i = 0; i < length; i++) {
		if (attrs[i]->type != gpmu_pmu_type(pmu))
			return -EINVAL;
		cycles += attrs[i]->config == 0x100000000;
		counters += attrs[i]->config != 0x100000000;
	}
	return counters <= 6 && cycles <= 1;
}

static void unknown(const struct fixture *in_tree)
{
	int answer = -EACCES;
	struct gpmu_plan_options options = {
		.size = sizeof(options), .fits = kernel_fits, .user = &answer,
	};
	static const char apart[] = "duration_time,{" S0 "cmem_rd_data/," S0
		"cmem_wr_total_bytes/},{" S1
		"cmem_rd_data/," S1 "cmem_wr_total_bytes/},{" S0 "event=cycles/," S0
		"gmem_rd_access/},{" S1 "event=cycles/," S1 "gmem_rd_access/}";

	is_plan(in_tree, NULL, "GraceMemBW,GraceGpuMemReadUtil,GraceMemReadBW", NULL, apart,
		UNKNOWN("nvidia_scf_pmu"),
		"plan: without caps/ each metric has its own groups, except for events already "
		"planned, and one warning");
	is_plan(in_tree, &options, "GraceMemBW,GraceGpuMemReadUtil", NULL, apart,
		UNKNOWN("nvidia_scf_pmu"),
		"plan: without caps/ each metric has its own groups if the kernel cannot be asked");
	answer = 0;
	is_plan(in_tree, &options, "GraceMemBW,GraceMemReadBW", NULL, "duration_time," S0
		"cmem_rd_data/," S1 "cmem_rd_data/",
		"GraceMemBW: nvidia_scf_pmu_0 cannot count its 2 events at the same time",
		"plan: a group that the kernel refuses is not counted");
	is_plan(in_tree, NULL, "GraceMemReadBW,GraceScfFreq", NULL, "duration_time," S0
		"cmem_rd_data/," S1 "cmem_rd_data/," S0 "event=cycles/," S1 "event=cycles/",
		UNKNOWN("nvidia_scf_pmu"), "plan: without caps/ metrics of one event stand alone");
}

static void asking(const struct fixture *in_tree, const struct fixture *ours)
{
	static const struct gpmu_plan_options options = { .size = sizeof(options),
		.fits = kernel_fits };
	static const char list[] = "grace_scf,grace_0to1,grace_1to0,grace_pcie,grace_c2c0,"
		"grace_c2c1,grace_cnvlink";
	struct gpmu_plan *theirs = plan_of(in_tree, &options, list, NULL);
	struct gpmu_plan *known = plan_of(ours, NULL, list, NULL);
	char *texts[2];

	if (!ok(theirs && known, "plan: all metric groups are planned with either driver"))
		return;
	texts[0] = gpmu_plan_text(theirs);
	texts[1] = gpmu_plan_text(known);
	is_str(texts[0], texts[1], "plan: asking the kernel gives the same groups as caps/");
	diag("the kernel was asked %u times", asked);
	ok(asked < 1000, "plan: the kernel is asked less than 1000 times");
	free(texts[0]);
	free(texts[1]);
	gpmu_plan_free(theirs);
	gpmu_plan_free(known);
	asked = 0;
	gpmu_plan_free(plan_of(ours, &options, "GraceMemBW", "{nvidia_scf_pmu/cycles/}"));
	ok(!asked, "plan: with caps/ the kernel is not asked");
}

/* --- other machines --- */

static void hosts(void)
{
	struct gpmu_plan *plan;
	struct fixture host;

	fixture_init(&host, "gh200");
	plan = plan_of(&host, NULL, "grace_bandwidth,GraceMemBW", NULL);
	ok(plan && plan->item_count == 18 && plan->metric_count == 18,
	   "plan: a metric group has the 18 metrics that the machine supports, each once");
	gpmu_plan_free(plan);
	is_plan(&host, NULL, "GraceMemReadBW,GraceRemoteReadUtil1to0,GraceCnvlinkBW", NULL,
		"duration_time," S0 "cmem_rd_data/",
		"GraceRemoteReadUtil1to0: this machine has no PMU nvidia_scf_pmu_1\n"
		"GraceCnvlinkBW: this machine has no PMU nvidia_cnvlink_pmu",
		"plan: on Grace Hopper one socket is counted, with a warning for each metric that "
		"it lacks");
	is_plan(&host, NULL, "grace_cnvlink", NULL, "",
		"GraceCnvlinkBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkGpuMemReadBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkGpuMemWriteBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkMemReadBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkMemWriteBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkReadBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkWriteBW: this machine has no PMU nvidia_cnvlink_pmu",
		"plan: each metric of an unsupported metric group has a warning");
	is_plan(&host, NULL, "GraceCnvlinkBW/rem_socket=0x1/,GraceCnvlinkBW/x=1/", NULL, "",
		"GraceCnvlinkBW/rem_socket=0x1/: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkBW/x=1/: this machine has no PMU nvidia_cnvlink_pmu",
		"plan: filters of unsupported metrics are not checked");
	fixture_release(&host);
	fixture_init(&host, "gh4");
	is_plan(&host, NULL, "GraceMemReadBW,GraceRemoteReadUtil0to1", NULL, "duration_time,"
		S0 "cmem_rd_data/," S1 "cmem_rd_data/,nvidia_scf_pmu_2/cmem_rd_data/,"
		"nvidia_scf_pmu_3/cmem_rd_data/,{" S0 "event=cycles/," S0 "socket_1_rd_access/}",
		UNKNOWN("nvidia_scf_pmu"), "plan: a machine with four sockets has four groups");
	fixture_release(&host);
	fixture_init(&host, "laptop");
	is_plan(&host, NULL, "GraceMemBW,ipc", "cycles,{instructions,cache-misses},"
		"uncore_imc/data_reads/,"
		"task-clock", "cycles,{instructions,cache-misses},uncore_imc_0/data_reads/,"
		"uncore_imc_1/data_reads/,task-clock",
		"GraceMemBW: this machine has no PMU nvidia_scf_pmu\n"
		"ipc: it is for other CPUs, those of arm64/arm/neoverse-n2-v2",
		"plan: on a laptop its own events are counted and Grace's metrics are not");
	fixture_release(&host);
	fixture_init(&host, "vm");
	is_plan(&host, NULL, "GraceMemBW,ipc", "task-clock,page-faults,nvidia_scf_pmu/cycles/",
		"task-clock,page-faults", "GraceMemBW: this machine has no PMU nvidia_scf_pmu\n"
		"ipc: this machine has no PMU of its CPUs\n"
		"nvidia_scf_pmu/cycles/: this machine has no PMU nvidia_scf_pmu",
		"plan: in a virtual machine software events are counted and the rest has warnings");
	fixture_add(&host, "own.json", "[{\"MetricName\":\"own\",\"MetricExpr\":"
		    "\"page\\\\-faults / task\\\\-clock\"}]");
	is_plan(&host, NULL, "own", NULL, "{page-faults,task-clock}", "",
		"plan: a user's metric is planned on any machine that has its events");
	fixture_release(&host);
}

static void identifier(void)
{
	struct fixture other;

	fixture_init(&other, "superchip-ours");
	sysroot_put(&other.root, "sys/bus/event_source/devices/nvidia_scf_pmu_0/identifier",
		"2cf0036c\n");
	sysroot_put(&other.root, "sys/bus/event_source/devices/nvidia_scf_pmu_1/identifier",
		"2cf0036c\n");
	fixture_look(&other);
	is_plan(&other, NULL, "GraceMemBW", NULL, "",
		"GraceMemBW: it is not for nvidia_scf_pmu_0, whose identifier is 2cf0036c",
		"plan: a metric for another chip's identifier is not counted");
	sysroot_remove(&other.root, "sys/bus/event_source/devices/nvidia_scf_pmu_0/identifier");
	sysroot_remove(&other.root, "sys/bus/event_source/devices/nvidia_scf_pmu_1/identifier");
	fixture_look(&other);
	is_plan(&other, NULL, "GraceMemBW", NULL, "",
		"GraceMemBW: it is for nvidia_scf_pmu with the identifier 2cf0036b",
		"plan: a metric for an identifier is not counted on a PMU without one");
	fixture_release(&other);
}

static void offline(void)
{
	struct fixture half;

	fixture_init(&half, "superchip-ours");
	sysroot_put(&half.root, "sys/bus/event_source/devices/nvidia_scf_pmu_1/cpumask", "\n");
	fixture_look(&half);
	is_plan(&half, NULL, "GraceMemReadBW,GraceMemReadUtil,GraceRemoteReadUtil1to0",
		"nvidia_scf_pmu/cmem_wr_data/,nvidia_scf_pmu_1/cycles/",
		"duration_time,{" S0 "event=cycles/," S0 "cmem_rd_data/," S0 "cmem_rd_access/}," S0
		"cmem_wr_data/",
		"nvidia_scf_pmu_1: no CPU of its socket is online, so it is not counted\n"
		"GraceRemoteReadUtil1to0: no CPU of its PMU's socket is online\n"
		"nvidia_scf_pmu_1/cycles/: no CPU of its PMU's socket is online",
		"plan: an offline socket is left out with a warning, and the other one is counted");
	fixture_release(&half);
}

static void options(const struct fixture *ours)
{
	struct gpmu_plan_options small = { .size = 1 };
	const struct {
		struct gpmu_plan_options options;
		size_t more;
	} newer = { { .size = sizeof(newer) }, 1 };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan;

	errno = 0;
	ok(!gpmu_plan_new(ours->machine, ours->catalog, &small, &error) && errno == EINVAL &&
	   *error.text, "plan: options without a size are refused");
	ok(!gpmu_plan_new(ours->machine, ours->catalog, &newer.options, NULL) && errno == E2BIG,
	   "plan: options that set a member of a newer libgpmu are refused");
	gpmu_plan_free(NULL);
	plan = gpmu_plan_new(ours->machine, ours->catalog, NULL, NULL);
	ok(plan && !gpmu_plan_make(plan, NULL) && !gpmu_plan_group_count(plan),
		"plan: an empty plan can be made");
	gpmu_plan_free(plan);
}

int main(void)
{
	struct fixture ours, in_tree;

	fixture_init(&ours, "superchip-ours");
	fixture_init(&in_tree, "superchip");
	fixture_add(&ours, "limits.json", limits);
	groups(&ours);
	inputs(&ours);
	sharing(&ours);
	filters(&ours);
	bad_values(&ours);
	names(&ours);
	fitting(&ours);
	explicit_events(&ours);
	options(&ours);
	unknown(&in_tree);
	asking(&in_tree, &ours);
	fixture_release(&ours);
	fixture_release(&in_tree);
	hosts();
	identifier();
	offline();
	return done_testing();
}
