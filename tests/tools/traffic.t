#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu traffic: the matrix of the model's known traffic, its records, options that it refuses.
. tests/tools/lib.sh

# shellcheck disable=SC2317 # run() calls it
traffic() {
	at vm gpmu traffic "$@"
}

# record FILE KIND NAME DIRECTION KEY: a value of a JSON record
record() {
	python3 - "$@" << 'END'
import json, sys
path, kind, name, direction, key = sys.argv[1:]
for line in open(path, encoding="utf-8"):
    record = json.loads(line)
    if (record["kind"], record["name"], record["direction"] or "") == (kind, name, direction):
        print(record[key])
END
}

hopper=--source=model=$scenarios/steady-gracehopper.scenario

run traffic "$model" --duration 0.2
is "$rc $err" "0 " "traffic prints the matrix on standard output"
like "$out" '^  [0-9.]+ s: traffic, Grace CPU Superchip, 2 sockets$' "traffic's title has the machine and its sockets"
like "$out" '^  CPU 0 +read +64\.000~ +3\.200 +67\.200~$' "traffic prints a CPU's reads of local memory as derived, and of remote memory"
like "$out" '^  PCIe 1 +read +1\.600 +12\.800 +14\.400$' "traffic prints the reads of PCIe devices"
like "$out" '^ +write +0\.960 +0 +0\.960$' "traffic prints 0 where there was no traffic"
like "$out" '^  total +read +88\.000 +51\.200 +139\.200$' "traffic prints the total of each memory"
like "$out" '^  CPU 1 -> CMEM 0 +read +16\.000 +80\.000$' "traffic prints no difference of ends that count different CPUs"
like "$out" '^  PCIe 0 -> CMEM 1 +read +3\.200 +3\.200 +0\.0 %$' "traffic prints the difference of a link's ends that count the same reads"
like "$out" '^ +write +0\.960 +0\.640$' "traffic prints no difference of writes, of which the home excludes strongly-ordered ones"
like "$out" 'SCF counts strongly-ordered writes as writes of CPUs' "traffic notes that strongly-ordered writes count in SCF"
like "$out" '^ +write +38\.720~ ' "traffic counts a strongly-ordered write of another socket in the row of CPUs"
like "$out" 'strongly-ordered PCIe writes of other sockets count here and in the row of PCIe, so twice in the total' \
	"traffic notes that strongly-ordered writes are in two cells"
like "$out" '^  CMEM 0, reads and writes +143\.360 +500\.0 +28\.67 %$' "traffic prints the share of a memory's peak"
like "$out" 'datasheet: up to 1 TB/s' "traffic names the origin of a peak"
like "$out" '^  CPUs to CMEM 1, reads +35\.200 +1433\.6 +2\.46 %$' "traffic computes the peak of the SCF from the socket's clock"
unlike "$out" '[[:blank:]]$' "traffic prints no trailing blanks"

expect 0 traffic "$hopper" --duration 0.2
like "$out" '^  GPU 0 ATS +read +64\.000 +invisible +0 +0 +64\.000$' "traffic prints a GPU's accesses to its own memory as invisible"
like "$out" '^  PCIe 1 +read +\(h\) +\(h\) +0 +0 +3\.200$' "traffic prints a letter for traffic that is counted together"
like "$out" '^  \(h\) PCIe 1 -> CMEM, GMEM 0 +3\.200 +1\.600$' "traffic prints the sum of each letter below the matrix"
like "$out" '^  CPU 0 +read +0 +25\.600\.\.28\.800 .* 25\.600~$' "traffic prints a range if counts give bounds only, with the digits of its total"
like "$out" ' idle$' "traffic prints idle for a link without traffic"
expect 0 traffic "$hopper,sockets=4" --duration 0.2
like "$out" 'Grace Hopper, 4 sockets' "traffic's title has the four sockets of a Grace Hopper"
like "$out" '^  \* is an estimate: counters were multiplexed, and ran [0-9.]+% of the time or more$' "traffic marks estimates of multiplexed counters with the lowest share"

run at superchip gpmu traffic --duration 0.01 true
like "$rc $err" "^125 gpmu traffic: nvidia_[a-z0-9_]+ is a PMU of the machine in $(machine superchip) and cannot be counted on this one; unset GPMU_ROOT\$" "traffic refuses to open PMUs of another machine's root"
run traffic --duration 0.1
is "$rc $err" '125 gpmu traffic: no PMU of NVIDIA Grace here; "gpmu doctor" reports why' "traffic refuses a machine that is no Grace"

