#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board zoo
#: scenario steady idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 7.3-16k 7.3-rt 6.12 6.1
#: timeout 300
#
# Shapes and behaviour that only our driver is tested with: unstable reads, shared
# interrupts, two pages, few counters. The numbers are those of the PMUs in the board file.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

values() { # the first column of a file or of standard input, in a line
	cut -d ' ' -f 1 "$@" | xargs
}

# --- sysfs: the entry of a PMU and its path are those of 7.3

names="nvidia_scf_pmu_0 nvidia_pcie_pmu_0 nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c1_pmu_0 nvidia_cnvlink_pmu_0 \
nvidia_scf_pmu_1 nvidia_pcie_pmu_1 nvidia_nvlink_c2c0_pmu_1 nvidia_nvlink_c2c1_pmu_1 nvidia_cnvlink_pmu_1"
is "$(for p in "$pmus"/nvidia_*; do readlink -f "$p"; done | sort | xargs)" \
	"$(n=0; for p in $names; do echo "/sys/devices/platform/$(device $n)/$p"; n=$((n + 1)); done | sort | xargs)" \
	"each PMU's device is its platform device's child"
is "$(cd -P $pmus/nvidia_scf_pmu_0 && for f in *; do [ ! -L "$f" ] || echo "$f=$(readlink -f "$f")"; done)" \
	"subsystem=/sys/bus/event_source" "the folder of a PMU has one link, to its bus"
caps() {
	(cd "$pmus/$1/caps" && cat counters counter_width cycle_counter | xargs)
}
is "$(caps nvidia_scf_pmu_0)" "6 64 1" "caps: a Grace PMU has six 64-bit counters and a cycle counter"
is "$(caps nvidia_pcie_pmu_0)" "3 64 1" "caps: the number of three counters is 3 (1)"
is "$(caps nvidia_nvlink_c2c1_pmu_1)" "31 64 1" "caps: the number of 31 counters is 31 (8)"
is "$(caps nvidia_cnvlink_pmu_0)" "6 64 0" "caps: without a cycle counter, cycle_counter is 0 (4)"
is "$(cat $pmus/nvidia_nvlink_c2c1_pmu_0/identifier)" 1040036b "without PMIIDR, PMPIDR identifies the PMU (3)"
is "$(cat $pmus/nvidia_nvlink_c2c0_pmu_0/identifier)" 1050036b "the APMT's implementation id overrides PMIIDR (2)"
is "$(dmesg | grep -c 'grace-cspmu')" 0 "the driver logs no message about PMUs that it supports"

# --- an affinity to one CPU: 9

p=nvidia_cnvlink_pmu_1
is "$(cat $pmus/$p/associated_cpus $pmus/$p/cpumask | xargs)" "2 2" "a PMU of one CPU is associated with only that CPU"
is "$(evt -c 3 $p/cycles/)" "EINVAL $p/cycles/" "an event of a PMU of one CPU is refused on the socket's other CPU"
evt $p/cycles/ -- sh -c 'echo 0 >/sys/devices/system/cpu/cpu2/online; evt -R; cat '$pmus/$p/cpumask' >/tmp/mask' >/tmp/a
is "$(cat /tmp/mask)" "" "cpumask of a PMU of one CPU is empty while that CPU is offline"
cpu 2 1
is "$(cat $pmus/$p/cpumask)" 2 "cpumask of a PMU of one CPU has the CPU when it is back online"
is "$(evt -t 20 $p/cycles/ | awk '{ print ($1 > 0) }')" 1 "a PMU of one CPU counts when the CPU is back online"

# --- two pages, no 64-bit accesses, other identification: counts with traffic

model start steady
# PMU CLOCK EVENT RATE, in millions per second, DESCRIPTION
for shape in \
	"nvidia_scf_pmu_0 3200 cmem_rd_data 2500 one page without 64-bit accesses (0)" \
	"nvidia_scf_pmu_1 2800 cmem_rd_data 1100 two pages (5)" \
	"nvidia_pcie_pmu_1 2000 rd_bytes_loc 12800 two pages without 64-bit accesses (6)" \
	"nvidia_nvlink_c2c0_pmu_0 1600 rd_bytes_loc 1600 identification in the APMT (2)"; do
	# shellcheck disable=SC2086 # several words
	set -- $shape
	is "$(evt -t 200 "{" "$1/$3/" "$1/cycles/" "}" |
		awk -v clock="$2" '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * clock }')" "$4" \
		"$(echo "$shape" | cut -d ' ' -f 5-): $1 counts"
done
model stop steady

