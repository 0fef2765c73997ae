#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Completion in bash, as bash calls it; of zsh that its file is one.
. tests/tools/lib.sh

mkdir "$work/bin"
ln -s "$GPMU_BIN" "$work/bin/gpmu"
PATH=$work/bin:$PATH
unset -f gpmu
GPMU_ROOT=$(machine superchip)
export GPMU_ROOT
# shellcheck source=tools/completion/gpmu.bash
. tools/completion/gpmu.bash

# completes WORD...: what bash offers for the last, in one line
completes() {
	COMP_WORDS=(gpmu "$@")
	COMP_CWORD=$#
	_gpmu 2> /dev/null
	echo "${COMPREPLY[*]}"
}

is "$(completes st)" "stat" "a subcommand is completed"
is "$(completes '')" "$(gpmu --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | tr '\n' ' ')help" "all of them are offered"
is "$(completes stat --no- | tr " " "\n" | sort | xargs)" "--no-aggr --no-big-num --no-inherit" "options are those of the subcommand"
is "$(completes gpu --a)" "--accounting" "of gpu"
is "$(completes list --na)" "--names" "of list too"
is "$(completes stat -M gracemem)" "GraceMemBW GraceMemReadBW GraceMemReadLatency GraceMemReadUtil GraceMemWriteBW GraceMemWriteUtil" "metrics of this machine, in either case"
is "$(completes stat -M ipc,GraceScf)" "ipc,GraceScfFreq" "the last of a list of metrics"
is "$(completes stat -M grace_s)" "grace_scf" "and groups of metrics"
is "$(completes stat --metrics = GraceScf)" "GraceScfFreq" "--metrics=NAME, which bash splits"
is "$(completes stat -e nvidia_scf_pmu/cmem_rd_d)" "nvidia_scf_pmu/cmem_rd_data/" "events of this machine"
is "$(completes list m)" "metric" "what gpmu list lists"
is "$(completes stat --color a)" "auto always" "words of an option"
is "$(completes report --by k) $(completes report --by cou) $(completes report --format j) $(completes report --link p)" \
	"kernel counter json pcie" "those of gpmu report"
like "$(completes stat sle)" '\bsleep\b' "a command to count"
is "$(completes stat --source model = s)" "" "a file of a source, which is bash's to complete, and no command"
is "$(completes stat --source = model = s)" "" "with --source= too"
is "$(completes help doc)" "doctor" "subcommands that help is asked for"
mkdir -p "$GPMU_ROOT/sys/kernel/tracing"
printf 'sched:%s\n' sched_switch sched_swap_numa sched_waking > "$GPMU_ROOT/sys/kernel/tracing/available_events"
is "$(completes stat -e sched : sched_sw)" "sched_swap_numa sched_switch" "tracepoints, without what bash has split off"
is "$(completes stat -e page-faults,sched : sched_swi)" "sched_switch" "in a list too"
GPMU_ROOT=$(machine laptop)
is "$(completes stat -M GraceScf)" "" "no metrics of other machines"
is "$(completes eval -M GraceScf)" "GraceScfFreq" "but of eval, whose input is another machine's"
is "$(completes stat --source model = "$scenarios/steady.scenario" -M GraceScf)" "GraceScfFreq" "those of a source that was named before"
is "$(completes plan --source = model = "$scenarios/steady.scenario" --metrics = GraceScf)" "GraceScfFreq" "with --source= too"
printf '[{"MetricName":"MyOwn","MetricExpr":"1"}]' > "$work/own.json"
is "$(completes stat --source model = "$scenarios/steady.scenario" --events "$work/own.json" -M MyO)" "MyOwn" "those of --events"
is "$(completes eval --events "$work/own.json" -M MyO)" "MyOwn" "of eval too"
if command -v zsh > /dev/null; then
	zsh -n tools/completion/_gpmu; ok $? "zsh takes its completion"
	is "$(head -n 1 tools/completion/_gpmu)" "#compdef gpmu" "which says what it is for"
else
	skip "no zsh" "zsh takes its completion"
fi
done_testing
