// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Formulas of metrics: references to metrics, constraints, thresholds, and questions about the
 * machine
 */
#include <math.h>

#include "plan-test.h"
#include "plan/plan_build.h"

#define METRIC(name, expr)	"{\"MetricName\":\"" name "\",\"MetricExpr\":\"" expr "\"}"
#define MORE(name, expr, more)	"{\"MetricName\":\"" name "\",\"MetricExpr\":\"" expr "\"," more "}"

static const struct gpmu_plan_options apart = { .size = sizeof(apart), .no_merge = 1 };

static int all_fit(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs,
		   size_t length, void *user)
{
	(void)pmu;
	(void)attrs;
	return !user || length <= *(const size_t *)user;
}

static const struct gpmu_plan_options fits = { .size = sizeof(fits), .fits = all_fit };

static const struct gpmu_plan_options wide = { .size = sizeof(wide), .system_wide = 1 };

static const char metrics_of_metrics[] = "["
	METRIC("whole", "part / inst_retired + Other") ","
	METRIC("part", "l1d_cache + l1d_cache_refill") ","
	METRIC("other", "PART + mem_access") ","
	METRIC("loop_a", "loop_b + 1") ","
	METRIC("loop_b", "loop_c * inst_retired") ","
	METRIC("loop_c", "loop_a") ","
	METRIC("itself", "itself + 1") ","
	METRIC("again", "part + L1D_CACHE + l1d_cache") ","
	METRIC("mixed", "nvidia_pcie_pmu@rd_bytes_loc@ + nvidia_nvlink_c2c0_pmu@rd_bytes_loc@ + "
	       "nvidia_pcie_pmu@wr_bytes_loc@") ","
	METRIC("lacks", "part + no_such_event_at_all") ",\n"
	METRIC("misspelt", "part + inst_retird") ",\n"
	METRIC("near", "whol * 2") ","
	METRIC("uses_near", "near + 1") "]";

/*
 * Checks the warning for a wrong formula in metrics.json, whose place is between @before and
 * @after.
 */
static void is_wrong(const struct fixture *ours, const char *metrics, const char *text,
		     const char *before, unsigned int line, const char *after, const char *what)
{
	char path[SYSROOT_PATH], warning[SYSROOT_PATH + 256];

	sysroot_path(&ours->root, path, "metrics.json");
	snprintf(warning, sizeof(warning), "%s (%s:%u): %s", before, path, line, after);
	is_plan(ours, &fits, metrics, NULL, text, warning, what);
}

static void unknown_names(const struct fixture *ours)
{
	is_wrong(ours, "lacks,part", "{l1d_cache,l1d_cache_refill}", "lacks: its formula", 1,
		 "there is no event no_such_event_at_all",
		 "plan: a metric with an unknown name has a warning, and others are counted");
	is_wrong(ours, "misspelt", "", "misspelt: its formula", 2,
		 "there is no event inst_retird, did you mean inst_retired?",
		 "plan: the warning for an unknown name suggests an event");
	is_wrong(ours, "near", "", "near: its formula", 3,
		 "there is no event whol, did you mean the metric whole?",
		 "plan: the warning for an unknown name suggests a metric");
	is_wrong(ours, "uses_near", "", "uses_near: the formula of near", 3,
		 "there is no event whol, did you mean the metric whole?",
		 "plan: the warning for an unknown name names the formula that has it");
}

