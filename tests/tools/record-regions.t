#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record --regions: regions that programs mark with gpmu-mark.h become slices, with and without
# CUDA.
. tests/tools/lib.sh

trace=$work/trace.pftrace
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL

# build NAME OPTION...: compiles the program without libgpmu
build() {
	local name=$1

	shift
	"${CC:-gcc}" -Wno-unknown-pragmas -Wall -Wextra -Werror -O2 -I "$top/metrics/include" "$@" -o "$work/$name" \
		"$top/tests/tools/marks/program.c" -lpthread
}

# marked PROGRAM HOW OPTION...: gpmu record --regions of the program
marked() {
	local program=$1 how=$2

	shift 2
	run gpmu record --regions --no-cpu-trace -o "$trace" "$@" -- "$work/$program" "$how"
}

# slices: depth, name and parent of the regions on tracks of threads, in order of time
slices() {
	sql "select s.depth, s.name, coalesce(p.name, '-') from slice s join thread_track t on t.id = s.track_id
		left join slice p on p.id = s.parent_id where s.category = 'region' order by s.ts"
}

# threads: the number of threads with regions, and of their processes
threads() {
	sql "select count(distinct t.tid), count(distinct p.pid) from slice s join thread_track k on k.id = s.track_id
		join thread t using (utid) join process p using (upid) where s.category = 'region'"
}

build c || bail "the program does not compile"
build static -static || bail "the static program does not compile"

# --- slices
marked c nested
is "$rc" 0 "record --regions exits with 0"
is "$(slices)" "0|outer|-
1|touch|outer
1|touch|outer" "record --regions shows nested regions as nested slices"
like "$err" '^\[ gpmu record: 1 process, 6 records, 0 lost -> ' "record --regions counts the process and its records"
is "$(audit process | sed 's/pid=[0-9]* //')" "end=closed of=regions program=c" "record's audit has a process with regions only"
is "$(audit clock)" "" "record's audit has no clock bound of CUDA without CUDA"
marked c nested --no-cuda-trace
is "$rc $(slices | wc -l)" "0 3" "record --regions --no-cuda-trace shows regions"
# shellcheck disable=SC2016 # the inner shell expands the variables
expect 0 gpmu record --regions --no-cuda-trace -o "$trace" -- sh -c 'echo "${CUDA_INJECTION64_PATH-none} ${LD_PRELOAD##*/}"'
is "$out" "none libgpmu-mark.so" "record --regions --no-cuda-trace sets no variable of CUDA"
# shellcheck disable=SC2016
LD_PRELOAD='' expect 0 gpmu record -o "$trace" -- sh -c 'echo "${LD_PRELOAD##*/}"'
is "$out" "libgpmu-inject.so" "record without --regions preloads the library for CUDA alone"
# shellcheck disable=SC2016
ASAN_OPTIONS=detect_leaks=0 expect 0 gpmu record -o "$trace" -- sh -c 'echo "$ASAN_OPTIONS"'
is "$out" "detect_leaks=0:verify_asan_link_order=0" \
	"record lets AddressSanitizer accept a preloaded library, and keeps its other options"
run gpmu record -o "$trace" -- "$work/c" nested
is "$rc $(slices)" "0 " "record without --regions shows no regions"
marked c mistakes
is "$(slices)" "0|other|-
0|open|-" "record --regions ignores ends of regions that are not the innermost"
like "$err" 'warning: [0-9]+ c: the end of region touch is ignored: a thread can only end the innermost of the regions that it has begun' \
	"record --regions warns of the first end that it ignores"
like "$(audit source)" 'kind=nvtx lost=2 .*why=ends of regions that were not the innermost of their thread' "record's audit has the number of ignored ends"
marked c mistakes-kill
like "$(audit source)" 'kind=nvtx lost=100 .*why=ends of regions' "record's audit has the number of ignored ends of a process that is killed"
marked c cross-end
like "$err" ' 2 processes, 4 records, 0 lost ' "record --regions counts no end that a forked child makes of its parent's region"
# shellcheck disable=SC2016 # the command's shell expands it
expect 0 gpmu record --regions --no-cuda-trace -o "$trace" -- sh -c '"$0" stay > "$1" & until [ -s "$1" ]; do sleep 0.02; done; echo $!' "$work/c" "$work/marked"
kill "$out"
is "$(sql "select name from slice where category = 'region' and dur = -1")" stay "record --regions shows a region that is open when the recording ends as unfinished"
# shellcheck disable=SC2016
expect 0 gpmu record --regions --no-cuda-trace -o "$trace" -- sh -c '"$0" mistakes
	while ls -l /proc/$PPID/fd | grep -q memfd:gpmu-channel; do sleep 0.02; done
	"$0" once' "$work/c"
is "$(sql "select group_concat(name || ' ' || (dur between 0 and (select ts from slice where name = 'touch') - ts))
	from slice where name = 'open'")" "open 1" "record --regions ends a region that is left open when its process ends"

