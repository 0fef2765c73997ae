#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat: end of the command, signals, intervals, delays, output files.
. tests/tools/lib.sh

# shellcheck disable=SC2317 # called by run
stat() {
	at vm gpmu stat "$@"
}

# --- how commands end
run stat -e page-faults sh -c 'exit 7'
is "$rc" 7 "stat exits with the command's status"
like "$err" ' page-faults' "stat prints the counts of a command that fails"
run stat -e page-faults sh -c 'kill -KILL $$'
is "$rc" 137 "stat exits with 128 + the signal that ended the command"
like "$err" '^gpmu stat: sh: Killed$' "stat names the signal that ended the command"
like "$err" ' page-faults' "stat prints the counts of a command that a signal ended"
run stat -e page-faults sh -c 'kill -INT $$'
is "$rc" 130 "stat exits with 130 if SIGINT ended the command"
run stat "$work/nothere"
is "$rc $out$err" "127 gpmu stat: $work/nothere: No such file or directory" "stat of a path that does not exist exits with 127 and prints no counts"
run stat nothere-in-path
is "$rc $err" "127 gpmu stat: nothere-in-path: No such file or directory" "stat of a command that is not in PATH exits with 127"
touch "$work/plain"
run stat "$work/plain"
is "$rc $out$err" "126 gpmu stat: $work/plain: Permission denied" "stat of a file that cannot be executed exits with 126"
run stat -a -r 3 -e page-faults "$work/plain"
is "$rc $out$err" "126 gpmu stat: $work/plain: Permission denied" "stat -a -r 3 of a file that cannot be executed exits with 126 after the first run"
run stat -e page-faults true -a --frobnicate
is "$rc" 0 "stat leaves options after the command to the command"
is "$(stat -e page-faults cat 2> /dev/null <<< input)" "input" "stat: the command has gpmu's standard input and output"
is "$(stat -e page-faults ls /proc/self/fd 2> /dev/null)" "$(ls /proc/self/fd 2> /dev/null)" "stat: the command inherits none of gpmu's file descriptors"
many=$(printf 'page-faults,%.0s' {1..60})task-clock
err=$( (ulimit -n 40; gpmu stat -a -e "$many" true) 2>&1)
like "$? $err" '^125 gpmu stat: page-faults on CPU [0-9]+: too many open files: [0-9]+ are needed to count all, .*ulimit -n' "stat with too few open files names the event, the CPU and the remedy"
is "$(ulimit -Sn 40; stat -r 2 -e "$many" sh -c 'ulimit -Sn' 2> /dev/null | tr '\n' ' ')" "40 40 " "stat restores the command's limit of open files in each run"
mask=$(grep -E '^Sig(Blk|Ign)' /proc/self/status)
is "$(stat -e page-faults grep -E '^Sig(Blk|Ign)' /proc/self/status 2> /dev/null)" "$mask" "stat: the command's signals are neither blocked nor ignored"
is "$(stat -r 2 -e page-faults grep -E '^Sig(Blk|Ign)' /proc/self/status 2> /dev/null | sort -u)" "$mask" "stat -r 2: the command's signals are neither blocked nor ignored in any run"
out=$(timeout 300 python3 -c '
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.environ["GPMU_ROOT"] = sys.argv[2]
os.execv(sys.argv[1], ["gpmu", "stat", "-r", "2", "-e", "page-faults", "grep", "SigIgn", "/proc/self/status"])' "$GPMU_BIN" "$(machine vm)" 2> /dev/null)
status=$?
is "$status $(while read -r _ set; do echo $((16#$set >> 16 & 1)); done <<< "$out" | paste -sd' ')" "0 1 1" "stat works with SIGCHLD ignored, which each run of the command inherits"

# --- signals to gpmu: start in the background, signal, wait
# shellcheck disable=SC2317 # soon calls it
printed() {
	[ "$(grep -c task-clock "$work/err")" -ge "$1" ]
}
# blocks PID: whether the process is gpmu, and no longer the shell that executes it, and blocks signals
# shellcheck disable=SC2317 # soon calls it
blocks() {
	[ "$(< "/proc/$1/comm")" = gpmu ] && grep -q '^SigBlk:.*[1-9a-f]' "/proc/$1/status"
}
# counts PID: whether the process has opened counters. A signal then ends the counting, not gpmu
# shellcheck disable=SC2317 # soon calls it
counts() {
	find "/proc/$1/fd" -lname '*perf_event*' 2> /dev/null | grep -q .
}
signalled() {
	local name=$1 pid

	shift
	GPMU_ROOT=$(machine vm) "$GPMU_BIN" stat "$@" 2> "$work/err" &
	pid=$!
	# Before gpmu blocks the signals, they would end it as any other program.
	soon blocks $pid
	soon counts $pid
	soon test -e "${made:-/}"
	sleep 0.5
	soon printed "${least:-0}"
	kill "-$name" $pid
	rc=0
	wait $pid || rc=$?
	err=$(< "$work/err")
}
# A shell starts background commands with SIGINT ignored.
set -m
signalled INT -a -e task-clock
is "$rc" 0 "stat without a command exits with 0 on SIGINT"
like "$err" ' task-clock' "stat without a command prints its summary on SIGINT"
signalled TERM -a -e task-clock
is "$rc" 0 "stat without a command exits with 0 on SIGTERM"
like "$err" ' task-clock' "stat without a command prints its summary on SIGTERM"
signalled HUP -a -e task-clock
is "$rc $(grep -c ' task-clock' <<< "$err")" "0 1" "stat without a command exits with 0 on SIGHUP and prints its summary"
trap '' HUP
signalled HUP -a -e task-clock --duration 1.5
like "$err" ' (1\.[5-9]|[2-9]|[0-9]{2,}\.)[0-9.]* seconds time elapsed' "stat counts on after a SIGHUP that is ignored, as under nohup"
trap - HUP
signalled TERM -e task-clock sleep 20
is "$rc" 143 "stat passes SIGTERM on to the command"
like "$err" ' task-clock' "stat prints its summary after SIGTERM has ended the command"
signalled INT -e task-clock sleep 20
is "$rc" 130 "stat passes on a SIGINT that the terminal has not sent"
made=$work/trapped signalled TERM -e task-clock sh -c "trap 'exit 9' TERM; : > $work/trapped; while :; do sleep 0.1; done"
is "$rc" 9 "stat exits with the status of a command that handles SIGTERM"
signalled INT -a -I 10000 -e task-clock
is "$(grep -c ' task-clock' <<< "$err")" 1 "stat -I prints the unfinished interval on SIGINT"
signalled TERM -a --interval-count 1 -I 10 -e task-clock sleep 20
is "$rc" 143 "stat passes SIGTERM on after --interval-count has ended the counting"
set +m
# Many events take long to open and close: SIGINT then arrives between two runs. Each run makes a file.
run timeout 600 python3 -c '
import os, random, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
for i in range(15):
    gpmu = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE)
    while not os.path.exists(sys.argv[-1]):
        time.sleep(0.005)
    time.sleep(random.random() / 20)
    gpmu.send_signal(signal.SIGINT)
    if b" runs)" not in gpmu.communicate()[1]:
        sys.exit(f"{i}: no summary")
    os.unlink(sys.argv[-1])' "$GPMU_BIN" stat -r 10000 -a -e "$(printf 'page-faults,%.0s' {1..200})task-clock" touch "$work/run"
