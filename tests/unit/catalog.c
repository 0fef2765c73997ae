// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is built in, names and their order, what takes the place of what, groups. */
#include <errno.h>

#include "catalog-test.h"

#define SCF	"nvidia_scf_pmu"

static void check_builtin(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_metric *metric;
	const struct gpmu_event_def *event;

	ok(!catalog->metrics.length && !gpmu_catalog_warning(catalog, 0) &&
	   !catalog->metrics.length, "a catalog is empty until something is asked for");
	metric = gpmu_catalog_find_metric(catalog, "GraceMemReadBW", NULL);
	if (!ok(metric, "GraceMemReadBW is built in"))
		return;
	is_str(gpmu_metric_name(metric), "GraceMemReadBW", "its name");
	is_str(gpmu_metric_expr(metric), "d_ratio(nvidia_scf_pmu@cmem_rd_data@ * 32, "
	       "duration_time * 1e9)", "its expression");
	is_str(gpmu_metric_unit(metric), "GB/s", "its unit");
	ok(gpmu_metric_scale(metric) == 1, "its scale");
	is_str(gpmu_metric_pmu(metric), SCF, "its PMU");
	is_str(gpmu_metric_compat(metric), "2cf0036b", "that one's identifier");
	is_text(gpmu_metric_cpu(metric), NULL, "it is for any CPU");
	is_str(gpmu_metric_group(metric, 0), "grace_scf", "its first group");
	is_str(gpmu_metric_group(metric, 1), "grace_bandwidth", "its second");
	ok(!gpmu_metric_group(metric, 2), "it has no third");
	ok(!strncmp(gpmu_metric_description(metric), "Read bandwidth", 14), "its description");
	is_text(gpmu_metric_details(metric), NULL, "there is no more to it");
	is_text(gpmu_metric_threshold(metric), NULL, "it has no threshold");
	is_text(gpmu_metric_constraint(metric), NULL, "it has no constraint");
	is_str(gpmu_metric_file(metric), "built in: arch/arm64/nvidia/grace/sys/metrics.json",
	       "its file");
	is_u64(gpmu_metric_line(metric), 12, "its line");
	metric = gpmu_catalog_find_metric(catalog, "fp_ops_per_second", NULL);
	ok(metric && !gpmu_metric_pmu(metric), "fp_ops_per_second is of the CPUs");
	is_str(gpmu_metric_cpu(metric), "arm64/arm/neoverse-n2-v2", "of certain ones");
	metric = gpmu_catalog_find_metric(catalog, "ipc", NULL);
	is_str(metric ? gpmu_metric_file(metric) : NULL,
	       "built in: backport/6.1/arch/arm64/arm/neoverse-n2-v2/grace-backport.json",
	       "ipc is that of the backport");

	event = gpmu_catalog_find_event(catalog, SCF, "cycles", NULL);
	if (!ok(event, "the event cycles of the SCF PMU is built in"))
		return;
	is_str(gpmu_event_def_name(event), "cycles", "its name");
	is_str(gpmu_event_def_terms(event), "event=0x100000000", "its terms");
	is_str(gpmu_event_def_pmu(event), SCF, "its PMU");
	is_str(gpmu_event_def_compat(event), "2cf0036b", "that one's identifier");
	is_str(gpmu_event_def_description(event), "SCF clock cycles", "its description");
	ok(strstr(gpmu_event_def_details(event), "Counted in cycles"), "its details");
	is_str(gpmu_event_def_topic(event), "scf", "its topic");
	is_text(gpmu_event_def_unit(event), NULL, "it has no unit");
	ok(gpmu_event_def_scale(event) == 1, "its scale");
	is_text(gpmu_event_def_cpu(event), NULL, "it is for any CPU");
	is_str(gpmu_event_def_file(event), "built in: arch/arm64/nvidia/grace/sys/scf.json",
	       "its file");
	is_u64(gpmu_event_def_line(event), 2, "its line");
	event = gpmu_catalog_find_event(catalog, NULL, "LD_SPEC", NULL);
	is_str(event ? gpmu_event_def_terms(event) : NULL, "event=0x70",
	       "LD_SPEC of the CPUs is built in");
	is_str(event ? gpmu_event_def_cpu(event) : NULL, "arm64/arm/neoverse-n2-v2",
	       "it is for certain ones");
	is_str(event ? gpmu_event_def_topic(event) : NULL, "spec operation", "its topic");
	is_str(event ? gpmu_event_def_file(event) : NULL,
	       "built in: core/arch/arm64/arm/neoverse-n2-v2/spec-operation.json", "its file");
	is_text(gpmu_catalog_warning(catalog, 0), NULL, "nothing built in is worth a warning");
	add(catalog, "x.json", "[{\"EventName\": \"L1D_Cache\", \"Unit\": \"CHA\"}]");
	event = gpmu_catalog_find_event(catalog, "uncore_cha", "L1D_CACHE", NULL);
	is_str(event ? gpmu_event_def_name(event) : NULL, "l1d_cache",
	       "events have their names in lower case");
	ok(gpmu_catalog_find_event(catalog, "cha", "L1D_CACHE", NULL) == event,
	   "their PMU is found without uncore_, too");
	errno = 0;
	ok(!gpmu_catalog_find_event(catalog, "uncore", "L1D_CACHE", NULL) && errno == ENOENT,
	   "but not by half of its name");
	gpmu_catalog_free(catalog);
	gpmu_catalog_free(NULL);
}

