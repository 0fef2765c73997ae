#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu import of recordings of perf: made ones whose content is known, and those of this machine's perf.
. tests/tools/lib.sh

for program in import/import-make import/import-deep profile/perf-make; do
	need "tests/unit/$program"
done
make=$(realpath "$B/tests/unit/import/import-make")
deep=$(realpath "$B/tests/unit/import/import-deep")
make_spe=$(realpath "$B/tests/unit/profile/perf-make")
begin=1000000000000

# import FILE [OPTION...]: imports a recording to $trace
import() {
	trace=$work/app.pftrace
	run gpmu import "$@" -o "$trace"
}

# tasks: time since the begin, thread, event, and its argument
tasks() {
	sql "select s.ts - $begin, tid, s.name, coalesce(a.display_value, '') from slice s join thread_track t on t.id = s.track_id
		join thread using (utid) left join args a using (arg_set_id) where category = 'task' order by s.ts"
}


# --- a recording with CPUs

"$make" "$work/made.data"
import "$work/made.data"
is "$rc $err" "0 gpmu import: $trace: 3 threads, 4 samples, 0 tracepoint samples, 0 SPE operations, 6 switches, 4 counter values, 7 records lost" \
	"import prints what was imported"
is "$(tasks)" "500|102|fork|100
3000|100|exec|solver
12000|102|exit|" "import: fork, exec and exit are instants of their threads"
is "$(sql "select tid, t.name, p.name from thread t join process p using (upid) where tid between 100 and 102 order by tid")" \
	"100|solver|solver
101|worker|solver
102|main|solver" "import: threads and processes have their last names, or the names of the threads that created them"
is "$(sql "select ts - $begin, dur, cpu, tid, end_state from sched join thread using (utid) order by ts")" \
	"1000|4000|0|100|R+
5000|0|0|0|R
5000|4000|0|101|S
9000|1000|0|0|R
10000|2500|0|102|X
12500|-1|0|0|" "import: context switches with CPUs are scheduling of Perfetto, in the order of time"
is "$(sql "select s.ts - $begin, tid, cpu, cpu_mode, c.name from perf_sample s join thread using (utid)
	join perf_counter_track c using (perf_session_id, cpu) order by s.ts")" "10000|100|0|kernel|cpu-clock
20000|100|0|kernel|cpu-clock
40000|100|0|kernel|cpu-clock
50000|100|0|kernel|cpu-clock" "import: samples have their thread, CPU, mode and event"
is "$(sql "with recursive up(depth, frame, above) as (
	select c.depth, c.frame_id, c.parent_id from perf_sample s join stack_profile_callsite c on c.id = s.callsite_id
	where s.ts = $begin + 10000 union all
	select c.depth, c.frame_id, c.parent_id from up join stack_profile_callsite c on c.id = above)
	select f.name, m.name, printf('%x', rel_pc) from up join stack_profile_frame f on f.id = frame
	join stack_profile_mapping m on m.id = f.mapping order by depth")" "[unknown]|/[unknown]|402000
[unknown]|/[unknown]|401000
kernel_leaf|/[bpf]|ffffffff81000008" "import: a sample has its call stack, of the kernel and of the process"
is "$(gpmu report --by=stack --format=csv "$trace" | grep kernel_leaf)" "[unknown];[unknown];kernel_leaf,1,4,cpu-clock,solver" \
	"report: samples of an imported recording are counted by call stack"
is "$(gpmu report --folded "$trace")" "solver;[unknown];[unknown];kernel_leaf 4" "report: folded call stacks of an imported recording begin with the name of the thread"
is "$(sql "select p.name, t.name, unit, c.ts - $begin, value from counter c join counter_track t on t.id = c.track_id
	join track p on p.id = t.parent_id order by 2, 4")" "CPU 0|cpu-clock|/s|10000|2e+08
CPU 0|cpu-clock|/s|20000|3e+08
CPU 0|page-faults|/s|10000|0
CPU 0|page-faults|/s|20000|1e+06" \
	"import: counts are rates by CPU from the sample before, scaled up if they were multiplexed"
