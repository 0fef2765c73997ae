#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All fields of the samples of this machine's perf, as perf script prints them and as libgpmu reads them.
. tests/tools/lib.sh
# shellcheck source=tests/vm/guest/lib/samples.sh
. tests/vm/guest/lib/samples.sh

need tests/guest/spe-text
PATH=$(realpath "$B/tests/guest"):$PATH
# shellcheck disable=SC2016 # of the recorded shell
spin='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
ids=pid,tid,cpu,misc,time,period,event,ip

# same NAME FIELDS OPTION...: records a loop, and compares these fields of its samples
same() {
	local name=$1 fields=$2

	shift 2
	if perf record -q -o "$work/data" --sample-cpu "$@" -- sh -c "$spin" > "$work/log" 2>&1; then
		same_samples "$name" "$work/data" "$fields"
	else
		skip "perf record: $(tail -n 1 "$work/log")" "$name: perf script prints all samples with the fields that libgpmu reads"
	fi
}
# all NAME OPTION...: records a loop, and compares all fields that this machine's perf records of a software event
all() {
	same "$1" "$ids,addr,data_src,weight,ins_lat,iregs,uregs,phys_addr,data_page_size,code_page_size" -d --phys-data \
		--data-page-size --code-page-size -W -T -P --intr-regs --user-regs "${@:2}"
}

all "one event with a period" -e cpu-clock -c 500000
all "one event with a frequency" -e cpu-clock -F 2000
# A period of 100 ns of cpu-clock would leave a slow machine no time for the loop.
all "two events" -e cpu-clock/period=500000/ -e page-faults/period=100/
all "call chains" -e cpu-clock -c 500000 -g
same "copies of stacks" "$ids" -e cpu-clock -c 500000 --call-graph dwarf,1024
same "a group" "$ids" -e '{cpu-clock,page-faults,context-switches}:S' -c 500000
same "tracepoints" "$ids,trace" -e sched:sched_switch -e sched:sched_wakeup -e sched:sched_process_exec -a
done_testing
