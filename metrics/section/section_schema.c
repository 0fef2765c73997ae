// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "base/array.h"
#include "section/section_schema.h"

#define MESSAGE(...)	{ .kinds = (const struct section_kind[]){ __VA_ARGS__ }, \
			  .count = ARRAY_SIZE(((const struct section_kind[]){ __VA_ARGS__ })) }
/* A table or a chart */
#define SHOWN(...)	{ .kinds = (const struct section_kind[]){ __VA_ARGS__ }, \
			  .count = ARRAY_SIZE(((const struct section_kind[]){ __VA_ARGS__ })), .has_patterns = true }
#define SCALAR(field, its_type)		{ .name = #field, .type = SECTION_##its_type }
#define SCALARS(field, its_type)	{ .name = #field, .type = SECTION_##its_type, .is_repeated = true }
#define INNER(field, its_message)	{ .name = #field, .type = SECTION_MESSAGE, .message = &(its_message) }
#define INNERS(field, its_message) \
	{ .name = #field, .type = SECTION_MESSAGE, .is_repeated = true, .message = &(its_message) }

/* --- filters and metrics */

static const struct section_message collection_filter = MESSAGE(
	SCALARS(CollectionScopes, SCOPE), SCALAR(Importance, IMPORTANCE));

static const struct section_message filter;
static const struct section_message filter = MESSAGE(
	SCALAR(MinArch, ARCH), SCALAR(MaxArch, ARCH), SCALAR(MinKmd, SCALAR), SCALAR(MaxKmd, SCALAR), SCALAR(VGpu, SCALAR),
	INNER(CollectionFilter, collection_filter), INNERS(Items, filter));

static const struct section_message option = MESSAGE(
	SCALAR(Name, TEXT), SCALAR(Label, TEXT), INNER(Filter, filter));

static const struct section_message source_view = MESSAGE(
	SCALAR(DefaultVisible, BOOL), SCALAR(DisableRelativeValues, BOOL));

static const struct section_message source_correlation = MESSAGE(
	SCALAR(DivideByCorrelatedLineCount, BOOL));

static const struct section_message display_properties = MESSAGE(
	INNER(SourceView, source_view), INNER(SourceCorrelation, source_correlation));

const struct section_message section_metric = MESSAGE(
	SCALAR(Name, TEXT), SCALAR(Label, TEXT), SCALAR(Description, TEXT), INNER(Filter, filter), INNERS(Options, option),
	SCALAR(ShowInstances, BOOL), SCALARS(Groups, TEXT), SCALARS(CtrDomains, TEXT), SCALAR(Multiplier, REAL),
	SCALAR(UserMetricExpr, TEXT), INNER(DisplayProperties, display_properties));

static const struct section_message header = MESSAGE(
	INNERS(Metrics, section_metric));

/* Both "Metrics" and "SourceMetrics" */
static const struct section_message metric_list = MESSAGE(
	SCALAR(Order, INTEGER), INNERS(Metrics, section_metric));

const struct section_message section_definition = MESSAGE(
	SCALAR(Name, TEXT), SCALAR(Expression, TEXT), INNER(Filter, filter));

static const struct section_message definitions = MESSAGE(
	INNERS(MetricDefinitions, section_definition));

/* --- groups of metrics and their counters */

static const struct section_message counter_domain = MESSAGE(
	SCALAR(Name, TEXT), SCALARS(Ctrs, SCALAR));

static const struct section_message scheduling_hints = MESSAGE(
	INNERS(CtrDomains, counter_domain));

static const struct section_message group = MESSAGE(
	SCALAR(Name, TEXT), SCALAR(Label, TEXT), INNER(DisplayProperties, display_properties),
	INNER(SchedulingHints, scheduling_hints));

/* --- tables and charts */

static const struct section_message range = MESSAGE(
	SCALAR(Min, REAL), SCALAR(Max, REAL));

static const struct section_message axis = MESSAGE(
	SCALAR(Label, TEXT), INNER(Range, range), SCALAR(TickCount, INTEGER), SCALAR(Precision, INTEGER));

static const struct section_message labelled = MESSAGE(
	SCALAR(Label, TEXT));

static const struct section_message bar_chart = SHOWN(
	SCALAR(Label, TEXT), SCALAR(Description, TEXT), INNER(CategoryAxis, axis), INNER(ValueAxis, axis),
	SCALAR(ValueAxisAlignment, WORD), SCALAR(SortKey, WORD), SCALAR(SortDirection, WORD), INNERS(Metrics, section_metric));

static const struct section_message highlight = SHOWN(
	INNERS(Metrics, section_metric));

static const struct section_message line_chart = SHOWN(
	SCALAR(Label, TEXT), INNER(AxisX, axis), INNER(AxisY, axis), INNER(HighlightX, highlight),
	INNERS(Metrics, section_metric));

static const struct section_message table = SHOWN(
	SCALAR(Label, TEXT), SCALAR(Rows, INTEGER), SCALAR(Columns, INTEGER), SCALAR(Order, WORD), SCALAR(SortKey, WORD),
	SCALAR(SortDirection, WORD), INNERS(Metrics, section_metric));

static const struct section_message source_metric_table = SHOWN(
	SCALAR(Label, TEXT), INNERS(Metrics, section_metric));

static const struct section_message base_names = MESSAGE(
	INNERS(BaseName, option));

static const struct section_message suffixes = MESSAGE(
	INNERS(Suffix, option));

const struct section_message section_suffix_table = MESSAGE(
	SCALAR(Label, TEXT), INNER(BaseNames, base_names), INNER(Suffixes, suffixes));

static const struct section_message per_second = MESSAGE(
	INNER(CyclesPerSecondMetric, section_metric), INNERS(ValuePerCycleMetrics, section_metric));

static const struct section_message rate = MESSAGE(
	INNER(ValueCyclesPerSecondExpression, per_second));

static const struct section_message one_metric = MESSAGE(
	INNER(Metric, section_metric));

static const struct section_message achieved_values = MESSAGE(
	INNER(AchievedTraffic, one_metric), INNER(AchievedWork, rate), INNER(Options, labelled));

static const struct section_message roofline_options = MESSAGE(
	SCALAR(Label, TEXT), INNER(ShowOnlyIfNotZero, one_metric));

static const struct section_message roofline = MESSAGE(
	INNER(PeakTraffic, rate), INNER(PeakWork, rate), INNER(Options, roofline_options));

static const struct section_message roofline_chart = MESSAGE(
	SCALAR(Label, TEXT), INNER(AxisIntensity, axis), INNER(AxisWork, axis), INNERS(AchievedValues, achieved_values),
	INNERS(Rooflines, roofline));

/* --- timelines */

static const struct section_message metric_row = MESSAGE(
	SCALAR(Label, TEXT), SCALAR(Description, TEXT), INNERS(Metrics, section_metric));

static const struct section_message metric_group = MESSAGE(
	SCALAR(Label, TEXT), SCALAR(Expanded, BOOL), INNERS(MetricRows, metric_row));

static const struct section_message timeline = MESSAGE(
	SCALAR(Label, TEXT), INNERS(MetricGroups, metric_group), INNERS(Metrics, section_metric));

/* --- the body and the whole section */

static const struct section_message container = MESSAGE(
	INNERS(Items, section_item));

const struct section_message section_item = MESSAGE(
	INNER(Filter, filter), INNER(BarChart, bar_chart), INNER(LineChart, line_chart), INNER(RooflineChart, roofline_chart),
	INNER(Timeline, timeline), INNER(Table, table), INNER(SourceMetricTable, source_metric_table),
	INNER(SuffixTable, section_suffix_table), INNER(HorizontalContainer, container), INNER(MemoryChart, labelled),
	INNER(MemoryDeviceMemoryTable, labelled), INNER(MemoryL1TEXCacheTable, labelled),
	INNER(MemoryL2CacheEvictPolicyTable, labelled), INNER(MemoryL2CacheTable, labelled), INNER(MemorySharedTable, labelled),
	INNER(NumaIdTable, labelled), INNER(NvlinkPropertyTable, labelled), INNER(NvlinkThroughputTable, labelled),
	INNER(NvlinkTopology, labelled));

static const struct section_message body = MESSAGE(
	SCALAR(DisplayName, TEXT), SCALAR(SetDefault, BOOL), INNERS(Items, section_item));

static const struct section_message set = MESSAGE(
	SCALAR(Identifier, TEXT));

const struct section_message section_root = MESSAGE(
	SCALAR(Identifier, TEXT), SCALAR(DisplayName, TEXT), SCALARS(Extends, TEXT), INNERS(Group, group), SCALAR(Order, INTEGER),
	INNERS(Sets, set), SCALAR(Description, TEXT), INNER(Filter, filter), INNER(Header, header), INNERS(Body, body),
	INNERS(Metrics, metric_list), INNERS(MetricDefinitions, definitions), INNERS(SourceMetrics, metric_list));

const struct section_kind *section_kind_find(const struct section_message *message, const char *name, size_t length)
{
	for (size_t i = 0; i < message->count; i++)
		if (!strncmp(message->kinds[i].name, name, length) && !message->kinds[i].name[length])
			return &message->kinds[i];
	return NULL;
}
