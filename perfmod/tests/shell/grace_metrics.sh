#!/bin/sh
# Grace metrics: every event is found on the PMUs
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A suite for "perf test", whose name is the line above. perf's own metric suite
# parses with a fake PMU that has an event of any name. This suite uses the PMUs of
# the machine and fails for a name that they do not have.

verbose=$1

# The perf under test is the one that runs this script.
pid=$PPID
perf=perf
for _ in 1 2 3; do
	exe=$(readlink "/proc/$pid/exe") || break
	case ${exe##*/} in
	perf*)
		perf=$exe
		break
		;;
	esac
	pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
done

devices=${SYSFS_PATH:-/sys}/bus/event_source/devices
metrics=$("$perf" list --raw-dump metric 2>/dev/null | tr ' ' '\n' |
	grep '^Grace' | sort -u)
[ -n "$metrics" ] || {
	echo "no PMU of Grace"
	exit 2
}

found=0
failed=0
for metric in $metrics; do
	case $metric in
	*1to0)
		# These metrics are measured in socket 1
		[ -d "$devices/nvidia_scf_pmu_1" ] || continue
		;;
	esac
	# The exit status is not used: 6.1 continues with its default events
	out=$("$perf" stat -a -M "$metric" true 2>&1)
	if ! echo "$out" | grep -q 'event syntax error\|Cannot find metric'; then
		found=$((found + 1))
		[ -z "$verbose" ] || echo "found the events of $metric"
	else
		failed=$((failed + 1))
		echo "$metric:"
		echo "$out"
	fi
done
echo "$found metrics found, $failed not"
[ "$failed" -eq 0 ]
