// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parses a line of "perf stat -x". The columns have no names, and perf's options
 * determine which columns there are:
 *
 * [time] [summary] [label [counters]] value unit event [cgroup] [deviation%] running share
 * [metric unit] [columns of gpmu stat]
 *
 * A line with only a metric has none of the columns from value to share. gpmu stat prints an empty
 * label for the machine among the labels of parts.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "saved/saved.h"

struct fields {
	const char *text;
	size_t length, at;	/* at > length: no more fields */
	char separator;
	struct saved_expected *expected;
};

static int refuse(const struct fields *fields, const char *what)
{
	fields->expected->offset = fields->at < fields->length ? fields->at : fields->length;
	fields->expected->what = what;
	return -EINVAL;
}

/* Returns the next field without consuming it; at is NULL if there is none. */
static struct saved_text look(const struct fields *fields)
{
	const char *begin = fields->text + fields->at, *end;

	if (fields->at > fields->length)
		return (struct saved_text){ 0 };
	end = memchr(begin, fields->separator, fields->length - fields->at);
	if (!end)
		end = fields->text + fields->length;
	return (struct saved_text){ begin, (size_t)(end - begin) };
}

static void skip(struct fields *fields, struct saved_text field)
{
	fields->at += field.length + 1;
}

static bool is_count(struct saved_text field)
{
	struct saved_line line;

	return field.at && saved_parse_count(field, &line);
}

static void take_time(struct fields *fields, struct saved_line *line)
{
	struct saved_text field = look(fields);

	if (saved_parse_time(field, &line->time)) {
		line->timed = true;
		skip(fields, field);
	}
	/* Some versions of perf pad the time with blanks. */
	field = look(fields);
	while (field.length && *field.at == ' ') {
		field.at++;
		field.length--;
	}
	if (saved_is(field, "summary"))
		line->nothing = true;
}

/* The label of the machine is empty; a number of counters may follow it. */
static void take_machine(struct fields *fields, struct saved_line *line)
{
	struct saved_text label = look(fields), first, second, third;
	struct fields behind = *fields;
	uint64_t counters;

	skip(&behind, label);
	first = look(&behind);
	if (!first.length)
		return;
	skip(&behind, first);
	second = look(&behind);
	skip(&behind, second);
	third = look(&behind);
	/* "counters,value" or "counters,,,", a line with only a metric */
	if (saved_parse_u64(first, &counters) && counters <= UINT32_MAX &&
	    (is_count(second) || (second.at && !second.length && !third.length))) {
		line->counters = (unsigned int)counters;
		skip(fields, label);
		skip(fields, first);
	} else if (is_count(first)) {
		skip(fields, label);
	}
}

/* The label of a node or package is followed by the number of aggregated counters. */
static void take_label(struct fields *fields, struct saved_line *line)
{
	struct saved_text field = look(fields), next;
	struct fields behind = *fields;
	uint64_t number;

	if (field.at && !field.length)
		take_machine(fields, line);
	if (!field.length || is_count(field) ||
	    (!saved_parse_label(field, line) && !saved_parse_thread(field, line)))
		return;
	skip(fields, field);
	if (line->label != SAVED_NODE && line->label != SAVED_PACKAGE)
		return;
	field = look(fields);
	skip(&behind, look(&behind));
	skip(&behind, field);
	next = look(&behind);
	/*
	 * A line with only a metric has an empty value; a line of one core has no number
	 * of counters.
	 */
	if (saved_parse_u64(field, &number) && number <= UINT32_MAX &&
	    next.at && (!next.length || is_count(next))) {
		struct fields third = behind;

		skip(&third, next);
		/* In "value,,event" the number is the value: no event's name is a number. */
		if (next.length || !look(&third).length) {
			line->counters = (unsigned int)number;
			skip(fields, field);
		}
	}
}

/* An event's terms can contain the separator: "pmu/a,b=1/". */
static int take_event(struct fields *fields, struct saved_line *line)
{
	struct saved_text event = look(fields);
	size_t begin = fields->at, slashes = 0;

	if (!event.length)
		return refuse(fields, "the name of an event");
	for (;;) {
		struct saved_text field = look(fields);

		if (!field.at) {
			fields->at = begin;
			return refuse(fields, "the \"/\" that ends an event's terms");
		}
		for (size_t i = 0; i < field.length; i++)
			slashes += field.at[i] == '/';
		skip(fields, field);
		event.length = (size_t)(field.at + field.length - event.at);
		if (slashes % 2 == 0)
			break;
	}
	line->event = event;
	return 0;
}

