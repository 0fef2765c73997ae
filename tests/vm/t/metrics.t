#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario guide-cpu-local-write guide-cpu-remote-read guide-pcie-remote-read steady steady-changed
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug
#: drivers ours in-tree
#: long 7.3-16k 7.3-rt 6.12/in-tree
#: timeout 600
#
# The 48 Grace metrics in the kernel's perf on a two-socket Superchip: with
# steady traffic, over both sockets and for each, and with the guide's examples.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/metrics.sh
. /lib/metrics.sh

# What steady.scenario gives: NAME  both sockets  socket 0  socket 1. "-": the
# metric is of one socket only. From the rates (10^9 a second; a: accesses):
#   clock scf 3.2, 2.8; pcie 2; c2c0 1.6; c2c1 1.5
#   cmem reads 80, 35.2 GB (1.25, 0.55 a); written 51.52, 24 GB (0.91, 0.4 a)
#   remote reads 3.2, 16 GB (0.05, 0.25 a); written 8, 12.8 GB (0.15, 0.2 a)
#   pcie reads 9.6, 14.4 GB (0.15, 0.225 a); written 4.8, 0.96 GB (0.125, 0.03 a)
#   c2c0 reads 1.6, 3.2 GB (0.025, 0.05 a); written 0.64, 1.6 GB (0.02, 0.025 a)
# A share of a maximum: 100 x 1.25 / (8 x 3.2); over both (1.25 + 0.55) / (8 x 6.0).
# A latency over both sockets: requests in flight / accesses / mean clock,
#   cmem (400 + 231) / 1.8 / 3.0, remote (40 + 140) / 0.3 / 3.0,
#   pcie (100 + 160) / 0.3 / 2, (70 + 40) / 0.075 / 2; c2c0 (12 + 28) / 0.075 / 1.6
timed="
GraceScfFreq 3.0 3.2 2.8
GraceMemReadBW 115.2 80 35.2
GraceMemWriteBW 75.52 51.52 24
GraceMemBW 190.72 131.52 59.2
GraceGpuMemReadBW 0 0 0
GraceGpuMemWriteBW 0 0 0
GraceGpuMemBW 0 0 0
GraceRemoteReadBW 19.2 3.2 16
GraceRemoteWriteBW 20.8 8 12.8
GraceRemoteBW 40 11.2 28.8
GraceMemReadLatency 116.851852 100 150
GraceGpuMemReadLatency 0 0 0
GraceRemoteReadLatency0to1 250 250 -
GraceRemoteReadLatency1to0 200 - 200
GraceRemoteReadLatency 200 250 200
GracePcieFreq 2 2 2
GracePcieReadBW 24 9.6 14.4
GracePcieWriteBW 5.76 4.8 0.96
GracePcieBW 29.76 14.4 15.36
GracePcieLocalReadLatency 433.333333 500 400
GracePcieRemoteReadLatency 733.333333 700 800
GraceC2c0Freq 1.6 1.6 1.6
GraceC2c0ReadBW 4.8 1.6 3.2
GraceC2c0WriteBW 2.24 0.64 1.6
GraceC2c0BW 7.04 2.24 4.8
GraceC2c0ReadLatency 333.333333 300 350
GraceC2c1Freq 1.5 1.5 1.5
GraceC2c1ReadBW 0 0 0
GraceC2c1WriteBW 0 0 0
GraceC2c1BW 0 0 0
GraceC2c1ReadLatency 0 0 0
GraceCnvlinkReadBW 0 0 0
GraceCnvlinkWriteBW 0 0 0
GraceCnvlinkBW 0 0 0"
# No time in these
exact="
GraceMemReadUtil 3.75 4.8828125 2.455357
GraceMemWriteUtil 2.729167 3.554688 1.785714
GraceGpuMemReadUtil 0 0 0
GraceGpuMemWriteUtil 0 0 0
GraceRemoteReadUtil0to1 0.78125 0.78125 -
GraceRemoteReadUtil1to0 4.464286 - 4.464286
GraceRemoteWriteUtil0to1 2.34375 2.34375 -
GraceRemoteWriteUtil1to0 3.571429 - 3.571429
GracePcieReadUtil 0.9375 0.75 1.125
GracePcieWriteUtil 0.3875 0.625 0.15
GraceC2c0ReadUtil 0.234375 0.15625 0.3125
GraceC2c0WriteUtil 0.140625 0.125 0.15625
GraceC2c1ReadUtil 0 0 0
GraceC2c1WriteUtil 0 0 0"

# Each line is one run: no two metrics of one PMU in it both need its one cycle
# counter, and no PMU needs more than its six others, so nothing is multiplexed.
runs="
GraceScfFreq GraceMemReadBW GraceMemWriteBW GraceMemBW GracePcieFreq GracePcieBW GraceC2c0Freq GraceC2c0ReadBW GraceC2c0WriteBW GraceC2c0BW GraceC2c1Freq GraceCnvlinkReadBW GraceCnvlinkWriteBW GraceCnvlinkBW
GraceMemReadUtil GraceRemoteReadBW GraceRemoteWriteBW GraceRemoteBW GracePcieReadUtil GracePcieReadBW GraceC2c0ReadUtil GraceC2c1ReadUtil GraceC2c1ReadBW GraceC2c1WriteBW GraceC2c1BW
GraceMemWriteUtil GraceGpuMemReadBW GraceGpuMemWriteBW GraceGpuMemBW GracePcieWriteUtil GracePcieWriteBW GraceC2c0WriteUtil GraceC2c1WriteUtil
GraceMemReadLatency GracePcieLocalReadLatency GraceC2c0ReadLatency GraceC2c1ReadLatency
GraceGpuMemReadLatency GracePcieRemoteReadLatency
GraceRemoteReadLatency0to1 GraceRemoteReadLatency1to0
GraceRemoteReadLatency
GraceGpuMemReadUtil
GraceGpuMemWriteUtil
GraceRemoteReadUtil0to1 GraceRemoteReadUtil1to0
GraceRemoteWriteUtil0to1 GraceRemoteWriteUtil1to0"

