// SPDX-License-Identifier: LGPL-2.1-or-later
/* ArchStdEvent: entries that are completed from those of arch/ARCH/NAME.json. */
#include <errno.h>

#include "catalog-test.h"

#define CPU	"/l/arch/arm64/a/cpu/x.json"

static const char standard[] =
	"[{\"EventName\": \"L3_CACHE\", \"EventCode\": \"0x2b\", \"BriefDescription\": \"brief\","
	"\"PublicDescription\": \"public\", \"ScaleUnit\": \"4B\"},"
	"{\"MetricName\": \"stall\", \"MetricExpr\": \"a / b\", \"MetricGroup\": \"Top\","
	"\"ScaleUnit\": \"1%\", \"MetricThreshold\": \"stall > 1\","
	"\"MetricConstraint\": \"NO_GROUP_EVENTS\", \"BriefDescription\": \"brief\"}]";

static const struct gpmu_event_def *find_event(const struct gpmu_catalog *catalog,
					       const char *name, const char *cpu)
{
	const struct gpmu_event_def *event;
	size_t i;

	for (i = 0; (event = gpmu_catalog_event(catalog, i)); i++)
		if (!strcmp(gpmu_event_def_name(event), name) &&
		    !strcmp(gpmu_event_def_cpu(event) ? gpmu_event_def_cpu(event) : "", cpu))
			return event;
	return NULL;
}

static void check_event(struct gpmu_catalog *catalog)
{
	const struct gpmu_event_def *event;

	add(catalog, CPU, "[\n{\"ArchStdEvent\": \"L3_Cache\", \"PublicDescription\": \"own\"}]");
	event = find_event(catalog, "l3_cache", "arm64/a/cpu");
	if (!ok(event, "an event of a CPU"))
		return;
	is_str(gpmu_event_def_terms(event), "event=0x2b", "its terms");
	is_str(gpmu_event_def_description(event), "brief", "its description");
	is_str(gpmu_event_def_details(event), "own", "what it says itself is not replaced");
	is_text(gpmu_event_def_unit(event), "B", "its unit");
	ok(gpmu_event_def_scale(event) == 4, "its scale");
	is_str(gpmu_event_def_file(event), CPU, "its file");
	is_u64(gpmu_event_def_line(event), 2, "its line");
	is_str(gpmu_event_def_topic(event), "x", "its topic");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"L3_CACHE\", \"EventName\": \"other\","
	    "\"EventCode\": \"1\", \"ScaleUnit\": \"2\"}]");
	event = find_event(catalog, "other", "arm64/a/cpu");
	is_text(event ? gpmu_event_def_terms(event) : NULL, "event=0x2b",
		"under a name of its own it has the same terms, as in perf");
	ok(event && gpmu_event_def_scale(event) == 2 && !gpmu_event_def_unit(event),
	   "and its own scale without a unit");
}

static void check_metric(struct gpmu_catalog *catalog)
{
	const struct gpmu_metric *metric;

	add(catalog, CPU, "[{\"ArchStdEvent\": \"STALL\", \"MetricExpr\": \"c\"}]");
	metric = gpmu_catalog_find_metric(catalog, "stall", NULL);
	is_str(gpmu_metric_cpu(metric), "arm64/a/cpu", "a metric of a CPU");
	is_str(gpmu_metric_expr(metric), "c", "has the expression that it gives");
	is_str(gpmu_metric_group(metric, 0), "Top", "and the groups");
	is_str(gpmu_metric_threshold(metric), "stall > 1", "threshold");
	is_str(gpmu_metric_constraint(metric), "NO_GROUP_EVENTS", "constraint");
	is_text(gpmu_metric_unit(metric), "%", "and unit that it does not");
	is_str(gpmu_metric_name(gpmu_catalog_group_metric(catalog, "top", 1)), "STALL",
	       "it is in those groups");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"stall\"}]");
	metric = gpmu_catalog_find_metric(catalog, "stall", NULL);
	is_str(gpmu_metric_expr(metric), "a / b", "without one it has the standard's");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"stall\", \"MetricName\": \"mine\"}]");
	ok(gpmu_catalog_find_metric(catalog, "mine", NULL), "it may have a name of its own");
}

