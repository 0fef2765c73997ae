#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu list: metrics, groups, events, PMUs and tracepoints of a machine, as text, JSON and names.
. tests/tools/lib.sh

# shellcheck disable=SC2317 # called by at
names() {
	gpmu list --names "$@"
}

run at superchip gpmu list
is "$rc $err" "0 " "list on a Superchip exits with 0 and prints nothing on standard error"
for heading in METRIC EVENT 'METRIC GROUP' PMU; do
	like "$out" "^$heading +(UNIT +)?HERE  DESCRIPTION$" "list on a Superchip has a table $heading"
done
unlike "$out" '^TRACEPOINT' "list has no table of tracepoints by default"
like "$out" '^GraceMemBW +GB/s +yes   Read and write bandwidth' "list prints a metric with unit and description"
like "$out" '^nvidia_scf_pmu/cmem_rd_data/ +yes' "list prints an uncore event as -e takes it, without the socket's number"
like "$out" '^grace_scf +yes   [0-9]+ metrics$' "list prints a group with the number of its metrics"
like "$out" '^nvidia_pcie_pmu_1 +yes   pcie$' "list prints a PMU with its kind"
is "$(grep -c '^nvidia_scf_pmu/cmem_rd_data/' <<< "$out")" 1 "list prints an event of two sockets and the catalog once"
is "$(at superchip gpmu list -j | grep -c '"here":false')" 0 "list prints nothing that the machine does not have"

expect 0 gpmu list --stall-reasons
like "$out" '^long_scoreboard +waits for data of local, global or texture memory$' "list --stall-reasons prints a reason with its description"
expect 0 gpmu list --stall-reasons -j wait
is "$out" '{"gpmu":1,"kind":"stall","name":"wait","description":"waits for the fixed latency of its previous instruction"}' "list --stall-reasons -j prints the reasons of a pattern as JSON"
is "$(gpmu list --stall-reasons --names)" "$(awk -F'\t' '$4 == "all" { print $3 }' tests/data/gpu/stall_reasons.tsv | sort)" "list --stall-reasons --names prints each reason of an H200"
run gpmu list --stall-reasons zzz
is "$rc $out $err" "1  gpmu list: no stall reason matches" "list --stall-reasons exits with 1 if no reason matches"
expect 125 gpmu list --stall-reasons metric
like "$err" '--stall-reasons lists no other kind' "list --stall-reasons refuses another kind"

for kind in metric event pmu; do
	is "$(at superchip gpmu list ${kind}s --names)" "$(at superchip gpmu list $kind --names)" "list ${kind}s, as perf spells it, is list $kind"
done
like "$(at superchip gpmu list metrics --names)" '^GraceMemBW$' "list metrics lists the metrics"

expect 0 at laptop gpmu list --names
unlike "$out" '^Grace|^nvidia' "list on a laptop has no metric, event or PMU of a Grace"
like "$(gpmu list -j event task-clock)" '"unit":"msec"' "list prints the unit of clock events"
like "$(at laptop gpmu list event energy-pkg)" '^power/energy-pkg/ +Joules +yes' "list prints the unit of an event in sysfs"
like "$out" '^task-clock$' "list on a laptop has the kernel's software events"
run at laptop gpmu list GraceMemBW
is "$rc $out" "1 " "list of another machine's metric exits with 1 and prints nothing"
like "$err" '--all lists names of other machines too$' "list of another machine's metric hints to --all"
run at laptop gpmu list --all GraceMemBW
like "$rc $out" 'METRIC' "list --all prints a metric that this machine does not have"
like "$out" '^GraceMemBW +GB/s +no    Read' "list --all marks a metric that this machine does not have with no"
run at laptop gpmu list --all --names metric
is "$rc $(sort <<< "$out" | uniq -d)" "0 " "list --all --names prints a metric of several machines once"
like "$(at vm gpmu list --all event cycles)" '^cycles +no ' "list without a core PMU marks cycles with no"
like "$(at superchip gpmu list event cycles)" '^cycles +yes ' "list with a core PMU marks cycles with yes"
for cpu in arm64/arm/neoverse-n2-v2 arm64/arm/a-cpu x86/skylake; do
	mkdir -p "$work/arch/$cpu"
	echo '[ { "MetricName": "several", "MetricExpr": "1" } ]' > "$work/arch/$cpu/x.json"
done
is "$(at superchip gpmu list --events "$work/arch" --names metric several)" several "list prints a metric of several CPUs where one of them is present"
is "$(at superchip gpmu list --events "$work/arch" --all metric several | grep -c several)" 1 "list --all prints a metric of several CPUs once"

is "$(at superchip names metric 'Grace*Freq')" "$(printf '%s\n' Grace{C2c0,C2c1,Pcie,Scf}Freq)" "list takes a glob as a pattern"
is "$(at superchip names metrics gracescf)" "GraceScfFreq" "list takes part of a name in either case, and perf's plural of a kind"
is "$(at superchip names GraceScfFreq grace_1to0)" "$(printf 'GraceScfFreq\ngrace_1to0')" "list takes several patterns over all kinds"
is "$(at superchip names metricgroup frequency)" "grace_frequency" "list takes perf's kind metricgroup"
run at superchip gpmu list --names zzz
is "$rc $out$err" "1 " "list --names prints no message if nothing matches"
like "$(at superchip-ours gpmu list pmu scf_pmu_0)" '^nvidia_scf_pmu_0 +yes   scf, 6 counters and a cycle counter$' "list prints the number of a PMU's counters if the driver reports it"

