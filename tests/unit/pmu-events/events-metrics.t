#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# pmu-events as data: the Grace... metrics of the system PMUs. The expected values
# in events-metrics.tsv are derived by hand.

. tests/lib/tap.sh

check() {
	python3 -B tests/unit/pmu-events/events_check.py "$@" 2>&1
}

is "$(check metric_names)" "" "metrics.json: the metrics are the 53 of events-metrics.tsv"
is "$(check metric_events)" "" "metrics.json: each event has its PMU and filter, and exists on that PMU"
is "$(check groups)" "" "metrics.json: a metric of one socket shares no group with other metrics"
is "$(check metric_zero)" "" "metrics.json: a metric whose counters are all 0 is 0 and divides by nothing"

while IFS=$'\t' read -r name _ pmus seconds counts value unit why; do
	case $name in \#*) continue ;; esac
	is "$(check metric_value "$name")" "$value $unit" \
		"$name: $counts on $pmus PMU in $seconds s give $value ($why)"
done < tests/unit/pmu-events/events-metrics.tsv

is "$(check metric_mutants)" "" \
	"metrics.json: changing a number, operator, event or source_count changes the value"
done_testing
