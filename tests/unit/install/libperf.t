#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# metrics/libperf: what it makes of a kernel source, for each machine that there is
# a compiler for, and what it refuses. Needs the source of Linux 7.3 in the cache.
. tests/lib/tap.sh

source=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}/source/7.3
if [ ! -f "$source/tools/lib/perf/evsel.c" ]; then
	echo "1..0 # SKIP no kernel source: tests/vm/fetch source 7.3 brings one"
	exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# built CROSS: what a program needs of the libperf that is made, and how it is made
built() {
	local cross=$1 dir=$work/${1}libperf output undefined exported

	touch "$work/before"
	output=$(CROSS_COMPILE=$cross metrics/libperf "$source" "$dir" 2>&1)
	ok $? "${cross}gcc: it is built"
	is "$output" "" "${cross}gcc: without a word"
	is "$(find "$source" -newer "$work/before")" "" "${cross}gcc: nothing is written into the source"
	is "$(find "$work" -maxdepth 1 -name '*libperf.*')" "" "${cross}gcc: nothing is left beside it"
	exported=$("${cross}nm" -g --defined-only "$dir/libperf.a" | awk 'NF == 3 { print $3 }' |
		grep -vE '^(libperf|perf_evsel|perf_cpu_map|perf_thread_map)_' | xargs)
	is "$exported" "" "${cross}gcc: it has no names but libperf's own"
	exported=$("${cross}readelf" -sW "$dir/libperf.a" |
		awk '$5 == "GLOBAL" && $7 != "UND" && $6 != "HIDDEN"')
	is "$exported" "" "${cross}gcc: all of them are hidden"
	undefined=$("${cross}nm" -u "$dir/libperf.a" | awk 'NF == 2 { print $2 }' |
		grep -E 'sysfs|fdarray|perf|exit|abort|assert' | xargs)
	is "$undefined" "" "${cross}gcc: it needs the C library alone, and nothing that exits"
	printf '#include <internal/%s.h>\n' evsel xyarray >"$work/t.c"
	"${cross}gcc" -std=gnu11 -Wall -Wextra -Werror "@$dir/internal" "-I$dir/include" \
		-c -o "$work/t.o" "$work/t.c"
	ok $? "${cross}gcc: its internal headers compile"
	printf '#include <linux/perf_event.h>\nint size = sizeof(%s);\n' \
		"((struct perf_event_attr *)0)->config3" >"$work/t.c"
	"${cross}gcc" "-I$dir/include" -c -o "$work/t.o" "$work/t.c"
	ok $? "${cross}gcc: its perf_event_attr has config3"
}

# refused DESCRIPTION MESSAGE ARGUMENT...
refused() {
	local what=$1 message=$2 output status

	shift 2
	output=$(metrics/libperf "$@" 2>&1)
	status=$?
	is "$status" 1 "$what is refused"
	[[ $output == *"$message"* ]]
	ok $? "... and it says so"
	diag "$output"
}

built ""
if command -v aarch64-linux-gnu-gcc >/dev/null; then
	built aarch64-linux-gnu-
else
	skip "no aarch64-linux-gnu-gcc" "it is built for arm64"
fi
refused "a folder without libperf" "is not a kernel source" "$work" "$work/none"
[ ! -e "$work/none" ]
ok $? "and nothing is made"
refused "a lack of arguments" "usage:" "$source"
CROSS_COMPILE=nonesuch- \
	refused "a compiler that is not there" "is not installed" "$source" "$work/none"
old=${source%/*}/6.1
if [ -d "$old" ]; then
	refused "a libperf that is too old" "has no perf_cpu_map__new_int" "$old" "$work/none"
else
	skip "no kernel source 6.1" "a libperf that is too old is refused"
fi
mkdir -p "$work/broken/tools/lib/perf"
touch "$work/broken/tools/lib/perf/evsel.c"
refused "a source that does not build" "does not build" "$work/broken" "$work/none"
[ ! -e "$work/none" ] && [ -z "$(find "$work" -maxdepth 1 -name 'none.*')" ]
ok $? "and nothing is left"
done_testing
