#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --control: what is counted between the commands enable and disable, and only that

. tests/tools/lib.sh

# bracketed CTL ACK STEP...: "enable", "disable" and so on are sent, and their ack is awaited; a number
# of pages is touched; "s300" sleeps for as many ms.
cat > "$work/bracketed.c" << 'END'
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void send(int ctl, int ack, const char *command)
{
	char c = 0;

	if (write(ctl, command, strlen(command)) < 0 || write(ctl, "\n", 1) < 0)
		_exit(3);
	while (c != '\n')
		if (read(ack, &c, 1) != 1)
			_exit(4);
}

int main(int argc, char **argv)
{
	int ctl = open(argv[1], O_RDWR), ack = open(argv[2], O_RDWR);

	/* The first call of a function of the C library can fault. */
	usleep(1000 * (unsigned int)atoi("1"));
	send(ctl, ack, "ping");
	for (int i = 3; i < argc; i++) {
		int pages = atoi(argv[i]);
		volatile char *memory;

		if (argv[i][0] == 's' && argv[i][1] != 't') {
			usleep(1000 * (unsigned int)atoi(argv[i] + 1));
		} else if (!pages) {
			send(ctl, ack, argv[i]);
		} else {
			memory = mmap(NULL, pages * 4096ul, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise((void *)memory, pages * 4096ul, MADV_NOHUGEPAGE);
			for (int k = 0; k < pages; k++)
				memory[k * 4096ul] = 1;
		}
	}
	return 0;
}
END
cc -O1 -o "$work/bracketed" "$work/bracketed.c" || bail "no compiler"
mkfifo "$work/ctl" "$work/ack"
bracketed=("$work/bracketed" "$work/ctl" "$work/ack")
control=(--control "fifo:$work/ctl,$work/ack")

run gpmu stat -D -1 "${control[@]}" -x , -e page-faults:u -- "${bracketed[@]}" 111 enable 300 disable 222 enable 200 disable 333
like "$rc $err" $'^0 500,,page-faults:u,' "stat --control -D -1 counts exactly the page faults between enable and disable"
expect 0 gpmu stat "${control[@]}" -x , -e page-faults:u -- "${bracketed[@]}" disable enable 400 disable 333
counted=${err%%,*}
[ "$counted" -ge 400 ] && [ "$counted" -lt 700 ]; ok $? "stat --control without -D counts from the command's start and leaves out the pause"
expect 0 gpmu stat -D -1 "${control[@]}" -x , -e page-faults:u,duration_time -- "${bracketed[@]}" enable s100 300 disable s2000
like "$err" $'^300,,page-faults:u,' "stat --control: a run that ends while it is disabled keeps its counts"
ns=$(sed -n 's/,.*duration_time.*//p' <<< "$err")
[ "$ns" -ge 100000000 ] && [ "$ns" -lt 500000000 ]; ok $? "stat --control: duration_time is the enabled time"
run gpmu stat -D -1 "${control[@]}" -x , -e page-faults:u -- "${bracketed[@]}" 300 disable 200
like "$rc $err" '^0 <not counted>,,page-faults:u,' "stat --control -D -1 without enable counts nothing"

# --- plugins and rates
expect 0 gpmu stat "$model" -a -D -1 "${control[@]}" -j -M GraceMemBW -e duration_time,nvidia_scf_pmu_0/cmem_rd_data/ -- "${bracketed[@]}" s200 enable s100 disable s2000 enable s100 disable s200
is "$(python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
value = {row["name"]: float(row["value"]) for row in rows}
time = value["duration_time"]
beats = value["nvidia_scf_pmu_0/cmem_rd_data/"]
print(abs(value["GraceMemBW"] - 190.72) < 0.1, 0.2e9 <= time < 2e9, abs(beats / time - 2.5) < 0.01)' <<< "$err")" "True True True" "stat --control: counts of a plugin and its bandwidth are of the enabled time"

# --- intervals
expect 0 gpmu stat -D -1 "${control[@]}" -I 20 -x , -e page-faults:u -- "${bracketed[@]}" enable 300 s100 disable 222 s300 enable 200 s100 disable 333
is "$(awk -F, '$2 ~ /^[0-9]/ { sum += $2 } END { print sum }' <<< "$err")" 500 "stat --control -I: the intervals' counts add up to what was counted between enable and disable"
[ "$(grep -c '<not counted>' <<< "$err")" -ge 5 ]; ok $? "stat --control -I prints intervals of a pause as <not counted>"
is "$(cut -d, -f1 <<< "$err" | sort -cn 2>&1)" "" "stat --control -I: the printed times go on in a pause"
run gpmu stat -C 0 -D -1 "${control[@]}" -I 1 -x , -e cpu-clock -- "${bracketed[@]}" enable s200 disable s2000 enable s200 disable
is "$rc $(awk -F, '$2 ~ /^[0-9]/ { sum += $2 } END { print (sum >= 380 && sum < 2000) }' <<< "$err")" "0 1" "stat --control -I 1 counts no time of a pause where the kernel times the intervals"

# --- commands
exec 8<> "$work/ctl" 9<> "$work/ack"
(printf 'enable\nping\n' >&8; read -r <&9; read -r <&9; sleep 0.1; printf stop >&8) &
run timeout 600 "$GPMU_BIN" stat -a -D -1 "${control[@]}" -x , -e cpu-clock
exec 8>&- 9>&-
like "$rc $err" '^0 [0-9.]+,msec,cpu-clock,' "stat --control -D -1 without a command ends on stop, which needs no newline"
wait
run gpmu stat "${control[@]}" -x , -e page-faults:u -- "${bracketed[@]}" 300 stop 1000 s100
counted=${err%%,*}
is "$rc $((counted >= 300 && counted < 800))" "0 1" "stat --control: stop ends counting, and the command continues"
# shellcheck disable=SC2016,SC2094 # the command's own; it reads what gpmu writes
run gpmu stat --control fd:8,9 -e page-faults:u -- sh -c 'echo evlist >&8; echo ping >&8; read -r line; echo "$line"' 8<> "$work/ctl" 9<> "$work/ack" < "$work/ack"
is "$rc $out" "0 ack" "stat --control fd: a known command is acknowledged on the other file descriptor"
like "$err" $'stat: warning: --control: unknown command "evlist": expected enable, disable, ping or stop' "stat --control warns of an unknown command and does not acknowledge it"
mkfifo "$work/gone"
: < "$work/gone" &
run gpmu stat --control fd:8,9 -e page-faults:u -- sh -c 'echo ping >&8; sleep 0.3' 8<> "$work/ctl" 9> "$work/gone"
like "$rc $err" '^0 .*"ack" cannot be written: Broken pipe' "stat --control survives a reader of the acknowledgements that has gone"
run gpmu stat --control fd:8 -e page-faults:u -- sleep 0.1 8< /dev/null
like "$rc $err" "page-faults" "stat --control goes on after the end of the commands"

# --- mistakes
for spec in "$work/ctl" fd: fd:x "fd:0,"; do
	run gpmu stat --control "$spec" -e page-faults true
	is "$rc $err" "125 gpmu stat: --control $spec: expected fd:CTL[,ACK] or fifo:CTL[,ACK]" "stat --control ${spec##*/} is refused with the syntax"
done
run gpmu stat --control fd:77 -e page-faults true
is "$rc $err" "125 gpmu stat: --control: file descriptor 77 is not open" "stat --control refuses a file descriptor that is not open"
run gpmu stat --control "fifo:$work/none" -e page-faults true
is "$rc $err" "125 gpmu stat: --control: $work/none: No such file or directory: make it with mkfifo" "stat --control refuses a FIFO that does not exist"
run gpmu stat --control "fifo:$work/bracketed.c" -e page-faults true
is "$rc $err" "125 gpmu stat: --control: $work/bracketed.c is no FIFO: make it with mkfifo" "stat --control refuses a file that is no FIFO"
run gpmu stat -r 2 --control fd:0 -e page-faults true
is "$rc $err" "125 gpmu stat: -r and --control: choose one" "stat --control is refused with -r"

# --- perf itself
if command -v perf > /dev/null && perf stat -e page-faults:u true 2> /dev/null; then
	expect 0 perf stat -D -1 "${control[@]}" -x , -e page-faults:u -- "${bracketed[@]}" 111 enable 300 disable 222 enable 200 disable 333
	like "$err" '^500,,page-faults:u,' "perf stat --control counts the same page faults"
else
	skip "no perf that counts here" "perf stat --control counts the same page faults"
fi
done_testing
