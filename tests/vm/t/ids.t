#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board ids
#: scenario steady
#: kernels 6.1 6.12
#: drivers ours
#: long 6.12
#
# Nodes of one identifier, identifiers that differ in bit 31 only, an unknown type. 7.3's
# parser stops at a duplicate identifier: see malformed-walk.t.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# 36 (0x24) + 56 x N
is "$(dmesg | sed -n 's/.*grace-cspmu.*: APMT/APMT/p')" "APMT node at offset 0x5c: duplicate id (0x0)
APMT node at offset 0x94: duplicate id (0x0)
APMT node at offset 0x13c: unknown type (0x5)" "a duplicate id and an unknown type are logged once each"
is "$(dmesg | grep -c grace-cspmu)" 3 "the driver logs no other message about nodes with duplicate ids"
is "$(cd $pmus && echo nvidia_*)" "nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c0_pmu_1 nvidia_pcie_pmu_0 \
nvidia_pcie_pmu_1 nvidia_scf_pmu_0 nvidia_scf_pmu_1" "each node with its own pages is a PMU, whatever its id and type"
model start steady
is "$(evt -t 100 "{" nvidia_scf_pmu_1/cmem_rd_access/ nvidia_scf_pmu_1/cycles/ "}" \
	"{" nvidia_nvlink_c2c0_pmu_0/rd_req_loc/ nvidia_nvlink_c2c0_pmu_0/cycles/ "}" |
	awk '{ v[NR] = $1 } END { printf "%.0f %.0f", v[1] / v[2] * 2800, v[3] / v[4] * 1600 }')" "550 25" \
	"PMUs of nodes that only their pages identify count"
driver_unload && driver_load
ok $? "the driver unloads and loads again with duplicate ids"
is "$(cd $pmus && echo nvidia_* | wc -w)" 6 "the driver has the same PMUs after the second load with duplicate ids"
done_testing
