#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu plan: the text for perf stat -e, its explanation, what cannot be counted.
. tests/tools/lib.sh

scf() {
	local n text=

	for n in 0 1; do
		text+=",{nvidia_scf_pmu_$n/cmem_rd_data/,nvidia_scf_pmu_$n/cmem_wr_total_bytes/}"
	done
	echo "duration_time$text"
}

run at superchip-ours gpmu plan -M GraceMemBW
is "$rc $out$err" "0 $(scf)" "a metric's groups, one of each socket's PMU"
is "$(at superchip-ours gpmu plan -M gracemembw)" "$(scf)" "its name in lower case"
is "$(at superchip-ours gpmu plan --metrics=GraceMemBW -M GraceMemReadBW)" "$(scf)" "metrics share groups"
is "$(at superchip-ours gpmu plan --metric-no-merge -M GraceMemBW,GraceMemReadBW | grep -o cmem_rd_data | wc -l)" 4 "with --metric-no-merge they do not"
is "$(at superchip-ours gpmu plan -M GracePcieReadBW/root_port=0x3/ | grep -o root_port=0x3 | wc -l)" 4 "a filter is in all events that have it"
is "$(at laptop gpmu plan -e '{task-clock,page-faults},duration_time')" "{task-clock,page-faults},duration_time" "events and braces are kept"
is "$(gpmu plan --source "model=$scenarios/idle.scenario,sockets=1" -M GraceMemBW)" "duration_time,{nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cmem_wr_total_bytes/}" "a source's PMUs are planned"
cat > "$work/wide.json" << 'JSON'
[ { "MetricName": "wide", "MetricExpr": "nvidia_scf_pmu@cmem_rd_data@ if #target_cpu else nvidia_scf_pmu@cmem_wr_data@" } ]
JSON
like "$(at superchip-ours gpmu plan --events "$work/wide.json" -M wide)" '^nvidia_scf_pmu_0/cmem_wr_data/,' "a formula that asks for it is planned for a command"
like "$(at superchip-ours gpmu plan --events "$work/wide.json" -a -M wide)" '^nvidia_scf_pmu_0/cmem_rd_data/,' "or with -a for CPUs"

run at superchip-ours gpmu plan -v -M GraceMemBW,GraceMemReadLatency -e nvidia_pcie_pmu_0/rd_bytes_loc/
is "$rc" 0 "-v"
like "$out" '^duration_time,\{' "leaves the text on standard output"
like "$err" '^group 1: nvidia_scf_pmu_0, 4 of 6 counters$' "the counters of a group, that of cycles apart"
like "$err" '^    for GraceMemBW, GraceMemReadLatency$' "the metrics of a group"
like "$err" '^    nvidia_scf_pmu_1/event=cycles/$' "its events"
like "$err" '^    for nvidia_pcie_pmu_0/rd_bytes_loc/$' "events that were asked for themselves"
run at superchip gpmu plan -v -M GraceMemBW
like "$err" 'warning: nvidia_scf_pmu: how many events' "a driver that does not say how many counters there are is warned of"
like "$err" '^group 1: nvidia_scf_pmu_0$' "and no number is made up"

run at laptop gpmu plan -M GraceMemBW
is "$rc $out" "1 " "a metric that this machine does not have: 1, and nothing"
is "$err" "gpmu plan: warning: GraceMemBW: this machine has no PMU nvidia_scf_pmu" "it is said why"
run at laptop gpmu plan -M GraceMemBW -e page-faults
is "$rc $out" "1 page-faults" "what can be counted is printed all the same"
run at laptop gpmu plan -M GraceMemWB
is "$rc $out" "125 " "a metric that nobody has is an error"
like "$err" 'did you mean GraceMemBW' "that names the nearest"
run at laptop gpmu plan -e nosuchevent
is "$rc $err" "125 gpmu plan: there is no event nosuchevent; \"gpmu list\" shows what there is" "so is such an event"
run at laptop gpmu plan -e cs -e page-faults,,cs
is "$rc $err" "125 gpmu plan: -e page-faults,,cs: expected an event" "a list that is none is named"
run at laptop gpmu plan -M GracePcieBW/root_port=1
like "$rc $err" '^125 gpmu plan: -M GracePcieBW/root_port=1: the "/" ' "so is one of metrics"
run at superchip gpmu plan -M GraceMemBW/root_port=1/
is "$rc $out" "125 " "a filter that the PMU does not have is an error"
run gpmu plan
is "$rc $err" '125 gpmu plan: expected -M METRIC or -e EVENT; "gpmu list" lists them' "nothing to plan is a usage error"
run gpmu plan -M ipc sleep
like "$rc $err" "^125 gpmu plan: sleep: expected options alone" "so is a command"
done_testing
