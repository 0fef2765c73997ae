#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --regions: regions that programs mark with gpmu-mark.h.
. tests/tools/lib.sh

source=$top/tests/tools/marks/program.c

# build NAME COMPILER OPTION...: compiles the program without libgpmu
build() {
	local name=$1

	shift
	"$@" -Wall -Wextra -Werror -O2 -I "$top/metrics/include" -o "$work/$name" -lpthread
}

# marked PROGRAM HOW OPTION...: gpmu stat --regions of the program, counting page faults
marked() {
	local program=$1 how=$2

	shift 2
	run gpmu stat --regions -e page-faults:u "$@" -- "$work/$program" "$how"
}

# faults REGION: the page faults of a region in the table on standard error
faults() {
	awk -v region="$1" '$1 == region && / page-faults:u / { print $(NF) }' <<< "$err" | paste -sd' '
}

# near VALUE LEAST MOST DESCRIPTION: checks that a value is in a range
near() {
	[[ $1 =~ ^[0-9]+$ ]] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
	ok $? "$4" || diag "got $1, expected $2 to $3: $both"
}

build c "${CC:-gcc}" -Wno-unknown-pragmas "$source"
is "$?" 0 "marks: a C program compiles without libgpmu"
build c++ "${CXX:-g++}" -Wno-unknown-pragmas -x c++ "$source"
is "$?" 0 "marks: a C++ program compiles without libgpmu"
build static "${CC:-gcc}" -Wno-unknown-pragmas -static "$source"
is "$?" 0 "marks: a static program compiles without libgpmu"
build fixed "${CC:-gcc}" -Wno-unknown-pragmas -fno-pie -no-pie "$source"
is "$?" 0 "marks: a program that is not position-independent compiles without libgpmu"
for program in c c++ static fixed; do
	run "$work/$program" once
	is "$rc $both" "0 " "marks: the program '$program' runs alone and prints nothing"
done

# --- one thread
if ! gpmu stat --strict -e page-faults:u true 2> /dev/null; then
	skip "this user cannot count page faults" "stat --regions counts software events"
	done_testing
fi
marked c once
is "$rc" 0 "stat --regions exits with 0"
near "$(faults touch)" 1000 1100 "stat --regions counts the page faults of a region"
like "$err" "^ Performance counter stats for the regions of '$work/c once':" "stat --regions prints a title with the command"
like "$err" $'\nregion +visits +seconds +counter +value\n' "stat --regions prints a table"
for program in c++ fixed; do
	marked $program once
	near "$(faults touch)" 1000 1100 "stat --regions counts the program '$program'"
done
marked c nested
near "$(faults outer)" 1000 1150 "stat --regions counts a region with the regions in it"
is "$(awk '$1 == "touch" { print $2 }' <<< "$err")" 2 "stat --regions counts visits"
marked c mistakes
is "$rc $(awk '$1 == "other" { print $2 }' <<< "$err")" "0 1" "stat --regions ignores ends of regions that are not the innermost"
like "$err" 'warning: process [0-9]+ \(c\): ends of regions that were ignored: 2, the first of touch; a thread can only end the innermost of the regions that it has begun' \
	"stat --regions reports the number of ignored ends, the region of the first one and the rule"
marked c mistakes-kill
like "$err" 'process [0-9]+ \(c\): ends of regions that were ignored: at least 64, the first of touch' "stat --regions reports ignored ends of a process that is killed"
marked c cross-end
unlike "$err" ignored "stat --regions reports no end that a forked child makes of its parent's region"
marked c without-files
like "$err" 'process [0-9]+ \(c\): visits of regions that were not counted: 1, the first of touch: ' "stat --regions reports visits of a thread whose counters cannot be opened"
is "$(awk '$1 == "touch" { print $2 }' <<< "$err")" 1 "stat --regions prints the visits of the other threads"
marked c status
is "$rc" 7 "stat --regions exits with the command's status"
expect 0 gpmu stat --regions -- "$work/c" once
like "$err" $'\ntouch .* task-clock' "stat --regions counts default events"

