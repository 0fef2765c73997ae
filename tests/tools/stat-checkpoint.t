#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --checkpoint of a program on the fakes of CUPTI and of its library for checkpoints. Each kernel counts as many
# units of each metric as its name has letters and as its memory holds, and adds 1 to all that its memory holds.
. tests/tools/lib.sh

need tests/gpu/fake/program
need tests/gpu/fake/libcheckpoint.so
fakes=$(realpath "$B/tests/gpu/fake")
program=$fakes/program
fake='inject=1 thread=1'
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL
export GPMU_CUDA=$fakes
metrics=sm__inst_executed.sum,l1tex__t_bytes.sum	# two passes
lap=(push=a kernel=foo pop)

# checkpoint OPTION... -- WORD...: runs the program; $rows has value and name of each row, $out what the program prints
checkpoint() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	GPMU_FAKE=${faults:-$fake} run timeout -s KILL 300 "$GPMU_BIN" stat -x\; -o "$work/csv" --ranges=nvtx -M "$metrics" "${options[@]}" -- \
		"$program" init context=0 "$@" vanish=0
	rows=$(cut -d\; -f1,4- "$work/csv" | paste -sd' ')
	unlike "$err" '# fake' "--checkpoint makes no call at which CUPTI crashes: $*"
}

# total SETTING WORD...: prints the checkpoints' object of the JSON; the fake has a further setting
total() {
	GPMU_FAKE="$fake $1" timeout -s KILL 300 "$GPMU_BIN" stat -j --checkpoint --ranges=nvtx -M "$metrics" "${options[@]}" -- \
		"$program" init context=0 "${@:2}" 2>&1 > /dev/null | python3 -c '
import json, sys
for line in sys.stdin:
	if line.startswith("{"):
		shown = json.loads(line).get("checkpoints", {})
for key in "saved", "restored", "failed", "bytes", "device_bytes":
	print(shown[key], end=" ")
print(shown["save_ns"] > 0, shown["restore_ns"] > 0)'
}

# --- what passes count
checkpoint -- allocate=4096 host=4096 "${lap[@]}" "${lap[@]}" contents
is "$rows ${out%%$'\n'*}" "3;1;1;a 5;1;1;a contents 2 2" "without --checkpoint a second pass counts work on changed input"
checkpoint --strict --checkpoint -- allocate=4096 host=4096 "${lap[@]}" "${lap[@]}" contents
is "$rc $rows ${out%%$'\n'*}" "0 3;1;1;a 3;1;1;a contents 1 1" "with --checkpoint all passes count work on the same input, and change it once"
checkpoint --strict --checkpoint --range-levels=2 -- allocate=4096 "${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}" contents
is "$rc $rows ${out%%$'\n'*}" "0 3;1;3;a 3;1;3;a contents 1" "memory is restored before each of four passes"
checkpoint --strict --checkpoint -- allocate=4096 "${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}" contents
is "$rc $rows ${out%%$'\n'*}" "0 7;2;1;a 7;2;1;a contents 2" "the next set of passes begins with the memory that the first one left"
checkpoint --checkpoint --range-levels=2 -- allocate=4096 "${lap[@]}" "${lap[@]}"
is "$rc $rows" "0 " "ranges without all of their passes have no row when the program ends"
checkpoint --checkpoint -- allocate=4096 "${lap[@]}" end-context
is "$rc $rows" "0 " "ranges without all of their passes have no row when their context ends"
checkpoint --checkpoint --ranges=region -- allocate=8 enter=a kernel=foo leave=a enter=a kernel=foo leave=a contents
is "$rc $rows ${out%%$'\n'*}" "0 3;1;1;a 3;1;1;a contents 1" "--checkpoint restores before regions of gpmu-mark.h, too"

# --- the numbers of checkpoints
options=()
is "$(total late=0 allocate=4096 host=1024 "${lap[@]}" "${lap[@]}")" "1 1 0 5120 5120 True True" "-j has the number of checkpoints with their bytes and times"
is "$(total late=0 allocate=4096 free=0 allocate=1024 "${lap[@]}" "${lap[@]}")" "1 1 0 1024 1024 True True" "memory that was freed before the first pass is not part of a checkpoint's bytes"
is "$(total device=100 allocate=41943040 "${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}")" \
	"2 2 0 83886080 0 True True" "a checkpoint takes no memory of the GPU that --checkpoint-reserve leaves free"
options=(--checkpoint-reserve=10)
is "$(total device=100 allocate=41943040 "${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}")" \
	"2 2 0 83886080 83886080 True True" "a checkpoint is freed after the last pass, so that the next one has its room"
GPMU_FAKE=$fake run "$GPMU_BIN" stat --checkpoint --ranges=nvtx -M sm__inst_executed.sum -- "$program" init context=0 allocate=8 "${lap[@]}"
like "$err" ' checkpoints: 0 saved in 0.000 ms, 0 restored in 0.000 ms, 0 failed' "metrics of one pass need no checkpoint"
run env GPMU_FAKE="$fake" "$GPMU_BIN" stat --checkpoint --ranges=nvtx -M "$metrics" -- "$program" init context=0 allocate=4096 "${lap[@]}" "${lap[@]}"
like "$err" ' checkpoints: 1 saved in [0-9.]+ ms, 1 restored in [0-9.]+ ms, 0 failed' "the summary has the number of checkpoints and their times"
like "$err" ' bytes per checkpoint: 4,096 allocated by the program, 4,096 of the GPU.s memory' "the summary has the mean bytes of a checkpoint"

