#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat -x and -j as programs for perf stat read them: one parser, which knows perf's columns and
# keys only, reads the output of gpmu, of this machine's perf, and of perf 6.12 (recorded).
. tests/tools/lib.sh

data=tests/data/perf-output
cat > "$work/parse.py" << 'END'
"""
parse.py csv|json [OPTION...]: the content of perf's columns on standard input: "LABELS NAMES FIELDS". LABELS are those
of the rows without their numbers; a name has the unit of its value; FIELDS are the kinds of the others.
"""
import json
import re
import sys

form, options = sys.argv[1], sys.argv[2:]
AGGREGATIONS = {"--per-socket": "socket", "--per-node": "node", "--per-core": "core", "--per-die": "die",
                "-A": "cpu", "--per-thread": "thread"}


def kind(text):
    text = str(text)
    if re.fullmatch(r"\d+", text):
        return "int"
    if re.fullmatch(r"\d+\.\d+", text):
        return "decimal"
    return text


def take_csv(line):
    fields = line.rstrip("\n").split(",")
    row = {}
    if "-I" in options:
        row["interval"] = fields.pop(0).strip()
    for option, name in AGGREGATIONS.items():
        if option in options:
            row[name] = fields.pop(0).replace("CPU", "")
            if name not in ("cpu", "thread"):
                row["aggregate-number"] = fields.pop(0)
    for name in ("counter-value", "unit", "event"):
        row[name] = fields.pop(0)
    if "-r" in options:
        row["variance"] = fields.pop(0).rstrip("%")
    for name in ("event-runtime", "pcnt-running", "metric-value", "metric-unit"):
        row[name] = fields.pop(0)
    return row


labels, names, shapes = set(), [], {}
for line in sys.stdin:
    if line.startswith("#") or not line.strip():
        continue
    if form == "json":
        row = json.loads(line)
        assert list(row).index("event") < list(row).index("event-runtime") < list(row).index("metric-unit")
    else:
        row = take_csv(line)
    event = row["event"].replace(" [software]", "")
    names.append(f"{event}/{row['unit']}")
    labels.update(f"{name}={re.sub('[0-9]+', 'N', row[name])}" for name in AGGREGATIONS.values()
                  if isinstance(row.get(name), str))
    fields = {name: kind(row[name]) for name in ("interval", "aggregate-number", "counter-value", "variance",
                                                 "event-runtime", "pcnt-running") if name in row}
    unit = row.get("metric-unit", "")
    fields["metric"] = "" if unit in ("", "(null)") else re.sub("^[KMG]?/sec", "rate", unit)
    assert fields["metric"] == "" or re.fullmatch(r"\d+\.\d+", str(row["metric-value"])), row
    # The first interval: in the last one a task may not have run.
    shapes.setdefault(event, fields)
for name in dict.fromkeys(names):
    print(name, *(f"{k}={v}" for k, v in shapes[name.split("/")[0]].items()))
print(*sorted(labels))
END

# parse csv|json OPTION...: standard input without the lines of metrics and messages that are not rows
parse() {
	grep -aE '^[^g]' | python3 "$work/parse.py" "$@" 2>&1
}

events=task-clock,page-faults
perf_runs=1
perf stat -e task-clock true > /dev/null 2>&1 || perf_runs=
for options in "" "-I 30" "-r 2" "-a --per-node" "-a --per-core" "-a --per-die" "-a -A" "-a --per-socket -I 30"; do
	for form in csv json; do
		what="stat $options as $form"
		if [ ! "$perf_runs" ]; then
			skip "no perf that may count" "$what: programs for perf read the rows of perf and of gpmu alike"
			continue
		fi
		[ $form = csv ] && option=-x, || option=-j
		# shellcheck disable=SC2086 # words
		theirs=$(perf stat $options $option -e $events,cycles sleep 0.07 2>&1 | parse $form $options)
		# shellcheck disable=SC2086 # words
		ours=$(gpmu stat $options $option -e $events,cycles sleep 0.07 2>&1 | parse $form $options)
		is "$ours" "$theirs" "$what: programs for perf read the rows of perf and of gpmu alike"
	done
