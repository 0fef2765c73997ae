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
	lines="APMT node at offset 0x94: duplicate id (0x1)
APMT node at offset 0x104: length is too short (0x0), skipped"
	what="the driver logs a duplicate id and a node of length 0 once each"
	want="nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c1_pmu_0 nvidia_pcie_pmu_0 nvidia_scf_pmu_0 nvidia_scf_pmu_1"
	clock="nvidia_scf_pmu_1 2800 550"
else
	# The kernel's stack trace is not our driver's
	dmesg -c >/tmp/boot
	like "$(cat /tmp/boot)" "cannot create duplicate filename .*arm-cs-arch-pmu.1" \
		"the kernel's APMT parser stopped at the duplicate id"
	lines="APMT node at offset 0x94: duplicate id (0x1)
APMT node at offset 0x104: length is too short (0x0), skipped
APMT node at offset 0x94: the kernel created no device
APMT node at offset 0xcc: the kernel created no device
APMT node at offset 0x13c: the kernel created no device"
	what="the driver logs the nodes for which the kernel created no device"
	want="nvidia_pcie_pmu_0 nvidia_scf_pmu_0"
	clock="nvidia_scf_pmu_0 3200 1250"
fi
driver_load
is "$(dmesg | sed -n 's/.*grace-cspmu.*: APMT/APMT/p')" "$lines" "$what"
is "$(dmesg | grep -c grace-cspmu)" "$(echo "$lines" | grep -c .)" "the driver logs no other message"
is "$(cd $pmus && echo nvidia_*)" "$want" "each device of a valid node is a PMU"
model start steady
# shellcheck disable=SC2086 # three words
set -- $clock
is "$(evt -t 100 "{" "$1/cmem_rd_access/" "$1/cycles/" "}" |
	awk -v clock="$2" '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * clock }')" "$3" "a PMU beside malformed nodes counts"
driver_unload && driver_load && driver_unload
ok $? "the driver unloads, loads again and unloads"
if [ "$KERNEL" = 6.1 ]; then
	is "$(cd /sys/bus/platform/devices && echo arm-cs-arch-pmu.*)" "arm-cs-arch-pmu.*" \
		"unloading the driver removes the devices that it created"
fi
done_testing
