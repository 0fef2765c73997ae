#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record: what is on the timeline, of a script that stands for a program with GPUs.
. tests/tools/lib.sh

make -s "B=$B" "$B/tests/unit/trace/activity-script" >&2 || bail "no activity-script"
app=$(realpath "$B/tests/unit/trace/activity-script")
one=GPU-6f2a1c00-0001-4a00-8000-000000000001
two=GPU-6f2a1c00-0002-4a00-8000-000000000002
export GPMU_PLUGINS=$work/plugins
mkdir "$GPMU_PLUGINS"
: > "$GPMU_PLUGINS/libgpmu-inject.so"
trace=$work/trace.pftrace
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL

# script [OPTION...]: records standard input as a script, without what is above
script() {
	{
		printf '%s\n' "process cupti=130001 driver=13000 text=app" \
			"device device=0 uuid=$one text=NVIDIA%20H200" \
			"device device=1 uuid=$two text=NVIDIA%20H200" \
			"context context=1 device=0 null_stream=7" wait
		cat
	} > "$work/script"
	run gpmu record -o "$trace" "$@" -- "$app" "$work/script"
}

# slices WHERE: ns since the first, duration, track, category, name, depth
slices() {
	sql "select s.ts - (select min(ts) from slice where category <> 'audit'), s.dur,
		coalesce(k.name, 'thread ' || tid), s.category, s.name, s.depth
		from slice s join track k on k.id = s.track_id left join thread_track tt on tt.id = k.id
		left join thread th using (utid) where category <> 'audit' and ($1)
		order by s.ts, s.depth, s.dur desc" | sed -E 's/\|[0-9]+ app: /|app: /'
}

# args CATEGORY: name, key, value
args() {
	sql "select s.name, substr(a.key, 7), a.display_value from slice s join args a using (arg_set_id)
		where s.category = '$1' order by s.ts, s.name, a.key"
}

# --- streams, threads, arrows
script << 'END'
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaLaunchKernel
driver begin=+1100 end=+1400 thread=77 correlation=5 name=cuLaunchKernel
runtime begin=+1600 end=+9000 thread=77 correlation=6 name=cudaMemcpy
driver begin=+9100 end=+9200 thread=77 correlation=7 name=cuLaunchKernelEx result=719
kernel begin=+2000 end=+3000 device=0 context=1 stream=7 correlation=5 name=_Z3fooPfi grid=128,1,1 block=256,2,1 registers=32 shared_static=16 shared_dynamic=1024
copy begin=+3000 end=+3800 device=0 context=1 stream=7 correlation=6 bytes=4096 copy=1 from=2 to=3
set begin=+3900 end=+4000 device=0 context=1 stream=8 correlation=8 bytes=64 value=255
graph begin=+5000 end=+6000 device=0 context=1 stream=8 correlation=9 graph=3
kernel begin=+9300 end=+9400 device=1 context=2 stream=7 correlation=7 name=plain graph=4 node=12
sync begin=+4000 end=+8000 context=1 stream=7 correlation=10 sync=3
overhead begin=+10000 end=+10100 thread=78 name=buffer%20flush
complete time=+20000
END
is "$rc" 0 "a command is recorded"
like "$err" "^\[ gpmu record: 1 process, 11 records, 0 lost, clock bound [0-9]+ ns -> $trace [0-9]+[.][0-9] KB \]$" "its end is said in a line"
is "$(slices 1)" "0|500|thread 77|runtime|cudaLaunchKernel|0
600|7400|thread 77|runtime|cudaMemcpy|0
1000|1000|app: stream 7|kernel|foo(float*, int)|0
2000|800|app: stream 7|memcpy|memcpy HtoD|0
2900|100|app: stream 8|memset|memset|0
3000|4000|app: synchronization|sync|stream|0
4000|1000|app: stream 8|graph|graph 3|0
8100|100|thread 77|driver|cuLaunchKernelEx|0
8300|100|app: stream 7|kernel|plain|0
9000|100|CUPTI|overhead|buffer flush|0" "calls on threads, work on streams, names as they were written; the driver's calls within the runtime's are not there"
is "$(sql "select distinct p.name, t.name from track t join track p on p.id = t.parent_id where t.name glob '*stream*' order by 1" | sed -E 's/\|[0-9]+ /|PID /')" \
	"GPU 0: NVIDIA H200 ($one)|PID app: stream 7
