#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manual pages: each subcommand has one, it renders, it has the options of --help, and its
# examples print its screens. Pages of sections 5 and 7 render, and their examples print their screens.
. tests/tools/lib.sh

# Sections of a subcommand's page, and the order of sections: that of man-pages(7), with OUTPUT after OPTIONS
sections=$'SYNOPSIS\nDESCRIPTION\nOPTIONS\nOUTPUT\nEXIT STATUS\nEXAMPLES\nSEE ALSO'
order=$'SYNOPSIS\nDESCRIPTION\nOPTIONS\nOUTPUT\nEXIT STATUS\nENVIRONMENT\nFILES\nNOTES\nBUGS\nEXAMPLES\nSEE ALSO'

# The options of --help as "-C, --cpu=LIST", one per line, sorted, without those of every subcommand
help_options() {
	gpmu "$1" --help | grep -oE '^ {2,6}(-., )?--[a-z0-9-]+(\[?=[A-Z]+\]?)?' | sed 's/^ *//' |
		grep -vE -- '--(help|usage|version)' | sort
}

# section PAGE NAME: the lines of a section
section() {
	awk -v name="$2" '/^===+$/ && NR > 1 { heading = last; next } heading == name { print } { last = $0 }' "$1"
}

# The options of a page, "-C LIST, --cpu=LIST", "--spe, --spe=TERMS", "--sample=EVENT, --sample=EVENT,PERIOD", in the same form
page_options() {
	section "$1" OPTIONS | grep -E '^-' | sed -nE 's/^(-[A-Za-z]) [A-Z]+, /\1, /; s/^(--[a-z-]+), \1=([A-Z]+)$/\1[=\2]/; s/^(--[a-z-]+=[A-Z]+), \1,.*/\1/
			/^(-[A-Za-z], )?--[a-z][a-z0-9-]*(=[A-Z]+|\[=[A-Z]+\])?$/p' | sort -u
}

# headings PAGE: the headings of a page's sections that $order has
headings() {
	grep -B 1 '^===*$' "$1" | grep -xF "$order"
}

subcommands() {
	gpmu --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'
}

