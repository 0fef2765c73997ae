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
#include "base/text/text.h"
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
		map_release(&saved->tables[i].targets);
		map_release(&saved->tables[i].latest);
	}
	free(saved->cgroup);
	free(saved);
}

/* --- texts --- */

int saved_texts_add(struct saved_texts *texts, const char *text, size_t length, size_t *index)
{
	struct saved_name *added;
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
		text = strings_text(&texts->strings, (uint32_t)texts->length);
		added = vector_append(texts->list, texts->length);
		if (!added)
			return -ENOMEM;
		if (saved_name_init(added, text, strlen(text))) {
			texts->length--;
			return -ENOMEM;
		}
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

static bool is_same_target(const struct saved_record *a, const struct saved_record *b)
{
	return a->count.label == b->count.label && a->count.number == b->count.number &&
	       !memcmp(a->count.parts, b->count.parts, sizeof(a->count.parts));
}

/* Returns the cell of the record's target: 1 + the index of its first record, or 0; NULL: out of memory. */
static union map_cell *find_target(struct saved_table *table, const struct saved_record *record)
{
	int label[2 + SAVED_PARTS] = { (int)record->count.label, record->count.number };
	union map_cell *cell;
	uint64_t hash;
	bool is_new;

	memcpy(label + 2, record->count.parts, sizeof(record->count.parts));
	hash = text_hash((const char *)label, sizeof(label));
	/* If another target has this hash, try the next one. */
	do
		cell = map_add(&table->targets, hash++, &is_new);
	while (cell && cell->number && !is_same_target(&table->list[cell->number - 1], record));
	return cell;
}

/* Finds the earlier records with the same target, and the same event. */
static int link_record(struct saved_table *table, struct saved_record *record)
{
	union map_cell *first = find_target(table, record), *latest;
	bool is_new;

	record->before = SAVED_NONE;
	if (!first)
		return -ENOMEM;
	record->target = first->number ? first->number - 1 : table->length;
	if (record->event != SAVED_NONE) {
		latest = map_add(&table->latest, (uint64_t)record->event << 32 | record->target,
				 &is_new);
		if (!latest)
			return -ENOMEM;
		if (!is_new) {
			table->list[latest->number].is_repeated = true;
			record->occurrence = table->list[latest->number].occurrence + 1;
		}
		latest->number = table->length;
		record->before = table->last[record->event];
		table->last[record->event] = table->length;
	}
	first->number = record->target + 1;
	return 0;
}

static int add_record(struct gpmu_saved *saved, const struct saved_line *line)
{
	struct saved_table *table = saved->filling;
	struct saved_record record = { .count = line->count };
	struct saved_record *added;
	int ret;

	/* Counters of a thread that never ran were not enabled: perf prints 0 ns and 100 %. */
	if (line->count.label == SAVED_THREAD && line->count.state == COUNT_NOT_COUNTED && !line->count.running &&
	    line->count.share > 0)
		record.count.state = COUNT_OK;
	if (table->length == SAVED_MAX_RECORDS)
		return -E2BIG;
	ret = saved_texts_add(&saved->texts, line->event.begin, line->event.length, &record.event) ?:
	      saved_texts_add(&saved->texts, line->unit.begin, line->unit.length, &record.unit) ?:
	      saved_texts_add(&saved->texts, line->metric.begin, line->metric.length, &record.metric) ?:
	      make_last(table, saved->texts.length) ?: link_record(table, &record);
	if (ret)
		return ret;
	added = vector_append(table->list, table->length);
	if (!added)
		return -ENOMEM;
	*added = record;
	table->labels |= 1u << record.count.label;
	if (table->part == SAVED_ALL)
		table->part = record.count.label;
	saved_add_times(saved, added);
	table->is_repeated = table->is_repeated || !isnan(record.count.deviation);
	return 0;
}

/* --- lines --- */

/* Completes the current table and starts to fill the other one. */
static void complete(struct gpmu_saved *saved)
{
	struct saved_table *next = &saved->tables[saved->filling == &saved->tables[0]];

	saved->complete = saved->filling;
	if (saved->complete->is_timed && saved_begins_run(saved))
		saved->complete->begin = 0;
	next->length = 0;
	next->is_timed = next->is_repeated = next->has_duration = false;
	next->labels = 0;
	next->part = SAVED_ALL;
	next->duration = next->longest = 0;
	next->begin = next->end = saved->complete->end;
	saved->filling = next;
	for (size_t i = 0; i < next->last_room; i++)
		next->last[i] = SAVED_NONE;
	map_clear(&next->targets);
	map_clear(&next->latest);
}

static int take_time(struct gpmu_saved *saved, const struct saved_line *line)
{
	struct saved_table *table = saved->filling;
	int completes = 0;

	if (table->length && (!table->is_timed || table->end != line->time)) {
		complete(saved);
		completes = 1;
		table = saved->filling;
	}
	saved->is_timed = true;
	table->is_timed = true;
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
	if (!saved->is_timed) {
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
	const struct saved_text cgroup = line->cgroup.begin ? line->cgroup :
							   (struct saved_text){ "", 0 };

	if (!line->event.begin)
		return 0;
	if (!saved->cgroup) {
		saved->cgroup = strndup(cgroup.begin, cgroup.length);
		return saved->cgroup ? 0 : -ENOMEM;
	}
	if (saved_is(cgroup, saved->cgroup))
		return 0;
	expected->offset = line->cgroup.begin ? (size_t)(line->cgroup.begin - text) : 0;
	expected->what = "the cgroup of the lines before: separate the lines of each cgroup";
	return -EINVAL;
}

static int refuse(const struct gpmu_saved *saved, const struct saved_expected *expected,
		  const char *line, size_t length, struct gpmu_error *error)
{
	char found[33];
	size_t n = 0;

	for (size_t i = expected->offset; i < length && n < sizeof(found) - 1; i++)
		found[n++] = line[i] < ' ' || line[i] > '~' ? '?' : line[i];
	found[n] = '\0';
	error_set(error, expected->offset, "line %lu: expected %s, found %s%s%s", saved->line,
		  expected->what, n ? "\"" : "", n ? found : "its end", n ? "\"" : "");
	return -EINVAL;
}

int gpmu_saved_line(struct gpmu_saved *saved, const char *text, size_t length,
		    struct gpmu_error *error)
{
	bool is_whole = length && text[length - 1] == '\n';
	struct saved_expected expected = { 0 };
	struct saved_line line;
	int ret, completes = 0;

	saved->line++;
	length -= is_whole;
	ret = saved_line_parse(&saved->format, text, length, &line, &expected);
	if (!is_whole && !(ret == 0 && saved->format.kind == SAVED_JSON) && length) {
		saved->is_cut = true;
		return 0;
	}
	if (!ret && line.is_begin)
		ret = completes = begin_run(saved, &expected);
	if (ret >= 0)
		ret = check_cgroup(saved, text, &line, &expected);
	if (ret == -EINVAL)
		return refuse(saved, &expected, text, length, error);
	/* The summary after the intervals has no time. */
	if (!ret && (line.is_empty || (saved->is_timed && !line.is_timed)))
		return completes;
	if (!ret && line.is_timed)
		completes = take_time(saved, &line);
	if (!ret)
		ret = add_record(saved, &line);
	if (ret)
		error_set(error, 0, "line %lu: %s", saved->line,
			  ret == -ENOMEM ? ERROR_NO_MEMORY : "more lines or different names than supported");
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
	return saved->is_cut;
}

int gpmu_saved_has_intervals(const struct gpmu_saved *saved)
{
	return saved->is_timed;
}

void gpmu_saved_set_elapsed(struct gpmu_saved *saved, uint64_t elapsed)
{
	if (saved->complete && !saved->complete->is_timed)
		saved->complete->end = saved->complete->begin + elapsed;
}
