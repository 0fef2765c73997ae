#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# pmu-events as data: the events of the Grace system PMUs, and all descriptions.

. tests/lib/tap.sh

top=$PWD
dir=$(mktemp -d) || bail "no temporary directory"
trap 'rm -rf "$dir"' EXIT

# check NAME [FOLDER]: the faults that a check of events_check.py finds in FOLDER/pmu-events
check() {
	(cd "${2:-.}" && python3 -B "$top/tests/unit/pmu-events/events_check.py" "$1" 2>&1)
}

# planted FILE SED REGEX DESCRIPTION: the check of descriptions reports a fault in a copy of FILE
planted() {
	rm -rf "$dir/pmu-events"
	cp -r pmu-events "$dir"
	sed -i "$2" "$dir/pmu-events/$1"
	like "$(check descriptions "$dir")" "$3" "$4"
}

is "$(check codes)" "" "pmu-events: each event of grace-events.tsv is there once, with its code and unit"
is "$(check files)" "" "pmu-events: each event is in the file of its PMU and has its identifier as Compat"
is "$(check cnvlink)" "" "pmu-events: descriptions and metrics of CNVLink agree with the memories in cnvlink.h"
is "$(check descriptions)" "" "pmu-events: descriptions are brief, in ASCII, and name source, destination and socket"

cp -r pmu-events "$dir"
sed -i 's/CNVLINK_REM.*/CNVLINK_REM (CMEM)/' "$dir/pmu-events/cnvlink.h"
like "$(check cnvlink "$dir" | xargs)" 'wr_req_rem does not describe .* to CMEM.*GraceCnvlinkGpuMemReadBW counts .*rd_bytes_rem' \
	"pmu-events: events and metrics of CNVLink that disagree with cnvlink.h are reported"

metrics=arch/arm64/nvidia/grace/sys/metrics.json
long=$(printf 'Long %.0s' {1..16})
planted $metrics "s/Read bandwidth from local CPU/$long&/" 'GraceMemReadBW has a BriefDescription of [0-9]+ char' \
	"pmu-events: a BriefDescription longer than 80 characters is reported"
planted gpu/metrics.json "s/\"Compute grids launched per second\\./& 0 means no samples./" \
	'GpuLaunches states that 0 means no samples' \
	"pmu-events: a description with \"0 means no samples\" is reported"
planted $metrics 's/ 0 if there were no reads\.//' 'GraceMemReadLatency does not state when' \
	"pmu-events: a latency metric that does not state when it is 0 is reported"
planted $metrics 's/ Measured in socket [01] only\.//' 'GraceRemoteReadLatency0to1 does not name the socket' \
	"pmu-events: a metric of one socket that does not name the socket is reported"
done_testing
