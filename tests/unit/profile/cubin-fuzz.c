// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cubins with random damage. The fuzzer's target makes the checks and ends the program if one fails. Most damage is in
 * the tables that are read: an ELF file has its table of sections at the end, so bytes are changed and none are
 * inserted.
 */
#include <stdlib.h>

#include "damage.h"

#define ROUNDS	3000

static size_t read_cubin(const char *path, char *bytes, size_t max)
{
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(bytes, 1, max, file) : 0;

	if (file)
		fclose(file);
	return size;
}

static void change(char *bytes, size_t size)
{
	for (uint32_t n = 1 + random_below(8); n; n--) {
		size_t pos = random_below(size);

		bytes[pos] = random_below(2) ? (char)random_below(256) : random_below(2) ? (char)0xff : 0;
	}
}

static void damage_cubin(const char *path)
{
	static char original[1 << 14], bytes[1 << 14];
	size_t size = read_cubin(path, original, sizeof(original));

	for (int i = 0; i < ROUNDS && size; i++) {
		memcpy(bytes, original, size);
		change(bytes, size);
		LLVMFuzzerTestOneInput((const uint8_t *)bytes, random_below(8) ? size : random_below(size));
	}
	ok(size > 1000, "cubin: %d damaged copies of %s are read", ROUNDS, path);
}

int main(void)
{
	damage_cubin("tests/data/gpu/cubin_inlined.bin");
	damage_cubin("tests/data/gpu/cubin_78b27b28.bin");
	return done_testing();
}
