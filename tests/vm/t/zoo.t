#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board zoo
#: scenario steady guide-cpu-local-read idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 7.3-16k 7.3-rt 6.12 6.1
#: timeout 300
#
# Behaviour that only our driver has: several PMUs of a variant on a socket, 32-bit
# counters without an interrupt, unstable reads, shared interrupts, pages that are
# inaccessible or of another vendor's PMU. The numbers are those of the PMUs in the
# board file, which are also those in the APMT and of the devices.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

values() { # the first column of a file or of standard input, in a line
	cut -d ' ' -f 1 "$@" | xargs
}

# --- names

is "$(cd $pmus && echo nvidia_*)" "nvidia_cnvlink_pmu_0 nvidia_cnvlink_pmu_1 nvidia_cnvlink_pmu_1_inst_1 \
nvidia_nvlink_c2c0_pmu_0 nvidia_nvlink_c2c0_pmu_0_inst_1 nvidia_nvlink_c2c0_pmu_1 nvidia_nvlink_c2c0_pmu_1_inst_1 \
nvidia_nvlink_c2c1_pmu_0 nvidia_nvlink_c2c1_pmu_0_inst_1 nvidia_nvlink_c2c1_pmu_1 nvidia_nvlink_c2c1_pmu_1_inst_1 \
nvidia_pcie_pmu_0 \
nvidia_pcie_pmu_0_inst_1 nvidia_pcie_pmu_1 nvidia_scf_pmu_0 nvidia_scf_pmu_0_inst_1 nvidia_scf_pmu_0_inst_2 \
nvidia_scf_pmu_0_inst_3 nvidia_scf_pmu_0_inst_4 nvidia_scf_pmu_0_inst_5 nvidia_scf_pmu_1 nvidia_scf_pmu_1_inst_1 nvidia_scf_pmu_1_inst_2 \
nvidia_scf_pmu_1_inst_3 nvidia_scf_pmu_1_inst_4 nvidia_scf_pmu_1_inst_5" \
	"the second PMU of a variant on a socket is _inst_1, the third _inst_2, in the order of APMT"
caps() {
	(cd "$pmus/$1/caps" && cat counters counter_width cycle_counter | xargs)
}
is "$(caps nvidia_scf_pmu_0)" "6 64 1" "caps: a Grace PMU has six 64-bit counters and a cycle counter"
is "$(caps nvidia_scf_pmu_0_inst_2)" "6 32 1" "caps: the width of 32-bit counters is 32 (11)"
is "$(caps nvidia_pcie_pmu_0_inst_1)" "3 64 1" "caps: the number of three counters is 3 (17)"
is "$(caps nvidia_scf_pmu_1_inst_4)" "6 64 0" "caps: without a cycle counter, cycle_counter is 0 (16)"
is "$(cat $pmus/nvidia_nvlink_c2c1_pmu_0_inst_1/identifier)" 1040036b "without PMIIDR, PMPIDR identifies the PMU (21)"
is "$(cat $pmus/nvidia_nvlink_c2c0_pmu_0_inst_1/identifier)" 1050036b "the APMT's implementation id overrides PMIIDR (22)"

# perf's matching of names: a PMU without its number, as in the metrics, matches
# every nvidia_scf_pmu_<number> but no _inst_; an event without a PMU is opened on
# every PMU that has it.
opened() { # EVENT-OR-METRIC: the PMUs on which perf opens events
	pmu_stat -A --no-merge "$@" sleep 0.1
	grep -oE 'nvidia_[a-z0-9]+_pmu(_[0-9]+(_inst_[0-9]+)?)?' "$out" | sort -u | xargs
}
is "$(opened -M GraceMemReadBW)" "nvidia_scf_pmu_0 nvidia_scf_pmu_1" "perf opens a metric on the first PMU of each socket"
is "$(opened -e nvidia_scf_pmu/cmem_rd_data/)" "nvidia_scf_pmu_0 nvidia_scf_pmu_1" \
	"perf opens an event of a PMU without its number on the first PMU of each socket"
is "$(opened -e cmem_rd_data | wc -w)" 12 "perf opens an event without a PMU on all twelve PMUs"

# --- an affinity to one CPU: 23

