#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record: the timeline of a script that stands in for a program with GPUs.
. tests/tools/lib.sh

need tests/unit/trace/activity-script
app=$(realpath "$B/tests/unit/trace/activity-script")
one=GPU-6f2a1c00-0001-4a00-8000-000000000001
two=GPU-6f2a1c00-0002-4a00-8000-000000000002
export GPMU_PLUGINS=$work/plugins
mkdir "$GPMU_PLUGINS"
: > "$GPMU_PLUGINS/libgpmu-inject.so"
trace=$work/trace.pftrace
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL

# script [OPTION...]: records the script on standard input, after the lines that start a process
script() {
	{
		printf '%s\n' "process cupti=130001 driver=13000 text=app" \
			"device device=0 uuid=$one text=NVIDIA%20H200" \
			"device device=1 uuid=$two text=NVIDIA%20H200" \
			"context context=1 device=0 null_stream=7" wait
		cat
	} > "$work/script"
	run gpmu record -o "$trace" --no-cpu-trace "$@" -- "$app" "$work/script"
}

# slices WHERE: ns since the first slice, duration, track, category, name, depth
slices() {
	sql "select s.ts - (select min(ts) from all_slice where category <> 'audit'), s.dur,
		coalesce(k.name, 'thread ' || tid), s.category, s.name, s.depth
		from all_slice s join track k on k.id = s.track_id left join thread_track tt on tt.id = k.id
		left join thread th using (utid) where category <> 'audit' and ($1)
		order by s.ts, s.depth, s.dur desc" | sed -E 's/\|[0-9]+ app: /|app: /'
}

# hex UUID: its bytes as trace_processor shows them
hex() {
	tr -d - <<< "${1#GPU-}"
}

# work_args KIND KEY...: name, key and value of these arguments of work of GPUs
work_args() {
	local kind=$1 keys

	shift
	keys=$(printf "'%s'," "$@")
	sql "select s.name, a.key, a.display_value from all_slice s join args a using (arg_set_id)
		where s.category = '$kind' and a.key in (${keys%,}) order by s.ts, s.name, a.key"
}

# args CATEGORY: name, key, value of each argument
args() {
	sql "select s.name, substr(a.key, 7), a.display_value from slice s join args a using (arg_set_id)
		where s.category = '$1' order by s.ts, s.name, a.key"
}

# --- streams, threads, flows
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
complete time=+20000 memory=6291456
END
is "$rc" 0 "record of a command exits with 0"
like "$err" "^\[ gpmu record: 1 process, 11 records, 0 lost, clock bound [0-9]+ ns -> $trace [0-9]+[.][0-9] KB \]$" "record ends with a line of processes, records, losses, clock bound and size"
is "$(slices 1)" "0|500|thread 77|runtime|cudaLaunchKernel|0
600|7400|thread 77|runtime|cudaMemcpy|0
1000|1000|app: stream 7|kernel|foo(float*, int)|0
2000|800|app: stream 7|memcpy|memcpy HtoD|0
2900|100|app: stream 8|memset|memset|0
3000|4000|app: synchronization|sync|stream|0
4000|1000|app: stream 8|graph|graph 3|0
8100|100|thread 77|driver|cuLaunchKernelEx|0
8300|100|app: stream 7|kernel|plain|0
9000|100|CUPTI|overhead|buffer flush|0" "record has calls on threads, work on streams and demangled names, without driver calls inside runtime calls"
is "$(sql "select distinct g.name, g.uuid, t.name from gpu_slice s join gpu_queue t on t.id = s.track_id join gpu g on g.id = t.ugpu
	order by 2, 3" | sed -E 's/\|[0-9]+ /|PID /')" "NVIDIA H200|$(hex "$one")|PID app: stream 7
NVIDIA H200|$(hex "$one")|PID app: stream 8
NVIDIA H200|$(hex "$two")|PID app: stream 7" "record has streams with their GPU and its UUID"
is "$(work_args kernel kernel_name kernel_demangled_name launch.grid_size.x launch.workgroup_size.y registers_per_thread \
	shared_mem_static shared_mem_dynamic workgroup_size grid_size graph node)" "foo(float*, int)|grid_size|128
foo(float*, int)|kernel_demangled_name|foo(float*, int)
foo(float*, int)|kernel_name|_Z3fooPfi
foo(float*, int)|launch.grid_size.x|128
foo(float*, int)|launch.workgroup_size.y|2
foo(float*, int)|registers_per_thread|32
foo(float*, int)|shared_mem_dynamic|1024
foo(float*, int)|shared_mem_static|16
foo(float*, int)|workgroup_size|512
plain|graph|4
plain|grid_size|0
plain|kernel_demangled_name|plain
plain|kernel_name|plain
plain|launch.grid_size.x|0
plain|launch.workgroup_size.y|0
plain|node|12" "record gives kernels their names, their launch, and the graph that has launched them"
is "$(work_args memcpy bytes from to)" "memcpy HtoD|bytes|4096
memcpy HtoD|from|pinned
memcpy HtoD|to|device" "record gives copies their bytes and both kinds of memory"
is "$(sql "select submission_id from gpu_slice order by ts")" "5
6
8
9
7" "record gives work the number of the call that submitted it"
is "$(args driver)" "cuLaunchKernelEx|correlation|7
cuLaunchKernelEx|result|719" "record gives calls that failed their result"
is "$(sql "select o.name, i.name from flow join slice o on o.id = slice_out join slice i on i.id = slice_in order by o.ts")" \
	"cudaLaunchKernel|foo(float*, int)
