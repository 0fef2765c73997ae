// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any bytes are read as a cubin. Each instruction of its functions has at most as many lines as there is room for, with
 * a file.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/cubin/profile_cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sum;	/* keeps the reads */

static void must(int promise)
{
	if (!promise)
		abort();
}

static void find(const struct profile_cubin *cubin, const char *function)
{
	struct gpmu_recorder_line lines[GPMU_RECORDER_LINES];

	for (uint64_t offset = 0; offset < 0x800; offset += 16) {
		size_t n = profile_cubin_lines(cubin, function, offset, lines);

		must(n <= GPMU_RECORDER_LINES);
		for (size_t i = 0; i < n; i++) {
			must(lines[i].line > 0);
			sum += strlen(lines[i].file) + (lines[i].function ? strlen(lines[i].function) : 0);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_cubin *cubin = profile_cubin_new(data, size);

	must(cubin != NULL);
	find(cubin, "jit_k");
	find(cubin, "_Z3runPfi");
	profile_cubin_free(cubin);
	return 0;
}
