#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All metrics of Linux 7.3 are planned: those of each machine on that machine, and those of
# several other CPUs as if they were for the CPU of the machine.

. tests/lib/tap.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
arch=$cache/source/7.3/tools/perf/pmu-events/arch
dump=${B:-build}/tests/unit/plan/plan-dump
dir=$(mktemp -d) || bail "no temporary directory"
trap 'rm -rf "$dir"' EXIT

[ -x "$dump" ] || bail "no $dump"
for machine in laptop superchip-ours vm; do
	tests/sysroot/make "$machine" "$dir/$machine" || bail "no machine $machine"
done
# Files that Intel's metrics read
cpu=$dir/laptop/sys/devices/system/cpu
mkdir -p "$cpu/smt" && echo 1 > "$cpu/smt/active"
for topology in "$cpu"/cpu?/topology; do
	echo 0-7 > "$topology/die_cpus_list"
	echo 0-7 > "$topology/core_cpus_list"
done
printf 'model name\t: Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz\n' > "$dir/laptop/proc/cpuinfo"

if [ -e "$arch" ]; then
	for machine in laptop superchip-ours vm; do
		got=$("$dump" "$dir/$machine" "$arch" 2>&1)
		ok $? "plan: Linux 7.3's metrics for $machine are planned: ${got##*$'\n'}"
	done
	# Events from a folder outside arch/ are for every machine.
	for cpu in arm64/arm/neoverse-n2-v2 x86/skylake x86/emeraldrapids x86/amdzen5 \
		powerpc/power10 s390/cf_z16; do
		mkdir -p "$dir/all/$cpu"
		cp "$arch/$cpu"/*.json "$dir/all/$cpu"
		machine=laptop
		[[ $cpu != arm64/* ]] || machine=superchip-ours
		got=$("$dump" "$dir/$machine" "$dir/all/$cpu" 2>&1)
		ok $? "plan: Linux 7.3's metrics of $cpu are planned on $machine: ${got##*$'\n'}"
	done
else
	skip "no kernel source 7.3 in the cache" "plan: Linux 7.3's metrics are planned"
fi
done_testing
