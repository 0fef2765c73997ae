#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu perf: what perf is called with, what becomes of its output, exit statuses. The
# perf is a fake one, then that of this machine.
. tests/tools/lib.sh

data=$top/tests/data/perf-output
FAKE_ARGS=$work/args
GPMU_ROOT=$(machine superchip-ours)
export GPMU_ROOT FAKE_ARGS FAKE_OUTPUT FAKE_STATUS FAKE_VERSION FAKE_SIGNAL
export GPMU_PERF=$top/tests/tools/fake-perf

groups=$(gpmu plan -M GraceMemBW)

# The arguments of perf in one line; the file descriptor is any.
args() {
	sed '/^--log-fd$/{n; s/.*/FD/}' "$FAKE_ARGS" | paste -sd' '
}

FAKE_OUTPUT=$data/grace-6.1.json
run gpmu perf stat -a -M GraceMemBW sleep 0
is "$rc $out" "0 " "perf stat -M with a metric of gpmu's"
is "$(args)" "stat -j --log-fd FD -e $groups -a -- sleep 0" "its groups are what perf counts"
like "$err" "^ Performance counter stats for 'system wide'" "a summary as perf's"
like "$err" '^ +180\.00 GB/s GraceMemBW$' "has the metric"
unlike "$err" 'duration_time|cmem_rd_data' "and nothing that was not asked for"

gpmu perf stat -aI100 -A -M ipc_theirs,GraceMemBW,tma:u -r 3 --per-socket -e a,b -B -M GracePcieReadBW/root_port=0x3/ --metrics=other -- ls -M GraceMemBW > /dev/null 2>&1
is "$(args)" "stat -j --log-fd FD -e $(gpmu plan -M GraceMemBW,GracePcieReadBW/root_port=0x3/) -a -I 100 -A -r 3 --per-socket -e a,b -B -M ipc_theirs,tma:u,other -- ls -M GraceMemBW" "all else is kept: options, events, perf's own metrics and the command"
gpmu perf stat -M GraceMemBW,GraceMemReadBW --metric-no-merge -p 12 2> /dev/null
is "$(args)" "stat -j --log-fd FD -e $(gpmu plan --metric-no-merge -M GraceMemBW,GraceMemReadBW) -p 12" "--metric-no-merge is for gpmu's"

run gpmu perf stat --json --all-c --metrics GraceMemBW --rep 3 --interval-p=100 --interval-co 2 --ev a --dry
is "$(args)" "stat -j --log-fd FD -e $groups --all-c --repeat 3 --interval-print 100 --interval-count 2 --event a --dry" "names of options may be cut off"
like "$err" '^\{"gpmu":1,' "and are known"

# Nothing of gpmu's: perf gets what was given.
FAKE_OUTPUT=
for line in "stat -a -e cycles -x, -o f -- ls" "stat -M theirs -j true" "record -M GraceMemBW true" "stat record -M theirs true" "list" "report -M" "stat -h -M GraceMemBW"; do
	# shellcheck disable=SC2086
	gpmu perf $line > /dev/null 2>&1
	is "$(paste -sd' ' "$FAKE_ARGS")" "$line" "perf $line is perf's alone"
done
gpmu perf -- stat -j true
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -j true" "behind -- too"

run gpmu perf stat -M GraceMemWB,theirs true
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -M GraceMemWB,theirs true" "a metric that gpmu does not know is perf's"
is "$err" 'gpmu perf: warning: there is no metric or metric group "GraceMemWB": did you mean GraceMemBW? (it is left to perf)' "with a warning if it is called as gpmu's are"

# Metrics of Grace's cores, which the catalog has for them alone
core=barrier_percentage
GPMU_ROOT=$(machine laptop) gpmu perf stat -M "$core" true > /dev/null 2>&1
is "$(paste -sd' ' "$FAKE_ARGS")" "stat -M $core true" "a metric of other CPUs is perf's, which may have one of that name"
gpmu perf stat -M "$core" true > /dev/null 2>&1
like "$(args)" '^stat -j --log-fd FD -e [^ ]*INST_SPEC[^ ]* -- true$' "on a Grace it is gpmu's"

# The form of the output
FAKE_OUTPUT=$data/grace-6.1.json
run gpmu perf stat -x, -a -M GraceMemBW
is "$(sed -n 1p <<< "$err") $(tail -n 1 <<< "$err" | cut -d, -f11-14)" "# gpmu-csv 1 GraceMemBW,180,GB/s,ok" "-x: gpmu's CSV"
run gpmu perf stat -x '\t' -a -M GraceMemBW
is "$(tail -n 1 <<< "$err" | cut -f11,12)" "GraceMemBW	180" "with a tabulator"
run gpmu perf stat --json-output -a -M GraceMemBW
like "$err" '^\{"gpmu":1,.*"name":"GraceMemBW","value":180,' "-j: gpmu's JSON"
run gpmu perf stat -o "$work/out" -j -a -M GraceMemBW
is "$err$(grep -c '"value":180' "$work/out")" 1 "-o: to a file"
gpmu perf stat -o"$work/out" --append -j -a -M GraceMemBW
is "$(grep -c '"value":180' "$work/out")" 2 "--append: to its end"
gpmu perf stat -o "$work/out" -a -M GraceMemBW
is "$(sed -n '1{s/on .*/on/;p}' "$work/out") $(grep -c GraceMemBW "$work/out")" "# started on 1" "a summary in a file begins with the time, as perf's"
FAKE_OUTPUT=$data/grace-7.3-per-socket.json
run gpmu perf stat -I 1000 --per-socket -a -M GraceMemBW
like "$err" '^     2\.000000000 N1 +240\.00 GB/s GraceMemBW$' "intervals, by socket"

