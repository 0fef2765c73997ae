#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library's manual pages: there is one page for each header, the pages describe exactly the exported
# functions and render without a warning. All examples compile and run, and call each exported function.
. tests/lib/tap.sh

build=${B:-build}
pages=$build/man/man3
[ -e "$pages/libgpmu.3" ] || bail "no $pages/libgpmu.3: make it first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

exports() {
	grep -oE '^\s+gpmu_[a-z0-9_]+;' metrics/gpmu.map | tr -d '\t ;' | sort -u
}

# marks: the inline functions of gpmu-mark.h
marks() {
	grep -oE '^static inline void gpmu_mark_[a-z]+' metrics/include/gpmu-mark.h | sed 's/.* //'
}

# own_pages: the pages that are not just a reference to another page
own_pages() {
	(cd "$pages" && grep -L '^\.so ' -- *.3)
}

# unfindable: exported functions without a page, or whose page does not describe them
unfindable() {
	local name page

	for name in $(exports); do
		page=$(sed -n 's|^\.so man3/||p' "$pages/$name.3" 2> /dev/null)
		grep -qE "^\\\\fB$name\\\\fP\(" "$pages/${page:-none}" 2> /dev/null || echo "$name"
	done
}

# render PAGE: prints the page for 80 columns; warnings are on standard error
render() {
	groff -man -Tutf8 -ww -rLL=80n -P-c -P-b -P-u -P-o "$1"
}

want=$(
	printf '%s.3\n' libgpmu gpmu_source_plugin
	sed -n 's|^#include <gpmu/\(.*\)\.h>.*|gpmu_\1.3|p' metrics/include/gpmu.h
)
is "$(own_pages)" "$(LC_ALL=C sort <<< "$want")" "each header has a manual page, and libgpmu(3) is the overview"
is "$(unfindable)" "" "man finds each exported function by its name and describes it"
is "$(comm -13 <(exports) <(cd "$pages" && grep -l '^\.so ' -- *.3 | sed 's/\.3$//' | sort))" \
	"" "man finds only exported functions by name"

for page in $(own_pages); do
	for section in NAME SYNOPSIS DESCRIPTION EXAMPLE "SEE ALSO"; do
		grep -qx "\.SH $section" "$pages/$page" || echo "$page: no $section"
	done
done > "$work/missing"
is "$(cat "$work/missing")" "" "each page has all required sections"
# man3.py attributes a comment to all functions below it; a comment on several functions begins with "Return".
# shellcheck disable=SC2016 # awk
is "$(own_pages | (cd "$pages" && xargs awk '/^\.TP/ { group = 0 } /^\.TQ/ { group = 1 } group && /^Returns / { print FILENAME ": " $0 }'))" \
	"" "each description in the singular describes one function"
is "$(own_pages | (cd "$pages" && xargs grep -vE '^\.\\"') | grep -E '(metrics|tests)/')" "" "pages name files by the paths where they are installed"

if ! command -v groff > /dev/null; then
	skip "no groff" "each page renders without a warning"
	skip "no groff" "pages name only exported functions"
	skip "no groff" "no page is wider than 80 columns"
else
	for page in $(own_pages); do
		render "$pages/$page" 2>> "$work/warnings" > "$work/$page"
	done
	is "$(cat "$work/warnings")" "" "each page renders without a warning"
	# No example defines a function with this prefix.
	is "$(comm -13 <({ exports; marks; } | sort) <(cat "$work"/*.3 | grep -oE '\bgpmu_[a-z0-9_]+ *\([^0-9]' | sed 's/ *(.*//' | sort -u))" "" \
		"pages name only exported functions"
	is "$(LC_ALL=C.UTF-8 grep -E '^.{81}' "$work"/*.3)" "" "no page is wider than 80 columns"
fi

# A copy of the headers and examples, to be damaged
mkdir -p "$work/top/metrics" "$work/top/tests/examples"
cp -r metrics/man3.py metrics/man3_header.py metrics/include "$work/top/metrics"
cp -r tests/examples/man "$work/top/tests/examples"
generate() {
	"$work/top/metrics/man3.py" "$work/pages" 0 2>&1
}

