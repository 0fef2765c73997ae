#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record --sample: call stacks of a command, of a process that exists already, and of all CPUs, with
# the functions of a program that spends its time in known ones.
. tests/tools/lib.sh

trace=$work/trace.pftrace

# The loop ends when a file exists, so that the program runs as long as the test needs it.
cat > "$work/busy.c" << 'END'
#include <unistd.h>
volatile unsigned long n;
__attribute__((noinline)) void inner_loop(void)
{
	/* The innermost function has no frame unless it needs one, and its caller would be missing. */
	volatile void *frame = __builtin_frame_address(0);

	for (int i = 0; i < 1000000; i++)
		n += i;
	n += frame != 0;
}
__attribute__((noinline)) void outer_call(void) { inner_loop(); n++; }
int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 ? access(argv[1], F_OK) != 0 : i < 300; i++) {
		outer_call();
		n++;
	}
	return 0;
}
END
${CC:-cc} -O1 -fno-omit-frame-pointer -o "$work/busy" "$work/busy.c" || bail "no compiler"

# The numbers of samples, and of those in inner_loop() of busy, called by outer_call() and main()
samples() {
	sql "select count(*) from perf_sample"
}
known() {
	sql "select count(*) from perf_sample p
		join stack_profile_callsite c on p.callsite_id = c.id
		join stack_profile_callsite d on c.parent_id = d.id
		join stack_profile_callsite e on d.parent_id = e.id
		join stack_profile_frame f on c.frame_id = f.id
		join stack_profile_frame g on d.frame_id = g.id
		join stack_profile_frame h on e.frame_id = h.id
		join stack_profile_mapping m on f.mapping = m.id
		where f.name = 'inner_loop' and g.name = 'outer_call' and h.name = 'main' and m.name = '/busy' $1"
}
# mostly WHAT: more than half of the samples are in the known stack, and there are some
mostly() {
	[ "$(known)" -gt 10 ] && [ $((2 * $(known))) -gt "$(samples)" ]
	ok $? "record --sample $1: most samples are in inner_loop, called by outer_call and main" || diag "$(known) of $(samples)"
}

run gpmu record --no-cuda-trace --sample cpu-clock -o "$trace" -- "$work/busy"
is "$rc" 0 "record --sample exits with 0" || diag "$err"
like "$err" ' 0 lost' "record --sample loses no sample"
mostly "of a command"
is "$(known "and p.utid not in (select utid from thread where name = 'busy')")" 0 "record --sample: the samples are of the thread busy"
is "$(sql "select count(*) from perf_sample p join thread t using (utid) where not exists (
	select 1 from sched s where s.utid = p.utid and s.ts <= p.ts and (s.dur < 0 or p.ts <= s.ts + s.dur))")" 0 \
	"record --sample: each sample is in a time in which its thread ran"
run gpmu report --by=stack --format=csv "$trace"
is "$rc" 0 "report --by=stack exits with 0"
is "$(awk -F , '$1 ~ /main;outer_call;inner_loop$/ { n += $3 } END { print n }' <<< "$out")" "$(known)" "report --by=stack has the samples of the known call stack"
is "$(awk -F , '$3 ~ /^[0-9]+$/ { n += $3 } END { print n }' <<< "$out")" "$(samples)" "report --by=stack has all samples"
run gpmu report --folded "$trace"
is "$rc $err" "0 " "report --folded of a trace exits with 0"
is "$(awk '$0 ~ /main;outer_call;inner_loop [0-9]+$/ { n += $NF } END { print n }' <<< "$out")" "$(known)" "report --folded of a trace has the samples of a call stack"
is "$(awk '{ n += $NF } !/^[^ ].* [0-9]+$/ { n = "malformed" } END { print n }' <<< "$out")" "$(samples)" "report --folded of a trace has all samples"
is "$(gpmu report --folded --top 1 "$trace" | wc -l)" 1 "report --folded of a trace prints at most the lines of --top"
like "$(gpmu report "$trace")" 'stacks: [0-9]* records, none lost' "report: the audit has the number of sampled call stacks, none lost"

# Without frame pointers
mkdir "$work/other"
sed 's/__builtin_frame_address(0)/\&n/' "$work/busy.c" > "$work/other/busy.c"
${CC:-cc} -O1 -fomit-frame-pointer -o "$work/other/busy" "$work/other/busy.c" || bail "no compiler"
case $(uname -m) in
x86_64 | aarch64)
	run gpmu record --no-cuda-trace --sample cpu-clock --call-graph dwarf -o "$trace" -- "$work/other/busy"
	is "$rc" 0 "record --sample --call-graph=dwarf exits with 0" || diag "$err"
	mostly "--call-graph=dwarf of a program without frame pointers"
	run gpmu record --no-cuda-trace --sample cpu-clock --call-graph fp -o "$trace" -- "$work/other/busy"
	is "$rc $(known)" "0 0" "record --call-graph=fp of a program without frame pointers finds no caller of its functions"
	run gpmu record --no-cuda-trace --sample cpu-clock --call-graph dwarf,8 -o "$trace" -- "$work/busy"
	is "$rc $(known)" "0 0" "record --call-graph=dwarf,8 cuts call stacks to the sampled function"
	;;
