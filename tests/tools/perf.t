#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu perf: perf's arguments, the output made of perf's, exit statuses. With a fake perf first,
# then with this machine's.
. tests/tools/lib.sh

data=$top/tests/data/perf-output
FAKE_ARGS=$work/args
GPMU_ROOT=$(machine superchip-ours)
export GPMU_ROOT FAKE_ARGS FAKE_OUTPUT FAKE_STATUS FAKE_VERSION FAKE_SIGNAL
export GPMU_PERF=$top/tests/tools/fake-perf

groups=$(gpmu plan -M GraceMemBW)

# The arguments of perf in one line, with FD for the file descriptor
args() {
	sed '/^--log-fd$/{n; s/.*/FD/}' "$FAKE_ARGS" | paste -sd' '
}

FAKE_OUTPUT=$data/grace-6.1.json
run gpmu perf stat -a -M GraceMemBW sleep 0
is "$rc $out" "0 " "perf stat -M with a metric of gpmu's exits with 0"
is "$(args)" "stat -j --log-fd FD -e $groups -a -- sleep 0" "perf stat -M counts the metric's groups of events"
like "$err" "^ Performance counter stats for 'system wide'" "perf stat -M prints a summary like perf's"
like "$err" '^ +180\.00 GB/s GraceMemBW$' "perf stat -M prints the metric"
unlike "$err" 'duration_time|cmem_rd_data' "perf stat -M prints no event that was not asked for"

gpmu perf stat -aI100 -A -M ipc_theirs,GraceMemBW,tma:u -r 3 --per-socket -e a,b -B -M GracePcieReadBW/root_port=0x3/ --metrics=other -- ls -M GraceMemBW > /dev/null 2>&1
is "$(args)" "stat -j --log-fd FD -e $(gpmu plan -M GraceMemBW,GracePcieReadBW/root_port=0x3/) -a -I 100 -A -r 3 --per-socket -e a,b -B -M ipc_theirs,tma:u,other -- ls -M GraceMemBW" "perf stat -M passes on options, events, perf's metrics and the command"
gpmu perf stat -M GraceMemBW,GraceMemReadBW --metric-no-merge -p 12 2> /dev/null
is "$(args)" "stat -j --log-fd FD -e $(gpmu plan --metric-no-merge -M GraceMemBW,GraceMemReadBW) -p 12" "perf stat --metric-no-merge applies to gpmu's metrics"

gpmu perf stat -a -M TopdownL1 true > /dev/null 2>&1
is "$(args)" "stat -j --log-fd FD -e $(gpmu plan -M backend_bound,bad_speculation,frontend_bound,retiring) -a -- true" "perf stat -M TopdownL1 counts the events of perf's four metrics"

expect 0 gpmu perf stat --json --all-c --metrics GraceMemBW --rep 3 --interval-p=100 --interval-co 2 --ev a --dry
is "$(args)" "stat -j --log-fd FD -e $groups --all-c --repeat 3 --interval-print 100 --interval-count 2 --event a --dry" "perf stat passes on abbreviated options"
like "$err" '"gpmu":2,' "perf stat understands the abbreviated --json"

# Without a metric of gpmu's, perf gets the arguments unchanged.
FAKE_OUTPUT=
for line in "stat -a -e instructions,armv8_pmuv3_0/cycles/ -x, -o f -- ls" "stat -M theirs -j true" "record -M GraceMemBW true" "stat record -M theirs true" "list" "report -M" "stat -h -M GraceMemBW"; do
	# shellcheck disable=SC2086
	gpmu perf $line > /dev/null 2>&1
	is "$(paste -sd' ' "$FAKE_ARGS")" "$line" "perf $line is passed on unchanged"
done
# perf 7.3 opens an event without a PMU on all PMUs that have one of this name, earlier perfs on the cores.
cores=armv8_pmuv3_0/cpu_cycles/
while IFS='|' read -r given passed; do
	# shellcheck disable=SC2086
	gpmu perf $given > /dev/null 2>&1
	is "$(paste -sd' ' "$FAKE_ARGS")" "${passed:-$given}" "perf $given is passed on as ${passed:-it is}"
