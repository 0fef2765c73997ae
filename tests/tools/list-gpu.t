#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu list --gpu: what CUPTI can sample, of a chip without its GPU, on a fake of CUPTI, and on
# the real one where the toolkit is installed.
. tests/tools/lib.sh

export GPMU_CUDA=$B/tests/gpu/fake

run gpmu list --gpu --chips
is "$rc" 0 "chips are listed"
like "$out" '^GH100$' "GH100 among them, a name a line"
run gpmu list --gpu --chips gh1 -j
is "$out" '{"gpmu":1,"kind":"chip","name":"GH100"}' "in JSON too, by patterns"

run gpmu list --gpu --chip GH100
is "$rc" 0 "a chip's metrics are listed without its GPU"
like "$out" '^EVENT +UNIT +TYPE +DESCRIPTION$' "with a heading"
like "$out" '^dram__bytes_read.sum +byte +counter +[^ ]' "by the names of events, with unit, type and description"
run gpmu list --gpu --chip GH100 'dram__bytes_*'
is "$(tail -n +2 <<< "$out" | cut -d' ' -f1 | paste -sd' ')" "dram__bytes_read.sum dram__bytes_write.sum" "those of a pattern"
run gpmu list --gpu --chip GH100 --names dram__bytes_read
is "$out" dram__bytes_read.sum "names alone"
run gpmu list --gpu --chip GH100 -v dram__bytes_read
like "$out" '^ +suffixes +[.]' "-v shows the suffixes that there are"
run gpmu list --gpu --chip GH100 --passes dram__bytes_read
like "$out" '^dram__bytes_read.sum +byte +counter +1  ' "--passes says in how many it is counted"
run gpmu list --gpu --chip GH100 -j dram__bytes_read
is "$(python3 -c 'import json, sys; row = json.loads(sys.argv[1]); print(row["event"], row["type"], row["unit"], row["passes"], ".sum" in row["suffixes"])' "$out")" \
	"dram__bytes_read.sum counter byte None True" "JSON has it all"
run gpmu list --gpu --chip GH100 nothing-like-it
is "$rc $out$err" "1 gpmu list: the chip has none such" "1 if there is none"
run gpmu list --gpu
is "$rc" 0 "without --chip it is that of the GPU"
GPMU_FAKE="machine=a100" run gpmu list --gpu --names
like "$out" '^dram__bytes_read.sum$' "whichever that is"

run gpmu list --source cupti=chip=GH100 --names metric 'GpuNvlink*' 'GpuBar1*'
is "$(paste -sd' ' <<< "$out")" "GpuNvlinkRxBW GpuNvlinkTxBW" "metrics are listed that are for the chip, and no others"
run gpmu list --source cupti=chip=GB100 -j metric 'GpuPcieReadBW'
is "$(grep -c . <<< "$out")" 1 "a metric for several chips once"
like "$out" 'PCI[.]TriageCompute[.]pcie__read_bytes' "by the names of this one"
run gpmu list --source cupti=chip=GB100 -v metric 'GpuPcieReadBW'
like "$out" '^ +identifier +GB1' "-v says for which"
run gpmu list --gpu --chip XX100
is "$rc" 125 "a chip that is not known is refused"
like "$err" 'XX100: .*; --chip takes GV100.*GH100' "with those that are"
run gpmu list --help
like "$out" '^ +--gpu +what CUPTI can sample' "--help says what --gpu lists"
run gpmu list --chip GH100
is "$rc $err" "125 gpmu list: --chip, --chips and --passes need --gpu" "--chip is for --gpu"
mkdir "$work/none"
: > "$work/none/libcuda.so.1"
GPMU_CUDA=$work/none:$B/tests/gpu/fake run gpmu list --gpu
is "$rc" 125 "without a driver there is no chip"
like "$err" 'no CUDA driver.*; --chip takes .*GH100' "but those that can be asked for are said"
GPMU_PLUGINS=$work/none run gpmu list --gpu --chips
is "$rc" 125 "without the plugin there is nothing"
like "$err" 'gpmu-cupti.so' "which is said"

# The fake has few metrics, the real one hundreds of a chip.
unset GPMU_CUDA
run gpmu list --gpu --chip GH100 --names
if grep -q ': no CUPTI: ' <<< "$err"; then
	skip "no CUDA toolkit" "the real CUPTI"
else
	is "$rc $err" "0 " "the real CUPTI lists without a GPU"
	like "$out" '^dram__bytes_read.sum$' "the same names"
	[ "$(wc -l <<< "$out")" -gt 500 ]; ok $? "and all of them"
fi
done_testing