# --- the recorded time
marked c delayed --no-cuda-trace -D 100
is "$rc $(slices)" "0 0|touch|-" "record --regions -D shows the regions after the delay, and no region that begins before"
# The command gets SIGTERM at the end of the time.
# shellcheck disable=SC2016 # the command's shell expands it
expect 0 gpmu record --regions --no-cuda-trace --duration 0.1 -o "$trace" -- sh -c 'trap "exec \"\$0\" once" TERM; while :; do sleep 0.02; done' "$work/c"
is "$(slices)" "" "record --regions --duration shows no region that begins after this time"
like "$err" 'marked no region .*, or only outside the recorded time$' "record --regions warns of a program whose regions are outside the recorded time"

# --- threads and processes
marked c threads
is "$(slices | sort -u) $(threads)" "0|touch|- 3|1" "record --regions shows the regions of each thread on its track"
if build openmp -fopenmp 2> /dev/null; then
	marked openmp openmp
	is "$(slices | sort -u) $(threads)" "0|touch|- 3|1" "record --regions shows the regions of OpenMP threads"
else
	skip "no OpenMP" "record --regions shows the regions of OpenMP threads"
fi
marked c cross
is "$(slices | sort)" "0|cross|-
0|touch|-
1|touch|cross" "record --regions shows a forked child's regions without those of its parent"
is "$(threads)" "2|2" "record --regions shows a forked child as a process"
run gpmu record --regions -o "$trace" -- sh -c "$work/c once; $work/c once"
is "$(threads)" "2|2" "record --regions shows the programs that a shell starts"

# --- ends
marked c kill
is "$rc $(slices)" "134 0|touch|-" "record --regions keeps the slices of a program that is killed"
is "$(audit process | grep -o 'end=[a-z]*')" "end=vanished" "record --regions marks the end of a killed program as vanished"
marked c leave
is "$rc $(slices)" "3 0|touch|-" "record --regions keeps the slices of a program that calls _exit()"

# --- losses
marked c burst
audit source > "$work/source"
read -r lost < <(grep -o 'lost=[0-9]*' "$work/source" | cut -d= -f2)
read -r all open last < <(sql "select count(*) || ' ' || sum(dur = -1) || ' ' || (select name from slice
	where category = 'region' order by ts desc limit 1) from slice where category = 'region'")
ok $((!(lost > 0))) "record --regions counts regions that find no room in the channel" || diag "$(< "$work/source")"
like "$(< "$work/source")" 'kind=nvtx .*why=the channel was full' "record --regions reports the kind of lost records, and why regions are lost"
is "$((all + lost))" 20002 "record --regions shows each region that it does not count as lost"
is "$open" 0 "record --regions leaves no slice open whose end is lost"
is "$last" touch "record --regions shows regions after a loss"
for how in exit leave; do
	marked c burst-$how
	lost=$(audit source | grep -o 'lost=[0-9]*' | cut -d= -f2)
	read -r all open < <(sql "select count(*) || ' ' || sum(dur = -1) from slice where category = 'region'")
	is "$((all + lost)) $open" "20001 0" "record --regions counts the regions that find no room before the program ends by $how" ||
		diag "$all shown, $lost lost"
done
marked c burst-inside
is "$(slices)" "0|outer|-" "record --regions shows a region on its thread's track although the ends of inner ones are lost"
marked c burst-beside
is "$(sql "select name from slice where category = 'region' and name in ('open', 'beside')")" beside \
	"record --regions shows an open region although ends of regions of another thread are lost"
marked c burst-open
like "$err" 'warning: [0-9]+ c: [0-9]+ open regions are not in the trace: their ends may be among the lost records' \
	"record --regions warns of the open regions that it does not show after a loss"
is "$(gpmu report "$trace" | grep -c 'note  *warning .* open regions are not in the trace')" 1 "record --regions writes the warning of open regions to the audit"
marked c names
more=$(sql "select count(*) from slice where name = '(more names)'")
# Each of the other names takes 4063 bytes; a busy gpmu also loses some.
known=$(sql "select count(distinct name) from slice where name glob '[0-9]*'")
[ "$more" -gt 50 ] && [ "$known" -le $(((16 << 20) / 4063)) ]
ok $? "record --regions limits the memory for names that differ" || diag "$more of 5300 have no name, $known names"
like "$err" 'warning: [0-9]+ c: the limit of 16 MiB of different region names is reached' "record --regions warns of too many different names"
is "$(sql "select count(*) from slice where name = 'note' and ts > (select min(ts) from slice where category = 'region')")" 1 \
	"record --regions writes the time of its warning to the audit"
# shellcheck disable=SC2016
run gpmu record --regions -o "$trace" -- sh -c 'trap "" XFSZ; ulimit -f 8; exec "$0" once' "$work/c"
like "$rc $err" 'warning: the regions of process [0-9]+ \(c\) cannot be recorded: File too large' "record --regions warns of a process without a channel"

