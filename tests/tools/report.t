#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu report: tables of small traces, made by trace-script, against values worked out by hand.
. tests/tools/lib.sh

script=$(realpath "$B/tests/unit/trace/trace-script") || bail "no trace-script: make unit-tests"
python=$(command -v python3) || bail "no python3"

# trace NAME < SCRIPT: makes $work/NAME.pftrace
trace() {
	"$script" "$work/$1.pftrace" || bail "$1: no trace"
}


# table NAME TRACE...: the rows of a table in CSV
table() {
	local name=$1

	shift
	gpmu report --format csv "${options[@]}" "${@/#/$work/}" 2>&1 |
		awk -v name="$name" '/^# gpmu-report-csv/ { on = $4 == name; getline; next } on'
}
options=()

trace offender < tests/data/timeline/offender.script
grep -v '^#' tests/data/timeline/offender-slices.base64 | base64 -d > "$work/slices.pftrace"
for name in offender slices; do
	gpmu report --format csv "$work/$name.pftrace" | grep -v '^#.*pftrace' > "$work/$name.csv"
done
is "$(wc -l < "$work/slices.csv") $(sed s/slices.pftrace/offender.pftrace/ "$work/slices.csv" | cmp - "$work/offender.csv" 2>&1)" "$(wc -l < "$work/offender.csv") " \
	"report of a trace with work and counters of GPUs on ordinary tracks has the same tables as one with GPU render stages"
is "$(table kernels offender.pftrace)" '"gemm(float*, float const*)",3,0.6,3000000,1000000,1000000,1000000
"gather(float*, float const*, int const*)",1,0.4,2000000,2000000,2000000,2000000' \
	"report lists kernels by name with count, share, total, min, median and max"
is "$(table copies offender.pftrace)" '"memcpy HtoD, pinned to device",1,16000000,16000000000,1000000,1000000,1000000,1000000
"memcpy DtoH, device to pinned",1,8000000,16000000000,500000,500000,500000,500000
memset,1,1000000,10000000000,100000,100000,100000,100000' "report lists copies by direction and memory with bytes and bandwidth"
# Busy 2-3.5, 4-5, 6-9.6 ms = 6.1 of 10 ms; kernels 5 ms, copies 1.6 ms, both at 2.5-3 ms; 6.6 ms of work in 6.1 ms
is "$(table gpus offender.pftrace)" "0,10000000,6100000,3900000,0.39,5000000,1600000,500000,500000,1.08196721311,NVIDIA GH200 480GB,GPU-11111111-0000-0000-0000-000000000000" \
	"report counts a GPU as idle outside the union of its work, and prints the overlap"
is "$(table streams offender.pftrace)" "100 train: stream 7,0,0,4,5000000,0,0,5000000,0.5
100 train: stream 13,0,0,0,0,2,24000000,1600000,0.16" "report lists streams with their kernels and copies"
# The driver's calls are 6 + 6 + 16 us of 80 us, and 100 of 200 us: 4880 us in all
is "$(table api offender.pftrace | cut -d , -f 1-5,7)" "cudaStreamSynchronize,runtime,1,0,4600000,4600000
cuMemcpyHtoDAsync_v2,driver,1,0,100000,100000
cudaMemcpyAsync,runtime,1,0,100000,200000
cudaLaunchKernel,runtime,4,1,52000,80000
cuLaunchKernel,driver,3,0,28000,28000" "report lists calls with their own time, without inner calls, and with their errors"
is "$(table sync offender.pftrace)" "stream,1,4600000,4600000,4600000,4600000" "report lists synchronization by kind"
# step: 2.5 ms of 1.5-5.5 and 3.6 of 5.5-10; 16 + 208 MB. gather phase: 6.5-9.2; 200 MB and 0.2 of 8
is "$(table nvtx offender.pftrace)" "step,,2,8500000,4000000,4250000,4500000,6100000,0.717647058824,224000000,,,
gather phase,model,1,2700000,2700000,2700000,2700000,2700000,1,201600000,,," \
	"report lists NVTX ranges with the GPU's busy time and the bytes over the link"
is "$(table nvtx_counters offender.pftrace | grep gather)" "gather phase,model,GPU 0,74.0740740741,GB/s,1,GpuC2cRxBW
gather phase,model,GPU 0,0.592592592593,GB/s,1,GpuC2cTxBW" "report lists the mean of each counter over an NVTX range's time"
# 2-3 ms: gemm and the copy, 8 MB; gemm alone moves nothing at 4-5 and 6-7 ms, so the copy is charged; 3-4 ms: the copy
# alone, half of the time; 7-9 ms: gather alone, all of the time; 9-10 ms: the copy 0.5 and the memset 0.1 ms, which run
# nowhere else, so that none of their bytes is certain
is "$(table attribution offender.pftrace)" '"gather(float*, float const*, int const*)",kernel,200000000,0.892857142857,200000000,0,2000000,1
"memcpy HtoD, pinned to device",memcpy,16000000,0.0714285714286,16000000,0,1000000,0.75
"memcpy DtoH, device to pinned",memcpy,6666667,0.0297619047619,0,6666667,500000,0
memset,memset,1333333,0.00595238095238,0,1333333,100000,0
(no recorded activity),,0,0,0,0,,
"gemm(float*, float const*)",kernel,0,0,0,0,3000000,' "report attributes 200 MB to the offending kernel with full confidence"
# A counter that is read late has more than the 5 us of reads() in its interval: 10 KB per us of reads(), and
# 10 B per us of the others, as the intervals without reads() show
{
	printf '%s\n' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;1 a: stream 7' 'counter;b;g;GB/s;GpuPcieBW'
	for ((i = 10; i < 100; i += 10)); do
		printf '%s\n' "slice;s;${i}000;$((i + 5))000;kernel;reads" "slice;s;$((i + 5))000;$((i + 7))000;kernel;own" \
			"slice;s;$((i + 7))000;$((i + 10))000;kernel;computes" \
			"value;b;$((i - 1))000;7.146" "value;b;$((i + 6))000;0.01"
	done
	printf '%s\n' 'value;b;99000;0.01'
} | trace late
options=(--link=pcie)
is "$(table attribution late.pftrace | awk -F , '$1 == "reads" { print ($4 > 0.99), ($8 > 0.98) }')" "1 1" \
	"report attributes bytes to a kernel that never runs alone if other intervals show the others' bytes"
