// SPDX-License-Identifier: LGPL-2.1-or-later
/* Built-in entries, lookup by name, order, precedence, groups */
#include <errno.h>

#include "catalog-test.h"

#define SCF	"nvidia_scf_pmu"

static void check_builtin_metrics(struct gpmu_catalog *catalog)
{
	const struct gpmu_metric *metric;

	metric = gpmu_catalog_find_metric(catalog, "GraceMemReadBW", NULL);
	if (!ok(metric, "catalog: GraceMemReadBW is built in"))
		return;
	is_str(gpmu_metric_name(metric), "GraceMemReadBW", "catalog: GraceMemReadBW has its name");
	is_str(gpmu_metric_expr(metric), "d_ratio(nvidia_scf_pmu@cmem_rd_data@ * 32, "
	       "duration_time * 1e9)", "catalog: GraceMemReadBW has its expression");
	is_str(gpmu_metric_unit(metric), "GB/s", "catalog: GraceMemReadBW has unit GB/s");
	ok(metric_scale(metric) == 1, "catalog: GraceMemReadBW has scale 1");
	is_str(gpmu_metric_pmu(metric), SCF, "catalog: GraceMemReadBW has the SCF PMU");
	is_str(gpmu_metric_compat(metric), "2cf0036b",
	       "catalog: GraceMemReadBW has the PMU's identifier");
	is_text(gpmu_metric_cpu(metric), NULL, "catalog: GraceMemReadBW is for any CPU");
	is_str(gpmu_metric_group(metric, 0), "grace_scf",
	       "catalog: GraceMemReadBW's first group is grace_scf");
	is_str(gpmu_metric_group(metric, 1), "grace_bandwidth",
	       "catalog: GraceMemReadBW's second group is grace_bandwidth");
	ok(!gpmu_metric_group(metric, 2), "catalog: GraceMemReadBW has two groups");
	ok(!strncmp(gpmu_metric_description(metric), "Read bandwidth", 14),
	   "catalog: GraceMemReadBW has a description");
	is_text(gpmu_metric_details(metric), NULL, "catalog: GraceMemReadBW has no details");
	is_text(gpmu_metric_threshold(metric), NULL, "catalog: GraceMemReadBW has no threshold");
	is_text(metric->constraint, NULL, "catalog: GraceMemReadBW has no constraint");
	is_str(gpmu_metric_file(metric), "built in: arch/arm64/nvidia/grace/sys/metrics.json",
	       "catalog: GraceMemReadBW has its file");
	is_u64(gpmu_metric_line(metric), 12, "catalog: GraceMemReadBW has its line");
	metric = gpmu_catalog_find_metric(catalog, "fp_ops_per_second", NULL);
	ok(metric && !gpmu_metric_pmu(metric), "catalog: fp_ops_per_second is a core metric");
	is_str(gpmu_metric_cpu(metric), "arm64/arm/neoverse-n2-v2",
	       "catalog: fp_ops_per_second is for Neoverse V2");
	metric = gpmu_catalog_find_metric(catalog, "grace_mem_READ_bw", NULL);
	is_str(metric ? gpmu_metric_name(metric) : NULL, "GraceMemReadBW",
	       "catalog: the alias grace_mem_read_bw, in any case, finds GraceMemReadBW");
	metric = gpmu_catalog_find_metric(catalog, "ipc", NULL);
	is_str(metric ? gpmu_metric_file(metric) : NULL,
	       "built in: backport/6.1/arch/arm64/arm/neoverse-n2-v2/grace-backport.json",
	       "catalog: ipc is from the backport");
}

