#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu eval: metrics of what perf stat has printed, on a machine that is another.
. tests/tools/lib.sh

data=tests/data/perf-output
GPMU_ROOT=$(machine laptop)
export GPMU_ROOT

# values FILE METRICS [OPTION...]: "node value" of each row
values() {
	gpmu eval -j -M "$2" "${@:3}" "$1" 2>&1 |
		sed -n 's/.*"node":\([^,]*\),.*"value":\([^,]*\),.*/\1 \2/p' | paste -sd' '
}

is "$(values $data/grace-6.1.json GraceMemBW)" "null 180" "a Grace's JSON on a laptop: 60 + 120 GB/s"
is "$(values $data/grace-6.1.json GraceMemBW --per-node)" "0 60 1 120" "--per-node: the nodes are in the PMUs' names"
is "$(values $data/grace-7.3-per-socket.json GraceMemBW)" "0 60 1 120 0 120 1 240" "intervals by socket"
is "$(values $data/grace-6.1-multiplexed.csv GraceMemBW | cut -c1-8)" "null 180" "CSV that was multiplexed"

run gpmu eval -M GraceMemBW $data/grace-7.3-per-socket.json
is "$rc $out" "0 " "a summary is on standard error, and that is no failure"
like "$err" '^     1\.000000000 N1\(S36\) +120\.00 GB/s GraceMemBW$' "with intervals' times, nodes and perf's numbers of sockets"
run gpmu eval -M GraceMemBW $data/grace-6.1-multiplexed.csv
like "$err" '180\.00 GB/s GraceMemBW +\(66\.67%\)' "the share is that of the time, not whole percents"
like "$err" '^ +2\.000000000 seconds time elapsed' "and the time is duration_time's"
run gpmu eval -M GracePcieReadBW/root_port=0x3/ $data/grace-6.1-multiplexed.csv
like "$rc $err" '<not counted> GB/s GracePcieReadBW/root_port=0x3/' "a metric with a filter of which a part was not counted"
run gpmu eval -M GracePcieReadBW $data/grace-6.1-multiplexed.csv
like "$err" "it is not in perf's output" "without the filter it is other events, which are not there"

for version in 6.1 6.12 7.3; do
	for form in csv json; do
		want=$(sed -n "s/.*context-switches\".*/&/p; /^[^{].*context-switches/p" $data/$version-command.$form | sed 's/^{"counter-value" : "//' | grep -oE '^[0-9]+')
		run gpmu eval -x, -e context-switches $data/$version-command.$form
		is "$(tail -n 1 <<< "$err" | cut -d, -f11,12)" "context-switches,$want" "perf $version, $form: the count is that of the file"
		run gpmu eval -a -e context-switches $data/$version-no-aggr.$form
		like "$err" '^CPU1 +[0-9]+ context-switches$' "-A: a row of each CPU"
		run gpmu eval -a -j -e context-switches $data/$version-interval.$form
		is "$rc $(wc -l <<< "$err")" "0 3" "-I: three intervals"
	done
done

is "$(gpmu eval -j -M GraceMemBW < $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "standard input"
is "$(gpmu eval -j -M GraceMemBW - < $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "which is also called -"
is "$(gpmu eval -j --source "model=$scenarios/idle.scenario,sockets=2" -M GraceMemBW $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "--source says the machine"
gpmu eval -o "$work/rows" -x ';' -M GraceMemBW $data/grace-6.1.json
is "$(sed -n 1p "$work/rows")" "# gpmu-csv 1" "-o: to a file"
gpmu eval -o "$work/rows" --append -x ';' -M GraceMemBW $data/grace-6.1.json
is "$(grep -c ';GraceMemBW;180;' "$work/rows")" 2 "--append: to its end"
is "$(grep -c '^# \|^time_begin' "$work/rows")" 2 "CSV has its first lines once"