p=nvidia_cnvlink_pmu_1_inst_1
is "$(cat $pmus/$p/associated_cpus $pmus/$p/cpumask | xargs)" "2 2" "a PMU of one CPU is associated with only that CPU"
is "$(evt -c 3 $p/cycles/)" "EINVAL $p/cycles/" "an event of a PMU of one CPU is refused on the socket's other CPU"
evt $p/cycles/ -- sh -c 'echo 0 >/sys/devices/system/cpu/cpu2/online; evt -R; cat '$pmus/$p/cpumask' >/tmp/mask' >/tmp/a
is "$(cat /tmp/mask)" "" "cpumask of a PMU of one CPU is empty while that CPU is offline"
cpu 2 1
is "$(cat $pmus/$p/cpumask)" 2 "cpumask of a PMU of one CPU has the CPU when it is back online"
is "$(evt -t 20 $p/cycles/ | awk '{ print ($1 > 0) }')" 1 "a PMU of one CPU counts when the CPU is back online"

# --- devices that are not Grace PMUs

is "$(line_of 24)" "PMIIDR 0a160a16 is not a PMU of NVIDIA: skipped" "another vendor's PMU is skipped and logged once (24)"
is "$(line_of 25)" "registers read all ones: no PMU present" "a page of ones is logged once, for that device (25)"
is "$(line_of 26)" "registers read all zeros: no PMU present" "a page of zeros is logged once, for that device (26)"
is "$(line_of 27)" "invalid PMCFGR 00007fff: 256 counters of 64 bits do not fit into the page" \
	"an invalid number of counters is logged once, for that device (27)"
is "$(line_of 28)" "invalid PMCFGR 00004006: 1-bit counters" "an invalid counter width is logged once, for that device (28)"
like "$(line_of 29)" "^interrupt [0-9]+ refused \(-16\): a timer reads the counters$" \
	"an edge-triggered interrupt of another PMU is not shared, which is logged once (20, 29)"
is "$(dmesg | grep -c 'grace-cspmu')" 6 "no other device logs a message"
is "$(model illegal)" 0 "no register of another vendor's PMU or of an inaccessible page was written"

# --- two pages, and no 64-bit accesses, with traffic

