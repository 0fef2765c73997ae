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

# whole: succeeds if there is no file, if it is a trace with the records of the command, or if gpmu has counted no record
whole() {
	local files

	files=("$work/out"/*)
	[ ! -e "${files[0]}" ] || [[ $both == *', 0 records, '* ]] ||
		{ [ "${files[*]}" = "$work/out/trace" ] && LD_PRELOAD="" gpmu report "$work/out/trace" | grep -q '^ *true .* true$'; }
}

# has_result PATTERN: whether the output has the pattern; "saved": whether the machine is saved as a whole
has_result() {
	if [ "$1" = saved ]; then
		cmp -s "$work/saved" "$work/out/saved"
	else
		[[ $both =~ $1 ]]
	fi
}

# try WHAT PATTERN ARGUMENT...: runs gpmu, and adds WHAT and the result to $found, unless it fails with a message, or
# has_result PATTERN
try() {
	local rc=0 both good=1

	timeout -s KILL 600 "$GPMU_BIN" "${@:3}" < /dev/null > "$work/both" 2>&1 || rc=$?
	IFS= read -rd '' both < "$work/both"
	case $rc in
	125) [[ $'\n'$both == *$'\n'gpmu* ]] && whole && good=0 ;;
	0) has_result "$2" && good=0 ;;
	127) [[ $1 == limit* ]] && good=0 ;; # too little for the dynamic linker
	esac
	[ $good = 0 ] || found+="$1: exit status $rc, files $(ls "$work/out"): ${both:0:200}"$'\n'
	rm -f "$work/out"/*
}

# each NAME PATTERN ARGUMENT...: makes each allocation of gpmu fail in turn
each() {
	local n found=

	for ((n = 1; n < 5000; n++)); do
		LD_PRELOAD=$failing FAILING_ALLOCATION=$n FAILING_DONE=$work/done try "allocation $n" "${@:2}"
		[ -e "$work/done" ] || break
		rm -f "$work/done"
	done
	is "$found" "" "gpmu $1 has its result or fails with a message if an allocation fails"
	[ "$n" -gt 50 ] && [ "$n" -lt 5000 ]
	ok $? "gpmu $1 has more than 50 allocations, each of which fails once" || diag "$n"
}

# limits NAME PATTERN ARGUMENT...: limits the address space, from too little for the C library to enough
limits() {
	local limit found=

	for ((limit = 10240; limit < 60000; limit += 1024)); do
		# shellcheck disable=SC2030,SC2031 # the subshell has a list of its own
		found+=$(ulimit -v $limit; found=; try "limit $limit" "${@:2}"; echo "$found")
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

# within KILOBYTES COMMAND...: expects gpmu COMMAND to succeed, or to exit with $status, in this address space
within() {
	# shellcheck disable=SC2016 # the inner shell expands it
	expect "${status:-0}" bash -c 'ulimit -v "$1"; shift; exec "$@"' bash "$1" "$GPMU_BIN" "${@:2}"
}

within 400000 record -o "$work/trace" -- true
like "$err" ' 0 lost' "record works within 400 MB of address space"
status=125 within 200000 eval -e page-faults < <(head -c 300000000 /dev/zero)
is "$err" "gpmu eval: standard input: expected lines of perf, found one of more than 1048576 bytes" \
	"eval refuses an endless line without reading it into memory"
# 1,000,000 slices of 100 ns
printf '%s\n' 'process;1;a' 'track;g;-;GPU 0: H200 (GPU-a)' 'track;s;g;1 a: stream 7' \
	'many;s;1000000;1000000;200;100;kernel;k;correlation=1;grid=1x1x1;block=1x1x1' |
	"$B/tests/unit/trace/trace-script" "$work/long" || bail "no trace"
within 1000000 report --format csv "$work/long"
like "$out" '^k,1000000,1,100000000,100,100,100$' "report reads a million slices in less than 1 GB of memory"
done_testing
