#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libgpmu's metric expressions compared with perf's. The parser of Linux 7.3's perf is
# built from the kernel source. Both parsers evaluate every formula of its pmu-events,
# as it is in the JSON and as jevents.py builds it into perf.

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

for tool in "${CC:-gcc}" flex bison python3; do
	command -v "$tool" >/dev/null || bail "$tool is not installed: run ./setup"
done
tests/vm/fetch source 7.3 >&2 || bail "no kernel source 7.3"
tools=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}/source/7.3/tools
work=$(readlink -m "${B:-build}")/tests/perf
mkdir -p "$work"
work=$(mktemp -d "$work/XXXXXX")
trap 'rm -rf "$work"' EXIT

# build: compile the program peer from perf's files and ours
build() {
	local arch file flags=(-std=gnu11 -O2 -D_GNU_SOURCE)

	case $(uname -m) in
	x86_64 | i?86) arch=x86 ;;
	aarch64) arch=arm64 ;;
	*) arch=$(uname -m) ;;
	esac
	for file in "$work" "$tools"/{perf,perf/util,lib,include,include/uapi,lib/perf/include} \
		"$tools/arch/$arch/include"; do
		flags+=(-isystem "$file")
	done
	mkdir -p "$work/util"
	flex -o "$work/util/expr-flex.c" --header-file="$work/util/expr-flex.h" \
		"$tools/perf/util/expr.l" || return
	bison -d -p expr_ -o "$work/util/expr-bison.c" "$tools/perf/util/expr.y" || return
	for file in "$tools"/perf/util/{expr,hashmap}.c "$tools/lib/zalloc.c" \
		"$work"/util/expr-{flex,bison}.c; do
		"${CC:-gcc}" -w "${flags[@]}" -c -o "$work/$(basename "$file" .c).o" "$file" || return
	done
	"${CC:-gcc}" -Wall -Wextra -Werror -Imetrics -Imetrics/include "${flags[@]}" -o "$work/peer" \
		tests/perf/expr-peer.c metrics/expr/*.c metrics/base/{error,map,strings,vector}.c metrics/base/text/text.c "$work"/*.o -lm
}

# formulas KEY FORM FOLDER: print each KEY of the JSON files below the folder, a tab,
# and the text for perf's parser. FORM json: the same text, with the backslash before
# "=" that some formulas lack. FORM jevents: the output of perf's metric.py.
formulas() {
	python3 -B - "$tools/perf/pmu-events" "$@" <<-'EOF'
	import json, pathlib, re, sys
	scripts, key, form, folder = sys.argv[1:]
	sys.path.insert(0, scripts)
	import metric

	def of_perf(text):
	    if form == "jevents":
	        return metric.ParsePerfJson(text).Simplify().ToPerfJson()
	    return re.sub(r"(?<!\\)=", r"\\=", text)

	made = {}
	for path in sorted(pathlib.Path(folder).rglob("*.json")):
	    data = json.loads(path.read_text(encoding="utf-8"))
	    for entry in data if isinstance(data, list) else []:
	        if key in entry:
	            text = " ".join(entry[key].split())
	            if text not in made:
	                made[text] = of_perf(text)
	            print(text, made[text], sep="\t")
	EOF
}

# peer MODE ARGUMENT...: run it; its summary is in $summary, the differences in $found
peer() {
	local status

	"$work/peer" "$@" >"$work/out"
	status=$?
	summary=$(tail -n 1 "$work/out")
	found=$(sed '$d' "$work/out" | head -n 20)
	return "$status"
}

# number NAME: print a number of the summary
number() {
	sed -n "s/.*\<$1=\([0-9]*\).*/\1/p" <<<"$summary"
}

# same FILE WHAT: both parsers accept each line and compute the same from it
same() {
	peer compare "$1"
	ok $? "expr: $2 have the same events and, to 1e-12, the same values as in perf" || diag "$found"
	# once for each of the two machines that peer simulates
	is "$(number taken)" $((2 * $(wc -l <"$1"))) "expr: $2 are accepted by both parsers"
	diag "$summary"
}

# differ TIMES WHAT MODE ARGUMENT...: a planted fault: peer finds TIMES differences
differ() {
	local times=$1 what=$2

	shift 2
	peer "$@"
	is "$? $(number differences)" "1 $times" "expr: $what makes the comparison fail"
}

build >"$work/log" 2>&1
ok $? "expr: perf's parser of Linux 7.3 and ours are linked into one program" || {
	diag "$(cat "$work/log")"
	bail "nothing to compare with"
}

arch=$tools/perf/pmu-events/arch
for form in json jevents; do
	formulas MetricExpr $form "$arch" >"$work/$form" || bail "the JSON is not as expected"
done
total=$(wc -l <"$work/json")
[ "$total" -ge 7000 ]
ok $? "expr: $total MetricExprs of Linux 7.3 are compared, at least 7,000"
is "$(grep -rh --include='*.json' '"MetricExpr"' "$arch" | wc -l)" "$total" \
	"expr: no line with a MetricExpr is left out"
same "$work/json" "$total MetricExprs as in the JSON"
[ "$(number nans)" -ge 1000 ]
ok $? "expr: at least 1,000 values are NaN in perf and ours: $(number nans) of $(number values)"
same "$work/jevents" "$total MetricExprs as built into perf"
formulas MetricThreshold json "$arch" >"$work/thresholds"
same "$work/thresholds" "$(wc -l <"$work/thresholds") MetricThresholds"
formulas MetricExpr json pmu-events >"$work/ours"
same "$work/ours" "$(wc -l <"$work/ours") MetricExprs of this project"

peer random 10000
ok $? "expr: 10,000 random expressions and as many damaged ones give the same in both parsers" ||
	diag "$found"
diag "$summary"

cat >"$work/malformed" <<'EOF'

a +
+ a
a b
1 2
a 1
1e-5x
a * / b
a + * b
(a
a)
((a)
()
a ()
(a b)
a if b
a if b else
a else b
if a else b
a if else b
a if b if c else d else e
a if b else c if d
min(a)
min(a,)
min(a, b
min(a, b, c)
min a, b
min
max()
max(a if b else c, d)
d_ratio(a b)
d_ratio(, a)
source_count(1)
source_count(a + b)
source_count(min)
source_count()
source_count a
aggr_nr("a", "b")
aggr_nr(#slots)
has_event(min)
has_event(1e5)
has_event(a, b)
strcmp_cpuid_str(0410)
strcmp_cpuid_str()
a , b
a = b
a=b
a == b
a && b
a || b
a >> b
a ! b
!
a if
else
a -
-
- * a
--
a % 0
a % (1 - 1)
1 if 1 else a % 0
1e999
1e-999
a $ b
a\\-b
a\+b c
EOF
lines=$(wc -l <"$work/malformed")
peer refuse "$work/malformed"
ok $? "expr: $lines malformed expressions are refused by both parsers" || diag "$found"
is "$(number refused)" $((2 * lines)) "expr: each malformed expression is refused on both machines"

differ 1 "a value that is off by 2e-12" compare "$work/json" value
differ 1 "a number in place of NaN" compare "$work/json" nan
differ 1 "an event of another name" compare "$work/json" ids
differ 1 "a value of a random expression that is off by 2e-12" random 1000 value
echo 'a + b' >"$work/one"
differ 2 "a well-formed expression among malformed ones" refuse "$work/one"
echo 'a + b)' >"$work/one"
differ 2 "a malformed expression among well-formed ones" compare "$work/one"
printf '1 + 2\t1 + 2 * 2\n' >"$work/one"
differ 40 "another formula" compare "$work/one"

done_testing