GPU 0: NVIDIA H200 ($one)|PID app: stream 8
GPU 1: NVIDIA H200 ($two)|PID app: stream 7" "streams are below their GPU"
is "$(args kernel)" "foo(float*, int)|block|256x2x1
foo(float*, int)|correlation|5
foo(float*, int)|grid|128x1x1
foo(float*, int)|registers|32
foo(float*, int)|shared|1040
plain|block|0x0x0
plain|correlation|7
plain|graph|4
plain|grid|0x0x0
plain|node|12
plain|registers|0
plain|shared|0" "kernels have their launch, and the graph that they are of"
is "$(args memcpy)" "memcpy HtoD|bytes|4096
memcpy HtoD|correlation|6
memcpy HtoD|from|pinned
memcpy HtoD|to|device" "copies their bytes, from where and where to"
is "$(args driver)" "cuLaunchKernelEx|correlation|7
cuLaunchKernelEx|result|719" "calls what they returned, if that is an error"
is "$(sql "select o.name, i.name from flow join slice o on o.id = slice_out join slice i on i.id = slice_in order by o.ts")" \
	"cudaLaunchKernel|foo(float*, int)
cudaMemcpy|memcpy HtoD
cuLaunchKernelEx|plain" "arrows lead from calls to what they have launched"
like "$(audit gpmu)" "^begin=[0-9]+ command=$app $work/script end=[0-9]+ host=.* kernel=$(uname -r) machine=$(uname -m) version=gpmu " "the audit: what was recorded"
like "$(audit process)" "^cupti=130001 driver=13000 end=closed pid=[0-9]+ program=app$" "... the process"
is "$(audit causality)" "checked=8 early=0 outside=0 overlap=0" "... that causes come first"
like "$(audit source)" "^lost=0 records=11 source=[0-9]+ app$" "... that nothing is lost"
is "$(audit gpu)" "gpu=0 name=NVIDIA H200 uuid=$one
gpu=1 name=NVIDIA H200 uuid=$two" "... and the GPUs"
is "$(sql "select count(*) from process where name = 'app'")" 1 "the process has its name"
script --cuda=driver,runtime << 'END'
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaLaunchKernel
driver begin=+1100 end=+1400 thread=77 correlation=5 name=cuLaunchKernel
complete time=+20000
END
is "$(slices 1)" "0|500|thread 77|runtime|cudaLaunchKernel|0
100|300|thread 77|driver|cuLaunchKernel|1" "the driver's calls are there for who asks for them"

# --- what is not in order
script << 'END'
kernel begin=+900 end=+1000 device=0 context=1 stream=7 correlation=5 name=early
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaLaunchKernel
runtime begin=+1400 end=+1600 thread=77 correlation=6 name=cudaMalloc
kernel begin=+2000 end=+3000 device=0 context=1 stream=7 correlation=7 name=long
kernel begin=+2500 end=+3500 device=0 context=1 stream=7 correlation=8 name=overlaps
kernel begin=+5000 end=+4000 device=0 context=1 stream=7 correlation=8 name=back
complete time=+20000
END
is "$(audit causality)" "checked=5 early=1 outside=1 overlap=1" "work before its call, over what is before it, and calls that cross are counted"
is "$(grep -c 'warning: 1 ' <<< "$err")" 3 "and said"
like "$(slices "s.name in ('overlaps', 'cudaMalloc')")" "^500[|]200[|]thread 77 [(]2[)][|]runtime[|]cudaMalloc[|]0
1600[|]1000[|]app: stream 7 [(]2[)][|]kernel[|]overlaps[|]0$" "they go to second tracks, where they are"
like "$(audit source)" "lost=1 records=6 source=[0-9]+ app to=[0-9]+ why=records without times" "times that cannot be are lost records"

# --- NVTX
script << 'END'
marker time=+1000 id=1 thread=77 marker=0 name=outer
marker time=+1100 id=2 thread=77 marker=0 name=inner domain=lib
runtime begin=+1200 end=+1300 thread=77 correlation=5 name=cudaMalloc
marker time=+1400 id=2 thread=77 marker=1
marker time=+1450 id=9 thread=77 marker=2 name=mark
marker time=+1500 id=3 thread=77 marker=0 name=elsewhere
marker time=+1600 id=1 thread=77 marker=1
marker time=+1700 id=3 thread=78 marker=1
marker time=+1800 id=4 thread=77 marker=0 name=open
marker time=+1900 id=77 thread=77 marker=1
complete time=+20000
END
is "$(slices 1)" "0|600|NVTX|nvtx|outer|0
100|300|thread 77|nvtx|inner|0
200|100|thread 77|runtime|cudaMalloc|1
450|0|thread 77|nvtx|mark|0
500|200|NVTX (2)|nvtx|elsewhere|0
800|-1|thread 77|nvtx|open|0" "ranges nest on their thread; those that cross, or end on another, have tracks of the process"
is "$(args nvtx)" "inner|domain|lib" "domains are said"

