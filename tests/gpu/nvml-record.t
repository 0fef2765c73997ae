#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A recording of NVML is a scenario in which it tells the same.
. tests/tools/lib.sh

for name in h200 gh200 a100; do
	fake_gpus "$name"
	make -s "B=$B" "$B/tests/gpu/nvml-record" >&2 || bail "no nvml-record"
	"$B/tests/gpu/nvml-record" > "$work/$name.json"; ok $? "$name is recorded"
	python3 -m json.tool "$work/$name.json" > /dev/null; ok $? "it is JSON"
	# What the board has used meanwhile is another number.
	want=$(gpmu gpu -j | sed 's/"energy":[0-9.]*//')
	accounts=$(gpmu gpu --accounting -j)
	GPMU_FAKE_NVML=$work/$name.json
	is "$(gpmu gpu -j | sed 's/"energy":[0-9.]*//')" "$want" "a GPU is as it was"
	is "$(gpmu gpu --accounting -j)" "$accounts" "and its accounts"
	run gpmu stat --source nvml -a -j -e nvidia_nvml/power/ --duration 0.1
	like "$err" '"name":"nvidia_nvml/power/","value":350\.(5|49999)' "so is what is counted"
done
done_testing