/* Where a metric and an event have one name, a formula tells which one is meant. */
static void check_both(void)
{
	struct gpmu_catalog *catalog = empty();

	add(catalog, "/l/arch/arm64/x.json", "[{\"EventName\": \"both\"},"
	    "{\"MetricName\": \"both\", \"MetricExpr\": \"1\"}]");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"both\"}]");
	ok(count_events(catalog) == 2 && count_metrics(catalog) == 1, "an event before a metric");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"both\", \"MetricExpr\": \"2\"}]");
	ok(count_events(catalog) == 2 && count_metrics(catalog) == 2, "but for a MetricExpr");
	gpmu_catalog_free(catalog);
}

static void check_order(void)
{
	struct gpmu_catalog *catalog = empty();
	struct catalog_load load;
	static const char reference[] = "[{\"ArchStdEvent\": \"stall\"}]";
	int ret;

	/* In one call the standard may come last */
	ret = catalog_load_init(&load, catalog, NULL);
	if (!ret)
		ret = catalog_add_text(&load, CPU, CPU, reference, strlen(reference));
	if (!ret)
		ret = catalog_add_text(&load, "s", "/l/arch/arm64/s.json", standard,
				       strlen(standard));
	ret = catalog_load_end(&load, catalog, ret);
	ok(!ret && count_metrics(catalog) == 2, "the standard may be in a later file");
	gpmu_catalog_free(catalog);
}

static void check_missing(struct gpmu_catalog *catalog)
{
	static const struct {
		const char *place, *arch;
	} places[] = {
		{ "/l/arch/riscv/a/cpu/x.json", "riscv" },
		{ "/l/x.json", "arm64" },
	};
	size_t i, n = count_events(catalog), warnings = 0;
	char want[128];

	while (gpmu_catalog_warning(catalog, warnings))
		warnings++;
	is_u64(warnings, 0, "what is found is no warning");
	for (i = 0; i < 2; i++) {
		add(catalog, places[i].place, "[{\"ArchStdEvent\": \"None\"}]");
		snprintf(want, sizeof(want),
			 "%s:1: no file of arch/%s has the ArchStdEvent none: left out",
			 places[i].place, places[i].arch);
		is_text(gpmu_catalog_warning(catalog, i), want, "one that is nowhere is a warning");
	}
	add(catalog, places[0].place, "[{\"ArchStdEvent\": \"l3_cache\"}]");
	ok(gpmu_catalog_warning(catalog, 2), "so is one that only another architecture has");
	is_u64(count_events(catalog), n, "none of them is an event");
	add(catalog, places[1].place, "[{\"ArchStdEvent\": \"l3_cache\"}]");
	ok(find_event(catalog, "l3_cache", ""), "a file elsewhere may refer to arm64's");
	/* What is not directly below arch/ARCH is no standard */
	add(catalog, CPU, "[{\"EventName\": \"own\"}]");
	n = count_events(catalog);
	add(catalog, CPU, "[{\"ArchStdEvent\": \"own\"}]");
	is_u64(count_events(catalog), n, "a CPU's event is no standard");
	ok(add_text(catalog, CPU, "[{\"ArchStdEvent\": 1}]", NULL) == -EINVAL,
	   "a number is refused");
}

int main(void)
{
	struct gpmu_catalog *catalog = empty();

	add(catalog, "/l/arch/arm64/standard.json", standard);
	check_event(catalog);
	check_metric(catalog);
	check_both();
	check_order();
	check_missing(catalog);
	gpmu_catalog_free(catalog);
	return done_testing();
}
