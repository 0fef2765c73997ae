#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --ranges of a program on the fake of CUPTI, whose kernels count as many units of each metric as their names have
# letters. Like the real driver, the fake has a thread that blocks no signal, in gpmu as well.
. tests/tools/lib.sh

need tests/gpu/fake/program
program=$(realpath "$B/tests/gpu/fake/program")
export GPMU_CUDA GPMU_FAKE='inject=1 thread=1'
GPMU_CUDA=$(realpath "$B/tests/gpu/fake")
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL
metric=dram__bytes_read.sum

# ranges OPTION... -- WORD...: the program's ranges; prints value, number of ranges, number and name of each row
ranges() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	run timeout -s KILL 300 "$GPMU_BIN" stat -x\; -o "$work/csv" -M "$metric" "${options[@]}" -- "$program" init context=0 "$@"
	rows=$(cut -d\; -f1,4- "$work/csv" | paste -sd' ')
}

# --- kernels
ranges --strict --ranges=kernel -- kernel=foo kernel=bar repeat=3 kernel=foo
is "$rc" 0 "stat --ranges ends with the command, although a thread of the driver takes signals"
is "$rows" "12;4;0;foo 3;1;1;bar" "--ranges=kernel has a row for each kernel with the sum of its launches"
is "$err" "gpmu stat: passes of each kernel: 1" "--ranges=kernel prints the passes before the run, and no warning"
ranges --ranges=kernel --each -- kernel=foo kernel=foo kernel=quux
is "$rows" "3;1;0;foo 3;1;1;foo 4;1;2;quux" "--each has a row for each launch"
ranges --strict --ranges=kernel --range-filter='^foo[(]int[)]$' -- kernel=_Z3fooi kernel=bar kernel=_Z3foov
is "$rows" "7;1;0;foo(int)" "--range-filter applies to the demangled name"
ranges --strict --ranges=kernel --each --range-filter='^f' --range-skip=1 --range-count=1 -- kernel=fa kernel=b kernel=fab kernel=fabc
is "$rows" "3;1;2;fab" "--range-skip and --range-count count the kernels that pass the filter"
ranges --strict --ranges=kernel -- threads=4
is "$rows" "3200;400;0;threaded" "kernels of all threads are counted"
ranges --strict --ranges=kernel --replay=application -- kernel=foo kernel=foo
is "$rows" "6;2;0;foo" "--replay=application counts each kernel"
ranges --strict --ranges=kernel -- repeat=1500 kernel=foo
is "$rows" "4500;1500;0;foo" "more kernels than an image has room for are all counted"

metric=dram_read_throughput,issue_slot_utilization
run timeout -s KILL 300 "$GPMU_BIN" stat -x\; -o "$work/csv" --strict --ranges=kernel -M "$metric" -- "$program" init context=0 kernel=foo
is "$(paste -sd' ' "$work/csv")" "1;GB/s;dram_read_throughput;1;0;foo 100;%;issue_slot_utilization;1;0;foo" "--ranges counts names of CUPTI's former APIs"
run timeout -s KILL 300 "$GPMU_BIN" stat -x\; -o "$work/csv" --ranges=kernel -M dram__bytes_read.sum,sm__inst_executed.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,gpu__time_duration.sum \
	-- "$program" init context=0 kernel=foo
is "$(cut -d\; -f2 "$work/csv" | xargs)" "B inst % ns" "metrics of CUPTI have its units"
metric=dram__bytes_read.sum

# --- ranges of the program
ranges --strict --ranges=nvtx -- push=a kernel=foo push=b kernel=bar pop pop kernel=x push=a kernel=foo pop
is "$rows" "9;2;0;a" "--ranges=nvtx has a row for each outermost range, without the work outside"
ranges --strict --ranges=region -- enter=a kernel=foo leave=a
is "$rows" "3;1;0;a" "--ranges=region counts regions of gpmu-mark.h"
ranges --ranges=nvtx --range-levels=2 -- push=a kernel=foo push=b kernel=bar pop pop push=a kernel=foo push=b kernel=bar pop pop
is "$rows" "6;1;2;a 3;1;2;a/b" "--range-levels=2 counts inner ranges in a second repetition of the outermost one"
like "$err" 'passes: 2; each counts another outermost range of the same name' "several passes are announced before the run"
ranges --strict --ranges=nvtx --range-levels=2 --replay=application -- push=a kernel=foo push=b kernel=bar pop pop
is "$rows" "6;1;0;a 3;1;0;a/b" "--replay=application runs the command once for each pass"
is "$(grep -c . <<< "$out")" 2 "it runs as often as announced"
ranges --strict --ranges=nvtx --range-levels=2 -- push=a kernel=foo pop
is "$rc" 125 "--strict fails if a range lacks passes"
like "$err" '--strict: ranges without counts: 1' "--strict has the number of ranges without counters"

