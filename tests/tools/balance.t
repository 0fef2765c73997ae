#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a Grace, the model, and its GPU, the fake of CUPTI, count of the same bytes: gpmu stat's
# lines, gpmu traffic's table and records. Of each second the fake's first GPU has 36 GB received and
# 18 GB sent over NVLink-C2C, 20 and 10 over PCIe, 2400 GB read from its memory; the second twice that.
. tests/tools/lib.sh

export GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE=machine=gh200
one=GPU-6f2a1c00-0003-4a00-8000-000000000003
two=GPU-6f2a1c00-0005-4a00-8000-000000000005
cat > "$work/one.scenario" << 'END'
# into the GPU 28 + 6 + 2 = 36 GB/s; out of it 10 + 2.4 + 3.2 = 15.6
flow gpu:0:ats  -> cmem:0 rd rate=28GB/s size=64
flow gpu:0:nats -> cmem:0 rd rate=6GB/s size=64
flow cpu:0 -> gmem:0 wb rate=2GB/s
flow gpu:0:ats  -> cmem:0 wr rate=10GB/s size=32
flow gpu:0:nats -> cmem:0 wr rate=2.4GB/s size=32
flow cpu:0 -> gmem:0 rd rate=3.2GB/s latency=200ns
END
cat > "$work/four.scenario" << 'END'
# into GPU 0 20 + 6 = 26 GB/s, into GPU 3 60 + 8 + 4 = 72, 8 of these from another socket's memory
flow gpu:0:ats  -> cmem:0 rd rate=20GB/s size=64
flow gpu:0:nats -> cmem:0 rd rate=6GB/s size=64
flow gpu:3:egm  -> cmem:3 rd rate=60GB/s size=64
flow gpu:3:ats  -> cmem:1 rd rate=8GB/s size=64
flow cpu:1 -> gmem:3 wr rate=4GB/s size=32
flow gpu:1:ats  -> cmem:1 wr rate=50GB/s size=32
END
grace=--source=model=$work/one.scenario,chip=gracehopper,sockets=1
four=--source=model=$work/four.scenario,chip=gracehopper,sockets=4
read_metrics=GraceC2c0ReadBW,GraceC2c1ReadBW,GpuC2cRxBW
write_metrics=GraceC2c0WriteBW,GraceC2c1WriteBW,GpuC2cTxBW

# shellcheck disable=SC2317 # run() calls it
stat() {
	at "$root" gpmu stat --gpu "$@"
}

# shellcheck disable=SC2317 # run() calls it
traffic() {
	at "$root" gpmu traffic --gpu --chip gracehopper "$@"
}

# record NAME DIRECTION KEY...: values of a JSON record of $work/json
record() {
	python3 - "$work/json" "$@" << 'END'
import json, sys
path, name, direction, *keys = sys.argv[1:]
for line in open(path, encoding="utf-8"):
    record = json.loads(line)
    if (record["name"], record["direction"] or "") == (name, direction) and record["kind"] in ("gpu", "balance"):
        values = [record[key] for key in keys]
        print(*[f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, (int, float)) else value for value in values])
END
}