is "$(audit clock)" "bound=0 of=CLOCK_MONOTONIC_RAW" "import: the audit has the clock and its bound"
is "$(audit source)" "lost=7 records=10 source=perf why=lost by the kernel, as its buffers were full" "import: the audit has the numbers of records and of lost ones"
like "$(audit gpmu)" "^begin=$((begin + 1000)) end=$((begin + 50000)) kernel=6\.12\.1 version=gpmu" "import: the audit has the machine, the begin at the first sample or switch, and the end"
like "$(audit trace)" " gaps=2 " "import: intervals in which a counter did not run are gaps"
is "$(sql "select distinct clock_id from clock_snapshot where clock_id < 64")" 5 "import: the trace has no readings of this machine's clocks"
like "$(gpmu report "$trace" 2>&1)" 'clock +ok +error of at most 0 ns: time stamps of CLOCK_MONOTONIC_RAW' "report: the clock of an imported recording is reported"

# --- without CPUs

"$make" "$work/made.data" no-cpu
import "$work/made.data"
is "$(sql "select s.ts - $begin, s.dur, tid, s.name, a.display_value from slice s join thread_track t on t.id = s.track_id
	join thread using (utid) join args a using (arg_set_id) where category = 'sched' order by s.ts")" "1000|4000|100|running|preempted
5000|4000|101|running|waits
10000|2500|102|running|exit" "import: context switches without CPUs are slices of their threads"
is "$(sql "select count(*) from sched")" 0 "import: context switches without CPUs are not in Perfetto's table sched"
is "$(sql "select t.name, c.ts - $begin, value from counter c join counter_track t on t.id = c.track_id
	where t.parent_id is null order by 1, 2")" "cpu-clock|10000|2e+08
cpu-clock|20000|3e+08
page-faults|10000|0
page-faults|20000|1e+06" "import: counts without CPUs are those of the thread"
is "$(gpmu report --by counter --format csv "$trace" 2> /dev/null | awk -F , '/^cpu-clock/ { print $2 }')" "100 solver" \
	"report: a counter of a thread has the number and name of the thread"
"$make" "$work/made.data" command
import "$work/made.data"
is "$(gpmu report --by counter --format csv "$trace" 2> /dev/null | awk -F , '/^(cpu|page)-/ { print $1 "," $2 }')" "cpu-clock,100 solver
page-faults,100 solver" "import: events of a command have a counter for each thread even if CPUs are recorded"

# --- threads that run after their EXIT records

"$make" "$work/made.data" exits
import "$work/made.data"
is "$(sql "select ts - $begin, dur, end_state from sched join thread using (utid) where tid in (103, 104) order by ts")" "13000|2000|R+
16000|1000|X
19000|1000|S
21000|1000|X" "import: a thread ends with its last switch, or with its EXIT record if it has no later switch"
is "$(gpmu report --by thread --format csv "$trace" 2> /dev/null | awk -F , '$4 == 103 { print $1 "," $6 "," $8 "," $9 "," $10 }' | sort)" "again,1000,30000,0,1
solver,3000,0,1000,2" "report: threads with the same number are two threads with their own names if the first one has ended"
is "$(gpmu report --by thread --format csv "$trace" 2> /dev/null | awk -F , '$4 == 105 { print $1 "," $2 }')" "[unknown],solver" \
	"report: a thread without a recorded name is named [unknown]"

# --- malformed records

