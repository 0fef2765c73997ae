#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record of a program on the fake of CUPTI: from the program's CUDA calls to the timeline, with
# counters of its GPU, and each way in which the program can end.
. tests/tools/lib.sh

need tests/gpu/fake/program
program=$(realpath "$B/tests/gpu/fake/program")
fake_gpus h200x2
export GPMU_FAKE="inject=1 machine=h200x2 enable=0:26" GPMU_PLUGINS=$work/plugins
mkdir "$GPMU_PLUGINS"
ln -s "$(realpath "$B/libgpmu-inject.so")" "$GPMU_PLUGINS"
trace=$work/trace.pftrace
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL

run gpmu record -o "$trace" -- "$program" init context=0 kernel=foo copy=100 set=7 push=step kernel=bar pop sync
is "$rc" 0 "record of a CUDA program exits with 0"
is "$(sql "select group_concat(name, ' ') from (select name from all_slice where category in ('kernel', 'memcpy', 'memset') order by ts)")" \
	"foo memcpy HtoD memset bar" "record has the GPU's kernels, copies and memsets in order"
is "$(sql "select o.name, i.name from flow join slice o on o.id = slice_out join slice i on i.id = slice_in order by i.ts")" \
	"cudaLaunchKernel|foo
cudaMemcpy|memcpy HtoD
cudaMemset|memset
cudaLaunchKernel|bar" "record links each kernel, copy and memset to its call"
is "$(sql "select i.name from slice i join slice o on o.id = i.parent_id where o.name = 'step'")" cudaLaunchKernel \
	"record puts a call inside the NVTX range around it"
like "$(audit causality)" 'early=0 outside=0 overlap=0' "record finds no violation of causality"
# Under load gpmu's thread may hold a buffer while CUPTI asks for the next one.
buffers='buffers=(524288|1048576)'
like "$(audit process)" "^$buffers buffers_limit=268435456 cupti=130001 driver=13000 end=closed pid=[0-9]+ program=program\$" "record's audit has the process and its versions"

GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") run gpmu record --gpu -M GpuSmActive -I 20 -o "$trace" -- \
	"$program" init context=0 kernel=foo sleep=150 kernel=bar
is "$rc" 0 "record --gpu of a CUDA program exits with 0"
is "$(sql "select g.gpu, g.name, t.name, unit, group_id from gpu_counter_track t join gpu g on g.gpu = t.gpu_id
	join gpu_counter_group c on c.track_id = t.id order by 1")" "0|NVIDIA H200|GpuSmActive|%|6
1|NVIDIA H200|GpuSmActive|%|6" "record --gpu gives counters their GPU, unit and group"
is "$(sql "select g.name, vendor, s.name from gpu_slice s join gpu_queue t on t.id = s.track_id join gpu g on g.id = t.ugpu
	order by ts")" "NVIDIA H200|NVIDIA|foo
NVIDIA H200|NVIDIA|bar" "record --gpu has the work on the GPU that the trace describes"
is "$(sql "select key, coalesce(string_value, int_value, round(real_value, 5)) from args join gpu_slice using (arg_set_id) where name = 'foo' and key in ('arch',
	'sm__maximum_warps_per_active_cycle_pct', 'occupancy_limit_warps', 'waves_per_multiprocessor') order by key")" "arch|sm_90
occupancy_limit_warps|16
sm__maximum_warps_per_active_cycle_pct|100
waves_per_multiprocessor|0.00379" "record gives kernels the occupancy that the GPU's limits allow"

# Another program has the profiler of GPU 0, so NVML counts what it can there.
GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") expect 0 gpmu record --gpu -M GpuSmActive,GpuDramReadBW,GpuPcieReadBW -I 20 -o "$trace" -- sleep 0.1
is "$(grep -c 'warning: GPU[01]: ' <<< "$err")" 2 "record --gpu with a busy GPU reports NVML's counters by one line and the missing ones by one line"
like "$err" '^gpmu record: warning: GPU0: GpuSmActive, GpuPcieReadBW counted by NVML instead of CUPTI$' "record --gpu names the counters that NVML counts instead of CUPTI"
like "$err" "^gpmu record: warning: GPU0: GpuDramReadBW not recorded: NVML's GPM has no such metric; CUPTI has it if it can sample the GPU\$" \
	"record --gpu names the counters that are missing while another program has the profiler"
