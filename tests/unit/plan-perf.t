#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The perf of this machine takes a plan's text, and counts the events that are in it.

. tests/lib/tap.sh

dump=${B:-build}/tests/unit/plan-dump
events='{task-clock,context-switches:u},page-faults,{minor-faults},duration_time,cpu-clock:k'

[ -x "$dump" ] || bail "no $dump"
text=$("$dump" --events / "$events")
is "$text" "$events" "a plan of software's events is what was given"
if ! perf stat -x, -e task-clock true > /dev/null 2>&1; then
	skip "no perf that may count" "perf counts the plan's events"
else
	got=$(perf stat -x, -e "$text" true 2>&1 | cut -d, -f3 | paste -sd,)
	is "$got" "task-clock,context-switches:u,page-faults,minor-faults,duration_time,cpu-clock:k" \
		"perf counts the plan's events"
fi
done_testing
