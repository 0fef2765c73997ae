// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "spe/spe.h"

static int alignment(struct gpmu_spe_packet *packet, const uint8_t *p, uint64_t offset)
{
	*packet = (struct gpmu_spe_packet){
		.kind = GPMU_SPE_PACKET_ALIGNMENT,
		.index = p[0] & 15,
		.length = spe_aligned(p[0], offset),
		.value = 2ull << (p[0] & 15),
	};
	return (int)packet->length;
}

int gpmu_spe_packet(struct gpmu_spe_packet *packet, const void *data, size_t size, uint64_t offset)
{
	uint8_t bytes[GPMU_SPE_PACKET_MAX] = { 0 };
	const struct spe_header *header;
	unsigned int extended;

	memcpy(bytes, data, size < sizeof(bytes) ? size : sizeof(bytes));
	header = &spe_headers[bytes[0]];
	extended = header->action == SPE_EXTENDED;
	if (size < 1 + extended)
		return 0;
	if (extended && !bytes[1])
		return alignment(packet, bytes, offset);
	if (extended)
		header = &spe_headers[bytes[1]];
	if (header->action == SPE_DAMAGE || (extended && header->length < 2) || header->action == SPE_EXTENDED)
		return -EBADMSG;
	if (size < extended + header->length)
		return 0;
	packet->kind = header->kind;
	packet->index = bytes[extended] & header->index;
	if (extended && spe_is_indexed(header))
		packet->index = spe_extended_index(bytes);
	else if (extended)
		packet->kind = GPMU_SPE_PACKET_UNKNOWN;
	packet->length = extended + header->length;
	packet->value = spe_load64(bytes + extended + header->from) & header->mask;
	if (packet->kind == GPMU_SPE_PACKET_OP)
		packet->value >>= 8;
	return (int)packet->length;
}