cudaMemcpy|memcpy HtoD
cuLaunchKernelEx|plain" "record links calls to the work that they have launched"
like "$(audit gpmu)" "^begin=[0-9]+ command=$app $work/script end=[0-9]+ host=.* kernel=$(uname -r) machine=$(uname -m) memory=[0-9]+ version=gpmu " "record's audit has command, host, kernel, times and gpmu's memory"
like "$(audit process)" "^buffers=6291456 buffers_limit=268435456 cupti=130001 driver=13000 end=closed pid=[0-9]+ program=app$" "record's audit has the process"
is "$(audit causality)" "checked=8 early=0 outside=0 overlap=0" "record's audit has the checks of causality"
like "$(audit source)" "^lost=0 records=11 source=[0-9]+ app$" "record's audit has the records and losses of each source"
is "$(audit gpu)" "gpu=0 name=NVIDIA H200 uuid=$one
gpu=1 name=NVIDIA H200 uuid=$two" "record's audit has name and UUID of each GPU"
is "$(sql "select count(*) from process where name = 'app'")" 1 "record gives the process its name"
script --cuda=driver,runtime << 'END'
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaLaunchKernel
driver begin=+1100 end=+1400 thread=77 correlation=5 name=cuLaunchKernel
complete time=+20000
END
is "$(slices 1)" "0|500|thread 77|runtime|cudaLaunchKernel|0
100|300|thread 77|driver|cuLaunchKernel|1" "record --cuda=driver has driver calls inside runtime calls"

# --- nodes of graphs: node 1 is created in a range, and instantiated as 4294967296
script --graph-nodes << 'END'
marker time=+1000 id=1 thread=77 marker=0 name=layer
marker time=+1100 id=2 thread=77 marker=0 name=inner
node begin=+1200 end=+1200 node=1 thread=77
marker time=+1300 id=2 thread=77 marker=1
marker time=+1400 id=1 thread=77 marker=1
node begin=+1500 end=+1500 node=2 thread=77
node begin=+2000 end=+2000 node=4294967296 original=1 thread=77
node begin=+2000 end=+2000 node=4294967297 original=2 thread=77
node begin=+2000 end=+2000 node=4294967298 original=9 thread=77
kernel begin=+3000 end=+3100 device=0 context=1 stream=7 correlation=5 name=a graph=4 node=4294967296
kernel begin=+3200 end=+3300 device=0 context=1 stream=7 correlation=5 name=b graph=4 node=4294967297
kernel begin=+3400 end=+3500 device=0 context=1 stream=7 correlation=5 name=c graph=4 node=4294967298
complete time=+20000
END
is "$(slices "category in ('node', 'kernel')")" "200|0|thread 77|node|graph node|2
500|0|thread 77|node|graph node|0
2000|100|app: stream 7|kernel|a|0
2200|100|app: stream 7|kernel|b|0
2400|100|app: stream 7|kernel|c|0" "record --graph-nodes has the creation of each node on its thread"
is "$(sql "select s.name, a.key, case a.key when 'created' then a.int_value - (select min(ts) from all_slice where category <> 'audit') else a.string_value end
	from all_slice s join args a using (arg_set_id) where s.category = 'kernel' and a.key like 'created%' order by s.ts, a.key")" \
	"a|created|200
a|created_in|inner
b|created|500" "record --graph-nodes gives work the time at which its node was created, and the NVTX range"
is "$(gpmu report --by node --format csv "$trace" | sed -n 1,5p)" "# gpmu-report-csv 1 nodes
created_in,name,count,nodes,total,min,median,max
,b,1,1,100,100,100,100
,c,1,1,100,100,100,100
inner,a,1,1,100,100,100,100" "report --by node has the work of graphs by the NVTX range that created it"

