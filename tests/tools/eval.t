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
		sed -n 's/.*"numa_node":\([^,]*\),.*"value":\([^,]*\),.*/\1 \2/p' | paste -sd' '
}

is "$(values $data/grace-6.1.json GraceMemBW)" "null 180" "eval computes a Grace's metric on a laptop from JSON: 60 + 120 GB/s"
is "$(values $data/grace-6.1.json GraceMemBW --per-node)" "0 60 1 120" "eval --per-node takes the nodes from the names of the PMUs"
is "$(values $data/grace-7.3-per-socket.json GraceMemBW)" "0 60 1 120 0 120 1 240" "eval computes the metric of each socket and interval"
is "$(values $data/grace-6.1-multiplexed.csv GraceMemBW | cut -c1-8)" "null 180" "eval computes a multiplexed metric from CSV"

run gpmu eval -M GraceMemBW $data/grace-7.3-per-socket.json
is "$rc $err" "0 " "eval prints a summary on standard output and exits with 0"
like "$out" '^     1\.000000000 N1 +120\.00 GB/s GraceMemBW$' "eval prints the time and node of each interval"
expect 0 gpmu eval -M GraceMemBW $data/grace-6.1-multiplexed.csv
like "$out" '180\.00 GB/s GraceMemBW +\(66\.67%\)' "eval computes the share from the times, not from perf's whole percents"
like "$out" '^ +2\.000000000 seconds time elapsed' "eval takes the elapsed time from duration_time"
printf '1500000,,cycles,250000,10.00,,\n3000000,,instructions,2500000,100.00,,\n' > "$work/share"
expect 0 gpmu eval -e cycles,instructions "$work/share"
like "$out" '^ +1,500,000 cycles +\(10\.00%\)$' "eval computes the share of a command's event from the time of an event that ran all the time"
run gpmu eval -M GracePcieReadBW/root_port=0x3/ $data/grace-6.1-multiplexed.csv
like "$rc $out" '<not counted> GB/s GracePcieReadBW/root_port=0x3/' "eval prints <not counted> for a metric with a filter if one of its events was not counted"
expect 0 gpmu eval -M GracePcieReadBW $data/grace-6.1-multiplexed.csv
like "$out" "it is not in perf's output" "eval reports that perf's output lacks the events of the metric without filter"

for version in 6.1 6.12 7.3; do
	for form in csv json; do
		want=$(sed -n "s/.*context-switches\".*/&/p; /^[^{].*context-switches/p" $data/$version-command.$form | sed 's/^{"counter-value" : "//' | grep -oE '^[0-9]+')
		expect 0 gpmu eval -x, -e context-switches $data/$version-command.$form
		is "$(columns name value <<< "$out")" "context-switches $want" "eval reads the count that perf $version printed as $form"
		expect 0 gpmu eval -a -e context-switches $data/$version-no-aggr.$form
		like "$out" '^CPU1 +[0-9]+ context-switches$' "eval has a row for each CPU of perf $version -A as $form"
		run gpmu eval -a -j -e context-switches $data/$version-interval.$form
		is "$rc $(wc -l <<< "$out")" "0 3" "eval prints the three intervals of perf $version -I as $form"
	done
done

is "$(gpmu eval -j -M GraceMemBW < $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "eval reads standard input without a file"
is "$(gpmu eval -j -M GraceMemBW - < $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "eval reads standard input if the file is -"
is "$(gpmu eval -j --source "model=$scenarios/idle.scenario,sockets=2" -M GraceMemBW $data/grace-6.1.json 2>&1 | grep -o '"value":[0-9]*')" '"value":180' "eval --source describes the machine of the recording"
gpmu eval -o "$work/rows" -x ';' -M GraceMemBW $data/grace-6.1.json
is "$(separator=';' columns gpmu name < "$work/rows")" "2 GraceMemBW" "eval -o writes the rows to a file"
gpmu eval -o "$work/rows" --append -x ';' -M GraceMemBW $data/grace-6.1.json
is "$(grep -c ';GraceMemBW;180;' "$work/rows")" 2 "eval -o --append adds rows to the file"

