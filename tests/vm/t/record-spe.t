#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle steady
#: kernels 6.1 6.12 7.3
#: drivers ours
#: long 6.1 7.3
#: userland yes
#: timeout 600
#
# gpmu record --spe records Arm SPE of the stand-in (tests/vm/guest/spe), which repeats a script of
# records on each CPU: each record that the stand-in wrote is a sample of the trace.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh
# shellcheck source=tests/vm/guest/lib/spe.sh
. /lib/spe.sh
PATH=/usr/lib/gpmu:/usr/bin:$PATH

truth >/tmp/truth
printf "$(slots /tmp/truth)" >/tmp/script
insmod /lib/gpmu/spe.ko script=/tmp/script burst=4 || bail "spe.ko does not load: $(dmesg | tail -n 3)"

# The script as samples of a trace: PC TARGET VA PA LATENCY ISSUE TRANSLATION EVENTS;OP;SOURCE
awk '
function address(payload) {	# extended from bit 55
	if (payload == "-") return payload
	while (length(payload) < 16) payload = "0" payload
	payload = substr(payload, 3)
	if (payload ~ /^[89a-f]/) return "ff" payload
	sub(/^0*/, "", payload)
	return payload
}
function physical(payload) {
	payload = substr(payload, length(payload) - 13)
	sub(/^0*/, "", payload)
	return payload
}
BEGIN {
	op["1"] = "load GP-REG"; op["101"] = "store GP-REG"; op["0"] = "other OTHER"
	op["102"] = "branch, conditional"; op["1202"] = "branch, indirect, return"
}
{
	print address($1), address($2), address($3), $4 == "-" ? "-" : physical($4), $5, $6, $7, $9 ";" op[$8] ";" $10
}' /tmp/truth >/tmp/samples

# record NAME GPMU-ARGUMENT...: runs gpmu record, by $by if that is set
by=
by_user() {
	su -c '"$0" "$@"' -- user "$@"
}
record() {
	name=$1
	shift
	before=$(written)
	rm -f /tmp/trace.pftrace
	$by gpmu record -o /tmp/trace.pftrace --no-cuda-trace "$@" >/tmp/record.out 2>&1
	is $? 0 "$name: gpmu record succeeds" || diag "$(cat /tmp/record.out)"
	after=$(written)
	read_trace
}
read_trace() {
	spe-text /tmp/trace.pftrace >/tmp/text
	is $? 0 "$name: the trace is read"
	grep '^record ' /tmp/text >/tmp/records
	ok $((!($(wc -l </tmp/records) > 0))) "$name: the trace has samples"
}
fact() {
	sed -n "s/^spe $1 //p" /tmp/text
}
# follows TRUTH: each sample is the next one of its CPU's script. The number in the tier's parentheses is the data source.
follows() {
	is "$(awk '
		NR == FNR { index_of[$0] = NR; count = NR; next }
		{
			cpu = $2
			split($0, part, ";")
			split(part[1], word, " ")
			line = word[5]
			for (i = 6; i <= 12; i++) line = line " " word[i]
			source = "-"
			if (match(part[3], /\(0x[0-9a-f]+\)/)) source = substr(part[3], RSTART + 3, RLENGTH - 4)
			line = line ";" part[2] ";" source
			if (!(line in index_of)) {
				print "not in the script: " $0
				next
			}
			at = index_of[line]
			if (cpu in last && at != last[cpu] % count + 1)
				print "record " at " of the script after " last[cpu] ": " $0
			last[cpu] = at
		}' "$1" /tmp/records | head -n 5)" "" "$name: each sample is the next one of its CPU's script"
}
# all [FACTS]: the trace has as many samples as records were written, except those outside the recorded time. FACTS are those of
# the audit about bytes that are no records: damages, unfinished, bare, unknown, lost_bytes
all() {
	is "$(($(wc -l </tmp/records) + $(fact outside)))" \
		"$(echo "$before,$after" | awk -F , '{ for (i = 1; i <= 4; i++) n += $(i + 4) - $i; print n }')" \
		"$name: the samples are as many as the records that were written"
	is "$(fact samples)" "$(($(wc -l </tmp/records) + $(fact outside)))" "$name: the audit counts the samples and those outside the recorded time"
	is "$(for f in damages unfinished bare unknown lost_bytes; do fact $f; done | xargs)" "${1:-0 0 0 0 0}" \
		"$name: all bytes are decoded${1:+ except those of the cut record}"
}
# in_order: times of each CPU's samples ascend
in_order() {
	is "$(awk '{ if ($3 < last[$2]) print; last[$2] = $3 }' /tmp/records | head -n 3)" "" \
		"$name: the times of each CPU's samples ascend"
}

