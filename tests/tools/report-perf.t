#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu report of recordings of perf: those of this machine's perf against perf report, and one of SPE
# whose content perf-make prints.
. tests/tools/lib.sh

need tests/unit/profile/perf-make
make=$(realpath "$B/tests/unit/profile/perf-make")
# perf record copies the recorded files to this folder.
mkdir "$work/home"
export HOME=$work/home

# rows TABLE [OPTION...] FILE: the rows of a table in CSV, without its first column, the event
rows() {
	local name=$1

	shift
	gpmu report --format csv "$@" | awk -v name="$name" '/^# gpmu-report-csv/ { on = $4 == name; getline; next } on' |
		cut -d , -f 2-
}

# fact NAME FILE...: the value of a line about the recording
fact() {
	local name=$1

	shift
	gpmu report --format csv --by function "$@" 2> /dev/null | sed '/^# gpmu-report-csv 1 samples/,$d' |
		sed -n "s/^$name,//p" | tr -d '"'
}

# --- recordings of this machine's perf

# theirs FILE: samples, period and function of the code of perf-make, by perf
theirs() {
	# perf makes a function of each entry of the PLT, and _init() extends to the first.
	perf report --stdio --no-children -g none -F sample,period,sym,dso -t , -i "$1" 2> /dev/null |
		awk -F , '/^#/ || NF < 4 { next } { gsub(/ /, "", $1); gsub(/ /, "", $2); sub(/^ *\[.\] /, "", $3)
			gsub(/ /, "", $4); sub(/ *$/, "", $3); if ($4 == "perf-make" && $3 !~ /@plt$|^_init$/) print $1 "," $2 "," $3 }' | sort
}

# ours FILE: the same by gpmu. A sample may be in _init() itself, which theirs() omits.
ours() {
	rows functions "$1" | awk -F , '$7 == "perf-make" && $6 !~ /^(\[unknown\]|_init)$/ { print $2 "," $3 "," $6 }' | sort
}

# fold: folded stacks of the output of perf script, those that are in perf-make and unknown code alone. perf prints some
# samples without a stack, and the return address 0 of the outermost frame.
fold() {
	awk 'NF == 0 { if (stack != "" && !other) n[comm stack]++; comm = stack = ""; other = 0; next }
		comm == "" { comm = $1; next }
		$1 == "0" { next }
		{ other = other || $2 ~ /@plt$|^_init$/ || !($3 ~ /\/perf-make\)$/ || $3 == "([unknown])")
			stack = ";" ($2 == "[unknown]" && $3 != "([unknown])" ? "[perf-make]" : $2) stack }
		END { for (s in n) print s, n[s] }'
}

# made FILE PERF-RECORD...: records perf-make until perf finds three of its functions, as a loaded machine may take few
# samples. perf's messages are in $work/perf.err.
made() {
	local file=$1

	shift
	for _ in {1..10}; do
		"$@" -o "$file" -- "$make" "$work/made" 300000 > /dev/null 2> "$work/perf.err" < /dev/null || break
		[ "$(theirs "$file" | wc -l)" -lt 3 ] || return 0
	done
	ok 1 "perf finds three functions of perf-make in its recording: $*"
	diag "$(cat "$work/perf.err")"
}

# their_unwound FILE: the stacks of perf script that are below main(), with a dash for each frame outside perf-make
their_unwound() {
	perf script --no-inline -F comm,ip,sym,dso -i "$1" 2> /dev/null | awk 'NF < 2 { if (stack ~ /;main/) n[stack]++; stack = ""; next }
		{ stack = ($3 !~ /\/perf-make\)$/ ? "-" : $2 ~ /@plt$|^\[unknown\]$/ ? "[perf-make]" : $2) (stack == "" ? "" : ";") stack }
		END { if (stack ~ /;main/) n[stack]++; for (s in n) print s, n[s] }' | sort
}

# our_unwound FILE: the same by gpmu
our_unwound() {
	{
		nm "$make" | awk 'tolower($2) == "t" { print $3 }'
		echo .
		gpmu report --folded --no-inline "$1"
	} | awk '$1 == "." { on = 1; next }
		!on { own[$1]; next }
		/;main[; ]/ { count = $NF; sub(/ [0-9]+$/, ""); n = split($0, frame, ";"); stack = ""
			for (i = 2; i <= n; i++) stack = stack (i > 2 ? ";" : "") (frame[i] in own || frame[i] == "[perf-make]" ? frame[i] : "-")
			sum[stack] += count }
		END { for (s in sum) print s, sum[s] }' | sort
}

