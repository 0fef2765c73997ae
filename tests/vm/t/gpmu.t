#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154 # lists is steady.sh's
#: board superchip
#: scenario guide-cpu-local-write guide-cpu-remote-read guide-pcie-remote-read steady
#: kernels 6.1 6.12 7.3 debug 64k
#: drivers ours in-tree in-tree-patched
#: long 6.12 7.3/ours 7.3/in-tree-patched
#: userland yes
#: timeout 600
#
# gpmu, and Debian's unmodified perf of the kernel's release: the guide's examples
# to the byte, steady traffic over both sockets and for each.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/metrics.sh
. /lib/metrics.sh
# shellcheck source=tests/vm/guest/lib/steady.sh
. /lib/steady.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH

# An unmodified perf has no Grace metrics
is "$(perf stat -M GraceMemBW true 2>&1 | grep -c 'GB/s')" 0 "the guest's perf, $(perf --version), has no metrics of Grace"

# --- the guide's examples. gpmu prints the divisor of a metric, so that the bytes can
# be computed. They are exact except for the half nanosecond by which the mean of the
# times of two sockets is rounded.

# bytes NAME WANT: prints WANT if value x enabled_ns of the last run equals it, otherwise the product
bytes() {
	sed -n "s|.*\"name\":\"$1\",\"value\":\([^,]*\),.*\"enabled_ns\":\([^,]*\),.*|\1 \2 $2|p" "$out" | awk '
		{ d = $1 * $2 - $3; if (d < 0) d = -d
		  printf "%.0f\n", d <= $1 / 2 + 0.01 ? $3 : $1 * $2 }'
}
# guide HOW SCENARIO "METRIC BYTES WHAT"...
guide() {
	g_how=$1
	g_scenario=$2
	shift 2
	g_names=$(printf '%s\n' "$@" | sed 's/ .*//' | xargs | tr ' ' ',')
	"$g_how" "$g_names" sh -c "model run $g_scenario"
	for g_test; do
		g_name=${g_test%% *}
		g_rest=${g_test#* }
		g_want=${g_rest%% *}
		is "$(bytes "$g_name" "$g_want")" "$g_want" "$g_how, $g_scenario: $g_name is ${g_rest#* } bytes" ||
			diag "$(grep -F "\"$g_name\"" "$out"; cat /tmp/stat.err)"
	done
}
# guides HOW
guides() {
	guide "$1" guide-cpu-local-write \
		"GraceMemWriteBW 1009299148 1,009,299,148" \
		"GraceMemReadBW 38846016 1,213,938 x 32" \
		"GraceRemoteWriteBW 1355223 1,355,223" \
		"GraceRemoteReadBW 254720 7,960 x 32"
	guide "$1" guide-cpu-remote-read \
		"GraceRemoteReadBW 1158050784 36,189,087 x 32" \
		"GraceMemReadBW 1073375488 33,542,984 x 32"
	guide "$1" guide-pcie-remote-read \
		"GracePcieReadBW/root_port=0x100/ 1080161024 6,398,720 + 1,073,762,304" \
		"GracePcieReadBW 1080455936 6,398,720 + 1,073,762,304 + 294,912" \
		"GraceC2c0ReadBW 1074057216 1,074,057,216" \
		"GraceC2c0WriteBW 32768 32,768"
}
gpmu_stat() {
	g_metrics=$1
	shift
	gpmu stat --strict -a -j -o "$out" -M "$g_metrics" "$@" 2>/tmp/stat.err
}
gpmu_perf() {
	g_metrics=$1
	shift
	gpmu perf stat -a -j -o "$out" -M "$g_metrics" "$@" >/tmp/stat.cmd 2>/tmp/stat.err
}
# The steps of gpmu perf as separate commands
pipeline() {
	g_metrics=$1
	shift
	perf stat -a -j -o /tmp/perf.json -e "$(gpmu plan -M "$g_metrics")" "$@" >/tmp/stat.cmd 2>/tmp/stat.err &&
		gpmu eval -j -o "$out" -M "$g_metrics" /tmp/perf.json 2>>/tmp/stat.err
}
guides gpmu_stat
guides gpmu_perf
guide pipeline guide-cpu-remote-read \
	"GraceRemoteReadBW 1158050784 36,189,087 x 32" \
	"GraceMemReadBW 1073375488 33,542,984 x 32"

# --- raw counts, and events by name

gpmu stat --strict -a -j -o "$out" -e nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_1/remote_socket_rd_data/ \
	model run guide-cpu-remote-read 2>/tmp/stat.err