skipped='skipped malformed records: 2 of type 3 (COMM) from byte [0-9]+ on'
"$make" "$work/made.data" malformed user
import "$work/made.data"
like "$rc $err" "^1 .*: 3 threads, 5 samples, .*
gpmu import: .*made\\.data:[0-9]+: ${skipped//[()]/.}\$" "import: records after a malformed one are read, one line has the type, number and first offset, and the exit status is 1"
like "$(audit note)" "text=${skipped//[()]/.}" "import: the audit has the type, number and first offset of malformed records"
unlike "$(audit note)" 'only the part before|facts in the recording' "import: the audit does not report a recording with malformed records as cut off"
run gpmu report --by event --format csv "$work/made.data"
like "$rc $err" "^1 gpmu report: .*made\\.data:[0-9]+: ${skipped//[()]/.}\$" \
	"report: one line has the type, number and first offset of malformed records, and the exit status is 1"
like "$out" "
skipped,\"?${skipped//[()]/.}" "report has the type, number and first offset of malformed records"
is "$(grep -o '^cpu-clock,[0-9.]*,[0-9]*' <<< "$out")" "cpu-clock,1,3" "report: samples after a malformed record are counted"

# --- perf record --call-graph lbr

"$make" "$work/made.data" calls
import "$work/made.data"
is "$(sql "with recursive up(depth, frame, above) as (
	select c.depth, c.frame_id, c.parent_id from perf_sample s join stack_profile_callsite c on c.id = s.callsite_id
	where s.ts = $begin + 10000 union all
	select c.depth, c.frame_id, c.parent_id from up join stack_profile_callsite c on c.id = above)
	select printf('%x', rel_pc) from up join stack_profile_frame f on f.id = frame order by depth")" "403000
401000
ffffffff81000008" "import: the callers of a sample with a branch stack of calls are the calls"

# --- tasks outside the PID namespace of the recording

outside='[outside the PID namespace]'
"$make" "$work/made.data" namespace
import "$work/made.data"
is "$rc $err" "0 gpmu import: $trace: 3 threads, 8 samples, 0 tracepoint samples, 0 SPE operations, 14 switches, 4 counter values, 7 records lost
gpmu import: 3 samples are of tasks outside the PID namespace of the recording, which have no number in it; record on the host to see their names" \
	"import counts the samples of tasks outside the PID namespace, and prints why these tasks have no number"
like "$(audit note)" "text=3 samples are of tasks outside the PID namespace of the recording, which have no number" \
	"import: the audit has the number of samples of tasks outside the PID namespace"
is "$(sql "select ts - $begin, tid = 0, coalesce(t.name, ''), cpu_mode, m.name from perf_sample s join thread t using (utid)
	join stack_profile_callsite c on c.id = s.callsite_id join stack_profile_frame f on f.id = c.frame_id
	join stack_profile_mapping m on m.id = f.mapping where ts > $begin + 70000 order by ts")" "73000|0|$outside|user|/[unknown]
80000|1||kernel|/[bpf]
81000|0|$outside|kernel|/[bpf]
82000|0|$outside|user|/[unknown]" "import: samples of thread 0 or -1 in user space, or with callers there, are of tasks outside the PID namespace, and have no functions"
is "$(sql "select ts - $begin, dur, coalesce(t.name, ''), end_state from sched join thread t using (utid) where ts >= $begin + 70000 order by ts")" \
	"70000|1000|$outside|S
71000|100||R
71100|800|solver|S
71900|2100|$outside|R+
74000|1000||R
75000|1000|[idle or outside the PID namespace]|R+
76000|-1||" "import: thread 0 is a task outside the PID namespace if it goes to sleep or is sampled in user space, and otherwise may be one"
is "$(gpmu report --by thread --format csv "$trace" 2> /dev/null | grep PID | cut -d , -f 1-4)" "$outside,$outside,,
[idle or outside the PID namespace],[idle or outside the PID namespace],," "report: tasks outside the PID namespace have no number"
is "$(sql "select s.name, t.name from slice s join thread_track k on k.id = s.track_id join thread t using (utid)
	where category = 'task' and ts = $begin + 69000")" "name|$outside" "import: a new name of thread 0 is that of a task outside the PID namespace"
is "$(gpmu report --by comm,object --format csv "$work/made.data" 2> /dev/null | awk -F , '/^cpu-clock/ { print $3, $7, $8 }')" \
	"3 solver [bpf]
2 $outside [unknown]
1 $outside [bpf]
1 idle [bpf]" "report: samples of tasks outside the PID namespace are neither idle nor of an object that another task has mapped"
like "$(gpmu report "$work/made.data")" '^  outside +3 samples are of tasks outside the PID namespace of the recording, which have no number in it; record on the host to see their names$' \
	"report prints why tasks outside the PID namespace have no number"
run gpmu report --folded "$work/made.data"
like "$err" '^gpmu report: warning: 3 samples are of tasks outside the PID namespace of the recording, which have no number in it' \
	"report: --folded prints why tasks outside the PID namespace have no number"
is "$(grep outside <<< "$out")" "cpu-clock;$outside;[unknown];[unknown] 2
cpu-clock;$outside;[unknown];[unknown];kernel_leaf 1" "report: --folded has tasks outside the PID namespace by their name"
"$make" "$work/made.data"
import "$work/made.data"
unlike "$(gpmu report --by thread --format csv "$trace" 2>&1) $err" 'PID namespace' "import: no message is printed about a recording without tasks outside the PID namespace"

# --- tracepoints

"$make" "$work/made.data" tracepoint
import "$work/made.data"
like "$err" ' 4 samples, 1 tracepoint sample, ' "import: samples of tracepoints are counted"
is "$(sql "select s.ts - $begin, tid, t.name, s.name, group_concat(substr(a.key, 7) || '=' || a.display_value, ' ')
	from (select * from args order by arg_set_id, key) a join slice s using (arg_set_id) join track t on t.id = s.track_id
	join thread_track k on k.id = t.id join thread using (utid) where category = 'tracepoint' group by s.id")" \
	"7000|101|tracepoints|test:point|address=0xffff800012340000 array=0102030405ab big=18446744073709551615 comm=app cpu=-3 name=one relative=two" \
	"import: a tracepoint is an instant below its thread with its fields"
is "$(gpmu report --format csv --by event "$work/made.data" 2> /dev/null | grep -o '^test:point,.*')" "test:point,,1,0,," \
	"report: a tracepoint that the recording does not name has the name of its system and event"
"$make" "$work/made.data" tracepoint stack
import "$work/made.data"
like "$err" ' 4 samples, 1 tracepoint sample, ' "import: a sample of a tracepoint with a call stack is counted once"
like "$(audit source)" 'records=11 ' "import: the audit counts a sample of a tracepoint with a call stack once"
is "$(sql "select count(*) from perf_sample")" 5 "import: a sample of a tracepoint with a call stack is in Perfetto's table perf_sample"

# --- perf sched record

# switches: time since the begin, duration, thread and state of each run on a CPU
switches() {
	sql "select ts - $begin, dur, tid, end_state from sched join thread using (utid) where tid > 0 order by ts"
}

"$make" "$work/made.data" sched
import "$work/made.data"
like "$err" ' 5 tracepoint samples, .* 5 switches, ' "import: samples of sched:sched_switch are counted as switches"
is "$(switches)" "1000|2000|100|R+
3000|3000|101|S
6000|2000|102|R
8000|1000|100|S" "import: samples of sched:sched_switch are scheduling of Perfetto, and a lost switch ends at the next one of its CPU"
is "$(audit source)" "lost=0 records=5 source=perf" "import: the audit counts a sample of sched:sched_switch once"
is "$(gpmu report --by thread --format csv "$trace" 2> /dev/null | awk -F , '$4 > 99 { print $4 "," $6 }' | grep -v '[a-z]' | sort)" "100,3000
101,3000
102,2000" "report: threads of perf sched record have their times"
"$make" "$work/made.data" sched busy
import "$work/made.data"
is "$(switches)" "1000|2000|100|R+
3000|3000|101|S
6000|2000|102|S
8000|-1|100|" "import: switches of a CPU without idle tasks are scheduling if each is from the thread of the one before"
"$make" "$work/made.data" sched busy command
import "$work/made.data"
like "$(audit note)" 'the times that threads run are not known: .* use perf sched record' \
	"import: the audit of a recording of a command's sched:sched_switch names the remedy"
is "$(switches)" "" "import: samples of a command's switches are not scheduling, as those of other tasks are missing"
"$make" "$work/made.data" sched no-cpu
import "$work/made.data"
is "$(switches)" "" "import: samples of sched:sched_switch without CPUs are not scheduling"
"$make" "$work/made.data" sched namespace
import "$work/made.data"
like "$err" ' 5 switches, ' "import: samples of sched:sched_switch whose fields have the thread ids of another PID namespace are not scheduling"
like "$(gpmu report "$work/made.data" 2>&1)" "threads +the times that threads run are on a timeline: gpmu import FILE, then gpmu report --by thread" \
	"report: of a recording of perf sched record names the command that has the times of threads"

# --- periods

"$make" "$work/made.data" user
import "$work/made.data"
is "$(gpmu report --by stack --format csv "$trace" 2> /dev/null | grep '^\[unknown')" "[unknown];[unknown],0.6,1,cpu-clock,solver
[unknown];[unknown];kernel_leaf,0.4,4,cpu-clock,solver" "report: shares of call stacks of an imported recording are shares of the sum of the periods"

# --- code of just-in-time compilers

# stack: functions and files of the first sample's call stack, the outermost first
stack() {
	sql "with recursive up(depth, frame, above) as (
		select c.depth, c.frame_id, c.parent_id from perf_sample s join stack_profile_callsite c on c.id = s.callsite_id
		where s.ts = $begin + 10000 union all
		select c.depth, c.frame_id, c.parent_id from up join stack_profile_callsite c on c.id = above)
		select f.name, m.name from up join stack_profile_frame f on f.id = frame
		join stack_profile_mapping m on m.id = f.mapping order by depth"
}

