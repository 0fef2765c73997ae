#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board superchip
#: scenario idle
#: kernels debug
#: load no
#: timeout 300
#: warnings debug
#
# Each allocation of loading the module, with one device to bind, and of opening
# an event fails in turn. kmemleak, KASAN and lockdep find leaks at the end of this
# test. The log is cleared of the kernel's messages about the failed allocations.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# Sleeping allocations too, and without a stack dump for each
echo N >/sys/kernel/debug/failslab/ignore-gfp-wait
echo 0 >/sys/kernel/debug/failslab/verbose

# One device keeps the many loads short
for dev in /sys/bus/platform/devices/arm-cs-arch-pmu.*; do
	[ "$dev" = "/sys/bus/platform/devices/$(device 0)" ] || echo none >"$dev/driver_override"
done

module=grace_cspmu
ours || { insmod /lib/gpmu/arm_cspmu_module.ko && module=nvidia_cspmu; }
# The kernel warns if it has no memory for a field of a module's tracepoint (event_define_fields(), Linux 7.3). All other
# warnings remain failures.
echo 0 >/proc/sys/kernel/panic_on_warn
failnth module "/lib/gpmu/$module.ko" $module >/tmp/load 2>/tmp/load.err
ok $? "loading the module with each allocation failing in turn ends"
echo 1 >/proc/sys/kernel/panic_on_warn
diag "$(cat /tmp/load)"
# The driver core's module_add_driver() returns EINVAL if one of its allocations for
# /sys/module/*/drivers/ fails: two, and a third if an index node is full
is "$(sed '/fails: Invalid argument$/d' /tmp/load.err)" "" "loading the module fails with ENOMEM, or succeeds without the failed allocation"
like "$(grep -c 'fails: Invalid argument$' /tmp/load.err)" '^[23]$' \
	"loading the module fails with EINVAL only at two or three allocations of the driver core"
like "$(cat /tmp/load)" "^failed [1-9][0-9]{2,}: .*; then success$" "loading the module made hundreds of allocations, and the last load succeeded"

insmod /lib/gpmu/$module.ko
ok $? "the module loads after the failed allocations"
is "$(cd $pmus && echo nvidia_*)" nvidia_scf_pmu_0 "the loaded module registers its PMU"
is "$(evt -q nvidia_scf_pmu_0/cycles/; echo $?)" 0 "the PMU of the loaded module counts"

failnth event "$(cat $pmus/nvidia_scf_pmu_0/type)" 0x100000000 0 >/tmp/open 2>/tmp/open.err
ok $? "opening an event with each allocation failing in turn ends"
diag "$(cat /tmp/open)"
is "$(cat /tmp/open.err)" "" "opening an event fails with ENOMEM or succeeds"
like "$(cat /tmp/open)" "^failed [1-9][0-9]*: .*; then success$" "opening an event made at least one allocation"
unlike "$(dmesg | sed '/WARNING: .* event_define_fields+/d')" 'BUG|KASAN|UBSAN|ODEBUG|WARNING: |INFO: |suspicious|kmemleak: .*disabled|cannot create duplicate' \
	"the kernel log has no bug or leak, and no warning except that of a tracepoint without memory"
dmesg -c >/dev/null
is "$(cat /sys/module/$module/refcnt)" "$(ours && echo 0 || echo 1)" "no reference to the module is left after the failed opens"
done_testing
