#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat: the command's end, signals, intervals, delays, files.
. tests/tools/lib.sh

# shellcheck disable=SC2317 # called by run
stat() {
	at vm gpmu stat "$@"
}

# --- how commands end
run stat -e page-faults sh -c 'exit 7'
is "$rc" 7 "the command's status"
like "$err" ' page-faults' "with its counts"
run stat -e page-faults sh -c 'kill -KILL $$'
is "$rc" 137 "128 + the signal that ended it"
like "$err" '^gpmu stat: sh: Killed$' "which is said"
like "$err" ' page-faults' "with its counts"
run stat -e page-faults sh -c 'kill -INT $$'
is "$rc" 130 "SIGINT too"
run stat "$work/nothere"
is "$rc $out$err" "127 gpmu stat: $work/nothere: No such file or directory" "127 and no counts: there is no such command"
run stat nothere-in-path
is "$rc $err" "127 gpmu stat: nothere-in-path: No such file or directory" "nor in PATH"
touch "$work/plain"
run stat "$work/plain"
is "$rc $out$err" "126 gpmu stat: $work/plain: Permission denied" "126: it cannot be executed"
run stat -a -r 3 -e page-faults "$work/plain"
is "$rc $out$err" "126 gpmu stat: $work/plain: Permission denied" "with -a and -r too, once"
run stat -e page-faults true -a --frobnicate
is "$rc" 0 "options behind the command are the command's"
is "$(stat -e page-faults cat 2> /dev/null <<< input)" "input" "it has gpmu's standard input and output"
is "$(stat -e page-faults ls /proc/self/fd 2> /dev/null)" "$(ls /proc/self/fd 2> /dev/null)" "and none of its files"
many=$(printf 'page-faults,%.0s' {1..60})task-clock
err=$( (ulimit -n 40; gpmu stat -a -e "$many" true) 2>&1)
like "$? $err" '^125 gpmu stat: page-faults on CPU [0-9]+: too many open files: [0-9]+ are needed to count all, .*ulimit -n' "too few open files: which event, where, what to do"
is "$(ulimit -Sn 40; stat -r 2 -e "$many" sh -c 'ulimit -Sn' 2> /dev/null | tr '\n' ' ')" "40 40 " "its limit of open files is as it was"
mask=$(grep -E '^Sig(Blk|Ign)' /proc/self/status)
is "$(stat -e page-faults grep -E '^Sig(Blk|Ign)' /proc/self/status 2> /dev/null)" "$mask" "its signals are neither blocked nor ignored"
is "$(stat -r 2 -e page-faults grep -E '^Sig(Blk|Ign)' /proc/self/status 2> /dev/null | sort -u)" "$mask" "in the second run either"
out=$(timeout 20 python3 -c '
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.environ["GPMU_ROOT"] = sys.argv[2]
os.execv(sys.argv[1], ["gpmu", "stat", "-r", "2", "-e", "page-faults", "grep", "SigIgn", "/proc/self/status"])' "$GPMU_BIN" "$(machine vm)" 2> /dev/null)
status=$?
is "$status $(while read -r _ set; do echo $((16#$set >> 16 & 1)); done <<< "$out" | paste -sd' ')" "0 1 1" "also where SIGCHLD is ignored, and it stays so in each run"

# --- signals to gpmu: start in the background, signal, wait
signalled() {
	local name=$1 pid

	shift
	GPMU_ROOT=$(machine vm) "$GPMU_BIN" stat "$@" 2> "$work/err" &
	pid=$!
	# Until it has its signals blocked it is like any other program.
	soon grep -q '^SigBlk:.*[1-9a-f]' /proc/$pid/status
	sleep 0.5
	kill "-$name" $pid
	rc=0
	wait $pid || rc=$?
	err=$(< "$work/err")
}
# A shell starts background commands with SIGINT ignored.
set -m
signalled INT -a -e task-clock
is "$rc" 0 "SIGINT without a command is the end of counting"
like "$err" ' task-clock' "with a summary"
signalled TERM -a -e task-clock
is "$rc" 0 "SIGTERM likewise"
like "$err" ' task-clock' "with a summary"
signalled HUP -a -e task-clock
is "$rc $(grep -c ' task-clock' <<< "$err")" "0 1" "SIGHUP likewise"
trap '' HUP
signalled HUP -a -e task-clock --duration 1.5
like "$err" ' 1\.[5-9][0-9]* seconds time elapsed' "unless it is ignored, as by nohup"
trap - HUP
signalled TERM -e task-clock sleep 20
is "$rc" 143 "SIGTERM is passed on to the command"
like "$err" ' task-clock' "with a summary"
signalled INT -e task-clock sleep 20
is "$rc" 130 "so is SIGINT that is not the terminal's"
signalled TERM -e task-clock sh -c 'trap "exit 9" TERM; while :; do sleep 0.1; done'
is "$rc" 9 "a command that handles it has its own status"
signalled INT -a -I 10000 -e task-clock
is "$(grep -c ' task-clock' <<< "$err")" 1 "with -I the interval that has begun is shown"
signalled TERM -a --interval-count 1 -I 10 -e task-clock sleep 20
is "$rc" 143 "also when counting has ended before the command"
set +m
# More events, so that there is time between the runs
run timeout 60 python3 -c '
import random, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
for i in range(15):
    gpmu = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE)
    time.sleep(0.2 + random.random() / 20)
    gpmu.send_signal(signal.SIGINT)
    if b" runs)" not in gpmu.communicate()[1]:
        sys.exit(f"{i}: no summary")' "$GPMU_BIN" stat -r 10000 -a -e "$(printf 'page-faults,%.0s' {1..200})task-clock" true
