#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu list --gpu: what CUPTI can sample of a chip without its GPU, on a fake of CUPTI, and on the
# real CUPTI where the toolkit is installed.
. tests/tools/lib.sh

export GPMU_CUDA=$B/tests/gpu/fake

run gpmu list --gpu --chips
is "$rc" 0 "list --gpu --chips exits with 0"
like "$out" '^GH100$' "list --gpu --chips prints one chip per line"
expect 0 gpmu list --gpu --chips gh1 -j
is "$out" '{"gpmu":1,"kind":"chip","name":"GH100"}' "list --gpu --chips -j prints the chips of a pattern as JSON"

fakes=$(realpath "$GPMU_CUDA")
run env -C / GPMU_CUDA="$fakes" "$GPMU_BIN" list --gpu --chips
like "$rc $out" '^GH100$' "the fakes of NVIDIA's libraries find their data from any folder"

run gpmu list --gpu --chip GH100
is "$rc" 0 "list --gpu --chip lists a chip's metrics without its GPU"
like "$(head -n 1 <<< "$out")" "^METRIC +UNIT +HERE +DESCRIPTION$" "list --gpu begins with gpmu's own metrics"
like "$out" '^GpuSmActive +% +yes +Percentage of cycles' "list --gpu prints gpmu's own metrics with unit and description"
is "$(tail -n +2 <<< "$out" | grep -vcE '^Gpu|^$')" 1 "list --gpu without a kind or a pattern prints no event of the chip"
count=$(gpmu list --gpu --chip GH100 --names event | wc -l)
is "$(tail -n 1 <<< "$out")" "$count events that CUPTI can sample on the chip: gpmu list --gpu --chip GH100 event" "list --gpu prints the number of the chip's events and the command that lists them"
expect 0 gpmu list --gpu --chip GH100 metric Dram
is "$(cut -d' ' -f1 <<< "$out" | xargs)" "METRIC GpuDramBW GpuDramReadBW GpuDramUtil GpuDramWriteBW" "list --gpu metric prints the metrics that match, and no events"
expect 0 gpmu list --gpu --chip GH100 dram
is "$(cut -d' ' -f1 <<< "$out" | grep -E '^[A-Z]+$' | xargs)" "METRIC EVENT" "list --gpu with a pattern prints metrics before events"
run gpmu list --gpu pmu
is "$rc $err" "125 gpmu list: --gpu lists metrics and events: expected metric, event or neither" "list --gpu refuses other kinds than metrics and events"

# --- without --gpu
export GPMU_ROOT
GPMU_ROOT=$(machine laptop)
expect 0 gpmu list metric Gpu
like "$out" '^GpuSmActive +% +--gpu +Percentage of cycles' "list without --gpu finds the metrics of GPUs by a pattern, and HERE is --gpu"
is "$(gpmu list --names metric Gpu | sort | xargs)" "$(gpmu list --all --names metric 'Gpu*' | sort | xargs)" "list without --gpu finds all metrics of GPUs"
like "$(gpmu list -j metric GpuSmActive)" '"here":null' "list -j without --gpu prints null for HERE of a metric of GPUs"
unlike "$(gpmu list --names)" '^Gpu' "list without --gpu and a pattern lists no metrics of GPUs"
unset GPMU_ROOT

expect 0 gpmu list --gpu --chip GH100 event
like "$out" '^EVENT +UNIT +TYPE +DESCRIPTION$' "list --gpu --chip event prints a heading"
like "$out" '^dram__bytes_read.sum +byte +counter +[^ ]' "list --gpu --chip prints event, unit, type and description"
expect 0 gpmu list --gpu --chip GH100 'dram__bytes_*'
is "$(tail -n +2 <<< "$out" | cut -d' ' -f1 | paste -sd' ')" "dram__bytes_read.sum dram__bytes_write.sum" "list --gpu --chip lists the events of a pattern"
expect 0 gpmu list --gpu --chip GH100 --names dram__bytes_read
is "$out" dram__bytes_read.sum "list --gpu --chip --names prints names only"
expect 0 gpmu list --gpu --chip GH100 -v dram__bytes_read
like "$out" '^ +suffixes +[.]' "list --gpu --chip -v prints the suffixes of an event"
expect 0 gpmu list --gpu --chip GH100 --passes dram__bytes_read
like "$out" '^dram__bytes_read.sum +byte +counter +1  ' "list --gpu --chip --passes prints the number of passes"
expect 0 gpmu list --gpu --chip GH100 -j dram__bytes_read
is "$(python3 -c 'import json, sys; row = json.loads(sys.argv[1]); print(row["event"], row["type"], row["unit"], row["passes"], ".sum" in row["suffixes"])' "$out")" \
	"dram__bytes_read.sum counter byte None True" "list --gpu --chip -j prints event, type, unit, passes and suffixes"
run gpmu list --gpu --chip GH100 nothing-like-it
is "$rc $out$err" "1 gpmu list: nothing of the GPU matches" "list --gpu --chip exits with 1 if no event matches"
run gpmu list --gpu
is "$rc" 0 "list --gpu without --chip exits with 0"
GPMU_FAKE="machine=a100" expect 0 gpmu list --gpu --names event
like "$out" '^dram__bytes_read.sum$' "list --gpu without --chip lists the events of the machine's GPU"