done << END
stat -e cycles true|stat -e $cores true
stat -ecycles -a|stat -e$cores -a
stat -ae cycles,task-clock -x,|stat -ae $cores,task-clock -x,
stat --event=cycles:u true|stat --event=${cores}u true
stat --ev {cycles,instructions}:u,cpu-cycles true|stat --ev {$cores,instructions}:u,cpu-cycles true
stat -e {instructions:k,cycles:k} -e cycles -r 2 true|stat -e {instructions:k,${cores}k} -e $cores -r 2 true
stat -e nvidia_scf_pmu_0/cycles/,nvidia_pcie_pmu_0/rd_bytes_loc,cycles/ true|
stat -e cycles/period=100/,sched:cycles,cycles:x true|
stat -M theirs -e cycles true|stat -M theirs -e $cores true
record -e cycles true|
stat -- true -e cycles|
END
FAKE_VERSION=6.12.0 gpmu perf stat -e cycles true
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -e cycles true" "perf stat -e cycles is passed on unchanged to a perf that opens it on the cores only"
GPMU_ROOT=$(machine laptop) gpmu perf stat -e cycles true
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -e cycles true" "perf stat -e cycles is passed on unchanged if no other PMU has cycles"
FAKE_OUTPUT=$data/grace-6.1.json gpmu perf stat -a -M GraceMemBW -e cycles true 2> /dev/null
is "$(args)" "stat -j --log-fd FD -e $groups -a -e $cores -- true" "perf stat -M -e cycles names the cores' PMU"
gpmu perf -- stat -j true
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -j true" "perf -- stat is passed on unchanged"

expect 0 gpmu perf stat -M GraceMemWB,theirs true
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -M GraceMemWB,theirs true" "perf stat -M passes on a metric that gpmu does not know"
is "$err" 'gpmu perf: warning: there is no metric or metric group "GraceMemWB": did you mean GraceMemBW? (passed to perf)' "perf stat -M warns of an unknown metric whose name begins like gpmu's"

# Metrics of Grace's cores, which the catalog has for these CPUs only
core=barrier_percentage
GPMU_ROOT=$(machine laptop) gpmu perf stat -M "$core" true > /dev/null 2>&1
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -M $core true" "perf stat -M passes on a metric of other CPUs"
gpmu perf stat -M "$core" true > /dev/null 2>&1
like "$(args)" '^stat -j --log-fd FD -e [^ ]*INST_SPEC[^ ]* -- true$' "perf stat -M on a Grace takes the core metric from gpmu's catalog"

# Output forms
FAKE_OUTPUT=$data/grace-6.1.json
expect 0 gpmu perf stat -x, -a -M GraceMemBW
is "$(columns gpmu name value unit state <<< "$err")" "2 GraceMemBW 180 GB/s ok" "perf stat -x, prints gpmu's CSV"
expect 0 gpmu perf stat -x '\t' -a -M GraceMemBW
is "$(separator=$'\t' columns name value <<< "$err")" "GraceMemBW 180" "perf stat -x '\t' separates columns by tabs"
expect 0 gpmu perf stat --json-output -a -M GraceMemBW
like "$err" '"gpmu":2,.*"name":"GraceMemBW","value":180,' "perf stat -j prints gpmu's JSON"
expect 0 gpmu perf stat -o "$work/out" -j -a -M GraceMemBW
is "$err$(grep -c '"value":180' "$work/out")" 1 "perf stat -o writes to the file"
gpmu perf stat -o"$work/out" --append -j -a -M GraceMemBW
is "$(grep -c '"value":180' "$work/out")" 2 "perf stat -o --append adds to the file"
gpmu perf stat -o "$work/out" -a -M GraceMemBW
is "$(sed -n '1{s/on .*/on/;p}' "$work/out") $(grep -c GraceMemBW "$work/out")" "# started on 1" "perf stat -o begins a summary with the date, as perf does"
FAKE_OUTPUT=$data/grace-7.3-per-socket.json
expect 0 gpmu perf stat -I 1000 --per-socket -a -M GraceMemBW
like "$err" '^     2\.000000000 N1 +240\.00 GB/s GraceMemBW$' "perf stat -I --per-socket prints the rows of each interval and socket"

