# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# TAP producer for script tests, sourced by bash on the host and by busybox sh
# in the guest: ok, is, like, skip, diag, bail, done_testing.

tap_run=0
tap_failed=0
# The distribution's python3, if there is one: another one in PATH can be a wrapper that takes a second to start.
PATH=$PWD/tests/lib/bin:$PATH

# ok STATUS DESCRIPTION: passes if STATUS is 0; typical use: cmd; ok $? "..."
ok() {
	tap_run=$((tap_run + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_run - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_run - $2"
		return 1
	fi
}

# is GOT WANT DESCRIPTION: passes if the two strings are equal
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: $2"
		return 1
	fi
}

# like TEXT EREGEX DESCRIPTION: passes if a line of TEXT matches
like() {
	if printf '%s\n' "$1" | grep -Eq -- "$2"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "no line matches: $2"
		diag "in: $1"
		return 1
	fi
}

# unlike TEXT EREGEX DESCRIPTION: passes if no line of TEXT matches
unlike() {
	if printf '%s\n' "$1" | grep -Eq -- "$2"; then
		ok 1 "$3"
		diag "a line matches: $2"
		diag "in: $1"
		return 1
	fi
	ok 0 "$3"
}

# skip REASON DESCRIPTION
skip() {
	tap_run=$((tap_run + 1))
	echo "ok $tap_run - $2 # SKIP $1"
}

# diag TEXT: each line of TEXT as a TAP comment
diag() {
	printf '%s\n' "$@" | sed 's/^/# /'
}

# bail REASON: nothing after this can be tested
bail() {
	echo "Bail out! $1"
	exit 1
}

# done_testing: prints the plan and exits with the verdict. A script without any test fails.
done_testing() {
	[ "$tap_run" -gt 0 ] || ok 1 "the script has at least one test"
	echo "1..$tap_run"
	[ "$tap_failed" -eq 0 ]
	exit
}
