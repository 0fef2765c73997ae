#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat -G and --for-each-cgroup: options, errors, and real cgroups where the test may make them.
. tests/tools/lib.sh

# --- options
for option in -G --for-each-cgroup; do
	run gpmu stat $option a true
	is "$rc $err" "125 gpmu stat: -G and --for-each-cgroup need -a or -C" "stat $option refuses a command as the target"
	run gpmu stat $option a -p $$
	is "$rc $err" "125 gpmu stat: -G and --for-each-cgroup need -a or -C" "stat $option refuses a process as the target"
	run gpmu stat -a $option "" true
	like "$rc $err" "^125 gpmu stat: $option: expected the name of a cgroup$" "stat $option refuses an empty name"
	run gpmu stat --regions $option a true
	like "$rc $err" '^125 .*(need -a or -C|cannot be combined)' "stat $option refuses --regions"
done
run gpmu stat -a -G a --for-each-cgroup b true
is "$rc $err" "125 gpmu stat: -G and --for-each-cgroup: choose one, once" "stat refuses -G with --for-each-cgroup"

# --- hierarchies below the root directory; a folder there is no cgroup to the kernel
root=$(machine vm)
mkdir -p "$root/cg/app/x" "$root/proc"
run at vm gpmu stat -a -G app true
is "$rc $err" "125 gpmu stat: cgroup app: no hierarchy of cgroups is mounted: mount -t cgroup2 none /sys/fs/cgroup" "stat -G without a hierarchy names the command that mounts it"
echo "none /cg cgroup2 rw 0 0" > "$root/proc/mounts"
run at vm gpmu stat -a -G nope true
is "$rc $err" "125 gpmu stat: no cgroup nope in /cg" "stat -G names a cgroup that does not exist, and its hierarchy"
run at vm gpmu stat -a --for-each-cgroup app,nope true
is "$rc $err" "125 gpmu stat: no cgroup nope in /cg" "stat --for-each-cgroup names the one of its cgroups that does not exist"
run at vm gpmu stat -a --for-each-cgroup app,,app/x true
like "$rc $err" '^125 .*--for-each-cgroup: expected the name of a cgroup between two commas' "stat --for-each-cgroup refuses an empty name"
run at vm gpmu stat -a -e page-faults -G app true
is "$rc $err" "125 gpmu stat: app is no cgroup in which this kernel counts events" "stat -G reports a folder that is no cgroup of this kernel"
run at vm gpmu stat -a -e page-faults,cs -G app,,app true
is "$rc $err" '125 gpmu stat: -G: more cgroups than events: no event for "app"' "stat -G refuses more cgroups than events"
run at vm gpmu stat -a -e '{page-faults,cs}' -G app,app/x true
is "$rc $err" '125 gpmu stat: -G: the events of a group cannot be in the cgroups "app" and "app/x"' "stat -G refuses a group of events in two cgroups"
run at vm gpmu stat -a -M ipc -G app,app/x true
like "$rc $err" '^125 .*-G with several cgroups counts events only; use --for-each-cgroup for metrics' "stat -G refuses to pair metrics with cgroups"
run at superchip gpmu stat "$model" -a -G app -M GraceMemBW true
like "$rc $err" '^125 .*no hierarchy' "stat -G looks for the hierarchy of the machine of GPMU_ROOT"
cp -r "$root/cg" "$(machine superchip)/cg"
mkdir -p "$(machine superchip)/proc"
cp "$root/proc/mounts" "$(machine superchip)/proc"
run at superchip gpmu stat "$model" -a -G app -M GraceMemBW true
like "$rc $err" 'GraceMemBW: its PMU counts the machine, not the tasks of a cgroup' "stat -G reports a PMU outside the cores as not supported"
like "$err" '<not supported> GB/s GraceMemBW +app$' "stat -G: the row of a metric that is not supported names the cgroup"

# --- real cgroups
# hierarchy: the mount point that gpmu counts in, or that of a hierarchy that is mounted here; $mounted is then set
hierarchy() {
	awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { v1 = v1 ? v1 : $2 }
		$3 == "cgroup2" { v2 = v2 ? v2 : $2 }
		END { print v1 ? v1 : v2 }' /proc/mounts
}
why=
folder=$(hierarchy)
if [ ! "$folder" ]; then
	mkdir "$work/cgroup2"
	if mount -t cgroup2 none "$work/cgroup2" 2> /dev/null; then
		folder=$work/cgroup2
		mounted=1
	else
		why="no hierarchy of cgroups is mounted, and it cannot be mounted"
	fi