# --- memory that is allocated and freed meanwhile
inner=(push=a allocate=8 kernel=foo)
checkpoint --strict --checkpoint -- allocate=8 "${inner[@]}" free=1 pop "${inner[@]}" free=2 pop contents
is "$rc $rows ${out%%$'\n'*}" "0 3;1;1;a 3;1;1;a contents 1" "a range may free what it has allocated"
checkpoint --strict --checkpoint -- allocate=8 allocate=8 "${lap[@]}" "${lap[@]}" free=1 "${lap[@]}" "${lap[@]}" contents
is "$rc $rows ${out%%$'\n'*}" "0 7;2;1;a 7;2;1;a contents 2" "memory may be freed between two sets of passes"
for end in free=0 free=1 trim beside=free=1; do
	checkpoint --checkpoint -- allocate=8 host=8 allocate=8 "${lap[@]}" "$end" "${lap[@]}" contents
	is "$rc $rows" "125 " "nothing is counted, and gpmu fails, if memory of the checkpoint is freed: $end"
	like "$err" 'the program has freed memory .* so the checkpoint cannot be restored.*--replay=application' "a message reports that freed memory prevents a restore, and the remedy: $end"
	like "$out" '^contents 2 2' "a program that frees memory of its checkpoint continues with its memory unchanged: $end"
	like "$err" 'checkpoints that could not be saved or restored: 1;' "a message has the number of failed checkpoints: $end"
done

# --- failures
faults="$fake fail=cuptiCheckpointSave:8" checkpoint --checkpoint -- allocate=8 "${lap[@]}" "${lap[@]}" contents
is "$rc $rows ${out%%$'\n'*}" "125  contents 2" "nothing is counted, and gpmu fails, if CUPTI cannot save a checkpoint"
like "$err" 'ranges are not counted: the checkpoint cannot be saved: cuptiCheckpointSave returned 8, CUPTI_ERROR_OUT_OF_MEMORY' "a message has the code of a failed save"
faults="$fake fail=cuptiCheckpointRestore@2:999" checkpoint --checkpoint --range-levels=2 -- allocate=8 "${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}"
is "$rc $rows" "125 " "nothing is counted, and gpmu fails, if the second restore fails"
like "$err" 'further results of the program are undefined.*: cuptiCheckpointRestore returned 999' "a message has the code of a failed restore, and its effect on the program"
faults="$fake fail=cuMemGetInfo_v2:2" checkpoint --checkpoint -- allocate=8 "${lap[@]}" "${lap[@]}"
is "$rc $rows" "125 " "no checkpoint is saved if the free memory of the GPU is not known"
checkpoint --checkpoint -- host=0x4000000000000 "${lap[@]}" "${lap[@]}"
is "$rc $rows" "125 " "a checkpoint that does not fit into memory is not saved"
like "$err" 'does not fit into its free part and half of the host.s available memory; lower --checkpoint-reserve' "a message reports that a checkpoint does not fit, and the remedy"

checkpoint --checkpoint --replay-limit=1 -- kernel=_Z10wait_knownPVi "${lap[@]}" "${lap[@]}"
is "$rc $rows" "137 " "a process whose checkpoint waits for a kernel that does not end is ended"
like "$err" 'a checkpoint has taken 1.0 s, and may wait for a kernel .*--replay=application' "a message has the time that a checkpoint has waited, and the remedy"

mkdir "$work/empty"
cp -r "$fakes" "$work/without"
rm "$work/without/libcheckpoint.so"
: > "$work/empty/libcheckpoint.so"	# the dynamic linker looks no further
GPMU_CUDA=$work/without GPMU_FAKE=$fake LD_LIBRARY_PATH=$work/empty run "$GPMU_BIN" stat --checkpoint --ranges=nvtx -M "$metrics" -- "$work/without/program" init context=0 \
	"${lap[@]}" "${lap[@]}"
is "$rc" 125 "gpmu fails without CUPTI's library for checkpoints"
like "$err" 'CUPTI.s library for checkpoints, libcheckpoint.so, is neither beside CUPTI nor found by the dynamic linker; install' "a message names the missing library for checkpoints"

# --- options
for wrong in --ranges=kernel "--ranges=nvtx --replay=application"; do
	# shellcheck disable=SC2086 # two options
	expect 125 gpmu stat $wrong --checkpoint -M "$metrics" -- true
	like "$err" '--checkpoint needs --replay=user with --ranges=nvtx or --ranges=region' "--checkpoint is refused with $wrong"
done
expect 125 gpmu stat --checkpoint -- true
like "$err" '--checkpoint and --each need --ranges' "--checkpoint is refused without --ranges"
expect 125 gpmu stat --ranges=nvtx --checkpoint-reserve=1 -M "$metrics" -- true
like "$err" '--checkpoint-reserve needs --checkpoint' "--checkpoint-reserve is refused without --checkpoint"
done_testing
