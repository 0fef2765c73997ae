// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Dumps and maps of a just-in-time compiler with random damage. The fuzzer's target makes the checks and ends the
 * program if one fails.
 */
#include "damage.h"
#include "jitdump-test.h"

static const char *const maps[] = {
	"1000 40 alpha\n2000 20 beta\n", "7f0000001000 1f0 void Foo::bar(int)\n7f0000002000 0 stub\n\n", "ffffffffffffff00 ffff last",
};

static const char *const map_tokens[] = { "0", "ffffffffffffffffff", " ", "\n", "\t", "-1", "0x", "\xff" };

static const char *const tokens[] = {
	"\xff\xff\xff\xff\xff\xff\xff\x7f", "\x01", "\x02", "\x10", "\x40", "\xff\xff", "name", "\x7f\xff\xff\xff",
};

int main(void)
{
	static struct made made;

	for (uint64_t flags = 0; flags < 2; flags++) {
		made.length = 0;
		put_jit_all(&made, flags);
		put_jit_unwinding(&made, "frames", 6, 20);
		put_jit_load(&made, "delta", 0x4000, 16, 4, 500);
		for (int i = 0; i < 10000; i++) {
			char bytes[DAMAGE_MAX];
			size_t n;

			memcpy(bytes, made.data, made.length);
			n = damage(bytes, made.length, sizeof(bytes), tokens, DAMAGE_LENGTH(tokens), 4);
			LLVMFuzzerTestOneInput((const uint8_t *)bytes, n);
		}
		ok(true, "jitdump: 10000 damaged copies of a dump with flags %d are read or refused", (int)flags);
	}
	damage_replay(maps, DAMAGE_LENGTH(maps), map_tokens, DAMAGE_LENGTH(map_tokens), 20000);
	ok(true, "jitdump: 20000 damaged copies of maps are read");
	return done_testing();
}
