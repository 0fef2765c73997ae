#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu plan: the text for perf stat -e, its explanation, events that cannot be counted.
. tests/tools/lib.sh

scf() {
	local n text=

	for n in 0 1; do
		text+=",{nvidia_scf_pmu_$n/cmem_rd_data/,nvidia_scf_pmu_$n/cmem_wr_total_bytes/}"
	done
	echo "duration_time$text"
}

run at superchip-ours gpmu plan -M GraceMemBW
is "$rc $out$err" "0 $(scf)" "plan prints a metric's groups, one for each socket's PMU"
is "$(at superchip-ours gpmu plan -M gracemembw)" "$(scf)" "plan accepts a metric's name in lower case"
is "$(at superchip-ours gpmu plan --metrics=GraceMemBW -M GraceMemReadBW)" "$(scf)" "plan puts metrics with common events into one group"
is "$(at superchip-ours gpmu plan --metric-no-merge -M GraceMemBW,GraceMemReadBW | grep -o cmem_rd_data | wc -l)" 4 "plan --metric-no-merge gives each metric groups of its own"
is "$(at superchip-ours gpmu plan -M GracePcieReadBW/root_port=0x3/ | grep -o root_port=0x3 | wc -l)" 4 "plan applies a metric's filter to all of its events"
is "$(at laptop gpmu plan -e '{task-clock,page-faults},duration_time')" "{task-clock,page-faults},duration_time" "plan keeps events and braces of -e"
is "$(gpmu plan --source "model=$scenarios/idle.scenario,sockets=1" -M GraceMemBW)" "duration_time,{nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cmem_wr_total_bytes/}" "plan plans for the PMUs of a source"
cat > "$work/wide.json" << 'JSON'
[ { "MetricName": "wide", "MetricExpr": "nvidia_scf_pmu@cmem_rd_data@ if #target_cpu else nvidia_scf_pmu@cmem_wr_data@" } ]
JSON
like "$(at superchip-ours gpmu plan --events "$work/wide.json" -M wide)" '^nvidia_scf_pmu_0/cmem_wr_data/,' "plan without -a evaluates #target_cpu as false"
like "$(at superchip-ours gpmu plan --events "$work/wide.json" -a -M wide)" '^nvidia_scf_pmu_0/cmem_rd_data/,' "plan -a evaluates #target_cpu as true"

run at superchip-ours gpmu plan -v -M GraceMemBW,GraceMemReadLatency -e nvidia_pcie_pmu_0/rd_bytes_loc/
is "$rc" 0 "plan -v exits with 0"
like "$out" '^duration_time,\{' "plan -v prints the text for perf on standard output"
like "$err" '^group 1: nvidia_scf_pmu_0, 4 of 6 counters$' "plan -v prints a group's general counters without that of cycles"
like "$err" '^    for GraceMemBW, GraceMemReadLatency$' "plan -v prints the metrics of a group"
like "$err" '^    nvidia_scf_pmu_1/event=cycles/$' "plan -v prints the events of a group"
like "$err" '^    for nvidia_pcie_pmu_0/rd_bytes_loc/$' "plan -v prints the events of -e"
expect 0 at superchip gpmu plan -v -M GraceMemBW
like "$err" 'warning: nvidia_scf_pmu: its number of counters is unknown' "plan warns of a driver that does not report the number of counters"
like "$err" '^group 1: nvidia_scf_pmu_0$' "plan -v prints no number of counters if the driver does not report it"

run at laptop gpmu plan -M GraceMemBW
is "$rc $out" "1 " "plan exits with 1 and prints nothing if this machine does not have the metric"
is "$err" "gpmu plan: warning: GraceMemBW: this machine has no PMU nvidia_scf_pmu
gpmu plan: warning: \"gpmu doctor\" reports why a PMU is missing and how to enable it" "plan names the PMU that this machine lacks and the command that reports the remedy"
for command in "stat" "perf stat"; do
	# shellcheck disable=SC2086 # two words
	FAKE_OUTPUT=/dev/null run at laptop gpmu $command -M GraceMemBW,GracePcieBW true
	is "$(grep -c 'warning: "gpmu doctor" reports' <<< "$err")" 1 "$command prints the hint to gpmu doctor once for several missing PMUs"
