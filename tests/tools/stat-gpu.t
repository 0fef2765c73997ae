#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --gpu from end to end on fakes of NVIDIA's libraries: one GPU, two GPUs one of which is
# busy, GPUs beside a Grace, CUPTI without NVML and NVML without CUPTI.
. tests/tools/lib.sh

export GPMU_CUDA=$B/tests/gpu/fake
one=GPU-6f2a1c00-0001-4a00-8000-000000000001
two=GPU-6f2a1c00-0002-4a00-8000-000000000002
active=sm__cycles_active.avg.pct_of_peak_sustained_elapsed

# --- one GPU
run gpmu stat --gpu -a -M GpuDramReadBW,GpuSmActive --timeout 200
is "$rc" 0 "stat --gpu -M exits with 0"
like "$err" '^GPU0 +2,400.00 GB/s GpuDramReadBW$' "stat --gpu -M prints the fake's bandwidth as the GPU's"
like "$err" '^GPU0 +[0-9.]+ % +GpuSmActive$' "stat --gpu -M prints a percentage of cycles"
like "$err" "^ GPU0: $one, by cupti$" "stat --gpu prints the GPU's UUID and the counting source below the rows"
for source in cupti nvml; do
	expect 0 gpmu stat --source $source -a -M GpuPcieBW,GpuNvlinkRxBW,GpuC2cBW --timeout 200
	like "$err" '^GPU0 +<not supported> GB/s GpuC2cBW$' "stat --source $source prints GpuC2cBW of a GPU without NVLink-C2C as not supported"
	like "$err" '^ GpuC2cBW: .*this GPU has no NVLink-C2C$' "stat --source $source prints that the GPU has no NVLink-C2C"
	like "$err" '^ GpuNvlinkRxBW: .*no NVLink is active$' "stat --source $source prints that no NVLink is active"
	like "$err" '^GPU0 +[0-9.]+ GB/s GpuPcieBW' "stat --source $source counts the other metrics beside those of missing links"
	GPMU_FAKE=machine=gh200 expect 0 gpmu stat --source $source -a -M GpuNvlinkRxBW,GpuC2cBW --timeout 200
	is "$(grep -cE '^GPU0 +[0-9.]+ GB/s Gpu(C2c|NvlinkRx)BW$' <<< "$err")" 2 "stat --source $source counts the links of a GH200"
done
expect 0 gpmu stat --source nvml -a -e nvidia_nvml/nvlink_rx/ -x, --timeout 50
is "$(columns state unit <<< "$err")" "not_supported B" "stat -x, has the unit of an event that the GPU does not have"
# shellcheck disable=SC2016 # the inner shell's
GPMU_CUDA=$(realpath "$GPMU_CUDA") run sh -c 'cd "$1" && shift && exec "$@"' sh "$work" \
	"$(realpath "$GPMU_BIN")" stat --gpu -a -M GpuDramReadBW --timeout 200
like "$rc $err" '^GPU0 +2,400.00 GB/s GpuDramReadBW$' "stat --gpu counts with the fakes in any working directory"
expect 0 gpmu stat --gpu -a -e nvidia_gpu/dram__bytes_read.sum/ -x, -I 50 --interval-count 2
is "$(columns scope <<< "$err" | sort -u)" gpu "stat --gpu -x, has rows of the scope gpu"
is "$(columns gpu <<< "$err" | sort -u)" $one "stat --gpu -x, has the GPU's UUID in each row"
is "$(columns source <<< "$err" | sort -u)" cupti "stat --gpu -x, has the counting source in each row"
expect 0 gpmu stat --gpu -M GpuDramReadBW -r 2 -- true
like "$err" '\( \+- ' "stat --gpu -r prints means with their deviation"

# shellcheck disable=SC2016 # the command expands it
for with in "stat --gpu -a -e nvidia_gpu/dram__bytes_read.sum/" "record --no-cuda-trace --gpu -M GpuSmActive -o $work/environment.pftrace"; do
	# shellcheck disable=SC2086 # options
	CUDA_VISIBLE_DEVICES=0,1 CUDA_DEVICE_ORDER=PCI_BUS_ID expect 0 gpmu $with -- sh -c 'echo "$CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER"'
	is "$out" "0,1 PCI_BUS_ID" "gpmu ${with%% *} --gpu: the command inherits CUDA_VISIBLE_DEVICES although gpmu sees all GPUs"
done

# --- default metrics, and the hint to --gpu
expect 0 gpmu stat --gpu -- true
is "$(grep -o '^GPU0 .*[]]' <<< "$err" | grep -o 'Gpu[A-Za-z]*' | paste -sd' ')" "GpuSmActive GpuDramBW GpuPcieBW" \
	"stat --gpu without -M counts default metrics of the GPU"
