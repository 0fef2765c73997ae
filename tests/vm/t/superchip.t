#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario guide-cpu-local-write guide-cpu-local-read guide-cpu-remote-write guide-cpu-remote-read guide-pcie-local-read guide-pcie-remote-read steady steady-changed idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 6.12/in-tree 7.3/in-tree-patched
#: timeout 300
#
# A two-socket Grace Superchip: sysfs attributes, the guide's worked examples,
# steady traffic on every PMU, filters, groups, and refused events.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/golden.sh
. /lib/golden.sh

kinds="scf pcie nvlink_c2c0 nvlink_c2c1 cnvlink"
old_driver="6.12's in-tree driver: no port filter, and events that later ones dropped"

# --- sysfs

want=
for kind in cnvlink nvlink_c2c0 nvlink_c2c1 pcie scf; do
	want="$want nvidia_${kind}_pmu_0 nvidia_${kind}_pmu_1"
done
is "$(cd $pmus && echo nvidia_*)" "${want# }" "each socket has one PMU of each variant and no other"

for kind in $kinds; do
	for socket in 0 1; do
		pmu=nvidia_${kind}_pmu_$socket
		what="$pmu: events, formats, identifier and CPUs are those of 7.3's in-tree driver"
		if intree 6.12; then
			skip "$old_driver" "$what"
			listing $pmu >/tmp/listing
			is "$(golden $kind $((socket * 2)) $((socket * 2))-$((socket * 2 + 1)) |
				grep -v format/port= | grep -vFx -f /tmp/listing)" "" \
				"$pmu: 6.12's in-tree driver has the same attributes except the port filter"
		else
			is "$(listing $pmu)" \
				"$(golden $kind $((socket * 2)) $((socket * 2))-$((socket * 2 + 1)))" "$what"
		fi
	done
done

for kind in $kinds; do
	pmu=nvidia_${kind}_pmu_1
	# power/ is not there without CONFIG_PM
	is "$(cd $pmus/$pmu && echo * | sed 's/ caps / /; s/ power / /')" \
		"associated_cpus cpumask events format identifier perf_event_mux_interval_ms subsystem type uevent" \
		"$pmu: the folder has the entries of the in-tree driver's PMU"
	if ours; then
		is "$(cd $pmus/$pmu/caps && grep '' * | xargs)" \
			"counter_width:64 counters:6 cycle_counter:1" \
			"$pmu: caps/ has six counters of 64 bits and the cycle counter"
	else
		skip "only our driver has caps/" "$pmu: caps/ has six counters of 64 bits and the cycle counter"
	fi
done

# --- the guide's worked examples

s0=nvidia_scf_pmu_0
s1=nvidia_scf_pmu_1
cpu_events="$s0/cmem_wr_total_bytes/ $s0/cmem_rd_data/ $s1/remote_socket_wr_total_bytes/ $s1/remote_socket_rd_data/"

pcie_events() { # SOCKET: the guide's four events of its PCIe PMU
	for e in rd_bytes_loc wr_bytes_loc rd_bytes_rem wr_bytes_rem; do
		echo "nvidia_pcie_pmu_$1/$e,root_port=0x100/"
	done
}
group() {
	echo "$*" | sed 's/ /,/g; s/.*/{&}/'
}

# The PCIe examples run beside the CPU examples: they have no PMU in common.
c2c_events="nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/ nvidia_nvlink_c2c0_pmu_0/wr_bytes_loc/"
(
	out=/tmp/pcie-local
	pmu_stat -e "duration_time,$(group $(pcie_events 0))" model run guide-pcie-local-read
) &
(
	out=/tmp/pcie-remote
	pmu_stat -e "duration_time,$(group $(pcie_events 1)),$(group $c2c_events)" model run guide-pcie-remote-read
) &
for example in \
	"guide-cpu-local-write 1009299148 1213938 1355223 7960" \
	"guide-cpu-local-read 36057808 35572420 24173 4728" \
	"guide-cpu-remote-write 993278696 1040902 961728219 1065136" \
	"guide-cpu-remote-read 19588224 33542984 18771438 36189087"; do
	pmu_stat -e "duration_time,{$s0/cmem_wr_total_bytes/,$s0/cmem_rd_data/},{$s1/remote_socket_wr_total_bytes/,$s1/remote_socket_rd_data/}" \
		model run "${example%% *}"
	is "$(counts $cpu_events)" "${example#* }" \
		"${example%% *}: perf stat prints the guide's counts to the digit"