done
run gpmu plan "$model" -M ipc
unlike "$err" 'gpmu doctor' "plan prints no hint to gpmu doctor for a PMU that a model lacks"
run at laptop gpmu plan -M GraceMemBW -e page-faults
is "$rc $out" "1 page-faults" "plan exits with 1 and prints the events that can be counted"
run at laptop gpmu plan -M GraceMemWB
is "$rc $out" "125 " "plan exits with 125 if a metric is unknown"
like "$err" 'did you mean GraceMemBW' "plan names the nearest metric of an unknown one"
run at laptop gpmu plan -e nosuchevent
is "$rc $err" "125 gpmu plan: there is no event nosuchevent; \"gpmu list\" lists what exists" "plan refuses an unknown event and names it"
run at laptop gpmu plan -e cs -e page-faults,,cs
is "$rc $err" "125 gpmu plan: -e page-faults,,cs: expected an event" "plan names a list of events that has an empty item"
run at laptop gpmu plan -M GracePcieBW/root_port=1
like "$rc $err" '^125 gpmu plan: -M GracePcieBW/root_port=1: the "/" ' "plan names a list of metrics whose filter is not closed"
run at superchip gpmu plan -M GraceMemBW/root_port=1/
is "$rc $out" "125 " "plan refuses a filter that the PMU does not have"
run gpmu plan
is "$rc $err" '125 gpmu plan: expected -M METRIC or -e EVENT; "gpmu list" lists them' "plan without -M and -e states what is expected"
run gpmu plan -M ipc sleep
like "$rc $err" "^125 gpmu plan: sleep: expected only options" "plan refuses an argument that is no option"
# --- cycles: perf 7.3 opens the bare name on each PMU that has an event of this name
for event in cycles cycles:u cpu-cycles; do
	modifiers=${event#*cycles}
	is "$(at superchip gpmu plan -e "$event")" "armv8_pmuv3_0/cpu_cycles/${modifiers#:}" "plan -e $event names the PMU of the cores"
done
is "$(at superchip gpmu plan -e '{cycles,instructions}')" "{armv8_pmuv3_0/cpu_cycles/,instructions}" "plan -e names the PMU of the cores in a group"
is "$(at laptop gpmu plan -e cycles)" cycles "plan -e cycles keeps the name where no PMU of Arm cores is"
for printed in cycles armv8_pmuv3_0/cpu_cycles/; do
	printf '7,,%s,5,100.00,,\n' "$printed" > "$work/printed"
	expect 0 at superchip gpmu eval -a -e cycles "$work/printed"
	like "$out" '^ +7 +cycles' "eval -e cycles reads the row that perf prints as $printed"
done

# --- GPUs: in the fake of CUPTI a pass has room for one of GpuL1BW, Insts and Requests.
export GPMU_CUDA=$B/tests/gpu/fake
cat > "$work/gpu.json" << 'JSON'
[ { "MetricName": "Insts", "MetricExpr": "nvidia_gpu@sm__inst_executed.sum@", "Unit": "nvidia_gpu" },
  { "MetricName": "Requests", "MetricExpr": "nvidia_gpu@sm__icc_requests.sum@", "Unit": "nvidia_gpu" } ]
JSON
chip=(gpmu plan --gpu --chip GH100 --events "$work/gpu.json")
run "${chip[@]}" -M GpuSmActive,GpuDramReadBW
is "$rc$err $out" "0 duration_time,{nvidia_gpu_0/sm__cycles_active.avg.pct_of_peak_sustained_elapsed/,nvidia_gpu_0/dram__bytes_read.sum/}" \
	"plan --gpu --chip puts the metrics that fit into one pass of the chip into one group"
run "${chip[@]}" -M Insts,GpuL1BW,GpuSmActive,Requests
is "$rc $err" "1 gpmu plan: warning: GpuL1BW, Requests: no room in the one pass of the GPU beside what was requested before; leave them out or count them in another run" \
	"plan --gpu names all metrics that do not fit in one warning"
is "$out" "{nvidia_gpu_0/sm__inst_executed.sum/,nvidia_gpu_0/sm__cycles_active.avg.pct_of_peak_sustained_elapsed/}" "plan --gpu prints the group of the metrics that fit"
run "${chip[@]}" -M GpuL1BW,Insts
is "$rc $out $err" "1 duration_time,nvidia_gpu_0/l1tex__t_bytes.sum/ gpmu plan: warning: Insts: no room in the one pass of the GPU beside what was requested before; leave it out or count it in another run" \
	"plan --gpu takes metrics in the order of the request"
run "${chip[@]}" -e nvidia_gpu/sm__inst_executed.sum/ -M GpuL1BW
like "$rc $err" '^1 .*: GpuL1BW: no room in the one pass' "plan --gpu keeps room in the pass for events that were requested before a metric"
run "${chip[@]}" -v -M GpuSmActive,Insts
like "$err" '^    for GpuSmActive, Insts$' "plan -v --gpu prints the metrics of the pass"
GPMU_FAKE=machine=gh200 expect 0 gpmu plan --gpu -M GpuC2cRxBW
is "$out" "duration_time,nvidia_gpu_0/CTC.TriageCompute.ctc__rx_bytes_data_user.sum/" "plan --gpu without --chip plans for the machine's GPU"
GPMU_FAKE="machine=h200 enable=0:26" expect 0 gpmu plan --gpu -M GpuSmActive
is "$err" "" "plan --gpu opens no GPU, so it plans for one that another program profiles"
run gpmu plan --gpu --chip XX100 -M GpuSmActive
like "$rc $err" '^125 gpmu plan: XX100: CUPTI of CUDA .* does not know this chip; --chip accepts [A-Z0-9, ]*GH100' "plan --gpu refuses an unknown chip and names the known ones"
run gpmu plan --chip GH100 -M GpuSmActive
is "$rc $err" "125 gpmu plan: --chip needs --gpu" "plan refuses --chip without --gpu"
mkdir "$work/none"
GPMU_PLUGINS=$work/none run gpmu plan --gpu --chip GH100 -M GpuSmActive
like "$rc $err" '^125 .*gpmu-cupti.so' "plan --gpu --chip without CUPTI's plugin names the plugin"

done_testing
