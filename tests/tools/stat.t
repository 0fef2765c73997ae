#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat: what is counted of whom, in which form; on the model, whose rates are
# known, and with the events of this kernel.
. tests/tools/lib.sh

# stat ARGUMENT...: on a machine without PMUs
# shellcheck disable=SC2317 # called by run
stat() {
	at vm gpmu stat "$@"
}

# values NAME: the column "value" of its rows in the JSON lines of $err
values() {
	python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row["name"] == sys.argv[1]: print(row["value"])' "$1" <<< "$err"
}

# --- rows
run stat "$model" -M GraceMemBW sleep 0.1
is "$rc $out" "0 " "a metric of a command: nothing on standard output, its status"
like "$err" "^ Performance counter stats for 'sleep 0.1' \[machine\]:$" "the heading has the command and what rows are of"
like "$err" '^ +190\.72 GB/s GraceMemBW$' "the model's rate"
like "$err" '^ +0\.[0-9]{9} seconds time elapsed$' "the time"
like "$err" '^ +[0-9.]+ seconds user$' "the command's"
run stat "$model" --per-node -M GraceMemBW true
like "$err" '^N0 +131\.52 GB/s GraceMemBW' "--per-node: node 0"
like "$err" '^N1 +59\.20 GB/s GraceMemBW' "and node 1"
run stat "$model" -e page-faults -M GraceMemBW -e task-clock true
is "$(grep -oE '(page-faults|GraceMemBW|task-clock) *(\[machine\])?$' <<< "$err" | tr -s ' ' | tr '\n' ' ')" "page-faults GraceMemBW [machine] task-clock " "rows are in the order asked for, what is not the process' is marked"
run stat "$model" -a -M GracePcieReadBW/root_port=0x100/ -j --timeout 20
like "$err" '"name":"GracePcieReadBW/root_port=0x100/"' "a filter"
run stat "$model" -j -M GraceMemBW -- sleep 0.1
is "$(printf %.2f "$(values GraceMemBW)")" "190.72" "-j: JSON"
run stat "$model" -x, -M GraceMemBW true
is "${err%%$'\n'*}" "# gpmu-csv 1" "-x: CSV"
run stat "$model" -x '\t' -M GraceMemBW true
like "$err" $'^time_begin\ttime_end\thost' '-x \t is a tabulator'
run stat -e page-faults -x a true
is "$rc" 125 "-x refuses a separator that is part of words"
like "$err" '^gpmu stat: -x: separator "a": expected' "and says so"

# --- what is counted without -e and -M
run stat true
for name in task-clock context-switches cpu-migrations page-faults cycles instructions; do
	like "$err" " $name( |$)" "by default there is $name"
done
unlike "$err" 'Grace|warning' "and nothing of a Grace without one"
run stat "$model" -a true
for name in MemBW GpuMemBW RemoteBW PcieBW C2c0BW C2c1BW CnvlinkBW; do
	like "$err" "GB/s Grace$name$" "with -a on a Grace Grace$name"
done
run stat "$model" true
unlike "$err" 'Grace' "without -a none"

# --- reasons
run stat --strict -e software/config=4095/u,cmem_rd_data true
like "$err" '^ software/config=4095/u: this kernel or its hardware has no such event$' "a reason has the event's name once"
like "$err" '^gpmu stat: --strict: software/config=4095/u: not supported: this kernel' "with --strict too"
like "$err" '^gpmu stat: warning: cmem_rd_data: this machine has no PMU nvidia_scf_pmu$' "and that of what is not of this machine"

