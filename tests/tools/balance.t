#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same bytes, counted by a Grace (the model) and by its GPU (the fake of CUPTI): the lines of gpmu
# stat, table and records of gpmu traffic. The fake's first GPU receives 36 GB/s and sends 18 GB/s over
# NVLink-C2C, 20 and 10 over PCIe, and reads 2400 GB/s of its memory; the second GPU does twice that.
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
is "$rc" 0 "stat --gpu with metrics of both sides exits with 0"
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 \+ GMEM 36\.00 GB/s, GPU's C2C 36\.00 GB/s, remainder 0\.00 GB/s \(0\.00%\)\$" "stat prints no remainder if all of Grace's traffic is counted: 36 - (28 + 6 + 2)"
expect 0 stat "$grace" -a -M $read_metrics,$write_metrics --timeout 200
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 34\.00 GB/s, GPU's C2C 36\.00 GB/s, remainder 2\.00 GB/s \(5\.56%\)\$" "stat prints a remainder if the CPUs' writes to GPU memory are not counted: 2 of 36"
like "$err" "^ C2C out of GPU0: C2C0 \+ C2C1 12\.40 GB/s, GPU's C2C 18\.00 GB/s, remainder 5\.60 GB/s \(31\.11%\)\$" "stat prints the remainder of traffic out of the GPU: 18 - (10 + 2.4)"
expect 0 stat "$grace" -a -M GraceC2c0BW,GraceC2c1BW,GraceGpuMemBW,GpuC2cBW --timeout 200
like "$err" "^ C2C of GPU0: C2C0 \+ C2C1 \+ GMEM 51\.60 GB/s, GPU's C2C 54\.00 GB/s, remainder 2\.40 GB/s \(4\.44%\)\$" "stat prints the remainder of both directions together: 54 - (38 + 8.4 + 5.2)"
expect 0 stat "$grace" -a -e "nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/,nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/,nvidia_gpu_0/CTC.TriageCompute.ctc__rx_bytes_data_user.sum/" --timeout 200
like "$err" "^ C2C into GPU0: .* 34\.00 GB/s, .* 36\.00 GB/s, remainder 2\.00 GB/s" "stat compares events in bytes as bandwidths"
expect 0 stat "$grace,counters=1" -a -M $read_metrics,$write_metrics --metric-no-merge --timeout 300
like "$err" "^ C2C into GPU0: .*, remainder (1\.[5-9]|2\.[0-4])[0-9]* GB/s \([0-9.]+%\), an estimate\$" "stat marks a remainder of multiplexed counters as an estimate"
expect 0 stat "$grace" -M $read_metrics -r 2 -- true
like "$err" "^ C2C into GPU0: " "stat -r prints the comparison of both sides"
expect 0 stat "$grace" -a -M GpuDramReadBW,GpuPcieWriteBW,GpuC2cTxBW --timeout 200
like "$err" "^ copies out of GPU0: PCIe \+ C2C 28\.00 GB/s, memory 2400\.00 GB/s, remainder 2372\.00 GB/s \(98\.83%\)\$" "stat compares the reads of a GPU's memory with what its links send: 2400 - (10 + 18)"
expect 0 stat "$grace" -a -M $read_metrics -I 50 --interval-count 2
unlike "$err" 'remainder' "stat -I prints no comparison of both sides"
expect 0 stat "$grace" -a -M $read_metrics -x, --timeout 100
unlike "$err" 'remainder' "stat -x prints no comparison of both sides"
is "$(columns name <<< "$err" | wc -l)" 3 "stat -x prints the rows of both sides"
expect 0 stat "$grace" -a -M $read_metrics -j --timeout 100
unlike "$err" 'remainder' "stat -j prints no comparison of both sides"

GPMU_FAKE="machine=gh200 enable=0:26" expect 0 stat "$grace" -a -M $read_metrics --timeout 300
like "$err" "^ GPU0: $one, by nvml\$" "stat names NVML as the source if another profiler holds the GPU"
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 34\.00 GB/s, GPU's C2C 2\.10 GB/s, remainder -31\.90 GB/s \(93\.83%\)\$" "stat compares Grace with NVML's NVLink-C2C bandwidth of 2000 MiB/s"

# --- an idle link: Grace counts nothing, and NVML 1 MiB/s
python3 -c 'import json, sys
scenario = json.load(open(sys.argv[1]))
scenario["gpus"][0]["gpm"].update({"102": 1, "103": 1})
json.dump(scenario, open(sys.argv[2], "w"))' tests/gpu/fake/nvml-gh200.json "$work/idle.json"
idle=--source=model=$scenarios/idle.scenario,chip=gracehopper,sockets=1
export GPMU_FAKE_NVML=$work/idle.json
GPMU_FAKE="machine=gh200 enable=0:26" expect 0 stat "$idle" -a -M $read_metrics --timeout 300
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 0\.00 GB/s, GPU's C2C 0\.00 GB/s, idle\$" "stat prints no remainder of an idle link"
GPMU_FAKE="machine=gh200 enable=0:26" expect 0 traffic "$idle" --duration 0.3
like "$out" "^  C2C into GPU0: C2C0 \+ C2C1 \+ GMEM, GPU's C2C +0 +0\.001\*? +idle\$" "traffic --gpu prints no remainder of an idle link"
GPMU_FAKE="machine=gh200 enable=0:26" expect 0 traffic "$idle" -j -o "$work/json" --duration 0.3
is "$(record "C2C into GPU0" "" state left remainder part bytes)" "ok 0 None None None" "traffic --gpu -j has null for the remainder of an idle link"
unset GPMU_FAKE_NVML