marked c clear-before
is "$rc $(slices)" "0 0|touch|-" "record --regions shows the regions of a program that has cleared its environment"

# --- while processes with regions come and go
rm -f "$trace"
cat > "$work/chain" <<'EOF'
for i in 1 2 3 4 5 6 7 8; do
	"$1" linger &
	sleep 0.7
	if grep -qs touch "$2"; then
		echo written
		break
	fi
done
wait
EOF
run gpmu record --regions -o "$trace" -- sh "$work/chain" "$work/c" "$trace"
is "$rc $out" "0 written" "record --regions writes regions to the file while other processes with regions start"

# --- what cannot be recorded
marked static once
like "$rc $err" '^0 .*warning: no region can be recorded: no process of the command has loaded libgpmu-mark.so, which a statically linked or a set-user-ID program cannot' \
	"record --regions warns of a static program"
run gpmu record --regions -o "$trace" -- true
like "$rc $err" '^0 .*warning: the command marked no region with gpmu_mark_begin\(\), or only in processes of another user, or only outside the recorded time$' "record --regions warns of a program without regions"
another="record warns of a process of another user, and counts it as not recorded"
if [ "$EUID" = 0 ]; then
	chmod 711 "$work"
	# Copies that the other user can read
	mkdir "$work/shared"
	cp "$B"/libgpmu-{inject,mark}.so "$work/shared"
	chmod 755 "$work/shared" "$work"/shared/*
	GPMU_PLUGINS=$work/shared run gpmu record --regions -o "$trace" -- setpriv --reuid=65534 --regid=65534 --clear-groups "$work/c" once
	like "$rc $(tr '\n' ' ' <<< "$err")" '^0 .*warning: a process of another user cannot be recorded: run gpmu record as that user .* 1 not recorded,' "$another"
else
	skip "not root" "$another"
fi
mkdir "$work/plugins"
ln -s "$(realpath "$B/libgpmu-inject.so")" "$work/plugins"
GPMU_PLUGINS=$work/plugins run gpmu record --regions -o "$work/none" -- touch "$work/ran"
if [ "$rc" = 0 ]; then
	skip "this gpmu is installed, and finds it there" "record --regions names the folders in which it looked for its library"
else
	like "$rc $err" "^125 gpmu record: no libgpmu-mark.so in $work/plugins:[^;]*; GPMU_PLUGINS can name its folder$" \
		"record --regions names the folders in which it looked for its library"
	[ ! -e "$work/ran" ]
	ok $? "record --regions without its library does not run the command"
	mkdir "$work/marks-only"
	ln -s "$(realpath "$B/libgpmu-mark.so")" "$work/marks-only"
	GPMU_PLUGINS=$work/marks-only run gpmu record --regions -o "$work/none" -- true
	like "$rc $err" '^125 .*no libgpmu-inject.so in .*; --no-cuda-trace records without CUDA$' \
		"record --regions without the library for CUDA names --no-cuda-trace"
fi
mkdir "$work/a b"
cp "$B"/libgpmu-{inject,mark}.so "$work/a b"
GPMU_PLUGINS="$work/a b" run gpmu record --regions -o "$work/none" -- true
is "$rc $err" "125 gpmu record: $(realpath "$work")/a b/libgpmu-mark.so cannot be preloaded: its path has a blank or a colon" \
	"record --regions refuses a library that cannot be preloaded"
# shellcheck disable=SC2016
GPMU_PLUGINS="$work/a b" LD_PRELOAD='' run gpmu record -o "$trace" -- sh -c 'echo "${LD_PRELOAD-}"'
like "$rc $out $err" "^0  gpmu record: warning: $(realpath "$work")/a b/libgpmu-inject.so cannot be preloaded, because its path has a blank or a colon: the last records of " \
	"record without --regions warns of a library that cannot be preloaded, and runs the command without it"
run gpmu record --regions -a -o "$work/none" -e task-clock
is "$rc $err" "125 gpmu record: --regions needs a command" "record --regions without a command is refused"

# --- counts by region
marked c long "$model" -M GraceMemBW -I 10
expect 0 gpmu report --by=nvtx --format=csv "$trace"
like "$out" $'\nlong,gpmu-mark,1,([3-9][0-9]{8}|[0-9]{10,}),' "report lists regions with their number and duration"
like "$out" $'\nlong,gpmu-mark,machine,190\\.7[0-9]*,GB/s,' "report lists the mean of a counter in each region"
# AddressSanitizer's library must come first, so the inner gpmu is the plain one.
expect 0 gpmu record --regions -o "$trace" -- "$B/gpmu" stat --regions -e page-faults:u -- "$work/c" once
is "$(slices)" "0|touch|-" "record --regions shows the regions that gpmu stat --regions counts"
done_testing
