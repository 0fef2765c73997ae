#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board odd
#: scenario idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 7.3-rt 6.12
#: load no
#: timeout 300
#
# Counters that wrap too fast without an interrupt, an interrupt line of another
# driver, PMUs that are not Grace's, valid APMT nodes of unusable devices. Numbers are
# those of the PMUs in the board file.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
malformed=12

# Without the APMT the driver has nothing to do
insmod /lib/gpmu/acpifail.ko
driver_load 2>/dev/null
is "$? $(dmesg | sed -n 's/.*grace-cspmu: //p' | sort -u)" "5 cannot get the APMT: AE_BAD_CHECKSUM" \
	"the driver does not load if the kernel cannot get the APMT, and logs the reason"
rmmod acpifail
# AE_NOT_FOUND
insmod /lib/gpmu/acpifail.ko status=5
dmesg -c >/dev/null
driver_load && driver_unload
is "$? $(dmesg | grep 'grace-cspmu: ')" "0 " "the driver loads on a machine without an APMT, and logs no message about the table"
rmmod acpifail
dmesg -c >/dev/null

# GSI of line 2 is 35 + 2 % 4
insmod /lib/gpmu/irqhog.ko gsi=37 || bail "irqhog does not get line 2"
# 6.1 needs a move of the PMU's device below the platform device
[ "$KERNEL" != 6.1 ] || insmod /lib/gpmu/squatter.ko device="$(device 5)" name=nvidia_scf_pmu_1
driver_load
ok $? "the driver loads although some devices are unusable"
is "$(cd $pmus && echo nvidia_*)" "nvidia_cnvlink_pmu_0 nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c1_pmu_0 \
nvidia_pcie_pmu_0 nvidia_pcie_pmu_1 nvidia_scf_pmu_0 nvidia_scf_pmu_1 nvidia_scf_pmu_1_inst_1 nvidia_uncore_pmu_0 nvidia_uncore_pmu_1" "the driver registers all usable PMUs"

# --- a refused interrupt: 3 and 4

hog=$(awk '/irqhog/ { print $1 + 0 }' /proc/interrupts)
is "$(line_of 3)" "interrupt $hog refused (-16): a timer reads the counters" \
	"a PMU of 32-bit counters with a refused interrupt logs once that a timer reads them"
is "$(line_of 4)" "interrupt $hog refused (-16): counting without it" \
	"a PMU of 64-bit counters with a refused interrupt logs once that it counts without"
is "$(dmesg | grep -c "$(device 3)") $(dmesg | grep -c "$(device 4)")" "1 1" "the kernel itself does not log the refused interrupts"
# cycles are bounded: 5 x 0x60000000 past 0x7fffffff, two wraps of the 32-bit
# counter; the cycle counter is number 31, and runs at 1.6 GHz meanwhile
p=nvidia_nvlink_c2c0_pmu_0
evt $p/wr_req_loc/ -- sh -c \
	'for v in 0xdfffffff 0x3fffffff 0x9fffffff 0xffffffff 0x5fffffff; do model preset 3 0 $v; model await 3 0 read; done' >/tmp/wraps
is "$(cut -d ' ' -f 1 /tmp/wraps)" 8053063680 "32-bit counter with a refused interrupt: the count across two wraps is exact"
is "$(evt -t 100 nvidia_nvlink_c2c1_pmu_0/cycles/ | awk '{ print ($1 > 100000000) }')" 1 "64-bit counter with a refused interrupt: cycles are counted"

# --- an occupied name in sysfs: 5

what="a PMU whose device cannot be moved in sysfs is registered, and the failure is logged once"
if [ "$KERNEL" = 6.1 ]; then
	is "$(line_of 5)$(readlink -f $pmus/nvidia_scf_pmu_1)" \
		"cannot move nvidia_scf_pmu_1 below its device in sysfs (-17)/sys/devices/nvidia_scf_pmu_1" "$what"
	rmmod squatter
else
	skip "perf core sets the parent" "$what"
fi

# --- an interrupt that is not wired: 16. On line 1, GSI 36

is "$(line_of 16)" "interrupt 36 is not wired: a timer reads the counters" "an interrupt that is not wired is logged once (16)"
is "$(grep -c "$(device 16)" /proc/interrupts)" 0 "an interrupt that is not wired is not requested (16)"
is "$(evt -q nvidia_pcie_pmu_1/wr_req_loc/ && evt nvidia_pcie_pmu_1/rd_bytes_loc/)" \
	"EOPNOTSUPP nvidia_pcie_pmu_1/rd_bytes_loc/" "a PMU with an unwired interrupt refuses events as one without an interrupt (16)"