static void check_builtin_events(struct gpmu_catalog *catalog)
{
	const struct gpmu_event_def *event;

	event = catalog_find_event(catalog, SCF, "cycles", NULL);
	if (!ok(event, "catalog: the event cycles of the SCF PMU is built in"))
		return;
	is_str(gpmu_event_def_name(event), "cycles", "catalog: SCF cycles has its name");
	is_str(gpmu_event_def_terms(event), "event=0x100000000",
	       "catalog: SCF cycles has its terms");
	is_str(gpmu_event_def_pmu(event), SCF, "catalog: SCF cycles has its PMU");
	is_str(gpmu_event_def_compat(event), "2cf0036b",
	       "catalog: SCF cycles has the PMU's identifier");
	is_str(gpmu_event_def_description(event), "SCF clock cycles",
	       "catalog: SCF cycles has its description");
	ok(strstr(gpmu_event_def_details(event), "Counted in cycles"),
	   "catalog: SCF cycles has details");
	is_str(gpmu_event_def_topic(event), "scf", "catalog: SCF cycles has topic scf");
	is_text(gpmu_event_def_unit(event), NULL, "catalog: SCF cycles has no unit");
	ok(event_def_scale(event) == 1, "catalog: SCF cycles has scale 1");
	is_text(gpmu_event_def_cpu(event), NULL, "catalog: SCF cycles is for any CPU");
	is_str(gpmu_event_def_file(event), "built in: arch/arm64/nvidia/grace/sys/scf.json",
	       "catalog: SCF cycles has its file");
	is_u64(gpmu_event_def_line(event), 2, "catalog: SCF cycles has its line");
	event = catalog_find_event(catalog, NULL, "LD_SPEC", NULL);
	is_str(event ? gpmu_event_def_terms(event) : NULL, "event=0x70",
	       "catalog: LD_SPEC is a built-in core event");
	is_str(event ? gpmu_event_def_cpu(event) : NULL, "arm64/arm/neoverse-n2-v2",
	       "catalog: LD_SPEC is for Neoverse V2");
	is_str(event ? gpmu_event_def_topic(event) : NULL, "spec operation",
	       "catalog: LD_SPEC has its topic");
	is_str(event ? gpmu_event_def_file(event) : NULL,
	       "built in: core/arch/arm64/arm/neoverse-n2-v2/spec-operation.json",
	       "catalog: LD_SPEC has its file");
	is_text(gpmu_catalog_warning(catalog, 0), NULL, "catalog: built-in files cause no warning");
	add(catalog, "x.json", "[{\"EventName\": \"L1D_Cache\", \"Unit\": \"CHA\"}]");
	event = catalog_find_event(catalog, "uncore_cha", "L1D_CACHE", NULL);
	is_str(event ? gpmu_event_def_name(event) : NULL, "l1d_cache",
	       "catalog: event names are in lower case");
	ok(catalog_find_event(catalog, "cha", "L1D_CACHE", NULL) == event,
	   "catalog: an uncore PMU is found without its uncore_ prefix");
	errno = 0;
	ok(!catalog_find_event(catalog, "uncore", "L1D_CACHE", NULL) && errno == ENOENT,
	   "catalog: a PMU is not found by a part of its name");
}

/* An alias added as a metric of its own, as a later perf's tables may have it */
static void check_alias(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_metric *metric;

	add(catalog, "alias.json", "[{\"MetricName\": \"grace_mem_bw\", \"MetricExpr\": \"1\"}]");
	metric = gpmu_catalog_find_metric(catalog, "grace_mem_bw", NULL);
	is_str(metric ? gpmu_metric_expr(metric) : NULL, "1",
	       "catalog: an added metric takes precedence over an alias of its name");
	errno = 0;
	ok(!gpmu_catalog_find_metric(catalog, "grace_mem", NULL) && errno == ENOENT,
	   "catalog: a part of an alias finds no metric");
	gpmu_catalog_free(catalog);
}

static void check_builtin(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);

	check_builtin_metrics(catalog);
	check_builtin_events(catalog);
	check_alias();
	gpmu_catalog_free(catalog);
	gpmu_catalog_free(NULL);
}

