#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board mended
#: scenario steady
#: kernels 7.3 debug
#: drivers ours in-tree-patched
#: long 7.3/ours
#: timeout 300
#
# The faults of the in-tree driver that the patches of perfmod/upstream mend. Numbers are
# those of the PMUs in the board file.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

values() { # the first column of a file or of standard input, in a line
	cut -d ' ' -f 1 "$@" | xargs
}

# --- 64 bits read as two halves that change during every read: 0

# The counter begins at 0x7fffffffffffffff
evt nvidia_scf_pmu_0/cmem_rd_data/ -- sh -c '
	model preset 0 0 0x80000000000003e7; evt -R
	model fault 0 unstable
	model preset 0 0 0x8000000000000bb7; evt -R; evt -R
	model fault 0 none; evt -R' >/tmp/unstable
is "$(values /tmp/unstable)" "1000 1000 1000 3000 3000" \
	"a count stays while its counter changes during every read, and the next successful read adds all counts"

# --- 32 bits without an interrupt: 1

wraps() { # PMU
	echo "for v in 0xdfffffff 0x3fffffff 0x9fffffff 0xffffffff 0x5fffffff; do model preset $1 0 \$v; model await $1 0 read; done"
}
if ! ours; then
	# 5 x 0x60000000 past 0x7fffffff, two wraps. Each read in between is that of the timer.
	p=nvidia_scf_pmu_1
	evt $p/cmem_rd_data/ -- sh -c "$(wraps 1)" >/tmp/wraps
	is "$(values /tmp/wraps)" 8053063680 "32-bit counter without an interrupt: a count across two wraps is exact"
	evt $p/cmem_rd_data/ -- sh -c "echo 0 >/sys/devices/system/cpu/cpu2/online; $(wraps 1)" >/tmp/wraps
	cpu 2 1
	is "$(values /tmp/wraps)" 8053063680 "32-bit counter without an interrupt: wraps after a move to another CPU are counted"
	evt -q -n 100 "{" $p/cmem_rd_data/ $p/cycles/ "}"
	is "$(grep -c cspmu /proc/timer_list)" 0 "32-bit counter without an interrupt: no timer is armed after the last event"
fi

# --- an interrupt line of two sockets: 6, 7, or 2, 3 with 32 bits, which our driver refuses

# An overflow is handled when the handler has set the counter to half its range again
overflow() { # PMU VALUE
	echo "model preset $1 0 $2; model raise $1 0; model await $1 0 write"
}
if ours; then
	is "$(grep -c "$(device 6), $(device 7)" /proc/interrupts)" 1 "two PMUs of two sockets share their interrupt line"
	a=nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/
	b=nvidia_nvlink_c2c1_pmu_1/rd_bytes_loc/
	evt $a $b -- sh -c "$(overflow 6 5); evt -R; $(overflow 7 6)" >/tmp/shared
	# 2^64 + 5 - 0x7fffffffffffffff
	is "$(values /tmp/shared)" "9223372036854775814 0 9223372036854775814 9223372036854775815" \
		"each overflow on a shared line is counted for the PMU that has it"
	before=$(interrupts 6)
	evt -q $b -- sh -c "$(overflow 7 5); $(overflow 7 5)"
	ok $(($(interrupts 6) - before < 2)) "an overflow on a shared line is handled while the other PMU has no event"

	# One of the two PMUs has its interrupts on a CPU of the other socket. Counts of a group
	# that perf throttles are lost, so the rate of samples is not limited. An overflow adds
	# 2^63 + 6, and the count has 64 bits: 30 overflows add 180.
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	for n in 6 7; do
		e=nvidia_nvlink_c2c1_pmu_$((n - 6))/rd_bytes_loc/
		evt -S 2000000 "{" cpu-clock $e "}" -- sh -c "
			i=0
			while [ \$i -lt 30 ]; do
				$(overflow $n 5)
				i=\$((i + 1))
			done" >/tmp/race
		is "$(awk -v e="$e" '$4 == e { print $2 }' /tmp/race)" 180 \
			"overflows on a shared line are counted exactly while samples read the counter on its own CPU ($n)" ||
			diag "$(cat /tmp/race)"
	done