options=()
is "$(table links offender.pftrace)" "NVLink-C2C,0,in,216000000,16000000,0,200000000,0.925925925926,1,GpuC2cRxBW
NVLink-C2C,0,out,8000000,8000000,0,0,0,1,GpuC2cTxBW" "report lists the bytes of a link that no copy explains"
is "$(table audit offender.pftrace)" 'multiplexing,ok,,all 2 counters ran all the time
versions,ok,0,"gpmu 0.1.0, 6.12.0 aarch64 on gh1"
process,ok,0,"100 train: CUPTI 26, driver for CUDA 13.0; closed"
clock,ok,0,error of at most 850 ns: time stamps of CUPTI
clocks,ok,0,GPU 0: SMs ran at 1980 MHz
drops,ok,0,"cupti: 31 records, none lost"
causality,ok,0,"17 checked, no violation"
unexplained,warning,,0.200 GB of 0.224 GB between GPUs and hosts are attributed to no copy' "report's audit lists multiplexing, versions, clocks, drops, causality and unexplained bytes"

# --- options

run gpmu report "$work/offender.pftrace"
is "$rc" 0 "report of a trace exits with 0"
like "$out" 'gemm\(float\*, float const\*\)' "report has the names of kernels"
like "$out" '3\.900 ms +39\.0 %' "report has the idle time of the GPU"
like "$out" '^NVLink-C2C bytes by kernel and copy$' "report has the attribution of the link's bytes"
unlike "$out" 'imbalance|uuid' "report of one rank has no comparison of ranks"
is "$(gpmu report --by nvtx "$work/offender.pftrace" | grep -c '^[A-Za-z]')" 3 "report --by prints its tables and the audit"
is "$(gpmu report --by kernel --format csv --sort max "$work/offender.pftrace" | sed -n '3s/,.*//p')" '"gather(float*' \
	"report --sort puts the largest value of a column first"
is "$(gpmu report --by api --sort name --format csv "$work/offender.pftrace" | sed -n '3,7s/,.*//p')" "cuLaunchKernel
cuMemcpyHtoDAsync_v2
cudaLaunchKernel
cudaMemcpyAsync
cudaStreamSynchronize" "report --sort sorts a column of text alphabetically"
is "$(gpmu report --by api --top 2 "$work/offender.pftrace" | grep -A 99 '^CUDA calls' | sed -n '3,5s/.*  //p')" "cudaStreamSynchronize
cuMemcpyHtoDAsync_v2
3 more: --top=5" "report --top prints that many rows and the number of the others"
gpmu report --format json "$work/offender.pftrace" > "$work/all.json"
is "$("$python" -c '
import json, sys
d = json.load(open(sys.argv[1]))
print(d["gpmu_report"], d["attribution"][0]["name"], d["attribution"][0]["bytes"], d["attribution"][0]["confidence"])
print(" ".join(k for k in d if isinstance(d[k], list)))
print(d["attribution"][-1]["confidence"], d["kernels"][0]["total"])' "$work/all.json")" \
	"1 gather(float*, float const*, int const*) 200000000 1
gpus kernels copies api sync nvtx attribution links ranks imbalance audit streams nvtx_counters counters threads tiers stacks functions nvtx_tiers pcs memory modules nodes openacc
None 3000000" "report --format json prints one object with all tables"
run gpmu report --sort nothing "$work/offender.pftrace"
is "$rc $err" "125 gpmu report: --sort=nothing: the table kernels has no such column; expected one of name, count, share, total, min, median, max" \
	"report --sort refuses an unknown column and names the known ones"
for option in --by=x --format=x --link=x '--top 0'; do
	# shellcheck disable=SC2086 # --top 0
	run gpmu report $option "$work/offender.pftrace"
	is "$rc" 125 "report $option is refused with exit status 125"
	like "$err" "^gpmu report: $option: expected" "report $option names the expected values"
done
run gpmu report --by kernel --link pcie "$work/offender.pftrace"
is "$rc $err" "125 gpmu report: --link needs --by=attribution, not --by=kernel" \
	"report --link together with --by=kernel is refused"
ln -s offender.pftrace "$work/other-name.pftrace"
run gpmu report --by kernel --format csv "$work/offender.pftrace" "$work/other-name.pftrace" "$work/offender.pftrace"
is "$rc $out" "0 $(gpmu report --by kernel --format csv "$work/offender.pftrace")" "report counts a trace that is given twice once"
is "$err" "gpmu report: $work/other-name.pftrace is given twice and counted once
gpmu report: $work/offender.pftrace is given twice and counted once" "report reports each trace that is given twice"
run gpmu report -o "$work/out" --format csv --by kernel "$work/offender.pftrace"
is "$rc$both $(wc -l < "$work/out")" "0 4" "report -o writes to the file"
is "$(gpmu report --by gpu --format csv - < "$work/offender.pftrace")" "$(gpmu report --by gpu --format csv "$work/offender.pftrace")" \
	"report - reads standard input, which may be a pipe"

# --- several GPUs, several ranks

# Two ranks of one machine: rank 0 works 4 of 10 ms on GPU 0, rank 1 6 of 12 ms on GPU 1, in two overlapping streams
printf '%s\n' 'process;10;a' 'thread;10;10;a' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;10 a: stream 7' \
	'audit;gpmu;host=n1;rank=0;begin=1000;end=10001000' \
	'slice;s;1000000;5000000;kernel;k' 'slice;s;5000000;5500000;memcpy;memcpy HtoD;bytes=1000' \
	'slice;t10;1000000;2000000;runtime;cudaDeviceSynchronize' \
	'track;y;g;10 a: synchronization' 'slice;y;1000000;2000000;sync;context' 'slice;y;3000000;9000000;sync;stream wait' | trace rank-b
