#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The tables of each built perf, and the events that perf opens from them.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

# perf 6.1 lists only the low 32 bits of a code, but opens the whole code.
listed_events() {
	awk -v ver="$1" '!/^#/ {
		print $1, $2, ver == "6.1" && $3 == "0x100000000" ? "0x0" : $3
	}' pmu-events/grace-events.tsv | sort
}

# opened PERF PMU: print the code with which perf opens the PMU's cycles
opened() {
	on_grace "$1" stat -vv -a -e "$2/cycles/" true 2>&1 |
		sed -n 's/^ *config *\(0x[0-9a-f]*\).*/\1/p' | head -n 1
}

aliases() {
	sed '/^#/d; s/.*\t//' pmu-events/aliases.tsv
}

for ver in $perf_natives; do
	perf=$(native "$ver") || exit

	on_grace tests/perf/listed.py "$perf" events >"$perf_work/events"
	listed_events "$ver" | diff - "$perf_work/events" >"$perf_work/diff"
	ok $? "perf $ver: perf list has exactly the events of grace-events.tsv, with their codes" ||
		diag "$(cat "$perf_work/diff")"
	is "$(wc -l <"$perf_work/events")" 114 \
		"perf $ver: perf list has 99 events of the guide and 15 of CNVLink"

	for kind in scf pcie nvlink_c2c0 nvlink_c2c1 cnvlink; do
		is "$(opened "$perf" "nvidia_${kind}_pmu_1")" 0x100000000 \
			"perf $ver: cycles of the $kind PMU is opened with its 33-bit code"
	done

	on_grace tests/perf/listed.py "$perf" metrics >"$perf_work/metrics"
	is "$(grep -c '^Grace' "$perf_work/metrics")" 53 \
		"perf $ver: perf list has 53 Grace metrics"
	is "$(grep '^Grace' "$perf_work/metrics")" "$(grace_metrics | sort)" \
		"perf $ver: perf list has the metrics of metrics.json"
	is "$(grep '^grace_' "$perf_work/metrics")" "$(aliases | sort)" \
		"perf $ver: perf list has the aliases of pmu-events/aliases.tsv"
	like "$(on_grace "$perf" list metric 2>/dev/null | tr -s ' \n' ' ')" \
		'\[Reads from local and remote CPUs to local CPU memory, percentage of peak\.?\]' \
		"perf $ver: perf list keeps the space after a comma of a description"

	core=$(for from in ours backport upstream; do core_metrics "$ver" "$from"; done)
	is "$(wc -w <<<"$core")" 56 "core-metrics.tsv: perf $ver has 56 core metrics"
	is "$(tr ' ' '\n' <<<"$core" | sort | comm -23 - "$perf_work/metrics")" "" \
		"perf $ver: perf list has the 56 core metrics"

	# shellcheck disable=SC2046 # one word per metric
	is "$(unresolved "$perf" $(grace_metrics))" "" \
		"perf $ver: the events of each Grace metric are found on the PMUs" ||
		diag "$(cat "$perf_work/unresolved")"
	# shellcheck disable=SC2046
	is "$(unresolved "$perf" $(aliases | head -n 3))" "" \
		"perf $ver: perf stat -M finds the events of a metric by its alias" ||
		diag "$(cat "$perf_work/unresolved")"
	# shellcheck disable=SC2046
	is "$(unresolved "$perf" $(core_metrics "$ver" ours; core_metrics "$ver" backport))" "" \
		"perf $ver: the events of each added core metric are found" ||
		diag "$(cat "$perf_work/unresolved")"

	out=$(env PERF_CPUID=0x00000000410fd4f0 "$perf" list metric 2>&1)
	unlike "$out" 'Grace' "perf $ver: perf list has no Grace metric on a machine without its PMU"
	like "$("$perf" version)" "^perf version ${ver//./\\.}\\.[0-9.]+-gpmu\$" \
		"perf $ver: the version names the release and this project"
done

done_testing
