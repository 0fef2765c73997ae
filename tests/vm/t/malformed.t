#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board malformed
#: scenario steady
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug
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
# node N, except that node 1 has 40 bytes and node 3 has 60
node() {
	dmesg | sed -n "s/.*grace-cspmu.*: APMT node at offset $1: //p" | sed 's/, skipped$//'
}
is "$(node 0x5c)" "length is too short (0x28)" "node 1, too short for its fields, is logged once"
if [ -e /sys/bus/platform/devices/arm-cs-arch-pmu.0.auto ]; then
	like "$(node 0xf8)$(line_of 12)" "^(error -EBUSY: )?can't request region for resource .mem 0x3d980000-0x3d980fff.$" \
		"a device without its node's id is assigned to the valid node at its address, not to the malformed one (4, 12)"
	like "$(line_of 4)" "^interrupt [0-9]+ refused \(-6\): counting without it" "the interrupt of a malformed node is not used for the valid node at its address (4)"
	lines=9
else
	is "$(node 0xf8)" "unknown type (0x9)" "node 4, of a type that DEN0117 does not define, is logged once"
	is "$(line_of 12)" "" "node 12, at the address of malformed node 4, logs nothing"
	lines=8
fi
is "$(node 0x168)" "invalid address of page 0 (0x0)" "node 6, without an address, is logged once"
is "$(node 0x1a0)" "invalid address of page 0 (0x3d0c0010)" "node 7, with an unaligned address, is logged once"
is "$(node 0x1d8)" "invalid address of page 0 (0xff00000000000000)" \
	"node 8, with an address beyond the physical address space, is logged once"
is "$(node 0x248)" "invalid address of page 1 (0x0)" "node 10, without an address of its second page, is logged once"
is "$(node 0x2f0)" "length runs past the end of the table (0x38)" "node 13, which extends past the end of the table, is logged once"
is "$(line_of 11)" "invalid PMCFGR 00007fff: 256 counters of 64 bits do not fit into the page" \
	"PMU 11, with 256 counters in PMCFGR, is logged once"
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
