#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat: targets, rows and output forms, on the model, whose rates are known, and with this
# kernel's software events.
. tests/tools/lib.sh

# stat ARGUMENT...: on a machine without PMUs
# shellcheck disable=SC2317 # called by run
stat() {
	at vm gpmu stat "$@"
}

# values NAME: the column "value" of the rows with that name in the JSON lines of $err
values() {
	python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row["name"] == sys.argv[1]: print(row["value"])' "$1" <<< "$err"
}

# --- rows
run stat "$model" -M GraceMemBW sleep 0.1
is "$rc $out" "0 " "stat -M with a command exits with the command's status and leaves standard output empty"
like "$err" "^ Performance counter stats for 'sleep 0.1' \[machine\]:$" "stat's heading has the command and the rows' target"
like "$err" '^ +190\.72 GB/s GraceMemBW$' "stat -M prints the rate of the model's scenario"
like "$err" '^ +[0-9]+\.[0-9]{9} seconds time elapsed$' "stat's summary has the elapsed time"
like "$err" '^ +[0-9.]+ seconds user$' "stat's summary has the command's user time"
expect 0 stat "$model" --per-node -M GraceMemBW true
like "$err" '^N0 +131\.52 GB/s GraceMemBW' "stat --per-node has a row for node 0"
like "$err" '^N1 +59\.20 GB/s GraceMemBW' "stat --per-node has a row for node 1"
expect 0 stat "$model" -e page-faults -M GraceMemBW -e task-clock true
is "$(grep -oE '(page-faults|GraceMemBW|task-clock)( *\[machine\]$| )?' <<< "$err" | tr -s ' ' | sed 's/ $//' | tr '\n' ' ')" "page-faults GraceMemBW [machine] task-clock " "stat prints rows in the order of -e and -M, and marks those not of the process"
expect 0 stat "$model" -a -M GracePcieReadBW/root_port=0x100/ -j --timeout 20
like "$err" '"name":"GracePcieReadBW/root_port=0x100/"' "stat accepts a filter in -M and prints it in the name"
expect 0 stat "$model" -j -M GraceMemBW -- sleep 0.1
is "$(printf %.2f "$(values GraceMemBW)")" "190.72" "stat -j prints the metric's value as JSON"
expect 0 stat "$model" -x, -M GraceMemBW true
is "$(columns gpmu name unit <<< "$err")" "2 GraceMemBW GB/s" "stat -x, prints gpmu's columns after those of perf"
expect 0 stat "$model" -x '\t' -M GraceMemBW true
is "$(separator=$'\t' columns name state <<< "$err")" "GraceMemBW ok" "stat -x '\t' separates columns by tabs"
run stat -e page-faults -x a true
is "$rc" 125 "stat -x refuses a separator that occurs in words"
like "$err" '^gpmu stat: -x: separator "a": expected' "stat -x a: the message names the separator and what is expected"

# --- default events
expect 0 stat true
for name in task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses; do
	like "$err" " $name( |$)" "stat without -e and -M counts $name"
done
like "$err" ' task-clock +# +[0-9.]+ CPUs utilized$' "stat prints the CPUs utilized beside task-clock"
like "$err" ' page-faults +# +[0-9.]+ [KM]?/sec$' "stat prints the rate of page-faults in the CPU time"
unlike "$err" 'Grace|warning' "stat without -e and -M counts no Grace metric where there is no Grace"
expect 0 stat "$model" -a true
for name in MemBW GpuMemBW RemoteBW PcieBW C2c0BW C2c1BW CnvlinkBW; do
	like "$err" "GB/s Grace$name$" "stat -a without -e and -M counts Grace$name on a Grace"
done
expect 0 stat "$model" true
unlike "$err" 'Grace' "stat without -a, -e and -M counts no Grace metric"

