#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# tests/vm/boot without a virtual machine: how the guest's output becomes TAP, which
# tests are skipped, and wrong arguments.
. tests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# filter PLAIN: sends standard input, the guest's output, through tap.awk
filter() {
	awk -v dmesg="$tmp/dmesg" -v leaks="$tmp/leaks" -v state="$tmp/state" -v plain="$1" \
		-f tests/vm/tap.awk >"$tmp/out"
}

state() {
	sed -n "s/^$1=//p" "$tmp/state"
}

filter '' <<'END'
insmod: a message
#@ start 4.5
some output
ok 1 - one
not ok 2 - two
# a comment
    ok 1 - a subtest's
ok 3 - three # SKIP reason
1..3
#@ exit 1 5.5
#@ tainted 12288
#@ dmesg
[    0.0] ok 9 - not a test
[    0.1] #@ nothing
#@ end
END
is "$(cat "$tmp/out")" "# insmod: a message
# some output
ok 1 - one
not ok 2 - two
# a comment
#     ok 1 - a subtest's
ok 3 - three # SKIP reason" "boot: TAP lines pass, other lines become comments, the plan is withheld"
is "$(cat "$tmp/dmesg")" "[    0.0] ok 9 - not a test
[    0.1] #@ nothing" "boot: the kernel log goes to its own file"
is "$(state count) $(state planned) $(state failed) $(state exit) $(state ended) $(state loaded) $(state tainted)" \
	"3 3 1 1 1 1 12288" "boot: tests, plan, failures, exit status, end and taint are recorded"

printf '#@ start 1\nok 1 - one\n' | filter ''
is "$(state ended) $(state exit)" "0 -1" \
	"boot: a guest that stopped early has not ended and has no exit status"
printf '#@ load failed\n#@ start 1\n1..0 # SKIP why\n#@ exit 0 2\n#@ end\n' | filter ''
is "$(cat "$tmp/out")" "1..0 # SKIP why" "boot: a plan that skips all tests is passed on"
is "$(state skipped) $(state loaded)" "1 0" \
	"boot: a skipped plan and a driver that failed to load are recorded"
printf '#@ start 1\nBail out! why\n#@ exit 1 2\n#@ end\n' | filter ''
is "$(cat "$tmp/out") $(state bailed)" "Bail out! why 1" \
	"boot: the guest's Bail out! is passed on and recorded"
printf '#@ start 1\n#@ exit 0 2\n#@ kmemleak\nunreferenced object\n#@ lockdep 0\n#@ end\n' | filter ''
is "$(cat "$tmp/leaks") $(state lockdep)" "unreferenced object 0" \
	"boot: reports of kmemleak and lockdep are recorded"
printf '#@ start 1\nhello\nok 1 - x\n#@ exit 0 2\n#@ end\n' | filter y
is "$(cat "$tmp/out")" "hello
ok 1 - x" "boot: output is passed on unchanged in plain mode"

# Counts the warnings in a kernel log
warns() {
	grep -cE -f <(sed '/^#/d' tests/vm/dmesg.regex)
}
while read -r line; do
	is "$(warns <<<"$line")" 1 "boot: a kernel log line is a warning: $line"
done <<'END'
[ 1.0] WARNING: CPU: 0 PID: 1 at kernel/events/core.c:1 x+0x1/0x2
[ 1.0] BUG: KASAN: slab-use-after-free in x
[ 1.0] BUG: sleeping function called from invalid context at x.c:1
[ 1.0] INFO: possible recursive locking detected
[ 1.0] irq 12: nobody cared (try booting with the "irqpoll" option)
[ 1.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
[ 1.0] Unable to handle kernel NULL pointer dereference at virtual address 0
[ 1.0] refcount_t: underflow; use-after-free.
END
is "$(warns <<'END'
[ 0.0] Kernel command line: console=ttyAMA0 panic_on_warn=1
[ 0.0] grace_cspmu: loading out-of-tree module taints kernel.
[ 0.0] rcu: Hierarchical RCU implementation.
[ 0.0] mem auto-init: stack:all(zero), heap alloc:on, heap free:off
END
)" 0 "boot: ordinary kernel log lines are not warnings"

printf '#!/bin/sh\n#: kernels 6.12 7.3\n#: drivers ours\n' >"$tmp/x.t"
is "$(tests/vm/boot --kernel 6.1 --driver ours "$tmp/x.t")" "1..0 # SKIP not for kernel 6.1" \
	"boot: a test for other kernels is skipped"
is "$(tests/vm/boot --kernel 7.3 --driver in-tree "$tmp/x.t")" "1..0 # SKIP not for the in-tree driver" \
	"boot: a test for the other driver is skipped"
printf '#!/bin/sh\n' >"$tmp/x.t"
is "$(LONG='' tests/vm/run 6.12/in-tree/metrics)" "1..0 # SKIP on 6.12 with the in-tree driver only if LONG=1" \
	"boot: a test reserved for LONG=1 is skipped without it"
like "$(tests/vm/run 7.3/ours 2>&1)" '^usage: run KERNEL/ours' "boot: run prints its usage without a test"
is "$(tests/vm/run 7.3/ours/alloc)" "1..0 # SKIP not for kernel 7.3" \
	"boot: run passes kernel and driver to boot"
is "$(tests/vm/boot --kernel 6.1 --driver in-tree "$tmp/x.t")" "1..0 # SKIP Linux 6.1 has no in-tree driver" \
	"boot: the in-tree driver is skipped on 6.1, which has none"
is "$(tests/vm/boot --kernel 6.12 --driver in-tree-patched "$tmp/x.t")" "1..0 # SKIP the patches are for Linux 7.3" \
	"boot: the patched in-tree driver is skipped on a kernel that the patches are not for"
like "$(tests/vm/boot --kernel 7.3 --driver theirs "$tmp/x.t" 2>&1)" '^boot: usage: ' \
	"boot: an unknown driver is refused"
like "$(tests/vm/boot --kernel 9.9 --driver ours "$tmp/x.t" 2>&1)" '^boot: no kernel 9.9 in .*kernels.tsv' \
	"boot: an unknown kernel is refused"
like "$(tests/vm/boot --kernel 7.3 --driver ours "$tmp/none.t" 2>&1)" '^boot: cannot read ' \
	"boot: an absent test is named"
for option in --kernel --driver --board; do
	like "$(tests/vm/boot $option 2>&1)" '^boot: usage: ' "boot: $option without a value prints the usage"
done
done_testing