printf '%s\n' 'process;11;a' 'thread;11;11;a' 'track;g;-;GPU 1: H200 (GPU-b)' 'track;s;g;11 a: stream 7' \
	'track;u;g;11 a: stream 8' 'track;u2;g;11 a: stream 8 (2)' 'audit;gpmu;host=n1;rank=1;begin=1000;end=12001000' \
	'slice;s;1000000;5000000;kernel;k' 'slice;u;3000000;7000000;graph;graph 1' \
	'slice;u2;4000000;5000000;kernel;k' | trace rank-a
is "$(table gpus rank-a.pftrace rank-b.pftrace | cut -d , -f 1-10)" "1,12000000,6000000,6000000,0.5,6000000,0,0,2000000,1.5
0,10000000,4500000,5500000,0.55,4000000,500000,0,0,1" "report counts CUDA graphs as work, and overlapping streams once, on two GPUs"
is "$(table streams rank-a.pftrace | cut -d , -f 1,4,5,8)" "11 a: stream 7,1,4000000,4000000
11 a: stream 8,2,5000000,4000000" "report counts a second track of a stream as the same stream"
is "$(table kernels rank-a.pftrace rank-b.pftrace)" "k,3,0.692307692308,9000000,1000000,4000000,4000000
graph 1,1,0.307692307692,4000000,4000000,4000000,4000000" "report sums kernels over ranks, and a graph is one of them"
is "$(table ranks rank-a.pftrace rank-b.pftrace | sed "s|$work/||")" "0,n1,10000000,4000000,5500000,1000,1000000,1000000,rank-b.pftrace
1,n1,12000000,6000000,6000000,0,0,0,rank-a.pftrace" "report lists ranks by number, in whatever order the files are given"
# 12 ms is the most of 10 and 12, whose mean is 11: 1 / 11 more
is "$(table imbalance rank-a.pftrace rank-b.pftrace)" "wall,10000000,11000000,12000000,ns,0.0909090909091,1
kernels,4000000,5000000,6000000,ns,0.2,1
idle,5500000,5750000,6000000,ns,0.0434782608696,1
bytes,0,500,1000,B,1,0
api,0,500000,1000000,ns,1,0
sync,0,500000,1000000,ns,1,0" "report compares ranks by min, mean, max, imbalance and the rank of the maximum"
like "$(gpmu report --by rank "$work"/rank-?.pftrace)" '^  kernels +4\.000 ms +5\.000 ms +6\.000 ms +20\.0 % +1$' "report --by rank prints the comparison for people"
grep -v '^audit;gpmu' tests/data/timeline/offender.script | trace noranks
is "$(table ranks noranks.pftrace offender.pftrace | cut -d , -f 1)" "0
0" "report numbers traces without a rank by their position"
# One GPU by two processes: 2-4 ms of each is the same time. Counters are in the first's trace, for both.
printf '%s\n' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;1 a: stream 7' 'counter;r;g;GB/s;GpuC2cRxBW' \
	'counter;t;g;GB/s;GpuC2cTxBW' 'audit;gpmu;begin=1000000;end=5000000;host=n' 'slice;s;1000000;4000000;kernel;mine' \
	'value;r;1000000;1' 'value;r;5000000;1' 'value;t;1000000;0' 'value;t;5000000;0' | trace shared-1
printf '%s\n' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;2 a: stream 7' 'counter;r;g;GB/s;GpuC2cRxBW' \
	'audit;gpmu;begin=1000000;end=5000000;host=n' 'slice;s;2000000;5000000;kernel;theirs' \
	'value;r;1000000;1' 'value;r;5000000;1' | trace shared-2
is "$(table gpus shared-1.pftrace shared-2.pftrace | cut -d , -f 1-5,9)" "0,4000000,4000000,0,0,2000000" \
	"report counts a GPU of two processes once"
is "$(table attribution shared-1.pftrace shared-2.pftrace | cut -d , -f 1,3,8)" "mine,2000000,0
theirs,2000000,0
(no recorded activity),0," "report attributes the bytes of a GPU to both of its processes once"

# --- counters of links

printf '%s\n' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;1 a: stream 7' 'counter;r;g;B;pcie__read_bytes.sum' \
	'counter;w;g;B;pcie__write_bytes.sum' 'track;x;-;gaps' 'audit;gpmu;begin=1000000;end=5000000' \
	'slice;s;1000000;2000000;kernel;a' 'slice;s;2000000;4000000;memcpy;memcpy HtoD;bytes=4000' \
	'slice;x;3000000;4000000;gap;pcie__read_bytes.sum' \
	'value;r;1000000;500' 'value;r;2000000;2500' 'value;r;3000000;0' 'value;r;4000000;100' 'value;r;5000000;100' \
	'value;w;1000000;0' 'value;w;5000000;0' | trace pcie
is "$(gpmu report --by attribution --format csv "$work/pcie.pftrace" | sed -n '3p')" "# gpmu-report-csv 1 links" "report attributes no bytes to kernels without counters of the link"
like "$(gpmu report --by attribution "$work/pcie.pftrace")" 'no counter of NVLink-C2C was recorded; --link=pcie has one' "report --by attribution names a link that has counters"
unlike "$(gpmu report "$work/pcie.pftrace")" 'C2C' "report prints nothing about NVLink-C2C if no counter of it was recorded"
like "$(gpmu report --link nvlink "$work/pcie.pftrace")" 'no counter of NVLink was recorded; --link=pcie has one' "report --link reports that the link has no counters"
options=(--link pcie)
# The values are bytes of an interval. 3-4 ms was not counted: half of the copy.
is "$(table attribution pcie.pftrace | sed 's/"//g')" "memcpy HtoD,memcpy,2500,0.806451612903,2500,0,1000000,1
a,kernel,500,0.161290322581,500,0,1000000,1
(no recorded activity),,100,0.0322580645161,100,0,," "report attributes PCIe bytes from counts of events, without gaps, and lists unattributed bytes"
is "$(table links pcie.pftrace)" "PCIe,0,in,3100,2000,0,1100,0.354838709677,0.75,pcie__read_bytes.sum
PCIe,0,out,0,0,0,0,,1,pcie__write_bytes.sum" "report compares copies and counters over the counted time"
options=()
# Grace's own counters of two nodes, for two GPUs; unified memory that migrated to the GPU
printf '%s\n' 'track;g;-;GPU 4: A (GPU-a)' 'track;h;-;GPU 7: B (GPU-b)' 'track;s;g;1 a: stream 7' 'track;t;h;1 a: stream 7' \
	'track;n0;-;node 0' 'track;n1;-;node 1' 'counter;a;n1;GB/s;GraceC2c0BW' 'counter;b;n0;GB/s;GraceC2c0BW' \
	'track;v;g;1 a: unified memory' 'slice;v;1000000;1000000;unified;bytes HtoD;value=300' \
	'audit;gpmu;begin=1000000;end=2000000' 'slice;s;1000000;2000000;kernel;on4' 'slice;t;1000000;2000000;kernel;on7' \
	'value;b;1000000;1' 'value;b;2000000;1' 'value;a;1000000;3' 'value;a;2000000;3' | trace nodes
