#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --section and gpmu list --sections, on section files of our own and on fakes of NVIDIA's libraries.
. tests/tools/lib.sh

export GPMU_CUDA=$B/tests/gpu/fake
examples=pmu-events/gpu/sections
mkdir -p "$work/own/inner"
cat > "$work/own/all.section" << 'END'
Identifier: "Everything"
DisplayName: "Every Kind"
Description: "A metric of each kind."
Extends: "Absent"
Colour: "blue"
Header {
  Metrics { Name: "dram__bytes_read.sum" Label: "Read" Options { Name: "dram__bytes_write.sum" Filter { MaxArch: CC_86 } } }
  Metrics { Name: "launch__grid_size" }
  Metrics { Name: "launch__block_size" }
  Metrics { Name: "launch__grid_size" }
  Metrics { Name: "sm__no_such_thing.avg" }
  Metrics { Name: "inst_executed" }
  Metrics { Name: "breakdown:gpu__x.avg" }
  Metrics { Name: "kernel only" Filter { CollectionFilter { CollectionScopes: CollectionScope_Launch } } }
  Metrics { Name: "derived__half" }
  Metrics { Name: "derived__nested" }
  Metrics { Name: "derived__bad" }
  Metrics { Name: "derived__loop" }
  Metrics { Name: "derived__lacking" }
}
Body { Items { Timeline { MetricGroups { MetricRows { Metrics {
  Name: "pmsampling:dram__throughput.avg.pct_of_peak_sustained_elapsed" Multiplier: 0.5 Groups: "sampling_0" } } } } }
  Items { Table { Metrics { Name: "regex:pcie__.*" } Metrics { Name: "regex:nothing" } } } }
MetricDefinitions {
  MetricDefinitions { Name: "derived__half" Expression: "dram__bytes_write.sum / dram__bytes_read.sum" }
  MetricDefinitions { Name: "derived__nested" Expression: "(derived__half + 1) * 2.5" }
  MetricDefinitions { Name: "derived__bad" Expression: "dram__bytes_write.sum /" }
  MetricDefinitions { Name: "derived__loop" Expression: "derived__loop + 1" }
  MetricDefinitions { Name: "derived__lacking" Expression: "dram__bytes_read.sum / launch__grid_size" }
}
END
cat > "$work/own/inner/needed.section" << 'END'
Identifier: "Needed"
Order: -1
Header { Metrics { Name: "dram__bytes_read.sum" }
  Metrics { Name: "launch__waves"
    Filter { CollectionFilter { Importance: Required } } } }
END
printf 'Identifier: "None"\nHeader { Metrics { Name: "launch__waves" } }\n' > "$work/own/none.section"
printf 'Identifier: "Crowded"\nMetrics { Metrics { Name: "sm__icc_requests.sum" } Metrics { Name: "l1tex__t_bytes.sum" } Metrics { Name: "sm__inst_executed.sum" } }\n' \
	> "$work/own/crowded.section"
printf 'Identifier: "Bad"\nHeader {\n' > "$work/own/bad.section"

# --- stat
expect 0 gpmu stat --section GpuCompute,GpuMemory --section-folder $examples --timeout 200
is "$(grep -E '^ GPU [CM].*:$' <<< "$err" | paste -sd' ')" " GPU Compute:  GPU Memory:" "stat --section prints the display name of each section"
is "$(sed -n '/^ GPU Memory:$/,/^$/p' <<< "$err" | grep -c '^GPU0 .* dram__bytes_\(read\|write\)\.sum$')" 2 \
	"stat --section prints the rows of a section below its name"
like "$err" '^GPU0 +[0-9.]+ % sm__cycles_active.avg' "stat --section counts a metric with its unit"
expect 0 gpmu stat --section GpuMemory --section GpuCompute --section-folder $examples -M GpuPcieBW --timeout 50
like "$err" '^GPU0 +[0-9.]+ GB/s GpuPcieBW$' "stat --section counts metrics of -M beside a section"
like "$(sed -n '/GpuPcieBW/{n;p;n;p}' <<< "$err" | head -1)" '^ GPU Memory:$' "stat --section prints metrics of -M above the first section, without its name"

expect 0 gpmu stat -v --section Everything --section-folder "$work/own" --timeout 200
like "$err" 'all.section:5: unknown field Colour is ignored' "stat --section names an unknown field with file and line"
like "$err" 'bad.section:3: expected .*; the file is left out' "stat --section names a malformed file with its line"
like "$err" '^GPU0 +[0-9,.]+ B +dram__bytes_read.sum$' "stat --section counts the base metric of a GPU that no option accepts"
unlike "$err" 'kernel only' "stat --section leaves out metrics of kernel launches"
like "$err" '^GPU0 +31\.[0-9]+ % +dram__throughput' "stat --section applies a multiplier, and leaves out the prefix pmsampling:"
like "$err" '^GPU0 +0\.[0-9]+ +derived__half$' "stat --section computes a derived metric"
like "$err" '^GPU0 +[23]\.[0-9]+ +derived__nested$' "stat --section computes a derived metric of another one"
is "$(grep -c '^GPU0 .* pcie__\(read\|write\)_bytes\.sum$' <<< "$err")" 2 "stat --section counts the events that a regular expression matches"
like "$err" 'section Everything: not counted: launch__grid_size, launch__block_size, derived__lacking: this is an attribute of a kernel launch' \
	"stat --section prints one line for each reason, with each metric once"