ranges --ranges=nvtx -- push=a beside=push=x kernel=foo pop beside=push=b beside=kernel=ab beside=pop kernel=quux beside=pop push=c kernel=x pop
is "$rows" "3;1;0;a 1;1;3;c" "a range in one that was not counted is not counted, and has no work of after its end"
like "$(gpmu stat --ranges=nvtx -M "$metric" -- "$program" init context=0 push=a beside=push=x pop beside=push=b beside=pop beside=pop 2>&1)" \
	' 2 begun during a range of another thread' "ranges in one that was not counted have its reason"
echo kept > "$work/own"
ranges --strict --ranges=nvtx --range-levels=2 --replay=application -- push=a kernel=foo reopen="$work/own" push=b kernel=bar pop pop
is "$rows $(cat "$work/own")" "6;1;0;a 3;1;0;a/b kept" "a program that closes all files is counted in all its runs, and its own file is kept"
long=$work/$(printf 'd%.0s' {1..250})
mkdir "$long" "$work/moved"
TMPDIR=$long expect 125 gpmu stat --ranges=kernel --replay=application -M "$metric" -- true
like "$err" 'the path of the file between runs has at most 255 bytes; TMPDIR' "a path of TMPDIR that is too long is refused"
is "$(ls -A "$long")" "" "a run that fails leaves no file in TMPDIR"
expect 125 gpmu stat --ranges=kernel --range-filter="$(printf 'a%.0s' {1..256})" -M "$metric" -- true
like "$err" 'the filter has at most 255 bytes' "a filter that is too long is refused"
expect 125 gpmu stat --ranges=kernel --range-filter='a[' -M "$metric" -- touch "$work/executed"
like "$err" 'the filter of ranges "a\[": expected an extended regular expression: ' "a malformed filter is refused with the reason"
ok "$([ ! -e "$work/executed" ]; echo $?)" "a malformed filter is refused before the command runs"
run env -C "$work/moved" TMPDIR=. timeout -s KILL 300 "$(realpath "$GPMU_BIN")" stat --strict -x\; -o "$work/csv" --ranges=kernel \
	--replay=application -M "$metric" -- env -C / "$program" init context=0 kernel=foo
is "$rc $(ls -A "$work/moved")" "0 " "a relative TMPDIR is that of gpmu, and application replay leaves no file in it"

# --- graphs
ranges --ranges=kernel -- kernel=foo graph=2 kernel=bar
is "$rows" "3;1;0;foo" "kernel replay ends where the program makes a graph"
like "$err" 'kernels are not counted from here on: the program makes a CUDA graph.*--ranges=nvtx' "a warning has the reason and the remedy"
unlike "$err" 'lost' "kernels that are not recorded are not reported as lost"
ranges --ranges=nvtx -- capture=0 push=a pop captured=401 push=b pop captured=0 capture=900 push=c kernel=foo pop capture=0 captured=901 \
	push=d kernel=foo pop
is "$rows" "3;1;2;c 3;1;3;d" "ranges are not counted during a capture, which an invalidated capture ends, and a failed begin does not begin"

metric=smsp__sass_branch_targets.sum
ranges --strict --ranges=nvtx -- push=a kernel=foo pop push=b kernel=quux graph=2 pop push=c kernel=bar pop
is "$rc $rows" "125 3;1;0;a" "ranges before a graph is made are counted by metrics of inserted instructions, and none with it or after it"
like "$err" 'the program makes a CUDA graph, and CUPTI counts metrics with _sass_ in their names as 0' "a warning reports that metrics with _sass_ are not counted in graphs"
like "$err" '--strict: ranges without counts: 2,' "ranges with a graph, and after it, are missing"
ranges --ranges=nvtx --range-levels=2 -- push=a kernel=foo pop graph=2 push=a kernel=foo pop
is "$rc $rows" "0 " "passes before and after a graph are not combined"
metric=dram__bytes_read.sum

