#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/in-tree 7.3/in-tree-patched
#: timeout 300
#
# CPUs that go offline and come back, one of a socket or all, with events open.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

scf0=nvidia_scf_pmu_0
scf1=nvidia_scf_pmu_1

interrupt() { # the interrupt number of PMU 0
	awk -v name=" $(device 0)\$" '$0 ~ name { print $1 + 0 }' /proc/interrupts
}
affinity() { # the requested and the effective affinity of PMU 0's interrupt
	cat "/proc/irq/$(interrupt)/smp_affinity_list" "/proc/irq/$(interrupt)/effective_affinity_list" | xargs
}
came() { # the number of PMU 0's interrupts on CPU $1
	awk -v name=" $(device 0)\$" -v cpu="CPU$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == cpu) column = i + 1 }
		$0 ~ name { print $column }' /proc/interrupts
}
masks() { # PMU: cpumask and associated_cpus
	echo "$(cat $pmus/$1/cpumask) of $(cat $pmus/$1/associated_cpus)"
}

# Reads counts before, while and after CPU $1 is offline, for ${e_try:-0.1} s in the end: each must grow, and at the
# end the count must match the rate: 1.25 Ga at 3.2 GHz, by the group's cycles.
across() { # OFF EVENT CYCLES
	evt "{" "$2" "$3" "}" -- sh -c "
		sleep 0.1; evt -R >/tmp/a
		echo 0 >/sys/devices/system/cpu/cpu$1/online
		evt -R >/tmp/b; sleep 0.2; evt -R >/tmp/c
		echo 1 >/sys/devices/system/cpu/cpu$1/online
		evt -R >/tmp/d; sleep ${e_try:-0.1}" >/tmp/e
}
grows() { # whether the first event's count grew from file to file
	for f in a b c d e; do
		head -n 1 /tmp/$f
	done | awk '$1 <= last { exit 1 } { last = $1 } END { exit NR != 5 }'
}
# The two counters of a group stop one after the other when the group moves to another CPU.
ratio() { # prints the ratio of the two events at the end, x 1000, unless it is 1.25 / 3.2 = 0.390625
	far ratio "$(awk '{ v[NR] = $1 } END { printf "%.0f", v[1] / v[2] * 1000 }' /tmp/e)" 391 2
}
again() { # like ratio, after it failed once: CPU 0 counts again and goes offline
	if [ "$e_try" ]; then
		cpu 1 0
		cpu 1 1
		across 0 $scf0/cmem_rd_access/ $scf0/cycles/
	fi
	ratio
}

model start steady

# --- one CPU of a socket

is "$(masks $scf0)" "0 of 0-1" "cpumask of socket 0's PMU is initially CPU 0"
across 0 $scf0/cmem_rd_access/ $scf0/cycles/
ok $? "the counting CPU goes offline and comes back while a group is open"
grows
ok $? "the group counts before, while and after the CPU is offline"
is "$(each_time 0 again)" "" "the two counts of the group keep their ratio of 1.25 reads to 3.2 cycles" ||
	diag "$(cat /tmp/each)"
is "$(masks $scf0)" "1 of 0-1" "CPU 1 remains the counting CPU after CPU 0 came back"
is "$(cat $pmus/nvidia_pcie_pmu_0/cpumask $pmus/nvidia_cnvlink_pmu_0/cpumask | xargs)" "1 1" \
	"CPU 1 also counts for the socket's other PMUs"
is "$(masks $scf1)" "2 of 2-3" "the cpumask of the other socket is unchanged"

cpu 0 0
is "$(evt -t 50 $scf0/cmem_rd_access/ | awk '{ print ($1 > 0) }')" 1 \
	"an event opened while a CPU outside of cpumask is offline counts"
is "$(evt -c 0 -t 50 $scf0/cmem_rd_access/ | awk '{ print ($1 > 0) }')" 1 \
	"an event opened on the offline CPU is counted by the CPU in cpumask"
cpu 0 1
is "$(masks $scf0)" "1 of 0-1" "cpumask is unchanged when a CPU outside of it goes offline"
cpu 1 0
is "$(masks $scf0)" "0 of 0-1" "CPU 0 counts again when CPU 1 goes offline"
cpu 1 1
is "$(evt -t 50 $scf0/cmem_rd_access/ | awk '{ print ($1 > 0) }')" 1 "an event opened after the changes of the CPU counts"

