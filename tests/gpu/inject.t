#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libgpmu-inject.so in a program on the fake of CUPTI: records of each kind, lost records and notes, capture ranges, and
# every way in which a process can end. The fake reports calls that the real CUPTI would crash at; no case may cause one.

. tests/lib/tap.sh

build=${BUILD:-build}
fake=$build/tests/gpu/fake
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
out=$tmp/out
export GPMU_CUDA=$fake
export CUDA_INJECTION64_PATH=$PWD/$build/libgpmu-inject.so NVTX_INJECTION64_PATH=$PWD/$build/libgpmu-inject.so

# run FAKE SETTINGS WORD...: runs the program with these words; its records are in $out
run() {
	local settings=$2

	GPMU_FAKE="inject=1 $1"
	export GPMU_FAKE
	shift 2
	# shellcheck disable=SC2086 # settings are words
	timeout 600 "$build/tests/unit/trace/activity-dump" $settings -- "$fake/program" "$@" > "$out" 2>&1
	grep '^# fake' "$out" | sed 's/^/#/'
	violations=$((violations + $(grep -c '^# fake' "$out")))
}
violations=0

# n KIND [PATTERN]: the number of records
n() {
	grep "^$1 " "$out" | grep -c -- "${2-}"
}

# member KIND MEMBER: its values, with blanks between them
member() {
	grep "^$1 " "$out" | grep -oE " $2=[^ ]*" | cut -d= -f2 | xargs
}

# distinct KIND MEMBER: its distinct values, with blanks between them
distinct() {
	member "$1" "$2" | tr ' ' '\n' | sort -un | xargs
}

# line KIND: the first record without its times
line() {
	grep -m1 "^$1 " "$out" | sed -E 's/ (begin|end|time|thread|pid|parent)=[0-9]+//g'
}

# calls PREFIX: the numbers of calls: kernels, copies, memsets, graphs
calls() {
	grep -m1 '^calls ' "$out" | grep -oE " $1[0-3]=[0-9]*" | cut -d= -f2 | xargs
}

lost() {
	member lost count | tr ' ' '\n' | awk '{ n += $1 } END { print n + 0 }'
}

# Each kind of record
run '' '' init context=0 kernel=foo copy=100 peer=50 set=7 push=step graph=2 pop mark=x sync memory=100 memory=-64 \
	overhead=2 external=5 kernel=foo ask sleep=500 environment=1980 unified=4096
work='device=0 context=1 stream=7'
is "$(line process)" "process cupti=130001 driver=13000 text=program" "the first record is the process"
is "$(line device)" "device device=0 major=9 minor=0 multiprocessors=132 warps=64 blocks=32 registers=65536 shared=233472 uuid=GPU-6f2a1c00-0001-4a00-8000-000000000001 text=NVIDIA H200" "a device has a record with its limits, UUID and name"
is "$(line context)" "context context=1 device=0 null_stream=7" "a context has a record with its null stream"
is "$(line kernel)" "kernel $work correlation=1 graph=0 node=0 name=foo grid=4,2,1 block=128,1,1 registers=32 shared_static=1024 shared_dynamic=2048" "a kernel has a record with its launch parameters"
is "$(line runtime)" "runtime correlation=1 name=cudaLaunchKernel result=0" "a call has a record without the version suffix of its name"
is "$(line copy)" "copy $work correlation=2 graph=0 node=0 bytes=100 copy=1 from=2 to=3 peer=0" "a copy has a record with its bytes"
is "$(grep '^copy' "$out" | tail -1 | grep -o 'bytes=.*')" "bytes=50 copy=10 from=3 to=3 peer=1" "a copy to another GPU is marked as a peer copy"
is "$(line set)" "set $work correlation=4 graph=0 node=0 bytes=7 value=255 memory=3" "a memset has a record with its value"
is "$(line graph)" "graph $work correlation=5 graph=3 node=0" "a graph launch is one record"
is "$(line sync)" "sync context=1 stream=4294967295 correlation=6 sync=4" "a synchronisation has a record"
is "$(member marker marker) $(member marker id)" "0 1 2 1 1 2" "NVTX ranges have a begin and an end, and a mark has one record"
is "$(member marker name)" "step x" "NVTX ranges and marks have their names"
is "$(member memory bytes) $(member memory operation)" "100 64 0 1" "allocating and freeing memory have a record each"
is "$(line overhead)" "overhead name=instrumentation" "overhead of CUPTI has a record"
is "$(line external)" "external external=5 kind=5 correlation=7" "an external correlation id has a record"
is "$(line unified)" "unified address=8192 value=4096 name=bytes HtoD from=4294967295 to=0" "unified memory has records from cuInit() on"
is "$(line environment)" "environment device=0 what=1 values=1980,3201,4" "the GPU's clocks have a record"
is "$(n runtime cudaGetLastError) $(n runtime)" "0 7" "calls that only query are not recorded"
thread=$(member process pid)
is "$(distinct runtime thread)" "$thread" "threads have the ids of gettid()"
[ "$(n complete)" -gt 1 ]
ok $? "completion times are written during the run"
is "$(member capture begins)" "1 0" "recording has a begin and an end"
is "$(grep -E '^(end|status|lost|note)' "$out" | xargs)" "end closed status 0" "the process closes its file"

