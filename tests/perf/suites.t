#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# perf's own suite for the event tables and the metrics, natively. It looks at
# the tables of all CPUs and systems, whatever the machine; its fake PMU takes
# any event name, so misspelt.t looks for the names. tests/vm/t/perf-test.t is
# this on a modelled Grace.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

# suite PERF VER [OPTION]: runs the suite
suite() {
	local title="PMU JSON event tests" number

	[ "$2" != 6.1 ] || title="PMU events"
	number=$(on_grace "$1" test list 2>&1 | sed -n "s/^ *\([0-9]*\): $title *\$/\1/p")
	on_grace "$1" test ${3:+"$3"} "$number" 2>&1 | tr '\r' '\n'
}

# The tests that must pass off arm64 too. The real metric parsing of 6.12 and
# 7.3 fails there for the core tables, as #slots is known on arm64 only.
wanted() {
	echo "PMU event table sanity"
	echo "PMU event map aliases"
	case $1 in
	6.1)
		echo "Parsing of PMU event table metrics"
		echo "Parsing of PMU event table metrics with fake PMUs"
		;;
	6.12)
		echo "Parsing of PMU event table metrics with fake PMUs"
		echo "Parsing of metric thresholds with fake PMUs"
		;;
	*)
		echo "Parsing of metric thresholds with fake PMU"
		echo "PMU metric parsing with fake PMU: arm_neoverse_n2_v2"
		echo "PMU metric parsing: nvidia_grace_sys"
		echo "PMU metric parsing with fake PMU: nvidia_grace_sys"
		;;
	esac
}

# parsed LOG VER WITH: the Grace metrics that were parsed with real or with fake
# PMUs. 6.1 prints only the expression of the latter.
parsed() {
	case $3-$2 in
	real-*) sed -n "s/^Found metric '\(Grace[^']*\)'.*/\1/p" "$1" ;;
	fake-6.1) sed -n "s/^parsing '\(.*nvidia_.*\)'\$/\1/p" "$1" ;;
	fake-*) sed -n "s/^parsing '\(Grace[^']*\)'.*/\1/p" "$1" ;;
	esac | sort
}

for ver in $perf_natives; do
	perf=$(native "$ver") || exit
	log=$perf_work/$ver.log

	suite "$perf" "$ver" >"$log"
	while read -r name; do
		like "$(cat "$log")" "^ *[0-9.:]+ $name *: Ok\$" "perf test $ver: $name"
	done < <(wanted "$ver")

	suite "$perf" "$ver" -vv >"$log"
	is "$(parsed "$log" "$ver" real)" "$(grace_metrics | sort)" \
		"perf test $ver: each of the 48 Grace metrics was parsed"
	is "$(parsed "$log" "$ver" fake | wc -l)" 48 \
		"perf test $ver: and each with fake PMUs"
	unlike "$(cat "$log")" 'Broken metric Grace' \
		"perf test $ver: it calls none of them broken"
done

done_testing