# --- threads, processes
marked c threads
near "$(faults touch)" 6000 6400 "stat --regions adds up the threads of a region"
is "$(awk '$1 == "touch" { print $2 }' <<< "$err")" 3 "stat --regions adds up the visits of threads"
marked c threads --per-thread
mapfile -t each < <(faults touch | tr ' ' '\n' | sort -n)
near "${each[0]}" 1000 1150 "stat --regions --per-thread counts the first thread alone"
near "${each[2]}" 3000 3150 "stat --regions --per-thread counts the third thread alone"
run build openmp "${CC:-gcc}" -fopenmp "$source"
if [ "$rc" = 0 ]; then
	marked openmp openmp --per-thread
	mapfile -t each < <(faults touch | tr ' ' '\n' | sort -n)
	near "${each[1]}" 2000 2200 "stat --regions --per-thread counts each OpenMP thread alone"
	marked openmp openmp
	near "$(faults touch)" 6000 6500 "stat --regions adds up OpenMP threads"
else
	skip "$err" "stat --regions counts OpenMP threads"
fi
marked c fork
is "$(grep -c '^process [0-9]* (c):$' <<< "$err")" 2 "stat --regions prints processes apart"
is "$(faults touch | awk '{ print ($1 >= 300 && $1 < 400) + ($2 >= 100 && $2 < 200) }')" 2 "stat --regions counts a child of fork() by itself"
expect 0 gpmu stat --regions -e page-faults:u -- sh -c "$work/c once; $work/c++ once"
is "$(grep -c '^process [0-9]* (c' <<< "$err")" 2 "stat --regions counts the programs that a shell starts"

# --- what cannot be counted
marked static once
like "$err" 'no region can be counted: no process of the command has loaded libgpmu-mark.so, which a statically linked or a set-user-ID program cannot' "stat --regions reports that a static program cannot be counted"
run gpmu stat --regions -e page-faults:u -- true
like "$err" 'the command marked no region with gpmu_mark_begin' "stat --regions reports that a program marks nothing"
marked c kill
is "$rc" 134 "stat --regions exits with 128 + the signal that ended the command"
like "$err" 'the counts of process [0-9]+ \(c\) are lost: it was killed' "stat --regions reports the lost counts of a killed process"
marked c leave
like "$rc $(tail -n 1 <<< "$err")" '^3 .*are lost: .*_exit' "stat --regions reports the lost counts of a process that called _exit()"
marked c clear-after
near "$(faults touch)" 10 20 "stat --regions counts a program that clears its environment after its first mark"
marked c clear-before
like "$err" 'process [0-9]+ \(c\) was not counted: GPMU_MARK_LIST is no longer in its environment' \
	"stat --regions reports a program that clears its environment before its first mark"
run gpmu stat --regions -e page-fault -- "$work/c" once
is "$rc $out$err" "125 gpmu stat: there is no event page-fault, did you mean page-faults?" "stat --regions refuses an unknown event before the command starts"
run gpmu stat --regions -e page-faults:u -- "$work/nothere"
is "$rc $err" "127 gpmu stat: $work/nothere: No such file or directory" "stat --regions of a path that does not exist exits with 127"
for options in "-a" "-I 100" "-r 2" "-C 0" "--strict"; do
	read -ra list <<< "$options"
	run gpmu stat --regions "${list[@]}" -- true
	like "$rc $err" '^125 gpmu stat: --regions cannot be combined' "stat --regions refuses $options"
done
run gpmu stat --regions
is "$rc $err" "125 gpmu stat: --regions needs a command" "stat --regions without a command is refused"
run gpmu stat --per-thread -- true
is "$rc $err" "125 gpmu stat: --per-thread needs -p, -t or --regions" "stat --per-thread without -p, -t and --regions is refused"
is "$(TMPDIR=$work gpmu stat --regions -e page-fault -- "$work/c" 2> /dev/null; TMPDIR=$work gpmu stat --regions -e page-faults:u -- "$work/c" 2> /dev/null; find "$work" -name 'gpmu-mark-*')" "" \
	"stat --regions leaves no temporary file"