# --- too narrow without an interrupt: 0

p=nvidia_scf_pmu_0
is "$(evt $p/cmem_rd_data/)" "EOPNOTSUPP $p/cmem_rd_data/" "24-bit counter without an interrupt: an event of data beats is refused"
is "$(line_of 0)" \
	"$p: event cmem_rd_data refused: 24-bit counters without an interrupt would have to be read every 131 us (least 1000 us)" \
	"24-bit counter without an interrupt: the reason of the refusal is logged"
# 2^23 / 4 GHz = 2.097 ms between two reads, and 5.2 ms to a wrap. If the host stalls
# the CPU for longer, the timer is late, and the driver logs it.
narrow() {
	log_mark
	n_ratio=$(evt -t 200 $p/cycles/ | awk '{ print $1 / $3 }')
	[ "$(kernel_log 'arm-cs-arch-pmu.*counters read .* late')" ] ||
		echo "$n_ratio" | awk '{ exit !($1 > 3.1 && $1 < 3.3) }' || echo "ratio: $n_ratio"
}
is "$(each_time 0 narrow)" "" \
	"24-bit counter without an interrupt: cycles over 40 wraps are 3.2 per ns, unless the driver logs a late read" ||
	diag "$(cat /tmp/each)"

# --- 32 bits without an interrupt: pcie (1), cnvlink (2)

# ns of half a range: 2^31 / 4 GHz / 10 root ports = 53 ms for requests
bad=
for e in wr_bytes_loc wr_bytes_rem wr_req_loc wr_req_rem rd_req_loc rd_req_rem total_req_loc total_req_rem cycles; do
	evt -q nvidia_pcie_pmu_0/$e/ || bad="$bad $e"
done
is "$bad" "" "32-bit pcie counters without an interrupt count requests, written bytes and cycles"
bad=
for e in rd_bytes_loc rd_bytes_rem total_bytes_loc total_bytes_rem rd_cum_outs_loc rd_cum_outs_rem 0x3f; do
	[ "$(evt nvidia_pcie_pmu_0/$e/)" = "EOPNOTSUPP nvidia_pcie_pmu_0/$e/" ] || bad="$bad $e"
done
is "$bad" "" "32-bit pcie counters without an interrupt refuse read bytes and outstanding reads, which are unbounded"
is "$(line_of 1 | grep -c 'no bound on its increments per cycle is known$')" 7 "32-bit pcie counters without an interrupt: the reason of each refusal is logged"
is "$(evt -q nvidia_cnvlink_pmu_0/cycles/ && evt nvidia_cnvlink_pmu_0/wr_req_loc/)" \
	"EOPNOTSUPP nvidia_cnvlink_pmu_0/wr_req_loc/" "32-bit cnvlink counters without an interrupt count only cycles"

# --- 48 bits without an interrupt: 5. Half a range of the fastest event is seconds

is "$(evt -t 50 nvidia_scf_pmu_1/cmem_rd_data/ nvidia_scf_pmu_1/cycles/ | awk '{ print ($3 > 0) }' | xargs)" "1 1" \
	"48-bit counter without an interrupt: data beats and cycles are counted"
# 2^48 + 5 - 0x7fffffffffff; the timer of beats comes every 2^47 / 16 / 4 GHz = 36 min: the read sees one wrap
evt nvidia_scf_pmu_1/cmem_rd_data/ -- model preset 5 0 5 >/tmp/wraps
is "$(cut -d ' ' -f 1 /tmp/wraps)" 140737488355334 "48-bit counter without an interrupt: a wrap between two reads is counted"

# --- unknown PMUs of NVIDIA, invalid registers: 6-10

is "$(line_of 6 | head -n 1)" "PMIIDR 1030236b is unknown: nvidia_uncore_pmu_0 has no named events" \
	"a later PCIe PMU has the name of an unknown one, and is logged once (6)"
is "$(line_of 7)" "PMIIDR 2cf2036b is unknown: nvidia_uncore_pmu_1 has no named events" \
	"a PMU of a later fabric has the name of an unknown one, and is logged once (7)"