/* Lines of the files that are built in with this text */
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

	is_u64(count_metrics(catalog), count_lines("MetricName"), "every metric is there");
	is_u64(count_events(catalog), count_lines("EventName"), "every event is there");
	for (i = 1; gpmu_catalog_metric(catalog, i); i++)
		wrong += strcasecmp(gpmu_metric_name(gpmu_catalog_metric(catalog, i - 1)),
				    gpmu_metric_name(gpmu_catalog_metric(catalog, i))) > 0;
	ok(i > 80 && !wrong, "metrics are in the order of their names");
	wrong = 0;
	for (i = 1; gpmu_catalog_event(catalog, i); i++)
		wrong += strcmp(gpmu_event_def_name(gpmu_catalog_event(catalog, i - 1)),
				gpmu_event_def_name(gpmu_catalog_event(catalog, i))) > 0;
	ok(i > 100 && !wrong, "events are in the order of their names");
	ok(!gpmu_catalog_metric(catalog, SIZE_MAX) && !gpmu_catalog_event(catalog, SIZE_MAX),
	   "there is nothing at a large index");
	wrong = 0;
	for (i = 0; gpmu_catalog_metric(catalog, i); i++) {
		const char *name = gpmu_metric_name(gpmu_catalog_metric(catalog, i));
		const struct gpmu_metric *found = gpmu_catalog_find_metric(catalog, name, NULL);

		/* Of namesakes, which are for different chips, any */
		wrong += !found || strcmp(gpmu_metric_name(found), name);
	}
	is_u64(wrong, 0, "each metric is found by its name");
	wrong = 0;
	for (i = 0; gpmu_catalog_event(catalog, i); i++) {
		const struct gpmu_event_def *event = gpmu_catalog_event(catalog, i);

		wrong += gpmu_catalog_find_event(catalog, gpmu_event_def_pmu(event),
						 gpmu_event_def_name(event), NULL) != event;
	}
	is_u64(wrong, 0, "each event is found by its name and PMU");
	gpmu_catalog_free(catalog);
}

