// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads lines into tables: one table is filled while rows are made from the complete one
 * before it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "saved/saved.h"

struct gpmu_saved *gpmu_saved_new(const struct gpmu_saved_options *options)
{
	struct gpmu_saved *saved = calloc(1, sizeof(*saved));

	if (!saved)
		return NULL;
	if (options)
		sized_copy(&saved->options, sizeof(saved->options), options);
	saved->filling = &saved->tables[0];
	return saved;
}

static void texts_release(struct saved_texts *texts)
{
	for (size_t i = 0; i < texts->length; i++)
		saved_name_release(&texts->list[i]);
	free(texts->list);
	strings_release(&texts->strings);
}

void gpmu_saved_free(struct gpmu_saved *saved)
{
	if (!saved)
		return;
	saved_slots_release(saved);
	texts_release(&saved->texts);
	for (size_t i = 0; i < 2; i++) {
		free(saved->tables[i].list);
		free(saved->tables[i].last);
	}
	free(saved->others.list);
	free(saved->cgroup);
	free(saved);
}

/* --- texts --- */

int saved_texts_add(struct saved_texts *texts, const char *text, size_t length, size_t *index)
{
	struct saved_name *list;
	uint32_t number;

	*index = SAVED_NONE;
	length = text ? strnlen(text, length) : 0;
	if (!length)
		return 0;
	if (strings_number_of(&texts->strings, text, length, &number))
		return -ENOMEM;
	if (number >= SAVED_MAX_TEXTS)
		return -E2BIG;
	/* More than one text lacks a name only after memory ran out. */
	while (texts->length <= number) {
		list = vector_room(texts->list, texts->length, sizeof(*list));
		if (!list)
			return -ENOMEM;
		texts->list = list;
		text = strings_text(&texts->strings, (uint32_t)texts->length);
		if (saved_name_init(&list[texts->length], text, strlen(text)))
			return -ENOMEM;
		texts->length++;
	}
	*index = number;
	return 0;
}

/* --- records --- */

/* Grows the array "last" to the number of texts. */
static int make_last(struct saved_table *table, size_t texts)
{
	size_t room = 2 * texts, *last;

	if (table->last_room >= texts)
		return 0;
	last = reallocarray(table->last, room, sizeof(*last));
	if (!last)
		return -ENOMEM;
	table->last = last;
	for (; table->last_room < room; table->last_room++)
		last[table->last_room] = SAVED_NONE;
	return 0;
}

/* Counts the earlier records with the same event and label. */
static void link_record(struct saved_table *table, struct saved_record *record)
{
	size_t before;

	record->before = SAVED_NONE;
	record->occurrence = 0;
	if (record->event == SAVED_NONE)
		return;
	before = table->last[record->event];
	record->before = before;
	table->last[record->event] = table->length;
	for (; before != SAVED_NONE; before = table->list[before].before) {
		struct saved_record *other = &table->list[before];

		if (saved_same_target(other, record)) {
			record->occurrence = other->occurrence + 1;
			other->repeated = true;
			return;
		}
	}
}

static int add_record(struct gpmu_saved *saved, const struct saved_line *line)
{
	struct saved_table *table = saved->filling;
	struct saved_record record = {
		.label = line->label,
		.number = line->number,
		.counters = line->counters,
		.state = line->state,
		.value = line->value,
		.deviation = line->deviation,
		.metric_value = line->metric_value,
		.running = line->running,
		.share = line->share,
	};
	struct saved_record *list;
	int ret;

	/* Counters of a thread that never ran were not enabled: perf prints 0 ns and 100 %. */
	if (line->label == SAVED_THREAD && line->state == COUNT_NOT_COUNTED && !line->running &&
	    line->share > 0)
		record.state = COUNT_OK;
	memcpy(record.parts, line->parts, sizeof(record.parts));
	ret = saved_texts_add(&saved->texts, line->event.at, line->event.length, &record.event);
	if (!ret)
		ret = saved_texts_add(&saved->texts, line->unit.at, line->unit.length,
				      &record.unit);
	if (!ret)
		ret = saved_texts_add(&saved->texts, line->metric.at, line->metric.length,
				      &record.metric);
	if (!ret)
		ret = make_last(table, saved->texts.length);
	if (!ret && table->length == SAVED_MAX_RECORDS)
		ret = -E2BIG;
	if (ret)
		return ret;
	list = vector_room(table->list, table->length, sizeof(*list));
	if (!list)
		return -ENOMEM;
	table->list = list;
	link_record(table, &record);
	list[table->length++] = record;
	table->repeated = table->repeated || !isnan(record.deviation);
	return 0;
}

/* --- lines --- */

