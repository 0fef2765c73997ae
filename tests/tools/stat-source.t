#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat with plugins: signals beside the threads that plugins have, --gpu without GPUs.
. tests/tools/lib.sh

# --- threads of plugins, as of source-fake.c with $FAKE_THREAD, take no signals
export FAKE_THREAD=1
fake=--source=$(realpath "$B/tests/unit/gpmu-fake.so")

# shellcheck disable=SC2317 # called by run
stat() {
	timeout -k 1 20 "$GPMU_BIN" stat "$fake" -a -e fake_0/one/ "$@"
}

run stat -- sh -c 'exit 7'
is "$rc" 7 "the end of a command is seen, though a plugin has a thread"
like "$err" ' fake_0/one/' "with its counts"
run stat -r 2 -- true
is "$rc" 0 "in several runs too"
# shellcheck disable=SC2016 # it is the other shell's
run stat -- sh -c 'kill -INT $PPID; sleep 5'
is "$rc" 130 "SIGINT ends the run, not gpmu"
like "$err" ' fake_0/one/' "with its counts"
# shellcheck disable=SC2016 # it is the other shell's
run stat -- sh -c 'grep SigBlk /proc/$$/status | cut -f2'
is "$out" 0000000000000000 "a command has no signals blocked for that"
run stat "$work/nothere"
is "$rc $out" "127 " "a command that is not there is told"
run timeout 20 "$GPMU_BIN" stat --source=nothing -e fake_0/one/ -- touch "$work/touched"
is "$rc" 125 "a plugin that cannot be loaded is gpmu's failure"
ok "$([ ! -e "$work/touched" ]; echo $?)" "and the command is not run"
unset FAKE_THREAD

# --- no GPU is no failure
mkdir "$work/none"
GPMU_PLUGINS=$work/none run gpmu stat --gpu -e page-faults -- true
is "$rc" 0 "--gpu without GPUs is no failure"
like "$err" ' page-faults' "the others count"
is "$(grep -c warning <<< "$err")" 1 "it is one line"
GPMU_PLUGINS=$work/none run gpmu stat --gpu -M GpuDramReadBW -- true
is "$rc" 0 "nor is it where nothing else is asked for"
like "$err" '<not supported> +GB/s +GpuDramReadBW' "which is not supported then"
GPMU_PLUGINS=$work/none run gpmu stat --gpu --strict -M GpuDramReadBW -- true
is "$rc" 125 "but with --strict"
done_testing