# --- OpenACC
script --cuda=openacc << 'END'
openacc begin=+1000 end=+5000 thread=77 event=9 line=12 file=a.c function=main
openacc begin=+2000 end=+3000 thread=77 event=5 line=12 file=a.c function=main subject=x bytes=64
openacc begin=+3500 end=+4000 thread=77 event=4 line=12 file=a.c function=main subject=main_12_gpu
openacc begin=+6000 end=+6500 thread=77 event=99
openacc begin=+7000 end=+7500 thread=0 event=9
complete time=+20000
END
is "$(slices 1)" "0|4000|thread 77|openacc|compute construct|0
1000|1000|thread 77|openacc|enqueue upload|1
2500|500|thread 77|openacc|enqueue launch|1
5000|500|thread 77|openacc|OpenACC|0" "record has the operations of OpenACC's runtime inside their construct"
is "$(args openacc)" "compute construct|function|main
compute construct|source|a.c:12
enqueue upload|bytes|64
enqueue upload|function|main
enqueue upload|source|a.c:12
enqueue upload|variable|x
enqueue launch|function|main
enqueue launch|kernel|main_12_gpu
enqueue launch|source|a.c:12" "record gives operations of OpenACC their line, function, kernel and variable"
is "$(gpmu report --by openacc --format csv "$trace" | sed -n 1,6p)" "# gpmu-report-csv 1 openacc
source,name,count,bytes,total,min,median,max
a.c:12,compute construct,1,,4000,4000,4000,4000
a.c:12,enqueue upload,1,64,1000,1000,1000,1000
,OpenACC,1,,500,500,500,500
a.c:12,enqueue launch,1,,500,500,500,500" "report --by openacc has the operations by the line of their construct"
like "$(audit source)" "kind=openacc lost=1 " "record counts an operation of OpenACC without a thread as lost"

# --- modules of kernels
script << 'END'
runtime begin=+1000 end=+9000 thread=77 correlation=5 name=cudaLaunchKernel
module begin=+2000 end=+2100 thread=77 what=3 path=/c/1
module begin=+3000 end=+7000 thread=77 what=1
module begin=+8000 end=+8000 thread=77 what=0 bytes=4096
module begin=+8500 end=+8600 thread=0 what=0
module begin=+8500 end=+8600 thread=77 what=9
complete time=+20000
END
is "$(slices 1)" "0|8000|thread 77|runtime|cudaLaunchKernel|0
1000|100|thread 77|module|load from the cache|1
2000|4000|thread 77|module|compile PTX|1
7000|0|thread 77|module|module loaded|1" "record has operations on modules inside the call that waits for them"
is "$(args module)" "load from the cache|path|/c/1
module loaded|bytes|4096" "record gives operations on modules their path and bytes"
like "$(audit source)" "kind=module lost=1 .*why=records with an impossible process or thread" "record counts an operation on a module without a thread as lost"

# --- several pieces of work of one call
script << 'END'
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaGraphLaunch
kernel begin=+2000 end=+3000 device=0 context=1 stream=7 correlation=5 name=first graph=4 node=12
kernel begin=+2100 end=+2200 device=0 context=1 stream=7 correlation=5 name=second graph=4 node=13
kernel begin=+3000 end=+3800 device=0 context=1 stream=7 correlation=5 name=third graph=4 node=14
kernel begin=+4000 end=+4100 device=0 context=1 stream=7 correlation=0 name=alone
complete time=+20000
END
is "$(sql "select o.name, i.name from flow join slice o on o.id = slice_out join slice i on i.id = slice_in order by i.ts")" \
	"cudaGraphLaunch|first
first|second
second|third" "record links the nodes of a graph to its launch one after the other, and work without a call to none"

# --- records out of order
script << 'END'
kernel begin=+900 end=+1000 device=0 context=1 stream=7 correlation=5 name=early
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaLaunchKernel
runtime begin=+1400 end=+1600 thread=77 correlation=6 name=cudaMalloc
kernel begin=+2000 end=+3000 device=0 context=1 stream=7 correlation=7 name=long
kernel begin=+2500 end=+3500 device=0 context=1 stream=7 correlation=8 name=overlaps
kernel begin=+5000 end=+4000 device=0 context=1 stream=7 correlation=8 name=back
complete time=+20000
END
is "$(audit causality)" "checked=5 early=1 outside=1 overlap=1" "record counts early work, overlapping work and crossing calls in the audit"
is "$(grep -c 'warning: 1 ' <<< "$err")" 3 "record warns of early work, overlapping work and crossing calls"
is "$(slices "s.name in ('overlaps', 'cudaMalloc')")" "500|200|thread 77 (2)|runtime|cudaMalloc|0
1600|1000|app: stream 7|kernel|overlaps|0" "record puts overlapping calls on a second track, and overlapping work on its queue"
like "$(audit source)" "lost=1 records=5 source=[0-9]+ app to=0 why=records with missing or impossible times" "record counts records with impossible times as lost"

# --- records that a timeline cannot represent: each is dropped, and the others are recorded
script << 'END'
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=before
kernel begin=9223372036854775808 end=9223372036854775809 device=0 context=1 stream=7 correlation=5 name=late
kernel begin=+1200 end=18446744073709551615 device=0 context=1 stream=7 correlation=5 name=endless
marker time=9223372036854775808 id=1 thread=77 marker=2 name=mark
note time=9223372036854775808 level=1 text=late
runtime begin=+2000 end=+2500 thread=0 correlation=6 name=nobody
runtime begin=+2000 end=+2500 thread=2147483648 correlation=6 name=nobody
marker time=+2100 id=1 thread=4294967295 marker=2 name=mark
process pid=0 text=zero
process pid=2147483648 text=large
runtime begin=+3000 end=+3500 thread=77 correlation=7 name=after
complete time=+20000
END
is "$rc $(slices 1)" "0 0|500|thread 77|runtime|before|0
2000|500|thread 77|runtime|after|0" "record keeps the other records of a process with impossible times, threads and pids"
is "$(audit source | sed -n 's/.*kind=\([a-z]*\) lost=\([0-9]*\) .*why=records with \(missing\|an\) .*/\1 \2 \3/p' | LC_ALL=C sort | paste -sd';')" \
	"kernel 2 missing;note 1 missing;nvtx 1 an;nvtx 1 missing;process 2 an;runtime 2 an" \
	"record's audit counts records with impossible times and ids"
