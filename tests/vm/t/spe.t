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
# shellcheck source=tests/vm/guest/lib/spe.sh
. /lib/spe.sh
# shellcheck source=tests/vm/guest/lib/samples.sh
. /lib/samples.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH
spe=arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=30/
all=arm_spe_0/ts_enable=1,pa_enable=1/

truth >/tmp/truth
# Loads and stores of at least 30 cycles
grep -vE ' (1d|14|[3-9]) [0-9]+ [-0-9]+ [0-9]+ [0-9a-f]+ [-0-9a-f]+$' /tmp/truth >/tmp/truth.mem
printf "$(slots /tmp/truth)" >/tmp/script
# OP, EVENTS and SOURCE of records of the script, and the data_src of perf 7.3: operation, level, snoop and TLB. A load from
# DRAM with a remote access has the level of remote memory; stores have no level. perf 6.x ignores the source.
cat >/tmp/sources <<'E2'
1 16 0 288100142
1 16 8 488100442
1 73e e 3a90101042
101 16 - 1e88080024
1202 42 - 200100141
1 16 9 8488080442
101 73e - 3e90080024
1 1e b 688200842
1 1e a 8688080842
E2
fields=tid,cpu,time,event,addr,weight,ip,phys_addr
[ "$KERNEL" != 7.3 ] || fields=$fields,data_src

# --- where the stand-in refuses to load

# refusal MESSAGE: the message, if the last insmod failed with it
refusal() {
	grep -q '^spe ' /proc/modules || dmesg | grep -o "spe: $1" | sort -u
}
head -c 100 /tmp/script >/tmp/short
insmod /lib/gpmu/spe.ko script=/tmp/short 2>/dev/null
is "$(refusal '.*short.*')" "spe: /tmp/short: not records of 64 bytes" "spe: a script whose size is no multiple of 64 bytes is refused"
mkdir -p /tmp/devices/arm_spe_0
mount -o bind /tmp/devices /sys/bus/event_source/devices
insmod /lib/gpmu/spe.ko script=/tmp/script 2>/dev/null
is "$(refusal 'there.*')" "spe: there is a PMU arm_spe_0" "spe: the module refuses to load where an arm_spe_0 exists"
umount /sys/bus/event_source/devices
insmod /lib/gpmu/spe.ko script=/tmp/script burst=2 || bail "spe.ko does not load: $(dmesg | tail -n 3)"

# --- recordings

# record NAME COMMAND...: runs perf, and reads its recording /tmp/NAME
record() {
	name=$1
	shift
	before=$(written)
	"$@" >/tmp/perf.out 2>&1
	ok $? "perf $name: perf succeeds" || diag "$(cat /tmp/perf.out)"
	after=$(written)
	spe-text "/tmp/$name" >/tmp/text 2>/tmp/text.err
	ok $? "perf $name: libgpmu reads the recording" || diag "$(cat /tmp/text.err)"
	grep '^record ' /tmp/text >/tmp/records
	ok $((!($(wc -l </tmp/records) > 0))) "perf $name: the recording has records"
}
# follows TRUTH: prints the records that are not the successors of their CPU's last ones in TRUTH
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
# script_follows TRUTH: the last recording has records of each CPU in the script's order
script_follows() {
	is "$(follows "$1")" "" "perf $name: each record is the next one of its CPU's script"
}
decoded() { # [UNFINISHED]
	like "$(tail -n 1 /tmp/text)" "^records [1-9][0-9]* unknown 0 lost_bytes ${2:-0} damages 0 unfinished ${1:-0} bare 0\$" \
		"perf $name: libgpmu decodes all bytes${1:+ but the cut record}"
}
# recorded TRUTH: the records of the last recording are those that the stand-in wrote
recorded() {
	script_follows "$1"
	is "$(awk '{ n[$2]++ } END { for (i = 0; i < 4; i++) printf "%d ", n[i] }' /tmp/records)" \
		"$(echo "$before,$after" | awk -F , '{ for (i = 1; i <= 4; i++) printf "%d ", $(i + 4) - $i }')" \
		"perf $name: each CPU has as many records as were written"
}
# whole: no byte of the last recording's AUX records is outside of its records
whole() {
	is "$(awk '$1 == "aux" { bytes += $4 } END { print bytes }' /tmp/text)" $((64 * $(wc -l </tmp/records))) \
		"perf $name: the AUX records have the bytes of these records"
	decoded
}
# flags: numbers of TRUNCATED, OVERWRITE, PARTIAL and COLLISION in the last recording
flags() {
	awk '$1 == "aux" { for (bit = 1; bit <= 8; bit *= 2) if (int($5 / bit) % 2) n[bit]++ }
		END { for (bit = 1; bit <= 8; bit *= 2) printf "%d ", n[bit] }' /tmp/text
}
# For awk: full() and dec() convert hexadecimal payloads.
payloads='	function full(payload) {	# the address, extended from bit 55
		if (payload == "-") return 0
		while (length(payload) < 16) payload = "0" payload
		payload = substr(payload, 3)
		if (payload ~ /^[89a-f]/) return "ff" payload
		sub(/^0*/, "", payload)
		return payload
	}
	function dec(hex,   i, n) {
		for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return n
	}'
