/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Headers of packets, for spe_decode.c and spe_packet.c */
#ifndef GPMU_SPE_H
#define GPMU_SPE_H

#include <stdint.h>

#include "spe/gpmu_spe.h"

/* Actions of a header beyond the fields of a record */
enum spe_action {
	SPE_END = GPMU_SPE_FIELDS,
	SPE_PAD,
	SPE_UNKNOWN,
	SPE_EXTENDED,
	SPE_DAMAGE,
};

/*
 * How a packet is read by its first byte. The value of a field is the eight bytes from @from on under
 * @mask: the payload, or the class and the payload of an operation. GPMU_SPE_PACKET_MAX bytes must be
 * readable from the packet's start, which may be an extended header before the first byte.
 */
struct spe_header {
	uint64_t mask;
	uint8_t action;		/* enum gpmu_spe_field or enum spe_action */
	uint8_t length;		/* bytes of the packet, with its header */
	uint8_t from;
	uint8_t kind;		/* enum gpmu_spe_packet_kind */
	uint8_t index;		/* bits of the first byte that are an index */
};

extern const struct spe_header spe_headers[256];

/*
 * An extended header is two bytes: two more bits of the index, and the first byte of a counter or
 * an address, or 0 for an alignment packet.
 */
static inline unsigned int spe_extended_index(const uint8_t *p)
{
	return (p[0] & 3u) << 3 | (p[1] & 7u);
}

static inline int spe_is_indexed(const struct spe_header *header)
{
	return header->kind == GPMU_SPE_PACKET_COUNTER || header->kind == GPMU_SPE_PACKET_ADDRESS;
}

/* Bytes from an alignment packet at @offset to its boundary */
static inline unsigned int spe_aligned(uint8_t first, uint64_t offset)
{
	uint64_t boundary = 2ull << (first & 15);

	return (unsigned int)(((offset + 2 + boundary - 1) & ~(boundary - 1)) - offset);
}

/* Little-endian numbers of unaligned bytes */
static inline uint64_t spe_load64(const uint8_t *p)
{
	uint64_t value;

	__builtin_memcpy(&value, p, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

#endif /* GPMU_SPE_H */