is "$(table attribution nodes.pftrace)" "on7,kernel,3000000,0.75,,,1000000,1
on4,kernel,1000000,0.25,,,1000000,1
(no recorded activity),,0,0,,,," "report maps nodes to GPUs in their order, and gives a sum of both directions no direction"
is "$(table links nodes.pftrace | cut -d , -f 2-7)" "4,both,1000000,0,300,999700
7,both,3000000,0,0,3000000" "report counts transfers of unified memory as explained bytes"

# --- bytes of the host's memory that no copy moved

# Each ms from 1 ms on: "reads" alone; a copy alone, whose 50 MB take 52 MB of the link; a copy beside "computes"; "writes";
# "touches" waits for 30 MB of unified memory, which take 36 MB; the host takes them back; "reads" of another process.
printf '%s\n' 'process;5;app' 'thread;5;5;app' 'process;6;app' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;5 app: stream 7' \
	'track;c;g;5 app: stream 8' 'track;o;g;6 app: stream 7' 'track;u;g;5 app: unified memory' 'track;h;p5;host memory' \
	'counter;r;g;B;pcie__read_bytes.sum' 'counter;w;g;B;pcie__write_bytes.sum' 'audit;gpmu;begin=100000;end=9000000' \
	'slice;t5;400000;600000;runtime;cudaHostAlloc;correlation=1' 'slice;t5;450000;550000;driver;cuMemHostAlloc;correlation=1' \
	'instant;h;500000;host_memory;allocated;address=4096;bytes=200000000;memory=pinned;correlation=1' \
	'slice;t5;650000;750000;runtime;cudaMallocManaged;correlation=2' \
	'instant;h;700000;host_memory;allocated;address=8000000000;bytes=64000000;memory=managed;correlation=2' \
	'instant;h;800000;host_memory;on node;address=4096;bytes=150000000;node=node 1 (CPU memory);gpu_node=node 0 (CPU memory)' \
	'instant;h;800000;host_memory;on node;address=4096;bytes=50000000;node=node 0 (CPU memory);gpu_node=node 0 (CPU memory)' \
	'slice;s;1000000;2000000;kernel;reads' 'slice;c;2000000;3000000;memcpy;memcpy HtoD;bytes=50000000' \
	'slice;c;3000000;4000000;memcpy;memcpy HtoD;bytes=50000000' 'slice;s;3000000;4000000;kernel;computes' \
	'instant;h;3500000;host_memory;registered;address=900000000;bytes=10000000;memory=pinned;correlation=9' \
	'instant;h;3600000;host_memory;on node;address=900000000;bytes=10000000;node=node 2 (GPU memory);gpu_node=node 0 (CPU memory)' \
	'slice;s;4000000;5000000;kernel;writes' 'instant;h;4200000;host_memory;freed;address=900000000' \
	'slice;s;5000000;6000000;kernel;touches' 'slice;u;5000000;6000000;unified;bytes HtoD;value=30000000;address=8000000000' \
	'slice;u;5100000;5100000;unified;GPU page faults;value=12;address=8063999999' \
	'slice;u;6000000;7000000;unified;bytes DtoH;value=30000000;address=8000000000' \
	'instant;h;6000000;unified;CPU page faults;value=3;address=8000000000' \
	'instant;h;6000001;unified;CPU page faults;value=1;address=8064000000' 'slice;o;8000000;9000000;kernel;reads' > "$work/moves"
printf 'value;%s\n' 'r;1000000;100000000' 'r;2000000;52000000' 'r;3000000;52000000' 'r;4000000;0' 'r;5000000;36000000' 'r;6000000;0' \
	'r;7000000;0' 'r;8000000;40000000' 'r;9000000;0' 'w;1000000;0' 'w;4000000;80000000' 'w;5000000;0' 'w;6000000;30000000' \
	'w;7000000;0' 'w;9000000;0' >> "$work/moves"
trace moves < "$work/moves"
wait='the kernel waits for the link: copy data that it reuses to the GPU first'
is "$(table memory moves.pftrace | sed 's/"//g')" "5 app,0,other node,pinned, cudaHostAlloc, node 1 (CPU memory),1,200000000,150000000,,,,,,accesses cross nodes: allocate the memory under numactl --cpunodebind=0 --membind=0
5 app,0,direct,pinned, managed,2,264000000,100000000,100000000,0,,1,reads,$wait
5 app,0,direct,pinned, managed, registered,3,274000000,80000000,0,80000000,,1,writes,$wait
6 app,0,direct,not known,0,0,40000000,40000000,0,,1,reads,$wait
5 app,0,unified,managed, cudaMallocManaged,1,64000000,30000000,30000000,0,12,,touches,the kernel waits for faults: prefetch the memory by cudaMemPrefetchAsync() before the launch
5 app,0,unified,managed, cudaMallocManaged,1,64000000,30000000,0,30000000,3,,,the host faults: prefetch the memory back by cudaMemPrefetchAsync(), or copy what the host needs
5 app,0,other node,registered, node 2 (GPU memory),1,10000000,10000000,,,,,,the memory belongs to a GPU (HBM): allocate it under numactl --membind=0
5 app,0,unified,not known,0,0,0,0,0,1,,,the host faults: prefetch the memory back by cudaMemPrefetchAsync(), or copy what the host needs" \
	"report lists bytes of pinned and unified memory by process, kernel and memory"