# same ITRACE FIELDS [FILE]: tests that perf script prints these fields of each record and no other samples. A record has a
# sample for each letter of ITRACE that applies to it. Each thread is regarded as a process: FIELDS has pid only for a command
# with one thread.
same() {
	script_samples "${3:-/tmp/$name}" "$2" --itrace="$1" >/tmp/theirs
	awk -v kinds="$1" -v new="$([ "$KERNEL" != 7.3 ] || echo 1)" "$payloads"'
	function bit(value) { return int(events / value) % 2 }	# busybox has no powers
	function sample(letter, applies, event, addr, source,   pid) {
		pid = $4 == "-" ? -1 : dec($4)
		if (applies && index(kinds, letter))
			print "sample", pid "/" pid, $2, "-", $3, 1, event, "-", addr, source, dec($9), "-", "-", full($5), "-", "-",
				$8 == "-" ? 0 : full(substr($8, 3)), "-", "-"
	}
	NR == FNR { source_of[$1, $2, $3] = $4; next }
	{
		events = dec($13)
		source = ($12, $13, $14) in source_of ? source_of[$12, $13, $14] : 0
		branch = $12 ~ /02$/
		sample("i", 1, "instructions", new ? full($6) : full($7), source)
		sample("b", new ? branch : bit(128), new ? "branch" : "branch-miss", full($6), 0)
		sample("f", bit(8), "l1d-miss", full($7), source)
		sample("f", bit(4), "l1d-access", full($7), source)
		sample("m", bit(512), "llc-miss", full($7), source)
		sample("m", bit(256), "llc-access", full($7), source)
		sample("t", bit(32), "tlb-miss", full($7), source)
		sample("t", bit(16), "tlb-access", full($7), source)
		sample("a", bit(1024), "remote-access", full($7), source)
		# perf 7.3 decodes a return as an operation of SIMD, as both have the same bit
		sample("M", $7 != "-" || new && $12 == 1202, "memory", full($7), source)
	}' /tmp/sources /tmp/records | our_samples "$2" >/tmp/ours
	is "$(differences /tmp/ours /tmp/theirs; grep -c . /tmp/ours)" "$(grep -c . /tmp/theirs)" \
		"perf script $name: $2 of each record equal those ${3:+of perf inject }with --itrace=$1" ||
		diag "$(cat /tmp/script.err)"
}
# same_branches: tests that perf script prints the flags and the branch stack of each branch
same_branches() {
	perf script -i "/tmp/$name" --itrace=i1il --ns -F cpu,time,ip,flags,brstack 2>/tmp/script.err |
		awk '/ 0x/ { $1 = $1; print }' | sort >/tmp/theirs
	awk "$payloads"'
	$12 ~ /02$/ {
		missed = $13 == "c2"	# bit 7; both branches have bit 6, not taken
		printf "[%03d] %s.%s: %s/%snot_taken/ %s 0x%s/0x%s/%sN/-/-/%d/%s/-\n", $2, substr($3, 1, length($3) - 9),
			substr($3, length($3) - 8), $12 == 1202 ? "return" : "jcc", missed ? "miss," : "", full($5), full($5),
			full($6), missed ? "M" : "P", dec($9), $12 == 1202 ? "RET" : "COND"
	}' /tmp/records | sort >/tmp/ours
	is "$(differences /tmp/ours /tmp/theirs; grep -c . /tmp/ours)" "$(grep -c . /tmp/theirs)" \
		"perf script $name: each branch has its flags and its branch stack" || diag "$(cat /tmp/script.err)"
}
# share SYMBOL: share of the records with a PC in it, as perf report prints it
share() {
	s_page=$(address "$1" 0)
	awk -v page="${s_page%??}" '$5 ~ "^" page { n++ } END { printf "%.2f%%", 100 * n / NR }' /tmp/records
}

