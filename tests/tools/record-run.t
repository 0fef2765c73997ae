#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record: options, refusals, how a run ends, and the trace of a gpmu that is killed.
. tests/tools/lib.sh

need tests/unit/trace/activity-script
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
expect 0 gpmu record -o "$trace" -- sh -c 'echo "$CUDA_INJECTION64_PATH $NVTX_INJECTION64_PATH $GPMU_CHANNEL"'
like "$out" "^$library $library gpmu-[0-9a-f]{16}-[0-9]+-[0-9a-f]+\$" "record gives the command the injected library and the name of its socket"
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
# shellcheck disable=SC2016 # awk and the inner shell expand them
gpmu record -o - -- sh -c 'echo "the command prints"' > "$work/standard" 2> "$work/err"
is "$? $(grep -c '^the command prints$' "$work/err") $(gpmu report --format csv "$work/standard" | grep -c '^sh,')" "0 1 1" \
	"record -o - writes the trace to standard output, and the command to standard error"
gpmu record -o - -- true 2> "$work/err" | gpmu report - > "$work/report"
is "${PIPESTATUS[*]} $(grep -c 'has no end' "$work/report")" "0 0 0" "record -o - writes a whole trace to a pipe"
is "$(python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$GPMU_BIN" record -o - -- touch "$work/ran" | tr -d '\r')" \
	'gpmu record: -o -: standard output is a terminal; expected a file or a pipe, such as "> FILE"' "record -o - refuses a terminal"
[ ! -e "$work/ran" ]
ok $? "record -o - refuses a terminal before the command runs"
run gpmu record -o - --max-size=1M -- true
like "$rc $err" '^125 gpmu record: standard output: .*only the size of a file can be limited$' "record -o - with a limited size is refused"
run gpmu record -o '' -- true
is "$rc$err" "125gpmu record: -o: expected a name for the trace" "record -o refuses an empty name"
run gpmu record -o "$work/no/folder" -- true
is "$rc" 125 "record -o in a missing folder exits with 125"
like "$err" "$work/no/folder: No such file or directory: its folder does not exist" "record -o in a missing folder names it and the remedy"
echo old > "$trace"
expect 125 gpmu record --cuda=nothing -o "$trace" -- true
is "$(< "$trace")" old "record keeps an old trace if its options are refused"

# shellcheck disable=SC2016 # the inner shell's
"$GPMU_BIN" record --no-cuda-trace -o "$work/shared" -- sh -c 'while [ ! -e "$0" ]; do sleep 0.05; done' "$work/go" 2> "$work/err0" &
pid=$!
soon test -e "$work/shared"
run gpmu record --no-cuda-trace -o "$work/shared" -- true
is "$rc" 125 "record refuses a trace that another gpmu record writes"
like "$err" "^gpmu record: $work/shared: .*: another gpmu record writes it; each needs a file of its own$" "record names the trace that another gpmu record writes, and the remedy"
touch "$work/go"
wait $pid
run gpmu report "$work/shared"
is "$rc" 0 "record leaves the trace of another gpmu record intact"

# --- options
for wrong in "--cuda=kernel,foo" "--capture-range=foo" "--max-size=1k" "--max-size=foo" "--cuda-buffers=3M" "-I 0" "--capture-range=nvtx:" "--spe-buffer=63K" "--spe --spe-buffer=65K"; do
	# shellcheck disable=SC2086 # an option and its argument
	run gpmu record $wrong -o "$work/none" -- true
	is "$rc: $(grep -c 'expected' <<< "$err")" "125: 1" "record $wrong is refused with what was expected"
done
while IFS='|' read -r wrong expected; do
	run gpmu record --spe "${wrong% *}=${wrong#* }" -o "$work/none" -- true
	is "$err" "gpmu record: $wrong: expected $expected" "record $wrong is refused with the sizes that this option permits"
