#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board malformed-walk
#: scenario steady
#: kernels 6.1
#: drivers ours
#: timeout 300
#
# What our walk of APMT survives where a kernel with CONFIG_ACPI_APMT does not:
# an id that is there twice, and a node of length 0, at which that kernel's walk
# never ends.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

is "$(dmesg | sed -n 's/.*grace-cspmu: //p')" \
	"APMT node at offset 0x94: duplicate id (0x1), skipped
APMT node at offset 0x104: length is too short (0x0), skipped" \
	"a duplicate id and a node of length 0: a line each"
is "$(cd $pmus && echo nvidia_*)" "nvidia_nvlink_c2c1_pmu_0 nvidia_pcie_pmu_0 nvidia_scf_pmu_0 nvidia_scf_pmu_1" \
	"the others are PMUs, also the one after the node of length 0"
model start steady
is "$(evt -t 100 "{" nvidia_scf_pmu_1/cmem_rd_access/ nvidia_scf_pmu_1/cycles/ "}" |
	awk '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * 2800 }')" 550 "which counts"
driver_unload
ok $? "the driver unloads"
is "$(cd /sys/bus/platform/devices && echo arm-cs-arch-pmu.*)" "arm-cs-arch-pmu.*" "and takes the devices it made with it"
done_testing
