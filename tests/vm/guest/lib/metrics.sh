# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#
# Metrics of perf against tables, after /lib/gpmu.sh. The script sets
#   timed, exact  lines "NAME BOTH SOCKET0 SOCKET1": what the metric has to be over
#                 both sockets and for each; "-": the metric is not of that socket;
#                 "N?": it may be missing, as an event of it is 0 there
#   runs          lines of NAMEs: what perf measures at a time
# Those of exact have no time in them. All begin with an empty line.

# off NAME COLUMN [SOCKET]: a line if the metric is not the table's. One
# socket's share has no time in it, so it is exact but for the last request;
# two sockets are measured each in its own time.
off() {
	o_want=$(echo "$timed$exact" | awk -v name="$1" -v column="$2" '$1 == name { print $column }')
	[ "$o_want" != - ] || return
	o_got=$(metric "$1" "$3")
	# perf leaves out a later socket's events that are 0, and a metric with them
	# if it comes after one of them
	case $3$o_want-$o_got in
	10-no* | 1*\?-no*) return ;;
	esac
	o_want=${o_want%\?}
	o_percent=2
	# perf 6.1 does not group events of two PMUs, so that one is read after the other
	if [ "$3" ] && [ "$KERNEL" != 6.1 ] && echo "$exact" | grep -q "^$1 "; then
		o_percent=0.01
	fi
	echo "$o_got $o_want" | awk -v percent=$o_percent '{ d = $1 - $2; exit !($1 ~ /^[0-9.]+$/ && (d < 0 ? -d : d) <= $2 * percent / 100) }' ||
		echo "$1${3:+ of socket $3}: got $o_got, want $o_want within $o_percent %"
}

multiplexed() {
	field pcnt-running <"$out" | awk '$1 < 99.9 { n++ } END { if (n) print "multiplexed: " n " events" }'
}

# measure NAME,NAME...: those that are off, over both sockets and for each
measure() {
	metric_stat -M "$1" sleep "${e_try:-0.4}"
	multiplexed
	for m_name in $(echo "$1" | sed 's/,/ /g'); do
		off "$m_name" 2
	done
	metric_stat --per-socket -M "$1" sleep "${e_try:-0.4}"
	multiplexed
	for m_name in $(echo "$1" | sed 's/,/ /g'); do
		off "$m_name" 3 0
		off "$m_name" 4 1
	done
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
