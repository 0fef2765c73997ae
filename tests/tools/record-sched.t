#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record --sched: who has run where, as the kernel tells; where that may not be known, when the
# command's own threads have run; and what it says of that.
. tests/tools/lib.sh

trace=$work/trace.pftrace

# mounted COMMAND...: with tracefs where it belongs, for this command alone
mounted() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c '[ -e /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing; exec "$@"' sh "$@"
}

# unmounted COMMAND...: without
unmounted() {
	# shellcheck disable=SC2016,SC2317 # run calls it
	unshare -m sh -c 'mount -t tmpfs nodev /sys/kernel && exec "$@"' sh "$@"
}

if mounted test -e /sys/kernel/tracing/events/sched/sched_switch/id 2> /dev/null; then
	run mounted "$GPMU_BIN" record --no-cuda-trace --sched -o "$trace" -- \
		sh -c 'for i in 1 2 3; do sleep 0.05; done; exec sleep 0.05'
	is "$rc" 0 "scheduling is recorded"
	unlike "$err" ' 0 records' "there is some"
	like "$err" ' 0 lost' "and all of it"
	[ "$(sql "select count(*) from sched")" -gt 10 ]
	ok $? "who ran on which CPU, and for how long"
	[ "$(sql "select count(*) from sched join thread using (utid) where thread.name = 'sleep'")" -ge 4 ]
	ok $? "by name"
	is "$(sql "select count(*) from sched where dur < 0 and dur <> -1")" 0 "none is negative"
	like "$(sql "select a.display_value from slice s join args a using (arg_set_id) where s.name = 'source' and a.key = 'debug.source'")" \
		'^sched$' "the audit knows of it"
	run mounted "$GPMU_BIN" record --sched --duration 0.2 -o "$trace"
	is "$rc" 0 "also without a command"
	run unmounted "$GPMU_BIN" record --sched --duration 0.1 -o "$trace"
	is "$rc" 125 "without tracefs, and a command, it is refused"
	like "$err" 'mount -t tracefs nodev /sys/kernel/tracing' "with the remedy"
else
	skip "no tracefs can be mounted here" "scheduling is recorded"
fi

# As an ordinary user: a folder that this user may write to, with a gpmu to execute. The user is this process's
# alone, because the memory for rings (kernel.perf_event_mlock_kb) is limited by user, not by process.
user=$((20000 + $$ % 40000))
mkdir "$work/user"
cp "$GPMU_BIN" "$work/user/gpmu"
chmod 711 "$work"
trace=$work/user/own.pftrace
as_user=()
if [ "$EUID" = 0 ]; then
	chown "$user" "$work/user"
	as_user=(setpriv --reuid "$user" --regid "$user" --clear-groups)
fi

# own OPTION... -- COMMAND...
own() {
	"${as_user[@]}" "$work/user/gpmu" record --no-cuda-trace --sched -o "$trace" "$@"
}

# Threads that wait and make room; each says how often by getrusage(), and between which times it has asked
cat > "$work/user/threads.py" << 'EOF'
import ctypes, os, resource, threading, time

def ask():
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return before, time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), usage.ru_nvcsw + usage.ru_nivcsw

def work():
    ctypes.CDLL(None).prctl(15, b"a worker", 0, 0, 0)
    begin = ask()
    for i in range(100):
        time.sleep(0.0001)
        sum(range(1000))
        os.sched_yield()
    end = ask()
    print(threading.get_native_id(), *begin[:2], *end[:2], end[2] - begin[2])

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
threads = [threading.Thread(target=work) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
EOF

if [ "$(own -- true 2>&1 | grep -c "command's own threads")" = 1 ]; then
	run own -- python3 "$work/user/threads.py"
	is "$rc" 0 "without root it is that of the command's own threads"
	like "$err" "of scheduling only the command's own threads are recorded; scheduling of the whole machine takes .*(root|perf_event_paranoid|tracefs)" \
		"it is told that this is all, and what more takes"
	like "$err" ' 0 lost' "nothing of it is lost"
	# By each how often it has left the CPU between the two times, and with these
	query=
	while read -r tid before begin end after count; do
		left="select count(*) from sched join thread using (utid) where tid = $tid and end_state is not null and ts + dur between"
		query+="${query:+ union all }select $count, ($left $begin and $end), ($left $before and $after)"
	done <<< "$out"
	is "$(sql "$query" | awk -F'|' '$1 >= 100 && $2 <= $1 && $1 <= $3' | wc -l)" 3 \
		"three threads have left the CPU as often as getrusage() counts"
	like "$(sql "select (select count(distinct tid) from sched join thread using (utid) join process using (upid) where thread.name = 'a worker' and process.name like 'python%'), (select group_concat(s, ' ') from (select distinct end_state s from sched join thread using (utid) where tid > 0 order by 1)), (select count(*) from slice s join args a using (arg_set_id) where s.name = 'note' and a.display_value like 'of scheduling only%')")" \
		'^3[|]R[+] S X[|]1$' "by name below their process they are preempted, wait, and end; the audit says that this is all"
	run own -D 50 -- sh -c 'sleep 0.02; sleep 0.5'
	like "$(sql "select count(*), sum(ts < (select a.int_value from slice s join args a using (arg_set_id) where s.name = 'gpmu' and a.key = 'debug.begin')) from sched")" \
		'^[1-9][0-9]*[|]0$' "nothing is recorded before -D, and what is behind it is"
else
	skip "the kernel refuses it, or lets everybody record all" "scheduling of the command's own threads"
fi
done_testing
