# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#
# Compares all samples of a recording that perf script prints with the samples that libgpmu reads (spe-text).
samples=${work:-/tmp}
# Columns of samples, in the order of perf script and of spe-text
samples_columns="tid cpu misc time period event trace addr data_src weight ins_lat cgroup ip iregs uregs"
samples_columns="$samples_columns phys_addr data_page_size code_page_size"

# For awk: wanted[] has the numbers of the columns in FIELDS. sorted() sorts the fields of a tracepoint, and writes numbers of up
# to 48 bits in decimal. It omits prev_state, for which perf prints letters.
samples_awk='	BEGIN {
		count = split(columns, column, " ")
		for (i = 1; i <= count; i++) if (index(fields, "," column[i] ",")) wanted[++n] = i
	}
	function number(text,   i, sum) {
		if (text ~ /^[0-9]+$/) return text + 0
		if (text !~ /^0x[0-9a-f]+$/ || length(text) > 14) return text
		for (i = 3; i <= length(text); i++) sum = 16 * sum + index("0123456789abcdef", substr(text, i, 1)) - 1
		return sum + 0
	}
	function sorted(text,   part, count, i, j, swap) {
		count = split(text, part, ",")
		for (i = 1; i <= count; i++) {
			j = index(part[i], "=")
			part[i] = substr(part[i], 1, j) number(substr(part[i], j + 1))
			for (j = i; j > 1 && part[j] < part[j - 1]; j--) { swap = part[j]; part[j] = part[j - 1]; part[j - 1] = swap }
		}
		text = ""
		for (i = 1; i <= count; i++) if (part[i] !~ /^prev_state=/) text = text "," part[i]
		return substr(text, 2)
	}'
