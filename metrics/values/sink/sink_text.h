/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text that sinks collect: numbers, words and columns of a row */
#ifndef GPMU_SINK_TEXT_H
#define GPMU_SINK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpmu.h"
#include "base/text/number.h"
#include "base/text/text.h"

#define SINK_SCHEMA	"2"	/* of CSV and JSON */

struct sink_buffer {
	char *data;
	size_t length, size;
	bool has_failed;	/* no memory; later text is lost */
};

/* Returns room for @n more bytes, or NULL; buffer_added() makes them part of the text. */
char *buffer_room(struct sink_buffer *buffer, size_t n);
void buffer_added(struct sink_buffer *buffer, size_t n);
void buffer_bytes(struct sink_buffer *buffer, const char *bytes, size_t n);
void buffer_text(struct sink_buffer *buffer, const char *text);
void buffer_char(struct sink_buffer *buffer, char c);
void buffer_blanks(struct sink_buffer *buffer, size_t n);
void buffer_u64(struct sink_buffer *buffer, uint64_t value);
void buffer_int(struct sink_buffer *buffer, int value);
void buffer_fixed(struct sink_buffer *buffer, double value, unsigned int decimals);
void buffer_shortest(struct sink_buffer *buffer, double value);
/* Adds a text as gpmu_shown_add() does. Returns the number of columns of a terminal. */
size_t buffer_shown(struct sink_buffer *buffer, const char *text);
/* As buffer_shown(), padded with blanks on the right to @width */
void buffer_left(struct sink_buffer *buffer, const char *text, size_t width);
/* Adds text that is padded on the left to a width. */
void buffer_right(struct sink_buffer *buffer, const char *text, size_t width);

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

/*
 * perf's label of a row's scope, with the aggregation of its session: "S36-D0-C7", "N1",
 * "CPU3", "sh-4711", also "GPU0". "" of the machine and of a process. Returns the length of the
 * text, which may be cut off.
 */
size_t sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text,
		  size_t size);

/* Words of CSV and JSON: "machine", "not_counted" */
const char *sink_scope_name(enum gpmu_scope scope);
const char *sink_state_name(enum gpmu_state state);
/* Returns the text that replaces a value in output for people: "<not counted>"; "" for GPMU_STATE_OK. */
const char *sink_state_word(enum gpmu_state state);
/* Writes a value for people, or the word of its state, to @text of NUMBER_SIZE + 1 bytes; "" if it is not finite. */
void sink_value(char *text, const struct gpmu_row *row, bool wants_big_numbers);

#endif /* GPMU_SINK_TEXT_H */