like "$err" ' 2 records, 9 lost' "record counts records with impossible times and ids as lost"
printf '%s\n' "process pid=0 text=nobody" wait "runtime begin=+1000 end=+1500 thread=77 correlation=5 name=call" "complete time=+20000" > "$work/script"
run gpmu record -o "$trace" -- "$app" "$work/script"
is "$rc $(sql "select s.name, p.name from slice s join thread_track t on t.id = s.track_id join thread using (utid) join process p using (upid)")" \
	"0 call|nobody" "record shows a process that states an impossible pid below a placeholder"

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
# The open range ends with its process.
is "$(slices 1 | sed -E 's/^800\|[0-9]{5,}/800|end/')" "0|600|NVTX|nvtx|outer|0
100|300|thread 77|nvtx|inner|0
200|100|thread 77|runtime|cudaMalloc|1
450|0|thread 77|nvtx|mark|0
500|200|NVTX (2)|nvtx|elsewhere|0
800|end|thread 77|nvtx|open|0" "record nests NVTX ranges on threads, and gives crossing ranges tracks of the process"
is "$(args nvtx)" "inner|domain|lib" "record gives NVTX ranges their domain"
# opens LOST...: the open ranges of two threads that are shown after the loss
opens() {
	script --cuda=nvtx <<- END
	marker time=+1000 id=1 thread=77 marker=0 name=one
	marker time=+1100 id=2 thread=78 marker=0 name=two
	lost from=+1200 to=+1300 count=1 $*
	marker time=+1400 id=3 thread=78 marker=0 name=later
	complete time=+20000
	END
	sql "select name from slice where category = 'nvtx' order by ts" | xargs
}
is "$(opens why=1 kind=15 thread=78)" "one later" "record hides the open ranges of a thread whose lost records may have their ends, and no others"
is "$(opens why=1 kind=15 thread=4294967295)" "one two later" "record shows open ranges if no end of a range is among the lost records"
is "$(opens why=1 kind=8) $(opens why=1 kind=15) $(opens why=0)" "one two later later later" "record hides all earlier open ranges if the lost records may have ends of any thread"

# --- memory
script --cuda=memory,unified << 'END'
memory time=+1000 address=4096 bytes=1000 device=0 memory=3
memory time=+2000 address=8192 bytes=500 device=0 memory=3
memory time=+3000 address=4096 device=0 memory=3 operation=1
memory time=+4000 address=4096 bytes=7 device=0 memory=2
unified begin=+5000 end=+5100 value=65536 address=12288 name=bytes%20HtoD from=4294967295 to=0
complete time=+20000
END
is "$(sql "select t.name, t.unit, c.ts - (select min(ts) from counter), c.value from counter c join counter_track t on t.id = c.track_id order by c.ts")" \
	"memory of GPU 0|bytes|0|1000
memory of GPU 0|bytes|1000|1500
memory of GPU 0|bytes|2000|500" "record counts allocated memory, with the size of a freed address"
is "$(args unified)" "bytes HtoD|address|12288
bytes HtoD|value|65536" "record has transfers of unified memory with address and value"

# --- pinned memory; node 9 does not exist
script --cuda=memory << 'END'
host_memory time=+1000 address=4096 bytes=1000 event=0 memory=2 correlation=7
host_memory time=+2000 address=4096 bytes=600 event=3 memory=2 node=9
host_memory time=+3000 address=4096 event=2 memory=2
host_memory time=+4000 address=4096 event=4
host_memory time=+5000 address=8192 bytes=9 event=3 node=4294967295
host_memory time=+6000 address=8192 bytes=9 event=1 memory=77
unified begin=+7000 end=+7000 value=3 address=8192 name=CPU%20page%20faults from=4294967295 to=4294967295
complete time=+20000
END
is "$(sql "select s.name, group_concat(substr(key, 7) || '=' || coalesce(string_value, int_value), ' ') from slice s join args using (arg_set_id)
	where category in ('host_memory', 'unified') group by s.id order by s.ts")" "allocated|address=4096 bytes=1000 memory=pinned correlation=7
on node|address=4096 bytes=600 node=node 9
freed|address=4096
registered|address=8192 bytes=9 memory=unknown correlation=0
CPU page faults|value=3 address=8192" "record has pinned memory, its nodes, and faults of the host, and skips impossible events and nodes"
is "$(sql "select distinct t.name from slice s join track t on t.id = s.track_id where category in ('host_memory', 'unified')")" "host memory" \
	"record has pinned memory and faults of the host on a track of the process"
