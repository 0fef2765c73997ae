// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random damage to events: what tests/fuzz/event.c checks holds. It ends the
 * program where it does not. The random numbers are the same in each run.
 */
#include <stdlib.h>

#include "tap.h"

#define ROUNDS	10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	"nvidia_scf_pmu_0/event\\=cycles/,{cycles:u,nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3/}:W",
	"nvidia_*_pmu_?/cmem_rd_data,name='a,b'/e,cpu/event=0x3c,umask=1,edge,inv/ukp",
	"r11,perf::CYCLES:u,perf::INSTRUCTIONS,perf_raw::r1b,duration_time,L1-dcache-load-misses:k",
	"sched:sched_switch,group{instructions:pp,LLC-misses-store},mem:0x10/8:rw,cs",
	"cmem_rd_data/config1=0x5,config=1/D,default_core/cycles/,tool/user_time/,imc/data_reads/",
};

static const char *const tokens[] = {
	"/", "//", ":", "::", ",", "{", "}", "\\", "'", "=", "*", "?", "[", "0x",
	"18446744073709551616", "u", "ukhGHIpDeWX", "S", "config=", "config3=1", "event=",
	"cycles", "perf::", "mem:", "r",
	"nvidia_", "_0", "uncore_", "name=", "period=1", " ", "\n", "\303\251", "%s%n",
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
	ok(true, "%d damaged events are events or refused", ROUNDS);
	return done_testing();
}