is "$rc $err" "0 " "stat -r ends with a summary on a SIGINT between two runs"
# interrupted RUN: gpmu stat -r 4, whose command and itself get SIGINT in this run, once it has begun
interrupted() {
	rm -f "$work/runs" "$work/waits"
	run timeout 600 python3 -c '
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
gpmu = subprocess.Popen(sys.argv[2:], start_new_session=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.005)
os.killpg(gpmu.pid, signal.SIGINT)
sys.exit(gpmu.wait())' "$work/waits" "$GPMU_BIN" stat -r 4 -j -e task-clock,page-faults \
		sh -c "echo >> $work/runs; [ \$(wc -l < $work/runs) != $1 ] || { : > $work/waits; exec sleep 1000; }"
}
interrupted 3
like "$rc $err" '^130 .*warning: run 3 was interrupted and is not in the means' "stat -r warns of a run that SIGINT has interrupted"
is "$(wc -l < "$work/runs")" 3 "stat -r starts no further run after SIGINT"
is "$(grep -c '"runs":2,' <<< "$err")" 2 "stat -r leaves a run that SIGINT has interrupted out of the means"
interrupted 1
like "$rc $err" '^130 .*warning: the first run was interrupted: the counts cover only a part of it$' "stat -r warns if its first run was interrupted"
is "$(grep -c '"runs":1,' <<< "$err")" 2 "stat -r prints the counts of its first run if that was interrupted"

