#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the example programs in C and Fortran with software events and with the model.

. tests/lib/tap.sh

build=${B:-build}
programs=$build/tests/examples
model=${MODEL:-$build/gpmu-model.so}
steady=metrics/sources/model/scenarios/steady.scenario

[ -x "$programs/regions" ] || bail "no $programs/regions"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# value TEXT REGION COUNTER: prints a value of a table
value() {
	awk -v region="$2" -v counter="$3" '$1 == region && $4 == counter { print $5; exit }' <<<"$1"
}

# counted STATUS DESCRIPTION: whether a program that counts software events, whose output is $got, has exited with 0;
# skips DESCRIPTION if this user cannot count them
refused=$("$build/gpmu" stat --strict -e task-clock:u,page-faults:u true 2>&1) && refused=
counted() {
	if [ -n "$refused" ]; then
		skip "this user cannot count software events" "$2"
		return 1
	fi
	ok "$1" "$2" || diag "$got"
	[ "$1" = 0 ]
}

# between VALUE LEAST MOST DESCRIPTION: checks that a value is in a range
between() {
	awk -v value="$1" -v least="$2" -v most="$3" \
		'BEGIN { exit !(value >= least && value <= most) }'
	ok $? "$4" || diag "got $1, expected $2 to $3"
}

got=$("$programs/regions" 2>&1)
if counted $? "regions: the example counts software events"; then
	is "$(awk 'NR > 1 { print $1, $2 }' <<<"$got" | uniq)" $'fill 1\nstep 10\nsum 10' \
		"regions: the table has three regions in the order of first visits, with their visits"
	between "$(value "$got" fill page-faults:u)" 16 2300 "regions: touching 8 MiB causes 16 to 2300 page faults"
	between "$(value "$got" sum task-clock:u)" 1 "$(value "$got" step task-clock:u)" \
		"regions: a nested region takes no longer than the region around it"
fi
got=$("$programs/regions" no-such-event 2>&1)
is "$?" 1 "regions: an event that does not exist makes the example fail"
like "$got" "^regions: .*no-such-event" "regions: the error names the event that does not exist"

got=$("$programs/first" 2>&1)
if counted $? "first: the example counts software events"; then
	is "$(awk '{ print $1, $2, $4 }' <<<"$got" | tr '\n' ';')" "region visits counter;solve 1 task-clock;solve 1 page-faults;" \
		"first: the table has the region and its two events"
	between "$(value "$got" solve task-clock)" 1 60000 "first: the region takes CPU time"
fi
got=$("$programs/first" GraceMemBW "$model=$steady" 2>&1)
between "$(value "$got" solve GraceMemBW)" 190.71 190.73 "first: the example counts a metric of the model"
got=$("$programs/first" GraceMemBX 2>&1)
is "$? $got" "1 first: there is no metric or event GraceMemBX, did you mean GraceMemBW?" \
	"first: the error names the most similar metric"
"$programs/marks" 1000
ok $? "marks: the example runs without gpmu"