static void of_metrics(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, &fits, "other,whole", NULL);
	const struct plan_metric *whole, *part;

	is_plan(ours, &fits, "whole", NULL, "{inst_retired,l1d_cache,l1d_cache_refill,"
		"mem_access}", "",
		"plan: a metric and the metrics it uses are one group");
	is_plan(ours, &apart, "part,other", NULL, "{l1d_cache,l1d_cache_refill},"
		"{mem_access,l1d_cache,l1d_cache_refill}",
		"armv8_pmuv3: its number of counters is unknown, so each metric has its own "
		"groups, which are assumed to fit; a driver with caps/counters, or permission to "
		"open events, makes the number known", "plan: without merging each metric has its own events");
	is_plan(ours, &fits, "again", NULL, "{L1D_CACHE,l1d_cache_refill}", "",
		"plan: an event with two names in a formula is counted once");
	is_plan(ours, NULL, "mixed", NULL, "{nvidia_pcie_pmu_0/rd_bytes_loc/,"
		"nvidia_pcie_pmu_0/wr_bytes_loc/},{nvidia_pcie_pmu_1/rd_bytes_loc/,"
		"nvidia_pcie_pmu_1/wr_bytes_loc/},nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/,"
		"nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc/", "",
		"plan: events of two PMUs in a formula are two groups");
	is_plan(ours, NULL, "mixed/port=1/", NULL, "{nvidia_pcie_pmu_0/rd_bytes_loc/,"
		"nvidia_pcie_pmu_0/wr_bytes_loc/},{nvidia_pcie_pmu_1/rd_bytes_loc/,"
		"nvidia_pcie_pmu_1/wr_bytes_loc/},nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc,port=1/,"
		"nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc,port=1/", "",
		"plan: a filter is applied to the PMU that has it");
	is_refused(ours, gpmu_plan_add_metrics, "mixed/port=1,rem_socket/", EINVAL, 13,
		   "there is no filter \"rem_socket\" here; there are: root_port, port",
		   "plan: a filter that no PMU of a formula has is refused");
	is_refused(ours, gpmu_plan_add_metrics, "part,loop_a", EINVAL, 5,
		   "loop_a uses loop_b uses loop_c uses loop_a",
		   "plan: a cycle of metrics is refused");
	is_refused(ours, gpmu_plan_add_metrics, "loop_c", EINVAL, 0,
		   "loop_c uses loop_a uses loop_b uses loop_c",
		   "plan: a cycle of metrics is refused from each of its metrics");
	is_refused(ours, gpmu_plan_add_metrics, "itself", EINVAL, 0, "itself uses itself",
		   "plan: a metric that uses itself is refused");
	if (!ok(plan && plan->item_count == 2, "plan: two metrics with a common part are planned"))
		return;
	whole = &plan->metrics[plan->items[1].index];
	ok(whole->inputs[0].kind == PLAN_METRIC && whole->inputs[1].kind == PLAN_SLOTS &&
	   whole->inputs[2].kind == PLAN_METRIC,
	   "plan: the names of a formula are metrics and events");
	part = &plan->metrics[whole->inputs[0].metric];
	ok(!strcmp(part->label, "part") && part->root == plan->items[1].index,
	   "plan: a metric has its own copy of the metrics it uses");
	ok(part->inputs[0].length == 1 &&
		!strcmp(plan->slots[part->inputs[0].slots[0]].instance->name,
						  "l1d_cache"),
						  "plan: an input of a metric has the slot of its "
						  "event");
	gpmu_plan_free(plan);
}

#define S(n, name)	"nvidia_scf_pmu" n "@" name "@"
#define SUM2(n, a, b)	S(n, a) " + " S(n, b)
#define SUM4(n, a, b, c, d)	SUM2(n, a, b) " + " SUM2(n, c, d)
#define G(n, name)	"nvidia_scf_pmu_" n "/" name "/"
#define LIST2(n, a, b)	G(n, a) "," G(n, b)
#define LIST4(n, a, b, c, d)	LIST2(n, a, b) "," LIST2(n, c, d)

static const char packing[] = "["
	METRIC("wide_a", SUM2("", "cmem_rd_data", "cmem_wr_data")) ","
	METRIC("wide_b", SUM2("", "gmem_rd_data", "gmem_wr_data")) ","
	METRIC("wide_c", SUM4("", "cmem_rd_data", "cmem_wr_data", "cmem_rd_access", "cmem_wr_access")) ","
	METRIC("wide_d", SUM4("", "gmem_rd_data", "gmem_wr_data", "gmem_rd_access", "gmem_wr_access")) ","
	METRIC("narrow", SUM4("_0", "socket_1_rd_data", "socket_1_wr_data", "socket_1_rd_access",
			      "socket_1_wr_access")) "]";