done << 'END'
--max-size 1023K|at least 1M, such as 500M or 2G
--cuda-buffers 4095K|4M to 8G, such as 512M
--cuda-buffers 9G|4M to 8G, such as 512M
--spe-buffer 63K|a power of 2 from 64K to 1024M, such as 16M
--spe-buffer 65K|a power of 2 from 64K to 1024M, such as 16M
--spe-buffer 2G|a power of 2 from 64K to 1024M, such as 16M
END
expect 125 gpmu record
like "$err" 'nothing to record' "record without anything to record is refused"
expect 125 gpmu record --no-cuda-trace --capture-range=region -- true
like "$err" 'choose one' "record --no-cuda-trace --capture-range is refused"
expect 125 gpmu record --cuda=openacc --no-cuda-trace -- true
is "$err" "gpmu record: --cuda and --no-cuda-trace: choose one" "record --cuda with --no-cuda-trace is refused"
expect 125 gpmu record --cuda=kernel,modul -- true
like "$err" 'no activity of CUDA is named "modul"; expected kernel,' "record --cuda names the unknown activity"
known=$(sed -E 's/.*expected (.*), separated by.*/\1/' <<< "$err")
like "$(COLUMNS=80 gpmu record --help | tr -s ' \n' '  ')" "only these CUDA activities: $known --cuda-buffers" "record --help lists the activities of --cuda"

expect 125 gpmu record --spe-buffer=64K -- true
like "$err" '^gpmu record: --spe-buffer needs --spe$' "record --spe-buffer without --spe is refused"
if [ -e /sys/bus/event_source/devices/arm_spe_0 ]; then
	skip "this machine has SPE" "record --spe without an SPE is refused with what it needs"
else
	expect 125 gpmu record --no-cuda-trace --spe -o "$work/none" -- true
	like "$err" '^gpmu record: SPE: this machine has no PMU arm_spe_0: .*CONFIG_ARM_SPE_PMU' \
		"record --spe without an SPE is refused with what it needs"
fi

# --- existing processes
cat > "$work/threads.py" << 'END'
import sys, threading, time

def work():
    while True:
        time.sleep(0.001)

for i in range(2):
    threading.Thread(target=work, daemon=True).start()
for i in range(2):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
open(sys.argv[1], "w").close()
time.sleep(1000)
END
python3 "$work/threads.py" "$work/started" &
pid=$!
soon test -e "$work/started"
mapfile -t tids < <(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n)
# shellcheck disable=SC2317 # soon calls it
asleep() {
	[ "$(cat "/proc/$pid/task/${tids[0]}/stat" "/proc/$pid/task/${tids[3]}/stat" "/proc/$pid/task/${tids[4]}/stat" | grep -c ' S ')" = 3 ]
}
soon asleep
expect 0 gpmu record -p $pid --duration 0.5 -o "$work/tasks"
report=$(gpmu report --by thread --format csv "$work/tasks" | awk -F , 'NR > 2 { print $4, $3, $1, ($10 > 0), ($8 > 0.3e9) }' | sort -n)
is "$(awk '{ print $1, $2, $3, $5 }' <<< "$report")" "$(printf "%s $pid python3 1\n" "${tids[@]}")" \
	"record -p has the threads of a process that exists already, also those that sleep all the time"
is "$(awk '{ n += $4 } END { print (n >= 2) }' <<< "$report")" 1 "record -p has the switches of the threads that run"
is "$(gpmu report --by counter --format csv "$work/tasks" | awk -F , '$1 == "task-clock" { print ($8 > 0) }')" 1 "record -p has the counters of a process that exists already"
expect 0 gpmu record -t "${tids[1]}" --duration 0.3 -o "$work/tasks"
is "$(gpmu report --by thread --format csv "$work/tasks" | awk -F , 'NR > 2 { print $4 }')" "${tids[1]}" "record -t has one thread"
kill $pid
wait $pid
expect 125 gpmu record -p $pid -o "$work/tasks"
like "$err" "^gpmu record: -p $pid: no such process$" "record -p of a process that has ended is refused"
expect 125 gpmu record -p 1 -o "$work/tasks" -- true
like "$err" '^gpmu record: -p or -t with a command: choose one$' "record -p with a command is refused"

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
like "$(< "$work/err")" '^\[ gpmu record: [0-9]+ threads?, ' "record completes the trace after SIGINT"
like "$(audit gpmu)" 'command=sh -c' "record writes the audit after SIGINT"

