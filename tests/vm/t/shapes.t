#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board shapes
#: scenario steady guide-cpu-local-read idle
#: kernels 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/in-tree-patched
#: timeout 300
#
# PMUs of shapes that our driver refuses, beside Grace's, in the in-tree driver: counters
# of 32 and 40 bits that overflow into an interrupt, two pages, no 64-bit accesses, few
# and many counters.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

first() { # the first event's count
	head -n 1 "$1" | cut -d ' ' -f 1
}

# --- sysfs: the entry of a PMU and its path are those of 7.3

is "$(for p in "$pmus"/nvidia_*; do readlink -f "$p"; done | sort | xargs)" \
	"$(for n in 0 1 2 3 4 5 6 7 8 9 10; do
		echo /sys/devices/platform/$(device $n)/$(echo "nvidia_scf_pmu_0 nvidia_pcie_pmu_0 nvidia_nvlink_c2c0_pmu_0 \
			nvidia_nvlink_c2c1_pmu_0 nvidia_cnvlink_pmu_0 nvidia_scf_pmu_1 nvidia_pcie_pmu_1 \
			nvidia_nvlink_c2c0_pmu_1 nvidia_nvlink_c2c1_pmu_1 nvidia_cnvlink_pmu_1 nvidia_uncore_pmu_0" | xargs | cut -d ' ' -f $((n + 1)))
	done | sort | xargs)" "each PMU's device is its platform device's child"
is "$(cd -P $pmus/nvidia_scf_pmu_0 && for f in *; do [ ! -L "$f" ] || echo "$f=$(readlink -f "$f")"; done)" \
	"subsystem=/sys/bus/event_source" "the folder of a PMU has one link, to its bus"

# --- 32 bits: 0 (level-triggered), 1 (edge-triggered), 7 (in two pages)

# A counter begins at 0x7fffffff. Set to 5 with its overflow bit, it has counted
# 2^32 + 5 - 0x7fffffff = 2147483654 and begins there again.
for pmu in "0 nvidia_scf_pmu_0/cmem_rd_data/ level" "1 nvidia_pcie_pmu_0/rd_bytes_loc,0x3ff/ edge" \
	"7 nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc,3/ level"; do
	# shellcheck disable=SC2086 # three words
	set -- $pmu
	before=$(interrupts "$1")
	evt "$2" -- sh -c "
		for i in 1 2 3; do
			model preset $1 0 5
			model raise $1 0
			model await $1 0 write
			evt -R
		done" >/tmp/wraps
	is "$(cut -d ' ' -f 1 /tmp/wraps | xargs)" "2147483654 4294967308 6442450962 6442450962" \
		"32-bit counter with a $3 interrupt, ${2%%/*}: a count across three wraps is exact"
	came=$(($(interrupts "$1") - before))
	# A level-triggered line of the rig falls some time after the register write
	# that deasserts it, so that a spurious interrupt may follow
	case $3 in
	edge) is $came 3 "${2%%/*}: each wrap raises exactly one interrupt" ;;
	level) ok $((came < 3 || came > 9)) "${2%%/*}: each wrap raises an interrupt" || diag "$came" ;;
	esac
done

# With traffic: 2.5 G beats a second pass 2^32 after 0.86 s, cycles after 0.67 s
# A wrap is lost if the host stalls the CPU for a whole range.
model start steady
under_traffic() {
	u_before=$(interrupts 0)
	evt -t 2500 "{" nvidia_scf_pmu_0/cmem_rd_data/ nvidia_scf_pmu_0/cmem_rd_access/ nvidia_scf_pmu_0/cycles/ "}" >/tmp/busy
	far ratio "$(awk '{ v[NR] = $1 } END { print v[1] / v[3] }' /tmp/busy)" 0.78125 0.01
	[ "$(awk '{ print ($1 > 4294967296) }' /tmp/busy | xargs)" = "1 0 1" ] || echo "passed: $(xargs </tmp/busy)"
	[ $(($(interrupts 0) - u_before)) -ge 4 ] || echo "interrupts: $(($(interrupts 0) - u_before))"
}
each_time 0 under_traffic >/tmp/off
is "$(grep ratio /tmp/off)" "" "32-bit counters that wrap under traffic keep their ratio of 2.5 data beats to 3.2 cycles" ||
	diag "$(cat /tmp/each)"
is "$(grep passed /tmp/off)" "" "two of three 32-bit counters passed 2^32" || diag "$(cat /tmp/each)"
is "$(grep interrupts /tmp/off)" "" "32-bit counters that wrap under traffic raise at least four interrupts" || diag "$(cat /tmp/each)"
model stop steady

# --- 40 bits, without 64-bit accesses: 5

before=$(interrupts 5)
evt nvidia_scf_pmu_1/cmem_rd_data/ -- sh -c '
	model preset 5 0 7; model raise 5 0; model await 5 0 write; evt -R
	model preset 5 0 9; model raise 5 0; model await 5 0 write' >/tmp/wraps
# 2^40 + 7 - 0x7fffffffff = 549755813896, then 549755813898 more
is "$(cut -d ' ' -f 1 /tmp/wraps | xargs)" "549755813896 1099511627794" \
	"40-bit counter with an interrupt: a count across two wraps is exact"
ok $(($(interrupts 5) - before < 2)) "40-bit counter with an interrupt: each wrap raises an interrupt"
evt nvidia_scf_pmu_1/cmem_rd_data/ -- sh -c '
	model preset 5 0 0x80fffffff0; evt -R; model preset 5 0 0x8100000010' >/tmp/wraps