static void check_names(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	char name[1000];

	ok(gpmu_catalog_find_metric(catalog, "gracememREADbw", NULL), "a metric in any case");
	ok(gpmu_catalog_find_event(catalog, SCF, "CMEM_Rd_Data", NULL), "an event in any case");
	errno = 0;
	ok(!gpmu_catalog_find_metric(catalog, "GraceMemReadB", NULL) && errno == ENOENT,
	   "no metric by the beginning of its name");
	ok(!gpmu_catalog_find_metric(catalog, "", NULL), "none by an empty name");
	ok(!gpmu_catalog_find_event(catalog, SCF "_0", "cycles", NULL) && errno == ENOENT,
	   "no event of a PMU with its number");
	ok(!gpmu_catalog_find_event(catalog, NULL, "cycles", NULL), "cycles are not of the CPUs");
	ok(gpmu_catalog_find_event(catalog, "nvidia_pcie_pmu", "cycles", NULL) !=
	   gpmu_catalog_find_event(catalog, SCF, "cycles", NULL), "each PMU has its own cycles");
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = 0;
	errno = 0;
	ok(!gpmu_catalog_find_metric(catalog, name, NULL) && errno == ENOENT,
	   "no metric by a long name");
	gpmu_catalog_free(catalog);
}

static const char *expr_of(const struct gpmu_catalog *catalog, const char *name)
{
	const struct gpmu_metric *metric = gpmu_catalog_find_metric(catalog, name, NULL);

	return metric ? gpmu_metric_expr(metric) : NULL;
}

static void check_precedence(void)
{
	static const char *const v3 = "/l/arch/arm64/arm/neoverse-v3/m.json";
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_metric *metric = gpmu_catalog_find_metric(catalog, "ipc", NULL);
	size_t n = count_metrics(catalog);

	add(catalog, "/l/arch/arm64/arm/neoverse-n2-v2/m.json",
	    "[{\"MetricName\": \"IPC\", \"MetricExpr\": \"a\"}]");
	is_str(expr_of(catalog, "ipc"), "a", "a later file's metric is found");
	is_u64(count_metrics(catalog), n, "in the place of the one for the same CPU");
	is_str(gpmu_metric_expr(metric), "d_ratio(INST_RETIRED, CPU_CYCLES)",
	       "which is still what it was for those who have found it");
	add(catalog, v3, "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"b\"}]");
	is_u64(count_metrics(catalog), n + 1, "a metric of another CPU is one more");
	is_str(expr_of(catalog, "ipc"), "b", "the last added is found");
	add(catalog, "/l/arch/arm64/arm/neoverse-n2-v2/m.json",
	    "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"c\"}]");
	is_str(expr_of(catalog, "ipc"), "c", "whatever its CPU");
	add(catalog, "m.json", "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"d\", "
	    "\"Unit\": \"nvidia_scf_pmu\"}, {\"MetricName\": \"ipc\", \"MetricExpr\": \"e\", "
	    "\"Unit\": \"nvidia_scf_pmu\", \"Compat\": \"1\"}, {\"MetricName\": \"ipc\", "
	    "\"MetricExpr\": \"f\"}]");
	is_u64(count_metrics(catalog), n + 4, "another PMU's, identifier's, everybody's are more");
	is_text(gpmu_catalog_warning(catalog, 0), NULL, "none of that is worth a warning");
	add(catalog, "twice.json", "[{\"MetricName\": \"x\", \"MetricExpr\": \"first\"},\n\n"
	    "{\"MetricName\": \"X\", \"MetricExpr\": \"second\"}]");
	is_str(expr_of(catalog, "x"), "first", "of two in a file the first stays");
	is_text(gpmu_catalog_warning(catalog, 0), "twice.json:3: X is in line 1 too: left out",
		"with a warning");
	is_text(gpmu_catalog_warning(catalog, 1), NULL, "but one");
	gpmu_catalog_free(catalog);
}

static void check_failure(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	size_t metrics = count_metrics(catalog), events = count_events(catalog);
	struct gpmu_error error = { .text = "" };
	int ret;

	ret = add_text(catalog, "x.json", "[{\"MetricName\": \"ipc\", \"MetricExpr\": \"a\", "
		       "\"MetricGroup\": \"new\"}, {\"EventName\": \"e\", \"Odd\": \"\"}, 0]",
		       &error);
	is_u64((uint64_t)-ret, EINVAL, "a file with an error is refused");
	is_str(error.text, "x.json:1: expected an object", "with its line");
	is_u64(error.offset, 96, "and offset");
	is_u64(count_metrics(catalog), metrics, "none of its metrics is there");
	is_u64(count_events(catalog), events, "and none of its events");
	is_str(expr_of(catalog, "ipc"), "d_ratio(INST_RETIRED, CPU_CYCLES)", "nothing has changed");
	ok(!gpmu_catalog_group_metric(catalog, "new", 0), "no group has come");
	is_text(gpmu_catalog_warning(catalog, 0), NULL, "and no warning");
	ok(add_text(catalog, "x.json", "", NULL) == -EINVAL, "nobody needs to ask for the error");
	gpmu_catalog_free(catalog);
}

