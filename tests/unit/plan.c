// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plans of metrics and events: which groups there are, and what is said of the rest. */
#include "plan-test.h"

#define S0	"nvidia_scf_pmu_0/"
#define S1	"nvidia_scf_pmu_1/"
#define UNKNOWN(pmu) \
	pmu ": its number of counters is unknown, so each metric has its own groups, which are " \
	"assumed to fit; a driver with caps/counters, or permission to open events, makes the " \
	"number known"

/* --- our driver: caps/ say that there are six counters and a cycle counter --- */

static void groups(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, "GraceMemBW", NULL);

	if (!ok(plan != NULL, "a plan"))
		return;
	is_u64(gpmu_plan_groups(plan), 2, "a metric of two sockets has two groups");
	is_str(gpmu_pmu_name(gpmu_group_pmu(gpmu_plan_group(plan, 0))), "nvidia_scf_pmu_0",
	       "the first is of socket 0's PMU");
	is_str(gpmu_pmu_name(gpmu_group_pmu(gpmu_plan_group(plan, 1))), "nvidia_scf_pmu_1",
	       "the second of socket 1's");
	is_str(gpmu_plan_group_event(plan, 1, 0), S1 "cmem_rd_data/", "its first event");
	is_str(gpmu_plan_group_event(plan, 1, 1), S1 "cmem_wr_total_bytes/", "its second");
	ok(!gpmu_plan_group_event(plan, 1, 2) && !gpmu_plan_group_event(plan, 2, 0) &&
	   !gpmu_plan_group(plan, 2) && !gpmu_plan_warning(plan, 0), "and nothing more");
	ok(gpmu_plan_make(plan, NULL) == -EBUSY && gpmu_plan_add_metrics(plan, "ipc",
		NULL) == -EBUSY &&
	   gpmu_plan_add_events(plan, "cycles", NULL) == -EBUSY, "a plan that is made stays as "
		"it is");
	gpmu_plan_free(plan);
}

/* GraceMemBW's formula has read data, written bytes, duration_time */
static void inputs(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, "GraceMemReadLatency,GraceMemBW", NULL);
	const struct plan_metric *bw;

	if (!ok(plan && plan->n_items == 2 && plan->n_slots == 10, "five events on two PMUs"))
		return;
	bw = &plan->metrics[plan->items[1].index];
	is_str(bw->label, "GraceMemBW", "the second thing that was asked for");
	ok(bw->inputs[0].kind == PLAN_SLOTS && bw->inputs[0].length == 2 &&
	   bw->inputs[0].slots[0] == 3 && bw->inputs[0].slots[1] == 8,
	   "its read data is the fourth event of each group");
	ok(bw->inputs[1].kind == PLAN_SLOTS && bw->inputs[1].length == 2 &&
	   bw->inputs[1].slots[0] == 4 && bw->inputs[1].slots[1] == 9,
	   "its written bytes are the fifth");
	ok(bw->inputs[2].kind == PLAN_DURATION, "its time is measured");
	ok(plan->slots[3].group == 0 && plan->slots[8].group == 1 && plan->slots[8].scale == 1 &&
	   !plan->slots[8].unit, "each slot knows its group and scale");
	gpmu_plan_free(plan);
}