# --- intervals
run stat "$model" -a -M GraceMemBW -I 100 --timeout 350
like "$rc $(grep -c '190\.72 GB/s GraceMemBW' <<< "$err")" '^0 [1-4]$' "stat -I 100 --timeout 350 prints three intervals and the rest, or fewer if they were late"
for _ in {1..10}; do stat -a -e cpu-clock -I 40 --timeout 120 -j; done 2> "$work/err"
[ "$(wc -l < "$work/err")" -le 30 ]; ok $? "stat -I prints no extra interval if the timeout is a multiple of it"
run stat "$model" -a -M GraceMemBW -I 50 --interval-count 3 -j
is "$rc $(wc -l <<< "$err")" "0 3" "stat --interval-count 3 prints three intervals"
is "$(python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
print(rows[0]["time_begin"] == 0, all(a["time_end"] == b["time_begin"] for a, b in zip(rows, rows[1:])),
      all(abs(r["value"] - 190.72) < 1e-3 for r in rows))' <<< "$err")" "True True True" "stat -I: intervals follow each other without a gap, and rates are of the interval's time"
run stat -e page-faults -j -I 100 --interval-count 2 sh -c 'sleep 0.5; exit 5'
is "$rc $(wc -l <<< "$err")" "5 2" "stat -I exits with the command's status after --interval-count has ended the counting"
expect 0 stat -e task-clock -I 1000 sleep 0.2
is "$(grep -c ' task-clock' <<< "$err")" 1 "stat -I of a command that is shorter than the interval prints one interval"
unlike "$err" 'elapsed' "stat -I prints no summary after the intervals"

# Intervals of a millisecond are complete, whoever reads the counters.
# complete LEAST: whether there are LEAST intervals or more, without a gap, and their task-clock adds up to their time
complete() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
times = [r["raw"] for r in rows]
print(len(rows) >= int(sys.argv[1]), rows[0]["time_begin"] == 0,
      all(a["time_end"] == b["time_begin"] for a, b in zip(rows, rows[1:])),
      abs(sum(times) / rows[-1]["time_end"] / 1e9 - 1) < 0.01)' "$1" <<< "$err"
}
# all_read COMMAND...: an interval is not counted if the kernel has skipped a reading, as on a host that is too busy
all_read() {
	for _ in {1..4}; do
		"$@"
		grep -q '"raw":null' <<< "$err" || break
	done
}
all_read run stat -C 0 -I 1 -e task-clock -j --interval-count 50
is "$rc $(complete 50) $(wc -l <<< "$err")" "0 True True True True 50" "stat -I 1 --interval-count 50 prints 50 complete intervals"
all_read run stat -C 0 -I 1 -e task-clock -j sleep 0.25
is "$rc $(complete 3)" "0 True True True True" "stat -I 1 with a command prints complete intervals"
all_read run stat -C 0 -I 1 -D 50 -e task-clock -j --timeout 150 sleep 9
is "$rc $(complete 3)" "143 True True True True" "stat -I 1 with -D and --timeout prints complete intervals"
set -m
least=3 all_read signalled INT -C 0 -I 1 -e task-clock -j
set +m
is "$rc $(complete 3)" "0 True True True True" "stat -I 1 prints complete intervals until SIGINT"

# One gpmu stat without intervals counts the same CPU around one with -I 1: the sums must agree.
cat > "$work/faults.py" << 'EOF'
import mmap, time
for _ in range(20):
    with mmap.mmap(-1, 4096 * 200) as pages:
        for at in range(0, len(pages), 4096):
            pages[at] = 1
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
EOF
inner=(stat -C 0 -I 1 -e 'minor-faults,context-switches,task-clock' -j -o "$work/inner")
"$GPMU_BIN" stat -C 0 -e 'minor-faults,context-switches,task-clock' -j -o "$work/outer" -- "$GPMU_BIN" "${inner[@]}" -- taskset -c 0 python3 "$work/faults.py"
is "$? $(python3 - "$work/outer" "$work/inner" << 'EOF'
import json, sys
outer, inner = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
sums, faults = {}, []
for row in inner:
    sums[row["name"]] = sums.get(row["name"], 0) + row["raw"]
    faults += [row["raw"]] if row["name"] == "minor-faults" else []
