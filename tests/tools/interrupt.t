#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# SIGINT and SIGTERM while gpmu computes for long, and while it reads from a pipe that stays open
. tests/tools/lib.sh

limit=120	# s, which only ends a hang
fifo=$work/fifo
mkfifo "$fifo"
mkdir "$work/clean"

# has_computed PID: whether the process has used 0.1 s of CPU in user mode
# shellcheck disable=SC2317 # soon calls it
has_computed() {
	local fields

	read -r -a fields 2> /dev/null < "/proc/$1/stat"
	[ "${fields[13]:-0}" -ge $(($(getconf CLK_TCK) / 10)) ]
}

# waits_for_fifo PID: succeeds if gpmu sleeps, and it or its child has opened the FIFO
# shellcheck disable=SC2317 # soon calls it
waits_for_fifo() {
	local child folders=("/proc/$1/fd")

	[ -d "/proc/$1" ] || return 0
	grep -q "^[0-9]* (gpmu) S " "/proc/$1/stat" 2> /dev/null || return
	for child in $(< "/proc/$1/task/$1/children"); do
		folders+=("/proc/$child/fd")
	done
	find "${folders[@]}" -lname "$fifo" 2> /dev/null | grep -q .
}

# has_printed PID: whether the process has printed a megabyte
# shellcheck disable=SC2317 # soon calls it
has_printed() {
	[ ! -d "/proc/$1" ] || [ "$(stat -c %s "$work/out")" -gt 1000000 ]
}

# has_read_table PID: whether the process sleeps, and its child has printed all of the table
# shellcheck disable=SC2317 # soon calls it
has_read_table() {
	[ -d "/proc/$1" ] || return 0
	grep -q "^[0-9]* (sleep) S " /proc/"$(tr -d ' ' < "/proc/$1/task/$1/children")"/stat 2> /dev/null &&
		grep -q "^[0-9]* (gpmu) S " "/proc/$1/stat"
}

