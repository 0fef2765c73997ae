// SPDX-License-Identifier: LGPL-2.1-or-later
/* Short texts of tiers, homes and operations, by which samples are named and counted */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "spe/gpmu_spe.h"

void gpmu_spe_tier_label(const struct gpmu_spe_tier *tier, char *text, size_t size)
{
	if (tier->is_bound)
		snprintf(text, size, "store: %s", tier->name);
	else if (tier->number >= 0)
		snprintf(text, size, "%s (0x%llx)", tier->name, (unsigned long long)tier->number);
	else
		snprintf(text, size, "%s", tier->name);
}

void gpmu_spe_home_label(const struct gpmu_spe_home *home, char *text, size_t size)
{
	if (home->node >= 0)
		snprintf(text, size, "%s (node %d)", home->name, home->node);
	else
		snprintf(text, size, "%s", home->name);
}

static const char *class_of(const struct gpmu_spe_op *op)
{
	if (op->op_class == GPMU_SPE_MEMORY)
		return op->flags & GPMU_SPE_OP_STORE ? "store" : "load";
	return op->op_class == GPMU_SPE_BRANCH ? "branch" : op->op_class == GPMU_SPE_OTHER ? "other" : "reserved";
}

void gpmu_spe_op_label(uint64_t value, char *text, size_t size)
{
	static const struct { unsigned int flag; const char *name; } flags[] = {
		{ GPMU_SPE_OP_ATOMIC, "atomic" }, { GPMU_SPE_OP_EXCLUSIVE, "exclusive" },
		{ GPMU_SPE_OP_ORDERED, "acquire-release" }, { GPMU_SPE_OP_COND, "conditional" },
		{ GPMU_SPE_OP_INDIRECT, "indirect" }, { GPMU_SPE_OP_FP, "floating point" }, { GPMU_SPE_OP_ASE, "SIMD" },
		{ GPMU_SPE_OP_PRED, "predicated" }, { GPMU_SPE_OP_GATHER, "gather" }, { GPMU_SPE_OP_CALL, "call" },
		{ GPMU_SPE_OP_RETURN, "return" },
	};
	const struct gpmu_spe_op op = gpmu_spe_op(value);

	snprintf(text, size, "%s%s%s", class_of(&op), *op.name ? " " : "", op.name);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (op.flags & flags[i].flag)
			snprintf(text + strlen(text), size - strlen(text), ", %s", flags[i].name);
}
