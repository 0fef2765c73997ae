#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record --pc-sampling and gpmu report on the fake of CUPTI, whose samples and cubins are recordings of an H200: no sample
# is lost without a word, whatever CUPTI's return codes are, and no call is made at which the real CUPTI would crash.

. tests/lib/tap.sh

build=${BUILD:-build}
fake=$build/tests/gpu/fake
gpmu=$PWD/$build/gpmu
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trace=$tmp/app.pftrace
export GPMU_CUDA=$PWD/$fake GPMU_PLUGINS=$PWD/$build
once=1331496	# samples of one run of the recording
violations=0

# record FAKE OPTIONS WORD...: records the program with these words; its messages are in $tmp/err
record() {
	local options=$2 status

	export GPMU_FAKE="inject=1 $1"
	shift 2
	# shellcheck disable=SC2086 # options are words
	timeout 120 "$gpmu" record --strict --no-cpu-trace -o "$trace" $options -- "$fake/program" init "${first:-context=0}" "$@" > "$tmp/out" 2> "$tmp/err"
	status=$?
	violations=$((violations + $(cat "$tmp/out" "$tmp/err" | grep -c '^# fake')))
	return $status
}

# report OPTION...
report() {
	"$gpmu" report "$@" "$trace" 2> "$tmp/report.err"
}

# numbers: delivered and counted samples
numbers() {
	report --by stall | sed -n 's/^PC samples: \([0-9]*\) of \([0-9]*\) delivered.*/\1 \2/p'
}

loaded=(module=78b27b28 module=3ad3cd15 module=89f6b764)

record '' --pc-sampling "${loaded[@]}" sampled=2 sleep=300 sampled=1
ok $? "pcs: a run whose samples all arrive passes with --strict" || diag "$(cat "$tmp/err")"
is "$(numbers)" "$((3 * once)) $((3 * once))" "pcs: the samples of all runs are delivered, also those that CUPTI decodes at the end"
awk -F'\t' 'NR > 2 && $6 !~ /_not_issued$/ { n[$2] += 3 * $7 } END { for (f in n) print f, n[f] }' tests/data/gpu/pcs.tsv | sort > "$tmp/want"
report --folded | awk -F';' '$1 == "GPU" { n = $NF; sub(/.* /, "", n); sum[$2] += n } END { for (f in sum) print f, sum[f] }' | sort > "$tmp/got"
is "$(cat "$tmp/got")" "$(cat "$tmp/want")" "pcs: each function has the recorded samples of the GPU, without those that are counted as not issued too"
is "$(report --by stall --format csv --top 1 | tail -n 1 | cut -d, -f1,3)" "$(awk -F'\t' '$6 ~ /stalled_wait$/ { n += 3 * $7 } END { print "wait," n }' tests/data/gpu/pcs.tsv)" \
	"pcs: the most frequent stall reason has its documented name and samples"
report --by function,line > "$tmp/lines"
like "$(cat "$tmp/lines")" 'jit_k +/tmp/jit_source\.cu:4' "pcs: samples of a module have lines of its line table"
unlike "$(cat "$tmp/lines")" 'hot_a +[^ ]+:[0-9]' "pcs: samples of a module without an image have no line"

record '' --pc-sampling=serialized "${loaded[@]}" sampled=1
ok $? "pcs: serialized sampling passes with --strict" || diag "$(cat "$tmp/err")"
like "$(report --by stall)" 'serialized, one per 4096 cycles' "pcs: the audit has the mode and its default period"

record '' '--pc-sampling --pc-stall wait,selected' "${loaded[@]}" sampled=1
ok $? "pcs: chosen stall reasons pass with --strict" || diag "$(cat "$tmp/err")"
is "$(report --by stall --format csv | grep -oE '^[a-z_]+,' | grep -v stall, | sort | xargs)" "selected, wait," "pcs: only chosen stall reasons have samples"

record pcs_full=2 --pc-sampling "${loaded[@]}" sampled=3 sleep=300
is "$?" 125 "pcs: a full hardware buffer fails --strict"
like "$(cat "$tmp/err")" 'hardware buffer .* was full, .* use gpmu record --pc-period' "pcs: a message names the remedy of a full hardware buffer"

record pcs_drop=5 --pc-sampling "${loaded[@]}" sampled=1 sleep=300
is "$?" 125 "pcs: samples that the hardware drops fail --strict"
is "$(numbers)" "$once $((once + 5))" "pcs: the head of the report has dropped samples"

record pcs_lose=3 --pc-sampling "${loaded[@]}" sampled=1 sleep=300
is "$?" 125 "pcs: samples that CUPTI counts and does not deliver fail --strict"
like "$(report --by stall)" 'lost of .*PC samples that CUPTI counted and did not deliver' "pcs: the audit has samples that CUPTI does not deliver"

record pcs_busy=1 --pc-sampling "${loaded[@]}" sampled=1 sleep=300
is "$?" 125 "pcs: a GPU whose profiler is in use fails --strict"
like "$(cat "$tmp/err")" "profiler is in use by another program.*, or by another context of this process; end it" "pcs: a message reports that the profiler is in use"

export GPMU_FAKE="inject=1 enable=0:26"
timeout 120 "$gpmu" record --no-cpu-trace -o "$trace" --pc-sampling -- "$fake/program" init context=0 "${loaded[@]}" sampled=1 kernel=a > "$tmp/out" 2> "$tmp/err"
like "$? $(cat "$tmp/err")" '^0 gpmu record: warning: no PC sample is recorded: GPU-[^ ]*: its profiler is in use by another program' \
	"pcs: a profiler that another program uses is reported before the command runs"
