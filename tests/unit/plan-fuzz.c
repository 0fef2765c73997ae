// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random damage to lists of metrics and events: what tests/fuzz/plan.c checks holds. It
 * ends the program where it does not. The random numbers are the same in each run.
 */
#include <stdlib.h>

#include "tap.h"

#define ROUNDS	5000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	"GraceMemBW,GraceMemReadLatency , ipc:u\n{nvidia_scf_pmu/cycles/,"
	"nvidia_pcie_pmu/cycles/}:u,task-clock",
	"grace_pcie/root_port=0x3,root_port=0x1/,GracePcieReadBW/root_port=0x3ff/:u",
	"grace_scf,grace_c2c0/port=0x1/,grace_0to1,part,whole",
	"GraceCnvlinkBW\n{inst_retired,task-clock,duration_time},cycles,cycles",
};

static const char *const tokens[] = {
	",", "/", ":", "{", "}", "=", "\n", " ", "//", ":u", "root_port=", "port=1", "0x3ff", "*",
	"GraceMemBW", "grace_1to0", "whole", "nvidia_scf_pmu_0/", "cycles", "\303\251", "@", "\\",
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
	for (uint32_t n = random_below(5); n && len; n--) {
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
	ok(true, "%d damaged lists are planned or refused", ROUNDS);
	return done_testing();
}