# Events and metrics of perf beside ours
{
	cat "$data/grace-6.1.json"
	echo '{"counter-value" : "7.500000", "unit" : "msec", "event" : "task-clock", "event-runtime" : 7500000, "pcnt-running" : 100.00, "metric-value" : 0.500000, "metric-unit" : "CPUs utilized"}'
	echo '{"counter-value" : "5000000000.000000", "unit" : "", "event" : "nvidia_scf_pmu_1/cmem_rd_data/", "event-runtime" : 2000000000, "pcnt-running" : 100.00}'
	echo '{"metric-value" : 1.250000, "metric-unit" : "  GHz  their_metric"}'
	echo '{"counter-value" : "<not supported>", "unit" : "", "event" : "cycles", "event-runtime" : 0, "pcnt-running" : 100.00}'
} > "$work/mixed"
FAKE_OUTPUT=$work/mixed
run gpmu perf stat -a -M GraceMemBW -e task-clock,nvidia_scf_pmu_1/cmem_rd_data/,cycles
like "$err" '^ +180\.00 +GB/s +GraceMemBW$' "our metric"
like "$err" '^ +7\.50 +msec +task-clock$' "another event, as perf has it"
like "$err" '^ +0\.5[0-9]* +CPUs utilized$' "a metric beside it"
like "$err" '^ +5,000,000,000 +nvidia_scf_pmu_1/cmem_rd_data/$' "an event that is also one of ours"
like "$err" '^ +1\.25 +GHz +their_metric$' "a metric of perf's"
like "$err" '^ +<not supported> +cycles$' "an event that is not supported"
run gpmu perf stat -a -j -M GraceMemBW -e task-clock
like "$err" '"name":"their_metric","value":1.25,"unit":"GHz",.*"enabled_ns":null,' "its unit is no part of its name"

# Metrics of perf's that it prints nothing of
run gpmu perf stat -a -M GraceMemBW,group
is "$(grep -c warning <<< "$err")" 0 "a metric that no name asks for may be of a group"
sed '/their_metric/d' "$work/mixed" > "$work/without"
FAKE_OUTPUT=$work/without
run gpmu perf stat -a -M GraceMemBW,their_metric:u,lost/x=1,y/
is "$(grep warning <<< "$err")" "gpmu perf: warning: perf, to which metric their_metric was left, has printed nothing of it
gpmu perf: warning: perf, to which metric lost was left, has printed nothing of it" "without one, metrics that perf has printed nothing of are named"
FAKE_OUTPUT=$work/mixed
run gpmu perf stat -a -M GraceMemBW,Their_Metric:u
is "$(grep -c warning <<< "$err")" 0 "one that is there is known in any case"

# Older perfs
FAKE_VERSION=5.15.0 FAKE_OUTPUT=$work/csv
sed -n 's/,/;/g; p' "$data/grace-6.1-multiplexed.csv" > "$work/csv"
run gpmu perf stat -a -M GraceMemBW
is "$(args | cut -d' ' -f1-2)" "stat -x;" "a perf without JSON prints CSV"
like "$err" '180\.00 GB/s GraceMemBW +\(66\.67%\)' "that is read as well"
FAKE_VERSION=

# Exit statuses
FAKE_OUTPUT=$data/grace-6.1.json
run gpmu perf stat -M GraceMemBW sh -c 'exit 3'
is "$rc" 3 "the exit status is perf's"
like "$err" "^ Performance counter stats for 'sh -c exit 3'" "and the rows are there"
FAKE_SIGNAL=KILL
run gpmu perf stat -M GraceMemBW true
is "$rc" 137 "128 and the signal that ended perf"
FAKE_SIGNAL='' FAKE_OUTPUT='' FAKE_STATUS=129
run gpmu perf stat -M GraceMemBW --nonsense true
is "$rc $err" "129 " "what perf refuses is its matter"
FAKE_STATUS=''
run gpmu perf stat -M GraceMemBW true
is "$rc $err" "125 gpmu perf: $GPMU_PERF has printed nothing" "a perf that prints nothing"
printf 'hello\n' > "$work/hello"
FAKE_OUTPUT=$work/hello
run gpmu perf stat -M GraceMemBW true
is "$rc" 125 "or what is no output of perf stat"
like "$err" "^gpmu perf: output of $GPMU_PERF: line 1: expected a line" "is said"
truncate -s 20M "$work/long"
FAKE_OUTPUT=$work/long
run gpmu perf stat -M GraceMemBW true
like "$rc $err" "^125 gpmu perf: output of $GPMU_PERF: .* a line of more than 1048576 bytes\$" "so is a line that does not end, once"
GPMU_PERF=$work/none run gpmu perf stat -M GraceMemBW true
is "$rc $err" "127 gpmu perf: $work/none: No such file or directory; install perf, or set GPMU_PERF" "no perf"
GPMU_PERF=$work/none run gpmu perf list
is "$rc $err" "127 gpmu perf: $work/none: No such file or directory; install perf, or set GPMU_PERF" "not for another subcommand either"
for option in --metric-only --table "--log-fd 3" "-G x" -v --summary --no-scale --per-core --per-die "-r 0" record; do
	# shellcheck disable=SC2086
	run gpmu perf stat -M GraceMemBW $option true
	like "$rc $err" "^125 gpmu perf: ${option% [3x]} cannot be used with gpmu's metrics" "$option"