# interrupted SIGNAL STATUS CONDITION DESCRIPTION COMMAND...: the command with standard input from fd 3,
# which gets the signal when CONDITION PID succeeds
interrupted() {
	local signal=$1 status=$2 condition=$3 description=$4 rc=0 pid

	shift 4
	# A command in the background has SIGINT ignored.
	(cd "$work/clean" && exec env --default-signal=INT TMPDIR=. "$GPMU_BIN" "$@" > "$work/out" 2>&1 <&3) &
	pid=$!
	soon "$condition" $pid
	kill -s "$signal" $pid
	timeout $limit tail --pid=$pid -f /dev/null || kill -KILL $pid
	wait $pid 2> /dev/null || rc=$?
	is "$rc $(ls -A "$work/clean")" "$status " "$description" || diag "$(head -c 1000 "$work/out")"
	rm -rf "$work/clean"
	mkdir "$work/clean"
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
cat > "$work/endless" <<'END'
#!/bin/bash
[ "$1" != --version ] || exec echo perf version 6.0
while [ "$1" != --log-fd ]; do shift; done
exec yes '7;;page-faults;5;100.00;;' >&"$2"
END
cat > "$work/intervals" << 'END'
#!/bin/bash
[ "$1" != --version ] || exec echo perf version 6.0
while [ "$1" != --log-fd ]; do shift; done
exec awk 'BEGIN { for (;;) printf "%.9f;7;;page-faults;5;100.00;;\n", ++n }' >&"$2"
END
cat > "$work/table" << 'END'
#!/bin/bash
[ "$1" != --version ] || exec echo perf version 6.0
while [ "$1" != --log-fd ]; do shift; done
yes '7;;page-faults;5;100.00;;' | head -n 400000 >&"$2"
exec sleep 1000
END
chmod +x "$work/endless" "$work/intervals" "$work/table"
exec 3< /dev/null
for row in 'INT 130' 'TERM 143'; do
	read -r signal status <<< "$row"
	interrupted "$signal" "$status" has_computed "SIG$signal ends stat while it plans 9,000 nested metrics" \
		stat --events "$work/deep.json" -M a89_0 -- true
	interrupted "$signal" "$status" has_computed "SIG$signal ends plan while it plans 9,000 nested metrics" \
		plan --events "$work/deep.json" -M a89_0
	interrupted "$signal" "$status" has_computed "SIG$signal ends eval while it plans 9,000 nested metrics" \
		eval --events "$work/deep.json" -M a89_0 "$work/faults"
	# eval accepts a million lines.
	exec 3< <(yes '7,,page-faults,5,100.00,,' | head -n 900000; exec sleep $((2 * limit)))
	producer=$!
	interrupted "$signal" "$status" has_computed "SIG$signal ends eval while it reads a pipe that stays open" eval -e page-faults -
	exec 3< /dev/null
	kill $producer
	exec 3< <(awk 'BEGIN { for (;;) printf "%.9f,7,,page-faults,5,100.00,,\n", ++n }')
	interrupted "$signal" "$status" has_computed "SIG$signal ends eval while it reads intervals without end" eval -e page-faults
	exec 3< /dev/null
	GPMU_PERF=$work/endless interrupted "$signal" "$status" has_computed "SIG$signal ends perf stat while perf prints lines without end" \
		perf --root "$(machine superchip)" stat -a -M GraceMemBW
	GPMU_PERF=$work/intervals interrupted "$signal" "$status" has_printed "SIG$signal ends perf stat -I, which prints intervals while perf prints more of them" \
		perf --root "$(machine superchip)" stat -a -I 100 -M GraceMemBW
done
GPMU_PERF=$work/table interrupted TERM 143 has_read_table "SIGTERM ends perf stat that has read 400,000 lines of a table" \
	perf --root "$(machine superchip)" stat -a -M GraceMemBW
is "$(grep -c ' 7  *page-faults$' "$work/out") $(grep -c 'seconds time elapsed$' "$work/out")" "400000 1" \
	"perf stat prints each row of the table, and the elapsed time, after SIGTERM"

# --- a FIFO that stays open, as each input of each subcommand

# perf whose output is that of the FIFO
cat > "$work/perf" <<'END'
#!/bin/bash
[ "$1" != --version ] || exec echo perf version 7.3
while [ "$1" != --log-fd ]; do shift; done
exec cat "$FIFO" >&"$2"
END
chmod +x "$work/perf"
need tests/gpu/fake/libnvidia-ml.so.1
GPMU_CUDA=$(realpath "$B/tests/gpu/fake")
export FIFO=$fifo GPMU_PERF=$work/perf GPMU_FAKE_NVML=$fifo GPMU_CUDA
inputs=(
	"stat | the scenario of the model | --source model=$fifo -e task-clock true"
	"stat | the scenario of the model, with --regions | --regions --source model=$fifo -e task-clock true"
	"record | the scenario of the model | --source model=$fifo -o trace true"
	"report | a trace or a recording of perf | $fifo"
	"report | a recording of perf from standard input | -"
	"import | a recording of perf | $fifo -o trace"
	"import | a recording of perf from standard input | - -o trace"
	"list | the scenario of the model | --source model=$fifo"
	"plan | the scenario of the model | --source model=$fifo -M ipc"
	"perf | the output of perf | --root $(machine superchip) stat -a -M GraceMemBW"
	"eval | saved output of perf | -e page-faults $fifo"
	"eval | saved output of perf from standard input | -e page-faults"
	"eval | a saved machine | --machine $fifo -e page-faults $work/faults"
	"traffic | the scenario of the model | --source model=$fifo"
	"gpu | the description of the fake NVML |"
	"doctor | the scenario of the model | --source model=$fifo"
)
is "$(gpmu --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)" \
	"$(printf '%s\n' "${inputs[@]%% *}" | sort -u)" "each subcommand has an input in this test"
# Open for reading too, which waits for no reader, and leaves the FIFO without an end
exec 4<> "$fifo"
for row in 'INT 130' 'TERM 143'; do
	read -r signal status <<< "$row"
	for input in "${inputs[@]}"; do
		IFS='|' read -r name what arguments <<< "$input"
		what=${what# }
		exec 3< /dev/null
		case $what in
		*"standard input"*) exec 3< "$fifo" ;;
		esac
		# shellcheck disable=SC2086 # several words
		interrupted "$signal" "$status" waits_for_fifo "SIG$signal ends ${name% } while it reads ${what% } from a FIFO that stays open" \
			${name% } $arguments
	done
done
done_testing
