#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The negative test of tables.t: perf is built with a misspelt event in one metric,
# a misspelt PMU in a second, and an event of another PMU in a third. The suite
# that perfmod adds to perf test must fail. perf's own suites pass, because their
# fake PMU has an event of any name.

[ -n "${LONG:-}" ] || { echo "1..0 # SKIP only if LONG=1"; exit; }
# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

mutant=$perf_work/pmu-events
json=$mutant/${perf_grace#pmu-events/}/metrics.json

# mutate METRIC FROM TO: change the formula of one metric
mutate() {
	sed -i "/\"MetricName\": \"$1\"/,/}/ s/$2/$3/" "$json"
}

# suite PERF: run the Grace suite of perf test, found below the current folder
suite() {
	(cd perfmod && on_grace "$1" test -vv "Grace metrics" 2>&1)
}

cp -r pmu-events "$mutant"
mutate GraceMemReadBW cmem_rd_data cmem_rd_dtaa
mutate GraceC2c0Freq nvidia_nvlink_c2c0_pmu@ nvidia_nvlink_c2co_pmu@
mutate GracePcieLocalReadLatency rd_cum_outs_loc cmem_rd_data
is "$(diff -r pmu-events "$mutant" | grep -c '^>')" 3 "pmu-events: the copy differs in three metrics"
wrong="GraceMemReadBW
GraceC2c0Freq
GracePcieLocalReadLatency"

for ver in $perf_natives; do
	perf=$perf_work/perf-$ver
	perfmod/build "$ver" native --events "$mutant" --output "$perf" \
		>/dev/null 2>"$perf_work/build.log"
	ok $? "perf $ver: it builds with three wrong metrics" || diag "$(cat "$perf_work/build.log")"

	# shellcheck disable=SC2046 # one word per metric
	is "$(unresolved "$perf" $(grace_metrics) | sort)" "$(sort <<<"$wrong")" \
		"perf $ver: the events of exactly these three metrics are not found"
	like "$(on_grace "$perf" stat -a -M GraceMemReadBW true 2>&1)" cmem_rd_dtaa \
		"perf $ver: perf stat names the misspelt event"

	out=$(suite "$perf")
	like "$out" '^46 metrics found, 3 not' "perf test $ver: the Grace suite counts three wrong metrics"
	like "$out" 'every event is found on the PMUs *: FAILED' "perf test $ver: the Grace suite fails with three wrong metrics"
	out=$(suite "$(native "$ver")")
	like "$out" '^53 metrics found, 0 not' \
		"perf test $ver: the Grace suite finds the events of the 53 correct metrics"
	like "$out" 'every event is found on the PMUs *: Ok' "perf test $ver: the Grace suite passes with the correct metrics"
done

perfmod/build "$ver" native --events pmu-events --output "$perf_work/again" >/dev/null 2>&1
cmp "$perf_work/again" "$(native "$ver")"
ok $? "perf $ver: a second build from the correct metrics is identical"

done_testing
