#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu without memory: each allocation of a command fails in turn, or the address space is limited.
. tests/tools/lib.sh

if grep -q __asan_init "$GPMU_BIN"; then
	skip "AddressSanitizer replaces the allocator" "gpmu reports each failed allocation"
	done_testing
fi
need tests/tools/failing.so
failing=$(realpath "$B/tests/tools/failing.so")
printf '7,,page-faults,5,100.00,,\n' > "$work/faults"
mkdir "$work/out"
# A machine with a CPU, a PMU and a PCI device
(
	mkdir "$work/small" && cd "$work/small" &&
		mkdir -p sys/devices/{system/cpu,pci0000:00/0000:00:01.0/net/eth0} sys/bus/{pci/devices,event_source/devices/some/format} &&
		echo 0 > sys/devices/system/cpu/online && echo 9 > sys/bus/event_source/devices/some/type &&
		echo config:0-7 > sys/bus/event_source/devices/some/format/event &&
		echo 0x020000 > sys/devices/pci0000:00/0000:00:01.0/class &&
		ln -s ../../../devices/pci0000:00/0000:00:01.0 sys/bus/pci/devices/0000:00:01.0
)
GPMU_ROOT=$work/small gpmu doctor --save "$work/saved"

# Whether there is no file, or a trace with the records of the command, or without any, as gpmu has counted
whole() {
	[ -z "$(ls "$work/out")" ] || grep -q ', 0 records, ' "$work/both" ||
		{ [ "$(ls "$work/out")" = trace ] && LD_PRELOAD="" gpmu report "$work/out/trace" | grep -q '^ *true .* true$'; }
}

# has_result PATTERN: whether the output has the pattern; "saved": whether the machine is saved as a whole
has_result() {
	if [ "$1" = saved ]; then
		cmp -s "$work/saved" "$work/out/saved"
	else
		grep -qE "$1" "$work/both"
	fi
}

# wrong PATTERN ARGUMENT...: runs gpmu and prints its result, unless it fails with a message, or has_result PATTERN
wrong() {
	local rc=0

	timeout -s KILL 60 "$GPMU_BIN" "${@:2}" < /dev/null > "$work/both" 2>&1 || rc=$?
	case $rc in
	125) grep -q '^gpmu' "$work/both" && whole && rm -f "$work/out"/* && return ;;
	0) has_result "$1" && rm -f "$work/out"/* && return ;;
	esac
	echo "exit status $rc, files $(ls "$work/out"): $(head -c 200 "$work/both")"
	rm -f "$work/out"/*
}

# each NAME PATTERN ARGUMENT...: makes each allocation of gpmu fail in turn
each() {
	local n found=

	for ((n = 1; n < 5000; n++)); do
		rm -f "$work/done"
		found+=$(LD_PRELOAD=$failing FAILING_ALLOCATION=$n FAILING_DONE=$work/done wrong "${@:2}" | sed "s/^/allocation $n: /")
		[ -e "$work/done" ] || break
	done
	is "$found" "" "gpmu $1 has its result or fails with a message if an allocation fails"
	[ "$n" -gt 50 ] && [ "$n" -lt 5000 ]
	ok $? "gpmu $1 has more than 50 allocations, each of which fails once" || diag "$n"
}

# limits NAME PATTERN ARGUMENT...: limits the address space, from too little for the C library to enough
limits() {
	local limit found=

	for ((limit = 10240; limit < 60000; limit += 1024)); do
		found+=$( (ulimit -v $limit; wrong "${@:2}") | grep -v 'exit status 127,' | sed "s/^/limit $limit: /")
	done
	is "$found" "" "gpmu $1 has its result or fails with a message in little address space"
}

recorded=' [1-9][0-9]* lost -> | 1 thread, .* 0 lost -> |warning: the command.s threads are not recorded'
each eval ' 7 +page-faults' eval -e page-faults "$work/faults"
each stat ' msec task-clock ' stat -e task-clock -- true
each record "$recorded" record --no-cuda-trace -o "$work/out/trace" -e task-clock -- true
export GPMU_ROOT=$work/small
each "doctor --save" saved doctor --save "$work/out/saved"
limits "doctor --save" saved doctor --save "$work/out/saved"
unset GPMU_ROOT
limits record "$recorded" record --no-cuda-trace -o "$work/out/trace" -e task-clock -- true
done_testing