# The rows of an interval are printed before the next interval's lines arrive.
mkfifo "$work/pipe"
gpmu eval -j -o "$work/live" -M GraceMemBW < "$work/pipe" 2>&1 &
exec 5> "$work/pipe"
head -n 5 $data/grace-7.3-per-socket.json >&5
soon test -s "$work/live"
is "$(grep -c '"time_end":1.000000000' "$work/live")" 2 "eval prints the rows of an interval while perf still runs"
exec 5>&-
wait

printf 'S0-D0-C%s,1,%s,,context-switches,302570000,100.00,,\n' 0 25 1 37 > "$work/core"
expect 0 gpmu eval -a -x, -e context-switches "$work/core"
is "$(columns numa_node name value <<< "$out")" "0 context-switches 62" "eval adds up the cores that perf stat --per-core printed"
printf '74,,page-faults,5.00%%,1068008,100.00,,\n' > "$work/repeat"
expect 0 gpmu eval -e page-faults "$work/repeat"
like "$out" '^ +74 +page-faults +\( \+- +5\.00% \)$' "eval prints the deviation of perf stat -r"
expect 0 gpmu eval -j -e page-faults "$work/repeat"
like "$out" '"runs":null,"deviation":3\.7,' "eval prints no number of runs, which perf does not print, as JSON"
expect 0 gpmu eval -x, -e page-faults "$work/repeat"
like "$(tail -n 1 <<< "$out")" ',1,,3\.7,,,,,$' "eval prints no number of runs, which perf does not print, as CSV"

head -c -20 $data/grace-6.1.json > "$work/cut"
run gpmu eval -M GraceMemBW "$work/cut"
is "$rc" 1 "eval exits with 1 if the input is cut off"
like "$err" 'warning: .*/cut: the last line is cut off and was skipped' "eval warns of a last line that is cut off"
like "$out" '<not counted> GB/s GraceMemBW' "eval prints <not counted> for a metric whose events are cut off"
printf '12,50/msec/task-clock/12500000/100,00/0/CPUs utilized\n7//page-faults/12500000/100,00/1/K/sec\n' > "$work/slash"
is "$(gpmu eval -x, -e task-clock,page-faults "$work/slash" | columns name value unit | paste -sd,)" "task-clock 12.5 msec,page-faults 7 " \
	"eval reads columns that perf stat -x / separates"
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
cp $data/grace-6.1.json "$work/counts"
run gpmu eval -M ipc "$work/counts" -o "$work/counts"
is "$rc $err" "125 gpmu eval: $work/counts: the output would replace the file that is read: choose another name for -o" "eval refuses an output that is the input"
run gpmu eval $data/grace-6.1.json
like "$rc $err" '^125 gpmu eval: expected -M METRIC or -e EVENT' "eval without -M and -e states what is expected"
run at vm bash -c "head -c 300000000 /dev/zero | $GPMU_BIN eval -M GraceMemBW"
is "$rc $err" "125 gpmu eval: standard input: expected lines of perf, found one of more than 1048576 bytes" "eval refuses an endless line"
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
		sed 's/.*"numa_node":\([^,]*\),.*"value":\([^,]*\),.*/\1:\2/'
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

# --- metrics of metrics: 2^30 paths lead from a30 to page-faults
python3 - > "$work/deep.json" << 'END'
import json
metrics = {"a0": "page\\-faults", "b0": "page\\-faults"}
for i in range(30):
    metrics[f"a{i + 1}"] = metrics[f"b{i + 1}"] = f"(a{i} + b{i}) / 2"
print(json.dumps([{"MetricName": name, "MetricExpr": text} for name, text in metrics.items()]))
END
printf '7,,page-faults,5,100.00,,\n' > "$work/faults"
run timeout -s KILL 600 "$GPMU_BIN" eval -j --events "$work/deep.json" -M a30 "$work/faults"
like "$rc $out" '"name":"a30","value":7,' "eval computes each metric of 30 levels of metrics once"

