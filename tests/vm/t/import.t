#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady idle
#: kernels 6.1 6.12 7.3
#: drivers ours in-tree
#: long 6.1 6.12 7.3/in-tree
#: userland yes
#: timeout 300
#
# gpmu import of recordings that Debian's unmodified perf makes of a group led by cpu-clock: the counters of the SCF
# are rates on the PMU's CPU, which add up to the counts in the samples. libgpmu reads all
# fields of all samples of these and other recordings as perf script prints them.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/samples.sh
. /lib/samples.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH
data=/tmp/perf.data
trace=/tmp/app.pftrace

# imports CPU EVENT...: compares each event's counter with perf script, which prints the counts since the previous sample
imports() {
	cpu=$1
	shift
	gpmu import $data -o $trace >/tmp/import 2>&1
	is $? 0 "$what: gpmu import succeeds" || diag "$(cat /tmp/import)"
	gpmu report --by counter --format csv $trace >/tmp/counters 2>/tmp/report.err
	perf script --ns -i $data -F cpu,time,period,event >/tmp/script 2>/tmp/script.err
	for event; do
		# The count up to the first sample has no begin
		near "$(awk -F , -v event="$event" -v of="CPU $cpu" '$1 == event && $2 == of { print $4 }' /tmp/counters)" \
			"$(awk -v event="$event:" -v cpu="$cpu" '
				substr($1, 2) + 0 != cpu { next }
				{ time = $2 + 0; if (!first) first = time; last = time }
				$4 == event && time != first { sum += $3 }
				END { printf "%.3f", sum / (last - first) }' /tmp/script)" 0.001 \
			"$what: the counter of $event is the sum of the samples that perf script prints, per second" ||
			diag "$(cat /tmp/counters; head -n 6 /tmp/script)"
	done
}

model start steady
for socket in 0 1; do
	pmu=nvidia_scf_pmu_$socket
	what="socket $socket"
	perf record -q -o $data -C "$(cat $pmus/$pmu/cpumask)" -c 2000000 \
		-e "{cpu-clock,$pmu/cmem_rd_data/,$pmu/cycles/}:S" -- sleep 0.5 >/tmp/record 2>&1
	is $? 0 "$what: perf record of a group that cpu-clock samples succeeds" || diag "$(cat /tmp/record)"
	imports "$(cat $pmus/$pmu/cpumask)" $pmu/cmem_rd_data/ $pmu/cycles/
	# Both events are read one after the other, and the host may stall the CPU in between
	near "$(awk -F , -v d="$pmu/cmem_rd_data/" -v c="$pmu/cycles/" '$1 == d { beats = $4 } $1 == c { cycles = $4 }
		END { print beats / cycles }' /tmp/counters)" "$([ $socket = 0 ] && echo 0.78125 || echo 0.392857)" 5 \
		"$what: the counters have the model's beats per cycle"
done
what="all CPUs"
# The PMU refuses exclude_guest, which perf sets without GH. perf 6.1 then repeats without -k first, and gives up.
perf record -q -k monotonic_raw -a -o $data -c 2000000 -e '{cpu-clock,nvidia_scf_pmu_0/cmem_rd_data/}:SGH' -- sleep 0.5 >/tmp/record 2>&1
is $? 0 "$what: perf record -k monotonic_raw of a group that cpu-clock samples succeeds" || diag "$(cat /tmp/record)"
imports "$(cat $pmus/nvidia_scf_pmu_0/cpumask)" nvidia_scf_pmu_0/cmem_rd_data/

# --- all fields

# compares NAME FIELDS PERF-OPTION... -- COMMAND...: records COMMAND, and compares these fields of all samples
compares() {
	what=$1
	fields=$2
	shift 2
	perf record -q -o $data --sample-cpu "$@" >/tmp/record 2>&1
	is $? 0 "$what: perf record succeeds" || diag "$(cat /tmp/record)"
	same_samples "$what" $data "$fields"
}
ids=pid,tid,cpu,misc,time,period,event,ip
spin='i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done; cat /proc/self/stat'
more=addr,data_src,weight,iregs,uregs,phys_addr,data_page_size,code_page_size
! perf script -F help 2>&1 | grep -q cgroup || more=$more,cgroup	# not in 6.1
mkdir /tmp/cgroup
mount -t cgroup -o perf_event none /tmp/cgroup
mkdir /tmp/cgroup/one
echo $$ >/tmp/cgroup/one/cgroup.procs
compares "call chains, registers, pages and cgroups" $ids,$more -e cpu-clock,cycles -c 1000000 -g -d --phys-data --data-page-size \
	--code-page-size -W -T -P --all-cgroups --intr-regs --user-regs=x0,x1,sp,pc -- sh -c "$spin"
same_symbols "$what" $data
compares "copies of stacks" $ids -e page-faults -c 1 --call-graph dwarf,1024 -- true
compares "a group" $ids -C "$(cat $pmus/nvidia_scf_pmu_0/cpumask)" -c 2000000 \
	-e '{cpu-clock,nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cycles/}:S' -- sleep 0.1
points='-e sched:sched_switch -e sched:sched_wakeup -e sched:sched_process_exec'
! ours || points="$points -e grace_cspmu:*"
compares "tracepoints" $ids,trace -a $points -- perf stat -a -e nvidia_scf_pmu_0/cycles/ true
same_symbols "$what" $data
! ours || like "$(TRACEEVENT_PLUGIN_DIR=/usr/lib/traceevent/plugins perf script -i $data -F event,trace 2>&1)" \
	'counter_stop: nvidia_scf_pmu_0/cycles/ counter=' "tracepoints: perf script with our plugin of libtraceevent prints the names of events"
model stop steady
done_testing
