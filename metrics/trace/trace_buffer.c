// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "trace/trace.h"

uint8_t *trace_room(struct trace_buffer *buffer, size_t n)
{
	size_t room = buffer->room ? buffer->room : 4096;
	uint8_t *data;

	if (buffer->room - buffer->length >= n)
		return buffer->data + buffer->length;
	while (room - buffer->length < n)
		room *= 2;
	data = realloc(buffer->data, room);
	if (!data)
		return NULL;
	buffer->data = data;
	buffer->room = room;
	return data + buffer->length;
}