all = {row["name"]: row["raw"] for row in outer}
# Each page is touched once, and a CPU's task-clock runs while the program waits for the time to pass.
least = { "minor-faults": 4000, "context-switches": 1, "task-clock": 400e6 }
near = [name for name in all if least[name] <= sums[name] <= all[name]]
print(len(near), len(faults) > 200, max(faults) < sum(faults) / 2)
EOF
)" "0 3 True True" "stat -I 1: intervals add up to the counts without -I, and the page faults are spread over them"
# The file has intervals while the command runs.
"$GPMU_BIN" stat -i -e task-clock -I 1 -x, -o "$work/live" sleep 30 &
# shellcheck disable=SC2317 # soon calls it
shown() {
	[ "$(grep -c task-clock "$work/live" 2> /dev/null)" -ge 50 ] 2> /dev/null
}
soon shown && kill -0 $!
ok $? "stat -I 1 writes intervals while the command runs"
kill $!
wait $!
if command -v strace > /dev/null; then
	# The timeout is over before the first interval.
	ASAN_OPTIONS=detect_leaks=0 strace -o "$work/trace" -e trace=timerfd_settime -e inject=timerfd_settime:delay_enter=200000:when=1 \
		"$GPMU_BIN" stat -a -e cpu-clock -I 40 --timeout 120 -j 2> "$work/err"
	is "$(wc -l < "$work/err")" 1 "stat --timeout ends by the clock if its timer is late"
	ASAN_OPTIONS=detect_leaks=0 at vm strace -e trace=write -o "$work/trace" "$GPMU_BIN" stat "$model" -a -M GraceMemBW,GraceRemoteBW -I 30 --interval-count 5 2> /dev/null
	# Intervals of late ticks share a system call.
	like "$(grep -c 'write(2' "$work/trace")" '^[1-5]$' "stat -I writes each interval with one system call"
	short=(stat -i -e 'task-clock,page-faults' -I 1 --interval-count 100 '-x,')
	# held: how often gpmu waited although it had read counters (of 40 bytes) and not written them since it last waited
	held() {
		awk '/^p?poll\(/ { n += read && waits++; read = 0 } /^read\(.* = 40$/ { read = 1 } /^write\(/ { read = 0 }
			END { print n + 0 }' "$work/trace"
	}
	calls=(strace -e 'trace=?poll,ppoll,read,write' -o "$work/trace")
	ASAN_OPTIONS=detect_leaks=0 "${calls[@]}" "$GPMU_BIN" "${short[@]}" -o "$work/rows" sleep 1
	# Rows are held for 50 ms less an interval. The first rows, the last ones and the start of the command have a call each.
	most=$(awk -F, '$2 + 0 { time = $2 } END { print int(4 + time / 0.049) }' "$work/rows")
	ok $(($(grep -c 'task-clock' "$work/rows") != 100 || $(grep -c 'write(' "$work/trace") > most || !$(held))) \
		"stat -I 1 writes several intervals with one system call to a file" ||
		diag "$(grep -c 'task-clock' "$work/rows") intervals, $(grep -c 'write(' "$work/trace") writes, at most $most; $(held) waits"
	ASAN_OPTIONS=detect_leaks=0 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
		"${calls[@]}" "$GPMU_BIN" "${short[@]}" sleep 1 > /dev/null < /dev/null
	is "$(held)" 0 "stat -I 1 writes each interval at once to a terminal"
	ASAN_OPTIONS=detect_leaks=0 at vm strace -e trace=read -o "$work/trace" "$GPMU_BIN" stat -C 0 -e task-clock -I 1 --interval-count 200 taskset -c 0 timeout 0.4 sh -c 'while :; do :; done' 2> "$work/err"
	# gpmu reads the counter (48 bytes) when it looks for intervals, some 20 times a second.
	reads=$(grep -c ' = 48$' "$work/trace") rows=$(grep -c task-clock "$work/err")
	ok $((reads * 2 >= rows)) "stat -I 1 reads the counter by a system call for few of the intervals" || diag "$reads reads, $rows intervals"
else
	skip "no strace" "stat --timeout ends by the clock if its timer is late"
	skip "no strace" "stat -I writes each interval with one system call"
	skip "no strace" "stat -I 1 writes several intervals with one system call to a file"
	skip "no strace" "stat -I 1 writes each interval at once to a terminal"
	skip "no strace" "stat -I 1 reads the counter by a system call for few of the intervals"
