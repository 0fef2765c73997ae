#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the tables of each built perf hold, and that perf makes events of it.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

# perf 6.1 lists the low 32 bits of a code only, and opens all of it.
listed_events() {
	awk -v ver="$1" '!/^#/ {
		print $1, $2, ver == "6.1" && $3 == "0x100000000" ? "0x0" : $3
	}' pmu-events/grace-events.tsv | sort
}

# opened PERF PMU: the code with which cycles of the PMU is opened
opened() {
	on_grace "$1" stat -vv -a -e "$2/cycles/" true 2>&1 |
		sed -n 's/^ *config *\(0x[0-9a-f]*\).*/\1/p' | head -n 1
}

for ver in $perf_natives; do
	perf=$(native "$ver") || exit

	on_grace tests/perf/listed.py "$perf" events >"$perf_work/events"
	listed_events "$ver" | diff - "$perf_work/events" >"$perf_work/diff"
	ok $? "perf $ver lists the guide's uncore events with their codes and no others" ||
		diag "$(cat "$perf_work/diff")"
	is "$(wc -l <"$perf_work/events")" 114 \
		"perf $ver lists 99 events of the guide and 15 of CNVLink"

	for kind in scf pcie nvlink_c2c0 nvlink_c2c1 cnvlink; do
		is "$(opened "$perf" "nvidia_${kind}_pmu_1")" 0x100000000 \
			"perf $ver opens cycles of the $kind PMU by the 33-bit code"
	done

	on_grace tests/perf/listed.py "$perf" metrics >"$perf_work/metrics"
	is "$(grep -c '^Grace' "$perf_work/metrics")" 48 \
		"perf $ver lists 48 Grace metrics"
	is "$(grep '^Grace' "$perf_work/metrics")" "$(grace_metrics | sort)" \
		"perf $ver lists the metrics of metrics.json"

	core=$(for from in ours backport upstream; do core_metrics "$ver" "$from"; done)
	is "$(wc -w <<<"$core")" 45 "core-metrics.tsv names 45 core metrics for $ver"
	is "$(tr ' ' '\n' <<<"$core" | sort | comm -23 - "$perf_work/metrics")" "" \
		"perf $ver lists each of them"

	# shellcheck disable=SC2046 # a word a metric
	is "$(unresolved "$perf" $(grace_metrics))" "" \
		"perf $ver finds the events of each Grace metric on the PMUs" ||
		diag "$(cat "$perf_work/unresolved")"
	# shellcheck disable=SC2046
	is "$(unresolved "$perf" $(core_metrics "$ver" ours; core_metrics "$ver" backport))" "" \
		"perf $ver finds the events of each added core metric" ||
		diag "$(cat "$perf_work/unresolved")"

	out=$(env PERF_CPUID=0x00000000410fd4f0 "$perf" list metric 2>&1)
	unlike "$out" 'Grace' "perf $ver lists no Grace metric where there is no such PMU"
	like "$("$perf" version)" "^perf version ${ver//./\\.}\\.[0-9.]+-gpmu\$" \
		"perf $ver says which release it is and that it is this project's"
done

done_testing