is "$(gpmu report "$work/moves.pftrace" | grep -A 3 '^bytes of the host' | tr -s ' ')" "bytes of the host's memory that no copy moved
 process what memory buffers size bytes in out faults confidence kernel
 5 app other node pinned, cudaHostAlloc, node 1 (CPU memory) 1 200.000 MB 150.000 MB - - - -
 advice: accesses cross nodes: allocate the memory under numactl --cpunodebind=0 --membind=0" \
	"report prints the bytes that no copy moved in the whole report, and the advice below each row"
# The same bytes, with counters of NVLink-C2C in one direction only for both
sed 's/counter;r;g;B;.*/counter;r;g;GB\/s;GpuC2cBW/; /;w;/d; s/^value;r;\([0-9]*\);100000000/value;r;\1;100/; s/^value;r;\([0-9]*\);[0-9]*000000$/value;r;\1;0/' \
	"$work/moves" | trace moves-both
is "$(table memory moves-both.pftrace | grep direct | cut -d , -f 3-12)" 'direct,"pinned, managed",2,264000000,100000000,,,,1' "report does not split the bytes of a counter of both directions"
grep -v '^value\|^counter\|unified\|on node' "$work/moves" | trace moves-none
like "$(gpmu report --by memory "$work/moves-none.pftrace")" 'no unified memory was moved, no pinned memory is on another node' "report --by memory explains why it has no rows"

# --- samples of Arm SPE in ranges

# Thread 8 solves twice, with a range inside the first region. Thread 9 has samples at the same time, outside of its region.
# The end of a region comes after its samples, and a sample may come after the end.
printf '%s\n' 'process;8;app' 'thread;8;8;app' 'thread;8;9;worker' 'track;a;t8;SPE' 'track;b;t9;SPE' 'track;idle;-;SPE' \
	'track;r;p8;regions' 'audit;gpmu;host=n;begin=1000;end=9000' \
	'instant;a;1999;spe;DRAM (0xe);tier=DRAM (0xe);home=no node;latency=9' \
	'begin;t8;2000;region;solve' 'begin;t8;3000;nvtx;step;domain=model' 'begin;r;2000;region;crossing' \
	'instant;a;2000;spe;L1D (0x0);tier=L1D (0x0);home=local CPU memory (node 0);latency=4' \
	'instant;a;3000;spe;DRAM (0xe);tier=DRAM (0xe);home=GPU memory (node 2);latency=300' \
	'instant;b;3000;spe;DRAM (0xe);tier=DRAM (0xe);home=GPU memory (node 2);latency=1000' \
	'instant;idle;3000;spe;DRAM (0xe);tier=DRAM (0xe);home=GPU memory (node 2);latency=2000' \
	'instant;a;3500;spe;branch;op=branch;latency=1' 'end;t8;4000' 'end;r;4500' 'end;t8;5000' \
	'instant;a;3999;spe;DRAM (0xe);tier=DRAM (0xe);home=GPU memory (node 2);latency=500' \
	'instant;a;5000;spe;DRAM (0xe);tier=DRAM (0xe);home=no node;latency=9' \
	'slice;t8;6000;7000;region;solve' 'instant;a;6500;spe;DRAM (0xe);tier=DRAM (0xe);home=GPU memory (node 2)' \
	'slice;t9;6000;7000;region;solve' 'slice;t9;7000;8000;region;empty' | trace spe
is "$(gpmu report --by nvtx --format csv "$work/spe.pftrace" | sed '1,/ nvtx_tiers$/d')" "range,domain,tier,home,share,samples,latency_mean,latency_max
solve,gpmu-mark,DRAM (0xe),GPU memory (node 2),0.6,3,400,500
step,model,DRAM (0xe),GPU memory (node 2),0.666666666667,2,400,500
solve,gpmu-mark,L1D (0x0),local CPU memory (node 0),0.2,1,4,4" \
	"report --by nvtx counts the samples of Arm SPE of each range's thread by tier and home"
is "$(gpmu report "$work/spe.pftrace" | sed -n '/^loads and stores in/{n;n;s/  */ /g;p}')" \
	" gpmu-mark DRAM (0xe) GPU memory (node 2) 60.0 % 3 400 500 solve" \
	"report prints the samples of Arm SPE in ranges by default"

# --- counters

# tests/unit/report/report.c tests the numbers; this tests each output form.
printf '%s\n' 'process;7;app' 'counter;m;p7;B;memory of GPU 0' 'track;n0;-;node 0' 'track;n1;-;node 1' 'track;c;-;command' \
	'track;x;-;gaps' 'counter;a;n0;GB/s;GraceMemBW' 'counter;b;n1;GB/s;GraceMemBW' 'counter;i;c;;instructions' \
	'audit;gpmu;host=n;rank=1;begin=1000000;end=11000000' 'audit;counters;counter=GraceMemBW;of=node 0;kind=mean;share=1.0;gaps=0' \
	'audit;counters;counter=GraceMemBW;of=node 1;kind=mean;share=0.5;gaps=1' \
	'audit;counters;counter=instructions;of=command;kind=total;share=1.0;gaps=0' \
	'audit;counters;counter=GraceC2c0BW;of=node 1;kind=mean;gaps=3' 'slice;x;2000000;5000000;gap;GraceMemBW;of=node 1' \
	'value;a;1000000;10' 'value;b;1000000;20' 'value;i;1000000;300' 'value;a;2000000;20' 'value;b;2000000;20' \
	'value;i;2000000;600' 'value;a;5000000;40' 'value;b;5000000;50' 'value;i;5000000;600' 'value;a;11000000;40' \
	'value;b;11000000;50' 'value;i;11000000;600' 'value;m;3000000;1000000' 'value;m;5000000;3000000' | trace counters
