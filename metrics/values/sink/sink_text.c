// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text/gpmu_shown.h"
#include "values/sink/sink_text.h"

static char *grow(struct sink_buffer *buffer, size_t n)
{
	size_t size = buffer->size ? buffer->size : 4096;
	char *data;

	if (buffer->has_failed)
		return NULL;
	while (size - buffer->length < n)
		size *= 2;
	data = realloc(buffer->data, size);
	if (!data) {
		buffer->has_failed = true;
		return NULL;
	}
	buffer->data = data;
	buffer->size = size;
	return data + buffer->length;
}

char *buffer_room(struct sink_buffer *buffer, size_t n)
{
	if (buffer->size - buffer->length >= n && !buffer->has_failed && buffer->data)
		return buffer->data + buffer->length;
	return grow(buffer, n);
}

void buffer_added(struct sink_buffer *buffer, size_t n)
{
	buffer->length += n;
}

void buffer_bytes(struct sink_buffer *buffer, const char *bytes, size_t n)
{
	char *room = buffer_room(buffer, n);

	if (room) {
		memcpy(room, bytes, n);
		buffer->length += n;
	}
}

void buffer_text(struct sink_buffer *buffer, const char *text)
{
	buffer_bytes(buffer, text, strlen(text));
}

void buffer_char(struct sink_buffer *buffer, char c)
{
	buffer_bytes(buffer, &c, 1);
}

void buffer_blanks(struct sink_buffer *buffer, size_t n)
{
	char *room = buffer_room(buffer, n);

	if (room) {
		memset(room, ' ', n);
		buffer_added(buffer, n);
	}
}

void buffer_u64(struct sink_buffer *buffer, uint64_t value)
{
	char *room = buffer_room(buffer, NUMBER_SIZE);

	if (room)
		buffer_added(buffer, number_u64(room, value));
}

void buffer_int(struct sink_buffer *buffer, int value)
{
	char *room = buffer_room(buffer, NUMBER_SIZE);

	if (room)
		buffer_added(buffer, number_int(room, value));
}

void buffer_fixed(struct sink_buffer *buffer, double value, unsigned int decimals)
{
	char *room = buffer_room(buffer, NUMBER_SIZE);

	if (room)
		buffer_added(buffer, number_fixed(room, value, decimals, false));
}

void buffer_shortest(struct sink_buffer *buffer, double value)
{
	char *room = buffer_room(buffer, NUMBER_SIZE);

	if (room)
		buffer_added(buffer, number_shortest(room, value));
}

static void add_shown(struct sink_buffer *buffer, const char *text)
{
	char *room = buffer_room(buffer, strlen(text));

	if (room)
		buffer_added(buffer, (size_t)(gpmu_shown_add(room, text) - room));
}

size_t buffer_shown(struct sink_buffer *buffer, const char *text)
{
	add_shown(buffer, text);
	return gpmu_shown_width(text);
}

void buffer_left(struct sink_buffer *buffer, const char *text, size_t width)
{
	size_t used = buffer_shown(buffer, text);

	if (used < width)
		buffer_blanks(buffer, width - used);
}

void buffer_right(struct sink_buffer *buffer, const char *text, size_t width)
{
	size_t used = gpmu_shown_width(text);

	if (used < width)
		buffer_blanks(buffer, width - used);
	add_shown(buffer, text);
}

size_t sink_label(const struct gpmu_row *row, enum gpmu_aggregation aggregation, char *text,
		  size_t size)
{
	int length = 0;

	switch (row->scope) {
	case GPMU_SCOPE_NODE:
		if (aggregation == GPMU_AGGREGATE_CPU && row->cpu >= 0)
			length = snprintf(text, size, "CPU%d", row->cpu);
		else
			length = snprintf(text, size, "N%d", row->node);
		break;
	case GPMU_SCOPE_CPU:
		length = snprintf(text, size, "CPU%d", row->cpu);
		break;
	case GPMU_SCOPE_GPU:
		length = snprintf(text, size, "GPU%d", row->gpu_number);
		break;
	case GPMU_SCOPE_SOCKET:
		length = snprintf(text, size, "S%d", row->package);
		break;
	case GPMU_SCOPE_DIE:
		length = snprintf(text, size, "S%d-D%d", row->package, row->die);
		break;
	case GPMU_SCOPE_CORE:
		length = snprintf(text, size, "S%d-D%d-C%d", row->package, row->die, row->core);
		break;
	case GPMU_SCOPE_THREAD:
		length = snprintf(text, size, "%s-%d", row->comm ? row->comm : "", row->tid);
		break;
	case GPMU_SCOPE_MACHINE:
	case GPMU_SCOPE_PROCESS:
		*text = '\0';
	}
	return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

const char *sink_scope_name(enum gpmu_scope scope)
{
	static const char *const names[] = {
		[GPMU_SCOPE_MACHINE] = "machine",
		[GPMU_SCOPE_NODE] = "node",
		[GPMU_SCOPE_CPU] = "cpu",
		[GPMU_SCOPE_PROCESS] = "process",
		[GPMU_SCOPE_GPU] = "gpu",
		[GPMU_SCOPE_SOCKET] = "socket",
		[GPMU_SCOPE_DIE] = "die",
		[GPMU_SCOPE_CORE] = "core",
		[GPMU_SCOPE_THREAD] = "thread",
	};

	return scope < ARRAY_SIZE(names) ? names[scope] : "";
}

const char *sink_state_name(enum gpmu_state state)
{
	static const char *const names[] = {
		[GPMU_STATE_OK] = "ok",
		[GPMU_STATE_IDLE] = "idle",
		[GPMU_STATE_NOT_COUNTED] = "not_counted",
		[GPMU_STATE_NOT_SUPPORTED] = "not_supported",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "";
}

const char *sink_state_word(enum gpmu_state state)
{
	static const char *const words[] = {
		[GPMU_STATE_OK] = "",
		[GPMU_STATE_IDLE] = "idle",
		[GPMU_STATE_NOT_COUNTED] = "<not counted>",
		[GPMU_STATE_NOT_SUPPORTED] = "<not supported>",
	};

	return state < ARRAY_SIZE(words) ? words[state] : "";
}

/*
 * Counts, also estimated ones, are printed without decimals, unless the event's
 * scale makes them fractions.
 */
static unsigned int decimals_of(const struct gpmu_row *row)
{
	bool is_estimate = row->share < 1 || row->runs != 1;

	if (row->metric)
		return row->value != 0 && fabs(row->value) < 0.1 ? 6 : 2;
	if (!row->unit && (is_estimate || !row->raw))
		return 0;
	return !is_estimate && row->value == floor(row->value) && row->value >= (double)row->raw ? 0 :
												2;
}

void sink_value(char *text, const struct gpmu_row *row, bool wants_big_numbers)
{
	if (row->state != GPMU_STATE_OK)
		strcpy(text, sink_state_word(row->state));
	else
		text[isfinite(row->value) ? number_fixed(text, row->value, decimals_of(row), wants_big_numbers) : 0] =
			'\0';
}
