#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board superchip
#: scenario idle
#: kernels debug
#: load no
#: timeout 300
#
# No memory: each allocation of loading the module, with one device to drive,
# and of opening an event fails in turn. What is left behind is for kmemleak,
# KASAN and lockdep to find, in this test's last lines. The kernel's own remarks
# on the failures, with stack dumps, leave the log.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# Sleeping allocations too, and without a stack dump for each
echo N >/sys/kernel/debug/failslab/ignore-gfp-wait
echo 0 >/sys/kernel/debug/failslab/verbose

# A driver that is loaded many times has one device only
for dev in /sys/bus/platform/devices/arm-cs-arch-pmu.*; do
	[ "$dev" = "/sys/bus/platform/devices/$(device 0)" ] || echo none >"$dev/driver_override"
done

module=grace_cspmu
ours || { insmod /lib/gpmu/arm_cspmu_module.ko && module=nvidia_cspmu; }
failnth module "/lib/gpmu/$module.ko" $module >/tmp/load 2>/tmp/load.err
ok $? "loading the module with each allocation failing in turn ends"
diag "$(cat /tmp/load)"
# The driver core's module_add_driver() makes EINVAL of what its allocations for
# /sys/module/*/drivers/ return: two, and a third if an index node is full
is "$(sed '/fails: Invalid argument$/d' /tmp/load.err)" "" "it fails with ENOMEM, or succeeds without what it could not get"
like "$(grep -c 'fails: Invalid argument$' /tmp/load.err)" '^[23]$' \
	"but for two or three of the driver core's, which fail with EINVAL"
like "$(cat /tmp/load)" "^failed [1-9][0-9]{2,}: .*; then success$" "hundreds of allocations were tried, the last load had all it needs"

insmod /lib/gpmu/$module.ko
ok $? "then the module loads"
is "$(cd $pmus && echo nvidia_*)" nvidia_scf_pmu_0 "its PMU is there"
is "$(evt -q nvidia_scf_pmu_0/cycles/; echo $?)" 0 "and counts"

failnth event "$(cat $pmus/nvidia_scf_pmu_0/type)" 0x100000000 0 >/tmp/open 2>/tmp/open.err
ok $? "opening an event with each allocation failing in turn ends"
diag "$(cat /tmp/open)"
is "$(cat /tmp/open.err)" "" "it fails with ENOMEM, or succeeds"
like "$(cat /tmp/open)" "^failed [1-9][0-9]*: .*; then success$" "there were allocations to fail"
unlike "$(dmesg)" 'BUG|KASAN|UBSAN|ODEBUG|WARNING: |INFO: |suspicious|kmemleak: .*disabled|cannot create duplicate' \
	"the kernel had nothing but failed allocations to report"
dmesg -c >/dev/null
is "$(cat /sys/module/$module/refcnt)" "$(ours && echo 0 || echo 1)" "no reference to the module is left"
done_testing
