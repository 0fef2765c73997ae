# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#
# Metrics of perf and of gpmu against tables, after /lib/gpmu.sh. The script sets
#   timed, exact  lines "NAME BOTH SOCKET0 SOCKET1": the expected values over both
#                 sockets and for each; "-": the metric does not apply to that socket;
#                 "N?": the metric may be missing, as one of its events is 0 there
#   runs          lines of NAMEs: the metrics to measure in one run
# The metrics in exact do not depend on time. All begin with an empty line.

# table_perf: writes the metrics of the last metric_stat as lines "SOCKET NAME VALUE" to
# /tmp/table; SOCKET is - for both. One awk does all, since an emulated CPU takes 10 ms to
# start a process.
table_perf() {
	awk -v package0="$(cat /sys/devices/system/cpu/cpu0/topology/physical_package_id)" '
		function field(name,  text) {
			if (!match($0, "\"" name "\" : \"?[^\",}]*"))
				return ""
			text = substr($0, RSTART, RLENGTH)
			sub(/.* : "?/, "", text)
			return text
		}
		{
			name = field("metric-unit")
			sub(/.* /, "", name)
			socket = field("socket")
			if (name != "")
				print socket == "" ? "-" : socket == "S" package0 ? 0 : 1, name, field("metric-value")
		}' "$out" >/tmp/table
}

# table_gpmu: like table_perf, from gpmu's JSON
table_gpmu() {
	sed -n 's/.*"numa_node":\([^,]*\),.*"kind":"metric","name":"\([^"]*\)","value":\([^,]*\),.*/\1 \2 \3/p' "$out" |
		sed 's/^null /- /' >/tmp/table
}

# off NAME,NAME... COLUMN [SOCKET]: prints a line for each metric of /tmp/table that
# differs from the column of timed and exact. A percentage of one socket does not depend
# on time, so it is exact except for the last request. Two sockets are measured over
# different times. $may_miss: a metric of socket 1 that is 0 may be missing.
off() {
	echo "$timed" >/tmp/timed
	echo "$exact" >/tmp/exact
	awk -v names="$1" -v column="$2" -v socket="${3:--}" -v may_miss="$may_miss" -v kernel="$KERNEL" '
		FILENAME != ARGV[3] {
			if (NF == 4)
				wants[$1] = $column
			timeless[$1] = FILENAME == ARGV[2]
			next
		}
		$1 == socket && !($2 in got) { got[$2] = $3 }
		END {
			n = split(names, list, ",")
			for (i = 1; i <= n; i++) {
				name = list[i]
				want = wants[name]
				value = name in got ? got[name] : "no " name
				if (want == "-")
					continue
				if (may_miss && socket == 1 && (want == "0" || want ~ /\?$/) && !(name in got))
					continue
				sub(/\?$/, "", want)
				# Without requests there is no mean latency; perf prints 0
				if (value == "null" && want == "0" && name ~ /Latency/)
					value = 0
				# perf 6.1 does not group events of several PMUs and reads one after
				# the other
				percent = socket != "-" && kernel != "6.1" && timeless[name] ? 0.01 : 2
				d = value - want
				if (d < 0)
					d = -d
				if (want == "" || value !~ /^[0-9.]+$/ || d > want * percent / 100)
					print name (socket == "-" ? "" : " of socket " socket) ": got " value \
						", want " want " within " percent " %"
			}
		}' /tmp/timed /tmp/exact /tmp/table
}

multiplexed() {
	field pcnt-running <"$out" | awk '$1 < 99.9 { n++ } END { if (n) print "multiplexed: " n " events" }'
}

# measure NAME,NAME...: prints the metrics that differ, over both sockets and for each
measure() {
	# perf omits events of a later socket that are 0, and a metric whose event follows
	# one of them
	may_miss=1
	metric_stat -M "$1" sleep "${e_try:-0.4}"
	multiplexed
	table_perf
	off "$1" 2
	metric_stat --per-socket -M "$1" sleep "${e_try:-0.4}"
	multiplexed
	table_perf
	off "$1" 3 0
	off "$1" 4 1
}

# test_metrics MEASURE [WORD...]: a test for each metric in $runs by the function
# MEASURE; the descriptions begin with the WORDs, or with "perf stat"
test_metrics() {
	measure=$1
	shift
	line=2
	while names=$(echo "$runs" | sed -n "${line}p") && [ "$names" ]; do
		each_time 0 "$measure" "$(echo "$names" | sed 's/ /,/g')" >/tmp/off
		grep multiplexed /tmp/off
		for name in $names; do
			is "$(grep -E "^$name( |$)" /tmp/off)" "" \
				"${*:-perf stat:} $name is $(echo "$timed$exact" | sed -n "s/^$name \(.*\) \(.*\) \(.*\)/\1, by socket \2 and \3/p")" ||
				diag "$(cat /tmp/each)"
		done
		line=$((line + 1))
	done
}
