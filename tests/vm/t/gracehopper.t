#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board gracehopper
#: scenario guide-gpu-write guide-gpu-read idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/in-tree 7.3/in-tree-patched
#: timeout 300
#
# One Grace Hopper: its PMUs, and the guide's two examples of GPU traffic.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/golden.sh
. /lib/golden.sh

is "$(cd $pmus && echo nvidia_*)" "nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c1_pmu_0 nvidia_pcie_pmu_0 nvidia_scf_pmu_0" \
	"a Grace Hopper of one socket has four PMUs"
for kind in nvlink_c2c0 nvlink_c2c1 pcie scf; do
	what="nvidia_${kind}_pmu_0: sysfs attributes equal those of 7.3's in-tree driver"
	if intree 6.12; then
		skip "6.12's in-tree driver: no port filter, and events that later ones dropped" "$what"
	else
		is "$(listing nvidia_${kind}_pmu_0)" "$(golden $kind 0 0-1)" "$what"
	fi
done

c0=nvidia_nvlink_c2c0_pmu_0
c1=nvidia_nvlink_c2c1_pmu_0
events="$c0/total_bytes_loc/ $c0/rd_bytes_loc/ $c0/wr_bytes_loc/ $c1/total_bytes_loc/ $c1/rd_bytes_loc/ $c1/wr_bytes_loc/"
# The copy engine's traffic is ATS-translated: C2C0. Total = read + written.
for example in \
	"guide-gpu-write 4234950656 208418816 4026531840 26981632 6337792 20643840" \
	"guide-gpu-read 4436253696 4234927104 201326592 26949888 6356480 20593408"; do
	pmu_stat -e "{$c0/total_bytes_loc/,$c0/rd_bytes_loc/,$c0/wr_bytes_loc/},{$c1/total_bytes_loc/,$c1/rd_bytes_loc/,$c1/wr_bytes_loc/}" \
		model run "${example%% *}"
	# shellcheck disable=SC2086 # an event a word
	is "$(counts $events)" "${example#* }" "${example%% *}: perf stat prints the guide's counts to the digit"
done

# Each metric has its own duration_time, which perf opens one after the other. The ratio is
# that of 4,234,927,104 + 201,326,592 bytes to 6,356,480 + 20,593,408.
ratio() {
	metric_stat -M GraceC2c0BW,GraceC2c1BW sh -c "model run guide-gpu-read; sleep ${e_try:-0}"
	far ratio "$(echo "$(metric GraceC2c0BW) $(metric GraceC2c1BW)" | awk '$2 > 0 { printf "%.6f", $1 / $2 }')" \
		"$(echo "4436253696 26949888" | awk '{ printf "%.6f", $1 / $2 }')" 2
}
is "$(each_time 0 ratio)" "" "guide-gpu-read: GraceC2c0BW and GraceC2c1BW have the ratio of their bytes" ||
	diag "$(cat /tmp/each)"

done_testing
