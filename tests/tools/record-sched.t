#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record --sched: who has run where, as the kernel tells; and what it says where that may not
# be known.
. tests/tools/lib.sh

trace=$work/trace.pftrace

# mounted COMMAND...: with tracefs where it belongs, for this command alone
mounted() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c '[ -e /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing; exec "$@"' sh "$@"
}

# unmounted COMMAND...: without
unmounted() {
	# shellcheck disable=SC2016,SC2317 # run calls it
	unshare -m sh -c 'mount -t tmpfs nodev /sys/kernel && exec "$@"' sh "$@"
}

if mounted test -e /sys/kernel/tracing/events/sched/sched_switch/id 2> /dev/null; then
	run mounted "$GPMU_BIN" record --no-cuda-trace --sched -o "$trace" -- \
		sh -c 'for i in 1 2 3; do sleep 0.05; done; exec sleep 0.05'
	is "$rc" 0 "scheduling is recorded"
	unlike "$err" ' 0 records' "there is some"
	like "$err" ' 0 lost' "and all of it"
	[ "$(sql "select count(*) from sched")" -gt 10 ]
	ok $? "who ran on which CPU, and for how long"
	[ "$(sql "select count(*) from sched join thread using (utid) where thread.name = 'sleep'")" -ge 4 ]
	ok $? "by name"
	is "$(sql "select count(*) from sched where dur < 0 and dur <> -1")" 0 "none is negative"
	like "$(sql "select a.display_value from slice s join args a using (arg_set_id) where s.name = 'source' and a.key = 'debug.source'")" \
		'^sched$' "the audit knows of it"
	run mounted "$GPMU_BIN" record --sched --duration 0.2 -o "$trace"
	is "$rc" 0 "also without a command"
	run unmounted "$GPMU_BIN" record --no-cuda-trace --sched -o "$trace" -- true
	is "$rc" 125 "without tracefs it is refused"
	like "$err" 'mount -t tracefs nodev /sys/kernel/tracing' "with the remedy"
else
	skip "no tracefs can be mounted here" "scheduling is recorded"
fi
done_testing
