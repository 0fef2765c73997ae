#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The guest's tools on the host: writes to the control page, parsing of sysfs, error
# messages. Built for the host with the sanitizers.
. tests/lib/tap.sh

bin=${B:-build}/tests/guest
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

env -u MAKEFLAGS -u MFLAGS make -s B="${B:-build}" guest-native >"$tmp/log" 2>&1 || { diag "$(cat "$tmp/log")"; bail "guest-native does not build"; }

# A control page in a file: magic, two scenarios, the rest 0.
page=$tmp/page
head -c 65536 /dev/zero >"$page"
printf 'gpmu\002\000\000\000' | dd of="$page" conv=notrunc status=none
printf 'one\ntwo\nthree\n' >"$tmp/scenarios"
model() {
	"$bin/model" -m "$page" -o 0 -s "$tmp/scenarios" "$@" 2>&1
}
word() { # OFFSET: the 32-bit word at OFFSET
	od -An -tu4 -j"$1" -N4 "$page" | tr -d ' '
}

model start two
is "$(word 8)" 1 "model start writes the scenario's index to 0x08"
model stop two
is "$(word 12)" 1 "model stop writes the scenario's index to 0x0c"
is "$(model start three)" "model: three: the model does not have it" \
	"model start refuses a scenario that the model does not have"
is "$(model start four)" "model: four: no such scenario" "model start refuses an unknown scenario"
model wait two
ok $? "model wait returns when no bit is set"
printf '\002' | dd of="$page" bs=1 seek=16 conv=notrunc status=none
is "$(model wait -t 0 two)" "model: wait: flows still run" "model wait fails when its timeout expires"
is "$(model list | tr '\n' ,)" "0 one,1 two running,2 three," "model list marks the running scenario"
model fault 3 unstable
is "$(word 20)" $((3 << 8 | 2)) "model fault writes pmu<<8 | mode to 0x14"
is "$(model fault 3 odd)" "model: odd: no such fault" "model fault refuses an unknown fault"
model mark 77
is "$(word 24)" 77 "model mark writes the mark to 0x18"
model raise 4 31
is "$(word 40)" $((4 << 8 | 31)) "model raise writes pmu<<8 | counter to 0x28"
model preset 2 5 0x123456789abcdef0
is "$(word 44) $(word 48) $(word 52)" "$((2 << 8 | 5)) $((0x9abcdef0)) $((0x12345678))" \
	"model preset writes the selection, the low word and the high word"
is "$(model await -t 0 2 6 read)" "model: await: no read of the counter" "model await fails when its timeout expires"
is "$(word 44)" $((2 << 8 | 6)) "model await selects the counter"
printf '\001' | dd of="$page" bs=1 seek=60 conv=notrunc status=none
is "$(model await -t 0 2 6 write)$(model await -t 0 2 6 read)" "model: await: no read of the counter" \
	"model await distinguishes reads and writes"
is "$(model preset 256 0 0)" "model: 256: not a number in range" "model preset refuses a PMU above 255"
printf '\001\000\000\000\002\000\000\000' | dd of="$page" bs=1 seek=32 conv=notrunc status=none
is "$(model time)" $((2 << 32 | 1)) "model time combines the two words of the time"
printf 'x' | dd of="$page" bs=1 conv=notrunc status=none
like "$(model time)" "no model behind the control page" "model refuses a control page without the magic"

# A PMU in a fake sysfs.
pmu=$tmp/sys/bus/event_source/devices/nvidia_scf_pmu_1
mkdir -p "$pmu/events"
echo 4242 >"$pmu/type"
echo 2 >"$pmu/cpumask"
echo event=0x1a5 >"$pmu/events/cmem_rd_data"
echo config=1 >"$pmu/events/odd"
evt() {
	"$bin/evt" -y "$tmp/sys" "$@" 2>&1
}
is "$(evt nvidia_scf_pmu_0/1/)" "ENODEV nvidia_scf_pmu_0/1/" "evt: an absent PMU is ENODEV"
is "$(evt nvidia_scf_pmu_1/none/)" "ENOENT nvidia_scf_pmu_1/none/" "evt: an absent event is ENOENT"
for e in nvidia_scf_pmu_1/odd/ nvidia_scf_pmu_1 nvidia_scf_pmu_1/1 nvidia_scf_pmu_1/1/k \
	nvidia_scf_pmu_1/1,x/ nvidia_scf_pmu_1/1,2,/; do
	is "$(evt "$e")" "EINVAL $e" "evt: the malformed event $e is EINVAL"
done
evt -d "{" nvidia_scf_pmu_1/1/ >/dev/null
is $? 2 "evt: a group that is not closed is a usage error"
like "$("$bin/fuzz" -y "$tmp/none" 2>&1)" "no nvidia PMU" "fuzz reports that sysfs has no NVIDIA PMU"
like "$("$bin/fuzz" -y "$tmp/sys" -t 1 -s 7 2>&1)" "^opened [0-9]+ grace [0-9]+ closed .* bad 0 refused " \
	"fuzz succeeds and prints its statistics"
done_testing
