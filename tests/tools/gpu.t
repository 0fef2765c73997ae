#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu gpu on a fake NVML: what it shows, and what it says of what is not there.
. tests/tools/lib.sh

# json KEY...: of each line the values at these keys, "processes.0.pid", a line each
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
is "$rc $err" "0 " "it succeeds"
is "$(grep -c '^GPU ' <<< "$out")" 2 "both GPUs are shown"
like "$out" '^GPU 0  NVIDIA H200  0000:18:00\.0  GPU-6f2a1c00-0001-4a00-8000-000000000001$' "by name, address and UUID"
like "$out" '^  utilization   sm 87 %, memory 34 %, decoder 0 %' "utilisation, without what it does not tell"
like "$out" '^  clocks .* sm 1980 of 1980 MHz' "clocks"
like "$out" '^  throttled by  sw_power_cap$' "what keeps them low"
like "$out" '^  power         350\.5 W of 700 W, 1234 J' "power and energy"
like "$out" '^  memory        70\.2 GiB of 140\.4 GiB$' "memory"
like "$out" '^  not available: utilization.encoder \(Not Supported\)$' "what is not available is said, with the reason"
like "$out" '^ +4711  compute +60\.0 GiB +68 % +28 %' "processes"
like "$out" '^ +4712  compute +10\.0 GiB +- ' "and one that told nothing"
CUDA_VISIBLE_DEVICES='' run gpmu gpu
is "$(grep -c '^GPU ' <<< "$out")" 2 "CUDA_VISIBLE_DEVICES hides none"

run gpmu gpu -j
is "$(json gpmu_gpu kind index driver <<< "$out" | xargs)" "1 gpu 0 580.159.04 1 gpu 1 580.159.04" "-j: a line for each GPU"
is "$(head -n 1 <<< "$out" | json utilization.sm utilization.encoder power | xargs)" "87 null 350.5" "what is not available is null"
is "$(head -n 1 <<< "$out" | json unavailable | xargs)" "{utilization.encoder: Not Supported}" "with the reason"

run gpmu gpu --accounting
like "$out" '^ +4711     running +70 % ' "--accounting: a process that runs has no time yet"
like "$out" '^ +4000    61\.234 s +99 % ' "one that has ended has"
like "$out" '^  1 more had been forgotten' "what the ring has forgotten is counted"

run gpmu gpu --vgpu
like "$out" '^  vGPU 3251634  NVIDIA H200X-35C  VM vm-3251634 ' "--vgpu: instances"
like "$out" '^    license: licensed, until 2027-03-01T00:00:00Z$' "their licence"
like "$out" '^ +all +30 % ' "their utilisation"
like "$out" '^ +100 +30 % .* python$' "and their processes"
like "$out" '^  no vGPU$' "a GPU that has none"
run gpmu gpu --vgpu -j -I 20 --interval-count 3
is "$(json index time instances.0.utilization.sm instances.0.utilization <<< "$(grep '"index":1' <<< "$out")" 2> /dev/null | head -n 3 | xargs)" "1 0.0 30" "-I: first what there is"
is "$(grep -c '"index":1' <<< "$out")" 3 "--interval-count: that often"
is "$(grep '"index":1' <<< "$out" | tail -n 1 | json instances.0.utilization)" null "later only what is new"
run gpmu gpu -I 20 --interval-count 2
is "$(grep -E '^[0-9.]+ s$' <<< "$out" | xargs)" "0.000 s 0.020 s" "times are before each"
run gpmu gpu --clear-accounting 3251634
is "$rc $both" "0 " "--clear-accounting: of an instance that is there"
run gpmu gpu --clear-accounting 17
is "$rc $err" "1 gpmu gpu: vGPU instance 17: NVML: Not Found" "of another: 1, with the reason"
run gpmu gpu --clear-accounting all
is "$rc" 125 "of something else: a usage error"
run gpmu gpu --interval-count 3
is "$rc $err" "125 gpmu gpu: --interval-count: expected -I MS too" "a number of times alone"
run gpmu gpu --vgpu --accounting
like "$rc $both" '^125 .*--accounting and --vgpu.*choose one$' "one table at a time"
run gpmu gpu extra
is "$rc" 125 "arguments are refused"

sed 's|/opt/app/infer|a\\u001b[31mb\\u0085c|; s|"xorg"|"x\\u0007"|' "$GPMU_FAKE_NVML" > "$work/names.json"
GPMU_FAKE_NVML=$work/names.json run gpmu gpu
like "$out" '^ +4712 .* a\?\[31mb\?c$' "a process's name does not control the terminal"
GPMU_FAKE_NVML=$work/names.json run gpmu gpu --vgpu
like "$out" '^ +55 .* x\?$' "nor does one in a virtual machine"
GPMU_FAKE_NVML=$work/names.json run gpmu gpu -j
like "$out" '"name":"a\\u001B\[31mb' "in JSON it is as it is"

echo '{"init":9}' > "$work/none.json"
GPMU_FAKE_NVML=$work/none.json run gpmu gpu
is "$rc $both" "1 gpmu gpu: NVML: NVIDIA's driver is not loaded: sudo modprobe nvidia" "no driver loaded: 1 and one line"
echo '{"gpus":[]}' > "$work/none.json"
GPMU_FAKE_NVML=$work/none.json run gpmu gpu -j
is "$rc $both" "1 gpmu gpu: NVML: there is no GPU" "no GPU: the same"
mkdir "$work/cuda"
: > "$work/cuda/libnvidia-ml.so.1"
GPMU_CUDA=$work/cuda run gpmu gpu
is "$rc $both" "1 gpmu gpu: no libnvidia-ml.so.1: there is no driver of NVIDIA GPUs" "no library: the same"
GPMU_PLUGINS=/nonexistent run gpmu gpu
like "$rc $both" '^(1 gpmu gpu: no gpmu-nvml.so in .*|0 )' "no plugin: the same, unless one is installed"
done_testing
