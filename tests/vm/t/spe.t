#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3
#: drivers ours
#: long 6.1 6.12
#: userland yes
#: timeout 600
#
# Debian's unmodified perf records Arm SPE of the stand-in (tests/vm/guest/spe), which repeats a
# script of records on each CPU. libgpmu reads each record of the recordings, and perf script the
# same ones.
. /lib/tap.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH
parameters=/sys/module/spe/parameters
spe=arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=30/
all=arm_spe_0/ts_enable=1,pa_enable=1/

# address SYMBOL OFFSET: payload of a PC at exception level 1, non-secure
address() {
	a_base=$(sed -n "s/^..\(.*\) [Tt] $1\$/\1/p" /proc/kallsyms | head -n 1)
	printf 'a0%014x' $((0x$a_base + $2))
}
# The script: PC TARGET VA PA TOTAL ISSUE TRANSLATION OP EVENTS SOURCE, as spe-text prints them
cat >/tmp/truth <<E2
$(address vfs_read 0x10) - ff000012345678 8000000045678abc 5 2 - 1 16 0
$(address vfs_read 0x14) - ff0000123456c0 8000000045678ac0 14 3 - 1 16 8
$(address vfs_read 0x18) - ff000012346000 8000000046000000 201 1d 6 1 73e d
$(address vfs_write 0x20) - ff000012347008 8000000046001008 1e 4 - 101 16 -
$(address vfs_write 0x24) $(address vfs_read 0) - - 9 2 - 1202 42 -
$(address vfs_write 0x28) - - - 3 1 - 0 2 -
8000000000400100 - aaaad1f03c4c 8000004012345640 1f 5 - 1 16 9
8000000000400104 - aaaad1f03c50 8000004012345680 fff 7 40 101 73e -
$(address vfs_write 0x2c) - ff000012348010 8000000046002010 40 6 1 1 1e b
8000000000400108 8000000000400100 - - 6 1 - 102 c2 -
$(address vfs_read 0x1c) - ff000012349018 8000000046003018 1d 6 - 1 1e a
E2
# Loads and stores of at least 30 cycles
awk '($8 == "1" || $8 == "101") && ("0x" $5) + 0 >= 30' /tmp/truth >/tmp/truth.mem
# slots TRUTH: its records in the layout of Neoverse's slots, as escape sequences
slots() {
	awk '
	function bytes(hex, n,   text) {
		while (length(hex) < 2 * n) hex = "0" hex
		for (; n > 0; n--) text = text "\\x" substr(hex, 2 * n - 1, 2)
		return text
	}
	function packet(header, payload, n) {
		return payload == "-" ? bytes("0", n + 1) : "\\x" header bytes(payload, n)
	}
	{
		op = bytes($8, 2)	# class, payload
		printf "%s", packet("b0", $1, 8) bytes("0", 5) packet("64", "0", 4) \
			"\\x4" substr("89a", substr(op, 4, 1) + 1, 1) substr(op, 5) \
			packet("52", $9, 2) packet("99", $6, 2) packet("98", $5, 2) \
			($2 == "-" ? packet("b2", $3, 8) : packet("b1", $2, 8)) packet("9a", $7, 2) \
			packet("b3", $4, 8) packet("43", $10, 1) bytes("0", 2) packet("71", "0", 8)
	}' "$1"
}
printf "$(slots /tmp/truth)" >/tmp/script

# --- where the stand-in refuses to load

head -c 100 /tmp/script >/tmp/short
insmod /lib/gpmu/spe.ko script=/tmp/short 2>/dev/null
is "$? $(dmesg | grep -c 'spe: /tmp/short: not records of 64 bytes')" "1 1" \
	"spe: a script whose size is no multiple of 64 bytes is refused with a message"
