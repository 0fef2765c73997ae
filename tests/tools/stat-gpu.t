#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --gpu from end to end, on fakes of NVIDIA's libraries: one GPU, two of which one is
# busy, beside a Grace, half of what there is.
. tests/tools/lib.sh

export GPMU_CUDA=$B/tests/gpu/fake
one=GPU-6f2a1c00-0001-4a00-8000-000000000001
two=GPU-6f2a1c00-0002-4a00-8000-000000000002
active=sm__cycles_active.avg.pct_of_peak_sustained_elapsed

# column NAME: of CSV
column() {
	awk -F, -v name="$1" '/^#/ { next } !n { for (i = 1; i <= NF; i++) if ($i == name) n = i; next } { print $n }'
}

# --- one GPU
run gpmu stat --gpu -a -M GpuDramReadBW,GpuSmActive,GpuNvlinkRxBW --timeout 200
is "$rc" 0 "GPUs are counted"
like "$err" '^GPU0 +2,400.00 GB/s GpuDramReadBW$' "a bandwidth, as the fake has it"
like "$err" '^GPU0 +[0-9.]+ % +GpuSmActive$' "a share of cycles, which takes no time"
like "$err" '^GPU0 +<not supported> GB/s GpuNvlinkRxBW$' "what the chip does not have is not supported"
like "$err" "^ GPU0: $one, by cupti$" "which GPU it is and who has counted is said"
run gpmu stat --gpu -a -e nvidia_gpu/dram__bytes_read.sum/ -x, -I 50 --interval-count 2
is "$(column scope <<< "$err" | sort -u)" gpu "CSV has a row of the GPU"
is "$(column gpu <<< "$err" | sort -u)" $one "by its UUID"
is "$(column source <<< "$err" | sort -u)" cupti "and by whom"
run gpmu stat --gpu -M GpuDramReadBW -r 2 -- true
like "$err" '\( \+- ' "in several runs"

# shellcheck disable=SC2016 # the command expands it
for with in "stat --gpu -a -e nvidia_gpu/dram__bytes_read.sum/" "record --no-cuda-trace --gpu -M GpuSmActive -o $work/environment.pftrace"; do
	# shellcheck disable=SC2086 # options
	CUDA_VISIBLE_DEVICES=0,1 CUDA_DEVICE_ORDER=PCI_BUS_ID run gpmu $with -- sh -c 'echo "$CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER"'
	is "$out" "0,1 PCI_BUS_ID" "gpmu ${with%% *}: the command has the environment that hides GPUs, though gpmu sees all"
done

# --- what nobody asked for
run gpmu stat --gpu -- true
is "$(grep -o '^GPU0 .*[]]' <<< "$err" | grep -o 'Gpu[A-Za-z]*' | paste -sd' ')" "GpuSmActive GpuDramBW GpuPcieBW" \
	"--gpu alone counts of GPUs too"
like "$err" ' task-clock' "beside the command's"
for counter in "-M GpuSmActive" "-M GpuSmActive,GpuDramReadBW" "-e nvidia_nvml/power/" "-e nvidia_gpu/dram__bytes_read.sum/"; do
	# shellcheck disable=SC2086 # an option and its argument
	run gpmu stat -a $counter --timeout 50
	is "$(grep -c 'GPUs are counted by plugins: .*--gpu' <<< "$err")" 1 "$counter without --gpu: it is said that this counts them"
done
run gpmu plan -M GpuSmActive
like "$err" 'GPUs are counted by plugins: --source cupti' "gpmu plan says it too"
GPMU_CUDA=/nonexistent run gpmu stat --source nvml=check -a -M GpuSmActive --timeout 50
unlike "$err" 'GPUs are counted by' "not to who has asked for them"
run gpmu stat -M GraceMemBW -- true
unlike "$err" 'GPUs are counted by' "nor of other PMUs"

# --- clocks, which profiling can hold, as can having nothing to do (reason 1)
slow='s/"nvmlDeviceGetClockInfo:1": [0-9]*/"nvmlDeviceGetClockInfo:1": [1980, 900]/'
sed "$slow" "$top/tests/gpu/fake/nvml-h200.json" > "$work/slow.json"
sed "$slow; s/CurrentClocksEventReasons\": [0-9]*/CurrentClocksEventReasons\": 1/" \
	"$top/tests/gpu/fake/nvml-h200.json" > "$work/idle.json"
GPMU_FAKE_NVML=$work/slow.json run gpmu stat --source cupti -a -M GpuSmActive --timeout 50
like "$err" "^gpmu stat: warning: $one: its SM clock is 900 MHz since it is sampled, it was 1980 MHz before" \
	"a clock that is lower since it is sampled is said"
GPMU_FAKE_NVML=$work/idle.json run gpmu stat --source cupti -a -M GpuSmActive --timeout 50
is "$rc" 0 "an idle GPU is sampled"
unlike "$err" "SM clock" "... whose clock says nothing"

