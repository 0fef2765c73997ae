#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All fields of the samples of this machine's perf, as perf script prints them and as libgpmu reads them.
. tests/tools/lib.sh

need tests/guest/spe-text
# shellcheck disable=SC2016 # of the recorded shell
spin='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'

# theirs FILE [FIELD]: the samples by perf script in the form of spe-text
theirs() {
	perf script -i "$1" --ns -F "pid,tid,cpu,time,period,addr,data_src,weight,ins_lat,ip,phys_addr,data_page_size,code_page_size" 2> "$work/err" |
		sed 's/|OP.*BLK *[^ ]*//; s/[]:[]/ /g' |
		awk '
		function size(text) {
			return text == "N/A" ? 0 : text * (text ~ /K$/ ? 1024 : text ~ /M$/ ? 1048576 : text ~ /G$/ ? 1073741824 : 1)
		}
		{
			split($3, time, ".")
			print "sample", $1, $2 + 0, time[1] * 1e9 + time[2], $4, $5, $6, $7, $8, $9, $10, size($11), size($12)
		}' OFMT=%.0f CONVFMT=%.0f | sort
}
# same NAME OPTION...: records a loop, and compares
same() {
	local name=$1

	shift
	if ! perf record -q -o "$work/data" "$@" -d --phys-data --data-page-size --code-page-size -W -T -P --sample-cpu \
		-- sh -c "$spin" > "$work/log" 2>&1; then
		skip "perf record: $(tail -n 1 "$work/log")" "perf script and libgpmu print the same fields of each sample: $name"
		return
	fi
	"$B/tests/guest/spe-text" "$work/data" | grep ^sample | sort > "$work/ours"
	theirs "$work/data" > "$work/theirs"
	is "$(diff "$work/ours" "$work/theirs" | head -n 4)" "" "perf script and libgpmu print the same fields of each sample: $name" ||
		diag "$(cat "$work/err")"
	[ -s "$work/ours" ]
	ok $? "there are samples: $name"
}

same "one event with a period" -e cpu-clock -c 500000
same "one event with a frequency" -e cpu-clock -F 2000
same "two events" -e cpu-clock -e page-faults -c 100
done_testing
