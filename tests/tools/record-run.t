#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record: options, refusals, how a run ends, and the trace of a gpmu that is killed.
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

# script LINE...: $work/script, the activity of one process followed by these lines
script() {
	printf '%s\n' "process cupti=130001 driver=13000 text=app" \
		"device device=0 uuid=GPU-1 text=H200" "context context=1 device=0 null_stream=7" wait "$@" \
		> "$work/script"
}

# --- the command's environment
# shellcheck disable=SC2016 # the command's shell expands it
expect 0 gpmu record -o "$trace" -- sh -c 'echo "$CUDA_INJECTION64_PATH $NVTX_INJECTION64_PATH $(stat -c %a "$GPMU_CHANNEL") $(ls "$GPMU_CHANNEL")"'
is "$out" "$library $library 700 control
lock" "record gives the command the injected library and a private folder of channels"
# shellcheck disable=SC2016
expect 0 gpmu record -o "$trace" --no-cuda-trace -- sh -c 'echo "${CUDA_INJECTION64_PATH-none} ${GPMU_CHANNEL-none}"'
is "$out" "none none" "record --no-cuda-trace leaves the command's environment as it is"
CUDA_INJECTION64_PATH=/other/tool.so run gpmu record -o "$work/none" -- touch "$work/ran"
is "$rc" 125 "record refuses an injected library of another tool"
like "$err" 'CUDA_INJECTION64_PATH is /other/tool.so, of another tool, .*unset it, .*--no-cuda-trace' "record names the other tool's library and the remedy"
[ ! -e "$work/ran" ] && [ ! -e "$work/none" ]
ok $? "record refuses another tool's library before the command runs"
NVTX_INJECTION64_PATH=/other/tool.so expect 125 gpmu record -o "$work/none" -- true
like "$err" 'NVTX_INJECTION64_PATH is /other/tool.so' "record refuses an NVTX library of another tool"
CUDA_INJECTION64_PATH=$work/../${work##*/}/plugins/libgpmu-inject.so run gpmu record -o "$trace" -- true
is "$rc" 0 "record accepts its own library in CUDA_INJECTION64_PATH"
expect 125 gpmu record -o "$trace" -- "$GPMU_BIN" record -o "$work/none" -- true
like "$err" 'this runs under another gpmu record' "record inside another gpmu record is refused"
GPMU_PLUGINS=/nonexistent run gpmu record -o "$work/none" -- true
if [ "$rc" = 0 ]; then
	skip "this gpmu is installed, and finds it there" "record names the folders in which it looked for its library"
else
	like "$err" 'no libgpmu-inject.so in /nonexistent:.*GPMU_PLUGINS.*--no-cuda-trace' "record names the folders in which it looked for its library"
fi

# --- names of traces
(cd "$work" || exit; JOB=7 run gpmu record -o 'a.%h.%q{JOB}.%%.pftrace' -- true; [ "$rc" = 0 ] && [ -s "a.$host.7.%.pftrace" ])
ok $? "record -o replaces %h, %q{VARIABLE} and %% in the trace's name"
(cd "$work" || exit; run gpmu record -- true; [ "$rc" = 0 ] && ls gpmu-true-"$host"-[0-9]*.pftrace > /dev/null)
ok $? "record without -o names the trace after command, host and pid"
expect 125 gpmu record -o 'a.%q{NONE_SUCH}' -- true
like "$err" 'the environment has no variable NONE_SUCH$' "record -o names a variable that is not set"
expect 125 gpmu record -o 'a.%z' -- true
like "$err" 'expected %h, %p, %q\{VARIABLE\} or %%' "record -o refuses an unknown % sequence"
run gpmu record -o '' -- true
is "$rc$err" "125gpmu record: -o: expected a name for the trace" "record -o refuses an empty name"
run gpmu record -o "$work/no/folder" -- true
is "$rc" 125 "record -o in a missing folder exits with 125"
like "$err" "$work/no/folder: No such file or directory: its folder is to be there" "record -o in a missing folder names it and the remedy"
echo old > "$trace"
expect 125 gpmu record --cuda=nothing -o "$trace" -- true
is "$(< "$trace")" old "record keeps an old trace if its options are refused"

# shellcheck disable=SC2016 # the inner shell's
"$GPMU_BIN" record --no-cuda-trace -o "$work/shared" -- sh -c 'while [ ! -e "$0" ]; do sleep 0.05; done' "$work/go" 2> "$work/err0" &
pid=$!
soon test -e "$work/shared"
run gpmu record --no-cuda-trace -o "$work/shared" -- true
is "$rc" 125 "record refuses a trace that another gpmu record writes"
like "$err" "^gpmu record: $work/shared: .*: another gpmu record writes it; each takes a file of its own$" "record names the trace that another gpmu record writes, and the remedy"
touch "$work/go"
wait $pid
run gpmu report "$work/shared"
is "$rc" 0 "record leaves the trace of another gpmu record intact"

# --- options
for wrong in "--cuda=kernel,foo" "--capture-range=foo" "--max-size=1k" "--max-size=foo" "-I 0" "--capture-range=nvtx:"; do
	# shellcheck disable=SC2086 # an option and its argument
	run gpmu record $wrong -o "$work/none" -- true
	is "$rc: $(grep -c 'expected' <<< "$err")" "125: 1" "record $wrong is refused with what was expected"
done
expect 125 gpmu record
like "$err" 'nothing to record' "record without anything to record is refused"
expect 125 gpmu record --no-cuda-trace --capture-range=region -- true
like "$err" 'choose one' "record --no-cuda-trace --capture-range is refused"

# --- delay, duration, signals
script "sleep 10000"
run gpmu record -o "$trace" --duration 0.3 -- "$app" "$work/script"
is "$rc" 143 "record --duration ends the command with SIGTERM"
like "$(audit process)" 'end=vanished' "record --duration marks the ended process as vanished"
script
SECONDS=0
expect 0 gpmu record -o "$trace" -D 1100 -- "$app" "$work/script"
[ "$SECONDS" -ge 1 ]
ok $? "record -D delays the process until the delay has passed"
# shellcheck disable=SC2016 # the command's shell expands it
env --default-signal=INT "$GPMU_BIN" record -o "$trace" -- sh -c 'trap "exit 5" INT; : > "$0"; while :; do sleep 0.05; done' "$work/traps" 2> "$work/err" &
pid=$!
soon test -e "$work/traps"
kill -INT $pid
wait $pid
is "$?" 5 "record passes SIGINT on and exits with the command's status"
like "$(< "$work/err")" '^\[ gpmu record: 0 processes' "record completes the trace after SIGINT"
like "$(audit gpmu)" 'command=sh -c' "record writes the audit after SIGINT"

# --- a process that damages the memory it shares with gpmu
script "ring 1099511627776" "sleep 50" "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first"
run gpmu record -o "$trace" -- "$app" "$work/script"
is "$rc $(sql "select name from slice where category = 'runtime'")" "0 first" "record ignores a channel's size that is out of range"
script "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first" "sleep 50" truncate
run gpmu record -o "$trace" -- "$app" "$work/script"
is "$rc $(sql "select name from slice where category = 'runtime'")" "0 first" "record survives a channel that the process truncates"
like "$err" 'what follows makes no sense' "record reports a channel that the process truncates"

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
# Found by gpmu's own descriptors: another gpmu record may have a folder of its own beside it.
folder=$(find /proc/$pid/fd -lname '*/gpmu-??????/lock' -printf '%l' | sed 's|/lock$||')
[ -d "$folder" ]
ok $? "record keeps a folder for its channels while it runs"
child=$(cat "/proc/$pid/task/$pid/children")
kill -KILL $pid
wait $pid 2> /dev/null
kill "${child% }"
is "$(sql "select name from slice where category = 'runtime'")" first "record that is killed leaves a readable trace of what was flushed"
like "$(gpmu report "$trace")" 'trace +warning +it has no end, as gpmu record was killed' "report warns of a trace whose gpmu record was killed"
expect 0 gpmu record -o "$work/other.pftrace" -- true
[ ! -d "$folder" ]
ok $? "record removes the folder of one that was killed"

# --- the size limit
script "repeat 15000 kernel begin=+1000 end=+1500 device=0 context=1 stream=7 correlation=1 name=k grid=1,1,1" "complete time=+100000000"
expect 0 gpmu record -o "$trace" -- "$app" "$work/script"
like "$err" ' 15,000 records, 0 lost' "record loses none of 15,000 kernels"
whole=$(stat -c %s "$trace")
run gpmu record --max-size=1M -o "$trace" -- "$app" "$work/script"
is "$rc" 0 "record --max-size=1M exits with 0"
size=$(stat -c %s "$trace")
[ "$whole" -gt 1048576 ] && [ "$size" -le 1048576 ] && [ "$size" -ge 524288 ]
ok $? "record --max-size=1M leaves a trace of 0.5 to 1 MiB" || diag "$size of $whole"
is "$(sql "select (select max(int_value) from args where key = 'debug.correlation') - min(int_value) + 1 - count(*) from args where key = 'debug.correlation'")" 0 \
	"record --max-size keeps the newest records without a gap"
is "$(sql "select max(int_value) from args where key = 'debug.correlation'")" 15000 "record --max-size keeps the last record"
like "$(audit process)" 'program=app' "record --max-size keeps the audit"
is "$(find "$work" -name 'trace.pftrace?*')" "" "record --max-size leaves no temporary file behind"
mkfifo "$work/pipe"
timeout 10 cat "$work/pipe" > "$work/piped" &
expect 125 gpmu record --max-size=1M -o "$work/pipe" -- true
like "$err" "cannot be limited" "record --max-size of a pipe is refused"
wait
timeout 10 cat "$work/pipe" > "$work/piped" &
expect 0 gpmu record -o "$work/pipe" -- true
wait
trace=$work/piped
like "$(audit gpmu)" 'command=true' "record -o writes a trace to a pipe"
trace=$work/trace.pftrace

# --- ranks of a parallel program
lock=$work/sampler-lock
export GPMU_SAMPLER_LOCK=$lock
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 expect 0 gpmu record -o "$trace" -- true
like "$(audit gpmu)" ' rank=3 ranks=8 ' "record's audit has the rank of a parallel program"
# shellcheck disable=SC2016 # the command's shell expands it
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") PMI_RANK=0 "$GPMU_BIN" record -o "$work/rank0" "$model" -a -M GraceMemBW -- sh -c 'while [ ! -e "$0" ]; do sleep 0.05; done' "$work/rank1" 2> "$work/err0" &
# shellcheck disable=SC2317 # soon calls it
elected() {
	grep -qsF "$work/rank0" "$lock"
}
soon elected
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") PMI_RANK=1 expect 0 gpmu record -o "$trace" "$model" -a -M GraceMemBW -- true
is "$(audit sampler)" "path=$work/rank0" "record lets one rank of a node count the machine, and the others name its trace"
is "$(sql "select count(*) from counter_track")" 0 "record of the other ranks has no counters"
touch "$work/rank1"
wait
trace=$work/rank0
is "$(sql "select count(*) from counter_track")" 1 "record of the elected rank has the counters"
# The lock file keeps an earlier run's line until the holder of the lock has written its own.
true & gone=$!
wait $gone
# shellcheck disable=SC2016 # the shell that holds the lock expands it
flock "$lock" sh -c 'printf "%s" "$1 /earlier" > "$0"; sleep 0.6; printf "%s" "$$ /this" > "$0"
	while [ ! -e "$2" ]; do sleep 0.05; done' "$lock" "$gone" "$work/read" &
soon grep -qsE "/earlier|/this" "$lock"
trace=$work/trace.pftrace
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") PMI_RANK=1 expect 0 gpmu record -o "$trace" "$model" -a -M GraceMemBW -- true
is "$(audit sampler)" "path=/this" "record waits for the path of this run, not of an earlier one"
touch "$work/read"
wait
done_testing