# --- the machine: by its name, or saved by doctor
expect 0 gpmu eval -j --machine grace -M GracePcieReadBW $data/grace-6.1.json
like "$out" "\"name\":\"GracePcieReadBW\",.*it is not in perf's output" "eval --machine grace has PMUs that perf did not count"
grace_hint='warning: if perf ran on a Grace, --machine grace evaluates its events; "gpmu doctor --save FILE" describes another machine$'
expect 0 at vm gpmu eval -M ipc "$work/faults"
like "$err" "$grace_hint" "eval names --machine if a metric needs a PMU of a machine that the events do not name"
expect 0 gpmu eval --machine grace -M ipc "$work/faults"
unlike "$err" "$grace_hint" "eval --machine prints no hint to --machine"
expect 0 gpmu eval -j -e nvidia_cnvlink_pmu_0/cycles/ --machine gracehopper "$work/faults"
like "$err" 'this machine has no PMU nvidia_cnvlink_pmu_0' "eval --machine gracehopper has no CNVLink on a single socket"
run gpmu eval -j -e nvidia_cnvlink_pmu_0/cycles/ --machine grace "$work/faults"
unlike "$rc $err" 'this machine has no PMU' "eval --machine grace has a CNVLink"
printf '1000,,cpu_cycles,1000,100.00,,\n2500,,inst_retired,1000,100.00,,\n' > "$work/perf.csv"
run gpmu eval --machine grace -M ipc "$work/perf.csv"
like "$out" '^ +2\.50 per cycle ipc$' "eval --machine grace computes a core metric from perf's CSV"
is "$rc $err" "0 " "eval prints no warning of unknown numbers of counters, as the events have been counted"
# perf's generic events, and a Grace's cycles of the SCF, by interval: 10 GB in 5 s and twice as many
interval() {
	printf '     %s,%s,,%s,%s,100.00,,\n' "$1" 90000000000 cycles 720012345678 "$1" 180000000000 instructions 720012345678 \
		"$1" 16250000000 nvidia_scf_pmu_0/cycles/ 5000000000 "$1" "$2" nvidia_scf_pmu_0/cmem_rd_data/ 5000000000
}
{
	interval 5.000000000 1000000000
	interval 10.000000000 2000000000
} > "$work/generic"
is "$(gpmu eval -a -x, --machine grace -M ipc,GraceMemReadBW "$work/generic" | columns name value | paste -sd,)" \
	"ipc 2,GraceMemReadBW 6.4,ipc 2,GraceMemReadBW 12.8" "eval computes core metrics from perf's generic events without a PMU"
printf '1000,,nvidia_scf_pmu_0/cycles/,1000,100.00,,\n2500,,instructions,1000,100.00,,\n' > "$work/generic"
run gpmu eval --machine grace -M ipc "$work/generic"
like "$out" '<not counted> per cycle ipc' "eval does not take cycles of another PMU for those of the cores"
printf '2000,,L1-dcache-loads,1000,100.00,,\n500,,cache-misses,1000,100.00,,\n1000,,instructions,1000,100.00,,\n' > "$work/generic"
run gpmu eval --machine grace -M l1d_cache_mpki,l1d_cache_miss_ratio "$work/generic"
like "$out" '500\.00 .*l1d_cache_mpki' "eval evaluates perf's cache events as the cores' events to which Linux maps them"
run gpmu eval --machine grace --source "model=$scenarios/idle.scenario" -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: --machine grace and --source: choose one" "eval refuses --machine grace together with --source"
run at superchip gpmu doctor --save "$work/superchip"
is "$rc $both" "0 " "doctor --save prints nothing"
cp -r "$(machine superchip)" "$work/large"
mkdir -p "$work/large/proc"
printf 'processor\t: %d\n' {1..6000} > "$work/large/proc/cpuinfo"
GPMU_ROOT=$work/large run gpmu doctor --save "$work/saved"
is "$rc $err $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["files"]["proc/cpuinfo"])' "$work/saved" | cmp - "$work/large/proc/cpuinfo")" "0  " "doctor --save has a file of more than 64 KiB"
truncate -s 4M "$work/large/proc/cpuinfo"
GPMU_ROOT=$work/large run gpmu doctor --save "$work/saved"
is "$rc $err" "0 gpmu doctor: warning: proc/cpuinfo: left out: expected at most 4194303 bytes" "doctor --save names a file that is too large"
export TMPDIR=$work
expect 0 gpmu eval -j --machine "$work/superchip" -M GraceMemBW,ipc $data/grace-6.1.json
like "$out" '"name":"GraceMemBW","value":180,' "eval --machine FILE evaluates for a saved machine"
like "$out" "\"name\":\"ipc\",.*it is not in perf's output" "eval --machine FILE has the saved machine's cores"
is "$(ls -d "$work"/gpmu-machine-* 2> /dev/null)" "" "eval --machine FILE leaves no files"
# A pipeline ends by Ctrl-C while eval waits for the next interval.
mkdir "$work/ended"
mkfifo "$work/waits"
# shellcheck disable=SC2317 # soon calls it
begun() {
	[ -n "$(find "$work/ended" -path '*/gpmu-machine-*/proc/*')" ]
}
for signal in INT:130 QUIT:131 USR1:138 PIPE:141; do
	TMPDIR=$work/ended env --default-signal "$GPMU_BIN" eval -j --machine "$work/superchip" -M GraceMemBW "$work/waits" > "$work/out" 2>&1 &
	pid=$!
	exec 9> "$work/waits"
	cat $data/grace-7.3-per-socket.json >&9
	soon begun
	kill "-${signal%:*}" $pid
	wait $pid
	is "$? $(ls "$work/ended")" "${signal#*:} " "eval --machine FILE that SIG${signal%:*} ends leaves no files"
	exec 9>&-
