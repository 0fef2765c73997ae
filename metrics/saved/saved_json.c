// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parses a line of "perf stat -j": an object of numbers and strings. perf does not escape
 * strings, and prints nan, inf and trailing commas; so this parser accepts perf's output,
 * not strict JSON.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "saved/saved.h"

struct scan {
	const char *text;
	size_t length, at;
	struct saved_line *line;
	struct saved_expected *expected;
	bool counted, has_metric;
};

static int refuse(const struct scan *scan, size_t offset, const char *what)
{
	scan->expected->offset = offset;
	scan->expected->what = what;
	return -EINVAL;
}

static bool take(struct scan *scan, char c)
{
	while (scan->at < scan->length && scan->text[scan->at] == ' ')
		scan->at++;
	if (scan->at == scan->length || scan->text[scan->at] != c)
		return false;
	scan->at++;
	return true;
}

static int take_string(struct scan *scan, struct saved_text *string)
{
	const char *end;

	if (!take(scan, '"'))
		return refuse(scan, scan->at, "a text in quotes");
	string->at = scan->text + scan->at;
	end = memchr(string->at, '"', scan->length - scan->at);
	if (!end)
		return refuse(scan, scan->length, "a quote that ends the text");
	string->length = (size_t)(end - string->at);
	scan->at += string->length + 1;
	return 0;
}

/* Skips a nested array or object; no version of perf prints any yet. */
static int take_nested(struct scan *scan, struct saved_text *value)
{
	size_t begin = scan->at, depth = 0;
	bool quoted = false;

	do {
		char c = scan->text[scan->at];

		if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{'))
			depth++;
		else if (!quoted && (c == ']' || c == '}'))
			depth--;
	} while (++scan->at < scan->length && depth);
	*value = (struct saved_text){ scan->text + begin, scan->at - begin };
	return depth ? refuse(scan, begin, "a value that ends") : 0;
}

/* Parses a quoted or unquoted value; a comma between digits is a decimal comma. */
static int take_value(struct scan *scan, struct saved_text *value)
{
	size_t begin;

	if (take(scan, '"')) {
		scan->at--;
		return take_string(scan, value);
	}
	begin = scan->at;
	if (begin < scan->length && (scan->text[begin] == '[' || scan->text[begin] == '{'))
		return take_nested(scan, value);
	while (scan->at < scan->length && !strchr("} ", scan->text[scan->at])) {
		if (scan->text[scan->at] == ',' &&
		    (scan->at + 1 == scan->length || scan->text[scan->at + 1] < '0' ||
		     scan->text[scan->at + 1] > '9'))
			break;
		scan->at++;
	}
	*value = (struct saved_text){ scan->text + begin, scan->at - begin };
	return value->length ? 0 : refuse(scan, begin, "a value");
}

/* --- keys --- */

static bool set_interval(struct scan *scan, struct saved_text value)
{
	scan->line->timed = true;
	return saved_parse_time(value, &scan->line->time);
}

static bool set_label(struct scan *scan, struct saved_text value)
{
	return saved_parse_label(value, scan->line);
}

/* The value is a plain number. */
static bool set_cpu(struct scan *scan, struct saved_text value)
{
	uint64_t number;

	if (!saved_parse_u64(value, &number) || number > INT32_MAX)
		return false;
	scan->line->label = SAVED_CPU;
	scan->line->number = (int)number;
	return true;
}

static bool set_thread(struct scan *scan, struct saved_text value)
{
	return saved_parse_thread(value, scan->line);
}

static bool set_counters(struct scan *scan, struct saved_text value)
{
	uint64_t number;

	if (!saved_parse_u64(value, &number) || number > UINT32_MAX)
		return false;
	scan->line->counters = (unsigned int)number;
	return true;
}

static bool set_count(struct scan *scan, struct saved_text value)
{
	scan->counted = true;
	return saved_parse_count(value, scan->line);
}

static bool set_unit(struct scan *scan, struct saved_text value)
{
	scan->line->unit = value;
	return true;
}

static bool set_event(struct scan *scan, struct saved_text value)
{
	scan->line->event = value;
	return value.length > 0;
}

static bool set_cgroup(struct scan *scan, struct saved_text value)
{
	scan->line->cgroup = value;
	return true;
}

static bool set_deviation(struct scan *scan, struct saved_text value)
{
	/* "nan" and "inf" are the deviation of a mean of 0. */
	if (!saved_parse_double(value, &scan->line->deviation))
		scan->line->deviation = 0;
	return true;
}

static bool set_running(struct scan *scan, struct saved_text value)
{
	return saved_parse_u64(value, &scan->line->running);
}

static bool set_share(struct scan *scan, struct saved_text value)
{
	return saved_parse_share(value, &scan->line->share);
}

/* "nan", "inf" and "none" mean that there is no value. */
static bool set_metric(struct scan *scan, struct saved_text value)
{
	scan->has_metric = true;
	saved_parse_double(value, &scan->line->metric_value);
	return true;
}

static bool set_metric_unit(struct scan *scan, struct saved_text value)
{
	scan->line->metric = value;
	return true;
}

static bool set_group(struct scan *scan, struct saved_text value)
{
	(void)value;
	scan->has_metric = true;
	return true;
}

static const struct {
	const char *name;
	bool (*set)(struct scan *scan, struct saved_text value);
	const char *expected;
} keys[] = {
	{ "interval", set_interval, "seconds with 9 decimals" },
	{ "cpu", set_cpu, "the number of a CPU" },
	{ "node", set_label, "a node, as N0" },
	{ "socket", set_label, "a socket, as S0" },
	{ "die", set_label, "a die, as S0-D0" },
	{ "cluster", set_label, "a cluster, as S0-D0-CLS0" },
	{ "cache", set_label, "a cache, as S0-D0-L3-ID0" },
	{ "core", set_label, "a core, as S0-D0-C0" },
	{ "thread", set_thread, "a thread, as COMMAND-1234" },
	{ "aggregate-number", set_counters, "how many counters were added up" },
	{ "counters", set_counters, "how many counters were added up" },
	{ "counter-value", set_count, "a number, <not counted> or <not supported>" },
	{ "unit", set_unit, "a unit" },
	{ "event", set_event, "the name of an event" },
	{ "cgroup", set_cgroup, "the name of a cgroup" },
	{ "variance", set_deviation, "percent" },
	{ "event-runtime", set_running, "ns that the counter ran" },
	{ "pcnt-running", set_share, "percent that the counter ran" },
	{ "metric-value", set_metric, "a number" },
	{ "metric-unit", set_metric_unit, "a unit" },
	{ "metricgroup", set_group, "the name of a group" },
};

/* Ignores unknown keys, which later versions may add. */
static int take_pair(struct scan *scan)
{
	struct saved_text key, value;
	size_t at;
	int ret;

	ret = take_string(scan, &key);
	if (ret)
		return ret;
	if (!take(scan, ':'))
		return refuse(scan, scan->at, "\":\" after the key");
	at = scan->at;
	ret = take_value(scan, &value);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(keys); i++)
		if (saved_is(key, keys[i].name))
			return keys[i].set(scan, value) ? 0 : refuse(scan, at, keys[i].expected);
	return ret;
}

