// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "values/sink.h"

char *buffer_grow(struct sink_buffer *buffer, size_t n)
{
	size_t size = buffer->size ? buffer->size : 4096;
	char *data;

	if (buffer->failed)
		return NULL;
	while (size - buffer->length < n)
		size *= 2;
	data = realloc(buffer->data, size);
	if (!data) {
		buffer->failed = true;
		return NULL;
	}
	buffer->data = data;
	buffer->size = size;
	return data + buffer->length;
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

void buffer_seconds(struct sink_buffer *buffer, uint64_t ns)
{
	char *room = buffer_room(buffer, NUMBER_SIZE);

	if (room)
		buffer_added(buffer, number_seconds(room, ns));
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