# An interval's rows are there before the next one's lines are.
mkfifo "$work/pipe"
gpmu eval -j -o "$work/live" -M GraceMemBW < "$work/pipe" 2>&1 &
exec 5> "$work/pipe"
head -n 5 $data/grace-7.3-per-socket.json >&5
soon test -s "$work/live"
is "$(grep -c '"time_end":1.000000000' "$work/live")" 2 "rows of an interval appear while perf goes on"
exec 5>&-
wait

head -c -20 $data/grace-6.1.json > "$work/cut"
run gpmu eval -M GraceMemBW "$work/cut"
is "$rc" 1 "output that was cut off: 1"
like "$err" 'warning: .*/cut: its last line is cut off, and was left out' "it is said"
like "$err" '<not counted> GB/s GraceMemBW' "and what is missing is"
printf '1,,a,5,100.00,,\n1,,b\n' > "$work/bad"
run gpmu eval -e page-faults "$work/bad"
is "$rc $err" "125 gpmu eval: $work/bad: line 2: expected ns that the counter ran, found its end" "a bad line: its number, and what was expected"
printf 'Hello, world\n' > "$work/bad"
run gpmu eval -e page-faults "$work/bad"
is "$rc $err" "125 gpmu eval: $work/bad: line 1: expected a line that \"perf stat -j\" or \"perf stat -x,\" prints, found \"Hello, world\"" "what a command printed is no output of perf"
run gpmu eval -M GraceMemBW /dev/null
is "$rc $err" "125 gpmu eval: /dev/null: nothing that perf stat -j or -x prints is in it" "an empty file"
run gpmu eval -M GraceMemBW "$work/none"
is "$rc $err" "125 gpmu eval: $work/none: No such file or directory" "no file"
run gpmu eval $data/grace-6.1.json
like "$rc $err" '^125 gpmu eval: expected -M METRIC or -e EVENT' "nothing to compute"
# AddressSanitizer needs all of the address space
grep -q __asan_init "$GPMU_BIN" && limit=unlimited || limit=200000
run at vm bash -c "ulimit -v $limit; head -c 300000000 /dev/zero | $GPMU_BIN eval -M GraceMemBW"
is "$rc $err" "125 gpmu eval: standard input: expected lines of perf, found one of more than 1048576 bytes" "a line that does not end takes no memory"
run gpmu eval -M GraceMemWB $data/grace-6.1.json
like "$rc $err" '^125 .*did you mean GraceMemBW' "a metric that nobody has"
run gpmu eval -j -x, -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: -j and -x: choose one" "two forms"
run gpmu eval --append -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: --append needs -o" "--append without a file"
run gpmu eval -M GraceMemBW a b
like "$rc $err" '^125 gpmu eval: b: expected one file' "two files"

# --- recordings of a Grace with steady.scenario, by each perf: 131.52 and 59.2 GB/s of CPU memory,
# 14.4 GB/s at root port 8 of socket 1 only, (12 + 28) G cycles / 0.075 G requests / 1.6 GHz

# values FILE: NODE:VALUE of each metric row
values() {
	gpmu eval -j -M 'GraceMemBW,GracePcieReadBW/root_port=0x100/,GraceC2c0ReadLatency' "$1" 2>&1 |
		sed 's/.*"node":\([^,]*\),.*"value":\([^,]*\),.*/\1:\2/'
}
# unlike_steady FILE WANT...: the values that are not within 10 % of these: the last interval is short
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
	is "$(unlike_steady "$file" "${want[@]}")" "" "${file##*/}: the steady traffic's ${#want[@]} values"
done

if ! perf stat -x, -e task-clock true > /dev/null 2>&1; then
	skip "no perf that may count" "what the perf of this machine prints is read"
else
	unset GPMU_ROOT
	out=$(perf stat -j -e "$(gpmu plan -e '{task-clock,page-faults}')" true 2>&1 | gpmu eval -e page-faults -x, 2>&1 | tail -n 1 | cut -d, -f11,14)
	is "$out" "page-faults,ok" "what the perf of this machine prints is read"
fi
done_testing