/* Each SCF PMU has six counters. */
static void packed(const struct fixture *ours)
{
	is_plan(ours, NULL, "wide_a,wide_b,narrow", NULL,
		"{" LIST4("0", "cmem_rd_data", "cmem_wr_data", "gmem_rd_data", "gmem_wr_data") "},"
		"{" LIST4("1", "cmem_rd_data", "cmem_wr_data", "gmem_rd_data", "gmem_wr_data") "},"
		"{" LIST4("0", "socket_1_rd_data", "socket_1_wr_data", "socket_1_rd_access",
			  "socket_1_wr_access") "}", "",
		"plan: both sockets have the same groups, also beside a larger metric of one "
		"socket");
	is_plan(ours, NULL, "wide_a,wide_d,wide_c", NULL,
		"{" LIST4("0", "cmem_rd_data", "cmem_wr_data", "cmem_rd_access", "cmem_wr_access") "},"
		"{" LIST4("1", "cmem_rd_data", "cmem_wr_data", "cmem_rd_access", "cmem_wr_access") "},"
		"{" LIST4("0", "gmem_rd_data", "gmem_wr_data", "gmem_rd_access", "gmem_wr_access") "},"
		"{" LIST4("1", "gmem_rd_data", "gmem_wr_data", "gmem_rd_access", "gmem_wr_access") "}",
		"", "plan: a metric whose events a larger metric has is counted with it");
}

static const char constraints[] = "["
	MORE("never", "inst_retired + cpu_cycles", "\"MetricConstraint\":\"NO_GROUP_EVENTS\"") ","
	MORE("also", "inst_retired + stall", "\"MetricConstraint\":\"NO_GROUP_EVENTS\"") ","
	MORE("nmi", "l1d_cache + cpu_cycles", "\"MetricConstraint\":\"NO_GROUP_EVENTS_NMI\"") ","
	MORE("dog", "l1d_cache + cpu_cycles + 1", "\"MetricConstraint\":\"NO_NMI_WATCHDOG\"") ","
	MORE("smt", "l2d_cache + cpu_cycles", "\"MetricConstraint\":\"NO_GROUP_EVENTS_SMT\"") ","
	METRIC("timed", "inst_retired / (user_time + system_time)") ","
	METRIC("software", "inst_retired / context\\\\-switches / duration_time") "]";

static void constrained(struct fixture *ours)
{
	is_plan(ours, &fits, "never,also,ipc", NULL,
		"inst_retired,cpu_cycles,stall,{CPU_CYCLES,INST_RETIRED}", "",
		"plan: NO_GROUP_EVENTS counts each event once, outside of groups");
	is_plan(ours, &fits, "nmi,smt", NULL, "{cpu_cycles,l1d_cache,l2d_cache}", "",
		"plan: constraints for NMI watchdog and SMT do not apply without these");
	is_plan(ours, &fits, "timed", NULL, "inst_retired,user_time,system_time", "",
		"plan: tool events are in no group");
	is_plan(ours, &fits, "software", NULL, "duration_time,inst_retired,context-switches", "",
		"plan: software events are not in a core group");
	sysroot_put(&ours->root, "proc/sys/kernel/nmi_watchdog", "1\n");
	sysroot_put(&ours->root, "sys/devices/system/cpu/smt/active", "1\n");
	is_plan(ours, &fits, "nmi,smt", NULL, "l1d_cache,cpu_cycles,l2d_cache", "",
		"plan: constraints for NMI watchdog and SMT apply where these are on");
	is_plan(ours, &fits, "dog", NULL, "l1d_cache,cpu_cycles", "",
		"plan: NO_NMI_WATCHDOG of older perfs is the same constraint");
	sysroot_remove(&ours->root, "proc/sys/kernel/nmi_watchdog");
	sysroot_remove(&ours->root, "sys/devices/system/cpu/smt");
}

static const char thresholds[] = "["
	MORE("simple", "inst_retired / cpu_cycles", "\"MetricThreshold\":\"simple > 0.5\"") ","
	MORE("both", "stall / cpu_cycles", "\"MetricThreshold\":\"both > 1 & simple > 2\"") ","
	MORE("lacking", "stall", "\"MetricThreshold\":\"lacking > 1 & nothing > 2\"") ","
	METRIC("nothing", "no_such_event_at_all") ","
	MORE("event", "stall", "\"MetricThreshold\":\"event > 1 & mem_access\"") ","
	MORE("looping", "stall", "\"MetricThreshold\":\"looping > 1 & loop_a\"") ","
	MORE("wrong", "stall", "\"MetricThreshold\":\"wrong > \"") "]";