out=$(at superchip gpmu list -v GraceMemBW)
like "$out" '^      formula +.*nvidia_scf_pmu@cmem_rd_data@' "list -v prints the formula of a metric"
like "$out" '^      groups +grace_scf$' "list -v prints the groups of a metric"
like "$out" '^      file +built in: arch/arm64/nvidia/grace/sys/metrics.json:[0-9]+$' "list -v prints the file and line of a metric"
like "$(at superchip gpmu list -v pmu pcie_pmu_0)" '^      formats +event=config:0-32$' "list -v prints the formats of a PMU"

mkdir -p "$work/traced/sys/kernel/tracing"
printf 'sched:sched_switch\nsched:sched_wakeup\nnet:netif_rx\n' > "$work/traced/sys/kernel/tracing/available_events"
is "$(gpmu list --root "$work/traced" --names tracepoint sched)" "$(printf 'sched:sched_switch\nsched:sched_wakeup')" "list prints tracepoints if they are asked for"
mkdir -p "$work/bare/sys/kernel"
run gpmu list --root "$work/bare" tracepoint
like "$rc $err" '^1 gpmu list: /sys/kernel/tracing/available_events: this kernel has no tracefs' "list tracepoint reports a kernel without tracefs"
mkdir "$work/bare/sys/kernel/tracing"
run gpmu list --root "$work/bare" tracepoint
like "$rc $err" "^1 gpmu list: /sys/kernel/tracing/available_events: tracefs is not mounted: .*mount -t tracefs" "list tracepoint prints the remedy if tracefs is not mounted"
why=$(grep -o 'tracefs is not .*' <<< "$err")
expect 125 gpmu stat --root "$work/bare" -e sched:sched_switch true
is "$err" "gpmu stat: there is no event sched, and no tracepoint sched:sched_switch; $why; \"gpmu list\" lists what exists" "stat -e of a tracepoint prints the remedy if tracefs is not mounted"

at superchip gpmu list --all -j > "$work/list.json"
out=$(python3 - "$work/list.json" << 'PYTHON' 2>&1
import collections, json, sys
kinds = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    item = json.loads(line)
    kinds[item["kind"]] += 1
    assert item["gpmu"] == 1 and isinstance(item["here"], bool) and item["name"], line
    if item["name"] == "GraceMemBW":
        assert item["unit"] == "GB/s" and "grace_scf" in item["groups"], line
        assert item["pmu"] == "nvidia_scf_pmu" and "cmem_rd_data" in item["formula"], line
    if item["name"] == "nvidia_scf_pmu_1":
        assert item["node"] == 1 and item["counters"] is None and item["pmu_kind"] == "scf", line
print(*sorted(kinds))
PYTHON
)
is "$out" "event group metric pmu" "list -j prints objects with the documented keys"
is "$(jq -r .name < "$work/list.json" 2> /dev/null || python3 -c '
import json, sys
for line in sys.stdin: print(json.loads(line)["name"])' < "$work/list.json")" "$(at superchip names --all)" "list -j prints the names that --names prints"
cat > "$work/odd.json" << 'JSON'
[ { "MetricName": "odd", "MetricExpr": "1", "BriefDescription": "a \"quote\", a \\ and\na line, \u00e9\u0001" } ]
JSON
is "$(at superchip gpmu list -j --events "$work/odd.json" odd | python3 -c 'import json, sys; print(json.load(sys.stdin)["description"] == "a \"quote\", a \\ and a line, \u00e9\u0001")')" True "list -j escapes quotes, backslashes and control characters"
mkdir -p "$work/odd/sys/kernel/tracing"
printf 'a\377b\300\257c\342\202\254\355\240\200d\n' > "$work/odd/sys/kernel/tracing/available_events"
is "$(gpmu list --root "$work/odd" -j tracepoint | python3 -c 'import json, sys; print(ascii(json.load(sys.stdin)["name"]))')" \
	"'a\\ufffdb\\ufffd\\ufffdc\\u20ac\\ufffd\\ufffd\\ufffdd'" "list -j replaces bytes that are not UTF-8"
run gpmu list --root "$work/odd" metric
is "$rc" 1 "list metric below an empty root exits with 1"
run at vm gpmu list -j --names
is "$rc $err" "125 gpmu list: -j and --names: choose one" "list refuses -j together with --names"
expect 0 at superchip gpmu list "$model" --names pmu scf
is "$out" "$(printf 'nvidia_scf_pmu_0\nnvidia_scf_pmu_1')" "list --source replaces the machine's PMUs of the same name"
is "$(at vm gpmu list "$model" --names pmu scf)" "$(printf 'nvidia_scf_pmu_0\nnvidia_scf_pmu_1')" "list --source adds PMUs that the machine does not have"
printf '[{"MetricName":"evil","MetricExpr":"1","BriefDescription":"a\\u001b[31m\\tb\\u007f\\u009b7m\\u00a0\\u00e9"}]' > "$work/evil.json"
expect 0 gpmu list --all --events "$work/evil.json" metric evil
like "$out" $'^evil +yes +a\\?\\[31m\\?b\\?\\?7m\302\240\303\251$' "list shows terminal control characters as ?"
gpmu list > /dev/full 2> "$work/err"
is "$? $(< "$work/err")" "125 gpmu list: standard output: No space left on device" "list exits with 125 if standard output is on a full disk"
done_testing
