#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/in-tree 7.3/in-tree-patched
#: timeout 600
#: perf 7.3
#
# Loading, unloading, and resources leaked by a thousand short runs of perf. Without
# LONG=1, only our driver on 7.3 has a thousand runs, others a tenth. perf before 7.3
# takes up to five times as long to start, as it reads all of sysfs.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

e=nvidia_scf_pmu_0/cmem_rd_data/
module=$(ours && echo grace_cspmu || echo nvidia_cspmu)

refs() {
	awk -v m="$module" '$1 == m { print $3 }' /proc/modules
}
# Every action of each interrupt line, without the counts
actions() {
	awk '{ line = $1; for (i = 2; i <= NF; i++) if ($i !~ /^[0-9]+$/) line = line " " $i; print line }' /proc/interrupts
}
# Objects of slab caches that are in use, and their KiB. The numbers are exact: deferred
# frees have finished when they do not change, and shrinking returns the free objects that CPUs keep.
in_use() { # /sys/kernel/slab/CACHE...
	u_now=
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		u_last=$u_now
		sleep 1
		u_now=$(for cache; do
			echo 1 >"$cache/shrink"
			cat "$cache/objects" "$cache/object_size" | xargs
		done | awk '{ n += $1; bytes += $1 * $NF } END { printf "%d %d", n, bytes / 1024 }')
		[ "$u_now" != "$u_last" ] || break
	done
	echo "$u_now"
}
# KiB of the sizes that a driver allocates for a device, and of other objects
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
like "$(cat /tmp/rmmod)" "unavailable|in use|busy" "rmmod reports that the module is in use"
is "$(awk 'NR == 1 { print ($3 > 0) }' /tmp/counts)" 1 "the event continues to count after the failed unload"
is "$(refs)" "$idle_refs" "closing the event releases its reference to the module"

log_mark
before=$(cd /sys/bus/event_source/devices && ls)
others=$(echo "$before" | grep -v nvidia_)
driver_unload
ok $? "the idle module can be unloaded"
is "$(cd /sys/bus/event_source/devices && ls)" "$others" "unloading the module removes its PMUs"
is "$(actions | grep -ciE 'cspmu|cs-arch')" 0 "unloading the module removes its interrupt actions"
is "$(evt $e)" "ENODEV $e" "an event of the unloaded module cannot be opened"

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
is $i $rounds "the module is loaded, used and unloaded $rounds times"
grown=$(($(big) - big_before))
# The data of one device of the ten takes an object of 4 KiB. The kernel itself
# gains or loses about ten objects, independently of the rounds.
ok $((grown >= rounds * 3)) "loading and unloading leaks less than 3 KiB per round in objects of 1 KiB or more"
diag "$grown KiB in $rounds rounds"

# A CPU that goes offline migrates the events of its PMUs, which must exclude a PMU
# that is being removed
what="the module is unloaded 10 times while the counting CPUs go offline and come back"
if mended; then
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
	skip "the in-tree driver does not serialise the two" "$what"
fi
driver_load
ok $? "the module loads again after the unloads"
is "$(cd /sys/bus/event_source/devices && ls)" "$before" "the reloaded module has the same PMUs"
is "$(kernel_log 'grace.cspmu|cs-arch-pmu')" "" "loading and unloading logs no message"

# --- a thousand short runs

model start steady
group="{nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cycles/},{nvidia_pcie_pmu_1/rd_bytes_loc/,nvidia_pcie_pmu_1/cycles/}"
warm() { # the same as the runs, to fill caches before the first reading
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
is $(($(events) - events_before)) 1 "the slab statistics show the one open event"
touch /tmp/seen
wait

i=0
while [ $i -lt $runs ]; do
	perf stat -x ';' -o "$out" -a -e "$group" true || break
	i=$((i + 1))
done
is $i $runs "perf stat succeeds in $runs short runs"

state >/tmp/after
is "$(cat /tmp/after)" "$(cat /tmp/before)" \
	"$runs runs of perf stat leak no module reference and no interrupt action"
left=$(($(events) - events_before))
grown=$(($(big) - big_before))
ok $((left > 10)) "$runs runs of perf stat leak no more than 10 events"
ok $((grown >= 128)) "$runs runs of perf stat leak less than 128 KiB in objects of 1 KiB or more"
diag "$left events of $events_before, $grown KiB of $big_before"
driver_unload
ok $? "the module can be unloaded after the runs of perf stat"
done_testing