static void thresholds_of(const struct fixture *ours)
{
	struct gpmu_plan *plan = plan_of(ours, &fits, "simple,event,lacking,wrong,looping",
					 NULL);
	const struct plan_metric *metric;

	is_plan(ours, &fits, "both", NULL, "{cpu_cycles,stall,inst_retired}", "",
		"plan: the metrics that a threshold uses are counted");
	if (!plan)
		return;
	metric = &plan->metrics[plan->items[0].index];
	ok(metric->threshold && gpmu_expr_id_count(metric->threshold) == 1 &&
	   metric->threshold_inputs[0].kind == PLAN_METRIC &&
	   metric->threshold_inputs[0].metric == plan->items[0].index,
		"plan: a threshold can refer to its own metric");
	ok(!plan->metrics[plan->items[1].index].threshold,
	   "plan: a threshold that refers to an event is dropped");
	ok(!plan->metrics[plan->items[2].index].threshold,
	   "plan: a threshold that refers to an unsupported metric is dropped");
	ok(!plan->metrics[plan->items[3].index].threshold,
	   "plan: a malformed threshold is dropped");
	ok(!plan->metrics[plan->items[4].index].threshold,
	   "plan: a threshold that refers to a cycle is dropped");
	ok(!gpmu_plan_warning(plan, 0) && plan->item_count == 5,
	   "plan: dropped thresholds cause no warning");
	gpmu_plan_free(plan);
}

static const char questions[] = "["
	METRIC("has", "inst_retired if has_event(inst_retired) else no_such_event_at_all") ","
	METRIC("pmu_has", "1 if has_event(nvidia_scf_pmu@cycles@) else no_such_event_at_all") ","
	METRIC("has_not", "stall if has_event(no_such_event_at_all) else mem_access") ","
	METRIC("v2", "stall if strcmp_cpuid_str(0x410fd4f0) else mem_access") ","
	METRIC("v2r1", "stall if strcmp_cpuid_str(0x411fd4f0) else mem_access") ","
	METRIC("n2", "stall if strcmp_cpuid_str(0x410fd490) else mem_access") ","
	METRIC("slots", "stall_slot / (#slots * cpu_cycles)") ","
	METRIC("wide", "stall if #core_wide & #target_cpu else mem_access") ","
	METRIC("tsc", "stall / #SYSTEM_TSC_FREQ") ","
	METRIC("bad", "stall +") "]";

static void cannot_be_computed(const struct fixture *ours)
{
	char path[SYSROOT_PATH], want[4 * SYSROOT_PATH];

	sysroot_path(&ours->root, path, "questions.json");
	snprintf(want, sizeof(want),
		 "tsc: its formula (%s:1) cannot be computed: character 9: #SYSTEM_TSC_FREQ has no "
		 "value here\n"
		 "bad: its formula (%s:1) cannot be computed: character 8: expected a value, found "
		 "the end", path, path);
	is_plan(ours, &fits, "tsc,bad", NULL, "", want,
		"plan: a formula that cannot be evaluated affects only its metric");
}

static void asks(const struct fixture *ours)
{
	is_plan(ours, &fits, "has", NULL, "inst_retired", "",
		"plan: has_event() is true for an existing event");
	is_plan(ours, &fits, "pmu_has", NULL, "", "",
		"plan: has_event() is true for another PMU's event");
	is_plan(ours, &fits, "has_not", NULL, "mem_access", "",
		"plan: has_event() is false for an unknown event");
	is_plan(ours, &fits, "v2", NULL, "stall", "",
		"plan: strcmp_cpuid_str() matches a Neoverse V2");
	is_plan(ours, &fits, "v2r1", NULL, "mem_access", "",
		"plan: strcmp_cpuid_str() does not match a later variant");
	is_plan(ours, &fits, "n2", NULL, "mem_access", "",
		"plan: strcmp_cpuid_str() does not match a Neoverse N2");
	is_plan(ours, &fits, "slots", NULL, "{cpu_cycles,stall_slot}", "",
		"plan: #slots has a value on a Neoverse V2");
	is_plan(ours, &fits, "wide", NULL, "mem_access", "",
		"plan: #core_wide is 0 when tasks are counted");
	is_plan(ours, &wide, "wide", NULL, "stall", "",
		"plan: #core_wide is 1 when CPUs are counted");
	cannot_be_computed(ours);
}