is "$(gpmu report --by counter "$work/counters.pftrace" | sed '/^$/,$d')" "counters
  of           mean       min       max  unit  total  per second  counted  running  counter
  node 0         31        10        40  GB/s      -           -  100.0 %  100.0 %  GraceMemBW
  node 1      45.71        20        50  GB/s      -           -   70.0 %   50.0 %  GraceMemBW
  command       570       300       600         1500     1.5e+05  100.0 %  100.0 %  instructions
  7 app    2.500 MB  1.000 MB  3.000 MB  B         -           -   80.0 %        -  memory of GPU 0
  node 1          -         -         -            -           -    0.0 %        -  GraceC2c0BW" \
	"report --by counter prints totals of events, and a counter that was never counted"
is "$(table counters counters.pftrace)" "GraceMemBW,node 0,1,31,10,40,GB/s,,,1,1
GraceMemBW,node 1,1,45.7142857143,20,50,GB/s,,,0.7,0.5
instructions,command,1,570,300,600,,1500,150000,1,1
memory of GPU 0,7 app,1,2500000,1000000,3000000,B,,,0.8,
GraceC2c0BW,node 1,1,,,,,,,0," "report --by counter prints counters as CSV"
is "$(gpmu report --by counter --format json "$work/counters.pftrace" | "$python" -c '
import json, sys
d = json.load(sys.stdin)
print(" ".join(d), d["counters"][2]["total"], d["counters"][0]["total"], d["counters"][4])')" \
	"gpmu_report notes counters audit 1500 None {'counter': 'GraceC2c0BW', 'of': 'node 1', 'rank': '1', 'mean': None, 'min': None, 'max': None, 'unit': '', 'total': None, 'per_second': None, 'counted': 0, 'running': None}" \
	"report --by counter prints counters as JSON"
is "$(gpmu report --by counter --sort max --top 2 --format csv "$work/counters.pftrace" | cut -d , -f 1)" "# gpmu-report-csv 1 counters
counter
memory of GPU 0
instructions" "report --by counter obeys --sort and --top"
like "$(gpmu report --top 1 "$work/counters.pftrace")" 'GraceMemBW
  4 more: --top=5' "report prints counters in the whole report"
is "$(table counters counters.pftrace offender.pftrace | cut -d , -f 1-3 | sed -n 1,3p)" "GpuC2cRxBW,GPU 0,0
GpuC2cTxBW,GPU 0,0
GraceMemBW,node 0,1" "report lists counters of several traces by rank"
like "$(gpmu report --by counter "$work/rank-a.pftrace")" 'no counter was recorded; gpmu record -M or -e records counters' "report --by counter explains how to record counters if there are none"

# --- threads: in 100 us thread 5 runs on CPUs 0 and 2, waits, is preempted and ends; thread 6 still runs at the end
printf '%s\n' 'process;5;app' 'thread;5;5;app' 'thread;5;6;worker' 'audit;gpmu;host=n;begin=100000;end=200000' \
	'switch;0;100000;0;5;0;app' 'switch;0;110000;5;0;1;' 'switch;2;140000;0;5;0;' 'switch;2;145000;5;6;256;worker' \
	'switch;2;165000;6;5;1;' 'switch;2;170000;5;0;16;' 'switch;3;195000;0;6;0;' 'switch;1;180000;0;5;0;other' 'switch;1;190000;5;0;1;' 'audit;trace' | trace threads
is "$(gpmu report --by thread --format csv "$work/threads.pftrace")" "# gpmu-report-csv 1 threads
name,process,pid,tid,rank,run,run_share,wait,preempted,switches,migrations,cpus
worker,app,5,6,0,25000,0.25,30000,0,1,1,2-3
app,app,5,5,0,20000,0.2,30000,20000,3,1,\"0,2\"
other,app,5,5,0,10000,0.1,10000,0,1,0,1" "report --by thread has the times, switches, migrations and CPUs of each thread"
like "$(gpmu report "$work/threads.pftrace")" '^  app +5 +6 +25.000 us +25.0 % +30.000 us +0 ns +1 +1 +2-3 +worker' "report prints threads in the whole report"
# --- nodes of graphs: two nodes of a kernel were created in the range fwd, and one of them ran twice
printf '%s\n' 'process;5;app' 'gpu;0;H200;GPU-1;0009:01:00.0' 'queue;s7;0;5;5 app: stream 7' \
	'work;s7;1000;1100;kernel;k;node=1;created_in=fwd' 'work;s7;2000;2300;kernel;k;node=1;created_in=fwd' \
	'work;s7;3000;3100;kernel;k;node=2;created_in=fwd' 'work;s7;4000;4050;kernel;k;node=3;created_in=bwd' 'work;s7;5000;5010;memset;memset;node=4' \
	'work;s7;6000;7000;kernel;k' 'audit;trace' | trace nodes
is "$(gpmu report --by node --format csv "$work/nodes.pftrace" | sed -n 3,5p)" "fwd,k,3,2,500,100,100,300
bwd,k,1,1,50,50,50,50
,memset,1,1,10,10,10,10" "report --by node counts the work and the nodes of each range"
like "$(gpmu report --by node "$work/threads.pftrace" 2>&1)" 'use gpmu record --graph-nodes' "report --by node explains how to record nodes if there are none"

# --- modules: CUPTI's other overhead has no row, and is that of the audit
printf '%s\n' 'process;5;app' 'thread;5;5;app' 'track;cupti;-;CUPTI' 'slice;t5;1000;3000;module;compile PTX' 'slice;t5;4000;8000;module;compile PTX' \
	'slice;t5;9000;9000;module;module loaded;bytes=4096' 'slice;t5;9000;9000;module;module loaded;bytes=1000' \
	'slice;cupti;1000;8500;overhead;module loading by the runtime' 'slice;cupti;20000;20100;overhead;lazy function loading' \
	'slice;cupti;30000;31000;overhead;buffer flush' 'audit;trace' | trace modules
is "$(gpmu report --by module --format csv "$work/modules.pftrace" | sed -n 1,6p)" "# gpmu-report-csv 1 modules
name,count,bytes,total,min,median,max
module loading by the runtime,1,,7500,7500,7500,7500
compile PTX,2,,6000,2000,3000,4000
lazy function loading,1,,100,100,100,100
module loaded,2,5096,0,0,0,0" "report --by module has the loads, operations of the compiler, and loads by the runtime"
like "$(table audit modules.pftrace)" 'CUPTI itself used 0.001 ms' "report does not count loads of modules as time of CUPTI itself"
like "$(gpmu report --by module "$work/threads.pftrace" 2>&1)" 'no load or compilation of a module was recorded' "report --by module notes that no module was recorded"