# --- 64 bits read as two halves: 0 changes while it is read

# The counter begins at 0x7fffffffffffffff
p=nvidia_scf_pmu_0
log_mark
evt $p/cmem_rd_data/ -- sh -c '
	model preset 0 0 0x80000000000003e7; evt -R
	model preset 0 0 0x8000000100000000
	model fault 0 tear; evt -R; evt -R' >/tmp/tear
is "$(values /tmp/tear)" "1000 4294967297 4294967297 4294967297" \
	"the value is exact if the high word changes three times during a read"
is "$(kernel_log 'reads of counters failed')" "" "a high word that changes three times during a read is not logged"
evt $p/cmem_rd_data/ -- sh -c '
	model preset 0 0 0x80000000000003e7; evt -R
	model fault 0 unstable
	model preset 0 0 0x8000000000000bb7; evt -R; evt -R; evt -R
	model fault 0 none; evt -R; dmesg >/tmp/during' >/tmp/unstable
is "$(values /tmp/unstable)" "1000 1000 1000 1000 3000 3000" \
	"if the high word changes during every read, the last value is kept and the next successful read adds all counts"
is "$(grep -c 'reads of counters failed' /tmp/during) $(line_of 0)" "0 3 reads of counters failed: the last values were kept" \
	"failed reads are logged once, when the event is closed"
evt $p/cmem_rd_data/ -- sh -c 'model preset 0 0 0x80000000000003e7; evt -R; model fault 0 unstable' >/tmp/unstable
model fault 0 none
is "$(values /tmp/unstable)" "1000 1000" "the last value is kept if the event ends while its counter is unstable"
is "$(evt -t 20 $p/cmem_rd_data/ | values)" 0 "the next event on an unstable counter starts at 0"
evt $p/cmem_rd_data/ -- sh -c '
	model preset 0 0 0x80000000000003e7; evt -R
	model preset 0 0 0x8000000000000bb7; model fault 0 storm' >/tmp/storm
model fault 0 none
is "$(values /tmp/storm)" "1000 3000" "a failed read at the end of an event is retried once"
evt $p/cmem_rd_data/ -- sh -c '
	model fault 0 unstable; model preset 0 0 7; model raise 0 0; model await 0 0 read; evt -R
	model fault 0 none; evt -R; model preset 0 0 11; evt -R' >/tmp/wraps
# 2^64 + 7 - 0x7fffffffffffffff, then 4 more
is "$(values /tmp/wraps)" "0 9223372036854775816 9223372036854775820 9223372036854775820" \
	"the next successful read counts an overflow that occurred while the counter could not be read"

model raise 5 0
evt nvidia_scf_pmu_1/cmem_rd_data/ -- sh -c 'sleep 0.1; evt -R; model preset 5 0 0x8000000000000009' >/tmp/wraps
is "$(values /tmp/wraps)" "0 10" "an overflow left by an earlier event is not counted"

# Each event fails to read its counter twice at its end
sleep 6
evt -q -t 20 $p/cycles/
log_mark
model fault 0 unstable
begin=$(cut -d. -f1 /proc/uptime)
evt -q -n 40 $p/cycles/
model fault 0 none
# Ten in five seconds, in at most one interval more than have passed
limit=$((10 * (($(cut -d. -f1 /proc/uptime) - begin) / 5 + 2)))
logged=$(kernel_log "$(device 0): .* reads of counters failed" | wc -l)
ok $((logged < 1 || logged > limit)) "failed reads of 40 events log at most ten messages in five seconds" || diag "$logged, limit $limit"
sleep 6
evt -q -t 20 $p/cycles/
is "$(kernel_log "$(device 0): .* reads of counters failed" | sed 's/.*: \([0-9]*\) reads.*/\1/' | awk '{ n += $1 } END { print (n >= 80) }')" 1 \
	"each failed read is in a message, also if the rate limit suppressed the first one"

# --- a group that a probe in an update of the clocks leads: perf reads an event there

what="a group that is led by a probe in an update of the clocks is sampled"
trace=/sys/kernel/tracing
if [ -e $trace/kprobe_events ]; then
	echo 'p:clocks update_vsyscall' >>$trace/kprobe_events
	evt -S 1 "{" "tracepoint/$(cat $trace/events/kprobes/clocks/id)/" $p/cycles/ "}" -- \
		taskset -c "$(cat $pmus/$p/cpumask)" sh -c 'for i in 1 2 3 4 5; do date -s @$(($(date +%s) + 1)); done' >/tmp/traced
	ok $(($? || $(awk '$1 == "samples" { n += $2 } END { print n + 0 }' /tmp/traced) == 0)) "$what" || diag "$(cat /tmp/traced)"
