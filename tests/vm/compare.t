#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Our driver and the in-tree one write the same registers, in the same order, with
# the same values, at each start and stop of t/writes.t, except for the differences
# documented in compare.6.12. Needs the virtual machine. KERNELS selects from 6.12
# and 7.3; the default is 7.3, and both with LONG=1.
. tests/lib/tap.sh

build=${B:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# --- the comparison itself

cat >"$tmp/a" <<'LOG'
W 0 c00 4 99
M 0
W 0 400 4 1a5
W 1 400 4 2
R 0 0 8 7
W 0 c00 4 1
M 1
W 0 e04 4 6
M 2
W 3 a00 4 0
M 3
LOG
differ() { # SED_SCRIPT: compares a with a changed copy
	sed "$1" "$tmp/a" >"$tmp/b"
	tests/vm/compare ${2:+-x "$2"} "$tmp/a" "$tmp/b" 2>&1
}
is "$(differ '')" "" "compare: equal logs have no difference"
is "$(differ '/^R/d')" "" "compare: reads are not compared"
is "$(differ 's/e04 4 6/e04 4 1/')" "" "compare: writes outside of the marks are not compared"
is "$(differ '3{h;d};4{G}')" "" "compare: the order of writes to two PMUs is not compared"
is "$(differ 's/c00 4 1$/c00 4 2/')" "case 0: PMU 0, write 2: c00 4 1 in the one, c00 4 2 in the other" \
	"compare: another value is a difference"
is "$(differ '/c00 4 1$/d')" "case 0: PMU 0, write 2: c00 4 1 in the one, none in the other" \
	"compare: a missing write is a difference"
is "$(differ '3{h;d};6{G}')" "case 0: PMU 0, write 1: 400 4 1a5 in the one, c00 4 1 in the other" \
	"compare: another order is a difference"
is "$(differ '8{p;s/6/7/}' | tail -n 1)" "" "compare: a write between two cases belongs to neither"
like "$(differ '/^M [23]/d')" "^compare: 2 cases in the one log, 1 in the other" "compare: a missing case is an error"
printf '# ports\n* a* 0 3ff filter 0\n' >"$tmp/allowed"
is "$(differ 's/a00 4 0/a00 4 3ff/' "$tmp/allowed")" "" "compare: a listed difference is allowed"
like "$(differ 's/a00 4 0/a00 4 3fe/' "$tmp/allowed")" "^case 1: PMU 3" "compare: a listed difference is allowed for its values only"
printf '* a* 0 3ff\n' >"$tmp/allowed"
like "$(differ '' "$tmp/allowed")" "no reason given" "compare: a listed difference without a reason is an error"

# --- the drivers

for kernel in ${KERNELS:-${LONG:+6.12 }7.3}; do
	for driver in in-tree ours; do
		LONG=1 tests/vm/boot --kernel "$kernel" --driver "$driver" tests/vm/t/writes.t >"$tmp/tap" 2>"$tmp/err"
		ok "$(grep -c -e '^not ok' -e '^Bail' "$tmp/tap")" "Linux $kernel, $driver driver: t/writes.t passes" ||
			diag "$(cat "$tmp/tap" "$tmp/err")"
	done
	log=$build/vm/$kernel
	difference=$(tests/vm/compare -x "tests/vm/compare.$kernel" \
		"$log-in-tree/writes/model.log" "$log-ours/writes/model.log" 2>&1)
	is "$difference" "" "Linux $kernel: both drivers write the same in each of $(grep -c '^M' "$log-ours/writes/model.log" | awk '{ print $1 / 2 }') cases"
done
done_testing
