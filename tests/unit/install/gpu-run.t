#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# tests/gpu/run without a GPU: programs replace gpmu, nvcc and the loads. Its parts pass, or fail if a value is
# wrong, a part hangs, or sampling has a cost.
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export REHEARSAL_GPMU=$PWD/${B:-build}/gpmu
# The limits of parts only end a hang here: a slow machine needs a tenth of these times.
export B=$work/build OUT=$work/out GPMU_GPU_PATIENCE=10 GPMU_GPU_SECONDS=14700
mkdir -p "$OUT"
top=$PWD

# rehearse PART...: prints the output of tests/gpu/run with the replacements
rehearse() {
	PATH=$top/tests/gpu/rehearsal/bin:$PATH GPMU=tests/gpu/rehearsal/gpmu tests/gpu/run "$@" 2>&1
}

# rows VALUE...: prints intervals of two GPUs in gpmu's CSV; the second GPU has the value 1 in each
rows() {
	local n=0 value

	for value in "$@"; do
		echo "$value,,nvidia_gpu/a/,1,100.00,,,2,0.$n,0.$((n + 1)),,gpu,,,,,,event,nvidia_gpu/a/,$value,,ok,0.$n,,,,1,1,0,,,GPU-1,0,cupti"
		echo "1,,nvidia_gpu/a/,1,100.00,,,2,0.$n,0.$((n + 1)),,gpu,,,,,,event,nvidia_gpu/a/,1,,ok,1,,,,1,1,0,,,GPU-2,1,nvml"
		n=$((n + 1))
	done
}

rows 90 0 0 10 100 110 120 100 60 0 0 > "$work/rows.csv"
# of_rows WHAT [NAME [GPU]]: prints what rows.py finds in the file of intervals
of_rows() {
	tests/gpu/rows.py "$1" "$work/rows.csv" "${2:-/a/}" "${3-GPU-1}" 2>&1
}
is "$(of_rows sum)" 500 "rows: the sum excludes intervals before the work"
is "$(of_rows all)" 590 "rows: the sum of all intervals includes those before the work"
is "$(of_rows rate)" 115 "rows: the rate is the mean of the intervals inside of the work"
is "$(of_rows each /a/ '')" $'GPU-1 590\nGPU-2 11' "rows: each GPU has a sum of its own"
is "$(of_rows state /a/ '')" $'ok 0 cupti\nok 1 nvml' \
	"rows: each combination of state and source is printed with its least share"
like "$(of_rows one)" '^11 rows, expected one' "rows: more than one row is an error if one is expected"
is "$(tests/gpu/rows.py sum "$work/none" a 2>&1)" "$work/none: No such file or directory" \
	"rows: the error for an absent file is one line"
like "$(of_rows sum /b/)" 'no rows of /b/' "rows: the error for an absent name has the name"

like "$(rehearse dram pace)" '^Bail out! no part pace: there are suites offender ' \
	"gpu-run: an unknown part is refused with the list of parts"
like "$(PATH=$work/none:/usr/bin:/bin tests/gpu/run)" '^Bail out! no (nvcc|GPU)' \
	"gpu-run: a machine without nvcc or GPU is refused"

out=$(rehearse dram nvml)
ok $? "gpu-run: parts pass if all values are right" || diag "$out"
is "$(grep -cE '^ok [1-3] - ' <<< "$out")" 3 \
	"gpu-run: each part is one test, and so is the build of the loads"
is "$(grep '^ok' "$OUT"/*-H200-580.1-dram-nvml.txt)" "$(grep '^ok' <<< "$out")" \
	"gpu-run: the results are kept in a file named by date, chip, driver and parts"
like "$(tar -tzf "$OUT/work.tar.gz")" 'dram-read\.csv' "gpu-run: the archive has the CSV of each load"
out=$(rehearse legacy)
ok $? "gpu-run: the part of the names of nvprof passes if all counts are right" || diag "$out"
out=$(REHEARSAL_FACTOR=1.015 rehearse legacy)
like "$out" '^    not ok [0-9]+ - shared_ld_bank_conflict: the error is from -0.5 %' "gpu-run: a name of nvprof whose count is 1.5 % too high fails"
like "$out" '^    ok [0-9]+ - inst_executed: the error is from -0.5 % to [+]3 %' "gpu-run: instructions of a loop may be 1.5 % more than its own"
like "$out" '^    not ok [0-9]+ - fb_subp0_read_sectors: ' "gpu-run: a name of nvprof whose bytes are 1.5 % too high fails"
out=$(REHEARSAL_FACTOR=1.015 rehearse dram)
[ $? = 1 ]
ok $? "gpu-run: a part fails if a value is wrong"
like "$out" '^    not ok [0-9]+ - dram-read: bytes read: the error is from -1 % to' \
	"gpu-run: 1.5 % too many bytes read are a failure"