like "$err" ' task-clock ' "stat without -a counts the clock of tasks"
expect 0 stat -a true
like "$err" ' cpu-clock +# +[0-9.]+ CPUs utilized$' "stat -a counts the clock of the CPUs, as perf does"
expect 0 stat -d -d -e page-faults true
is "$(grep -oE '(page-faults|LLC-load-misses|L1-icache-loads|L1-dcache-prefetches)( |$)' <<< "$err" | tr -d ' ' | paste -sd' ')" "page-faults LLC-load-misses L1-icache-loads" "stat -d -d adds perf's events of two levels"

# --- metrics only
expect 0 stat "$model" -a --per-node --metric-only -M GraceMemBW,GracePcieBW --duration 0.05
like "$err" '^ +GB/s  GraceMemBW +GB/s  GracePcieBW *$' "stat --metric-only has a line with the names of the metrics"
like "$err" '^N1 +59\.20 +15\.36 *$' "stat --metric-only has one line for each node"
expect 0 stat "$model" -a --per-node --metric-only -M GraceMemBW,GracePcieBW -e page-faults,task-clock -x, --duration 0.05
is "$(sed -n 1p <<< "$err")" "node,ctrs,GB/s  GraceMemBW,GB/s  GracePcieBW," "stat --metric-only -x has perf's names of columns, without rates of events"
like "$err" '^N0,[0-9]+,131\.5[0-9]+,14\.[34][0-9]+,$' "stat --metric-only -x has the values of a node in one line"
expect 0 stat "$model" -a --metric-only -M GraceMemBW -I 20 --interval-count 2 -j
is "$(python3 -c 'import json, sys
for line in sys.stdin: print(*json.loads(line))' <<< "$err" | sort -u)" "interval GB/s  GraceMemBW" "stat --metric-only -j has one object for each interval"
expect 0 stat "$model" -a -M GraceMemBW -I 20 --interval-count 2 --interval-clear
is "$(grep -c $'^\033\\[H\033\\[2J#  ' <<< "$err")" 2 "stat --interval-clear clears the terminal and prints the heading in each interval"
run stat -a --interval-clear true
is "$rc $err" "125 gpmu stat: --interval-clear needs -I" "stat --interval-clear without -I is refused"
run at superchip gpmu stat --topdown -v -a true
is "$(sed -n 's/^    for //p' <<< "$err" | tr -d ' ' | tr ',' '\n' | sort | paste -sd' ')" "backend_bound bad_speculation frontend_bound retiring" "stat --topdown requests the core's metrics of TopdownL1"
run stat --topdown --td-level 9 true
like "$rc $err" '^125 gpmu stat: --td-level: expected 1 to 6' "stat --td-level refuses a level that no CPU has"

# --- reasons
expect 125 stat --strict -e software/config=4095/u,cmem_rd_data true
like "$err" '^ software/config=4095/u: this kernel or its hardware has no such event$' "stat: the reason of an event that is not supported has the event's name once"
like "$err" '^gpmu stat: --strict: software/config=4095/u: not supported: this kernel' "stat --strict: the message has the event's name and the reason"
like "$err" '^gpmu stat: warning: cmem_rd_data: this machine has no PMU nvidia_scf_pmu$' "stat: the warning of an event without a PMU on this machine names event and PMU"