fi
name=gpmu-test-$$
if [ ! "$why" ] && ! mkdir "$folder/$name" "$folder/$name/busy" "$folder/$name/idle" 2> /dev/null; then
	why="a cgroup cannot be made in $folder"
elif [ ! "$why" ] && ! gpmu stat -a -G "$name" -e task-clock true 2> "$work/err"; then
	like "$(< "$work/err")" 'perf_event_paranoid|CAP_PERFMON|not allowed' "stat -G without permission names the remedy"
	why="no permission to count all tasks"
fi
if [ "$why" ]; then
	skip "$why" "stat counts the tasks of real cgroups"
	rmdir "$folder/$name/busy" "$folder/$name/idle" "$folder/$name" 2> /dev/null
	[ ! "${mounted:-}" ] || umount "$folder"
	done_testing
fi
(
	# What it runs stays in the cgroup. It faults in pages as long as it runs.
	echo "$BASHPID" > "$folder/$name/busy/cgroup.procs"
	exec python3 -c '
import mmap
while True:
    pages = mmap.mmap(-1, 1 << 22)
    for at in range(0, 1 << 22, 4096):
        pages[at] = 1
    pages.close()'
) &
busy=$!
# shellcheck disable=SC2317 # trap calls it
finish() {
	kill "$busy"
	wait "$busy" 2> /dev/null
	rmdir "$folder/$name/busy" "$folder/$name/idle" "$folder/$name"
	[ ! "${mounted:-}" ] || umount "$folder"
}
trap 'finish; rm -rf "$work"' EXIT
# shellcheck disable=SC2317 # soon calls it
counts_faults() {
	[ "$(gpmu stat -a -G "$name/busy" -e page-faults -x, sleep 0.05 2>&1 | cut -d, -f1)" -gt 100 ] 2> /dev/null
}
soon counts_faults
ok $? "stat -G counts the page faults of the tasks of a cgroup"

each="$name,$name/busy,$name/idle"
run gpmu stat -a --for-each-cgroup "$each" -e task-clock,page-faults -x, sleep 0.3
is "$(cut -d, -f3,4 <<< "$err" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd' ')" \
	"1 page-faults,$name 1 page-faults,$name/busy 1 page-faults,$name/idle 1 task-clock,$name 1 task-clock,$name/busy 1 task-clock,$name/idle" \
	"stat --for-each-cgroup counts each event in each cgroup, and CSV names the cgroup after the event"
is "$(grep "$name/idle" <<< "$err" | cut -d, -f1 | sort -u)" "<not counted>" "stat --for-each-cgroup: a cgroup without tasks is not counted, as in perf"
like "$err" 'none of its tasks ran' "stat --for-each-cgroup: the reason names the tasks that did not run"
is "$(python3 -c '
import csv, sys
rows = {(r[2], r[3]): r for r in csv.reader(sys.stdin)}
def value(event, cgroup):
    return float(rows[event, cgroup][0])
name = sys.argv[1]
clock = value("task-clock", name + "/busy")
print(clock > 0, *(0.5 < value(event, name) / value(event, name + "/busy") < 2 for event in ("task-clock", "page-faults")))' \
	"$name" <<< "$err")" "True True True" "stat --for-each-cgroup: a cgroup counts the tasks of the cgroups in it"
