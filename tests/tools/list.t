#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu list: which machine has what, in text, JSON, and names alone.
. tests/tools/lib.sh

# shellcheck disable=SC2317 # called by at
names() {
	gpmu list --names "$@"
}

run at superchip gpmu list
is "$rc $err" "0 " "a Superchip's list"
for heading in METRIC EVENT 'METRIC GROUP' PMU; do
	like "$out" "^$heading +(UNIT +)?HERE  DESCRIPTION$" "has a table $heading"
done
unlike "$out" '^TRACEPOINT' "and none of tracepoints, which are not asked for"
like "$out" '^GraceMemBW +GB/s +yes   Read and write bandwidth' "a metric with unit and description"
like "$out" '^nvidia_scf_pmu/cmem_rd_data/ +yes' "an uncore event as -e takes it, of all PMUs of its kind"
like "$out" '^grace_scf +yes   [0-9]+ metrics$' "a group and how many metrics it has"
like "$out" '^nvidia_pcie_pmu_1 +yes   pcie$' "a PMU and its kind"
is "$(grep -c '^nvidia_scf_pmu/cmem_rd_data/' <<< "$out")" 1 "what sysfs of two sockets and the catalog have is one event"
is "$(at superchip gpmu list -j | grep -c '"here":false')" 0 "nothing that it does not have"

run at laptop gpmu list --names
unlike "$out" '^Grace|^nvidia' "a laptop has nothing of a Grace"
like "$(gpmu list -j event task-clock)" '"unit":"msec"' "clocks have their unit"
like "$(at laptop gpmu list event energy-pkg)" '^power/energy-pkg/ +Joules +yes' "so have events in sysfs"
like "$out" '^task-clock$' "but the kernel's events"
run at laptop gpmu list GraceMemBW
is "$rc $out" "1 " "a metric of another machine is not listed: 1"
like "$err" '--all lists what other machines have too$' "and it is said how it would be"
run at laptop gpmu list --all GraceMemBW
like "$rc $out" 'METRIC' "--all lists it"
like "$out" '^GraceMemBW +GB/s +no    Read' "and that it is not here"
run at laptop gpmu list --all --names metric
is "$rc $(sort <<< "$out" | uniq -d)" "0 " "metrics that several machines have are listed once"
like "$(at vm gpmu list --all event cycles)" '^cycles +no ' "without a PMU of the cores there are no cycles"
like "$(at superchip gpmu list event cycles)" '^cycles +yes ' "with one there are"
for cpu in arm64/arm/neoverse-n2-v2 arm64/arm/a-cpu x86/skylake; do
	mkdir -p "$work/arch/$cpu"
	echo '[ { "MetricName": "several", "MetricExpr": "1" } ]' > "$work/arch/$cpu/x.json"
done
is "$(at superchip gpmu list --events "$work/arch" --names metric several)" several "a metric of several CPUs is listed where one of them is here"
is "$(at superchip gpmu list --events "$work/arch" --all metric several | grep -c several)" 1 "and once with --all"

is "$(at superchip names metric 'Grace*Freq')" "$(printf '%s\n' Grace{C2c0,C2c1,Pcie,Scf}Freq)" "a glob"
is "$(at superchip names metrics gracescf)" "GraceScfFreq" "a part of a name, in either case; perf's plural"
is "$(at superchip names GraceScfFreq grace_1to0)" "$(printf 'GraceScfFreq\ngrace_1to0')" "several, of all kinds"
is "$(at superchip names metricgroup frequency)" "grace_frequency" "perf's metricgroup"
run at superchip gpmu list --names zzz
is "$rc $out$err" "1 " "--names says nothing if there is nothing"
like "$(at superchip-ours gpmu list pmu scf_pmu_0)" '^nvidia_scf_pmu_0 +yes   scf, 6 counters and that of cycles$' "counters, where the driver tells"