/* Counts the lines of the built-in files that match. */
static unsigned int count_lines(const char *text)
{
	unsigned int n = 0;
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command),
		 "find pmu-events/arch pmu-events/core pmu-events/gpu pmu-events/backport/6.1 "
		 "-name '*.json' -exec cat {} + | grep -c '\"%s\"'", text);
	f = popen(command, "r");	/* NOLINT(cert-env33-c) */
	if (!f || fscanf(f, "%u", &n) != 1)	/* NOLINT(cert-err34-c) */
		n = 0;
	if (f)
		pclose(f);
	return n;
}

static void check_order(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new("", NULL);
	size_t i, wrong = 0;

	is_u64(count_metrics(catalog), count_lines("MetricName"),
	       "catalog: every built-in metric is listed");
	is_u64(count_events(catalog), count_lines("EventName"),
	       "catalog: every built-in event is listed");
	for (i = 1; gpmu_catalog_metric(catalog, i); i++)
		wrong += strcasecmp(gpmu_metric_name(gpmu_catalog_metric(catalog, i - 1)),
				    gpmu_metric_name(gpmu_catalog_metric(catalog, i))) > 0;
	ok(i > 80 && !wrong, "catalog: metrics are sorted by name");
	wrong = 0;
	for (i = 1; gpmu_catalog_event(catalog, i); i++)
		wrong += strcmp(gpmu_event_def_name(gpmu_catalog_event(catalog, i - 1)),
				gpmu_event_def_name(gpmu_catalog_event(catalog, i))) > 0;
	ok(i > 100 && !wrong, "catalog: events are sorted by name");
	ok(!gpmu_catalog_metric(catalog, SIZE_MAX) && !gpmu_catalog_event(catalog, SIZE_MAX),
	   "catalog: there is no entry at a large index");
	wrong = 0;
	for (i = 0; gpmu_catalog_metric(catalog, i); i++) {
		const char *name = gpmu_metric_name(gpmu_catalog_metric(catalog, i));
		const struct gpmu_metric *found = gpmu_catalog_find_metric(catalog, name, NULL);

		/* Namesakes are for different chips; either one is right. */
		wrong += !found || strcmp(gpmu_metric_name(found), name);
	}
	is_u64(wrong, 0, "catalog: each metric is found by its name");
	wrong = 0;
	for (i = 0; gpmu_catalog_event(catalog, i); i++) {
		const struct gpmu_event_def *event = gpmu_catalog_event(catalog, i);

		wrong += catalog_find_event(catalog, gpmu_event_def_pmu(event),
						 gpmu_event_def_name(event), NULL) != event;
	}
	is_u64(wrong, 0, "catalog: each event is found by its name and PMU");
	gpmu_catalog_free(catalog);
}

static void check_names(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	char name[1000];

	ok(gpmu_catalog_find_metric(catalog, "gracememREADbw", NULL),
	   "catalog: metric names match in any case");
	ok(catalog_find_event(catalog, SCF, "CMEM_Rd_Data", NULL),
	   "catalog: event names match in any case");
	errno = 0;
	ok(!gpmu_catalog_find_metric(catalog, "GraceMemReadB", NULL) && errno == ENOENT,
	   "catalog: a metric is not found by a prefix of its name");
	ok(!gpmu_catalog_find_metric(catalog, "", NULL),
	   "catalog: a metric is not found by an empty name");
	ok(!catalog_find_event(catalog, SCF "_0", "cycles", NULL) && errno == ENOENT,
	   "catalog: an event is not found by a PMU name with its number");
	ok(!catalog_find_event(catalog, NULL, "cycles", NULL),
	   "catalog: cycles is not an event of the CPUs");
	ok(catalog_find_event(catalog, "nvidia_pcie_pmu", "cycles", NULL) !=
	   catalog_find_event(catalog, SCF, "cycles", NULL),
	   "catalog: each PMU has its own cycles");
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = 0;
	errno = 0;
	ok(!gpmu_catalog_find_metric(catalog, name, NULL) && errno == ENOENT,
	   "catalog: a metric is not found by a very long name");
	gpmu_catalog_free(catalog);
}

