#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board odd
#: scenario idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug
#: drivers ours
#: long 7.3-rt 6.12
#: load no
#: timeout 300
#
# Counters that wrap too fast without an interrupt, a line that something else
# holds, products that are not Grace's, nodes of the APMT that are in order but
# lead nowhere. Numbers are those of the board file.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# GSI of line 2 is 35 + 2 % 4
insmod /lib/gpmu/irqhog.ko gsi=37 || bail "irqhog does not get line 2"
# Where the PMU's device is moved below the platform device
[ "$KERNEL" != 6.1 ] || insmod /lib/gpmu/squatter.ko device="$(device 5)" name=nvidia_scf_pmu_1
driver_load
ok $? "the driver loads beside devices it cannot drive"
is "$(cd $pmus && echo nvidia_*)" "nvidia_cnvlink_pmu_0 nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c1_pmu_0 \
nvidia_pcie_pmu_0 nvidia_pcie_pmu_1 nvidia_scf_pmu_0 nvidia_scf_pmu_1 nvidia_scf_pmu_1_inst_1" "the ones it can are there"

# --- a refused interrupt: 3 and 4

hog=$(awk '/irqhog/ { print $1 + 0 }' /proc/interrupts)
is "$(line_of 3)" "interrupt $hog refused (-16): a timer reads the counters" \
	"32-bit counters on a line that is not shared: one line, a timer reads them"
is "$(line_of 4)" "interrupt $hog refused (-16): counting without it" \
	"64-bit counters on it: one line, they need no interrupt"
is "$(dmesg | grep -c "$(device 3)") $(dmesg | grep -c "$(device 4)")" "1 1" "nor has the kernel itself a line about them"
# cycles are bounded: 5 x 0x60000000 past 0x7fffffff, two wraps of the 32-bit
# counter; the cycle counter is number 31, and runs at 1.6 GHz meanwhile
p=nvidia_nvlink_c2c0_pmu_0
evt $p/wr_req_loc/ -- sh -c \
	'for v in 0xdfffffff 0x3fffffff 0x9fffffff 0xffffffff 0x5fffffff; do model preset 3 0 $v; sleep 0.3; done' >/tmp/wraps
is "$(cut -d ' ' -f 1 /tmp/wraps)" 8053063680 "32-bit counter with a refused interrupt: a count across two wraps is exact"
is "$(evt -t 100 nvidia_nvlink_c2c1_pmu_0/cycles/ | awk '{ print ($1 > 100000000) }')" 1 "the 64-bit one counts"

# --- a place in sysfs that is taken: 5

what="a PMU that does not get its place in sysfs is there all the same, and one line"
if [ "$KERNEL" = 6.1 ]; then
	is "$(line_of 5)$(readlink -f $pmus/nvidia_scf_pmu_1)" \
		"cannot move nvidia_scf_pmu_1 below its device in sysfs (-17)/sys/devices/nvidia_scf_pmu_1" "$what"
	rmmod squatter
else
	skip "perf core puts it there" "$what"
fi

# --- an interrupt that is not wired: 16. On line 1, GSI 36

is "$(line_of 16)" "interrupt 36 is not wired: a timer reads the counters" "an interrupt that is not wired: one line"
is "$(grep -c "$(device 16)" /proc/interrupts)" 0 "it is not asked for"
is "$(evt -q nvidia_pcie_pmu_1/wr_req_loc/ && evt nvidia_pcie_pmu_1/rd_bytes_loc/)" \
	"EOPNOTSUPP nvidia_pcie_pmu_1/rd_bytes_loc/" "the counters are those of a PMU without one"

# --- too narrow without an interrupt: 0

p=nvidia_scf_pmu_0
is "$(evt $p/cmem_rd_data/)" "EOPNOTSUPP $p/cmem_rd_data/" "24-bit counter without interrupt: beats are refused"
is "$(line_of 0)" \
	"$p: event cmem_rd_data refused: 24-bit counters without an interrupt would have to be read every 131 us (least 1000 us)" \
	"with the reason in the kernel log"
# 2^23 / 4 GHz = 2.097 ms between two reads, and 5.2 ms to a wrap. A host that
# keeps the CPU waiting for longer makes the timer late, which the driver says.
narrow() {
	log_mark
	n_ratio=$(evt -t 200 $p/cycles/ | awk '{ print $1 / $3 }')
	[ "$(kernel_log 'arm-cs-arch-pmu.*counters read .* late')" ] ||
		echo "$n_ratio" | awk '{ exit !($1 > 3.1 && $1 < 3.3) }' || echo "ratio: $n_ratio"
}
is "$(each_time 0 narrow)" "" \
	"24-bit counter without interrupt: 200 ms of cycles, 40 wraps, are 3.2 a ns, or the driver says what is missing" ||
	diag "$(cat /tmp/each)"

# --- 32 bits without an interrupt: pcie (1), cnvlink (2)

# ns of half a range: 2^31 / 4 GHz / 10 root ports = 53 ms for requests
bad=
for e in wr_bytes_loc wr_bytes_rem wr_req_loc wr_req_rem rd_req_loc rd_req_rem total_req_loc total_req_rem cycles; do
	evt -q nvidia_pcie_pmu_0/$e/ || bad="$bad $e"
