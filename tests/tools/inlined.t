#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares gpmu report and gpmu import with perf, on recordings of a program with inlined functions.
. tests/tools/lib.sh

need tests/tools/inlined
program=$(realpath "$B/tests/tools/inlined")
if ! perf record -o "$work/perf.data" -e task-clock:u true > /dev/null 2>&1; then
	skip "no perf that may record" "report: inlined functions are in the call stacks"
	done_testing
fi

# recorded OPTION...: records the program for ever longer until there are 100 samples, as a loaded machine takes fewer
recorded() {
	local rounds

	for rounds in 300 1000 3000 10000; do
		perf record -q -F 10000 -e task-clock:u -o "$work/perf.data" "$@" -- "$program" "$rounds" > "$work/perf.out" 2>&1 || break
		[ "$(perf script -F ip,sym -i "$work/perf.data" 2> /dev/null | grep -c worker)" -lt 100 ] || return 0
	done
	bail "perf takes few samples: $(< "$work/perf.out")"
}

# own [OPTION]: the stacks of gpmu report from main() or worker() on, and their counts
own() {
	gpmu report --folded "$@" "$work/perf.data" | fold
}

# fold: sums the counts of folded stacks from main() or worker() on, without those that leave the program
fold() {
	awk '{ count = $NF; sub(/ [0-9]+$/, "") }
		match($0, /;(main|worker)(;(start|worker|middle|innermost))*$/) { n[substr($0, RSTART)] += count } END { for (s in n) print s, n[s] }' | sort
}

# their [OPTION]: the stacks of perf script from main() or worker() on, and their counts
their() {
	perf script "$@" -F comm,ip,sym,dso -i "$work/perf.data" 2> /dev/null | awk 'NF == 0 { if (stack != "") print "inlined" stack, 1; stack = ""; next }
		NF > 1 { stack = ";" $2 stack } END { if (stack != "") print "inlined" stack, 1 }' | fold
}

# stacks [OPTION]: the functions of the report by stack, from worker() on, without their counts
stacks() {
	own "$@" | grep -oE 'worker.* ' | sort -u
}

three=$'worker \nworker;middle \nworker;middle;innermost '

recorded --call-graph dwarf,4096
is "$(stacks)" "$three" "report: --folded has two levels of inlined functions"
like "$(own)" ';main;start;worker;middle;innermost [0-9]+' "report: --folded has the functions that are inlined into a caller"
if [[ $(perf script -i "$work/perf.data" 2> /dev/null) = *'(inlined)'* ]]; then
	is "$(own)" "$(their)" "report: --folded has the stacks and counts of perf script, with inlined functions"
else
	skip "perf prints no inlined functions" "report: --folded has the stacks and counts of perf script, with inlined functions"
fi
is "$(own --no-inline)" "$(their --no-inline)" "report: --no-inline has the stacks and counts of perf script --no-inline"
is "$(stacks --no-inline)" "worker " "report: --no-inline omits all inlined functions"
is "$(gpmu report --by stack --format csv "$work/perf.data" | grep -oE ';main;start;worker.*' | sort)" \
	"$(own | sed -n 's/ [0-9]*$//; /^;main;start;worker/p')" "report: --by stack has the inlined functions"
is "$(gpmu report --by function,object --format csv "$work/perf.data" | awk -F , '$NF == "inlined" { print $3, $4, $(NF - 1) }' | sort)" \
	"$(perf report --stdio --no-children -g none -F sample,period,sym,dso -t , -i "$work/perf.data" 2> /dev/null |
		awk -F , '!/^#/ && $4 ~ /^inlined *$/ { gsub(/ /, "", $1); gsub(/ /, "", $2); sub(/^ *\[.\] /, "", $3); sub(/ *$/, "", $3)
			print $1, $2, $3 }' | sort)" \
	"report: --by function counts the samples of inlined functions for the function with a symbol, as perf report does"
gpmu import "$work/perf.data" -o "$work/trace" > /dev/null 2>&1
is "$(gpmu report --folded "$work/trace" | sed 's/^/;/' | fold)" "$(own)" "import: call stacks have the inlined functions"
gpmu import --no-inline "$work/perf.data" -o "$work/trace" > /dev/null 2>&1
is "$(gpmu report --folded "$work/trace" | sed 's/^/;/' | fold)" "$(own --no-inline)" "import: --no-inline omits all inlined functions"
run gpmu report --no-inline "$work/trace"
is "$rc $err" "125 gpmu report: --no-inline needs a recording of perf" "report: --no-inline is refused for a trace"

recorded -g
is "$(stacks)" "$three" "report: inlined functions are in the call stacks that the kernel recorded"
if [[ $(perf script -i "$work/perf.data" 2> /dev/null) = *'(inlined)'* ]]; then
	is "$(own)" "$(their)" "report: stacks that the kernel recorded are those of perf script, with inlined functions"
else
	skip "perf before 6.4 has no inlined functions in these stacks" "report: stacks that the kernel recorded are those of perf script, with inlined functions"
fi

for option in '-gsplit-dwarf' '-gsplit-dwarf -gdwarf-4'; do
	# shellcheck disable=SC2086 # two options
	(cd "$work" && gcc -O2 -g -fno-omit-frame-pointer $option -o inlined "$OLDPWD/tests/tools/inlined.c") || bail "gcc fails"
	program=$work/inlined
	recorded -g
	is "$(ls "$work"/*.dwo > /dev/null 2>&1 && stacks)" "$three" "report: inlined functions of a program built with $option are found"
	rm "$work"/*.dwo
	is "$(stacks)" "worker " "report: a program built with $option has no inlined functions if its .dwo file is missing"
done

cat > "$work/lambda.cc" << 'END'
#include <cstdlib>

static volatile unsigned int sink;

__attribute__((always_inline))
static inline void innermost(unsigned int steps)
{
	for (unsigned int i = 0; i < steps; i++)
		sink = sink + i;
}

int main(int argc, char **argv)
{
	struct local {
		__attribute__((noinline)) void worker(unsigned int steps) { innermost(steps); sink = 0; }
	} local;
	auto lambda = [&](unsigned int steps) __attribute__((noinline)) { innermost(steps); local.worker(steps); sink = 0; };

	for (int i = argc > 1 ? std::atoi(argv[1]) : 1; i; i--)
		lambda(100000);
}
END
g++ -std=c++20 -O2 -g -fno-omit-frame-pointer -o "$work/inlined" "$work/lambda.cc" || bail "g++ fails"
recorded -g
is "$(gpmu report --folded "$work/perf.data" | grep -oE '(main::local::worker|\{lambda)[^;]*;innermost' | sed 's/(.*;/;/' | sort -u)" \
	$'main::local::worker;innermost\n{lambda;innermost' \
	"report: functions inlined into a lambda and into a local class of C++ are found"

program=$(realpath "$B/tests/tools/inlined")
# Some compilers do not write this section, the addresses of compilation units.
objcopy --remove-section .debug_aranges "$program" "$work/inlined" || bail "objcopy fails"
program=$work/inlined
recorded -g
is "$(stacks)" "$three" "report: inlined functions of a program without .debug_aranges are found"
done_testing
