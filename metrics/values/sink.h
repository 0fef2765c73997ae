/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations that all sinks share. Text is collected in a buffer and written at once. */
#ifndef GPMU_SINK_H
#define GPMU_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gpmu.h"
#include "base/number.h"

#define SINK_SCHEMA	"1"	/* of CSV and JSON */

struct sink_buffer {
	char *data;
	size_t length, size;
	bool failed;		/* no memory; later text is lost */
};

struct gpmu_sink;

struct sink_ops {
	/* Writes the text before the rows of the first interval. */
	void (*begin)(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n);
	void (*rows)(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n);
	void (*end)(struct gpmu_sink *sink, const struct gpmu_sink_end *end);
};

/* The last written times of a CSV row; length 0: none */
struct sink_times {
	uint64_t begin, end;
	size_t length;
	char text[64];
};

struct sink_counted {
	uint64_t enabled, running;
	size_t length;
	char text[64];
};

/*
 * The text between the numbers of a CSV row, made once for successive rows: in most intervals a row
 * differs from the row of the previous interval only by its numbers.
 */
struct sink_line {
	struct gpmu_row row;		/* row that it was made from; its texts are copies in text */
	char *text;			/* NULL: not made yet */
	size_t place, state, rest;	/* lengths of the texts after the times, the value and the counters */
};

struct gpmu_sink {
	const struct sink_ops *ops;
	FILE *file;
	struct gpmu_sink_options options;
	char *separator, *title, *host;
	size_t separator_length;
	struct sink_buffer buffer;
	bool begun;
	bool held;		/* output waits in the buffer */
	/* CSV */
	struct sink_times times;
	struct sink_counted counted;
	struct sink_line *lines;	/* one for each row of an interval */
	size_t line_count;
	struct sink_buffer part;	/* the line that is being made */
	/* Summary */
	enum gpmu_scope scope;		/* scope in its heading */
	size_t labels, units;		/* width of these columns */
	char **whys;			/* reasons already shown */
	size_t why_count;
	struct gpmu_row *copy;		/* rows converted to this library's size */
	size_t copy_room;
};

extern const struct sink_ops sink_summary, sink_csv, sink_json;

char *buffer_grow(struct sink_buffer *buffer, size_t n);

/* Returns room for @n more bytes, or NULL; buffer_added() makes them part of the text. */
static inline char *buffer_room(struct sink_buffer *buffer, size_t n)
{
	if (buffer->size - buffer->length >= n && !buffer->failed && buffer->data)
		return buffer->data + buffer->length;
	return buffer_grow(buffer, n);
}

static inline void buffer_added(struct sink_buffer *buffer, size_t n)
{
	buffer->length += n;
}

static inline void buffer_bytes(struct sink_buffer *buffer, const char *bytes, size_t n)
{
	char *room = buffer_room(buffer, n);

	if (room) {
		memcpy(room, bytes, n);
		buffer_added(buffer, n);
	}
}

static inline void buffer_text(struct sink_buffer *buffer, const char *text)
{
	buffer_bytes(buffer, text, strlen(text));
}

static inline void buffer_char(struct sink_buffer *buffer, char c)
{
	buffer_bytes(buffer, &c, 1);
}

void buffer_blanks(struct sink_buffer *buffer, size_t n);
void buffer_u64(struct sink_buffer *buffer, uint64_t value);
void buffer_int(struct sink_buffer *buffer, int value);
void buffer_seconds(struct sink_buffer *buffer, uint64_t ns);
void buffer_fixed(struct sink_buffer *buffer, double value, unsigned int decimals);
void buffer_shortest(struct sink_buffer *buffer, double value);

/* A raw count of 0 with another value means that the raw count is not known. */
static inline bool sink_knows_raw(const struct gpmu_row *row)
{
	return row->state == GPMU_STATE_OK && !row->metric && (row->raw || row->value == 0);
}

/* Nothing is known about the counters of perf's own metrics. */
static inline bool sink_knows_times(const struct gpmu_row *row)
{
	return row->state != GPMU_STATE_NOT_SUPPORTED && (row->counters || !row->metric);
}

/* Words of CSV and JSON: "machine", "not_counted" */
const char *sink_scope_name(enum gpmu_scope scope);
const char *sink_state_name(enum gpmu_state state);

#endif /* GPMU_SINK_H */