# compare FILE WHAT
compare() {
	local want

	want=$(theirs "$1")
	is "$(ours "$1")" "$want" "$2 has the samples and periods of each function that perf report has"
}

if perf record -o "$work/perf.data" -e task-clock true > /dev/null 2>&1; then
	record=(perf record -q -F 10000 -e task-clock)
	made "$work/file.data" "${record[@]}"
	compare "$work/file.data" "report: a recording"
	made "$work/graph.data" "${record[@]}" -g
	compare "$work/graph.data" "report: a recording with call graphs"
	# perf chooses other names among those of an address of the C library, and names entries of the PLT.
	perf script --no-inline -i "$work/graph.data" -F comm,ip,sym,dso 2> /dev/null | fold | sort > "$work/their-stacks"
	gpmu report --folded --no-inline "$work/graph.data" | sort > "$work/our-stacks"
	is "$([ -s "$work/their-stacks" ] || echo "perf script has none")$(comm -13 "$work/our-stacks" "$work/their-stacks")" "" \
		"report: --folded --no-inline has the call stacks and counts of perf script --no-inline"
	is "$(awk '{ n += $NF } END { print n }' "$work/our-stacks")" \
		"$(rows samples --by event "$work/graph.data" | cut -d , -f 2)" "report: --folded has all samples"
	is "$(grep -vcE '^perf(-make|);.* [0-9]+$' "$work/our-stacks")" 0 "report: each line of --folded is a thread's name, functions and a count"
	made "$work/dwarf.data" perf record -q -F 5000 -e task-clock --call-graph dwarf,8192
	their_unwound "$work/dwarf.data" > "$work/their-stacks"
	if grep -q '^_start;-;.*main;strings_' "$work/their-stacks"; then
		is "$(our_unwound "$work/dwarf.data")" "$(< "$work/their-stacks")" "report: --folded unwinds copies of stacks to the frames of perf script"
		is "$(gpmu report --by stack --format csv "$work/dwarf.data" | sed '1,/^# gpmu-report-csv 1 samples/d' |
			awk -F , 'NR > 1 { n += $3 } /;main;.*strings_/ { found = 1 } END { print n, found }')" \
			"$(rows samples --by event "$work/dwarf.data" | cut -d , -f 2) 1" "report: --by stack has all samples with copies of stacks, unwound"
	else
		skip "perf does not unwind stacks" "report: --folded unwinds copies of stacks to the frames of perf script"
	fi
	run gpmu report --folded "$work/graph.data"
	is "$err" "" "report: --folded of a recording with call graphs has no warning"
	run gpmu report --folded "$work/file.data"
	is "$err" "gpmu report: warning: call stacks have only the sampled function; callers are recorded by perf record -g" \
		"report: --folded warns of a recording without call graphs, and names the option of perf"
	like "$(gpmu report --by stack "$work/file.data")" '^  stacks +call stacks have only the sampled function; .* perf record -g$' \
		"report: --by stack names the option of perf if a recording has no call graphs"
	if perf stat record -o "$work/stat.data" -e task-clock -- true > /dev/null 2>&1; then
		like "$(gpmu report "$work/stat.data")" '^  samples +none; perf stat report prints the counts' \
			"report: a recording of perf stat names the command that prints its counts"
	fi
	"${record[@]}" -o - -- "$make" "$work/made" 300000 2> /dev/null > "$work/pipe.data" < /dev/null
	is "$(gpmu report --format csv - < "$work/pipe.data" | tail -n +2)" \
		"$(gpmu report --format csv - < <(cat "$work/pipe.data") | tail -n +2)" \
		"report: a recording that comes from a pipe has the same report as from a file"
	if perf version --build-options 2> /dev/null | grep -q 'zstd: \[ on'; then
		made "$work/zstd.data" "${record[@]}" -z
		compare "$work/zstd.data" "report: a compressed recording"
	else
		skip "perf without zstd" "report: a compressed recording has the samples and periods of each function that perf report has"
	fi
	if perf record --threads -o "$work/folder.data" -e task-clock true > /dev/null 2>&1 && [ -d "$work/folder.data" ]; then
		made "$work/folder.data" "${record[@]}" --threads
		compare "$work/folder.data" "report: a folder of perf record --threads"
	else
		skip "no perf record --threads" "report: a folder of perf record --threads has the samples and periods of each function that perf report has"
	fi
	made "$work/group.data" perf record -q -F 5000 -e '{task-clock,cpu-clock}:S'
	is "$(rows functions "$work/group.data" | awk -F , '$7 == "perf-make" && $6 == "main" { printf "%s%s,%s", s, $2, $3; s = " " }')" \
		"$(perf report --stdio --no-children -g none -F sample,period,sym,dso -t , -i "$work/group.data" 2> /dev/null |
			awk -F , '/\] main .*perf-make/ { split($1, n, " "); split($2, p, " "); print n[1] "," p[1] " " n[2] "," p[2] }')" \
		"report: leader sampling has the samples and periods of each event that perf report has"
	made "$work/two.data" perf record -q -F 5000 -e task-clock,cpu-clock
	is "$(gpmu report --by event,object --format csv --top 1 "$work/two.data" | awk -F , '/^# gpmu-report-csv 1 samples/ { on = 1; getline; next } on { print $1 }')" \
		$'task-clock\ncpu-clock' "report: --top applies to each event of a recording"
	is "$(rows samples --by event "$work/two.data" | cut -d , -f 1)" $'1\n1' "report: shares are of the samples of an event"
	run gpmu report --by thread,process "$work/file.data"
	like "$out" '100\.0 % .* perf-make \([0-9]+\)  perf-make \([0-9]+\)' "report: --by thread,process names both with their numbers"
	is "$(fact "build ids" "$work/file.data")" "" "report: a recording with build ids has no line about them"
	cp "$make" "$work/stripped"
	strip "$work/stripped"
	# On a loaded machine a recording may have no sample of the program's own code.
	for _ in {1..10}; do
		"${record[@]}" -o "$work/stripped.data" -- "$work/stripped" "$work/made" 300000 > /dev/null 2>&1
		[ ! "$(fact "no functions" "$work/stripped.data")" ] || break
	done
	like "$(fact "no functions" "$work/stripped.data")" "$work/stripped \(stripped\)" "report: a file without symbols is named"
	rm "$work/stripped"
	# A copy of the same build id was made before strip.
	is "$(fact "no functions" "$work/stripped.data")" "" "report: a file that does not exist on this machine has the functions of the copy that perf record made"
	rm -r "$HOME/.debug"
	like "$(fact "no functions" "$work/stripped.data")" "$work/stripped \(no such file here\)" "report: a file that does not exist on this machine, and has no copy, is named"
	run gpmu report --by tier,home,cpu,page "$work/file.data"
	like "$out" '^  tier +in no sample; it is recorded by Arm SPE alone: perf record -e arm_spe_0//$' "report --by tier of a recording without SPE names the event that records tiers"
	like "$out" '^  home .*arm_spe_0/pa_enable=1/$' "report --by home of a recording without SPE names the event that records homes"
	like "$out" '^  page .*perf record -d' "report --by page of a recording without addresses names the option that records them"
	like "$out" '^  cpu +in no sample; it is recorded by perf record --sample-cpu$' "report --by cpu of a recording without CPUs names the option that records them"
	unlike "$(gpmu report --by thread "$work/file.data")" 'in no sample' "report prints nothing about keys that the samples have"

	kernel=("${record[@]}" -o "$work/kernel.data")
	"${kernel[@]}" -- dd if=/dev/zero of=/dev/null bs=1M count=1000 2> "$work/perf.err"
	is "$?" 0 "report: perf records a command that runs in the kernel" || diag "$(cat "$work/perf.err")"
	if [[ $(rows functions "$work/kernel.data") =~ \[kernel.kallsyms\] ]] && head -n 1 /proc/kallsyms | grep -qv '^0* '; then
		is "$(fact kernel "$work/kernel.data")" "" "report: a recording of the running kernel has no line about its functions"
		id=$(perf buildid-list -k 2> /dev/null)
		other=$(printf '%0*d' ${#id} 0)
		ID=$id OTHER=$other perl -0777 -pe '$id = pack "H*", $ENV{ID}; $other = pack "H*", $ENV{OTHER}; s/\Q$id\E/$other/g' "$work/kernel.data" > "$work/other.data"
		like "$(fact kernel "$work/other.data")" '^functions are not known: the running kernel has another build id .*; run gpmu report on the recorded kernel$' \
			"report: a recording of another kernel states why it has no functions, and the remedy"
		"${kernel[@]}" --no-buildid -- dd if=/dev/zero of=/dev/null bs=1M count=1000 2> /dev/null
		like "$(fact kernel "$work/kernel.data")" 'no build id of the kernel; record to a file without -z, --no-buildid or --switch-output, and do not kill perf$' \
			"report: a recording without the kernel's build id states why it has no functions, and the remedy"
	else
		skip "no samples of the kernel" "report: a recording of another kernel states why it has no functions"
	fi

	size=$(stat -c %s "$work/file.data")
	head -c "$((size / 2))" "$work/file.data" > "$work/cut.data"
	run gpmu report --top 1000 "$work/cut.data"
	is "$rc" 1 "report: a recording that is cut off has exit status 1"
	like "$err" "cut\.data:[0-9]+: expected" "report: the error of a recording that is cut off names the offset and what was expected"
	like "$out" 'cut off +only the part before' "report: the report of a recording that is cut off is marked"
	# The records that name the functions may follow the cut, as perf writes the rings of all CPUs in turn.
	read -r cut whole <<< "$(for file in cut file; do fact event "$work/$file.data"; done | sed -n 's/.*: \([0-9]*\) samples.*/\1/p' | paste -sd' ')"
	ok "$((!(0 < cut && cut < whole)))" "report: a recording that is cut off is reported up to the cut" || diag "$cut of $whole samples"

	# perf writes the size of the records, at byte 48, and the features after them when it ends.
	read -r offset size <<< "$(od -An -t u8 -j 40 -N 16 "$work/file.data")"
	head -c $((offset + size)) "$work/file.data" > "$work/killed.data"
	head -c 8 /dev/zero | dd of="$work/killed.data" bs=1 seek=48 conv=notrunc status=none
	run gpmu report "$work/killed.data"
	is "$rc" 1 "report: a recording of a killed perf has exit status 1"
	like "$err" 'killed\.data:48: expected the size of the records, not 0: perf was killed or is still recording' \
		"report: the error for a recording of a killed perf states that perf was killed"
	is "$(fact event "$work/killed.data" 2> /dev/null | sed 's/.*: //; s/ samples.*//')" "$whole" "report: all samples of a recording of a killed perf are counted"
else
	skip "no perf that may record" "report: recordings of this machine's perf"
fi

# --- SPE

# truth FILE RECORDS [OPTION...]: makes a recording, and its truth in $work/want
truth() {
	"$make" "$@" | sort > "$work/want"
}

# found FILE: samples, mean and highest latency by the keys that perf-make prints
found() {
	rows samples --by function,object,thread,tier,home,data "$1" | cut -d , -f 2,4- | sort
}

# made OPTION: the recording that perf-make makes
made() {
	case $1 in
	first) echo "with the first version of AUXTRACE_INFO" ;;
	no-pa) echo "without pa_enable" ;;
	*) echo "with the second version of AUXTRACE_INFO" ;;
	esac
}