out=$(at superchip gpmu list -v GraceMemBW)
like "$out" '^      formula +.*nvidia_scf_pmu@cmem_rd_data@' "-v shows the formula"
like "$out" '^      groups +grace_scf$' "the groups"
like "$out" '^      file +built in: arch/arm64/nvidia/grace/sys/metrics.json:[0-9]+$' "and where it is from"
like "$(at superchip gpmu list -v pmu pcie_pmu_0)" '^      formats +event=config:0-32$' "of a PMU its formats"

mkdir -p "$work/traced/sys/kernel/tracing"
printf 'sched:sched_switch\nsched:sched_wakeup\nnet:netif_rx\n' > "$work/traced/sys/kernel/tracing/available_events"
is "$(gpmu list --root "$work/traced" --names tracepoint sched)" "$(printf 'sched:sched_switch\nsched:sched_wakeup')" "tracepoints, if they are asked for"
mkdir -p "$work/bare/sys/kernel"
run gpmu list --root "$work/bare" tracepoint
like "$rc $err" '^1 gpmu list: /sys/kernel/tracing/available_events: this kernel has no tracefs' "a kernel without tracefs"
mkdir "$work/bare/sys/kernel/tracing"
run gpmu list --root "$work/bare" tracepoint
like "$rc $err" "^1 gpmu list: /sys/kernel/tracing/available_events: tracefs is not mounted: .*mount -t tracefs" "it is said what to do"
why=$(grep -o 'tracefs is not .*' <<< "$err")
run gpmu stat --root "$work/bare" -e sched:sched_switch true
is "$err" "gpmu stat: there is no event sched, and no tracepoint sched:sched_switch; $why; \"gpmu list\" shows what there is" "as gpmu stat does"

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
is "$out" "event group metric pmu" "-j: each line is an object with the documented keys"
is "$(jq -r .name < "$work/list.json" 2> /dev/null || python3 -c '
import json, sys
for line in sys.stdin: print(json.loads(line)["name"])' < "$work/list.json")" "$(at superchip names --all)" "with the names of --names"
cat > "$work/odd.json" << 'JSON'
[ { "MetricName": "odd", "MetricExpr": "1", "BriefDescription": "a \"quote\", a \\ and\na line, \u00e9\u0001" } ]
JSON
is "$(at superchip gpmu list -j --events "$work/odd.json" odd | python3 -c 'import json, sys; print(json.load(sys.stdin)["description"] == "a \"quote\", a \\ and a line, \u00e9\u0001")')" True "quotes, backslashes and controls survive"
mkdir -p "$work/odd/sys/kernel/tracing"
printf 'a\377b\300\257c\342\202\254\355\240\200d\n' > "$work/odd/sys/kernel/tracing/available_events"
is "$(gpmu list --root "$work/odd" -j tracepoint | python3 -c 'import json, sys; print(ascii(json.load(sys.stdin)["name"]))')" \
	"'a\\ufffdb\\ufffd\\ufffdc\\u20ac\\ufffd\\ufffd\\ufffdd'" "what is no UTF-8 is replaced"
run gpmu list --root "$work/odd" metric
is "$rc" 1 "a root without anything has no metric"
run at vm gpmu list -j --names
is "$rc $err" "125 gpmu list: -j and --names: choose one" "-j and --names exclude each other"
run at superchip gpmu list "$model" --names pmu scf
is "$out" "$(printf 'nvidia_scf_pmu_0\nnvidia_scf_pmu_1')" "a source's PMUs take the place of the machine's"
is "$(at vm gpmu list "$model" --names pmu scf)" "$(printf 'nvidia_scf_pmu_0\nnvidia_scf_pmu_1')" "or are added"
printf '[{"MetricName":"evil","MetricExpr":"1","BriefDescription":"a\\u001b[31m\\tb\\u007f\\u009b7m\\u00a0\\u00e9"}]' > "$work/evil.json"
run gpmu list --all --events "$work/evil.json" metric evil
like "$out" $'^evil +yes +a\\?\\[31m\\?b\\?\\?7m\302\240\303\251$' "what a terminal would obey is shown as ?"
gpmu list > /dev/full 2> "$work/err"
is "$? $(< "$work/err")" "125 gpmu list: standard output cannot be written" "a full disk is a failure"
done_testing