*) skip "no unwinding on $(uname -m)" "record --call-graph=dwarf: most samples are in inner_loop, called by outer_call and main" ;;
esac
for wrong in lbr dwarf,0 dwarf,7 dwarf,65536 "dwarf," dwarf,8x; do
	run gpmu record --sample cpu-clock --call-graph "$wrong" -o "$trace" -- true
	is "$rc $err" "125 gpmu record: --call-graph $wrong: expected fp, dwarf or dwarf,SIZE, a multiple of 8 up to 65528 bytes" \
		"record refuses the wrong value --call-graph=$wrong"
done
run gpmu record --call-graph dwarf -o "$trace" -- true
is "$rc $err" "125 gpmu record: --call-graph needs --sample" "record refuses --call-graph without --sample"

run gpmu record --no-cuda-trace --sample cpu-clock,20000000 -o "$trace" -- "$work/busy"
is "$rc" 0 "record --sample with a period exits with 0" || diag "$err"
# The task-clock is that of the same threads in ms.
clock=$(gpmu report --by=counter --format=csv "$trace" | awk -F , '$1 == "task-clock" { print $8 }')
[ "$(samples)" -gt 0 ] && [ "$(samples)" -le "$(awk -v ms="$clock" 'BEGIN { print int(ms / 20 + 2) }')" ]
ok $? "record --sample with a period of 20 ms has at most one sample per 20 ms" || diag "$(samples) in $clock ms"

# --- a process that exists already: its maps are read from /proc. It and the recording end when the trace has its samples.
# record_until WHAT OPTION...
record_until() {
	local what=$1 recorder

	shift
	rm -f "$trace" "$work/end"
	"$work/busy" "$work/end" &
	pid=$!
	gpmu record --no-cuda-trace --sample cpu-clock -o "$trace" "${@/PID/$pid}" 2> "$work/err" &
	recorder=$!
	until ! kill -0 $recorder || [ "$(its_samples)" -gt 10 ]; do
		sleep 0.2
	done 2> /dev/null
	touch "$work/end"
	wait $recorder
	is "$?" 0 "record --sample $what exits with 0" || diag "$(cat "$work/err")"
	wait $pid
	[ "$(its_samples)" -gt 10 ]
	ok $? "record --sample $what has the functions of a process that exists already" || diag "$(known) of $(samples)"
}
# Those of the process, in a trace that may have no packets yet
its_samples() {
	[ ! -s "$trace" ] || known "and p.utid in (select utid from thread where tid = $pid)"
}
# shellcheck disable=SC2016 # the inner shell's
wait_for_end='until [ -e "$1" ]; do sleep 0.1; done'
record_until -p -p PID
if [ "$(id -u)" = 0 ]; then
	record_until -a -a -- sh -c "$wait_for_end" sh "$work/end"
else
	skip "not root" "record --sample -a exits with 0"
fi

# --- the kernel flags build ids in the records of all events of a map if one event has build ids, and perf aborts
beside="record --sample -a: a recording that perf makes meanwhile succeeds, and has no build ids of maps"
if [ "$(id -u)" = 0 ] && perf record -q -o "$work/perf.data" -e task-clock true > /dev/null 2>&1; then
	run gpmu record --no-cuda-trace --sample cpu-clock -a -o "$trace" -- \
		perf record -q --no-buildid-mmap -o "$work/perf.data" -e task-clock true
	is "$rc $(perf script --show-mmap-events -i "$work/perf.data" 2> /dev/null | grep 'PERF_RECORD_MMAP2 .*<[0-9a-f]*>')" "0 " "$beside" ||
		diag "$err"
else
	skip "not root, or no perf" "$beside"
fi

run gpmu record --no-cuda-trace -o "$work/none.pftrace" -- true
run gpmu report --folded "$work/none.pftrace"
is "$rc $both" "0 gpmu report: no call stacks were sampled: use gpmu record --sample, or perf record -g before gpmu import" "report --folded of a trace without samples names the option that samples them"

# --- errors
for wrong in nothing 'cpu-clock,' 'cpu-clock,x' 'cpu-clock,0' duration_time; do
	run gpmu record --no-cuda-trace --sample "$wrong" -o "$work/none" -- true
	is "$rc: $(grep -c . <<< "$err")" "125: 1" "record --sample $wrong is refused with one line" || diag "$err"
done
run gpmu record --no-cuda-trace --sample cpu-clock,-1 -o "$work/none" -- true
is "$both" 'gpmu record: cpu-clock,-1: expected the period after ",": a whole number from 1' "record --sample states which period it expects"
if gpmu stat --strict -e cycles -- true 2> /dev/null; then
	skip "the CPU has counters" "record --sample names an event that can be sampled without counters of the CPU"
else
	run gpmu record --no-cuda-trace --sample cycles -o "$work/none" -- true
	like "$both" '(no counter that can sample cycles; .*: sample cpu-clock|CAP_PERFMON)' \
		"record --sample names an event that can be sampled without counters of the CPU"
fi
done_testing
