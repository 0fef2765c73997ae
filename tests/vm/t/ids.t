#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board ids
#: scenario steady
#: kernels 6.1 6.12
#: drivers ours
#: long 6.12
#
# Nodes of one identifier, identifiers that differ in bit 31 only, an unknown type: all are valid. 7.3's
# parser stops at a duplicate identifier: see malformed-walk.t.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

is "$(dmesg | grep -c grace-cspmu)" 0 "the driver logs no message about nodes with duplicate ids or an unknown type"
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