is "$rc $err" "0 " "SIGINT between two runs of -r ends them, with a summary"

# --- intervals
run stat "$model" -a -M GraceMemBW -I 100 --timeout 350
like "$rc $(grep -c '190\.72 GB/s GraceMemBW' <<< "$err")" '^0 [34]$' "-I 100 for 350 ms: three intervals and the rest, or one that was late"
for _ in {1..10}; do stat -a -e cpu-clock -I 40 --timeout 120 -j; done 2> "$work/err"
[ "$(wc -l < "$work/err")" -le 30 ]; ok $? "none more if the last ends at the same time"
run stat "$model" -a -M GraceMemBW -I 50 --interval-count 3 -j
is "$rc $(wc -l <<< "$err")" "0 3" "--interval-count 3"
is "$(python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
print(rows[0]["time_begin"] == 0, all(a["time_end"] == b["time_begin"] for a, b in zip(rows, rows[1:])),
      all(abs(r["value"] - 190.72) < 1e-3 for r in rows))' <<< "$err")" "True True True" "intervals follow each other without a gap, rates are of the time they took"
run stat -e page-faults -j -I 100 --interval-count 2 sh -c 'sleep 0.5; exit 5'
is "$rc $(wc -l <<< "$err")" "5 2" "with a command its status, when it has ended"
run stat -e task-clock -I 1000 sleep 0.2
is "$(grep -c ' task-clock' <<< "$err")" 1 "a command shorter than the interval has one"
unlike "$err" 'elapsed' "and no summary follows"

# Those of a millisecond: whoever reads them, they are complete.
# complete LEAST: whether intervals, at least so many, follow each other, and the time that they count is theirs
complete() {
	python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
times = [r["raw"] for r in rows]
print(len(rows) >= int(sys.argv[1]), rows[0]["time_begin"] == 0,
      all(a["time_end"] == b["time_begin"] for a, b in zip(rows, rows[1:])),
      abs(sum(times) / rows[-1]["time_end"] / 1e9 - 1) < 0.01)' "$1" <<< "$err"
}
run stat -C 0 -I 1 -e task-clock -j --interval-count 50
is "$rc $(complete 50) $(wc -l <<< "$err")" "0 True True True True 50" "-I 1 --interval-count 50"
run stat -C 0 -I 1 -e task-clock -j sleep 0.25
is "$rc $(complete 20)" "0 True True True True" "-I 1 with a command"
run stat -C 0 -I 1 -D 50 -e task-clock -j --timeout 150 sleep 9
is "$rc $(complete 3)" "143 True True True True" "-I 1 with -D"
set -m
signalled INT -C 0 -I 1 -e task-clock -j
set +m
is "$rc $(complete 30)" "0 True True True True" "-I 1 until it is interrupted: nothing is lost"