like "$out" '^    ok [0-9]+ - dram-write: bytes written: the error is from -2 % to' \
	"gpu-run: 1.5 % too many bytes written are accepted"
like "$(REHEARSAL_FACTOR=0.97 rehearse dram)" '^    not ok [0-9]+ - dram-write: bytes written' \
	"gpu-run: 3 % too few bytes written are a failure"
out=$(REHEARSAL_GPUS=2 rehearse two)
ok $? "gpu-run: the part two passes with two GPUs" || diag "$out"
out=$(GPMU_GPU_SECONDS=3 rehearse other dram)
like "$out" '^# other: ended after [123] s, which is its limit' \
	"gpu-run: a part is ended at its time limit"
like "$out" '^not ok 3 - dram: .*: no time was left' \
	"gpu-run: the time limit of all parts is shared"
# A gpmu that ignores SIGTERM
# shellcheck disable=SC2016 # the script expands it
printf '%s\n' '#!/bin/bash' '[ "$1" = stat ] || exit 0' "trap '' TERM" "echo \$\$ >> $work/stubborn.pid" 'sleep 30' > "$work/stubborn"
chmod +x "$work/stubborn"
out=$(GPMU_GPU_SECONDS=12 PATH=$top/tests/gpu/rehearsal/bin:$PATH GPMU=$work/stubborn tests/gpu/run dram 2>&1)
like "$out" '^# dram: ended after [0-9]+ s, which is its limit' "gpu-run: a part whose program ignores SIGTERM is ended"
read -r stubborn < "$work/stubborn.pid"
! kill -0 "$stubborn" 2> /dev/null
ok $? "gpu-run: no program of a part outlives its time limit"

out=$(rehearse bench)
ok $? "gpu-run: sampling without a cost passes" || diag "$out"
like "$out" 'ratio: median 1\.00000, 97\.9 % interval 1\.00000 to 1\.00000' \
	"gpu-run: the cost of sampling is a median ratio with its interval"
out=$(REHEARSAL_COUNTED=5 rehearse bench)
[ $? = 1 ]
ok $? "gpu-run: sampling that costs 0.5 % fails"
like "$out" 'ratio: median 1\.00500' "gpu-run: the ratio of sampling that costs 0.5 % is 1.005"

export PAIRS=6
out=$(rehearse launch ktime million threads)
ok $? "gpu-run: a timeline without a cost that has all kernels at their times passes" || diag "$out"
like "$out" '# 6 pairs, ns of a launch: without 2000' "gpu-run: launches are measured in alternating pairs"
like "$out" '# ratio: median 1\.00000, 96\.9 % interval' "gpu-run: the cost of launches is a median ratio with its interval"
like "$out" 'begins before its first reading: ns: least 0, .* off by more than 1000: 0 of 10' \
	"gpu-run: kernels begin at the times of their own clock readings"
if [ -n "${LONG:-}" ]; then
	out=$(PAIRS='' rehearse launch)
	like "$out" '# 60 pairs, ns of a launch' "gpu-run: launches are measured in 60 pairs by default"
fi
out=$(REHEARSAL_COUNTED=100 rehearse launch)
[ $? = 1 ]
ok $? "gpu-run: launches that take 5 % longer fail"
like "$out" '# ratio: median 1\.05000' "gpu-run: the ratio of launches that take 5 % longer is 1.05"
printf '%s\n' 100 {90,100,90,100,90,100,110,100,110,100,110,100} > "$work/ratios"
tests/gpu/ratios.py "$work/ratios" 1 "ns of a launch" 1.05 median > /dev/null
ok $? "gpu-run: launches whose median ratio is below the limit pass although the interval is not"
tests/gpu/ratios.py "$work/ratios" 1 "ms of an iteration" 1.05 > /dev/null
is "$?" 1 "gpu-run: an interval that reaches the limit fails"
out=$(REHEARSAL_LATE=1500 rehearse ktime)
like "$out" '    not ok [0-9]+ - each kernel begins and ends within 1 us' \
	"gpu-run: kernels that are 1.5 us late fail"
like "$out" 'begins before its first reading: ns: least -1500, .* off by more than 1000: 10 of 10' \
	"gpu-run: each of ten late kernels is counted"