# --- per task, and what perf makes of the recording

busy='echo $$ >/tmp/pid; i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done'
record task perf record -o /tmp/task -e "$all" -c 65536 -- sh -c "$busy"
recorded /tmp/truth
whole
is "$(awk '{ print $4 }' /tmp/records | sort -u)" "$(printf %x "$(cat /tmp/pid)")" \
	"perf task: the context of each record is the thread of the command"
same i1ibfmtaM pid,period,$fields
if [ "$KERNEL" = 7.3 ]; then
	same_branches
else
	skip "perf before 7.3 has no branch stacks of SPE" "perf script task: each branch has its flags and its branch stack"
fi
perf report -i /tmp/task --itrace=i1i --stdio --sort symbol >/tmp/report 2>&1
for symbol in vfs_read vfs_write; do
	is "$(sed -n "s/^ *\([0-9.]*%\) *\[k\] $symbol\( .*\)*\$/\1/p" /tmp/report)" "$(share $symbol)" \
		"perf report: the share of $symbol is that of its records" || diag "$(cat /tmp/report)"
done
perf inject -i /tmp/task -o /tmp/injected --itrace=i1i --strip >/tmp/perf.out 2>&1
ok $? "perf inject --itrace=i1i --strip succeeds" || diag "$(cat /tmp/perf.out)"
same i1i cpu,time,ip /tmp/injected

# --- system-wide

record system perf record -o /tmp/system -a -e "$all" -c 65536 -- sh -c "$everywhere"
recorded /tmp/truth
whole
is "$(awk '{ print $2 }' /tmp/records | sort -u | xargs)" "0 1 2 3" "perf system: each CPU has records"
[ -z "$LONG" ] || same i1i "period,$fields"
record default perf record -o /tmp/default -a -e arm_spe_0// -- sleep 0.1
awk '{ $4 = "-"; print }' /tmp/truth >/tmp/truth.no-pa
recorded /tmp/truth.no-pa
unlike "$(cat /tmp/records)" '^record [0-9] -' "perf default: perf record -a requests time stamps by default"
record filtered perf record -o /tmp/filtered -a -e "$spe" -c 65536 -- sleep 0.1
recorded /tmp/truth.mem
record thread taskset 2 perf record -o /tmp/thread --per-thread -e arm_spe_0/pa_enable=1/ -c 65536 -- sh -c "$busy"
script_follows /tmp/truth
whole
is "$(awk '{ print $2, $3 }' /tmp/records | sort -u)" "-1 -" "perf --per-thread: records have neither a CPU nor a time"
perf record -o /tmp/frequency -F 100 -e "$spe" true >/tmp/perf.out 2>&1
[ $? != 0 ]
ok $? "perf record -F: SPE refuses a frequency"

# --- perf mem

record mem perf mem record -o /tmp/mem -a -- sleep 0.1
recorded /tmp/truth.mem
whole
same M $fields
ln -s mem /tmp/perf.data	# the option for its name differs between releases
perf mem report --stdio --sort mem >/tmp/report 2>&1
ok $? "perf mem report succeeds"
# tier TEXT SOURCE: perf mem report has as many samples of this level as there are records of this data source
tier() {
	is "$(awk -v text="$1" '/ of event / { on = /.memory/ } on && index($0, text) { print $2 }' /tmp/report)" \
		"$(grep -c " $2\$" /tmp/records)" "perf mem report: $1 is the level of each record with data source 0x$2" ||
		diag "$(cat /tmp/report)"
}
if [ "$KERNEL" = 7.3 ]; then
	tier 'L2 hit' 9
	tier 'L3 hit' b
	tier 'RAM hit' e
else
	skip "perf before 6.13 ignores the data source of Neoverse V2" "perf mem report: each data source has its level"
fi

perf script -i /tmp/mem --itrace=M --dlfilter /usr/lib/gpmu/dlfilters/grace-spe.so >/tmp/filtered.out 2>/tmp/script.err
is "$(sed -n 's/^# \([0-9]*\) sampled loads and stores.*/\1/p' /tmp/filtered.out)" "$(wc -l </tmp/records)" \
	"perf script --dlfilter: grace-spe.so counts each load and store" || diag "$(cat /tmp/filtered.out /tmp/script.err)"
