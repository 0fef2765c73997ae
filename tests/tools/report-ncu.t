#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu report of reports of Nsight Compute, which ncurep-make writes from texts.
. tests/tools/lib.sh

need tests/unit/ncurep/ncurep-make
make=$B/tests/unit/ncurep/ncurep-make
sample=$work/app.ncu-rep
"$make" < tests/data/ncurep/sample.txt > "$sample"

# rows TABLE [OPTION...] FILE: the rows of a table in CSV
rows() {
	local name=$1

	shift
	gpmu report --format csv "$@" | awk -v name="$name" '/^# gpmu-report-csv/ { on = $4 == name; getline; next } on'
}

# tables [OPTION...] FILE: the names of the printed tables
tables() {
	gpmu report --format csv "$@" | sed -n 's/^# gpmu-report-csv 1 //p' | xargs
}

# --- tables

is "$(rows kernels "$sample")" 'range,1,,800000,800000,800000,
kernel,2,0.5,500000,200000,300000,"saxpy(int, float*)"
kernel,1,0.45,450000,450000,450000,transpose(float*)
graph,1,,90000,90000,90000,
kernel,1,0.05,50000,50000,50000,reduce<float>(float*)' "kernels: launches are grouped by name, and only kernels have shares"
is "$(rows metrics --by kernel "$sample" | grep -E '^(GpuDram|dram__bytes|device__attribute_display)')" \
	'GpuDramBW,GB/s,2,3500,3000,4000,,"saxpy(int, float*)"
GpuDramReadBW,GB/s,2,2500,2000,3000,,"saxpy(int, float*)"
GpuDramUtil,%,2,76.5,61.5,91.5,,"saxpy(int, float*)"
GpuDramWriteBW,GB/s,2,1000,1000,1000,,"saxpy(int, float*)"
device__attribute_display_name,,1,,,,NVIDIA H200,"saxpy(int, float*)"
dram__bytes_read.sum,B,2,600000000,600000000,600000000,,"saxpy(int, float*)"
dram__bytes_write.sum,B,2,250000000,200000000,300000000,,"saxpy(int, float*)"
GpuDramUtil,%,1,2,2,2,,reduce<float>(float*)' \
	"metrics: gpmu's metrics are those of the bytes over the time, and the report's have mean, minimum and maximum"
is "$(rows launches "$sample" | head -n 3)" '0,kernel,node1,100,1,7,8192x1x1,256x1x1,200000,app,"saxpy(int, float*)"
1,kernel,node1,100,1,7,8192x1x1,256x1x1,300000,app,"saxpy(int, float*)"
2,kernel,node1,100,1,13,16x1x1,64x1x1,50000,app,reduce<float>(float*)' "launches: each launch has its process, stream, sizes and time"
is "$(rows nvtx "$sample")" ',1,200000,step
,1,200000,forward
library,1,50000,request' "nvtx: ranges have the launches in them"
is "$(rows source "$sample")" '0x1000,5,smsp__pcsamp_warps_issue_stalled_long_scoreboard,"saxpy(int, float*)"
0x1010,95,smsp__pcsamp_warps_issue_stalled_long_scoreboard,"saxpy(int, float*)"' "source: counters have the address of the instruction"
is "$(rows advice "$sample" | cut -d , -f 1-2)" 'memory_bandwidth,2
bank_conflicts,1
small_grid,1' "advice: a rule is given for each kernel to which it applies, with the number of launches"
is "$(rows advice "$sample" | sed -n 3p)" 'small_grid,1,reduce<float>(float*),fewer blocks than SMs,"launch__grid_size 16, device__attribute_multiprocessor_count 132","Split the work into more blocks, or run other kernels at the same time in other streams."' \
	"advice: a rule has the values that made it apply"
is "$(rows rules "$sample" | sed -n 1p)" 'memory_bandwidth,3,2,1,"dram__throughput.avg.pct_of_peak_sustained_elapsed, sm__throughput.avg.pct_of_peak_sustained_elapsed"' \
	"rules: the launches that lack a rule's metrics are counted, and the metrics named"
is "$(rows report "$sample")" 'version,7
command,ncu -o app ./app
process,100 app on node1
GPU,NVIDIA H200
results,"6, of 5 names"' "report: the version, the command, processes, GPUs and results are given"

# --- formats and options

is "$(tables "$sample")" "report kernels metrics advice launches nvtx source rules" "format: CSV has all tables"
is "$(tables --by kernel "$sample")/$(tables --by advice "$sample")/$(tables --by source "$sample")" \
	"report kernels metrics/report advice rules/report source" "by: only the tables of --by are printed"
is "$(gpmu report --format json "$sample" | python3 -c 'import json, sys; t = json.load(sys.stdin); print(t["metrics"][0]["metric"], t["kernels"][0]["share"], len(t["rules"]))')" \
	"gpu__time_duration.sum None 18" "format: JSON has all tables"