/* Whether the columns from the deviation to the share follow */
static bool is_running(struct fields fields)
{
	struct saved_text field = look(&fields);
	uint64_t running;
	double share;

	if (field.length && field.at[field.length - 1] == '%') {
		skip(&fields, field);
		field = look(&fields);
	}
	if (!field.at || !saved_parse_u64(field, &running))
		return false;
	skip(&fields, field);
	field = look(&fields);
	return field.at && saved_parse_share(field, &share);
}

/* The cgroup can be a number, so the columns after it show whether it is there. */
static void take_cgroup(struct fields *fields, struct saved_line *line)
{
	const struct saved_text field = look(fields);
	struct fields behind = *fields;

	if (!field.at || is_running(*fields))
		return;
	skip(&behind, field);
	if (!is_running(behind))
		return;
	line->cgroup = field;
	*fields = behind;
}

static int take_running(struct fields *fields, struct saved_line *line)
{
	struct saved_text field = look(fields);

	if (field.length && field.at[field.length - 1] == '%') {
		struct saved_text number = { field.at, field.length - 1 };

		if (!saved_parse_double(number, &line->deviation))
			line->deviation = 0;
		skip(fields, field);
		field = look(fields);
	}
	if (!field.at || !saved_parse_u64(field, &line->running))
		return refuse(fields, "ns that the counter ran");
	skip(fields, field);
	field = look(fields);
	if (!field.at || !saved_parse_share(field, &line->share))
		return refuse(fields, "percent that the counter ran");
	skip(fields, field);
	return 0;
}

/* Whether gpmu's columns follow, which begin with their version and two times */
static bool is_gpmu(struct fields fields)
{
	struct saved_text field = look(&fields);
	uint64_t number;

	if (!field.at || !saved_parse_u64(field, &number))
		return false;
	skip(&fields, field);
	field = look(&fields);
	if (!field.at || !saved_parse_time(field, &number))
		return false;
	skip(&fields, field);
	field = look(&fields);
	return field.at && saved_parse_time(field, &number);
}

static void take_metric(struct fields *fields, struct saved_line *line)
{
	struct saved_text field = look(fields);

	saved_parse_double(field, &line->metric_value);
	skip(fields, field);
	field = look(fields);
	if (!field.at)
		return;
	/* The unit may contain the separator. */
	line->metric = field;
	for (skip(fields, field); fields->at <= fields->length && !is_gpmu(*fields);
	     skip(fields, field)) {
		field = look(fields);
		line->metric.length = (size_t)(field.at + field.length - line->metric.at);
	}
}

/*
 * Parses a line with only a metric, "S0,2,,,,,,0.5,CPUs": the fields from the value on are
 * empty, up to the metric, but for its deviation.
 */
static int take_metric_alone(struct fields *fields, struct saved_line *line)
{
	struct saved_text field = look(fields);
	size_t empty = 0;

	while (field.at && (!field.length || field.at[field.length - 1] == '%')) {
		skip(fields, field);
		field = look(fields);
		empty++;
	}
	if (empty < 3 || !field.at)
		return refuse(fields, "a number, <not counted> or <not supported>");
	take_metric(fields, line);
	return 0;
}

int saved_csv_parse(char separator, const char *text, size_t length, struct saved_line *line,
		    struct saved_expected *expected)
{
	struct fields fields = {
		.text = text, .length = length, .separator = separator, .expected = expected,
	};
	struct saved_text field;
	int ret;

	if (length && text[length - 1] == '\r')
		fields.length--;
	take_time(&fields, line);
	if (line->nothing)
		return 0;
	take_label(&fields, line);
	field = look(&fields);
	if (!field.length)
		return take_metric_alone(&fields, line);
	if (!saved_parse_count(field, line))
		return refuse(&fields, "a number, <not counted> or <not supported>");
	skip(&fields, field);
	line->unit = look(&fields);
	if (!line->unit.at)
		return refuse(&fields, "a unit");
	skip(&fields, line->unit);
	ret = take_event(&fields, line);
	if (!ret)
		take_cgroup(&fields, line);
	if (!ret)
		ret = take_running(&fields, line);
	if (!ret && look(&fields).at)
		take_metric(&fields, line);
	return ret;
}

/*
 * Detects the separator: a time, a label or a value is followed by it, so it is the
 * character by which the line can be parsed. An indented text is no metric between blanks.
 */
char saved_csv_separator(const char *text, size_t length)
{
	static const char candidates[] = ",;\t|:!@$&*?~^ ";

	for (size_t i = 0; candidates[i]; i++) {
		struct saved_expected expected;
		struct saved_line line = { .metric_value = NAN };

		if (memchr(text, candidates[i], length) &&
		    !saved_csv_parse(candidates[i], text, length, &line, &expected) &&
		    (line.event.at || line.nothing ||
		     (candidates[i] != ' ' && isfinite(line.metric_value))))
			return candidates[i];
	}
	return 0;
}
