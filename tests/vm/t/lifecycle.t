#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug
#: drivers ours in-tree
#: timeout 600
#: perf 7.3
#
# Loading, unloading, and what a thousand short runs leave behind. Older perfs
# take up to five times as long to start, as they read all of sysfs.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

e=nvidia_scf_pmu_0/cmem_rd_data/
module=$(ours && echo grace_cspmu || echo nvidia_cspmu)

refs() {
	awk -v m="$module" '$1 == m { print $3 }' /proc/modules
}
# Every action on an interrupt line, without the counts
actions() {
	awk '{ line = $1; for (i = 2; i <= NF; i++) if ($i !~ /^[0-9]+$/) line = line " " $i; print line }' /proc/interrupts
}
# Timers of ours in the lists of armed ones
timers() {
	grep -cE 'grace|cspmu' /proc/timer_list
}
# Unreclaimable slab in KiB. Freed objects go back in their own time.
slab() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}
# Events that perf core has open, as far as slabs show them; 0 where they share a slab
objects() {
	awk '$1 == "perf_event" { n = $2 } END { print n + 0 }' /proc/slabinfo
}

# --- unloading

idle_refs=$(refs)
evt $e -- sh -c "rmmod $module 2>/tmp/rmmod; echo \$? >/tmp/status; evt -R" >/tmp/counts
ok $(($(cat /tmp/status) == 0)) "the module cannot be unloaded while an event is open"
like "$(cat /tmp/rmmod)" "unavailable|in use|busy" "it says why"
is "$(awk 'NR == 1 { print ($3 > 0) }' /tmp/counts)" 1 "the event counts on after the attempt"
is "$(refs)" "$idle_refs" "its reference is gone when the event is closed"

log_mark
before=$(cd /sys/bus/event_source/devices && ls)
others=$(echo "$before" | grep -v nvidia_)
driver_unload
ok $? "the idle module can be unloaded"
is "$(cd /sys/bus/event_source/devices && ls)" "$others" "its PMUs are gone"
is "$(actions | grep -ciE 'cspmu|cs-arch')" 0 "no interrupt action of its is left"
is "$(evt $e)" "ENODEV $e" "an event of it cannot be opened then"

rounds=50
[ -z "$SLOW" ] || rounds=15
driver_load && driver_unload
slab_before=$(slab)
i=0
while [ $i -lt $rounds ]; do
	driver_load && evt -q "{" $e nvidia_scf_pmu_0/cycles/ "}" && driver_unload || break
	i=$((i + 1))
done
is $i $rounds "$rounds times loaded, counted with, unloaded"
grown=$(($(slab) - slab_before))
# Ten devices have more than 40 KiB. A kernel without any leak grows some KiB a
# load, as its caches fragment. The debug kernel keeps what is freed in KASAN's
# quarantine; there kmemleak looks for leaks.
what="which left less than 16 KiB a round in slabs"
if [ "$SLOW" ]; then
	skip "slabs hold KASAN's quarantine" "$what"
else
	ok $((grown > rounds * 16)) "$what"
fi
diag "slabs grew by $grown KiB in $rounds rounds"

# A CPU that goes off moves the events of its PMUs: not those of a PMU that is
# being removed
what="10 times unloaded while the CPUs that count go off and come back"
if ours; then
	rm -f /tmp/enough
	while [ ! -e /tmp/enough ]; do
		for c in 0 2; do
			cpu $c 0
			cpu $c 1
		done
	done &
	i=0
	while [ $i -lt 10 ]; do
		driver_load && driver_unload || break
		i=$((i + 1))
	done
	touch /tmp/enough
	wait
	is $i 10 "$what"
else
	skip "the in-tree driver does not keep the two apart" "$what"
fi
driver_load
ok $? "and loads once more"
is "$(cd /sys/bus/event_source/devices && ls)" "$before" "with the same PMUs"
is "$(kernel_log 'grace.cspmu|cs-arch-pmu')" "" "all that without a line in the kernel log"

# --- a thousand short runs

model start steady
group="{nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cycles/},{nvidia_pcie_pmu_1/rd_bytes_loc/,nvidia_pcie_pmu_1/cycles/}"
warm() { # as the runs do, so that caches are filled before the first look
	for i in 1 2 3 4 5 6 7 8 9 10; do
		perf stat -x ';' -o "$out" -a -e "$group" true
	done
}
warm
state() {
	echo "references $(refs), timers $(timers)"
	actions
}
state >/tmp/before
slab_before=$(slab)
objects_before=$(objects)

runs=1000
[ -z "$SLOW" ] && ours || runs=100
i=0
while [ $i -lt $runs ]; do
	perf stat -x ';' -o "$out" -a -e "$group" true || break
	i=$((i + 1))
done
is $i $runs "$runs short runs of perf stat"

state >/tmp/after
is "$(cat /tmp/after)" "$(cat /tmp/before)" \
	"$runs runs leave module references, timers and interrupt actions where they were"
grown=$(($(slab) - slab_before))
# One perf_event, over 1 KiB, a run would be more
what="and unreclaimable slabs within $((runs == 1000 ? 1024 : 512)) KiB"
if [ "$SLOW" ]; then
	skip "slabs hold KASAN's quarantine" "$what"
else
	ok $((grown > (runs == 1000 ? 1024 : 512))) "$what"
fi
diag "slabs: $grown KiB, perf_event objects: $objects_before, then $(objects)"
driver_unload
ok $? "nothing holds the module after it"
done_testing
