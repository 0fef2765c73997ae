#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board gracehopper2
#: scenario steady-gracehopper
#: kernels 6.1 6.12 7.3 debug 64k
#: drivers ours in-tree in-tree-patched
#: long 6.1 6.12 7.3/ours 7.3/in-tree-patched
#: userland yes
#: timeout 300
#
# gpmu traffic on two Grace Hoppers: cells that one PMU counts, that are known only
# as part of a sum, that lie in a range, and that no PMU counts.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
PATH=/usr/lib/gpmu:$PATH

model start steady-gracehopper
run() {
	gpmu traffic --chip gracehopper -j -o "$out" sleep "${e_try:-1}" 2>/tmp/stat.err
}
# cell KIND NAME DIRECTION: "STATE LOW HIGH", GB/s
cell() {
	sed -n "s|.*\"kind\":\"$1\",\"name\":\"$2\",\"direction\":\"$3\",\"state\":\"\([^\"]*\)\".*\"low\":\([^,]*\),\"high\":\([^,]*\),.*|\1 \2 \3|p" "$out"
}
# Lines "KIND/NAME/DIRECTION STATE LOW HIGH", the rates of steady-gracehopper.scenario
cells="flow/GPU 0 ATS -> CMEM 0/read ok 64 64
flow/GPU 0 ATS -> CMEM 0/write ok 32 32
flow/GPU 1 ATS -> CMEM 1/read ok 16 16
flow/CPU 0 -> GMEM 0/write ok 12.8 12.8
flow/CPU 0 -> GMEM 0/read range 25.6 28.8
flow/CPU 1 -> GMEM 1/read ok 6.4 6.4
sum/CPU 1 -> CMEM, GMEM 0/read ok 3.2 3.2
sum/GPU 0 ATS -> CMEM, GMEM 1/write ok 4 4
sum/GPU 1 ATS -> CMEM, GMEM 0/read ok 8 8
sum/GPU 0 non-ATS -> CMEM, GMEM 0/read ok 6.4 6.4
sum/PCIe 1 -> CMEM, GMEM 0/write ok 1.6 1.6
flow/GPU 0 ATS -> GMEM 0/read invisible null null
flow/CPU 1 -> GMEM 0/read together null null
flow/GPU 1 non-ATS -> CMEM 0/read ok 0 0"
# off: prints a line for each cell that differs by more than 2 %
off() {
	run
	echo "$cells" | while read -r line; do
		want=$(echo "$line" | sed 's/.*\(ead\|rite\) //')
		name=${line% "$want"}
		got=$(IFS=/; set -- $name; cell "$1" "$2" "$3")
		echo "$got $want" | awk -v name="$name" '
			function far(got, want,  d) {
				d = got - want
				return got == "null" || want == "null" ? got != want : (d < 0 ? -d : d) > want * 0.02
			}
			NF != 6 || $1 != $4 || far($2, $5) || far($3, $6) { print name ": got " $0 }'
	done
}
each_time 0 off >/tmp/off
echo "$cells" >/tmp/cells
while read -r line; do
	is "$(grep -Fx "$(echo "$line" | sed 's/\(ead\|rite\) .*/\1/')" /tmp/off)" "" "gpmu traffic: the cell is $line" || diag "$(cat /tmp/each)"
done </tmp/cells
gpmu traffic --chip gracehopper sleep 0.2 >"$out"
like "$(cat "$out")" '^ *GPU 0 ATS +read +[0-9.]+ +invisible +' "gpmu traffic: the matrix marks traffic that no PMU counts as invisible"
model stop steady-gracehopper
done_testing
