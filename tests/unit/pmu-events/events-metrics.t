#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# pmu-events as data: the Grace... metrics of the system PMUs. Values are those
# of events-metrics.tsv, derived by hand.

. tests/lib/tap.sh

check() {
	python3 -B tests/unit/pmu-events/events_check.py "$@" 2>&1
}

is "$(check metric_names)" "" "the metrics are the 48 of the table"
is "$(check metric_events)" "" "each event names its PMU and filter and is one of that PMU's"
is "$(check groups)" "" "a metric of one certain socket is in no group with others"
is "$(check metric_zero)" "" "no metric divides by zero: it is 0 when nothing was counted"

while IFS=$'\t' read -r name _ pmus seconds counts value unit why; do
	case $name in \#*) continue ;; esac
	is "$(check metric_value "$name")" "$value $unit" \
		"$name of $counts on $pmus PMU in $seconds s: $value ($why)"
done < tests/unit/pmu-events/events-metrics.tsv

is "$(check metric_mutants)" "" \
	"another number, operator or event, or no source_count, changes a metric's value"
done_testing