# A folder in which the examples run
mkdir "$work/cwd"
cp "$scenarios"/*.scenario "$work/cwd"
[ ! -d tests/data/perf-output ] || cp -r tests/data/perf-output/. "$work/cwd"
cat > "$work/cwd/own.json" << 'END'
[ { "MetricName": "ReadShare",
    "MetricExpr": "GraceMemReadBW / GraceMemBW",
    "ScaleUnit": "100%", "Unit": "nvidia_scf_pmu" },
  { "MetricName": "PortsBW",
    "MetricExpr": "nvidia_pcie_pmu@rd_bytes_loc\\,root_port\\=0x3@ / duration_time",
    "ScaleUnit": "1e-9GB/s", "Unit": "nvidia_pcie_pmu" } ]
END
"$B/tests/unit/trace/trace-script" "$work/cwd/train.pftrace" < tests/data/timeline/offender.script || bail "no trace: make unit-tests"
need tests/unit/ncurep/ncurep-make
"$B/tests/unit/ncurep/ncurep-make" < tests/data/ncurep/sample.txt > "$work/cwd/app.ncu-rep" || bail "no report of Nsight Compute"
need tests/unit/profile/perf-make
for name in numa c2c; do
	"$B/tests/unit/profile/perf-make" "$work/cwd/$name.data" 4000 "$name" || bail "no recording of perf"
done
mkdir "$work/bin"
ln -s "$GPMU_BIN" "$work/bin/gpmu"
cp -r pmu-events/gpu/sections "$work/cwd"
ln -s "$PWD/tests" "$PWD/metrics" "$work/cwd"

# The fakes stand in for NVIDIA's libraries.
fake_gpus two

# A diff of the screens of a page's examples
examples() {
	local root

	for root in vm $(sed -n 's/^\.\. root: //p' "$1"); do
		machine "$root" > /dev/null
	done
	(cd "$work/cwd" && PATH=$work/bin:$PATH MACHINES=$work "$top/tests/tools/examples.py" ${GPMU_UPDATE:+--update} "$top/$1")
}

# render FILE: groff's messages about a page on terminals of several widths
render() {
	if command -v groff > /dev/null; then
		{
			for width in 80 100 140; do
				groff -t -man -Tutf8 -ww -rLL=${width}n "$1"
			done > /dev/null
		} 2>&1
	fi
}

# check_page PAGE SECTION: tests of every page
check_page() {
	local page=$1 out

	out=$(rst2man --report=1 --halt=5 "$page" 2>&1 > "$work/page")
	is "$out" "" "$page renders without a message of rst2man"
	is "$(render "$B/man/man$2/$(basename "$page" .rst).$2")" "" "$page renders on a terminal without a message of groff"
	is "$(headings "$page")" "$(grep -xF "$(headings "$page")" <<< "$order")" "$page has its sections in the order of man-pages(7)"
	out=$(examples "$page" 2>&1); ok $? "$page: its examples print the page's screens" || diag "$out"
}

for name in '' $(subcommands); do
	page=tools/man/gpmu${name:+-$name}.rst
	[ -e "$page" ]; ok $? "gpmu${name:+ $name} has the manual page $page" || continue
	check_page "$page" 1
	is "$(headings "$page" | grep -xF "$sections")" "$sections" "$page has the sections of a subcommand's page"
	[ -z "$name" ] || is "$(page_options "$page")" "$(help_options "$name")" "$page has the options of gpmu${name:+ $name} --help"
done
check_page metrics/catalog/gpmu-metrics.rst 5
check_page metrics/report/gpmu-tables.rst 5
check_page metrics/section/gpmu-sections.rst 5
check_page metrics/spe/gpmu-spe.rst 7

# columns FILE: a line "TABLE COLUMN" for each column of each table of gpmu report
columns() {
	gpmu report --format csv "$1" | awk '/^# gpmu-report-csv/ {
		table = $4
		getline
		n = split($0, names, ",")
		for (i = 1; i <= n; i++)
			print table, names[i]
	}'
}

tables=metrics/report/gpmu-tables.rst
section "$tables" "TABLES OF A TRACE" > "$work/tables"
columns "$work/cwd/train.pftrace" > "$work/columns"
# shellcheck disable=SC2016 # the backquotes are reStructuredText
missing=$(while read -r table column; do
	awk -v item='``'"$table"'``' '/^`/ { inside = $0 == item } inside' "$work/tables" | grep -qF '``'"$column"'``' ||
		echo "$table: $column"
done < "$work/columns")
is "$(cut -d ' ' -f 1 "$work/columns" | grep -c audit):$missing" "4:" "$tables describes each column of each table of a trace"
section "$tables" "TABLES OF A RECORDING OF PERF" > "$work/tables"
keys=$(gpmu report --by=none "$work/cwd/numa.data" 2>&1 | sed 's/.*expected //; s/, \| or /\n/g')
# shellcheck disable=SC2016 # the backquotes are reStructuredText
missing=$({ echo "$keys"; columns "$work/cwd/numa.data" | cut -d ' ' -f 2; } | sort -u | while IFS= read -r name; do
	grep -qF '``'"$name"'``' "$work/tables" || echo "$name"
done)
is "$(wc -l <<< "$keys"):$missing" "15:" "$tables describes each key and each column of the tables of a recording of perf"

section "$tables" "TABLES OF A REPORT OF NSIGHT COMPUTE" > "$work/tables"
columns "$work/cwd/app.ncu-rep" > "$work/columns"
# shellcheck disable=SC2016 # the backquotes are reStructuredText
missing=$(while read -r table column; do
	awk -v item='``'"$table"'``' '/^`/ { inside = $0 == item } inside' "$work/tables" | grep -qF '``'"$column"'``' ||
		echo "$table: $column"
done < "$work/columns")
is "$(cut -d ' ' -f 1 "$work/columns" | uniq | wc -l):$missing" "8:" "$tables describes each column of each table of a report of Nsight Compute"

# The page of gpmu doctor has the folder of CUDA, the page of gpmu stat has times.
for page in gpmu-doctor gpmu-stat; do
	cp "tools/man/$page.rst" "$work"
	machine vm > /dev/null
	(cd "$work/cwd" && PATH=$work/bin:$PATH MACHINES=$work "$top/tests/tools/examples.py" --update "$work/$page.rst")
	is "$(diff "tools/man/$page.rst" "$work/$page.rst")" "" "an update leaves $page as it is if its screens are current"
done
is "$(ls tools/man)" "$({ echo gpmu.rst; subcommands | sed 's/.*/gpmu-&.rst/'; } | LC_ALL=C sort)" "tools/man has pages of subcommands only"
done_testing
