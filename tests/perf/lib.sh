# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Shared by the tests of the perf builds. They run perf natively on a fake /sys of
# a two-socket Grace: perf reads sysfs below $SYSFS_PATH and takes $PERF_CPUID as
# the identifier of its core (tools/lib/api/fs/fs.c, util/pmu.c).

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

# shellcheck disable=SC2034 # for the tests
perf_versions=$(cd perfmod/patches && printf '%s\n' * | sort -V)
# The releases that are built natively here: the newest, or all of them with LONG=1
# (make check has no time for them).
perf_natives=$perf_versions
# shellcheck disable=SC2034
[ -n "${LONG:-}" ] || perf_natives=${perf_versions##*[!0-9.]}
perf_work=$(readlink -m "${B:-build}")/tests/perf
perf_grace="pmu-events/arch/arm64/nvidia/grace/sys"

mkdir -p "$perf_work"
perf_work=$(mktemp -d "$perf_work/XXXXXX")
trap 'rm -rf "$perf_work"' EXIT

# native VER: print the path of the native perf of a release
native() {
	perfmod/build "$1" native 2>"$perf_work/build.log" || {
		diag "$(cat "$perf_work/build.log")" >&2
		bail "perf $1 does not build" >&2
	}
}

# fake_sysfs DIR: the PMUs of two sockets as in the driver's sysfs, but without
# events/, so that perf finds each name in its own tables only. No kernel has a
# PMU type this high: no event is opened by mistake.
fake_sysfs() {
	local pmus=$1/bus/event_source/devices cpus=$1/devices/system/cpu
	local kind identifier filter socket pmu type=4000

	mkdir -p "$pmus/armv8_pmuv3_0/format" "$cpus"
	tee "$cpus/online" "$cpus/possible" "$pmus/armv8_pmuv3_0/cpus" \
		<<<0-3 >"$cpus/present"
	echo "$type" >"$pmus/armv8_pmuv3_0/type"
	echo config:0-15 >"$pmus/armv8_pmuv3_0/format/event"
	while read -r kind identifier filter; do
		for socket in 0 1; do
			pmu=$pmus/nvidia_${kind}_pmu_$socket
			mkdir -p "$pmu/format"
			echo $((++type)) >"$pmu/type"
			echo $((2 * socket)) >"$pmu/cpumask"
			echo "$identifier" >"$pmu/identifier"
			echo config:0-32 >"$pmu/format/event"
			[ "$filter" = none ] || echo config1:0-9 >"$pmu/format/$filter"
		done
	done <<-EOF
		scf 2cf0036b none
		pcie 1030036b root_port
		nvlink_c2c0 1050036b port
		nvlink_c2c1 1040036b port
		cnvlink 1060036b rem_socket
	EOF
}

# on_grace COMMAND...: run it on the fake machine
on_grace() {
	[ -d "$perf_work/sys" ] || fake_sysfs "$perf_work/sys"
	SYSFS_PATH=$perf_work/sys PERF_CPUID=0x00000000410fd4f0 "$@"
}

grace_metrics() {
	sed -n 's/.*"MetricName": "\(\w*\)".*/\1/p' "$perf_grace/metrics.json"
}

# core_metrics VER ORIGIN: the core metrics that perf VER has from ORIGIN:
# ours, backport or upstream
core_metrics() {
	awk -F '\t' -v ver="$1" -v word="$2" '
		/^# guide\t/ { for (i = 1; i <= NF; i++) if ($i == ver) column = i }
		!/^#/ && $column == word { print $3 }' pmu-events/core-metrics.tsv
}

# unresolved PERF METRIC...: print the metrics whose events perf does not find. perf
# finds them if it passes an event of a fake PMU to the kernel and reports no
# unknown name. Its output for the others is in $perf_work/unresolved.
unresolved() {
	local perf=$1 metric out

	shift
	: >"$perf_work/unresolved"
	for metric; do
		out=$(on_grace "$perf" stat -vv -a -M "$metric" true 2>&1)
		if ! grep -Eq '^ +type +40[01][0-9]( |$)' <<<"$out" ||
		   grep -Eq 'event syntax error|Cannot find metric|parser error' <<<"$out"; then
			echo "$metric"
			echo "$metric: $out" >>"$perf_work/unresolved"
		fi
	done
}
