#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario guide-cpu-local-write guide-cpu-remote-read guide-pcie-remote-read steady steady-changed
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3/ours 7.3/in-tree-patched
#: timeout 600
#
# The 53 Grace metrics in the kernel's perf on a two-socket Superchip: with
# steady traffic, over both sockets and for each, and with the guide's examples.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/metrics.sh
. /lib/metrics.sh
# shellcheck source=tests/vm/guest/lib/steady.sh
. /lib/steady.sh

model start steady
test_metrics measure
is "$(echo "$runs" | wc -w)" 53 "perf stat: the runs include all 53 metrics"

# --- other ways to print

csv() {
	pmu_stat -M GraceMemBW sleep "${e_try:-0.4}"
	awk -F ';' '$7 ~ /GraceMemBW$/ { found = $6 > 186.9 && $6 < 194.6 } END { if (!found) print "off" }' "$out"
}
is "$(each_time 0 csv)" "" \
	"perf stat -x prints GraceMemBW as 190.72 within 2 %"
plain() {
	perf stat -a -M GraceMemBW sleep "${e_try:-0.4}" >/tmp/plain 2>&1
	grep -qE "# +1(8[7-9]|9[0-4])\.[0-9] GB/s +GraceMemBW" /tmp/plain || echo "off"
}
is "$(each_time 0 plain)" "" "perf stat prints GraceMemBW with its unit in the default format" || diag "$(cat /tmp/plain)"
intervals() {
	i_ms=$((${e_try:-0} * 500 + 500))
	metric_stat -I $i_ms -M GraceMemBW sleep "$(awk "BEGIN { print $i_ms * 4.6 / 1000 }")"
	i_n=$(grep -E 'GraceMemBW"' "$out" | field metric-value | head -n 4 | awk '$1 > 181.2 && $1 < 200.2' | wc -l)
	[ "$i_n" = 4 ] || echo "$i_n intervals"
}
is "$(each_time 0 intervals)" "" "perf stat -I prints GraceMemBW as 190.72 within 5 % in four intervals" || diag "$(cat "$out")"
model stop steady

# --- the guide's examples: the printed bytes over the elapsed time. The time is
# perf's duration_time, of which each metric has its own event, opened one after
# the other; in 6.12 it is the time of the command. A wait after the flows makes
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
	table_perf
	off GraceMemReadBW 2
	off GraceMemWriteBW 2
}
is "$(each_time 1 control)" GraceMemReadBW "the control: with one rate changed, GraceMemReadBW differs and GraceMemWriteBW does not"
less() {
	control >/tmp/off
	far GraceMemReadBW "$(metric GraceMemReadBW)" 99.2 5
}
is "$(each_time 0 less)" "" "the control: GraceMemReadBW is less by the 16 GB/s that were removed" || diag "$(cat /tmp/each)"
done_testing