is "$(sql "select display_value from slice join args using (arg_set_id) where category = 'audit' and name = 'note' and key = 'debug.text'
	and display_value glob 'G*'" | sed -E 's/(in use by another program).*: end/\1: end/')" \
	"GPU-6f2a1c00-0001-4a00-8000-000000000001: its profiler is in use by another program: end that program, or if it is DCGM: dcgmi profile --pause
GPU0: GpuSmActive, GpuPcieReadBW counted by NVML instead of CUPTI
GPU0: GpuDramReadBW not recorded: NVML's GPM has no such metric; CUPTI has it if it can sample the GPU" \
	"the audit of a trace has the counters that are missing, and that another program uses the profiler"
GPMU_FAKE="inject=1 machine=h200x2" GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") expect 0 gpmu record --gpu -M GpuSmActive,GpuDramReadBW -I 20 -o "$trace" -- sleep 0.1
unlike "$err" 'NVML|not recorded' "record --gpu prints no warning of counters if no other program uses the profiler"

GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") run timeout -s KILL 600 "$GPMU_BIN" record --gpu -M GpuPcieReadBW,GpuDramReadBW -I 1 -o "$trace" -- sleep 0.2
is "$rc" 0 "record --gpu ends with the command although a reading takes longer than its interval"

run gpmu record -o "$trace" -- "$program" init context=0 kernel=foo sleep=600 kill
is "$rc" 137 "record of a program that is killed exits with 137"
like "$(sql "select name from all_slice where category = 'kernel'")" '^foo$' "record of a program that is killed has the activity handed over before"
like "$(audit process)" 'end=vanished' "record of a program that is killed marks its end as vanished"
# shellcheck disable=SC2016 # the inner shell's
expect 0 gpmu record --no-cpu-trace -o "$trace" -- sh -c '"$0" init context=0 await="$1" push=full repeat=100000 kernel=foo pop &
	until ls -l /proc/$PPID/fd | grep -q memfd:gpmu-channel; do sleep 0.02; done
	kill -STOP $PPID; : > "$1"; wait; kill -CONT $PPID' "$program" "$work/stopped"
lost=$(gpmu report "$trace" | sed -n 's/^ *drops  *warning .* \([0-9]*\) kernel lost .*/\1/p')
[ "${lost:-0}" -gt 0 ]
ok $? "record that is stopped while a program fills its channel counts the lost kernels: $lost" || diag "$(gpmu report "$trace")"
is $(($(sql "select count(*) from all_slice where category = 'kernel'") + lost)) 100000 "record that was stopped has or counts each kernel"
like "$(gpmu report "$trace")" ' 1 nvtx lost ' "record that was stopped counts the end of an NVTX range as lost"
like "$(audit process)" 'end=vanished' "record marks the end of a program whose last records found no room as vanished"
run gpmu record -o "$trace" -- "$program" init context=0 repeat=300 kernel=foo vanish=9
is "$rc" 9 "record of a program that ends by _exit() exits with its status"
is "$(sql "select count(*) from all_slice where category = 'kernel'")" 300 "record of a program that ends by _exit() has all of its kernels"
like "$(audit process)" 'end=closed' "record of a program that ends by _exit() marks its end as closed"
run gpmu record -o "$trace" -- "$program" init context=0 repeat=300 kernel=foo raise=15
is "$rc" 143 "record of a program that SIGTERM ends exits with 143"
is "$(sql "select count(*) from all_slice where category = 'kernel'")" 300 "record of a program that SIGTERM ends has all of its kernels"

