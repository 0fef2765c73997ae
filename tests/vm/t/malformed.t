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
# An APMT with malformed nodes between valid ones. On 6.1 our driver parses the
# table. Later kernels create devices for all nodes, and our driver validates the
# node of each device.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# node OFFSET: the messages about the node at OFFSET, which is 36 (0x24) + 56 x N for
# node N, except that nodes 1 and 4 have 40 bytes and node 3 has 60
malformed="1 4 6 7 8 10 13"
node() {
	dmesg | sed -n "s/.*grace-cspmu: APMT node at offset $1: //p"
}
is "$(node 0x5c)" "length is too short (0x28), skipped" "node 1, too short for its fields, is logged once"
is "$(node 0xf8)" "length is too short (0x28), skipped" "node 4, at the address of node 12, is logged once"
is "$(node 0x158)" "invalid address of page 0 (0x0), skipped" "node 6, without an address, is logged once"
is "$(node 0x190)" "invalid address of page 0 (0x3d0c0010), skipped" "node 7, with an unaligned address, is logged once"
is "$(node 0x1c8)" "invalid address of page 0 (0xff00000000000000), skipped" \
	"node 8, with an address beyond the physical address space, is logged once"
is "$(node 0x238)" "invalid address of page 1 (0x0), skipped" "node 10, without an address of its second page, is logged once"
is "$(node 0x2e0)" "length runs past the end of the table (0x38), skipped" \
	"node 13, which extends past the end of the table, is logged once"
is "$(line_of 11)" "invalid PMCFGR 00007fff: 256 counters of 64 bits do not fit into the page" \
	"PMU 11, with 256 counters in PMCFGR, is logged once"
lines=8
if [ "$KERNEL" != 6.1 ]; then
	for n in 1 6 7 8 10 13; do
		is "$(line_of $n)" "no valid APMT node describes this device" "the kernel's device of malformed node $n is not driven"
	done
	like "$(line_of 12)" "^(error -(EBUSY|16): )?can't request region for resource .mem 0x3d980000-0x3d980fff.$" \
		"the device of a malformed node is assigned to the valid node at its address (4, 12)"
	like "$(line_of 4)" "^interrupt [0-9]+ refused \(-6\): counting without it" "the interrupt of a malformed node is not used for the valid node at its address (4)"
	lines=16
fi
is "$(dmesg | grep -c grace-cspmu)" $lines "no other node is logged"

is "$(cd $pmus && echo nvidia_*)" "nvidia_cnvlink_pmu_1 nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c0_pmu_1 \
nvidia_nvlink_c2c1_pmu_0 nvidia_scf_pmu_0 nvidia_scf_pmu_1" \
	"each valid node is a PMU, also after an invalid length, and a malformed node does not change names (4, 12)"
is "$(model illegal)" 0 "the driver made no illegal register access"
model start steady
is "$(evt -t 100 "{" nvidia_scf_pmu_1/cmem_rd_access/ nvidia_scf_pmu_1/cycles/ "}" \
	"{" nvidia_nvlink_c2c0_pmu_0/rd_req_loc/ nvidia_nvlink_c2c0_pmu_0/cycles/ "}" |
	awk '{ v[NR] = $1 } END { printf "%.0f %.0f", v[1] / v[2] * 2800, v[3] / v[4] * 1600 }')" "550 25" "PMUs between malformed nodes count"
driver_unload && driver_load
ok $? "the driver unloads and loads again"
is "$(dmesg | grep -c grace-cspmu)" $((2 * lines)) "the driver logs the same messages at the second load"
is "$(cd $pmus && echo nvidia_* | wc -w)" 6 "the driver has the same PMUs after the second load"
done_testing
