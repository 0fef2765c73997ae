#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# perf's own suite for event tables and metrics, natively. On every machine it checks
# the tables of all CPUs and systems. Its fake PMU has an event of any name, so
# misspelt.t checks the names. tests/vm/t/perf-test.t runs the suite on a modelled
# Grace.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

# suite PERF VER [OPTION]: run the suite
suite() {
	local title="PMU JSON event tests" number

	[ "$2" != 6.1 ] || title="PMU events"
	number=$(on_grace "$1" test list 2>&1 | sed -n "s/^ *\([0-9]*\): $title *\$/\1/p")
	on_grace "$1" test ${3:+"$3"} "$number" 2>&1 | tr '\r' '\n'
}

# wanted VER: the tests that must pass on other machines than arm64 too. There the
# real metric parsing of 6.12 and 7.3 fails for the core tables, because only arm64
# has #slots.
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

# parsed LOG VER real|fake: the Grace metrics that were parsed with real or fake
# PMUs. For fake PMUs 6.1 prints the expression only, which a metric's alias has too.
parsed() {
	case $3-$2 in
	real-*) sed -n "s/^Found metric '\(Grace[^']*\)'.*/\1/p" "$1" ;;
	fake-6.1) sed -n "s/^parsing '\(.*nvidia_.*\)'\$/\1/p" "$1" ;;
	fake-*) sed -n "s/^parsing '\(Grace[^']*\)'.*/\1/p" "$1" ;;
	esac | sort -u
}

for ver in $perf_natives; do
	perf=$(native "$ver") || exit
	log=$perf_work/$ver.log

	suite "$perf" "$ver" >"$log"
	while read -r name; do
		like "$(cat "$log")" "^ *[0-9.:]+ $name *: Ok\$" "perf test $ver: \"$name\" passes"
	done < <(wanted "$ver")

	suite "$perf" "$ver" -vv >"$log"
	is "$(parsed "$log" "$ver" real)" "$(grace_metrics | sort)" \
		"perf test $ver: each Grace metric is parsed with real PMUs"
	is "$(parsed "$log" "$ver" fake | wc -l)" 53 \
		"perf test $ver: each of the 53 Grace metrics is parsed with fake PMUs"
	unlike "$(cat "$log")" 'Broken metric Grace' \
		"perf test $ver: no Grace metric is reported as broken"
done

done_testing