# --- gpmu stat
root=gh200
run stat "$grace" -a -M $read_metrics,GraceGpuMemWriteBW --timeout 200
is "$rc" 0 "both sides are counted"
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 \+ GMEM 36\.00 GB/s, GPU's C2C 36\.00 GB/s, remainder 0\.00 GB/s \(0\.00%\)\$" "no remainder: 36 - (28 + 6 + 2)"
run stat "$grace" -a -M $read_metrics,$write_metrics --timeout 200
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 34\.00 GB/s, GPU's C2C 36\.00 GB/s, remainder 2\.00 GB/s \(5\.56%\)\$" "what CPUs write to its memory is a remainder where it is not counted: 2 of 36"
like "$err" "^ C2C out of GPU0: C2C0 \+ C2C1 12\.40 GB/s, GPU's C2C 18\.00 GB/s, remainder 5\.60 GB/s \(31\.11%\)\$" "the other way: 18 - (10 + 2.4)"
run stat "$grace" -a -M GraceC2c0BW,GraceC2c1BW,GraceGpuMemBW,GpuC2cBW --timeout 200
like "$err" "^ C2C of GPU0: C2C0 \+ C2C1 \+ GMEM 51\.60 GB/s, GPU's C2C 54\.00 GB/s, remainder 2\.40 GB/s \(4\.44%\)\$" "both ways together: 54 - (38 + 8.4 + 5.2)"
run stat "$grace" -a -e "nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/,nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/,nvidia_gpu_0/CTC.TriageCompute.ctc__rx_bytes_data_user.sum/" --timeout 200
like "$err" "^ C2C into GPU0: .* 34\.00 GB/s, .* 36\.00 GB/s, remainder 2\.00 GB/s" "events are bytes, and compared as bandwidths"
run stat "$grace,counters=1" -a -M $read_metrics,$write_metrics --metric-no-merge --timeout 300
like "$err" "^ C2C into GPU0: .*, remainder (1\.[5-9]|2\.[0-4])[0-9]* GB/s \([0-9.]+%\), an estimate\$" "where counters were multiplexed it is an estimate"
run stat "$grace" -M $read_metrics -r 2 -- true
like "$err" "^ C2C into GPU0: " "in several runs"
run stat "$grace" -a -M GpuDramReadBW,GpuPcieWriteBW,GpuC2cTxBW --timeout 200
like "$err" "^ copies out of GPU0: PCIe \+ C2C 28\.00 GB/s, memory 2400\.00 GB/s, remainder 2372\.00 GB/s \(98\.83%\)\$" "what is read from a GPU's memory beside what it sends: 2400 - (10 + 18)"
run stat "$grace" -a -M $read_metrics -I 50 --interval-count 2
unlike "$err" 'remainder' "intervals have no such line"
run stat "$grace" -a -M $read_metrics -x, --timeout 100
unlike "$err" 'remainder' "nor has CSV"
is "$(grep -c '^[0-9]' <<< "$err")" 3 "which has its three rows"
run stat "$grace" -a -M $read_metrics -j --timeout 100
unlike "$err" 'remainder' "nor JSON"

GPMU_FAKE="machine=gh200 enable=0:26" run stat "$grace" -a -M $read_metrics --timeout 300
like "$err" "^ GPU0: $one, by nvml\$" "where another profiler has the GPU NVML counts"
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 34\.00 GB/s, GPU's C2C 2\.10 GB/s, remainder -31\.90 GB/s \(93\.83%\)\$" "what it has of NVLink-C2C: 2000 MiB/s"

# --- one side
run stat "$grace" -a -M GraceC2c0ReadBW,GraceC2c1ReadBW,GraceGpuMemWriteBW --timeout 100
unlike "$err" 'remainder' "without the GPU's side there is none"
run stat -a -M GpuC2cRxBW --timeout 100
unlike "$err" 'remainder' "nor without Grace's"
GPMU_FAKE=machine=h200 run stat "$grace" -a -M $read_metrics --timeout 200
like "$err" '^GPU0 +<not supported> GB/s GpuC2cRxBW' "where the GPU has no NVLink-C2C"
unlike "$err" 'remainder' "there is none either"

# --- four sockets, two of which have a GPU
root=gh4
GPMU_FAKE=machine=gh200x2 run stat "$four" -a --per-node -M $read_metrics,GraceGpuMemWriteBW --timeout 300
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 \+ GMEM 26\.00 GB/s, GPU's C2C 36\.00 GB/s, remainder 10\.00 GB/s \(27\.78%\)\$" "--per-node: a GPU with the Grace of its node"
like "$err" "^ C2C into GPU1: C2C0 \+ C2C1 \+ GMEM 64\.00 GB/s, GPU's C2C 72\.00 GB/s, remainder 8\.00 GB/s \(11\.11%\)\$" "each with its own; metrics do not have the other sockets' memory"
GPMU_FAKE=machine=gh200x2 run stat "$four" -a -M $read_metrics --timeout 300
like "$err" "^ C2C into all GPUs: C2C0 \+ C2C1 86\.00 GB/s, GPU's C2C 108\.00 GB/s, remainder 22\.00 GB/s" "else all of them"