static void sharing(const struct fixture *ours)
{
	static const struct gpmu_plan_options apart = { .size = sizeof(apart), .no_merge = 1 };

	is_plan(ours, NULL, "gracemembw", NULL, "duration_time,{" S0 "cmem_rd_data/," S0
		"cmem_wr_total_bytes/},{" S1 "cmem_rd_data/," S1 "cmem_wr_total_bytes/}", "",
		"a metric in lower case");
	is_plan(ours, NULL, "GraceMemBW,GraceMemReadLatency , GraceMemReadUtil", NULL,
		"duration_time,{" S0 "event=cycles/," S0 "cmem_rd_data/," S0
		"cmem_wr_total_bytes/," S0
		"cmem_rd_outstanding/," S0 "cmem_rd_access/},{" S1 "event=cycles/," S1
		"cmem_rd_data/," S1
		"cmem_wr_total_bytes/," S1 "cmem_rd_outstanding/," S1 "cmem_rd_access/}", "",
		"metrics share a group that they fit in, with no event twice and cycles first");
	is_plan(ours, &apart, "GraceMemReadBW,GraceMemBW", NULL, "duration_time," S0
		"cmem_rd_data/," S1
		"cmem_rd_data/,{" S0 "cmem_rd_data/," S0 "cmem_wr_total_bytes/},{" S1
		"cmem_rd_data/," S1 "cmem_wr_total_bytes/}", "", "with no_merge each has its own");
	is_plan(ours, NULL, "GraceMemReadBW,GraceMemReadBW", NULL, "duration_time," S0
		"cmem_rd_data/," S1 "cmem_rd_data/", "", "a metric that is asked for twice is one");
	is_plan(ours, NULL, "GraceMemReadUtil,GraceRemoteReadUtil0to1", NULL, "{" S0
		"event=cycles/," S0
		"cmem_rd_access/," S0 "socket_1_rd_access/},{" S1 "event=cycles/," S1
		"cmem_rd_access/}",
		"", "a metric of one socket takes room in that one's group");
}

static void filters(const struct fixture *ours)
{
	is_plan(ours, NULL, "GracePcieReadBW/root_port=0x3/", NULL, "duration_time,"
		"{nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/,nvidia_pcie_pmu_0/rd_bytes_rem,"
		"root_port=0x3/},"
		"{nvidia_pcie_pmu_1/rd_bytes_loc,root_port=0x3/,nvidia_pcie_pmu_1/rd_bytes_rem,"
		"root_port=0x3/}",
		"", "a filter takes the place of the metric's own");
	is_plan(ours, NULL, "GraceC2c0ReadBW/port=0x1/", NULL, "duration_time,"
		"nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc,port=0x1/,"
		"nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc,port=0x1/",
		"", "or is added");
	is_plan(ours, NULL, "GracePcieFreq/root_port=0x1/,GracePcieFreq/root_port=0x2/", NULL,
		"duration_time,nvidia_pcie_pmu_0/event=cycles,root_port=0x1/,"
		"nvidia_pcie_pmu_1/event=cycles,root_port=0x1/,nvidia_pcie_pmu_0/event=cycles,"
		"root_port=0x2/,nvidia_pcie_pmu_1/event=cycles,root_port=0x2/", "",
		"one metric twice with different filters; a PMU has one cycle counter, so no "
		"group has both");
	is_plan(ours, NULL, "grace_cnvlink/rem_socket=0x2/", NULL, "duration_time,"
		"{nvidia_cnvlink_pmu_0/rd_bytes_loc,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_0/wr_bytes_loc,rem_socket=0x2/},"
		"{nvidia_cnvlink_pmu_1/rd_bytes_loc,rem_socket=0x2/,"
		"nvidia_cnvlink_pmu_1/wr_bytes_loc,rem_socket=0x2/}",
		"", "a filter of a group of metrics");
	is_plan(ours, NULL, "ipc:u", NULL, "{CPU_CYCLES:u,INST_RETIRED:u}", UNKNOWN("armv8_pmuv3"),
		"a modifier is that of all events");
	is_refused(ours, gpmu_plan_add_metrics, "GraceMemBW,GraceMemBW/port=1/", EINVAL, 22,
		   "there is no filter \"port\" here: the PMU has none", "a filter that the PMU does "
		"not have");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW/root_port=1,port=1/", EINVAL, 24,
		   "there is no filter \"port\" here; there are: root_port", "the filter that it has is "
		"named");
	is_refused(ours, gpmu_plan_add_metrics, "GraceC2c0BW/event=1/", EINVAL, 12,
		   "event is no filter: it says what is counted", "what is counted cannot be "
		"changed");
	is_refused(ours, gpmu_plan_add_metrics, "GraceC2c0BW/config4=1/", EINVAL, 12,
		   "config4 is no filter: it says what is counted", "nor by its number");
	is_refused(ours, gpmu_plan_add_metrics, "GraceC2c0BW/=1/", EINVAL, 12,
		   "a filter is NAME=VALUE, as root_port=0x3", "a filter without a name");
}

