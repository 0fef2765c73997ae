#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu eval: metrics of recorded output of perf stat, on a machine other than the recorded one.
. tests/tools/lib.sh

data=tests/data/perf-output
GPMU_ROOT=$(machine laptop)
export GPMU_ROOT

# values FILE METRICS [OPTION...]: "node value" of each row
values() {
	gpmu eval -j -M "$2" "${@:3}" "$1" 2>&1 |
		sed -n 's/.*"node":\([^,]*\),.*"value":\([^,]*\),.*/\1 \2/p' | paste -sd' '
}

is "$(values $data/grace-6.1.json GraceMemBW)" "null 180" "eval computes a Grace's metric on a laptop from JSON: 60 + 120 GB/s"
is "$(values $data/grace-6.1.json GraceMemBW --per-node)" "0 60 1 120" "eval --per-node takes the nodes from the names of the PMUs"
is "$(values $data/grace-7.3-per-socket.json GraceMemBW)" "0 60 1 120 0 120 1 240" "eval computes the metric of each socket and interval"
is "$(values $data/grace-6.1-multiplexed.csv GraceMemBW | cut -c1-8)" "null 180" "eval computes a multiplexed metric from CSV"

run gpmu eval -M GraceMemBW $data/grace-7.3-per-socket.json
is "$rc $out" "0 " "eval prints a summary on standard error and exits with 0"
like "$err" '^     1\.000000000 N1\(S36\) +120\.00 GB/s GraceMemBW$' "eval prints the time, node and perf's socket number of each interval"
expect 0 gpmu eval -M GraceMemBW $data/grace-6.1-multiplexed.csv
like "$err" '180\.00 GB/s GraceMemBW +\(66\.67%\)' "eval computes the share from the times, not from perf's whole percents"
like "$err" '^ +2\.000000000 seconds time elapsed' "eval takes the elapsed time from duration_time"
run gpmu eval -M GracePcieReadBW/root_port=0x3/ $data/grace-6.1-multiplexed.csv
like "$rc $err" '<not counted> GB/s GracePcieReadBW/root_port=0x3/' "eval prints <not counted> for a metric with a filter if one of its events was not counted"
expect 0 gpmu eval -M GracePcieReadBW $data/grace-6.1-multiplexed.csv
like "$err" "it is not in perf's output" "eval reports that perf's output lacks the events of the metric without filter"

for version in 6.1 6.12 7.3; do
	for form in csv json; do
		want=$(sed -n "s/.*context-switches\".*/&/p; /^[^{].*context-switches/p" $data/$version-command.$form | sed 's/^{"counter-value" : "//' | grep -oE '^[0-9]+')
		expect 0 gpmu eval -x, -e context-switches $data/$version-command.$form
		is "$(tail -n 1 <<< "$err" | cut -d, -f11,12)" "context-switches,$want" "eval reads the count that perf $version printed as $form"
		expect 0 gpmu eval -a -e context-switches $data/$version-no-aggr.$form
		like "$err" '^CPU1 +[0-9]+ context-switches$' "eval has a row for each CPU of perf $version -A as $form"
		run gpmu eval -a -j -e context-switches $data/$version-interval.$form
		is "$rc $(wc -l <<< "$err")" "0 3" "eval prints the three intervals of perf $version -I as $form"
	done
done

is "$(gpmu eval -j -M GraceMemBW < $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "eval reads standard input without a file"
is "$(gpmu eval -j -M GraceMemBW - < $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "eval reads standard input if the file is -"
is "$(gpmu eval -j --source "model=$scenarios/idle.scenario,sockets=2" -M GraceMemBW $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "eval --source describes the machine of the recording"
gpmu eval -o "$work/rows" -x ';' -M GraceMemBW $data/grace-6.1.json
is "$(sed -n 1p "$work/rows")" "# gpmu-csv 1" "eval -o writes the rows to a file"
gpmu eval -o "$work/rows" --append -x ';' -M GraceMemBW $data/grace-6.1.json
is "$(grep -c ';GraceMemBW;180;' "$work/rows")" 2 "eval -o --append adds rows to the file"
is "$(grep -c '^# \|^time_begin' "$work/rows")" 2 "eval -o --append writes the CSV heading once"

# The rows of an interval are printed before the next interval's lines arrive.
mkfifo "$work/pipe"
gpmu eval -j -o "$work/live" -M GraceMemBW < "$work/pipe" 2>&1 &
exec 5> "$work/pipe"
head -n 5 $data/grace-7.3-per-socket.json >&5
soon test -s "$work/live"
is "$(grep -c '"time_end":1.000000000' "$work/live")" 2 "eval prints the rows of an interval while perf still runs"
exec 5>&-
wait