# --- calls and records
expect 0 gpmu record --strict -o "$trace" -- "$program" init context=0 repeat=3 kernel=foo copy=1 set=1 graph=1
is "$(audit calls | grep -oE '(called|delivered|kind|lost)=[a-z0-9]*' | xargs -n 4)" "called=3 delivered=3 kind=kernel lost=0
called=1 delivered=1 kind=memcpy lost=0
called=1 delivered=1 kind=memset lost=0
called=1 delivered=1 kind=graph lost=0" "record's audit has the calls and the records of each kind of work"
like "$(gpmu report "$trace")" 'calls +ok +[0-9]+ program: 3 of 3 kernel recorded$' "report has the calls and the records of each kind of work"
run gpmu record -o "$trace" -- "$program" init context=0 repeat=3 kernel=foo undelivered=5 exit=0
like "$err" ', 5 lost' "record counts kernels that were called, and whose records CUPTI has not delivered, as lost"
like "$err" 'warning: [0-9]+ program: 5 of 8 kernels are lost: they had not ended, or CUPTI had not delivered them, when the process ended$' "record warns of the kernels that CUPTI has not delivered"
like "$(audit source)" 'kind=kernel lost=5 .*why=the work had not ended, or CUPTI had not delivered it' "record's audit has the kernels that CUPTI has not delivered"
like "$(gpmu report "$trace")" 'calls +warning +[0-9]+ program: 3 of 8 kernel recorded, 5 lost$' "report warns of the kernels that CUPTI has not delivered"
run gpmu record -o "$trace" -- "$program" init context=0 repeat=3 kernel=foo hold=bar undelivered=5 exit=0
like "$err" 'warning: [0-9]+ program: 6 of 9 kernels are lost: ' "record counts a kernel that had not ended beside those that CUPTI has not delivered"
run gpmu record --strict -o "$trace" -- "$program" init context=0 undelivered=5 exit=0
is "$rc" 125 "record --strict fails if CUPTI has not delivered kernels"
# shellcheck disable=SC2016 # the inner shell's
expect 0 gpmu record --strict -o "$trace" -- sh -c '"$0" init context=0 kernel=foo undelivered=5 sleep=3000 < /dev/null > "$1" 2>&1 & sleep 1' "$program" "$work/outlives"
like "$(audit calls)" 'called=[0-9]* .*lost=0 .*pending=' "record counts no call of a process that outlives the recording as lost"
run gpmu record -o "$trace" -- "$program" init context=0 repeat=300 kernel=foo kill
lost=$(audit source | sed -n 's/.*kind=kernel lost=\([0-9]*\) .*/\1/p')
is "$(($(sql "select count(*) from all_slice where category = 'kernel'") + ${lost:-0}))" 300 "record of a program that is killed has each kernel in the trace or counts it as lost"
expect 0 gpmu record -o "$trace" -- "$program" init context=0 kernel=foo fork-init kernel=bar
like "$err" '2 processes' "record counts a forked child as a process"
is "$(sql "select count(*) from all_slice where category = 'kernel'")" 2 "record of a forked child does not disturb the parent's kernels"
like "$err" 'warning: .*forked' "record warns that a forked child cannot be recorded"
expect 0 gpmu record --capture-range=nvtx:part -o "$trace" -- \
	"$program" init context=0 kernel=before push=part kernel=inside pop kernel=behind
is "$(sql "select name from all_slice where category = 'kernel'")" inside "record --capture-range=nvtx has the kernels inside the range only"
expect 0 gpmu record --cuda-buffers=4300000 -o "$trace" -- "$program" init context=0 kernel=foo
like "$(audit process)" "^$buffers buffers_limit=4194304 " "record --cuda-buffers limits the memory of CUPTI's buffers to whole buffers"
expect 0 gpmu report "$trace"
like "$out" 'CUPTI [^;]*, (0.5|1.0) MiB of buffers; closed' "report has the memory of CUPTI's buffers"
expect 0 gpmu record --cuda=kernel -o "$trace" -- "$program" init context=0 kernel=foo copy=100 sync
is "$(sql "select distinct category from all_slice where category <> 'audit'")" kernel "record --cuda=kernel has kernels only"