out=$(REHEARSAL_LOST=1 rehearse launch ktime million threads)
is "$(grep -c '^not ok' <<< "$out")" 4 "gpu-run: a lost kernel fails the parts launch, ktime, million and threads" || diag "$out"
like "$out" 'the last trace lacks some of its 20 launches: 19 kernel' \
	"gpu-run: launches reports a lost kernel"
like "$out" '# 9 slices of 10 kernels' "gpu-run: ktime reports a lost kernel"

out=$(REHEARSAL_BUFFERS=300000000 rehearse threads)
like "$out" "not ok [0-9]+ - first: CUPTI's buffers have had at most so many bytes" \
	"gpu-run: buffers that exceed their limit fail the part threads"

out=$(rehearse lossless)
ok $? "gpu-run: samples without gaps pass" || diag "$out"
like "$out" '# five: at 5 us, an H200 was lossless at 5 us' "gpu-run: lossless prints the interval without loss"
out=$(REHEARSAL_SLOW=12 rehearse lossless)
ok $? "gpu-run: a host that decodes too slowly at 5 us and 10 us passes at 20 us" || diag "$out"
like "$out" '# five: at 20 us, an H200 was lossless at 5 us' "gpu-run: lossless tries twice and four times the interval"
out=$(REHEARSAL_SLOW=21 rehearse lossless)
[ $? = 1 ]
ok $? "gpu-run: samples that are decoded too late at four times the interval fail"
like "$out" '    not ok [0-9]+ - five: CUPTI counts all values all of the time' "gpu-run: lossless reports the values that were not counted"

out=$(rehearse pcsampling)
ok $? "gpu-run: PC samples that are 3:1, and all delivered, pass" || diag "$out"
out=$(REHEARSAL_SHARE=77 REHEARSAL_MISSING=1 REHEARSAL_FOREIGN=600 rehearse pcsampling)
[ $? = 1 ]
ok $? "gpu-run: wrong and missing PC samples fail"
like "$out" '    not ok [0-9]+ - continuous: hot_three has 75 % of the samples' "gpu-run: pcsampling reports samples that are off by 2 % of all"
like "$out" '    not ok [0-9]+ - serialized: each sample that CUPTI counts is delivered' \
	"gpu-run: pcsampling reports a single sample that is counted and not delivered"
like "$out" '    not ok [0-9]+ - continuous: at most 0.5 % of the samples have no instruction' \
	"gpu-run: pcsampling reports that 0.6 % of the samples have no instruction"

# added GPMU:PROFILER...: the output of added.py for groups whose program takes 10 ms, and gpmu and profiler add these ms
added() {
	local n=0

	for ms in "$@"; do
		printf '%s\n' "alone $n 10" "gpmu $n $((10 + ${ms%:*}))" "profiler $n $((10 + ${ms#*:}))"
		n=$((n + 1))
	done > "$work/added"
	tests/gpu/added.py "$work/added" 0.9
}
out=$(added 2:4 2:4 2:4 2:4 2:4 2:4)
ok $? "gpu-run: half of the overhead of the profiler passes"
like "$out" 'gpmu 2\.000 ms, profiler 4\.000 ms; ratio of gpmu and profiler 0\.500, 95 % interval 0\.500 to 0\.500, limit 0\.9' \
	"gpu-run: added.py prints the median overheads, their ratio and its interval"
printf '%s\n' 'alone 0 10' 'gpmu 0 12' 'profiler 0 14' 'alone 0 20' 'gpmu 0 22' 'profiler 0 24' 'alone 0 30' 'gpmu 0 99' 'profiler 0 34' \
	> "$work/added"
out=$(tests/gpu/added.py "$work/added" 0.9)
like "$out" '1 groups, 3 rounds' "gpu-run: added.py prints the number of groups and rounds"
like "$out" 'gpmu 2\.000 ms, profiler 4\.000 ms' "gpu-run: an overhead is the median of the differences to the process alone in the same round"
out=$(added 4:4 4:4 4:4 4:4 4:4 4:4)
[ $? = 1 ]
ok $? "gpu-run: the same overhead as that of the profiler fails"
out=$(added 2:4 9:4 2:-1 1:4 2:1 3:5 2:4 2:5)
ok $? "gpu-run: single groups with a large or a negative overhead do not fail" || diag "$out"
like "$out" 'profiler 0\.500, 95 % interval 0\.[0-9]+ to [1-9.]' "gpu-run: the interval of varying overheads is printed, and not compared with the limit"
out=$(added 1:0 1:-1 1:0 2>&1)
[ $? = 1 ]
ok $? "gpu-run: a profiler that adds nothing is an error"
like "$out" 'the profiler adds nothing' "gpu-run: added.py reports a profiler that adds nothing"
done_testing