done
wait
is "$(out=/tmp/pcie-local; counts $(pcie_events 0))" "1168472064 31250176 49152 0" \
	"guide-pcie-local-read: perf stat prints the guide's counts to the digit"
is "$(out=/tmp/pcie-remote; counts $(pcie_events 1) $c2c_events)" \
	"6398720 164096 1073762304 0 1074057216 32768" \
	"guide-pcie-remote-read: perf stat prints the guide's counts of both sockets to the digit"

# --- steady traffic: rate x elapsed. "a" are accesses or requests a second.

steady_events() { # SOCKET REMOTE
	echo "{nvidia_scf_pmu_$1/cycles/,nvidia_scf_pmu_$1/cmem_rd_data/,nvidia_scf_pmu_$1/cmem_wr_total_bytes/,nvidia_scf_pmu_$1/cmem_rd_outstanding/,nvidia_scf_pmu_$1/remote_socket_rd_data/,nvidia_scf_pmu_$1/remote_socket_wr_total_bytes/,nvidia_scf_pmu_$1/socket_$2_rd_access/}"
	echo "{nvidia_pcie_pmu_$1/cycles/,nvidia_pcie_pmu_$1/rd_bytes_loc,root_port=0x3ff/,nvidia_pcie_pmu_$1/rd_bytes_rem,root_port=0x3ff/,nvidia_pcie_pmu_$1/wr_bytes_rem,root_port=0x3ff/,nvidia_pcie_pmu_$1/wr_req_loc,root_port=0x3ff/}"
	echo "{nvidia_nvlink_c2c0_pmu_$1/cycles/,nvidia_nvlink_c2c0_pmu_$1/rd_bytes_loc/,nvidia_nvlink_c2c0_pmu_$1/wr_bytes_loc/,nvidia_nvlink_c2c0_pmu_$1/rd_cum_outs_loc/}"
	echo "{nvidia_nvlink_c2c1_pmu_$1/cycles/,nvidia_nvlink_c2c1_pmu_$1/total_bytes_loc/}"
	echo "{nvidia_cnvlink_pmu_$1/cycles/,nvidia_cnvlink_pmu_$1/total_bytes_loc,rem_socket=0xf/}"
}
# From the flows of steady.scenario. Socket 0's memory gives 64 GB/s to its own
# CPUs and 16 to socket 1's: 80 / 32 = 2.5 G beats; takes 32 + 6.4 + 12.8 and
# 0.32 of a strongly-ordered PCIe write; 1.25 Ga x 100 ns x 3.2 GHz = 400 G.
# Socket 1's: 32 + 3.2 = 35.2 GB/s, 16 + 6.4 + 1.6, 0.55 Ga x 150 ns x 2.8 GHz.
steady_rates="
nvidia_scf_pmu_0/cycles/ 3200000000
nvidia_scf_pmu_0/cmem_rd_data/ 2500000000
nvidia_scf_pmu_0/cmem_wr_total_bytes/ 51520000000
nvidia_scf_pmu_0/cmem_rd_outstanding/ 400000000000
nvidia_scf_pmu_0/remote_socket_rd_data/ 100000000
nvidia_scf_pmu_0/remote_socket_wr_total_bytes/ 8000000000
nvidia_scf_pmu_0/socket_1_rd_access/ 50000000
nvidia_scf_pmu_1/cycles/ 2800000000
nvidia_scf_pmu_1/cmem_rd_data/ 1100000000
nvidia_scf_pmu_1/cmem_wr_total_bytes/ 24000000000
nvidia_scf_pmu_1/cmem_rd_outstanding/ 231000000000
nvidia_scf_pmu_1/remote_socket_rd_data/ 500000000
nvidia_scf_pmu_1/remote_socket_wr_total_bytes/ 12800000000
nvidia_scf_pmu_1/socket_0_rd_access/ 250000000
nvidia_pcie_pmu_0/cycles/ 2000000000
nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3ff/ 6400000000
nvidia_pcie_pmu_0/rd_bytes_rem,root_port=0x3ff/ 3200000000
nvidia_pcie_pmu_0/wr_bytes_rem,root_port=0x3ff/ 1600000000
nvidia_pcie_pmu_0/wr_req_loc,root_port=0x3ff/ 100000000
nvidia_pcie_pmu_1/cycles/ 2000000000
nvidia_pcie_pmu_1/rd_bytes_loc,root_port=0x3ff/ 12800000000
nvidia_pcie_pmu_1/rd_bytes_rem,root_port=0x3ff/ 1600000000
nvidia_pcie_pmu_1/wr_bytes_rem,root_port=0x3ff/ 960000000
nvidia_pcie_pmu_1/wr_req_loc,root_port=0x3ff/ 0
nvidia_nvlink_c2c0_pmu_0/cycles/ 1600000000
nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/ 1600000000
nvidia_nvlink_c2c0_pmu_0/wr_bytes_loc/ 640000000
nvidia_nvlink_c2c0_pmu_0/rd_cum_outs_loc/ 12000000000
nvidia_nvlink_c2c0_pmu_1/cycles/ 1600000000
nvidia_nvlink_c2c0_pmu_1/rd_bytes_loc/ 3200000000
nvidia_nvlink_c2c0_pmu_1/wr_bytes_loc/ 1600000000
nvidia_nvlink_c2c0_pmu_1/rd_cum_outs_loc/ 28000000000
nvidia_nvlink_c2c1_pmu_0/cycles/ 1500000000
nvidia_nvlink_c2c1_pmu_0/total_bytes_loc/ 0
nvidia_nvlink_c2c1_pmu_1/cycles/ 1500000000
nvidia_nvlink_c2c1_pmu_1/total_bytes_loc/ 0
nvidia_cnvlink_pmu_0/cycles/ 1250000000
nvidia_cnvlink_pmu_0/total_bytes_loc,rem_socket=0xf/ 0
nvidia_cnvlink_pmu_1/cycles/ 1250000000
nvidia_cnvlink_pmu_1/total_bytes_loc,rem_socket=0xf/ 0"