# --- targets
perl -e 'select(undef, undef, undef, 0.1) for 1 .. 4; exit 3' &
run stat -p $! -e task-clock
is "$rc" 0 "stat -p counts until the process ends"
like "$err" "^ Performance counter stats for process id '$!' \[process\]:$" "stat -p: the heading names the process"
sleep 10 &
run stat -p $! -e task-clock sleep 0.1
is "$rc" 0 "stat -p with a command counts until the command ends"
expect 0 stat -t $! -e task-clock --duration 0.1
like "$err" "^ Performance counter stats for thread id '$!'" "stat -t: the heading names the thread"
kill $!
wait $! 2> /dev/null
run stat -p $! -e task-clock
is "$rc" 125 "stat -p of a process that has ended exits with 125"
is "$err" "gpmu stat: no process $!" "stat -p of a process that has ended names it in one message"
gone=$!
sleep 10 &
run stat -p "$gone,$!" -e task-clock --timeout 20
like "$rc $err" "^0 gpmu stat: warning: no process $gone\$" "stat -p warns of one of several processes that has ended"
kill $!
wait $! 2> /dev/null
mkdir -p "$work/trace/sys/kernel/tracing/events/sched/sched_switch" "$work/trace/sys/kernel/tracing/events/irq"
run gpmu plan --root "$work/trace" -e sched:sched_swich
like "$rc $err" 'no tracepoint sched:sched_swich; did you mean sched:sched_switch\?$' "stat -e of an unknown tracepoint suggests the nearest one"
run gpmu plan --root "$work/trace" -e shed:sched_switch
like "$rc $err" 'no tracepoint shed:sched_switch; did you mean sched:sched_switch\?$' "stat -e of a tracepoint of an unknown system suggests the nearest system"
expect 0 stat -a -e task-clock sleep 0.1
like "$err" "for 'system wide' \[machine\]" "stat -a: the heading is system wide"
run stat -e task-clock --timeout 50
like "$rc $err" "^ Performance counter stats for 'system wide' \[machine\]" "stat without command, -p and -t counts system-wide"
expect 0 stat "$model" --per-socket -M GraceMemBW --timeout 50
like "$err" '^S1 +59\.20 GB/s GraceMemBW' "stat --per-socket has a row for each socket"
cpu=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')
expect 0 gpmu stat -C "$cpu" -e task-clock sleep 0.1
like "$err" "for 'CPU\(s\) $cpu'" "stat -C: the heading names the CPU"
run gpmu stat -C 0-9999 -e task-clock true
is "$rc" 125 "stat -C refuses CPUs that do not exist"
expect 0 gpmu stat -a -A -e task-clock sleep 0.1
like "$err" '^CPU0 +[0-9]+\.[0-9][0-9] msec task-clock +# +[0-9.]+ CPUs utilized$' "stat -A has a row for each CPU, in perf's unit"
grow='sh -c "ls > /dev/null; ls > /dev/null"'
expect 0 stat -j -e page-faults sh -c "$grow"
all=$(values page-faults)
expect 0 stat -i -j -e page-faults sh -c "$grow"
[ "$(values page-faults)" -lt "$all" ]; ok $? "stat -i leaves out the child processes of the command"

# --- users who may count user space only
if [ "$(id -u)" != 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" != 2 ]; then
	skip "needs root, and perf_event_paranoid to be 2" "stat by an ordinary user counts user space"
else
	chmod 755 "$work"
	cp -L "$GPMU_BIN" "$B"/libgpmu.so.0 "$work"
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups $work/gpmu"
	run $nobody stat -e task-clock,page-faults:u,duration_time true
	is "$rc $(grep -oE '(task-clock|page-faults|duration_time)(:u)?' <<< "$err" | head -n 3 | paste -sd' ')" "0 task-clock:u page-faults:u duration_time" "stat by an ordinary user counts user space and marks the event names with :u"
	run $nobody stat -e task-clock:k true
	like "$rc $err" '^125 gpmu stat: task-clock:k: perf_event_paranoid is 2' "stat by an ordinary user refuses an event of the kernel alone"
	run $nobody stat -a -e task-clock true
	like "$rc $err" '^125 gpmu stat: task-clock: .*forbids to count all tasks' "stat -a by an ordinary user is refused"
fi

# --- several runs
run stat "$model" -r 3 -M GraceMemBW -e page-faults sh -c "echo x >> $work/runs"
is "$rc $(wc -l < "$work/runs")" "0 3" "stat -r 3 runs the command three times"
like "$err" '\[process\] \(3 runs\):$' "stat -r 3: the heading has the number of runs"
like "$err" '^ +190\.72 GB/s GraceMemBW .*\( \+- +0\.00% \)$' "stat -r prints the mean with its deviation"
like "$err" ' \+- [0-9.]+ seconds time elapsed ' "stat -r prints the deviation of the elapsed time"
run stat -r 3 -e page-faults sh -c "echo x >> $work/status; exit \$((\$(wc -l < $work/status) + 3))"
is "$rc" 4 "stat -r exits with the first command status that is not 0"
expect 130 stat -r 3 -e page-faults sh -c "echo x >> $work/twice; kill -INT \$PPID; sleep 5"
is "$rc $(wc -l < "$work/twice")" "130 1" "stat -r stops after the run that SIGINT interrupts"
like "$err" 'page-faults' "stat -r interrupted by SIGINT prints the counts so far"
mkfifo "$work/go" "$work/gone"
python3 -c '
import os, sys, threading, time
def start():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, daemon=True)
    thread.start()
    return stop, thread