# --- metrics of one side only
expect 0 stat "$grace" -a -M GraceC2c0ReadBW,GraceC2c1ReadBW,GraceGpuMemWriteBW --timeout 100
unlike "$err" 'remainder' "stat prints no comparison without metrics of the GPU"
expect 0 stat -a -M GpuC2cRxBW --timeout 100
unlike "$err" 'remainder' "stat prints no comparison without metrics of Grace"
GPMU_FAKE=machine=h200 expect 0 stat "$grace" -a -M $read_metrics --timeout 200
like "$err" '^GPU0 +<not supported> GB/s GpuC2cRxBW' "stat prints a metric of NVLink-C2C as not supported if the GPU has no such link"
unlike "$err" 'remainder' "stat prints no comparison if the GPU has no NVLink-C2C"

# --- four sockets, two of which have a GPU
root=gh4
GPMU_FAKE=machine=gh200x2 expect 0 stat "$four" -a --per-node -M $read_metrics,GraceGpuMemWriteBW --timeout 300
like "$err" "^ C2C into GPU0: C2C0 \+ C2C1 \+ GMEM 26\.00 GB/s, GPU's C2C 36\.00 GB/s, remainder 10\.00 GB/s \(27\.78%\)\$" "stat --per-node compares the first GPU with the Grace of its node"
like "$err" "^ C2C into GPU1: C2C0 \+ C2C1 \+ GMEM 64\.00 GB/s, GPU's C2C 72\.00 GB/s, remainder 8\.00 GB/s \(11\.11%\)\$" "stat --per-node compares the second GPU with the Grace of its node, without remote memory"
GPMU_FAKE=machine=gh200x2 expect 0 stat "$four" -a -M $read_metrics --timeout 300
like "$err" "^ C2C into all GPUs: C2C0 \+ C2C1 86\.00 GB/s, GPU's C2C 108\.00 GB/s, remainder 22\.00 GB/s" "stat without --per-node compares all GPUs with all Graces"

# --- gpmu traffic
root=gh200
run traffic "$grace" --duration 0.2
is "$rc" 0 "traffic --gpu exits with 0"
like "$out" '^  GPU 0 ATS +read +28\.000 ' "traffic --gpu prints Grace's matrix"
like "$out" '^  GPUs, GB/s +read, received +written, sent$' "traffic --gpu prints the table of GPUs"
like "$out" '^  GPU0 memory +2400\.000\*? ' "traffic --gpu prints the bandwidth of GPU memory"
like "$out" '^  GPU0 PCIe +20\.000\*? +10\.000\*?$' "traffic --gpu prints the bandwidth of the GPU's PCIe"
like "$out" '^  GPU0 NVLink-C2C +36\.000\*? +18\.000\*?$' "traffic --gpu prints the bandwidth of the GPU's NVLink-C2C"
like "$out" "^  C2C into GPU0: C2C0 \+ C2C1 \+ GMEM, GPU's C2C +36\.000\*? +36\.000\*? +0\.000\*? +0\.0 %\$" "traffic --gpu prints no remainder if both sides count the same bytes"
like "$out" "^  C2C out of GPU0: C2C0 \+ C2C1 \+ GMEM, GPU's C2C +15\.600\*? +18\.000\*? +\+2\.400\*? +\+13\.3 %\$" "traffic --gpu prints the remainder of traffic out of the GPU: 18 - (10 + 2.4 + 3.2)"
like "$out" '^  copies out of GPU0: PCIe \+ NVLink \+ C2C, memory +28\.000\*? +2400\.000\*? +\+2372\.000\*? +\+98\.8 %$' "traffic --gpu compares the GPU's memory with its links"
like "$out" "^  GPU0: $one, by cupti\$" "traffic --gpu names the GPU's UUID and the counting source"
like "$out" 'untested on Grace Hopper$' "traffic --gpu notes that the comparison is untested on Grace Hopper"
unlike "$out" '[[:blank:]]$' "traffic --gpu prints no trailing blanks"
expect 0 traffic "$grace" -I 100 --interval-count 2
is "$(grep -c '^  C2C into GPU0: .* 36\.000\*\{0,1\} ' <<< "$out") $(grep -c 'untested on' <<< "$out")" "2 1" "traffic --gpu -I prints the comparison in each interval, and notes once"