static void bad_values(const struct fixture *ours)
{
	struct gpmu_plan *plan = gpmu_plan_new(ours->machine, ours->catalog, NULL, NULL);
	struct gpmu_error error = { .text = "" };

	ok(gpmu_plan_add_metrics(plan, "GracePcieBW/root_port=0x400/", &error) == -EINVAL &&
	   strstr(error.text, "0x3ff") && error.offset == 12 && !plan->n_events,
	   "a filter's value that is too large: %s", error.text);
	ok(gpmu_plan_add_metrics(plan, "ipc:z", &error) == -EINVAL && *error.text &&
		!plan->n_events, "a modifier that is none: %s", error.text);
	ok(!gpmu_plan_add_metrics(plan, "ipc", &error) && plan->n_items == 1,
	   "after a failure something else can be added");
	gpmu_plan_free(plan);
}

static void names(const struct fixture *ours)
{
	is_refused(ours, gpmu_plan_add_metrics, "ipc, GraceMenBW", ENOENT, 5,
		"there is no metric or metric group \"GraceMenBW\": did you mean GraceMemBW?",
		   "a misspelt metric: the nearest is named");
	is_refused(ours, gpmu_plan_add_metrics, "grace_pci", ENOENT, 0,
		"there is no metric or metric "
		   "group \"grace_pci\": did you mean grace_pcie, grace_scf or grace_c2c0?",
		   "a misspelt group");
	is_refused(ours, gpmu_plan_add_metrics, "xyzzyxyzzy", ENOENT, 0,
		   "there is no metric or metric group \"xyzzyxyzzy\"", "what is near to nothing");
	is_refused(ours, gpmu_plan_add_metrics, "inst_retired", ENOENT, 0,
		   "\"inst_retired\" is an event, not a metric: use -e", "an event");
	is_refused(ours, gpmu_plan_add_metrics, "", EINVAL, 0, "expected the name of a metric",
		   "nothing");
	is_refused(ours, gpmu_plan_add_metrics, "ipc,", EINVAL, 4, "expected the name of a metric",
		   "nothing after a comma");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW/root_port=1", EINVAL, 11,
		   "the \"/\" that ends the filter is missing", "a filter that does not end");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW//", EINVAL, 11,
		   "there is no filter between the slashes", "an empty filter");
	is_refused(ours, gpmu_plan_add_metrics, "GracePcieBW/root_port=1/u", EINVAL, 24,
		   "expected \",\" or \":\"", "what is neither");
	is_refused(ours, gpmu_plan_add_metrics, "ipc:", EINVAL, 4, "a modifier is missing after "
		"\":\"",
		   "a modifier that is missing");
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
		"six events fit, and cycles beside them");
	is_plan(ours, NULL, "seven,GraceMemReadBW", NULL, "duration_time," S0 "cmem_rd_data/," S1
		"cmem_rd_data/", "seven: needs 7 event counters of nvidia_scf_pmu_0, which has 6",
		"seven do not: the metric is not counted, others are");
	is_plan(ours, NULL, "twice", NULL, "",
		"twice: needs the cycle counter of nvidia_pcie_pmu_0 2 times",
		"nor does what only the cycle counter can count, twice");
	plan = plan_of(ours, NULL, "seven", NULL);
	if (!plan)
		return;
	ok(plan->n_items == 1 && !plan->metrics[plan->items[0].index].expr &&
	   !strcmp(plan->metrics[plan->items[0].index].why,
		   "needs 7 event counters of nvidia_scf_pmu_0, which has 6"),
	   "the metric stays, and says why");
	gpmu_plan_free(plan);
}

