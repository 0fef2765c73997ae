#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --sass of a program on the fake of CUPTI, whose kernels have an instruction for each letter of their names.
. tests/tools/lib.sh

need tests/gpu/fake/program
program=$(realpath "$B/tests/gpu/fake/program")
export GPMU_CUDA GPMU_FAKE='inject=1 thread=1'
GPMU_CUDA=$(realpath "$B/tests/gpu/fake")
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL
inst=smsp__sass_inst_executed
thread=smsp__sass_thread_inst_executed
loads=smsp__sass_inst_executed_op_global_ld

# sass OPTION... -- WORD...: counts the program; prints value, metric, launches and name of each row
sass() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	run timeout -s KILL 300 "$GPMU_BIN" stat -x\; -o "$work/csv" "${options[@]}" -- "$program" init "$@"
	rows=$(cut -d\; -f1,3,4,6 "$work/csv" | sed 's/smsp__sass_//' | paste -sd' ')
}

# --- counts
sass --strict --sass "$inst" -- context=0 kernel=foo kernel=quux repeat=3 kernel=foo
is "$rc" 0 "stat --sass ends with the command's status"
is "$rows" "12;inst_executed;4;foo 4;inst_executed;1;quux" "--sass has a row for each function with the sum of its launches"
is "$err" "" "complete counts print no message"
sass --strict --sass "$inst,$thread" -- context=0 kernel=_Z3fooi
is "$rows" "7;inst_executed;1;foo(int) 224;thread_inst_executed;1;foo(int)" "all metrics are counted in one run, and names are demangled"
sass --strict --sass "$loads" -- context=0 kernel=fold kernel=foo
is "$rc $rows" "0 1;inst_executed_op_global_ld;1;fold" "a function without an instruction of the metric has no row, and none is missing"
GPMU_FAKE='inject=1 launch_ex=1' sass --strict --sass "$inst" -- context=0 kernel=foo kernel=foo
is "$rc $rows" "0 6;inst_executed;2;foo" "warps of launches by cuLaunchKernelEx() are compared with the counts"
sass --strict --sass "$loads" -- context=0 kernel=foo
is "$rc $rows" "125 " "--strict fails if no function has a count"
sass --strict --sass "$inst" -- context=0 threads=4
is "$rows" "3200;inst_executed;400;threaded" "kernels of all threads are counted"
sass --strict --sass "$inst" -- context=0 kernel=foo end-context context=0 kernel=foo
is "$rc $rows" "0 6;inst_executed;2;foo" "the counts of a context that ends are added to those of the next one on its device"
sass --strict --sass "$inst" -- context=0 module=3ad3cd15 kernel=foo unload=3ad3cd15 kernel=foo
is "$rc $rows" "0 6;inst_executed;2;foo" "counts before and after a module unloads are added"
for end in vanish=3 exit=3; do
	sass --strict --sass "$inst" -- context=0 kernel=foo $end
	is "$rc $rows" "3 3;inst_executed;1;foo" "a command that ends by $end has all counts"
done
expect 0 gpmu stat --sass "$inst" -- "$program" init context=0 kernel=foo kernel=bar
like "$err" '^ foo, kernels: 1' "the summary has a paragraph for each function"
like "$err" '2 of 2 kernels$' "the summary ends with the number of kernels that were counted"
expect 0 gpmu stat --sass "$inst,$thread" --sass-by=line -- "$program" init context=0 repeat=400 kernel=foo
like "$err" '^ +38,400 +smsp__sass_thread_inst_executed$' "the summary groups the digits of counts"
like "$err" '^ +1,200 +38,400  no line$' "the summary groups the digits of the counts of parts"
expect 0 gpmu stat --no-big-num --sass "$thread" -- "$program" init context=0 repeat=400 kernel=foo
like "$err" '^ +38400 +smsp__sass_thread_inst_executed$' "--no-big-num does not group the digits of counts"
expect 0 gpmu stat --sass "$loads" -- "$program" init context=0 kernel=fold
like "$err" '1 of 1 kernels; counts not compared with the launches: no smsp__sass_inst_executed$' \
	"the summary reports that counts were not compared with the launches"

# --- parts of functions
parts() {
	sass --strict "$@" -- context=0 module=3ad3cd15 kernel=foo unload=3ad3cd15 kernel=foo
}
parts --sass "$inst" --sass-by=line
is "$rc $rows" "0 6;inst_executed;2;foo 4;inst_executed;2;foo/src/fake.cu:10 2;inst_executed;2;foo/src/fake.cu:11" \
	"--sass-by=line has a row for each source line of a function"
parts --sass "$inst" --sass-by=instruction
is "$rows" "6;inst_executed;2;foo 2;inst_executed;2;foo/0x0000 src/fake.cu:10 2;inst_executed;2;foo/0x0010 src/fake.cu:10 \
2;inst_executed;2;foo/0x0020 src/fake.cu:11" "--sass-by=instruction has a row for each instruction, with offset and line"
sass --strict --sass "$inst" --sass-by=line -- context=0 kernel=foo
is "$rows" "3;inst_executed;1;foo 3;inst_executed;1;foo/no line" "instructions without a line have a row together"
expect 0 gpmu stat --sass "$inst,$thread" --sass-by=instruction -- "$program" init context=0 kernel=foo
like "$err" '^  *1  *32  0x0020 no line$' "the summary has a line for each part with all metrics"

