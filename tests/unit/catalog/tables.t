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
	is "$rc $out" "1 $file:$2: $3" "$4"
}

metric='"MetricName": "m", "MetricExpr": "1"'
event='"EventName": "e", "EventCode": "0x1"'
refused '' 1 'expected an array of objects' "tables.py: an empty file is refused"
refused '{}' 1 'expected an array of objects' "tables.py: a file without an array is refused"
refused '[]]' 1 'expected an object' "tables.py: an array without objects is refused"
refused "[{$event}\n{}]" 2 'expected an array of objects' "tables.py: a missing comma is refused with its line"
refused "[{$event},\n]" 2 'expected an object' "tables.py: a trailing comma is refused"
refused "[{$event}]\n\n]" 1 'expected an array of objects' "tables.py: text after the array is refused"
refused '[\n{"EventName": 1x}]' 2 "Expecting ',' delimiter" "tables.py: a syntax error is refused with its line"
refused "[\n{$event, \"EventCode\": \"0x2\"}]" 2 'a key occurs twice in an object' \
	"tables.py: a duplicate key is refused"
refused "[\n{$event, \"Counter\": \"1\"}]" 2 \
	'Counter: the built-in catalog has no such key; tables.py can add it' "tables.py: an unknown key is refused"
refused "[\n{\"EventName\": 1}]" 2 'EventName: expected a string that is not empty' "tables.py: a number is refused"
refused "[{$event, \"Unit\": \"\"}]" 1 'Unit: expected a string that is not empty' \
	"tables.py: an empty string is refused"
refused "[{$event, \"BriefDescription\": \"\\\\u0000\"}]" 1 \
	'BriefDescription: a string cannot have a NUL or half of a surrogate pair' "tables.py: a NUL is refused"
refused "[{$metric, \"MetricGroup\": \"a\\\\nb\"}]" 1 'MetricGroup: expected one line of at most 255 bytes' \
	"tables.py: a newline in a list of groups is refused"
refused '[{"EventCode": "0x1"}]' 1 'expected either an EventName or a MetricName' \
	"tables.py: an object without a name is refused"
refused '[{"MetricName": "m"}]' 1 'expected a MetricName and a MetricExpr in the same object' \
	"tables.py: a metric without a formula is refused"
refused '[{"EventName": "e", "EventCode": "12"}]' 1 'EventCode: expected a hexadecimal number such as 0x11' \
	"tables.py: a decimal event code is refused"
refused "[{$event, \"Unit\": \"CHA\"}]" 1 'Unit: expected a PMU of NVIDIA such as nvidia_scf_pmu' \
	"tables.py: the PMU of another vendor is refused"
refused "[{$metric, \"ScaleUnit\": \"GB/s\"}]" 1 \
	'ScaleUnit: expected a number above 0 and a unit such as 1GB/s' "tables.py: a unit without a scale is refused"
refused "[{$metric, \"ScaleUnit\": \"0%\"}]" 1 \
	'ScaleUnit: expected a number above 0 and a unit such as 1GB/s' "tables.py: a scale of 0 is refused"
refused "[{$metric, \"MetricGroup\": \"$(printf 'g%d;' {1..65})\"}]" 1 'MetricGroup: expected at most 64 groups' \
	"tables.py: a metric with 65 groups is refused"
refused "[{$event},\n{\"EventName\": \"E\", \"EventCode\": \"0x2\"}]" 2 "e is in $file:1 too" \
	"tables.py: two events of one name are refused"

printf '[{"EventName": "\xff"}]' > "$file"
generate "$file"
like "$rc $out" "^1 $file: .*can't decode byte 0xff" "tables.py: a file that is not UTF-8 is refused"

printf '[{%s, %s}]' "$metric" '"BriefDescription": "a \"b\u00e9\n??/"' > "$file"
generate "$file"
is "$rc $out" "0 " "tables.py: a valid file is accepted"
like "$(cat "$dir/tables.c")" '\.description = "a \\042b\\303\\251\\012\\077\\077/",' \
	"tables.py: special characters of a text are escaped"

# alias LINES: generates that file's tables with such a file of second names
alias() {
	printf '%b' "$1" > "$dir/aliases.tsv"
	generate "$file" "$dir/aliases.tsv"
}
alias '# metric\talias\nM\tA_b\n'
is "$rc $out" "0 " "tables.py: an alias of a metric is accepted"
like "$(cat "$dir/tables.c")" '\{ "a_b", "m" \},' "tables.py: an alias and its metric are in lower case"
alias 'x\ta\n'
is "$rc $out" "1 $dir/aliases.tsv:1: expected a built-in metric and its alias" \
	"tables.py: an alias of an unknown metric is refused"
alias 'm\ta\nm\tA\n'
is "$rc $out" "1 $dir/aliases.tsv:2: A is the name of another metric" \
	"tables.py: one alias of two metrics is refused"
alias 'm\tM\n'
is "$rc $out" "1 $dir/aliases.tsv:1: M is the name of another metric" \
	"tables.py: an alias that is the name of a metric is refused"

# legacy LINES: generates that file's tables with such a file of names of CUPTI's former APIs
mkdir "$dir/gpu"
legacy() {
	printf '%b' "$1" > "$dir/gpu/legacy.tsv"
	generate "$file" "$dir/gpu/legacy.tsv"
}
good='x\tmetric\tsampling\tmapped\tB\t2 * TPC.T.a__b.sum / duration_time\tText.\t-\n'
legacy "# comment\n$good"
is "$rc $out" "0 " "tables.py: a line of legacy.tsv is accepted"
like "$(cat "$dir/tables.c")" '\.expr = "2 [*] nvidia_gpu@TPC\.T\.a__b\.sum@ / duration_time",' \
	"tables.py: the events of a formula of legacy.tsv are those of nvidia_gpu"
fault() {
	legacy "$1"
	is "$rc $out" "1 $dir/gpu/legacy.tsv:1: $2" "$3"
}
fault 'x\tmetric\n' 'expected 8 columns, "-" for nothing: name, kind, collected, match, unit, formula, description, note' \
	"tables.py: a line of legacy.tsv without all columns is refused"
fault "${good/metric/mertic}" 'kind: expected one of metric; event; metric,event' "tables.py: an unknown kind of legacy.tsv is refused"
fault "${good/sampling/none}" 'expected a formula, or none in collected and match' \
	"tables.py: a formula of legacy.tsv that no mode collects is refused"
fault 'x\tevent\tnone\tnone\t-\t-\tText.\t-\n' 'expected a note with the reason why nothing counts it' \
	"tables.py: a name of legacy.tsv with neither a formula nor a reason is refused"
fault "${good/x/m}" 'expected a note, since a built-in metric has this name' \
	"tables.py: a name of legacy.tsv that is a metric's is refused without a note"
legacy "$good$good"
is "$rc $out" "1 $dir/gpu/legacy.tsv:2: x: expected names in order, each once" \
	"tables.py: a name of legacy.tsv that occurs twice is refused"
legacy "$good"

cc -D_GNU_SOURCE -Imetrics -Imetrics/include -Wall -Wextra -Werror -fsyntax-only "$dir/tables.c"
ok $? "tables.py: the tables of one metric and no event compile"
done_testing