mkdir "$work/killed"
# shellcheck disable=SC2016 # the inner shell's
TMPDIR=$work/killed gpmu stat --regions -e page-faults:u -- sh -c '"$0" once; kill -KILL "$PPID"; find "$1"' "$work/c" "$work/killed" > "$work/left" 2> /dev/null
is "$(soon test -s "$work/left"; cat "$work/left")" "$work/killed" "stat --regions leaves no temporary file if it is killed"
cat > "$work/closer" <<'END'
import os, sys
os.closerange(3, 1024)
os.execv(sys.argv[1], sys.argv[1:])
END
run gpmu stat --regions -e page-faults:u -- python3 "$work/closer" "$work/c" once
near "$(faults touch)" 1000 1100 "stat --regions counts a program that has closed the descriptors that it inherited"
# In another PID namespace with this one's /proc: the process's own number there is that of another process here. The pid of
# gpmu, by which a process finds the file if it lacks the descriptor, is none.
if unshare -pf true 2> /dev/null; then
	apart=(unshare -pf)
elif unshare -rpf true 2> /dev/null; then
	apart=(unshare -rpf)
fi
what="a program in another PID namespace appends its record to the file that it inherited"
if [ -n "${apart:-}" ]; then
	: > "$work/marks"
	GPMU_MARK_FILE="101 $(($(cat /proc/sys/kernel/pid_max) + 1)) $(stat -c '%d %i' "$work/marks")" GPMU_MARK_LIST=page-faults:u \
		GPMU_MARK_SOURCES='' GPMU_MARK_CATALOGS='' GPMU_MARK_OPTIONS='0 0 0 ' LD_PRELOAD=$(realpath "$B/libgpmu-mark.so") \
		"${apart[@]}" "$work/c" once 101<> "$work/marks"
	like "$(cat "$work/marks")" '^L [0-9]+ 0 c$' "$what"
else
	skip "no PID namespace can be made" "$what"
fi
# The program opens another file with the number of the descriptor.
cat > "$work/other" <<'END'
import os, sys
os.dup2(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), int(os.environ["GPMU_MARK_FILE"].split()[0]))
os.execv(sys.argv[2], sys.argv[2:])
END
run gpmu stat --regions -e page-faults:u -- python3 "$work/other" "$work/file" "$work/c" once
near "$(faults touch)" 1000 1100 "stat --regions counts a program that has opened another file with the number of the descriptor that it inherited"
is "$(cat "$work/file")" "" "stat --regions writes nothing to another file"
is "$(LD_PRELOAD='' gpmu stat --regions -e page-faults:u -- printenv LD_PRELOAD 2> /dev/null | tr ':' '\n' | grep -c .)" 1 "stat --regions preloads one library"

# --- the model, and formats
run gpmu stat --regions "$model" -M GraceMemBW --per-node -- "$work/c" threads
is "$(awk '$1 == "touch" { sub(/\..*/, "", $(NF - 1)); print $(NF - 2), $(NF - 1), $NF }' <<< "$err")" $'N0 131 GB/s\nN1 59 GB/s' "stat --regions --per-node counts PMUs outside the cores by node, once for all threads"
run gpmu stat --regions "$model" -M GraceMemBW -e page-faults:u -j -o "$work/json" -- "$work/c" once
is "$rc $both $(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(row["region"], row["visits"], row["state"])' "$work/json" | paste -sd' ')" "0  touch 1 ok touch 1 ok" "stat --regions -j writes JSON lines with the region"
run gpmu stat --regions -e page-faults:u -x ';' -- "$work/c" once
like "$err" '^"touch";[0-9]+;-1;1;' "stat --regions -x writes CSV with region, process, thread and visits"
done_testing