static void tracepoints(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, NULL, NULL, "sched:*:u,cycles,{irq:*entry,cs}");
	static const char *const names[] = {
		"sched:sched_switch:u", "sched:sched_wakeup:u", "sched:sched_wakeup_new:u", "cycles",
		"irq:irq_handler_entry", "cs",
	};
	size_t same = 0;

	for (size_t i = 0; plan && gpmu_plan_item(plan, i); i++)
		same += i < 6 && !strcmp(gpmu_plan_item(plan, i), names[i]);
	ok(same == 6, "tracepoints of a pattern are shown one by one");
	gpmu_plan_free(plan);
	is_plan(ours, NULL, NULL, "{irq:*entry,sched:*}:u",
		"{irq:irq_handler_entry:u,sched:sched_switch:u,sched:sched_wakeup:u,"
		"sched:sched_wakeup_new:u}", "", "and stay in their braces");
}

static void explicit_events(const struct fixture *ours)
{
	struct gpmu_plan *plan;

	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu/cmem_rd_data/,nvidia_scf_pmu/cmem_wr_data/},"
		"nvidia_scf_pmu_1/cycles/", "{" S0 "cmem_rd_data/," S0 "cmem_wr_data/},{" S1
		"cmem_rd_data/," S1 "cmem_wr_data/}," S1 "cycles/", "",
		"braces are a group of each PMU; a single event stands alone");
	is_plan(ours, NULL, "GraceMemReadBW", S0 "cmem_rd_data/," S0 "cmem_rd_data/,{" S0
		"cycles/}",
		"duration_time," S0 "cmem_rd_data/," S1 "cmem_rd_data/," S0 "cmem_rd_data/," S0
		"cmem_rd_data/,{" S0 "cycles/}", "", "events that are given are not shared");
	is_plan(ours, NULL, NULL, "{inst_retired,task-clock,nvidia_scf_pmu_0/cycles/,"
		"context-switches}",
		"{inst_retired,task-clock,context-switches}," "{" S0 "cycles/}", "",
		"software's events are beside a core's, those of another PMU are not");
	is_plan(ours, NULL, NULL, "{task-clock,inst_retired,page-faults}",
		"{task-clock,inst_retired,page-faults}", "", "also if software's is the first");
	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/cycles/}:W",
		S0 "cycles/W," S0 "cycles/W", "", "a weak group that does not fit is broken up");
	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/cmem_rd_data/}:W,"
		"task-clock", "{" S0 "cycles/W," S0 "cmem_rd_data/W},task-clock", "",
		"one that fits is left as it is");
	is_plan(ours, NULL, NULL, "{task-clock,duration_time,duration_time}",
		"{task-clock},{duration_time},{duration_time}", "",
		"what the kernel does not count is in no group with others");
	is_plan(ours, NULL, NULL, "{task-clock,sched:sched_switch,inst_retired}",
		"{task-clock,sched:sched_switch,inst_retired}", "", "a tracepoint is software's "
		"too");
	tracepoints(ours);
	is_plan(ours, NULL, NULL, "{task-clock,nvidia_scf_pmu_0/cycles/,nvidia_pcie_pmu_0/cycles/}",
		"{task-clock},{" S0 "cycles/},{nvidia_pcie_pmu_0/cycles/}", "",
		"what cannot be together is not, in the order that is given");
	is_plan(ours, NULL, NULL, "{nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_0/cycles/}",
		"{" S0 "cycles/," S0 "cycles/}", "the group of " S0 "cycles/ cannot be counted: "
		"needs the cycle counter of nvidia_scf_pmu_0 2 times",
		"a group that does not fit is left as it is, with a warning");
	is_plan(ours, NULL, "GraceMemReadBW", "duration_time,user_time", "" S0 "cmem_rd_data/," S1
		"cmem_rd_data/,duration_time,user_time", "", "duration_time is not there twice");
	plan = plan_of(ours, NULL, NULL, "{nvidia_scf_pmu/cmem_rd_data/,nvidia_scf_pmu/cycles/}");
	if (!plan)
		return;
	ok(plan->n_slots == 4 && plan->events[0].slots[0] == 0 && plan->events[0].slots[1] == 2 &&
	   plan->events[1].slots[0] == 1 && plan->events[1].slots[1] == 3,
	   "an event has a slot on each PMU");
	ok(plan->groups[0].given && plan->groups[1].given, "the groups are given");
	gpmu_plan_free(plan);
	is_refused(ours, gpmu_plan_add_events, "{cycles", EINVAL, 0, "\"{\" without \"}\"",
		   "braces that do not end");
	is_refused(ours, gpmu_plan_add_events, "cycles,{inst_retired,"
		"nvidia_scf_pmu_0/cmem_rd_dta/}",
		   ENOENT, 38, "cmem_rd_dta: nvidia_scf_pmu_0 has no such event, did you mean "
		"cmem_rd_data?",
		   "an event that there is not");
}