fi

# --- times
# shellcheck disable=SC2016 # the command's own
expect 0 stat -e user_time,system_time -e duration_time -j sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
is "$(python3 -c '
import json, sys
user, system, duration = (json.loads(line)["value"] for line in sys.stdin)
print(user > 1e6, user + system <= duration * 1.1)' <<< "$err")" "True True" "stat: user_time and system_time are the command's"
# shellcheck disable=SC2016 # the command's own
expect 0 stat -e user_time -I 100 -j perl -e '$i++ while $i < 1e7'
is "$(python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
values = [row["value"] or 0 for row in rows]
print({row["state"] for row in rows}, sum(values) > 100e6, values[-1] < 0.8 * sum(values))' <<< "$err")" "{'ok'} True True" "stat -I: user_time of the intervals adds up to the end of the command"
# shellcheck disable=SC2016 # the command's own
expect 0 stat -e user_time -j --timeout 2000 env --ignore-signal=TERM perl -e '$end = time + 5; 1 while time < $end'
is "$(python3 -c 'import json, sys; row = json.load(sys.stdin); print(row["state"], row["value"] < row["time_end"] * 1e9 + 300e6)' <<< "$err")" "ok True" "stat --timeout: user_time ends with the counting, not with the command"
perl -e '1 while 1' &
expect 0 stat -p $! -e user_time -j sleep 2
is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["value"] > 10e6)' <<< "$err")" True "stat -p with a command: user_time is that of the process"
expect 0 stat -a -e user_time -j sleep 0.5
is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["value"] > 50e6)' <<< "$err")" True "stat -a with a command: user_time is that of the machine"
kill $!
wait $! 2> /dev/null
# shellcheck disable=SC2016 # the command's own
expect 0 stat -D 800 -j -e task-clock sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; sleep 1'
[ "$(python3 -c 'import json, sys; row = json.load(sys.stdin); print(row["raw"] if row["unit"] == "msec" else "none")' <<< "$err")" -lt 5000000 ]; ok $? "stat -D 800 does not count the time before the delay"
run stat -D -1 -e page-faults true
like "$rc $err" '<not counted> page-faults' "stat -D -1 counts nothing and prints <not counted>"
run stat -D 10000 --strict -e page-faults true
is "$rc" 125 "stat -D --strict exits with 125 if the command ends before the delay"
like "$err" 'page-faults: the run ended before counting began' "stat -D --strict: the message states that the run ended before counting began"
run stat "$model" -D 10000 -j --per-node -M GraceMemBW true
is "$rc $(grep -o '"scope":"node","numa_node":.*"unit":"[^"]*","state":"[a-z_]*"' <<< "$err" | cut -d, -f2,9- | paste -sd' ')" '0 "numa_node":0,"value":null,"unit":"GB/s","state":"not_counted" "numa_node":1,"value":null,"unit":"GB/s","state":"not_counted"' "stat -D of a command that ends before the delay prints all rows as not counted"
# shellcheck disable=SC2016 # the command's own
run stat -r 2 -a -A -D 200 -e cpu-clock sh -c '[ ! -e "$0" ] || sleep 0.5; : > "$0"' "$work/once"
is "$rc" 0 "stat -r -D exits with 0 if only one of the runs was counted"
expect 0 stat -D 10000 -I 10 -e page-faults true
like "$err" '<not counted> page-faults' "stat -I -D of a command that ends before the delay prints <not counted>"
SECONDS=0
run stat --timeout 200 -e page-faults sleep 20
is "$rc $((SECONDS < 10))" "143 1" "stat --timeout ends the command with SIGTERM"
run stat --duration 0.2 -e page-faults -a
is "$rc" 0 "stat --duration without a command exits with 0"
like "$err" '^ +0\.2[0-9]+ seconds time elapsed' "stat --duration 0.2 ends counting after 0.2 s"

# --- set-user-ID programs
cat > "$work/spin.c" << 'END'
#include <time.h>
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 10)
		;
	return 0;
}
END
"${CC:-cc}" -o "$work/spin" "$work/spin.c"
expect 0 stat -e task-clock "$work/spin"
unlike "$err" 'were not counted' "stat does not warn of lost counts where there are none"
cp "$work/spin" "$work/setuid"
if chown 65534 "$work/setuid" 2> /dev/null && chmod 4755 "$work/setuid" && ! findmnt -no OPTIONS -T "$work" | grep -q nosuid; then
	expect 0 stat -e task-clock "$work/setuid"
	like "$err" '^gpmu stat: warning: 0\.[01][0-9]+ s of the command.s 0\.[0-9]+ s of CPU time were not counted: .*set-user-ID' "stat warns that a set-user-ID program was not counted, with its time"
	run stat --strict -r 2 -e task-clock sh -c "$work/setuid; true"
	is "$rc $(grep -c 'warning: .*set-user-ID' <<< "$err") $(grep -c -e '--strict: 0.* s were not counted' <<< "$err")" "125 1 1" "stat --strict fails once if a child of the command is a set-user-ID program"
	expect 0 stat -a -e task-clock "$work/setuid"
	unlike "$err" 'were not counted' "stat -a counts a set-user-ID program"