rm "$work/traps"
# shellcheck disable=SC2016 # the command's shell expands it
env --default-signal=QUIT "$GPMU_BIN" record -o "$trace" -- sh -c 'trap "exit 6" QUIT; : > "$0"; while :; do sleep 0.05; done' "$work/traps" 2> "$work/err" &
pid=$!
soon test -e "$work/traps"
kill -QUIT $pid
wait $pid
is "$? $(grep -c '^\[ gpmu record: [0-9]* thread' "$work/err")" "6 1" "record passes SIGQUIT on and completes the trace"

# --- a process that damages the memory it shares with gpmu
script "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first" truncate "runtime begin=+2000 end=+2500 thread=77 correlation=6 name=second"
run gpmu record -o "$trace" -- "$app" "$work/script"
is "$rc $(sql "select group_concat(name) from slice where category = 'runtime'")" "0 first,second" "record shares no file that a process can truncate"
script "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first" "sleep 1000" damage "exit 0"
run gpmu record -o "$trace" -- "$app" "$work/script"
is "$rc $(sql "select name from slice where category = 'runtime'")" "0 first" "record survives a channel that the process damages"
like "$err" 'warning: process [0-9]+ is not recorded to its end: its channel has invalid data' "record reports a channel that the process damages"

# --- gpmu is killed
script "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=first" "complete time=+5000"
rm "$trace"
mkdir "$work/temporary"
# shellcheck disable=SC2016 # the command's shell expands it
TMPDIR=$work/temporary "$GPMU_BIN" record -o "$trace" -- sh -c '(cat "$1/script"; until [ -e "$1/killed" ]; do sleep 0.05; done; echo "exit 7") | "$0"
	echo $? > "$1/status"' "$app" "$work" 2> "$work/err" &
pid=$!
# shellcheck disable=SC2317 # soon calls it
flushed() {
	[ "$(sql "select name from slice where category = 'runtime'")" = first ]
}
soon flushed
is "$(find "/proc/$pid/fd" -lname '/dev/shm/*')" "" "record opens no file in /dev/shm"
kill -KILL $pid
wait $pid 2> /dev/null
touch "$work/killed"
soon test -s "$work/status"
is "$(< "$work/status")" 7 "record that is killed leaves its program to end with its own status"
is "$(ls -A "$work/temporary")" "" "record that is killed leaves no file in TMPDIR"
is "$(sql "select name from slice where category = 'runtime'")" first "record that is killed leaves a readable trace of what was flushed"
like "$(gpmu report "$trace")" 'trace +warning +it has no end, because gpmu record was killed' "report warns of a trace whose gpmu record was killed"

# --- the size limit
script "repeat 20000 kernel begin=+1000 end=+1500 device=0 context=1 stream=7 correlation=1 name=k grid=1,1,1" "complete time=+100000000"
expect 0 gpmu record --no-cpu-trace -o "$trace" -- "$app" "$work/script"
like "$err" ' 20,000 records, 0 lost' "record loses none of 20,000 kernels"
whole=$(stat -c %s "$trace")
run gpmu record --max-size=1M -o "$trace" -- "$app" "$work/script"
is "$rc" 0 "record --max-size=1M exits with 0"
size=$(stat -c %s "$trace")
[ "$whole" -gt 1048576 ] && [ "$size" -le 1048576 ] && [ "$size" -ge 524288 ]
ok $? "record --max-size=1M leaves a trace of 0.5 to 1 MiB" || diag "$size of $whole"
is "$(sql "select max(submission_id) - min(submission_id) + 1 - count(*) from gpu_slice")" 0 \
	"record --max-size keeps the newest records without a gap"
