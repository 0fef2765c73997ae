#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The debug kernel's configuration: what it asks for, and that a kernel which
# lacks any of it is not taken for a debug kernel.
. tests/lib/tap.sh

fragment=tests/vm/debug.config
config=$(mktemp)
trap 'rm -f "$config"' EXIT

for option in KASAN PROVE_LOCKING PROVE_RCU PROVE_RAW_LOCK_NESTING DEBUG_ATOMIC_SLEEP DEBUG_KMEMLEAK \
	      DEBUG_OBJECTS_TIMERS DEBUG_OBJECTS_FREE DEBUG_PREEMPT UBSAN SLUB_DEBUG_ON FAILSLAB; do
	grep -qx "CONFIG_$option=y" $fragment
	ok $? "the debug kernel has $option"
done
is "$(grep '^CONFIG' $fragment | sed 's/=.*//' | sort | uniq -d)" "" "no option is asked for twice"

grep '^CONFIG.*[^n]$' $fragment > "$config"
is "$(tests/vm/debug-kernel --check "$config" 2>&1)" "" "a configuration with all options passes"

sed -i 's/^CONFIG_PROVE_RCU=y/# CONFIG_PROVE_RCU is not set/; s/^CONFIG_KASAN_INLINE=y//' "$config"
found=$(tests/vm/debug-kernel --check "$config" 2>&1)
is $? 1 "one without PROVE_RCU is refused"
like "$found" "debug.config:[0-9]+: CONFIG_PROVE_RCU=y: not in" "the refusal names PROVE_RCU and where it is asked for"
like "$found" "debug.config:[0-9]+: CONFIG_KASAN_INLINE=y: not in" "the refusal names every missing option"

grep '^CONFIG.*[^n]$' $fragment > "$config"
echo CONFIG_SUSPEND=y >> "$config"
like "$(tests/vm/debug-kernel --check "$config" 2>&1)" "CONFIG_SUSPEND=n: is CONFIG_SUSPEND=y" \
	"an option that has to be off is refused when on"
done_testing
