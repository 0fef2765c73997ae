#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# nvml-record writes a scenario. The fake answers with it as the recorded NVML did.
. tests/tools/lib.sh

for name in h200 gh200 a100; do
	fake_gpus "$name"
	need tests/gpu/nvml-record
	"$B/tests/gpu/nvml-record" > "$work/$name.json"; ok $? "$name: nvml-record writes a scenario"
	python3 -m json.tool "$work/$name.json" > /dev/null; ok $? "$name: the scenario is JSON"
	# The energy has grown since the recording.
	want=$(gpmu gpu -j | sed 's/"energy":[0-9.]*//')
	accounts=$(gpmu gpu --accounting -j)
	GPMU_FAKE_NVML=$work/$name.json
	is "$(gpmu gpu -j | sed 's/"energy":[0-9.]*//')" "$want" "$name: gpmu gpu shows the recorded GPU"
	is "$(gpmu gpu --accounting -j)" "$accounts" "$name: gpmu gpu shows the recorded accounts"
	expect 0 gpmu stat --source nvml -a -j -e nvidia_nvml/power/ --duration 0.1
	like "$err" '"name":"nvidia_nvml/power/","value":350\.(5|49999)' "$name: gpmu stat counts the recorded power"
done
done_testing