head -c -20 $data/grace-6.1.json > "$work/cut"
run gpmu eval -M GraceMemBW "$work/cut"
is "$rc" 1 "eval exits with 1 if the input is cut off"
like "$err" 'warning: .*/cut: the last line is cut off and was skipped' "eval warns of a last line that is cut off"
like "$err" '<not counted> GB/s GraceMemBW' "eval prints <not counted> for a metric whose events are cut off"
printf '1,,a,5,100.00,,\n1,,b\n' > "$work/bad"
run gpmu eval -e page-faults "$work/bad"
is "$rc $err" "125 gpmu eval: $work/bad: line 2: expected ns that the counter ran, found its end" "eval names the line of bad input and what was expected"
printf 'Hello, world\n' > "$work/bad"
run gpmu eval -e page-faults "$work/bad"
is "$rc $err" "125 gpmu eval: $work/bad: line 1: expected a line that \"perf stat -j\" or \"perf stat -x,\" prints, found \"Hello, world\"" "eval refuses input that perf stat has not printed"
run gpmu eval -M GraceMemBW /dev/null
is "$rc $err" "125 gpmu eval: /dev/null: found no output of perf stat -j or -x" "eval refuses an empty file"
run gpmu eval -M GraceMemBW "$work/none"
is "$rc $err" "125 gpmu eval: $work/none: No such file or directory" "eval names a file that does not exist"
run gpmu eval $data/grace-6.1.json
like "$rc $err" '^125 gpmu eval: expected -M METRIC or -e EVENT' "eval without -M and -e says what is expected"
# AddressSanitizer reserves address space, so the limit does not suit a sanitized gpmu.
grep -q __asan_init "$GPMU_BIN" && limit=unlimited || limit=200000
run at vm bash -c "ulimit -v $limit; head -c 300000000 /dev/zero | $GPMU_BIN eval -M GraceMemBW"
is "$rc $err" "125 gpmu eval: standard input: expected lines of perf, found one of more than 1048576 bytes" "eval refuses an endless line without reading it into memory"
run gpmu eval -M GraceMemWB $data/grace-6.1.json
like "$rc $err" '^125 .*did you mean GraceMemBW' "eval names the nearest metric of an unknown one"
run gpmu eval -j -x, -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: -j and -x: choose one" "eval refuses -j together with -x"
run gpmu eval --append -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: --append needs -o" "eval refuses --append without -o"
run gpmu eval -M GraceMemBW a b
like "$rc $err" '^125 gpmu eval: b: expected one file' "eval refuses more than one file"

# --- output of each perf on a Grace with steady.scenario: 131.52 and 59.2 GB/s of CPU memory,
# 14.4 GB/s at root port 8 of socket 1 only, (12 + 28) G cycles / 0.075 G requests / 1.6 GHz

# values FILE: NODE:VALUE of each metric row
values() {
	gpmu eval -j -M 'GraceMemBW,GracePcieReadBW/root_port=0x100/,GraceC2c0ReadLatency' "$1" 2>&1 |
		sed 's/.*"node":\([^,]*\),.*"value":\([^,]*\),.*/\1:\2/'
}
# unlike_steady FILE WANT...: the values that differ from WANT by more than 10 %: the last interval is short
unlike_steady() {
	values "$1" > "$work/values"
	shift
	printf '%s\n' "$@" | paste -d : - "$work/values" | awk -F : '
		{ d = $2 - $4; if (d < 0) d = -d }
		$1 != $3 || $4 !~ /^[0-9.]+$/ || d > $2 * 0.1 { print }'
}
for file in "$data"/*-grace-*.json "$data"/*-grace-*.csv; do
	case $file in
	*-per-socket.*) want=(0:131.52 1:59.2 0:0 1:14.4 0:300 1:350) ;;
	*-interval.*) want=(null:190.72 null:14.4 null:333.3 null:190.72 null:14.4 null:333.3 null:190.72 null:14.4 null:333.3) ;;
	*) want=(null:190.72 null:14.4 null:333.3) ;;
	esac
	is "$(unlike_steady "$file" "${want[@]}")" "" "eval computes the ${#want[@]} values of the steady traffic from ${file##*/}"
done

if ! perf stat -x, -e task-clock true > /dev/null 2>&1; then
	skip "no perf that may count" "eval reads what this machine's perf prints"
else
	unset GPMU_ROOT
	out=$(perf stat -j -e "$(gpmu plan -e '{task-clock,page-faults}')" true 2>&1 | gpmu eval -e page-faults -x, 2>&1 | tail -n 1 | cut -d, -f11,14)
	is "$out" "page-faults,ok" "eval reads what this machine's perf prints"
fi
done_testing
