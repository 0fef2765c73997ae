// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics of a section by architecture, driver, vGPU and scope; options, tables, patterns and definitions */
#include "section-test.h"

#define HEADER(metrics)		"Identifier: \"A\" Header { " metrics " }"
#define ITEM(item)		"Identifier: \"A\" Body { Items { " item " } }"

/* Checks members of the first metric. */
static void test_members(void)
{
	struct gpmu_section *section = parse(
		"Identifier: \"A\"\nBody { Items { Timeline { MetricGroups { Label: \"G\" MetricRows {\n"
		"Metrics { Name: \"pmsampling:m.avg\" Label: \"L\" Description: \"D\" Groups: \"sampling_0\" Groups: \"gh100\"\n"
		" CtrDomains: \"gpu_sm_a\" CtrDomains: \"gpu_lts\" CtrDomains: \"x\" Multiplier: 0.5 ShowInstances: true\n"
		" UserMetricExpr: \"a / b\" Filter { CollectionFilter { Importance: Required } } } } } } } }");
	struct gpmu_section_metrics *metrics = section ? gpmu_section_select(section, TARGET(.arch = 90)) : NULL;
	const struct gpmu_section_metric *metric = metrics ? gpmu_section_metrics_at(metrics, 0) : NULL;

	ok(metric != NULL, "section: a metric of a timeline is selected");
	if (metric) {
		is_str(metric->name, "pmsampling:m.avg", "section: a metric has its name");
		is_str(metric->label, "L", "section: a metric has its label");
		is_str(metric->description, "D", "section: a metric has its description");
		is_str(metric->place, "Body/Items/Timeline/MetricGroups/MetricRows/Metrics", "section: a metric has the names of its messages");
		is_str(metric->groups, "sampling_0,gh100", "section: a metric has all its groups");
		is_str(metric->domains, "gpu_sm_a,gpu_lts,x", "section: a metric has all its counter domains");
		is_str(metric->expr, "a / b", "section: a metric has its UserMetricExpr");
		ok(metric->multiplier == 0.5, "section: a metric has its multiplier");
		ok(metric->importance == GPMU_SECTION_REQUIRED, "section: a metric has its importance");
		ok(metric->has_instances && !metric->is_pattern, "section: a metric has ShowInstances and is no pattern");
		is_u64(metric->line, 3, "section: a metric has its line");
	}
	gpmu_section_metrics_free(metrics);
	gpmu_section_free(section);
}

static void test_arch(void)
{
	static const char range[] = HEADER("Metrics { Name: \"m\" Filter { MinArch: CC_75 MaxArch: CC_86 } }");
	static const char options[] = HEADER(
		"Metrics { Name: \"base\" Filter { MaxArch: CC_70 } "
		"Options { Name: \"first\" Filter { MinArch: CC_75 MaxArch: CC_86 } } "
		"Options { Name: \"second\" Filter { MinArch: CC_80 MaxArch: CC_90 } } }");
	static const char items[] = HEADER(
		"Metrics { Name: \"m\" Filter { Items { MinArch: CC_70 MaxArch: CC_70 } Items { MinArch: CC_90 } } }");

	selects(range, TARGET(.arch = 72), "", "section: MinArch leaves out older architectures");
	selects(range, TARGET(.arch = 75), "m", "section: MinArch is included");
	selects(range, TARGET(.arch = 86), "m", "section: MaxArch is included");
	selects(range, TARGET(.arch = 90), "", "section: MaxArch leaves out newer architectures");
	selects(range, TARGET(.arch = 0), "m", "section: an unknown architecture is accepted");
	selects(HEADER("Metrics { Name: \"m\" Filter { MinArch: CC_100 } }"), TARGET(.arch = 90), "", "section: CC_100 is newer than CC_90");
	selects(options, TARGET(.arch = 70), "base", "section: the base metric is used where no option applies");
	selects(options, TARGET(.arch = 72), "", "section: between base metric and options there is no metric");
	selects(options, TARGET(.arch = 75), "first", "section: an option replaces the base metric");
	selects(options, TARGET(.arch = 86), "first", "section: the first of several options applies");
	selects(options, TARGET(.arch = 90), "second", "section: a later option applies where the first does not");
	selects(options, TARGET(.arch = 0), "base", "section: an unknown architecture has the base metric");
	selects(items, TARGET(.arch = 70), "m", "section: one of several items of a filter is enough");
	selects(items, TARGET(.arch = 80), "", "section: an architecture that no item of a filter has is left out");
	selects(items, TARGET(.arch = 103), "m", "section: the last item of a filter is tried, too");
}

