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
# clock (metrics/counter_ring.h), on both sockets, and what comes between them: another
# program's turns of the counters, and a CPU that goes.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH

scf0=nvidia_scf_pmu_0
scf1=nvidia_scf_pmu_1
events="{$scf0/cmem_rd_data/,$scf0/cycles/},{$scf1/cmem_rd_data/,$scf1/cycles/},task-clock"

# intervals COMMAND...: of $events, by $before, a command that runs gpmu
intervals() {
	# shellcheck disable=SC2086 # words
	${before:-} gpmu stat -v -a -I 1 -x, -o "$out" -e "$events" "$@" 2>/tmp/stat.err || echo "gpmu: exit status $?"
}
# ratio EVENT CYCLES WANT: a line if all rows that have a count do not have so many a cycle. The
# two are of one group, so how fast the machine is has no part in it.
ratio() {
	far "$1" "$(awk -F, -v e="$1" -v c="$2" '$14 == "ok" { sum[$11] += $16 }
		END { if (sum[c]) print sum[e] / sum[c] }' "$out")" "$3" 2
}
ratios() {
	ratio $scf0/cmem_rd_data/ $scf0/cycles/ 0.78125
	ratio $scf1/cmem_rd_data/ $scf1/cycles/ 0.392857
}

model start steady

both() {
	# The command's parent is gpmu.
	# shellcheck disable=SC2016 # it expands it
	intervals sh -c 'sleep "$0"; grep syscr /proc/$PPID/io >/tmp/io' "${e_try:-0.5}"
	ratios
	n=$(grep -c task-clock "$out")
	awk -v n="$n" '$2 > n / 2 + 100 { print "reads: " $2 " system calls for " n " intervals" }' /tmp/io
	awk -v n="$n" -v seconds="${e_try:-0.5}" 'BEGIN { if (n < 500 * seconds) print "rows: " n " in " seconds " s" }'
	awk -F, '/^[0-9]/ { if ($1 != begin && $1 != end) print "gap: " $1 " behind " end; begin = $1; end = $2 }' "$out"
}
is "$(each_time 0 both)" "" "-I 1 of both sockets and the CPUs: right counts, no gap, and fewer reads than intervals" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"

# Twelve events take turns of eight counters, and with them our three
twelve=$(for e in 1 2 3 4 5 6 7 8 9 a b c; do printf '%s' "$scf0/config=0x$e/,"; done)
turns() {
	before="perf stat -a -o /tmp/other -e ${twelve%,}"
	intervals sleep "${e_try:-0.5}"
	before=
	ratios
	awk -F, -v e="$scf0/cycles/" '$11 == e { rows++; missing += $14 != "ok" }
		END { if (!missing || missing == rows) print "missing: " missing " of " rows }' "$out"
}
is "$(each_time 0 turns)" "" "while another program's events take turns with ours: what was counted is right, what was not is said" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"

went() {
	# shellcheck disable=SC2016
	intervals sh -c 'sleep 0.4; echo 0 >/sys/devices/system/cpu/cpu0/online
		sleep 0.4; echo 1 >/sys/devices/system/cpu/cpu0/online; sleep "$0"' "${e_try:-0.4}"
	ratios
	# The CPU that is back does not count: the other has it.
	tail -n 40 "$out" | awk -F, -v e="$scf0/cycles/" '$11 == e && $14 == "ok" { n++ } END { if (n < 5) print "end: " n " rows" }'
}
is "$(each_time 0 went)" "" "the CPU that counts goes and comes back meanwhile: the other counts on" ||
	diag "$(cat /tmp/each; tail -n 5 /tmp/stat.err)"
model stop steady
done_testing
