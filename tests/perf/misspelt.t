#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The control of tables.t: perf built with a misspelt event in one metric, a
# misspelt PMU in another, and in a third an event of another PMU. The suite
# that perfmod adds to perf test must fail. perf's own do not: their fake PMU
# has an event of any name.

[ -n "${LONG:-}" ] || { echo "1..0 # SKIP only if LONG=1"; exit; }
# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

mutant=$perf_work/pmu-events
json=$mutant/${perf_grace#pmu-events/}/metrics.json

# mutate METRIC FROM TO: in the formula of one metric
mutate() {
	sed -i "/\"MetricName\": \"$1\"/,/}/ s/$2/$3/" "$json"
}

# suite PERF: the Grace suite of perf test, found below the current folder
suite() {
	(cd perfmod && on_grace "$1" test -vv "Grace metrics" 2>&1)
}

cp -r pmu-events "$mutant"
mutate GraceMemReadBW cmem_rd_data cmem_rd_dtaa
mutate GraceC2c0Freq nvidia_nvlink_c2c0_pmu@ nvidia_nvlink_c2co_pmu@
mutate GracePcieLocalReadLatency rd_cum_outs_loc cmem_rd_data
is "$(diff -r pmu-events "$mutant" | grep -c '^>')" 3 "three metrics are changed"
wrong="GraceMemReadBW
GraceC2c0Freq
GracePcieLocalReadLatency"

for ver in $perf_natives; do
	perf=$perf_work/perf-$ver
	perfmod/build "$ver" native --events "$mutant" --output "$perf" \
		>/dev/null 2>"$perf_work/build.log"
	ok $? "perf $ver builds with them" || diag "$(cat "$perf_work/build.log")"

	# shellcheck disable=SC2046 # a word a metric
	is "$(unresolved "$perf" $(grace_metrics) | sort)" "$(sort <<<"$wrong")" \
		"perf $ver does not find the events of just these three"
	like "$(on_grace "$perf" stat -a -M GraceMemReadBW true 2>&1)" cmem_rd_dtaa \
		"perf $ver names the misspelt event"

	out=$(suite "$perf")
	like "$out" '^45 metrics found, 3 not' "perf test $ver counts them"
	like "$out" 'every event is found on the PMUs *: FAILED' "perf test $ver fails"
	out=$(suite "$(native "$ver")")
	like "$out" '^48 metrics found, 0 not' \
		"perf test $ver finds the events of the 48 metrics as they are"
	like "$out" 'every event is found on the PMUs *: Ok' "perf test $ver passes"
done

perfmod/build "$ver" native --events pmu-events --output "$perf_work/again" >/dev/null 2>&1
cmp "$perf_work/again" "$(native "$ver")"
ok $? "perf $ver built again without them is the same to the byte"

done_testing