# What the kernel has read beside one reading of all, of a command that does this on the first CPU
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
near = [name for name in all if all[name] * 0.5 - 2000 <= sums[name] <= all[name]]
print(len(near), sums["minor-faults"] >= 4000, len(faults) > 200, max(faults) < 2000)
EOF
)" "0 3 True True True" "-I 1: all intervals are what one reading has, and each has its part of it"
# Nobody waits for its end to see them
"$GPMU_BIN" stat -i -e task-clock -I 1 -x, -o "$work/live" sleep 30 &
# shellcheck disable=SC2317 # soon calls it
shown() {
	[ "$(grep -sc task-clock "$work/live")" -ge 50 ]
}
soon shown && kill -0 $!
ok $? "intervals are there while it runs"
kill $!
wait $!
if command -v strace > /dev/null; then
	ASAN_OPTIONS=detect_leaks=0 at vm strace -e trace=write -o "$work/trace" "$GPMU_BIN" stat "$model" -a -M GraceMemBW,GraceRemoteBW -I 30 --interval-count 5 2> /dev/null
	is "$(grep -c 'write(2' "$work/trace")" 5 "each interval is one write"
	short=(stat -i -e 'task-clock,page-faults' -I 1 --interval-count 100 '-x,')
	ASAN_OPTIONS=detect_leaks=0 strace -e trace=write -o "$work/trace" "$GPMU_BIN" "${short[@]}" -o "$work/rows" sleep 1
	ok $(($(grep -c 'task-clock' "$work/rows") != 100 || $(grep -c 'write(' "$work/trace") > 40)) "short ones are written several at a time" ||
		diag "$(grep -c 'task-clock' "$work/rows") intervals, $(grep -c 'write(' "$work/trace") writes"
	ASAN_OPTIONS=detect_leaks=0 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
		strace -e trace=write -o "$work/trace" "$GPMU_BIN" "${short[@]}" sleep 1 > /dev/null < /dev/null
	is "$(grep -c 'write(2' "$work/trace")" 100 "and each at once on a terminal"
	ASAN_OPTIONS=detect_leaks=0 at vm strace -e trace=read -o "$work/trace" "$GPMU_BIN" stat -C 0 -e task-clock -I 1 --interval-count 200 taskset -c 0 timeout 0.4 sh -c 'while :; do :; done' 2> /dev/null
	ok $(($(grep -c . "$work/trace") >= 200)) "intervals of a millisecond need no reads"
else
	skip "no strace" "each interval is one write"
	skip "no strace" "short ones are written several at a time"
	skip "no strace" "and each at once on a terminal"
	skip "no strace" "intervals of a millisecond need no reads"
fi

