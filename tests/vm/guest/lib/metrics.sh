# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#
# Metrics of perf against tables, after /lib/gpmu.sh. The script sets
#   timed, exact  lines "NAME BOTH SOCKET0 SOCKET1": what the metric has to be over
#                 both sockets and for each; "-": the metric is not of that socket;
#                 "N?": it may be missing, as an event of it is 0 there
#   runs          lines of NAMEs: what perf measures at a time
# Those of exact have no time in them. All begin with an empty line.

# off NAME,NAME... COLUMN [SOCKET]: a line for each metric of the last
# metric_stat that is not the table's. One socket's share has no time in it, so
# it is exact but for the last request; two sockets are measured each in its own
# time. One awk for all: a process takes an emulated CPU 10 ms to start.
off() {
	o_label=
	[ -z "$3" ] || o_label=S$(cat "/sys/devices/system/cpu/cpu$(($3 * 2))/topology/physical_package_id")
	echo "$timed" >/tmp/timed
	echo "$exact" >/tmp/exact
	awk -v names="$1" -v column="$2" -v socket="$3" -v label="$o_label" -v kernel="$KERNEL" '
		function field(name,  text) {
			if (!match($0, "\"" name "\" : \"?[^\",}]*"))
				return ""
			text = substr($0, RSTART, RLENGTH)
			sub(/.* : "?/, "", text)
			return text
		}
		FILENAME != ARGV[3] {
			if (NF == 4)
				wants[$1] = $column
			timeless[$1] = FILENAME == ARGV[2]
			next
		}
		{
			name = field("metric-unit")
			sub(/.* /, "", name)
			if (!(name in got) && (label == "" || field("socket") == label))
				got[name] = field("metric-value")
		}
		END {
			n = split(names, list, ",")
			for (i = 1; i <= n; i++) {
				name = list[i]
				want = wants[name]
				value = name in got ? got[name] : "no " name
				if (want == "-")
					continue
				# perf leaves out events of a later socket that are 0, and a metric
				# with them if it comes after one of them
				if (socket == 1 && (want == "0" || want ~ /\?$/) && !(name in got))
					continue
				sub(/\?$/, "", want)
				# perf 6.1 does not group events of two PMUs, so that one is read
				# after the other
				percent = label != "" && kernel != "6.1" && timeless[name] ? 0.01 : 2
				d = value - want
				if (d < 0)
					d = -d
				if (want == "" || value !~ /^[0-9.]+$/ || d > want * percent / 100)
					print name (label == "" ? "" : " of socket " socket) ": got " value \
						", want " want " within " percent " %"
			}
		}' /tmp/timed /tmp/exact "$out"
}

multiplexed() {
	field pcnt-running <"$out" | awk '$1 < 99.9 { n++ } END { if (n) print "multiplexed: " n " events" }'
}

# measure NAME,NAME...: those that are off, over both sockets and for each
measure() {
	metric_stat -M "$1" sleep "${e_try:-0.4}"
	multiplexed
	off "$1" 2
	metric_stat --per-socket -M "$1" sleep "${e_try:-0.4}"
	multiplexed
	off "$1" 3 0
	off "$1" 4 1
}

# test_metrics: a test for each metric in $runs
test_metrics() {
	line=2
	while names=$(echo "$runs" | sed -n "${line}p") && [ "$names" ]; do
		each_time 0 measure "$(echo "$names" | sed 's/ /,/g')" >/tmp/off
		grep multiplexed /tmp/off
		for name in $names; do
			is "$(grep -E "^$name( |$)" /tmp/off)" "" \
				"$name: $(echo "$timed$exact" | sed -n "s/^$name \(.*\) \(.*\) \(.*\)/\1, by socket \2 and \3/p")" ||
				diag "$(cat /tmp/each)"
		done
		line=$((line + 1))
	done
}
