#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board malformed-walk
#: scenario steady
#: kernels 6.1 7.3 7.3-16k 7.3-rt debug
#: drivers ours
#: long 7.3-16k 7.3-rt
#: load no
#: timeout 300
#
# An id that is there twice, and a node of length 0. On 6.1 our walk of the APMT
# is the only one. 7.3's gives up at the id and gives the table back, so that
# what it has told the devices before leads nowhere.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

if [ "$KERNEL" = 6.1 ]; then
	lines="APMT node at offset 0x94: duplicate id (0x1), skipped
APMT node at offset 0x104: length is too short (0x0), skipped"
	what="a duplicate id and a node of length 0: a line each"
	want="nvidia_nvlink_c2c1_pmu_0 nvidia_pcie_pmu_0 nvidia_scf_pmu_0 nvidia_scf_pmu_1"
	clock="nvidia_scf_pmu_1 2800 550"
else
	# With its stack trace, which is not our driver's
	dmesg -c >/tmp/boot
	like "$(cat /tmp/boot)" "cannot create duplicate filename .*arm-cs-arch-pmu.1" \
		"a duplicate id: the kernel has given up there"
	lines="APMT node at offset 0x94: duplicate id (0x1), skipped
APMT node at offset 0xcc: the kernel created no device
APMT node at offset 0x104: length is too short (0x0), skipped
APMT node at offset 0x13c: the kernel created no device"
	what="our driver says which nodes have no device for it"
	want="nvidia_pcie_pmu_0 nvidia_scf_pmu_0"
	clock="nvidia_scf_pmu_0 3200 1250"
fi
driver_load
is "$(dmesg | sed -n 's/.*grace-cspmu.*: APMT/APMT/p')" "$lines" "$what"
is "$(dmesg | grep -c grace-cspmu)" "$(echo "$lines" | grep -c .)" "no other line"
is "$(cd $pmus && echo nvidia_*)" "$want" "the devices that there are, are PMUs"
model start steady
# shellcheck disable=SC2086 # three words
set -- $clock
is "$(evt -t 100 "{" "$1/cmem_rd_access/" "$1/cycles/" "}" |
	awk -v clock="$2" '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * clock }')" "$3" "which count"
driver_unload && driver_load && driver_unload
ok $? "the driver unloads, and loads once more"
if [ "$KERNEL" = 6.1 ]; then
	is "$(cd /sys/bus/platform/devices && echo arm-cs-arch-pmu.*)" "arm-cs-arch-pmu.*" \
		"and takes the devices it made with it"
fi
done_testing
