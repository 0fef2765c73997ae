#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares metrics/sources/cupti/library/cupti_api.h with the toolkit's own headers of CUDA, CUPTI and NVML: sizes,
# offsets, constants, functions.

. tests/lib/tap.sh

ours=metrics/sources/cupti/library/cupti_api.h
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# toolkit: prints the folder of the toolkit's headers
toolkit() {
	local dir

	for dir in "${CUDA_HOME:-/usr/local/cuda}"/include /usr/local/cuda*/include; do
		[ -e "$dir/cupti_pmsampling.h" ] && { echo "$dir"; return; }
	done
}

# members: prints "size TYPE" for each structure and "member TYPE MEMBER" for its members
members() {
	awk '/^typedef struct/ { inside = 1; list = ""; next }
	inside && /^}/ { gsub(/[};]| /, ""); printf "%s", list > "/dev/stderr"; n = split(list, m, " ")
		printf "size %s\n", $0; for (i = 1; i <= n; i++) printf "member %s %s\n", $0, m[i]
		inside = 0; next }
	inside && /;/ { sub(/;.*/, ""); sub(/\[.*/, ""); sub(/.*[ *]/, ""); gsub(/\t/, ""); list = list " " $0 }
	' "$ours" 2> /dev/null
}

# program HEADER: prints a program that prints sizes, offsets and constants, one a line
program() {
	cat << 'EOF' - "$1"
#include <stddef.h>
#include <stdio.h>
#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define MEMBER(type, member) \
	printf(#type "." #member " %zu %zu\n", offsetof(type, member), sizeof(((type *)0)->member))
#define CONSTANT(name) printf(#name " %d\n", (int)name)
EOF
	echo 'int main(void) {'
	members | while read -r what type member; do
		case $what in
		size) printf 'SIZE(%s);\n' "$type" ;;
		member) printf 'MEMBER(%s, %s);\n' "$type" "$member" ;;
		esac
	done
	sed -n 's/^#define \(CUDA_ERROR_[A-Z_]*\|CUPTI_[A-Z_]*[A-Z]\)[[:blank:]][[:blank:]]*[0-9][0-9]*$/\1/p' "$ours" |
		while read -r name; do
			printf 'CONSTANT(%s);\n' "$name"
		done
	echo 'return 0; }'
}

# symbols: prints the functions in the tables, without NVML's
symbols() {
	sed '/^#define NVML_FUNCTIONS/,/^$/d' "$ours" | grep -oE '^[[:blank:]]F\([a-z_]+, [A-Za-z0-9_]+' | sed 's/.*, //'
}

# sizes: prints each structure whose size is passed to CUPTI, and its last known member
sizes() {
	cat metrics/sources/cupti/*.c metrics/sources/cupti/library/*.c metrics/sources/inject/ranges/*.c | tr -d '\n\t ' | grep -oE 'CUPTI_(STRUCT_SIZE\(|PARAMS\([a-z]+,)[A-Za-z_]+,[A-Za-z]+[,)]' |
		sed 's/.*[(,]\(.*\),\(.*\)[,)]/\1 \2/' | sort -u
}

include=$(toolkit)
if [ -z "$include" ]; then
	skip "no CUPTI's headers" "cupti: cupti_api.h matches the toolkit's headers"
	done_testing
fi

# cupti_profiler_host.h includes C++'s <string> without a use: an empty file replaces it.
: > "$tmp/string"
printf '#include <%s>\n' stddef.h cuda.h cupti_result.h cupti_callbacks.h cupti_activity.h cupti_version.h \
	cupti_target.h cupti_profiler_target.h cupti_profiler_host.h cupti_pmsampling.h cupti_range_profiler.h > "$tmp/real.h"
printf '#include "library/cupti_api.h"\n' > "$tmp/ours.h"

program "$tmp/real.h" > "$tmp/real.c"
program "$tmp/ours.h" > "$tmp/ours.c"
"${CC:-gcc}" -w -I "$tmp" -isystem "$include" -o "$tmp/real" "$tmp/real.c"
ok $? "cupti: the toolkit has each type, member and constant"
"${CC:-gcc}" -w -I metrics/sources/cupti -o "$tmp/ours" "$tmp/ours.c"
ok $? "cupti: cupti_api.h has each type, member and constant"
"$tmp/real" > "$tmp/real.txt"
"$tmp/ours" > "$tmp/ours.txt"
[ "$(grep -c '_Params\.' "$tmp/ours.txt")" -gt 100 ]
ok $? "cupti: more than 100 members are compared: $(wc -l < "$tmp/ours.txt") lines"
is "$(diff "$tmp/ours.txt" "$tmp/real.txt")" "" "cupti: types, members and constants are the same in $include"

{
	cat "$tmp/real.h"
	echo 'void *all[] = {'
	symbols | sed 's/.*/(void *)&,/'
	echo '};'
} > "$tmp/symbols.c"
[ "$(symbols | wc -l)" -gt 30 ]
ok $? "cupti: more than 30 functions are used: $(symbols | wc -l)"
is "$("${CC:-gcc}" -w -I "$tmp" -isystem "$include" -fsyntax-only "$tmp/symbols.c" 2>&1)" "" \
	"cupti: the toolkit declares each function"

# CUPTI accepts the sizes of earlier versions, so a size ends with the last member that gpmu knows.
{
	cat "$tmp/real.h"
	echo '#define SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))'
	sizes | while read -r type last; do
		echo "_Static_assert(SIZE($type, $last) == ${type}_STRUCT_SIZE, \"$type ends with $last\");"
	done
} > "$tmp/sizes.c"
[ "$(sizes | wc -l)" -gt 20 ]
ok $? "cupti: more than 20 structures are passed with their size: $(sizes | wc -l)"
is "$("${CC:-gcc}" -w -I "$tmp" -isystem "$include" -fsyntax-only "$tmp/sizes.c" 2>&1)" "" \
	"cupti: each structure is passed with the toolkit's size"
done_testing
