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

done_testing
