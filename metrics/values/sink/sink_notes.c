// SPDX-License-Identifier: LGPL-2.1-or-later
/* Notes below the rows of a summary, such as the reasons of missing values */
#include <string.h>

#include "values/sink/sink.h"

/* Returns whether the line is new. Without memory a line can be shown again. */
static bool is_new(struct gpmu_sink *sink, const char *line)
{
	const size_t known = sink->whys.texts.n;
	uint32_t number;

	return strings_number(&sink->whys, line, &number) || number == known;
}

/*
 * Begins a line "name: text", which is written once; in intervals such lines are marked like the header. Returns the
 * place where it begins. The caller writes the name.
 */
static size_t begin_note(struct gpmu_sink *sink, bool is_first)
{
	size_t begin = sink->buffer.length;

	if (is_first)
		buffer_char(&sink->buffer, '\n');
	buffer_text(&sink->buffer, sink->options.interval ? "# " : " ");
	return begin;
}

static void end_note(struct gpmu_sink *sink, size_t begin, const char *text, const char *more, bool *is_first)
{
	struct sink_buffer *buffer = &sink->buffer;

	buffer_text(buffer, ": ");
	buffer_shown(buffer, text);
	buffer_shown(buffer, more);
	buffer_char(buffer, '\0');
	if (buffer->has_failed)
		return;
	if (is_new(sink, buffer->data + begin + *is_first)) {
		buffer->data[buffer->length - 1] = '\n';
		*is_first = false;
	} else {
		buffer->length = begin;
	}
}

void sink_note(struct gpmu_sink *sink, const char *name, const char *text, const char *more,
		     bool *is_first)
{
	size_t begin = begin_note(sink, *is_first);

	buffer_shown(&sink->buffer, name);
	end_note(sink, begin, text, more, is_first);
}

/* Returns whether both rows are not counted for the same reason, such as a missing permission. */
static bool has_same_why(const struct gpmu_row *a, const struct gpmu_row *b)
{
	return a->state == GPMU_STATE_NOT_COUNTED && b->state == a->state && b->why && !strcmp(a->why, b->why);
}

/* Returns whether no row before row @index has the same reason. */
static bool is_first_why(const struct gpmu_rows *rows, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (has_same_why(&rows->list[index], &rows->list[i]))
			return false;
	return true;
}

/* Writes "cycles, instructions: why" for all rows that have the reason of row @index */
static void put_why(struct gpmu_sink *sink, const struct gpmu_rows *rows, size_t index, bool *is_first)
{
	const struct gpmu_row *row = &rows->list[index];
	const char *last = row->name;
	size_t begin = begin_note(sink, *is_first);

	buffer_shown(&sink->buffer, last);
	for (size_t i = index + 1; i < rows->length; i++) {
		if (!has_same_why(row, &rows->list[i]) || !strcmp(rows->list[i].name, last))
			continue;
		last = rows->list[i].name;
		buffer_text(&sink->buffer, ", ");
		buffer_shown(&sink->buffer, last);
	}
	end_note(sink, begin, row->why, "", is_first);
}

void sink_whys(struct gpmu_sink *sink, const struct gpmu_rows *rows, bool *is_first)
{
	for (size_t i = 0; i < rows->length; i++)
		if (rows->list[i].why && rows->list[i].state >= GPMU_STATE_NOT_COUNTED && is_first_why(rows, i))
			put_why(sink, rows, i, is_first);
}