is "$(sql "select count(*) from track where name like 'GPU %'")" 0 "record shows no GPU for a fault of the host"

# --- libraries that allocate; memory is freed by any of them
script --cuda=allocator << 'END'
memory time=+1000 address=4096 bytes=1000 device=0 memory=3 source=/lib/liba.so
memory time=+2000 address=8192 bytes=500 device=0 memory=3 source=/opt/libb.so
memory time=+3000 address=12288 bytes=30 device=0 memory=3
memory time=+4000 address=4096 device=0 memory=3 operation=1
memory time=+5000 address=16384 bytes=7 device=0 memory=2 source=/lib/liba.so
memory time=+6000 address=16384 device=0 memory=3 operation=1
complete time=+20000
END
is "$(sql "select t.name, c.value from counter c join counter_track t on t.id = c.track_id order by t.name, c.ts")" "memory of GPU 0|1000
memory of GPU 0|1500
memory of GPU 0|1530
memory of GPU 0|530
memory of GPU 0: liba.so|1000
memory of GPU 0: liba.so|0
memory of GPU 0: libb.so|500" "record --cuda=allocator counts the memory that each library has allocated"

# --- pools of memory: the second one has the address of the first
script --cuda=memory << 'END'
memory time=+1000 address=4096 device=0 memory=3 operation=2 pool=4096 reserved=0 used=0 threshold=64
memory time=+2000 address=8192 bytes=500 device=0 memory=3 pool=4096 reserved=2000 used=500
memory time=+3000 address=9192 bytes=100 device=0 memory=3 pool=4096 reserved=2000 used=600
memory time=+4000 address=8192 device=0 memory=3 operation=1 pool=4096 reserved=2000 used=100
memory time=+4500 address=4096 device=0 memory=3 operation=4 pool=4096 reserved=2000 used=100 threshold=64
memory time=+5000 address=4096 device=0 memory=3 operation=4 pool=4096 reserved=128 used=100 threshold=64
memory time=+6000 address=4096 device=0 memory=3 operation=3 pool=4096 reserved=128 used=0
memory time=+7000 address=9192 bytes=50 device=0 memory=3 pool=4096 reserved=64 used=50
memory time=+8000 address=1 device=0 memory=3 operation=9 pool=4096 reserved=64 used=50
complete time=+20000
END
is "$(sql "select t.name, c.value from counter c join counter_track t on t.id = c.track_id where t.name like 'pool%' order by t.name, c.ts")" \
	"pool 1 of GPU 0: reserved|2000
pool 1 of GPU 0: reserved|128
pool 1 of GPU 0: reserved|0
pool 1 of GPU 0: used|500
pool 1 of GPU 0: used|600
pool 1 of GPU 0: used|100
pool 1 of GPU 0: used|0
pool 2 of GPU 0: reserved|64
pool 2 of GPU 0: used|50" "record counts what each pool has reserved and allocated, when it changes"
is "$(sql "select s.name, t.name from slice s join track t on t.id = s.track_id where s.category = 'pool' order by s.ts")" "pool created|memory pools
pool trimmed|memory pools
pool destroyed|memory pools" "record has operations on pools, except for a synchronization that releases nothing"
is "$(args pool)" "pool created|pool|1
pool created|threshold|64
pool trimmed|pool|1
pool trimmed|threshold|64
pool destroyed|pool|1
pool destroyed|threshold|0" "record gives operations on pools the pool and its threshold"
is "$(gpmu report --by counter --format csv "$trace" | grep -c 'pool [12] of GPU 0: \(reserved\|used\),[0-9]* app,')" 4 "report has each pool's counters as those of its process"

# --- losses, notes, exit statuses
script << 'END'
lost from=+10 to=+20 count=5 why=1
lost from=+15 to=+30 count=2 why=1
lost from=+15 to=+40 count=3 why=1 kind=8
lost from=+15 to=+40 count=4 why=0
note time=+100 level=1 text=torch.profiler%20is%20on
runtime begin=+1000 end=+1500 thread=77 correlation=5 name=cudaMalloc
exit 3
END
is "$rc" 3 "record exits with the command's status"
like "$(audit source)" "^from=[0-9]+ lost=7 records=1 source=[0-9]+ app to=[0-9]+ why=the channel was full" "record's audit has the losses of a source and their reason"
like "$(audit source)" "^from=[0-9]+ kind=kernel lost=3 records=1 source=[0-9]+ app to=[0-9]+ why=the channel was full" \
	"record's audit has the losses of each kind of record apart"
