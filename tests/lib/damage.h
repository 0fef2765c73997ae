/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random damage to texts, for fuzz tests of parsers. The sequence is the same in each run. */
#ifndef GPMU_TESTS_DAMAGE_H
#define GPMU_TESTS_DAMAGE_H

#include "tap.h"

#define DAMAGE_MAX	4096	/* bytes of a text */

#define DAMAGE_LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

/* xorshift64 */
static uint32_t random_below(size_t n)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % n);
}

/* Damages @length bytes at up to @places places. Returns the new length, at most @max. */
__attribute__((unused))
static size_t damage(char *text, size_t length, size_t max, const char *const *tokens,
		     size_t n_tokens, unsigned int places)
{
	for (uint32_t n = random_below(places + 1); n && length; n--) {
		const char *token = tokens[random_below(n_tokens)];
		size_t pos = random_below(length), add = strlen(token), cut = 1 + random_below(20);

		switch (random_below(8)) {
		case 0:
			text[pos] = (char)random_below(256);
			break;
		case 1:
			length = pos;
			break;
		case 2:
		case 3:
			if (cut > length - pos)
				cut = length - pos;
			memmove(text + pos, text + pos + cut, length - pos - cut);
			length -= cut;
			break;
		default:
			if (length + add > max)
				break;
			memmove(text + pos + add, text + pos, length - pos);
			memcpy(text + pos, token, add);
			length += add;
		}
	}
	return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Calls a fuzzer's entry point, which aborts if a property does not hold. */
__attribute__((unused))
static void damage_replay(const char *const *seeds, size_t n_seeds, const char *const *tokens,
			  size_t n_tokens, int rounds)
{
	char text[DAMAGE_MAX];

	for (int i = 0; i < rounds; i++) {
		const char *seed = seeds[random_below(n_seeds)];
		size_t length = strlen(seed);

		memcpy(text, seed, length);
		length = damage(text, length, sizeof(text), tokens, n_tokens, 4);
		LLVMFuzzerTestOneInput((const uint8_t *)text, length);
	}
}

#endif /* GPMU_TESTS_DAMAGE_H */