steady_run() {
	pmu_stat -e "$(echo $(steady_events 0 1) $(steady_events 1 0) | sed 's/ /,/g')" sleep "${e_try:-0.5}"
	echo "$steady_rates" | sed 1d | rates
}

model start steady
is "$(each_time 0 steady_run)" "" \
	"steady: 38 counts of all ten PMUs are within 2 % of rate x elapsed for each socket" ||
	diag "$(cat /tmp/each)"

# Filters, while steady runs: root port 0 of socket 0 reads 6.4 GB/s, root port
# 1 writes 3.2. The clock is a PMU's cycles in the same group, so the comparison does
# not depend on the guest's time.
per_second() { # CLOCK: counts of evt as events a second, in millions, by the group's cycles
	awk -v clock="$1" '{ v[NR] = $1 } END { for (i = 1; i < NR; i++) printf "%.0f ", v[i] / v[NR] * clock; print "" }'
}
p=nvidia_pcie_pmu_0
is "$(evt -t 100 "{" $p/rd_bytes_loc,0x1/ $p/wr_bytes_loc,0x1/ $p/rd_bytes_loc,0x2/ \
	$p/wr_bytes_loc,0x2/ $p/rd_bytes_loc,0x3/ $p/rd_bytes_loc,0x3fe/ $p/cycles,0x3ff/ "}" | per_second 2000)" \
	"6400 0 0 3200 6400 0 " "root_port: an event counts only the root ports of its filter"
what="root_port: filter 0 selects all root ports"
if intree 6.12; then
	skip "6.12's in-tree driver writes filter 0: no root port" "$what"
else
	is "$(evt -t 100 "{" $p/rd_bytes_loc/ $p/wr_bytes_loc,0/ $p/cycles/ "}" | per_second 2000)" "6400 3200 " "$what"
fi
c=nvidia_nvlink_c2c0_pmu_1
what="port: one C2C port counts half of the traffic, filter 0 counts both ports"
if intree 6.12; then
	skip "6.12's in-tree driver has no port filter" "$what"
else
	is "$(evt -t 100 "{" $c/rd_bytes_loc,1/ $c/rd_bytes_loc,2/ $c/rd_bytes_loc,3/ $c/rd_bytes_loc/ \
		$c/cycles/ "}" | per_second 1600)" "1600 1600 3200 3200 " "$what"