/* --- the in-tree driver: caps/ say nothing --- */

static unsigned int asked;

/* As a kernel with six counters and a cycle counter does; *@user: what it says instead */
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
		"without caps/ each metric has its groups, but what a group has already, and one "
		"warning");
	is_plan(in_tree, &options, "GraceMemBW,GraceGpuMemReadUtil", NULL, apart,
		UNKNOWN("nvidia_scf_pmu"), "also if the kernel cannot be asked");
	answer = 0;
	is_plan(in_tree, &options, "GraceMemBW,GraceMemReadBW", NULL, "duration_time," S0
		"cmem_rd_data/," S1 "cmem_rd_data/",
		"GraceMemBW: nvidia_scf_pmu_0 cannot count its 2 events at the same time",
		"what the kernel says no to is not counted");
	is_plan(in_tree, NULL, "GraceMemReadBW,GraceScfFreq", NULL, "duration_time," S0
		"cmem_rd_data/," S1 "cmem_rd_data/," S0 "event=cycles/," S1 "event=cycles/",
		UNKNOWN("nvidia_scf_pmu"), "metrics of one event stand alone");
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

	if (!ok(theirs && known, "all metrics with either driver"))
		return;
	texts[0] = gpmu_plan_text(theirs);
	texts[1] = gpmu_plan_text(known);
	is_str(texts[0], texts[1], "the kernel that is asked gives the groups that caps/ give");
	diag("the kernel was asked %u times", asked);
	ok(asked < 1000, "not often");
	free(texts[0]);
	free(texts[1]);
	gpmu_plan_free(theirs);
	gpmu_plan_free(known);
	asked = 0;
	gpmu_plan_free(plan_of(ours, &options, "GraceMemBW", "{nvidia_scf_pmu/cycles/}"));
	ok(!asked, "where there are caps/ it is not asked");
}

/* --- other machines --- */

