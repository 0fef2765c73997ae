#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The folders of libgpmu, which metrics/folders.tsv lists from bottom to top: includes
# and calls go down only, the files of a folder do not call each other in a cycle, and the
# README's map has each folder. The same check then has to find planted faults.
. tests/lib/tap.sh

build=${B:-build}

findings=$(tests/lint/arrows.py . "$build" 2>&1)
is "$findings" "" "no include and no call between the folders of libgpmu runs up or in a cycle, and the map has each folder"

# A library of two folders, and a plugin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir"/metrics/{low,high,lower,include,sources/nvml} "$dir"/build/metrics/{low,high}
printf 'low\t-\nhigh\tlow\n' > "$dir/metrics/folders.tsv"
map='## Map\n| [low](metrics/low/README.md) | low |\n| [high](metrics/high/README.md) | high |'
printf '%b\n' "$map" > "$dir/README.md"
echo 'int low(void);' > "$dir/metrics/low/low.h"
echo 'int high(void);' > "$dir/metrics/high/high.h"
printf '#include "low/low.h"\nint low(void) { return 1; }\n' > "$dir/metrics/low/low.c"
printf '#include "high/high.h"\n#include "low/low.h"\nint high(void) { return low(); }\n' > "$dir/metrics/high/high.c"

# faults: compiles the library and prints what the check finds in it
faults() {
	local source object

	for source in "$dir"/metrics/{low,high}/*.c; do
		object=${source#"$dir"/}
		${CC:-cc} -w -I"$dir/metrics" -c -o "$dir/build/${object%.c}.o" "$source" || return
	done
	tests/lint/arrows.py "$dir" "$dir/build" 2>&1
}

# planted FILE TEXT: the faults with this text in the file, which is then as before
planted() {
	local saved

	saved=$(cat "$dir/$1" 2> /dev/null)
	printf '%b\n' "$2" > "$dir/$1"
	faults
	if [ -n "$saved" ]; then
		printf '%s\n' "$saved" > "$dir/$1"
	else
		rm "$dir/$1"
	fi
}

is "$(faults)" "" "a library whose arrows run down has no finding"
like "$(planted metrics/low/low.c '#include "high/high.h"\nint low(void) { return 1; }')" \
	'^metrics/low/low\.c: includes high/high\.h: low may not use high$' "an upward include is found"
like "$(planted metrics/low/low.c 'int high(void);\nint low(void) { return high(); }')" \
	'low\.o: calls high of .*high\.o: low may not use high$' "an upward call is found"
like "$(planted README.md "${map%\\n*}")" '^README\.md: the map has no link to metrics/high/README\.md$' \
	"a folder that the map lacks is found"
like "$(planted README.md "${map/ low / $(printf '%0101d' 0) }")" '^README\.md: a cell of the map has 101 characters' \
	"a long cell of the map is found"
echo 'int low(void); int leaf(void) { return low(); }' > "$dir/metrics/low/leaf.c"
unlike "$(faults)" 'cycle' "a file that calls another file of its folder is not on a cycle"
like "$(planted metrics/low/low.c 'int leaf(void);\nint low(void) { return leaf(); }')" \
	'leaf\.o: on a cycle with .*low\.o$' "two files of a folder that call each other are found"
rm "$dir"/metrics/low/leaf.c "$dir"/build/metrics/low/leaf.o
like "$(planted metrics/folders.tsv 'low\thigh\nhigh\tlow')" \
	'folders\.tsv:1: low uses high, which is not below it$' "a cycle between folders is found"
: > "$dir/metrics/lower/lower.h"
like "$(planted metrics/low/low.h '#include "lower/lower.h"')" \
	'^metrics/low/low\.h: includes lower/lower\.h, which is in no folder' "an include of an unlisted folder is found"
rm "$dir/metrics/lower/lower.h"
like "$(planted metrics/sources/nvml/a.c '#include "low/low.h"')" \
	'^metrics/sources/nvml/a\.c: includes low/low\.h: metrics/sources/nvml may not use it$' \
	"a source plugin that includes the library's own headers is found"
is "$(planted metrics/sources/nvml/a.c '#include "pmu-events/data.h"')" "$(faults)" \
	"a source plugin may include data of pmu-events"
is "$(planted metrics/low/a.h '#include "pmu-events/data.h"')" "$(faults)" "a folder may include data of pmu-events"
mkdir -p "$dir/tools" "$dir/metrics/report"
echo 'int report(void);' > "$dir/metrics/report/gpmu_report.h"
echo 'int report(void);' > "$dir/metrics/report/report.h"
printf 'report\t-\n' >> "$dir/metrics/folders.tsv"
printf '%s\n' '[](metrics/report/README.md)' >> "$dir/README.md"
like "$(faults)" '^metrics/report/gpmu_report\.h: in TOOLS_HEADERS' "a header that the command may include and does not is found"
is "$(planted tools/a.c '#include "report/gpmu_report.h"')" "" "the command may include a header of libgpmu-tools.a"
like "$(planted tools/a.c '#include "report/report.h"')" \
	'^tools/a\.c: includes report/report\.h: tools may not use it$' \
	"the command that includes another header from inside is found"
mkdir "$dir/metrics/other"
like "$(planted metrics/other/a.c 'int a;')" '^metrics/other/a\.c: in no folder of folders\.tsv$' \
	"a source outside the listed folders is found"
rm "$dir/build/metrics/low/low.o"
like "$(tests/lint/arrows.py "$dir" "$dir/build" 2>&1)" 'low\.o is not built$' "an object that is missing is reported"
done_testing
