#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# tests/gpu/run where there is no GPU: with programs in the place of gpmu, nvcc and the loads
# its parts pass, and fail where a figure is wrong, a part hangs, or sampling costs something.
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export B=$work/build OUT=$work/out
mkdir -p "$OUT"
top=$PWD

rehearse() {
	PATH=$top/tests/gpu/rehearsal/bin:$PATH GPMU=tests/gpu/rehearsal/gpmu tests/gpu/run "$@" 2>&1
}

# rows VALUE...: a file of intervals of two GPUs, of which the second has 1
rows() {
	local n=0 value

	echo '# gpmu-csv 1'
	echo 'time_begin,time_end,name,value,state,share,gpu,source'
	for value in "$@"; do
		echo "0.$n,0.$((n + 1)),nvidia_gpu/a/,$value,ok,0.$n,GPU-1,cupti"
		echo "0.$n,0.$((n + 1)),nvidia_gpu/a/,1,ok,1,GPU-2,nvml"
		n=$((n + 1))
	done
}

rows 90 0 0 10 100 110 120 100 60 0 0 > "$work/rows.csv"
of_rows() {
	tests/gpu/rows.py "$1" "$work/rows.csv" "${2:-/a/}" "${3-GPU-1}" 2>&1
}
is "$(of_rows sum)" 500 "what was before the work is not in its sum"
is "$(of_rows all)" 590 "it is in that of all"
is "$(of_rows rate)" 115 "the rate is that of the intervals inside of the work"
is "$(of_rows each /a/ '')" $'GPU-1 590\nGPU-2 11' "there is one for each GPU"
is "$(of_rows state /a/ '')" $'ok 0 cupti\nok 1 nvml' "states, the least shares and sources"
like "$(of_rows one)" '^11 rows, expected one' "where one value is expected there is one"
is "$(tests/gpu/rows.py sum "$work/none" a 2>&1)" "$work/none: No such file or directory" "a file that is not there is one line"
like "$(of_rows sum /b/)" 'no rows of /b/' "what is not there is said"

like "$(rehearse dram pace)" '^Bail out! no part pace: there are suites dram ' "a part that there is not"
like "$(PATH=$work/none:/usr/bin:/bin tests/gpu/run)" '^Bail out! no (nvcc|GPU)' "a machine without a GPU"

out=$(rehearse dram nvml)
ok $? "parts pass where all is right" || diag "$out"
is "$(grep -cE '^ok [1-3] - ' <<< "$out")" 3 "each is a test, and building the loads is one"
is "$(grep '^ok' "$OUT"/*-H200-580.1-dram-nvml.txt)" "$(grep '^ok' <<< "$out")" \
	"what is printed is kept, by date, chip, driver and parts"
like "$(tar -tzf "$OUT/work.tar.gz")" 'dram-read\.csv' "with all that was counted"
out=$(REHEARSAL_FACTOR=1.015 rehearse dram)
[ $? = 1 ]
ok $? "a figure that is wrong is a failure"
like "$out" '^    not ok [0-9]+ - dram-read: bytes read: -1 % to' "bytes read that are 1.5 % more are wrong"
like "$out" '^    ok [0-9]+ - dram-write: bytes written: -2 % to' "bytes written are not"
like "$(REHEARSAL_FACTOR=0.97 rehearse dram)" '^    not ok [0-9]+ - dram-write: bytes written' \
	"bytes written that are 3 % less are"
out=$(REHEARSAL_GPUS=2 rehearse two)
ok $? "two GPUs are told apart" || diag "$out"
out=$(GPMU_GPU_SECONDS=3 rehearse other dram)
like "$out" '^# other: ended after [123] s, which is its limit' "a part that lasts too long is ended"
like "$out" '^not ok 3 - dram: .*: no time was left' "and has not more than all have"

out=$(rehearse bench)
ok $? "sampling that costs nothing passes" || diag "$out"
like "$out" 'ratio: median 1\.00000, 97\.9 % interval 1\.00000 to 1\.00000' "by a median and its interval"
out=$(REHEARSAL_COUNTED=5 rehearse bench)
[ $? = 1 ]
ok $? "sampling that costs 0.5 % fails"
like "$out" 'ratio: median 1\.00500' "which is the ratio"

export PAIRS=6
out=$(rehearse launch ktime million)
ok $? "a timeline that costs nothing and has all, in time, passes" || diag "$out"
like "$out" '# 6 pairs, ns of a launch: without 2000' "launches by turns"
like "$out" '# ratio: median 1\.00000, 96\.9 % interval' "by a median and its interval"
like "$out" 'begins before its first reading: ns: least 0, .* off by more than 1000: 0 of 10' "kernels by their own clock"
out=$(REHEARSAL_COUNTED=100 rehearse launch)
[ $? = 1 ]
ok $? "launches that take 5 % longer fail"
like "$out" '# ratio: median 1\.05000' "which is the ratio"
out=$(REHEARSAL_LATE=1500 rehearse ktime)
like "$out" '    not ok [0-9]+ - each kernel begins and ends within 1 us' "kernels that are 1.5 us late fail"
like "$out" 'begins before its first reading: ns: least -1500, .* off by more than 1000: 10 of 10' "each of them"
out=$(REHEARSAL_LOST=1 rehearse launch ktime million)
is "$(grep -c '^not ok' <<< "$out")" 3 "a kernel that is not there fails each" || diag "$out"
like "$out" 'the last trace lacks some of its 20 launches: 19 kernel' "and is said"
like "$out" '# 9 slices of 10 kernels' "also of those with a clock"
done_testing