p=nvidia_uncore_pmu_1
evt "{" $p/0x6/ $p/cycles/ "}" -- sh -c 'model preset 7 0 0x80000000000003e7; evt -R' >/tmp/unknown
is "$(head -n 1 /tmp/unknown | cut -d ' ' -f 1) $(sed -n 2p /tmp/unknown | awk '{ print ($1 > 0) }')" "1000 1" \
	"an unknown PMU counts events by number, and cycles"
is "$(evt nvidia_uncore_pmu_0/0x6/) $(evt nvidia_uncore_pmu_0/cycles/)" \
	"EOPNOTSUPP nvidia_uncore_pmu_0/0x6/ EOPNOTSUPP nvidia_uncore_pmu_0/cycles/" \
	"an unknown PMU of 32-bit counters without an interrupt refuses all events, as its clock is unknown"
is "$(line_of 8)" "invalid PMCFGR 00000506: 6-bit counters" "a PMU of 6-bit counters is logged once (8)"
is "$(line_of 9)" "invalid PMCFGR 00007f00: a cycle counter and no event counter" "a PMU without an event counter is logged once (9)"
is "$(line_of 10)" "invalid PMCFGR 00001fff: 256 counters of 32 bits do not fit into the page" \
	"a PMU with more counters than filters is logged once (10)"
is "$(line_of 11)" "page 0 at 0x50000000 is in system RAM" "a page in system RAM is logged once (11)"
# 36 (0x24) + 56 x 12
is "$(dmesg | sed -n 's/.*grace-cspmu.*: APMT node at offset 0x2c4: //p' | sed 's/, skipped$//')" \
	"invalid address of page 1 (0x3d180000)" "a node whose two pages are equal is logged once (12)"
is "$(line_of 13)" "PMDEVARCH 47700af4: the 64-bit register layout is not supported" \
	"a PMU of the 64-bit register layout is logged once (13)"
is "$(line_of 14)" "no CPU has affinity 99" "an affinity that no processor has is logged once (14)"
is "$(model illegal)" 0 "no register of an unusable device was written"

# --- 36 bits in two halves, without an interrupt: 15. Beats are to be read each
# 2^35 / 16 / 4 GHz = 537 ms, and may have wrapped unseen after 1074

in_time() {
	log_mark
	evt -q -t 1300 nvidia_scf_pmu_1_inst_1/cmem_rd_data/
	kernel_log 'counters read .* late' | sed 's/.*/late: &/'
}
is "$(each_time 0 in_time)" "" "36-bit counters that are read in time are not logged (15)" || diag "$(cat /tmp/each)"
log_mark
model fault 15 unstable
evt -q -t 1800 nvidia_scf_pmu_1_inst_1/cmem_rd_data/
model fault 15 none
like "$(kernel_log "$(device 15): counters read" | tail -n 1)" \
	'counters read [0-9]+ us late: a wrap may be missing from the counts$' \
	"a counter that cannot be read for two periods is logged as read late (15)"

driver_unload
ok $? "the driver unloads while some devices are unusable"
rmmod irqhog
driver_load
is "$(grep -c "$(device 3), $(device 4)" /proc/interrupts)" 1 "both PMUs share their interrupt line when no other driver has it"
is "$(evt -q nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/)" "" "a 32-bit counter with an interrupt counts an unbounded event"

# --- the line is shared with another driver's handler, which is a thread on PREEMPT_RT

driver_unload
insmod /lib/gpmu/irqhog.ko gsi=37 share=1
driver_load
is "$(grep -c "irqhog, $(device 3), $(device 4)" /proc/interrupts)" 1 "an interrupt line that another driver shares is shared with it"
# 2^64 + 5 - 0x7fffffffffffffff
evt nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/ -- sh -c 'model preset 4 0 5; model raise 4 0; model await 4 0 write; evt -R' >/tmp/shared
is "$(cut -d ' ' -f 1 /tmp/shared | xargs)" "9223372036854775814 9223372036854775814" "an overflow on an interrupt line shared with another driver is counted"
driver_unload
rmmod irqhog
driver_load
insmod /lib/gpmu/irqhog.ko gsi=37 share=1 2>/tmp/refused
got=$?
if [ "$KERNEL" = 7.3-rt ]; then
	like "$(cat /tmp/refused)" "busy" "PREEMPT_RT: a threaded handler is refused an interrupt line that our driver requested first"
else
	is "$got" 0 "another driver can share an interrupt line that our driver requested first"
fi
done_testing
