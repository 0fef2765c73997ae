#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares metrics/sources/inject/inject_api.h, pcs/pcs_api.h, sass/sass_api.h and ranges/checkpoint_api.h with the toolkit's own
# CUPTI headers: members of records, in CUDA 12.6's layout and in the newest, constants, functions.

. tests/lib/tap.sh

ours=(metrics/sources/inject/inject_api.h metrics/sources/inject/pcs/pcs_api.h metrics/sources/inject/sass/sass_api.h)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# toolkit: prints the folder of the toolkit's headers
toolkit() {
	local dir

	for dir in "${CUDA_HOME:-/usr/local/cuda}"/include /usr/local/cuda*/include; do
		[ -e "$dir/cupti_activity_deprecated.h" ] && { echo "$dir"; return; }
	done
}

# members: prints a type and a member for each, without those of unions
members() {
	awk '/^typedef struct/ { inside = 1; n = 0; next }
	inside && /^}/ { gsub(/[};]| /, ""); for (i = 0; i < n; i++) print $0, list[i]; inside = 0; next }
	/^\t.*{$/ { inside++ }
	/^\t+}/ { inside-- }
	inside == 1 && /;/ { sub(/;.*/, ""); sub(/\[.*/, ""); sub(/.*[ *\t]/, ""); list[n++] = $0 }' "${ours[@]}" |
		grep -vE "$absent"
}

constants() {
	sed -n 's/^#define \(CUPTI_[A-Za-z0-9_]*\)[[:blank:]][[:blank:]]*[0-9][0-9]*$/\1/p' "${ours[@]}" |
		grep -vE "$absent"
}

symbols() {
	grep -ohE '^[[:blank:]]F\([a-z_]+, [A-Za-z0-9_]+' "${ours[@]}" | sed 's/.*, //' | grep -vE "$absent"
}

# newest NAME: prints the newest name of a record, whose plain name may stand for an older layout
newest() {
	local n

	for n in "${1%[0-9]}"{10,9,8,7,6,5,4,3,2,}; do
		grep -q "^} $n;" "$include/cupti_activity.h" "$include/cupti_callbacks.h" && { echo "$n"; return; }
	done
	echo "$1"
}

# program HEADER NAMES: prints a program that prints offsets and sizes; NAMES is "same" or "newest"
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
	skip "no CUPTI's headers" "inject: inject_api.h matches the toolkit's headers"
	done_testing
fi

# Declarations that CUDA 13.0 introduced
absent='^$'
grep -q cuptiSubscribe_v2 "$include/cupti_callbacks.h" || absent='Subscribe(_v2|rParams)|OLD_SUBSCRIBER'

printf '#include <%s>\n' cuda.h cupti_result.h cupti_version.h cupti_callbacks.h cupti_activity.h cupti_driver_cbid.h \
	cupti_nvtx_cbid.h cupti_runtime_cbid.h cupti_pcsampling.h cupti_profiler_target.h cupti_target.h cupti_sass_metrics.h Openacc/cupti_openacc.h > "$tmp/real.h"
printf '#include "%s"\n' pcs_api.h sass_api.h > "$tmp/ours.h"
program "$tmp/real.h" same > "$tmp/same.c"
program "$tmp/real.h" newest > "$tmp/newest.c"
program "$tmp/ours.h" same > "$tmp/ours.c"
for which in same newest; do
	"${CC:-gcc}" -w -isystem "$include" -o "$tmp/$which" "$tmp/$which.c"
	ok $? "inject: the toolkit has each member and constant ($which names)"
	"$tmp/$which" > "$tmp/$which.txt"
done
"${CC:-gcc}" -w -I metrics/sources/inject -I metrics/sources/inject/pcs -I metrics/sources/inject/sass -I metrics -I metrics/sources/cupti -o "$tmp/ours" "$tmp/ours.c"
ok $? "inject: inject_api.h, pcs_api.h and sass_api.h compile with each member and constant"
"$tmp/ours" > "$tmp/ours.txt"
[ "$(grep -c '\.' "$tmp/ours.txt")" -gt 150 ]
ok $? "inject: more than 150 members are compared: $(wc -l < "$tmp/ours.txt") lines"
is "$(diff "$tmp/ours.txt" "$tmp/same.txt")" "" "inject: members and constants are the same in $include"
is "$(diff "$tmp/ours.txt" "$tmp/newest.txt")" "" "inject: members are the same in each record's newest layout"

# union HEADER COLUMN: prints a program that prints the places of attributes in the union of PC sampling's configuration, which
# are named by us, column 0, or by CUPTI, column 1
union() {
	local names

