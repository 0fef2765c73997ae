#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What metrics/sources/inject/inject_api.h declares of CUPTI is what the toolkit's own headers have: members of records,
# as they were in CUDA 12.6 and as they are now, constants, functions.

. tests/lib/tap.sh

ours=metrics/sources/inject/inject_api.h
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# toolkit: the folder of its headers
toolkit() {
	local dir

	for dir in "${CUDA_HOME:-/usr/local/cuda}"/include /usr/local/cuda*/include; do
		[ -e "$dir/cupti_activity_deprecated.h" ] && { echo "$dir"; return; }
	done
}

# members: a type and a member for each
members() {
	awk '/^typedef struct/ { inside = 1; n = 0; next }
	inside && /^}/ { gsub(/[};]| /, ""); for (i = 0; i < n; i++) print $0, list[i]; inside = 0; next }
	inside && /;/ { sub(/;.*/, ""); sub(/\[.*/, ""); sub(/.*[ *\t]/, ""); list[n++] = $0 }' "$ours" |
		grep -vE "$absent"
}

constants() {
	sed -n 's/^#define \(CUPTI_[A-Za-z0-9_]*\)[[:blank:]][[:blank:]]*[0-9][0-9]*$/\1/p' "$ours" |
		grep -vE "$absent"
}

symbols() {
	grep -oE '^[[:blank:]]F\([a-z_]+, [A-Za-z0-9_]+' "$ours" | sed 's/.*, //' | grep -vE "$absent"
}

# newest NAME: what a record is called in the header, where the name there is an older one
newest() {
	local n

	for n in "${1%[0-9]}"{10,9,8,7,6,5,4,3,2,}; do
		grep -q "^} $n;" "$include/cupti_activity.h" "$include/cupti_callbacks.h" && { echo "$n"; return; }
	done
	echo "$1"
}

# program HEADER NAMES: NAMES is "same" or "newest"
program() {
	local type member as last=''

	printf '#include <stddef.h>\n#include <stdio.h>\n'
	cat "$1"
	echo 'int main(void) {'
	members | while read -r type member; do
		if [ "$type" != "$last" ]; then
			as=$type
			[ "$2" = same ] || as=$(newest "$type")
			last=$type
		fi
		printf 'printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n' \
			"$type" "$member" "$as" "$member" "$as" "$member"
	done
	constants | sed 's/.*/printf("& %d\\n", (int)&);/'
	echo 'return 0; }'
}

include=$(toolkit)
if [ -z "$include" ]; then
	skip "no CUPTI's headers" "the declarations are the toolkit's"
	done_testing
fi

# What of ours CUDA 13.0 has begun with
absent='^$'
grep -q cuptiSubscribe_v2 "$include/cupti_callbacks.h" || absent='Subscribe(_v2|rParams)|OLD_SUBSCRIBER'

printf '#include <%s>\n' cuda.h cupti_result.h cupti_version.h cupti_callbacks.h cupti_activity.h cupti_driver_cbid.h \
	cupti_nvtx_cbid.h cupti_runtime_cbid.h > "$tmp/real.h"
printf '#include "inject_api.h"\n' > "$tmp/ours.h"
program "$tmp/real.h" same > "$tmp/same.c"
program "$tmp/real.h" newest > "$tmp/newest.c"
program "$tmp/ours.h" same > "$tmp/ours.c"
for which in same newest; do
	"${CC:-gcc}" -w -isystem "$include" -o "$tmp/$which" "$tmp/$which.c"
	ok $? "the toolkit has each member and constant ($which names)"
	"$tmp/$which" > "$tmp/$which.txt"
done
"${CC:-gcc}" -w -I metrics/sources/inject -o "$tmp/ours" "$tmp/ours.c"
ok $? "so have we"
"$tmp/ours" > "$tmp/ours.txt"
[ "$(grep -c '\.' "$tmp/ours.txt")" -gt 150 ]
ok $? "$(wc -l < "$tmp/ours.txt") of them are compared"
is "$(diff "$tmp/ours.txt" "$tmp/same.txt")" "" "they are the same in $include"
is "$(diff "$tmp/ours.txt" "$tmp/newest.txt")" "" "and in the newest of each record there"

# Of what is filtered, the names in the comments
grep -oE '(RUNTIME|DRIVER)\([0-9]+\),[[:blank:]]*/\* [A-Za-z0-9_]+' metrics/sources/inject/names.c |
	sed -E 's/\(|\),[[:blank:]]*\/\*/ /g' > "$tmp/noise.txt"
{
	cat "$tmp/real.h"
	while read -r domain number name; do
		grep -ohE "CUPTI_${domain}_TRACE_CBID_${name}(_v[0-9]+)? *= $number," "$include"/cupti_{driver,runtime}_cbid.h |
			grep -q . || echo "$domain $number is not $name" >> "$tmp/wrong.txt"
	done < "$tmp/noise.txt"
} > /dev/null
[ "$(wc -l < "$tmp/noise.txt")" -gt 10 ]
ok $? "$(wc -l < "$tmp/noise.txt") calls are left out"
is "$(cat "$tmp/wrong.txt" 2> /dev/null)" "" "each has its number"

{
	cat "$tmp/real.h"
	echo 'void *all[] = {'
	symbols | sed 's/.*/(void *)&,/'
	echo '};'
} > "$tmp/symbols.c"
[ "$(symbols | wc -l)" -gt 15 ]
ok $? "$(symbols | wc -l) functions are used"
is "$("${CC:-gcc}" -w -isystem "$include" -fsyntax-only "$tmp/symbols.c" 2>&1)" "" "each is declared"
done_testing