# --- beside a Grace
run gpmu stat --gpu "$model" -a -M GraceMemBW,GpuDramReadBW --per-node --timeout 200
like "$err" '^N0 +131.52 GB/s GraceMemBW' "one table has a Grace's nodes"
like "$err" '^GPU0 +2,400.00 GB/s GpuDramReadBW' "and GPUs"
run gpmu stat --gpu -M GpuSmActive -e page-faults -- true
like "$err" ' page-faults' "and the command's events"
like "$err" '^GPU0 .* GpuSmActive +\[GPU\]' "beside which it is said what GPUs' are of"

# --- two, one of them busy
busy="machine=h200x2 enable=0:26"
GPMU_FAKE=$busy GPMU_FAKE_NVML=$top/tests/gpu/fake/nvml-h200x2.json run gpmu stat --gpu -a -x, --timeout 300 \
	-e "nvidia_gpu/$active/,nvidia_gpu/dram__bytes_read.sum/" -M GpuDramReadBW
is "$rc" 0 "a GPU that another profiler has is no failure"
like "$err" "warning: $one: its profiler is held" "who has it is said"
is "$(grep -c "$one,.*,nvml$" <<< "$err")" 3 "NVML counts that one"
is "$(grep -c "$two,.*,cupti$" <<< "$err")" 3 "CUPTI the other"
is "$(grep -e ',state,' -e "$one," <<< "$err" | column state | sort | uniq -c | tr -s ' ' | paste -sd,)" " 2 not_supported, 1 ok" \
	"of which it does not have all"
is "$(grep -e ',state,' -e "$two," <<< "$err" | grep -v warning | column state | sort -u)" ok "the other has"
for fault in freeze=0:1 vanish=0:999; do
	GPMU_FAKE="machine=h200x2 $fault" run gpmu stat --gpu "$model" -a -x, -M GpuDramReadBW,GraceMemBW --timeout 300
	is "$rc $(grep -c 'warning' <<< "$err")" "0 1" "$fault: a GPU that gives no samples, or is gone, is one line"
	is "$(grep -c "GpuDramReadBW,[0-9.]*,GB/s,ok,.*,$two,1,cupti$" <<< "$err")" 1 "... the other is counted"
	is "$(grep -c "nvidia_scf_pmu,.*,ok," <<< "$err")" 1 "... so is the Grace"
	is "$(grep "$one," <<< "$err" | grep -c "GpuDramReadBW,,")" 1 "... and of it there is no number"
done
cat > "$work/mixed.json" << 'END'
[ { "MetricName": "Mixed", "MetricExpr": "nvidia_gpu@sm__cycles_active.avg.pct_of_peak_sustained_elapsed@ + 0 * page\\-faults" } ]
END
GPMU_FAKE="machine=h200x2" run gpmu stat --gpu -a --events "$work/mixed.json" -M Mixed --timeout 200
like "$err" '<not supported> +Mixed' "means of two GPUs are not added up"
GPMU_FAKE="machine=h200" run gpmu stat --gpu -a --events "$work/mixed.json" -M Mixed --timeout 200
like "$err" ' 37.[0-9]+ +Mixed' "that of one may be beside other counts"

# --- halves
mkdir "$work/half" "$work/none"
ln -s "$(realpath "$B/gpmu-nvml.so")" "$work/half/"
GPMU_PLUGINS=$work/half run gpmu stat --gpu -a -e nvidia_nvml/power/ --timeout 300
like "$err" 'GPU0 +[0-9.,]+ W +nvidia_nvml/power/' "without CUPTI NVML counts"
is "$(grep -c warning <<< "$err")" 1 "which is one line"
fake_gpus gh200
GPMU_PLUGINS=$work/half run gpmu stat --gpu -a -M GpuPcieReadBW,GpuC2cBW --timeout 300
like "$err" '^GPU0 +[0-9.]+ GB/s GpuPcieReadBW$' "metrics for certain chips too"
like "$err" '^GPU0 +[0-9.]+ GB/s GpuC2cBW$' "also those of a Grace Hopper"
unset GPMU_FAKE_NVML
: > "$work/none/libnvidia-ml.so.1"
GPMU_CUDA=$work/none:$B/tests/gpu/fake run gpmu stat --gpu -a -M GpuDramReadBW --timeout 200
like "$err" '^GPU0 +2,400.00 GB/s' "without NVML CUPTI counts"
is "$(grep -c warning <<< "$err")" 1 "which is one line too"
run gpmu stat --gpu -a -M GpuDramReadBX --timeout 100
like "$err" 'did you mean GpuDramReadBW' "a wrong name is told"
run gpmu stat --gpu -a -e nvidia_gpu/dram__bytes_red.sum/ --timeout 100
like "$err" 'dram__bytes_read.sum' "so is that of an event"
run gpmu stat --gpu -a -e "{nvidia_gpu/sm__icc_requests.sum/,nvidia_gpu/l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum/,nvidia_gpu/l1tex__data_bank_conflicts_pipe_lsu_mem_gds_op_ld.sum/}" -- true
like "$err" "cannot be counted: nvidia_gpu_0 cannot count its 3 events" "a group that does not fit is told before it runs"
like "$err" "warning: $one: .* needs 2 passes .*: without l1tex__data_bank_conflicts_pipe_lsu_mem_gds_op_ld.sum" "with what to leave out"
done_testing