like "$err" 'not counted: sm__no_such_thing.avg: PM sampling of this GPU does not have it' "stat --section names a metric that the GPU does not have"
like "$err" 'not counted: inst_executed: this is counted by instruction' "stat --section names a metric of instructions"
like "$err" 'not counted: breakdown:gpu__x.avg: CUPTI does not list the parts' "stat --section names a breakdown"
like "$err" 'not counted: nothing: the regular expression matches no event' "stat --section names a regular expression without events"
like "$err" 'not counted: derived__bad: its formula is malformed: expected a value, found the end' "stat --section names a malformed formula"
like "$err" 'not counted: derived__loop: its definition refers to itself' "stat --section names a definition that refers to itself"
GPMU_FAKE=machine=a100 expect 0 gpmu stat --section Everything --section-folder "$work/own" --timeout 100
unlike "$err" ' Every Kind.*dram__bytes_read.sum' "stat --section on another architecture has no base metric in the first row"
like "$(grep -A1 ' Every Kind:' <<< "$err" | tail -1)" 'dram__bytes_write.sum' "stat --section counts the option for the architecture of the GPU"

expect 0 gpmu stat --section Crowded --section-folder "$work/own" --timeout 100
like "$err" 'warning: .*l1tex__t_bytes.sum' "stat --section names a metric that does not fit into the pass before the run"
is "$(grep -c '<not supported>' <<< "$err")" 2 "stat --section shows metrics that do not fit as not supported"
like "$err" '^GPU0 +[0-9,.]+ .*sm__icc_requests.sum' "stat --section counts the metrics that fit into the pass"

expect 0 gpmu stat --section GpuMemory --section-folder $examples -x, --timeout 50
is "$(columns name <<< "$err" | sed -n 1,2p | paste -sd' ')" "dram__bytes_read.sum dram__bytes_write.sum" "stat --section -x, has the rows in the order of the section"
unlike "$err" 'GPU Memory' "stat --section -x, has no headings"
GPMU_SECTIONS=/nowhere:$examples run gpmu stat --section GpuMemory --timeout 50
is "$rc $err" "125 gpmu stat: --section-folder: /nowhere: No such file or directory" "stat --section refuses a folder of GPMU_SECTIONS that does not exist"
GPMU_SECTIONS=$work/own:$examples expect 0 gpmu stat --section GpuMemory --timeout 50
like "$err" '^ GPU Memory:$' "stat --section searches the folders of GPMU_SECTIONS"
GPMU_SECTIONS=/nowhere expect 0 gpmu stat --section GpuMemory --section-folder $examples --timeout 50
like "$err" '^ GPU Memory:$' "stat --section-folder takes precedence over GPMU_SECTIONS"
expect 0 gpmu stat --section GpuMemory --section-folder $examples -r 2 -- true
like "$err" 'GPU Memory' "stat --section -r prints headings"
expect 0 gpmu stat --section GpuMemory --section-folder $examples -I 50 --interval-count 2
is "$(grep -c '^ GPU Memory:$' <<< "$err")" 2 "stat --section -I prints the display name in each interval"

# --- errors of stat
fails() {
	local want=$1 what=$2

	shift 2
	run gpmu stat "$@"
	is "$rc" 125 "$what: stat fails"
	like "$err" "$want" "$what: stat reports it"
}
# fails_without_ncu WHAT ARGUMENT...: the error without a folder, on a machine without Nsight Compute
fails_without_ncu() {
	local what=$1

	shift
	if [ -n "$(compgen -G '/opt/nvidia/nsight-compute/*/sections'; compgen -G '/usr/local/cuda*/nsight-compute-*/sections')" ] ||
		[ -d /usr/lib/nsight-compute/sections ]; then
		skip "this machine has Nsight Compute" "$what: gpmu names the remedy if there are no sections"
		return
	fi
	run env -u CUDA_HOME "$GPMU_BIN" "$@"
	like "$rc $err" '^125 .*must name a folder with section files: Nsight Compute, .* was not found' \
		"$what: gpmu names the remedy if there are no sections"
}
fails 'no section GpuMemry; did you mean GpuMemory\?; "gpmu list --sections" lists them' "a missing section" --section GpuMemry --section-folder $examples --timeout 50
fails '/nowhere: No such file' "a missing folder" --section GpuMemory --section-folder /nowhere --timeout 50
fails_without_ncu "no folder" stat --section GpuMemory --timeout 50
fails 'needed.section:4: metric launch__waves is required: this is an attribute of a kernel launch' "a required metric that cannot be counted" \
	--section Needed --section-folder-recursive "$work/own" --timeout 50