like "$err" ' task-clock' "stat --gpu without -M counts the command's default events"
for counter in "-M GpuSmActive" "-M GpuSmActive,GpuDramReadBW" "-e nvidia_nvml/power/" "-e nvidia_gpu/dram__bytes_read.sum/"; do
	# Without plugins a GPU's metric is not supported, and its PMU is an unknown event.
	[ "${counter%% *}" = -e ] && status=125 || status=0
	# shellcheck disable=SC2086 # an option and its argument
	expect $status gpmu stat -a $counter --timeout 50
	is "$(grep -c 'GPUs are counted by plugins: .*--gpu' <<< "$err")" 1 "stat $counter without --gpu prints one hint to --gpu"
done
expect 1 gpmu plan -M GpuSmActive
like "$err" 'GPUs are counted by plugins: --source cupti' "plan -M GpuSmActive without --gpu prints a hint to the plugins"
GPMU_CUDA=/nonexistent expect 0 gpmu stat --source nvml=check -a -M GpuSmActive --timeout 50
unlike "$err" 'GPUs are counted by' "stat --source nvml -M GpuSmActive prints no hint to --gpu"
expect 0 gpmu stat -M GraceMemBW -- true
unlike "$err" 'GPUs are counted by' "stat -M GraceMemBW prints no hint to --gpu"

# --- clocks: profiling can lower them, as can an idle GPU (throttle reason 1)
slow='s/"nvmlDeviceGetClockInfo:1": [0-9]*/"nvmlDeviceGetClockInfo:1": [1980, 900]/'
sed "$slow" "$top/tests/gpu/fake/nvml-h200.json" > "$work/slow.json"
sed "$slow; s/CurrentClocksEventReasons\": [0-9]*/CurrentClocksEventReasons\": 1/" \
	"$top/tests/gpu/fake/nvml-h200.json" > "$work/idle.json"
GPMU_FAKE_NVML=$work/slow.json expect 0 gpmu stat --source cupti -a -M GpuSmActive --timeout 50
like "$err" "^gpmu stat: warning: $one: sampling lowered its SM clock from 1980 to 900 MHz" \
	"stat --source cupti warns of an SM clock that falls while the GPU is sampled"
GPMU_FAKE_NVML=$work/idle.json run gpmu stat --source cupti -a -M GpuSmActive --timeout 50
is "$rc" 0 "stat --source cupti samples an idle GPU"
unlike "$err" "SM clock" "stat --source cupti does not warn of an idle GPU's SM clock"

# --- beside a Grace
expect 0 gpmu stat --gpu "$model" -a -M GraceMemBW,GpuDramReadBW --per-node --timeout 200
like "$err" '^N0 +131.52 GB/s GraceMemBW' "stat --gpu --per-node has the rows of a Grace's nodes"
like "$err" '^GPU0 +2,400.00 GB/s GpuDramReadBW' "stat --gpu --per-node has the rows of the GPUs"
expect 0 gpmu stat --gpu -M GpuSmActive -e page-faults -- true
like "$err" ' page-faults' "stat --gpu has the rows of the command's events"
like "$err" '^GPU0 .* GpuSmActive +\[GPU\]' "stat --gpu marks GPU rows with [GPU] beside rows of the command"

# --- two GPUs, one of which another profiler holds
busy="machine=h200x2 enable=0:26"
GPMU_FAKE=$busy GPMU_FAKE_NVML=$top/tests/gpu/fake/nvml-h200x2.json run gpmu stat --gpu -a -x, --timeout 300 \
	-e "nvidia_gpu/$active/,nvidia_gpu/dram__bytes_read.sum/" -M GpuDramReadBW
is "$rc" 0 "stat --gpu exits with 0 if another profiler holds a GPU"
like "$err" "warning: $one: its profiler is in use" "stat --gpu warns that another profiler holds the GPU"
is "$(grep -c "$one,.*,nvml$" <<< "$err")" 3 "stat --gpu counts a GPU that another profiler holds by NVML"
is "$(grep -c "$two,.*,cupti$" <<< "$err")" 3 "stat --gpu counts the other GPU by CUPTI"
is "$(grep "$one," <<< "$err" | columns state | sort | uniq -c | tr -s ' ' | paste -sd,)" " 2 not_supported, 1 ok" \
	"stat --gpu prints events that NVML does not have as not supported"