else
	skip "no kprobes" "$what"
fi

# --- an interrupt line of two sockets: 1 and 8

is "$(grep -c "$(device 1), $(device 8)" /proc/interrupts)" 1 "two PMUs share an interrupt line"
a=nvidia_pcie_pmu_0/rd_bytes_loc/
b=nvidia_nvlink_c2c1_pmu_1/rd_bytes_loc/
# 2^64 + 5 - 0x7fffffffffffffff and 2^64 + 6 - ...
evt $a $b -- sh -c '
	model preset 1 0 5; model raise 1 0; model await 1 0 write; evt -R
	model preset 8 0 6; model raise 8 0; model await 8 0 write; evt -R' >/tmp/shared
is "$(values /tmp/shared)" \
	"9223372036854775814 0 9223372036854775814 9223372036854775815 9223372036854775814 9223372036854775815" \
	"each overflow on a shared line is counted for the PMU that has it"
shared=$(interrupts 1)
c=$(cat "/proc/irq/$(awk -v name="$(device 1)," '$0 ~ name { print $1 + 0 }' /proc/interrupts)/effective_affinity_list")
taskset -c $(((c + 1) % 4)) evt $a $b -- sh -c "
	insmod /lib/gpmu/cpuhog.ko cpu=$c ms=15000
	model preset 1 0 5; model preset 8 0 6; model raise 1 0; model raise 8 0
	cat /proc/interrupts >/tmp/before
	rmmod cpuhog; model await 1 0 write; model await 8 0 write; evt -R" >/tmp/shared
is "$(values /tmp/shared | cut -d ' ' -f 1,2)" "9223372036854775814 9223372036854775815" \
	"simultaneous overflows of two PMUs on a shared line are both counted"
sum='$0 ~ name { for (i = 2; i <= 5; i++) n += $i } END { print n }'
is $(($(awk -v name="$(device 1)," "$sum" /tmp/before) - shared)) 0 "the overflows of the two PMUs were simultaneous: no interrupt came in between"
before=$(interrupts 1)
evt -q $b -- sh -c 'for v in 5 6; do model preset 8 0 $v; model raise 8 0; model await 8 0 write; done'
ok $(($(interrupts 1) - before < 2)) "an overflow on a shared line is handled while the other PMU has no event"

# --- an edge-triggered interrupt: 7

before=$(interrupts 7)
evt nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc/ -- sh -c \
	'model preset 7 0 5; model raise 7 0; model await 7 0 write; evt -R' >/tmp/edge
is "$(values /tmp/edge)" "9223372036854775814 9223372036854775814" "an edge-triggered overflow is counted"
is $(($(interrupts 7) - before)) 1 "an edge-triggered overflow raises one interrupt"

# --- few and many counters, no cycle counter

e=nvidia_pcie_pmu_0/rd_bytes_loc/
is "$(evt -t 10 "{" $e $e $e nvidia_pcie_pmu_0/cycles/ "}" | awk '{ print ($3 > 0) }' | xargs)" "1 1 1 1" \
	"three counters: a group of three events and cycles counts (1)"
is "$(evt "{" $e $e $e $e "}")" "EINVAL $e" "three counters: a group of four events is refused"
all=$(i=0; while [ $i -lt 31 ]; do echo $b; i=$((i + 1)); done)
# shellcheck disable=SC2086 # 31 words
is "$(evt "{" $all nvidia_nvlink_c2c1_pmu_1/cycles/ "}" -- model preset 8 30 0x80000000000003e7 |
	awk '$1 > 0 { print NR, NR == 32 ? "cycles" : $1 }' | xargs)" "31 1000 32 cycles" \
	"31 counters: a group of 31 events and cycles counts, and the last event is in counter 30 (8)"
# shellcheck disable=SC2086
is "$(evt "{" $all $b "}")" "EINVAL $b" "31 counters: a group of 32 events is refused"
e=nvidia_cnvlink_pmu_0
ok "$([ ! -e $pmus/$e/events/cycles ]; echo $?)" "no cycle counter: sysfs has no event cycles (4)"
is "$(evt $e/0x100000000/)" "EOPNOTSUPP $e/0x100000000/" "no cycle counter: the event number of cycles is refused"

is "$(model illegal)" 0 "the driver made no illegal register access"
driver_unload
ok $? "the driver can be unloaded from all devices"
is "$(cd $pmus && echo nvidia_*)" "nvidia_*" "no PMU is left after the unload"
done_testing
