# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Functions of the parts of tests/gpu/run.

. tests/lib/tap.sh
. tests/gpu/settings.sh

gr=gr__cycles_active.avg.pct_of_peak_sustained_elapsed
sm=sm__cycles_active.avg.pct_of_peak_sustained_elapsed
tensor=sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed
read=dram__bytes_read.sum
write=dram__bytes_write.sum
pcie_read=pcie__read_bytes.sum
pcie_write=pcie__write_bytes.sum
# shellcheck disable=SC2034 # parts use it: seven metrics that GH100 measures in one pass
seven=("$read" "$write" "$pcie_read" "$pcie_write" "$sm" "$tensor" "$gr")

trap 'jobs -p | xargs -r kill 2> /dev/null' EXIT

# of NAME...: these events of all GPUs, as an argument of -e
of() {
	printf 'nvidia_gpu/%s/,' "$@" | sed 's/,$//'
}

# count NAME OPTION... -- COMMAND...: runs gpmu stat; writes WORK/NAME.csv, .out and .err
count() {
	local name=$1

	shift
	timeout --foreground 60 "$GPMU" stat -a -x, -o "$WORK/$name.csv" "$@" \
		> "$WORK/$name.out" 2> "$WORK/$name.err"
}

# counted NAME OPTION... -- COMMAND...: the same as a test; shows gpmu's messages
counted() {
	count "$@"
	ok $? "$1: gpmu stat and the load exit with 0"
	diag "$(sed "s|^|$1: |" "$WORK/$1.err" "$WORK/$1.out" 2> /dev/null)"
}

rows() {
	local what=$1 name=$2

	shift 2
	tests/gpu/rows.py "$what" "$WORK/$name.csv" "$@" 2>&1
}

# ends NAME: seconds from the beginning to the end of the last interval
ends() {
	tests/lib/gpmu_csv.py , time_end < "$WORK/$1.csv" | tail -n 1
}

# value_of NAME KEY: a value of the JSON that a load printed
value_of() {
	sed -n "s/.*\"$2\": *\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p" "$WORK/$1.out"
}

# seconds NAME: the working time of its load
seconds() {
	awk -v a="$(value_of "$1" start)" -v b="$(value_of "$1" end)" 'BEGIN { printf "%.9f", (b - a) / 1e9 }'
}

# near GOT WANT LOW HIGH DESCRIPTION: passes from LOW % below to HIGH % above
near() {
	local off

	off=$(awk -v got="$1" -v want="$2" 'BEGIN {
		if (got !~ /^[-+0-9.e]+$/ || want + 0 == 0) print "no number"; else printf "%+.3f", (got / want - 1) * 100 }')
	awk -v off="$off" -v low="$3" -v high="$4" 'BEGIN { exit !(off ~ /^[-+0-9.]+$/ && off >= -low && off <= high) }'
	ok $? "$5: the error is from -$3 % to +$4 %"
	diag "$5: got $1, known $2: $off %"
}

# within GOT LOW HIGH DESCRIPTION
within() {
	awk -v got="$1" -v low="$2" -v high="$3" 'BEGIN {
		exit !(got ~ /^[-+0-9.e]+$/ && got + 0 >= low + 0 && got + 0 <= high + 0) }'
	ok $? "$4: the value is from $2 to $3"
	diag "$4: $1"
}

# complete NAME [GPU]: passes if CUPTI counted all values all of the time
complete() {
	is "$(rows state "$1" nvidia_gpu/ "${2:-}")" "ok 1 cupti" "$1: CUPTI counts all values all of the time"
	unlike "$(cat "$WORK/$1.err" 2>&1)" 'not sampled for|No such file' "$1: no message reports missing samples"
}

# until_printed FILE TEXT SECONDS: waits until the file contains the text
until_printed() {
	for ((i = 0; i < $3 * 20; i++)); do
		! grep -qs -- "$2" "$1" || return 0
		sleep 0.05
	done
	return 1
}

# record NAME OPTION... -- COMMAND...: runs gpmu record for up to RECORD_SECONDS; writes WORK/NAME.pftrace, .out and .err
record() {
	local name=$1

	shift
	timeout --foreground "${RECORD_SECONDS:-60}" "$GPMU" record -o "$WORK/$name.pftrace" "$@" > "$WORK/$name.out" 2> "$WORK/$name.err"
}

# recorded NAME OPTION... -- COMMAND...: the same as a test; shows gpmu's messages
recorded() {
	record "$@"
	ok $? "$1: gpmu record and the program exit with 0"
	diag "$(sed "s|^|$1: |; s|$WORK/||g" "$WORK/$1.err" "$WORK/$1.out" 2> /dev/null | grep -vE '^[^ ]+ (pair|kernel) ')"
}

# ask NAME SQL: queries a trace
ask() {
	tests/unit/trace/trace_sql.py "$WORK/$1.pftrace" "$2" 2>&1
}

# slices NAME CATEGORY [WHERE]: the number of slices
slices() {
	ask "$1" "select count(*) from all_slice where category = '$2' and ${3:-1}"
}

# audit NAME ABOUT KEY: a value of the trace's audit
audit() {
	ask "$1" "select distinct display_value from slice join args using (arg_set_id)
		where category = 'audit' and name = '$2' and key = 'debug.$3'"
}

# lost NAME: the number of lost records in the trace's audit
lost() {
	ask "$1" "select sum(int_value) from slice join args using (arg_set_id)
		where category = 'audit' and name = 'source' and key = 'debug.lost'"
}