static const char *expr_of(const struct gpmu_catalog *catalog, const char *name)
{
	const struct gpmu_metric *metric = gpmu_catalog_find_metric(catalog, name, NULL);

	return metric ? gpmu_metric_expr(metric) : NULL;
}

static char logged[256];
static size_t log_count;

static void keep_log(int level, const char *line, void *user)
{
	(void)level;
	(void)user;
	snprintf(logged, sizeof(logged), "%s", line);
	log_count++;
}

/* A definition of a user replaces the built-in one of the same name, and this is logged. */
static void check_replaced(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);

	gpmu_log_set(keep_log, NULL);
	add(catalog, "/l/arch/arm64/arm/neoverse-n2-v2/m.json",
	    "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"a\"}]");
	is_u64(log_count, 0, "catalog: entries of perf's tree for some CPUs replace others silently");
	add(catalog, "m.json", "[\n{\"MetricName\": \"GRACEMEMBW\", \"MetricExpr\": \"1\"}]");
	ok(log_count == 1 && strstr(logged, "GRACEMEMBW: the definition in m.json:2 replaces that "
				    "in built in: "),
	   "catalog: a metric that replaces a built-in one is logged") || (diag("%s", logged), 0);
	add(catalog, "m.json", "[{\"EventName\": \"cmem_rd_data\", \"EventCode\": \"1\", "
	    "\"Unit\": \"nvidia_scf_pmu\"}]");
	ok(log_count == 2 && strstr(logged, "cmem_rd_data: the definition in m.json:1 replaces"),
	   "catalog: an event that replaces a built-in one is logged");
	add(catalog, "m.json", "[{\"EventName\": \"cmem_rd_data\", \"EventCode\": \"1\", "
	    "\"Unit\": \"nvidia_pcie_pmu\"}, {\"MetricName\": \"own\", \"MetricExpr\": \"1\"}]");
	is_u64(log_count, 2, "catalog: an event of another PMU and a new metric replace nothing");
	gpmu_log_set(NULL, NULL);
	gpmu_catalog_free(catalog);
}

static void check_precedence(void)
{
	static const char *const v3 = "/l/arch/arm64/arm/neoverse-v3/m.json";
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_metric *metric = gpmu_catalog_find_metric(catalog, "ipc", NULL);
	size_t n = count_metrics(catalog);

	add(catalog, "/l/arch/arm64/arm/neoverse-n2-v2/m.json",
	    "[{\"MetricName\": \"IPC\", \"MetricExpr\": \"a\"}]");
	is_str(expr_of(catalog, "ipc"), "a", "catalog: a later file's metric is found");
	is_u64(count_metrics(catalog), n, "catalog: a metric for the same CPU is replaced");
	is_str(gpmu_metric_expr(metric), "d_ratio(INST_RETIRED, CPU_CYCLES)",
	       "catalog: a replaced metric stays valid for earlier users");
	add(catalog, v3, "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"b\"}]");
	is_u64(count_metrics(catalog), n + 1, "catalog: a metric for another CPU is added");
	is_str(expr_of(catalog, "ipc"), "b", "catalog: the last metric added is found");
	add(catalog, "/l/arch/arm64/arm/neoverse-n2-v2/m.json",
	    "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"c\"}]");
	is_str(expr_of(catalog, "ipc"), "c",
	       "catalog: the last metric added is found, whatever its CPU");
	add(catalog, "m.json", "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"d\", "
	    "\"Unit\": \"nvidia_scf_pmu\"}, {\"MetricName\": \"ipc\", \"MetricExpr\": \"e\", "
	    "\"Unit\": \"nvidia_scf_pmu\", \"Compat\": \"1\"}, {\"MetricName\": \"ipc\", "
	    "\"MetricExpr\": \"f\"}]");
	is_u64(count_metrics(catalog), n + 4,
	       "catalog: metrics of another PMU, identifier and for all CPUs are added");
	is_text(gpmu_catalog_warning(catalog, 0), NULL,
		"catalog: replaced metrics cause no warning");
	add(catalog, "twice.json", "[{\"MetricName\": \"x\", \"MetricExpr\": \"first\"},\n\n"
	    "{\"MetricName\": \"X\", \"MetricExpr\": \"second\"}]");
	is_str(expr_of(catalog, "x"), "first",
	       "catalog: the first of two namesakes in a file is kept");
	is_text(gpmu_catalog_warning(catalog, 0), "twice.json:3: X is in line 1 too: left out",
		"catalog: the second of two namesakes in a file causes a warning");
	is_text(gpmu_catalog_warning(catalog, 1), NULL,
		"catalog: two namesakes in a file cause one warning");
	gpmu_catalog_free(catalog);
}

