#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The content of a trace, by SQL: tracks, slices, nesting, counters, flows, arguments, clocks. A
# trace can be read up to each flush, and from each restart on. trace_sql.py reads the bytes into
# tables with trace_processor's names and refuses violations of the format's rules. If there is a
# trace_processor, it must give the same answers.
. tests/lib/tap.sh

make=${B:-build}/tests/unit/trace/trace-make
[ -x "$make" ] || bail "no $make: make unit-tests"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
begin=5000000000000

# sql QUERY [OPTION...]: queries $trace
sql() {
	tests/unit/trace/trace_sql.py "$trace" "$@" 2>&1
}

# slices WHERE: prints time since the begin, duration, track, category, name, depth
slices() {
	sql "select s.ts - $begin, s.dur, coalesce(k.name, th.name, p.name), s.category, s.name, s.depth
		from slice s join track k on k.id = s.track_id
		left join thread_track tt on tt.id = k.id left join thread th using (utid)
		left join process_track pt on pt.id = k.id left join process p on p.upid = pt.upid
		where $1 order by s.ts, s.depth, s.name desc"
}

processor=$(tests/unit/trace/trace_sql.py --processor)
if [ -n "$processor" ]; then
	ok 0 "trace: $processor answers each query in the same way"
else
	skip "no trace_processor_shell in the path, no GPMU_TRACE_PROCESSOR" "trace: trace_processor answers each query in the same way"
fi

trace=$tmp/gpu.pftrace
"$make" gpu "$trace"
ok $? "trace: a trace with all kinds of events is written"
is "$(sql "select pid, name from process where pid > 0")" "100|renamed" "trace: a process has its last name"
is "$(sql "select tid, t.name, pid from thread t join process using (upid) where pid = 100 and tid <> 100 order by tid")" "101|worker|100
102||100" "trace: a process has its threads, one of them without a name"
is "$(sql "select t.name, p.name from track t left join track p on p.id = t.parent_id where t.name is not null order by t.name")" \
	"DRAM read|GPU 0
GPU 0|
SM active|
audit|
stream 13|GPU 0
stream 7|GPU 0" "trace: other tracks have their names and parents"
is "$(slices "s.category in ('runtime', 'kernel', 'memcpy')")" "1000|500|worker|runtime|cudaLaunchKernel|0
1800|10000|stream 7|kernel|gemm|0
2000|400|worker|runtime|cudaLaunchKernel|0
2600|1000|stream 13|memcpy|copy|0" "trace: slices have their begin and end, overlapping ones included"
is "$(slices "s.ts between 5000000020000 and 5000000021000")" "20000|300||nvtx|step "$'\xef\xbf\xbd'"|0
20100|100||nvtx|forward|1
20150|0||nvtx|mark|2" "trace: begin and end nest, an instant is inside, invalid UTF-8 is replaced"
is "$(slices "s.name in ('early', 'exec')")" "10|5|renamed||exec|0
100|50|||early|0" "trace: slices late in the file keep their own time"
is "$(sql "select o.name, o.ts - 5000000000000, i.name, i.ts - 5000000000000 from flow
	join slice o on o.id = slice_out join slice i on i.id = slice_in order by 2")" \
	"cudaLaunchKernel|1000|gemm|1800
cudaLaunchKernel|2000|copy|2600" "trace: flows lead from launches to the work launched"
is "$(sql "select s.name, key, int_value, real_value, string_value from args join slice s using (arg_set_id)
	where category in ('kernel', 'memcpy') and key like 'debug.%' order by s.ts, key")" "gemm|debug.grid|||128x1x1
gemm|debug.occupancy||0.75|
gemm|debug.registers|255||
copy|debug.bytes|9223372036854775807||
copy|debug.offset|-4096||" "trace: arguments are integers, real numbers and texts"
is "$(sql "select t.name, unit, ts - 5000000000000, value from counter c join counter_track t on t.id = c.track_id order by ts")" \
	"DRAM read|bytes|30000|-5
SM active|%|30500|99.5
DRAM read|bytes|31000|1.09951e+12
SM active|%|32500|0.25" "trace: counters have units and finite values only"
is "$(sql "select s.name, a.key, a.display_value from slice s join args a using (arg_set_id)
	where s.category = 'audit' and key in ('debug.bound_ns', 'debug.gaps', 'debug.mended', 'debug.events')")" \
	"clock|debug.bound_ns|381
