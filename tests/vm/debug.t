#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The debug kernel's configuration: the required options, and the refusal of a
# configuration that lacks one.
. tests/lib/tap.sh

fragment=tests/vm/debug.config
config=$(mktemp)
trap 'rm -f "$config"' EXIT

for option in KASAN PROVE_LOCKING PROVE_RCU PROVE_RAW_LOCK_NESTING DEBUG_ATOMIC_SLEEP DEBUG_KMEMLEAK \
	      DEBUG_OBJECTS_TIMERS DEBUG_OBJECTS_FREE DEBUG_PREEMPT UBSAN SLUB_DEBUG_ON FAILSLAB; do
	grep -qx "CONFIG_$option=y" $fragment
	ok $? "debug kernel: debug.config sets $option"
done
is "$(grep '^CONFIG' $fragment | sed 's/=.*//' | sort | uniq -d)" "" "debug kernel: debug.config has no option twice"

grep '^CONFIG.*[^n]$' $fragment > "$config"
is "$(tests/vm/debug-kernel --check "$config" 2>&1)" "" "debug kernel: a configuration with all options is accepted"

sed -i 's/^CONFIG_PROVE_RCU=y/# CONFIG_PROVE_RCU is not set/; s/^CONFIG_KASAN_INLINE=y//' "$config"
found=$(tests/vm/debug-kernel --check "$config" 2>&1)
is $? 1 "debug kernel: a configuration without PROVE_RCU is refused"
like "$found" "debug.config:[0-9]+: CONFIG_PROVE_RCU=y: not in" "debug kernel: the refusal names PROVE_RCU and its line in debug.config"
like "$found" "debug.config:[0-9]+: CONFIG_KASAN_INLINE=y: not in" "debug kernel: the refusal names every missing option"

grep '^CONFIG.*[^n]$' $fragment > "$config"
echo CONFIG_SUSPEND=y >> "$config"
like "$(tests/vm/debug-kernel --check "$config" 2>&1)" "CONFIG_SUSPEND=n: is CONFIG_SUSPEND=y" \
	"debug kernel: a configuration with an option that must be off is refused"
done_testing