# --- memory of the host

# A Grace Hopper whose numa_maps has the memory of the fake: the first buffer is on both nodes, the second on that of the GPU's HBM
root=$(machine gh200)
mkdir -p "$root/proc/self" "$root/proc/driver/nvidia/gpus/0009:01:00.0" "$root/sys/devices/system/memory" "$root"/sys/devices/system/node/node{0/memory0,1/memory8}
echo 8000000 > "$root/sys/devices/system/memory/block_size_bytes"
printf 'GPU UUID: \t GPU-6f2a1c00-0002-4a00-8000-000000000002\n' > "$root/proc/driver/nvidia/gpus/0009:01:00.0/information"
cat > "$root/proc/self/numa_maps" << 'END'
00010000 default file=/bin/x\040N7=9 mapped=9 N0=9 kernelpagesize_kB=4
100000000 default anon=4 dirty=4 N0=1 N1=3 kernelpagesize_kB=4
200000000 default anon=2 N1=1 kernelpagesize_kB=64
200010000 default anon=2 N1=1 N0=0 N=5 N99=5 Nx=1 kernelpagesize_kB=64
300000000 default anon=2 N0=2
END
GPMU_ROOT=$root expect 0 gpmu record -o "$trace" -- "$program" init context=0 unified=7 pin=8192 register=131072 pin=-5 managed=16777216 unified=4096 fault=139730097938170 fault=5 kernel=foo
is "$(gpmu report --by memory --format csv "$trace" | sed '1,2d; s/^[0-9]* //; s/,[^,]*$//')" \
	'program,0,other node,"registered, cudaHostRegister, node 1 (GPU memory)",1,131072,131072,,,,,
program,0,other node,"pinned, cudaHostAlloc, node 1 (GPU memory)",1,8192,6144,,,,,
program,0,unified,"managed, cudaMallocManaged",1,16777216,4096,4096,0,2,,,"the host faults: prefetch the memory back by cudaMemPrefetchAsync()' \
	"record has pinned memory with its nodes, and unified memory from the first managed allocation on"
unlike "$err" warning "record of pinned and managed memory prints no warning"
GPMU_ROOT=$root expect 0 gpmu record --cuda=unified -o "$trace" -- "$program" init context=0 enabled=3 unified=7 managed=4096
is "$(sql "select int_value from slice join args using (arg_set_id) where category = 'unified' and key = 'debug.value'")" 7 \
	"record --cuda=unified has unified memory from the start"
GPMU_ROOT=$root expect 0 gpmu record --capture-range=nvtx:part -o "$trace" -- \
	"$program" init context=0 pin=8192 managed=4096 unified=5 push=part unified=6 pop
is "$(sql "select group_concat(name, ' ') from (select name from slice where category = 'host_memory' and name <> 'on node' order by ts)")" "allocated allocated" \
	"record with a capture range has the memory that was allocated before it"
is "$(sql "select int_value from slice join args using (arg_set_id) where category = 'unified' and key = 'debug.value'")" 6 \
	"record with a capture range has unified memory of the range only"
rm "$root/proc/self/numa_maps"
GPMU_ROOT=$root expect 0 gpmu record -o "$trace" -- "$program" init context=0 pin=8192 unpin=1
is "$(sql "select group_concat(name, ' ') from (select name from slice where category = 'host_memory' order by ts)")" "allocated freed" \
	"record has pinned memory without nodes if numa_maps cannot be read"
expect 0 gpmu record --cuda=kernel -o "$trace" -- "$program" init context=0 pin=8192 managed=4096 unified=5
is "$(sql "select count(*) from slice where category in ('host_memory', 'unified')")" 0 "record --cuda=kernel has no memory of the host"