is "$(generate; ls "$work/pages")" "$(ls "$pages")" "a copy of the headers generates the same pages"
sed -i 's|^/\* Frees @plan; NULL is allowed. \*/$||' "$work/top/metrics/include/gpmu/plan.h"
like "$(generate)" 'plan\.h:[0-9]+: .*gpmu_plan_free\(\) has no comment' "man3.py refuses a function without a comment"
cp metrics/include/gpmu/plan.h "$work/top/metrics/include/gpmu"
line=$(grep -n '^ \* gpmu_plan_new() - ' metrics/include/gpmu/plan.h | cut -d : -f 1)
sed -i "${line}a \\ * and the rest of the summary" "$work/top/metrics/include/gpmu/plan.h"
like "$(generate)" "plan\\.h:$((line + 1)): .*expected a summary of one line" "man3.py refuses a summary of two lines"

steady=metrics/sources/model/scenarios/steady.scenario
tests/sysroot/make superchip-ours "$work/superchip"
"$build/tests/unit/ncurep/ncurep-make" < tests/data/ncurep/sample.txt > "$work/app.ncu-rep"
echo '[{"MetricName": "mine", "MetricExpr": "cycles", "NoSuchKey": "1"}]' > "$work/mine.json"

# compiles FILE: compiles an example as a program, whose calls are bound when they are made, or as a plugin
compiles() {
	local how=("-Wl,-z,lazy" -o "$work/example")

	[ "$1" != tests/examples/man/source_plugin.c ] || how=(-shared -fPIC -o "$work/gpmu-clock.so")
	"${CC:-gcc}" -std=gnu11 -pedantic -Wall -Wextra -Werror -O2 -Imetrics/include "${how[@]}" "$1" \
		-L"$build" -Wl,-rpath,"$(realpath "$build")" -lgpmu -lm 2>&1
}

# runs NAME: runs an example and prints its output
runs() {
	local program=$work/example

	case $1 in
	man/machine) "$program" "$work/superchip" ;;
	man/ncu) "$program" "$work/app.ncu-rep" ;;
	man/recorder) (cd "$work" && ./example printenv CUDA_INJECTION64_PATH) && test -s "$work/trace.pftrace" ;;
	man/source) "$program" "model=$steady" && "$program" nvml gpus ;;
	man/source_plugin) "$build/gpmu" stat --source clock -e clock/ns/ -- sleep 0.05 ;;
	describe) "$program" mine "$work/mine.json" && "$program" cmem_rd_data && "$program" GpuC2cBW ;;
	devices) "$program" nvml "$work/superchip" ;;
	marks) "$program" 10 ;;
	nodes) "$program" GraceMemBW "model=$steady" ;;
	pmu) "$program" nvidia_scf_pmu_0 "$work/superchip" ;;
	record) "$program" "$work/trace.pftrace" true ;;
	*) "$program" ;;
	esac 2>&1
}

# calls: functions of libgpmu that examples called, from what the dynamic linker wrote at their first calls
calls() {
	cat "$work"/bindings.* | sed -nE 's|.*binding file [^ ]*/example .*`(gpmu_[a-z0-9_]+).*|\1|p' | sort -u
}

GPMU_PLUGINS=$work:$(realpath "$build")
GPMU_CUDA=$(realpath "$build")/tests/gpu/fake
export GPMU_PLUGINS GPMU_CUDA GPMU_FAKE=machine=gh200
for example in tests/examples/man/*.c tests/examples/*.c; do
	name=${example#tests/examples/}
	name=${name%.c}
	out=$(compiles "$example")
	ok $? "$name: the example compiles" || diag "$out"
	out=$(export LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/bindings"; runs "$name")
	ok $? "$name: the example runs" || diag "$out"
	[ "$name" != man/recorder ] || like "$out" '/libgpmu-inject\.so$' "$name: the command gets the environment for CUDA"
	[ "$name" != man/source_plugin ] || like "$out" ' ([5-9][0-9]|[0-9]{3}),[0-9]{3},[0-9]{3} clock/ns/' "$name: the example counts its event"
done
is "$(comm -23 <(exports) <(calls))" "" "each exported function is called by an example"
done_testing
