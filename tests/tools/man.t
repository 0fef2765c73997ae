#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manual pages: each subcommand has one, it renders, it has the options of --help, and its
# examples print its screens.
. tests/tools/lib.sh

sections="SYNOPSIS DESCRIPTION OPTIONS OUTPUT EXIT_STATUS EXAMPLES SEE_ALSO"

# The options of --help as "-C, --cpu=LIST", one per line, sorted, without those of every subcommand
help_options() {
	gpmu "$1" --help | grep -oE '^ {2,6}(-., )?--[a-z0-9-]+(\[?=[A-Z]+\]?)?' | sed 's/^ *//' |
		grep -vE -- '--(help|usage|version)' | sort
}

# The options of a page, "-C LIST, --cpu=LIST", "--spe, --spe=TERMS", "--sample=EVENT, --sample=EVENT,PERIOD", in the same form
page_options() {
	sed -n '/^OPTIONS$/,/^OUTPUT$/p' "$1" |
		grep -E '^-' | sed -nE 's/^(-[A-Za-z]) [A-Z]+, /\1, /; s/^(--[a-z-]+), \1=([A-Z]+)$/\1[=\2]/; s/^(--[a-z-]+=[A-Z]+), \1,.*/\1/
			/^(-[A-Za-z], )?--[a-z][a-z0-9-]*(=[A-Z]+|\[=[A-Z]+\])?$/p' | sort
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
need tests/unit/profile/perf-make
for name in numa c2c; do
	"$B/tests/unit/profile/perf-make" "$work/cwd/$name.data" 4000 "$name" || bail "no recording of perf"
done
mkdir "$work/bin"
ln -s "$GPMU_BIN" "$work/bin/gpmu"
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

for name in '' $(subcommands); do
	page=tools/man/gpmu${name:+-$name}.rst
	[ -e "$page" ]; ok $? "gpmu${name:+ $name} has the manual page $page" || continue
	out=$(rst2man --report=1 --halt=5 "$page" 2>&1 > "$work/page.1")
	is "$out" "" "$page renders without a message of rst2man"
	is "$(render "$B/man/man1/gpmu${name:+-$name}.1")" "" "$page renders on a terminal without a message of groff"
	missing=$(for s in ${name:+$sections}; do grep -qx "${s/_/ }" "$page" || echo "$s"; done)
	is "$missing" "" "$page has the sections of a subcommand's page"
	[ -z "$name" ] || is "$(page_options "$page")" "$(help_options "$name")" "$page has the options of gpmu${name:+ $name} --help"
	out=$(examples "$page" 2>&1); ok $? "$page: its examples print the page's screens" || diag "$out"
done

page=metrics/spe/gpmu-spe.rst
out=$(rst2man --report=1 --halt=5 "$page" 2>&1 > "$work/page.7")
is "$out" "" "$page renders without a message of rst2man"
is "$(render "$B/man/man7/gpmu-spe.7")" "" "$page renders on a terminal without a message of groff"
out=$(examples "$page" 2>&1); ok $? "$page: its examples print the page's screens" || diag "$out"

# The page of gpmu doctor has the folder of CUDA, the page of gpmu stat has times.
for page in gpmu-doctor gpmu-stat; do
	cp "tools/man/$page.rst" "$work"
	machine vm > /dev/null
	(cd "$work/cwd" && PATH=$work/bin:$PATH MACHINES=$work "$top/tests/tools/examples.py" --update "$work/$page.rst")
	is "$(diff "tools/man/$page.rst" "$work/$page.rst")" "" "an update leaves $page as it is if its screens are current"
done
is "$(ls tools/man)" "$({ echo gpmu.rst; subcommands | sed 's/.*/gpmu-&.rst/'; } | LC_ALL=C sort)" "tools/man has pages of subcommands only"
done_testing
