// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages of protobuf-c. Its own allocator does not distinguish a malformed message from missing memory. */
#include <errno.h>
#include <stdlib.h>

#include "ncurep/ncurep.h"

static void *unpack_alloc(void *user, size_t size)
{
	bool *has_no_memory = user;
	void *memory = malloc(size);

	*has_no_memory = *has_no_memory || (!memory && size);
	return memory;
}

static void unpack_free(void *user, void *memory)
{
	(void)user;
	free(memory);
}

int ncurep_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t length,
		  ProtobufCMessage **message)
{
	bool has_no_memory = false;
	ProtobufCAllocator allocator = { .alloc = unpack_alloc, .free = unpack_free, .allocator_data = &has_no_memory };

	/* No byte of an empty message is read, but the pointer must not be NULL. */
	*message = protobuf_c_message_unpack(descriptor, &allocator, length, length ? data : (const uint8_t *)"");
	if (*message)
		return 1;
	return has_no_memory ? -ENOMEM : 0;
}

void ncurep_message_free(void *message)
{
	ProtobufCAllocator allocator = { .free = unpack_free };

	if (message)
		protobuf_c_message_free_unpacked(message, &allocator);
}
