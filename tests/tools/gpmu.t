#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The command itself: subcommands, usage, options that all have.
. tests/tools/lib.sh

run gpmu
is "$rc $out" "125 " "gpmu alone is a usage error, 125"
like "$err" '^Usage: gpmu' "that shows the usage"
run gpmu frobnicate
is "$rc $err" '125 gpmu: frobnicate is no subcommand; "gpmu --help" lists them' "an unknown subcommand is named"
run gpmu --help
is "$rc $err" "0 " "--help is no error"
for name in stat list plan perf eval traffic gpu doctor; do
	like "$out" "^  $name +[a-z]" "it lists $name and what it is for"
done
is "$(gpmu -h)" "$out" "-h is --help, as perf's is"
for name in stat list plan perf eval traffic gpu doctor; do
	run gpmu "$name" -h
	is "$rc $out" "0 $(gpmu "$name" --help)" "of gpmu $name too"
done
run gpmu --help
is "$(gpmu help)" "$out" "gpmu help is gpmu --help"
is "$(gpmu help stat)" "$(gpmu stat --help)" "gpmu help stat is gpmu stat --help"
like "$(gpmu --version)" '^gpmu [0-9.]+$' "--version"
unlike "$(gpmu stat --help)" '--root' "--root is for tests alone"
for name in stat list plan; do
	run gpmu $name --frobnicate
	is "$rc ${err%%$'\n'*}" "125 gpmu $name: unrecognized option '--frobnicate'" "gpmu $name --frobnicate: 125, and who says it"
done

run at vm gpmu list --source nothere
is "$rc" 125 "a source that is not there is a failure"
like "$err" "^gpmu list: --source nothere: no gpmu-nothere.so in .*; GPMU_PLUGINS can name its folder$" "that says where it was looked for, and the remedy"
run gpmu list --root "$work/none"
is "$rc" 125 "so is a root that is not there"
like "$err" "^gpmu list: .*$work/none" "which is named"
run at vm gpmu list --color sometimes
is "$rc $err" "125 gpmu list: --color sometimes: expected auto, always or never" "a wrong colour"

cat > "$work/more.json" << 'JSON'
[ { "MetricName": "my_own", "MetricExpr": "duration_time", "BriefDescription": "Mine", "Colour": "red" } ]
JSON
run at superchip gpmu list --events "$work/more.json" metric my_own
like "$out" '^my_own +yes +Mine$' "--events adds metrics"
like "$err" "^gpmu list: warning: $work/more.json:1: .*Colour" "keys that are not known are warned of"
GPMU_EVENTS=$work/more.json run at superchip gpmu list metric my_own
like "$out" '^my_own' "so does the environment's GPMU_EVENTS"
echo '[ { "MetricName": ' > "$work/cut.json"
run at vm gpmu list --events "$work/cut.json"
is "$rc $out" "125 " "a file that is cut off is refused"
like "$err" "^gpmu list: $work/cut.json:[0-9]+: " "with file and line"
run at vm gpmu list --events "$work/nothere.json"
like "$rc $err" "^125 gpmu list: $work/nothere.json: No such file" "so is one that is not there"
run at broken gpmu list pmu
is "$rc $err" "0 " "a broken sysfs is no failure"
run at broken gpmu list -v pmu
like "$err" '^gpmu list: warning: sys/' "with -v it is said what could not be used"

# It is linked with the library's archive, which has more than that.
hidden() {
	nm --defined-only "$B/libgpmu.a" | awk '$2 ~ /^[A-Z]$/ { print $3 }' | sort -u |
		comm -23 - <(grep -oE 'gpmu_[a-z0-9_]+' metrics/gpmu.map | sort -u)
}
is "$(comm -12 <(hidden) <(nm -u "$B"/tools/*.o | awk '{ print $2 }' | sort -u))" "" \
	"it uses only what libgpmu exports"
is "$(hidden | grep -cx error_set)" 1 "which is not all that it has"
is "$(nm -D --defined-only "$B/gpmu" | awk '$2 == "T" { print $3 }')" "" \
	"no function of it comes before one that a plugin or its libraries call"
done_testing