static void test_criteria(void)
{
	static const char scope[] = HEADER(
		"Metrics { Name: \"launch\" Filter { CollectionFilter { CollectionScopes: CollectionScope_Launch } } } "
		"Metrics { Name: \"two\" Filter { CollectionFilter { CollectionScopes: [CollectionScope_Range, CollectionScope_Cmdlist] } } } "
		"Metrics { Name: \"all\" }");
	static const char driver[] = HEADER("Metrics { Name: \"m\" Filter { MinKmd: 570.9 MaxKmd: \"580.100\" } }");
	static const char vgpu[] = HEADER("Metrics { Name: \"m\" Filter { VGpu: false } } Metrics { Name: \"v\" Filter { VGpu: true } }");

	selects(scope, TARGET(.scope = GPMU_SECTION_LAUNCH), "launch all", "section: a metric of launches is selected for launches");
	selects(scope, TARGET(.scope = GPMU_SECTION_RANGE), "two all", "section: a metric of ranges is selected for ranges");
	selects(scope, TARGET(.scope = GPMU_SECTION_CMDLIST), "two all", "section: the second scope of a filter applies, too");
	selects(driver, TARGET(.driver = "570.10.1"), "m", "section: versions of drivers are compared part by part");
	selects(driver, TARGET(.driver = "570.8.99"), "", "section: MinKmd leaves out older drivers");
	selects(driver, TARGET(.driver = "580.159.04"), "", "section: MaxKmd leaves out newer drivers");
	selects(driver, TARGET(), "m", "section: an unknown driver is accepted");
	selects(vgpu, TARGET(), "m", "section: VGpu: false selects GPUs");
	selects(vgpu, TARGET(.vgpu = 1), "v", "section: VGpu: true selects vGPUs");
}

static void test_precedence(void)
{
	static const char section[] =
		"Identifier: \"A\" Filter { MinArch: CC_90 CollectionFilter { CollectionScopes: CollectionScope_Launch } } Header { "
		"Metrics { Name: \"own\" Filter { MinArch: CC_70 } } Metrics { Name: \"common\" } }";
	static const char item[] =
		"Identifier: \"A\" Body { Items { Filter { MinArch: CC_90 } BarChart { Metrics { Name: \"m\" Filter { MinArch: CC_70 } } } } }";
	static const char option[] = HEADER(
		"Metrics { Name: \"m\" Filter { CollectionFilter { CollectionScopes: CollectionScope_Launch } } "
		"Options { Name: \"o\" Filter { MinArch: CC_80 } } }");

	selects(section, TARGET(.arch = 80), "own", "section: a metric's architecture takes precedence over the section's");
	selects(section, TARGET(.arch = 90), "own common", "section: the section's filter applies to metrics without one");
	selects(section, TARGET(.arch = 90, .scope = GPMU_SECTION_RANGE), "", "section: the section's scope applies to a metric that filters by architecture alone");
	selects(item, TARGET(.arch = 80), "", "section: the metrics of an item that is left out are left out");
	selects(item, TARGET(.arch = 90), "m", "section: the metrics of an item that is shown are selected");
	selects(option, TARGET(.arch = 80), "o", "section: an option keeps the scope of its metric where that is accepted");
	selects(option, TARGET(.arch = 80, .scope = GPMU_SECTION_RANGE), "", "section: an option keeps the scope of its metric where that is refused");
}