spe=$work/spe.data
truth "$spe" 2000 no-build-id
is "$(fact "build ids" "$spe")" "not recorded for 1 file with functions, which may have changed since the recording; record to a file without -z, --no-buildid or --switch-output, and do not kill perf" \
	"report: files whose functions are used without a recorded build id are counted"
for options in "" first no-pa clock; do
	# shellcheck disable=SC2086 # words
	truth "$spe" 20000 $options
	[ "$(wc -l < "$work/want")" -gt 100 ] || bail "perf-make printed nothing"
	[ "$options" != clock ] || continue
	is "$(found "$spe" | md5sum)" "$(md5sum < "$work/want")" \
		"report: SPE $(made "$options"): each function, thread, tier, home and data has its samples and latencies"
done
like "$(fact times "$spe")" '^times of SPE cannot be compared .*record without -k$' "report: a recording of SPE with -k is reported as one without comparable times"

truth "$spe" 20000
is "$(fact event "$spe")" "arm_spe_0//: 20000 samples, one per 65536 operations, loads, stores, latency of at least 30 cycles" \
	"report: the event of SPE has its period and filters"
is "$(fact collisions "$spe" | cut -d ' ' -f 1) $(fact truncations "$spe" | cut -d ' ' -f 1)" "5 5" \
	"report: collisions and truncations of the AUX buffer are counted"