# Of 100 us thread 5 sleeps all, thread 6 all but the last 10, and thread 7 is ready until it runs for 20; the others are malformed
printf '%s\n' 'thread;5;5;app' 'thread;5;6;late' 'thread;5;7;ready' 'slice;t5;100000;100001;x;x' 'audit;gpmu;host=n;begin=100000;end=200000' 'audit;thread;tid=7;state=ready;since=100000' 'switch;0;180000;0;7;0;ready' \
	'audit;thread;tid=6;state=sleeps;since=100000' 'switch;1;190000;0;6;0;late' 'audit;thread;tid=5;state=sleeps;since=100000' \
	'audit;thread;tid=6;state=sleeps;since=100000' 'audit;thread;tid=0;state=sleeps;since=1' 'audit;thread;tid=8;since=-1' 'audit;thread' 'audit;trace' | trace states
is "$(gpmu report --by thread --format csv "$work/states.pftrace" | sed -n '3,$p' | cut -d , -f 1,4,6,8,9,10)" "ready,7,20000,0,80000,0
late,6,10000,90000,0,0
app,5,0,100000,0,0" "report --by thread has threads that slept or were ready when the recording began"
like "$(gpmu report --by thread "$work/offender.pftrace")" 'no thread was recorded: record a command with gpmu record' "report --by thread explains how to record threads if there are none"

# --- the audit

printf '%s\n' 'audit;gpmu;version=1.0.0;kernel=k;machine=m;host=h;begin=1;end=2' 'audit;clock;bound=2000000;of=NVML' \
	'audit;process;pid=5;program=p;end=vanished' 'audit;process;pid=6;program=q;cupti=130001;driver=12060;end=closed' 'audit;gpu;gpu=0;clock_min=345;clock_max=1980;throttle=sw_power_cap' \
	'audit;source;source=cupti;records=88;lost=12;why=the ring was full;from=1000000;to=3500000' \
	'audit;counters;counter=A;share=0.5;gaps=3' 'audit;counters;counter=B;share=0.25;gaps=1' 'audit;sampler;path=x.pftrace' \
	'audit;causality;early=1;overlap=2;outside=3;checked=9' 'audit;note;text=0 processes connected;level=warning' 'audit;trace' | trace bad
is "$(table audit bad.pftrace | sed 's/"//g')" "multiplexing,warning,0,B was counted for 25.0 % of the time, the lowest share of 2 counters
gaps,warning,,counters were not counted in 4 intervals
versions,ok,0,gpmu 1.0.0, k m on h
process,warning,0,5 p: without CUPTI; vanished
process,ok,0,6 q: CUPTI 13.0.1, driver for CUDA 12.6; closed
clock,warning,0,error of at most 2000000 ns: time stamps of NVML
clocks,warning,0,GPU 0: SMs ran at 345 to 1980 MHz, throttled by sw_power_cap
drops,warning,0,cupti: 12 lost of 100: the ring was full, in 2.500 ms
causality,warning,0,of 9 checked: 1 began before their call, 2 overlap in a stream, 3 calls end after the one around them
sampler,ok,0,counters of this node are in x.pftrace
note,warning,0,0 processes connected" "report's audit warns of everything that makes numbers doubtful"
grep -v '^audit;trace' tests/data/timeline/offender.script | trace closing
like "$(table audit closing.pftrace)" 'trace,warning,0,"it has no end, because gpmu record was killed or could not write' "report warns of a trace that was cut off inside its closing audit"
run gpmu report "$work/bad.pftrace"
is "$rc" 0 "report of a trace without a GPU exits with 0"
unlike "$out" 'GPUs|kernels|bytes' "report of a trace without a GPU leaves out the tables of GPUs"
like "$(gpmu report --by kernel "$work/bad.pftrace")" 'no kernel ran, or none was recorded' "report --by kernel reports that no kernel was recorded"
like "$(gpmu report --by attribution "$work/bad.pftrace")" 'no counter of NVLink-C2C was recorded: gpmu record -M GpuC2cRxBW,GpuC2cTxBW' "report of a trace without counters names the metrics to record"

# --- damaged traces

size=$(stat -c %s "$work/offender.pftrace")
head -c $((size - 3)) "$work/offender.pftrace" > "$work/cut.pftrace"
run gpmu report --by kernel --format json "$work/cut.pftrace"
is "$rc" 0 "report of a trace with a truncated last packet exits with 0"
like "$out" '"trace","level":"warning".*bytes at the end are an incomplete packet' "report's audit warns of a truncated last packet"
like "$out" '"count":3' "report of a trace with a truncated last packet has the complete packets"
# neither FILE: the begin of the message about a file that is not supported
neither() {
	echo "neither a trace of gpmu record, a recording of perf (perf.data) nor a report of Nsight Compute: $work/$1"
}

: > "$work/empty.pftrace"
printf 'no trace' > "$work/text.pftrace"
{ cat "$work/offender.pftrace"; printf '\017'; } > "$work/tail.pftrace"
printf '\012\004\020\001\120\011' > "$work/other.pftrace"
run gpmu report "$work/empty.pftrace"
is "$rc$both" "1gpmu report: $(neither empty.pftrace): empty: expected a trace of gpmu record" "report refuses an empty file"
run gpmu report "$work/text.pftrace"
is "$rc$both" "1gpmu report: $(neither text.pftrace):0: expected a packet of a trace" \
	"report refuses a text file, and names the supported files, the offset and the expected content"
for text in 'hello world' 'hhhhhhhhh'; do
	printf '%s' "$text" > "$work/text.pftrace"
	run gpmu report "$work/text.pftrace"
	like "$rc$both" "^1gpmu report: neither a trace of gpmu record, a recording of perf .*text\.pftrace" "report refuses a file with the text $text, which may be fields before a packet"