"$make" "$work/made.data" "$work/jit-100.dump"
import "$work/made.data"
is "$(stack)" "jit_caller|/[JIT]
jit_callee|/[JIT]
kernel_leaf|/[bpf]" "import: call stacks have the functions of a dump of a just-in-time compiler"
truncate -s -1 "$work/jit-100.dump"
import "$work/made.data"
is "$(audit note)" "level=warning text=functions of $work/jit-100.dump: byte 4270: expected a whole record" \
	"import: the audit names a damaged dump of a just-in-time compiler"

# --- the clock

"$make" "$work/made.data" perf-clock
import "$work/made.data"
is "$(audit clock)" "of=perf's clock" "import: the audit names perf's clock, without a bound"
like "$(audit note)" "^level=warning text=times are not CLOCK_MONOTONIC_RAW: record with -k monotonic_raw$" "import: the audit reports how to record CLOCK_MONOTONIC_RAW"
like "$(gpmu report "$trace" 2>&1)" "clock +warning +time stamps of perf's clock" "report: the clock of a recording that is not CLOCK_MONOTONIC_RAW has no bound"

"$make" "$work/made.data" no-time
import "$work/made.data"
is "$(audit note)" "level=warning text=10 records are omitted: they have no time; record with -T and without the term time=0 of an event" \
	"import: the audit reports how to record times if records have none"