"$make" "$work/named.data" 1000 "cpudesc=A name" > /dev/null
is "$(fact machine "$work/named.data")" "grace, aarch64, A name, Linux 6.12.1" "report: the machine has its recorded host, architecture, CPU and kernel"
is "$(fact "build ids" "$spe")" "" "report: a recording of SPE with the build ids of its files has no line about them"
like "$(fact shares "$spe")" "^shares are of samples, not of accesses" "report: the shares of SPE are explained"
like "$(fact home "$spe")" "^[0-9]+ physical addresses are in no node" "report: physical addresses outside all nodes are counted"
is "$(rows tiers "$spe" | awk -F , '{ n += $2 } END { print n }')" "$(awk -F , '$7 != "" { n += $1 } END { print n }' "$work/want")" \
	"report: the table of tiers has the loads and stores alone"
is "$(rows samples --by op "$spe" | awk -F , '{ n += $2 } END { print n }')" 20000 "report: --by op has all samples"
is "$(rows samples --by cpu "$spe" | cut -d , -f 2,6 | sort)" $'5000,0\n5000,1\n5000,2\n5000,3' "report: --by cpu has the samples of each CPU"
is "$(rows samples --by node "$spe" | cut -d , -f 2,6 | sort)" $'10000,0\n10000,1' "report: --by node has the samples of the CPUs of each node"
like "$(rows samples --by page "$spe" | cut -d , -f 6)" '0xffff80001234[0-9a-f]000' "report: --by page has the page of the data"
# The recorded addresses are those of the first instructions of two functions of three lines after the name.
lines=$(grep -nE ' made_(alpha|beta)\(int a\)$' tests/unit/profile/perf-make.c | sed -E 's/^([0-9]+):.* (made_[a-z]+).*/\2,perf-make.c:\1/')
is "$(rows samples --by function,line,object "$spe" | awk -F '[,:]' -v known="$lines" 'BEGIN { n = split(known, part, /[,:\n]/)
		for (i = 1; i < n; i += 3) first[part[i]] = part[i + 2] }
	/perf-make$/ { print $6, $7, ($8 >= first[$6] && $8 <= first[$6] + 3) }' | sort)" \
	$'made_alpha perf-make.c 1\nmade_beta perf-make.c 1' \
	"report: --by function,line has a source line of each function of a program with debug information"