# --- kernels that wait for later ones
ranges --ranges=kernel --replay-limit=1 -- kernel=foo kernel=_Z10wait_knownPVi kernel=bar
is "$rc $rows" "137 " "a process whose replayed kernel exceeds the limit is ended, with the kernels of its image"
like "$err" 'its kernel wait_known[(]int volatile[*][)] has not ended after 1.0 s.*--replay=application' "the message has the demangled name and the remedy"
ranges --strict --ranges=nvtx --replay-limit=1 -- push=a kernel=_Z10wait_knownPVi pop
is "$rc" 0 "the limit applies to kernel replay only"

# --- failures
lap=(push=a kernel=foo pop)
GPMU_FAKE='inject=1 fail=cuptiRangeProfilerEnable@3:26' ranges --strict --ranges=nvtx --range-levels=2 -- \
	"${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}" "${lap[@]}"
is "$rc $rows" "125 6;2;1;a" "--strict fails if CUPTI refuses to enable a third set of passes, and the first two have rows"
like "$err" 'ranges are not counted: cuptiRangeProfilerEnable returned 26' "the refused call and its code are reported"
like "$err" '--strict: ranges without counts: 2,' "ranges whose work is not counted are not taken for ranges without work"
GPMU_FAKE='inject=1 fail=cuptiRangeProfilerStart@3:26' ranges --strict --ranges=nvtx --range-levels=3 -- "${lap[@]}" "${lap[@]}" "${lap[@]}"
is "$rc $rows" "125 " "a set whose third pass does not start has no row, and fails with --strict"
like "$err" 'ranges are no longer counted: cuptiRangeProfilerStart returned 26' "a refused start of a later pass is reported"
GPMU_FAKE='inject=1 fail=cuptiRangeProfilerStart:26' ranges --strict --ranges=kernel -- kernel=foo
is "$rc" 125 "--strict fails if CUPTI refuses to start"
like "$err" 'ranges are not counted: cuptiRangeProfilerStart returned 26' "a refused start is reported with its call and code"
is "$rows" "" "a refused start has no rows"
ranges --strict --ranges=kernel -- kernel=foo exec init context=0 kernel=ab
is "$rows" "3;1;0;foo 2;1;0;ab" "kernels before exec are counted, as those of the program that it executes"
ranges --strict --ranges=kernel -- kernel=foo exec-fails kernel=ab
is "$rc $rows" "125 3;1;0;foo" "kernels after an exec that has failed are not counted, which --strict reports"
ranges --strict --ranges=kernel -- kernel=foo exec-fails nothing
is "$rc $rows" "0 3;1;0;foo" "a launch that fails after counting has ended is not missing"
ranges --strict --ranges=kernel -- kernel=foo abort-raises
is "$rc $rows" "134 3;1;0;foo" "kernels before abort() are counted, although the program handles SIGABRT"
GPMU_FAKE='inject=1 fail=cuptiRangeProfilerEnable:35' ranges --ranges=kernel -- kernel=foo
like "$err" 'PRIVILEGES: run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0' "a missing permission has its remedy"
GPMU_FAKE='inject=1 fail=cuptiRangeProfilerStart:26' ranges --ranges=kernel -- kernel=foo
like "$err" 'BUSY: the GPU.s profiler is in use by another program.*; end it, or run this program alone' "a profiler in use has its remedy"
cp "$(command -v sleep)" "$work/nv-hostengine"
"$work/nv-hostengine" 300 &
GPMU_FAKE='inject=1 fail=cuptiRangeProfilerStart:26' ranges --ranges=kernel -- kernel=foo
kill $!
like "$err" "in use by another program, (probably|perhaps) nv-hostengine \\(process $!\\)" "a message names a process that may use the profiler"
unlike "$err" "[ (]gpmu \\(process" "gpmu itself, which has started the command, is not named"
GPMU_FAKE='inject=1 enable=0:26' run gpmu stat --ranges=kernel -M "$metric" -- "$program" init context=0 kernel=foo
is "$rc" 0 "--ranges of a GPU whose profiler another program uses exits with the command's status"
like "$err" 'warning: no range is counted, as another program uses the GPU.s profiler; the whole command is counted instead' "a profiler that another program uses is reported before the command runs"
like "$err" '^GPU0 .* GpuSmActive +\[GPU\]' "beside another program's profiler NVML counts the GPU"
like "$err" ' task-clock' "beside another program's profiler the command's events are counted"
like "$err" 'by nvml' "the output has the source of the GPU's values"
GPMU_FAKE='inject=1 enable=0:26 fail=cuptiRangeProfilerStart:26' ranges --strict --ranges=kernel -- kernel=foo
is "$rc $rows" "125 " "with --strict a profiler that another program uses is an error"
run gpmu stat --ranges=kernel -M "$metric" -- true
like "$err" 'warning: 0 processes connected: .* so gpmu must run inside them' "a command without CUDA has a warning"
CUDA_INJECTION64_PATH=/other run gpmu stat --ranges=kernel -M "$metric" -- true
like "$err" 'CUDA_INJECTION64_PATH is /other, of another tool, and CUDA loads one; unset it$' "the library of another tool is refused"
for end in vanish=3 exit=3; do
	ranges --strict --ranges=kernel -- kernel=foo $end
	is "$rc $rows" "3 3;1;0;foo" "a command that ends by $end has all of its kernels"
