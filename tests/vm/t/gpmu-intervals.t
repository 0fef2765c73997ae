#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady
#: kernels 6.1 6.12 7.3 debug 64k
#: drivers ours in-tree in-tree-patched
#: long 6.1 6.12 7.3/ours 7.3/in-tree-patched
#: userland yes
#: icount 0
#: timeout 300
#
# gpmu stat -I 1 of Grace PMUs on both sockets: the kernel logs the counts at each tick of
# a sampling timer. Meanwhile another program's events cause multiplexing, and a CPU goes
# offline.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH

scf0=nvidia_scf_pmu_0
scf1=nvidia_scf_pmu_1
events="{$scf0/cmem_rd_data/,$scf0/cycles/},{$scf1/cmem_rd_data/,$scf1/cycles/},task-clock"

# intervals COMMAND...: runs gpmu stat -I 1 for $events
intervals() {
	gpmu stat -v -a -I 1 -x, -o "$out" -e "$events" "$@" 2>/tmp/stat.err || echo "gpmu: exit status $?"
}
# ratio EVENT CYCLES WANT: prints a line unless the counted rows have WANT events per cycle. The
# two are in one group, so the ratio does not depend on the speed of the machine.
ratio() {
	far "$1" "$(awk -F, -v e="$1" -v c="$2" '$23 == "ok" { sum[$20] += $25 }
		END { if (sum[c]) print sum[e] / sum[c] }' "$out")" "$3" 2
}
# Checks the rows: the counts have the model's ratio, there is no gap, and the enabled time is
# the elapsed time, within the tolerance for when a CPU was read in an interval
sound() {
	ratio $scf0/cmem_rd_data/ $scf0/cycles/ 0.78125
	ratio $scf1/cmem_rd_data/ $scf1/cycles/ 0.392857
	awk -F, '/^[0-9]/ && $20 ~ /cycles/ {
			if ($26 > 2.5e9 * ($11 - $10) + 1e6) print "long: " $20 ": " $26 " ns from " $10 " to " $11
			if (last[$20] && $10 != last[$20]) print "gap: " $20 ": " $10 " after " last[$20]
			if (!first) first = $10
			last[$20] = end = $11
			enabled[$20] += $26 / 1e9
		}
		END { for (e in enabled) if (enabled[e] > (end - first) * 1.02 + 0.002 || enabled[e] < (end - first) * 0.5)
			print "enabled: " e ": " enabled[e] " s of " end - first }' "$out"
}

model start steady

# In comparison with perf, which counts the same events a little longer
both() {
	# The command's parent is gpmu.
	# shellcheck disable=SC2016 # it expands it
	perf stat -a -x, -o /tmp/perf -e $scf0/cmem_rd_data/,$scf1/cmem_rd_data/ -- \
		gpmu stat -v -a -I 1 -x, -o "$out" -e "$events" sh -c \
		'sleep "$0"; grep syscr /proc/$PPID/io >/tmp/io' "${e_try:-0.5}" 2>/tmp/stat.err || echo "gpmu: exit status $?"
	sound
	for pmu in $scf0 $scf1; do
		far "$pmu" "$(awk -F, -v "e=$pmu/cmem_rd_data/" '$20 == e { raw += $25; ns += $26 } END { print raw / ns }' "$out")" \
			"$(awk -F, -v "e=$pmu/cmem_rd_data/" '$3 == e { print $1 / $4 }' /tmp/perf)" 25
	done
	n=$(grep -c task-clock "$out")
	awk -v n="$n" '$2 > n / 2 + 100 { print "reads: " $2 " system calls for " n " intervals" }' /tmp/io
	awk -v n="$n" -v seconds="${e_try:-0.5}" 'BEGIN { if (n < 500 * seconds) print "rows: " n " in " seconds " s" }'
}
is "$(each_time 0 both)" "" "gpmu stat -I 1 of both sockets and the CPUs: the rates are perf's, without a gap, with fewer reads than intervals" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"

# perf's twelve events and ours are multiplexed on the PMU's counters, in the middle and at the end
twelve=$(for e in 1 2 3 4 5 6 7 8 9 a b c; do printf '%s' "$scf0/config=0x$e/,"; done)
multiplexed() {
	# shellcheck disable=SC2016
	intervals sh -c 'sleep "$1"; perf stat -a -o /tmp/other -e "$0" sleep 0.2; sleep 1.3
		perf stat -a -o /tmp/other -e "$0" sleep 0.1' "${twelve%,}" "${e_try:-0.5}"
	sound
	grep -q "the kernel does not sample the counters for 1 s: CPU" /tmp/stat.err || echo "multiplexed: no message about the multiplexing"
	awk -F, -v e="$scf0/cycles/" '$20 == e { rows++; missing += $23 != "ok" }
		END { if (!missing || missing > rows / 2) print "missing: " missing " of " rows }' "$out"
}
is "$(each_time 0 multiplexed)" "" "gpmu stat -I 1 multiplexed with another program's events: counts are correct, and rows without a count are marked" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"

hotplugged() {
	# shellcheck disable=SC2016
	intervals sh -c 'sleep 0.4; echo 0 >"$0"; sleep 0.4; echo 1 >"$0"; sleep "$1"' \
		"/sys/devices/system/cpu/cpu$(cat $pmus/$scf0/cpumask)/online" "${e_try:-0.4}"
	sound
	# The CPU that came back does not count: the events stay on the other CPU.
	tail -n 40 "$out" | awk -F, -v e="$scf0/cycles/" '$20 == e && $23 == "ok" { n++ } END { if (n < 5) print "end: " n " rows" }'
}
is "$(each_time 0 hotplugged)" "" "gpmu stat -I 1: counting continues on another CPU when the counting CPU goes offline and online" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"
events=${events%,task-clock}
is "$(each_time 0 hotplugged)" "" "gpmu stat -I 1 without a CPU event: counting continues on another CPU when the counting CPU goes offline" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"
model stop steady
done_testing