stop, thread = start()
open(sys.argv[1] + "/threads", "w")
for _ in range(2):
    with open(sys.argv[1] + "/go") as go: go.read()
    stop.set()
    while os.path.exists(f"/proc/self/task/{thread.native_id}"): time.sleep(0.001)
    stop, thread = start()
    with open(sys.argv[1] + "/gone", "w"): pass' "$work" &
soon test -e "$work/threads"
expect 125 at vm gpmu stat -r 2 -p $! --per-thread -e page-faults sh -c ": > $work/go; : < $work/gone"
is "$err" "gpmu stat: run 2: its rows differ from the first run's: a CPU came online or went offline, or a thread started or ended; repeat it" "stat -r --per-thread refuses a mean over different threads"
wait

# --- strict
run stat "$model" --strict -M GraceMemBW true
is "$rc" 0 "stat --strict exits with 0 if all is counted"
run stat --source "model=$scenarios/idle.scenario" --strict -a -M GraceMemReadLatency --timeout 10
is "$rc" 0 "stat --strict exits with 0 if a metric is idle"
like "$err" ' idle ns +GraceMemReadLatency' "stat --strict prints an idle metric as idle"
run stat --strict -M GraceMemBW -e page-faults true
is "$rc" 125 "stat --strict exits with 125 if a metric is not supported"
like "$err" '^gpmu stat: --strict: GraceMemBW: not supported: this machine has no PMU nvidia_scf_pmu$' "stat --strict: the message names the metric and the missing PMU"
like "$err" '^ +[0-9]+ +page-faults' "stat --strict prints all other rows before it fails"
run stat "$model,counters=2" --strict -a -M GraceMemBW,GraceRemoteReadBW,GraceMemReadUtil --timeout 100
is "$rc" 125 "stat --strict exits with 125 if a metric was multiplexed"
like "$err" '^gpmu stat: --strict: Grace[A-Za-z]+: multiplexed$' "stat --strict: the message names the multiplexed metric"
like "$err" '^ +[0-9.]+ GB/s GraceMemBW +\([0-9.]+%\)$' "stat --strict prints the share of time of a multiplexed metric"

# --- before the run
expect 0 stat -M GraceMemBW -e page-faults sh -c 'echo run >&2'
is "$(grep -nE '^gpmu stat: warning: GraceMemBW|^run' <<< "$err" | cut -d: -f1,2 | cut -c1-11 | tr '\n' ' ')" "1:gpmu stat 3:run " "stat warns of what cannot be counted before the command runs"
run stat -M GraceMemWB true
like "$rc $err" '^125 gpmu stat: .*did you mean GraceMemBW' "stat refuses an unknown metric before the command runs and names the nearest"
expect 0 stat -v "$model" -M GraceMemBW true
like "$err" '^group 1: nvidia_scf_pmu_0, 2 of 6 counters$' "stat -v explains the groups on standard error"

