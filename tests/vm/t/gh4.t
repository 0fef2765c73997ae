#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board gh4
#: scenario steady-gracehopper
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.1 6.12 7.3/in-tree 7.3/in-tree-patched
#: timeout 300
#
# Four Grace Hoppers, one CPU each: names and CPUs by socket, the remote-socket
# filter and events, and a socket whose only CPU goes offline.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

bad=
for kind in scf pcie nvlink_c2c0 nvlink_c2c1 cnvlink; do
	for socket in 0 1 2 3; do
		pmu=nvidia_${kind}_pmu_$socket
		[ "$(cat $pmus/$pmu/cpumask $pmus/$pmu/associated_cpus | xargs)" = "$socket $socket" ] || bad="$bad $pmu"
	done
done
is "$bad" "" "each of four sockets has five PMUs with its own CPU"
is "$(cd $pmus && echo nvidia_* | wc -w)" 20 "four sockets have 20 PMUs in all"

model start steady-gracehopper
per_cycle() { # CLOCK EVENT...: in millions a second; the last event is cycles
	p_clock=$1
	shift
	evt -t 100 "{" "$@" "}" | awk -v clock="$p_clock" '
		{ v[NR] = $1 } END { for (i = 1; i < NR; i++) printf "%.0f ", v[i] / v[NR] * clock; print "" }'
}
c=nvidia_cnvlink_pmu_0
is "$(per_cycle 1250 $c/rd_bytes_loc,0x2/ $c/rd_bytes_loc,0x4/ $c/rd_bytes_loc,0x8/ $c/rd_bytes_loc,0xe/ $c/cycles/)" \
	"11200 0 0 11200 " "cnvlink 0: filter bits 1, 2 and 3 select sockets 1, 2 and 3"
s=nvidia_scf_pmu_1
is "$(per_cycle 3200 $s/socket_0_rd_data/ $s/socket_2_rd_data/ $s/socket_3_rd_data/ $s/remote_socket_rd_data/ $s/cycles/)" \
	"100 0 0 100 " "scf 1: only socket 0 of the three remote sockets has read traffic"
is "$(evt -t 50 nvidia_scf_pmu_2/gmem_rd_data/ nvidia_scf_pmu_3/gmem_rd_data/ | cut -d ' ' -f 1 | xargs)" "0 0" \
	"scf 2 and 3: sockets without traffic count 0"
is "$(evt "{" nvidia_scf_pmu_2/1/ nvidia_scf_pmu_3/1/ "}")" "EINVAL nvidia_scf_pmu_3/1/" "a group with PMUs of two sockets is refused"

pmu_stat -e nvidia_scf_pmu_0/cycles/,nvidia_scf_pmu_1/cycles/,nvidia_scf_pmu_2/cycles/,nvidia_scf_pmu_3/cycles/ sleep 0.2
is "$(awk -F ';' '$3 ~ /cycles/ && $1 > 100000000' "$out" | wc -l)" 4 "perf stat -a counts on all four sockets"
frequency() {
	metric_stat -M GraceScfFreq sleep "${e_try:-1}"
	far GraceScfFreq "$(metric GraceScfFreq)" 3.2 5
}
is "$(each_time 0 frequency)" "" "GraceScfFreq over four sockets is their mean, 3.2 GHz" || diag "$(cat /tmp/each)"

cpu 3 0
is "$(cat $pmus/nvidia_scf_pmu_3/cpumask)" "" "a socket that loses its only CPU has an empty cpumask"
like "$(evt -c 3 nvidia_scf_pmu_3/cycles/)" "^(EINVAL|ENODEV) " "a socket without an online CPU refuses events"
cpu 3 1
is "$(evt -t 20 nvidia_scf_pmu_3/cycles/ | awk '{ print ($1 > 0) }')" 1 "a socket counts again when its only CPU is back online"
done_testing
