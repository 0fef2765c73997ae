/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that stand in for a recorded process */
#ifndef GPMU_TESTS_CHANNEL_CONNECT_H
#define GPMU_TESTS_CHANNEL_CONNECT_H

#include <unistd.h>

#include "trace/channel/channel.h"

/*
 * Connects to the reader's socket. @ring: bytes of the channel; 0: as the reader requests. Returns NULL on failure; otherwise
 * the caller unmaps *@control.
 */
static inline struct channel_writer *connect_writer(const char *name, uint64_t ring, struct channel_control **control)
{
	struct channel_writer *writer;
	int connection;

	*control = channel_connect(name, "CUDA", &connection);
	if (!*control)
		return NULL;
	writer = channel_writer_send(connection, ring ? ring : (*control)->ring, "CUDA");
	close(connection);
	if (!writer)
		channel_unmap_control(*control);
	return writer;
}

#endif /* GPMU_TESTS_CHANNEL_CONNECT_H */
