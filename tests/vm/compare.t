#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each start and stop of t/writes.t writes the same registers, in the same
# order, with the same values, by our driver and by the in-tree one; but for
# the differences in compare.6.12, which are documented there. Needs the virtual
# machine: KERNELS picks among 6.12 and 7.3; it is 7.3, with LONG=1 both.
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
is "$(differ '')" "" "equal logs are equal"
is "$(differ '/^R/d')" "" "reads are not compared"
is "$(differ 's/e04 4 6/e04 4 1/')" "" "nor are writes outside of the marks"
is "$(differ '3{h;d};4{G}')" "" "nor is the order between two PMUs"
is "$(differ 's/c00 4 1$/c00 4 2/')" "case 0: PMU 0, write 2: c00 4 1 in the one, c00 4 2 in the other" \
	"another value is a difference"
is "$(differ '/c00 4 1$/d')" "case 0: PMU 0, write 2: c00 4 1 in the one, none in the other" \
	"a missing write is a difference"
is "$(differ '3{h;d};6{G}')" "case 0: PMU 0, write 1: 400 4 1a5 in the one, c00 4 1 in the other" \
	"another order is a difference"
is "$(differ '8{p;s/6/7/}' | tail -n 1)" "" "a write between two cases is in neither"
like "$(differ '/^M [23]/d')" "^compare: 2 cases in the one log, 1 in the other" "a missing case is an error"
printf '# ports\n* a* 0 3ff filter 0\n' >"$tmp/allowed"
is "$(differ 's/a00 4 0/a00 4 3ff/' "$tmp/allowed")" "" "an allowed difference is allowed"
like "$(differ 's/a00 4 0/a00 4 3fe/' "$tmp/allowed")" "^case 1: PMU 3" "for its values only"
printf '* a* 0 3ff\n' >"$tmp/allowed"
like "$(differ '' "$tmp/allowed")" "no reason given" "and with a reason only"

# --- the drivers

for kernel in ${KERNELS:-${LONG:+6.12 }7.3}; do
	for driver in in-tree ours; do
		env -u GPMU_PREPARED LONG=1 tests/vm/boot --kernel "$kernel" --driver "$driver" tests/vm/t/writes.t >"$tmp/tap" 2>"$tmp/err"
		ok "$(grep -c -e '^not ok' -e '^Bail' "$tmp/tap")" "Linux $kernel, $driver driver: t/writes.t ran" ||
			diag "$(cat "$tmp/tap" "$tmp/err")"
	done
	log=$build/vm/$kernel
	difference=$(tests/vm/compare -x "tests/vm/compare.$kernel" \
		"$log-in-tree/writes/model.log" "$log-ours/writes/model.log" 2>&1)
	is "$difference" "" "Linux $kernel: the same writes in each of $(grep -c '^M' "$log-ours/writes/model.log" | awk '{ print $1 / 2 }') cases"
done
done_testing
