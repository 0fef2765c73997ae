#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library's manual pages: there is one page for each header, the pages describe exactly the exported
# functions and render without a warning, and their examples compile and run.
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

# options FILE: compiler options of an example
options() {
	case ${1##*/} in
	source_plugin.c) echo "-shared -fPIC -o $work/gpmu-clock.so" ;;
	*) grep -q '^int main' "$1" && echo "-o $work/example" || echo "-c -o $work/example.o" ;;
	esac
}

# runs NAME: runs an example that is a program or a plugin, and prints its output
runs() {
	case $1 in
	source_plugin) "$build/gpmu" stat --source clock -e clock/ns/ -- sleep 0.05 ;;
	source) "$work/example" model=metrics/sources/model/scenarios/steady.scenario ;;
	trace) "$work/example" "$work/trace.pftrace" && tests/unit/trace/trace_sql.py "$work/trace.pftrace" 'select count(*) from slice' ;;
	recorder) (cd "$work" && ./example printenv CUDA_INJECTION64_PATH) && test -s "$work/trace.pftrace" ;;
	*) "$work/example" ;;
	esac 2>&1
}

GPMU_PLUGINS=$work:$(realpath "$build")
export GPMU_PLUGINS
for example in tests/examples/man/*.c; do
	name=$(basename "$example" .c)
	read -ra how <<< "$(options "$example")"
	"${CC:-gcc}" -std=gnu11 -pedantic -Wall -Wextra -Werror -O2 -Imetrics/include "${how[@]}" "$example" \
		-L"$build" -Wl,-rpath,"$(realpath "$build")" -lgpmu > "$work/said" 2>&1
	ok $? "$name: the example compiles" || diag "$(cat "$work/said")"
	[ "${how[0]}" != -c ] || continue
	out=$(runs "$name")
	ok $? "$name: the example runs" || diag "$out"
	[ "$name" != trace ] || is "$out" 6 "$name: the example writes five slices and the audit"
	[ "$name" != recorder ] || like "$out" '/libgpmu-inject\.so$' "$name: the command gets the environment for CUDA"
	[ "$name" != source_plugin ] || like "$out" ' ([5-9][0-9]|[0-9]{3}),[0-9]{3},[0-9]{3} clock/ns/' "$name: the example counts its event"
done
done_testing
