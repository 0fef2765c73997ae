#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Completion in bash, called as bash calls it; the syntax of the file for zsh.
. tests/tools/lib.sh

mkdir "$work/bin"
ln -s "$GPMU_BIN" "$work/bin/gpmu"
PATH=$work/bin:$PATH
unset -f gpmu
GPMU_ROOT=$(machine superchip)
export GPMU_ROOT
# shellcheck source=tools/completion/gpmu.bash
. tools/completion/gpmu.bash

# completes WORD...: what bash offers for the last word, in one line
completes() {
	COMP_WORDS=(gpmu "$@")
	COMP_CWORD=$#
	_gpmu 2> /dev/null
	echo "${COMPREPLY[*]}"
}

is "$(completes st)" "stat" "completion completes a subcommand's name"
is "$(completes '')" "$(gpmu --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | tr '\n' ' ')help" "completion offers all subcommands"
is "$(completes stat --no- | tr " " "\n" | sort | xargs)" "--no-aggr --no-big-num --no-inherit" "completion offers the options of gpmu stat"
is "$(completes gpu --a)" "--accounting" "completion offers the options of gpmu gpu"
is "$(completes list --na)" "--names" "completion offers the options of gpmu list"
is "$(completes stat -M gracemem)" "GraceMemBW GraceMemReadBW GraceMemReadLatency GraceMemReadUtil GraceMemWriteBW GraceMemWriteUtil" "completion offers this machine's metrics in either case"
is "$(completes stat -M ipc,GraceScf)" "ipc,GraceScfFreq" "completion completes the last metric of a list"
is "$(completes stat -M grace_s)" "grace_scf" "completion of stat -M offers groups of metrics"
is "$(completes stat --metrics = GraceScf)" "GraceScfFreq" "completion handles --metrics=NAME, which bash splits"
is "$(completes stat -e nvidia_scf_pmu/cmem_rd_d)" "nvidia_scf_pmu/cmem_rd_data/" "completion of stat -e offers this machine's events"
is "$(completes list m)" "metric" "completion offers the kinds that gpmu list lists"
is "$(completes stat --color a)" "auto always" "completion offers the values of stat --color"
is "$(completes report --by k) $(completes report --by cou) $(completes report --by ti) $(completes report --format j) $(completes report --link p)" \
	"kernel counter tier json pcie" "completion offers the values of gpmu report's options"
is "$(completes report --by function,stac)" "function,stack" "completion completes the last key of report --by"
is "$(completes record --pc-sampling = s) $(completes record --pc-stall wait,long)" "serialized wait,long_scoreboard" \
	"completion offers modes and stall reasons of PC sampling"
is "$(completes report --by mod) $(completes report --by openac) $(completes stat --sass-by l) $(completes stat --ranges nvtx,reg) $(completes stat --replay u)" \
	"module openacc line nvtx,region user" "completion offers tables of CUDA, ranges, and parts of functions"
listed=$(gpmu record --cuda=. -- true 2>&1 | sed -E 's/.*expected (.*), separated.*/\1/; s/, /\n/g' | sort | xargs)
is "$(for letter in {a..z}; do completes record --cuda "$letter"; done | xargs -n 1 | sort | xargs)" "$listed" "completion offers all activities of record --cuda"
is "$(completes report --by function,off)" "function,offset" "completion offers the keys of PC samples"
like "$(completes stat sle)" '\bsleep\b' "completion of gpmu stat offers commands to count"
is "$(completes stat --source model = s)" "" "completion leaves the file of --source model to bash"
is "$(completes stat --source = model = s)" "" "completion leaves the file of --source=model to bash"
is "$(completes help doc)" "doctor" "completion of gpmu help offers subcommands"
mkdir -p "$GPMU_ROOT/sys/kernel/tracing"
printf 'sched:%s\n' sched_switch sched_swap_numa sched_waking > "$GPMU_ROOT/sys/kernel/tracing/available_events"
is "$(completes stat -e sched : sched_sw)" "sched_swap_numa sched_switch" "completion of stat -e offers tracepoints without the part that bash splits off"
is "$(completes stat -e page-faults,sched : sched_swi)" "sched_switch" "completion of stat -e offers tracepoints in a list of events"
GPMU_ROOT=$(machine laptop)
is "$(completes stat -M GraceScf)" "" "completion of gpmu stat offers no metrics of other machines"
is "$(completes eval -M GraceScf)" "GraceScfFreq" "completion of gpmu eval offers metrics of other machines"
is "$(completes stat --source model = "$scenarios/steady.scenario" -M GraceScf)" "GraceScfFreq" "completion offers metrics of the source that --source names"
is "$(completes plan --source = model = "$scenarios/steady.scenario" --metrics = GraceScf)" "GraceScfFreq" "completion offers metrics of the source that --source= names"
printf '[{"MetricName":"MyOwn","MetricExpr":"1"}]' > "$work/own.json"
is "$(completes stat --source model = "$scenarios/steady.scenario" --events "$work/own.json" -M MyO)" "MyOwn" "completion of gpmu stat offers metrics of --events"
is "$(completes eval --events "$work/own.json" -M MyO)" "MyOwn" "completion of gpmu eval offers metrics of --events"
fake_gpus two
is "$(completes list --gpu --chip gh)" "GH100" "completion of list --chip offers the chips that CUPTI knows"
is "$(completes plan --gpu --chip gh)" "GH100" "completion of plan --chip offers the chips that CUPTI knows"
is "$(completes stat --gpu -e nvidia_nvml/pow)" "nvidia_nvml/power/" "completion of stat -e offers the events of the GPU with --gpu"
if command -v zsh > /dev/null; then
	zsh -n tools/completion/_gpmu; ok $? "zsh accepts the syntax of gpmu's completion"
	is "$(head -n 1 tools/completion/_gpmu)" "#compdef gpmu" "completion for zsh begins with its #compdef line"
else
	skip "no zsh" "zsh accepts the syntax of gpmu's completion"
fi
done_testing
