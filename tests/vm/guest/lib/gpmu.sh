# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2034
#
# Functions for the guest's test scripts in busybox sh, sourced after /lib/tap.sh.

pmus=/sys/bus/event_source/devices
out=/tmp/stat
# The debug kernel is several times slower
[ "$KERNEL" = debug ] && SLOW=1

# Whether the driver under test is ours, the unpatched in-tree one of a kernel, or one
# without the faults of the in-tree driver: ours, or the in-tree one with our patches
ours() {
	[ "$DRIVER" = ours ]
}
intree() { # [KERNEL]
	[ "$DRIVER" = in-tree ] && [ "${1:-$KERNEL}" = "$KERNEL" ]
}
mended() {
	[ "$DRIVER" != in-tree ]
}

# pmu_stat ARGS...: runs perf stat system-wide, unless ARGS name CPUs, with its values in $out
pmu_stat() {
	perf stat -x ';' -o "$out" -a "$@" >/tmp/stat.cmd 2>/tmp/stat.err
}

# count EVENT: its value in the last pmu_stat
count() {
	awk -F ';' -v event="$1" '$3 == event { print $1; found = 1; exit }
		END { if (!found) print "no " event }' "$out"
}

# counts EVENT...: their values, in this order, in one line
counts() {
	c_line=
	for c_event; do
		c_line="$c_line $(count "$c_event")"
	done
	echo "${c_line# }"
}

# metric_stat ARGS...: like pmu_stat, with JSON output, which has all digits of a metric
metric_stat() {
	perf stat -j -o "$out" -a "$@" >/tmp/stat.cmd 2>/tmp/stat.err
}

# field NAME: of each line of JSON on standard input
field() {
	sed -n "s/.*\"$1\" : \"*\([^\",}]*\).*/\1/p"
}

# metric NAME [SOCKET]: its value in the last metric_stat, from the line with perf's
# label of SOCKET, which is its physical_package_id
metric() {
	m_label=
	[ -z "$2" ] || m_label=$(cat "/sys/devices/system/cpu/cpu$(($2 * 2))/topology/physical_package_id")
	m_lines=$(grep -E "\"metric-unit\" : \"([^\"]* )?$1\"" "$out")
	[ -z "$2" ] || m_lines=$(echo "$m_lines" | grep "\"socket\" : \"S$m_label\"")
	[ "$m_lines" ] || m_lines="\"metric-value\" : \"no $1\""
	echo "$m_lines" | head -n 1 | field metric-value
}

# metric_elapsed: duration_time of the last metric_stat, in ns
metric_elapsed() {
	grep '"event" : "duration_time"' "$out" | field counter-value | head -n 1
}

# far NAME GOT WANT PERCENT: prints "NAME: ..." unless GOT is a number within PERCENT of WANT
far() {
	echo "$2 $3 $4" | awk '
		$1 !~ /^-?[0-9.]+(e[+-]?[0-9]+)?$/ { exit 1 }
		{ d = $1 - $2; if (d < 0) d = -d; w = $2 < 0 ? -$2 : $2; exit !(d <= w * $3 / 100) }' ||
		echo "$1: got $2, want $3 within $4 %"
}

# near GOT WANT PERCENT DESCRIPTION: a test of a value that does not depend on time; for rates see each_time
near() {
	n_far=$(far near "$1" "$2" "$3")
	if [ "$n_far" ]; then
		ok 1 "$4"
		diag "${n_far#near: }"
		return 1
	fi
	ok 0 "$4"
}

# rates < "EVENT PER_SECOND"...: prints a line for each event of the last pmu_stat that
# is not within 2 % of its rate over the running time in perf's output; a rate of 0 is
# exact
rates() {
	awk -F ';' '
		NR == FNR { split($0, f, " "); want[f[1]] = f[2]; order[++n] = f[1]; next }
		{ got[$3] = $1; ns[$3] = $4 }
		END {
			for (i = 1; i <= n; i++) {
				e = order[i]
				w = want[e] * ns[e] / 1e9
				g = e in got ? got[e] : "nothing"
				d = g - w
				if (g !~ /^[0-9]+$/ || (d < 0 ? -d : d) > w * 0.02)
					printf "%s: got %s in %d ns, want %.0f\n", e, g, ns[e], w
			}
		}' - "$out"
}

