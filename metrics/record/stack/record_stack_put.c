// SPDX-License-Identifier: LGPL-2.1-or-later
/* Queues records of the kernel as they are. */
#include <string.h>

#include "record/stack/record_stack_maps.h"

void record_stack_put(struct record_stack *stack, const struct perf_event_header *header, const void *data,
		      size_t size, uint64_t time)
{
	struct record record = { .type = RECORD_RAW, .begin = time, .end = time };
	char raw[UINT16_MAX];

	if (sizeof(*header) + size > sizeof(raw))
		return;
	memcpy(raw, header, sizeof(*header));
	memcpy(raw + sizeof(*header), data, size);
	record_queue_put(stack->queue, &record, raw, sizeof(*header) + size);
}