# The first C program in the README, as printed, with what it calls
{
	printf '#include <stdio.h>\n#include <gpmu.h>\n'
	printf 'static void solve(void)\n{\n\tfor (volatile int i = 0; i < 1000; i++)\n\t\t;\n}\nint main(void)\n{\n'
	awk '/^```/ { if (in_c) exit; in_c = $0 == "```c"; next } in_c' README.md
	printf '\treturn g ? 0 : 3;\n}\n'
} > "$work/readme.c"
out=$("${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror -Imetrics/include -o "$work/readme" "$work/readme.c" -L"$build" -Wl,-rpath,"$(realpath "$build")" -lgpmu 2>&1)
is "$out" "" "README: the C program compiles as printed"
got=$("$work/readme" 2>&1)
status=$?
if [ $status = 3 ]; then
	skip "it cannot open its counters here" "README: the C program prints its region and its three counters"
else
	is "$status $(awk 'NR > 1 { print $1, $2, $4 }' <<<"$got" | sort | tr '\n' ';')" "0 solve 1 GpuDramBW;solve 1 GraceMemBW;solve 1 cycles;" \
		"README: the C program prints its region and its three counters"
fi

got=$("$programs/threads" 3 2>&1)
if counted $? "threads: the example counts page faults"; then
	is "$(wc -l <<<"$got")" 3 "threads: the example prints a line for each of three threads"
	for thread in 0 1 2; do
		faults=$(awk -v thread="$thread:" '$2 == thread { print $5 }' <<<"$got")
		between "${faults:--1}" 1 $(((thread + 1) * 1000 + 200)) \
			"threads: thread $thread counts its own page faults alone"
	done
fi

got=$("$programs/nodes" GraceMemBW,GracePcieReadBW "$model=$steady" 2>&1)
is "$?" 0 "nodes: the example counts metrics of the model"
for want in GraceMemBW:0:131.52 GraceMemBW:1:59.2 GracePcieReadBW:0:9.6 GracePcieReadBW:1:14.4; do
	IFS=: read -r metric node rate <<<"$want"
	got_rate=$(awk -F, -v metric="$metric" -v node="$node" \
		'$25 == metric && $19 == node { print $26 }' <<<"$got")
	# Five visits of at least 20 ms, each of which counts at most 11 requests of 64 bytes too many
	between "${got_rate:--1}" "$(awk -v rate="$rate" 'BEGIN { printf "%.6f", rate - 4e-5 }')" \
		"$(awk -v rate="$rate" 'BEGIN { printf "%.6f", rate + 4e-5 }')" \
		"nodes: $metric of node $node is $rate GB/s"
done
got=$("$programs/nodes" NoSuchMetric 2>&1)
like "$got" "^nodes: .*NoSuchMetric" "nodes: the error names the metric that does not exist"

root=$work/superchip
tests/sysroot/make superchip-ours "$root"
got=$("$programs/pmu" nvidia_scf_pmu_0 "$root" 2>&1)
like "$got" '^6 counters of 64 bits and a cycle counter$' "pmu: the example prints the counters of a PMU"
like "$got" '^event cmem_rd_data: event=0x1a5$' "pmu: the example prints the events of a PMU"
is "$("$programs/pmu" no_such_pmu "$root" 2>&1)" "pmu: no_such_pmu: no such PMU" "pmu: the error names the PMU that does not exist"
got=$(GPMU_PLUGINS=$build GPMU_CUDA=$build/tests/gpu/fake GPMU_FAKE=machine=gh200 "$programs/devices" nvml "$root" 2>&1)
like "$got" '^  counted by nvidia_pcie_pmu_1/\.\.\.,root_port=0x100/$' "devices: the example prints the PMU that counts a PCI device"
like "$got" '^GPU0: NVIDIA GH200 480GB, chip GH100, ' "devices: the example prints a GPU"
like "$got" '^  counted by nvidia_nvml_0 of the plugin nvml$' "devices: the example prints the PMU that counts a GPU"
like "$("$programs/describe" GraceMemBW)" '^  unit: GB/s$' "describe: the example prints the unit of a metric"
like "$("$programs/describe" GpuC2cBW)" '^  reason: this machine has no PMU nvidia_gpu$' "describe: the example prints why a metric is not supported"
like "$("$programs/describe" cmem_rd_data)" '^  terms: event=0x1a5$' "describe: the example prints the terms of an event"
like "$("$programs/describe" NoSuchName 2>&1)" '^describe: none of [0-9]+ metrics and no event is named NoSuchName$' \
	"describe: the error names the metric that does not exist"
got=$("$programs/record" "$root/trace.pftrace" sleep 0.05 2>&1)
if counted $? "record: the example records a command's page faults"; then
	like "$("$build/gpmu" report --by counter "$root/trace.pftrace")" '^ +command .* page-faults:u$' \
		"record: the trace has the command's page faults"
fi

if [ ! -x "$programs/heat" ]; then
	skip "no gfortran" "heat: the Fortran example counts software events"
elif got=$("$programs/heat" 2>&1); counted $? "heat: the Fortran example counts software events"; then
	is "$(awk 'NR > 1 { print $1, $2 }' <<<"$got" | sort -u)" \
		$'copy-for-the-next-step 20\nfill 1\nstep 21' \
		"heat: the table has the Fortran program's regions, with long names, and their visits"
	is "$(head -n 1 <<<"$got" | xargs)" "region visits seconds counter value" \
		"heat: the first line of the table names the columns"
	like "$got" "^fill .* page-faults:u +[1-9][0-9]* *$" "heat: the table shows counts as whole numbers"
	got=$("$programs/heat" "software/config=4095/u,task-clock:u")
	like "$got" "^step .*<not supported> .*no such event" "heat: the table shows an unsupported event with the reason"
	got=$("$programs/heat" "no-such-event" 2>&1)
	like "$got" "^heat: .*no-such-event" "heat: the error names the event that does not exist"
fi

if [ ! -x "$programs/mishaps" ]; then
	skip "no gfortran" "mishaps: the Fortran module reports misuse"
else
	got=$("$programs/mishaps" closed 2>&1)
	is "$?:$got" "0:" "mishaps: calls without an open counting fail and do not crash"
	got=$("$programs/mishaps" again 2>&1)
	case $? in
	1) skip "$got" "mishaps: gpmu_open() closes an open counting first" ;;
	*) is "$?:$got" "0:" "mishaps: gpmu_open() closes an open counting first" ;;
	esac
	is "$("$programs/mishaps" enable "$build/tests/unit/gpmu-fake.so" 2>&1)" \
		"it could not be enabled: Input/output error" \
		"mishaps: the message of a failed enable has the reason"
