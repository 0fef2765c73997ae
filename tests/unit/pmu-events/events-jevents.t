#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# jevents.py of each perf compiles pmu-events. Its metric.py parses and simplifies
# formulas, which must not change their values.

. tests/lib/tap.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
dir=$(mktemp -d) || bail "no temporary directory"
trap 'rm -rf "$dir"' EXIT

# jevents VERSION: compile our JSON with that version's jevents.py
jevents() {
	local from=$cache/source/$1/tools/perf/pmu-events to=$dir/$1/arch layer model

	mkdir -p "$to/arm64"
	cp "$from"/*.py "$dir/$1"
	cp "$from"/arch/arm64/*.* "$to/arm64"
	for layer in "$from/arch/test" "$from/arch/common"; do
		[ ! -d "$layer" ] || cp -r "$layer" "$to"
	done
	for layer in pmu-events "pmu-events/backport/$1"; do
		[ ! -d "$layer/arch" ] || cp -r "$layer/arch/." "$to"
	done
	case $1 in 6.1) model= ;; *) model=all ;; esac	# 6.1 has no model argument
	python3 "$dir/$1/jevents.py" arm64 $model "$to" "$dir/$1.c"
}

for version in 6.1 6.12 7.3; do
	if [ ! -e "$cache/source/$version/tools/perf/pmu-events/jevents.py" ]; then
		skip "no kernel source $version in the cache" "jevents.py, perf $version: our JSON is compiled without a message"
		continue
	fi
	is "$(jevents $version 2>&1)" "" "jevents.py, perf $version: our JSON is compiled without a message"
	for check in events metrics; do
		is "$(python3 -B tests/unit/pmu-events/events_jevents.py $check "$dir/$version.c" $version 2>&1)" "" \
			"jevents.py, perf $version: our $check are unchanged in its output"
	done
done
done_testing
