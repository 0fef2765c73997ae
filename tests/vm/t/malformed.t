#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board malformed
#: scenario steady
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 7.3-16k 7.3-rt 6.12
#: timeout 300
#
# An APMT with malformed nodes between valid ones. On 6.1 our driver creates the devices,
# up to the first node that does not fit. Later kernels create a device for each node, and our
# driver checks the node of each.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

if [ "$KERNEL" = 6.1 ]; then
	# 36 (0x24) + 56
	lines="APMT node at offset 0x5c does not fit: it and all nodes after it are skipped"
	is "$(dmesg | sed -n 's/.*grace-cspmu: //p')" "$lines" "a node that is too short for its fields ends the walk, which is logged once"
	want=nvidia_scf_pmu_0
	clock="nvidia_scf_pmu_0 3200 1250"
	count=1
else
	for n in 1 4 13; do
		is "$(line_of $n)" "no valid APMT node describes this device" \
			"a node that is too short, or that the end of the table cuts, is logged once ($n)"
	done
	for n in 6 7; do
		is "$(line_of $n)" "page 0 has no valid address" "a node whose page has no address or is not aligned is logged once ($n)"
	done
	is "$(line_of 8)" "cannot map page 0" "a node whose page is beyond the physical address space is logged once (8)"
	is "$(line_of 10)" "page 1 has no valid address" "a node whose second page has no address is logged once (10)"
	is "$(line_of 11)" "PMCFGR 00007fff: 255 event counters of 64 bits are not supported" "a PMU of 255 event counters is logged once (11)"
	want="nvidia_cnvlink_pmu_1 nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c0_pmu_1 nvidia_nvlink_c2c1_pmu_0 nvidia_scf_pmu_0 nvidia_scf_pmu_1"
	clock="nvidia_scf_pmu_1 2800 550"
	count=$(dmesg | grep -c grace-cspmu)
fi
is "$(cd $pmus && echo nvidia_*)" "$want" "each node that the kernel or the driver made a device for, and that is valid, is a PMU"
is "$(model illegal)" 0 "the driver made no illegal register access"
model start steady
# shellcheck disable=SC2086 # three words
set -- $clock
is "$(evt -t 100 "{" "$1/cmem_rd_access/" "$1/cycles/" "}" |
	awk -v clock="$2" '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * clock }')" "$3" "a PMU beside malformed nodes counts"
driver_unload && driver_load
ok $? "the driver unloads and loads again"
is "$(dmesg | grep -c grace-cspmu)" $((2 * count)) "the driver logs the same messages at the second load"
is "$(cd $pmus && echo nvidia_*)" "$want" "the driver has the same PMUs after the second load"
done_testing