# --- gpmu traffic
root=gh200
run traffic "$grace" --duration 0.2
is "$rc" 0 "gpmu traffic --gpu"
like "$err" '^  GPU 0 ATS +read +28\.000 ' "has the matrix"
like "$err" '^  GPUs, GB/s +read, received +written, sent$' "and the GPUs"
like "$err" '^  GPU0 memory +2400\.000\*? ' "their memory"
like "$err" '^  GPU0 PCIe +20\.000\*? +10\.000\*?$' "their links"
like "$err" '^  GPU0 NVLink-C2C +36\.000\*? +18\.000\*?$' "that to Grace too"
like "$err" "^  C2C into GPU0: C2C0 \+ C2C1 \+ GMEM, GPU's C2C +36\.000\*? +36\.000\*? +0\.000\*? +0\.0 %\$" "what both have counted, no remainder"
like "$err" "^  C2C out of GPU0: C2C0 \+ C2C1 \+ GMEM, GPU's C2C +15\.600\*? +18\.000\*? +\+2\.400\*? +\+13\.3 %\$" "and a remainder: 18 - (10 + 2.4 + 3.2)"
like "$err" '^  copies out of GPU0: PCIe \+ NVLink \+ C2C, memory +28\.000\*? +2400\.000\*? +\+2372\.000\*? +\+98\.8 %$' "the memory beside the links"
like "$err" "^  GPU0: $one, by cupti\$" "which GPU it is"
like "$err" 'untested on Grace Hopper$' "that nobody has tried it is said"
unlike "$err" '[[:blank:]]$' "no line ends in blanks"
run traffic "$grace" -I 100 --interval-count 2
is "$(grep -c '^  C2C into GPU0: .* 36\.000\*\{0,1\} ' <<< "$err") $(grep -c 'untested on' <<< "$err")" "2 1" "-I: in each interval, the notes once"

run traffic "$grace" -j -o "$work/json" --duration 0.2
is "$(record "GPU0 memory" read state value unit gpu source)" "ok 2400 GB/s $one cupti" "a GPU's record"
is "$(record "GPU0 NVLink-C2C" write state value)" "ok 18" "what it sends is its write"
is "$(record "C2C out of GPU0" "" state left_of left right_of right remainder part gpu)" \
	"ok C2C0 + C2C1 + GMEM 15.6 GPU's C2C 18 2.4 0.133 $one" "a record of both sides"
is "$(python3 -c 'import json, sys
for line in sys.stdin:
    r = json.loads(line)
    if r["name"] == "C2C out of GPU0":
        print(round(r["bytes"] / 2.4e9 / (r["time_end"] - r["time_begin"]), 3))' < "$work/json")" 1.0 "its bytes are the remainder's in the time"
run traffic "$grace" -x ';' -o "$work/csv" --duration 0.1
is "$(grep -c '^[0-9].*;balance;' "$work/csv") $(grep -c '^[0-9].*;gpu;' "$work/csv")" "4 8" "CSV has them too"
is "$(python3 -c 'import csv, sys
print(*{len(row) for row in list(csv.reader(sys.stdin, delimiter=";"))[1:]})' < "$work/csv")" 28 "with all columns"

root=gh4
GPMU_FAKE=machine=gh200x2 run traffic "$four" -j -o "$work/json" --duration 0.5
is "$(record "C2C into GPU0" "" left right)" "26 36" "four sockets: the first GPU"
is "$(record "C2C into GPU1" "" left right gpu)" "72 72 $two" "the other, with what it reads of another socket: 60 + 8 + 4"
like "$(record "GPU1 NVLink" read state note)" '^not_supported .' "a unit that a GPU does not have"

# --- halves
root=gh200
GPMU_FAKE=machine=h200 run traffic "$grace" --duration 0.2
like "$err" "^  C2C into GPU0: C2C0 \+ C2C1 \+ GMEM, GPU's C2C +<not supported> <not supported>\$" "without NVLink-C2C nothing is compared"
like "$err" '^  GPU0 NVLink-C2C +<not supported> <not supported>$' "as it is not counted"
like "$err" '^  copies into GPU0: PCIe, memory +20\.000\*? ' "the other links are"
root=vm
run traffic --duration 0.2
is "$rc" 0 "GPUs without a Grace are shown"
is "$(grep -c 'warning: no PMU of NVIDIA Grace here' <<< "$err")" 1 "with one line"
like "$err" '^  [0-9.]+ s: traffic, GPUs$' "in place of the matrix"
like "$err" '^  GPU0 memory +2400\.000\*? ' "alone"
unlike "$err" 'CMEM|C2C into' "no table of Grace"
mkdir "$work/none"
: > "$work/none/libnvidia-ml.so.1"
: > "$work/none/libcuda.so.1"
GPMU_CUDA=$work/none run traffic "$grace" --duration 0.1
is "$rc $(grep -c 'warning: --gpu: no GPU is counted' <<< "$err")" "0 1" "a Grace without GPUs has one line"
like "$err" '^  CPU 0 +read +0 +3\.200 ' "and its matrix"
unlike "$err" 'GPUs, GB/s|counted at two' "and no more"
GPMU_CUDA=$work/none run traffic --duration 0.1
is "$rc" 125 "neither is a failure"
done_testing