is "$(grep "$two," <<< "$err" | columns state | sort -u)" ok "stat --gpu counts all events of the other GPU"
for fault in freeze=0:1 vanish=0:999; do
	GPMU_FAKE="machine=h200x2 $fault" run gpmu stat --gpu "$model" -a -x, -M GpuDramReadBW,GraceMemBW --timeout 300
	is "$rc $(grep -c 'warning' <<< "$err")" "0 1" "stat --gpu with $fault exits with 0 and prints one warning"
	is "$(grep -c "GpuDramReadBW,[0-9.]*,GB/s,ok,.*,$two,1,cupti$" <<< "$err")" 1 "stat --gpu with $fault counts the other GPU"
	is "$(grep -c "nvidia_scf_pmu,.*,ok," <<< "$err")" 1 "stat --gpu with $fault counts the Grace"
	is "$(grep "$one," <<< "$err" | grep -c "GpuDramReadBW,,")" 1 "stat --gpu with $fault prints no value of the failing GPU"
done
cat > "$work/mixed.json" << 'END'
[ { "MetricName": "Mixed", "MetricExpr": "nvidia_gpu@sm__cycles_active.avg.pct_of_peak_sustained_elapsed@ + 0 * page\\-faults" } ]
END
GPMU_FAKE="machine=h200x2" expect 0 gpmu stat --gpu -a --events "$work/mixed.json" -M Mixed --timeout 200
like "$err" '<not supported> +Mixed' "stat --gpu does not add up a mean over two GPUs in a metric with other events"
GPMU_FAKE="machine=h200" expect 0 gpmu stat --gpu -a --events "$work/mixed.json" -M Mixed --timeout 200
like "$err" ' 3[5-9]\.[0-9]+ +Mixed' "stat --gpu computes a metric of one GPU's mean and other events"

# --- one of CUPTI and NVML is missing
mkdir "$work/half" "$work/none"
ln -s "$(realpath "$B/gpmu-nvml.so")" "$work/half/"
GPMU_PLUGINS=$work/half expect 0 gpmu stat --gpu -a -e nvidia_nvml/power/ --timeout 300
like "$err" 'GPU0 +[0-9.,]+ W +nvidia_nvml/power/' "stat --gpu without CUPTI counts by NVML"
is "$(grep -c warning <<< "$err")" 1 "stat --gpu without CUPTI prints one warning"
fake_gpus gh200
GPMU_PLUGINS=$work/half expect 0 gpmu stat --gpu -a -M GpuPcieReadBW,GpuC2cBW --timeout 300
like "$err" '^GPU0 +[0-9.]+ GB/s GpuPcieReadBW$' "stat --gpu without CUPTI counts metrics that are limited to certain chips"
like "$err" '^GPU0 +[0-9.]+ GB/s GpuC2cBW$' "stat --gpu without CUPTI counts the metrics of a Grace Hopper's NVLink-C2C"
unset GPMU_FAKE_NVML
: > "$work/none/libnvidia-ml.so.1"
GPMU_CUDA=$work/none:$B/tests/gpu/fake expect 0 gpmu stat --gpu -a -M GpuDramReadBW --timeout 200
like "$err" '^GPU0 +2,400.00 GB/s' "stat --gpu without NVML counts by CUPTI"
is "$(grep -c warning <<< "$err")" 1 "stat --gpu without NVML prints one warning"
expect 125 gpmu stat --gpu -a -M GpuDramReadBX --timeout 100
like "$err" 'did you mean GpuDramReadBW' "stat --gpu names the nearest metric of an unknown one"
expect 125 gpmu stat --gpu -a -e nvidia_gpu/dram__bytes_red.sum/ --timeout 100
like "$err" 'dram__bytes_read.sum' "stat --gpu names the nearest event of an unknown one"
expect 0 gpmu stat --gpu -a -e "{nvidia_gpu/sm__icc_requests.sum/,nvidia_gpu/l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum/,nvidia_gpu/l1tex__data_bank_conflicts_pipe_lsu_mem_gds_op_ld.sum/}" -- true
like "$err" "cannot be counted: nvidia_gpu_0 cannot count its 3 events" "stat --gpu refuses a group that the GPU cannot count in one pass"
like "$err" "warning: $one: .* needs 2 passes .*: without l1tex__data_bank_conflicts_pipe_lsu_mem_gds_op_ld.sum" "stat --gpu names the event without which the group would fit"
# --- metrics that do not fit into one pass
cat > "$work/insts.json" << 'JSON'
[ { "MetricName": "Insts", "MetricExpr": "nvidia_gpu@sm__inst_executed.sum@", "Unit": "nvidia_gpu" } ]
JSON
GPMU_FAKE=machine=h200 expect 0 gpmu stat --gpu -a --events "$work/insts.json" -M GpuL1BW,Insts,GpuSmActive -- true
is "$(grep -c 'one pass' <<< "$(grep warning <<< "$err")")" 1 "stat --gpu reports the metrics that do not fit into one pass by one warning"
like "$err" '^gpmu stat: warning: Insts: no room in the one pass of the GPU beside what was requested before; leave it out or count it in another run$' \
	"stat --gpu names a metric that does not fit, and no counters"