mkdir -p /tmp/devices/arm_spe_0
mount -o bind /tmp/devices /sys/bus/event_source/devices
insmod /lib/gpmu/spe.ko script=/tmp/script 2>/dev/null
is "$? $(dmesg | grep -c 'spe: there is a PMU arm_spe_0')" "1 1" "spe: refuses to load beside an arm_spe_0"
umount /sys/bus/event_source/devices
insmod /lib/gpmu/spe.ko script=/tmp/script burst=4 || bail "spe.ko does not load: $(dmesg | tail -n 3)"

# --- recordings

written() {
	cut -d , -f 1-4 "$parameters/written"
}
# record NAME PERF-ARGUMENT...: runs perf, and reads its recording /tmp/NAME by spe-text to /tmp/text
record() {
	name=$1
	shift
	before=$(written)
	perf "$@" >/tmp/perf.out 2>&1
	ok $? "perf $name: succeeds" || diag "$(cat /tmp/perf.out)"
	after=$(written)
	read_back "/tmp/$name"
}
read_back() {
	spe-text "$1" >/tmp/text 2>/tmp/text.err
	ok $? "perf $name: libgpmu reads the recording" || diag "$(cat /tmp/text.err)"
	grep ^record /tmp/text >/tmp/records
}
# follows TRUTH [FIELDS-TO-IGNORE...]: prints each record that is not the one which follows its CPU's last one in TRUTH
follows() {
	awk '
	NR == FNR { index_of[$0] = NR; count = NR; next }
	{
		cpu = $2
		line = $5
		for (i = 6; i <= NF; i++) line = line " " $i
		if (!(line in index_of)) {
			print "not in the script: " $0
			next
		}
		at = index_of[line]
		if (cpu in last && at != last[cpu] % count + 1)
			print "record " at " of the script after " last[cpu] ": " $0
		last[cpu] = at
	}' "$1" /tmp/records | head -n 5
}
# recorded TRUTH: the records of the last recording are those that the stand-in wrote
recorded() {
	is "$(follows "$1")" "" "perf $name: each record is the next one of its CPU's script"
	is "$(awk '{ n[$2]++ } END { for (i = 0; i < 4; i++) printf "%d ", n[i] }' /tmp/records)" \
		"$(echo "$before,$after" | awk -F , '{ for (i = 1; i <= 4; i++) printf "%d ", $(i + 4) - $i }')" \
		"perf $name: each CPU has as many records as were written"
	is "$(awk '$1 == "aux" { bytes += $4 } END { print bytes }' /tmp/text)" $((64 * $(wc -l </tmp/records))) \
		"perf $name: the AUX records have the bytes of these records"
	like "$(tail -n 1 /tmp/text)" '^records [1-9][0-9]* unknown 0 lost_bytes 0 damages 0 unfinished 0 bare 0$' \
		"perf $name: the decoder lost nothing"
}
# Bits of all flags of the last recording
flags() {
	awk '$1 == "aux" { for (bit = 1; bit <= 8; bit *= 2) if (int($5 / bit) % 2) n[bit]++ }
		END { for (bit = 1; bit <= 8; bit *= 2) printf "%d ", n[bit] }' /tmp/text
}

busy='echo $$ >/tmp/pid; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
record task record -o /tmp/task -e "$all" -c 65536 -- sh -c "$busy"
recorded /tmp/truth
diag "$(date) $(wc -l </tmp/records) records; $(cat /proc/uptime)"
is "$(awk '{ print $4 }' /tmp/records | sort -u)" "$(printf %x "$(cat /tmp/pid)")" \
	"perf task: the context of each record is the thread of the command"
perf script -i /tmp/task --itrace=i1i --ns -F cpu,time,ip 2>&1 | head -n 5
perf script -i /tmp/task --itrace=M --ns -F cpu,time,event,addr,phys_addr,weight 2>&1 | head -n 5
perf report -i /tmp/task --itrace=i1i --stdio 2>&1 | head -n 40
head -n 5 /tmp/records
cat /proc/uptime
record system record -o /tmp/system -a -e "$all" -c 65536 -- sleep 0.5
recorded /tmp/truth
cat /proc/uptime
done_testing
