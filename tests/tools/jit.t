#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares gpmu report and gpmu import, which read the dump of a just-in-time compiler, with perf inject -j.
. tests/tools/lib.sh

need tests/tools/jitted
program=$(realpath "$B/tests/tools/jitted")
what="report: functions of a jitdump are in the call stacks"
if [ "$(uname -m)" != x86_64 ]; then
	skip "the compiler makes code of x86-64" "$what"
	done_testing
fi
if ! perf record -o "$work/perf.data" -k mono -e task-clock:u true > /dev/null 2>&1; then
	skip "no perf that may record" "$what"
	done_testing
fi

# fold: sums the counts of folded stacks that end in spin(), from main() on
fold() {
	awk '{ count = $NF; sub(/ [0-9]+$/, "") }
		match($0, /;main;.*;spin$/) { n[substr($0, RSTART + 1)] += count } END { for (s in n) print s, n[s] }' | sort
}

# own FILE: the stacks of gpmu report
own() {
	gpmu report --folded "$1" | fold
}

# their FILE: the stacks of perf script
their() {
	perf script --no-inline -F comm,ip,sym -i "$1" 2> /dev/null | awk 'NF == 0 { if (stack != "") print "jitted" stack, 1; stack = ""; next }
		NF > 1 { stack = ";" $2 stack } END { if (stack != "") print "jitted" stack, 1 }' | fold
}

for _ in {1..10}; do
	perf record -q -k mono -F 2000 -e task-clock:u --call-graph dwarf,16384 -o "$work/perf.data" -- "$program" "$work" > "$work/perf.out" 2>&1 ||
		bail "perf record fails: $(< "$work/perf.out")"
	[ "$(perf script -F ip,sym -i "$work/perf.data" 2> /dev/null | grep -c spin)" -lt 20 ] || break
done
stacks=$(own "$work/perf.data")
is "${stacks% *}" "main;compiled;spin" \
	"report: a function that was announced before its memory became executable has its name, and its unwinding information leads to its caller"
perf inject -j -i "$work/perf.data" -o "$work/injected.data" > "$work/perf.out" 2>&1
if [[ $(their "$work/injected.data") = main\;compiled\;spin* ]]; then
	is "$stacks" "$(their "$work/injected.data")" "report: call stacks through code of a jitdump are those of perf script after perf inject -j"
	is "$(own "$work/injected.data")" "$stacks" "report: a recording has the same call stacks before and after perf inject -j"
else
	skip "perf inject -j makes no stacks" "report: call stacks through code of a jitdump are those of perf script after perf inject -j"
fi
gpmu import "$work/perf.data" -o "$work/trace" > /dev/null 2>&1
is "$(gpmu report --folded "$work/trace" | sed "s/^/;/" | fold)" "$stacks" "import: call stacks go through code of a jitdump"
done_testing
