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

#define MAX_AHEAD	64	/* bytes in which a separator of several bytes occurs first */

struct fields {
	const char *text;
	size_t length, pos;	/* pos > length: no more fields */
	const char *separator;
	size_t separator_length;
	struct saved_expected *expected;
};

static int refuse(const struct fields *fields, const char *what)
{
	fields->expected->offset = fields->pos < fields->length ? fields->pos : fields->length;
	fields->expected->what = what;
	return -EINVAL;
}

/* Returns the next field without consuming it; begin is NULL if there is none. */
static struct saved_text look(const struct fields *fields)
{
	const char *begin = fields->text + fields->pos, *end;
	size_t left = fields->length - fields->pos;

	if (fields->pos > fields->length)
		return (struct saved_text){ 0 };
	end = fields->separator_length == 1 ? memchr(begin, *fields->separator, left) :
		memmem(begin, left, fields->separator, fields->separator_length);
	if (!end)
		end = fields->text + fields->length;
	return (struct saved_text){ begin, (size_t)(end - begin) };
}

/* Moves behind the separator that ends the field, or behind the end of the line. */
static void skip(struct fields *fields, struct saved_text field)
{
	size_t end = (size_t)(field.begin - fields->text) + field.length;

	fields->pos = end < fields->length ? end + fields->separator_length : fields->length + 1;
}

static bool is_digits(struct saved_text text)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.begin[i] < '0' || text.begin[i] > '9')
			return false;
	return text.length;
}

/* Returns the next field. If the separator is also the decimal point, decimals and a "%" after it belong to the field. */
static struct saved_text look_decimal(const struct fields *fields)
{
	struct saved_text whole = look(fields), decimals, digits = whole;
	struct fields behind = *fields;

	digits = saved_skip_blanks(digits);
	if ((strcmp(fields->separator, ".") && strcmp(fields->separator, ",")) || !is_digits(digits))
		return whole;
	skip(&behind, whole);
	decimals = digits = look(&behind);
	digits.length -= digits.length && digits.begin[digits.length - 1] == '%';
	if (is_digits(digits))
		whole.length += 1 + decimals.length;
	return whole;
}

/* Returns the value. "<not counted>" and "<not supported>" may contain the separator. */
static struct saved_text look_value(const struct fields *fields)
{
	static const char *const states[] = { "<not counted>", "<not supported>" };
	struct saved_text rest = { fields->text + fields->pos, fields->length - fields->pos };

	for (size_t i = 0; fields->pos <= fields->length && i < 2; i++)
		if (rest.length >= strlen(states[i]) && !memcmp(rest.begin, states[i], strlen(states[i])))
			return (struct saved_text){ rest.begin, strlen(states[i]) };
	return look_decimal(fields);
}

/* Returns the deviation with its "%", which can also be the begin of the separator. Its text is NULL if there is none. */
static struct saved_text look_deviation(const struct fields *fields)
{
	struct saved_text field = look_decimal(fields), sign;
	struct fields behind = *fields;

	if (field.length && field.begin[field.length - 1] == '%')
		return field;
	if (field.length && *fields->separator == '%') {
		behind.pos += field.length + 1;
		sign = look(&behind);
		if (sign.begin && !sign.length) {
			field.length++;
			return field;
		}
	}
	return (struct saved_text){ 0 };
}

static bool is_count(struct saved_text field)
{
	struct saved_line line;

	return field.begin && saved_parse_count(field, &line);
}

static void take_time(struct fields *fields, struct saved_line *line)
{
	struct saved_text field;
	struct fields unpadded = *fields;

	while (unpadded.pos < unpadded.length && unpadded.text[unpadded.pos] == ' ')
		unpadded.pos++;
	field = look_decimal(&unpadded);
	if (saved_parse_time(field, &line->time)) {
		line->is_timed = true;
		*fields = unpadded;
		skip(fields, field);
	}
	/* Some versions of perf pad the time with blanks. */
	field = saved_skip_blanks(look(fields));
	if (saved_is(field, "summary"))
		line->is_empty = true;
}