# --- SPE

"$make_spe" "$work/spe.data" 3000 | sort > "$work/want"
import "$work/spe.data"
like "$err" ' 0 samples, 0 tracepoint samples, 3000 SPE operations, ' "import: all operations of SPE are imported"
is "$(sql "select count(*), max(cast(l.display_value as int)), f.display_value, o.display_value,
		coalesce(r.display_value, ''), coalesce(h.display_value, ''), coalesce(d.display_value, '')
	from slice s join args l on l.arg_set_id = s.arg_set_id and l.key = 'debug.latency'
	join args f on f.arg_set_id = s.arg_set_id and f.key = 'debug.function'
	join args o on o.arg_set_id = s.arg_set_id and o.key = 'debug.object'
	left join args r on r.arg_set_id = s.arg_set_id and r.key = 'debug.tier'
	left join args h on h.arg_set_id = s.arg_set_id and h.key = 'debug.home'
	left join args d on d.arg_set_id = s.arg_set_id and d.key = 'debug.data'
	where category = 'spe' group by 3, 4, 5, 6, 7" | sort | md5sum)" \
	"$(awk -F , -v OFS='|' '{ key = $4 OFS $5 OFS $7 OFS $8 OFS $9; n[key] += $1; if ($3 > most[key]) most[key] = $3 }
		END { for (key in n) print n[key], most[key], key }' "$work/want" | sort | md5sum)" \
	"import: operations of SPE have their function, object, tier, home, data and latency"
is "$(sql "select tid, count(*) from slice s join thread_track t on t.id = s.track_id join thread using (utid)
	where category = 'spe' group by tid order by tid")" \
	"$(awk -F , '{ split($6, a, /[()]/); n[a[2]] += $1 } END { for (tid in n) print tid "|" n[tid] }' "$work/want" | sort -n)" \
	"import: operations of SPE are below their threads"
is "$(sql "select key, count(*), min(display_value like '0x%') from args where key in ('debug.va', 'debug.pa', 'debug.pc') group by key order by key")" \
	"$(awk -F , '{ all += $1; if ($9 != "") data += $1 } END { print "debug.pa|" data "|1\ndebug.pc|" all "|1\ndebug.va|" data "|1" }' "$work/want")" \
	"import: operations of SPE have the addresses that are recorded"
is "$(sql "select min(ts), max(ts) from slice where category = 'spe'")" "5000000|5005998" "import: operations of SPE have their times by TIME_CONV"
is "$(audit note)" "level=warning text=times are those of perf's clock, not CLOCK_MONOTONIC_RAW: import on the recorded machine before its next boot" \
	"import: the audit of a recording of SPE without -k does not advise -k"
like "$(sql "select group_concat(substr(a.key, 7) || '=' || a.display_value, ' ') from (select * from args order by key) a
	join slice s using (arg_set_id) where category = 'audit' and s.name = 'source' and a.arg_set_id in
	(select arg_set_id from args where display_value = 'SPE')")" '^collisions=1 lost_bytes=0 partials=0 records=3000 source=SPE truncations=1$' \
	"import: the audit has the losses of SPE"