like "$(report)" ' 1 of 1 kernel recorded' "pcs: kernels are recorded although another program uses the profiler"
like "$(report)" 'note +warning +no PC sample is recorded: GPU-' "pcs: the audit has the reason why no PC is sampled"

record '' --pc-sampling "${loaded[@]}" sampled=1 context=0 sampled=1
is "$?" 125 "pcs: a second context of a GPU fails --strict"
is "$(numbers)" "$once $once" "pcs: a second context of a GPU is not sampled, and the first one keeps its samples"

record '' --pc-sampling "${loaded[@]}" sampled=1 end-context context=0 sampled=1
ok $? "pcs: a context that follows another one passes with --strict" || diag "$(cat "$tmp/err")"
is "$(numbers)" "$((2 * once)) $((2 * once))" "pcs: a context that ends, and the one after it, have all samples"

record '' --pc-sampling module=78b27b28 module=3ad3cd15 sampled=1 end-context module=89f6b764 context=0 sampled=1
is "$?" 125 "pcs: samples of a module that was loaded while nothing was sampled fail --strict"
like "$(report --by stall)" '[0-9]+ without an instruction' "pcs: the head of the report has samples without an instruction"

record '' --pc-sampling "${loaded[@]}" sampled=1 unload=78b27b28 sampled=1
ok $? "pcs: a module that is unloaded amidst passes with --strict" || diag "$(cat "$tmp/err")"
like "$(report --by function,line)" 'jit_k +/tmp/jit_source\.cu:4' "pcs: samples of a module that was unloaded have lines"

# The records of a program, as activity-dump prints them
export CUDA_INJECTION64_PATH=$PWD/$build/libgpmu-inject.so GPMU_FAKE=inject=1
"$build/tests/unit/trace/activity-dump" pc_mode=1 pc_period=16 -- "$fake/program" init context=0 "${loaded[@]}" sampled=1 > "$tmp/records" 2>&1
unset CUDA_INJECTION64_PATH
is "$(awk '/^pc / { for (i = 2; i <= NF; i++) if ($i ~ /^samples=/) n += substr($i, 9) } END { print n }' "$tmp/records")" "$once" \
	"pcs: the records have each sample"
like "$(cat "$tmp/records")" "^pc_total .* samples=$once dropped=0 foreign=0 full=0 .* mode=1 period=16 stalls=0$" "pcs: a record has the numbers of samples"
is "$(grep -c '^cubin .* total=5432 offset=0 bytes=5432$' "$tmp/records")" 3 "pcs: each module that has samples sends its image"

for end in exit=0 vanish=0 abort quick=0 raise=15 exec; do
	record '' --pc-sampling "${loaded[@]}" sampled=1 "$end"
	is "$(numbers)" "$once $once" "pcs: a process that ends by $end has all samples"
done

for call in Enable GetNumStallReasons GetStallReasons SetConfigurationAttribute GetData Disable; do
	record "fail=cuptiPCSampling$call:7" --pc-sampling "${loaded[@]}" sampled=1 sleep=150
	is "$?" 125 "pcs: --strict fails if cuptiPCSampling$call fails"
	like "$(cat "$tmp/err")" "PC sampling of context 1 has ended: cuptiPCSampling$call returned 7" \
		"pcs: a message reports that cuptiPCSampling$call has failed"
done
first=room=4 record '' --pc-sampling context=0 sampled=1
is "$?" 125 "pcs: --strict fails if there is no memory for samples"
like "$(cat "$tmp/err")" "PC sampling of context 1 has ended: mmap returned 8" "pcs: a message reports that there is no memory for samples"
record fail=cuptiPCSamplingEnable:35 --pc-sampling sampled=1
like "$(cat "$tmp/err")" 'not permitted: .*NVreg_RestrictProfilingToAdminUsers=0' "pcs: a message names the remedy of a missing permission"

is "$violations" 0 "pcs: no call was made at which the real CUPTI would crash"

"$gpmu" record --pc-sampling -o "$trace" -- true 2> "$tmp/err"
like "$(cat "$tmp/err")" 'warning: 0 processes connected' "pcs: a warning reports that no process has used CUDA, although threads were recorded"

# Refused before the command starts
refused() {
	rm -f "$tmp/started"
	"$gpmu" record -o "$trace" "${@:2}" -- touch "$tmp/started" > "$tmp/out" 2> "$tmp/err"
	[ $? = 125 ] && [ ! -e "$tmp/started" ]
	ok $? "pcs: $1 is refused before the command starts" || diag "$(cat "$tmp/err")"
}
export GPMU_FAKE=inject=1
refused "a counter of a GPU beside PC sampling" --pc-sampling --gpu -M GpuSmActive
like "$(cat "$tmp/err")" 'PM sampling and PC sampling exclude each other: .*; run the command once for each' "pcs: the message names the reason and what to do instead"
refused "a capture range beside PC sampling" --pc-sampling --capture-range region
refused "a delay beside PC sampling" --pc-sampling -D 10
refused "PC sampling without CUDA" --pc-sampling --no-cuda-trace
refused "a period that is no power of 2" --pc-sampling --pc-period 100
refused "an unknown stall reason" --pc-sampling --pc-stall wait,waits
like "$(cat "$tmp/err")" '"waits" is no stall reason, did you mean wait\?' "pcs: the message names the unknown stall reason, and the most similar one"
refused "a period without PC sampling" --pc-period 64
done_testing