like "$(rows samples --by line,tier "$spe")" 'perf-make\.c:[0-9]+,DRAM \(0xe\)' "report: --by line,tier has source lines and tiers"
# Some compilers do not write this section, the addresses of compilation units.
objcopy --remove-section .debug_aranges "$make" "$work/perf-make" || bail "objcopy fails"
"$work/perf-make" "$work/lines.data" 2000 > /dev/null
is "$(rows samples --by line "$work/lines.data" | grep -o 'perf-make\.c:' | sort -u)" perf-make.c: \
	"report: source lines of a program without .debug_aranges are found"

"$make" "$work/damaged.data" 4000 cut=9 > /dev/null
expect 1 gpmu report --by node "$work/damaged.data"
like "$err" "damaged\.data:[0-9]+: expected the CPU's identification \(feature 9\) in 4 bytes$" "report: the error for a damaged feature names it"
like "$out" '^  damaged +all samples in the file were read, but facts about the machine, or names of functions or events, may be missing$' \
	"report: of a recording with a damaged feature, all samples are reported as read"
is "$(rows samples --by node "$work/damaged.data" 2> /dev/null | cut -d , -f 2,6 | sort)" $'2000,0\n2000,1' "report: nodes are read after a damaged feature"

"$make" "$work/odd.data" 100 head=99 shift=70 > /dev/null
is "$(fact aux "$work/odd.data")" "version 99 of AUXTRACE_INFO is not known; it was read as version 2" \
	"report: an unknown version of AUXTRACE_INFO is reported"
is "$(fact times "$work/odd.data")" "times of SPE cannot be compared with those of threads and maps: the shift of TIME_CONV is above 63" \
	"report: a conversion of times that cannot be used is the reason why times of SPE cannot be compared"
"$make" "$work/odd.data" 100 > /dev/null
printf 3 | dd of="$work/odd.data" bs=1 seek=7 conv=notrunc status=none
expect 1 gpmu report --by function "$work/odd.data"
is "$err" "gpmu report: $work/odd.data:0: expected PERFILE2: not a recording of perf, or one of another version" \
	"report: a recording of an unknown version is refused with the expected version"

printf PERFFILE > "$work/first.data"
head -c 200 /dev/zero >> "$work/first.data"
for command in report import; do
	run gpmu "$command" -o "$work/first.out" "$work/first.data"
	is "$rc $err" "1 gpmu $command: $work/first.data:0: expected PERFILE2: not a recording of perf, or one of another version" \
		"$command: a recording of version 1 of perf's format is refused with the expected version"
done

"$make" "$work/empty.data" 100 empty=8 > /dev/null
run gpmu report --by node --format csv "$work/empty.data"
is "$rc $err $(grep -cE '^(damaged|cut off)' <<< "$out")" "0  0" "report: a feature of the machine without content is no damage"