if [ "$(cat $pmus/$scf0/perf_event_mux_interval_ms)" ]; then
	changes() {
		pmu_stat -e "{$scf0/cmem_rd_access/,$scf0/cycles/}" -- sh -c "for i in 1 2 3; do for c in 0 1; do
			echo 0 >/sys/devices/system/cpu/cpu\$c/online
			sleep ${e_try:-0.05}
			echo 1 >/sys/devices/system/cpu/cpu\$c/online
		done; done"
		far ratio "$(counts $scf0/cmem_rd_access/ $scf0/cycles/ | awk '{ print $1 / $2 }')" 0.390625 1
	}
	is "$(each_time 0 changes)" "" "perf stat counts through six changes of the CPU" || diag "$(cat /tmp/each)"
fi

# --- the whole socket

what="the count of an open event is kept and does not grow after the last CPU went offline"
evt $scf1/cmem_rd_access/ -- sh -c '
	sleep 0.1
	evt -R >/tmp/a
	echo 0 >/sys/devices/system/cpu/cpu2/online
	echo 0 >/sys/devices/system/cpu/cpu3/online
	evt -R >/tmp/b
	sleep 0.2
	evt -R >/tmp/c
	cat /sys/bus/event_source/devices/nvidia_scf_pmu_1/cpumask >/tmp/mask
	evt -c 2 nvidia_scf_pmu_1/1/ >/tmp/open2
	evt -c 0 nvidia_scf_pmu_1/1/ >/tmp/open0
	evt -t 50 nvidia_scf_pmu_0/cmem_rd_access/ >/tmp/other
	echo 1 >/sys/devices/system/cpu/cpu3/online
	evt -R >/tmp/d
	sleep 0.1
	cat /sys/bus/event_source/devices/nvidia_scf_pmu_1/cpumask >>/tmp/mask' >/tmp/e
ok $? "the last CPU of a socket goes offline and one comes back while an event is open"
is "$(cut -d ' ' -f 1 /tmp/b /tmp/c /tmp/d /tmp/e | sort -u | wc -l)" 1 "$what"
ok $(($(cut -d ' ' -f 1 /tmp/a) > $(cut -d ' ' -f 1 /tmp/b))) "the count of an open event is not reset when the last CPU goes offline"
is "$(sed 's/^$/none/' /tmp/mask | xargs)" "none 3" "cpumask is empty while the socket is offline, then the CPU that came back"
like "$(cat /tmp/open2)" "^(EINVAL|ENODEV) " "an event on a socket without an online CPU is refused"
is "$(cat /tmp/open0)" "EINVAL nvidia_scf_pmu_1/1/" "an event of the offline socket on a CPU of the other socket is refused"
ok $(($(cut -d ' ' -f 1 /tmp/other) == 0)) "the other socket counts while one is offline"
is "$(evt -t 50 "{" $scf1/cmem_rd_access/ $scf1/cycles/ "}" | awk '{ v[NR] = $1 } END { printf "%.3f", v[1] / v[2] }')" \
	0.196 "an event opened after the socket's return counts 0.55 reads to 2.8 cycles"
cpu 2 1
is "$(masks $scf1)" "3 of 2-3" "the first CPU to come back remains the counting CPU"

model stop steady

# --- the interrupt follows the counting CPU

is "$(affinity)" "0 0" "the affinity of the interrupt is the counting CPU"
before=$(came 1)
# 2^64 + 5 - 0x7fffffffffffffff
evt $scf0/cmem_rd_data/ -- sh -c '
	echo 0 >/sys/devices/system/cpu/cpu0/online
	model preset 0 0 5; model raise 0 0; model await 0 0 write
	evt -R' >/tmp/moved
is "$(cut -d ' ' -f 1 /tmp/moved | xargs)" "9223372036854775814 9223372036854775814" \
	"an overflow after the event has moved to another CPU is counted exactly"
ok $(($(came 1) == before)) "the overflow interrupt ran on the CPU to which the event moved"
cpu 0 1
is "$(affinity)" "1 1" "the affinity of the interrupt is unchanged when the first CPU comes back"
cpu 1 0
is "$(affinity)" "0 0" "the affinity of the interrupt follows the counting CPU back"
cpu 1 1

for c in 0 1 2 3; do
	cpu $c 0 2>/dev/null
	cpu $c 1
done
is "$(evt -t 50 $scf0/cmem_rd_data/ $scf1/cmem_rd_data/ | cut -d ' ' -f 1 | xargs)" "0 0" \
	"without traffic the counts are 0 after all CPUs were offline in turn"
done_testing