expect 0 gpmu list --source cupti=chip=GH100 --names metric 'GpuNvlink*' 'GpuBar1*'
is "$(paste -sd' ' <<< "$out")" "GpuNvlinkRxBW GpuNvlinkTxBW" "list --source cupti=chip=GH100 lists the metrics of that chip only"
expect 0 gpmu list --source cupti=chip=GB100 -j metric 'GpuPcieReadBW'
is "$(grep -c . <<< "$out")" 1 "list -j lists a metric of several chips once"
like "$out" 'PCI[.]TriageCompute[.]pcie__read_bytes' "list -j prints the metric's formula for the chosen chip"
expect 0 gpmu list --source cupti=chip=GB100 -v metric 'GpuPcieReadBW'
like "$out" '^ +identifier +GB1' "list -v prints the chips that a metric is for"
run gpmu list --gpu --chip XX100
is "$rc" 125 "list --gpu refuses an unknown chip"
like "$err" 'XX100: .*; --chip accepts GV100.*GH100' "list --gpu names the chips that it knows"
expect 0 gpmu list --help
like "$out" '^ +--gpu +list the metrics of the GPU' "list --help describes --gpu"
run gpmu list --chip GH100
is "$rc $err" "125 gpmu list: --chip needs --gpu or --sections" "list refuses --chip without --gpu and --sections"
mkdir "$work/none"
: > "$work/none/libcuda.so.1"
GPMU_CUDA=$work/none:$B/tests/gpu/fake run gpmu list --gpu
is "$rc" 125 "list --gpu without a CUDA driver exits with 125"
like "$err" 'no CUDA driver.*; --chip accepts .*GH100' "list --gpu without a CUDA driver names the chips of --chip"
GPMU_PLUGINS=$work/none run gpmu list --gpu --chips
is "$rc" 125 "list --gpu without its plugin exits with 125"
like "$err" 'gpmu-cupti.so' "list --gpu without its plugin names the plugin"

# The fake has few metrics, the real CUPTI has hundreds for each chip.
unset GPMU_CUDA
run gpmu list --gpu --chip GH100 --names event
if grep -q ': no CUPTI: ' <<< "$err"; then
	skip "no CUDA toolkit" "list --gpu lists the real CUPTI's events without a GPU"
else
	is "$rc $err" "0 " "list --gpu lists the real CUPTI's events without a GPU"
	like "$out" '^dram__bytes_read.sum$' "list --gpu prints the real CUPTI's event names"
	[ "$(wc -l <<< "$out")" -gt 500 ]; ok $? "list --gpu lists more than 500 events of the real CUPTI"
fi
# --- NVML's events
fake_gpus two
GPMU_FAKE=machine=h200 expect 0 gpmu list --gpu --names
unlike "$out" '^nvidia_nvml/.*__' "list --gpu lists no event of CUPTI as an event of NVML"
expect 0 gpmu list --source nvml event nvidia_nvml/power/
like "$out" '^nvidia_nvml/power/ +W +yes +power of the whole board$' "list --source nvml lists NVML's events with unit and description"
is "$(gpmu list --source nvml --names event nvidia_nvml/power/ | wc -l)" 1 "list --source nvml lists an event of two GPUs once"
GPMU_FAKE=machine=h200x2 expect 0 gpmu list --gpu nvidia_nvml/power/
like "$out" '^nvidia_nvml/power/ +W +nvml +power of the whole board$' "list --gpu lists NVML's events beside those of CUPTI"
run gpmu list --gpu --chip GH100 nvidia_nvml/power/
is "$rc" 1 "list --gpu --chip lists no events of NVML, which belong to the machine's GPUs"

# --- links that not every GPU of a chip has
links=$(realpath "$B/tests/gpu/fake")
# here MACHINE SOURCE METRIC: HERE of a metric in gpmu list
here() {
	GPMU_CUDA=$links GPMU_FAKE=machine=$1 gpmu list --source "$2" --all metric "$3" | awk -v metric="$3" '$1 == metric { print $3 }'
}

unset GPMU_FAKE_NVML
for source in cupti nvml; do
	is "$(here h200 $source GpuC2cBW)" no "list --source $source: an H200 without NVLink-C2C does not have GpuC2cBW"
	is "$(here gh200 $source GpuC2cBW)" yes "list --source $source: a GH200 has GpuC2cBW"
	is "$(here h200 $source GpuNvlinkRxBW)" no "list --source $source: an H200 without an active NVLink does not have GpuNvlinkRxBW"
	is "$(here gh200 $source GpuNvlinkRxBW)" yes "list --source $source: a GH200 with active NVLinks has GpuNvlinkRxBW"
	is "$(here h200 $source GpuPcieBW)" yes "list --source $source: an H200 has GpuPcieBW"
done
is "$(here h200 nvml GpuL1BW)" no "list --source nvml: a metric that NVML's GPM lacks is not here"
export GPMU_CUDA=$links
GPMU_FAKE=machine=h200 run gpmu list --source cupti metric GpuC2cBW
is "$rc $out" "1 " "list leaves out GpuC2cBW on an H200 without NVLink-C2C"
GPMU_FAKE=machine=h200 expect 0 gpmu list --source cupti --all -v metric GpuC2cBW
like "$out" '^ +not here +this GPU has no NVLink-C2C$' "list --all -v prints why GpuC2cBW is not here"
like "$out" '^ +identifier +GH100$' "list --all -v prints the definition of GpuC2cBW for the machine's chip"
GPMU_FAKE=machine=h200 run gpmu list --source cupti event ctc__
is "$rc $out" "1 " "list leaves out events of NVLink-C2C on an H200 without it"
GPMU_FAKE=machine=gh200 expect 0 gpmu list --source cupti event ctc__
like "$out" '^nvidia_gpu/CTC.TriageCompute.ctc__rx_bytes.sum/ +B +yes ' "list prints events of NVLink-C2C on a GH200"

done_testing