static void check_groups(void)
{
	struct gpmu_catalog *catalog = empty();

	is_text(gpmu_catalog_group(catalog, 0), NULL, "an empty catalog has no groups");
	add(catalog, "x.json",
	    "[{\"MetricName\": \"c\", \"MetricExpr\": \"1\", \"MetricGroup\": \"Top;all\"},"
	    "{\"MetricName\": \"b\", \"MetricExpr\": \"1\", \"MetricGroup\": \"ALL;;all;\"},"
	    "{\"MetricName\": \"a\", \"MetricExpr\": \"1\", \"MetricGroup\": \"\"},"
	    "{\"MetricName\": \"d\", \"MetricExpr\": \"1\"}]");
	ok(!strcasecmp(gpmu_catalog_group(catalog, 0), "all"), "groups in order: all");
	is_str(gpmu_catalog_group(catalog, 1), "Top", "then Top");
	is_text(gpmu_catalog_group(catalog, 2), NULL, "no more");
	is_str(gpmu_metric_name(gpmu_catalog_group_metric(catalog, "aLL", 0)), "b",
	       "metrics of a group in order");
	is_str(gpmu_metric_name(gpmu_catalog_group_metric(catalog, "all", 1)), "c", "each once");
	ok(!gpmu_catalog_group_metric(catalog, "all", 2), "no more");
	ok(!gpmu_catalog_group_metric(catalog, "al", 0) &&
	   !gpmu_catalog_group_metric(catalog, "none", 0), "none of what is no group");
	add(catalog, "y.json",
	    "[{\"MetricName\": \"c\", \"MetricExpr\": \"1\", \"MetricGroup\": \"New\"}]");
	is_str(gpmu_catalog_group(catalog, 1), "New", "groups are those of the metrics there are");
	is_text(gpmu_catalog_group(catalog, 2), NULL, "no others");
	gpmu_catalog_free(catalog);
	catalog = gpmu_catalog_new(NULL, NULL);
	ok(gpmu_catalog_group_metric(catalog, "grace_scf", 5), "grace_scf is built in");
	gpmu_catalog_free(catalog);
}

/* The place says the CPU; the file's name, the topic. */
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
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct gpmu_catalog *catalog = empty();
		const struct gpmu_event_def *event;

		add(catalog, places[i].place, "[{\"EventName\": \"e\"}]");
		event = gpmu_catalog_event(catalog, 0);
		is_text(gpmu_event_def_cpu(event), places[i].cpu, places[i].place);
		is_str(gpmu_event_def_topic(event), places[i].topic, "its topic");
		gpmu_catalog_free(catalog);
	}
}

/* @n metrics and events named e, told apart by their Compat */
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
	struct gpmu_error error = { .text = "" };
	char *few = namesakes(1000, "EventName"), *many = namesakes(1001, "EventName");
	char *metrics = namesakes(1001, "MetricExpr\": \"1\", \"MetricName");

	ok(add_text(catalog, "x.json", metrics, &error) == -EINVAL,
	   "1001 metrics of one name are refused");
	ok(add_text(catalog, "x.json", many, &error) == -EINVAL, "and 1001 events");
	ok(strstr(error.text, "x.json:1: e: expected at most 1000 of one name"), "%s", error.text);
	add(catalog, "x.json", few);
	is_u64(count_events(catalog), 1000, "1000 are taken");
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
	check_failure();
	check_groups();
	check_places();
	check_namesakes();
	return done_testing();
}
