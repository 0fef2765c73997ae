// SPDX-License-Identifier: LGPL-2.1-or-later
/* Notes below the rows of a summary, such as the reasons of missing values */
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "base/vector.h"
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

/* Rows that are not counted for the same reason, such as a missing permission */
struct link {
	size_t next;		/* index of the next row with the reason; 0: none */
	bool has_earlier;	/* a row before has the reason */
};

static bool has_why(const struct gpmu_row *row)
{
	return row->why && row->state >= GPMU_STATE_NOT_COUNTED;
}

/* Links each row to the next one with its reason. Returns an array, which the caller frees; NULL: out of memory */
static struct link *link_rows(const struct gpmu_rows *rows)
{
	struct link *links = calloc(rows->length + 1, sizeof(*links));
	struct strings whys = { 0 };
	VECTOR(size_t) latest = { 0 };	/* index of the latest row, by the number of the reason */
	uint32_t why;

	for (size_t i = 0; links && i < rows->length; i++) {
		if (!has_why(&rows->list[i]) || rows->list[i].state != GPMU_STATE_NOT_COUNTED)
			continue;
		if (strings_number(&whys, rows->list[i].why, &why) || (why == latest.n && vector_push(&latest, &i))) {
			free(links);
			links = NULL;
		} else if (latest.list[why] != i) {
			links[latest.list[why]].next = i;
			links[i].has_earlier = true;
			latest.list[why] = i;
		}
	}
	vector_free(&latest);
	strings_release(&whys);
	return links;
}

/* Writes "cycles, instructions: why" for all rows that have the reason of row @index */
static void put_why(struct gpmu_sink *sink, const struct gpmu_rows *rows, const struct link *links, size_t index,
		    bool *is_first)
{
	const char *last = rows->list[index].name;
	size_t begin = begin_note(sink, *is_first);

	buffer_shown(&sink->buffer, last);
	for (size_t i = links[index].next; i; i = links[i].next) {
		if (!strcmp(rows->list[i].name, last))
			continue;
		last = rows->list[i].name;
		buffer_text(&sink->buffer, ", ");
		buffer_shown(&sink->buffer, last);
	}
	end_note(sink, begin, rows->list[index].why, "", is_first);
}

void sink_whys(struct gpmu_sink *sink, const struct gpmu_rows *rows, bool *is_first)
{
	struct link *links = link_rows(rows);

	if (!links)
		sink->buffer.has_failed = true;
	for (size_t i = 0; links && i < rows->length; i++)
		if (has_why(&rows->list[i]) && !links[i].has_earlier)
			put_why(sink, rows, links, i, is_first);
	free(links);
}
