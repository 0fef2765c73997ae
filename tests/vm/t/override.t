#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board superchip
#: scenario steady
#: kernels 6.12 7.3 7.3-16k 7.3-rt debug
#: drivers ours
#: long 7.3-16k 7.3-rt
#: load no
#: timeout 300
#
# Our driver beside the in-tree one: who loads first has the devices, unless
# driver_override or modprobe's configuration says otherwise; a device that the
# other holds is left alone with one line.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

devices=/sys/bus/platform/devices
in_tree_load() {
	insmod /lib/gpmu/arm_cspmu_module.ko && insmod /lib/gpmu/nvidia_cspmu.ko
}
in_tree_unload() {
	rmmod nvidia_cspmu && rmmod arm_cspmu_module
}
# Devices that a driver holds, by the links in its folder
held() { # DRIVER
	(cd "/sys/bus/platform/drivers/$1" && ls -d arm-cs-arch-pmu.*) 2>/dev/null | wc -l
}
left_alone() {
	kernel_log 'grace-cspmu: ' | sed 's/.*grace-cspmu: //'
}
counts_reads() { # of both sockets
	evt -t 50 nvidia_scf_pmu_0/cmem_rd_data/ nvidia_scf_pmu_1/cmem_rd_data/ | awk '{ print ($1 > 0) }' | xargs
}
with_caps() { # PMUs of ours
	(cd $pmus && ls -d nvidia_*/caps/counters 2>/dev/null | wc -l)
}
scf0=$(device 0)
model start steady

# --- the in-tree driver first

in_tree_load
log_mark
driver_load
ok $? "ours loads beside the in-tree driver"
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "10 0" "which keeps all ten devices"
is "$(left_alone | sort)" "$(for i in 0 1 2 3 4 5 6 7 8 9; do
	echo "$(device $i) is bound to driver arm-cs-arch-pmu: skipped"
done)" "one line a device says so"
is "$(kernel_log 'cs-arch-pmu' | wc -l)" 10 "and there is no other line"
is "$(counts_reads)" "1 1" "the in-tree driver's PMUs count on"
driver_unload
ok $? "ours unloads"
is "$(counts_reads)" "1 1" "and they still count"
in_tree_unload

# --- ours first

driver_load
log_mark
in_tree_load
ok $? "the in-tree driver loads beside ours"
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "0 10" "which keeps all ten devices"
is "$(with_caps) $(counts_reads)" "10 1 1" "ours have caps/ and count"
evt nvidia_scf_pmu_0/cycles/ -- sh -c 'rmmod nvidia_cspmu && rmmod arm_cspmu_module; echo $? >/tmp/status; evt -R' >/tmp/a
is "$(cat /tmp/status) $(awk '{ print ($1 > 0) }' /tmp/a | xargs)" "0 1 1" \
	"the in-tree driver can be unloaded while ours counts"
in_tree_load
driver_unload
ok $? "ours unloads"
for i in 0 1 2 3 4 5 6 7 8 9; do
	device $i >/sys/bus/platform/drivers_probe
done
is "$(held arm-cs-arch-pmu)" 10 "drivers_probe then gives the devices to the in-tree driver"
in_tree_unload

# --- the in-tree core without its NVIDIA part, which makes its devices wait

insmod /lib/gpmu/arm_cspmu_module.ko
driver_load
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "0 10" "devices that wait for nvidia_cspmu are free for ours"
insmod /lib/gpmu/nvidia_cspmu.ko
is "$(held grace-cspmu) $(counts_reads)" "10 1 1" "and stay with it when nvidia_cspmu comes"
driver_unload
in_tree_unload

# --- driver_override, both ways

echo grace-cspmu >$devices/$scf0/driver_override
in_tree_load
is "$(held arm-cs-arch-pmu)" 9 "driver_override=grace-cspmu keeps the in-tree driver from a device"
log_mark
driver_load
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "9 1" "which ours takes"
is "$(left_alone | wc -l)" 9 "with a line for each of the others"
is "$(cd $pmus && ls -d nvidia_*/caps/counters)" nvidia_scf_pmu_0/caps/counters "it is the one meant"
is "$(cd $pmus && echo nvidia_* | wc -w)" 10 "all ten PMUs are there"
is "$(counts_reads)" "1 1" "of either driver, and count"
driver_unload
in_tree_unload

echo arm-cs-arch-pmu >$devices/$scf0/driver_override
driver_load
is "$(held grace-cspmu)" 9 "driver_override=arm-cs-arch-pmu keeps ours from a device"
in_tree_load
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "1 9" "which the in-tree driver takes"
is "$(ls $pmus/nvidia_scf_pmu_0/caps 2>/dev/null | wc -l) $(with_caps)" "0 9" "it is the one meant"
is "$(counts_reads)" "1 1" "both drivers' PMUs count"
in_tree_unload
driver_unload
echo >$devices/$scf0/driver_override

# --- modprobe's configuration: both modules have the devices' alias, but for
# ours where the kernel's configuration has the in-tree driver

(cd "/lib/modules/$(uname -r)" && depmod)
mkdir -p /etc/modprobe.d
alias=$(sed -n 's/^MODALIAS=//p' "$devices/$scf0/uevent")
is "$alias" platform:arm-cs-arch-pmu "the devices' alias"
echo "blacklist arm_cspmu_module" >/etc/modprobe.d/gpmu.conf
modprobe -b "$alias"
if [ "$KERNEL" = debug ]; then
	# Its configuration has the in-tree driver
	is "$(held grace-cspmu)" 0 "built for a kernel with the in-tree driver, ours is not loaded by the alias"
	modprobe grace_cspmu
	is "$(held grace-cspmu)" 10 "but by name"
else
	is "$(held grace-cspmu) $(grep -c arm_cspmu_module /proc/modules)" "10 0" \
		"blacklist arm_cspmu_module: the alias loads ours alone"
fi
driver_unload
echo "blacklist grace_cspmu" >/etc/modprobe.d/gpmu.conf
modprobe -b "$alias"
modprobe nvidia_cspmu
is "$(held arm-cs-arch-pmu) $(grep -c grace_cspmu /proc/modules)" "10 0" \
	"blacklist grace_cspmu: it loads the in-tree driver alone"
in_tree_unload
done_testing
