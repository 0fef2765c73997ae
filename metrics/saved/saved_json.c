// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parses a line of "perf stat -j": an object of numbers and strings. perf does not escape
 * strings, which gpmu does, and prints nan, inf and trailing commas; so this parser accepts perf's output,
 * not strict JSON.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "saved/saved.h"

struct scan {
	const char *text;
	size_t length, pos;
	struct saved_line *line;
	struct saved_expected *expected;
	size_t value;		/* offset of the last value */
};

static int refuse(const struct scan *scan, size_t offset, const char *what)
{
	scan->expected->offset = offset;
	scan->expected->what = what;
	return -EINVAL;
}

static bool take(struct scan *scan, char c)
{
	while (scan->pos < scan->length && scan->text[scan->pos] == ' ')
		scan->pos++;
	if (scan->pos == scan->length || scan->text[scan->pos] != c)
		return false;
	scan->pos++;
	return true;
}

/*
 * Returns the quote that ends the text, which begins at @begin. gpmu escapes quotes inside of texts; perf prints none
 * there.
 */
static const char *find_quote(const char *begin, const char *end)
{
	for (bool is_escaped = false; begin < end; begin++) {
		if (*begin == '"' && !is_escaped)
			return begin;
		is_escaped = *begin == '\\' && !is_escaped;
	}
	return NULL;
}

static int take_string(struct scan *scan, struct saved_text *string)
{
	const char *end;

	if (!take(scan, '"'))
		return refuse(scan, scan->pos, "a text in quotes");
	string->begin = scan->text + scan->pos;
	end = find_quote(string->begin, scan->text + scan->length);
	if (!end)
		return refuse(scan, scan->length, "a quote that ends the text");
	string->length = (size_t)(end - string->begin);
	scan->pos += string->length + 1;
	return 0;
}

/* Skips a nested array or object; no version of perf prints any yet. */
static int take_nested(struct scan *scan, struct saved_text *value)
{
	size_t begin = scan->pos, depth = 0;
	bool is_quoted = false;

	do {
		char c = scan->text[scan->pos];

		if (c == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && (c == '[' || c == '{'))
			depth++;
		else if (!is_quoted && (c == ']' || c == '}'))
			depth--;
	} while (++scan->pos < scan->length && depth);
	*value = (struct saved_text){ scan->text + begin, scan->pos - begin };
	return depth ? refuse(scan, begin, "a value that ends") : 0;
}

/* Parses a quoted or unquoted value; a comma between digits is a decimal comma. */
static int take_value(struct scan *scan, struct saved_text *value)
{
	size_t begin;

	if (take(scan, '"')) {
		scan->pos--;
		return take_string(scan, value);
	}
	begin = scan->pos;
	if (begin < scan->length && (scan->text[begin] == '[' || scan->text[begin] == '{'))
		return take_nested(scan, value);
	while (scan->pos < scan->length && !strchr("} ", scan->text[scan->pos])) {
		if (scan->text[scan->pos] == ',' &&
		    (scan->pos + 1 == scan->length || scan->text[scan->pos + 1] < '0' ||
		     scan->text[scan->pos + 1] > '9'))
			break;
		scan->pos++;
	}
	*value = (struct saved_text){ scan->text + begin, scan->pos - begin };
	return value->length ? 0 : refuse(scan, begin, "a value");
}

/* Parses a key and its value. */
static int take_pair(struct scan *scan, struct saved_text *key, struct saved_text *value)
{
	int ret = take_string(scan, key);

	if (!ret && !take(scan, ':'))
		ret = refuse(scan, scan->pos, "\":\" after the key");
	scan->value = scan->pos;
	return ret ? ret : take_value(scan, value);
}

/* --- keys --- */

static bool set_interval(struct saved_text value, struct saved_line *line)
{
	line->is_timed = true;
	return saved_parse_time(value, &line->time);
}

/* The value is a plain number. */
static bool set_cpu(struct saved_text value, struct saved_line *line)
{
	line->count.label = SAVED_CPU;
	return saved_parse_int(value, &line->count.number);
}

static bool set_counters(struct saved_text value, struct saved_line *line)
{
	return saved_parse_unsigned(value, &line->count.counters);
}

static bool set_count(struct saved_text value, struct saved_line *line)
{
	line->has_count = true;
	return saved_parse_count(value, line);
}

static bool set_event(struct saved_text value, struct saved_line *line)
{
	line->event = value;
	return value.length > 0;
}

static bool set_deviation(struct saved_text value, struct saved_line *line)
{
	/* "nan" and "inf" are the deviation of a mean of 0. */
	if (!saved_parse_double(value, &line->count.deviation))
		line->count.deviation = 0;
	return true;
}

static bool set_running(struct saved_text value, struct saved_line *line)
{
	return saved_parse_u64(value, &line->count.running);
}

static bool set_share(struct saved_text value, struct saved_line *line)
{
	return saved_parse_share(value, &line->count.share);
}

/* "nan", "inf" and "none" mean that there is no value. */
static bool set_metric(struct saved_text value, struct saved_line *line)
{
	line->has_metric = true;
	saved_parse_double(value, &line->count.metric_value);
	return true;
}