# The command faults in as many pages outside the cgroup as then within it. Python itself has some thousand faults.
mkdir "$folder/$name/some"
cat > "$work/touch.py" << 'END'
import mmap, sys
pages = mmap.mmap(-1, int(sys.argv[1]) * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
try:
    pages.madvise(mmap.MADV_NOHUGEPAGE)
except OSError:
    pass  # the kernel has no huge pages
for at in range(0, len(pages), mmap.PAGESIZE):
    pages[at] = 1
END
touch="python3 $work/touch.py"
run gpmu stat -a -G "$name/some" -e page-faults -x, sh -c "$touch 12000; echo \$\$ > $folder/$name/some/cgroup.procs; $touch 12000"
rmdir "$folder/$name/some"
faults=${err%%,*}
within=$([ "$faults" -ge 12000 ] && [ "$faults" -lt 32000 ] && echo yes)
is "${within:-$err}" yes "stat -G counts the page faults of a task from when it is in the cgroup, and of no other task"

run gpmu stat -a --for-each-cgroup "$name/busy" -e task-clock,page-faults -j sleep 0.1
is "$(python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
print(*(row["event"] + "=" + row["cgroup"] for row in rows), list(rows[0])[:5])' <<< "$err")" \
	"task-clock=$name/busy page-faults=$name/busy ['counter-value', 'unit', 'event', 'cgroup', 'event-runtime']" \
	"stat --for-each-cgroup: JSON has the key cgroup after the event, as perf's"
run gpmu stat -a -e task-clock,page-faults -G ",$name/busy" -j sleep 0.1
is "$(grep -oE '"cgroup" : "[^"]*"' <<< "$err" | paste -sd' ')" '"cgroup" : "" "cgroup" : "'"$name"'/busy"' "stat -G counts an event without a cgroup in all tasks"
run gpmu stat -a -G "$name/busy" -e task-clock,page-faults sleep 0.1
like "$err" "msec task-clock +$name/busy +# +[0-9.]+ CPUs utilized" "stat -G: a summary names the cgroup between the event and the number beside it"
like "$err" " page-faults +$name/busy +# +[0-9.]+ [KM]?/sec" "stat -G: a rate is per CPU time of the same cgroup"
cat > "$work/faults.json" << 'END'
[{"MetricName":"faults","MetricExpr":"page\\-faults / duration_time","ScaleUnit":"1x"}]
END
run gpmu stat -a --events "$work/faults.json" -M faults -e page-faults -G "$name/busy" -j sleep 0.5
is "$(python3 -c '
import json, sys
rate, count = [json.loads(line) for line in sys.stdin]
print(rate["cgroup"] == count["cgroup"], 0.5 < rate["value"] * count["time_end"] / count["value"] < 2)' <<< "$err")" \
	"True True" "stat -G: a metric has the counts of its cgroup, and its rate is per elapsed second"
run gpmu stat -a --metric-only --events "$work/faults.json" -M faults --for-each-cgroup "$each" sleep 0.1
is "$(awk '/gpmu-test/ { print $1, /<not counted>/ ? "none" : "value" }' <<< "$err" | grep -v : | paste -sd' ')" \
	"$name value $name/busy value $name/idle none" "stat --metric-only prints one line for each cgroup"
run gpmu stat -a -A -G "$name/busy" -e page-faults -x, sleep 0.1
is "$(cut -d, -f1,4,5 <<< "$err" | grep -c "^CPU[0-9]*,page-faults,$name/busy$")" "$(nproc)" "stat -A -G prints a row for each CPU"

# One parser for both: perf's columns with the option that adds the cgroup
perf_columns() {
	python3 -c '
import csv, sys
first = int(sys.argv[1])
for row in csv.reader(line for line in sys.stdin if line[0] != "#" and line.strip()):
    print(len(row[:first]), row[first + 1:first + 4], row[first + 4][-1:] == "%")' "$1" | sort -u
}
for options in "" "-I 60" "-r 2" "--per-node" "-A"; do
	what="stat $options --for-each-cgroup: programs for perf read the rows of perf and of gpmu alike"
	case $options in
	"" | "-r 2") first=0 ;;
	"-I 60" | -A) first=1 ;;
	--per-node) first=2 ;;
	esac
	if ! perf stat -a -e task-clock --for-each-cgroup "$name" true > /dev/null 2>&1; then
		skip "no perf that counts cgroups" "$what"
		continue
	fi
	# shellcheck disable=SC2086 # words
	theirs=$(perf stat -a $options -x, -e task-clock,page-faults --for-each-cgroup "$name,$name/busy" sleep 0.1 2>&1 | perf_columns $first)
	# shellcheck disable=SC2086 # words
	is "$(gpmu stat -a $options -x, -e task-clock,page-faults --for-each-cgroup "$name,$name/busy" sleep 0.1 2>&1 | perf_columns $first)" "$theirs" "$what"
done

run gpmu stat -a -x, -e task-clock,page-faults -G "$name/busy" -o "$work/saved.csv" sleep 0.1
expect 0 gpmu eval -x, -e page-faults "$work/saved.csv"
like "$out" ',page-faults,' "eval reads the rows of one cgroup"
done_testing