# --- colour and commas
cat > "$work/alert.json" << 'JSON'
[ { "MetricName": "alarming", "MetricExpr": "nvidia_scf_pmu@cmem_rd_data@", "MetricThreshold": "alarming > 1", "Unit": "nvidia_scf_pmu" } ]
JSON
expect 0 stat "$model" --events "$work/alert.json" --color always -M alarming sleep 0.1
like "$err" $'^\033\[31m' "stat --color always prints a metric beyond its threshold in red"
expect 0 stat "$model" --events "$work/alert.json" -M alarming sleep 0.1
unlike "$err" $'\033' "stat prints no colour where standard error is no terminal"
like "$err" '^ +[0-9]+,[0-9]{3},[0-9,.]+ +alarming' "stat groups digits with commas by default"
expect 0 stat "$model" --events "$work/alert.json" --no-big-num -M alarming sleep 0.1
like "$err" '^ +[0-9]{7,}\.[0-9]+ +alarming' "stat --no-big-num prints numbers without commas"
expect 0 stat "$model" --events "$work/alert.json" --no-big-num -B -M alarming sleep 0.1
like "$err" '^ +[0-9]+,[0-9]{3},[0-9,.]+ +alarming' "stat -B groups digits with commas after --no-big-num"
script=$(command -v script)
if [ -n "$script" ]; then
	terminal() {
		at vm env -u NO_COLOR TERM=xterm "$@" script -qec "$GPMU_BIN stat $model --events $work/alert.json -M alarming sleep 0.1" /dev/null < /dev/null
	}
	like "$(terminal)" $'\033\[31m' "stat on a terminal prints a metric beyond its threshold in red"
	unlike "$(terminal NO_COLOR=1)" $'\033' "stat on a terminal with NO_COLOR prints no colour"
else
	skip "no script" "stat on a terminal prints a metric beyond its threshold in red"
fi

# --- options that exclude each other, or are out of range
refused() {
	run stat "${@:2}"
	is "$rc $err" "125 gpmu stat: $1" "gpmu stat ${*:2} is refused"
}
refused '-p or -t with -a or -C: choose one' -a -p 1
refused '-j and -x: choose one' -j -x, true
refused '--per-node and -A: choose one' --per-node -A -a true
refused '-A needs -a or -C' -A true
refused '--interval-count needs -I' --interval-count 3 true
refused '--append needs -o' --append true
refused '-r needs a command' -a -r 3
refused '-r and -I: choose one' -r 3 -I 100 true
refused '-I 0: expected a whole number from 1 to 31536000000' -I 0 true
refused '-r 1x: expected a whole number from 1 to 1000000' -r 1x true
refused '-D -2: expected a whole number from -1 to 31536000000' -D -2 true
refused '-p 1,: expected process or thread ids separated by ","' -p 1, true
refused '--duration -1: expected seconds, 0.001 or more' --duration -1 true
refused '--duration nan: expected seconds, 0.001 or more' --duration nan true
refused '--duration and --timeout: choose one, once' --duration 1 --timeout 1 true

expect 125 at vm gpmu stat -e $'a\302\233b\033[31mc\177d\303\251' true
is "$err" $'gpmu stat: -e a?b?[31mc?d\303\251: expected printable ASCII characters' "stat: terminal control characters in a message are shown as ?"
expect 0 at vm gpmu stat -e page-faults true $'a\302\233b\033c\303\251'
like "$err" $'^ Performance counter stats for .true a\\?b\\?c\303\251. ' "stat: terminal control characters in a summary's heading are shown as ?"

# On another machine's root the type numbers of PMUs and tracepoints are not valid here
for event in nvidia_scf_pmu_0/cycles/ sched:sched_switch cycles; do
	run at superchip gpmu stat -e "page-faults,$event" true
	like "$rc $err" "^125 gpmu stat: [a-z0-9_]+ is a PMU of the machine in $(machine superchip) and cannot be counted on this one; unset GPMU_ROOT\$" "stat refuses $event of another machine's root"
done
run at superchip gpmu stat -e page-faults true
is "$rc" 0 "stat on another machine's root counts events that every kernel has"

# reads FIXTURE: number of read(2) that gpmu has called when the command begins
reads() {
	# shellcheck disable=SC2016 # for the command's shell
	at "$1" gpmu stat -e page-faults -o /dev/null -- sh -c 'sed -n "s/^syscr: //p" "/proc/$PPID/io"'
}
what="stat reads no more files for an event of the kernel if the machine has more PMUs"
if [ -e /proc/self/io ]; then
	is "$(reads superchip)" "$(reads vm)" "$what"
else
	skip "this kernel does not count system calls" "$what"
fi
GPMU_ROOT='' run gpmu stat -e page-faults true
is "$rc" 0 "stat takes an empty GPMU_ROOT as unset"
done_testing