like "$(audit source)" "^from=[0-9]+ lost=4 .* why=CUPTI had no buffer [(]--cuda-buffers[)]" "record's audit names the option that prevents a loss"
like "$err" "1 record, 14 lost" "record ends with the number of lost records"
like "$err" "^gpmu record: warning: [0-9]+ app: torch.profiler is on$" "record prints the note of a process as a warning"
like "$(audit note)" "level=warning pid=[0-9]+ text=torch.profiler is on" "record's audit has the note of a process"
like "$(audit process)" "end=vanished" "record marks a process that exits without closing its channel as vanished"
expect 0 gpmu report "$trace"
like "$out" "3 kernel lost of 4: the channel was full" "report has the losses of each kind of record apart"
script << 'END'
lost from=+15 to=+40 count=2 why=0
kernel begin=+1000 end=+1100 device=0 context=1 stream=7 correlation=5 name=foo
calls called0=7 called1=4 outside1=1
END
# calls: prints the values of the audit's "calls" of each kind
calls() {
	audit calls | grep -oE '(called|delivered|dropped|kind|lost|outside)=[a-z0-9]*' | cut -d= -f2 | xargs -n 6
}
is "$(calls)" "7 1 2 kernel 4 0
4 0 2 memcpy 3 1" "record counts calls without a record as lost, except for records that CUPTI has reported as dropped"
like "$err" " 1 record, 9 lost" "the last line of record includes calls without a record in the number of lost records"
script << 'END'
kernel begin=+1000 end=+1100 device=0 context=1 stream=7 correlation=5 name=foo
kernel begin=+1200 end=+1300 device=0 context=1 stream=7 correlation=6 name=foo
calls called0=1
END
is "$(calls)" "2 2 0 kernel 0 0" "record counts a call for a record that arrived although its call was not counted"
script << 'END'
kernel begin=+1000 end=+1100 device=0 context=1 stream=7 correlation=5 name=foo
calls called0=1 unsure0=3
END
like "$(audit calls)" 'called=1 delivered=1 .*lost=0 .*unsure=3' "record counts no loss of calls while recording began or ended"
script <<< 'kill'
is "$rc" 137 "record of a killed process exits with 137"
run gpmu record -o "$trace" --no-cpu-trace -- true
is "$rc" 0 "record of a command without CUDA exits with 0"
like "$err" "warning: 0 processes connected: .*sudo" "record warns that no process has connected, with possible causes"
is "$(audit note)" "level=warning text=0 processes connected" "record's audit has the note that no process has connected"
at superchip gpmu record -o "$trace" -- true 2> "$work/err"
unlike "$(< "$work/err")" "connected" "record on a machine without GPUs does not warn of a command without CUDA"
at gh200 gpmu record -o "$trace" -- true 2> "$work/err"
like "$(< "$work/err")" "warning: 0 processes connected" "record on a machine with a GPU warns of a command without CUDA"
"$top/tests/gpu/tally.py" "$trace" > "$work/tally" 2>&1 && grep -q '^moment counters ' "$work/tally"
ok $? "tally.py reads the audit of counters, whose values are text and real numbers" || diag "$(< "$work/tally")"
expect 0 gpmu record -o "$trace" --no-cuda-trace -e task-clock -- true
unlike "$err" "connected" "record --no-cuda-trace does not warn that no process has connected"
run gpmu record -o "$trace" -- /nonexistent
is "$rc" 127 "record of a command that does not exist exits with 127"
ls "$trace" 2> /dev/null >&2 && "$top/tests/unit/trace/trace_sql.py" "$trace" "select 1" > /dev/null
ok $? "record of a command that does not exist leaves the old trace as it was"
expect 127 gpmu record -o "$work/typed" -- /nonexistent
[ ! -e "$work/typed" ]
ok $? "record of a command that does not exist creates no trace"
expect 0 gpmu record -o "$trace" -- printenv GPMU_CHANNEL
like "$out" '^gpmu-[0-9a-f]{16}-[0-9]+-[0-9a-f]+$' "record gives the command the name of a socket, a descriptor and its cookie in GPMU_CHANNEL"

# --- the threads and counters that every command has
expect 0 gpmu record -o "$trace" -- sh -c 'sleep 0.1; sleep 0.1'
like "$err" '^\[ gpmu record: 3 threads, [0-9,]+ records, 0 lost -> ' "record of a command without CUDA ends with its threads, and without a warning"
is "$(grep -c warning <<< "$err")" 0 "record of a command without CUDA and of a machine without GPUs prints no warning"
like "$(sql "select thread.name, count(distinct tid), max(end_state) from sched join thread using (utid) join process using (upid)
	where thread.name in ('sh', 'sleep') group by thread.name")" '^sh[|]1[|]X
sleep[|]2[|]X$' "record has the threads of a command, with their names and ends"
is "$(sql "select t.name from counter_track t join track p on p.id = t.parent_id where p.name = 'command' order by 1")" "page-faults
task-clock" "record of a command counts task-clock and page-faults"
report=$(gpmu report "$trace")
is "$(grep -E '^[a-zA-Z]' <<< "$report")" "counters
threads
audit" "report of a command without CUDA omits empty tables"
gpmu report --by thread --format csv "$trace" | awk -F , -v wall="$(sql "select max(case key when 'debug.end' then int_value end) -
	max(case key when 'debug.begin' then int_value end) from slice s join args using (arg_set_id) where s.name = 'gpmu'")" \
	'NR > 2 { run += $6; if ($8 > wait) wait = $8; n += $1 == "sleep" && $2 == "sleep" && $8 >= 1e8; cpus += $12 != "" }
	END { exit !(NR == 5 && run > 0 && run < wall && wait >= 2e8 && wait < wall && n == 2 && cpus == 3) }'
