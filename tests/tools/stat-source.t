#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat with source plugins: signals in spite of threads of the plugins, --gpu without GPUs.
. tests/tools/lib.sh

# --- a scenario that is no file
mkfifo "$work/fifo"
run timeout 600 "$GPMU_BIN" list --source "model=$work/fifo" --names metric GraceMemBW
is "$rc $out$err" "125 gpmu list: --source model=$work/fifo: $work/fifo: No data available" "a FIFO without a writer is refused as a scenario without waiting for a writer"
run gpmu list --source "model="<(sleep 0.2; cat "$scenarios/steady.scenario") --names metric GraceMemBW
is "$rc $out$err" "0 GraceMemBW" "a scenario is read from a pipe until its end"

# --- source-fake.c starts a thread if $FAKE_THREAD is set; such threads must not take gpmu's signals
export FAKE_THREAD=1
fake=--source=$(realpath "$B/tests/unit/gpmu-fake.so")

# shellcheck disable=SC2317 # called by run
stat() {
	timeout -k 10 300 "$GPMU_BIN" stat "$fake" -a -e fake_0/one/ "$@"
}

run stat -- sh -c 'exit 7'
is "$rc" 7 "stat sees the end of the command although a plugin has a thread"
like "$err" ' fake_0/one/' "stat prints the counts of a plugin with a thread"
expect 0 stat -r 2 -- true
is "$rc" 0 "stat -r sees the end of each run although a plugin has a thread"
# shellcheck disable=SC2016 # the command's shell expands it
run stat -- sh -c 'kill -INT $PPID; sleep 5'
is "$rc" 130 "stat: SIGINT ends the run, not gpmu, although a plugin has a thread"
like "$err" ' fake_0/one/' "stat prints the counts of a plugin with a thread after SIGINT"
# shellcheck disable=SC2016 # the command's shell expands it
expect 0 stat -- sh -c 'grep SigBlk /proc/$$/status | cut -f2'
is "$out" 0000000000000000 "stat: the command has no blocked signals although a plugin has a thread"
run stat "$work/nothere"
is "$rc $out" "127 " "stat of a missing command exits with 127 although a plugin has a thread"
run timeout 300 "$GPMU_BIN" stat --source=nothing -e fake_0/one/ -- touch "$work/touched"
is "$rc" 125 "stat exits with 125 if a plugin cannot be loaded"
ok "$([ ! -e "$work/touched" ]; echo $?)" "stat does not run the command if a plugin cannot be loaded"
unset FAKE_THREAD

# --- without GPUs
mkdir "$work/none"
GPMU_PLUGINS=$work/none run gpmu stat --gpu -e page-faults -- true
is "$rc" 0 "stat --gpu without GPUs exits with 0"
like "$err" ' page-faults' "stat --gpu without GPUs counts the other events"
is "$(grep -c warning <<< "$err")" 1 "stat --gpu without GPUs prints one warning"
GPMU_PLUGINS=$work/none run gpmu stat --gpu -M GpuDramReadBW -- true
is "$rc" 0 "stat --gpu without GPUs exits with 0 if only GPU metrics are asked for"
like "$err" '<not supported> +GB/s +GpuDramReadBW' "stat --gpu without GPUs prints GPU metrics as not supported"
GPMU_PLUGINS=$work/none run gpmu stat --gpu --strict -M GpuDramReadBW -- true
is "$rc" 125 "stat --gpu --strict without GPUs exits with 125"

# --- definitions of users, on a machine without core PMUs
cat > "$work/own.json" << 'END'
[{ "MetricName": "GraceMemBW", "MetricExpr": "42" }]
END
run at vm gpmu stat -a -x, --duration 0.01 --source "model=$scenarios/steady.scenario" --events "$work/own.json" -M GraceMemBW
like "$err" ',GraceMemBW,42,,ok,' "stat computes a user's metric of a built-in one's name"
like "$(at vm gpmu list -v --events "$work/own.json" metric GraceMemBW 2> /dev/null)" '\b42\b' "list -v prints the formula that stat computes for a user's metric of a built-in one's name"
like "$err" "warning: GraceMemBW: the definition in $work/own.json:1 replaces that in built in: " "stat warns of a user's metric of a built-in one's name"
done_testing
