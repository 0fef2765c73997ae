#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2034 # s_rest
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3
#: drivers ours
#: long 6.1 6.12
#: userland yes
#: timeout 600
#
# gpmu report counts each record of Arm SPE that the stand-in (tests/vm/guest/spe) has written: the
# recordings of Debian's unmodified perf by function, tier and home, and those of gpmu record --spe by
# tier and home. The stand-in repeats a script of 11 records 100 times on each CPU.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/spe.sh
. /lib/spe.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH
all=arm_spe_0/ts_enable=1,pa_enable=1/

truth >/tmp/truth
printf "$(slots /tmp/truth)" >/tmp/script

# The tables for one pass of the script, in the order of truth(): FUNCTION,TIER,HOME. CPUs 0 and 1 are in node 0.
cat >/tmp/keys <<'E2'
vfs_read,L1D (0x0),memory of node 0
vfs_read,L2 (0x8),memory of node 0
vfs_read,DRAM (0xe),memory of node 0
vfs_write,store: L1D,memory of node 0
vfs_write,,
vfs_write,,
[unknown],peer core (0x9),no node
[unknown],store: beyond LLC,no node
vfs_write,system cache (0xb),memory of node 0
[unknown],,
vfs_read,local cluster (0xa),memory of node 0
E2
# plays NS COUNT NAME COMMAND...: the stand-in makes COUNT records on each CPU that is recorded, each NS nanoseconds;
# none before COMMAND sets NS, if it is 0
plays() {
	p_ns=$1
	p_count=$2
	name=$3
	shift 3
	insmod /lib/gpmu/spe.ko script=/tmp/script burst=0 record_ns="$p_ns" record_count="$p_count" ||
		bail "spe.ko does not load: $(dmesg | tail -n 3)"
	"$@" >/tmp/out 2>&1
	is $? 0 "$name: the recording succeeds" || diag "$(cat /tmp/out)"
	rmmod spe
}
# reported COLUMNS TABLE OPTION...: rows of a report in CSV, "KEY,...,SAMPLES", sorted
reported() {
	r_columns=$1
	r_table=$2
	shift 2
	gpmu report --format csv "$@" 2>/tmp/report.err |
		awk -F , -v table="$r_table" -v columns="$r_columns" '
		/^# gpmu-report-csv/ { split($0, word, " "); on = word[4] == table; getline; next }
		on {
			sub(/^"[^"]*",/, "event,")
			n = split(columns, column, " ")
			line = $column[1]
			for (i = 2; i <= n; i++) line = line "," $column[i]
			print line
		}' | sort
}
by_function() {
	reported "7 8 9 3" samples --by function,tier,home "$1"
}
# truly OLD REST FIRST LOCAL OTHER: the table if each record was made OLD times on each CPU, and REST
# records from FIRST on once more, on LOCAL CPUs of node 0 and OTHER of node 1
truly() {
	awk -F , -v old="$1" -v rest="$2" -v first="$3" -v near="$4" -v far="$5" '
		{
			times = old + ((NR - 1 - first + 11) % 11 < rest)
			home = $3
			if (home == "memory of node 0") {
				n[$1 "," $2 ",local CPU memory (node 0)"] += near * times
				if (far) n[$1 "," $2 ",other CPU memory (node 0)"] += far * times
			} else
				n[$1 "," $2 "," home] += (near + far) * times
		}
		END { for (key in n) print key "," n[key] }' /tmp/keys | sort
}
# One CPU's table with 100 passes, by hand
cat >/tmp/one <<'E2'
[unknown],,,100
[unknown],peer core (0x9),no node,100
[unknown],store: beyond LLC,no node,100
vfs_read,DRAM (0xe),local CPU memory (node 0),100
vfs_read,L1D (0x0),local CPU memory (node 0),100
vfs_read,L2 (0x8),local CPU memory (node 0),100
vfs_read,local cluster (0xa),local CPU memory (node 0),100
vfs_write,,,200
vfs_write,store: L1D,local CPU memory (node 0),100
vfs_write,system cache (0xb),local CPU memory (node 0),100
E2
# A command that runs on CPU 0 until it has all records, without a process of its own
busy="until read -r written <$parameters/written && [ \"\${written%%,*}\" = 1100 ]; do :; done"

# --- perf record

plays 100000 1100 "perf per task" taskset 1 perf record -o /tmp/task -e "$all" -c 65536 -- sh -c "$busy"
is "$(by_function /tmp/task)" "$(cat /tmp/one)" "perf per task: gpmu report counts each record 100 times" ||
	diag "$(cat /tmp/report.err)"
