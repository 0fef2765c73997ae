#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record: its options, what it refuses, how it ends, what is left of it when it is killed.
. tests/tools/lib.sh

make -s "B=$B" "$B/tests/unit/trace/activity-script" >&2 || bail "no activity-script"
app=$(realpath "$B/tests/unit/trace/activity-script")
export GPMU_PLUGINS=$work/plugins
mkdir "$GPMU_PLUGINS"
: > "$GPMU_PLUGINS/libgpmu-inject.so"
library=$(realpath "$GPMU_PLUGINS/libgpmu-inject.so")
trace=$work/trace.pftrace
host=$(uname -n)
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL
unset OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID

# script LINE...: a file of a process with these lines
script() {
	printf '%s\n' "process cupti=130001 driver=13000 text=app" \
		"device device=0 uuid=GPU-1 text=H200" "context context=1 device=0 null_stream=7" wait "$@" \
		> "$work/script"
}

# --- the command's environment
# shellcheck disable=SC2016 # the command's
run gpmu record -o "$trace" -- sh -c 'echo "$CUDA_INJECTION64_PATH $NVTX_INJECTION64_PATH $(stat -c %a "$GPMU_CHANNEL") $(ls "$GPMU_CHANNEL")"'
is "$out" "$library $library 700 control
lock" "CUDA and NVTX are told of the library, and it of the channels, which are nobody else's"
# shellcheck disable=SC2016
run gpmu record -o "$trace" --no-cuda-trace -- sh -c 'echo "${CUDA_INJECTION64_PATH-none} ${GPMU_CHANNEL-none}"'
is "$out" "none none" "but not without CUDA"
CUDA_INJECTION64_PATH=/other/tool.so run gpmu record -o "$work/none" -- touch "$work/ran"
is "$rc" 125 "another tool's library is refused"
like "$err" 'CUDA_INJECTION64_PATH is /other/tool.so, of another tool, .*unset it, .*--no-cuda-trace' "with the remedy"
[ ! -e "$work/ran" ] && [ ! -e "$work/none" ]
ok $? "before the command runs, or a trace is there"
NVTX_INJECTION64_PATH=/other/tool.so run gpmu record -o "$work/none" -- true
like "$err" 'NVTX_INJECTION64_PATH is /other/tool.so' "likewise NVTX's"
CUDA_INJECTION64_PATH=$work/../${work##*/}/plugins/libgpmu-inject.so run gpmu record -o "$trace" -- true
is "$rc" 0 "gpmu's own is none of another tool"
run gpmu record -o "$trace" -- "$GPMU_BIN" record -o "$work/none" -- true
like "$err" 'this runs under another gpmu record' "a record in a record is refused"
GPMU_PLUGINS=/nonexistent run gpmu record -o "$work/none" -- true
if [ "$rc" = 0 ]; then
	skip "this gpmu is installed, and finds it there" "what is not installed is named"
else
	like "$err" 'no libgpmu-inject.so in /nonexistent:.*GPMU_PLUGINS.*--no-cuda-trace' "what is not installed is named"
fi

# --- names of traces
(cd "$work" && JOB=7 run gpmu record -o 'a.%h.%q{JOB}.%%.pftrace' -- true && [ -s "a.$host.7.%.pftrace" ])
ok $? "a trace may have the host and variables in its name"
(cd "$work" && run gpmu record -- true && ls gpmu-true-"$host"-[0-9]*.pftrace > /dev/null)
ok $? "without one it has the command's name, the host's and a pid"
run gpmu record -o 'a.%q{NONE_SUCH}' -- true
like "$err" 'there is no NONE_SUCH in the environment' "a variable that is not there"
run gpmu record -o 'a.%z' -- true
like "$err" 'expected %h, %p, %q\{VARIABLE\} or %%' "or what is none"
run gpmu record -o '' -- true
is "$rc$err" "125gpmu record: -o: expected a name for the trace" "or without a letter"
run gpmu record -o "$work/no/folder" -- true
is "$rc" 125 "a trace that cannot be written"
like "$err" "$work/no/folder: No such file or directory: its folder is to be there" "is said"
echo old > "$trace"
run gpmu record --cuda=nothing -o "$trace" -- true
is "$(< "$trace")" old "a file that is there is replaced once recording begins, and not before"

# shellcheck disable=SC2016 # the inner shell's
"$GPMU_BIN" record --no-cuda-trace -o "$work/shared" -- sh -c 'while [ ! -e "$0" ]; do sleep 0.05; done' "$work/go" 2> "$work/err0" &
pid=$!
soon test -e "$work/shared"
run gpmu record --no-cuda-trace -o "$work/shared" -- true
is "$rc" 125 "a trace that another one writes is refused"
like "$err" "^gpmu record: $work/shared: .*: another gpmu record writes it; each takes a file of its own$" "... with the remedy"
touch "$work/go"
wait $pid
run gpmu report "$work/shared"
is "$rc" 0 "and is left to it"

# --- options
for wrong in "--cuda=kernel,foo" "--capture-range=foo" "--max-size=1k" "--max-size=foo" "-I 0" "--capture-range=nvtx:"; do
	# shellcheck disable=SC2086 # an option and its argument
	run gpmu record $wrong -o "$work/none" -- true
	is "$rc: $(grep -c 'expected' <<< "$err")" "125: 1" "$wrong is refused, with what was expected"
done
run gpmu record
like "$err" 'nothing to record' "neither is nothing recorded"
run gpmu record --no-cuda-trace --capture-range=region -- true
like "$err" 'choose one' "nor ranges of what is not recorded"

# --- delay, duration, signals
script "sleep 10000"
run gpmu record -o "$trace" --duration 0.3 -- "$app" "$work/script"
is "$rc" 143 "after a duration the command is ended"
like "$(audit process)" 'end=vanished' "... which is seen"
script
SECONDS=0
run gpmu record -o "$trace" -D 1100 -- "$app" "$work/script"
[ "$SECONDS" -ge 1 ]
ok $? "a delay: the process is told when to begin"
# shellcheck disable=SC2016 # the inner shell's
env --default-signal=INT "$GPMU_BIN" record -o "$trace" -- sh -c 'trap "exit 5" INT; : > "$0"; while :; do sleep 0.05; done' "$work/traps" 2> "$work/err" &
pid=$!
soon test -e "$work/traps"
kill -INT $pid
wait $pid
is "$?" 5 "SIGINT goes to the command, whose exit status is gpmu's"
like "$(< "$work/err")" '^\[ gpmu record: 0 processes' "and the trace has its end"
like "$(audit gpmu)" 'command=sh -c' "... with the audit"

# --- a process that breaks what it shares with gpmu
script "ring 1099511627776" "sleep 50" "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first"
run gpmu record -o "$trace" -- "$app" "$work/script"
is "$rc $(sql "select name from slice where category = 'runtime'")" "0 first" "a size of channels that makes no sense is not gpmu's"
script "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first" "sleep 50" truncate
run gpmu record -o "$trace" -- "$app" "$work/script"
is "$rc $(sql "select name from slice where category = 'runtime'")" "0 first" "a channel that is cut off ends it, not gpmu"
like "$err" 'what follows makes no sense' "... which is said"

# --- gpmu is killed
script "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first" "complete time=+5000" "sleep 30000"
rm "$trace"
"$GPMU_BIN" record -o "$trace" -- "$app" "$work/script" 2> "$work/err" &
pid=$!
# shellcheck disable=SC2317 # soon calls it
flushed() {
	[ "$(sql "select name from slice where category = 'runtime'")" = first ]
}
soon flushed
# Its own: other runs of gpmu record may have theirs beside it, and remove it before the next line here does
folder=$(find /proc/$pid/fd -lname '*/gpmu-??????/lock' -printf '%l' | sed 's|/lock$||')
[ -d "$folder" ]
ok $? "a folder is there for what is shared"
child=$(cat "/proc/$pid/task/$pid/children")
kill -KILL $pid
wait $pid 2> /dev/null
kill "${child% }"
is "$(sql "select name from slice where category = 'runtime'")" first "of a gpmu that is killed the trace has what was flushed, and can be read"
like "$(gpmu report "$trace")" 'trace +warning +it has no end, as gpmu record was killed' "... which gpmu report says"
run gpmu record -o "$work/other.pftrace" -- true
[ ! -d "$folder" ]
ok $? "... and the next one removes the folder"

# --- as much as there may be
script "repeat 15000 kernel begin=+1000 end=+1500 device=0 context=1 stream=7 correlation=1 name=k grid=1,1,1" "complete time=+100000000"
run gpmu record -o "$trace" -- "$app" "$work/script"
like "$err" ' 15,000 records, 0 lost' "of 15,000 kernels none is lost"
whole=$(stat -c %s "$trace")
run gpmu record --max-size=1M -o "$trace" -- "$app" "$work/script"
is "$rc" 0 "of at most 1 MiB"
size=$(stat -c %s "$trace")
[ "$whole" -gt 1048576 ] && [ "$size" -le 1048576 ] && [ "$size" -ge 524288 ]
ok $? "at least half of that is there, and no more than that" || diag "$size of $whole"
is "$(sql "select (select max(int_value) from args where key = 'debug.correlation') - min(int_value) + 1 - count(*) from args where key = 'debug.correlation'")" 0 \
	"the newest, without a gap"
is "$(sql "select max(int_value) from args where key = 'debug.correlation'")" 15000 "up to the last"
like "$(audit process)" 'program=app' "with the audit"
is "$(find "$work" -name 'trace.pftrace?*')" "" "and nothing beside it"
mkfifo "$work/pipe"
timeout 10 cat "$work/pipe" > "$work/piped" &
run gpmu record --max-size=1M -o "$work/pipe" -- true
like "$err" "cannot be limited" "a pipe cannot be limited"
wait
timeout 10 cat "$work/pipe" > "$work/piped" &
run gpmu record -o "$work/pipe" -- true
wait
trace=$work/piped
like "$(audit gpmu)" 'command=true' "but written"
trace=$work/trace.pftrace

# --- ranks
lock=$work/sampler-lock
export GPMU_SAMPLER_LOCK=$lock
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 run gpmu record -o "$trace" -- true
like "$(audit gpmu)" ' rank=3 ranks=8 ' "the rank of a parallel program"
# shellcheck disable=SC2016 # the inner shell's
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") PMI_RANK=0 "$GPMU_BIN" record -o "$work/rank0" "$model" -a -M GraceMemBW -- sh -c 'while [ ! -e "$0" ]; do sleep 0.05; done' "$work/rank1" 2> "$work/err0" &
# shellcheck disable=SC2317 # soon calls it
elected() {
	grep -qsF "$work/rank0" "$lock"
}
soon elected
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") PMI_RANK=1 run gpmu record -o "$trace" "$model" -a -M GraceMemBW -- true
is "$(audit sampler)" "path=$work/rank0" "one rank of a node has the counters of the machine, the others say which"
is "$(sql "select count(*) from counter_track")" 0 "... and have none"
touch "$work/rank1"
wait
trace=$work/rank0
is "$(sql "select count(*) from counter_track")" 1 "it has them"
# What an earlier run has left in the file is there until the one that has the lock now has written its own.
true & gone=$!
wait $gone
# shellcheck disable=SC2016 # the shell that has the lock expands it
flock "$lock" sh -c 'printf "%s" "$1 /earlier" > "$0"; sleep 0.6; printf "%s" "$$ /this" > "$0"
	while [ ! -e "$2" ]; do sleep 0.05; done' "$lock" "$gone" "$work/read" &
soon grep -qsE "/earlier|/this" "$lock"
trace=$work/trace.pftrace
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") PMI_RANK=1 run gpmu record -o "$trace" "$model" -a -M GraceMemBW -- true
is "$(audit sampler)" "path=/this" "which is that of this run, not of an earlier one"
touch "$work/read"
wait
done_testing
