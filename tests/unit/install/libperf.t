#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# metrics/libperf: builds libperf from a kernel source, for each architecture with a compiler, and
# refuses wrong arguments. Needs the source of Linux 7.3 in the cache.
. tests/lib/tap.sh

source=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}/source/7.3
if [ ! -f "$source/tools/lib/perf/evsel.c" ]; then
	echo "1..0 # SKIP no kernel source: tests/vm/fetch source 7.3 brings one"
	exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# built CROSS: builds libperf with the compiler CROSS and checks the result
built() {
	local cross=$1 dir=$work/${1}libperf output undefined exported

	touch "$work/before"
	output=$(CROSS_COMPILE=$cross metrics/libperf "$source" "$dir" 2>&1)
	ok $? "libperf: ${cross}gcc builds the library"
	is "$output" "" "libperf: the build with ${cross}gcc prints nothing"
	is "$(find "$source" -newer "$work/before")" "" "libperf: the build with ${cross}gcc leaves the source unchanged"
	is "$(find "$work" -maxdepth 1 -name '*libperf.*')" "" "libperf: the build with ${cross}gcc leaves no temporary files"
	exported=$("${cross}nm" -g --defined-only "$dir/libperf.a" | awk 'NF == 3 { print $3 }' |
		grep -vE '^(libperf|perf_evsel)_' | xargs)
	is "$exported" "" "libperf: ${cross}gcc's library defines only libperf's own names"
	exported=$("${cross}readelf" -sW "$dir/libperf.a" |
		awk '$5 == "GLOBAL" && $7 != "UND" && $6 != "HIDDEN"')
	is "$exported" "" "libperf: all names of ${cross}gcc's library are hidden"
	undefined=$("${cross}nm" -u "$dir/libperf.a" | awk 'NF == 2 { print $2 }' |
		grep -E 'sysfs|fdarray|perf|exit|abort|assert' | xargs)
	is "$undefined" "" "libperf: ${cross}gcc's library needs only the C library, and no exit()"
	printf '#include <internal/%s.h>\n' evsel xyarray >"$work/t.c"
	"${cross}gcc" -std=gnu11 -Wall -Wextra -Werror "@$dir/internal" "-I$dir/include" \
		-c -o "$work/t.o" "$work/t.c"
	ok $? "libperf: its internal headers compile with ${cross}gcc"
	printf '#include <linux/perf_event.h>\nint size = sizeof(%s);\n' \
		"((struct perf_event_attr *)0)->config3" >"$work/t.c"
	"${cross}gcc" "-I$dir/include" -c -o "$work/t.o" "$work/t.c"
	ok $? "libperf: its perf_event_attr has config3 with ${cross}gcc"
}

# refused DESCRIPTION MESSAGE ARGUMENT...
refused() {
	local what=$1 message=$2 output status

	shift 2
	output=$(metrics/libperf "$@" 2>&1)
	status=$?
	is "$status" 1 "libperf: $what is refused with status 1"
	[[ $output == *"$message"* ]]
	ok $? "libperf: the error for $what has \"$message\""
	diag "$output"
}

built ""
if command -v aarch64-linux-gnu-gcc >/dev/null; then
	built aarch64-linux-gnu-
else
	skip "no aarch64-linux-gnu-gcc" "libperf: aarch64-linux-gnu-gcc builds the library"
fi
refused "a folder without libperf" "is not a kernel source" "$work" "$work/none"
[ ! -e "$work/none" ]
ok $? "libperf: a refused source creates no folder"
refused "a missing argument" "usage:" "$source"
CROSS_COMPILE=nonesuch- \
	refused "an absent compiler" "is not installed" "$source" "$work/none"
old=${source%/*}/6.1
if [ -d "$old" ]; then
	refused "a libperf that is too old" "has no config4" "$old" "$work/none"
else
	skip "no kernel source 6.1" "libperf: a libperf that is too old is refused"
fi
mkdir -p "$work/broken/tools/"{lib/perf,include/uapi/linux}
touch "$work/broken/tools/lib/perf/evsel.c"
cp "$source/tools/include/uapi/linux/perf_event.h" "$work/broken/tools/include/uapi/linux"
refused "a source that does not build" "does not build" "$work/broken" "$work/none"
[ ! -e "$work/none" ] && [ -z "$(find "$work" -maxdepth 1 -name 'none.*')" ]
ok $? "libperf: a failed build leaves no files"
done_testing