if [ "$KERNEL" = 7.3 ]; then
	is "$(sed -n 's/^ *\([0-9]*\) .* load L3$/\1/p' /tmp/filtered.out)" "$(grep -c ' b$' /tmp/records)" \
		"perf script --dlfilter: grace-spe.so has the tier of each load with data source 0xb" || diag "$(cat /tmp/filtered.out)"
else
	like "$(cat /tmp/filtered.out)" 'guesses tiers from events' "perf script --dlfilter: grace-spe.so reports that perf guesses the tiers"
fi

# --- flags of AUX records

echo 8 >$parameters/flags
record collision perf record -o /tmp/collision -e "$all" -c 65536 -- sh -c "$busy"
recorded /tmp/truth
whole
is "$(flags)" "0 0 0 1 " "perf collision: one AUX record has PERF_AUX_FLAG_COLLISION"
echo 5 >$parameters/flags
record partial perf record -o /tmp/partial -a -m 8,8 -e "$all" -c 65536 -- sleep 1
recorded /tmp/truth
decoded 1 '[0-9]*'
is "$(flags)" "1 0 1 0 " "perf partial: one AUX record has PERF_AUX_FLAG_TRUNCATED and PARTIAL"

# --- full buffers: perf stops until all buffers are full, then empties and enables them again.
# Linux 6.12 does not disable the event of a full buffer: perf_aux_output_end() sets pending_disable
# without the irq_work for it. perf's PERF_EVENT_IOC_ENABLE then has no effect.

# full NAME: a recording during which perf does not read
full() {
	perf record -o "/tmp/$1" -a -m 8,8 -e "$all" -c 65536 &
	pid=$!
	until_is writes || echo "no buffer was used"
	kill -STOP $pid
	until_is rests || echo "a buffer does not become full"
	f_stopped=$(written)
	kill -CONT $pid
	[ "$KERNEL" = 6.12 ] || until_is writes "$f_stopped" || echo "no buffer was used again"
	kill -INT $pid
	wait $pid
	[ $? = 130 ]
}
cut=$(truncated)
record full full full
recorded /tmp/truth
whole
unlike "$(cat /tmp/perf.out)" '^a buffer' "perf full: all buffers were full while perf did not run"
if [ "$KERNEL" = 6.12 ]; then
	skip "Linux 6.12 leaves the event of a full buffer enabled" "perf full: a full buffer is used again"
else
	unlike "$(cat /tmp/perf.out)" '^no buffer' "perf full: a full buffer is used again"
fi
is "$(flags)" "$(($(truncated) - cut)) 0 0 0 " "perf full: PERF_AUX_FLAG_TRUNCATED is set in each output that ended at a full buffer"
same i1i cpu,time,ip
like "$(cat /tmp/script.err)" 'AUX data lost' "perf script: a full buffer is reported"

# --- snapshot

snapshot() {
	perf record -o "/tmp/$1" -S -a -m 8,8 -e "$all" -c 65536 &
	pid=$!
	# Each buffer has 512 records
	wrapped() {
		echo "$before,$(written)" | awk -F , '{ for (i = 1; i <= 4; i++) if ($(i + 4) - $i < 1200) exit 1 }'
	}
	until_is wrapped || echo "the buffers are not full"
	s_size=$(wc -c <"/tmp/$1")
	kill -USR2 $pid
	grown() { [ "$(wc -c <"/tmp/$1")" -gt $((s_size + 4 * 32768)) ]; }
	until_is grown "$1" || echo "no snapshot was taken"
	kill -INT $pid
	wait $pid
	[ $? = 130 ]
}
record snapshot snapshot snapshot
script_follows /tmp/truth
decoded
is "$(awk '{ n[$2]++ } END { for (i = 0; i < 4; i++) printf "%d ", n[i] }' /tmp/records)" "512 512 512 512 " \
	"perf snapshot: each CPU has the records of a full buffer"
like "$(flags)" '^0 [1-9][0-9]* 0 0 $' "perf snapshot: AUX records have PERF_AUX_FLAG_OVERWRITE" || diag "$(cat /tmp/perf.out)"

rmmod spe
ok $? "spe: the module unloads after the recordings"
done_testing