else
	skip "no set-user-ID program of another user" "stat warns that a set-user-ID program was not counted, with its time"
fi

# --- files
run stat -o "$work/file" -e page-faults true
is "$rc $err" "0 " "stat -o prints nothing on standard error"
like "$(< "$work/file")" ' page-faults' "stat -o writes the counts to the file"
is "$(find "$work" -name 'file*' | wc -l)" 1 "stat -o leaves no temporary file behind"
before=$(< "$work/file")
run stat -o "$work/file" "$work/nothere"
is "$rc $(< "$work/file")" "127 $before" "stat -o leaves the file as it was if the command does not exist"
is "$(find "$work" -name 'file*' | wc -l)" 1 "stat -o leaves no temporary file behind if the command does not exist"
expect 0 stat -o "$work/file" --append -e page-faults true
is "$(grep -c 'page-faults' "$work/file")" 2 "stat -o --append adds a summary to the file"
is "$(grep -cE '^# started on [A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]{8} [0-9]{4}$' "$work/file")" 2 "stat -o begins each summary with the date, as perf does"
unlike "$(stat -e page-faults true 2>&1)" 'started on' "stat without -o does not print the date"
: > "$work/csv"
for run in 1 2; do
	stat -o "$work/csv" -x, --append -e page-faults true
	is "$(grep -c ',page-faults,' "$work/csv") $(grep -c '^# started on' "$work/csv") $(grep -c '^$' "$work/csv")" "$run $run $run" "stat -o -x, --append begins each run with the date, as perf does (run $run)"
done
{ echo text && stat -o /dev/stdout -x, -e page-faults true; } > "$work/csv"
is "$(head -n 1 "$work/csv") $(columns name < "$work/csv")" "text page-faults" "stat -o /dev/stdout writes CSV after the output of others"
stat -o "$work/json" -j -e page-faults true
is "$(head -c 1 "$work/json")" "{" "stat -o -j writes no date, as perf does not"
ln -s file "$work/link"
chmod 640 "$work/file"
expect 0 stat -o "$work/link" -e page-faults true
is "$(readlink "$work/link") $(grep -c page-faults "$work/file") $(find "$work/file" -printf %m)" "file 1 640" "stat -o through a symbolic link keeps the link and the file's mode"
(umask 027 && stat -o "$work/new" -e page-faults true)
is "$(find "$work/new" -printf %m)" 640 "stat -o gives a new file the mode that umask leaves"
ln -s there "$work/dangling"
run stat -o "$work/dangling" -e page-faults true
is "$rc $err $(readlink "$work/dangling") $(grep -c page-faults "$work/there")" "0  there 1" "stat -o through a dangling symbolic link creates the link's target"
ln "$work/there" "$work/name"
: > "$work/there"
stat -o "$work/there" -e page-faults true
is "$(grep -c page-faults "$work/name")" 1 "stat -o writes a file with two hard links in place"
exec 5> "$work/fd"
stat -o /dev/fd/5 -e page-faults true
exec 5>&-
is "$(grep -c page-faults "$work/fd")" 1 "stat -o /dev/fd/5 writes to the file descriptor"
# User 65534 has a gpmu that it may execute, and a folder with files of its own and of others.
user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$work/user/gpmu" "$@"
}
mkdir "$work/user"
cp "$GPMU_BIN" "$work/user/gpmu"
chmod 711 "$work"
if chown 65534 "$work/user" 2> /dev/null && user --version > /dev/null 2>&1; then
	touch "$work/user/"{root,read,own}
	chmod 666 "$work/user/root"
	chmod 444 "$work/user/read"
	chmod 604 "$work/user/own"
	chown 65534:65533 "$work/user/own"
	chown 65534:65534 "$work/user/read"
	before=$(find "$work/user" -name root -printf %i)
	run user stat -o "$work/user/root" -e page-faults:u true
	is "$rc $err $(find "$work/user" -name root -printf '%i %u')" "0  $before root" "stat -o by another user writes root's file in place and keeps its owner"
	run user stat -o "$work/user/read" -e page-faults:u true
	is "$rc $err" "125 gpmu stat: $work/user/read: Permission denied" "stat -o refuses a read-only file of the user's own"
	stat -o "$work/user/own" -e page-faults:u true
	is "$(find "$work/user/own" -printf '%U %G %m') $(grep -c page-faults "$work/user/own")" "65534 65533 604 1" "stat -o by root keeps the owner and mode of another user's file"