static void hosts(void)
{
	struct gpmu_plan *plan;
	struct fixture host;

	fixture_init(&host, "gh200");
	plan = plan_of(&host, NULL, "grace_bandwidth,GraceMemBW", NULL);
	ok(plan && plan->n_items == 18 && plan->n_metrics == 18,
	   "of a group of metrics those 18 that the machine has, each once");
	gpmu_plan_free(plan);
	is_plan(&host, NULL, "GraceMemReadBW,GraceRemoteReadUtil1to0,GraceCnvlinkBW", NULL,
		"duration_time," S0 "cmem_rd_data/",
		"GraceRemoteReadUtil1to0: this machine has no PMU nvidia_scf_pmu_1\n"
		"GraceCnvlinkBW: this machine has no PMU nvidia_cnvlink_pmu",
		"Grace Hopper: one socket; what it lacks is said");
	is_plan(&host, NULL, "grace_cnvlink", NULL, "",
		"GraceCnvlinkBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkReadBW: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkWriteBW: this machine has no PMU nvidia_cnvlink_pmu",
		"of a group that it does not have, each metric");
	is_plan(&host, NULL, "GraceCnvlinkBW/rem_socket=0x1/,GraceCnvlinkBW/x=1/", NULL, "",
		"GraceCnvlinkBW/rem_socket=0x1/: this machine has no PMU nvidia_cnvlink_pmu\n"
		"GraceCnvlinkBW/x=1/: this machine has no PMU nvidia_cnvlink_pmu",
		"filters of what it does not have are not judged");
	fixture_release(&host);
	fixture_init(&host, "gh4");
	is_plan(&host, NULL, "GraceMemReadBW,GraceRemoteReadUtil0to1", NULL, "duration_time,"
		S0 "cmem_rd_data/," S1 "cmem_rd_data/,nvidia_scf_pmu_2/cmem_rd_data/,"
		"nvidia_scf_pmu_3/cmem_rd_data/,{" S0 "event=cycles/," S0 "socket_1_rd_access/}",
		UNKNOWN("nvidia_scf_pmu"), "four sockets");
	fixture_release(&host);
	fixture_init(&host, "laptop");
	is_plan(&host, NULL, "GraceMemBW,ipc", "cycles,{instructions,cache-misses},"
		"uncore_imc/data_reads/,"
		"task-clock", "cycles,{instructions,cache-misses},uncore_imc_0/data_reads/,"
		"uncore_imc_1/data_reads/,task-clock",
		"GraceMemBW: this machine has no PMU nvidia_scf_pmu\n"
		"ipc: it is for other CPUs, those of arm64/arm/neoverse-n2-v2",
		"a laptop: its events, and none of Grace's metrics");
	fixture_release(&host);
	fixture_init(&host, "vm");
	is_plan(&host, NULL, "GraceMemBW,ipc", "task-clock,page-faults,nvidia_scf_pmu/cycles/",
		"task-clock,page-faults", "GraceMemBW: this machine has no PMU nvidia_scf_pmu\n"
		"ipc: this machine shows no PMU of its CPUs\n"
		"nvidia_scf_pmu/cycles/: this machine has no PMU nvidia_scf_pmu",
		"a virtual machine: what there is");
	fixture_add(&host, "own.json", "[{\"MetricName\":\"own\",\"MetricExpr\":"
		    "\"page\\\\-faults / task\\\\-clock\"}]");
	is_plan(&host, NULL, "own", NULL, "{page-faults,task-clock}", "",
		"a metric of any machine that has its events");
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
		"a metric of another chip's PMU");
	sysroot_remove(&other.root, "sys/bus/event_source/devices/nvidia_scf_pmu_0/identifier");
	sysroot_remove(&other.root, "sys/bus/event_source/devices/nvidia_scf_pmu_1/identifier");
	fixture_look(&other);
	is_plan(&other, NULL, "GraceMemBW", NULL, "",
		"GraceMemBW: it is for nvidia_scf_pmu with the identifier 2cf0036b",
		"... or of one that does not say");
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
		"a socket that is offline is left out, and the other one counts");
	fixture_release(&half);
}

static void options(const struct fixture *ours)
{
	struct gpmu_plan_options small = { .size = 1 };
	struct gpmu_error error = { .text = "" };
	struct gpmu_plan *plan;

	errno = 0;
	ok(!gpmu_plan_new(ours->machine, ours->catalog, &small, &error) && errno == EINVAL &&
	   *error.text, "options without a size are refused");
	gpmu_plan_free(NULL);
	plan = gpmu_plan_new(ours->machine, ours->catalog, NULL, NULL);
	ok(plan && !gpmu_plan_make(plan, NULL) && !gpmu_plan_groups(plan),
		"a plan of nothing is one");
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
