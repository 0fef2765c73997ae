#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record --sched: context switches of the machine by tracepoints; without that permission,
# those of the command's own threads; the notes about each.
. tests/tools/lib.sh

trace=$work/trace.pftrace

# mounted COMMAND...: with tracefs mounted, for this command only
mounted() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c '[ -e /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing; exec "$@"' sh "$@"
}

# unmounted COMMAND...: without tracefs
unmounted() {
	# shellcheck disable=SC2016,SC2317 # run calls it
	unshare -m sh -c 'mount -t tmpfs nodev /sys/kernel && exec "$@"' sh "$@"
}

if mounted test -e /sys/kernel/tracing/events/sched/sched_switch/id 2> /dev/null; then
	run mounted "$GPMU_BIN" record --no-cuda-trace --sched -o "$trace" -- \
		sh -c 'for i in 1 2 3; do sleep 0.05; done; exec sleep 0.05'
	is "$rc" 0 "record --sched exits with 0"
	unlike "$err" ' 0 records' "record --sched has records of context switches"
	like "$err" ' 0 lost' "record --sched loses no record"
	[ "$(sql "select count(*) from sched")" -gt 10 ]
	ok $? "record --sched has the threads that ran on each CPU"
	[ "$(sql "select count(*) from sched join thread using (utid) where thread.name = 'sleep'")" -ge 4 ]
	ok $? "record --sched has the threads' names"
	is "$(sql "select count(*) from sched where dur < 0 and dur <> -1")" 0 "record --sched has no slice of negative duration"
	like "$(sql "select a.display_value from slice s join args a using (arg_set_id) where s.name = 'source' and a.key = 'debug.source'")" \
		'^sched$' "record --sched has an audit entry of its source"
	run mounted "$GPMU_BIN" record --sched --duration 0.2 -o "$trace"
	is "$rc" 0 "record --sched without a command exits with 0"
	if unshare --pid --fork --mount-proc true 2> /dev/null; then
		run mounted unshare --pid --fork --mount-proc "$GPMU_BIN" record --no-cuda-trace --sched -o "$trace" -- sleep 0.1
		is "$rc $(grep -c 'threads on CPUs have their initial numbers plus 8388608$' <<< "$err")" "0 1" \
			"record --sched in a PID namespace warns that 8388608 is added to thread ids" || diag "$err"
		is "$(sql "select sum(tid < 8388608) from sched join thread using (utid) where tid > 0")" 0 \
			"record --sched in a PID namespace adds 8388608 to the thread ids of all CPUs"
		like "$(sql "select count(*) from sched join thread using (utid) where thread.name = 'sleep' and tid > 8388608")" '^[1-9]' \
			"record --sched in a PID namespace has the names of threads on CPUs"
		like "$(gpmu report "$trace")" '^  note .*threads on CPUs have their initial numbers plus 8388608$' \
			"report: the audit notes that 8388608 is added to thread ids in a PID namespace"
	else
		skip "no PID namespace can be made here" "record --sched in a PID namespace warns that 8388608 is added to thread ids"
	fi
	run unmounted "$GPMU_BIN" record --sched --duration 0.1 -o "$trace"
	is "$rc" 125 "record --sched without tracefs and without a command exits with 125"
	like "$err" 'mount -t tracefs tracefs /sys/kernel/tracing' "record --sched without tracefs names the remedy"
else
	skip "no tracefs can be mounted here" "record --sched exits with 0"
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

# Threads that sleep and yield. Each prints its context switches by getrusage(), and the times before and after it asked.
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
    lines.append(f"{threading.get_native_id()} {begin[0]} {begin[1]} {end[0]} {end[1]} {end[2] - begin[2]}")

lines = []
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
threads = [threading.Thread(target=work) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("\n".join(lines))
EOF

if [ "$(own -- true 2>&1 | grep -c "command's own threads")" = 1 ]; then
	run own -- python3 "$work/user/threads.py"
	is "$rc" 0 "record --sched without root records the command's own threads"
	like "$err" "scheduling is recorded for the command's own threads only: scheduling of the whole machine requires .*(root|perf_event_paranoid|tracefs)" \
		"record --sched without root reports its limit and the permission that the whole machine requires"
	like "$err" ' 0 lost' "record --sched without root loses no record"
# For each thread: switches inside the two times, and switches inside the two times with the calls themselves
	query=
	while read -r tid before begin end after count; do
		left="select count(*) from sched join thread using (utid) where tid = $tid and end_state is not null and ts + dur between"
		query+="${query:+ union all }select $count, ($left $begin and $end), ($left $before and $after)"
	done <<< "$out"
	is "$(sql "$query" | awk -F'|' '$1 >= 100 && $2 <= $1 && $1 <= $3' | wc -l)" 3 \
		"record --sched without root has as many switches of each thread as getrusage() counts"
	like "$(sql "select (select count(distinct tid) from sched join thread using (utid) join process using (upid) where thread.name = 'a worker' and process.name like 'python%'), (select group_concat(s, ' ') from (select distinct end_state s from sched join thread using (utid) where tid > 0 order by 1)), (select count(*) from slice s join args a using (arg_set_id) where s.name = 'note' and a.display_value like 'scheduling is recorded for the command%')")" \
		'^3[|]R[+] S X[|]1$' "record --sched without root has names, end states and a note of its limit"
	expect 0 "${as_user[@]}" "$work/user/gpmu" record --no-cuda-trace -o "$trace" -- sh -c 'sleep 0.05'
	is "$(grep -c warning <<< "$err") $(sql "select count(distinct tid) from sched join thread using (utid) where tid")" "0 2" \
		"record without root has the command's threads without --sched, and prints no warning"
	expect 0 own -D 50 -- sh -c 'sleep 0.02; sleep 0.5'
	like "$(sql "select count(*), sum(ts < (select a.int_value from slice s join args a using (arg_set_id) where s.name = 'gpmu' and a.key = 'debug.begin')) from sched")" \
		'^[1-9][0-9]*[|]0$' "record --sched -D has switches after the delay only"
else
	skip "the kernel refuses it, or lets everybody record all" "record --sched without root records the command's own threads"
fi
done_testing
