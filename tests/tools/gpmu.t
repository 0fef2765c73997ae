#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The command itself: subcommands, usage, options that all subcommands have.
. tests/tools/lib.sh

run gpmu
is "$rc $out" "125 " "gpmu without arguments exits with 125"
like "$err" '^Usage: gpmu' "gpmu without arguments prints its usage"
run gpmu frobnicate
is "$rc $err" '125 gpmu: unknown subcommand frobnicate; "gpmu --help" lists the subcommands' "gpmu names an unknown subcommand"
run gpmu reprot
is "$rc $err" '125 gpmu: unknown subcommand reprot, did you mean report?' "gpmu suggests the subcommand whose name is nearest"
run gpmu list metirc
is "$rc $err" '1 gpmu list: nothing here matches metirc, did you mean metric?' "list suggests the kind whose name is nearest to a pattern without matches"
run gpmu --help
is "$rc $err" "0 " "gpmu --help exits with 0 and prints nothing on standard error"
for name in stat import list plan perf eval traffic gpu doctor; do
	like "$out" "^  $name +[a-z]" "gpmu --help lists $name with a summary"
done
is "$(gpmu -h)" "$out" "gpmu -h prints the help, as perf -h does"
for name in stat import list plan perf eval traffic gpu doctor; do
	run gpmu "$name" -h
	is "$rc $out" "0 $(gpmu "$name" --help)" "gpmu $name -h prints the help of gpmu $name"
done
expect 0 gpmu --help
is "$(gpmu help)" "$out" "gpmu help prints the help of gpmu"
is "$(gpmu help stat)" "$(gpmu stat --help)" "gpmu help stat prints the help of gpmu stat"
like "$(gpmu --version)" '^gpmu [0-9.]+$' "gpmu --version prints name and version"
# The kernel kills a program whose static data exceed the limit. AddressSanitizer needs more.
grep -q __asan_init "$GPMU_BIN" && limit=unlimited || limit=4096
is "$(ulimit -d "$limit"; exec "$GPMU_BIN" --version)" "$(gpmu --version)" "gpmu starts with 4 MiB of data (ulimit -d 4096)"
unlike "$(gpmu stat --help)" '--root' "gpmu --help does not show --root, which is for tests"
for name in stat import list plan; do
	run gpmu $name --frobnicate
	is "$rc ${err%%$'\n'*}" "125 gpmu $name: unrecognized option '--frobnicate'" "gpmu $name refuses an unknown option with 125 and names itself"
done

run at vm gpmu list --source nothere
is "$rc" 125 "gpmu exits with 125 if a source does not exist"
like "$err" "^gpmu list: --source nothere: no gpmu-nothere.so in .*; GPMU_PLUGINS can name its folder$" "gpmu names the folders in which it looked for a source, and the remedy"
run gpmu list --root "$work/none"
is "$rc" 125 "gpmu exits with 125 if the root does not exist"
like "$err" "^gpmu list: .*$work/none" "gpmu names a root that does not exist"
run at vm gpmu list --color sometimes
is "$rc $err" "125 gpmu list: --color sometimes: expected auto, always or never" "gpmu refuses an unknown value of --color"

cat > "$work/more.json" << 'JSON'
[ { "MetricName": "my_own", "MetricExpr": "duration_time", "BriefDescription": "Mine", "Colour": "red" } ]
JSON
expect 0 at superchip gpmu list --events "$work/more.json" metric my_own
like "$out" '^my_own +yes +Mine$' "gpmu --events adds metrics to the catalog"
like "$err" "^gpmu list: warning: $work/more.json:1: .*Colour" "gpmu warns of unknown keys in a file of --events"
GPMU_EVENTS=$work/more.json expect 0 at superchip gpmu list metric my_own
like "$out" '^my_own' "gpmu adds the metrics of the files in GPMU_EVENTS"
echo '[ { "MetricName": ' > "$work/cut.json"
run at vm gpmu list --events "$work/cut.json"
is "$rc $out" "125 " "gpmu refuses a truncated file of --events"
like "$err" "^gpmu list: $work/cut.json:[0-9]+: " "gpmu names the line where a file of --events is cut off"
run at vm gpmu list --events "$work/nothere.json"
like "$rc $err" "^125 gpmu list: $work/nothere.json: No such file" "gpmu names a file of --events that does not exist"
run at broken gpmu list pmu
is "$rc $err" "0 " "gpmu accepts a broken sysfs without a message"
expect 0 at broken gpmu list -v pmu
like "$err" '^gpmu list: warning: sys/' "gpmu -v names the files of a broken sysfs"

