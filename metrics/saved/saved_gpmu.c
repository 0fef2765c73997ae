// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parses a row of gpmu's CSV and JSON of version 1, which have no columns of perf: the columns
 * that their heading names, or keys of these names.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "saved/saved.h"

static const char *const names[SAVED_GPMU_KEYS] = {
	[SAVED_GPMU_END] = "time_end", [SAVED_GPMU_SCOPE] = "scope", [SAVED_GPMU_NODE] = "node",
	[SAVED_GPMU_CPU] = "cpu", [SAVED_GPMU_KIND] = "kind", [SAVED_GPMU_NAME] = "name",
	[SAVED_GPMU_VALUE] = "value", [SAVED_GPMU_UNIT] = "unit", [SAVED_GPMU_STATE] = "state",
	[SAVED_GPMU_SHARE] = "share", [SAVED_GPMU_RUNNING] = "running_ns",
	[SAVED_GPMU_COUNTERS] = "counters", [SAVED_GPMU_RUNS] = "runs",
	[SAVED_GPMU_DEVIATION] = "deviation",
};

enum saved_gpmu_key saved_gpmu_key(struct saved_text name)
{
	size_t key = 0;

	while (key < SAVED_GPMU_KEYS && !saved_is(name, names[key]))
		key++;
	return (enum saved_gpmu_key)key;
}

static bool set_place(const struct saved_text *row, struct saved_line *line)
{
	const bool is_cpu = saved_is(row[SAVED_GPMU_SCOPE], "cpu");

	if (!is_cpu && !saved_is(row[SAVED_GPMU_SCOPE], "node"))
		return true;
	line->count.label = is_cpu ? SAVED_CPU : SAVED_NODE;
	return saved_parse_int(row[is_cpu ? SAVED_GPMU_CPU : SAVED_GPMU_NODE], &line->count.number);
}

/* The value, and its deviation as percent of it */
static bool set_value(const struct saved_text *row, struct saved_line *line, double *value)
{
	uint64_t runs = 1;
	double deviation;

	*value = NAN;
	line->count.state = saved_is(row[SAVED_GPMU_STATE], "ok") ? COUNT_OK :
		      saved_is(row[SAVED_GPMU_STATE], "not_supported") ? COUNT_NOT_SUPPORTED :
									 COUNT_NOT_COUNTED;
	if (line->count.state != COUNT_OK)
		return row[SAVED_GPMU_STATE].length;
	/* A metric, which is not used, can have an exponent. */
	if (!saved_parse_double(row[SAVED_GPMU_VALUE], value))
		return saved_is(row[SAVED_GPMU_KIND], "metric");
	if (saved_parse_u64(row[SAVED_GPMU_RUNS], &runs) && runs > 1 &&
	    saved_parse_double(row[SAVED_GPMU_DEVIATION], &deviation))
		line->count.deviation = *value != 0 ? 100 * deviation / fabs(*value) : 0;
	return true;
}

/* gpmu prints the mean time of the counters, and perf their sum. */
static bool set_times(const struct saved_text *row, struct saved_line *line)
{
	if (line->count.state != COUNT_OK)
		return true;
	if (!saved_parse_unsigned(row[SAVED_GPMU_COUNTERS], &line->count.counters) ||
	    !saved_parse_u64(row[SAVED_GPMU_RUNNING], &line->count.running) ||
	    !saved_parse_double(row[SAVED_GPMU_SHARE], &line->count.share))
		return false;
	if (__builtin_mul_overflow(line->count.running, line->count.counters, &line->count.running))
		line->count.running = UINT64_MAX;
	line->count.share *= 100;
	return line->count.share >= 0 && line->count.share <= 100;
}

int saved_gpmu_row(const struct saved_text *row, struct saved_line *line,
		   struct saved_expected *expected)
{
	const bool is_metric = saved_is(row[SAVED_GPMU_KIND], "metric");
	double value;

	*expected = (struct saved_expected){ 0, "a row of gpmu's version 1" };
	line->is_timed = true;
	if (!saved_parse_time(row[SAVED_GPMU_END], &line->time) || !set_place(row, line) ||
	    !row[SAVED_GPMU_NAME].length || !set_value(row, line, &value))
		return -EINVAL;
	if (is_metric) {
		line->metric = row[SAVED_GPMU_NAME];
		line->count.metric_value = value;
		return 0;
	}
	line->event = row[SAVED_GPMU_NAME];
	line->unit = row[SAVED_GPMU_UNIT];
	line->count.value = line->count.state == COUNT_OK ? value : 0;
	return set_times(row, line) && line->count.value >= 0 ? 0 : -EINVAL;
}

/* Takes a column, quoted as in RFC 4180 or not; begin is NULL after the last. */
static struct saved_text take_column(struct saved_text *rest, char separator)
{
	const char *end = NULL;
	struct saved_text column = *rest;

	if (!rest->begin)
		return column;
	if (rest->length && *rest->begin == '"') {
		end = memchr(rest->begin + 1, '"', rest->length - 1);
		while (end && end + 1 < rest->begin + rest->length && end[1] == '"')
			end = memchr(end + 2, '"', (size_t)(rest->begin + rest->length - end - 2));
	}
	if (end) {
		column = (struct saved_text){ rest->begin + 1, (size_t)(end - rest->begin - 1) };
		rest->length -= (size_t)(end + 1 - rest->begin);
		rest->begin = end + 1;
	}
	end = memchr(rest->begin, separator, rest->length);
	if (column.begin == rest->begin)
		column.length = end ? (size_t)(end - rest->begin) : rest->length;
	rest->length = end ? rest->length - (size_t)(end + 1 - rest->begin) : 0;
	rest->begin = end ? end + 1 : NULL;
	return column;
}

bool saved_gpmu_heading(struct saved_format *format, struct saved_text text)
{
	static const char first[] = "time_begin";
	size_t length = sizeof(first) - 1;

	if (text.length <= length || memcmp(text.begin, first, length))
		return false;
	format->separator[0] = text.begin[length];
	for (size_t i = 0; i < SAVED_GPMU_COLUMNS; i++)
		format->columns[i] = saved_gpmu_key(take_column(&text, *format->separator));
	return true;
}

int saved_gpmu_csv(const struct saved_format *format, struct saved_text text,
		   struct saved_line *line, struct saved_expected *expected)
{
	struct saved_text row[SAVED_GPMU_KEYS + 1] = { 0 };

	for (size_t i = 0; i < SAVED_GPMU_COLUMNS && text.begin; i++)
		row[format->columns[i]] = take_column(&text, *format->separator);
	return saved_gpmu_row(row, line, expected);
}
