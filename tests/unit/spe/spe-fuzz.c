// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records with random damage: bits, first bytes of packets, pieces missing or repeated. The fuzzer's target makes the
 * checks and ends the program if one fails.
 */
#include "spe-test.h"
#include "damage.h"

static const char *const tokens[] = {
	"\xb0", "\x71", "\x01", "\x49", "\x52\x16", "\x62", "\x20\xb3", "\x21", "\xff", "\x80", "\x9f", "\x64", "\x43\x0b",
	"\x01\x01\x01\x01\x01\x01\x01\x01",
};

int main(void)
{
	static struct stream stream;
	char text[DAMAGE_MAX];

	for (int i = 0; i < 20000; i++) {
		size_t length;

		stream.length = 1;
		*stream.bytes = (uint8_t)spe_random();
		for (int n = 0; n < 12; n++) {
			struct gpmu_spe_record record = random_slot(i & 1, i & 2);

			put_slot(&stream, &record, i & 2);
		}
		memcpy(text, stream.bytes, stream.length);
		length = damage(text, stream.length, sizeof(text), tokens, DAMAGE_LENGTH(tokens), 4);
		LLVMFuzzerTestOneInput((const uint8_t *)text, length);
	}
	ok(true, "spe: 20000 damaged streams give the same records whatever the chunks");
	return done_testing();
}