static void check_failure(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	size_t metrics = count_metrics(catalog), events = count_events(catalog);
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	ret = add_text(catalog, "x.json", "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"a\", "
		       "\"MetricGroup\": \"new\"}, {\"EventName\": \"e\", \"Odd\": \"\"}, 0]",
		       &error);
	is_u64((uint64_t)-ret, EINVAL, "catalog: a file with an error is refused");
	is_str(error.text, "x.json:1: expected an object",
	       "catalog: the error for a file has its line");
	is_u64(error.offset, 96, "catalog: the error for a file has its offset");
	is_u64(count_metrics(catalog), metrics, "catalog: a refused file adds no metrics");
	is_u64(count_events(catalog), events, "catalog: a refused file adds no events");
	is_str(expr_of(catalog, "ipc"), "d_ratio(INST_RETIRED, CPU_CYCLES)",
	       "catalog: a refused file changes no metric");
	ok(!gpmu_catalog_group_metric(catalog, "new", 0), "catalog: a refused file adds no group");
	is_text(gpmu_catalog_warning(catalog, 0), NULL, "catalog: a refused file adds no warning");
	ok(add_text(catalog, "x.json", "", NULL) == -EINVAL,
	   "catalog: the error argument can be NULL");
	gpmu_catalog_free(catalog);
}

static void check_groups(void)
{
	struct gpmu_catalog *catalog = empty();

	is_text(gpmu_catalog_group(catalog, 0), NULL, "catalog: an empty catalog has no groups");
	add(catalog, "x.json",
	    "[{\"MetricName\": \"c\", \"MetricExpr\": \"1\", \"MetricGroup\": \"Top;all\"},"
	    "{\"MetricName\": \"b\", \"MetricExpr\": \"1\", \"MetricGroup\": \"ALL;;all;\"},"
	    "{\"MetricName\": \"a\", \"MetricExpr\": \"1\", \"MetricGroup\": \"\"},"
	    "{\"MetricName\": \"d\", \"MetricExpr\": \"1\"}]");
	ok(!strcasecmp(gpmu_catalog_group(catalog, 0), "all"),
	   "catalog: groups are sorted: all is first");
	is_str(gpmu_catalog_group(catalog, 1), "Top", "catalog: groups are sorted: Top is second");
	is_text(gpmu_catalog_group(catalog, 2), NULL, "catalog: there are no more than two groups");
	is_str(gpmu_metric_name(gpmu_catalog_group_metric(catalog, "aLL", 0)), "b",
	       "catalog: metrics of a group are sorted");
	is_str(gpmu_metric_name(gpmu_catalog_group_metric(catalog, "all", 1)), "c",
	       "catalog: a metric is once in a group that it names twice");
	ok(!gpmu_catalog_group_metric(catalog, "all", 2),
	   "catalog: a group has no further metrics");
	ok(!gpmu_catalog_group_metric(catalog, "al", 0) &&
	   !gpmu_catalog_group_metric(catalog, "none", 0),
	   "catalog: an unknown group has no metrics");
	add(catalog, "y.json",
	    "[{\"MetricName\": \"c\", \"MetricExpr\": \"1\", \"MetricGroup\": \"New\"}]");
	is_str(gpmu_catalog_group(catalog, 1), "New", "catalog: a new metric's group is listed");
	is_text(gpmu_catalog_group(catalog, 2), NULL,
		"catalog: a replaced metric's group is dropped");
	gpmu_catalog_free(catalog);
	catalog = gpmu_catalog_new(NULL, NULL);
	ok(gpmu_catalog_group_metric(catalog, "grace_scf", 5),
	   "catalog: the group grace_scf is built in");
	gpmu_catalog_free(catalog);
}

