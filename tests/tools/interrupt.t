#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# SIGINT and SIGTERM while gpmu computes for seconds, and not while it waits
. tests/tools/lib.sh

# has_computed PID: whether the process has used 0.1 s of CPU in user mode
# shellcheck disable=SC2317 # soon calls it
has_computed() {
	local fields

	read -r -a fields 2> /dev/null < "/proc/$1/stat"
	[ "${fields[13]:-0}" -ge $(($(getconf CLK_TCK) / 10)) ]
}

# interrupted SIGNAL STATUS DESCRIPTION COMMAND...: the command with standard input from fd 3
interrupted() {
	local signal=$1 status=$2 description=$3 begin rc=0 took pid

	shift 3
	# A command in the background has SIGINT ignored.
	env --default-signal=INT "$GPMU_BIN" "$@" > "$work/out" 2>&1 <&3 &
	pid=$!
	soon has_computed $pid
	begin=${EPOCHREALTIME/./}
	kill -s "$signal" $pid
	wait $pid || rc=$?
	took=$((${EPOCHREALTIME/./} - begin))
	[ $rc = "$status" ] && [ $took -lt 2000000 ]
	ok $? "$description" || diag "status $rc after $took us: $(head -c 1000 "$work/out")"
}

# 90 levels of 100 metrics, each of which refers to all metrics of the level below: 100^89 paths
python3 - > "$work/deep.json" <<'END'
import json
metrics = {f"a0_{i}": "page\\-faults" for i in range(100)}
for level in range(1, 90):
    below = " + ".join(f"a{level - 1}_{i}" for i in range(100))
    metrics.update({f"a{level}_{i}": below for i in range(100)})
print(json.dumps([{"MetricName": name, "MetricExpr": text} for name, text in metrics.items()]))
END
printf '7,,page-faults,5,100.00,,\n' > "$work/faults"
exec 3< /dev/null
for row in 'INT 130' 'TERM 143'; do
	read -r signal status <<< "$row"
	interrupted "$signal" "$status" "SIG$signal ends stat within 2 s while it plans 9,000 nested metrics" \
		stat --events "$work/deep.json" -M a89_0 -- true
	interrupted "$signal" "$status" "SIG$signal ends plan within 2 s while it plans 9,000 nested metrics" \
		plan --events "$work/deep.json" -M a89_0
	interrupted "$signal" "$status" "SIG$signal ends eval within 2 s while it plans 9,000 nested metrics" \
		eval --events "$work/deep.json" -M a89_0 "$work/faults"
	# eval accepts a million lines.
	exec 3< <(yes '7,,page-faults,5,100.00,,' | head -n 900000; exec sleep 60)
	producer=$!
	interrupted "$signal" "$status" "SIG$signal ends eval within 2 s while it reads a pipe that stays open" eval -e page-faults -
	exec 3< /dev/null
	kill $producer
done
done_testing
