// SPDX-License-Identifier: LGPL-2.1-or-later
/* First bytes of packets. Bits [5:4] of those from 0x40 to 0xbf are the size of the payload. */
#include "spe/spe.h"

#define MASK(size)		((size) == 8 ? ~0ull : (1ull << ((size) & 7) * 8) - 1)
#define PACKET(what, size, handler, indexed) \
	{ .mask = MASK(size), .action = (handler), .length = 1 + (size), .from = 1, \
	  .kind = GPMU_SPE_PACKET_##what, .index = (indexed) }
/* The class is in the header. */
#define OPERATION		{ .mask = 0xff03, .action = GPMU_SPE_OP, .length = 2, .from = 0, \
				  .kind = GPMU_SPE_PACKET_OP, .index = 3 }
#define UNKNOWN(size)		PACKET(UNKNOWN, size, SPE_UNKNOWN, 0xff)
#define DAMAGE			{ .action = SPE_DAMAGE, .length = 1 }

const struct spe_header spe_headers[256] = {
	[0x00] = PACKET(PAD, 0, SPE_PAD, 0),
	[0x01] = PACKET(END, 0, SPE_END, 0),
	[0x02 ... 0x1f] = UNKNOWN(0),
	[0x20 ... 0x23] = { .action = SPE_EXTENDED, .length = 2 },
	[0x24 ... 0x3f] = DAMAGE,

	[0x40 ... 0x41] = UNKNOWN(1),
	[0x42] = PACKET(EVENTS, 1, GPMU_SPE_EVENTS, 0),
	[0x43] = PACKET(SOURCE, 1, GPMU_SPE_SOURCE, 0),
	[0x44 ... 0x47] = UNKNOWN(1),
	[0x48 ... 0x4b] = OPERATION,
	[0x4c ... 0x4f] = UNKNOWN(1),

	[0x50 ... 0x51] = UNKNOWN(2),
	[0x52] = PACKET(EVENTS, 2, GPMU_SPE_EVENTS, 0),
	[0x53] = PACKET(SOURCE, 2, GPMU_SPE_SOURCE, 0),
	[0x54 ... 0x5f] = UNKNOWN(2),

	[0x60 ... 0x61] = UNKNOWN(4),
	[0x62] = PACKET(EVENTS, 4, GPMU_SPE_EVENTS, 0),
	[0x63] = PACKET(SOURCE, 4, GPMU_SPE_SOURCE, 0),
	[0x64] = PACKET(CONTEXT, 4, GPMU_SPE_CONTEXT_EL1, 3),
	[0x65] = PACKET(CONTEXT, 4, GPMU_SPE_CONTEXT_EL2, 3),
	[0x66 ... 0x67] = PACKET(CONTEXT, 4, SPE_UNKNOWN, 3),
	[0x68 ... 0x6f] = UNKNOWN(4),

	[0x70] = UNKNOWN(8),
	[0x71] = PACKET(TIME, 8, GPMU_SPE_TIME, 0),
	[0x72] = PACKET(EVENTS, 8, GPMU_SPE_EVENTS, 0),
	[0x73] = PACKET(SOURCE, 8, GPMU_SPE_SOURCE, 0),
	[0x74 ... 0x7f] = UNKNOWN(8),

	[0x80 ... 0x8f] = UNKNOWN(1),

	[0x90 ... 0x97] = UNKNOWN(2),
	[0x98] = PACKET(COUNTER, 2, GPMU_SPE_TOTAL, 7),
	[0x99] = PACKET(COUNTER, 2, GPMU_SPE_ISSUE, 7),
	[0x9a] = PACKET(COUNTER, 2, GPMU_SPE_TRANSLATION, 7),
	[0x9b ... 0x9f] = PACKET(COUNTER, 2, SPE_UNKNOWN, 7),

	[0xa0 ... 0xaf] = UNKNOWN(4),

	[0xb0] = PACKET(ADDRESS, 8, GPMU_SPE_PC, 7),
	[0xb1] = PACKET(ADDRESS, 8, GPMU_SPE_TARGET, 7),
	[0xb2] = PACKET(ADDRESS, 8, GPMU_SPE_VA, 7),
	[0xb3] = PACKET(ADDRESS, 8, GPMU_SPE_PA, 7),
	[0xb4] = PACKET(ADDRESS, 8, GPMU_SPE_PREVIOUS, 7),
	[0xb5 ... 0xb7] = PACKET(ADDRESS, 8, SPE_UNKNOWN, 7),
	[0xb8 ... 0xbf] = UNKNOWN(8),

	[0xc0 ... 0xff] = DAMAGE,
};