static bool set_group(struct saved_text value, struct saved_line *line)
{
	(void)value;
	line->has_metric = true;
	return true;
}

#define TEXT(member)	.text = offsetof(struct saved_line, member)

/* A key without set() has any text. */
static const struct {
	const char *name;
	bool (*set)(struct saved_text value, struct saved_line *line);
	const char *expected;
	size_t text;
} keys[] = {
	{ .name = "interval", .set = set_interval, .expected = "seconds with 9 decimals" },
	{ .name = "cpu", .set = set_cpu, .expected = "the number of a CPU" },
	{ .name = "node", .set = saved_parse_label, .expected = "a node, as N0" },
	{ .name = "socket", .set = saved_parse_label, .expected = "a socket, as S0" },
	{ .name = "die", .set = saved_parse_label, .expected = "a die, as S0-D0" },
	{ .name = "cluster", .set = saved_parse_label, .expected = "a cluster, as S0-D0-CLS0" },
	{ .name = "cache", .set = saved_parse_label, .expected = "a cache, as S0-D0-L3-ID0" },
	{ .name = "core", .set = saved_parse_label, .expected = "a core, as S0-D0-C0" },
	{ .name = "thread", .set = saved_parse_thread, .expected = "a thread, as COMMAND-1234" },
	{ .name = "aggregate-number", .set = set_counters, .expected = "how many counters were added up" },
	{ .name = "counters", .set = set_counters, .expected = "how many counters were added up" },
	{ .name = "counter-value", .set = set_count, .expected = "a number, <not counted> or <not supported>" },
	{ .name = "unit", TEXT(unit) },
	{ .name = "event", .set = set_event, .expected = "the name of an event" },
	{ .name = "cgroup", TEXT(cgroup) },
	{ .name = "variance", .set = set_deviation },
	{ .name = "event-runtime", .set = set_running, .expected = "ns that the counter ran" },
	{ .name = "pcnt-running", .set = set_share, .expected = "percent that the counter ran" },
	{ .name = "metric-value", .set = set_metric },
	{ .name = "metric-unit", TEXT(metric) },
	{ .name = "metricgroup", .set = set_group },
};

/* Ignores unknown keys, which later versions may add. */
static int take_key(struct scan *scan)
{
	struct saved_text key, value;
	int ret = take_pair(scan, &key, &value);

	for (size_t i = 0; !ret && i < ARRAY_SIZE(keys); i++) {
		if (!saved_is(key, keys[i].name))
			continue;
		if (!keys[i].set)
			memcpy((char *)scan->line + keys[i].text, &value, sizeof(value));
		else if (!keys[i].set(value, scan->line))
			ret = refuse(scan, scan->value, keys[i].expected);
		break;
	}
	return ret;
}

static int take_end(struct scan *scan)
{
	take(scan, '\r');
	return scan->pos < scan->length ? refuse(scan, scan->pos, "the end of the line") : 0;
}

/* A row of gpmu's version 1, whose keys have other values than perf's of the same names */
static int parse_gpmu(struct scan *scan)
{
	struct saved_text row[SAVED_GPMU_KEYS + 1] = { 0 }, key, value;
	int ret;

	do {
		ret = take_pair(scan, &key, &value);
		if (!ret && !saved_is(value, "null"))
			row[saved_gpmu_key(key)] = value;
	} while (!ret && take(scan, ','));
	if (!ret && !take(scan, '}'))
		ret = refuse(scan, scan->pos, "\",\" or \"}\"");
	return ret ?: take_end(scan) ?: saved_gpmu_row(row, scan->line, scan->expected);
}

int saved_json_parse(const char *text, size_t length, struct saved_line *line,
		     struct saved_expected *expected)
{
	struct scan scan = {
		.text = text, .length = length, .line = line, .expected = expected,
	};
	static const char gpmu[] = "{\"gpmu\":1,";
	bool is_end = false;
	int ret = 0;

	if (length > sizeof(gpmu) && !memcmp(text, gpmu, sizeof(gpmu) - 1)) {
		scan.pos = 1;
		return parse_gpmu(&scan);
	}
	if (!take(&scan, '{'))
		return refuse(&scan, 0, "\"{\", as in the lines before, which are JSON");
	while (!ret && !is_end) {
		is_end = take(&scan, '}');
		if (!is_end)
			ret = take_key(&scan);
		if (!is_end && !ret && !take(&scan, ',')) {
			if (!take(&scan, '}'))
				ret = refuse(&scan, scan.pos, "\",\" or \"}\"");
			is_end = true;
		}
	}
	ret = ret ?: take_end(&scan);
	if (ret)
		return ret;
	if (line->event.begin && !line->has_count)
		return refuse(&scan, 0, "\"counter-value\" beside \"event\"");
	if (!line->event.begin && (line->has_count || !line->has_metric))
		return refuse(&scan, 0, "\"event\" or \"metric-value\", as perf stat -j prints "
			      "without --metric-only");
	return 0;
}