# --- whom
perl -e 'select(undef, undef, undef, 0.1) for 1 .. 4; exit 3' &
run stat -p $! -e task-clock
is "$rc" 0 "-p: until the process ends"
like "$err" "^ Performance counter stats for process id '$!' \[process\]:$" "the heading names it"
sleep 10 &
run stat -p $! -e task-clock sleep 0.1
is "$rc" 0 "-p with a command: until the command ends"
run stat -t $! -e task-clock --duration 0.1
like "$err" "^ Performance counter stats for thread id '$!'" "-t: a thread"
kill $!
wait $! 2> /dev/null
run stat -p $! -e task-clock
is "$rc" 125 "a process that is gone is a failure"
like "$err" "^gpmu stat: .*$!" "which names it"
run stat -a -e task-clock sleep 0.1
like "$err" "for 'system wide' \[machine\]" "-a: the machine"
run stat -e task-clock --timeout 50
like "$rc $err" "^ Performance counter stats for 'system wide' \[machine\]" "also without a command and tasks"
run stat "$model" --per-socket -M GraceMemBW --timeout 50
like "$err" '^N1 +59\.20 GB/s GraceMemBW' "--per-socket: a row for each node"
cpu=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')
run gpmu stat -C "$cpu" -e task-clock sleep 0.1
like "$err" "for 'CPU\(s\) $cpu'" "-C: a CPU"
run gpmu stat -C 0-9999 -e task-clock true
is "$rc" 125 "CPUs that are not there are refused"
run gpmu stat -a -A -e task-clock sleep 0.1
like "$err" '^CPU0 +[0-9]+\.[0-9][0-9] msec task-clock$' "-A: a row for each CPU, in perf's unit"
grow='sh -c "ls > /dev/null; ls > /dev/null"'
run stat -j -e page-faults sh -c "$grow"
all=$(values page-faults)
run stat -i -j -e page-faults sh -c "$grow"
[ "$(values page-faults)" -lt "$all" ]; ok $? "-i leaves out what the command starts"

