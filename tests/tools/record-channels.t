#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record: where the processes' channels are, a full /dev/shm, few file descriptors, and processes that
# cannot be recorded.
. tests/tools/lib.sh

need tests/gpu/fake/program
program=$(realpath "$B/tests/gpu/fake/program")
fake_gpus h200x2
export GPMU_FAKE="inject=1 machine=h200x2 enable=0:26" GPMU_PLUGINS=$work/plugins
mkdir "$GPMU_PLUGINS" "$work/spare"
ln -s "$(realpath "$B/libgpmu-inject.so")" "$GPMU_PLUGINS"
trace=$work/trace.pftrace
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL
export TMPDIR=$work/spare

# side_by_side N: prints a script of N programs that run at the same time
side_by_side() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo "$program init context=0 kernel=foo sleep=1000 sync > /dev/null &"
	done
	echo wait
}

# small COMMAND...: with a /dev/shm that has no room for a channel of 8 MiB
small() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount -t tmpfs -o size=4M none /dev/shm && exec "$@"' sh "$@"
}

kernels() {
	sql "select count(*) from slice where category = 'kernel'"
}

# shellcheck disable=SC2016 # the inner shell's
expect 0 gpmu record -o "$trace" --no-cpu-trace -- sh -c '"$0" init context=0 kernel=foo
	for i in $(seq 1000); do ls "$GPMU_CHANNEL" | grep -q "^[0-9]" || break; sleep 0.03; done; ls "$GPMU_CHANNEL"; sleep 0' "$program"
unlike "$out" '^[0-9]' "record removes the channel of a process that has ended"
is "$(kernels)" 1 "record keeps the records of a channel that it has removed"
(ulimit -S -n 24; "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- sh -c "$(side_by_side 30)") 2> "$work/err"
is "$? $(grep -o '[0-9]* processes, ' "$work/err")" "0 30 processes, " "record raises the limit of open files for 30 processes"
(ulimit -n 24; "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- sh -c "$(side_by_side 30)") 2> "$work/err"
is "$? $(grep -o '[0-9]* processes, ' "$work/err")" "0 30 processes, " "record opens channels later while the limit of open files has no room"
# shellcheck disable=SC2016 # the inner shell's
expect 0 gpmu record -o "$trace" --no-cpu-trace -- sh -c 'for name in 77.0 78.0 77.1; do
	ln -s "process $name cannot be recorded" "$GPMU_CHANNEL/lost.$name"; done; sleep 0.2'
like "$err" '^\[ gpmu record: 0 processes, 2 not recorded, ' "record counts a process with two reasons for its lack of records once"
if small true 2> /dev/null; then
	expect 0 small "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- sh -c "$(side_by_side 6)"
	is "$(grep -o '[0-9]* processes, ' <<< "$err") $(kernels)" "6 processes,  6" "record uses the folder of TMPDIR if /dev/shm is full"
	is "$(ls "$TMPDIR")" "" "record removes its folder in TMPDIR"
	TMPDIR=/dev/shm expect 0 small "$GPMU_BIN" record -o "$trace" --no-cpu-trace -- sh -c "$(side_by_side 6)"
	like "$err" '^\[ gpmu record: 0 processes, 6 not recorded, ' "record counts the processes for which there is no memory"
	is "$(grep -cE '^gpmu record: warning: CUDA of process [0-9]+ \(program\) cannot be recorded: neither /dev/shm nor TMPDIR has room$' <<< "$err")" 6 \
		"record names each process for which there is no memory, and the folders"
	is "$(gpmu report "$trace" | grep -c 'note  *warning .*CUDA of process [0-9]* (program) cannot be recorded')" 6 \
		"report's audit names each process that could not be recorded"
	TMPDIR=/dev/shm expect 125 small "$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- "$program" init context=0
	like "$err" '^gpmu record: --strict: records that were lost: 0, processes that could not be recorded: 1$' "record --strict fails if a process could not be recorded"
	# shellcheck disable=SC2016 # the inner shell's
	expect 0 small sh -c 'dd if=/dev/zero of=/dev/shm/full bs=1M 2> /dev/null; exec "$@"' sh \
		"$GPMU_BIN" record --strict -o "$trace" --no-cpu-trace -- "$program" init context=0 kernel=foo
	is "$(kernels)" 1 "record works while /dev/shm is full from the start"
else
	skip "no file system can be mounted here" "record uses the folder of TMPDIR if /dev/shm is full"
fi
done_testing