is "$(sql "select max(submission_id) from gpu_slice")" 20000 "record --max-size keeps the last record"
like "$(audit process)" 'program=app' "record --max-size keeps the audit"
is "$(find "$work" -name 'trace.pftrace?*')" "" "record --max-size leaves no temporary file behind"
mkdir "$work/far"
ln -s far/trace.pftrace "$work/linked"
expect 0 gpmu record --max-size=1M -o "$work/linked" -- "$app" "$work/script"
is "$(readlink "$work/linked") $(find "$work/far" -type f -size -2049 -printf '%f ')" "far/trace.pftrace trace.pftrace " \
	"record --max-size through a symbolic link keeps the link and limits its target"
touch "$work/far/one"
ln "$work/far/one" "$work/far/two"
expect 0 gpmu record --max-size=1M -o "$work/far/one" -- "$app" "$work/script"
cmp "$work/far/one" "$work/far/two" && [ "$(stat -c %s "$work/far/two")" -le 1048576 ]
ok $? "record --max-size limits a trace with two names in place"
is "$(trace=$work/far/two; sql "select max(submission_id) - min(submission_id) + 1 - count(*) from gpu_slice") $(ls "$work/far")" \
	"0 one
trace.pftrace
two" "record --max-size of a trace with two names keeps the newest records without a gap"
if [ "$EUID" = 0 ]; then
	: > "$work/owned"
	chown 12345:23456 "$work/owned"
	chmod 604 "$work/owned"
	expect 0 gpmu record --max-size=1M -o "$work/owned" -- "$app" "$work/script"
	is "$(stat -c '%u %g %a' "$work/owned")" "12345 23456 604" "record --max-size by root leaves a user's file to its owner"
else
	skip "not root" "record --max-size by root leaves a user's file to its owner"
fi
mkfifo "$work/pipe"
timeout 600 cat "$work/pipe" > "$work/piped" &
expect 125 gpmu record --max-size=1M -o "$work/pipe" -- true
like "$err" "only the size of a file can be limited" "record --max-size of a pipe is refused"
wait
timeout 300 cat "$work/pipe" > "$work/piped" &
expect 0 gpmu record -o "$work/pipe" -- true
wait
trace=$work/piped
like "$(audit gpmu)" 'command=true' "record -o writes a trace to a pipe"
trace=$work/trace.pftrace

# --- a trace that cannot be written
script "repeat 20000 kernel begin=+1000 end=+1500 device=0 context=1 stream=7 correlation=1 name=k grid=1,1,1" "complete time=+100000000"
mkdir "$work/limit"
trace=$work/limit/trace
for options in "" "--max-size=1M"; do
	# The limit is gpmu's only. shellcheck disable=SC2016,SC2086 # the inner shells expand it; an option or none
	run bash -c 'ulimit -S -f 300; exec "$@"' bash "$GPMU_BIN" record --no-cpu-trace $options -o "$trace" -- \
		bash -c 'ulimit -S -f unlimited; exec "$@"' bash "$app" "$work/script"
	is "$rc $(grep -c "^gpmu record: $trace: File too large; raise ulimit -f$" <<< "$err")" "125 1" "record $options fails with a message at the limit of file sizes"
	is "$(ls "$work/limit")" "trace" "record $options leaves no temporary file at the limit of file sizes"
	kept=$(sql "select count(*) from all_slice where category = 'kernel'")
	sed -n 's/,\([0-9]\)/\1/g; s/.*, \([0-9]*\) records, \([0-9]*\) lost.*/\1 \2/p' <<< "$err" |
		awk -v kept="$kept" '{ exit !(kept && $1 <= kept && $1 >= kept - 1 && $1 + $2 == 20000) }'
	ok $? "record $options counts all records that are not in the trace as lost" || diag "$kept kernels: $err"
	size=$(stat -c %s "$trace")
	[ -n "$options" ] || [ "$size" -gt $((300 * 1024 - 256)) ]
	ok $? "record $options fills the room up to the limit of file sizes" || diag "$size bytes"
