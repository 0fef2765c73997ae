#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario steady
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/ours 7.3/in-tree-patched
#: timeout 300
#
# Every event of every PMU of a Superchip, by its sysfs name, against its rate
# in steady.scenario. The clock of the comparison is the cycle counter of the
# same group: all counters of a PMU start and stop together, so the quotient is
# exact except for the last request, also on a slow machine.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# EVENT, then millions a second in socket 0 and socket 1. a: requests, B: bytes,
# b: beats of 32 bytes, all in units of 10^9 below.
#
# cmem 0: reads 1 a (64 B, 2 b) of its CPUs, 0.25 a (16 B, 0.5 b) of socket 1's; write-backs 0.5 a and
#   0.2 a, 2 b each a; writes 0.2 a (6.4 B) and 0.01 a (0.32 B, strongly-ordered PCIe of socket 1)
#   in flight: (1 + 0.25) a x 100 ns x 3.2 GHz = 400
# cmem 1: reads 0.5 a (32 B, 1 b) and 0.05 a (3.2 B, 0.1 b); write-backs 0.25 a and 0.1 a; writes 0.05 a
#   (1.6 B); in flight: 0.55 a x 150 ns x 2.8 GHz = 231
# remote of 0 = socket_1 in socket 0: 0.05 a (0.1 b) reads, 250 ns x 3.2 GHz x 0.05 = 40; write-backs
#   0.1 a (0.2 b, 6.4 B); writes 0.05 a (1.6 B)
# remote of 1 = socket_0 in socket 1: 0.25 a (0.5 b) reads, 200 ns x 2.8 GHz x 0.25 = 140; write-backs
#   0.2 a (0.4 b, 12.8 B)
# scf_cache: 0: 1 + 0.5 + 0.2 + 0.2 (served by the cache) and 0.25 + 0.2 + 0.01; 1: 0.5 + 0.25 and
#   0.05 + 0.1 + 0.05; refill: reads that reach memory; allocate: those and write-backs; wb: write-backs
scf="
bus_cycles 3200 2800
scf_cache 2360 950
scf_cache_refill 1250 550
scf_cache_allocate 1950 900
scf_cache_wb 700 350
cmem_rd_data 2500 1100
cmem_rd_access 1250 550
cmem_rd_outstanding 400000 231000
cmem_wb_data 1400 700
cmem_wb_access 700 350
cmem_wr_data 6720 1600
cmem_wr_access 210 50
cmem_wr_total_bytes 51520 24000
gmem_rd_data 0 0
gmem_rd_access 0 0
gmem_rd_outstanding 0 0
gmem_wb_data 0 0
gmem_wb_access 0 0
gmem_wr_data 0 0
gmem_wr_access 0 0
gmem_wr_total_bytes 0 0
remote_socket_rd_data 100 500
remote_socket_rd_access 50 250
remote_socket_rd_outstanding 40000 140000
remote_socket_wr_total_bytes 8000 12800
socket_0_rd_data 0 500
socket_0_rd_access 0 250
socket_0_rd_outstanding 0 140000
socket_0_wb_data 0 400
socket_0_wb_access 0 200
socket_0_wr_data 0 0
socket_0_wr_access 0 0
socket_1_rd_data 100 0
socket_1_rd_access 50 0
socket_1_rd_outstanding 40000 0
socket_1_wb_data 200 0
socket_1_wb_access 100 0
socket_1_wr_data 1600 0
socket_1_wr_access 50 0
socket_2_rd_data 0 0
socket_2_rd_access 0 0
socket_2_rd_outstanding 0 0
socket_2_wb_data 0 0
socket_2_wb_access 0 0
socket_2_wr_data 0 0
socket_2_wr_access 0 0
socket_3_rd_data 0 0
socket_3_rd_access 0 0
socket_3_rd_outstanding 0 0
socket_3_wb_data 0 0
socket_3_wb_access 0 0
socket_3_wr_data 0 0
socket_3_wr_access 0 0"