trace|debug.events|20
trace|debug.gaps|1
trace|debug.mended|2" "trace: the audit has its arguments and the numbers of events, gaps and mended texts"
replacement=$'\xef\xbf\xbd'
is "$(sql "select cpu, s.ts - $begin, s.dur, tid, name, end_state, priority from sched s join thread using (utid)
	where tid > 0 order by s.ts")" "3|900|400|101|worker|S|120
3|1300|150|7|other $replacement|R+|-1
1023|1400|1100|101|worker|D|120" "trace: scheduling has each thread's CPU, time, end state and priority"
is "$(sql "select cpu, s.ts - $begin, s.dur from sched s join thread using (utid) where tid = 0 order by s.ts")" "3|1450|-1
1023|2500|-1" "trace: scheduling has the idle CPUs"
is "$(sql "select count(*) from clock_snapshot where snapshot_id = 0 and clock_id in (1, 3, 5, 6)
	and (clock_id = 5 or clock_value > 0)")" 4 "trace: a snapshot has CLOCK_MONOTONIC_RAW and three other clocks"

trace=$tmp/edge.pftrace
"$make" edge "$trace"
ok $? "edge trace: a trace with rare events is written"
is "$(slices "s.track_id = (select min(track_id) from slice) and s.ts < $begin + 1000")" "0|100|9 app: stream 7||outer|0
0|40|9 app: stream 7||inner|1
40|60|9 app: stream 7||next|1
90|10|9 app: stream 7||in next|2
100|50|9 app: stream 7||behind|0
150|0|9 app: stream 7||none|0
150|10|9 app: stream 7||last|0
160|0|9 app: stream 7||none inside|0" "edge trace: slices that touch, begin or end together, or have no length are nested right"
is "$(slices "s.name = 'beside'")" "50|100|9 app: stream 7||beside|0" \
	"edge trace: a slice is on the second of two tracks of one name"
is "$(sql "select count(distinct t.id), count(distinct t.parent_id) from track t join slice s on s.track_id = t.id
	where t.name = '9 app: stream 7'")" "2|1" "edge trace: two tracks of one name are different and have one parent"
is "$(slices "s.ts between $begin + 5000 and $begin + 5099")" "5000|-1|||never ends|0
5000|0|||moment|1
5000|5|||after|1
5000|0|||moment|2
5000|0|||moment|3" "edge trace: an open slice has instants of one time, nested, and a slice"
is "$(sql "select o.name, o.ts - $begin, i.name, i.ts - $begin from flow
	join slice o on o.id = slice_out join slice i on i.id = slice_in order by 2")" "first|1000|first|1100
first|1100|first|1200
second|1300|second|1400
second|1400|second|1500" "edge trace: a flow links three slices, and its number is used again"
is "$(sql "select length(name), category, dur from slice where ts between $begin + 3000 and $begin + 3002 order by ts, dur")" \
	"0||0
16384||1
|no name|1" "edge trace: names may be empty, long or absent"
is "$(sql "select key, display_value, int_value, real_value from args a join slice s using (arg_set_id)
	where ts = $begin + 3000 and key like 'debug.%' order by key")" "debug.a_b_1_|x, y | \"z\" 'w'||
debug.empty|||
debug.least|-9223372036854775808|-9223372036854775808|
debug.small|-0.001||-0.001" "edge trace: arguments keep their values at the limits"
is "$(sql "select t.name, unit, ts - $begin, value from counter c join counter_track t on t.id = c.track_id order by ts")" \
	"deep|ns|3000|-9.22337e+18
deep|ns|3001|0
deep|ns|3002|-0.5" "edge trace: counters keep their values at the limits"

trace=$tmp/long.pftrace
"$make" long "$trace" > "$tmp/flushes"
ok $? "long trace: a trace with many restarts is written"
all="select (select count(*) from slice where category = 'kernel' and dur = 400),
	(select count(*) from slice where name = 'launch' and dur = 300), (select count(*) from flow),
	(select count(*) from counter)"