is "$(gpmu report --by=tier --format=csv "$trace" | awk -F , -v OFS='|' '$4 ~ /^[0-9]/ { print $1, $2, $4, $6 }' | sort)" \
	"$(awk -F , -v OFS='|' '$7 != "" { key = $7 OFS $8; n[key] += $1; if ($3 > most[key]) most[key] = $3 }
		END { for (key in n) print key, n[key], most[key] }' "$work/want" | sort)" \
	"report: operations of SPE of an imported recording are counted by tier and home"
is "$(gpmu report --by=function --format=csv "$trace" | awk -F , -v OFS='|' '$5 ~ /^[0-9]/ { print $1, $2, $3, $5 }' | sort)" \
	"$(sql "select coalesce(max(case when key = 'debug.function' then display_value end), ''),
		coalesce(max(case when key = 'debug.object' then display_value end), ''),
		coalesce(max(case when key = 'debug.tier' then display_value end), '') as tier, id
		from slice join args using (arg_set_id) where category = 'spe' group by id" |
		cut -d '|' -f 1-3 | sort | uniq -c | awk '{ n = $1; $1 = ""; print substr($0, 2) "|" n }' | sort)" \
	"report: operations of SPE of an imported recording are counted by function and tier"
"$make_spe" "$work/spe.data" 100 cut=9 > /dev/null
import "$work/spe.data"
like "$rc $err" '^1 .* 100 SPE operations, ' "import: all operations of SPE of a recording with a damaged feature are imported, with exit status 1"
like "$err" "spe\\.data:[0-9]+: expected the CPU's identification \\(feature 9\\) in 4 bytes$" "import: the error for a damaged feature names it"
like "$(audit note)" 'level=warning text=facts in the recording are damaged: all its records were read' \
	"import: the audit reports that all records of a recording with a damaged feature were read"
"$make_spe" "$work/spe.data" 100 cut=22 head=99 > /dev/null
import "$work/spe.data"
like "$(audit note)" "level=warning text=version 99 of AUXTRACE_INFO is not known; it was read as version 2" \
	"import: the audit reports an unknown version of AUXTRACE_INFO"
like "$(audit note)" "level=warning text=homes of operations of SPE are not known: no list of the nodes' memory blocks could be read" \
	"import: the audit has the reason why homes are not known"
"$make_spe" "$work/spe.data" 100 clock > /dev/null
import "$work/spe.data"
like "$err" "100 records are omitted, as they have no time on the clock of the trace: the notes of \"gpmu report $trace\" have the reason" \
	"import reports the number of omitted operations"
is "$(audit note)" "level=warning text=times are not CLOCK_MONOTONIC_RAW: record with -k monotonic_raw
level=warning text=operations of SPE are omitted: their times cannot be converted to the clock of -k; record without -k, or with -k \
monotonic_raw and import on the recorded machine before its next boot
level=warning text=100 records are omitted: they have no time on the clock of the trace" "import: operations of SPE of a recording with -k cannot be placed, and the audit has the reason"
like "$err" ' 0 SPE operations, ' "import: operations of SPE of a recording with -k are left out"
like "$(gpmu report "$trace" 2>&1 | tr -s '\n ' ' ')" 'operations of SPE are omitted: .* with -k monotonic_raw and import on the recorded machine before its next boot note' \
	"report: a long note continues on further lines"
run gpmu import -o - "$work/spe.data"
like "$err" 'the notes of "gpmu report TRACE" have the reason' "import -o -: the message on omitted operations names no standard input"

# --- recordings of this machine's perf