# --- a command: its thread has the samples
busy='echo $$ >/tmp/pid; i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done'
record command --spe=min_latency=0,period=65536 -- sh -c "$busy"
follows /tmp/samples
all
in_order
is "$(awk '{ print $4 }' /tmp/records | sort -u)" "$(cat /tmp/pid)" "command: the samples are on the track of the command's thread"
is "$(fact period) $(fact truncations) $(fact buffer)" "65536 0 4194304" "command: the audit has the period and the size of the buffer"
like "$(head -n 1 /tmp/records)" ' memory| CPU' "command: loads and stores have a home"
# The samples of each function of the kernel, and the samples in the program, which has no symbols
gpmu report --by=function --format=csv /tmp/trace.pftrace >/tmp/functions 2>&1
in_function() {
	i_pcs=$(for i_offset in 0x10 0x14 0x18 0x1c 0x20 0x24 0x28 0x2c; do address "$1" $i_offset; done | sed 's/a0/ ff/g')
	awk -v pcs="$i_pcs" 'index(pcs, $5) { n++ } END { print n }' /tmp/records
}
for symbol in vfs_read vfs_write; do
	is "$(awk -F , -v symbol=$symbol '$1 == symbol && $2 == "[kernel]" { n += $5 } END { print n }' /tmp/functions)" \
		"$(in_function $symbol)" "command: gpmu report --by=function has the samples of $symbol" || diag "$(cat /tmp/functions)"
done
# Samples of the script before the program is executed are in the file of gpmu.
ok $((!($(awk -F , '$2 == "busybox" { n += $5 } END { print n + 0 }' /tmp/functions) * 10 > \
	$(awk 'length($5) < 16' /tmp/records | wc -l) * 9))) \
	"command: gpmu report --by=function has the samples in the file of the program" || diag "$(cat /tmp/functions)"

# --- a command with two processes, whose samples are on their own tracks
record children --spe -- sh -c "$busy; sh -c '$busy; :' & wait"
follows /tmp/samples
all
is "$(awk '{ print $4 }' /tmp/records | sort -u | wc -l)" 2 "children: each process has the samples of its own time"

# --- a process that runs
sh -c 'while :; do :; done' &
pid=$!
record process -p $pid --duration 1 --spe
kill $pid
follows /tmp/samples
all
in_order
is "$(awk '{ print $4 }' /tmp/records | sort -u)" $pid "process: the samples are on the track of the process"

# --- samples, switches and counters in one trace
model start steady
sh -c 'while :; do :; done' &
pid=$!
record all -p $pid --duration 1 --spe --sched -M GraceMemBW
kill $pid
model stop steady
follows /tmp/samples
all
for table in thread counter tier; do gpmu report --by=$table --format=csv /tmp/trace.pftrace >/tmp/$table 2>&1; done
is "$(awk -F , -v pid=$pid '$4 == pid && $6 > 5e8 { print "ran" }' /tmp/thread)" ran \
	"all: a trace with SPE, switches and a metric has the switches of the process" || diag "$(cat /tmp/thread)"
near "$(awk -F , '$1 == "GraceMemBW" { print $4 }' /tmp/counter)" 190.72 5 "all: a trace with SPE, switches and a metric has the counter of the metric" ||
	diag "$(cat /tmp/counter)"
is "$(awk -F , '$4 ~ /^[0-9]/ { n += $4 } END { print n }' /tmp/tier)" "$(awk -F ';' '$3 != "-"' /tmp/records | wc -l)" \
	"all: a trace with SPE, switches and a metric has all loads and stores in gpmu report" || diag "$(cat /tmp/tier)"

# --- a thread that runs for less than a tick at a time
mkfifo /tmp/none
cat >/tmp/short <<'E2'
exec 3<>/tmp/none
read -r first <$1
until read -r now <$1 && [ "$now" != "$first" ]; do
	read -r -t 0.001 line <&3
done
exit 0
E2
echo 500000 >$parameters/tick_us
record short --spe -- timeout 60 sh /tmp/short $parameters/written
echo 1000 >$parameters/tick_us
follows /tmp/samples
all

# --- filters
awk '{ split($0, part, ";"); $0 = part[1]; if (part[2] ~ /load|store/ && length($5) > 1 && ($5 >= "1e" || length($5) > 2)) print $0 ";" part[2] ";" part[3] }' \
	/tmp/samples >/tmp/samples.mem
record filters -a --spe=load_filter=1,store_filter=1,min_latency=30 -- sleep 0.5
follows /tmp/samples.mem
all

# --- all CPUs
record system -a --spe -- sh -c "$everywhere"
follows /tmp/samples
all
in_order
is "$(awk '{ print $2 }' /tmp/records | sort -u | xargs)" "0 1 2 3" "system: each CPU has samples"