# perf's events and metrics beside gpmu's
{
	cat "$data/grace-6.1.json"
	echo '{"counter-value" : "7.500000", "unit" : "msec", "event" : "task-clock", "event-runtime" : 7500000, "pcnt-running" : 100.00, "metric-value" : 0.500000, "metric-unit" : "CPUs utilized"}'
	echo '{"counter-value" : "5000000000.000000", "unit" : "", "event" : "nvidia_scf_pmu_1/cmem_rd_data/", "event-runtime" : 2000000000, "pcnt-running" : 100.00}'
	echo '{"metric-value" : 1.250000, "metric-unit" : "  GHz  their_metric"}'
	echo '{"counter-value" : "<not supported>", "unit" : "", "event" : "cycles", "event-runtime" : 0, "pcnt-running" : 100.00}'
} > "$work/mixed"
FAKE_OUTPUT=$work/mixed
expect 0 gpmu perf stat -a -M GraceMemBW -e task-clock,nvidia_scf_pmu_1/cmem_rd_data/,cycles
like "$err" '^ +180\.00 +GB/s +GraceMemBW$' "perf stat prints gpmu's metric beside perf's events"
like "$err" '^ +7\.50 +msec +task-clock$' "perf stat prints another event in perf's unit"
like "$err" '^ +0\.5[0-9]* +CPUs utilized$' "perf stat prints the metric that perf attaches to an event"
like "$err" '^ +5,000,000,000 +nvidia_scf_pmu_1/cmem_rd_data/$' "perf stat prints an event that is also part of gpmu's metric"
like "$err" '^ +1\.25 +GHz +their_metric$' "perf stat prints a metric of perf's own"
like "$err" '^ +<not supported> +cycles$' "perf stat prints an event that is not supported"
expect 0 gpmu perf stat -a -j -M GraceMemBW -e task-clock
like "$err" '"name":"their_metric","value":1.25,"unit":"GHz",.*"enabled_ns":null,' "perf stat -j separates unit and name of perf's metric"

# perf's metrics of which perf prints nothing
expect 0 gpmu perf stat -a -M GraceMemBW,group
is "$(grep -c warning <<< "$err")" 0 "perf stat does not warn of a metric that may be a group of perf's"
sed '/their_metric/d' "$work/mixed" > "$work/without"
FAKE_OUTPUT=$work/without
expect 0 gpmu perf stat -a -M GraceMemBW,their_metric:u,lost/x=1,y/
is "$(grep warning <<< "$err")" "gpmu perf: warning: metric their_metric was passed to perf, which has not printed it
gpmu perf: warning: metric lost was passed to perf, which has not printed it" "perf stat warns of metrics that perf has not printed"
FAKE_OUTPUT=$work/mixed
expect 0 gpmu perf stat -a -M GraceMemBW,Their_Metric:u
is "$(grep -c warning <<< "$err")" 0 "perf stat compares the names of perf's metrics without case"

# perf before 6.1
FAKE_VERSION=5.15.0 FAKE_OUTPUT=$work/csv
sed -n 's/,/;/g; p' "$data/grace-6.1-multiplexed.csv" > "$work/csv"
expect 0 gpmu perf stat -a -M GraceMemBW
is "$(args | cut -d' ' -f1-2)" "stat -x;" "perf stat asks a perf before 6.1 for CSV"
like "$err" '180\.00 GB/s GraceMemBW +\(66\.67%\)' "perf stat reads the CSV of a perf before 6.1"
FAKE_VERSION=