if perf record -o "$work/perf.data" -e task-clock true > /dev/null 2>&1; then
	# The thread waits for sleep, so that a switch to it is recorded. Without debug information inlined functions are
	# not known: perf before 6.4 does not print them in these call stacks.
	objcopy --strip-debug "$make_spe" "$work/perf-make" || bail "objcopy fails"
	# shellcheck disable=SC2016 # the inner shell's
	perf record -q -k monotonic_raw --switch-events --sample-cpu -g -F 5000 -e task-clock -o "$work/perf.data" -- \
		sh -c 'sleep 0.05; exec "$@"' sh "$work/perf-make" "$work/made" 300000 > /dev/null 2>&1
	import "$work/perf.data"
	is "$(sql "select count(*) from perf_sample")" "$(perf script -i "$work/perf.data" -F event 2> /dev/null | grep -c .)" \
		"import: a recording of perf has all samples that perf script prints"
	want=$(perf script -i "$work/perf.data" -F ip,sym 2> /dev/null | awk 'NF { if (!seen) print $2; seen = 1; next } { seen = 0 }' |
		grep -x main | sort | uniq -c | awk '{ print $2 "|" $1 }')
	is "$(sql "select f.name, count(*) from perf_sample s join stack_profile_callsite c on c.id = s.callsite_id
		join stack_profile_frame f on f.id = c.frame_id where f.name = 'main'
		group by 1 order by 1")" "$want" "import: a recording of perf has the function of each sample that perf script prints"
	is "$(sql "select count(*) > 0 from sched join thread using (utid) where name = 'perf-make' and dur > 0")" 1 \
		"import: a recording of perf has the times that its threads run"
	if perf record -q -a -e sched:sched_switch,sched:sched_process_exec -o "$work/points.data" -- true > /dev/null 2>&1; then
		import "$work/points.data"
		is "$(sql "select s.name || ' ' || count(*) from slice s where category = 'tracepoint' group by s.name order by s.name")" \
			"$(perf script -i "$work/points.data" -F event 2> /dev/null | tr -d ' ' | sed 's/:$//' | sort | uniq -c | awk '{ print $2 " " $1 }')" \
			"import: a recording of perf has all samples of tracepoints that perf script prints"
		is "$(sql "select group_concat(display_value, ' ') from (select display_value from args a join slice s using (arg_set_id)
				where key = 'debug.next_pid' order by s.ts)")" \
			"$(perf script -i "$work/points.data" -F event,time,trace 2> /dev/null |
				sed -nE 's/.*==> .*(next_pid=|:)([0-9]+).*/\2/p' | xargs)" \
			"import: fields of sched:sched_switch have the values that perf script prints"
	else
		skip "no tracepoints" "import: a recording of perf has its tracepoints"
	fi
	perf record -q --call-graph dwarf,4096 -F 2000 -e task-clock -o "$work/deep.data" -- "$deep" 30000000 > /dev/null 2>&1
	# Functions of the program in each sample's call stack, the outermost first
	want=$(perf script -i "$work/deep.data" -F ip,sym 2> /dev/null | awk '/deep_leaf$/ { on = 1; stack = "" }
		on && ($2 ~ /^deep_/ || $2 == "main") { stack = $2 (stack == "" ? "" : ";" stack) } !NF { if (on) print stack; on = 0 }' |
		sort | uniq -c | awk '{ print $2 "|" $1 }')
	if [[ $want == *main\;deep_outer* ]]; then
		import "$work/deep.data"
		is "$(sql "with recursive up(id, depth, frame, above) as (
			select s.id, c.depth, c.frame_id, c.parent_id from perf_sample s join stack_profile_callsite c on c.id = s.callsite_id union all
			select up.id, c.depth, c.frame_id, c.parent_id from up join stack_profile_callsite c on c.id = above)
			select stack, count(*) from (select group_concat(name, ';') as stack from (select up.id as id, name from up
			join stack_profile_frame f on f.id = frame where name = 'main' or name like 'deep%' order by up.id, up.depth) group by id)
			where stack like '%deep_leaf' group by stack order by stack")" "$want" \
			"import: copies of stacks have the frames that perf script prints"
	else
		skip "perf does not unwind stacks" "import: copies of stacks have the frames that perf script prints"
	fi
	# Sums of the counts that samples of a leader have, by CPU and event, without those of each CPU's first sample. All
	# CPUs are busy: the timer of a leader may not expire on an idle one.
	# shellcheck disable=SC2016 # sh expands it
	if perf record -q -k monotonic_raw -a -F 500 -e '{cpu-clock,context-switches,page-faults}:S' -o "$work/group.data" -- \
		sh -c 'for i in $(seq "$(nproc)"); do "$0" "$1.$i" 100000 & done; wait' "$make_spe" "$work/made" > /dev/null 2>&1; then
		import "$work/group.data"
		want=$(perf script --ns -F cpu,time,event,period -i "$work/group.data" | awk '{
			cpu = substr($1, 2, length($1) - 2) + 0
			if (!(cpu in first)) first[cpu] = $2
			sub(/:$/, "", $4)
			sum["CPU " cpu "|" $4] += $2 == first[cpu] ? 0 : $3
		} END { for (key in sum) print key "|" sum[key] }' | sort)
		is "$(sql "select p.name, t.name, cast(round(sum(value * dur / case t.name when 'cpu-clock' then 1e3 else 1e9 end)) as int) from (select track_id, value,
				lead(ts) over (partition by track_id order by ts) - ts as dur from counter) c
				join counter_track t on t.id = c.track_id join track p on p.id = t.parent_id group by t.id order by 1, 2" | sort)" \
			"$want" "import: counts of a group add up, on each CPU, to the values that perf script prints of its samples"
		is "$(gpmu report --by counter --format csv "$trace" 2> /dev/null | awk -F , '$2 ~ /^CPU/ { print $2 "|" $1 }' | sort)" \
			"$(cut -d '|' -f 1,2 <<< "$want")" "report: each event of a group has a counter for each CPU"
	else
		skip "perf may not record all CPUs" "import: counts of a group add up, on each CPU, to the values that perf script prints of its samples"
	fi
	size=$(stat -c %s "$work/perf.data")
	head -c "$((size / 2))" "$work/perf.data" > "$work/cut.data"
	import "$work/cut.data"
	is "$rc" 1 "import: a recording that is cut off has exit status 1"
	like "$err" 'cut\.data:[0-9]+: expected' "import: the error of a recording that is cut off names the offset and what was expected"
	like "$(audit note)" 'damaged or cut off: only the part before' "import: the audit reports that a recording is cut off"
