#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels debug 64k
#: drivers ours
#: userland yes
#: timeout 600
#
# The stand-in for Arm SPE (tests/vm/guest/spe) on a kernel with checkers and on one with pages of
# 64 KiB: a command, a full buffer, a cut record, a snapshot. Each record that the stand-in wrote is
# recorded.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/spe.sh
. /lib/spe.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH
event=arm_spe_0/ts_enable=1,pa_enable=1/

truth >/tmp/truth
# shellcheck disable=SC2059 # octal escapes
printf "$(slots /tmp/truth)" >/tmp/script
insmod /lib/gpmu/spe.ko script=/tmp/script burst=64 || bail "spe.ko does not load: $(dmesg | tail -n 3)"

# records FILE: their number in a recording
records() {
	spe-text "$1" >/tmp/text 2>&1
	awk '/^record / { n++ } /^spe outside / { n += $3 } END { print n + 0 }' /tmp/text
}
# recorded NAME FILE COMMAND...: runs a recording, which has at least one record and as many as were written
recorded() {
	name=$1
	file=$2
	shift 2
	before=$(written)
	"$@" >/tmp/out 2>&1
	ok $? "$name: the recording succeeds" || diag "$(cat /tmp/out)"
	after=$(written)
	count=$(records "$file")
	is "$count" "$(echo "$before,$after" | awk -F , '{ for (i = 1; i <= 4; i++) n += $(i + 4) - $i; print n }')" \
		"$name: the recording has as many records as were written" || diag "$(tail -n 3 /tmp/text)"
	ok $((!(count > 0))) "$name: the recording has records"
}
busy='i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done'
# full COMMAND...: a recording that does not read until all of its buffers are full
full() {
	"$@" &
	pid=$!
	until_is writes
	kill -STOP $pid
	until_is rests
	f_stopped=$(written)
	kill -CONT $pid
	until_is writes "$f_stopped"
	kill -INT $pid
	wait $pid
}
perf_full() {
	full perf record -o /tmp/full -a -m 8,8 -e $event -c 65536
	[ $? = 130 ]
}

recorded "gpmu record of a command" /tmp/command.pftrace gpmu record -o /tmp/command.pftrace --no-cuda-trace --spe -- sh -c "$busy"
recorded "perf record of a command" /tmp/command perf record -o /tmp/command -m 8,8 -e $event -c 65536 -- sh -c "$busy"
cut=$(truncated)
recorded "gpmu record with full buffers" /tmp/full.pftrace \
	full gpmu record -o /tmp/full.pftrace --no-cuda-trace -a --spe --spe-buffer=128K
recorded "perf record with full buffers" /tmp/full perf_full
ok $((!($(truncated) - cut >= 8))) "all buffers were full in both recordings"
echo 13 >$parameters/flags
recorded "perf record with a cut record" /tmp/cut perf record -o /tmp/cut -a -m 8,8 -e $event -c 65536 -- sleep 1
is "$(cat $parameters/flags)" 0 "the stand-in has set the flags and cut a record"

# A snapshot has the records of the last two halves of a buffer
perf record -o /tmp/snapshot -S -a -m 8,8 -e $event -c 65536 >/tmp/out 2>&1 &
pid=$!
before=$(written)
until_is writes
rmmod spe 2>/dev/null
is "$(grep -c '^spe ' /proc/modules)" 1 "the module does not unload while it is used"
sleep 2
kill -USR2 $pid
sleep 2
kill -INT $pid
wait $pid
is $? 130 "perf record of a snapshot ends at SIGINT" || diag "$(cat /tmp/out)"
ok $((!($(records /tmp/snapshot) > 0))) "the snapshot has records" || diag "$(tail -n 3 /tmp/text)"

rmmod spe
ok $? "the module unloads after the recordings"
done_testing