# Exit statuses
FAKE_OUTPUT=$data/grace-6.1.json
run gpmu perf stat -M GraceMemBW sh -c 'exit 3'
is "$rc" 3 "perf stat exits with perf's status"
like "$err" "^ Performance counter stats for 'sh -c exit 3'" "perf stat prints the rows of a command that fails"
FAKE_SIGNAL=KILL
run gpmu perf stat -M GraceMemBW true
is "$rc" 137 "perf stat exits with 128 + the signal that ended perf"
FAKE_SIGNAL='' FAKE_OUTPUT='' FAKE_STATUS=129
run gpmu perf stat -M GraceMemBW --nonsense true
is "$rc $err" "129 " "perf stat leaves the message about an option that perf refuses to perf"
FAKE_STATUS=''
run gpmu perf stat -M GraceMemBW true
is "$rc $err" "125 gpmu perf: $GPMU_PERF has printed nothing" "perf stat exits with 125 if perf has printed nothing"
printf 'hello\n' > "$work/hello"
FAKE_OUTPUT=$work/hello
run gpmu perf stat -M GraceMemBW true
is "$rc" 125 "perf stat exits with 125 if perf has printed other text"
like "$err" "^gpmu perf: output of $GPMU_PERF: line 1: expected a line" "perf stat names the line of perf's output that is not perf stat's"
truncate -s 20M "$work/long"
FAKE_OUTPUT=$work/long
run gpmu perf stat -M GraceMemBW true
like "$rc $err" "^125 gpmu perf: output of $GPMU_PERF: .* a line of more than 1048576 bytes\$" "perf stat refuses an endless line of perf's with one message"
GPMU_PERF=$work/none run gpmu perf stat -M GraceMemBW true
is "$rc $err" "127 gpmu perf: $work/none: No such file or directory; install perf, or set GPMU_PERF" "perf stat exits with 127 and the remedy if there is no perf"
GPMU_PERF=$work/none run gpmu perf list
is "$rc $err" "127 gpmu perf: $work/none: No such file or directory; install perf, or set GPMU_PERF" "perf list exits with 127 and the remedy if there is no perf"
for option in --metric-only --table "--log-fd 3" "-G x" -v --summary --no-scale --per-core --per-die "-r 0" record; do
	# shellcheck disable=SC2086
	run gpmu perf stat -M GraceMemBW $option true
	like "$rc $err" "^125 gpmu perf: ${option% [3x]} cannot be used with gpmu's metrics" "perf stat $option is refused together with gpmu's metrics"
done
run gpmu perf stat -M
is "$rc $err" "125 gpmu perf: perf stat -M: expected an argument" "perf stat -M without an argument is refused"
run gpmu perf stat -M GraceMemBW --append true
is "$rc $err" "125 gpmu perf: --append needs -o" "perf stat --append without -o is refused"
FAKE_OUTPUT=$data/grace-6.1.json
GPMU_ROOT=$(machine laptop) run gpmu perf stat -a -M GraceMemBW true
is "$rc $(args)" "0 stat -j --log-fd FD -e duration_time -a -- true" "perf stat counts only duration_time if this machine has none of the metrics"
like "$err" '<not supported> GB/s GraceMemBW' "perf stat prints metrics that this machine does not have as not supported"
echo '{"counter-value" : "12.000000", "unit" : "ns", "event" : "duration_time", "event-runtime" : 12, "pcnt-running" : 100.00}' > "$work/time"
cat "$work/time" "$work/time" > "$work/times"
FAKE_OUTPUT=$work/time
GPMU_ROOT=$(machine laptop) expect 0 gpmu perf stat -a -M GraceMemBW true
unlike "$err" duration_time "perf stat does not print the duration_time that only keeps perf busy"
FAKE_OUTPUT=$work/times
GPMU_ROOT=$(machine laptop) expect 0 gpmu perf stat -a -M GraceMemBW -e duration_time true
is "$(grep -c duration_time <<< "$err")" 1 "perf stat prints duration_time if it is asked for"

# Signals: perf starts with the dispositions that gpmu had.
run env --ignore-signal=HUP,CHLD "$GPMU_BIN" perf stat -M GraceMemBW sh -c 'grep SigIgn /proc/self/status; exit 3'
is "$rc $out" "3 $(env --ignore-signal=HUP grep SigIgn /proc/self/status)" "perf stat leaves ignored signals ignored and sees perf's end"
# shellcheck disable=SC2016 # sh is to expand it
printf '%s\n' '#!/bin/sh' '[ "$1" != --version ] || exec echo perf version 7.3' 'exec sleep 1' > "$work/asleep"
chmod +x "$work/asleep"
GPMU_PERF=$work/asleep run python3 -c '
import os, signal, subprocess, sys
for i in range(30):
    gpmu = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL, start_new_session=True)
    seen = set()
    while len(seen) < 2 and gpmu.poll() is None:
        seen.update(open(f"/proc/{gpmu.pid}/task/{gpmu.pid}/children").read().split())
    gpmu.send_signal(signal.SIGTERM)
    try:
        gpmu.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(gpmu.pid, signal.SIGKILL)
        sys.exit(f"run {i} hangs")' "$GPMU_BIN" perf stat -M GraceMemBW true
is "$rc $err" "0 " "perf stat ends on a SIGTERM that arrives while perf starts"