# The fake's CUDA is initialised when the file exists.
GPMU_FAKE="machine=gh200 until=$work/go" traffic "$grace" -I 20 --interval-count 2 > "$work/values" 2> "$work/waits" &
soon grep -q '^gpmu traffic: waiting for .*CUPTI' "$work/waits"
ok $? "traffic --gpu -I reports the wait while CUDA is being initialised"
is "$(< "$work/values")" "" "traffic --gpu -I reports the wait before the first value"
: > "$work/go"
wait $!
is "$? $(grep -c 'waiting for' "$work/waits") $(grep -c '^  GPU0 memory ' "$work/values")" "0 1 2" "traffic --gpu -I reports the wait once, and then prints the values"

expect 0 traffic "$grace" -j -o "$work/json" --duration 0.2
is "$(record "GPU0 memory" read state value unit gpu source)" "ok 2400 GB/s $one cupti" "traffic --gpu -j has a record of the GPU's memory"
is "$(record "GPU0 NVLink-C2C" write state value)" "ok 18" "traffic --gpu -j records sent bytes as writes"
is "$(record "C2C out of GPU0" "" state left_of left right_of right remainder part gpu)" \
	"ok C2C0 + C2C1 + GMEM 15.6 GPU's C2C 18 2.4 0.133 $one" "traffic --gpu -j has a record of each comparison"
is "$(python3 -c 'import json, sys
for line in sys.stdin:
    r = json.loads(line)
    if r["name"] == "C2C out of GPU0":
        print(round(r["bytes"] / 2.4e9 / (r["time_end"] - r["time_begin"]), 3))' < "$work/json")" 1.0 "traffic --gpu -j has the remainder's bytes in the comparison's record"
expect 0 traffic "$grace" -x ';' -o "$work/csv" --duration 0.1
is "$(grep -c '^[0-9].*;balance;' "$work/csv") $(grep -c '^[0-9].*;gpu;' "$work/csv")" "4 8" "traffic --gpu -x has records of GPUs and comparisons"
is "$(python3 -c 'import csv, sys
print(*{len(row) for row in list(csv.reader(sys.stdin, delimiter=";"))[1:]})' < "$work/csv")" 28 "traffic --gpu -x has all columns in each record"

root=gh4
GPMU_FAKE=machine=gh200x2 expect 0 traffic "$four" -j -o "$work/json" --duration 0.5
is "$(record "C2C into GPU0" "" left right)" "26 36" "traffic --gpu on four sockets compares the first GPU with its Grace"
is "$(record "C2C into GPU1" "" left right gpu)" "72 72 $two" "traffic --gpu on four sockets adds the second GPU's reads of another socket: 60 + 8 + 4"
like "$(record "GPU1 NVLink" read state note)" '^not_supported .' "traffic --gpu -j records a link that the GPU lacks as not supported, with a note"

# --- a Grace or GPUs are missing
root=gh200
GPMU_FAKE=machine=h200 expect 0 traffic "$grace" --duration 0.2
like "$out" "^  C2C into GPU0: C2C0 \+ C2C1 \+ GMEM, GPU's C2C +<not supported> +<not supported>\$" "traffic --gpu prints a comparison as not supported if the GPU has no NVLink-C2C"
like "$out" '^  GPU0 NVLink-C2C +<not supported> +<not supported>$' "traffic --gpu prints NVLink-C2C as not supported if the GPU has none"
like "$out" '^  copies into GPU0: PCIe, memory +20\.000\*? ' "traffic --gpu compares PCIe if the GPU has no NVLink-C2C"
root=vm
run traffic --duration 0.2
is "$rc" 0 "traffic --gpu without a Grace exits with 0"
is "$(grep -c 'warning: no PMU of NVIDIA Grace here' <<< "$err")" 1 "traffic --gpu without a Grace prints one warning"
like "$out" '^  [0-9.]+ s: traffic, GPUs$' "traffic --gpu without a Grace is titled GPUs"
like "$out" '^  GPU0 memory +2400\.000\*? ' "traffic --gpu without a Grace prints the table of GPUs"
unlike "$out" 'CMEM|C2C into' "traffic --gpu without a Grace prints no matrix and no comparison"
like "$out" '^  GPU0 NVLink-C2C +36\.000' "traffic --gpu without a Grace's PMUs prints the NVLink-C2C of a GPU that has it"
GPMU_FAKE=machine=h200 expect 0 traffic --duration 0.2
unlike "$out$err" 'C2C' "traffic --gpu prints nothing about NVLink-C2C on a machine without it"
mkdir "$work/none"
: > "$work/none/libnvidia-ml.so.1"
: > "$work/none/libcuda.so.1"
GPMU_CUDA=$work/none run traffic "$grace" --duration 0.1
is "$rc $(grep -c 'warning: --gpu: no GPU is counted' <<< "$err")" "0 1" "traffic --gpu without GPUs prints one warning"
like "$out" '^  CPU 0 +read +0 +3\.200 ' "traffic --gpu without GPUs prints Grace's matrix"
unlike "$out" 'GPUs, GB/s|counted at two' "traffic --gpu without GPUs prints no table of GPUs"
GPMU_CUDA=$work/none run traffic --duration 0.1
is "$rc" 125 "traffic --gpu without a Grace and without GPUs exits with 125"
done_testing