model start steady
test_metrics
is "$(echo "$runs" | wc -w)" 48 "all 48 metrics were looked at"

# --- other ways to print

csv() {
	pmu_stat -M GraceMemBW sleep "${e_try:-0.4}"
	awk -F ';' '$7 ~ /GraceMemBW$/ { found = $6 > 186.9 && $6 < 194.6 } END { if (!found) print "off" }' "$out"
}
is "$(each_time 0 csv)" "" \
	"perf stat -x prints GraceMemBW, 190.72 within 2 %"
plain() {
	perf stat -a -M GraceMemBW sleep "${e_try:-0.4}" >/tmp/plain 2>&1
	grep -qE "# +1(8[7-9]|9[0-4])\.[0-9] GB/s +GraceMemBW" /tmp/plain || echo "off"
}
is "$(each_time 0 plain)" "" "so does plain perf stat, with its unit" || diag "$(cat /tmp/plain)"
intervals() {
	metric_stat -I 500 -M GraceMemBW sleep 2.3
	i_n=$(grep -E 'GraceMemBW"' "$out" | field metric-value | head -n 4 | awk '$1 > 181.2 && $1 < 200.2' | wc -l)
	[ "$i_n" = 4 ] || echo "$i_n intervals"
}
is "$(each_time 0 intervals)" "" "four intervals of perf stat -I 500 are 190.72 within 5 %" || diag "$(cat "$out")"
model stop steady

# --- the guide's examples: the printed bytes over the elapsed time. The time is
# that of perf's duration_time, which each metric has its own of, opened one
# after the other, or in 6.12 that of the command: a wait after the flows makes
# the differences small.

# example SCENARIO "METRIC BYTES"...: the metrics that are not BYTES over the
# time within 2 %, or half of the last digit that perf prints
example() {
	x_scenario=$1
	shift
	x_names=$(printf '%s\n' "$@" | sed 's/ .*//' | xargs | tr ' ' ',')
	metric_stat -M "$x_names" sh -c "model run $x_scenario; sleep ${e_try:-1}"
	for x_metric; do
		x_name=${x_metric% *}
		echo "$(metric "$x_name") ${x_metric#* } $(metric_elapsed)" | awk '
			{ want = $2 / $3; d = $1 - want; if (d < 0) d = -d
			  exit !($1 ~ /^[0-9.]+$/ && d <= want * 0.02 + 0.0000005) }' ||
			echo "$x_name: got $(metric "$x_name"), want ${x_metric#* } / $(metric_elapsed)"
	done
}
# guide SCENARIO "METRIC BYTES DESCRIPTION"...: a test for each
guide() {
	g_scenario=$1
	shift
	g_pairs=$(printf '%s\n' "$@" | sed 's/^\([^ ]* [^ ]*\) .*/\1/')
	IFS='
'
	# shellcheck disable=SC2086 # a pair a word
	each_time 0 example "$g_scenario" $g_pairs >/tmp/off
	unset IFS
	for g_test; do
		g_name=${g_test%% *}
		is "$(grep -Fx "$g_name" /tmp/off)" "" "$g_scenario: $g_name is ${g_test#* * }" || diag "$(cat /tmp/each)"
	done
}
guide guide-cpu-local-write \
	"GraceMemWriteBW 1009299148 1,009,299,148 bytes" \
	"GraceMemReadBW 38846016 1,213,938 x 32" \
	"GraceRemoteWriteBW 1355223 1,355,223" \
	"GraceRemoteReadBW 254720 7,960 x 32"
guide guide-cpu-remote-read \
	"GraceRemoteReadBW 1158050784 36,189,087 x 32" \
	"GraceMemReadBW 1073375488 33,542,984 x 32"
# Not filtered: root port 2's 294,912 too
guide guide-pcie-remote-read \
	"GracePcieReadBW 1080455936 6,398,720 + 1,073,762,304 + 294,912" \
	"GraceC2c0ReadBW 1074057216 1,074,057,216" \
	"GraceC2c0WriteBW 32768 32,768"

# --- the control: socket 0 reads 64 GB/s in place of 80

model start steady-changed
control() {
	metric_stat -M GraceMemReadBW,GraceMemWriteBW sleep "${e_try:-0.4}"
	off GraceMemReadBW 2
	off GraceMemWriteBW 2
}
is "$(each_time 1 control)" GraceMemReadBW "the control: with one rate changed, GraceMemReadBW, and not GraceMemWriteBW, is off"
near "$(metric GraceMemReadBW)" 99.2 5 "by the 16 GB/s that are missing"
done_testing