static void is_literal(const struct fixture *host, const char *name, double value)
{
	struct gpmu_plan *plan = gpmu_plan_new(host->machine, host->catalog, NULL, NULL);
	struct gpmu_expr_env env;
	double got;

	plan_env(plan, &env);
	got = plan_literal(plan, name);
	if (!ok(isnan(value) ? isnan(got) : got == value,
		"plan: the literal #%s is %g", name, value))
		diag("got %g", got);
	gpmu_plan_free(plan);
}

static void put_topology(const struct fixture *host, const char *name, const char *const *lines)
{
	char path[128];

	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/%s", i, name);
		sysroot_put(&host->root, path, lines[i]);
	}
}

/* cycles uses any counter while the cycle counter is taken. */
static void core_counters(void)
{
	static const char core[] = "["
		METRIC("fits", "cpu_cycles + cpu_cycles:u + inst_retired") ","
		METRIC("not", "cpu_cycles + cpu_cycles:u + inst_retired + stall") "]";
	struct fixture machine;

	fixture_init(&machine, "superchip");
	fixture_add(&machine, "core.json", core);
	sysroot_put(&machine.root, "sys/bus/event_source/devices/armv8_pmuv3_0/caps/counters",
		"2\n");
	sysroot_put(&machine.root, "sys/bus/event_source/devices/armv8_pmuv3_0/caps/cycle_counter",
		    "1\n");
	fixture_look(&machine);
	is_plan(&machine, NULL, "fits,not", NULL, "{cpu_cycles,cpu_cycles:u,inst_retired}",
		"not: needs 3 event counters of armv8_pmuv3_0, which has 2",
		"plan: a second cycles event uses an event counter");
	sysroot_put(&machine.root, "sys/bus/event_source/devices/armv8_pmuv3_0/caps/cycle_counter",
		    "0\n");
	fixture_look(&machine);
	is_plan(&machine, NULL, "fits", NULL, "",
		"fits: needs 3 event counters of armv8_pmuv3_0, which has 2",
		"plan: cycles without a cycle counter uses an event counter");
	fixture_release(&machine);
}

/* x0 uses x1 and so on to x120; "many" has 65 formula names. */
static void limits(struct fixture *ours)
{
	char text[16384];
	size_t n = 0;

	n += (size_t)sprintf(text + n, "[");
	for (int i = 0; i < 120; i++)
		n += (size_t)sprintf(text + n, "{\"MetricName\":\"x%d\",\"MetricExpr\":\"x%d\"},"
		"", i,
				     i + 1);
	n += (size_t)sprintf(text + n, METRIC("x120", "stall") ",{\"MetricName\":\"many\","
		"\"MetricExpr\":\"");
	for (int i = 0; i < 65; i++)
		n += (size_t)sprintf(text + n, "%scpu_cycles:%c + r%x", i ? " + " : "",
		i % 2 ? 'u' : 'k',
				     i + 0x200);
	sprintf(text + n, "\"}]");
	fixture_add(ours, "limits.json", text);
	is_plan(ours, &fits, "x60", NULL, "stall", "", "plan: metrics can be nested 60 deep");
	is_plan(ours, &fits, "x0", NULL, "", "x0: metrics are nested deeper than 100 levels",
		"plan: metrics nested deeper than 100 are refused");
	is_plan(ours, &fits, "many", NULL, "",
		"many: armv8_pmuv3_0 cannot count its 67 events at the same time",
		"plan: a metric of more events than a PMU can have counters is refused");
}

/*
 * Four CPUs in one package of two dies, each of one core with two threads; before that, the
 * topology is unknown.
 */