# --- memory
script --cuda=memory,unified << 'END'
memory time=+1000 address=4096 bytes=1000 device=0 memory=3
memory time=+2000 address=8192 bytes=500 device=0 memory=3
memory time=+3000 address=4096 device=0 memory=3 frees=1
memory time=+4000 address=4096 bytes=7 device=0 memory=2
unified begin=+5000 end=+5100 value=65536 address=12288 name=bytes%20HtoD from=4294967295 to=0
complete time=+20000
END
is "$(sql "select t.name, t.unit, c.ts - (select min(ts) from counter), c.value from counter c join counter_track t on t.id = c.track_id order by c.ts")" \
	"memory of GPU 0|bytes|0|1000
memory of GPU 0|bytes|1000|1500
memory of GPU 0|bytes|2000|500" "what is allocated, by what is given back too"
is "$(args unified)" "bytes HtoD|address|12288
bytes HtoD|value|65536" "unified memory"

# --- losses, notes, ends
script << 'END'
lost from=+10 to=+20 count=5 why=1
lost from=+15 to=+30 count=2 why=1
note time=+100 level=1 text=torch.profiler%20is%20on
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaMalloc
exit 3
END
is "$rc" 3 "the exit status is the command's"
like "$(audit source)" "lost=7 records=1 source=[0-9]+ app to=[0-9]+ why=the channel was full" "what was lost is in the audit, and why"
like "$err" "1 records, 7 lost" "... and at the end"
like "$err" "^gpmu record: warning: [0-9]+ app: torch.profiler is on$" "what a process has to say is said"
like "$(audit note)" "level=warning pid=[0-9]+ text=torch.profiler is on" "... and in the trace"
like "$(audit process)" "end=vanished" "a process that has said nothing at its end"
script <<< 'kill'
is "$rc" 137 "a process that is killed"
run gpmu record -o "$trace" -- true
is "$rc" 0 "a command without CUDA"
like "$err" "warning: 0 processes connected: .*sudo" "is no empty trace without a word"
is "$(audit note)" "level=warning text=0 processes connected" "... which the trace has too"
run gpmu record -o "$trace" --no-cuda-trace -e task-clock -- true
unlike "$err" "connected" "nor is one who did not want that told of it"
run gpmu record -o "$trace" -- /nonexistent
is "$rc" 127 "a command that there is not"
ls "$trace" 2> /dev/null >&2 && "$top/tests/unit/trace/trace_sql.py" "$trace" "select 1" > /dev/null
ok $? "leaves the trace as it was"
run gpmu record -o "$work/typed" -- /nonexistent
[ ! -e "$work/typed" ]
ok $? "... and none where there was none"
run gpmu record -o "$trace" -- printenv GPMU_CHANNEL
like "$out" "^/.*/gpmu-......\$" "a command gets a folder"
[ -n "$out" ] && [ ! -e "$out" ]
ok $? "which does not stay behind"

# --- counters
run gpmu record -o "$trace" --no-cuda-trace -I 20 -e task-clock,page-faults -- \
	bash -c 'for ((i = 0; i < 100000; i++)); do :; done; (sleep 0.5)'
is "$(sql "select distinct p.name, t.name, t.unit from counter_track t join track p on p.id = t.parent_id order by 2")" \
	"command|page-faults|
command|task-clock|msec" "counters of the command"
[ "$(sql "select count(*) from counter_track t join counter c on c.track_id = t.id where t.name = 'task-clock'")" -ge 8 ]
ok $? "a value for each interval"
like "$(audit counters)" "^counter=task-clock gaps=[0-9]+ kind=total of=command share=1.0$" \
	"with the share of the time that it was counted, of what, and that it is a total"
# What is there twice is where an interval ends that no other one follows.
spent=$(sql "select sum(value) from (select distinct value from counter c join counter_track t on t.id = c.track_id
	where t.name = 'task-clock')")
total=$(gpmu report --by counter --format csv "$trace" | awk -F , '$1 == "task-clock" && $2 == "command" { print $8 }')
awk -v total="$total" -v spent="$spent" 'BEGIN { exit !(total && (total - spent) ^ 2 < 1e-4) }'
ok $? "gpmu report adds up what was counted"
GPMU_PLUGINS=$(realpath "$B") run gpmu record -o "$trace" --no-cuda-trace "$model" -a -M GraceMemBW -I 20 --duration 0.1
is "$rc" 0 "counters of a machine without a command"
like "$(sql "select p.name || ' ' || t.name || ' ' || t.unit from counter_track t join track p on p.id = t.parent_id")" \
	"^(machine|node 0) GraceMemBW GB/s$" "... on its track"
like "$(audit counters)" "kind=mean of=(machine|node 0) " "a metric is no total"
done_testing
