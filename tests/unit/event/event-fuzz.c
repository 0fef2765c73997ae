// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Randomly damaged events keep the properties that tests/fuzz/event.c checks; it aborts
 * otherwise. The random numbers are the same in each run.
 */
#include "damage.h"

#define ROUNDS	10000

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

int main(void)
{
	damage_replay(seeds, DAMAGE_LENGTH(seeds), tokens, DAMAGE_LENGTH(tokens), ROUNDS);
	ok(true, "event: %d damaged events are accepted or refused", ROUNDS);
	return done_testing();
}