ok $? "report has how long each thread of a command ran and waited" || diag "$report"
expect 0 gpmu record -o "$trace" --no-cpu-trace -e page-faults -- true
is "$(sql "select count(*) from sched") $(sql "select count(*) from counter_track")" "0 1" "record --no-cpu-trace records neither threads nor the default counters"
expect 125 gpmu record --no-cuda-trace --no-cpu-trace -- true
like "$err" 'nothing to record' "record --no-cuda-trace --no-cpu-trace of a command without anything else is refused"

# --- counters
expect 0 gpmu record -o "$trace" --no-cuda-trace -I 20 -e task-clock,page-faults -- \
	bash -c 'for ((i = 0; i < 100000; i++)); do :; done; (sleep 0.5)'
is "$(sql "select distinct p.name, t.name, t.unit from counter_track t join track p on p.id = t.parent_id order by 2")" \
	"command|page-faults|
command|task-clock|msec" "record -e has counters of the command"
[ "$(sql "select count(*) from counter_track t join counter c on c.track_id = t.id where t.name = 'task-clock'")" -ge 8 ]
ok $? "record -e has a value for each interval"
like "$(audit counters)" "^counter=task-clock gaps=[0-9]+ kind=total of=command share=1.0$" \
	"record -e has the counter's target, share of time and kind in the audit"
# An interval that no other interval follows has its value twice, at its begin and at its end.
spent=$(sql "select sum(value) from (select distinct value from counter c join counter_track t on t.id = c.track_id
	where t.name = 'task-clock')")
total=$(gpmu report --by counter --format csv "$trace" | awk -F , '$1 == "task-clock" && $2 == "command" { print $8 }')
awk -v total="$total" -v spent="$spent" 'BEGIN { exit !(total && (total - spent) ^ 2 < 1e-4) }'
ok $? "report --by counter adds up the total that was counted"
# rows NAME: the number of tracks with this name, and whether a track has two values at one time
rows() {
	sql "select count(distinct t.id) || ' ' || (count(distinct t.id || ' ' || ts) < count(*))
		from counter c join counter_track t on t.id = c.track_id where t.name = '$1'"
}
cat > "$work/same.json" << 'END'
[ { "MetricName": "page-faults", "MetricExpr": "context\\-switches", "BriefDescription": "Named as an event" } ]
END
expect 0 gpmu record -o "$trace" --no-cuda-trace -I 20 --events "$work/same.json" -M page-faults -e page-faults -- sleep 0.1
is "$(rows page-faults)" "2 0" "record has tracks of their own for an event and a metric of the same name"
expect 0 gpmu record -o "$trace" --no-cuda-trace -I 20 -e task-clock -e task-clock -- sleep 0.1
is "$(rows task-clock)" "2 0" "record has tracks of their own for an event that is requested twice"
# The command sleeps for most of the time, so rates of its running time would be many times larger.
cat > "$work/faults.json" << 'END'
[ { "MetricName": "FaultRate", "MetricExpr": "page\\-faults / duration_time", "BriefDescription": "Faults per second" } ]
END
expect 0 gpmu record -o "$trace" --no-cuda-trace -e page-faults --events "$work/faults.json" -M FaultRate -- sh -c 'sleep 0.3; sleep 0.3'
unlike "$(gpmu report --by counter "$trace")" 'gaps' "record has no gaps in the counters of a command that sleeps"
gpmu report --by counter --format csv "$trace" |
	awk -F , '$1 == "page-faults" { rate = $9; counted = $10 } $1 == "FaultRate" { mean = $4 }
		END { exit !(counted > 0.9 && mean > rate * 0.95 && mean < rate * 1.05) }'
ok $? "record has rates and metrics of the time that passed, not of the time that the command ran"
GPMU_PLUGINS=$(realpath "$B") run gpmu record -o "$trace" --no-cuda-trace "$model" -a -M GraceMemBW -I 20 --duration 0.1
is "$rc" 0 "record -a -M without a command exits with 0"
like "$(sql "select p.name || ' ' || t.name || ' ' || t.unit from counter_track t join track p on p.id = t.parent_id")" \
	"^(machine|node 0) GraceMemBW GB/s$" "record -a -M puts the counter on the machine's or node's track"
like "$(audit counters)" "kind=mean of=(machine|node 0) " "record -a -M marks a metric as a mean"
# --- counters of each CPU, node, socket, die and core