# Pools of memory
run '' '' init context=0 pool=1 async=100 async=-100 pool=3 pool=2 pool=-1 pool=9
is "$(member memory operation)" "2 0 1 4 3" "a pool is created, trimmed and destroyed, and memory of it allocated and freed, with a record each"
is "$(line 'memory .*operation=0')" "memory address=20480 bytes=100 device=0 context=1 memory=3 operation=0 stream=7 correlation=0 pool=28672 reserved=33554432 used=100 threshold=4096 source=" \
	"memory of a pool has the pool, and what the pool has reserved and allocated"
is "$(line 'memory .*operation=4')" "memory address=28672 bytes=0 device=0 context=0 memory=3 operation=4 stream=0 correlation=0 pool=28672 reserved=33554432 used=100 threshold=4096 source=" \
	"a trimmed pool has its new size, and its threshold"

# OpenACC: the runtime registers before or after CUDA is initialised, or twice
export ACC_PROFLIB=$CUDA_INJECTION64_PATH
acc() {
	grep '^openacc' "$out" | sed -E 's/ (begin|end|thread)=[0-9]+//g'
}
constructs="openacc bytes=64 event=5 line=12 file=a.c function=main subject=x
openacc bytes=0 event=4 line=12 file=a.c function=main subject=x
openacc bytes=0 event=9 line=12 file=a.c function=main subject="
run '' '' acc-register init context=0 acc=33 acc=34 acc=35
is "$(acc)" "$constructs" "operations of OpenACC's runtime have records with their line, kernel and variable"
run '' '' init context=0 acc-register acc-register acc=33 acc=34 acc=35
is "$(acc)" "$constructs" "a runtime of OpenACC that registers after CUDA's start is recorded"
is "$(distinct openacc thread)" "$(member process pid)" "operations of OpenACC have the id of their thread"
run 'fail=cuptiOpenACCInitialize:27' '' acc-register init context=0 acc=33
is "$(n openacc) $(n note 'OpenACC is not recorded: cuptiOpenACCInitialize returned 27')" "0 1" "a CUPTI that refuses OpenACC is reported by a note"
run '' "kinds=$((1 << 8))" acc-register init context=0 acc=33 kernel=a
is "$(n openacc) $(n note)" "0 0" "OpenACC is recorded on request only"
unset ACC_PROFLIB

# Libraries that allocate memory
run '' 'allocators=1' init context=0 memory=100 memory=-100
is "$(grep '^memory' "$out" | grep -o 'source=.*' | xargs)" "source=/lib/libfoo.so source=" "with allocators=1 an allocation has its library"
run 'fail=cuptiActivityEnableAllocationSource:27' 'allocators=1' init context=0 memory=100
is "$(n note 'does not record which library allocates memory') $(n memory)" "1 1" "a CUPTI that does not know the library of an allocation is reported by a note"
run '' '' init context=0 memory=100
is "$(n memory 'source=.')" 0 "without allocators=1 an allocation has no library"

# Modules of kernels: the driver's compiler, and a load that the callback reports
run '' '' init context=0 jit=1 jit=2 jit=3 cubin=plain
is "$(distinct module what)" "0 1 3 4" "a load of a module, and each operation of the driver's compiler, has a record"
is "$(line 'module .*what=3')" "module bytes=0 what=3 path=/cache/0/1" "an operation of the driver's compiler has the path in its cache"
is "$(line 'module .*what=0')" "module bytes=192 what=0 path=" "a load of a module has the size of the cubin"
is "$(distinct module thread) $(n note)" "$(member process pid) 0" "operations on modules have the id of their thread"
run '' '' init context=0 cubin=__cudaCDP2LaunchDeviceV2 cubin=__cudaCDP2LaunchDeviceV2_ptsz
is "$(n module) $(n note 'of which CUPTI has no records')" "2 1" "one note reports kernels that can launch kernels"
run '' '' init context=0 broken
is "$(n module) $(n note) $(tail -1 "$out")" "40 0 status 0" "malformed cubins are recorded as loaded"
run '' "kinds=$((1 << 8))" init context=0 jit=3 cubin=__cudaCDP2LaunchDeviceV2
is "$(n module) $(n note)" "0 0" "operations on modules are recorded on request only"
run '' 'capture=2 range=step' init context=0 jit=1 cubin=a push=step jit=3 cubin=b pop
is "$(distinct module what)" "0 1" "with capture ranges only operations on modules inside of them are recorded"
run 'zero=1' '' init context=0 jit=3 flushed
is "$(n module) $(lost) $(distinct lost why)" "0 1 2" "operations on modules without times are counted as lost"

run '' '' init context=0 sleep=500 off
is "$(grep '^off' "$out")" "off 41" "CUPTI makes no records of calls that only query, after all kinds have been enabled"

run '' '' init context=0 asked=16 asked=795 asked=801
is "$(n driver)" "1" "the driver's calls that query the device, of CUDA 13, too, are not recorded"

