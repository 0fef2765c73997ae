// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A report with random damage: bits, field numbers, lengths, pieces missing or repeated. The fuzzer's target makes the
 * checks and ends the program if one fails.
 */
#include "damage.h"
#include "ncurep-test.h"

static const char *const tokens[] = {
	"\x08\x01", "\x10\x02", "\x6a", "\x1a\x02", "\x0a", "\xaa\x01", "\xff\xff\xff\xff\x7f", "\x7f", "NVR", "\x28\x7f", "\x08\x63",
};

int main(void)
{
	char seed[DAMAGE_MAX], text[DAMAGE_MAX];
	size_t length;
	uint8_t *data = ncurep_write(sample, &length);

	ok(length > 1000 && length < DAMAGE_MAX / 2, "report: the sample has more than 1000 bytes");
	memcpy(seed, data, length < sizeof(seed) ? length : sizeof(seed));
	free(data);
	for (int i = 0; i < 20000; i++) {
		size_t n;

		memcpy(text, seed, length);
		n = damage(text, length, sizeof(text), tokens, DAMAGE_LENGTH(tokens), 4);
		LLVMFuzzerTestOneInput((const uint8_t *)text, n);
	}
	ok(true, "report: 20000 damaged reports are read up to the damage or refused");
	return done_testing();
}