done
ranges --ranges=kernel -- kernel=foo kill
is "$rc" 137 "a command that is killed ends stat --ranges"

# --- wrong options
expect 0 gpmu stat --gpu -M GpuFlops32 -- true
like "$err" 'GpuFlops32: PM sampling cannot collect it; use gpmu stat --ranges=kernel' "a metric of ranges names the option that counts it where the GPU is sampled"
expect 125 gpmu stat --ranges=kernel,nvtx -M "$metric" -- true
like "$err" 'kernel cannot be combined' "kernels and ranges are refused together"
expect 125 gpmu stat --ranges=nvtx --replay=kernel -M "$metric" -- true
like "$err" '--replay=kernel needs --ranges=kernel' "kernel replay of ranges is refused before the command runs"
expect 125 gpmu stat --gpu --ranges=kernel -M "$metric" -- true
like "$err" 'exclude each other' "sampling of the GPU beside ranges is refused"
expect 125 gpmu stat --ranges=kernel -M no__such.sum -- true
like "$err" '^gpmu stat: no__such.sum: GH100 has no such metric, or ranges cannot count it: ' "an unknown metric is named with the chip"

expect 125 gpmu stat --ranges=kernel -M GpuDramReadBWW -- true
like "$err" 'GpuDramReadBWW: no metric of this GPU, did you mean GpuDramReadBW\?' "the most similar metric is suggested"
expect 125 gpmu stat --ranges=kernel -M flop_count_spp -- true
like "$err" 'flop_count_spp: no metric of this GPU, did you mean flop_count_sp\?' "the most similar name of CUPTI's former APIs is suggested"
expect 125 gpmu stat --ranges=kernel -M sm__inst_executed -- true
like "$err" 'sm__inst_executed: .* CUPTI.s with a rollup' "a metric of CUPTI without a rollup is refused with the accepted form"
expect 125 gpmu stat --ranges=kernel -e nvidia_gpu/dram__bytes_read.sum/ -- true
like "$err" 'by their names alone, without nvidia_gpu/' "an event with its PMU is refused with the accepted form"

# refused DESCRIPTION ERROR OPTION...: an error before the command starts
refused() {
	run gpmu stat --ranges=kernel -M "$metric" "${@:3}" -- touch "$work/started"
	like "$rc $err" "^125 gpmu stat: $2" "$1 is refused"
	[ ! -e "$work/started" ] || ok 1 "the command has not started: $1"
	rm -f "$work/started"
}
refused "nested kernels" '--range-levels needs --ranges=nvtx or --ranges=region' --range-levels=2
for other in -a '-C 0' -i '-I 100' '-r 2' '-D 1' --per-node --topdown --metric-only; do
	# shellcheck disable=SC2086 # an option and its value
	refused "$other with ranges" "--ranges cannot be combined with ${other%% *}:" $other
done
refused "--duration with ranges" '--ranges cannot be combined with --duration or --timeout:' --duration=1
refused "--source with ranges" '--ranges counts by CUPTI alone: leave out --gpu, --section and --source' --source=model
refused "an empty separator" '-x: separator ""' -x ''
refused "an output file in a missing folder" "$work/nowhere/out: No such file or directory" -o "$work/nowhere/out"
echo old > "$work/old"
run gpmu stat --ranges=kernel -M "$metric" -o "$work/old" -- /nowhere/app
is "$rc $(< "$work/old")" "127 old" "a command that does not exist leaves the output file unchanged"
unlike "$err" 'warning' "a command that does not exist has no warning that it did not use CUDA"
done_testing
