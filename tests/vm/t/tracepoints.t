#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board zoo
#: scenario guide-cpu-local-read
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 6.12 7.3-16k 7.3-rt
#: timeout 300
#
# The driver's tracepoints, on 32-bit counters (PMU 0) and on 40-bit ones that are read
# in halves (PMU 5).
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

trace=/sys/kernel/tracing
events=$trace/events/grace_cspmu

# traced COMMAND...: runs it with the tracepoints on, and with its output in /tmp/traced
traced() {
	echo >$trace/trace
	echo 1 >$events/enable
	"$@" >/tmp/traced
	echo 0 >$events/enable
}

# records PMU: its records since the last traced as "TRACEPOINT RAW COUNT, ..."
records() {
	sed -n "s/.* counter_\([a-z]*\): pmu=$1 .* raw=\(0x[0-9a-f]*\) count=\([0-9]*\)\$/\1 \2 \3/p" $trace/trace |
		sed ':a; N; s/\n/, /; ta'
}

values() { # FILE: the counts in it
	cut -d ' ' -f 1 "$1" | xargs
}

is "$(cd $events && echo counter_*)" "counter_overflow counter_read counter_start counter_stop" "there are four tracepoints"
# As in tests/unit/perfmod/traceevent.c
is "$(sed -n 's/^\tfield:\(.*\);\toffset:\([0-9]*\);.*/\1 \2/p' $events/counter_read/format | grep -v common_ | xargs)" \
	"char pmu[32] 8 u64 event 40 u64 raw 48 u64 count 56 u32 filter 64 int counter 68" \
	"the format of the records is that for which the plugin of libtraceevent is tested"
# PMU 5, of two pages
e=nvidia_scf_pmu_1/cmem_rd_data/
echo >$trace/trace
evt -q $e
is "$(grep -vc '^#' $trace/trace)" 0 "nothing is recorded while the tracepoints are off"

# A counter starts at 0x7fffffffffffffff
half=0x7fffffffffffffff
traced evt $e -- sh -c 'model preset 5 0 0x8000000000000009; evt -R; model preset 5 0 0x8000000000000010'
is "$(values /tmp/traced)" "10 17" "tracepoints: two reads of a counter return counts 10 and 17"
is "$(records nvidia_scf_pmu_1)" \
	"start $half 0, read 0x8000000000000009 10, read 0x8000000000000010 17, stop 0x8000000000000010 17" \
	"tracepoints: start, reads and stop have the value of the counter and the count of the event"
is "$(sed -n 's/.*counter_start: \(.*\) raw=.*/\1/p' $trace/trace)" \
	"pmu=nvidia_scf_pmu_1 counter=0 event=0x$(sed 's/event=0x//' $pmus/nvidia_scf_pmu_1/events/cmem_rd_data) filter=0x0" \
	"tracepoints: a record has the PMU, the counter and the event"
traced evt -q "{" nvidia_pcie_pmu_1/rd_bytes_loc,0x101/ nvidia_pcie_pmu_1/cycles/ "}"
is "$(sed -n 's/.*counter_start: pmu=nvidia_pcie_pmu_1 \(.*\) raw=.*/\1/p' $trace/trace | cut -d ' ' -f 2,3 | xargs)" \
	"$(cat $pmus/nvidia_pcie_pmu_1/events/rd_bytes_loc) filter=0x101 event=0x100000000 filter=0x3ff" \
	"tracepoints: a record has the filter, and the cycle counter has the event of cycles"

# 2^64 + 5 - 0x7fffffffffffffff. The counter restarts there.
traced evt $e -- sh -c 'model preset 5 0 5; model raise 5 0; model await 5 0 write; model preset 5 0 0x8000000000000001; evt -R'
is "$(records nvidia_scf_pmu_1)" "start $half 0, read 0x5 9223372036854775814, overflow 0x5 9223372036854775814, \
read 0x8000000000000001 9223372036854775816, read 0x8000000000000001 9223372036854775816, stop 0x8000000000000001 9223372036854775816" \
	"tracepoints: an overflow has the value of the counter before its restart"
traced evt nvidia_scf_pmu_0/cmem_rd_data/ -- sh -c '
	model preset 0 0 0x8000000000000009; evt -R
	model fault 0 unstable; model preset 0 0 7; model raise 0 0; model await 0 0 read; evt -R; model fault 0 none'
is "$(records nvidia_scf_pmu_0)" "start $half 0, read 0x8000000000000009 10, overflow 0x8000000000000009 10, \
read 0x7 9223372036854775816, stop 0x7 9223372036854775816" \
	"tracepoints: an overflow of a counter that cannot be read has the last value, and a failed read has no record"

# The kernel does not clear the memory of a record
cpu=$(cat $pmus/nvidia_scf_pmu_1/cpumask)
echo >$trace/trace
taskset -c "$cpu" sh -c 'for i in $(seq 200); do printf "%0900d" 0 >"$1"; done' sh $trace/trace_marker
traced evt -q $e
name=$(printf nvidia_scf_pmu_1 | od -An -v -tx1 | tr -d ' \n')
is "$(timeout 5 dd if="$trace/per_cpu/cpu$cpu/trace_pipe_raw" bs=64k count=1 2>/dev/null | od -An -v -tx1 | tr -d ' \n' | grep -o "$name.\{32\}" | sort -u)" \
	"${name}00000000000000000000000000000000" "the name of the PMU in a record is followed by zeros, not by the bytes of older records"

# The counts of perf stat are those of the last records
group=$(for i in cmem_rd_data cmem_rd_access cycles; do printf 'nvidia_scf_pmu_0/%s/,' $i; done)
traced pmu_stat -e "{${group%,}}" model run guide-cpu-local-read
for event in cmem_rd_data cmem_rd_access cycles; do
	code=$(sed 's/event=0x0*//' $pmus/nvidia_scf_pmu_0/events/$event)
	n=$(count nvidia_scf_pmu_0/$event/)
	is "$(sed -n "s/.*counter_stop: .* event=0x$code .* count=//p" $trace/trace | tail -n 1)" "$n" \
		"counter_stop: the count of $event is that of perf stat"
	ok $((!(${n:-0} > 0))) "perf stat counts $event"
done

# Recording and sampling by the tracepoint, under the lock of the PMU
for point in counter_read counter_start counter_stop; do
	evt -S 1 "{" "tracepoint/$(cat $events/$point/id)/" nvidia_pcie_pmu_1/cycles/ "}" -- \
		taskset -c "$(cat $pmus/nvidia_pcie_pmu_1/cpumask)" \
		evt -q nvidia_pcie_pmu_1/rd_bytes_loc/ -- sh -c 'evt -R; evt -R' >/tmp/led
	ok $(($? || $(awk '$1 == "samples" { n += $2 } END { print n + 0 }' /tmp/led) == 0)) \
		"a group that $point leads is sampled" || diag "$(cat /tmp/led)"
done
done_testing