plays 100000 1100 "perf system-wide" perf record -o /tmp/system -a -e "$all" -c 65536 -- sleep 1
is "$(by_function /tmp/system)" "$(truly 100 0 0 2 2)" "perf system-wide: gpmu report counts each record 400 times" ||
	diag "$(cat /tmp/report.err)"
is "$(reported "7 3" samples --by node /tmp/system)" "0,2200
1,2200" "perf system-wide: gpmu report counts 1100 records of each CPU"
perf inject -i /tmp/system -o /tmp/injected --itrace=i1i --strip >/tmp/out 2>&1
is $? 0 "perf inject --itrace=i1i --strip succeeds" || diag "$(cat /tmp/out)"
is "$(reported "7 3" functions /tmp/injected | awk -F , '{ n[$1] += $2 } END { for (f in n) print f "," n[f] }' | sort)" \
	"[unknown],1200
vfs_read,1600
vfs_write,1600" "perf inject --strip: gpmu report counts the samples by function, without SPE" ||
	diag "$(gpmu report --format csv /tmp/injected 2>&1 | head -n 20)"

# stopped NAME: a recording during which perf does not read. Of the 8 pages of a buffer, 7 are filled: the kernel leaves a
# byte free, and outputs end at pages.
stopped() {
	perf record -o "/tmp/$1" -a -m 8,8 -e "$all" -c 65536 &
	pid=$!
	# perf enables one CPU after the other.
	until IFS=, read -r s_0 s_1 s_2 s_3 s_rest <"$parameters/written" && [ $((s_0 * s_1 * s_2 * s_3)) != 0 ]; do :; done
	kill -STOP $pid
	sleep 4
	kill -CONT $pid
	sleep 1
	kill -INT $pid
	wait $pid
	[ $? = 130 ]
}
plays 2000000 1100 "perf full" stopped full
is "$(by_function /tmp/full)" "$(truly 40 8 0 2 2)" "perf full: gpmu report counts the 448 records of each full buffer" ||
	diag "$(cat /tmp/report.err /tmp/out)"
like "$(gpmu report /tmp/full 2>/dev/null)" ' truncations ' "perf full: gpmu report has a line about truncations"

snapshot() {
	perf record -o "/tmp/$1" -S -a -m 8,8 -e "$all" -c 65536 &
	pid=$!
	until read -r s_written <"$parameters/written" && [ "${s_written#1100,1100,1100,1100,}" != "$s_written" ]; do sleep 0.1; done
	s_size=$(wc -c <"/tmp/$1")
	kill -USR2 $pid
	until [ "$(wc -c <"/tmp/$1")" -gt $((s_size + 4 * 32768)) ]; do sleep 0.1; done
	kill -INT $pid
	wait $pid
	[ $? = 130 ]
}
plays 100000 1100 "perf snapshot" snapshot snapshot
is "$(by_function /tmp/snapshot)" "$(truly 46 6 5 2 2)" "perf snapshot: gpmu report counts the last 512 records of each CPU" ||
	diag "$(cat /tmp/report.err /tmp/out)"

# --- gpmu record

# tiers: a table by tier and home of the last trace
tiers() {
	reported "1 2 4" tiers --by=tier /tmp/trace.pftrace
}
# truly_tiers ...: the table that truly prints, without functions and without operations that have no tier
truly_tiers() {
	truly "$@" | awk -F , '$2 != "" { n[$2 "," $3] += $4 } END { for (key in n) print key "," n[key] }' | sort
}
plays 100000 1100 "gpmu per task" taskset 1 gpmu record -o /tmp/trace.pftrace --no-cuda-trace --spe -- sh -c "$busy"
is "$(tiers)" "DRAM (0xe),local CPU memory (node 0),100
L1D (0x0),local CPU memory (node 0),100
L2 (0x8),local CPU memory (node 0),100
local cluster (0xa),local CPU memory (node 0),100
peer core (0x9),no node,100
store: L1D,local CPU memory (node 0),100
store: beyond LLC,no node,100
system cache (0xb),local CPU memory (node 0),100" "gpmu per task: gpmu report counts each record 100 times"
# Records before the command starts are outside of the recorded time.
plays 0 1100 "gpmu system-wide" gpmu record -o /tmp/trace.pftrace --no-cuda-trace -a --spe -- \
	sh -c "echo 100000 >$parameters/record_ns; sleep 1"
is "$(tiers)" "$(truly_tiers 100 0 0 2 2)" "gpmu system-wide: gpmu report counts each record 400 times"
done_testing