fi
what="bits of config and config1 to config4 that no format has are refused"
if ours; then
	refused=
	for e in $p/rd_bytes_loc,0x400/ $p/rd_bytes_loc,0x401/ $p/rd_bytes_loc,0x1,0x1/ $p/cycles,0x400/ $p/0x200000000/ \
		$p/0x100000005/ $c/rd_bytes_loc,0x4/ nvidia_cnvlink_pmu_0/rd_bytes_loc,0x10/ nvidia_scf_pmu_0/cmem_rd_data,0x1/; do
		[ "$(evt $e)" = "EINVAL $e" ] || refused="$refused $e"
	done
	# A kernel without config3 or config4 refuses it with E2BIG.
	for e in $p/rd_bytes_loc,0x1,0,0x1/ $p/rd_bytes_loc,0x1,0,0,0x1/; do
		case $(evt $e) in "EINVAL $e" | "E2BIG $e") ;; *) refused="$refused $e" ;; esac
	done
	is "$refused" "" "$what"
	is "$(dmesg | grep -c 'grace-cspmu')" 0 "our driver logs no message about refused events"
else
	skip "the in-tree driver ignores them" "$what"
fi

# --- groups

e=nvidia_scf_pmu_0/cmem_rd_access/
is "$(evt -t 100 "{" $e $e $e $e $e $e nvidia_scf_pmu_0/cycles/ "}" | per_second 3200)" \
	"1250 1250 1250 1250 1250 1250 " "a group of six events and cycles is counted together"
is "$(evt "{" $e $e $e $e $e $e $e "}")" "EINVAL $e" "a group of seven events is refused"
is "$(evt "{" nvidia_scf_pmu_0/cycles/ $e nvidia_scf_pmu_0/cycles/ "}")" "EINVAL nvidia_scf_pmu_0/cycles/" \
	"a group with two cycles events is refused"
is "$(evt "{" $e nvidia_scf_pmu_1/cmem_rd_access/ "}")" "EINVAL nvidia_scf_pmu_1/cmem_rd_access/" \
	"a group with events of two PMUs is refused"
is "$(evt "{" cpu-clock $e $e $e $e $e $e nvidia_scf_pmu_0/cycles/ "}" | awk '$1 > 0' | wc -l)" 8 \
	"a software leader uses no counter of the PMU"
is "$(evt "{" cpu-clock $e $e $e $e $e $e $e "}")" "EINVAL $e" "a group of a software leader and seven events is refused"
ten() {
	pmu_stat -e "$(for _ in 1 2 3 4 5 6 7 8 9; do printf '%s,' $e; done)$e" sleep "${e_try:-0.5}"
	[ "$(awk -F ';' '/cmem_rd_access/ && $5 < 90 && $1 > 0' "$out" | wc -l)" = 10 ] || echo "off: $(cat "$out")"
}
is "$(each_time 0 ten)" "" "ten ungrouped events on six counters are multiplexed" || diag "$(cat /tmp/each)"

# --- the control

model stop steady
model start steady-changed
is "$(each_time 2 steady_run)" "$s0/cmem_rd_data/
$s0/cmem_rd_outstanding/" "the control: with one rate changed, only its two counts differ" ||
	diag "$(cat /tmp/each)"
model stop steady-changed
is "$(evt -t 100 $s0/cmem_rd_data/ $s1/cmem_wr_total_bytes/ $p/rd_bytes_loc,0x3ff/ | cut -d ' ' -f 1 | xargs)" \
	"0 0 0" "without traffic all counts are 0"

# --- refused events

is "$(evt -p $e)" "EINVAL $e" "a per-task event is refused"
is "$(evt -s 1000 $e)" "EOPNOTSUPP $e" "a sampling event is refused"
is "$(evt -c 2 $e)" "EINVAL $e" "a CPU of another socket is refused"
is "$(evt -x user $e)" "EINVAL $e" "an event that excludes user mode is refused"
is "$(evt -c 1 -t 10 nvidia_scf_pmu_0/cycles/ | awk '{ print ($1 > 1000000), ($3 > 0) }')" "1 1" \
	"an event opened on another CPU of the socket counts"
echo 2 >/proc/sys/kernel/perf_event_paranoid
is "$(evt -u 65534 $e)" "EACCES $e" "an unprivileged user is refused while perf_event_paranoid is 2"
echo -1 >/proc/sys/kernel/perf_event_paranoid
is "$(evt -u 65534 $e | cut -d ' ' -f 1,4)" "0 $e" "an unprivileged user may count while perf_event_paranoid is -1"
perf record -o /tmp/perf.data -C 0 -e $e true >/tmp/record 2>&1
ok $(($? == 0)) "perf record of an uncore event fails"

done_testing
