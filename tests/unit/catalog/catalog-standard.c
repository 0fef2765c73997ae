// SPDX-License-Identifier: LGPL-2.1-or-later
/* ArchStdEvent: entries that are completed from those of arch/ARCH/NAME.json */
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
	if (!ok(event, "catalog: an ArchStdEvent adds an event to its CPU"))
		return;
	is_str(gpmu_event_def_terms(event), "event=0x2b",
	       "catalog: an ArchStdEvent has the standard event's terms");
	is_str(gpmu_event_def_description(event), "brief",
	       "catalog: an ArchStdEvent has the standard event's description");
	is_str(gpmu_event_def_details(event), "own",
	       "catalog: a description of the entry itself is kept");
	is_text(gpmu_event_def_unit(event), "B",
		"catalog: an ArchStdEvent has the standard event's unit");
	ok(event_def_scale(event) == 4,
	   "catalog: an ArchStdEvent has the standard event's scale");
	is_str(gpmu_event_def_file(event), CPU,
	       "catalog: an ArchStdEvent's file is the referring one");
	is_u64(gpmu_event_def_line(event), 2,
	       "catalog: an ArchStdEvent's line is the referring one");
	is_str(gpmu_event_def_topic(event), "x",
	       "catalog: an ArchStdEvent's topic is that of the referring file");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"L3_CACHE\", \"EventName\": \"other\","
	    "\"EventCode\": \"1\", \"ScaleUnit\": \"2\"}]");
	event = find_event(catalog, "other", "arm64/a/cpu");
	is_text(event ? gpmu_event_def_terms(event) : NULL, "event=0x2b",
		"catalog: an ArchStdEvent with its own name has the standard terms, as in perf");
	ok(event && event_def_scale(event) == 2 && !gpmu_event_def_unit(event),
	   "catalog: a scale of the entry itself is kept, without the standard unit");
}

static void check_metric(struct gpmu_catalog *catalog)
{
	const struct gpmu_metric *metric;

	add(catalog, CPU, "[{\"ArchStdEvent\": \"STALL\", \"MetricExpr\": \"c\"}]");
	metric = gpmu_catalog_find_metric(catalog, "stall", NULL);
	is_str(gpmu_metric_cpu(metric), "arm64/a/cpu",
	       "catalog: an ArchStdEvent adds a metric to its CPU");
	is_str(gpmu_metric_expr(metric), "c", "catalog: an expression of the entry itself is kept");
	is_str(gpmu_metric_group(metric, 0), "Top",
	       "catalog: a standard metric's groups are inherited");
	is_str(gpmu_metric_threshold(metric), "stall > 1",
	       "catalog: a standard metric's threshold is inherited");
	is_str(metric->constraint, "NO_GROUP_EVENTS",
	       "catalog: a standard metric's constraint is inherited");
	is_text(gpmu_metric_unit(metric), "%", "catalog: a standard metric's unit is inherited");
	is_str(gpmu_metric_name(gpmu_catalog_group_metric(catalog, "top", 1)), "STALL",
	       "catalog: a metric is listed in inherited groups");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"stall\"}]");
	metric = gpmu_catalog_find_metric(catalog, "stall", NULL);
	is_str(gpmu_metric_expr(metric), "a / b",
	       "catalog: a standard metric's expression is inherited");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"stall\", \"MetricName\": \"mine\"}]");
	ok(gpmu_catalog_find_metric(catalog, "mine", NULL),
	   "catalog: an ArchStdEvent can give a metric its own name");
}

/* Where a metric and an event have one name, the presence of MetricExpr selects the metric. */
static void check_both(void)
{
	struct gpmu_catalog *catalog = empty();

	add(catalog, "/l/arch/arm64/x.json", "[{\"EventName\": \"both\"},"
	    "{\"MetricName\": \"both\", \"MetricExpr\": \"1\"}]");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"both\"}]");
	ok(count_events(catalog) == 2 && count_metrics(catalog) == 1,
	   "catalog: a name of both an event and a metric means the event");
	add(catalog, CPU, "[{\"ArchStdEvent\": \"both\", \"MetricExpr\": \"2\"}]");
	ok(count_events(catalog) == 2 && count_metrics(catalog) == 2,
	   "catalog: a MetricExpr selects the metric instead of the event");
	gpmu_catalog_free(catalog);
}

static void check_order(void)
{
	struct gpmu_catalog *catalog = empty();
	struct catalog_load load;
	static const char reference[] = "[{\"ArchStdEvent\": \"stall\"}]";
	int ret;

	/* In one load the standard file may come last. */
	ret = catalog_load_init(&load, catalog, NULL);
	if (!ret)
		ret = catalog_add_text(&load, CPU, CPU, reference, strlen(reference));
	if (!ret)
		ret = catalog_add_text(&load, "s", "/l/arch/arm64/s.json", standard,
				       strlen(standard));
	ret = catalog_load_end(&load, catalog, ret);
	ok(!ret && count_metrics(catalog) == 2,
	   "catalog: the standard entry can be in a later file");
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
	is_u64(warnings, 0, "catalog: resolved ArchStdEvents cause no warning");
	for (i = 0; i < 2; i++) {
		add(catalog, places[i].place, "[{\"ArchStdEvent\": \"None\"}]");
		snprintf(want, sizeof(want),
			 "%s:1: no file of arch/%s has the ArchStdEvent none: left out",
			 places[i].place, places[i].arch);
		is_text(gpmu_catalog_warning(catalog, i), want,
			"catalog: an unresolved ArchStdEvent causes a warning");
	}
	add(catalog, places[0].place, "[{\"ArchStdEvent\": \"l3_cache\"}]");
	ok(gpmu_catalog_warning(catalog, 2),
	   "catalog: an ArchStdEvent of another architecture causes a warning");
	is_u64(count_events(catalog), n, "catalog: unresolved ArchStdEvents add no event");
	add(catalog, places[1].place, "[{\"ArchStdEvent\": \"l3_cache\"}]");
	ok(find_event(catalog, "l3_cache", ""),
	   "catalog: a file outside of arch/ refers to arm64's standard events");
	/* Only files directly below arch/ARCH define standard entries. */
	add(catalog, CPU, "[{\"EventName\": \"own\"}]");
	n = count_events(catalog);
	add(catalog, CPU, "[{\"ArchStdEvent\": \"own\"}]");
	is_u64(count_events(catalog), n, "catalog: an event of one CPU is not a standard event");
	ok(add_text(catalog, CPU, "[{\"ArchStdEvent\": 1}]", NULL) == -EINVAL,
	   "catalog: a number as ArchStdEvent is refused");
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