else
	skip "no perf that may record" "import: recordings of this machine's perf are imported"
fi

# --- an interrupt

"$make_spe" "$work/spe.data" 20000 pipe > /dev/null
# The reader is stopped while it waits for the rest of the pipe, which then ends.
mkfifo "$work/fifo"
"$GPMU_BIN" import - -o "$trace" < "$work/fifo" > "$work/out" 2>&1 &
reader=$!
exec 3> "$work/fifo"
cat "$work/spe.data" >&3
kill -INT $reader
exec 3>&-
wait $reader
is "$?" 130 "import: an interrupted import has exit status 130"
like "$(< "$work/out")" 'gpmu import: stopped by a signal: only a part of the recording was imported' "import: an interrupted import is reported"
like "$(audit note)" 'text=stopped by a signal: only a part of the recording was read' "import: the audit reports that the import was interrupted"

"$make_spe" "$work/spe.data" 200000 pipe > /dev/null
env --default-signal=INT "$GPMU_BIN" import - -o "$work/twice.pftrace" < "$work/fifo" > "$work/out" 2>&1 &
reader=$!
exec 3> "$work/fifo"
cat "$work/spe.data" >&3
kill -INT $reader
# Two pending signals are one.
until grep -q '^ShdPnd:.0*$' /proc/$reader/status; do :; done
kill -INT $reader
exec 3>&-
wait $reader
is "$? $(< "$work/out")$(find "$work" -name 'twice*')" "130 " "import: a second SIGINT ends the import without a message or a file"

# --- files and options

"$make" "$work/made.data"
gpmu import "$work/made.data" -o - 2> /dev/null > "$work/piped"
import "$work/made.data"
is "$(md5sum < "$work/piped")" "$(md5sum < "$trace")" "import -o - writes the trace to standard output"
gpmu import - -o "$work/piped" < <(cat "$work/made.data") 2> /dev/null
is "$(md5sum < "$work/piped")" "$(md5sum < "$trace")" "import - reads the recording from standard input"
run gpmu import "$trace" -o "$work/none"
is "$rc $(ls "$work/none" 2> /dev/null)" "1 " "import of a file that is no recording fails and leaves no trace"
like "$err" "app\.pftrace:0: expected" "import of a file that is no recording names what was expected"
run gpmu import "$work/made.data" "$work/made.data"
is "$rc" 125 "import of two recordings is refused"
ln "$work/made.data" "$work/same.data"
before=$(md5sum < "$work/made.data")
run gpmu import "$work/made.data" -o "$work/same.data"
is "$rc $err $(md5sum < "$work/made.data")" \
	"125 gpmu import: $work/same.data: the output would replace the file that is read: choose another name for -o $before" \
	"import refuses an output that is the recording"
run gpmu import "$work/made.data" -o "$work/no/trace"
like "$rc $err" "^125 gpmu import: $work/no/trace: No such file or directory: its folder does not exist$" "import -o in a missing folder names it and the remedy"
err=$(gpmu import "$work/made.data" -o - 2>&1 > /dev/full)
like "$err" 'No space left on device' "import reports that the disk is full"
done_testing