# parents: the targets of counters, each with the names and units of its counters
parents() {
	sql "select p.name, group_concat(t.name || ' ' || t.unit, ', ') from (select * from counter_track order by name) t
		join track p on p.id = t.parent_id group by p.name order by p.name"
}
# online: the numbers of the CPUs
online() {
	tr , '\n' < /sys/devices/system/cpu/online | while IFS=- read -r from to; do seq "$from" "${to:-$from}"; done
}
# topology FORMAT FILE...: the values of the kernel's topology of each CPU, as printf prints them
topology() {
	local format=$1 cpu file values

	shift
	for cpu in $(online); do
		values=()
		for file; do
			values+=("$(cat "/sys/devices/system/cpu/cpu$cpu/topology/$file" 2> /dev/null || echo 0)")
		done
		# shellcheck disable=SC2059 # a format
		printf "$format\n" "${values[@]}"
	done | sort -u
}
cat > "$work/rate.json" << 'END'
[ { "MetricName": "SwitchRate", "MetricExpr": "context\\-switches / task\\-clock", "ScaleUnit": "1e9/s", "BriefDescription": "Switches" } ]
END
expect 0 gpmu record -o "$trace" --events "$work/rate.json" -a -A -I 20 -M SwitchRate -e task-clock --duration 0.2
is "$(parents)" "$(online | sed 's/.*/CPU &|SwitchRate \/s, task-clock msec/' | sort)" "record -a -A has a track of each event and metric for each CPU"
is "$(gpmu report --by counter --format csv "$trace" |
	awk -F , '$1 == "task-clock" && $8 > 150 && $9 > 980 && $9 < 1020 { print $2 } $1 == "SwitchRate" && $4 != "" { print $2 }' | sort)" \
	"$(online | sed 's/.*/CPU &/; p' | sort)" "report has the total of an event and the mean of a metric of each CPU"
is "$(audit counters | sed -n 's/.*counter=task-clock .* of=\(.*\) share=.*/\1/p' | sort)" "$(online | sed 's/.*/CPU &/' | sort)" \
	"record -A has the CPU of each counter in the audit"
last=$(online | tail -n 1)
expect 0 gpmu record -o "$trace" -a -A -e page-faults -- taskset -c "$last" sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
[ "$(gpmu report --by counter --format csv "$trace" | awk -F , -v of="CPU $last" '$2 == of { print int($8) }')" -ge 500 ]
ok $? "record -A has the counts of a command on the CPU that it ran on" || diag "$(gpmu report --by counter "$trace")"
GPMU_PLUGINS=$(realpath "$B") expect 0 gpmu record -o "$trace" "$model" -a -A -I 20 -M GraceMemBW -e cpu-clock --duration 0.1
is "$(parents)" "$({ online | sed 's/.*/CPU &|cpu-clock msec/'; echo 'node 0|GraceMemBW GB/s'; echo 'node 1|GraceMemBW GB/s'; } | sort)" \
	"record -A has the PMUs outside the cores for each node"
GPMU_PLUGINS=$(realpath "$B") expect 0 gpmu record -o "$trace" "$model" --no-cuda-trace --per-node -I 20 -M GraceMemBW -- sleep 0.1
is "$(gpmu report --by counter --format csv "$trace" | awk -F , '$1 == "GraceMemBW" { printf "%s %.1f\n", $2, $4 }')" "node 0 131.5
node 1 59.2" "record --per-node of a command has the PMUs outside the cores for each node"
# Without a PMU of the cores, cycles are not counted on any CPU, and page-faults are.
expect 0 gpmu record -o "$trace" -a -A -e cycles,page-faults --duration 0.1
unlike "$err" 'cycles, cycles' "record -A names an event that is not recorded once, and not for each CPU"
expect 0 gpmu record -o "$trace" -a --per-socket -e cpu-clock --duration 0.1
is "$(parents)" "$(topology 'socket %d|cpu-clock msec' physical_package_id)" "record --per-socket has a track for each socket"
expect 0 gpmu record -o "$trace" -a --per-die -e cpu-clock --duration 0.1
is "$(parents)" "$(topology 'die S%d-D%d|cpu-clock msec' physical_package_id die_id)" "record --per-die has a track for each die"
expect 0 gpmu record -o "$trace" -a --per-core -e cpu-clock --duration 0.1
is "$(parents)" "$(topology 'core S%d-D%d-C%d|cpu-clock msec' physical_package_id die_id core_id)" "record --per-core has a track for each core"
expect 0 gpmu record -o "$trace" -A -e cpu-clock --duration 0.1
is "$(parents)" "$(online | sed 's/.*/CPU &|cpu-clock msec/' | sort)" "record -A without a command is system-wide"
run gpmu record -o "$work/none" -A -e task-clock -- true
is "$rc $err" "125 gpmu record: -A needs -a" "record -A of a command is refused"
run gpmu record -o "$work/none" -A -e task-clock -p $$
is "$rc $err" "125 gpmu record: -A needs -a" "record -A -p is refused"
run gpmu record -o "$work/none" -a -A --per-node -e task-clock -- true
is "$rc $err" "125 gpmu record: -A and --per-node: choose one" "record with two ways to separate CPUs is refused"
run gpmu record -o "$work/none" --per-node --no-cuda-trace -- true
is "$rc $err" "125 gpmu record: --per-node: task-clock counts tasks, not CPUs: add -a" "record --per-node of the events of a command is refused"
[ ! -e "$work/none" ]
ok $? "record that is refused leaves no trace"
done_testing
