#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board malformed-walk
#: scenario steady
#: kernels 6.1 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 7.3-16k 7.3-rt
#: load no
#: timeout 300
#
# A duplicate id, and a node of length 0. On 6.1 only our driver parses the APMT.
# 7.3's parser stops at the duplicate id and releases the table, so that the platform
# data of the devices created before is a dangling pointer.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

if [ "$KERNEL" = 6.1 ]; then
	lines="APMT node at offset 0x104 does not fit: it and all nodes after it are skipped"
	want="nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c1_pmu_0 nvidia_pcie_pmu_0 nvidia_scf_pmu_0"
else
	# The kernel's stack trace is not our driver's
	dmesg -c >/tmp/boot
	like "$(cat /tmp/boot)" "cannot create duplicate filename .*arm-cs-arch-pmu.1" \
		"the kernel's APMT parser stopped at the duplicate id"
	lines=
	want="nvidia_pcie_pmu_0 nvidia_scf_pmu_0"
fi
driver_load
is "$(dmesg | sed -n 's/.*grace-cspmu[^:]*: //p')" "$lines" "the driver logs only the node at which its own walk ends"
is "$(cd $pmus && echo nvidia_*)" "$want" "each device of a valid node is a PMU"
model start steady
is "$(evt -t 100 "{" nvidia_scf_pmu_0/cmem_rd_access/ nvidia_scf_pmu_0/cycles/ "}" |
	awk '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * 3200 }')" 1250 "a PMU beside malformed nodes counts"
driver_unload && driver_load && driver_unload
ok $? "the driver unloads, loads again and unloads"
if [ "$KERNEL" = 6.1 ]; then
	is "$(cd /sys/bus/platform/devices && echo arm-cs-arch-pmu.*)" "arm-cs-arch-pmu.*" \
		"unloading the driver removes the devices that it created"
fi
done_testing