like "$err" '<not supported> +Insts' "stat --gpu shows a metric that does not fit as not supported"
like "$err" '[0-9] GB/s GpuL1BW' "stat --gpu counts the metrics before one that does not fit"
like "$err" '[0-9] % +GpuSmActive' "stat --gpu counts the metrics after one that does not fit"

# --- the wait for CUDA
GPMU_FAKE="machine=h200 until=$work/go" gpmu stat --gpu -a -M GpuDramReadBW -I 20 --interval-count 2 2> "$work/waits" &
soon grep -q '^gpmu stat: waiting for .*CUPTI' "$work/waits"
ok $? "stat --gpu -I reports the wait while CUDA is being initialised"
unlike "$(< "$work/waits")" 'GpuDramReadBW' "stat --gpu -I reports the wait before the first value"
: > "$work/go"
wait $!
is "$? $(grep -c 'waiting for' "$work/waits") $(grep -c 'GpuDramReadBW$' "$work/waits")" "0 1 2" "stat --gpu -I reports the wait once, and then prints the values"

# --- an ordinary user: the kernel forbids -a, NVIDIA's driver allows its counters
as_user=(env)
[ "$(id -u)" != 0 ] || as_user=(env ASAN_OPTIONS=detect_leaks=0 setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(< /proc/sys/kernel/perf_event_paranoid)" -lt 1 ]; then
	skip "perf_event_paranoid allows -a" "stat --gpu -a of an ordinary user"
elif ! "${as_user[@]}" "$GPMU_BIN" --version > /dev/null 2>&1; then
	skip "an ordinary user cannot run $GPMU_BIN" "stat --gpu -a of an ordinary user"
else
	export GPMU_FAKE=machine=h200
	expect 0 "${as_user[@]}" "$GPMU_BIN" stat --gpu -a -M GpuDramReadBW -e context-switches,page-faults -- true
	like "$err" '^GPU0 +2,400.00 GB/s GpuDramReadBW' "stat --gpu -a of an ordinary user counts GPUs"
	is "$(grep -cE '<not counted> +(context-switches|page-faults) *$' <<< "$err")" 2 "stat --gpu -a of an ordinary user shows what the kernel forbids as not counted"
	like "$err" '^ context-switches, page-faults: .*CAP_PERFMON' "stat --gpu -a of an ordinary user prints once which permission is missing"
	is "$(grep -c CAP_PERFMON <<< "$err")" 1 "stat --gpu -a of an ordinary user names the missing permission in one line only"
	expect 0 "${as_user[@]}" "$GPMU_BIN" stat --gpu -a -- true
	like "$err" '^GPU0 +[0-9.]+ % +GpuSmActive' "stat --gpu -a of an ordinary user counts the default metrics of GPUs"
	expect 125 "${as_user[@]}" "$GPMU_BIN" stat -a -e context-switches -- true
	like "$err" '^gpmu stat: context-switches: .*CAP_PERFMON' "stat -a of an ordinary user without GPUs is refused, as by perf"
	expect 0 "${as_user[@]}" "$GPMU_BIN" record --gpu -a -M GpuDramReadBW -e context-switches -o /dev/null -- true
	like "$err" 'warning: context-switches not recorded: .*CAP_PERFMON' "record --gpu -a of an ordinary user names what the kernel forbids"
	expect 0 "${as_user[@]}" "$GPMU_BIN" record --gpu -a -M GpuDramReadBW -e context-switches,page-faults,context-switches -o /dev/null -- true
	like "$err" 'warning: context-switches, page-faults not recorded: ' "record --gpu -a names an event that is requested twice and forbidden once"
	# Process 1 is root's.
	for command in "stat --timeout 100" "record -o /dev/null --duration 0.1"; do
		# shellcheck disable=SC2086 # options
		expect 125 "${as_user[@]}" "$GPMU_BIN" $command -p 1 -e context-switches
		without=$err
		# shellcheck disable=SC2086 # options
		expect 125 "${as_user[@]}" "$GPMU_BIN" $command --gpu -p 1 -M GpuDramReadBW -e context-switches
		is "$(grep context-switches <<< "$err")" "$(grep . <<< "$without")" "${command%% *} --gpu -p with a metric of GPUs is refused as without --gpu if the kernel forbids an event of the process"
	done
fi

done_testing
