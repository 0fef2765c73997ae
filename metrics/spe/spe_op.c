// SPDX-License-Identifier: LGPL-2.1-or-later
/* Operation packets, and the events of events packets */
#include "base/array.h"
#include "spe/gpmu_spe.h"

/* Bits [6:4] are the effective vector length; [6:4] and [2] the tile size of SME. */
enum length_kind { NO_LENGTH, VECTOR_LENGTH, TILE_SIZE };

/* A subclass: payloads that match under the mask. They do not overlap. */
static const struct form {
	uint8_t op_class, mask, match;
	const char *name;
	enum length_kind length;
	uint16_t flags[8];	/* of each bit of the payload */
} forms[] = {
	{ GPMU_SPE_OTHER, 0xf8, 0x00, "OTHER", NO_LENGTH,
	  { [0] = GPMU_SPE_OP_COND, [1] = GPMU_SPE_OP_FP, [2] = GPMU_SPE_OP_ASE } },
	{ GPMU_SPE_OTHER, 0x89, 0x08, "SVE-OTHER", VECTOR_LENGTH,
	  { [1] = GPMU_SPE_OP_FP, [2] = GPMU_SPE_OP_PRED } },
	{ GPMU_SPE_OTHER, 0x89, 0x88, "SME-OTHER", TILE_SIZE, { [1] = GPMU_SPE_OP_FP } },
	{ GPMU_SPE_MEMORY, 0xfe, 0x00, "GP-REG", NO_LENGTH, { 0 } },
	{ GPMU_SPE_MEMORY, 0xfe, 0x04, "SIMD-FP", NO_LENGTH, { 0 } },
	{ GPMU_SPE_MEMORY, 0xfe, 0x10, "UNSPEC-REG", NO_LENGTH, { 0 } },
	{ GPMU_SPE_MEMORY, 0xfe, 0x30, "NV-SYSREG", NO_LENGTH, { 0 } },
	{ GPMU_SPE_MEMORY, 0xfe, 0x14, "MTE-TAG", NO_LENGTH, { 0 } },
	{ GPMU_SPE_MEMORY, 0xfe, 0x20, "MEMCPY", NO_LENGTH, { 0 } },
	{ GPMU_SPE_MEMORY, 0xff, 0x25, "MEMSET", NO_LENGTH, { 0 } },
	{ GPMU_SPE_MEMORY, 0xe2, 0x02, "", NO_LENGTH,
	  { [2] = GPMU_SPE_OP_ATOMIC, [3] = GPMU_SPE_OP_EXCLUSIVE, [4] = GPMU_SPE_OP_ORDERED } },
	{ GPMU_SPE_MEMORY, 0x0a, 0x08, "SVE-SME-REG", VECTOR_LENGTH,
	  { [2] = GPMU_SPE_OP_PRED, [7] = GPMU_SPE_OP_GATHER } },
	{ GPMU_SPE_MEMORY, 0xfa, 0x40, "GCS", NO_LENGTH, { [2] = GPMU_SPE_OP_COMMON } },
	{ GPMU_SPE_BRANCH, 0x00, 0x00, "", NO_LENGTH,
	  { [0] = GPMU_SPE_OP_COND, [1] = GPMU_SPE_OP_INDIRECT, [2] = GPMU_SPE_OP_GCS } },
};

/* By bits [4:3] of a branch */
static const uint16_t branch_flags[] = {
	0, GPMU_SPE_OP_CALL, GPMU_SPE_OP_RETURN, GPMU_SPE_OP_JUMP,
};

static unsigned int bits_of(const struct form *form, unsigned int payload)
{
	switch (form->length) {
	case VECTOR_LENGTH:
		return 32u << (payload >> 4 & 7);
	case TILE_SIZE:
		return 128u << ((payload >> 4 & 7) << 1 | (payload >> 2 & 1));
	default:
		return 0;
	}
}

struct gpmu_spe_op gpmu_spe_op(uint64_t value)
{
	const unsigned int payload = value >> 8 & 0xff;
	struct gpmu_spe_op op = { .op_class = value & 3, .name = "" };

	if (op.op_class == GPMU_SPE_MEMORY && payload & 1)
		op.flags = GPMU_SPE_OP_STORE;
	if (op.op_class == GPMU_SPE_BRANCH)
		op.flags = branch_flags[payload >> 3 & 3];
	for (const struct form *form = forms; form < forms + ARRAY_SIZE(forms); form++) {
		if (form->op_class != op.op_class || (payload & form->mask) != form->match)
			continue;
		op.is_known = 1;
		op.name = form->name;
		op.bits = bits_of(form, payload);
		for (unsigned int bit = 0; bit < 8; bit++)
			op.flags |= payload >> bit & 1 ? form->flags[bit] : 0;
		break;
	}
	return op;
}

static const char *const events[] = {
	[0] = "EXCEPTION-GEN",
	[1] = "RETIRED",
	[2] = "L1D-ACCESS",
	[3] = "L1D-REFILL",
	[4] = "TLB-ACCESS",
	[5] = "TLB-REFILL",
	[6] = "NOT-TAKEN",
	[7] = "MISPRED",
	[8] = "LLC-ACCESS",
	[9] = "LLC-REFILL",
	[10] = "REMOTE-ACCESS",
	[11] = "ALIGNMENT",
	[16] = "TXN",
	[17] = "SVE-PARTIAL-PRED",
	[18] = "SVE-EMPTY-PRED",
	[19] = "L2D-ACCESS",
	[20] = "L2D-MISS",
	[21] = "HITM",
	[22] = "LFB",
	[23] = "SNOOPED",
	[24] = "STREAMING-SVE",
	[25] = "SMCU",
};

const char *gpmu_spe_event(unsigned int bit)
{
	return bit < ARRAY_SIZE(events) ? events[bit] : NULL;
}
