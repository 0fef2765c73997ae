#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu gpu on a fake NVML: tables, JSON, unavailable values, failures.
. tests/tools/lib.sh

# json KEY...: the values at these keys, as "processes.0.pid", of each line, one per line
json() {
	python3 -c '
import json, sys
for line in sys.stdin:
    for path in sys.argv[1:]:
        at = json.loads(line)
        for key in path.split("."):
            at = at[int(key)] if isinstance(at, list) else at.get(key, "nothing")
        print(json.dumps(at))' "$@"
}

fake_gpus two
run gpmu gpu
is "$rc $err" "0 " "gpu exits with 0 and prints nothing on standard error"
is "$(grep -c '^GPU ' <<< "$out")" 2 "gpu shows all GPUs"
like "$out" '^GPU 0  NVIDIA H200  0000:18:00\.0  GPU-6f2a1c00-0001-4a00-8000-000000000001$' "gpu shows name, address and UUID"
like "$out" '^  utilization   sm 87 %, memory 34 %, decoder 0 %' "gpu shows the utilisation that is available"
like "$out" '^  clocks .* sm 1980 of 1980 MHz' "gpu shows clocks with their maximum"
like "$out" '^  throttled by  sw_power_cap$' "gpu shows why clocks are throttled"
like "$out" '^  power         350\.5 W of 700 W, 1234 J' "gpu shows power, its limit and energy"
like "$out" '^  memory        69\.6 GiB of 140\.4 GiB, 0\.6 GiB reserved$' "gpu shows the used memory without the driver's reserved memory, and the total"
like "$out" '^  not available: utilization.encoder \(Not Supported\)$' "gpu names what is not available, with NVML's reason"
like "$out" '^ +4711  compute +60\.0 GiB +68 % +28 %' "gpu shows processes with memory and utilisation"
like "$out" '^ +4712  compute +10\.0 GiB +- ' "gpu shows - for a process without utilisation"
unlike "$out" 'C2C' "gpu prints nothing about NVLink-C2C for GPUs without it"
fake_gpus gh200
expect 0 gpmu gpu
like "$out" '^  links +PCIe .*, NVLink-C2C' "gpu shows the NVLink-C2C of a GPU that has it"
fake_gpus links
expect 0 gpmu gpu
like "$out" '^  links +NVLinks unknown, NVLink-C2C unknown' "gpu shows links as unknown if NVML fails to report them"
fake_gpus two
CUDA_VISIBLE_DEVICES='' expect 0 gpmu gpu
is "$(grep -c '^GPU ' <<< "$out")" 2 "gpu shows all GPUs in spite of CUDA_VISIBLE_DEVICES"

expect 0 gpmu gpu -j
is "$(json gpmu_gpu kind index driver <<< "$out" | xargs)" "1 gpu 0 580.159.04 1 gpu 1 580.159.04" "gpu -j prints one line for each GPU"
is "$(head -n 1 <<< "$out" | json utilization.sm utilization.encoder power | xargs)" "87 null 350.5" "gpu -j prints null for a value that is not available"
is "$(head -n 1 <<< "$out" | json unavailable | xargs)" "{utilization.encoder: Not Supported}" "gpu -j prints NVML's reason for a value that is not available"

expect 0 gpmu gpu --accounting
like "$out" '^ +4711     running +70 % ' "gpu --accounting shows a running process without a time"
like "$out" '^ +4000    61\.234 s +99 % ' "gpu --accounting shows the time of a process that has ended"
like "$out" '^  accounts replaced while they were read: 1$' "gpu --accounting shows how many processes NVML has dropped from its accounts"

expect 0 gpmu gpu --vgpu
like "$out" '^  vGPU 3251634  NVIDIA H200X-35C  VM vm-3251634 ' "gpu --vgpu shows vGPUs with type and virtual machine"
like "$out" '^    license: licensed, until 2027-03-01T00:00:00Z$' "gpu --vgpu shows the licence of a vGPU"
like "$out" '^ +all +30 % ' "gpu --vgpu shows the utilisation of a vGPU"
like "$out" '^ +100 +30 % .* python$' "gpu --vgpu shows the processes of a vGPU"
like "$out" '^  no vGPU$' "gpu --vgpu shows that a GPU has no vGPU"
expect 0 gpmu gpu --vgpu -j -I 20 --interval-count 3
is "$(json index time instances.0.utilization.sm instances.0.utilization <<< "$(grep '"index":1' <<< "$out")" 2> /dev/null | head -n 3 | xargs)" "1 0.0 30" "gpu --vgpu -I shows the last samples in the first interval"
is "$(grep -c '"index":1' <<< "$out")" 3 "gpu --interval-count 3 prints three times"
is "$(grep '"index":1' <<< "$out" | tail -n 1 | json instances.0.utilization)" null "gpu --vgpu -I shows only new samples in later intervals"
expect 0 gpmu gpu -I 20 --interval-count 2
is "$(grep -E '^[0-9.]+ s$' <<< "$out" | xargs)" "0.000 s 0.020 s" "gpu -I prints the time before each interval"
run gpmu gpu --clear-accounting 3251634
is "$rc $both" "0 " "gpu --clear-accounting clears an existing vGPU instance without a message"
run gpmu gpu --clear-accounting 17
is "$rc $err" "1 gpmu gpu: vGPU instance 17: NVML: Not Found" "gpu --clear-accounting of an unknown instance exits with 1 and NVML's reason"
run gpmu gpu --clear-accounting all
is "$rc" 125 "gpu --clear-accounting refuses an argument that is no number"
run gpmu gpu --interval-count 3
is "$rc $err" "125 gpmu gpu: --interval-count needs -I" "gpu --interval-count without -I is refused"
run gpmu gpu --vgpu --accounting
like "$rc $both" '^125 .*--accounting and --vgpu.*choose one$' "gpu --vgpu together with --accounting is refused"
run gpmu gpu extra
is "$rc" 125 "gpu refuses an argument that is no option"

