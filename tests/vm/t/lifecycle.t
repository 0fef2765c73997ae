#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug
#: drivers ours in-tree
#: long 7.3-16k 7.3-rt 6.12 7.3/in-tree
#: timeout 600
#: perf 7.3
#
# Loading, unloading, and what a thousand short runs of perf leave behind; a
# tenth with another driver or kernel than ours on 7.3, but for LONG=1. Older
# perfs than 7.3's take up to five times as long to start, as they read all of
# sysfs.
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
# Objects of slab caches that are in use, and their KiB. Exact: what is freed has
# time to be so, and the CPUs give back the free objects that they keep.
in_use() { # /sys/kernel/slab/CACHE...
	sleep 1
	for cache; do
		echo 1 >"$cache/shrink"
		cat "$cache/objects" "$cache/object_size" | xargs
	done | awk '{ n += $1; bytes += $1 * $NF } END { printf "%d %d", n, bytes / 1024 }'
}
# What a driver allocates for a device, and more, in KiB
big() {
	in_use /sys/kernel/slab/kmalloc*-[1248]k | cut -d ' ' -f 2
}
# Events that perf core has not yet freed
events() {
	in_use /sys/kernel/slab/perf_event | cut -d ' ' -f 1
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
runs=1000
if [ "$SLOW" ] || { [ -z "$LONG" ] && [ "$DRIVER-$KERNEL" != ours-7.3 ]; }; then
	rounds=25
	runs=100
fi
driver_load && driver_unload
big_before=$(big)
i=0
while [ $i -lt $rounds ]; do
	driver_load && evt -q "{" $e nvidia_scf_pmu_0/cycles/ "}" && driver_unload || break
	i=$((i + 1))
done
is $i $rounds "$rounds times loaded, counted with, unloaded"
grown=$(($(big) - big_before))
# What one device of the ten has takes an object of 4 KiB. The kernel itself
# gains or loses some ten objects, whatever the rounds.
ok $((grown >= rounds * 3)) "which left less than 3 KiB a round in objects of 1 KiB or more"
diag "$grown KiB in $rounds rounds"

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
	echo "references $(refs)"
	actions
}
state >/tmp/before
big_before=$(big)
events_before=$(events)
evt -q $e -- sh -c 'touch /tmp/open; while [ ! -e /tmp/seen ]; do sleep 0.1; done' &
while [ ! -e /tmp/open ]; do
	sleep 0.1
done
is $(($(events) - events_before)) 1 "the slabs show the one event that is open"
touch /tmp/seen
wait

i=0
while [ $i -lt $runs ]; do
	perf stat -x ';' -o "$out" -a -e "$group" true || break
	i=$((i + 1))
done
is $i $runs "$runs short runs of perf stat"

state >/tmp/after
is "$(cat /tmp/after)" "$(cat /tmp/before)" \
	"$runs runs leave module references and interrupt actions where they were"
left=$(($(events) - events_before))
grown=$(($(big) - big_before))
ok $((left > 10)) "and no more than 10 events"
ok $((grown >= 128)) "and less than 128 KiB in objects of 1 KiB or more"
diag "$left events of $events_before, $grown KiB of $big_before"
driver_unload
ok $? "nothing holds the module after it"
done_testing