	printf '#include <stddef.h>\n#include <stdio.h>\n'
	cat "$1"
	echo 'int main(void) { CUpti_PCSamplingConfigurationInfo info;'
	while read -ra names; do
		printf 'printf("%s %%zu %%zu\\n", (char *)&info.attributeData.%s - (char *)&info, sizeof(info.attributeData.%s));\n' \
			"${names[1]}" "${names[$2]}" "${names[$2]}"
	done <<- 'END'
		number samplingPeriodData.samplingPeriod
		number collectionModeData.collectionMode
		number outputDataFormatData.outputDataFormat
		buffer samplingDataBufferData.samplingDataBuffer
		reasons.count stallReasonData.stallReasonCount
		reasons.indices stallReasonData.pStallReasonIndex
	END
	echo 'return 0; }'
}
union "$tmp/ours.h" 0 > "$tmp/union-ours.c"
union "$tmp/real.h" 1 > "$tmp/union-real.c"
"${CC:-gcc}" -w -I metrics/sources/inject -I metrics/sources/inject/pcs -I metrics/sources/inject/sass -I metrics -I metrics/sources/cupti -o "$tmp/union-ours" "$tmp/union-ours.c" &&
	"${CC:-gcc}" -w -isystem "$include" -o "$tmp/union-real" "$tmp/union-real.c"
ok $? "inject: both have each attribute of PC sampling's configuration"
is "$("$tmp/union-ours")" "$("$tmp/union-real")" "inject: attributes of PC sampling's configuration are the same in $include"

# checkpoint HEADER NAMESPACE: prints a program that prints the layout of a checkpoint
checkpoint() {
	local member

	printf '#include <cstddef>\n#include <cstdio>\n#include "%s"\n%s\nint main() {\n' "$1" "${2:+using namespace $2;}"
	for member in structSize ctx reserveDeviceMB reserveHostMB allowOverwrite optimizations pPriv; do
		printf 'printf("%s %%zu %%zu\\n", offsetof(CUpti_Checkpoint, %s), sizeof(CUpti_Checkpoint::%s));\n' "$member" "$member" "$member"
	done
	printf 'printf("%%zu\\n", sizeof(CUpti_Checkpoint));\n}\n'
}
checkpoint metrics/sources/inject/ranges/checkpoint_api.h '' > "$tmp/checkpoint-ours.cc"
checkpoint cupti_checkpoint.h NV::Cupti::Checkpoint > "$tmp/checkpoint-real.cc"
"${CXX:-g++}" -w -I. -isystem "$include" -o "$tmp/checkpoint-ours" "$tmp/checkpoint-ours.cc" &&
	"${CXX:-g++}" -w -isystem "$include" -o "$tmp/checkpoint-real" "$tmp/checkpoint-real.cc"
ok $? "inject: both have each member of a checkpoint"
is "$("$tmp/checkpoint-ours")" "$("$tmp/checkpoint-real")" "inject: a checkpoint is the same in $include"

# Functions that allocate and free, with their names in comments
grep -oE '\{ [0-9]+, [A-Z]+ \},[[:blank:]]*/\* [A-Za-z0-9_]+' metrics/sources/inject/ranges/memory.c |
	sed -E 's/\{ ([0-9]+),.*\* /\1 /' > "$tmp/memory.txt"
[ "$(wc -l < "$tmp/memory.txt")" -gt 40 ]
ok $? "inject: more than 40 functions of memory are watched: $(wc -l < "$tmp/memory.txt")"
is "$(while read -r number name; do
	grep -qE "CUPTI_DRIVER_TRACE_CBID_$name *= $number," "$include/cupti_driver_cbid.h" || echo "$number is not $name"
done < "$tmp/memory.txt")" "" "inject: each function of memory has its number in the toolkit"

# The calls that are not recorded, with their names in comments
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
ok $? "inject: more than 10 calls are filtered: $(wc -l < "$tmp/noise.txt")"
is "$(cat "$tmp/wrong.txt" 2> /dev/null)" "" "inject: each filtered call has its number in the toolkit"

{
	cat "$tmp/real.h"
	echo 'void *all[] = {'
	symbols | sed 's/.*/(void *)&,/'
	echo '};'
} > "$tmp/symbols.c"
[ "$(symbols | wc -l)" -gt 15 ]
ok $? "inject: more than 15 functions are used: $(symbols | wc -l)"
is "$("${CC:-gcc}" -w -isystem "$include" -fsyntax-only "$tmp/symbols.c" 2>&1)" "" \
	"inject: the toolkit declares each function"
done_testing