is "$(sql "$all")" "1000|1000|1000|1000" "long trace: all slices, flows and values are read"
is "$(sql "select count(*) from slice where category = 'kernel'
	and (name <> 'kernel ' || ((ts - 5000000000500) / 1000 % 97) or (ts - 5000000000500) % 1000)")" 0 \
	"long trace: each slice keeps its name and time across restarts"
restarts=$(sql "select max(snapshot_id) + 1 from clock_snapshot")
[ "$restarts" -gt 12 ]
ok $? "long trace: it restarts more than 12 times, as every 10,000 bytes" || diag "$restarts times"

n=0
while read -r length; do
	head -c "$length" "$trace" > "$tmp/cut"
	found=$(tests/unit/trace/trace_sql.py "$tmp/cut" 'select count(*) from counter' 2>&1)
	[ "$found" = $((n++ * 100 + 1)) ] || diag "$length bytes: $found"
done < "$tmp/flushes" 2>&1 | { ! grep .; }
ok $? "long trace: cut at each of $(wc -l < "$tmp/flushes") flushes, it has all events up to there"
for ((i = 1; i <= restarts; i++)); do
	sql "select count(*) > 50 * ($restarts - $i) from counter" --from "$i" | grep -v '^1$' | sed "s/^/restart $i: /"
done > "$tmp/bad"
[ "$restarts" -gt 0 ] && [ ! -s "$tmp/bad" ]
ok $? "long trace: from each restart on, it is read without the packets before" || diag "$(cat "$tmp/bad")"

head -c $(($(head -n 3 "$tmp/flushes" | tail -n 1) - 1)) "$trace" > "$tmp/cut"
trace=$tmp/cut
like "$(sql "$all")" ': a packet that is cut off$' "long trace: trace_sql.py refuses a cut packet"
head -c 5000 "$tmp/long.pftrace" | tail -c +$((1 + $(od -An -tu1 -j1 -N1 "$tmp/long.pftrace") + 2)) > "$tmp/cut"
like "$(sql "$all")" ': a packet before any state$' "long trace: trace_sql.py refuses a packet before any state"
rm -f "$tmp/full" && ln -s /dev/full "$tmp/full"
like "$("$make" long "$tmp/full" 2>&1)" '^trace-make: No space left on device$' "long trace: a full disk is an error of the writer"
trace=$tmp/work.pftrace
"$make" work "$trace"
ok $? "trace: a trace with work and counters of two GPUs is written"
is "$(sql "select g.name, s.name, render_stage_category, count(*), sum(dur) from gpu_slice s join gpu_queue t on t.id = track_id
	join gpu g on g.id = t.ugpu group by 1, 2 order by 1, 2")" \
	"H200|add(float*)|2|500|350000
H200 MIG 1g|add(float*)|2|250|175000
H200 MIG 1g|memcpy HtoD|0|250|175000" "trace: all work is in gpu_slice, with its GPU, name and category, across restarts"
is "$(sql "select gpu, name, vendor, uuid, pci_bdf from gpu order by 1")" \
	"0|H200|NVIDIA|6f2a1c0000014a00800000000000000a|0000:01:00.0
1|H200 MIG 1g|NVIDIA||" "trace: GPUs have UUID and PCI address"
is "$(sql "select key, display_value from args join gpu_slice using (arg_set_id) where ts = $begin + 500 and key in ('kernel_name',
	'kernel_demangled_name', 'arch', 'launch.grid_size.x', 'launch.workgroup_size.x', 'registers_per_thread', 'grid_size',
	'sm__maximum_warps_per_active_cycle_pct', 'description') order by key")" "arch|sm_90
description|kernel
grid_size|256
kernel_demangled_name|add(float*)
kernel_name|_Z3addPf
launch.grid_size.x|256
launch.workgroup_size.x|128
registers_per_thread|32
sm__maximum_warps_per_active_cycle_pct|62.5" "trace: a kernel has its names, its launch and the arguments of its interned entry"
is "$(sql "select key, display_value from args join gpu_slice using (arg_set_id) where ts = $begin + 3500
	and key in ('bytes', 'from', 'description', 'kernel_name') order by key")" "bytes|4096
description|memcpy
from|pinned" "trace: a copy has its bytes and memories"
is "$(sql "select distinct t.name, p.pid, submission_id from gpu_slice s join track t on t.id = track_id join process p using (upid)
	where ts = $begin + 7500")" "100 app: stream 7|100|7" "trace: work has its queue, process and submission"
