// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Randomly damaged lists of metrics and events keep the properties that tests/fuzz/plan.c checks;
 * it aborts otherwise. The random numbers are the same in each run.
 */
#include "damage.h"

#define ROUNDS	5000

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

int main(void)
{
	damage_replay(seeds, DAMAGE_LENGTH(seeds), tokens, DAMAGE_LENGTH(tokens), ROUNDS);
	ok(true, "plan: %d damaged lists are planned or refused", ROUNDS);
	return done_testing();
}