for feature in "14 NUMA nodes" "22 the nodes' memory blocks"; do
	"$make" "$work/damaged.data" 4000 "cut=${feature%% *}" > /dev/null
	is "$(rows samples --by home "$work/damaged.data" 2> /dev/null | cut -d , -f 6 | sort -u | xargs)" "not known" \
		"report: without ${feature#* } no home is known"
	is "$(fact home "$work/damaged.data")" "not known: no list of ${feature#* } could be read from the recording" \
		"report: without ${feature#* } the report has the reason why homes are not known"
done

truth "$spe" 2000 filters
is "$(fact event "$spe")" "arm_spe_0//: 2000 samples, one per 65536 instructions, loads, stores, SIMD operations, floating-point operations, branch_filter_mask, load_filter_mask, store_filter_mask, simd_filter_mask, float_filter_mask, discard, event_filter 0x20, inv_event_filter 0x80, inv_data_src_filter 0x1, latency of at least 30 cycles, not of the kernel, not of user space" \
	"report: the event of SPE has the unit of its period and all filters of Linux 7.3"

truth "$spe" 20000 no-pa
like "$(fact home "$spe")" "not recorded: record with pa_enable=1, which needs CAP_PERFMON or, since Linux 6.12, kernel.perf_event_paranoid at most 1" \
	"report: without physical addresses the report states how to record them"