static void literals(struct fixture *ours)
{
	static const char *const cores[] = { "0-1\n", "0-1\n", "2-3\n", "2-3\n" };
	static const char *const package[] = { "0-3\n", "0-3\n", "0-3\n", "0-3\n" };
	struct fixture laptop;

	sysroot_put(&ours->root, "sys/devices/system/cpu/possible", "0-255\n");
	is_literal(ours, "num_cpus", 4);
	is_literal(ours, "NUM_CPUS_ONLINE", 4);
	is_literal(ours, "num_packages", 2);
	is_literal(ours, "num_cores", NAN);
	is_literal(ours, "num_dies", NAN);
	is_literal(ours, "smt_on", NAN);
	is_literal(ours, "slots", 8);
	is_literal(ours, "system_tsc_freq", NAN);
	is_literal(ours, "has_pmem", 0);
	is_literal(ours, "core_wide", 0);
	is_literal(ours, "no_such_thing", NAN);
	put_topology(ours, "core_cpus_list", cores);
	put_topology(ours, "die_cpus_list", cores);
	put_topology(ours, "package_cpus_list", package);
	is_literal(ours, "num_packages", 1);
	is_literal(ours, "num_cores", 2);
	is_literal(ours, "num_dies", 2);
	is_literal(ours, "smt_on", 1);
	sysroot_put(&ours->root, "sys/devices/system/cpu/smt/active", "0\n");
	is_literal(ours, "smt_on", 0);
	fixture_init(&laptop, "laptop");
	sysroot_put(&laptop.root, "proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Core(TM) "
		    "i7-8650U CPU @ 1.90GHz\nprocessor\t: 1\n");
	sysroot_put(&laptop.root, "sys/firmware/acpi/tables/NFIT", "NFIT....");
	is_literal(&laptop, "system_tsc_freq", 1.9e9);
	sysroot_put(&laptop.root, "proc/cpuinfo", "model name\t: Virtual @ some speed\n");
	is_literal(&laptop, "system_tsc_freq", NAN);
	fixture_add(&laptop, "metrics.json", "[" METRIC("cpuid",
		    "instructions if strcmp_cpuid_str(0x410fd4f0) else cycles") "]");
	is_plan(&laptop, &fits, "cpuid", NULL, "{instructions,cycles}", "",
		"plan: strcmp_cpuid_str() is unknown without a MIDR, so both branches are counted");
	is_literal(&laptop, "slots", NAN);
	is_literal(&laptop, "has_pmem", 1);
	fixture_release(&laptop);
}

/* A formula of @n names; @after follows its place in the warning. */
static void is_long(struct fixture *ours, int n, const char *after, const char *what)
{
	char text[16384], name[32], path[SYSROOT_PATH], warning[SYSROOT_PATH + 256];
	size_t length;

	snprintf(name, sizeof(name), "long%d.json", n);
	length = (size_t)sprintf(text, "[{\"MetricName\":\"long%d\",\"MetricExpr\":\"", n);
	for (int i = 0; i < n; i++)
		length += (size_t)sprintf(text + length, "%sy%d", i ? " + " : "", i);
	sprintf(text + length, "\"}]");
	fixture_add(ours, name, text);
	sysroot_path(&ours->root, path, "%s", name);
	snprintf(warning, sizeof(warning), "long%d: its formula (%s:1)%s", n, path, after);
	snprintf(name, sizeof(name), "long%d", n);
	is_plan(ours, &fits, name, NULL, "", warning, what);
}

static void too_many(const struct fixture *ours)
{
	size_t max = 3;
	const struct gpmu_plan_options few = {
		.size = sizeof(few), .fits = all_fit, .user = &max,
	};

	is_plan(ours, &few, "whole,other", NULL, "{mem_access,l1d_cache,l1d_cache_refill}",
		"whole: armv8_pmuv3_0 cannot count its 4 events at the same time",
		"plan: a metric that does not fit whole is not counted in parts");
	is_plan(ours, &few, "simple,part,both", NULL, "{cpu_cycles,inst_retired,stall},"
		"{l1d_cache,l1d_cache_refill}", "",
		"plan: metrics share groups as far as they fit");
}

int main(void)
{
	struct fixture ours;

	fixture_init(&ours, "superchip-ours");
	fixture_add(&ours, "metrics.json", metrics_of_metrics);
	fixture_add(&ours, "constraints.json", constraints);
	fixture_add(&ours, "thresholds.json", thresholds);
	fixture_add(&ours, "questions.json", questions);
	fixture_add(&ours, "packing.json", packing);
	of_metrics(&ours);
	unknown_names(&ours);
	packed(&ours);
	constrained(&ours);
	thresholds_of(&ours);
	asks(&ours);
	too_many(&ours);
	core_counters();
	limits(&ours);
	is_long(&ours, 1001, " has 1001 names, more than 1000",
		"plan: a formula of 1001 names is refused");
	is_long(&ours, 1000, ": there is no event y0", "plan: a formula of 1000 names is accepted");
	literals(&ours);
	fixture_release(&ours);
	return done_testing();
}
