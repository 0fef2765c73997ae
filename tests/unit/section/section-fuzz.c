// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Randomly damaged section files keep the properties that tests/fuzz/section.c checks; it aborts otherwise. The random
 * numbers are the same in each run.
 */
#include "damage.h"

#define ROUNDS	20000

static const char *const seeds[] = {
	"Identifier: \"A\"\nDisplayName: 'x' \"y\\x41\\101\"\nOrder: 3\nHeader { Metrics { Name: \"m\" Filter { MinArch: CC_75 Items "
	"{ MaxArch: CC_90 } } Options { Name: \"o\" Filter { MinKmd: 570.1 VGpu: true } } Groups: \"g\" Groups: \"h\" Multiplier: -0.5 } }",
	"Identifier: \"B\" Body { Items { Table { Metrics { Name: \"regex:.*_sum\" } } } Items < SuffixTable { BaseNames { BaseName "
	"{ Name: \"b\" } } Suffixes { Suffix { Name: \".avg\" } } }> } # end\n",
	"Identifier: \"C\" MetricDefinitions { MetricDefinitions { Name: \"d\" Expression: \"nan_as_zero(a) / (b + 2.5) - simplify(c) * 3\" } } Metrics { Metrics { Name: \"d\" "
	"Filter { CollectionFilter { CollectionScopes: [CollectionScope_Range, CollectionScope_Launch] Importance: Required } } } }",
};

static const char *const tokens[] = {
	"{", "}", "<", ">", "[", "]", ":", ",", ";", "-", "\"", "'", "\\", "\\x", "\\777", "\\u12", "#", "\n", "0x", "1e999", "08",
	"inf", "Filter {", "Items {", "Name: \"", "regex:", "regex:(*[", "Unknown: 3", "[a.b/c]: ", "{ {", "\303\251", "true", "CC_",
	"CC_1000", "Order: ", "a / ", "nan_as_zero(", "simplify(", " + ", "99999999999999999999",
};

int main(void)
{
	damage_replay(seeds, DAMAGE_LENGTH(seeds), tokens, DAMAGE_LENGTH(tokens), ROUNDS);
	ok(true, "section: %d damaged section files are read or refused", ROUNDS);
	return done_testing();
}
