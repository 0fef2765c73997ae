// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random damage to expressions: what tests/fuzz/expr.c checks holds. It ends the
 * program where it does not. The random numbers are the same in each run.
 */
#include <stdlib.h>

#include "tap.h"

#define ROUNDS	100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	"d_ratio(nvidia_scf_pmu@cmem_rd_outstanding@, nvidia_scf_pmu@event\\=cycles@) * 1e9",
	"(a + b) / #slots if #smt_on else max(c, d) - min(1.5e-3, -e) % 7",
	"a if has_event(b) & strcmp_cpuid_str(0x41) else 100 * (c | d ^ NaN) < hv@x\\,y\\=?@",
	"source_count(a) / aggr_nr(a) > 0.5",
};

static const char *const tokens[] = {
	"(", ")", "((((((((", " if ", " else ", "-", "*", "/", "%", "0", "1e", "1e-5", "1e999",
	"NaN", "#", "#x", "\\", "\\-", "?", ",", "@", "a", "has_event(", "max(", "\n", " ",
	"\303\251", "|", "&",
};

static uint64_t state = 88172645463325252ull;

/* xorshift64 */
static uint32_t random_below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % n);
}

static size_t damage(char *text, size_t len, size_t max)
{
	for (uint32_t n = random_below(6); n && len; n--) {
		const char *token = tokens[random_below(sizeof(tokens) / sizeof(tokens[0]))];
		size_t at = random_below(len), add = strlen(token), cut = 1 + random_below(20);

		switch (random_below(8)) {
		case 0:
			text[at] = (char)random_below(256);
			break;
		case 1:
			len = at;
			break;
		case 2:
		case 3:
			if (cut > len - at)
				cut = len - at;
			memmove(text + at, text + at + cut, len - at - cut);
			len -= cut;
			break;
		default:
			if (len + add > max)
				break;
			memmove(text + at + add, text + at, len - at);
			memcpy(text + at, token, add);
			len += add;
		}
	}
	return len;
}

int main(void)
{
	char text[512];

	for (int i = 0; i < ROUNDS; i++) {
		const char *seed = seeds[random_below(sizeof(seeds) / sizeof(seeds[0]))];
		size_t len = strlen(seed);

		memcpy(text, seed, len);
		len = damage(text, len, sizeof(text));
		LLVMFuzzerTestOneInput((const uint8_t *)text, len);
	}
	ok(true, "%d damaged expressions are evaluated or refused", ROUNDS);
	return done_testing();
}