file=$work/traffic
run traffic "$model" -j -o "$file" --duration 0.2
is "$rc $both" "0 " "traffic -o prints nothing"
is "$(grep -c . "$file")" "$(grep -c '^{"gpmu_traffic":1,"time_begin":.*}$' "$file")" "traffic -j prints one JSON object per line"
is "$(record "$file" flow "CPU 0 -> CMEM 0" read state)" ok "traffic -j has a record for each cell"
is "$(record "$file" flow "CPU 0 -> CMEM 0" read derived)" 1 "traffic -j marks derived values"
is "$(record "$file" peak "CMEM 0, reads and writes" "" peak)" 500 "traffic -j has records of peaks"
is "$(record "$file" link_home "PCIe 0 -> CMEM 1" read state)" ok "traffic -j has records of links"
expect 0 traffic "$hopper" -j -o "$file" --duration 0.2
is "$(record "$file" flow "PCIe 1 -> GMEM 0" read sum)" "PCIe 1 -> CMEM, GMEM 0" "traffic -j names the sum of a cell that is counted with others"
is "$(record "$file" flow "GPU 1 ATS -> GMEM 1" read state)" invisible "traffic -j has the state invisible"
like "$(record "$file" flow "GPU 1 ATS -> GMEM 1" read note)" "does not leave the GPU" "traffic -j explains an invisible cell in a note"

expect 0 traffic --source "model=$scenarios/guide-pcie-remote-read.scenario" -x ';' -o "$file" --duration 0.8
is "$(head -n 1 "$file")" "# gpmu-traffic-csv 1" "traffic -x begins with the version of its CSV"
like "$(sed -n 2p "$file")" '^time_begin;time_end;host;kind;name;direction;state;derived;bytes;value;' "traffic -x has the names of the columns in the second line"
is "$(grep ';link_home;PCIe 1 -> CMEM 0;read;' "$file" | cut -d ';' -f 9)" 1074057216 "traffic -x has the 1,074,057,216 bytes of the tuning guide's example at the home"
is "$(python3 -c 'import csv, sys
print(*{len(row) for row in list(csv.reader(sys.stdin, delimiter=";"))[1:]})' < "$file")" 28 "traffic -x has all columns in each record"
expect 0 traffic "$model" -x , -o "$file" --duration 0.1
like "$(grep '^[0-9].*,peak,' "$file" | head -n 1)" '"CMEM 0, reads and writes"' "traffic -x quotes a text that contains the separator"

expect 0 traffic "$model" -I 50 --interval-count 3
is "$(grep -c 'traffic of this interval' <<< "$out")" 3 "traffic -I prints a matrix for each interval"
is "$(grep -c 'CMEM 0, reads and writes' <<< "$out")" 3 "traffic -I prints the shares of peaks in each interval"
is "$(grep -c -e '^  ~ is' -e 'SCF counts strongly-ordered writes' -e 'datasheet: up to' <<< "$out")" 3 "traffic -I prints notes and origins of peaks once"
expect 0 traffic "$model" -I 50 --interval-count 2 -x ';'
is "$(grep -c '^#' <<< "$out")" 1 "traffic -I -x prints the CSV heading once"
: > "$work/rows"
expect 0 traffic "$model" --append -o "$work/rows" -x ';' --duration 0.05
expect 0 traffic "$model" --append -o "$work/rows" -x ';' --duration 0.05
is "$(grep -c '^#\|^time_begin' "$work/rows") $(sed -n 1p "$work/rows")" "2 # gpmu-traffic-csv 1" "traffic --append -x writes the heading to an empty file only"
run traffic "$model" -- sh -c 'exit 7'
is "$rc" 7 "traffic exits with the command's status"
like "$out" 'traffic, Grace' "traffic prints the matrix of a command that fails"
run traffic "$model" /nowhere/app
is "$rc" 127 "traffic of a command that does not exist exits with 127"
expect 0 traffic "$model" -v --duration 0.05
like "$err" '^group 1: nvidia_scf_pmu_0, ' "traffic -v explains the groups"

while read -r options; do
	# shellcheck disable=SC2086 # several options
	run traffic "$model" $options --duration 0.05
	is "$rc" 125 "traffic $options is refused"
done << 'END'
-j -x ;
-x .
-x e
--chip hopper
--interval-count 3
--append
-I 0
--duration 0
END
done_testing