is "$(gpmu report "$sample" | grep -c '^[a-z]')" 3 "format: text has the kernels, gpmu's metrics and advice"
is "$(gpmu report "$sample" | grep -c dram__bytes)" 0 "format: text has the metrics of the report with --by only"
is "$(rows metrics --top 2 "$sample" | cut -d , -f 7- | sort -u)" ',
,"saxpy(int, float*)"
NVIDIA H200,"saxpy(int, float*)"' "top: it limits the kernels whose metrics are printed"
is "$(gpmu report --top 2 "$sample" | grep -c '3 more: --top=5')" 1 "top: the number of kernels that are left out is printed"
is "$(rows kernels --sort count "$sample" | head -n 1 | cut -d , -f 1-2)" kernel,2 "sort: a table is sorted by a column"
is "$(gpmu report - < "$sample" | tail -n +2)" "$(gpmu report "$sample" | tail -n +2)" "input: standard input is read"
# shellcheck disable=SC2002 # a pipe
is "$(cat "$sample" | gpmu report - | tail -n +2)" "$(gpmu report "$sample" | tail -n +2)" "input: a pipe is read"
mkfifo "$work/fifo"
cat "$sample" > "$work/fifo" &
is "$(gpmu report "$work/fifo" | tail -n +2)" "$(gpmu report "$sample" | tail -n +2)" "input: a FIFO is read"
wait

# refuses STATUS TEXT WHAT COMMAND...: it fails with a message
refuses() {
	local status=$1 text=$2 what=$3

	shift 3
	run "$@"
	is "$rc:${err#gpmu report: }" "$status:$text" "$what"
}

refuses 125 "--by=tier: for a report of Nsight Compute, expected kernel, launch, metric, nvtx, source or advice" \
	"options: --by names what a report of Nsight Compute has" gpmu report --by tier "$sample"
refuses 125 "a report of Nsight Compute cannot be combined with other files" "options: a report of Nsight Compute is refused beside other files" gpmu report "$sample" "$sample"
refuses 125 "--link needs a trace of gpmu record" "options: --link is for traces" gpmu report --link c2c "$sample"
refuses 125 "--folded needs a trace of gpmu record or a recording of perf" "options: --folded is for call stacks" gpmu report --folded "$sample"
refuses 125 "--no-inline needs a recording of perf" "options: --no-inline is for recordings of perf" gpmu report --no-inline "$sample"
refuses 125 "--sort=nothing: the table kernels has no such column; expected one of work, count, share, total, min, max, name" \
	"options: --sort names the columns of the main table" gpmu report --by kernel --sort nothing "$sample"
echo x > "$work/other"
refuses 125 "--rules needs a report of Nsight Compute" "options: --rules is for reports of Nsight Compute" \
	gpmu report --rules "$work/other" "$work/other"

# --- rules of users

cat > "$work/rules.json" << 'END'
[ { "Name": "registers16", "Title": "16 registers", "Condition": "launch__registers_per_thread == 16", "Advice": "Use more." } ]
END
run gpmu report --rules "$work/rules.json" "$sample"
like "$rc:$err" "^125:gpmu report: $work/rules.json: rule 1: Condition: " "rules: a malformed condition is refused with the file and the rule"
sed -i 's/ == 16/ < 17/' "$work/rules.json"
is "$(rows advice --rules "$work/rules.json" "$sample" | grep registers16)" \
	'registers16,1,"saxpy(int, float*)",16 registers,launch__registers_per_thread 16,Use more.' "rules: those of a file are applied, too"
cat > "$work/own.json" << 'END'
[ { "MetricName": "MyBytes", "MetricExpr": "nvidia_gpu@dram__bytes_read.sum@ / 2", "ScaleUnit": "1e-6MB", "Unit": "nvidia_gpu" } ]
END
is "$(GPMU_EVENTS=$work/own.json rows metrics "$sample" | grep MyBytes)" 'MyBytes,MB,2,300,300,300,,"saxpy(int, float*)"' \
	"metrics: a metric of a user's file is evaluated with its scale"

# --- damage

head -c -20 "$sample" > "$work/cut.ncu-rep"
run gpmu report --by kernel "$work/cut.ncu-rep"
like "$rc:$err" "^1:gpmu report: $work/cut.ncu-rep:[0-9]+: the file is cut off: expected the result of a graph of [0-9]+ bytes, found [0-9]+$" \
	"damage: a report that is cut off ends with exit status 1 and the offset"
like "$out" 'incomplete +read up to byte [0-9]+' "damage: the table of the report has the end of the reading"
is "$(grep -c '^  kernel ' <<< "$out"):$(grep -c '^  graph ' <<< "$out")" 3:0 "damage: the results before the cut are printed"
"$make" > "$work/new.ncu-rep" <<< $'version 8\nkernel k\nu64 gpu__time_duration.sum 5000'
run gpmu report "$work/new.ncu-rep"
is "$rc:$err" "0:gpmu report: warning: the report has version 8 of the format; gpmu knows version 7" "version: a report of another version is read with a warning"
like "$out" 'kernel +1 +100.0 % +5.000 us' "version: the results of a report of another version are printed"
"$make" > "$work/empty.ncu-rep" <<< ''
run gpmu report "$work/empty.ncu-rep"
is "$rc:$(grep -c 'results *0, of 0 names' <<< "$out")" 0:1 "empty: a report without results is printed"
head -c 6 "$sample" > "$work/head.ncu-rep"
run gpmu report "$work/head.ncu-rep"
is "$rc:$err" "1:gpmu report: $work/head.ncu-rep:4: the file is cut off: expected the file header of 4 bytes, found 2" \
	"damage: a report that ends in its file header is reported"
printf 'kernel evil\e[31m\nu64 gpu__time_duration.sum 5\n' | "$make" > "$work/evil.ncu-rep"
is "$(gpmu report "$work/evil.ncu-rep" | grep -c $'\e')" 0 "output: control characters of names are not printed"
done_testing
