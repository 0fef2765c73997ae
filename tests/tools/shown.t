#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Names with escape sequences and with bytes that are not UTF-8: on a terminal, and in CSV of counts, each such
# byte is a "?"; CSV of reports in a file, and JSON, have them.
. tests/tools/lib.sh

escape=$'\033'
# Bytes that a terminal must not get: C0 except the line feed, DEL, C1, and bytes that are not UTF-8
bad=$'[\001-\011\013-\037\177]|\302[\200-\237]'

# clean DESCRIPTION: checks the output of the last run
clean() {
	! LC_ALL=C grep -Eq "$bad" <<< "$both" && iconv -f UTF-8 -t UTF-8 <<< "$both" > /dev/null 2>&1
	ok $? "$1" || diag "$(cat -v <<< "$both")"
}

# on_terminal COMMAND...: run, with a terminal as standard output and standard error
on_terminal() {
	run python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@"
	both=${both//$'\r'/}
	out=${out//$'\r'/}
}

cat > "$work/names.c" <<'END'
#include <gpmu-mark.h>
#include <sys/prctl.h>

void spin(void) __asm__("\"\033[31mspin\"");

__attribute__((noinline)) void spin(void)
{
	for (volatile long i = 0; i < 100000000; i++)
		;
}

int main(void)
{
	prctl(PR_SET_NAME, "\033[31mcomm\xff");
	gpmu_mark_begin("\033[31mregion");
	spin();
	gpmu_mark_end("\033[31mregion");
	return 0;
}
END
${CC:-gcc} -O1 -fno-pie -no-pie -fno-omit-frame-pointer -I metrics/include -o "$work/names" "$work/names.c" -lpthread
is "$?" 0 "shown: a program whose function has an escape sequence in its name is built"

# --- regions
if gpmu stat --strict -e page-faults:u true 2> /dev/null; then
	run gpmu stat --regions -e page-faults:u -- "$work/names"
	clean "stat --regions prints the name of a region without its escape character"
	like "$err" '^[?]\[31mregion +1 ' "stat --regions prints \"?\" for the escape character of a region's name"
	run gpmu stat --regions -j -e page-faults:u -- "$work/names"
	like "$both" '"region":"\\u001b\[31mregion"' "stat --regions -j has the escape character of a region's name"
else
	skip "this user cannot count page faults" "stat --regions prints the name of a region without its escape character"
fi

# --- recordings of perf
if perf record -g -o "$work/perf.data" -e cpu-clock -- "$work/names" > /dev/null 2>&1; then
	run gpmu report --by comm,function "$work/perf.data"
	clean "report prints the names of a thread and of a function without control characters"
	like "$out" ' [?]\[31mcomm[?]  [?]\[31mspin' "report prints \"?\" for each such byte of the names of a thread and of a function"
	run gpmu report --folded "$work/perf.data"
	clean "report --folded prints names without control characters"
	like "$out" '[?]\[31mcomm[?];.*;[?]\[31mspin [0-9]' "report --folded prints \"?\" for each such byte"
	run gpmu report --format json --by function "$work/perf.data"
	like "$out" '"\\u001b\[31mspin"' "report --format json has the escape character of a function's name"
	run gpmu report --format csv --by function "$work/perf.data"
	like "$out" "$escape\[31mspin" "report --format csv has the bytes of a function's name"
	on_terminal "$GPMU_BIN" report --format csv --by function "$work/perf.data"
	clean "report --format csv prints names to a terminal without control characters"
	like "$out" '[?]\[31mspin' "report --format csv prints \"?\" to a terminal for the escape character of a function's name"
	run gpmu import "$work/perf.data" -o "$work/${escape}[31m.pftrace"
	clean "import prints the name of a trace without its escape character"
	run gpmu report "$work/${escape}[31m.pftrace"
	clean "report prints the names of a trace without control characters"
else
	skip "this user cannot sample" "report prints the names of a thread and of a function without control characters"
fi

# --- users' JSON
cat > "$work/own.json" <<'END'
[
	{"MetricName": "\u009bown", "MetricExpr": "software@page\\-faults@ * 2", "ScaleUnit": "1\u009bx",
	 "BriefDescription": "\u001b[33mbrief\u009b"}
]
END
for option in --all -v --names; do
	run gpmu list "$option" --events "$work/own.json" '*own'
	like "$out" '[?]own' "list $option prints \"?\" for the control character of a metric's name"
	clean "list $option prints a user's metric without control characters"
done
run gpmu list -j --events "$work/own.json" '*own'
like "$out" $'"name":"\302\233own"' "list -j has the control character of a metric's name"
run gpmu stat -v --events "$work/own.json" -M $'\302\233own' -- true
like "$err" '[?]x +[?]own' "stat -v prints \"?\" for the control characters of a metric's name and unit"
clean "stat -v prints a user's metric without control characters"
run gpmu stat --metric-only --events "$work/own.json" -M $'\302\233own' -- true
clean "stat --metric-only prints the heading of a user's metric without control characters"

# --- saved output
printf '5,,%s,1000,100.00,,\n' "${escape}[31mevent"$'\377' > "$work/counts.csv"
run gpmu eval -e cycles --strict "$work/counts.csv"
clean "eval prints the name of a saved event without control characters"
cat > "$work/perf" <<'END'
#!/bin/bash
[ "$1" != --version ] || exec echo perf version 6.0
while [ "$1" != --log-fd ]; do shift; done
printf '5;\033[32munit;\033[31mevent\377;1000;100.00;2.5;\033[33m%%  own\n' >&"$2"
END
chmod +x "$work/perf"
for option in -B "-x ," "-x , -I 100"; do
	# shellcheck disable=SC2086 # several words
	GPMU_PERF=$work/perf run gpmu perf --root "$(machine superchip)" stat -a $option -M GraceMemBW
	clean "perf stat $option prints the names of perf's events, units and metrics without control characters"
	like "$err" '[?]\[31mevent[?]' "perf stat $option prints \"?\" for each such byte of an event's name"
	like "$err" '[?]\[32munit' "perf stat $option prints \"?\" for the escape character of a unit"
done
GPMU_PERF=$work/perf run gpmu perf --root "$(machine superchip)" stat -a -j -M GraceMemBW
like "$err" '"\\u001b\[31mevent' "perf stat -j has the escape character of an event's name"
run gpmu eval -M "no${escape}[31mmetric" "$work/counts.csv"
clean "eval prints an unknown name in an error without control characters"
run gpmu eval "$work/no${escape}[31m.csv"
clean "eval prints the name of a missing file without control characters"
run gpmu traffic --source "${escape}[31mx"
clean "traffic prints an unknown source without control characters"
run gpmu doctor --source "${escape}[31mx"
clean "doctor prints an unknown source without control characters"
done_testing