# After perf's end a background process of the command prints on, to the pipe that it has inherited. gpmu stops until
# the pipe is full.
# shellcheck disable=SC2016 # bash is to expand it
printf '%s\n' '#!/bin/bash' '[ "$1" != --version ] || exec echo perf version 6.0' \
	'while [ "$1" != --log-fd ]; do shift; done' 'echo "7;;page-faults;5;100.00;;" >&"$2"' \
	'kill -STOP $PPID' 'yes "7;;page-faults;5;100.00;;" >&"$2" 2> /dev/null < /dev/null &' 'echo $! > "$FAKE_ARGS"' \
	'until grep -q "(yes) S" /proc/$!/stat; do :; done' 'kill -CONT $PPID' > "$work/leaves"
chmod +x "$work/leaves"
GPMU_PERF=$work/leaves run timeout -s KILL 600 "$GPMU_BIN" perf stat -a -M GraceMemBW
is "$rc" 0 "perf stat ends after perf although a background process of the command prints to perf's pipe"
kill "$(< "$FAKE_ARGS")" 2> /dev/null

# gpmu waits for the reader of a full pipe after perf has ended.
for ((i = 0; i < 5000; i++)); do
	echo "$i;;event$i;5;100.00;;"
done > "$work/lines"
mkfifo "$work/unread"
# shellcheck disable=SC2317 # soon calls it
has_no_child() {
	[ ! -d "/proc/$1" ] || [ -z "$(< "/proc/$1/task/$1/children")" ]
}
for signal in INT:130 TERM:143; do
	: > "$FAKE_ARGS"
	exec 5<> "$work/unread"
	FAKE_VERSION=6.0 FAKE_OUTPUT=$work/lines env --default-signal "$GPMU_BIN" perf stat -a -M GraceMemBW 2> "$work/unread" &
	pid=$!
	soon test -s "$FAKE_ARGS"
	soon has_no_child $pid
	kill "-${signal%:*}" $pid
	timeout 600 tail --pid=$pid -f /dev/null || kill -KILL $pid
	wait $pid 2> /dev/null
	is $? "${signal#*:}" "perf stat ends on a SIG${signal%:*} that arrives after perf has ended"
	exec 5>&-
done

# Background processes of the command keep the pipe open.
start=$SECONDS
# shellcheck disable=SC2016 # sh is to expand it
gpmu perf stat -M GraceMemBW -- sh -c 'sleep 5 > /dev/null 2>&1 & echo $! > "$0"' "$work/pid" > /dev/null 2>&1
ok $((SECONDS - start >= 4)) "perf stat does not wait for background processes of the command"
kill "$(cat "$work/pid")"

# This machine's perf, with a metric of software events
unset GPMU_ROOT GPMU_PERF
cat > "$work/soft.json" << 'END'
[ { "MetricName": "FaultsPerFault", "MetricExpr": "page\\-faults / page\\-faults", "Unit": "software", "ScaleUnit": "3x" } ]
END
export GPMU_EVENTS=$work/soft.json
if ! perf stat -j -e task-clock true > /dev/null 2>&1; then
	skip "no perf that may count" "perf stat computes a metric with this machine's perf"
else
	run gpmu perf stat -x, -M FaultsPerFault -e page-faults,task-clock true
	is "$rc $(columns kind name state <<< "$err" | grep -E '^event|^metric Faults' | paste -sd,)" "0 metric FaultsPerFault ok,event page-faults ok,event task-clock ok" "perf stat computes a metric with this machine's perf" ||
		diag "$(perf --version)"
	expect 0 gpmu perf stat -M FaultsPerFault -I 20 -x, -- sleep 0.05
	ok $(($(grep -c ',FaultsPerFault,' <<< "$err") < 2)) "perf stat -I computes a metric with this machine's perf"
	"$GPMU_BIN" perf stat -a -M FaultsPerFault -I 10 2> "$work/killed" &
	pid=$!
	soon test -s "$work/killed"
	child=$(cat "/proc/$pid/task/$pid/children")
	kill -KILL "$pid"
	wait "$pid" 2> /dev/null
	timeout 300 tail --pid="${child% }" -f /dev/null
	ok $? "perf stat: perf ends if gpmu is killed" || kill -KILL "$child"
	expect 124 timeout --foreground -k 10 -s INT 1 "$GPMU_BIN" perf stat -a -M FaultsPerFault
	like "$err" '3\.00x FaultsPerFault|3\.00 x +FaultsPerFault' "perf stat prints a summary after Ctrl-C"
fi
done_testing