run '' 'graph_nodes=1' init context=0 graph=3
is "$(member kernel node)" "300 300 300" "with graph_nodes=1 each node of a graph is a kernel"
run '' 'graph_nodes=1' init context=0 nothing graph=3
is "$(grep '^node ' "$out" | sed -E 's/ (begin|end|thread)=[0-9]+//g')" "node node=1 original=0
node node=300 original=1
node node=2 original=2
node node=3 original=3
node node=4 original=4" "with graph_nodes=1 a node that the program creates has a record, and each clone has one with its original"
run '' '' init context=0 nothing graph=3
is "$(n node)" 0 "without graph_nodes=1 nodes of graphs have no records"
run '' "kinds=$((1 << 8))" init context=0 kernel=a copy=1 mark=m set=1
is "$(n kernel) $(n copy) $(n marker) $(n runtime) $(n context)" "1 0 0 0 1" "only the selected kinds and contexts are recorded"

# Errors of CUPTI
run 'zero=3' '' init context=0 repeat=9 kernel=a
is "$(n kernel) $(lost) $(distinct lost why)" "6 3 2" "kernels without times are counted as lost"
# No flush hands over a buffer, so the first one is full.
run 'corrupt=1 late=1000' 'flush=10 buffer=4096' init context=0 repeat=200 kernel=a repeat=5 kernel=b
a=$(n kernel name=a)
is "$(member lost why) $((100 < a && a < 200)) $(n kernel name=b)" "3 1 5" "after a malformed record the rest of its buffer is lost, the next buffer is not"
run 'drop=7' '' init context=0 kernel=a
is "$(n kernel) $(lost) $(member lost why)" "1 7 0" "records dropped by CUPTI are counted as lost"
run 'unordered=1' '' init context=0 repeat=10 kernel=a
is "$(n kernel) $(n runtime)" "10 10" "records in another order are all written"
run 'late=4' 'flush=10' init context=0 repeat=10 kernel=a sleep=100 repeat=5 kernel=b
is "$(n kernel)" "15" "records that CUPTI hands over late are all written"
other() {
	run "$1" '' init context=0 kernel=a
	grep -o 'another tool in this process uses CUPTI.*' "$out"
	grep -E '^(end|status)' "$out"
}
is "$(other second=1)" "another tool in this process uses CUPTI: CUPTI for Other; run without it
end closed
status 0" "a note names another tool that subscribed to CUPTI first"
unnamed="another tool in this process uses CUPTI (a debugger, torch.profiler, TensorFlow's or Nsight); run without it
end closed
status 0"
is "$(other second=2)" "$unnamed" "a note describes another tool without a name"
is "$(other second=3)" "$unnamed" "a note describes another tool that unsubscribes meanwhile"
# A CUPTI as CUDA 12's, without cuptiSubscribe_v2
LC_ALL=C sed 's/cuptiSubscribe_v2/cuptiSubscribe_v0/g' "$fake/libcupti.so.13" > "$tmp/libcupti.so.13"
ln -s "$PWD/$fake/libgpmu-fake.so" "$tmp"
is "$(GPMU_CUDA=$tmp other second=1)" "$unnamed" "a note describes another tool if CUPTI cannot name it"
# A CUPTI as CUDA 13.3's, with functions for several subscribers
several() {
	GPMU_CUDA=$fake/several run "$@"
}
several '' '' init context=0 kernel=a join kernel=b steal kernel=c set=1 graph=2 joined
is "$(member kernel name) $(n set) $(n graph) $(n note)" "a b c 1 1 0" "beside a second subscriber all work is recorded"
is "$(grep ^joined "$out")" "joined 2" "a second subscriber has its kernels"
is "$(distinct runtime thread)" "$(member process pid)" "beside a second subscriber threads have the ids of gettid()"
several '' 'graph_nodes=1' init context=0 graph=3
is "$(member kernel node)" "300 300 300" "one of several subscribers gets each node of a graph with graph_nodes=1"
for fault in cuptiSubscribe_v2:999 cuptiGetTimestamp_v2:1 cuptiActivitySetAttribute_v2:1; do
	several "fail=$fault" '' init context=0 kernel=a join kernel=b joined
	is "$(member kernel name) $(n note) $(grep ^joined "$out")" "a b 0 joined 0" "a driver or CUPTI that refuses several subscribers (${fault%:*}) has one"
done
several 'fail=cuptiActivitySetAttribute_v2@3:1' '' init context=0 kernel=a
is "$(n note 'how CUPTI records graphs') $(member kernel name)" "1 a" "a note reports that another tool has chosen how graphs are recorded"
several second=1 '' init context=0 kernel=a
is "$(n note 'another tool in this process uses CUPTI: CUPTI for Other;')" 1 "a note names another tool that subscribed alone"
run 'fail=cuptiActivityEnable@7:38' '' init context=0 kernel=a
is "$(n note 'does not record activities of kind') $(n kernel)" "1 1" "a kind of activities that CUPTI refuses is reported by a note"
run 'fail=cuptiSubscribe:15' '' init context=0 kernel=a
is "$(n note 'cuptiSubscribe returned 15') $(n kernel) $(tail -1 "$out")" "1 0 status 0" "a failed start is reported by a note"
run '' '' init context=0 kernel=a flushed fatal=boom kernel=b sleep=60
is "$(n note 'level=2.*boom') $(member kernel name)" "1 a" "a fatal error is reported, and no call to CUPTI follows it"
run '' '' init context=0 warn=careful kernel=b
is "$(n note 'level=1.*careful') $(n kernel)" "1 1" "a warning is reported by a note"

