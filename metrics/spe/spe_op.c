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
	{ .op_class = GPMU_SPE_OTHER, .mask = 0xf8, .name = "OTHER",
	  .flags = { [0] = GPMU_SPE_OP_COND, [1] = GPMU_SPE_OP_FP, [2] = GPMU_SPE_OP_ASE } },
	{ .op_class = GPMU_SPE_OTHER, .mask = 0x89, .match = 0x08, .name = "SVE-OTHER", .length = VECTOR_LENGTH,
	  .flags = { [1] = GPMU_SPE_OP_FP, [2] = GPMU_SPE_OP_PRED } },
	{ .op_class = GPMU_SPE_OTHER, .mask = 0x89, .match = 0x88, .name = "SME-OTHER", .length = TILE_SIZE,
	  .flags = { [1] = GPMU_SPE_OP_FP } },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xfe, .name = "GP-REG" },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xfe, .match = 0x04, .name = "SIMD-FP" },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xfe, .match = 0x10, .name = "UNSPEC-REG" },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xfe, .match = 0x30, .name = "NV-SYSREG" },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xfe, .match = 0x14, .name = "MTE-TAG" },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xfe, .match = 0x20, .name = "MEMCPY" },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xff, .match = 0x25, .name = "MEMSET" },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xe2, .match = 0x02, .name = "",
	  .flags = { [2] = GPMU_SPE_OP_ATOMIC, [3] = GPMU_SPE_OP_EXCLUSIVE, [4] = GPMU_SPE_OP_ORDERED } },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0x0a, .match = 0x08, .name = "SVE-SME-REG", .length = VECTOR_LENGTH,
	  .flags = { [2] = GPMU_SPE_OP_PRED, [7] = GPMU_SPE_OP_GATHER } },
	{ .op_class = GPMU_SPE_MEMORY, .mask = 0xfa, .match = 0x40, .name = "GCS",
	  .flags = { [2] = GPMU_SPE_OP_COMMON } },
	{ .op_class = GPMU_SPE_BRANCH, .mask = 0x00, .name = "",
	  .flags = { [0] = GPMU_SPE_OP_COND, [1] = GPMU_SPE_OP_INDIRECT, [2] = GPMU_SPE_OP_GCS } },
};

/* By bits [4:3] of a branch */
static const uint16_t branch_flags[] = {
	0, GPMU_SPE_OP_CALL, GPMU_SPE_OP_RETURN, GPMU_SPE_OP_JUMP,
};

static unsigned int bits_of(const struct form *form, unsigned int payload)
{
	if (form->length == TILE_SIZE)
		return 128u << ((payload >> 4 & 7) << 1 | (payload >> 2 & 1));
	return form->length == VECTOR_LENGTH ? 32u << (payload >> 4 & 7) : 0;
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
