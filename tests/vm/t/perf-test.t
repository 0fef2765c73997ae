#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3 64k
#: long 6.1 6.12
#: drivers ours
#: timeout 180
#
# "perf test" of the event tables and of metric parsing with the PMUs present:
# perf's own suite, and the one that perfmod adds, whose control is
# tests/perf/misspelt.t. The tables of other machines are not tested: with them
# 7.3's suite takes a minute, and from 6.12 on some of their metrics fail.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# Metrics of pmu-events/core-metrics.tsv that no perf has
ours="sve_fp_ops_per_second nonsve_fp_ops_per_second fp_ops_per_second
barrier_percentage ase_inst_percentage simd_inst_percentage fp16_percentage
fp32_percentage fp64_percentage sve_pred_full_spec_percentage
sve_pred_partial_spec_percentage sve_pred_empty_spec_percentage"

# suite TEST...: runs tests of the suite
suite() {
	perf test -vv "$@" 2>&1 | tr '\r' '\n' >/tmp/log
}

# passed TEST: the TEST of the suite that ran last has passed
passed() {
	like "$(grep -E ': (Ok|Skip|FAILED)' /tmp/log)" "^ *([0-9.:]+ )?$1 *: Ok\$" "perf test passes: $1"
}

# parsed: the metrics that were parsed with the PMUs
parsed() {
	sed -n "s/^Found metric '\([^']*\)'.*/\1/p" /tmp/log | sort -u
}

cd /perf || bail "no /perf"
number=$(perf test list 2>&1 | sed -n 's/^ *\([0-9]*\): PMU \(events\|JSON event tests\) *$/\1/p')

case $(perf version) in
*" 6.1."*)
	suite "$number"
	# The subtests are table sanity, aliases, parsing, fake PMUs
	for test in 1 2 3 4; do
		passed "PMU events subtest $test"
	done
	;;
*" 6.12."*)
	suite "$number"
	passed "PMU event table sanity"
	passed "PMU event map aliases"
	passed "Parsing of PMU event table metrics with fake PMUs"
	passed "Parsing of metric thresholds with fake PMUs"
	;;
*)
	suite "event table sanity" "event map aliases" neoverse_n2_v2 nvidia_grace_sys
	passed "PMU event table sanity"
	passed "PMU event map aliases"
	for table in arm_neoverse_n2_v2 nvidia_grace_sys; do
		passed "PMU metric parsing: $table"
		passed "PMU metric parsing with fake PMU: $table"
	done
	;;
esac
is "$(parsed | grep -c ^Grace)" 53 "perf test: 53 Grace metrics were parsed with the PMUs"
is "$(parsed | grep ^Grace)" \
	"$(perf list --raw-dump metric 2>/dev/null | tr ' ' '\n' | grep ^Grace | sort -u)" \
	"perf test: the parsed Grace metrics are those in perf list"
unlike "$(cat /tmp/log)" 'Broken metric Grace' "perf test: no Grace metric is broken"

suite "Grace metrics"
like "$(cat /tmp/log)" '^53 metrics found, 0 not' "perf test: the PMUs have the events of all 53 metrics"
passed "Grace metrics: every event is found on the PMUs"

# 6.12's suite ends its core tables at the first metric with #slots
missing=$(for metric in $ours; do
	perf stat -a -M "$metric" true 2>&1 | grep 'event syntax error\|Cannot find metric'
done)
is "$missing" "" "perf stat -M: the core's PMU has the events of the 12 added metrics"

# shellcheck disable=SC2016
perf stat -j -o "$out" -M cycles_frequency sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' >/tmp/stat.cmd 2>/tmp/stat.err
near "$(metric cycles_frequency)" 1 10 "perf stat -M cycles_frequency: QEMU's CPUs have 1 GHz" || diag "$(cat "$out" /tmp/stat.err)"

done_testing
