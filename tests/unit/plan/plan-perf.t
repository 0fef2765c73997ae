#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# This machine's perf accepts the text of a plan and counts its events.

. tests/lib/tap.sh

dump=${B:-build}/tests/unit/plan/plan-dump
# Only in user space, which everybody may count: perf rewrites task-clock accordingly, but not cpu-clock:k.
events='{task-clock:u,context-switches:u},page-faults:u,cpu-clock:u,{minor-faults:u},duration_time'

[ -x "$dump" ] || bail "no $dump"
text=$("$dump" --events / "$events")
is "$text" "$events" "plan: the text of a plan of software events is unchanged"
if ! perf stat -x, -e task-clock:u true > /dev/null 2>&1; then
	skip "no perf that may count" "plan: perf counts the events of a plan's text"
else
	# perf prints "duration_time:u" for users who may not count the kernel.
	got=$(perf stat -x, -e "$text" true 2>&1 | cut -d, -f3 | sed 's/^\(duration_time\):u$/\1/' | paste -sd,)
	is "$got" "$(tr -d '{}' <<<"$events")" "plan: perf counts the events of a plan's text"
fi
done_testing