fails 'PM sampling has no metric of these sections' "a section without a metric for PM sampling" --section None --section-folder "$work/own" --timeout 50
printf 'Identifier: "Older"\nFilter { MaxArch: CC_80 }\nHeader { Metrics { Name: "dram__bytes_read.sum" } }\n' > "$work/own/older.section"
fails 'section Older: it has no metric, .*for this GPU' "a section for other architectures" --section Older --section-folder "$work/own" --timeout 50
fails 'no section Needed' "a section in an inner folder" --section Needed --section-folder "$work/own" --timeout 50
fails '--section-folder needs --section' "a folder without --section" --section-folder $examples --timeout 50
fails '--regions cannot be combined with' "--regions" --regions --section GpuMemory --section-folder $examples -- true
GPMU_PLUGINS=$work fails 'no GPU can be sampled' "no GPU" --section GpuMemory --section-folder $examples --timeout 50

# --- list
expect 0 gpmu list --sections --section-folder $examples
is "$(awk 'NR > 1 { print $1, $2 }' <<< "$out" | paste -sd,)" "GpuCompute 4,GpuMemory 5" "list --sections prints identifiers and numbers of metrics, by order"
like "$out" '^GpuMemory +5 +GPU Memory +Traffic of' "list --sections prints name and description"
expect 0 gpmu list --sections --section-folder $examples --names memory
is "$out" GpuMemory "list --sections --names prints the identifiers that match"
expect 0 gpmu list --sections --section-folder-recursive "$work/own" -v
is "$(awk 'NR == 2 { print $1 }' <<< "$out")" Needed "list --section-folder-recursive lists sections of inner folders"
like "$out" 'extends +Absent, which is missing' "list --sections -v names an extended section that no file has"
like "$out" 'launch__waves, required \(Header/Metrics\)' "list --sections -v prints required metrics"
like "$out" 'derived__half = dram__bytes_write.sum / dram__bytes_read.sum' "list --sections -v prints formulas"
like "$out" 'groups sampling_0, times 0.5' "list --sections -v prints groups and multipliers"
like "$err" 'bad.section:3: ' "list --sections reports malformed files"
expect 0 gpmu list --sections --section-folder "$work/own" -v --chip GA100 everything
like "$out" 'dram__bytes_write.sum: Read' "list --sections --chip prints the option for the chip"
expect 0 gpmu list --sections --section-folder $examples -j
is "$(python3 -c 'import json,sys
for line in sys.stdin:
    section = json.loads(line)
    print(section["name"], section["order"], len(section["metrics"]), section["sets"][0])' <<< "$out" | paste -sd,)" \
	"GpuCompute 10 7 gpmu,GpuMemory 20 10 gpmu" "list --sections -j prints an object for each section, with its metrics for launches and ranges"
run gpmu list --sections --section-folder $examples zzz
is "$rc $err" "1 gpmu list: no section matches" "list --sections exits with 1 if no section matches"
run gpmu list --sections --gpu --section-folder $examples
is "$rc $err" "125 gpmu list: --sections and --gpu: choose one" "list refuses --sections with --gpu"
run gpmu list --sections --section-folder $examples metric
is "$rc $err" "125 gpmu list: --sections lists no other kind" "list --sections refuses another kind"
run gpmu list --sections --chip ZZ9 --section-folder $examples
like "$rc $err" '^125 .*--chip ZZ9: the compute capability' "list --sections refuses an unknown chip"
run gpmu list --section-folder $examples
like "$rc $err" '^125 .*needs --sections' "list refuses --section-folder without --sections"
fails_without_ncu "list --sections" list --sections
for version in 2024.3.2 2025.10.1 2025.3.1; do
	mkdir -p "$work/cuda/nsight-compute-$version/sections"
	sed "s/GPU Memory/From $version/" $examples/GpuMemory.section > "$work/cuda/nsight-compute-$version/sections/a.section"
done
CUDA_HOME=$work/cuda expect 0 gpmu list --sections
is "$(grep -o 'From [0-9.]*' <<< "$out")" "From 2025.10.1" "list --sections without a folder lists the sections of the newest Nsight Compute in CUDA_HOME"
GPMU_SECTIONS=$examples CUDA_HOME=$work/cuda expect 0 gpmu list --sections
unlike "$out" From "GPMU_SECTIONS takes precedence over an installed Nsight Compute"
done_testing
