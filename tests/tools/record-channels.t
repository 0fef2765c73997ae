#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record: channels of processes, with a full /dev/shm and few file descriptors, and processes that cannot be recorded
. tests/tools/lib.sh

need tests/gpu/fake/program
program=$(realpath "$B/tests/gpu/fake/program")
fake_gpus h200x2
export GPMU_FAKE="inject=1 machine=h200x2 enable=0:26" GPMU_PLUGINS=$work/plugins
mkdir "$GPMU_PLUGINS"
ln -s "$(realpath "$B/libgpmu-inject.so")" "$(realpath "$B/libgpmu-mark.so")" "$GPMU_PLUGINS"
trace=$work/trace.pftrace
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL

# side_by_side N: prints a script of N programs that run at the same time
side_by_side() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo "$program init context=0 kernel=foo sleep=1000 sync > /dev/null &"
	done
	echo wait
}

# without_room COMMAND...: with a /dev/shm and a TMPDIR that have no room for a channel of 8 MiB
without_room() {
	# shellcheck disable=SC2016 # the inner shell's
	TMPDIR=/dev/shm unshare -m sh -c 'mount -t tmpfs -o size=4M none /dev/shm && exec "$@"' sh "$@"
}

kernels() {
	sql "select count(*) from all_slice where category = 'kernel'"
}

# shellcheck disable=SC2016 # the inner shell's
expect 0 gpmu record -o "$trace" --no-cpu-trace -- sh -c '"$0" init context=0 kernel=foo
	for i in $(seq 1000); do ls -l "/proc/$PPID/fd" | grep -q memfd:gpmu-channel || break; sleep 0.03; done; ls -l "/proc/$PPID/fd"' "$program"
unlike "$out" 'memfd:gpmu-channel' "record frees the channel of a process that has ended"
is "$(kernels)" 1 "record keeps the records of a channel that it has freed"
(ulimit -S -n 24; "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- sh -c "$(side_by_side 30)") 2> "$work/err"
is "$? $(grep -o '[0-9]* processes, ' "$work/err")" "0 30 processes, " "record raises the limit of open files for 30 processes"
(ulimit -n 24; "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- sh -c "$(side_by_side 30)") 2> "$work/err"
is "$? $(grep -o '[0-9]* processes, ' "$work/err")" "0 30 processes, " "record lets processes wait while the limit of open files has no room for their channels"
# For sh -c, with a command as arguments: a process that cannot create a file of 8 MiB
# shellcheck disable=SC2016 # the inner shell's
limited='trap "" XFSZ; ulimit -f 100; exec "$0" "$@"'
expect 0 gpmu record -o "$trace" --no-cpu-trace -- sh -c "$limited" "$program" init context=0
like "$err" '^gpmu record: warning: CUDA of process [0-9]+ \(program\) cannot be recorded: File too large; raise ulimit -f$' "record names a process that has no channel, and the reason"
like "$err" '^\[ gpmu record: 0 processes, 1 not recorded, ' "record counts a process that has no channel"
is "$(gpmu report "$trace" | grep -c 'note  *warning .*CUDA of process [0-9]* (program) cannot be recorded')" 1 "report's audit names each process that could not be recorded"
expect 0 gpmu record --regions -o "$trace" --no-cpu-trace -- sh -c "$limited" "$program" enter=a leave=a init context=0
like "$err" '^\[ gpmu record: 0 processes, 1 not recorded, ' "record counts a process that cannot be recorded for two reasons once"
expect 125 gpmu record --strict -o "$trace" --no-cpu-trace -- sh -c "$limited" "$program" init context=0
like "$err" '^gpmu record: --strict: records that were lost: 0, processes that could not be recorded: 1$' "record --strict fails if a process could not be recorded"
if without_room true 2> /dev/null; then
	expect 0 without_room "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- sh -c "$(side_by_side 6)"
	is "$(grep -o '[0-9]* processes, ' <<< "$err") $(kernels)" "6 processes,  6" "record needs no room in /dev/shm and TMPDIR"
else
	skip "no file system can be mounted here" "record needs no room in /dev/shm and TMPDIR"
fi
# Root makes a network namespace, another user one with its user namespace.
if unshare -n true 2> /dev/null; then
	apart=(unshare -n)
elif unshare -rn true 2> /dev/null; then
	apart=(unshare -rn)
fi
if [ -n "${apart:-}" ]; then
	expect 0 gpmu record --strict -o "$trace" --no-cpu-trace -- "${apart[@]}" "$program" init context=0 kernel=foo
	is "$(kernels) $(grep -o '1 process, .* 0 lost' <<< "$err" | cut -d, -f1)" "1 1 process" "record records a program in another network namespace"
	# shellcheck disable=SC2016 # the inner shell's
	expect 0 gpmu record --strict --regions --no-cuda-trace -o "$trace" --no-cpu-trace -- "${apart[@]}" "$program" enter=apart leave=apart
	is "$(sql "select count(*) from slice where name = 'apart'")" 1 "record --regions records a region in another network namespace"
	(ulimit -n 24; "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- "${apart[@]}" sh -c "$(side_by_side 30)") 2> "$work/err"
	is "$? $(grep -o '[0-9]* processes, ' "$work/err")" "0 30 processes, " "record lets processes in another network namespace wait while the limit of open files has no room"
	# shellcheck disable=SC2016 # the inner shell's
	expect 0 gpmu record -o "$trace" --no-cpu-trace -- "${apart[@]}" sh -c 'door=${GPMU_CHANNEL#gpmu-*-}; door=${door%-*}
		exec python3 -c "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])" "$door" "$0" "$@"' "$program" init context=0 kernel=foo
	like "$err" '0 processes connected: .* another network namespace if descriptors are closed$' \
		"record names the network namespace among the reasons why no process connected"
	is "$(kernels)" 0 "record does not record a program in another network namespace that has closed the descriptors that it inherits"
else
	skip "no network namespace" "record records a program in another network namespace"
fi
done_testing