/* The path determines the CPU; the file's name determines the topic. */
static void check_places(void)
{
	static const struct {
		const char *place, *cpu, *topic;
	} places[] = {
		{ "/l/arch/x86/skylake/spec-operation.json", "x86/skylake", "spec operation" },
		{ "/l/arch/arm64/arm/cmn/sys/cmn.json", NULL, "cmn" },
		{ "/l/arch/arm64/a/sys/b/x-metrics.json", NULL, "metrics" },
		{ "/l/arch/arm64/system/x.json", "arm64/system", "x" },
		{ "/l/arch/arm64/system/sys/x.json", NULL, "x" },
		{ "/l/arch/arm64/recommended.json", "arm64", "recommended" },
		{ "/l/arch/common/common/software.json", NULL, "software" },
		{ "/l/arch/mine/x.json", NULL, "x" },
		{ "/l/arch/x86", NULL, "x86" },
		{ "/arch/x86/a/arch/arm64/b/c/x.json", "arm64/b/c", "x" },
		{ "/arch/x86/a/arch/mine/x.json", "x86/a/arch/mine", "x" },
		{ "/march/x86/a/x.json", NULL, "x" },
		{ "arch/x86/a/.json", NULL, "" },
	};
	char what[128];
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct gpmu_catalog *catalog = empty();
		const struct gpmu_event_def *event;

		add(catalog, places[i].place, "[{\"EventName\": \"e\"}]");
		event = gpmu_catalog_event(catalog, 0);
		snprintf(what, sizeof(what), "catalog: the CPU is derived from %s", places[i].place);
		is_text(gpmu_event_def_cpu(event), places[i].cpu, what);
		snprintf(what, sizeof(what), "catalog: the topic is derived from %s", places[i].place);
		is_str(gpmu_event_def_topic(event), places[i].topic, what);
		gpmu_catalog_free(catalog);
	}
}

/* A file with @n metrics or events named e that differ in Compat */
static char *namesakes(size_t n, const char *what)
{
	size_t size = n * 80 + 3, length = 1, i;
	char *text = malloc(size);

	if (!text)
		exit(1);
	text[0] = '[';
	for (i = 0; i < n; i++)
		length += (size_t)snprintf(text + length, size - length,
					   "%s{\"%s\": \"e\", \"Compat\": \"%zu\"}",
					   i ? "," : "", what, i);
	memcpy(text + length, "]", 2);
	return text;
}

static void check_namesakes(void)
{
	struct gpmu_catalog *catalog = empty();
	struct gpmu_error error = { .size = sizeof(error) };
	char *few = namesakes(1000, "EventName"), *many = namesakes(1001, "EventName");
	char *metrics = namesakes(1001, "MetricExpr\": \"1\", \"MetricName");

	ok(add_text(catalog, "x.json", metrics, &error) == -EINVAL,
	   "catalog: 1001 metrics with one name are refused");
	ok(add_text(catalog, "x.json", many, &error) == -EINVAL,
	   "catalog: 1001 events with one name are refused");
	ok(strstr(error.text, "x.json:1: e: expected at most 1000 of one name"),
	   "catalog: the error for namesakes has the limit") || (diag("%s", error.text), 0);
	add(catalog, "x.json", few);
	is_u64(count_events(catalog), 1000, "catalog: 1000 events with one name are accepted");
	free(metrics);
	free(few);
	free(many);
	gpmu_catalog_free(catalog);
}

int main(void)
{
	check_builtin();
	check_order();
	check_names();
	check_precedence();
	check_replaced();
	check_failure();
	check_groups();
	check_places();
	check_namesakes();
	return done_testing();
}