# --- what CUPTI does not report
GPMU_FAKE='inject=1 sass_first=1' sass --strict --sass "$inst" -- context=0 kernel=foo kernel=bar
is "$rc $rows" "125 3;inst_executed;1;foo" "a launched function without records fails --strict"
like "$err" '--strict: kernels without counts: 1' "the message of --strict has the number of kernels without counts"
for more in 1 -1; do
	GPMU_FAKE="inject=1 sass_more=$more" sass --strict --sass "$inst" -- context=0 kernel=_Z3fooi repeat=2 kernel=_Z3fooi
	is "$rc $rows" "125 " "a function whose warps are not those of its launches is left out and fails --strict ($more)"
	like "$err" "foo\\(int\\) has $((3 + more)) of 3 warps" "the message about a function left out has both numbers of warps ($more)"
	GPMU_FAKE="inject=1 sass_more=$more" sass --strict --sass "$loads,$thread" -- context=0 kernel=fold
	like "$err" "fold has $((32 + more * 32)) of 32 threads" "threads are compared where warps are not counted ($more)"
done
GPMU_FAKE='inject=1 sass_more=1' sass --strict --sass "$inst" -- context=0 kernel=foo graph=2
is "$rc $rows" "0 6;inst_executed;1;foo" "with a graph, whose kernels are not seen, more warps than those of the launches are right"
GPMU_FAKE='inject=1 sass_more=-1' sass --strict --sass "$inst" -- context=0 kernel=foo graph=2
is "$rc $rows" "125 " "with a graph fewer warps than those of the launches are an error"
GPMU_FAKE='inject=1 sass_more=1' sass --strict --sass "$loads" -- context=0 kernel=fold
is "$rc $rows" "0 2;inst_executed_op_global_ld;1;fold" "without a metric of all instructions warps are not compared"
sass --strict --sass "$inst" -- context=0 kernel=foo exec-fails repeat=2 kernel=foo
is "$rc $rows" "125 3;inst_executed;1;foo" "launches after an exec that fails, which ends counting, fail --strict"
like "$err" '--strict: kernels without counts: 2' "launches after an exec that fails are reported"
GPMU_FAKE='inject=1 sass_drop=5' sass --strict --sass "$inst" -- context=0 kernel=foo
is "$rc" 125 "records that CUPTI loses at the end fail --strict"
sass --strict --sass "$inst,smsp__sass_no_such" -- context=0 kernel=foo
is "$rc" 125 "a metric that the chip does not have fails --strict"
like "$err" "GH100 has no SASS metric smsp__sass_no_such \(CUPTI.s error 1\)\$" "a metric that the chip does not have is named"
sass --sass smsp__sass_inst_execute -- context=0 kernel=foo
like "$err" "no SASS metric smsp__sass_inst_execute \(CUPTI.s error 1\), did you mean $inst\?\$" "the most similar SASS metric of the chip is suggested"
for call in GetNumOfMetrics GetMetrics; do
	GPMU_FAKE="inject=1 fail=cuptiSassMetrics$call:15" sass --sass smsp__sass_inst_execute -- context=0 kernel=foo
	like "$err" "no SASS metric smsp__sass_inst_execute \(CUPTI.s error 1\)\$" "an unknown metric is named if cuptiSassMetrics$call fails"
done
for call in Enable:8 SetConfig:7 FlushData:999; do
	GPMU_FAKE="inject=1 fail=cuptiSassMetrics$call" sass --strict --sass "$inst" -- context=0 kernel=foo
	is "$rc" 125 "cuptiSassMetrics${call%:*} that fails is an error with --strict"
	like "$err" "SASS metrics are not counted: cuptiSassMetrics${call%:*} returned ${call#*:}" \
		"cuptiSassMetrics${call%:*} that fails is reported with its code"
done
GPMU_FAKE='inject=1 fail=cuptiSassMetricsSetConfig:35' sass --sass "$inst" -- context=0 kernel=foo
like "$err" 'SetConfig returned 35, .*: run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0$' "a missing permission is reported with its remedy"

# --- wrong options
expect 125 gpmu stat --sass sm__inst_executed.sum -- true
like "$err" 'sm__inst_executed.sum is not a SASS metric' "a metric that is not a SASS metric is refused before the command runs"
expect 125 gpmu stat --sass "$inst" --ranges=kernel -- true
like "$err" '--sass cannot be combined with --ranges' "--ranges beside --sass is refused"
expect 125 gpmu stat --sass "$inst" -r 3 -- true
is "$err" "gpmu stat: --sass cannot be combined with -r: it counts the command's work on GPUs, in one run" "--sass names the option that it cannot be combined with"
expect 125 gpmu stat --sass "$inst" --gpu -- true
like "$err" '--sass counts by CUPTI alone: leave out --gpu, --section and --source' "--gpu beside --sass is refused"
expect 125 gpmu stat --sass "$inst" -e cycles -- true
like "$err" '--sass cannot be combined with -e and -M' "events beside --sass are refused"
expect 125 gpmu stat --sass "$inst"
like "$err" '--sass needs a command' "--sass without a command is refused"
expect 125 gpmu stat --sass-by=line -- true
like "$err" '--sass-by needs --sass' "--sass-by without --sass is refused"
expect 125 gpmu stat --sass "$inst" --sass-by=block -- true
like "$err" 'expected function, line or instruction' "--sass-by with an unknown part is refused with the known parts"
expect 125 gpmu stat --sass , -- true
like "$err" '--sass needs the name of a metric' "--sass without a metric is refused"
done_testing