done
echo old > "$work/ended/saved"
# shellcheck disable=SC2016 # the inner shell expands it
run at superchip bash -c 'ulimit -f 1; exec "$0" doctor --save "$1"' "$GPMU_BIN" "$work/ended/saved"
is "$rc ${err%: *} $(ls "$work/ended") $(< "$work/ended/saved")" "125 gpmu doctor: --save $work/ended/saved saved old" \
	"doctor --save reports the limit of file sizes, and leaves the old file and no unfinished one"
expect 0 gpmu eval -j --machine "$work/superchip" -M GraceMemBW --per-node $data/grace-6.1.json
is "$(grep -o '"package":[0-9]*' <<< "$out" | paste -sd' ')" '"package":0 "package":1' "eval --machine FILE knows the saved machine's packages"
run gpmu eval --machine "$work/none" -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: --machine $work/none: No such file or directory; expected grace, gracehopper or a file of gpmu doctor --save" \
	"eval names a saved machine that does not exist and what was expected"
run gpmu eval --machine grase -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: --machine grase: No such file or directory, did you mean grace?" "eval suggests the machine whose name is nearest"
echo '{ "gpmu_machine": 1 }' > "$work/odd"
run gpmu eval --machine "$work/odd" -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: --machine $work/odd: expected a file of gpmu doctor --save" "eval refuses a file that is no saved machine"
for path in ../x /etc/x sys/../../x sys/./x sys//x sys/ proc/.. x; do
	echo "{ \"gpmu_machine\": 1, \"files\": { \"$path\": \"1\" } }" > "$work/odd"
	run gpmu eval --machine "$work/odd" -M GraceMemBW $data/grace-6.1.json
	is "$rc $err" "125 gpmu eval: --machine $work/odd: $path: Invalid argument" "eval refuses a saved machine with the path $path"
done
for link in x:../etc sys/x:/etc sys/a/b:../../x sys/a/b:../c/../../x sys/a/b: sys/a/b:../ "sys/bus/pci/devices/0:../../../../sys/x"; do
	echo "{ \"gpmu_machine\": 1, \"files\": {}, \"links\": { \"${link%%:*}\": \"${link#*:}\" } }" > "$work/odd"
	run gpmu eval --machine "$work/odd" -M GraceMemBW $data/grace-6.1.json
	is "$rc $err" "125 gpmu eval: --machine $work/odd: ${link%%:*}: Invalid argument" "eval refuses a saved machine with the link $link"