done
is "$bad" "" "pcie: requests, written bytes and cycles are bounded"
bad=
for e in rd_bytes_loc rd_bytes_rem total_bytes_loc total_bytes_rem rd_cum_outs_loc rd_cum_outs_rem 0x3f; do
	[ "$(evt nvidia_pcie_pmu_0/$e/)" = "EOPNOTSUPP nvidia_pcie_pmu_0/$e/" ] || bad="$bad $e"
done
is "$bad" "" "pcie: what is read and what is in flight is not, and refused"
is "$(line_of 1 | grep -c 'no bound on its increments per cycle is known$')" 7 "each with its reason"
is "$(evt -q nvidia_cnvlink_pmu_0/cycles/ && evt nvidia_cnvlink_pmu_0/wr_req_loc/)" \
	"EOPNOTSUPP nvidia_cnvlink_pmu_0/wr_req_loc/" "cnvlink: only cycles are bounded"

# --- 48 bits without an interrupt: 5. Half a range of the fastest event is seconds

is "$(evt -t 50 nvidia_scf_pmu_1/cmem_rd_data/ nvidia_scf_pmu_1/cycles/ | awk '{ print ($3 > 0) }' | xargs)" "1 1" \
	"48-bit counter without interrupt: beats and cycles are counted"
# 2^48 + 5 - 0x7fffffffffff; the timer of beats comes every 2^47 / 16 / 4 GHz = 36 min: the read sees one wrap
evt nvidia_scf_pmu_1/cmem_rd_data/ -- model preset 5 0 5 >/tmp/wraps
is "$(cut -d ' ' -f 1 /tmp/wraps)" 140737488355334 "48-bit counter without interrupt: a wrap between two reads is counted"

# --- not Grace's, or not whole: 6-10

is "$(line_of 6)" "PMIIDR 1030136b is not a Grace PMU: skipped" "a later PCIe PMU: one line"
is "$(line_of 7)" "PMIIDR 2cf2036b is not a Grace PMU: skipped" "a later fabric's PMU: one line"
is "$(line_of 8)" "invalid PMCFGR 00000506: 6-bit counters" "6-bit counters: one line"
is "$(line_of 9)" "invalid PMCFGR 00007f00: a cycle counter and no event counter" "no event counter: one line"
is "$(line_of 10)" "invalid PMCFGR 00001fff: 256 counters of 32 bits do not fit into the page" \
	"more counters than have filters: one line"
is "$(line_of 11)" "page 0 at 0x50000000 is in system RAM" "a page that is RAM: one line (11)"
# 36 (0x24) + 56 x 12; without the kernel's own APMT code there is no device of it
is "$(dmesg | sed -n 's/.*grace-cspmu.*: APMT node at offset 0x2c4: //p' | sed 's/, skipped$//')" \
	"invalid address of page 1 (0x3d180000)" "page 1 is page 0: one line (12)"
is "$(line_of 13)" "PMDEVARCH 47700af4: the 64-bit register layout is not supported" \
	"registers of the 64-bit layout: one line (13)"
is "$(line_of 14)" "no CPU has affinity 99" "an affinity to no processor: one line (14)"
is "$(model illegal)" 0 "none of them was written"

# --- 36 bits in two halves, without an interrupt: 15. Beats are to be read each
# 2^35 / 16 / 4 GHz = 537 ms, and may have wrapped unseen after 1074

log_mark
evt -q -t 1300 nvidia_scf_pmu_1_inst_1/cmem_rd_data/
is "$(kernel_log 'counters read .* late')" "" "36-bit counters read in time: nothing is said"
model fault 15 unstable
evt -q -t 1800 nvidia_scf_pmu_1_inst_1/cmem_rd_data/
model fault 15 none
like "$(kernel_log "$(device 15): counters read" | tail -n 1)" \
	'counters read [0-9]+ us late: a wrap may be missing from the counts$' \
	"a counter that cannot be read is not read in time either"

driver_unload
ok $? "the driver unloads"
rmmod irqhog
driver_load
is "$(grep -c "$(device 3), $(device 4)" /proc/interrupts)" 1 "loaded again with the line free, both PMUs share it"
is "$(evt -q nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/)" "" "and the 32-bit one counts every event"

# --- the line is shared with another driver's handler, on PREEMPT_RT a thread

driver_unload
insmod /lib/gpmu/irqhog.ko gsi=37 share=1
driver_load
is "$(grep -c "irqhog, $(device 3), $(device 4)" /proc/interrupts)" 1 "a line that another driver shares is shared with it"
# 2^64 + 5 - 0x7fffffffffffffff
evt nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/ -- sh -c 'model preset 4 0 5; model raise 4 0; sleep 0.2; evt -R' >/tmp/shared
is "$(cut -d ' ' -f 1 /tmp/shared | xargs)" "9223372036854775814 9223372036854775814" "an overflow on it is counted"
driver_unload
rmmod irqhog
driver_load
insmod /lib/gpmu/irqhog.ko gsi=37 share=1 2>/tmp/refused
got=$?
if [ "$KERNEL" = 7.3-rt ]; then
	like "$(cat /tmp/refused)" "busy" "PREEMPT_RT: a handler that is a thread there does not get a line after our driver"
else
	is "$got" 0 "nor does our driver keep it from others"
fi
done_testing