model start steady
for shape in "scf_pmu_1_inst_1 two pages (13)" "scf_pmu_1_inst_2 two pages, no 64-bit accesses (14)" \
	"scf_pmu_1_inst_3 one page, no 64-bit accesses (15)"; do
	p=nvidia_${shape%% *}
	is "$(evt -t 200 "{" $p/cmem_rd_data/ $p/cmem_rd_access/ $p/cycles/ "}" |
		awk '{ v[NR] = $1 } END { printf "%.0f %.0f", v[1] / v[3] * 2800, v[2] / v[3] * 2800 }')" "1100 550" \
		"${shape#* }: counts are those of the socket's first PMU"
done
is "$(evt -t 100 nvidia_scf_pmu_0/cmem_rd_data/ nvidia_scf_pmu_0_inst_1/cmem_rd_data/ | awk '{ print ($1 > 0) }' | xargs)" \
	"1 1" "two PMUs of a variant count at the same time (10)"
model stop steady

# --- 64 bits read as two halves: 15 changes while it is read

# The counter begins at 0x7fffffffffffffff
p=nvidia_scf_pmu_1_inst_3
log_mark
evt $p/cmem_rd_data/ -- sh -c '
	model preset 15 0 0x80000000000003e7; evt -R
	model preset 15 0 0x8000000100000000
	model fault 15 tear; evt -R; evt -R' >/tmp/tear
is "$(values /tmp/tear)" "1000 4294967297 4294967297 4294967297" \
	"the value is exact if the high word changes three times during a read"
is "$(kernel_log 'changed during')" "" "a high word that changes three times during a read is not logged"
evt $p/cmem_rd_data/ -- sh -c '
	model preset 15 0 0x80000000000003e7; evt -R
	model fault 15 unstable
	model preset 15 0 0x8000000000000bb7; evt -R; evt -R; evt -R
	model fault 15 none; evt -R' >/tmp/unstable
is "$(values /tmp/unstable)" "1000 1000 1000 1000 3000 3000" \
	"if the high word changes during every read, the last value is kept and the next successful read adds all counts"
like "$(line_of 15)" '^counter 0 changed during each of 8 reads: last value kept \([0-9]+ times so far\)$' \
	"a counter that changes during every read is logged"
what="a failed read is logged from a work item, not under the lock"
trace=/sys/kernel/tracing
if [ -e $trace/kprobe_events ]; then
	echo 'p:warn _dev_warn' >$trace/kprobe_events
	echo stacktrace >$trace/events/kprobes/warn/trigger
	echo 1 >$trace/events/kprobes/warn/enable
	log_mark
	evt -q $p/cmem_rd_data/ -- sh -c 'model fault 15 unstable; evt -R; model fault 15 none' >/dev/null
	await_log 'changed during' >/dev/null
	echo 0 >$trace/events/kprobes/warn/enable
	is "$(grep -cE '=> (grace|update|start|stop|irq_work)' $trace/trace) $(grep -c '=> worker_thread' $trace/trace)" "0 1" "$what" ||
		diag "$(cat $trace/trace)"
else
	skip "no kprobes" "$what"
fi
evt $p/cmem_rd_data/ -- sh -c 'model preset 15 0 0x80000000000003e7; evt -R; model fault 15 unstable' >/tmp/unstable
model fault 15 none
is "$(values /tmp/unstable)" "1000 1000" "the last value is kept if the event ends while its counter is unstable"
is "$(evt -t 20 $p/cmem_rd_data/ | values)" 0 "the next event on an unstable counter starts at 0"
evt $p/cmem_rd_data/ -- sh -c '
	model preset 15 0 0x80000000000003e7; evt -R
	model preset 15 0 0x8000000000000bb7; model fault 15 storm' >/tmp/storm
model fault 15 none
is "$(values /tmp/storm)" "1000 3000" "a failed read at the end of an event is retried once"

# The rate limit is per PMU: 15 has too many messages, 14 has one
sleep 1
given_up=$(line_of 15 | sed -n 's/.*(\([0-9]*\) times so far)$/\1/p' | tail -n 1)
log_mark
evt -q $p/cmem_rd_data/ nvidia_scf_pmu_1_inst_2/cmem_rd_data/ -- sh -c '
	model fault 15 unstable
	for i in 0 1 2 3 4 5; do for i in 0 1 2 3 4; do evt -R; done; done
	model fault 14 unstable; evt -R
	model fault 14 none; model fault 15 none' >/tmp/many
sleep 1
given_up=$((given_up + 31))
ok $(($(kernel_log "$(device 15): counter" | wc -l) > 30)) "31 more failed reads log fewer messages than failures"
is "$(line_of 14)" "counter 0 changed during each of 8 reads: last value kept (1 times so far)" \
	"failed reads of one PMU do not suppress the message of another"

# --- a page that becomes inaccessible while it counts: it reads all ones

p=nvidia_scf_pmu_0_inst_1
q=nvidia_scf_pmu_1_inst_2
evt $p/cycles/ $q/cycles/ -- sh -c 'evt -R; model fault 10 dead; model fault 14 dead; evt -R' >/tmp/gone
model fault 10 none
model fault 14 none
is "$(values /tmp/gone | awk '{ print ($1 > 0), ($3 - $1), ($5 - $1), ($2 > 0), ($4 - $2), ($6 - $2) }')" "1 0 0 1 0 0" \
	"an event keeps its last count when its page becomes inaccessible, with one access per read or two"
for n in 10 14; do
	like "$(line_of $n | tail -n 1)" '^counter 31 and PMCFGR read all ones: last value kept \([0-9]+ times so far\)$' \
		"a page that becomes inaccessible is logged ($n)"
done
is "$(evt -t 20 $p/cycles/ | awk '{ print ($1 > 0 && $1 < 1e12) }')" 1 "the next event counts when the page is accessible again"

# --- 40 bits without an interrupt: 29. Cycles are to be read each 137 s, bytes
# written each 0.43 s

p=nvidia_nvlink_c2c1_pmu_1_inst_1
new_period() {
	log_mark
	evt -q $p/cycles/ -- sh -c "sleep 1.2; model fault 29 unstable; evt -q -t 800 $p/wr_bytes_loc/ & sleep 0.2
		model fault 29 none; wait"
	kernel_log 'counters read .* late' | sed 's/.*/late: &/'
	[ "$(kernel_log "$(device 29): counter 31 changed during")" ] || echo "read: $(line_of 29)"
}
each_time 0 new_period >/tmp/off
is "$(grep late /tmp/off)" "" "the period of a new event does not make the reads of other events late" || diag "$(cat /tmp/each)"
is "$(grep read /tmp/off)" "" "a counter that cannot be read when a new event is added is logged as unread" || diag "$(cat /tmp/each)"

# --- 32 bits without an interrupt: 12. It begins at 0x7fffffff and is moved on
# by 0x60000000 five times, which passes 2^32 twice; then comes traffic: the
# guide's 35,572,420 beats. 5 x 1610612736 + 35572420 = 8088636100

p=nvidia_scf_pmu_0_inst_3
wraps='for v in 0xdfffffff 0x3fffffff 0x9fffffff 0xffffffff 0x5fffffff; do model preset 12 0 $v; model await 12 0 read; done'
evt $p/cmem_rd_data/ -- sh -c "$wraps; model run guide-cpu-local-read" >/tmp/wraps
is "$(values /tmp/wraps)" 8088636100 "32-bit counter without an interrupt: the count across two wraps is exact"
evt $p/cmem_rd_data/ -- sh -c "$wraps; evt -R; evt -R" >/tmp/wraps
is "$(values /tmp/wraps)" "8053063680 8053063680 8053063680" "32-bit counter without an interrupt: reads while it counts are exact"
evt "{" $p/cycles/ $p/cmem_rd_data/ $p/bus_cycles/ "}" -- sh -c "$wraps" >/tmp/wraps
is "$(sed -n 2p /tmp/wraps | values)" 8053063680 "32-bit counter without an interrupt: the count of a group member across two wraps is exact"
evt $p/cmem_rd_data/ -- sh -c "
	model preset 12 0 0xdfffffff; model await 12 0 read; model preset 12 0 0x3fffffff; model await 12 0 read
	echo 0 >/sys/devices/system/cpu/cpu0/online
	evt -R" >/tmp/wraps
cpu 0 1
is "$(values /tmp/wraps)" "3221225472 3221225472" "32-bit counter without an interrupt: a wrap before the counting CPU goes offline is counted"
evt $p/cmem_rd_data/ -- sh -c "
	echo 0 >/sys/devices/system/cpu/cpu1/online
	$wraps" >/tmp/wraps
cpu 1 1
is "$(values /tmp/wraps)" 8053063680 "32-bit counter without an interrupt: wraps after a move to another CPU are counted"
# A wrap is lost if the host stalls the CPU for a whole range.
model start steady
pass() {
	evt -t 3000 "{" $p/cmem_rd_data/ $p/cycles/ "}" >/tmp/busy
	far ratio "$(awk '{ v[NR] = $1 } END { print v[1] / v[2] }' /tmp/busy)" 0.78125 0.01
	[ "$(awk '{ print ($1 > 4294967296) }' /tmp/busy | xargs)" = "1 1" ] || echo "passed: $(xargs </tmp/busy)"
}
each_time 0 pass >/tmp/off
is "$(grep ratio /tmp/off)" "" \
	"32-bit counters without an interrupt that pass 2^32 keep their ratio of 2.5 data beats to 3.2 cycles" || diag "$(cat /tmp/each)"
is "$(grep passed /tmp/off)" "" "both 32-bit counters without an interrupt passed 2^32" || diag "$(cat /tmp/each)"
model stop steady

# A timer whose handler runs is in no list, and one that moves may be listed twice
evt $p/cmem_rd_data/ $p/cmem_wr_access/ -- sh -c 'for i in 1 2 3; do
	grep grace_cspmu /proc/timer_list | cut -d "<" -f 2 | sort -u | wc -l
	sleep 0.01
	done | sort -n | tail -n 1' >/tmp/timers
is "$(head -n 1 /tmp/timers)" 1 "one timer per PMU reads the counters"
evt -q -n 200 "{" $p/cmem_rd_data/ $p/cycles/ "}" "{" nvidia_scf_pmu_0/cycles/ "}"
is "$(grep -c grace_cspmu /proc/timer_list)" 0 "no timer is armed after 200 runs"

# --- a tracepoint that makes perf read an event: under the lock of a timer, when the
# driver starts its timer, and under the driver's lock, when it reports a failure.
# The next read happens after the lock is released.

traced() { # DESCRIPTION TRACEPOINT EVENT COMMAND: a group that the tracepoint leads is sampled
	t_what="a group that $2 leads is sampled: $1" t_id=$(cat "/sys/kernel/tracing/events/$2/id") t_event=$3
	if [ -z "$t_id" ]; then
		skip "no tracepoints" "$t_what"
		return
	fi
	shift 3
	evt -S 1 "{" "tracepoint/$t_id/" "$t_event" "}" -- "$@" >/tmp/traced
	ok $(($? || $(awk '$1 == "samples" { n += $2 } END { print n }' /tmp/traced) == 0)) "$t_what" || diag "$(cat /tmp/traced)"
}
traced "the driver's timer starts" timer/hrtimer_start $p/cycles/ \
	evt -q -n 5 -t 20 $p/cmem_rd_data/
[ -e $trace/kprobe_events ] && echo 'p:clocks update_vsyscall' >>$trace/kprobe_events
traced "in an update of the clocks" kprobes/clocks $p/cycles/ \
	taskset -c "$(cat $pmus/$p/cpumask)" sh -c 'for i in 1 2 3 4 5; do date -s @$(($(date +%s) + 1)); done'
q=nvidia_scf_pmu_1_inst_2
traced "under the driver's lock" ipi/ipi_raise $q/cmem_rd_data/ \
	evt -q $q/cmem_rd_access/ -- sh -c 'model fault 14 unstable; for i in 1 2 3 4 5; do evt -R; done'
model fault 14 none

what="the handler of the driver's timer reads no clock that an update of the clocks blocks"
if [ -e $trace/kprobe_events ]; then
	echo 'p:clock ktime_get caller=%x30:symbol' >>$trace/kprobe_events
	echo >$trace/trace
	echo 1 >$trace/events/kprobes/clock/enable
	evt -q -t 1500 $p/cycles/
	echo 0 >$trace/events/kprobes/clock/enable
	is "$(grep -c 'caller=.*grace_cspmu' $trace/trace) $(($(grep -c 'caller=' $trace/trace) > 0))" "0 1" "$what" ||
		diag "$(grep 'caller=.*grace_cspmu' $trace/trace | head -n 5)"
else
	skip "no kprobes" "$what"
fi

# --- a late timer. Cycles are to be read every 2^31 / 4 GHz = 537 ms, and a wrap may
# be lost after 1074. The end of an event, and the start of one with a shorter period,
# also wait for the CPU and run before the timer.

in_time() {
	log_mark
	evt -q -t 1800 $p/cycles/
	kernel_log 'counters read .* late' | sed 's/.*/late: &/'
}
is "$(each_time 0 in_time)" "" "a timer that reads in time logs nothing" || diag "$(cat /tmp/each)"
log_mark
c=$(cat $pmus/$p/cpumask)
hold="insmod /lib/gpmu/cpuhog.ko cpu=$c ms"
late='counters read [0-9]+ us late: a wrap may be missing from the counts$'
evt -q $p/cycles/ -- sh -c "$hold=1500; rmmod cpuhog; sleep 1"
like "$(await_log "$(device 12): counters")" "$late" "a timer too late to exclude a lost wrap is logged"
log_mark
taskset -c $((1 - c)) evt -q $p/cycles/ -- sh -c "$hold=1500; sleep 0.1"
rmmod cpuhog
like "$(await_log "$(device 12): counters")" "$late" "a late read is logged if the event ends before the timer runs"

log_mark
taskset -c $((1 - c)) evt -q $p/cycles/ -- sh -c "$hold=1500; sleep 0.1; evt -q -t 10 $p/cmem_rd_access/"
rmmod cpuhog
like "$(await_log "$(device 12): counters")" "$late" "a late read is logged if another event restarts the timer before it runs"

log_mark
bad=
for e in cmem_rd_outstanding scf_cache scf_cache_wb socket_1_rd_outstanding remote_socket_rd_outstanding 0x123; do
	[ "$(evt $p/$e/)" = "EOPNOTSUPP $p/$e/" ] || bad="$bad $e"
done
is "$bad" "" "32-bit counters without an interrupt refuse events with unbounded increments"
is "$(line_of 12 | grep -m 1 refused)" \
	"$p: event cmem_rd_outstanding refused: 32-bit counters without an interrupt, and no bound on its increments per cycle is known" \
	"the refusal of an event with unbounded increments is logged with its reason"
is "$(line_of 12 | grep -c ' refused: ')" 6 "the refusal of each of six unbounded events is logged"
bad=
for e in cycles bus_cycles cmem_rd_data cmem_rd_access cmem_wb_data cmem_wb_access cmem_wr_data cmem_wr_access \
	cmem_wr_total_bytes gmem_rd_data gmem_wr_total_bytes socket_1_rd_data socket_0_wr_data \
	remote_socket_rd_data; do
	evt -q $p/$e/ || bad="$bad $e"
done
is "$bad" "" "32-bit counters without an interrupt count events with bounded increments"
# At most 2 x 3 x 2 x 64 bytes per cycle at 4 GHz, in half a range of 2^32
is "$(evt $p/remote_socket_wr_total_bytes/)" "EOPNOTSUPP $p/remote_socket_wr_total_bytes/" \
	"an event that could wrap within the shortest period is refused"
is "$(line_of 12 | grep 'event remote_socket_wr_total_bytes')" \
	"$p: event remote_socket_wr_total_bytes refused: 32-bit counters without an interrupt would have to be read every 699 us (least 1000 us)" \
	"the refusal of an event that wraps too fast is logged with its reason"
is "$(evt -q nvidia_scf_pmu_0_inst_2/cmem_rd_outstanding/)" "" "32-bit counters with an interrupt count unbounded events (11)"

# --- shared interrupts: 18 on socket 0 and 19 on socket 1

is "$(grep -c "$(device 18), $(device 19)" /proc/interrupts)" 1 "two PMUs share an interrupt line"
a=nvidia_scf_pmu_0_inst_4/cmem_rd_data/
b=nvidia_scf_pmu_1_inst_5/cmem_rd_data/
# 2^64 + 5 - 0x7fffffffffffffff and 2^64 + 6 - ...
evt $a $b -- sh -c '
	model preset 18 0 5; model raise 18 0; model await 18 0 write; evt -R
	model preset 19 0 6; model raise 19 0; model await 19 0 write; evt -R' >/tmp/shared
is "$(values /tmp/shared)" \
	"9223372036854775814 0 9223372036854775814 9223372036854775815 9223372036854775814 9223372036854775815" \
	"each overflow on a shared line is counted for the PMU that has it"
shared=$(interrupts 18)
c=$(cat "/proc/irq/$(awk -v name="$(device 18)," '$0 ~ name { print $1 + 0 }' /proc/interrupts)/effective_affinity_list")
taskset -c $(((c + 1) % 4)) evt $a $b -- sh -c "
	insmod /lib/gpmu/cpuhog.ko cpu=$c ms=2500
	model preset 18 0 5; model preset 19 0 6; model raise 18 0; model raise 19 0
	cat /proc/interrupts >/tmp/before
	rmmod cpuhog; model await 18 0 write; model await 19 0 write; evt -R" >/tmp/shared
is "$(values /tmp/shared | cut -d ' ' -f 1,2)" "9223372036854775814 9223372036854775815" \
	"simultaneous overflows of two PMUs on a shared line are both counted"
sum='$0 ~ name { for (i = 2; i <= 5; i++) n += $i } END { print n }'
is $(($(awk -v name="$(device 18)," "$sum" /tmp/before) - shared)) 0 "the overflows of the two PMUs were simultaneous: no interrupt came in between"
before=$(interrupts 18)
evt -q $b -- sh -c 'for v in 5 6; do model preset 19 0 $v; model raise 19 0; model await 19 0 write; done'
ok $(($(interrupts 18) - before < 2)) "an overflow on a shared line is handled while the other PMU has no event"

evt $a $b -- sh -c '
	model fault 18 dead
	model preset 19 0 6; model raise 19 0; model await 19 0 write; evt -R
	model fault 18 none' >/tmp/shared
model fault 18 none
is "$(values /tmp/shared | cut -d ' ' -f 1,2)" "0 9223372036854775815" \
	"on a shared line, a page of ones has no overflow, and the overflow of the other PMU is counted"

# A handler that claims a flag it cannot clear would run for ever: 18
log_mark
before=$(interrupts 18)
evt $a $b -- sh -c '
	model fault 18 stuck; model preset 18 0 5; model raise 18 0; model await 18 0 write; sleep 0.2
	model preset 19 0 6; model raise 19 0; model await 19 0 write; sleep 0.2; evt -R
	model fault 18 none' >/tmp/shared
model fault 18 none
is "$(values /tmp/shared | cut -d ' ' -f 1,2)" "9223372036854775814 9223372036854775815" \
	"on a shared line, both counts are exact if an overflow flag cannot be cleared"
ok $(($(interrupts 18) - before > 5)) "an overflow flag that cannot be cleared raises few interrupts" ||
	diag "$(($(interrupts 18) - before)) interrupts"
is "$(await_log "$(device 18): " | sed 's/.*\(counter\)/\1/')" "counter 0: overflow flag stays set, interrupt masked" \
	"an overflow flag that cannot be cleared is logged"
evt $a -- sh -c 'model preset 18 0 5; model raise 18 0; model await 18 0 write; evt -R' >/tmp/shared
is "$(values /tmp/shared)" "9223372036854775814 9223372036854775814" \
	"the next event has its interrupt again after an overflow flag could not be cleared"

# --- all 32 bits of an overflow status register at once: 30

p=nvidia_scf_pmu_0_inst_5
before=$(interrupts 30)
full() {
	# shellcheck disable=SC2046 # an event each
	f_full=$(evt -t 3000 "{" $p/cycles/ $(for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; do
		echo $p/bus_cycles/
	done) "}" | awk '{ print ($1 > 8589934592) }' | sort | uniq -c | xargs)
	[ "$f_full" = "32 1" ] || echo "full: $f_full"
}
is "$(each_time 0 full)" "" "32 counters that overflow together, twice: no wrap is lost (30)"
ok $(($(interrupts 30) - before < 2)) "32 counters that overflow together raise interrupts (30)"
is "$(dmesg | grep -c 'nobody cared')" 0 "the kernel reports no unhandled interrupt of 32 overflows"

# --- an edge-triggered interrupt: 20

before=$(interrupts 20)
evt nvidia_nvlink_c2c0_pmu_1_inst_1/rd_bytes_loc/ -- sh -c \
	'model preset 20 0 5; model raise 20 0; model await 20 0 write; evt -R' >/tmp/edge
is "$(values /tmp/edge)" "9223372036854775814 9223372036854775814" "an edge-triggered overflow is counted"
is $(($(interrupts 20) - before)) 1 "an edge-triggered overflow raises one interrupt"

# --- few counters, no cycle counter

e=nvidia_pcie_pmu_0_inst_1/rd_bytes_loc/
is "$(evt -t 10 "{" $e $e $e nvidia_pcie_pmu_0_inst_1/cycles/ "}" | awk '{ print ($3 > 0) }' | xargs)" "1 1 1 1" \
	"three counters: a group of three events and cycles counts (17)"
is "$(evt "{" $e $e $e $e "}")" "EINVAL $e" "three counters: a group of four events is refused"
e=nvidia_scf_pmu_1_inst_4
ok "$([ ! -e $pmus/$e/events/cycles ]; echo $?)" "no cycle counter: sysfs has no event cycles (16)"
is "$(evt $e/0x100000000/)" "EOPNOTSUPP $e/0x100000000/" "no cycle counter: the event number of cycles is refused"

is "$(model illegal)" 0 "the driver made no illegal register access"
driver_unload
ok $? "the driver can be unloaded from all devices"
is "$(cd $pmus && echo nvidia_*)" "nvidia_*" "no PMU is left after the unload"
like "$(line_of 15 | tail -n 1)" "^counter 0 changed .* \($given_up times so far\)\$" \
	"a message suppressed by its rate limit is logged when the module is unloaded"
is "$(dmesg | grep -c suppressed)" 0 "the kernel does not log the suppression of messages"
done_testing
