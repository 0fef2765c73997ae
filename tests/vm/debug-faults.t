#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The rig reports the faults that the debug kernel detects: a module commits one
# fault per boot, and the boot must fail with the report of that fault.
. tests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s vm-prepare KERNEL=debug >&2 || bail "cannot prepare the debug kernel"

# boot FAULT: prints the output of tests/vm/boot, then the kernel's messages
boot() {
	cat > "$dir/fault-$1.t" <<-END
		#!/bin/sh
		# SPDX-License-Identifier: LGPL-2.1-or-later
		#: load no
		. /lib/tap.sh
		dmesg -n 8
		insmod /lib/gpmu/planted.ko fault=$1
		ok \$? "the module with the fault is loaded"
		rmmod planted
		done_testing
	END
	GPMU_PREPARED=1 tests/vm/boot --kernel debug --driver ours "$dir/fault-$1.t" 2>&1
	cat "build/vm/debug-ours/fault-$1/"{console.log,dmesg} 2> /dev/null
}

# reports FAULT EREGEX CHECKER
reports() {
	local out

	out=$(boot "$1")
	grep -Eq '^(not ok|Bail out)' <<< "$out" && grep -aEq "$2" <<< "$out"
	ok $? "$3: fault $1 fails the boot and is named in the log" ||
		diag "$(tail -n 40 <<< "$out" | tr -cd '\11\12\40-\176')"
}

reports leak 'unreferenced object|plant_leak' "kmemleak"
reports use-after-free 'KASAN: slab-use-after-free in plant' "KASAN"
reports inversion 'possible circular locking dependency' "lockdep"
reports nesting 'Invalid wait context' "PROVE_RAW_LOCK_NESTING"
reports sleep 'sleeping function called from invalid context' "DEBUG_ATOMIC_SLEEP"
reports rcu 'suspicious RCU usage|suspicious rcu_dereference' "PROVE_RCU"
reports per-cpu 'using __this_cpu_[a-z_]*\(?\)? in preemptible' "DEBUG_PREEMPT"
reports shift 'UBSAN: shift-out-of-bounds' "UBSAN"
reports timer 'ODEBUG: free active' "DEBUG_OBJECTS_TIMERS"
done_testing