done
run gpmu report "$work/tail.pftrace"
is "$rc$both" "1gpmu report: $work/tail.pftrace:$size: expected a packet of a trace" "report refuses damage after good packets with its offset"
run gpmu report "$work/other.pftrace"
is "$rc$both" "1gpmu report: $(neither other.pftrace): no packet is from gpmu: expected a trace of gpmu record" \
	"report refuses a trace that gpmu has not written"
run gpmu report "$work/offender.pftrace" "$work/none.pftrace"
is "$rc$both" "1gpmu report: $work/none.pftrace: No such file or directory" "report refuses a file that does not exist"

# --- a long trace

# 1,000,000 slices of 100 ns every 200 ns: 0.1 s of 0.2 s
{ printf '%s\n' 'process;1;a' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;1 a: stream 7' 'counter;r;g;GB/s;GpuC2cRxBW' \
	'value;r;1000000;1' 'many;s;1000000;1000000;200;100;kernel;k;correlation=1;grid=1x1x1;block=1x1x1' \
	'value;r;200999900;1'; } | trace long
expect 0 gpmu report --format csv "$work/long.pftrace"
is "$(sed -n '/csv 1 kernels/,+2{/^k/p}' <<< "$out")" "k,1000000,1,100000000,100,100,100" "report counts a million slices of one kernel"
is "$(sed -n '/csv 1 attribution/,+2{/^k/p}' <<< "$out" | cut -d , -f 3)" "199999900" "report attributes the bytes of a million slices"

# --- the newest trace

mkdir "$work/folder"
cp "$work/offender.pftrace" "$work/folder/gpmu-new-h-2.pftrace"
cp "$work/offender.pftrace" "$work/folder/gpmu-old-h-1.pftrace"
cp "$work/offender.pftrace" "$work/folder/other.pftrace"
touch -d 2020-01-01 "$work/folder/gpmu-old-h-1.pftrace"
touch -d 2019-01-01 "$work/folder/other.pftrace"
run env -C "$work/folder" "$GPMU_BIN" report --by gpu
is "$rc $err" "0 gpmu report: gpmu-new-h-2.pftrace, the newest trace or recording in this folder" "report without a file reads the newest trace of the folder and names it"
mkfifo "$work/folder/gpmu-newer-h-3.pftrace"
run timeout 600 env -C "$work/folder" "$GPMU_BIN" report --by gpu
like "$rc $err" "^0 gpmu report: gpmu-new-h-2.pftrace, the newest" "report without a file leaves out a FIFO"
mkdir -p "$work/threads/perf.data"
printf 'PERFILE2' > "$work/threads/perf.data/data"
run env -C "$work/threads" "$GPMU_BIN" report
like "$err" '^gpmu report: perf\.data, the newest' "report without a file reads the folder of perf record --threads"
run env -C "$work" "$GPMU_BIN" report
is "$rc" 1 "report without a file exits with 1 if there is no trace"
like "$err" 'no gpmu-\*\.pftrace, perf\.pftrace or perf\.data in this folder: name a trace or a recording of perf, or record one with gpmu record' "report without a file names the remedy if there is no trace"

run gpmu report -o "$work/other-name.pftrace" "$work/offender.pftrace"
is "$rc $err" "125 gpmu report: $work/other-name.pftrace: the output would replace the file that is read: choose another name for -o" \
	"report refuses an output that is the trace"

# --- names with special characters

printf '%s\n' 'track;g;-;GPU 0: X (GPU-1)' 'track;s;g;1 a: stream 7' 'slice;s;1000;2000;kernel;a"b,c' \
	'slice;s;3000;4000;kernel;'$'\e''[31mred' | trace names
is "$(table kernels names.pftrace | sort)" "$(printf '%s\n' '"a""b,c",1,0.5,1000,1000,1000,1000' $'\e''[31mred,1,0.5,1000,1000,1000,1000' | sort)" \
	"report --format csv quotes names"
like "$(gpmu report --by kernel "$work/names.pftrace")" '\?\[31mred' "report shows terminal control characters in names as ?"
"$python" -c 'import json, sys; json.load(sys.stdin)' < <(gpmu report --format json "$work/names.pftrace")
ok $? "report --format json escapes control characters in names"
is "$(table gpus names.pftrace | cut -d , -f 2-4)" "3000,2000,1000" "report without an audit measures from the first event to the last"
printf '%s\n' 'track;g;-;GPU 0: X (GPU-1)' 'track;s;g;1 a: stream 7' 'audit;gpmu;host=n;begin=1000;end=5000' \
	'slice;s;500;2000;kernel;k' 'slice;s;5000;9000;kernel;late' | trace outside
is "$(table gpus outside.pftrace | cut -d , -f 2-5)" "4000,1000,3000,0.75" "report does not count work outside the recorded time as busy"

# --- options that other subcommands have, too

run gpmu report -j "$work/threads.pftrace"
is "$out" "$(gpmu report --format json "$work/threads.pftrace")" "report -j prints what --format json does"
is "$(gpmu report -x ';' --by thread "$work/threads.pftrace" | head -n 2)" "$(gpmu report --format csv --by thread "$work/threads.pftrace" | head -n 2 | tr ',' ';')" \
	"report -x ';' separates the columns of CSV by semicolons"
run gpmu report -x a "$work/threads.pftrace"
like "$rc $err" '^125 gpmu report: -x: separator "a": expected' "report -x refuses a separator that occurs in values"
for formats in '-j -x;' '-x; -j' '--format=json -x;' '-j --format=text'; do
	# shellcheck disable=SC2086 # options are words
	run gpmu report $formats "$work/threads.pftrace"
	is "$rc $err" "125 gpmu report: -j, -x and --format: choose one" "report refuses $formats, which choose two formats"
done
run gpmu report --by stall,line,stall "$work/threads.pftrace"
is "$rc $err" "125 gpmu report: --by=stall,line,stall: a key is given twice" "report --by refuses a key of PC samples that is given twice"
for name in stat eval traffic report list gpu doctor; do
	like "$(gpmu "$name" --help)" '-j, --json-output, --json ' "$name has -j under both names"
done

done_testing