# gpmu is linked with libgpmu.a and libgpmu-tools.a. It uses the functions that libgpmu.so
# exports, and those that the headers of libgpmu-tools.a declare.
hidden() {
	nm --defined-only "$B"/libgpmu{,-tools}.a | awk '$2 ~ /^[A-Z]$/ { print $3 }' | sort -u |
		comm -23 - <(grep -hoE 'gpmu_[a-z0-9_]+' metrics/gpmu.map metrics/{*,*/*}/gpmu_*.h | sort -u)
}
is "$(comm -12 <(hidden) <(nm -u "$B"/tools/{*,*/*}.o | awk '{ print $2 }' | sort -u))" "" \
	"gpmu uses only exported functions of libgpmu and declared functions of libgpmu-tools.a"
is "$(hidden | grep -cx error_set)" 1 "libgpmu.a has functions that libgpmu.so does not export"
is "$(nm -D --defined-only "$B/gpmu" | awk '$2 == "T" { print $3 }')" "" \
	"gpmu exports no function that could replace one of a plugin or its libraries"
# Each library takes a twentieth of the time of a short command.
is "$(readelf -d "$B/gpmu" | grep -c 'NEEDED.*libm\.so')" 0 "gpmu needs no libm: metrics/base/gpmu_double.h"
# The messages go to a pipe, because the limit holds for files.
err=$( (ulimit -f 0; exec "$GPMU_BIN" stat -o "$work/limited" -e task-clock true) 2>&1)
is "$? $err $(ls "$work/limited"* 2> /dev/null)" "125 gpmu stat: $work/limited: File too large; raise ulimit -f " "gpmu reports that a file exceeds ulimit -f, and leaves no file"
err=$( (ulimit -f 0; exec "$GPMU_BIN" list > "$work/limited") 2>&1)
is "$? $err" "125 gpmu list: standard output: File too large; raise ulimit -f" "gpmu reports that standard output exceeds ulimit -f"
is "$(gpmu stat -e task-clock grep '^SigIgn:' /proc/self/status 2> /dev/null)" "$(grep '^SigIgn:' /proc/self/status)" "gpmu lets the command have the ignored signals that it has itself"
for command in "" stat list plan eval record report import traffic doctor gpu perf; do
	# shellcheck disable=SC2086 # "" is no word
	err=$(gpmu $command --help 2>&1 > /dev/full)
	is "$? $err" "125 gpmu${command:+ $command}: standard output: No space left on device" "gpmu $command --help reports once, with its cause, that it cannot write"
done
for command in "list --all" "doctor" "doctor -j" "traffic $model --duration 0.1" "traffic $model --duration 0.1 -j" \
	"traffic $model --duration 0.2 -I 100" "plan -e task-clock"; do
	# shellcheck disable=SC2086 # several words
	err=$(gpmu $command 2>&1 > /dev/full)
	is "$? $err" "125 gpmu ${command%% *}: standard output: No space left on device" "gpmu $command on a full disk prints one line with the cause"
done

# --- "-" as the file of an option
for command in "stat -e page-faults -o - true" "stat -e page-faults -j -o - true" "doctor --save -" "traffic $model --duration 0.1 -o -"; do
	# shellcheck disable=SC2086 # several words
	out=$(cd "$work" && gpmu $command 2> /dev/null)
	ok $((${#out} < 20)) "gpmu $command prints to standard output"
done
ok "$(test ! -e "$work/-"; echo $?)" "gpmu creates no file with the name -"
err=$(gpmu stat -e page-faults -o - true 2>&1 > /dev/full)
is "$? $err" "125 gpmu stat: standard output: No space left on device" "gpmu stat -o - on a full disk prints one line with the cause"

done_testing
