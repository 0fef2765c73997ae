#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# metrics/catalog/tables.py: a fault in a built-in JSON file ends the build with its line.

. tests/lib/tap.sh

dir=$(mktemp -d) || bail "no temporary directory"
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/arch/arm64/cpu"
file=$dir/arch/arm64/cpu/x.json

generate() {
	out=$(metrics/catalog/tables.py "$dir/tables.c" "$@" 2>&1)
	rc=$?
}

# refused JSON LINE MESSAGE DESCRIPTION
refused() {
	printf '%b' "$1" > "$file"
	generate "$file"
	is "$rc $out" "1 $file:$2: $3" "tables.py refuses, with its line, $4"
}

metric='"MetricName": "m", "MetricExpr": "1"'
event='"EventName": "e", "EventCode": "0x1"'
refused '' 1 'expected an array of objects' "an empty file"
refused '{}' 1 'expected an array of objects' "a file without an array"
refused '[]]' 1 'expected an object' "an array without objects"
refused "[{$event}\n{}]" 2 'expected an array of objects' "a missing comma"
refused "[{$event},\n]" 2 'expected an object' "a trailing comma"
refused "[{$event}]\n\n]" 1 'expected an array of objects' "text after the array"
refused '[\n{"EventName": 1x}]' 2 "Expecting ',' delimiter" "a syntax error"
refused "[\n{$event, \"EventCode\": \"0x2\"}]" 2 'a key occurs twice in an object' "a duplicate key"
refused "[\n{$event, \"Counter\": \"1\"}]" 2 \
	'Counter: the built-in catalog has no such key; tables.py can add it' "an unknown key"
refused "[\n{\"EventName\": 1}]" 2 'EventName: expected a string that is not empty' "a number"
refused "[{$event, \"Unit\": \"\"}]" 1 'Unit: expected a string that is not empty' "an empty string"
refused "[{$event, \"BriefDescription\": \"\\\\u0000\"}]" 1 \
	'BriefDescription: a string cannot have a NUL or half of a surrogate pair' "a NUL"
refused "[{$metric, \"MetricGroup\": \"a\\\\nb\"}]" 1 'MetricGroup: expected one line of at most 255 bytes' \
	"a newline in a list of groups"
refused '[{"EventCode": "0x1"}]' 1 'expected either an EventName or a MetricName' "an object without a name"
refused '[{"MetricName": "m"}]' 1 'expected a MetricName and a MetricExpr in the same object' \
	"a metric without a formula"
refused '[{"EventName": "e", "EventCode": "12"}]' 1 'EventCode: expected a hexadecimal number such as 0x11' \
	"a decimal event code"
refused "[{$event, \"Unit\": \"CHA\"}]" 1 'Unit: expected a PMU of NVIDIA such as nvidia_scf_pmu' \
	"the PMU of another vendor"
refused "[{$metric, \"ScaleUnit\": \"GB/s\"}]" 1 \
	'ScaleUnit: expected a number above 0 and a unit such as 1GB/s' "a unit without a scale"
refused "[{$metric, \"ScaleUnit\": \"0%\"}]" 1 \
	'ScaleUnit: expected a number above 0 and a unit such as 1GB/s' "a scale of 0"
refused "[{$metric, \"MetricGroup\": \"$(printf 'g%d;' {1..65})\"}]" 1 'MetricGroup: expected at most 64 groups' \
	"a metric with 65 groups"
refused "[{$event},\n{\"EventName\": \"E\", \"EventCode\": \"0x2\"}]" 2 "e is in $file:1 too" \
	"two events of one name"

printf '[{"EventName": "\xff"}]' > "$file"
generate "$file"
like "$rc $out" "^1 $file: .*can't decode byte 0xff" "tables.py: a file that is not UTF-8 is refused"

printf '[{%s, %s}]' "$metric" '"BriefDescription": "a \"b\u00e9\n??/"' > "$file"
generate "$file"
is "$rc $out" "0 " "tables.py: a valid file is accepted"
like "$(cat "$dir/tables.c")" '\.description = "a \\042b\\303\\251\\012\\077\\077/",' \
	"tables.py: special characters of a text are escaped"
cc -D_GNU_SOURCE -Imetrics -Imetrics/include -Wall -Wextra -Werror -fsyntax-only "$dir/tables.c"
ok $? "tables.py: the tables of one metric and no event compile"
done_testing
