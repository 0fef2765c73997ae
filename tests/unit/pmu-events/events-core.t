#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# pmu-events as data: the core metrics, ours and upstream's of
# each perf, and the core events of libgpmu.

. tests/lib/tap.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}

check() {
	python3 -B tests/unit/pmu-events/events_check.py "$@" 2>&1
}

# upstream VERSION CHECK DESCRIPTION: a check against the kernel source of VERSION
upstream() {
	if [ -d "$cache/source/$1/tools/perf/pmu-events/arch/arm64" ]; then
		is "$(check "$2" "$cache/source/$1" "$1")" "" "core metrics, perf $1: $3"
	else
		skip "no kernel source $1 in the cache" "core metrics, perf $1: $3"
	fi
}

is "$(check core_table)" "" "core-metrics.tsv: 56 metrics are listed with their origin"
is "$(check core_values)" "" "core metrics: formulas give the values derived by hand, altered formulas do not"
is "$(check core_event_form)" "" "core events: all 154 are there once, each with a unique code"
is "$(check core_event_use)" "" "core events: they include all events of the 56 core metrics"
is "$(check core_event_place)" "" "core events: the folders that perf is built with have none of them"
upstream 7.3 upstream_core_events "the table for this core has the same events and codes as ours"
for version in 6.12 7.3; do
	upstream $version upstream_topdown "TopdownL1 has the same metrics as the group of gpmu"
done
for version in 6.1 6.12 7.3; do
	upstream $version upstream_events "the table for this core has the events of our metrics"
	upstream $version upstream_values "metrics listed as upstream exist there with the same formula"
	upstream $version upstream_doubles "no upstream metric has the name or the formula of ours"
	upstream $version upstream_names "no upstream metric has the name of a Grace metric"
done
done_testing