fi

if [ ! -x "$programs/whom" ]; then
	skip "no gfortran" "whom: the Fortran module counts the selected target"
elif ! got=$("$programs/whom" cpus 0 2>&1); then
	skip "$got" "whom: the Fortran module counts the selected target"
else
	like "$got" '^0 -1 [0-9]+$' "whom: the argument cpus selects the CPUs to count"
	python3 -c 'import mmap
while True:
    with mmap.mmap(-1, 1 << 24) as memory:
        for page in range(0, 1 << 24, 4096):
            memory[page] = 1' &
	busy=$!
	for whom in pids tids; do
		# On a loaded machine the process may not run while it is counted.
		for _ in {1..50}; do
			got=$("$programs/whom" "$whom" "$busy")
			[ "$(cut -d ' ' -f 3 <<< "$got")" -lt 500 ] || break
		done
		between "$(cut -d ' ' -f 3 <<< "$got")" 500 1e9 "whom: the argument $whom selects the tasks to count"
	done
	kill "$busy"
	once='dd if=/dev/zero of=/dev/null bs=16M count=1 2> /dev/null'
	between "$("$programs/whom" inherit "$once" | cut -d ' ' -f 3)" 4096 1e9 "whom: with inherit the processes that the thread starts are counted"
	between "$("$programs/whom" thread "$once" | cut -d ' ' -f 3)" 0 1000 "whom: without inherit only the thread is counted"
	like "$("$programs/whom" pids 2147483647 2>&1)" '^whom: .*2147483647' "whom: the error names the process that does not exist"
fi

if [ ! -x "$programs/team" ]; then
	skip "no gfortran" "team: the Fortran module counts the threads of OpenMP"
elif got=$("$programs/team" 2>&1); then
	mapfile -t faults < <(awk '$1 == "touch" { print $NF }' <<< "$got" | sort -n)
	is "${#faults[@]}" 3 "team: the table has a line for each OpenMP thread of the Fortran program"
	between "${faults[0]:--1}" 4000 4300 "team: the first OpenMP thread counts its own page faults alone"
	between "${faults[2]:--1}" 12000 12300 "team: the third OpenMP thread counts its own page faults alone"
	is "$("$programs/team" json | grep -c '^{"region":"touch",.*}$')" 3 "team: the Fortran module prints JSON if the format requests it"
else
	skip "$got" "team: the Fortran module counts the threads of OpenMP"
fi
done_testing
