#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3
#: drivers ours in-tree
#: timeout 180
#
# "perf test" of the event tables and of the metrics, with the PMUs there: the
# suites of this perf, and the one that perfmod adds. tests/perf/misspelt.t is
# its control, and tests/perf/suites.t looks at the tables of other machines.
. /lib/tap.sh

# passed DESCRIPTION: the suite's test has passed
passed() {
	like "$(cat /tmp/log)" "^ *[0-9.:]+ $1 *: Ok\$" "perf test: $1"
}

# found LOG: the Grace metrics that were parsed with the PMUs
found() {
	sed -n "s/^Found metric '\(Grace[^']*\)'.*/\1/p" /tmp/log | sort
}

cd /perf || bail "no /perf"
perf test list >/tmp/list 2>&1
number=$(sed -n 's/^ *\([0-9]*\): PMU \(events\|JSON event tests\) *$/\1/p' /tmp/list)

perf test "$number" 2>&1 | tr '\r' '\n' >/tmp/log
passed "PMU event table sanity"
passed "PMU event map aliases"
case $(perf version) in
*" 6.1."*)
	passed "Parsing of PMU event table metrics"
	passed "Parsing of PMU event table metrics with fake PMUs"
	;;
*" 6.12."*)
	passed "Parsing of PMU event table metrics with fake PMUs"
	passed "Parsing of metric thresholds with fake PMUs"
	;;
*)
	passed "Parsing of metric thresholds with fake PMU"
	passed "PMU metric parsing with fake PMU: arm_neoverse_n2_v2"
	passed "PMU metric parsing: nvidia_grace_sys"
	passed "PMU metric parsing with fake PMU: nvidia_grace_sys"
	;;
esac
diag "$(cat /tmp/log)"

perf test -vv "$number" 2>&1 | tr '\r' '\n' >/tmp/log
is "$(found | wc -l)" 48 "perf test: 48 Grace metrics were parsed with the PMUs"
is "$(found)" "$(perf list --raw-dump metric 2>/dev/null | tr ' ' '\n' | grep ^Grace | sort -u)" \
	"perf test: they are those that perf list shows"
unlike "$(cat /tmp/log)" 'Broken metric Grace' "perf test: none of them is broken"

perf test -vv "Grace metrics" 2>&1 | tr '\r' '\n' >/tmp/log
like "$(cat /tmp/log)" '^48 metrics found, 0 not' "perf test: the PMUs have the events of all 48"
passed "Grace metrics: every event is found on the PMUs"

done_testing
