#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 6.1 6.12 7.3/in-tree 7.3-16k 7.3-rt 7.3/in-tree-patched
#: timeout 600
#: append irqchip.gicv3_pseudo_nmi=1
#
# A minute of random events (a quarter of it on most kernels without LONG=1):
# any config, config1, config2, groups, CPUs and flags, by root and by a user
# without privileges, the last third with CPUs that go offline and online. The model
# has no traffic, so a count other than of cycles is wrong. Meanwhile the interrupt of the
# cores' PMU, an NMI on kernels with pseudo-NMIs, reads events. The kernel panics at a
# warning, and the test then has no result.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

echo -1 >/proc/sys/kernel/perf_event_paranoid

seconds=20
# The checkers of the debug kernel take most of the time.
[ "$LONG" ] || [ "$KERNEL/$DRIVER" = 7.3/ours ] || [ "$KERNEL" = debug ] || seconds=5

# one SEED [OPTION]...: run fuzz with its statistics in /tmp/fuzz.SEED
one() {
	f_seed=$1
	shift
	fuzz -z -s "$f_seed" -t $seconds "$@" >"/tmp/fuzz.$f_seed" 2>&1
}
# A field of the statistics
stat_of() { # SEED NAME
	sed -n "s/.*$2[ :]\([0-9]*\).*/\1/p" "/tmp/fuzz.$1" | tail -n 1
}
report() { # SEED WHO
	is "$(stat_of "$1" bad)" 0 "fuzz, $2: no impossible count, time or group is read"
	ok $(($(stat_of "$1" grace) < 24)) "fuzz, $2: at least 24 events are opened"
	ok $(($(stat_of "$1" EINVAL) == 0)) "fuzz, $2: malformed events are refused with EINVAL"
	diag "$2: $(tail -n 1 "/tmp/fuzz.$1")"
}

# Reads events of a PMU in the interrupts of its CPU until there is a file /tmp/end. A CPU
# that goes offline ends a run.
interrupts_read() { # PMU
	while [ ! -e /tmp/end ]; do
		in_core_interrupts 5000000 1000 "$1/cmem_rd_data/" "$1/cmem_wr_access/" || sleep 0.1
	done >"/tmp/interrupts.$1"
}
readers=
for pmu in nvidia_scf_pmu_0 nvidia_scf_pmu_1; do
	if reads_in_nmis; then
		interrupts_read $pmu &
		readers="$readers $!"
	fi
done

one 1 &
fuzzer=$!
one 2 -u 65534
wait $fuzzer
report 1 "root"
report 2 "nobody, perf_event_paranoid -1"

echo 2 >/proc/sys/kernel/perf_event_paranoid
one 3 &
fuzzer=$!
one 4 -u 65534
wait $fuzzer
report 3 "root, another seed"
is "$(stat_of 4 bad)" 0 "fuzz, nobody, perf_event_paranoid 2: no impossible count, time or group is read"
is "$(stat_of 4 grace)" 0 "fuzz, nobody, perf_event_paranoid 2: no event of a Grace PMU can be opened"

one 5 &
fuzzer=$!
off=0
while kill -0 $fuzzer 2>/dev/null; do
	for cpus in 0 1 2 3 "2 3"; do
		for c in $cpus; do
			cpu "$c" 0 2>/dev/null && off=$((off + 1))
		done
		for c in $cpus; do
			cpu "$c" 1 2>/dev/null
		done
	done
done
wait $fuzzer
report 5 "root, CPUs going off and on"
ok $((off < 6)) "fuzz: CPUs and the whole second socket went offline while events were open"
diag "$off times"

touch /tmp/end
for reader in $readers; do
	wait "$reader"
done
for pmu in nvidia_scf_pmu_0 nvidia_scf_pmu_1; do
	what="fuzz: interrupts of the cores' PMU read events of $pmu at least 100 times, and no impossible count"
	if [ -z "$readers" ]; then
		skip "the in-tree driver crashes in an NMI" "$what"
		continue
	fi
	is "$(awk '$1 == "samples" { n += $2 } /cmem/ { bad += $1 + $2 } END { print (n >= 100), bad + 0 }' \
		/tmp/interrupts.$pmu)" "1 0" "$what"
done

is "$(evt -t 20 "{" nvidia_scf_pmu_1/cmem_rd_data/ nvidia_scf_pmu_1/cycles/ "}" | awk '{ print ($1 > 0) }' | xargs)" \
	"0 1" "an event counts correctly after the fuzzing"
driver_unload
ok $? "the module can be unloaded after the fuzzing"
done_testing