is "$(sed -n 's/.*"name":"\(nvidia[^"]*\)".*"raw":\([^,]*\),.*/\1 \2/p' "$out" | xargs)" \
	"nvidia_scf_pmu_0/cmem_rd_data/ 33542984 nvidia_scf_pmu_1/remote_socket_rd_data/ 36189087" \
	"gpmu stat -e: an event of each socket has the guide's count" || diag "$(cat "$out" /tmp/stat.err)"
gpmu stat -j -o "$out" -e arm_v2::CPU_CYCLES,cycles sleep 0.1 2>/tmp/stat.err
like "$(sed -n 's/.*"name":"\(arm_v2::CPU_CYCLES\|cycles\)".*"raw":\([^,]*\),.*/\2/p' "$out" | xargs)" \
	'^[1-9][0-9]{4,} [1-9][0-9]{4,}$' "gpmu stat: libpfm4's arm_v2::CPU_CYCLES and cycles both count" || diag "$(cat "$out" /tmp/stat.err)"
gpmu plan -e arm_v2::INST_RETIRED >"$out" 2>&1
like "$(cat "$out")" '0x0*8' "gpmu plan -e arm_v2::INST_RETIRED opens the architected event 8"

# --- gpmu traffic: bytes of the guide's example, from both ends of the link

gpmu traffic -j -o "$out" model run guide-cpu-remote-read 2>/tmp/stat.err
moved() {
	sed -n 's/.*"kind":"\([^"]*\)","name":"\([^"]*\)","direction":"\([^"]*\)".*"bytes":\([^,]*\),.*/\1 \2 \3 \4/p' "$out"
}
has_moved() {
	is "$(moved | grep -Fx "$1")" "$1" "gpmu traffic: $1, $2" || diag "$(moved; cat /tmp/stat.err)"
}
has_moved "link_source CPU 1 -> CMEM 0 read 1158050784" "36,189,087 x 32"
has_moved "link_home CPU 1 -> CMEM 0 read 1073375488" "33,542,984 x 32: the rest came from a cache"
has_moved "flow CPU 1 -> CMEM 1 read 0" "no bytes of its own memory"

# --- gpmu list and gpmu doctor

gpmu list -j >"$out" 2>/tmp/stat.err
is "$(grep -c '"GraceMemBW"' "$out")" 1 "gpmu list -j lists GraceMemBW once"
gpmu doctor >"$out" 2>&1
is $? 0 "gpmu doctor finds no problem" || diag "$(cat "$out")"
like "$(cat "$out")" "^ok +driver .*$(ours && echo grace_cspmu || echo nvidia_cspmu)" "gpmu doctor names the loaded driver"

# --- gpmu record: a ring of each CPU, in the memory of the recorder, the command's parent

gpmu record --no-cuda-trace --sched -o /tmp/rings.pftrace -- sh -c 'grep perf_event /proc/$PPID/maps >/tmp/rings' >"$out" 2>&1
ok $? "gpmu record --sched records the whole machine" || diag "$(cat "$out")"
page=4096
[ "$KERNEL" != 64k ] || page=65536
is "$(while read -r range _; do echo $((0x${range#*-} - 0x${range%-*})); done </tmp/rings | uniq -c | xargs)" \
	"4 $((524288 + page))" "gpmu record --sched: the ring of each CPU has 512 KiB and a page on any page size"

# --- steady traffic: each metric, over both sockets and for each

model start steady
no_miss() {
	may_miss=
	table_gpmu
}
stat() {
	gpmu_stat "$1" sleep "${e_try:-0.4}" || echo "gpmu stat --strict: failed"
	no_miss
	off "$1" 2
	gpmu stat --strict -a --per-node -j -o "$out" -M "$1" sleep "${e_try:-0.4}" 2>/tmp/stat.err || echo "gpmu stat --strict: failed"
	no_miss
	off "$1" 3 0
	off "$1" 4 1
}
test_metrics stat gpmu stat:
# The last run had --per-node
is "$(sed -n 's/.*"numa_node":\([^,]*\),"package":\([^,]*\),.*"name":"GraceRemoteWriteUtil1to0".*/\1 \2/p' "$out" | tail -n 1)" \
	"1 $(cat /sys/devices/system/cpu/cpu2/topology/physical_package_id)" \
	"gpmu stat --per-node: socket 1's rows have its NUMA node and its physical_package_id"
is "$(echo "$runs" | wc -w)" 53 "gpmu stat: the runs include all 53 metrics"
runs="
GraceMemBW GraceMemReadBW GracePcieBW GraceC2c0ReadBW
GraceMemReadLatency GracePcieLocalReadLatency"
perf_stat() {
	gpmu perf stat -a --per-socket -j -o "$out" -M "$1" sleep "${e_try:-0.4}" 2>/tmp/stat.err || echo "gpmu perf stat: failed"
	no_miss
	off "$1" 3 0
	off "$1" 4 1
}
test_metrics perf_stat gpmu perf stat --per-socket:
behind_port() {
	gpmu_stat GracePcieReadBW/root_port=0x100/ sleep "${e_try:-0.4}"
	table_gpmu
	far root_port "$(sed 's/.* //' /tmp/table)" 14.4 5
}
is "$(each_time 0 behind_port)" "" \
	"GracePcieReadBW/root_port=0x100/ is the bandwidth of socket 1's root port 8, 12.8 + 1.6 GB/s" || diag "$(cat /tmp/each)"
gbps() {
	sed -n 's/.*"kind":"flow","name":"\([^"]*\)","direction":"\([^"]*\)".*"value":\([^,]*\),.*/\1 \2: \3/p' "$out"
}
flows="CPU 1 -> CMEM 0 read: 16
CPU 0 -> CMEM 1 write: 8
PCIe 0 -> CMEM 0 read: 6.4
PCIe 1 -> CMEM 1 read: 12.8"
traffic() {
	gpmu traffic -j -o "$out" sleep "${e_try:-1}"
	echo "$flows" | while read -r flow; do
		far "${flow%: *}" "$(gbps | sed -n "s/^${flow%: *}: //p")" "${flow##* }" 5
	done
}
is "$(each_time 0 traffic)" "" "gpmu traffic: four flows have the bandwidths of the model" || diag "$(cat /tmp/each)"
model stop steady
done_testing
