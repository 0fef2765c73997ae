#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3
#: drivers ours
#: long 6.1 6.12
#: userland yes
#: icount 0
#: timeout 300
#
# gpmu record -A has the metrics ipc and cycles_frequency for each CPU. With icount, QEMU counts instructions,
# too: one per nanosecond of the guest's time on each CPU, and none while all CPUs sleep. Only the instructions in
# user space differ between CPUs. A cycle is a nanosecond.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH
trace=/tmp/cpus.pftrace

# mean COUNTER OF: its mean in the trace
mean() {
	awk -F , -v counter="$1" -v of="$2" '$1 == counter && $2 == of { print $4 }' /tmp/counters
}
# report: the counters of the trace
report() {
	gpmu report --by counter --format csv $trace >/tmp/counters 2>/tmp/report.err
}
# total COUNTER OF: its total in the trace
total() {
	awk -F , -v counter="$1" -v of="$2" '$1 == counter && $2 == of { print $8 }' /tmp/counters
}
# counted EVENT CPU: its count by perf stat -A
counted() {
	awk -F , -v event="$1" -v cpu="CPU$2" '$1 == cpu && $4 == event { print $2 }' /tmp/perf
}

# CPU 1 computes for two seconds, and then all sleep for two.
# shellcheck disable=SC2016
perf stat -a -A -x , -o /tmp/perf -e cycles,instructions,instructions:u -- gpmu record -o $trace --no-cuda-trace -a -A \
	-I 100 -M ipc,cycles_frequency -e INST_RETIRED:u -- \
	taskset 2 sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; sleep 2' >/tmp/record 2>&1
is $? 0 "gpmu record -a -A -M ipc,cycles_frequency succeeds" || diag "$(cat /tmp/record)"
report
is "$(awk -F , '$2 ~ /^CPU/ { print $1, $2 }' /tmp/counters | sort | xargs)" \
	"$(for event in INST_RETIRED:u cycles_frequency ipc; do printf "$event CPU %d\n" 0 1 2 3; done | xargs)" \
	"the trace has both metrics and the event for each CPU" || diag "$(cat /tmp/counters /tmp/report.err)"
for cpu in 0 1 2 3; do
	# perf counts a little longer, while gpmu starts and ends.
	near "$(mean ipc "CPU $cpu")" "$(awk -v i="$(counted instructions $cpu)" -v c="$(counted cycles $cpu)" 'BEGIN { print i / c }')" 10 \
		"CPU $cpu: the mean of ipc is that of perf stat -A" || diag "$(cat /tmp/perf /tmp/counters)"
	# The clock is read before or after the cycles, and another CPU may be emulated in between.
	near "$(mean cycles_frequency "CPU $cpu")" 1 5 "CPU $cpu: the mean of cycles_frequency is QEMU's 1 GHz"
done
is "$(awk -F , '$1 == "ipc" { print $2, ($5 < 0.1), ($6 > 0.9 && $6 < 1.1) }' /tmp/counters | xargs)" \
	"CPU 0 1 1 CPU 1 1 1 CPU 2 1 1 CPU 3 1 1" "ipc is 1 while a CPU computes, and 0 while all sleep" || diag "$(cat /tmp/counters)"
near "$(total INST_RETIRED:u "CPU 1")" "$(counted instructions:u 1)" 10 \
	"the busy CPU: the instructions in user space are those of perf stat -A" || diag "$(cat /tmp/perf /tmp/counters)"
ok "$(awk -v busy="$(total INST_RETIRED:u "CPU 1")" -v idle="$(total INST_RETIRED:u "CPU 3")" 'BEGIN { print !(idle < busy / 10) }')" \
	"an idle CPU has less than a tenth of the busy CPU's instructions in user space" || diag "$(cat /tmp/counters)"

# --- a CPU that is offline, and one that goes offline

# shares: the CPUs with the counted share of the time, rounded to tenths
shares() {
	awk -F , '$1 == "cpu-clock" { printf "%s %.1f\n", $2, $10 }' /tmp/counters | xargs
}
echo 0 >/sys/devices/system/cpu/cpu3/online
gpmu record -o $trace --no-cuda-trace -a -A -I 20 -e cpu-clock -M ipc --duration 0.5 >/tmp/record 2>&1
is $? 0 "gpmu record -A succeeds while a CPU is offline" || diag "$(cat /tmp/record)"
report
is "$(shares)" "CPU 0 1.0 CPU 1 1.0 CPU 2 1.0" "a CPU that is offline has no track" || diag "$(cat /tmp/counters /tmp/record)"
echo 1 >/sys/devices/system/cpu/cpu3/online
# shellcheck disable=SC2016
gpmu record -o $trace --no-cuda-trace -a -A -I 20 -e cpu-clock -M ipc -- \
	sh -c 'sleep 1; echo 0 >"$0"; sleep 1' /sys/devices/system/cpu/cpu2/online >/tmp/record 2>&1
is $? 0 "gpmu record -A succeeds while a CPU goes offline" || diag "$(cat /tmp/record)"
report
is "$(shares)" "CPU 0 1.0 CPU 1 1.0 CPU 2 0.5 CPU 3 1.0" "a CPU that goes offline has no values from then on, and the other CPUs have all values" ||
	diag "$(cat /tmp/counters /tmp/record)"
done_testing
