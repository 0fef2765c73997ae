#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu traffic: the matrix of the model's known traffic, its records, its refusals.
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
is "$rc $out" "0 " "it is shown on standard error"
like "$err" '^  [0-9.]+ s: traffic, Grace CPU Superchip, 2 sockets$' "with what the machine is"
like "$err" '^  CPU 0 +read +64\.000~ +3\.200 +67\.200~$' "a CPU's reads of its own memory, derived, and of the other's"
like "$err" '^  PCIe 1 +read +1\.600 +12\.800 +14\.400$' "a PCIe device's"
like "$err" '^ +write +0\.960 +0 +0\.960$' "what did not happen is 0"
like "$err" '^  total +read +88\.000 +51\.200 +139\.200$' "totals of memories"
like "$err" '^  CPU 1 -> CMEM 0 +read +16\.000 +80\.000 +\+400\.0 %$' "both ends between sockets, with the difference"
like "$err" '^ +write +0\.960 +0\.640 +-33\.3 %$' "strongly-ordered writes are missing at the home's link"
like "$err" 'strongly-ordered writes in its SCF count' "which is said"
like "$err" '^  CMEM 0, reads and writes +143\.360 +500\.0 +28\.67 %$' "the share of a peak"
like "$err" 'datasheet: up to 1 TB/s' "and whose figure that is"
like "$err" '^  CPUs to CMEM 1, reads +35\.200 +1433\.6 +2\.46 %$' "a peak of the socket's own clock"
unlike "$err" '[[:blank:]]$' "no line ends in blanks"

run traffic "$hopper" --chip gracehopper --duration 0.2
like "$err" '^  GPU 0 ATS +read +64\.000 +invisible +0 +0 +64\.000$' "a GPU's own memory is invisible"
like "$err" '^  PCIe 1 +read +\(h\) +\(h\) +0 +0 +3\.200$' "what is counted together has a letter"
like "$err" '^  \(h\) PCIe 1 -> CMEM, GMEM 0 +3\.200 +1\.600$' "with the sum below"
like "$err" '^  CPU 0 +read +0 +25\.60\.\.28\.80 ' "a range, where counts do not tell more"
like "$err" ' idle$' "links that nothing went over are idle"
run traffic "$hopper,sockets=4" --duration 0.2
like "$err" 'Grace Hopper, 4 sockets' "four sockets"
like "$err" '^  \* is an estimate: counters were multiplexed, and ran [0-9.]+% of the time or more$' "estimates are said, with their share"

run at superchip gpmu traffic --duration 0.01 true
like "$rc $err" "^125 gpmu traffic: nvidia_[a-z0-9_]+ is a PMU of the machine in $(machine superchip), .*: this one cannot count it" "another machine's PMUs are not opened here"
run traffic --duration 0.1
is "$rc $err" '125 gpmu traffic: no PMU of NVIDIA Grace here; "gpmu doctor" says why' "a machine that is no Grace"

file=$work/traffic
run traffic "$model" -j -o "$file" --duration 0.2
is "$rc $both" "0 " "-o: nothing else is printed"
is "$(grep -c . "$file")" "$(grep -c '^{"gpmu_traffic":1,"time_begin":.*}$' "$file")" "-j: an object a line"
is "$(record "$file" flow "CPU 0 -> CMEM 0" read state)" ok "a cell's record"
is "$(record "$file" flow "CPU 0 -> CMEM 0" read derived)" 1 "it says that it is derived"
is "$(record "$file" peak "CMEM 0, reads and writes" "" peak)" 500 "a peak's record"
is "$(record "$file" link_home "PCIe 0 -> CMEM 1" read state)" ok "a link's"
run traffic "$hopper" --chip gracehopper -j -o "$file" --duration 0.2
is "$(record "$file" flow "PCIe 1 -> GMEM 0" read sum)" "PCIe 1 -> CMEM, GMEM 0" "one that is counted with others names the sum"
is "$(record "$file" flow "GPU 1 ATS -> GMEM 1" read state)" invisible "one that is invisible"
like "$(record "$file" flow "GPU 1 ATS -> GMEM 1" read note)" "does not leave it" "says why"

run traffic --source "model=$scenarios/guide-pcie-remote-read.scenario" -x ';' -o "$file" --duration 0.8
is "$(head -n 1 "$file")" "# gpmu-traffic-csv 1" "-x: CSV begins with its version"
like "$(sed -n 2p "$file")" '^time_begin;time_end;host;kind;name;direction;state;derived;bytes;value;' "then the columns"
is "$(grep ';link_home;PCIe 1 -> CMEM 0;read;' "$file" | cut -d ';' -f 9)" 1074057216 "the guide's 1,074,057,216 bytes at the home"
is "$(python3 -c 'import csv, sys
print(*{len(row) for row in list(csv.reader(sys.stdin, delimiter=";"))[1:]})' < "$file")" 28 "each record has all columns"
run traffic "$model" -x , -o "$file" --duration 0.1
like "$(grep '^[0-9].*,peak,' "$file" | head -n 1)" '"CMEM 0, reads and writes"' "a text with a separator is quoted"

run traffic "$model" -I 50 --interval-count 3
is "$(grep -c 'traffic of this interval' <<< "$err")" 3 "-I: a matrix each interval"
is "$(grep -c 'CMEM 0, reads and writes' <<< "$err")" 3 "with its shares of peaks"
is "$(grep -c -e '^  ~ is' -e 'strongly-ordered writes in its SCF' -e 'datasheet: up to' <<< "$err")" 3 "notes and where peaks are from are printed once"
run traffic "$model" -I 50 --interval-count 2 -x ';'
is "$(grep -c '^#' <<< "$err")" 1 "CSV has its first lines once"
: > "$work/rows"
run traffic "$model" --append -o "$work/rows" -x ';' --duration 0.05
run traffic "$model" --append -o "$work/rows" -x ';' --duration 0.05
is "$(grep -c '^#\|^time_begin' "$work/rows") $(sed -n 1p "$work/rows")" "2 # gpmu-traffic-csv 1" "also with --append, to an empty file and to another"
run traffic "$model" -- sh -c 'exit 7'
is "$rc" 7 "the exit status is the command's"
like "$err" 'traffic, Grace' "and what was until then is shown"
run traffic "$model" /nowhere/app
is "$rc" 127 "a command that there is not"
run traffic "$model" -v --duration 0.05
like "$err" '^group 1: nvidia_scf_pmu_0, ' "-v explains the groups"

while read -r options; do
	# shellcheck disable=SC2086 # several options
	run traffic "$model" $options --duration 0.05
	is "$rc" 125 "$options: refused"
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