is "$(sql "select count(*) from flow join slice o on o.id = slice_out join gpu_slice i on i.id = slice_in
	where o.ts + 500 = i.ts and o.name = 'cudaLaunchKernel'")" 998 "trace: an arrow leads from each call to the work that it submits"
is "$(sql "select o.ts - $begin, i.ts - $begin from flow join gpu_slice o on o.id = slice_out join gpu_slice i on i.id = slice_in order by 1")" \
	"1500|2500
2500|3500" "trace: an arrow leads from work to the next work of the same call"
is "$(sql "select distinct pid, api from gpu_context c join gpu_slice using (context_id)")" "100|CUDA" "trace: contexts are of a process and CUDA"
is "$(sql "select gpu_id, t.name, coalesce(unit, '-'), description, group_id, count(*), sum(value) from gpu_counter_track t
	join counter c on c.track_id = t.id join gpu_counter_group g on g.track_id = t.id group by t.id order by 1")" \
	"0|GpuDramBW|GB/s|Bandwidth.|5|500|166333
1|sm__cycles_active.avg|-|[gpc_cycle]|6|500|166834" "trace: counters of GPUs have unit, description, group and values"
is "$(sql "select value from counter c join gpu_counter_track t on t.id = c.track_id where ts = $begin + 8000")" 4 \
	"trace: the value of a counter of a GPU holds from its own time on"
is "$(sql "select count(*) from gpu_slice" --from 3 | awk '{ print ($1 > 0 && $1 < 1000) }')" 1 "trace: work can be read from a restart on"
trace=$tmp/samples.pftrace
"$make" samples "$trace"
ok $? "trace: a trace with samples of two events is written"
is "$(sql "select c.name, c.cpu, count(*), max(v.value) from perf_counter_track c join counter v on v.track_id = -1 - c.id group by 1, 2 order by 1, 2")" \
	"cycles|0|250|2500
cycles|2|250|2500
page-faults|1|250|2500
page-faults|3|250|2500" "trace: samples have their event and CPU, and count up"
is "$(sql "select t.name, p.name, cpu_mode, count(*) from perf_sample s join thread t using (utid) join process p using (upid) group by 3 order by 3")" \
	"worker|app|kernel|100
worker|app|user|900" "trace: samples have their thread, process and mode"
is "$(sql "with recursive up(sample, depth, frame, above) as (
	select s.id, c.depth, c.frame_id, c.parent_id from perf_sample s join stack_profile_callsite c on c.id = s.callsite_id
	where s.ts in ($begin, $begin + 1000) union all
	select sample, c.depth, c.frame_id, c.parent_id from up join stack_profile_callsite c on c.id = above)
	select sample, depth, f.name, m.name, rel_pc from up join stack_profile_frame f on f.id = frame
	join stack_profile_mapping m on m.id = f.mapping order by 1, 2")" \
	"0|0|main|/bin/app|4096
0|1||/[unknown]|153
0|2|solve|/bin/app|4660
0|3|copy_page|/[kernel]|-2130706432
1|0|main|/bin/app|4096
1|1||/[unknown]|153
1|2|solve|/bin/app|4660" "trace: stacks have their functions, files and addresses, the outermost frame first"
is "$(sql "select count(distinct callsite_id) from perf_sample")" 2 "trace: samples after a restart have the stacks of those before"
is "$(sql "select s.ts - $begin, s.name, t.name, group_concat(substr(a.key, 7) || '=' || a.display_value, ' ')
	from slice s join track t on t.id = s.track_id left join (select * from args order by arg_set_id, key) a using (arg_set_id)
	where s.category = 'spe' group by s.id order by s.ts")" \
	"10|DRAM (0xe)|SPE|cpu=3 data=[heap] events=0x16 function=solve home=local CPU memory (node 0) issue=0 latency=513 object=/bin/app op=load pa=0x0 pc=0x401000 tier=DRAM (0xe) translation=7 va=0xffff800012340000
20|branch|SPE|op=branch" "trace: an operation of SPE is named by its tier and has what is known of it"
is "$(sql "select count(*) from perf_sample" --from 3 | awk '{ print ($1 > 0 && $1 < 1000) }')" 1 "trace: samples can be read from a restart on"
done_testing