else
	a=nvidia_pcie_pmu_0/rd_bytes_loc/
	b=nvidia_pcie_pmu_1/rd_bytes_loc/
	# The first driver has the line
	is "$(grep -c "$(device 2)" /proc/interrupts) $(grep -c "$(device 3)" /proc/interrupts)" "1 0" \
		"of two PMUs with one interrupt line, the first has the interrupt"
	evt $a $b -- sh -c "$(overflow 2 5); $(wraps 3)" >/tmp/line
	# 2^32 + 5 - 0x7fffffff
	is "$(values /tmp/line)" "2147483654 8053063680" \
		"of two PMUs with one interrupt line, one is counted by its interrupt, the other by the timer"
	evt $a -- sh -c "echo 0 >/sys/devices/system/cpu/cpu0/online; $(overflow 2 5); $(overflow 2 5)" >/tmp/line
	cpu 0 1
	is "$(values /tmp/line)" $((2 * 2147483654)) "overflows after a move to another CPU are counted"
fi

# --- events read where they have no counter, and while the driver sets a counter

# A group that a probe in FUNCTION of the driver leads: perf reads its second event there.
probed() { # FUNCTION COMMAND...
	p_function=$1
	shift
	echo "p:mended $p_function" >/sys/kernel/tracing/kprobe_events || return
	evt -S 1 "{" "tracepoint/$(cat /sys/kernel/tracing/events/kprobes/mended/id)/" $e "}" -- "$@" >/tmp/probed
	echo >/sys/kernel/tracing/kprobe_events
}
e=nvidia_scf_pmu_0/cmem_rd_data/
if ours; then
	add=grace_add locked=grace_counter_preset
else
	add=arm_cspmu_add locked=arm_cspmu_set_event_period
fi
# Where the group's own event is added
probed $add model preset 0 0 0x80000000000003e7
is "$(awk -v e="$e" '$4 == e { print $2, $3 }' /tmp/probed)" "0 0" \
	"an event that perf reads before it has a counter has a count of 0" || diag "$(cat /tmp/probed)"
probed $locked evt -q -n 20 "{" $(for _ in 1 2 3 4 5 6; do echo nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/; done) "}"
is "$(awk '$1 == "samples" { print ($2 > 100) } /cmem/ { print $3 }' /tmp/probed | xargs)" "1 0" \
	"a group that perf reads while a counter of another PMU is set never counts backwards" || diag "$(cat /tmp/probed)"
is "$(evt $e -- model preset 0 0 0x80000000000003e7 | values)" 1000 "an event counts after reads within the driver"

# --- a throttled group leader

if ours; then
	# An idle CPU has no ticks. A group that is not restarted has five samples, however long it runs.
	p=nvidia_cnvlink_pmu_0
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate
	evt -S 100000 "{" cpu-clock $p/rd_bytes_loc/ "}" -- \
		timeout 3 taskset -c "$(cat $pmus/$p/cpumask)" sh -c 'while :; do :; done' >/tmp/ring
	ok $(($(awk '$1 == "samples" { print $2 }' /tmp/ring) <= 20)) \
		"a throttled leader of a group is restarted at the next tick" || diag "$(cat /tmp/ring)"
fi

# --- no cycle counter: 4

is "$(evt nvidia_cnvlink_pmu_0/0x100000000/)" "EOPNOTSUPP nvidia_cnvlink_pmu_0/0x100000000/" \
	"without a cycle counter, the event number of cycles is refused"

is "$(model illegal)" 0 "the driver made no illegal register access"
driver_unload
ok $? "the driver can be unloaded"
done_testing