# Neoverse N1, and an x86-64 machine
for machine in aarch64,0x00000000413fd0c1 x86_64,GenuineIntel-6-55-7; do
	cpuid=${machine#*,}
	for version in "" first; do
		# shellcheck disable=SC2086 # words
		truth "$spe" 20000 "arch=${machine%,*}" "cpuid=$cpuid" $version
		is "$(found "$spe" | md5sum)" "$(md5sum < "$work/want")" \
			"report: SPE $(made "$version") of the CPU $cpuid: tiers are numbers, and no home is a GPU"
	done
	unlike "$(gpmu report --top 1000 "$spe")" 'L1D \(|L2 \(|system cache|DRAM|remote|unknown \(|GPU' "report: SPE of the CPU $cpuid has no name that only Grace has"
	like "$(fact machine "$spe")" "^grace, ${machine%,*}, " "report: SPE of the CPU $cpuid has the recorded architecture"
	if [[ $cpuid = 0x* ]]; then
		like "$(fact tier "$spe")" "^not known for this CPU \(MIDR 0x413fd0c1\)$" "report: the MIDR of a CPU whose data sources have no names is printed"
	else
		is "$(fact tier "$spe")" "not known: the recording has no MIDR of its CPUs" "report: a recording without a MIDR states that tiers are not known"
	fi
done

# A pipe of perf record --off-cpu, without a header of a file: one sample, whose call stack is in its raw bytes
python3 - << 'END' > "$work/off-cpu.data"
import struct, sys
def record(kind, misc, body):
    sys.stdout.buffer.write(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)
SOFTWARE, BPF_OUTPUT = 1, 10
FIELDS = 1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 10  # IDENTIFIER, IP, TID, TIME, RAW
USER = 2**64 - 512
sys.stdout.buffer.write(b"PERFILE2" + struct.pack("<Q", 16))
attr = struct.pack("<IIQQQ", SOFTWARE, 128, BPF_OUTPUT, 1, FIELDS)
record(64, 0, attr.ljust(128, b"\0") + struct.pack("<Q", 1))
record(78, 0, struct.pack("<QQ16s", 2, 1, b"offcpu-time"))
raw = struct.pack("<IIQQQQQQ", 8, 7, 5000, 3, USER, 0x1000, 0x2000, 0)
record(9, 2, struct.pack("<QQIIQI", 1, 0, 0, 0, 100, len(raw) + 4) + raw + bytes(4))
END
run gpmu report --folded "$work/off-cpu.data"
is "$err" "" "report: --folded of a recording of perf record --off-cpu does not ask for call graphs"

truth "$spe" 20000 damage
like "$(fact damage "$spe")" '^1 damaged part of the AUX data; [0-9]+ bytes belong to no sample$' "report: damage within an AUX buffer is counted"
is "$(found "$spe" | md5sum)" "$(md5sum < "$work/want")" "report: damage within an AUX buffer loses only the damaged record"

truth "$spe" 20000
size=$(stat -c %s "$spe")
head -c "$((size / 2))" "$spe" > "$work/cut.data"
run gpmu report --format csv --by cpu "$work/cut.data"
is "$rc" 1 "report: a recording of SPE that is cut off has exit status 1"
samples=$(rows samples --by cpu "$work/cut.data" 2> /dev/null | awk -F , '{ n += $2 } END { print n }')
ok $((samples < 9500 || samples > 10500)) "report: a recording of SPE that is cut off in the middle has half of the samples ($samples)"

truth "$spe" 20000 pipe
is "$(rows samples --by function,object,thread,tier,home,data - < <(cat "$spe") | cut -d , -f 2,4- | sort | md5sum)" "$(md5sum < "$work/want")" \
	"report: SPE from a pipe: each function, thread, tier, home and data has its samples and latencies"

# A process number that no process has
pid=$((4194304 + $$))
trap 'rm -rf "$work" "/tmp/perf-$pid.map"' EXIT
truth "$spe" 20000 "$pid"
echo "400000000000 40000000 made function" > "/tmp/perf-$pid.map"
is "$(found "$spe" | md5sum)" "$(sed 's/\[unknown\],\[heap\]/made function,[JIT]/' "$work/want" | sort | md5sum)" \
	"report: functions of a just-in-time compiler are those of /tmp/perf-PID.map"
echo "400000000000 40000000 made function
400000000000 4zz wrong" > "/tmp/perf-$pid.map"
like "$(fact "no functions" "$spe")" "/tmp/perf-$pid\.map \(byte 36: expected BEGIN SIZE NAME, with numbers in hexadecimal; malformed lines: 1\)" \
	"report: a line of /tmp/perf-PID.map that is not understood is reported with its offset"
echo "400000000000 40000000 made function" > "/tmp/perf-$pid.map"
chmod 666 "/tmp/perf-$pid.map"
if chown 65534 "/tmp/perf-$pid.map" 2> /dev/null; then
	is "$(found "$spe" | md5sum)" "$(md5sum < "$work/want")" "report: /tmp/perf-PID.map of another user is not read"
else
	skip "not root" "report: /tmp/perf-PID.map of another user is not read"
fi
rm -f "/tmp/perf-$pid.map"

truth "$spe" 20000 pipe
mkfifo "$work/fifo"
# interrupted OPTION...: the report of a reader that is stopped while it waits for the rest of the pipe, which then ends
interrupted() {
	local reader

	"$GPMU_BIN" report "$@" - < "$work/fifo" > "$work/out" 2> "$work/err" &
	reader=$!
	exec 3> "$work/fifo"
	cat "$spe" >&3
	kill -INT $reader
	exec 3>&-
	wait $reader
}

interrupted --by cpu
is "$?" 130 "report: an interrupted report has exit status 130"
like "$(< "$work/out")" 'stopped +stopped by a signal: only a part of the recording was read' "report: an interrupted report prints the part that was read, with a line stopped"
is "$(< "$work/err")" "" "report: an interrupted report shows no progress if standard error is not a terminal"
interrupted --folded
is "$? $(< "$work/err")" "130 gpmu report: stopped by a signal: only a part of the recording was read" \
	"report: interrupted folded stacks are reported on standard error"

# is_asleep PID: whether the process sleeps
# shellcheck disable=SC2317 # soon calls it
is_asleep() {
	grep -q ' S ' "/proc/$1/stat"
}

# has_ended PID: whether the process has ended, waited for or not
# shellcheck disable=SC2317 # soon calls it
has_ended() {
	[ ! -e "/proc/$1" ] || grep -q ') Z ' "/proc/$1/stat"
}

# idle SUBCOMMAND OPTION...: the exit status of gpmu, which gets SIGINT once it has read a part of a recording and waits
# for the rest. The part is longer than a pipe.
idle() {
	local reader rc=0

	env --default-signal=INT "$GPMU_BIN" "$@" < "$work/fifo" > "$work/out" 2> "$work/err" &
	reader=$!
	exec 3> "$work/fifo"
	head -c 300000 "$spe" >&3
	# It may still have slept before it got the last bytes.
	soon is_asleep $reader && sleep 0.3 && soon is_asleep $reader
	kill -INT $reader
	soon has_ended $reader
	exec 3>&-
	wait $reader || rc=$?
	return $rc
}

idle report --by cpu -
is "$? $(< "$work/err")" "130 " "report: SIGINT ends the reading of a pipe that is open and has no bytes"
like "$(< "$work/out")" 'stopped +stopped by a signal: only a part of the recording was read' \
	"report: the part of a pipe that was read before SIGINT is reported"
like "$(< "$work/out")" 'event +arm_spe_0//: [1-9][0-9]* samples' "report: the samples of SPE in the part of a pipe that was read before SIGINT are counted"
idle import - -o "$work/idle.pftrace"
is "$?" 130 "import: SIGINT ends the reading of a pipe that is open and has no bytes"

# A FIFO can be opened once: its writer may have ended before a second open(2).
cat "$spe" > "$work/fifo" &
run timeout 600 "$GPMU_BIN" report --by cpu "$work/fifo"
wait
is "$rc $(tail -n +3 <<< "$out")" "0 $(gpmu report --by cpu - < "$spe" | tail -n +3)" "report: a FIFO is read as standard input"
printf 'PERFILE2\150\0\0\0\0\0\0\0' > "$work/short"
for file in "$work/short" /dev/null "$work"; do
	run timeout 600 "$GPMU_BIN" report "$file"
	is "$rc $(grep -c . <<< "$both")" "1 1" "report refuses $(basename "$file") with one line" || diag "$both"
done
run gpmu report "$work"
like "$both" '^gpmu report: .*: a folder: expected a trace' "report refuses a folder that is no recording, and names the expected files"
run gpmu report "$work/short"
is "$both" "gpmu report: $work/short:16: expected a header of 104 bytes, the file ends" \
	"report: a recording that is cut off in its header is reported with its length"
far=$work/$(printf 'folder-%.0s' {1..30})
mkdir "$far"
cp "$work/short" "$far/perf.data"
run gpmu report "$far/perf.data"
like "$both" '^gpmu report: /.*folder.*\.\.\..*folder-/perf\.data:16: expected a header of 104 bytes, the file ends$' \
	"report: a message with a long path has the begin of the path, its end and the reason"
cat "$work/short" > "$work/fifo" &
run timeout 600 "$GPMU_BIN" report "$work/fifo"
wait
like "$rc $both" '^1 gpmu report: standard input:16: expected a header' "report: a recording that is cut off in its header is refused on standard input, too"

# slowly FILE: the content of a recording, with a break of more than a second after its reader has begun to read. The
# first part is longer than a pipe.
slowly() {
	head -c 300000 "$1"
	sleep 1.2
	tail -c +300001 "$1"
}

slowly "$spe" | gpmu report --by cpu - > "$work/out" 2> "$work/err"
is "$(< "$work/err")" "" "report: no progress is shown if standard error is not a terminal"
slowly "$spe" > "$work/fifo" &
# shellcheck disable=SC2016 # variables of the shell in the terminal
in=$work/fifo out=$work/shown gpmu_bin=$GPMU_BIN script -qec '"$gpmu_bin" report --by cpu - < "$in" > "$out"' "$work/terminal" > /dev/null < /dev/null
wait $!
like "$(tr '\r' '\n' < "$work/terminal")" 'reading: +[0-9]+ %' "report: progress is shown on a terminal after a second"
is "$(tail -n +3 "$work/shown")" "$(tail -n +3 "$work/out")" "report: progress is not part of the report"

# --- options

truth "$spe" 2000
run gpmu report --by function,nothing "$spe"
is "$rc $err" "125 gpmu report: --by=nothing: for a recording of perf, expected function, object, line, thread, process, cpu, node, tier, home, data, page, op, comm, stack or event" \
	"report: an unknown key of a recording of perf is refused with the list of keys"
run gpmu report "$spe" "$spe"
is "$rc $err" "125 gpmu report: a recording of perf cannot be combined with other files" "report: a recording of perf with another file is refused"
printf '2ELIFREP\0\0\0\0\0\0\0\20' > "$work/big-endian.data"
run gpmu report "$work/big-endian.data"
is "$rc $err" "1 gpmu report: $work/big-endian.data:0: recorded on a big-endian machine, which is not supported" \
	"report: a recording of a big-endian machine is refused as such"
run gpmu report --folded --by cpu "$spe"
is "$rc $err" "125 gpmu report: --folded cannot be combined with --by, --sort, --format, -x or -j" "report: --folded with --by is refused"
run gpmu report --folded --link c2c "$spe"
is "$rc" 125 "report: --folded with --link is refused"
like "$(gpmu report --folded "$spe")" '^(main|worker|old|new);made_(alpha|beta) [0-9]+$' "report: the stack of a sample of SPE is its function"
run gpmu report --link c2c "$spe"
is "$rc" 125 "report: --link is refused for a recording of perf"
run gpmu report --sort latency_max --by cpu "$spe"
is "$rc" 0 "report: a recording of perf is sorted by a column"
run gpmu report --format json "$spe"
is "$(python3 -c 'import json, sys; d = json.load(sys.stdin); print(*d)' <<< "$out")" "gpmu_report notes recording tiers functions data" \
	"report: JSON of a recording of SPE has its tables"
done_testing