run '' '' init context=0 kernel=a flushed steal kernel=b sleep=2600 flushed
is "$(n note 'CUPTI delivers no more records') $(member kernel name)" "1 a" "a note reports a program that takes CUPTI's buffers"
run '' '' init context=0 kernel=a flushed finalize kernel=b sleep=2600 flushed
is "$(n note 'CUPTI delivers no more records') $(member kernel name)" "1 a" "a note reports a program that ends CUPTI"
run '' '' init context=0 kernel=a flushed steal kernel=b
is "$(n note 'did not deliver the record of a call when the process ended') $(n note) $(member kernel name)" "1 1 a" \
	"a note reports a program that takes CUPTI's buffers shortly before it ends"
run '' '' init context=0 kernel=a flushed finalize kernel=b
is "$(n note 'CUPTI has ended in this process') $(n note) $(member kernel name)" "1 1 a" "a note reports a program that ends CUPTI shortly before it ends"
run '' '' init context=0 kernel=a flushed clock kernel=b copy=1 mark=x kernel=c sleep=1200
is "$(n note 'has given CUPTI another clock') $(n note) $(member kernel name) $(n marker)" "1 1 a 0" "after a program has given CUPTI another clock no record has its times"
is "$(distinct lost why) $(member lost kind | tr ' ' '\n' | sort -n | xargs) $(lost)" "2 8 9 12 15 7" "records with times of another clock are counted as lost"
# Functions of the preloaded library precede those of CUPTI that the program links.
for call in subscribe register clock disable finalize; do
	run '' '' init context=0 kernel=a flushed profiler=$call kernel=b
	is "$(grep ^profiler "$out") $(n note 'the profiler of the program is refused (cupti') $(n note) $(member kernel name)" "profiler $call 39 1 1 a b" \
		"a program's own profiler ($call) is refused by a note, and all work is recorded"
done
run '' '' profiler=register init context=0 kernel=a
is "$(grep ^profiler "$out") $(n note 'another tool in this process uses CUPTI') $(n kernel)" "profiler register 0 1 0" \
	"a program whose own profiler has begun before is not recorded, which a note reports"
is "$(GPMU_FAKE=inject=0 LD_PRELOAD=$CUDA_INJECTION64_PATH "$fake/program" profiler=register profiler=clock profiler=disable profiler=finalize 2>&1 | xargs)" \
	"profiler register 0 profiler clock 0 profiler disable 0 profiler finalize 0 done" "the profiler of a program that is not recorded works"
run '' "kinds=$((1 << 8))" init context=0 kernel=a flushed steal kernel=b
is "$(n note) $(calls called)" "0 2 0 0 0" "without records of calls a kernel that CUPTI does not deliver is counted as called"
run '' '' init context=0 kernel=a sleep=2600 kernel=b
is "$(n note) $(member kernel name) $(n driver)" "0 a b 0" "a program that only waits gets no note and no calls but its own"

run '' '' load=libgpmu-user.so init context=0 kernel=a
is "$(n note) $(n kernel)" "0 1" "a library that links CUPTI, as PyTorch's does, and does not use it gets no note"

# Buffers and rings
run '' 'flush=10' init context=0 hold=long repeat=500 kernel=a sleep=100
first=$(n kernel)
is "$first $(lost) $(member lost why)" "500 1 6" "a kernel that never ends holds back only its own buffer"
run '' 'flush=10' init context=0 hold=long repeat=500 kernel=a sleep=50 release sleep=50
is "$(n kernel) $(lost)" "501 0" "a kernel that ends late is written, too"
run '' 'buffers=1 buffer=4096 flush=1000' init context=0 repeat=2000 kernel=a
is "$(($(n kernel) + $(n runtime) + $(n device) + $(n context) + $(lost)))" 4002 "with too few buffers each record is either written or counted as lost"
[ "$(lost)" -gt 0 ]
ok $? "with too few buffers some records are lost: $(lost)"
run '' 'buffers=16 flush=10000' init context=0 threads=40
is "$(n kernel) $(lost)" "4000 0" "forty threads are recorded with sixteen buffers, because they share them"
run 'fail=cuptiActivitySetAttribute@1:1' 'buffers=64 flush=10000' init context=0 threads=40
is "$(n kernel) $(lost)" "4000 0" "forty threads are recorded where CUPTI gives each a buffer of its own"
[ "$(member complete memory | awk '{ print $NF }')" -ge $((20 << 16)) ]
ok $? "the memory of CUPTI's buffers is written: $(member complete memory | awk '{ print $NF }') bytes"
run '' 'buffers=64 buffer=4096 flush=1000' init context=0 repeat=2000 kernel=a
[ "$(member complete memory | awk '{ print $NF }')" -le $((64 << 12)) ]
ok $? "CUPTI's buffers take no more memory than their limit"
run '' 'buffers=1 buffer=4096 flush=10000' init context=0 repeat=500 kernel=a sleep=1000 kernel=late
is "$(n note 'filled all of its buffers.*--cuda-buffers=SIZE allows more') $(n note)" "1 1" \
	"one note names the option for more buffers, and CUPTI's own message is left out"
