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
# An APMT with nodes that firmware should not write, between good ones. On 6.1
# our driver walks the table; on later kernels the kernel does, makes devices of
# all nodes, and our driver looks at each one's node again.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# What the log says of the node at OFFSET: 36 (0x24) + 56 x N for node N, but
# node 1 has 40 bytes and node 3 has 60
node() {
	dmesg | sed -n "s/.*grace-cspmu.*: APMT node at offset $1: //p" | sed 's/, skipped$//'
}
is "$(node 0x5c)" "length is too short (0x28)" "node 1 is too short for its fields: one line"
if [ -e /sys/bus/platform/devices/arm-cs-arch-pmu.0.auto ]; then
	like "$(node 0xf8)$(line_of 12)" "^(error -EBUSY: )?can't request region for resource .mem 0x3d980000-0x3d980fff.$" \
		"devices without their nodes' ids: a bad node does not keep a good one at its address from being found (4, 12)"
	like "$(line_of 4)" "^interrupt [0-9]+ refused \(-6\): counting without it" "but its interrupt is not the good one's"
	lines=9
else
	is "$(node 0xf8)" "unknown type (0x9)" "node 4 has a type that DEN0117 does not define: one line"
	is "$(line_of 12)" "" "which is nothing to 12, at its address"
	lines=8
fi
is "$(node 0x168)" "invalid address of page 0 (0x0)" "node 6 has no address: one line"
is "$(node 0x1a0)" "invalid address of page 0 (0x3d0c0010)" "node 7 has an unaligned address: one line"
is "$(node 0x1d8)" "invalid address of page 0 (0xff00000000000000)" \
	"node 8 has an address beyond the physical address space: one line"
is "$(node 0x248)" "invalid address of page 1 (0x0)" "node 10 has a second page at no address: one line"
is "$(node 0x2f0)" "length runs past the end of the table (0x38)" "node 13 is cut by the table's end: one line"
is "$(line_of 11)" "invalid PMCFGR 00007fff: 256 counters of 64 bits do not fit into the page" \
	"PMU 11 claims 256 counters: one line"
is "$(dmesg | grep -c grace-cspmu)" $lines "no other node has a line"

is "$(cd $pmus && echo nvidia_*)" "nvidia_cnvlink_pmu_1 nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c0_pmu_1 \
nvidia_nvlink_c2c1_pmu_0 nvidia_scf_pmu_0 nvidia_scf_pmu_1" \
	"the good nodes, also those after a bad length, are PMUs, and a bad one of the kind takes no name (4, 12)"
is "$(model illegal)" 0 "nothing was accessed that is not a PMU's"
model start steady
is "$(evt -t 100 "{" nvidia_scf_pmu_1/cmem_rd_access/ nvidia_scf_pmu_1/cycles/ "}" \
	"{" nvidia_nvlink_c2c0_pmu_0/rd_req_loc/ nvidia_nvlink_c2c0_pmu_0/cycles/ "}" |
	awk '{ v[NR] = $1 } END { printf "%.0f %.0f", v[1] / v[2] * 2800, v[3] / v[4] * 1600 }')" "550 25" "they count"
driver_unload && driver_load
ok $? "the driver unloads and loads again"
is "$(dmesg | grep -c grace-cspmu)" $((2 * lines)) "and says the same once more"
is "$(cd $pmus && echo nvidia_* | wc -w)" 6 "with the same PMUs"
done_testing
