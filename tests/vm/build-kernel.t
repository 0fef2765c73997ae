#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The configurations of the kernels that build-kernel builds: the required options, and the
# refusal of a configuration that lacks one.
. tests/lib/tap.sh

base=tests/vm/kernel.config
config=$(mktemp)
trap 'rm -f "$config"' EXIT

# sets KERNEL OPTION...: tests that the fragments of KERNEL set the options
sets() {
	local kernel=$1 option

	shift
	for option; do
		grep -hqx "CONFIG_$option=y" $base "tests/vm/$kernel.config"
		ok $? "build-kernel: the configuration of $kernel sets $option"
	done
}

sets debug KASAN PROVE_LOCKING PROVE_RCU PROVE_RAW_LOCK_NESTING DEBUG_ATOMIC_SLEEP DEBUG_KMEMLEAK \
	DEBUG_OBJECTS_TIMERS DEBUG_OBJECTS_FREE DEBUG_PREEMPT UBSAN SLUB_DEBUG_ON FAILSLAB ARM64_PSEUDO_NMI
sets 64k ARM64_64K_PAGES ARM64_PSEUDO_NMI

for kernel in debug 64k; do
	is "$(cat $base tests/vm/$kernel.config | grep '^CONFIG' | sed 's/=.*//' | sort | uniq -d)" "" \
		"build-kernel: the configuration of $kernel has no option twice"
	cat $base tests/vm/$kernel.config | grep '^CONFIG.*[^n]$' > "$config"
	is "$(tests/vm/build-kernel $kernel --check "$config" 2>&1)" "" \
		"build-kernel: a configuration with all options of $kernel is accepted"
done

cat $base tests/vm/debug.config | grep '^CONFIG.*[^n]$' |
	sed 's/^CONFIG_PROVE_RCU=y/# CONFIG_PROVE_RCU is not set/; s/^CONFIG_ACPI_APMT=y//' > "$config"
found=$(tests/vm/build-kernel debug --check "$config" 2>&1)
is $? 1 "build-kernel: a configuration without PROVE_RCU is refused"
like "$found" "debug.config:[0-9]+: CONFIG_PROVE_RCU=y: not in" \
	"build-kernel: the refusal names PROVE_RCU and its line in debug.config"
like "$found" "kernel.config:[0-9]+: CONFIG_ACPI_APMT=y: not in" \
	"build-kernel: the refusal names every missing option, also of the shared fragment"
echo CONFIG_SUSPEND=y >> "$config"
like "$(tests/vm/build-kernel debug --check "$config" 2>&1)" "CONFIG_SUSPEND=n: is CONFIG_SUSPEND=y" \
	"build-kernel: a configuration with an option that must be off is refused"

found=$(tests/vm/build-kernel 7.3 2>&1)
is "$? ${found%% NAME*}" "2 usage: tests/vm/build-kernel" \
	"build-kernel: a kernel from packages is refused with the usage"
done_testing