# Socket 0: local reads 6.4 B (0.1 a, 500 ns x 2 GHz), writes 3.2 B (0.1 a); remote reads 3.2 B (0.05 a,
# 700 ns x 2 GHz), writes 1.6 B (0.025 a). Socket 1: local reads 12.8 B (0.2 a, 400 ns); remote reads
# 1.6 B (0.025 a, 800 ns), writes 0.64 + 0.32 B (0.02 + 0.01 a)
pcie="
rd_bytes_loc 6400 12800
rd_bytes_rem 3200 1600
wr_bytes_loc 3200 0
wr_bytes_rem 1600 960
total_bytes_loc 9600 12800
total_bytes_rem 4800 2560
rd_req_loc 100 200
rd_req_rem 50 25
wr_req_loc 100 0
wr_req_rem 25 30
total_req_loc 200 200
total_req_rem 75 55
rd_cum_outs_loc 100000 160000
rd_cum_outs_rem 70000 40000"

# The other socket's PCIe reads and relaxed writes: 300 ns x 1.6 GHz x 0.025 a, 350 ns x 1.6 GHz x 0.05 a
c2c0="
rd_bytes_loc 1600 3200
rd_bytes_rem 0 0
wr_bytes_loc 640 1600
wr_bytes_rem 0 0
total_bytes_loc 2240 4800
total_bytes_rem 0 0
rd_req_loc 25 50
rd_req_rem 0 0
wr_req_loc 20 25
wr_req_rem 0 0
total_req_loc 45 75
total_req_rem 0 0
rd_cum_outs_loc 12000 28000
rd_cum_outs_rem 0 0"

# Not used on a Superchip
unused=$(echo "$c2c0" | sed 's/ .*/ 0 0/')

# rows TABLE FIRST: six rows of it
rows() {
	echo "$1" | sed "1d; $(($2 + 1)),$(($2 + 6))!d"
}

# measure KIND FILTER CLOCK0 CLOCK1 TABLE: the table's rows that differ
measure() {
	m_from=1
	while [ "$(rows "$5" $m_from)" ]; do
		m_args=
		for m_socket in 0 1; do
			m_pmu=nvidia_$1_pmu_$m_socket
			m_args="$m_args { $(rows "$5" $m_from | sed "s|\([^ ]*\) .*|$m_pmu/\1$2/|") $m_pmu/cycles/ }"
		done
		# shellcheck disable=SC2086 # one word an event
		evt -t 60 $m_args >/tmp/evt || cat /tmp/evt
		rows "$5" $m_from | awk -v clock0="$3" -v clock1="$4" '
			NR == FNR { name[++n] = $1; want[0, n] = $2; want[1, n] = $3; next }
			{ v[FNR] = $1 }
			END {
				for (s = 0; s < 2; s++) {
					cycles = v[(s + 1) * (n + 1)]
					for (i = 1; i <= n; i++) {
						got = cycles ? v[s * (n + 1) + i] / cycles * (s ? clock1 : clock0) : "nothing"
						d = got - want[s, i]
						if (got == "nothing" || (d < 0 ? -d : d) > want[s, i] * 1e-4)
							printf "%s in socket %d: %.3f, want %s\n", name[i], s, got, want[s, i]
					}
				}
			}' - /tmp/evt
		m_from=$((m_from + 6))
	done
}

model start steady
is "$(measure scf "" 3200 2800 "$scf")" "" \
	"scf: all 53 events except cycles count the rates of the scenario per cycle, within 0.01 %"
is "$(measure pcie ,0x3ff 2000 2000 "$pcie")" "" "pcie: all 14 events count the rates of the scenario per cycle, within 0.01 %"
is "$(measure nvlink_c2c0 "" 1600 1600 "$c2c0")" "" "nvlink_c2c0: all 14 events count the other socket's PCIe traffic"
is "$(measure nvlink_c2c1 "" 1500 1500 "$unused")" "" "nvlink_c2c1: all 14 events stay 0 on a Superchip"
is "$(measure cnvlink ,0xf 1250 1250 "$unused")" "" "cnvlink: all 14 events stay 0 on a Superchip"

# Every event in sysfs is in the tables
for kind in scf pcie; do
	eval "table=\$$kind"
	# shellcheck disable=SC2154 # by eval
	missing=$(for f in "$pmus/nvidia_${kind}_pmu_0/events"/*; do
		echo "$table" | grep -q "^${f##*/} " || echo "${f##*/}"
	done | grep -vx cycles)
	if intree 6.12; then
		skip "6.12's in-tree driver has events that later ones dropped" "$kind: every event in sysfs was measured"
	else
		is "$missing" "" "$kind: every event in sysfs was measured"
	fi
done
done_testing
