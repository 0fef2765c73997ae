#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3 debug 64k
#: drivers ours
#: long 6.1 6.12
#: userland yes
#: icount 0
#: timeout 300
#
# A program reads counters of the CPUs in user space and by read(2), with and without the kernel's
# permission. With icount, QEMU counts instructions too.
. /lib/tap.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH
access=/proc/sys/kernel/perf_user_access

# reads MODE: runs tests/unit/count/counter-map-kernel.c, whose tests become this script's
reads() {
	# shellcheck disable=SC2086 # no MODE is no argument
	user-reads $1 >/tmp/reads
	status=$?
	while read -r line; do
		case $line in
		'ok '*) ok 0 "${line#* - }" ;;
		'not ok '*) ok 1 "${line#* - }" ;;
		*SKIP*) ok 1 "user reads: the program can count: $line" ;;
		'#'*) echo "$line" ;;
		esac
	done </tmp/reads
	is "$status" 0 "user reads: the program exits with 0"
}

is "$(cat $access)" 0 "user reads: the kernel forbids them by default"
reads off
like "$(gpmu doctor)" '^ok +PMU +reads in user space: no, perf_user_access is 0$' "doctor reports that the kernel forbids reads in user space"
like "$(gpmu doctor)" '-> sudo sysctl kernel.perf_user_access=1$' "doctor prints how to allow reads in user space"
echo 1 >$access
reads
like "$(gpmu doctor)" '^ok +PMU +reads in user space: yes' "doctor reports that the kernel allows reads in user space"
echo 0 >$access
reads off
done_testing
