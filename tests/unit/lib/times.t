#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The time and CPU time of tests: timed, and the table that make check prints at its end
. tests/lib/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
rows=$tmp/rows

# timed COMMAND...: prints the exit status and the output
timed() {
	local out

	out=$(tests/lib/timed "$rows" "$@" 2>&1)
	echo "$? $out"
}

# shellcheck disable=SC2016 # for the timed shells
is "$(timed sh -c 'echo "$1 $2"; exit 3' sh 'a b' tests/a.t)" "3 a b tests/a.t" \
	"timed: a command has its arguments, its output and its exit status"
is "$(timed sh -c 'kill -KILL $$' tests/b.t | cut -d ' ' -f 1)" 137 "timed: a signal that ends the command ends timed, too"
is "$(timed "$tmp/none")" "2 timed: $tmp/none: No such file or directory" "timed: a command that cannot be run fails with its name"
is "$(tests/lib/timed "$rows" 2>&1) $?" "usage: timed FILE COMMAND [ARGUMENT...] 255" "timed: a call without a command is refused"
is "$(cut -f 3 "$rows" | xargs)" "tests/a.t tests/b.t $tmp/none" "timed: each command appends a row with its last argument"
is "$(grep -cvP '^\d+\.\d{3}\t\d+\.\d{3}\t' "$rows")" 0 "timed: each row has seconds and CPU seconds"
# shellcheck disable=SC2016 # for the timed shells
timed bash -c 'bash -c "$1" & wait' bash 'until read -ra f < /proc/$$/stat && [ "${f[13]}" -ge 20 ]; do :; done' > /dev/null
is "$(tail -n 1 "$rows" | awk -F '\t' '{ print ($2 >= 0.2) }')" 1 "timed: the CPU time has that of a command's own children"

printf '%s\t%s\t%s\n' 60 100 check-unit 30.25 20.5 check-vm > "$tmp/stages"
for i in {1..12}; do
	printf '%s\t%s\t%s\n' 1 "$i" "tests/$i.t"
done > "$tmp/tests"
is "$(tests/lib/times "$tmp" | head -n 4 | tr -s ' ')" "stage seconds CPU seconds
check-unit 60.0 100.0
check-vm 30.2 20.5
all 90.2 120.5" "times: each stage has a row, and the last row is their sum"
is "$(tests/lib/times "$tmp" | sed -n '/^test,/,$p' | awk 'NR > 1 { print $1, $3 }' | xargs)" \
	"$(for i in {12..3}; do echo "tests/$i.t $i.0"; done | xargs)" "times: the ten tests with the most CPU time are listed in order"
rm "$tmp/tests"
is "$(tests/lib/times "$tmp" | grep -c '^test')" 0 "times: without a test there is no list of tests"
done_testing