is "$(n kernel name=late) $(distinct lost why) $(distinct lost kind)" "1 0 0" \
	"after CUPTI had no buffer a flush follows at once, so that later records are not lost"
run '' 'ring=4096 slow=1500' init context=0 repeat=500 kernel=a flushed stamp sleep=3000
is "$(($(n kernel) + $(n runtime) + $(n device) + $(n context) + $(n capture) + $(lost)))" 1004 "with a full ring each record is either written or counted as lost"
is "$(distinct lost why)" 1 "the reason of the loss is the full ring"
is "$(member lost kind | tr ' ' '\n' | grep -vx 7 | sort -un | xargs)" "8 12" "lost kernels and lost calls are counted apart"
[ "$(member lost from | tr ' ' '\n' | sort -n | head -1)" -gt "$(member process time)" ] &&
	[ "$(member lost to | tr ' ' '\n' | sort -n | head -1)" -lt "$(sed -n 's/^stamp //p' "$out")" ]
ok $? "the time of lost records is their own"
is "$(n note 'faster than gpmu writes them.*--cuda=LIST')" 1 "a note names the option for fewer records"
run '' 'ring=4096 buffer=4096 buffers=2 stopped=1' init context=0 repeat=5000 kernel=a
is "$(tail -1 "$out")" "status 0" "a program does not wait for a reader: it calls 5000 kernels and ends where nothing is read until its end"
run '' 'ring=4096 slow=3000' init context=0 push=full repeat=500 kernel=a pop sleep=4500
is "$(member marker marker) $(member marker name) $(n lost kind=15)" "0 1 full 0" "the end of an NVTX range that finds no room is written later"
run '' 'ring=4096 slow=3000' init context=0 repeat=500 kernel=a repeat=10 mark=m sleep=4500
is "$(n lost kind=15) $(grep '^lost .*kind=15' "$out" | grep -o 'thread=[0-9]*')" "1 thread=4294967295" "lost NVTX marks are reported as losses without the end of a range"

# Whether each of 500 kernels and calls is written or counted as lost, and the end of the only range is lost
each_counted() {
	local kind

	for kind in kernel:8 runtime:12; do
		[ $(($(n "${kind%:*}") + $(grep "^lost .*why=1 kind=${kind#*:} " "$out" | grep -o 'count=[0-9]*' | cut -d= -f2))) = 500 ] ||
			return 1
	done
	[ "$(n marker) $(n lost "count=1 why=1 kind=15 thread=0")" = "1 1" ]
}
run '' 'ring=4096 stopped=1' init context=0 push=full repeat=500 kernel=a pop
each_counted
ok $? "each record that a program loses because its reader reads nothing until its end is counted" || diag "$(grep '^lost' "$out")"
is "$(grep -E '^(end|status)' "$out" | xargs)" "end vanished status 0" "a process whose last records find no room is not reported as closed"
# After the 900th loss the end of the range has been held back.
run '' 'ring=4096 stopped=1 kill=900' init context=0 push=full repeat=100 kernel=a pop repeat=500 kernel=b sleep=60000
[ "$(lost)" -gt 900 ] && [ "$(n lost "count=1 why=1 kind=15 thread=0")" = 1 ]
ok $? "records that a program has lost before SIGKILL are counted, and the end of a range that it held back is one of them" || diag "$(grep '^lost' "$out")"
is "$(grep -E '^(end|signal)' "$out" | xargs)" "end vanished signal 9" "a process that is killed while the ring is full is reported as vanished"
run '' '' init repeat=100 context=0 repeat=100 kernel=a
is "$(member context context | wc -w) $(distinct kernel context)" "100 100" "each of a hundred contexts has its record and its kernel"
run '' '' init context=0 threads=8 signal
is "$(n kernel) $(lost) $(tail -1 "$out")" "800 0 status 0" "eight threads are recorded, and signals are delivered to the program's own threads"

# Capture ranges
run '' 'capture=1' init context=0 kernel=a profile=1 kernel=b kernel=b profile=0 kernel=c
is "$(member kernel name); $(member capture begins)" "b b; 1 0" "capture=1 records from cudaProfilerStart() to cudaProfilerStop()"
run '' 'capture=2 range=step' init context=0 kernel=a push=other kernel=x push=step kernel=b push=in pop kernel=c pop \
	kernel=x pop kernel=d start=step kernel=e end kernel=f
is "$(member kernel name); $(member capture begins)" "b c e; 1 0 1 0" "capture=2 records NVTX ranges of this name, pushed and started"
is "$(member marker name)" "other step in step" "markers inside and outside of capture ranges are recorded"

is "$(n runtime)" "3" "only calls inside of the capture ranges are recorded"
run '' 'capture=2 range=step' init context=0 graph=2 push=step graph=2 pop graph=2
is "$(n graph) $(n kernel) $(n runtime)" "1 0 1" "a graph made before a range is recorded only inside of it"
run 'slow=40' 'capture=1 buffer=4096 buffers=200' init context=0 profile=1 kernel=a profile=0 repeat=200 kernel=x profile=1 repeat=100 kernel=b profile=0 \
	repeat=200 kernel=x enabled=5 kernel=x profile=1 kernel=c profile=0