# --- OpenACC
expect 0 gpmu record --cuda=openacc -o "$trace" -- "$program" acc-register init context=0 acc=35 acc=33
is "$(sql "select name from slice where category = 'openacc' order by ts")" "compute construct
enqueue upload" "record --cuda=openacc records the operations of OpenACC's runtime"
run env ACC_PROFLIB=/other "$GPMU_BIN" record --cuda=openacc -o "$trace" -- true
is "$rc" 125 "record --cuda=openacc is refused if ACC_PROFLIB is another tool's"
like "$err" 'ACC_PROFLIB is /other, of another tool' "record --cuda=openacc names the variable of the other tool"
# shellcheck disable=SC2016 # sh expands it
expect 0 env ACC_PROFLIB=/other "$GPMU_BIN" record --no-cpu-trace -o "$trace" -- sh -c 'echo $ACC_PROFLIB'
is "$out" /other "record without OpenACC leaves ACC_PROFLIB as it is"

# --- a process that runs already
"$program" init context=0 await="$work/begin" &
pid=$!
until grep -q libcuda "/proc/$pid/maps"; do sleep 0.02; done
expect 0 gpmu record -p $pid --duration 0.1 -o "$trace"
like "$err" "^gpmu record: warning: -p $pid: its CUDA activity is not recorded, because CUPTI must be loaded when a program initialises CUDA: start the program by gpmu record -- COMMAND" \
	"record -p of a process with CUDA warns that its activity is not recorded, and names the remedy"
expect 0 gpmu record -t $pid --no-cuda-trace --duration 0.1 -o "$trace"
unlike "$err" 'CUDA' "record -t --no-cuda-trace has no warning of CUDA"
expect 0 gpmu record -t $pid --duration 0.1 -o "$trace"
like "$err" "^gpmu record: warning: -t $pid: its CUDA activity is not recorded" "record -t of a thread of a process with CUDA warns that its activity is not recorded"
: > "$work/begin"
wait
expect 0 gpmu record -p $$ --duration 0.1 -o "$trace"
unlike "$err" 'CUDA' "record -p of a process without CUDA has no warning"

# --- regions
ln -s "$(realpath "$B/libgpmu-mark.so")" "$GPMU_PLUGINS"
expect 0 gpmu record --regions -o "$trace" -- "$program" init context=0 enter=solve kernel=foo push=step enter=inner kernel=bar leave=inner pop leave=solve
is "$(sql "select s.name, s.category, coalesce(p.name, '-') from slice s left join slice p on p.id = s.parent_id
	where s.category in ('region', 'nvtx', 'runtime') order by s.ts")" "solve|region|-
cudaLaunchKernel|runtime|solve
step|nvtx|solve
inner|region|step
cudaLaunchKernel|runtime|inner" "record --regions nests regions, NVTX ranges and calls of CUDA on one track"
is "$(sql "select count(distinct track_id) from slice where category in ('region', 'nvtx', 'runtime')")" 1 "record --regions shows regions on the thread's track of CUDA calls"
like "$err" '1 process, ' "record --regions counts a process with CUDA and regions once"
like "$(audit process)" "^$buffers buffers_limit=268435456 cupti=130001 driver=13000 end=closed pid=[0-9]+ program=program\$" "record's audit has a process with CUDA and regions once"
like "$(audit causality)" 'early=0 outside=0 overlap=0' "record --regions finds no violation of causality"
expect 0 gpmu record --regions -o "$trace" -- "$program" init context=0 enter=crosses push=step sleep=20 leave=crosses sleep=20 pop
is "$(sql "select s.name, t.name from slice s join track t on t.id = s.track_id where s.category in ('region', 'nvtx') order by s.ts" | grep -c regions)" 1 \
	"record --regions puts a region that crosses an NVTX range on a track of the process"
# A third channel: the new program has one of its own for regions.
expect 0 gpmu record --regions -o "$trace" -- "$program" enter=before leave=before init context=0 kernel=foo exec enter=behind leave=behind
is "$(sql "select s.name, count(*) over (partition by s.track_id) from slice s where s.category = 'region' order by s.ts")" "before|2
behind|2" "record --regions shows the regions before and after execve() on one track"
like "$err" '1 process, ' "record --regions counts a process once that calls execve() between its regions"
done_testing
