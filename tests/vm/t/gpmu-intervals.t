#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady
#: kernels 6.1 6.12 7.3 debug
#: drivers ours in-tree
#: long 6.12 7.3/ours
#: userland yes
#: icount 0
#: timeout 300
#
# gpmu stat -I 1 of Grace's PMUs: readings that the kernel takes in the interrupt of a
# clock (metrics/count/counter_ring.h), on both sockets, and what comes between them: another
# program's turns of the counters, and a CPU that goes.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH

scf0=nvidia_scf_pmu_0
scf1=nvidia_scf_pmu_1
events="{$scf0/cmem_rd_data/,$scf0/cycles/},{$scf1/cmem_rd_data/,$scf1/cycles/},task-clock"

# intervals COMMAND...: of $events
intervals() {
	gpmu stat -v -a -I 1 -x, -o "$out" -e "$events" "$@" 2>/tmp/stat.err || echo "gpmu: exit status $?"
}
# ratio EVENT CYCLES WANT: a line if all rows that have a count do not have so many a cycle. The
# two are of one group, so how fast the machine is has no part in it.
ratio() {
	far "$1" "$(awk -F, -v e="$1" -v c="$2" '$14 == "ok" { sum[$11] += $16 }
		END { if (sum[c]) print sum[e] / sum[c] }' "$out")" "$3" 2
}
# What each row and all of them have to be: counts in the model's ratio, no gap, and no more
# time enabled than has passed, but for where in it a CPU was read
sound() {
	ratio $scf0/cmem_rd_data/ $scf0/cycles/ 0.78125
	ratio $scf1/cmem_rd_data/ $scf1/cycles/ 0.392857
	awk -F, '/^[0-9]/ && $11 ~ /cycles/ {
			if ($17 > 2.5e9 * ($2 - $1) + 1e6) print "long: " $11 ": " $17 " ns from " $1 " to " $2
			if (last[$11] && $1 != last[$11]) print "gap: " $11 ": " $1 " behind " last[$11]
			if (!first) first = $1
			last[$11] = end = $2
			enabled[$11] += $17 / 1e9
		}
		END { for (e in enabled) if (enabled[e] > (end - first) * 1.02 + 0.002 || enabled[e] < (end - first) * 0.5)
			print "enabled: " e ": " enabled[e] " s of " end - first }' "$out"
}

model start steady

# Beside perf, which counts the same over a little more time
both() {
	# The command's parent is gpmu.
	# shellcheck disable=SC2016 # it expands it
	perf stat -a -x, -o /tmp/perf -e $scf0/cmem_rd_data/,$scf1/cmem_rd_data/ -- \
		gpmu stat -v -a -I 1 -x, -o "$out" -e "$events" sh -c \
		'sleep "$0"; grep syscr /proc/$PPID/io >/tmp/io' "${e_try:-0.5}" 2>/tmp/stat.err || echo "gpmu: exit status $?"
	sound
	for pmu in $scf0 $scf1; do
		far "$pmu" "$(awk -F, -v "e=$pmu/cmem_rd_data/" '$11 == e { raw += $16; ns += $17 } END { print raw / ns }' "$out")" \
			"$(awk -F, -v "e=$pmu/cmem_rd_data/" '$3 == e { print $1 / $4 }' /tmp/perf)" 25
	done
	n=$(grep -c task-clock "$out")
	awk -v n="$n" '$2 > n / 2 + 100 { print "reads: " $2 " system calls for " n " intervals" }' /tmp/io
	awk -v n="$n" -v seconds="${e_try:-0.5}" 'BEGIN { if (n < 500 * seconds) print "rows: " n " in " seconds " s" }'
}
is "$(each_time 0 both)" "" "-I 1 of both sockets and the CPUs: perf's counts, no gap, and fewer reads than intervals" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"

# Twelve events take turns of eight counters, and with them our three: amidst, and at the end
twelve=$(for e in 1 2 3 4 5 6 7 8 9 a b c; do printf '%s' "$scf0/config=0x$e/,"; done)
turns() {
	# shellcheck disable=SC2016
	intervals sh -c 'sleep "$1"; perf stat -a -o /tmp/other -e "$0" sleep 0.2; sleep 1.3
		perf stat -a -o /tmp/other -e "$0" sleep 0.1' "${twelve%,}" "${e_try:-0.5}"
	sound
	grep -q "for 1 s the kernel is not asked for readings: CPU" /tmp/stat.err || echo "turns: not told"
	awk -F, -v e="$scf0/cycles/" '$11 == e { rows++; missing += $14 != "ok" }
		END { if (!missing || missing > rows / 2) print "missing: " missing " of " rows }' "$out"
}
is "$(each_time 0 turns)" "" "while another program's events take turns with ours: what was counted is right, what was not is said" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"

went() {
	# shellcheck disable=SC2016
	intervals sh -c 'sleep 0.4; echo 0 >"$0"; sleep 0.4; echo 1 >"$0"; sleep "$1"' \
		"/sys/devices/system/cpu/cpu$(cat $pmus/$scf0/cpumask)/online" "${e_try:-0.4}"
	sound
	# The CPU that is back does not count: the other has it.
	tail -n 40 "$out" | awk -F, -v e="$scf0/cycles/" '$11 == e && $14 == "ok" { n++ } END { if (n < 5) print "end: " n " rows" }'
}
is "$(each_time 0 went)" "" "the CPU that counts goes and comes back meanwhile: another counts on" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"
events=${events%,task-clock}
is "$(each_time 0 went)" "" "also where nothing is counted on that CPU itself" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"
model stop steady
done_testing