else
	skip "there is no other user" "stat -o keeps the owner of another user's file"
fi
touch "$work/mounted"
# shellcheck disable=SC2016 # sh is to expand it
if unshare -m sh -c 'mount --bind "$0" "$0"' "$work/mounted" 2> /dev/null; then
	unshare -m sh -c 'mount --bind "$0" "$0" && exec "$@"' "$work/mounted" "$GPMU_BIN" stat -o "$work/mounted" -e page-faults true
	is "$(grep -c page-faults "$work/mounted") $(find "$work" -name 'mounted*' | wc -l)" "1 1" "stat -o writes a file that is a mount point in place"
else
	skip "nothing can be mounted" "stat -o writes a file that is a mount point in place"
fi
run stat -o "$work/none/file" -e page-faults sh -c "touch $work/ran"
is "$rc $err" "125 gpmu stat: $work/none/file: No such file or directory: its folder does not exist" "stat -o in a missing folder exits with 125 and names the file and the remedy"
[ ! -e "$work/ran" ]; ok $? "stat -o of a file in a missing folder fails before the command runs"
# The device nodes are this test's own: a broken gpmu must not replace the machine's /dev/full.
if mknod "$work/full" c 1 7 2> /dev/null && ! echo x 2> /dev/null > "$work/full"; then
	run stat -o "$work/full" -e page-faults true
	is "$rc $err" "125 gpmu stat: $work/full: No space left on device" "stat -o on a full disk exits with 125 and names the file"
	run stat "$model" -o "$work/full" -I 20 -M GraceMemBW sh -c "sleep 0.2; echo x > $work/ended; exit 3"
	is "$rc $err $(cat "$work/ended")" "125 gpmu stat: $work/full: No space left on device x" "stat -I -o on a full disk reports the error once and lets the command finish"
	run stat "$model" -o "$work/full" -I 20 -a -M GraceMemBW
	is "$rc" 125 "stat -I -o without a command ends on a full disk"
	run stat "$model" -o "$work/full" -I 20 -a -M GraceMemBW --timeout 100 sleep 9
	is "$rc" 125 "stat -I -o on a full disk obeys --timeout"
	rm -f "$work/ended"
	run at vm gpmu traffic "$model" -o "$work/full" -I 20 sh -c "sleep 0.2; echo x > $work/ended; exit 3"
	is "$rc $err $(cat "$work/ended")" "125 gpmu traffic: $work/full: No space left on device x" "traffic -I -o on a full disk reports the error once and lets the command finish"
else
	skip "not root" "stat -o on a full disk exits with 125 and names the file"
fi
mkfifo "$work/fifo"
cat "$work/fifo" > "$work/passed" &
stat -o "$work/fifo" -e page-faults true
wait $!
is "$(find "$work/fifo" -printf %y) $(grep -c page-faults "$work/passed")" "p 1" "stat -o writes a named pipe in place"
stat -o /dev/stdout -e page-faults echo text > "$work/both"
is "$(grep -cE '^text$| page-faults' "$work/both")" 2 "stat -o /dev/stdout keeps the command's output in the same file"
rm "$work/live"
stat -o "$work/live" -I 50 -e task-clock sleep 2 &
soon test -s "$work/live" && kill -0 $!
ok $? "stat -I -o writes intervals to the file while the command runs"
wait $!
done_testing