# --- times
# shellcheck disable=SC2016 # the command's own
run stat -e user_time,system_time -e duration_time -j sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
is "$(python3 -c '
import json, sys
user, system, duration = (json.loads(line)["value"] for line in sys.stdin)
print(user > 1e6, user + system <= duration * 1.1)' <<< "$err")" "True True" "user_time is the command's"
# shellcheck disable=SC2016 # the command's own
run stat -e user_time -I 100 -j perl -e '$i++ while $i < 1e7'
is "$(python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
values = [row["value"] or 0 for row in rows]
print({row["state"] for row in rows}, sum(values) > 100e6, values[-1] < 0.8 * sum(values))' <<< "$err")" "{'ok'} True True" "in intervals too, up to its end"
# shellcheck disable=SC2016 # the command's own
run stat -e user_time -j --timeout 100 perl -e '$SIG{TERM} = "IGNORE"; $i++ while $i < 2e7'
is "$(python3 -c 'import json, sys; row = json.load(sys.stdin); print(row["state"], row["value"] < row["time_end"] * 1e9 + 50e6)' <<< "$err")" "ok True" "nothing of what it runs when counting has ended"
perl -e '1 while 1' &
run stat -p $! -e user_time -j sleep 0.5
is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["value"] > 50e6)' <<< "$err")" True "with -p and a command it is the process's"
run stat -a -e user_time -j sleep 0.5
is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["value"] > 50e6)' <<< "$err")" True "with -a it is the machine's"
kill $!
wait $! 2> /dev/null
# shellcheck disable=SC2016 # the command's own
run stat -D 800 -j -e task-clock sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; sleep 1'
[ "$(python3 -c 'import json, sys; row = json.load(sys.stdin); print(row["raw"] if row["unit"] == "msec" else "none")' <<< "$err")" -lt 5000000 ]; ok $? "-D: what comes before is not counted"
run stat -D -1 -e page-faults true
like "$rc $err" '<not counted> page-faults' "-D -1: nothing is"
run stat -D 10000 --strict -e page-faults true
is "$rc" 125 "a command that ends before the delay was not counted"
like "$err" 'page-faults: the run ended before counting began' "which is said"
run stat "$model" -D 10000 -j --per-node -M GraceMemBW true
is "$rc $(grep -o '"scope":"node","node":.*"unit":"[^"]*","state":"[a-z_]*"' <<< "$err" | cut -d, -f2,9- | paste -sd' ')" '0 "node":0,"value":null,"unit":"GB/s","state":"not_counted" "node":1,"value":null,"unit":"GB/s","state":"not_counted"' "of each row that there would be"
# shellcheck disable=SC2016 # the command's own
run stat -r 2 -a -A -D 200 -e cpu-clock sh -c '[ ! -e "$0" ] || sleep 0.5; : > "$0"' "$work/once"
is "$rc" 0 "-r, when only one of the runs was counted"
run stat -D 10000 -I 10 -e page-faults true
like "$err" '<not counted> page-faults' "with -I too"
SECONDS=0
run stat --timeout 200 -e page-faults sleep 20
is "$rc $((SECONDS < 10))" "143 1" "--timeout ends the command"
run stat --duration 0.2 -e page-faults -a
is "$rc" 0 "--duration ends counting"
like "$err" '^ +0\.2[0-9]+ seconds time elapsed' "after its time"

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
run stat -e task-clock "$work/spin"
unlike "$err" 'were not counted' "what was counted is not said"
cp "$work/spin" "$work/setuid"
if chown 65534 "$work/setuid" 2> /dev/null && chmod 4755 "$work/setuid" && ! findmnt -no OPTIONS -T "$work" | grep -q nosuid; then
	run stat -e task-clock "$work/setuid"
	like "$err" '^gpmu stat: warning: 0\.[01][0-9]+ s of the command.s 0\.[0-9]+ s on CPUs were not counted: .*setuid' "a set-user-ID program is not counted, which is said"
	run stat --strict -r 2 -e task-clock sh -c "$work/setuid; true"
	is "$rc $(grep -c 'warning: .*setuid' <<< "$err") $(grep -c -e '--strict: 0.* s were not counted' <<< "$err")" "125 1 1" "also of what a command starts, once, and --strict fails"
	run stat -a -e task-clock "$work/setuid"
	unlike "$err" 'were not counted' "on CPUs it is counted"
else
	skip "no set-user-ID program of another user" "what the kernel takes the counters from"
fi

# --- files
run stat -o "$work/file" -e page-faults true
is "$rc $err" "0 " "-o: nothing is printed"
like "$(< "$work/file")" ' page-faults' "it is in the file"
is "$(find "$work" -name 'file*' | wc -l)" 1 "and no other file is left"
before=$(< "$work/file")
run stat -o "$work/file" "$work/nothere"
is "$rc $(< "$work/file")" "127 $before" "a run that fails leaves the file as it was"
is "$(find "$work" -name 'file*' | wc -l)" 1 "and no other file"
run stat -o "$work/file" --append -e page-faults true
is "$(grep -c 'page-faults' "$work/file")" 2 "--append"
is "$(grep -cE '^# started on [A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]{8} [0-9]{4}$' "$work/file")" 2 "each summary in a file begins with the time, as perf's"
unlike "$(stat -e page-faults true 2>&1)" 'started on' "those on standard error do not"
: > "$work/csv"
for run in 1 2; do
	stat -o "$work/csv" -x, --append -e page-faults true
	is "$(head -n 1 "$work/csv") $(grep -c ',page-faults,' "$work/csv") $(grep -c '^#\|^time_begin' "$work/csv")" "# gpmu-csv 1 $run 2" "--append -x: the first lines are there once"
done
{ echo text && stat -o /dev/stdout -x, -e page-faults true; } > "$work/csv"
is "$(grep -c '^#\|^time_begin' "$work/csv")" 2 "and on a standard output that others write too"
ln -s file "$work/link"
chmod 640 "$work/file"
run stat -o "$work/link" -e page-faults true
is "$(readlink "$work/link") $(grep -c page-faults "$work/file") $(find "$work/file" -printf %m)" "file 1 640" "a link stays one, a file keeps its mode"
(umask 027 && stat -o "$work/new" -e page-faults true)
is "$(find "$work/new" -printf %m)" 640 "a new file has the mode that umask leaves"
ln -s there "$work/dangling"
run stat -o "$work/dangling" -e page-faults true
is "$rc $err $(readlink "$work/dangling") $(grep -c page-faults "$work/there")" "0  there 1" "what a link to nothing leads to is made"
ln "$work/there" "$work/name"
: > "$work/there"
stat -o "$work/there" -e page-faults true
is "$(grep -c page-faults "$work/name")" 1 "a file with two names is one, still"
exec 5> "$work/fd"
stat -o /dev/fd/5 -e page-faults true
exec 5>&-
is "$(grep -c page-faults "$work/fd")" 1 "-o /dev/fd/5"
# User 65534 has a gpmu that may be executed, a folder, and a file in it that is not its own.
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
	is "$rc $err $(find "$work/user" -name root -printf '%i %u')" "0  $before root" "another user's file stays that user's"
	run user stat -o "$work/user/read" -e page-faults:u true
	is "$rc $err" "125 gpmu stat: $work/user/read: Permission denied" "one that may not be written is not replaced"
	stat -o "$work/user/own" -e page-faults:u true
	is "$(find "$work/user/own" -printf '%U %G %m') $(grep -c page-faults "$work/user/own")" "65534 65533 604 1" "root writes another's file, who keeps it"
else
	skip "there is no other user" "files of others"
fi
touch "$work/mounted"
# shellcheck disable=SC2016 # sh is to expand it
if unshare -m sh -c 'mount --bind "$0" "$0"' "$work/mounted" 2> /dev/null; then
	unshare -m sh -c 'mount --bind "$0" "$0" && exec "$@"' "$work/mounted" "$GPMU_BIN" stat -o "$work/mounted" -e page-faults true
	is "$(grep -c page-faults "$work/mounted") $(find "$work" -name 'mounted*' | wc -l)" "1 1" "a file that is mounted is written"
else
	skip "nothing can be mounted" "a file that is mounted is written"
fi
run stat -o "$work/none/file" -e page-faults sh -c "touch $work/ran"
is "$rc $err" "125 gpmu stat: $work/none/file: No such file or directory" "a file that cannot be written"
[ ! -e "$work/ran" ]; ok $? "is said before the command runs"
# Nodes of the test's own: a gpmu that is broken shall not replace the machine's.
if mknod "$work/full" c 1 7 2> /dev/null && ! echo x 2> /dev/null > "$work/full"; then
	run stat -o "$work/full" -e page-faults true
	is "$rc $err" "125 gpmu stat: $work/full: No space left on device" "a full disk is a failure"
	run stat "$model" -o "$work/full" -I 20 -M GraceMemBW sh -c "sleep 0.2; echo x > $work/ended; exit 3"
	is "$rc $err $(cat "$work/ended")" "125 gpmu stat: $work/full: No space left on device x" "in intervals too, once, and the command goes on to its end"
	run stat "$model" -o "$work/full" -I 20 -a -M GraceMemBW
	is "$rc" 125 "without a command it ends"
	run stat "$model" -o "$work/full" -I 20 -a -M GraceMemBW --timeout 100 sleep 9
	is "$rc" 125 "the time to end at still holds"
	rm -f "$work/ended"
	run at vm gpmu traffic "$model" -o "$work/full" -I 20 sh -c "sleep 0.2; echo x > $work/ended; exit 3"
	is "$rc $err $(cat "$work/ended")" "125 gpmu traffic: $work/full: No space left on device x" "likewise gpmu traffic"
else
	skip "not root" "a full disk is a failure"
fi
mkfifo "$work/fifo"
cat "$work/fifo" > "$work/passed" &
stat -o "$work/fifo" -e page-faults true
wait $!
is "$(find "$work/fifo" -printf %y) $(grep -c page-faults "$work/passed")" "p 1" "what is no file is written and stays"
stat -o /dev/stdout -e page-faults echo text > "$work/both"
is "$(grep -cE '^text$| page-faults' "$work/both")" 2 "-o /dev/stdout leaves what the command wrote there"
rm "$work/live"
stat -o "$work/live" -I 50 -e task-clock sleep 2 &
soon test -s "$work/live" && kill -0 $!
ok $? "with -I the file grows as it goes"
wait $!
done_testing