is "$(cut -d ' ' -f 1 /tmp/wraps | xargs)" "4294967281 4294967313" "40-bit counter: the count across a carry into the high word is exact"

what="40-bit counter: an overflow left by an earlier event is not counted while the counter cannot be read"
model raise 5 0
if mended; then
	model fault 5 unstable
	evt nvidia_scf_pmu_1/cmem_rd_data/ -- sh -c 'sleep 0.1; model fault 5 none; evt -R; model preset 5 0 0x8000000009' >/tmp/wraps
	is "$(cut -d ' ' -f 1 /tmp/wraps | xargs)" "0 10" "$what"
else
	evt -q nvidia_scf_pmu_1/cmem_rd_data/
	skip "the in-tree driver counts a false jump" "$what"
fi
model raise 0 0
evt nvidia_scf_pmu_0/cmem_rd_data/ -- sh -c 'sleep 0.1; evt -R; model preset 0 0 0x80000009' >/tmp/wraps
is "$(cut -d ' ' -f 1 /tmp/wraps | xargs)" "0 10" "32-bit counter: an overflow left by an earlier event is not counted"

# --- two pages, no 64-bit accesses, other identification: counts with traffic

model start steady
# PMU SOCKET_CLOCK EVENT RATE, in millions a second
for shape in \
	"nvidia_nvlink_c2c0_pmu_0 1600 rd_bytes_loc,3 1600 two pages" \
	"nvidia_nvlink_c2c0_pmu_1 1600 rd_bytes_loc,3 3200 two pages of 32-bit counters" \
	"nvidia_pcie_pmu_1 2000 rd_bytes_loc,0x3ff 12800 two pages without 64-bit accesses" \
	"nvidia_uncore_pmu_0 2000 0x0,0xffffffff 12800 a PMU of NVIDIA that is not Grace's" \
	"nvidia_scf_pmu_1 2800 cmem_rd_data 1100 one page without 64-bit accesses"; do
	# shellcheck disable=SC2086 # several words
	set -- $shape
	is "$(evt -t 200 "{" "$1/$3/" "$1/cycles/" "}" |
		awk -v clock="$2" '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * clock }')" "$4" \
		"$(echo "$shape" | cut -d ' ' -f 5-): $1 counts"
done
is "$(cat $pmus/nvidia_uncore_pmu_0/identifier) $(cd $pmus/nvidia_uncore_pmu_0/events && echo *)" "1030236b cycles" \
	"a PMU of NVIDIA that is not Grace's has no named event but cycles"
what="a PMU of NVIDIA that is not Grace's has the formats of 7.3's driver"
if intree && [ "$KERNEL" = 6.12 ]; then
	skip "Linux 6.12 has no second filter" "$what"
else
	is "$(cd $pmus/nvidia_uncore_pmu_0/format && head -n 1 event filter filter2 | xargs)" \
		"==> event <== config:0-32 ==> filter <== config1:0-31 ==> filter2 <== config2:0-31" "$what"
fi
is "$(cat $pmus/nvidia_nvlink_c2c1_pmu_1/identifier)" 1040036b "the identifier is the APMT's implementation id if that is set"
model stop steady

# --- few and many counters

e=nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/
is "$(evt -t 10 "{" $e $e nvidia_nvlink_c2c1_pmu_0/cycles/ "}" | awk '{ print ($3 > 0) }' | xargs)" "1 1 1" \
	"two counters: a group of two events and cycles counts"
is "$(evt "{" $e $e $e "}")" "EINVAL $e" "two counters: a group of three events is refused"
e=nvidia_cnvlink_pmu_0/rd_bytes_loc/
is "$(evt -t 10 "{" $e $e $e $e "}" | awk '{ print ($3 > 0) }' | xargs)" "1 1 1 1" "no cycle counter: a group of four events counts"
is "$(evt "{" $e $e $e $e $e "}")" "EINVAL $e" "no cycle counter: a group of five events is refused"
ok "$([ ! -e $pmus/nvidia_cnvlink_pmu_0/events/cycles ]; echo $?)" "no cycle counter: sysfs has no event cycles"
what="no cycle counter: the event number of cycles is refused"
if mended; then
	is "$(evt nvidia_cnvlink_pmu_0/0x100000000/)" "EOPNOTSUPP nvidia_cnvlink_pmu_0/0x100000000/" "$what"
else
	skip "the in-tree driver counts event 0 instead" "$what"
fi
p=nvidia_cnvlink_pmu_1
forty=$(i=0; while [ $i -lt 40 ]; do echo $p/rd_bytes_loc/; i=$((i + 1)); done)
# shellcheck disable=SC2086 # forty words
is "$(evt -t 20 "{" $forty $p/cycles/ "}" | awk '$3 > 0 && $1 > 0 { c++ } $3 > 0 { n++ } END { print n, c }')" "41 1" \
	"40 counters: a group of 40 events and cycles counts, without traffic only the cycles"
# shellcheck disable=SC2086
is "$(evt "{" $forty $p/1/ "}")" "EINVAL $p/1/" "40 counters: a group of 41 events is refused"
# Counters 0-30 and 32-40: the 40th event is in counter 40
# shellcheck disable=SC2086
is "$(evt "{" $forty "}" -- model preset 9 40 0x80000000000003e7 | awk '$1 > 0 { print NR, $1 }')" "40 1000" \
	"40 counters: the last event is in counter 40, as the cycle counter has index 31"
done_testing