is "$(member kernel name | tr ' ' '\n' | sort | uniq -c | xargs)" "1 a 100 b 1 c" "of two ranges far apart all kernels are recorded"
run 'slow=40' 'capture=1 flush=1' init context=0 ranges=2
is "$(n kernel) $(n note)" "200 0" "a capture range waits until CUPTI has enabled records"
run 'exclusive=1' 'capture=1 flush=1' init context=0 profile=1 kernel=a profile=0 sleep=500 ranges=4 sleep=1100 profile=1 kernel=b profile=0
is "$(n note 'the start of a capture range may be missing') $(n kernel threaded) $(n kernel name=b) $(tail -1 "$out")" \
	"1 400 1 status 0" "if CUPTI enables records only after its callback returns, a range waits once and a note reports it"
run 'exclusive=1' 'managed_only=1' init context=0 managed=4096 managed=4096 enabled=21 unified=1
is "$(n note 'the first transfers of unified memory may be missing') $(n unified) $(tail -1 "$out")" "1 1 status 0" \
	"if CUPTI enables unified memory only after its callback returns, the first managed allocation waits once and a note reports it"
run 'slow=40' 'managed_only=1' init context=0 enabled=20 unified=1 pin=4096 register=8192 pin=-5 managed=65536 unified=2 fault=77 unpin=1
is "$(member unified value)" "2 1" "unified memory is recorded from the first managed allocation on, and a fault of the host counts as one"
is "$(member host_memory event) $(member host_memory memory)" "0 1 0 2 2 2 5 2" "pinned and managed memory have a record each, and calls that fail have none"
is "$(member host_memory bytes) $(member host_memory correlation)" "4096 8192 65536 0 1 2 4 5" "pinned and managed memory have their sizes and calls"
is "$(n note)" 0 "the first managed allocation waits until unified memory is recorded"
mkdir -p "$tmp/nodes/proc/self"
echo '100000000 default anon=1 N0=1 kernelpagesize_kB=4' > "$tmp/nodes/proc/self/numa_maps"
GPMU_ROOT=$tmp/nodes run '' '' init context=0 context=1 pin=4096
contexts=$(member host_memory context)
is "$(member host_memory event)" "0 3" "pinned memory has a record of its node"
is "${contexts#* }" "${contexts% *}" "the node of pinned memory has the context of the call that allocated it"
run '' 'enabled=0 begin=1000 stop=3000' init context=0 enabled=5 kernel=a enabled=21 kernel=b enabled=5 kernel=c
is "$(member kernel name)" "b" "kernels are recorded only while gpmu enables recording"
for word in close leave; do
	run '' "$word=1000" init context=0 enabled=21 kernel=a enabled=1 repeat=100 kernel=b
	is "$(member kernel name) $(lost) $(tail -1 "$out")" "a 0 status 0" \
		"$word: recording is disabled once the reader has ended"
done
run '' 'leave=1000' init context=0 enabled=21 kernel=a enabled=1 graph=2
is "$(n kernel) $(n graph) $(tail -1 "$out")" "1 0 status 0" "after the reader has ended the program's graphs still run"

run '' 'flush=10' init context=0 mark=old names=4200 mark=old kernel=a
cut -c-300 "$out" > "$out.short"
is "$(grep -c '^marker.* name=(more names)' "$out.short") $(grep -c '^marker' "$out.short") $(lost) $(n kernel name=a)" "72 4202 0 1" \
	"names beyond 16 MiB are written as (more names)"
is "$(grep '^marker' "$out.short" | tail -1 | grep -o 'name=[a-z]*') $(n note '16 MiB of different NVTX names.*leave numbers out')" "name=old 1" \
	"known names stay, and one note reports the limit"

# Ends. All flushed records are there, and records are complete up to the last completion time.
# whole STAMP: the last completion time is later than the stamp
whole() {
	[ "$(member complete time | awk '{ print $NF }')" -gt "$(sed -n 's/^stamp //p' "$out")" ]
}
for word in kill segv; do
	run '' '' init context=0 repeat=500 kernel=a stamp flushed repeat=500 kernel=b $word
	whole && [ "$(n kernel name=a)" = 500 ]
	ok $? "$word: all records before the last flush are there"
	[ "$(member kernel correlation)" = "$(seq -s ' ' "$(n kernel)")" ]
	ok $? "$word: later kernels have no gap: $(n kernel name=b) of 500"
	is "$(grep -c '^end vanished' "$out")" 1 "$word: the process is reported as vanished"
done
for word in exit vanish _Exit quick; do
	run '' 'flush=100000' init context=0 repeat=500 kernel=a $word=7
	is "$(n kernel) $(grep -E '^(end|status)' "$out" | xargs)" "500 end closed status 7" "$word: all records are flushed"
done
for word in exit vanish; do
	run '' '' init context=0 hold=long launcher sleep=20 $word=7
	is "$(tail -1 "$out")" "status 7" "$word: a process ends although a thread goes on launching and a kernel never ends"
