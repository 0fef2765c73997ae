#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/ours 7.3/in-tree-patched
#: timeout 300
#: append irqchip.gicv3_pseudo_nmi=1
#
# Leader sampling: a sampling event's interrupt reads the counts of the others
# in its group, so the driver's reads run in hard-interrupt context. A tracepoint in the
# interrupt of the cores' PMU makes them run in an NMI on kernels with pseudo-NMIs, which
# are those of tests/vm/kernel.config; Debian's have none.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

data=/tmp/perf.data
# ring EVENT EVENT COMMAND...: prints how the samples in the output of COMMAND, which go into /tmp/ring, differ from more
# than 10, none of which is lost, with counts that grow and never fall, and two of the first EVENT, data beats, to one of
# the second. A sample reads one counter after the other while they count, and the host may stall the CPU in between.
ring() {
	r_data=$1 r_access=$2
	shift 2
	"$@" >/tmp/ring || echo "status: $?"
	[ "$(awk '$1 == "samples" { print ($2 > 10), $4 }' /tmp/ring)" = "1 0" ] || echo "samples: $(head -n 1 /tmp/ring)"
	[ "$(awk -v e="$r_data" '$4 == e { print ($2 > $1), $3 }' /tmp/ring)" = "1 0" ] || echo "growth: $(cat /tmp/ring)"
	far ratio "$(awk -v d="$r_data" -v a="$r_access" '
		$4 == d { x = $2 - $1 } $4 == a { y = $2 - $1 } END { if (y) print x / y }' /tmp/ring)" 2 5
}
# not NAME DESCRIPTION: a test that NAME is not in /tmp/off, the output of each_time
not() {
	is "$(grep -x "$1" /tmp/off)" "" "$2" || diag "$(cat /tmp/each)"
}
model start steady

what="the cores' PMU interrupts by pseudo-NMIs"
if has_nmis; then
	is "$(dmesg | grep -c -e 'Pseudo-NMIs enabled' -e 'armv8_pmuv3_0 PMU driver.*, using NMIs')" 2 "$what" ||
		diag "$(dmesg | grep -i -e nmi -e armv8_pmuv3)"
else
	skip "this kernel has no pseudo-NMIs" "$what"
fi

for socket in 0 1; do
	pmu=nvidia_scf_pmu_$socket
	cpu=$(cat $pmus/$pmu/cpumask)

	# cpu-clock every 2 ms for half a second
	clock() {
		evt -S 2000000 -t $((${e_try:-0} * 300 + 500)) "{" cpu-clock $pmu/cmem_rd_data/ $pmu/cmem_rd_access/ $pmu/cycles/ "}"
	}
	each_time 0 ring $pmu/cmem_rd_data/ $pmu/cmem_rd_access/ clock >/tmp/off
	not status "socket $socket: a group led by cpu-clock is sampled"
	not samples "socket $socket: half a second has more than 10 samples and no lost one"
	not growth "socket $socket: the count grows from sample to sample and never falls"
	# A read of 64 bytes is two beats, whatever the sample's time
	not ratio "socket $socket: two data beats per read are counted between first and last sample"

	# 2.5 and 1.1 G beats a second: the sum of a sample's increments
	want=$([ $socket = 0 ] && echo 2500000000 || echo 1100000000)
	recorded() {
		perf record -o $data -C "$cpu" -c 2000000 -e "{cpu-clock,$pmu/cmem_rd_data/}:S" -- sleep "${e_try:-0.5}" >/tmp/record 2>&1 ||
			echo "status: $(cat /tmp/record)"
		perf script -i $data -F event,period,time >/tmp/script 2>/tmp/script.err
		[ "$(grep -c "cmem_rd_data" /tmp/script)" -gt 10 ] || echo "values: $(grep -c "cmem_rd_data" /tmp/script)"
		far rate "$(awk '
			{ t = ""; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) t = $i + 0 }
			/cmem_rd_data/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) v = $i
				if (!first) first = t; else sum += v; last = t }
			END { if (last > first) printf "%.0f", sum / (last - first) }' /tmp/script)" "$want" 2
	}
	each_time 0 recorded >/tmp/off
	not status "socket $socket: perf record -C $cpu -e '{cpu-clock,$pmu/cmem_rd_data/}:S' succeeds"
	not values "socket $socket: perf script shows more than 10 values of the count"
	not rate "socket $socket: the values add up to the rate over the time of the samples"
	in_interrupts="socket $socket: a group led by a tracepoint in the interrupt of the cores' PMU"
	if reads_in_nmis; then
		evt -q -n 40 -t 5 "{" $pmu/cmem_wr_data/ $pmu/cycles/ "}" &
		each_time 0 ring $pmu/cmem_rd_data/ $pmu/cmem_rd_access/ \
			in_core_interrupts 1000000 500 $pmu/cmem_rd_data/ $pmu/cmem_rd_access/ >/tmp/off
		not 's[a-z]*' "$in_interrupts has more than 10 samples and no lost one"
		not growth "$in_interrupts: the count grows from sample to sample and never falls"
		not ratio "$in_interrupts: two data beats per read are counted"
		wait
	else
		skip "the in-tree driver crashes in an NMI" "$in_interrupts"
	fi

	perf report -i $data --stdio >/tmp/report 2>/tmp/report.err
	is "$(grep -c cpu-clock /tmp/report | sed 's/[1-9].*/some/') $(grep -c cmem_rd_data /tmp/report | sed 's/[1-9].*/some/')" \
		"some some" "socket $socket: perf report shows the group, its leader and its member" || diag "$(cat /tmp/report)"
done

is "$(evt -p -S 2000000 "{" cpu-clock nvidia_scf_pmu_0/cmem_rd_data/ "}")" "EINVAL nvidia_scf_pmu_0/cmem_rd_data/" \
	"a sampled group of a task is refused"

model stop steady
evt -S 1000000 -t 300 "{" cpu-clock nvidia_scf_pmu_0/cmem_rd_data/ nvidia_scf_pmu_0/cmem_wr_access/ "}" >/tmp/ring
is "$(awk 'NR > 2 { print $1, $2, $3 }' /tmp/ring)" "0 0 0
0 0 0" "without traffic every sample has a count of 0"
done_testing
