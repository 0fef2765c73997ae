# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# For the tests of gpmu, which run in the top folder: the gpmu of $GPMU_BIN, or of the build
# folder, its plugins, and the fake machines of tests/sysroot.

# A process that a script starts in the background has SIGINT ignored. A shell cannot undo this, and
# gpmu keeps ignored signals ignored.
[ -n "${GPMU_SIGNALS:-}" ] || exec env --default-signal GPMU_SIGNALS=default "$0" "$@"
. tests/lib/tap.sh

top=$PWD
B=${B:-build}
GPMU_BIN=$(realpath "${GPMU_BIN:-$B/gpmu}") || bail "no gpmu: make"
export GPMU_PLUGINS=${GPMU_PLUGINS:-$(realpath "$B")}
export LC_ALL=C TERM=dumb
unset GPMU_ROOT GPMU_EVENTS GPMU_SECTIONS NO_COLOR COLUMNS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenarios=$top/metrics/sources/model/scenarios
# shellcheck disable=SC2034 # for the tests
model=--source=model=$scenarios/steady.scenario

gpmu() {
	"$GPMU_BIN" "$@"
}

# need FILE: ends the test if the build folder lacks this file. Tests do not build files, because they run in parallel.
need() {
	[ -e "$B/$1" ] || bail "no $B/$1: make unit-tests"
}

# fake_gpus SCENARIO: the fake NVML with the GPUs of tests/gpu/fake/nvml-SCENARIO.json
fake_gpus() {
	need tests/gpu/fake/libnvidia-ml.so.1
	export GPMU_CUDA GPMU_FAKE_NVML=$top/tests/gpu/fake/nvml-$1.json
	GPMU_CUDA=$(realpath "$B/tests/gpu/fake")
}

# machine NAME: prints the root of a fake machine, which is made once
machine() {
	[ -d "$work/machine-$1" ] || tests/sysroot/make "$1" "$work/machine-$1" >&2 || bail "no machine $1"
	echo "$work/machine-$1"
}

# at NAME COMMAND...: runs it with the root of that fake machine
at() {
	local root

	root=$(machine "$1") || exit 1
	shift
	GPMU_ROOT=$root "$@"
}

# run COMMAND...: its standard output in $out, standard error in $err, exit status in $rc
run() {
	# shellcheck disable=SC2034 # for the tests
	rc=0
	# shellcheck disable=SC2034
	out=$("$@" 2> "$work/err") || rc=$?
	err=$(< "$work/err")
	# shellcheck disable=SC2034 # for the tests
	both=$out$err
}

# expect STATUS COMMAND...: run, and a failed test if the exit status is another one
expect() {
	local status=$1

	shift
	run "$@"
	[ "$rc" = "$status" ] || ok 1 "exit status $status is expected, not $rc: $*"
}

# soon COMMAND...: waits until the command succeeds, for at most five minutes, which only a hang takes
soon() {
	local tries

	for ((tries = 0; tries < 6000; tries++)); do
		! "$@" || return 0
		sleep 0.05
	done
	return 1
}

# columns NAME...: gpmu's columns of these names in CSV on standard input, separated by $separator or ","
columns() {
	"$top/tests/lib/gpmu_csv.py" "${separator:-,}" "$@"
}

# sql QUERY: the rows of a query on $trace
sql() {
	# shellcheck disable=SC2154 # the tests set it
	"$top/tests/unit/trace/trace_sql.py" "$trace" "$1" 2>&1
}

# audit NAME: the arguments of the audit slices with that name in $trace
audit() {
	sql "select group_concat(substr(a.key, 7) || '=' || a.display_value, ' ') from
		(select * from args order by arg_set_id, key) a
		join slice s using (arg_set_id) where s.category = 'audit' and s.name = '$1' group by s.id"
}
