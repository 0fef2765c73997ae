// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Randomly damaged expressions keep the properties that tests/fuzz/expr.c checks; it aborts
 * otherwise. The random numbers are the same in each run.
 */
#include "damage.h"

#define ROUNDS	100000

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

int main(void)
{
	damage_replay(seeds, DAMAGE_LENGTH(seeds), tokens, DAMAGE_LENGTH(tokens), ROUNDS);
	ok(true, "expr: %d damaged expressions are evaluated or refused", ROUNDS);
	return done_testing();
}