sed 's|/opt/app/infer|a\\u001b[31mb\\u0085c|; s|"xorg"|"x\\u0007"|' "$GPMU_FAKE_NVML" > "$work/names.json"
GPMU_FAKE_NVML=$work/names.json expect 0 gpmu gpu
like "$out" '^ +4712 .* a\?\[31mb\?c$' "gpu shows control characters in a process's name as ?"
GPMU_FAKE_NVML=$work/names.json expect 0 gpmu gpu --vgpu
like "$out" '^ +55 .* x\?$' "gpu shows control characters in a vGPU process's name as ?"
GPMU_FAKE_NVML=$work/names.json expect 0 gpmu gpu -j
like "$out" '"name":"a\\u001B\[31mb' "gpu -j escapes control characters in a process's name"

echo '{"init":9}' > "$work/none.json"
GPMU_FAKE_NVML=$work/none.json run gpmu gpu
is "$rc $both" "1 gpmu gpu: NVML: NVIDIA's driver is not loaded: sudo modprobe nvidia" "gpu exits with 1 and the remedy if no driver is loaded"
echo '{"gpus":[]}' > "$work/none.json"
GPMU_FAKE_NVML=$work/none.json run gpmu gpu -j
is "$rc $both" "1 gpmu gpu: NVML: there is no GPU" "gpu exits with 1 and one line if there is no GPU"
mkdir "$work/cuda"
: > "$work/cuda/libnvidia-ml.so.1"
# --- attributes of the former Event API
fake_gpus h200
expect 0 gpmu gpu -v
like "$out" '^  memory peak +4916\.736 GB/s$' "gpu -v shows the bandwidth of 6144 bits at 3201 MHz, both edges"
like "$out" '^  FP32 +33792 FLOP per cycle$' "gpu -v shows two operations per cycle of each of 16896 cores"
like "$out" '^  FP64 +16896 FLOP per cycle$' "gpu -v shows the double precision of compute capability 9.0"
like "$out" '^  NVSwitch +no$' "gpu -v shows that a GPU without NVLink has no NVSwitch"
like "$out" 'attributes.l2_units \(Not Supported\)' "gpu -v names the attributes that NVML does not have"
unlike "$(gpmu gpu)" 'FLOP' "gpu without -v shows no attributes"
expect 0 gpmu gpu -v -j
is "$(json attributes.class attributes.sms attributes.flop_hp_per_cycle attributes.sp_instructions_per_second attributes.shared_memory attributes.pcie_lane_rate attributes.cpu_bandwidth attributes.event_ids <<< "$out" | xargs)" \
	"NVIDIA 132 67584 33454080000000 233472 32000 0 null" "gpu -v -j prints the attributes of an H200"
fake_gpus gh200
expect 0 gpmu gpu -v -j
is "$(json attributes.nvlink attributes.nvswitch attributes.cpu_bandwidth <<< "$out" | xargs)" "true true 450000000000" \
	"gpu -v -j prints NVLink, NVSwitch and the bandwidth of all links of NVLink-C2C"
fake_gpus a100
expect 0 gpmu gpu -v
like "$out" '^  memory peak +-$' "gpu -v shows - for a peak that NVML does not report"
like "$out" 'attributes.memory_bus_width \(Not Supported\)' "gpu -v names NVML's reason for an attribute that is not available"
sed 's/"nvmlDeviceGetCudaComputeCapability": 90/"nvmlDeviceGetCudaComputeCapability": 99/' tests/gpu/fake/nvml-h200.json > "$work/unknown.json"
GPMU_FAKE_NVML=$work/unknown.json expect 0 gpmu gpu -v -j
is "$(json attributes.flop_sp_per_cycle attributes.sp_instructions_per_second <<< "$out" | xargs)" "null 33454080000000" \
	"gpu -v -j prints null for the rates of an unknown compute capability"
run gpmu gpu -v --vgpu
is "$rc $both" "125 gpmu gpu: -v shows attributes, without --accounting and --vgpu" "gpu refuses -v with --vgpu"

GPMU_CUDA=$work/cuda run gpmu gpu
is "$rc $both" "1 gpmu gpu: no libnvidia-ml.so.1: NVIDIA's driver is not installed" "gpu exits with 1 and one line if NVML's library is missing"
GPMU_PLUGINS=/nonexistent run gpmu gpu
like "$rc $both" '^(1 gpmu gpu: no gpmu-nvml.so in .*|0 )' "gpu exits with 1 and one line if its plugin is missing"
done_testing