done
trace=$work/trace.pftrace
run gpmu record --no-cpu-trace -o /dev/full -- "$app" "$work/script"
is "$rc" 125 "record to a full disk exits with 125"
like "$err" ' 0 records, 20,000 lost' "record counts the records that a full disk has no room for as lost"
mkfifo "$work/reader"
head -c 1 "$work/reader" > "$work/piped" &
run gpmu record -o "$work/reader" -- "$app" "$work/script"
is "$rc $(grep -c "^gpmu record: $work/reader: Broken pipe$" <<< "$err")" "125 1" "record fails with a message if the reader of a pipe has ended"
wait

# --- ranks of a parallel program
lock=$work/sampler-lock
export GPMU_SAMPLER_LOCK=$lock
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 expect 0 gpmu record -o "$trace" -- true
like "$(audit gpmu)" ' rank=3 ranks=8 ' "record's audit has the rank of a parallel program"
PMI_RANK=0 expect 0 gpmu record -o "$trace" -- true
like "$(audit gpmu)" ' rank=0 version=' "record's audit has the rank of a parallel program of unknown size"
expect 0 gpmu record -o "$trace" -- true
unlike "$(audit gpmu)" ' rank' "record's audit has no rank of a program that is not parallel"
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
flock "$lock" sh -c 'printf "%s" "$1 /earlier" > "$0"; sleep 0.3; printf "%s" "$$ /this" > "$0"
	while [ ! -e "$2" ]; do sleep 0.05; done' "$lock" "$gone" "$work/read" &
soon grep -qsE "/earlier|/this" "$lock"
trace=$work/trace.pftrace
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") PMI_RANK=1 expect 0 gpmu record -o "$trace" "$model" -a -M GraceMemBW -- true
is "$(audit sampler)" "path=/this" "record waits for the path of this run, not of an earlier one"
touch "$work/read"
wait

# Names in /dev/shm and /tmp that another user has taken. The user who records is this process's alone.
unset GPMU_SAMPLER_LOCK
user=$((20000 + $$ % 40000))
names=("/dev/shm/gpmu-sampler-$user" "/tmp/gpmu-sampler-$user")
fallback="record elects by a lock in /tmp if another user has taken the name in /dev/shm"
counts='^(0 |125 gpmu record: task-clock:u: perf_event_paranoid is )'
remedy="record recommends GPMU_SAMPLER_LOCK if other users have taken all names of the lock"
# shellcheck disable=SC2317 # called by run
rank() {
	setpriv --reuid "$user" --regid "$user" --clear-groups env PMI_RANK=0 "$@" "$work/user/gpmu" record --no-cuda-trace -o "$work/user/trace" -a -e task-clock:u -- true
}
if [ "$(id -u)" = 0 ] && [ ! -e "${names[0]}" ] && [ ! -e "${names[1]}" ] && touch "${names[0]}"; then
	trap 'rm -rf "$work" "${names[@]}"' EXIT
	chmod 666 "${names[0]}"
	chmod 711 "$work"
	mkdir "$work/user"
	chown "$user" "$work/user"
	cp "$GPMU_BIN" "$work/user/gpmu"
	run rank
	like "$rc $err" "$counts" "record as a rank fails only if the user may not count system-wide"
	unlike "$err" 'gpmu-sampler' "record prints no message about a lock of another user if another name is free"
	is "$(stat -c %u "${names[1]}")" "$user" "$fallback"
	chown 0 "${names[1]}"
	run rank
	is "$rc $err" "125 gpmu record: ${names[0]}: not a file of this user; ranks need a file of this user to elect the one that counts: set GPMU_SAMPLER_LOCK to the same path for all" "$remedy"
	run rank GPMU_SAMPLER_LOCK="$work/user/lock"
	like "$rc $err" "$counts" "record as a rank with GPMU_SAMPLER_LOCK fails only if the user may not count system-wide"
	is "$(stat -c %u "$work/user/lock")" "$user" "record elects by GPMU_SAMPLER_LOCK where other names are taken"
else
	skip "needs root" "$fallback"
	skip "needs root" "$remedy"
fi
done_testing