/* The label of the machine is empty; a number of counters may follow it. */
static void take_machine(struct fields *fields, struct saved_line *line)
{
	struct saved_text label = look(fields), first, second, third;
	struct fields behind = *fields;
	unsigned int counters;

	skip(&behind, label);
	first = look(&behind);
	if (!first.length)
		return;
	skip(&behind, first);
	second = look(&behind);
	skip(&behind, second);
	third = look(&behind);
	/* "counters,value" or "counters,,,", a line with only a metric */
	if (saved_parse_unsigned(first, &counters) &&
	    (is_count(second) || (second.begin && !second.length && !third.length))) {
		line->count.counters = counters;
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
	unsigned int number;

	if (field.begin && !field.length)
		take_machine(fields, line);
	if (!field.length || is_count(look_value(fields)) ||
	    (!saved_parse_label(field, line) && !saved_parse_thread(field, line)))
		return;
	skip(fields, field);
	if (line->count.label != SAVED_NODE && line->count.label != SAVED_PACKAGE)
		return;
	field = look(fields);
	skip(&behind, look(&behind));
	skip(&behind, field);
	next = look(&behind);
	/*
	 * A line with only a metric has an empty value; a line of one core has no number
	 * of counters.
	 */
	if (saved_parse_unsigned(field, &number) && next.begin && (!next.length || is_count(next))) {
		struct fields third = behind;

		skip(&third, next);
		/* In "value,,event" the number is the value: no event's name is a number. */
		if (next.length || !look(&third).length) {
			line->count.counters = number;
			skip(fields, field);
		}
	}
}

/* Returns whether the columns from the deviation to the share follow. */
static bool is_running(struct fields fields)
{
	struct saved_text field = look_deviation(&fields);
	uint64_t running;
	double share;

	if (field.begin)
		skip(&fields, field);
	field = look(&fields);
	if (!field.begin || !saved_parse_u64(field, &running))
		return false;
	skip(&fields, field);
	field = look_decimal(&fields);
	return field.begin && saved_parse_share(field, &share);
}

/* Returns whether an event's name can contain the separator outside the slashes around its terms */
static bool is_of_names(const struct fields *fields)
{
	return !fields->separator[strspn(fields->separator, "/_-.:!?*[]" "0123456789"
					 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")];
}

static bool is_balanced(struct saved_text event)
{
	size_t slashes = 0;

	for (size_t i = 0; i < event.length; i++)
		slashes += event.begin[i] == '/';
	return slashes % 2 == 0;
}

/*
 * An event's terms can contain the separator: "pmu/a,b=1/". If its name can contain it, too, the name ends where the
 * running time follows, and includes the cgroup, if there is one.
 */
static int take_event(struct fields *fields, struct saved_line *line)
{
	struct saved_text event = look(fields), field = event;
	const bool has_names = is_of_names(fields);
	struct fields next = *fields, first = *fields;

	if (!event.length)
		return refuse(fields, "the name of an event");
	for (line->event.length = 0; field.begin; field = look(&next)) {
		event.length = (size_t)(field.begin + field.length - event.begin);
		skip(&next, field);
		if (!is_balanced(event))
			continue;
		if (!line->event.length) {
			line->event = event;
			first = next;
		}
		if (!has_names)
			break;
		if (is_running(next)) {
			line->event = event;
			first = next;
			break;
		}
	}
	if (!line->event.length)
		return refuse(fields, "the \"/\" that ends an event's terms");
	*fields = first;
	return 0;
}

/* The cgroup can be a number, so the columns after it show whether it is there. */
static void take_cgroup(struct fields *fields, struct saved_line *line)
{
	const struct saved_text field = look(fields);
	struct fields behind = *fields;

	if (!field.begin || is_running(*fields))
		return;
	skip(&behind, field);
	if (!is_running(behind))
		return;
	line->cgroup = field;
	*fields = behind;
}

static int take_running(struct fields *fields, struct saved_line *line)
{
	struct saved_text field = look_deviation(fields);

	if (field.begin) {
		struct saved_text number = { field.begin, field.length - 1 };

		if (!saved_parse_double(number, &line->count.deviation))
			line->count.deviation = 0;
		skip(fields, field);
	}
	field = look(fields);
	if (!field.begin || !saved_parse_u64(field, &line->count.running))
		return refuse(fields, "ns that the counter ran");
	skip(fields, field);
	field = look_decimal(fields);
	if (!field.begin || !saved_parse_share(field, &line->count.share))
		return refuse(fields, "percent that the counter ran");
	skip(fields, field);
	return 0;
}

/* Returns whether gpmu's columns follow, which begin with their version and two times. */
static bool is_gpmu(struct fields fields)
{
	struct saved_text field = look(&fields);
	uint64_t number;

	if (!field.begin || !saved_parse_u64(field, &number))
		return false;
	skip(&fields, field);
	field = look(&fields);
	if (!field.begin || !saved_parse_time(field, &number))
		return false;
	skip(&fields, field);
	field = look(&fields);
	return field.begin && saved_parse_time(field, &number);
}

static void take_metric(struct fields *fields, struct saved_line *line)
{
	struct saved_text field = look_decimal(fields);

	saved_parse_double(field, &line->count.metric_value);
	skip(fields, field);
	field = look(fields);
	if (!field.begin)
		return;
	/* The unit may contain the separator. */
	line->metric = field;
	for (skip(fields, field); fields->pos <= fields->length && !is_gpmu(*fields);
	     skip(fields, field)) {
		field = look(fields);
		line->metric.length = (size_t)(field.begin + field.length - line->metric.begin);
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

	while (field.begin && (!field.length || field.begin[field.length - 1] == '%')) {
		skip(fields, field);
		field = look(fields);
		empty++;
	}
	if (empty < 3 || !field.begin)
		return refuse(fields, "a number, <not counted> or <not supported>");
	take_metric(fields, line);
	return 0;
}

int saved_csv_parse(const char *separator, const char *text, size_t length, struct saved_line *line,
		    struct saved_expected *expected)
{
	struct fields fields = {
		.text = text, .length = length, .separator = separator,
		.separator_length = strlen(separator), .expected = expected,
	};
	struct saved_text field;
	int ret;

	if (length && text[length - 1] == '\r')
		fields.length--;
	take_time(&fields, line);
	if (line->is_empty)
		return 0;
	take_label(&fields, line);
	field = look_value(&fields);
	if (!field.length)
		return take_metric_alone(&fields, line);
	if (!saved_parse_count(field, line))
		return refuse(&fields, "a number, <not counted> or <not supported>");
	skip(&fields, field);
	line->unit = look(&fields);
	if (!line->unit.begin)
		return refuse(&fields, "a unit");
	skip(&fields, line->unit);
	ret = take_event(&fields, line);
	if (!ret)
		take_cgroup(&fields, line);
	if (!ret)
		ret = take_running(&fields, line);
	if (!ret && look(&fields).begin)
		take_metric(&fields, line);
	return ret;
}

/* Returns whether the line can be parsed with this separator; by a blank only if it has an event, as any indented text could be a metric. */
static bool is_separator(const char *separator, const char *text, size_t length)
{
	struct saved_expected expected;
	struct saved_line line = { .count.metric_value = NAN };

	return !saved_csv_parse(separator, text, length, &line, &expected) &&
	       (line.event.begin || line.is_empty || (*separator != ' ' && isfinite(line.count.metric_value)));
}

/* The value, the unit, the event and the running time are each followed by the separator. */
#define MIN_COUNT	4

static bool occurs_often(const char *separator, const char *text, size_t length)
{
	const char *cursor = text, *end = text + length;
	size_t n = 0;

	while (n < MIN_COUNT && (cursor = memmem(cursor, (size_t)(end - cursor), separator, strlen(separator)))) {
		cursor += strlen(separator);
		n++;
	}
	return n == MIN_COUNT;
}

/* Detects a separator of several bytes, which first occurs after the time, the label or the value. */
static bool find_string(const char *text, size_t length, char *separator)
{
	const size_t max = length < MAX_AHEAD ? length : MAX_AHEAD;

	for (size_t n = SAVED_SEPARATOR; n > 1; n--)
		for (size_t i = 1; i + n <= max; i++) {
			memcpy(separator, text + i, n);
			separator[n] = '\0';
			if (strlen(separator) == n && occurs_often(separator, text, length) &&
			    is_separator(separator, text, length))
				return true;
		}
	return false;
}

/*
 * Detects the separator: it is the character or the string by which the line can be parsed. "a, b" can
 * be parsed by "," and by ", ", so strings are tried first.
 */
bool saved_csv_separator(const char *text, size_t length, char *separator)
{
	static const char candidates[] = ",;\t|:!@$&*?~^/#%_=+'\"`()[]{}<>\\-. "
		"\001\002\003\004\005\006\007\010\013\014\016\017\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037\177";

	if (find_string(text, length, separator))
		return true;
	separator[1] = '\0';
	for (size_t i = 0; candidates[i]; i++) {
		*separator = candidates[i];
		if (memchr(text, *separator, length) && is_separator(separator, text, length))
			return true;
	}
	*separator = '\0';
	return false;
}
