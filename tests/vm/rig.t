#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The rig itself, in virtual machines: the test of a guest that panics, hangs, stops
# early, logs a warning or makes an illegal access fails and prints the reason.
. tests/lib/tap.sh

kernel=${KERNEL:-7.3}
kernel=${kernel%% *}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# guest NAME: runs standard input as a guest's test
guest() {
	cat >"$tmp/$1.t"
	tests/vm/boot --kernel "$kernel" --driver ours "$tmp/$1.t" >"$tmp/out" 2>&1
	status=$?
	out=$(cat "$tmp/out")
	# The TAP of this script must not contain the guest's.
	out=${out//not ok/NOT OK}
	out=${out//Bail out!/BAIL OUT}
}

guest rig-good <<'END'
#: scenario idle
. /lib/tap.sh
is "$(id -u)" 0 "root"
done_testing
END
is "$status" 0 "rig: the exit status of a passing guest is 0"
is "$(grep -v '^#' "$tmp/out")" "ok 1 - root
ok 2 - no warning in the kernel log
ok 3 - the model saw no illegal register access
1..3" "rig: the TAP of a guest includes the rig's own tests"

guest rig-panic <<'END'
. /lib/tap.sh
ok 0 "before"
echo c >/proc/sysrq-trigger
done_testing
END
is "$status" 1 "rig: a guest that panics fails"
like "$out" '^NOT OK 2 - the guest ran to its end' "rig: a guest that panics fails the test that it ran to its end"
like "$out" '^# .*Kernel panic - not syncing: sysrq triggered crash' "rig: a guest that panics shows the last lines of its console"

guest rig-hang <<'END'
#: timeout 20
sleep 1000
END
is "$status" 1 "rig: a guest that hangs fails"
like "$out" '^NOT OK [0-9]+ - the guest ran to its end: it did not in [0-9]+ s and was killed' "rig: a guest that hangs is reported as killed"

# gone: waits until no QEMU has the console of rig-killed; the whole path, as another clone may run this test too
build=${B:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
machine=$build/vm/$kernel-ours/rig-killed/console.log
gone() {
	for _ in $(seq 300); do
		pgrep -f "file:$machine" >/dev/null || return 0
		sleep 0.1
	done
	return 1
}
printf '#: timeout 100\nsleep 1000\n' >"$tmp/rig-killed.t"
tests/vm/boot --kernel "$kernel" --driver ours "$tmp/rig-killed.t" >"$tmp/out" 2>&1 &
boot=$!
until pgrep -f "file:$machine" >/dev/null || ! kill -0 "$boot" 2>/dev/null; do
	sleep 0.1
done
kill "$boot"
ok $? "rig: the virtual machine of a boot that is to be killed starts" || sed 's/^/# /' "$tmp/out"
ok "$(gone; echo $?)" "rig: a killed boot leaves no virtual machine behind"

guest rig-early <<'END'
. /lib/tap.sh
ok 0 "one"
echo 1..2
END
like "$out" '^NOT OK 2 - the test ran to its end: 1 tests, planned 2' "rig: a guest with a wrong plan fails"

guest rig-warning <<'END'
. /lib/tap.sh
echo "WARNING: CPU: 0 planted by a test" >/dev/kmsg
ok 0 "one"
done_testing
END
like "$out" '^NOT OK 2 - no warning in the kernel log' "rig: a warning in the kernel log fails"
like "$out" '^# dmesg:.*planted by a test' "rig: a warning in the kernel log is shown"

guest rig-illegal <<'END'
#: load no
. /lib/tap.sh
devmem 0x3d000e08 32 1
ok 0 "one"
done_testing
END
like "$out" '^NOT OK 3 - the model saw no illegal register access' "rig: a write to a read-only register fails"
like "$out" '^# model.log:.*! ' "rig: a write to a read-only register is shown"
done_testing