done
run '' '' init context=0 hold=long launcher sleep=20 raise=15
is "$(tail -1 "$out")" "signal 15" "SIGTERM ends a process although a thread goes on launching and a kernel never ends"
for word in exit=0 vanish=0 raise=15; do
	run '' 'flush=100000' init context=0 launcher sleep=20 $word
	is "$(n kernel)" "$(grep -m1 '^calls ' "$out" | grep -oE ' called0=[0-9]*' | cut -d= -f2)" \
		"$word: each kernel of a thread that goes on launching is recorded"
done
for word in exit=7 quick=7; do
	run '' 'flush=100000' at-exit=5 init context=0 repeat=500 kernel=a $word
	is "$(n kernel name=a) $(n kernel name=late) $(calls called | cut -d' ' -f1) $(grep -c '^end closed' "$out")" "500 5 505 1" \
		"$word: kernels that a function of atexit() launches after the first flush are recorded"
done
run '' 'flush=100000' at-exit=5 init context=0 kernel=a vanish=7
is "$(n kernel) $(tail -1 "$out")" "1 status 7" "_exit() does not call functions of atexit()"
run '' '' init context=0 repeat=500 kernel=a outlived=100
is "$(n kernel name=a) $(n kernel name=outlived) $(grep -E '^(end|status)' "$out" | xargs)" "500 100 end closed status 0" \
	"a process whose main thread ends first is recorded until its last thread ends, and then ends"
run '' '' init context=0 repeat=500 kernel=a outlived=-100
is "$(n kernel name=a) $(n kernel name=outlived) $(grep -E '^(end|status)' "$out" | xargs)" "500 100 end closed status 7" \
	"a thread that calls exit() after the main thread has ended flushes all records"
# CUPTI never returns from the last flush.
for word in exit=7:status:7 vanish=7:status:7 raise=15:signal:15; do
	run 'stuck=1' '' init context=0 repeat=500 kernel=a "${word%%:*}"
	is "$(tail -1 "$out")" "$(cut -d: -f2- <<< "$word" | tr : ' ')" "${word%%:*}: a process ends although CUPTI never returns from the last flush"
done
run '' 'flush=100000' init context=0 repeat=500 kernel=a abort
is "$(n kernel) $(grep -E '^(end|signal)' "$out" | xargs)" "500 end closed signal 6" "abort() flushes all records"
for word in returns raises; do
	run '' 'flush=100000' init context=0 repeat=500 kernel=a abort-$word
	is "$(n kernel) $(grep -E '^(aborted|end|signal)' "$out" | xargs)" "500 aborted end closed signal 6" \
		"abort() flushes all records and calls the handler of SIGABRT once, which $word"
done
run '' 'flush=100000' init context=0 repeat=500 kernel=a abort-leaves repeat=20 kernel=b exit=4
is "$(n kernel name=a) $(n kernel name=b) $(grep -E '^(aborted|end|status)' "$out" | xargs)" "500 20 aborted end closed status 4" \
	"the recording goes on after a handler of SIGABRT has left abort() by siglongjmp()"
run '' '' init context=0 kernel=a abort-leaves kernel=b sleep=1000 segv
is "$(grep -E '^(aborted|end|signal)' "$out" | xargs)" "aborted end vanished signal 11" \
	"after a handler of SIGABRT has left abort(), the channel of a process that launches more work is not marked as complete"
for signal in 1 2 10 12 13 14 15; do
	run '' 'flush=100000' init context=0 repeat=500 kernel=a actions=$signal raise=$signal
	is "$(n kernel) $(grep -E '^(end|signal|actions)' "$out" | xargs)" "500 actions default default 0 end closed signal $signal" \
		"the default action of signal $signal flushes all records, and the program sees SIG_DFL"
done
run '' 'flush=100000' init context=0 repeat=500 kernel=a locked=15
is "$(n kernel) $(grep -E '^(end|signal)' "$out" | xargs)" "500 end closed signal 15" \
	"a signal that arrives while its thread holds a lock that the flush needs ends the process after the flush"
run '' 'flush=100000' handle=15 init context=0 kernel=a raise=15 exit=4
is "$(n kernel) $(grep -E '^(end|status|handled)' "$out" | xargs)" "1 handled end closed status 4" "a handler that the program installed before it initialised CUDA is called"
run '' 'flush=100000' init context=0 kernel=a handle=15 actions=15 raise=15 default=15 raise=15
is "$(n kernel) $(grep -E '^(end|signal|handled|actions)' "$out" | sed 's/ [0-9]*$//' | xargs)" "1 actions own own handled end closed signal" \
	"a handler that the program installs after it has initialised CUDA is called, and after SIG_DFL is set again a signal flushes all records"
for signal in 10 15; do
	GPMU_FAKE_RACE=$signal run '' 'flush=100000' init context=0 kernel=a race=$signal exit=4
	is "$(n kernel) $(grep -E '^(end|signal|status|race)' "$out" | xargs)" "1 race ignored end closed status 4" \
		"an action of signal $signal that another thread sets while the library installs its handler stays in place"