/* A row of gpmu's version 1, whose keys have other values than perf's of the same names */
static int parse_gpmu(struct scan *scan)
{
	struct saved_text row[SAVED_GPMU_KEYS + 1] = { 0 };
	int ret = 0;

	do {
		struct saved_text key, value;

		ret = take_string(scan, &key);
		if (!ret && !take(scan, ':'))
			ret = refuse(scan, scan->at, "\":\" after the key");
		if (!ret)
			ret = take_value(scan, &value);
		if (!ret && !saved_is(value, "null"))
			row[saved_gpmu_key(key)] = value;
	} while (!ret && take(scan, ','));
	if (!ret && !take(scan, '}'))
		ret = refuse(scan, scan->at, "\",\" or \"}\"");
	return ret ? ret : saved_gpmu_row(row, scan->line, scan->expected);
}

int saved_json_parse(const char *text, size_t length, struct saved_line *line,
		     struct saved_expected *expected)
{
	struct scan scan = {
		.text = text, .length = length, .line = line, .expected = expected,
	};
	static const char gpmu[] = "{\"gpmu\":1,";
	bool end = false;
	int ret = 0;

	if (length > sizeof(gpmu) && !memcmp(text, gpmu, sizeof(gpmu) - 1)) {
		scan.at = 1;
		return parse_gpmu(&scan);
	}
	if (!take(&scan, '{'))
		return refuse(&scan, 0, "\"{\", as in the lines before, which are JSON");
	while (!ret && !end) {
		end = take(&scan, '}');
		if (!end)
			ret = take_pair(&scan);
		if (!end && !ret && !take(&scan, ',')) {
			if (!take(&scan, '}'))
				ret = refuse(&scan, scan.at, "\",\" or \"}\"");
			end = true;
		}
	}
	if (ret)
		return ret;
	take(&scan, '\r');
	if (scan.at < length)
		return refuse(&scan, scan.at, "the end of the line");
	if (line->event.at && !scan.counted)
		return refuse(&scan, 0, "\"counter-value\" beside \"event\"");
	if (!line->event.at && (scan.counted || !scan.has_metric))
		return refuse(&scan, 0, "\"event\" or \"metric-value\", as perf stat -j prints "
			      "without --metric-only");
	return 0;
}