# --- who may count user space alone
if [ "$(id -u)" != 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" != 2 ]; then
	skip "needs root, and perf_event_paranoid to be 2" "an ordinary user counts user space"
else
	chmod 755 "$work"
	cp -L "$GPMU_BIN" "$B"/libgpmu.so.0 "$work"
	nobody="setpriv --reuid=65534 --regid=65534 --clear-groups $work/gpmu"
	run $nobody stat -e task-clock,page-faults:u,duration_time true
	is "$rc $(grep -oE '[a-z-]+(_time)?(:u)?$' <<< "$err" | head -n 3 | paste -sd' ')" "0 task-clock:u page-faults:u duration_time" "an ordinary user counts user space, and names say so"
	run $nobody stat -e task-clock:k true
	like "$rc $err" '^125 gpmu stat: task-clock:k: perf_event_paranoid is 2' "the kernel's part is refused"
	run $nobody stat -a -e task-clock true
	like "$rc $err" '^125 gpmu stat: task-clock: .*forbids to count all tasks' "so is -a"
fi

# --- several runs
run stat "$model" -r 3 -M GraceMemBW -e page-faults sh -c "echo x >> $work/runs"
is "$rc $(wc -l < "$work/runs")" "0 3" "-r 3 runs the command three times"
like "$err" '\[process\] \(3 runs\):$' "the heading says so"
like "$err" '^ +190\.72 GB/s GraceMemBW .*\( \+- +0\.00% \)$' "means have their deviation"
like "$err" ' \+- [0-9.]+ seconds time elapsed ' "the time too"
run stat -r 3 -e page-faults sh -c "echo x >> $work/status; exit \$((\$(wc -l < $work/status) + 3))"
is "$rc" 4 "the status is the first that is not 0"
run stat -r 3 -e page-faults sh -c "echo x >> $work/twice; kill -INT \$PPID; sleep 5"
is "$rc $(wc -l < "$work/twice")" "130 1" "SIGINT ends the runs"
like "$err" 'page-faults' "and what there is is shown"

# --- strict
run stat "$model" --strict -M GraceMemBW true
is "$rc" 0 "--strict: all is well"
run stat --source "model=$scenarios/idle.scenario" --strict -a -M GraceMemReadLatency --timeout 10
is "$rc" 0 "an idle metric is no failure"
like "$err" ' idle ns +GraceMemReadLatency' "though it has no value"
run stat --strict -M GraceMemBW -e page-faults true
is "$rc" 125 "a metric that is missing is one"
like "$err" '^gpmu stat: --strict: GraceMemBW: not supported: this machine has no PMU nvidia_scf_pmu$' "which is said"
like "$err" '^ +[0-9]+ +page-faults' "after all has been printed"
run stat "$model,counters=2" --strict -a -M GraceMemBW,GraceRemoteReadBW,GraceMemReadUtil --timeout 100
is "$rc" 125 "so is one that was multiplexed"
like "$err" '^gpmu stat: --strict: Grace[A-Za-z]+: multiplexed$' "which is said too"
like "$err" '^ +[0-9.]+ GB/s GraceMemBW +\([0-9.]+%\)$' "its share is shown"

# --- before the run
run stat -M GraceMemBW -e page-faults sh -c 'echo run >&2'
is "$(grep -nE '^gpmu stat: warning: GraceMemBW|^run' <<< "$err" | cut -d: -f1,2 | cut -c1-11 | tr '\n' ' ')" "1:gpmu stat 2:run " "what cannot be counted is said before the command runs"
run stat -M GraceMemWB true
like "$rc $err" '^125 gpmu stat: .*did you mean GraceMemBW' "a wrong name ends it before"
run stat -v "$model" -M GraceMemBW true
like "$err" '^group 1: nvidia_scf_pmu_0, 2 of 6 counters$' "-v explains the groups"

# --- colour and commas
cat > "$work/alert.json" << 'JSON'
[ { "MetricName": "alarming", "MetricExpr": "nvidia_scf_pmu@cmem_rd_data@", "MetricThreshold": "alarming > 1", "Unit": "nvidia_scf_pmu" } ]
JSON
run stat "$model" --events "$work/alert.json" --color always -M alarming sleep 0.1
like "$err" $'^\033\[31m' "--color always: a metric beyond its threshold is red"
run stat "$model" --events "$work/alert.json" -M alarming sleep 0.1
unlike "$err" $'\033' "not where there is no terminal"
like "$err" '^ +[0-9]+,[0-9]{3},[0-9,.]+ +alarming' "numbers have commas"
run stat "$model" --events "$work/alert.json" --no-big-num -M alarming sleep 0.1
like "$err" '^ +[0-9]{7,}\.[0-9]+ +alarming' "but with --no-big-num"
run stat "$model" --events "$work/alert.json" --no-big-num -B -M alarming sleep 0.1
like "$err" '^ +[0-9]+,[0-9]{3},[0-9,.]+ +alarming' "with -B they have"
script=$(command -v script)
if [ -n "$script" ]; then
	terminal() {
		at vm env -u NO_COLOR TERM=xterm "$@" script -qec "$GPMU_BIN stat $model --events $work/alert.json -M alarming sleep 0.1" /dev/null < /dev/null
	}
	like "$(terminal)" $'\033\[31m' "on a terminal it is red"
	unlike "$(terminal NO_COLOR=1)" $'\033' "but with NO_COLOR"
else
	skip "no script" "on a terminal it is red"
fi

# --- what does not go together
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
refused '-p 1,: expected numbers of processes or threads separated by ","' -p 1, true
refused '--duration -1: expected seconds, 0.001 or more' --duration -1 true
refused '--duration nan: expected seconds, 0.001 or more' --duration nan true
refused '--duration and --timeout: choose one, once' --duration 1 --timeout 1 true

run at vm gpmu stat -e $'a\302\233b\033[31mc\177d\303\251' true
is "$err" $'gpmu stat: -e a?b?[31mc?d\303\251: expected printable ASCII characters' "what a terminal would obey is shown as ? in messages"
run at vm gpmu stat -e page-faults true $'a\302\233b\033c\303\251'
like "$err" $'^ Performance counter stats for .true a\\?b\\?c\303\251. ' "and in summaries"

# Of another machine, whose numbers mean other PMUs and tracepoints here
for event in nvidia_scf_pmu_0/cycles/ sched:sched_switch cycles; do
	run at superchip gpmu stat -e "page-faults,$event" true
	like "$rc $err" "^125 gpmu stat: [a-z0-9_]+ is a PMU of the machine in $(machine superchip), .*: this one cannot count it" "$event of another machine is refused"
done
run at superchip gpmu stat -e page-faults true
is "$rc" 0 "what every kernel counts is counted"
GPMU_ROOT='' run gpmu stat -e page-faults true
is "$rc" 0 "an empty GPMU_ROOT is none"
done_testing