done
run gpmu perf stat -M
is "$rc $err" "125 gpmu perf: perf stat -M: expected an argument" "-M without metrics"
run gpmu perf stat -M GraceMemBW --append true
is "$rc $err" "125 gpmu perf: --append needs -o" "--append without a file"
FAKE_OUTPUT=$data/grace-6.1.json
GPMU_ROOT=$(machine laptop) run gpmu perf stat -a -M GraceMemBW true
is "$rc $(args)" "0 stat -j --log-fd FD -e duration_time -a -- true" "metrics that this machine does not have: perf counts no more than the time"
like "$err" '<not supported> GB/s GraceMemBW' "and they are shown as not supported"
echo '{"counter-value" : "12.000000", "unit" : "ns", "event" : "duration_time", "event-runtime" : 12, "pcnt-running" : 100.00}' > "$work/time"
cat "$work/time" "$work/time" > "$work/times"
FAKE_OUTPUT=$work/time
GPMU_ROOT=$(machine laptop) run gpmu perf stat -a -M GraceMemBW true
unlike "$err" duration_time "without that time"
FAKE_OUTPUT=$work/times
GPMU_ROOT=$(machine laptop) run gpmu perf stat -a -M GraceMemBW -e duration_time true
is "$(grep -c duration_time <<< "$err")" 1 "unless it is asked for"

# Signals, which perf has as gpmu had
run env --ignore-signal=HUP,CHLD "$GPMU_BIN" perf stat -M GraceMemBW sh -c 'grep SigIgn /proc/self/status; exit 3'
is "$rc $out" "3 $(env --ignore-signal=HUP grep SigIgn /proc/self/status)" "what is ignored stays so, and perf's end is told"
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
is "$rc $err" "0 " "SIGTERM while perf is started ends it"

# What the command leaves running keeps the pipe open.
start=$SECONDS
# shellcheck disable=SC2016 # sh is to expand it
gpmu perf stat -M GraceMemBW -- sh -c 'sleep 5 > /dev/null 2>&1 & echo $! > "$0"' "$work/pid" > /dev/null 2>&1
ok $((SECONDS - start >= 4)) "what the command leaves running is not waited for"
kill "$(cat "$work/pid")"

# The perf of this machine, with a metric of software's events
unset GPMU_ROOT GPMU_PERF
cat > "$work/soft.json" << 'END'
[ { "MetricName": "FaultsPerFault", "MetricExpr": "page\\-faults / page\\-faults", "Unit": "software", "ScaleUnit": "3x" } ]
END
export GPMU_EVENTS=$work/soft.json
if ! perf stat -j -e task-clock true > /dev/null 2>&1; then
	skip "no perf that may count" "the perf of this machine counts"
else
	run gpmu perf stat -x, -M FaultsPerFault -e page-faults,task-clock true
	is "$rc $(grep -E ',(event|metric,Faults)' <<< "$err" | cut -d, -f10-11,14 | paste -sd' ')" "0 metric,FaultsPerFault,ok event,page-faults,ok event,task-clock,ok" "the perf of this machine counts" ||
		diag "$(perf --version)"
	run gpmu perf stat -M FaultsPerFault -I 20 -x, -- sleep 0.05
	ok $(($(grep -c ',FaultsPerFault,' <<< "$err") < 2)) "in intervals"
	"$GPMU_BIN" perf stat -a -M FaultsPerFault -I 10 2> "$work/killed" &
	pid=$!
	soon test -s "$work/killed"
	child=$(cat "/proc/$pid/task/$pid/children")
	kill -KILL "$pid"
	wait "$pid" 2> /dev/null
	timeout 5 tail --pid="${child% }" -f /dev/null
	ok $? "perf ends if gpmu is killed" || kill -KILL "$child"
	run timeout --foreground -k 10 -s INT 1 "$GPMU_BIN" perf stat -a -M FaultsPerFault
	like "$err" '3\.00x FaultsPerFault|3\.00 x +FaultsPerFault' "Ctrl-C ends perf, and there is a summary"
fi
done_testing
