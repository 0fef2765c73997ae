#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The perf of this machine takes a plan's text, and counts the events that are in it.

. tests/lib/tap.sh

dump=${B:-build}/tests/unit/plan/plan/plan-dump
# In user space alone, as anybody may count: perf turns task-clock into that, but not cpu-clock:k.
events='{task-clock:u,context-switches:u},page-faults:u,cpu-clock:u,{minor-faults:u},duration_time'

[ -x "$dump" ] || bail "no $dump"
text=$("$dump" --events / "$events")
is "$text" "$events" "a plan of software's events is what was given"
if ! perf stat -x, -e task-clock:u true > /dev/null 2>&1; then
	skip "no perf that may count" "perf counts the plan's events"
else
	# perf has it as "duration_time:u" for who may not count the kernel
	got=$(perf stat -x, -e "$text" true 2>&1 | cut -d, -f3 | sed 's/^\(duration_time\):u$/\1/' | paste -sd,)
	is "$got" "$(tr -d '{}' <<<"$events")" "perf counts the plan's events"
fi
done_testing
