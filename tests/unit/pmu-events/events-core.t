#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# pmu-events as data: the guide's core metrics, ours and upstream's of each perf,
# and the core's events for libgpmu.

. tests/lib/tap.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}

check() {
	python3 -B tests/unit/pmu-events/events_check.py "$@" 2>&1
}

# upstream VERSION CHECK DESCRIPTION: a check against the kernel source of VERSION
upstream() {
	if [ -d "$cache/source/$1/tools/perf/pmu-events/arch/arm64" ]; then
		is "$(check "$2" "$cache/source/$1" "$1")" "" "perf $1: $3"
	else
		skip "no kernel source $1 in the cache" "perf $1: $3"
	fi
}

is "$(check core_table)" "" "core-metrics.tsv has the guide's 45 metrics and says where each is from"
is "$(check core_values)" "" "our core metrics give the values derived by hand, changed ones do not"
is "$(check core_event_form)" "" "the core's 154 events are there once, each with a code of its own"
is "$(check core_event_use)" "" "they are all that the 45 core metrics need"
is "$(check core_event_place)" "" "none of them is where perf is built from"
upstream 7.3 upstream_core_events "has the same events of the core with the same codes"
for version in 6.1 6.12 7.3; do
	upstream $version upstream_events "knows the events of our core metrics"
	upstream $version upstream_values "has what the table says is upstream's, with the guide's formula"
	upstream $version upstream_doubles "has none of our core metrics, under no name"
	upstream $version upstream_names "has none of the names of our system metrics"
done
done_testing