/* Completes the current table and starts to fill the other one. */
static void complete(struct gpmu_saved *saved)
{
	struct saved_table *next = &saved->tables[saved->filling == &saved->tables[0]];

	saved->complete = saved->filling;
	if (saved->complete->timed && saved_begins_run(saved))
		saved->complete->begin = 0;
	next->length = 0;
	next->timed = next->repeated = false;
	next->begin = next->end = saved->complete->end;
	saved->filling = next;
	for (size_t i = 0; i < next->last_room; i++)
		next->last[i] = SAVED_NONE;
}

static int take_time(struct gpmu_saved *saved, const struct saved_line *line)
{
	struct saved_table *table = saved->filling;
	int completes = 0;

	if (table->length && (!table->timed || table->end != line->time)) {
		complete(saved);
		completes = 1;
		table = saved->filling;
	}
	saved->timed = true;
	table->timed = true;
	/* A smaller time means a new run, as in an appended file without "# started on". */
	if (line->time < table->begin)
		table->begin = 0;
	table->end = line->time;
	return completes;
}

/*
 * perf stat --append has added a run. Runs without intervals would be equal events, whose
 * counts cannot be told apart.
 */
static int begin_run(struct gpmu_saved *saved, struct saved_expected *expected)
{
	if (!saved->filling->length)
		return 0;
	if (!saved->timed) {
		expected->what = "the lines of one run: separate those of perf stat --append";
		return -EINVAL;
	}
	complete(saved);
	saved->filling->begin = saved->filling->end = 0;
	return 1;
}

/*
 * Sums over several cgroups would need their hierarchy, which perf does not print. A count without a
 * cgroup is no part of one. Lines with only a metric do not name their cgroup.
 */
static int check_cgroup(struct gpmu_saved *saved, const char *text, const struct saved_line *line,
			struct saved_expected *expected)
{
	const struct saved_text cgroup = line->cgroup.at ? line->cgroup :
							   (struct saved_text){ "", 0 };

	if (!line->event.at)
		return 0;
	if (!saved->cgroup) {
		saved->cgroup = strndup(cgroup.at, cgroup.length);
		return saved->cgroup ? 0 : -ENOMEM;
	}
	if (saved_is(cgroup, saved->cgroup))
		return 0;
	expected->offset = line->cgroup.at ? (size_t)(line->cgroup.at - text) : 0;
	expected->what = "the cgroup of the lines before: separate the lines of each cgroup";
	return -EINVAL;
}

static int refuse(const struct gpmu_saved *saved, const struct saved_expected *expected,
		  const char *line, size_t length, struct gpmu_error *error)
{
	char found[33];
	size_t n = 0;

	for (size_t i = expected->offset; i < length && n < sizeof(found) - 1; i++, n++)
		found[n] = line[i];
	for (size_t i = 0; i < n; i++)
		if (found[i] < ' ' || found[i] > '~')
			found[i] = '?';
	found[n] = '\0';
	error_set(error, expected->offset, "line %lu: expected %s, found %s%s%s", saved->line,
		  expected->what, n ? "\"" : "", n ? found : "its end", n ? "\"" : "");
	return -EINVAL;
}

int gpmu_saved_line(struct gpmu_saved *saved, const char *text, size_t length,
		    struct gpmu_error *error)
{
	bool whole = length && text[length - 1] == '\n';
	struct saved_expected expected = { 0 };
	struct saved_line line;
	int ret, completes = 0;

	saved->line++;
	length -= whole;
	ret = saved_line_parse(&saved->format, text, length, &line, &expected);
	if (!whole && !(ret == 0 && saved->format.kind == SAVED_JSON) && length) {
		saved->cut = true;
		return 0;
	}
	if (!ret && line.begins)
		ret = completes = begin_run(saved, &expected);
	if (ret >= 0)
		ret = check_cgroup(saved, text, &line, &expected);
	if (ret == -EINVAL)
		return refuse(saved, &expected, text, length, error);
	/* The summary after the intervals has no time. */
	if (!ret && (line.nothing || (saved->timed && !line.timed)))
		return completes;
	if (!ret && line.timed)
		completes = take_time(saved, &line);
	if (!ret)
		ret = add_record(saved, &line);
	if (ret)
		error_set(error, 0, "line %lu: %s", saved->line,
			  ret == -ENOMEM ? "out of memory" : "more lines or different names than supported");
	return ret ? ret : completes;
}

int gpmu_saved_end(struct gpmu_saved *saved)
{
	if (!saved->filling->length)
		return 0;
	complete(saved);
	return 1;
}

int gpmu_saved_is_cut(const struct gpmu_saved *saved)
{
	return saved->cut;
}

int gpmu_saved_has_intervals(const struct gpmu_saved *saved)
{
	return saved->timed;
}

void gpmu_saved_set_elapsed(struct gpmu_saved *saved, uint64_t elapsed)
{
	if (saved->complete && !saved->complete->timed)
		saved->complete->end = saved->complete->begin + elapsed;
}
