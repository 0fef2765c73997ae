// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fnmatch.h>

#include "base/array.h"
#include "section/gpmu_section.h"

/* Compute capabilities of chips (CUDA's list of GPUs, and its programming guide) */
static const struct {
	const char *chips;
	int arch;
} archs[] = {
	{ "GV100", 70 }, { "GV11B", 72 }, { "TU1[01][0-9]", 75 }, { "GA100", 80 }, { "GA10[2-7]", 86 }, { "GA10B", 87 },
	{ "AD10[0-9]", 89 }, { "GH100", 90 }, { "GB10[02]", 100 }, { "GB11[02]", 103 }, { "GB10B", 110 }, { "GB20[0-9]", 120 },
	{ "GB20B", 121 },
};

int gpmu_section_arch(const char *chip)
{
	for (size_t i = 0; chip && i < ARRAY_SIZE(archs); i++)
		if (!fnmatch(archs[i].chips, chip, 0))
			return archs[i].arch;
	return 0;
}