done
for function in execv execvp execve execl execle execlp; do
	run '' 'flush=100000' init context=0 repeat=500 kernel=a exec=$function init context=0 kernel=b
	is "$(n kernel name=a) $(member kernel name | wc -w) $(grep -cx 'end closed' "$out") $(tail -1 "$out")" "500 501 2 status 0" \
		"$function() flushes all records, and the new program is recorded"
done
# Without the answer each of these exec() calls would wait for 2 s.
is_short=false
for ((i = 0; i < 10; i++)); do
	run '' 'flush=100000' init context=0 hold=long kernel=a exit-beside stamp exec=execv stamp
	grep -E '^stamp' "$out" | awk '{ time[NR] = $2 } END { exit !(NR == 2 && time[2] - time[1] < 1.9e9) }' && is_short=true && break
done
ok $(($([ $is_short = true ]; echo $?))) "an exec() that is called while exit() flushes goes on when that flush is done" || diag "$(cat "$out")"
run '' 'flush=100000' init context=0 kernel=a exec-fails kernel=b segv
is "$(n kernel name=a) $(n kernel name=b) $(grep -E '^(end|signal)' "$out" | xargs)" "1 0 end vanished signal 11" "after an exec that fails the process is still recorded, and its channel is not marked as complete"

# Calls are counted by kind
run '' '' init context=0 repeat=5 kernel=a copy=1 peer=1 set=2 graph=1 nothing
is "$(calls called); $(calls unsure); $(calls outside)" "5 2 1 1; 0 0 0 0; 0 0 0 0" "calls are counted by kind, except for calls that fail, add a node to a graph or have no bytes"
for word in kill segv; do
	run '' 'flush=100000' init context=0 repeat=500 kernel=a copy=1 $word
	is "$(calls called)" "500 1 0 0" "$word: the numbers of calls outlive the process"
done
run '' "kinds=$((1 << 8))" init context=0 kernel=a copy=1 set=1 graph=1
is "$(calls called)" "1 0 0 0" "only calls of kinds that are recorded are counted"
run 'fail=cuptiActivityEnable@5:38' '' init context=0 kernel=a copy=1 set=1 graph=1
is "$(n kernel); $(calls called)" "0; 0 1 1 1" "calls of a kind that CUPTI refuses are not counted"
run '' 'capture=1' init context=0 kernel=a profile=1 kernel=b kernel=b profile=0 kernel=c
is "$(calls called | cut -d' ' -f1) $(($(n kernel) + $(calls outside | cut -d' ' -f1)))" "3 3" "kernels outside of a capture range that CUPTI recorded are counted as outside"
run '' 'graph_nodes=1' init context=0 kernel=a graph=3 graph=5
is "$(calls called); $(n kernel)" "9 0 0 0; 9" "with graph_nodes=1 the kernels of a graph that is launched are counted"
run '' '' init context=0 threads=16
is "$(calls called)" "1600 0 0 0" "the calls of sixteen threads are counted"
run '' '' init context=0 kernel=a fork kernel=b
is "$(member kernel name) $(n process) $(grep -c '^end closed' "$out")" "a b 1 1" "a forked child leaves its parent's file as it is"
run '' '' init context=0 kernel=a fork-init kernel=b
is "$(member kernel name) $(n process) $(n note 'was forked by')" "a b 2 1" "a note gives the reason why a forked child with CUDA is not recorded"
run '' '' init context=0 kernel=a sleep=500 exec init context=0 kernel=b
is "$(member kernel name) $(n process) $(grep '^end' "$out" | sort | xargs)" "a b 2 end closed end closed" "exec() starts another file of the same pid"
run '' '' push=early init context=0 push=late kernel=a pop
is "$(member marker name) $(n kernel)" "late 1" "NVTX before cuInit() is not recorded and does no harm"
run '' '' init sleep=500 fork fork kernel=a
is "$(n process) $(n kernel) $(tail -1 "$out")" "1 1 status 0" "forking beside a flushing thread does no harm"
GPMU_FAKE='inject=1' GPMU_CHANNEL='' "$fake/program" init context=0 kernel=a > "$out" 2>&1
is "$? $(cat "$out")" "0 done" "without GPMU_CHANNEL the library does nothing"
GPMU_FAKE='inject=1' GPMU_CHANNEL=gpmu-none "$fake/program" init context=0 kernel=a > "$out" 2>&1
is "$? $(cat "$out")" "0 done" "if the reader has ended the library does nothing"
is "$violations" 0 "no call breaks the rules of the real CUPTI"

exported=$(nm -D --defined-only "$build/libgpmu-inject.so" | awk '{ print $3 }' | LC_ALL=C sort | xargs)
libc="_Exit __sysv_signal _exit abort bsd_signal execl execle execlp execv execve execveat execvp execvpe fexecve sigaction signal sigset ssignal sysv_signal"
cupti="cuptiActivityDisable cuptiActivityRegisterCallbacks cuptiActivityRegisterTimestampCallback cuptiFinalize cuptiSubscribe"
# shellcheck disable=SC2086 # words
is "$exported" "$(printf '%s\n' InitializeInjection InitializeInjectionNvtx2 acc_register_library gpmu_inject_range gpmu_inject_region $libc $cupti | LC_ALL=C sort | xargs)" \
	"the library exports its four entry points, and functions that precede those of libc and CUPTI"
done_testing
