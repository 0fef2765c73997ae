#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu stat --lock-clocks on a fake of NVML that writes each lock and each reset to a file
. tests/tools/lib.sh

need tests/gpu/fake/program
program=$(realpath "$B/tests/gpu/fake/program")
fake_gpus h200x2
export GPMU_FAKE='machine=h200x2 inject=1' GPMU_FAKE_CLOCKS=$work/clocks
counted=(stat --gpu -a -M GpuDramReadBW)
locked="lock 0 1980 1980 lock 1 1980 1980"
reset="reset 0 reset 1"

# clocks: what the fake was asked for since the last call, in one line
clocks() {
	[ ! -e "$work/clocks" ] || paste -sd' ' "$work/clocks"
	rm -f "$work/clocks"
}

# plant FILTER: the fake NVML with the first GPU changed by sed
plant() {
	GPMU_FAKE_NVML=$work/planted.json
	sed "0,/\"values\": {/s//$1/" "$top/tests/gpu/fake/nvml-h200x2.json" > "$work/planted.json"
}

# --- the clock, and each way of counting GPUs
# shellcheck disable=SC2016 # the command expands it
expect 0 gpmu "${counted[@]}" --lock-clocks=1500 -- sh -c 'cat "$GPMU_FAKE_CLOCKS"'
is "$(paste -sd' ' <<< "$out")" "lock 0 1500 1500 lock 1 1500 1500" "stat --gpu --lock-clocks=MHZ locks all GPUs before the command runs"
is "$(clocks)" "lock 0 1500 1500 lock 1 1500 1500 $reset" "stat --gpu --lock-clocks resets the clocks before gpmu ends"
like "$err" '^gpmu stat: GPU 1: SM clock locked to 1500 MHz [(]requested[)]$' "stat --lock-clocks prints each GPU's clock"
expect 0 gpmu "${counted[@]}" --lock-clocks -- true
is "$(clocks)" "$locked $reset" "stat --lock-clocks without MHz locks the maximum if NVML has no default clock"
like "$err" 'GPU 0: SM clock locked to 1980 MHz [(]maximum[)]$' "stat --lock-clocks prints that the clock is the maximum"
plant '"values": { "nvmlDeviceGetDefaultApplicationsClock:0": 1665,'
expect 0 gpmu "${counted[@]}" --lock-clocks -- true
like "$(clocks)" '^lock 0 1665 1665 lock 1 1980' "stat --lock-clocks without MHz locks each GPU's default application clock"
like "$err" 'GPU 0: SM clock locked to 1665 MHz [(]default[)]$' "stat --lock-clocks prints that the clock is the default"
fake_gpus h200x2
expect 0 gpmu stat --lock-clocks -x\; --ranges=kernel -M GpuGpcFreq -- "$program" init context=0 kernel=foo
is "$(clocks)" "$locked $reset" "stat --ranges --lock-clocks locks and resets the clocks"
like "$err" ';GHz;GpuGpcFreq;1;0;foo$' "stat --ranges counts each range's clock by GpuGpcFreq"
expect 0 gpmu stat --lock-clocks --sass smsp__sass_inst_executed -- "$program" init context=0 kernel=foo
is "$(clocks)" "$locked $reset" "stat --sass --lock-clocks locks and resets the clocks"
expect 0 gpmu "${counted[@]}" --lock-clocks -r 3 -- true
is "$(clocks)" "$locked $reset" "stat -r --lock-clocks keeps the clocks locked over all runs"

# --- ends
expect 3 gpmu "${counted[@]}" --lock-clocks -- sh -c 'exit 3'
is "$(clocks)" "$locked $reset" "stat --lock-clocks resets the clocks if the command fails"
expect 127 gpmu "${counted[@]}" --lock-clocks -- /nonexistent
is "$(clocks)" "$locked $reset" "stat --lock-clocks resets the clocks if the command does not exist"
expect 125 gpmu stat --gpu -a -M GpuDramReadBX --lock-clocks -- true
is "$(clocks)" "$locked $reset" "stat --lock-clocks resets the clocks if a metric does not exist"
for signal in INT TERM HUP QUIT KILL USR1 ABRT; do
	env --default-signal "$GPMU_BIN" "${counted[@]}" --lock-clocks -- \
		sh -c "echo > '$work/runs'; while [ -e '$work/runs' ]; do sleep 0.1; done" 2> "$work/err" &
	soon [ -e "$work/runs" ]
	kill -$signal $!
	wait $! 2> /dev/null
	soon grep -q "reset 1" "$work/clocks"
	is "$(clocks)" "$locked $reset" "stat --lock-clocks resets the clocks if SIG$signal ends gpmu"
	rm "$work/runs"
done

# --- failures
plant '"returns": { "nvmlDeviceSetGpuLockedClocks": 4 }, "values": {'
expect 125 gpmu "${counted[@]}" --lock-clocks -- touch "$work/executed"
like "$err" '^gpmu stat: --lock-clocks: GPU 0 [(]GPU-6f2a1c00-0001-.*[)]: NVML: Insufficient Permissions; run as root; without the option, -M GpuGpcFreq' \
	"stat --lock-clocks without permission names the GPU and the remedies"
is "$(clocks)" "" "stat --lock-clocks without permission locks no GPU"
tac "$top/tests/gpu/fake/nvml-h200x2.json" | sed '0,/"values": {/s//"returns": { "nvmlDeviceSetGpuLockedClocks": 3 }, &/' | tac > "$work/planted.json"
expect 125 gpmu "${counted[@]}" --lock-clocks -- touch "$work/executed"
like "$err" 'GPU 1 [(]GPU-6f2a1c00-0002-.*[)]: NVML: Not Supported' "stat --lock-clocks names a GPU whose clocks cannot be locked"
is "$(clocks)" "lock 0 1980 1980 reset 0" "stat --lock-clocks resets the GPUs before one that cannot be locked"
fake_gpus h200x2
expect 125 gpmu "${counted[@]}" --lock-clocks=2000 -- touch "$work/executed"
like "$err" 'GPU 0 .*: 2000 MHz is above its maximum of 1980 MHz' "stat --lock-clocks refuses a clock above the GPU's maximum"
GPMU_CUDA=/nonexistent expect 125 gpmu "${counted[@]}" --lock-clocks -- touch "$work/executed"
like "$err" '--lock-clocks: .*libnvidia-ml.so.1: NVIDIA.s driver is not installed' "stat --lock-clocks without NVML is refused"
expect 125 gpmu stat -e page-faults --lock-clocks -- touch "$work/executed"
like "$err" '--lock-clocks needs --gpu, --section, --ranges or --sass' "stat --lock-clocks is refused if no GPU is counted"
expect 125 gpmu "${counted[@]}" --lock-clocks=0 -- touch "$work/executed"
like "$err" '--lock-clocks' "stat --lock-clocks refuses 0 MHz"
ok "$([ ! -e "$work/executed" ]; echo $?)" "stat --lock-clocks does not run the command if it fails"
plant '"returns": { "nvmlDeviceResetGpuLockedClocks": 999 }, "values": {'
expect 0 gpmu "${counted[@]}" --lock-clocks -- true
is "$(clocks)" "$locked reset 1" "stat --lock-clocks resets the other GPUs if a reset fails"
like "$err" 'warning: SM clocks may stay locked: GPU 0 .*: NVML: Unknown Error; reset them by nvidia-smi --reset-gpu-clocks as root' \
	"stat --lock-clocks warns if a reset fails, with the remedy"

done_testing