# our_samples FIELDS: prints these fields of the samples of spe-text, sorted
our_samples() {
	awk -v columns="$samples_columns" -v fields=",$1," "$samples_awk"'
	$1 == "cgroup" { path[$2] = $3 }
	$1 == "sample" {
		if ($8 != "-") $8 = sorted($8)
		if ($13 in path) $13 = path[$13]
		line = "sample"
		for (i = 1; i <= n; i++) line = line " " $(wanted[i] + 1)
		print line
	}' OFMT=%.0f CONVFMT=%.0f | sort
}
# script_samples FILE FIELDS [OPTION...]: prints these fields of the samples of perf script in the form of spe-text, sorted
script_samples() {
	s_file=$1 s_fields=$2
	shift 2
	perf script -i "$s_file" --ns -G -F "$s_fields" "$@" 2>"$samples/script.err" |
		sed 's/|OP.*BLK *[^ ]*//' | awk -v columns="$samples_columns" -v fields=",$s_fields," "$samples_awk"'
	function fields_of(last,   text) {	# of a tracepoint: NAME=VALUE, with "_" for a space
		for (; at <= last; at++) if ($at != "==>") text = text (text == "" ? "" : $at ~ /^[a-z_]+=/ ? "," : "_") $at
		return text
	}
	function registers(   text) {
		if ($at !~ /^ABI:/) return "-"
		text = substr($(at++), 5)
		for (; $at ~ /:0x/; at++) text = text "," substr($at, index($at, ":0x") + 3)
		return text
	}
	function size(text) {
		return text == "N/A" ? 0 : text * (text ~ /K$/ ? 1024 : text ~ /M$/ ? 1048576 : text ~ /G$/ ? 1073741824 : 1)
	}
	{
		line = "sample"
		at = 1
		for (i = 1; i <= n; i++) {
			name = column[wanted[i]]
			if (name == "trace") value = sorted(fields_of(NF - (name != column[wanted[n]])))	# ip may follow
			else if (name ~ /regs/) value = registers()
			else value = $(at++)
			if (name == "tid") sub(/^[0-9]+$/, "&/&", value)
			if (name == "cpu") value = substr(value, 2) + 0
			if (name == "time") { split(value, time, "."); value = time[1] * 1e9 + time[2] }
			if (name == "event") sub(/:$/, "", value)
			if (name ~ /page_size/) value = size(value)
			line = line " " value
		}
		print line
	}' OFMT=%.0f CONVFMT=%.0f | sort
}
# script_arrays FILE: prints call chains, counts and sizes of stacks in the form of spe-text
script_arrays() {
	perf script -D -i "$1" 2>/dev/null | awk '
	function hex(text) {
		sub(/,$/, "", text)
		sub(/^0+/, "", text)
		return text == "" ? 0 : text
	}
	function end() {
		if (head != "") print "arrays", head, chain, counts, stack + 0
		head = chain = counts = stack = ""
	}
	/PERF_RECORD_SAMPLE\(IP/ {	# [CPU] TIME OFFSET [SIZE]: PERF_RECORD_SAMPLE(IP, MODE): PID/TID: ...
		end()
		if ($4 ~ /^PERF/) $0 = "- " $0
		sub(/:$/, "", $7)
		head = $7 " " $1 " " $2
	}
	$1 == "....." && $2 ~ /^[0-9]+:$/ { chain = chain hex($3) "," }
	$1 == "....." && $2 == "id" { counts = counts hex($3) ":" hex($5) ":" $7 + 0 "," }
	$1 == "..." && $2 == "ustack:" { stack = $4 }
	END { end() }'
}
# differences OURS THEIRS: the first lines that differ
differences() {
	diff "$1" "$2" | grep '^[-+<>]' | head -n 12
}
# same_samples WHAT FILE FIELDS [OPTION...]: tests that perf script OPTION... prints the samples that libgpmu reads
same_samples() {
	s_what=$1
	spe-text "$2" >"$samples/text" 2>"$samples/text.err"
	our_samples "$3" <"$samples/text" >"$samples/ours"
	shift
	script_samples "$@" >"$samples/theirs"
	is "$(differences "$samples/ours" "$samples/theirs")" "" "$s_what: perf script prints all samples with the fields that libgpmu reads" ||
		diag "$(head -n 3 "$samples/script.err" "$samples/text.err")"
	grep '^arrays' "$samples/text" | sort >"$samples/ours.arrays"
	script_arrays "$1" | sort >"$samples/theirs.arrays"
	is "$(differences "$samples/ours.arrays" "$samples/theirs.arrays")" "" \
		"$s_what: perf script -D prints the call chains, counts and stacks that libgpmu reads"
	[ -s "$samples/ours" ] && [ -s "$samples/ours.arrays" ]
	ok $? "$s_what: the recording has samples"
}
# same_symbols WHAT FILE: tests that perf script and gpmu report count the same samples of each thread, function and file. perf
# names a thread that has ended by its number, the idle thread swapper, and modules [kernel.kallsyms] or [NAME].
same_symbols() {
	perf script -i "$2" -G -F comm,tid,ip,sym,dso 2>"$samples/script.err" | awk '{
		comm = $2 == 0 ? "idle" : $1 == ":" $2 ? last[$2] : $1
		last[$2] = comm
		file = substr($NF, 2, length($NF) - 2)
		sub(/.*\//, "", file)
		if ($3 ~ /^ffff.{12}$/) file = "[kernel.kallsyms]"
		name = $4
		for (i = 5; i < NF; i++) name = name " " $i
		n[($2 < 0 ? "" : comm " (" $2 ")") "," name "," file]++
	} END { for (key in n) print n[key] "," key }' | sort >"$samples/theirs"
	gpmu report --format csv --by thread,function,object "$2" 2>"$samples/text.err" |
		awk -F , '/^# gpmu-report-csv/ { on = / samples$/; getline; next }
			on { if ($9 ~ /\.ko$/) $9 = "[kernel.kallsyms]"; n[$7 "," $8 "," $9] += $3 }
			END { for (key in n) print n[key] "," key }' | sort >"$samples/ours"
	is "$(differences "$samples/ours" "$samples/theirs")$([ -s "$samples/ours" ] || echo none)" "" \
		"$1: perf script and gpmu report count the same samples of each thread, function and file" ||
		diag "$(head -n 3 "$samples/script.err" "$samples/text.err")"
}