# each_time LINES COMMAND...: runs COMMAND up to four times and prints the names from
# its output lines "NAME: ..." that occur in every run. It stops early when no more
# than LINES names are left. It is for comparisons with elapsed time: the host may stall
# an emulated CPU between reading the clock and starting the counters. A correct count
# then differs, but not in every run, and less with a longer measurement. $e_try is the
# seconds to measure, empty in the first run.
each_time() {
	e_enough=$1
	e_try=
	shift
	"$@" | tee /tmp/each | sed 's/:.*//' >/tmp/each.names
	for e_try in 2 5 12; do
		[ "$(wc -l </tmp/each.names)" -gt "$e_enough" ] || break
		"$@" >/tmp/each
		sed 's/:.*//' /tmp/each | grep -Fx -f /tmp/each.names >/tmp/each.both
		mv /tmp/each.both /tmp/each.names
	done
	cat /tmp/each.names
}

# device N: the platform device of the board's PMU N. 6.12's APMT code and our driver
# let the driver core number the devices, which adds .auto.
device() {
	if [ "$KERNEL" = 6.1 ] || [ -e "/sys/bus/platform/devices/arm-cs-arch-pmu.$1.auto" ]; then
		echo "arm-cs-arch-pmu.$1.auto"
	else
		echo "arm-cs-arch-pmu.$1"
	fi
}

# line_of N: our driver's messages about device N in the kernel log, without the error that dev_err_probe() adds
line_of() {
	dmesg | sed -n "s/.*grace-cspmu $(device "$1"): \(error -[A-Z0-9]*: \)\{0,1\}//p"
}

# interrupts N: the number of interrupts on the line of PMU N
interrupts() {
	awk -v name=" $(device "$1")(,|\$)" '$0 ~ name { for (i = 2; i <= 5; i++) n += $i } END { print n + 0 }' /proc/interrupts
}

# cpu N 0|1: takes CPU N offline or online
cpu() {
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

# kernel_log PATTERN: the lines of the kernel log since log_mark that match
log_mark() {
	log_from=$(dmesg | wc -l)
}
kernel_log() {
	dmesg | tail -n "+$((log_from + 1))" | grep -E -- "$1"
}
log_from=0

# core_interrupt: the number of the interrupt of the cores' PMU, an NMI on kernels with
# pseudo-NMIs
core_interrupt() {
	sed -n 's/^ *\([0-9]*\):.* arm-pmu$/\1/p' /proc/interrupts
}

# has_nmis: whether this kernel is built with pseudo-NMIs
has_nmis() {
	zcat /proc/config.gz 2>/dev/null | grep -q '^CONFIG_ARM64_PSEUDO_NMI=y'
}

# reads_in_nmis: whether the driver can be read in the interrupt of the cores' PMU. The
# in-tree one accesses a wild address in an NMI that interrupts the addition of an event.
reads_in_nmis() {
	mended || ! has_nmis
}

# in_core_interrupts PERIOD MS EVENT...: samples a group of EVENTs of one PMU, led by the
# tracepoint of that interrupt, on the PMU's CPU, where it is raised each PERIOD cycles.
# perf would lower its sampling rates for good, as reads of the model take long.
in_core_interrupts() {
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	i_period=$1 i_ms=$2 i_pmu=${3%%/*}
	shift 2
	evt -q -s "$i_period" -c "$(cat "$pmus/$i_pmu/cpumask")" armv8_pmuv3_0/0x11/ -- \
		evt -S 1 -t "$i_ms" -f "irq==$(core_interrupt)" \
		"{" "tracepoint/$(cat /sys/kernel/tracing/events/irq/irq_handler_entry/id)/" "$@" "}"
}

# driver_load, driver_unload: load and unload the modules of the driver under test
driver_load() {
	if ours; then
		insmod /lib/gpmu/grace_cspmu.ko "$@"
	else
		insmod /lib/gpmu/arm_cspmu_module.ko && insmod /lib/gpmu/nvidia_cspmu.ko
	fi
}
driver_unload() {
	if ours; then
		rmmod grace_cspmu
	else
		rmmod nvidia_cspmu && rmmod arm_cspmu_module
	fi
}