static void test_places(void)
{
	selects(ITEM("SuffixTable { BaseNames { BaseName { Name: \"a\" } BaseName { Name: \"b\" Filter { MinArch: CC_90 } } } "
		     "Suffixes { Suffix { Name: \"sum\" } Suffix { Name: \".avg\" } } }"), TARGET(.arch = 80), "a.sum a.avg",
		"section: a suffix table has each base name that applies with each suffix");
	selects(ITEM("HorizontalContainer { Items { BarChart { Metrics { Name: \"a\" } } } Items { Table { Metrics { Name: \"b\" } } } "
		     "Items { SourceMetricTable { Metrics { Name: \"c\" } } } }"), TARGET(), "a b c",
		"section: the items of a container are walked");
	selects(ITEM("RooflineChart { AchievedValues { AchievedTraffic { Metric { Name: \"t\" } } AchievedWork { "
		     "ValueCyclesPerSecondExpression { CyclesPerSecondMetric { Name: \"c\" } ValuePerCycleMetrics { Name: \"v\" } "
		     "ValuePerCycleMetrics { Name: \"w\" } } } } Rooflines { Options { ShowOnlyIfNotZero { Metric { Name: \"z\" } } } "
		     "PeakTraffic { ValueCyclesPerSecondExpression { CyclesPerSecondMetric { Name: \"p\" } } } } }"), TARGET(),
		"t c v w z p", "section: a roofline chart has all its metrics");
	selects(ITEM("LineChart { HighlightX { Metrics { Name: \"h\" } } Metrics { Name: \"m\" } }"), TARGET(), "h m",
		"section: a line chart has its metrics and the highlighted ones");
	selects("Identifier: \"A\" Metrics { Order: 3 Metrics { Name: \"a\" } } SourceMetrics { Order: 2 Metrics { Name: \"b\" Label: \"\" } }",
		TARGET(), "a b", "section: metrics that are only collected and source metrics are selected");
	selects(HEADER("Metrics { Label: \"no name\" } Metrics { Name: \"\" } Metrics { Name: \"regex:a\" }"), TARGET(), "",
		"section: metrics without a name, and patterns in the header, are left out");
}

/* Checks the pattern of a table against a name. */
static void matches(const char *pattern, const char *name, int want, const char *what)
{
	char text[256];
	struct gpmu_section *section;
	struct gpmu_section_metrics *metrics;
	const struct gpmu_section_metric *metric;

	snprintf(text, sizeof(text), ITEM("Table { Metrics { Name: \"regex:%s\" } }"), pattern);
	section = parse(text);
	metrics = section ? gpmu_section_select(section, TARGET()) : NULL;
	metric = metrics ? gpmu_section_metrics_at(metrics, 0) : NULL;
	ok(metric && metric->is_pattern && gpmu_section_matches(metric, name) == want, "section: a pattern of a table: %s", what);
	gpmu_section_metrics_free(metrics);
	gpmu_section_free(section);
}

static void test_definitions(void)
{
	static const char text[] =
		"Identifier: \"A\" Header { Metrics { Name: \"derived__x\" } } MetricDefinitions { "
		"MetricDefinitions { Name: \"derived__x\" Expression: \"old / 2\" Filter { MaxArch: CC_80 } } "
		"MetricDefinitions { Name: \"derived__x\" Expression: \"new / 2\" Filter { MinArch: CC_90 } } }";
	struct gpmu_section *section = parse(text);
	struct gpmu_section_metrics *metrics = section ? gpmu_section_select(section, TARGET(.arch = 90)) : NULL;
	const struct gpmu_section_metric *metric = metrics ? gpmu_section_metrics_at(metrics, 0) : NULL;

	is_str(metric ? metric->expr : NULL, "new / 2", "section: a metric has the formula of its name for the architecture");
	metric = metrics ? gpmu_section_metrics_at(metrics, 1) : NULL;
	is_str(metric ? metric->place : NULL, "MetricDefinitions/MetricDefinitions", "section: a defined metric is computed although no table shows it");
	ok(metrics && !gpmu_section_metrics_at(metrics, 2), "section: a definition for another architecture is left out");
	gpmu_section_metrics_free(metrics);
	gpmu_section_free(section);
}

static void test_chips(void)
{
	static const struct {
		const char *chip;
		int arch;
	} chips[] = {
		{ "GV100", 70 }, { "TU102", 75 }, { "TU117", 75 }, { "GA100", 80 }, { "GA102", 86 }, { "AD104", 89 }, { "GH100", 90 },
		{ "GB100", 100 }, { "GB202", 120 }, { "GB20B", 121 }, { "ZZ1", 0 }, { NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++)
		ok(gpmu_section_arch(chips[i].chip) == chips[i].arch, "section: the architecture of %s is %d",
		   chips[i].chip ? chips[i].chip : "no chip", chips[i].arch);
}

int main(void)
{
	test_members();
	test_arch();
	test_criteria();
	test_precedence();
	test_places();
	matches(".*__elapsed_cycles_sum", "sm__elapsed_cycles_sum", 1, "a regular expression matches a name");
	matches("elapsed", "sm__elapsed_cycles_sum", 0, "a regular expression matches only whole names");
	matches("a|b", "ab", 0, "each alternative of a regular expression matches only whole names");
	test_definitions();
	test_chips();
	return done_testing();
}