done
sleep 30 &
soon grep -q "^State:.S" /proc/$!/status
for form in csv json; do
	[ $form = csv ] && option=-x, || option=-j
	if [ "$perf_runs" ]; then
		is "$(gpmu stat -p $! --per-thread "$option" -e "$events" sleep 0.05 2>&1 | parse $form --per-thread)" \
			"$(perf stat -p $! --per-thread "$option" -e "$events" sleep 0.05 2>&1 | parse $form --per-thread)" \
			"stat --per-thread as $form: programs for perf read the rows of perf and of gpmu alike"
	else
		skip "no perf that may count" "stat --per-thread as $form: programs for perf read the rows of perf and of gpmu alike"
	fi
done
kill $!
wait $! 2> /dev/null

# The names and columns of perf 6.12, whose counts are of other machines
columns_of() {
	sed 's/^[^ ]* //; s/=<not [a-z]*>/=N/g; s/counter-value=[^ ]*/counter-value=N/; s/decimal/N/g; s/int\b/N/g' | sort -u
}
# The command that perf counted was sh.
cp "$(command -v sleep)" "$work/sh"
"$work/sh" 30 &
soon grep -q "^State:.S" /proc/$!/status
for name in command repeat interval per-thread per-node per-socket no-aggr; do
	events=context-switches,cpu-clock
	case $name in
	command) options="" events=task-clock,page-faults ;;
	repeat) options="-r 2" events=context-switches,page-faults,duration_time ;;
	per-thread) options="-p $! --per-thread" events=page-faults,context-switches ;;
	interval) options="-a -I 30" ;;
	per-node) options="-a --per-node" ;;
	per-socket) options="-a --per-socket -I 30" ;;
	no-aggr) options="-a -A" ;;
	esac
	for form in csv json; do
		[ $form = csv ] && option=-x, || option=-j
		# shellcheck disable=SC2086
		is "$(gpmu stat $options $option -e $events sleep 0.05 2>&1 | parse $form $options | columns_of)" \
			"$(grep -E "${events//,/|}" "$data/6.12-$name.$form" | parse $form $options | columns_of)" \
			"stat ${options/-p $!/-p} as $form: a row has the columns that perf 6.12 has recorded"
	done
done

kill $!
wait $! 2> /dev/null

# A machine whose packages are 36 and 2364, as a public report of a Grace shows them
# shellcheck disable=SC2317 # run calls it
grace() {
	at grace-grace gpmu stat "$model" "$@" -M GraceMemBW --duration 0.05
}
expect 0 grace -a --per-socket -x,
is "$(cut -d, -f1,2,9 <<< "$err" | paste -sd' ')" "S36,2,GB/s  GraceMemBW S2364,2,GB/s  GraceMemBW" "stat --per-socket labels sockets with physical_package_id"
expect 0 grace -a --per-node -x,
is "$(cut -d, -f1 <<< "$err" | paste -sd' ')" "N0 N1" "stat --per-node labels NUMA nodes with their numbers"
expect 0 grace -a --per-die -j
is "$(grep -oE '"die" : "[^"]*"' <<< "$err" | paste -sd' ')" '"die" : "S36-D0" "die" : "S2364-D0"' "stat --per-die labels dies with package and die"
expect 0 grace -a --per-core
is "$(grep -oE '^S[^ ]*' <<< "$err" | paste -sd' ')" "S36-D0-C0 S2364-D0-C0" "stat --per-core counts a node's PMUs at the first core of the node"
expect 0 grace -a -A -x,
is "$(cut -d, -f1 <<< "$err" | paste -sd' ')" "CPU0 CPU2" "stat -A labels the counts of a node with its first CPU"
run at grace-grace gpmu stat "$model" --per-socket -M GraceMemBW true
like "$rc $err" '^S2364 +59\.20 GB/s GraceMemBW' "stat --per-socket without -a counts PMUs outside the cores by socket"
for option in --per-socket --per-node --per-die --per-core; do
	run at grace-grace gpmu stat "$model" $option -M GraceMemBW -e page-faults true
	is "$rc $err" "125 gpmu stat: $option: page-faults counts tasks, not CPUs: add -a" "stat $option without -a refuses an event of tasks"
done
run gpmu stat -a --per-node --per-socket true
is "$rc $err" "125 gpmu stat: --per-node and --per-socket: choose one" "stat refuses two aggregations"
run gpmu stat --per-thread -a true
is "$rc $err" "125 gpmu stat: --per-thread needs -p, -t or --regions" "stat refuses --per-thread with -a"

done_testing
