#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board grace
#: scenario idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/in-tree 7.3/in-tree-patched
#: timeout 300
#
# One Grace CPU with the APMT that real ones have.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/golden.sh
. /lib/golden.sh

apmt=/sys/firmware/acpi/tables/APMT
is "$(wc -c <$apmt) $(od -An -tu1 -j8 -N1 $apmt | xargs)" "316 0" "one Grace CPU: the APMT has 316 bytes and revision 0"
is "$(cd $pmus && echo nvidia_*)" "nvidia_cnvlink_pmu_0 nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c1_pmu_0 \
nvidia_pcie_pmu_0 nvidia_scf_pmu_0" "one Grace CPU has five PMUs"
for kind in cnvlink nvlink_c2c0 nvlink_c2c1 pcie scf; do
	what="one Grace CPU, nvidia_${kind}_pmu_0: sysfs attributes equal those of 7.3's in-tree driver"
	if intree 6.12; then
		skip "6.12's in-tree driver: no port filter, and events that later ones dropped" "$what"
	else
		is "$(listing nvidia_${kind}_pmu_0)" "$(golden $kind 0 0-1)" "$what"
	fi
done
# The counter begins at 0x7fffffffffffffff
is "$(evt nvidia_scf_pmu_0/cmem_rd_data/ -- model preset 0 0 0x80000000000003e7 | cut -d ' ' -f 1)" 1000 \
	"one Grace CPU: an event of the fabric counts"
is "$(evt -t 20 nvidia_pcie_pmu_0/cycles/ nvidia_nvlink_c2c0_pmu_0/cycles/ nvidia_nvlink_c2c1_pmu_0/cycles/ \
	nvidia_cnvlink_pmu_0/cycles/ | awk '{ print ($1 > 0) }' | xargs)" "1 1 1 1" "one Grace CPU: the other four PMUs count cycles"
if ours; then
	is "$(dmesg | grep -c grace-cspmu)" 0 "one Grace CPU: the driver logs no message"
else
	skip "the in-tree driver logs its probe" "one Grace CPU: the driver logs no message"
fi
done_testing