done
echo '{ "gpmu_machine": 1, "files": {}, "links": { "sys/a": "b", "sys/a/c": "../d" } }' > "$work/odd"
run gpmu eval --machine "$work/odd" -M GraceMemBW $data/grace-6.1.json
is "$rc $err" "125 gpmu eval: --machine $work/odd: sys/a/c: Not a directory" "eval refuses a saved machine with a link below a link"
at gh200 gpmu doctor --save "$work/gh200"
run gpmu eval -j --machine "$work/gh200" -M GraceMemBW $data/grace-6.1.json
like "$rc $out" '^0 .*"name":"GraceMemBW"' "eval --machine FILE accepts a saved machine with PCI devices"
python3 -c '
import json, os, sys
saved = json.load(open(sys.argv[1]))
for kind in "files", "links":
    for name, text in saved[kind].items():
        path = os.path.join(sys.argv[2], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if kind == "links":
            os.symlink(text, path)
        else:
            open(path, "w").write(text + "\n")' "$work/gh200" "$work/restored"
pcis=$(at gh200 gpmu doctor -j | grep '"address"')
like "$pcis" '"address":"0009:01:00.0","name":"card1",' "doctor -j prints the GPU of a Grace Hopper as a PCI device"
is "$(GPMU_ROOT=$work/restored gpmu doctor -j | grep '"address"')" "$pcis" "doctor --save has all that doctor prints of PCI devices"
run gpmu eval --strict -e page-faults "$work/faults"
is "$rc" 0 "eval --strict exits with 0 if all events have values"
run gpmu eval --strict -e page-faults,context-switches "$work/faults"
is "$rc $err" "1 gpmu eval: warning: $work/faults: rows without a value: 1" "eval --strict exits with 1 if an event has no value"
unset TMPDIR
cat "$data/6.12-command.json" "$data/6.12-command.json" > "$work/twice"
run gpmu eval -e page-faults:u --strict "$work/twice"
is "$rc $err" "1 gpmu eval: warning: $work/twice: all lines repeat, as if perf stat --append had added a run; the first ones are used" "eval warns of a second run that perf stat --append -j has added"
# Runs of 0.5 s and of 2 s at -I 1000, with 30 GB/s
interval() {
	printf '{"interval" : %s, "counter-value" : "%s", "unit" : "", "event" : "nvidia_scf_pmu_0/%s/", "event-runtime" : %s, "pcnt-running" : 100.00}\n' \
		"$1" "$2" cmem_rd_data "$3" "$1" 0 cmem_wr_total_bytes "$3"
}
{
	interval 0.500000000 468750000 500000000
	interval 1.000100000 937500000 1000100000
	interval 2.000200000 937500000 1000100000
} > "$work/intervals"
is "$(gpmu eval -M GraceMemBW -j "$work/intervals" | grep -o '"time_begin":[0-9.]*\|"value":[0-9]*[.0-9]\{0,4\}' | paste -sd' ')" \
	'"time_begin":0.000000000 "value":30 "time_begin":0.000000000 "value":29.997 "time_begin":1.000100000 "value":29.997' \
	"eval begins a second run of perf stat --append -I -j at 0 where a PMU was counted since 0"
run gpmu eval -e page-faults:u,page-faults:u --strict "$work/twice"
is "$rc $err" "0 " "eval accepts lines that repeat as often as the events are requested"

# --- units of times in formulas
cat > "$work/times.json" << 'END'
[{ "MetricName": "clock", "MetricExpr": "task\\-clock" },
 { "MetricName": "elapsed", "MetricExpr": "duration_time" },
 { "MetricName": "user", "MetricExpr": "user_time" }]
END
printf '%s\n' 605.19,msec,task-clock,605190001,100.00,, 2000000000,ns,duration_time,2000000000,100.00,, \
	500000000,ns,user_time,500000000,100.00,, > "$work/times"
is "$(gpmu eval -j --events "$work/times.json" -M clock,elapsed,user "$work/times" | sed 's/.*"value":\([^,]*\),.*/\1/' | paste -sd' ')" "605190000 2 0.5" "eval: in formulas task-clock is in ns, and duration_time and user_time are in s, as in perf"

if ! perf stat -x, -e task-clock true > /dev/null 2>&1; then
	skip "no perf that may count" "eval reads the output of this machine's perf"
else
	unset GPMU_ROOT
	out=$(perf stat -j -e "$(gpmu plan -e '{task-clock,page-faults}')" true 2>&1 | gpmu eval -e page-faults -x, 2>&1 | columns name state)
	is "$out" "page-faults ok" "eval reads the output of this machine's perf"
fi
done_testing