gpmu report --by=tier --format=csv /tmp/trace.pftrace >/tmp/report 2>&1
is $? 0 "system: gpmu report --by=tier reads the trace" || diag "$(cat /tmp/report)"
like "$(gpmu report /tmp/trace.pftrace)" " spe: $(wc -l </tmp/records) records, none lost" "system: the audit of gpmu report has the number of SPE samples, none lost"
is "$(awk -F , '$4 ~ /^[0-9]/ { n[$1] += $4 } END { for (t in n) print t, n[t] }' /tmp/report | sort)" \
	"$(awk -F ';' '$3 != "-" { n[$3]++ } END { for (t in n) print t, n[t] }' /tmp/records | sort)" \
	"system: gpmu report --by=tier has the samples of each tier" || diag "$(cat /tmp/report)"

# --- flags of an AUX record: TRUNCATED, PARTIAL and COLLISION
echo 13 >$parameters/flags
record flags --spe -- sh -c "$busy"
follows /tmp/samples
all "0 1 0 0 32"
in_order
is "$(for f in collisions truncations partials; do fact $f; done | xargs)" "1 1 1" \
	"flags: the audit has the collision, the full buffer and the cut record"

# --- a user without privileges: only CAP_PERFMON permits physical addresses and the context packet
echo "user:x:1000:1000::/tmp:/bin/sh" >>/etc/passwd
by=by_user
sed 's/^\([^ ]* [^ ]* [^ ]*\) [^ ]*/\1 -/' /tmp/samples >/tmp/samples.no-pa
grep -v '^ff' /tmp/samples.no-pa >/tmp/samples.user
# unprivileged PARANOID SAMPLES NOTE
unprivileged() {
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
	record "paranoid $1" --spe -- sh -c "$busy"
	follows "$2"
	all
	is "$(awk '{ print $4 }' /tmp/records | sort -u)" "$(cat /tmp/pid)" \
		"paranoid $1: samples without a context packet are on the track of the command's thread"
	like "$(cat /tmp/record.out)" "^gpmu record: warning: SPE: neither $3" "paranoid $1: gpmu record reports what the kernel does not permit"
}
rm -f /tmp/pid
unprivileged 1 /tmp/samples.no-pa "the homes of the data nor"
rm -f /tmp/pid
unprivileged 2 /tmp/samples.user "samples of the kernel nor the homes of the data"
by=

# --- a PID namespace, such as that of a container: the context packets have other thread ids than the threads have there
by_namespace() {
	unshare -p -f --mount-proc "$@"
}
by=by_namespace
rm -f /tmp/pid
record namespace --spe -- sh -c "$busy"
by=
follows /tmp/samples
all
is "$(awk '{ print $4 }' /tmp/records | sort -u)" "$(cat /tmp/pid)" "namespace: the samples are on the track of the command's thread"
like "$(cat /tmp/record.out)" "^gpmu record: warning: SPE: samples have thread ids of the initial PID namespace, and this process is in another one" \
	"namespace: gpmu record reports that the thread ids of the samples are of another namespace"

# --- full buffers: gpmu stops until they are full, then empties and enables them again. The kernel of 6.12 leaves the
# event of a full buffer enabled.
# The buffers fill fast only while gpmu stops: each record takes time to check.
stop_until_full() {
	until_is writes
	kill -STOP $pid
	echo 64 >$parameters/burst
	until_is rests
	echo 1 >$parameters/burst
}
name=full
before=$(written)
cut=$(truncated)
gpmu record -o /tmp/trace.pftrace --no-cuda-trace -a --spe --spe-buffer=64K --duration 1000 >/tmp/record.out 2>&1 &
pid=$!
stop_until_full
stopped=$(written)
kill -CONT $pid
until_is writes "$stopped"
ok $? "full: a full buffer is used again"
kill -INT $pid
wait $pid
is $? 0 "full: gpmu record ends at SIGINT" || diag "$(cat /tmp/record.out)"
after=$(written)
read_trace
follows /tmp/samples
all
is "$(fact truncations)" "$(($(truncated) - cut))" "full: the audit has each output that ended at a full buffer"
like "$(cat /tmp/record.out)" ' [1-9][0-9,]* lost ' "full: gpmu record reports the lost samples"
gpmu record --strict -o /tmp/trace.pftrace --no-cuda-trace -a --spe --spe-buffer=64K --duration 1000 >/tmp/record.out 2>&1 &
pid=$!
before=$(written)
stop_until_full
kill -CONT $pid
kill -INT $pid
wait $pid
like "$(cat /tmp/record.out)" '^gpmu record: --strict: records that were lost: [1-9]' "full: --strict reports the losses"

rmmod spe
is $? 0 "the module unloads after the recordings"
done_testing
