#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board superchip
#: scenario steady
#: kernels 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 7.3-16k 7.3-rt
#: load no
#: timeout 300
#
# Our driver beside the in-tree one: the driver that is loaded first binds the
# devices, unless driver_override or modprobe's configuration selects another. Our
# driver skips a device bound to the other and logs it.
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
# The number of devices bound to a driver, by the links in its folder
held() { # DRIVER
	(cd "/sys/bus/platform/drivers/$1" && ls -d arm-cs-arch-pmu.*) 2>/dev/null | wc -l
}
left_alone() {
	kernel_log 'grace-cspmu: ' | sed 's/.*grace-cspmu: //'
}
counts_reads() { # of both sockets
	evt -t 50 nvidia_scf_pmu_0/cmem_rd_data/ nvidia_scf_pmu_1/cmem_rd_data/ | awk '{ print ($1 > 0) }' | xargs
}
with_caps() { # the number of our driver's PMUs
	(cd $pmus && ls -d nvidia_*/caps/counters 2>/dev/null | wc -l)
}
scf0=$(device 0)
model start steady

# --- the in-tree driver first

in_tree_load
log_mark
driver_load
ok $? "our driver loads beside the in-tree driver"
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "10 0" "the in-tree driver, loaded first, keeps all ten devices"
is "$(left_alone | sort)" "$(for i in 0 1 2 3 4 5 6 7 8 9; do
	echo "$(device $i) is bound to driver arm-cs-arch-pmu: skipped"
done)" "our driver logs each device bound to the in-tree driver once"
is "$(kernel_log 'cs-arch-pmu' | wc -l)" 10 "our driver logs no other message beside the in-tree driver"
is "$(counts_reads)" "1 1" "the in-tree driver's PMUs count while ours is loaded"
driver_unload
ok $? "our driver unloads beside the in-tree driver"
is "$(counts_reads)" "1 1" "the in-tree driver's PMUs count after ours is unloaded"
in_tree_unload

# --- ours first

driver_load
log_mark
in_tree_load
ok $? "the in-tree driver loads beside our driver"
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "0 10" "our driver, loaded first, keeps all ten devices"
is "$(with_caps) $(counts_reads)" "10 1 1" "our driver's PMUs have caps/ and count beside the in-tree driver"
evt nvidia_scf_pmu_0/cycles/ -- sh -c 'rmmod nvidia_cspmu && rmmod arm_cspmu_module; echo $? >/tmp/status; evt -R' >/tmp/a
is "$(cat /tmp/status) $(awk '{ print ($1 > 0) }' /tmp/a | xargs)" "0 1 1" \
	"the in-tree driver can be unloaded while our driver counts"
in_tree_load
driver_unload
ok $? "our driver unloads beside the in-tree driver"
for i in 0 1 2 3 4 5 6 7 8 9; do
	device $i >/sys/bus/platform/drivers_probe
done
is "$(held arm-cs-arch-pmu)" 10 "drivers_probe binds the devices to the in-tree driver after ours is unloaded"
in_tree_unload

# --- the in-tree core without nvidia_cspmu defers the probe of its devices

insmod /lib/gpmu/arm_cspmu_module.ko
driver_load
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "0 10" "our driver binds devices whose in-tree probe waits for nvidia_cspmu"
insmod /lib/gpmu/nvidia_cspmu.ko
is "$(held grace-cspmu) $(counts_reads)" "10 1 1" "devices bound to our driver stay bound when nvidia_cspmu is loaded"
driver_unload
in_tree_unload

# --- driver_override, both ways

echo grace-cspmu >$devices/$scf0/driver_override
in_tree_load
is "$(held arm-cs-arch-pmu)" 9 "driver_override=grace-cspmu prevents the in-tree driver from binding a device"
log_mark
driver_load
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "9 1" "our driver binds the device with driver_override=grace-cspmu"
is "$(left_alone | wc -l)" 9 "our driver logs each of the nine other devices"
is "$(cd $pmus && ls -d nvidia_*/caps/counters)" nvidia_scf_pmu_0/caps/counters "the PMU of the device with driver_override=grace-cspmu has caps/"
is "$(cd $pmus && echo nvidia_* | wc -w)" 10 "both drivers together register ten PMUs"
is "$(counts_reads)" "1 1" "PMUs of both drivers count with driver_override=grace-cspmu"
driver_unload
in_tree_unload

echo arm-cs-arch-pmu >$devices/$scf0/driver_override
driver_load
is "$(held grace-cspmu)" 9 "driver_override=arm-cs-arch-pmu prevents our driver from binding a device"
in_tree_load
is "$(held arm-cs-arch-pmu) $(held grace-cspmu)" "1 9" "the in-tree driver binds the device with driver_override=arm-cs-arch-pmu"
is "$(ls $pmus/nvidia_scf_pmu_0/caps 2>/dev/null | wc -l) $(with_caps)" "0 9" "the PMU of the device with driver_override=arm-cs-arch-pmu has no caps/"
is "$(counts_reads)" "1 1" "PMUs of both drivers count with driver_override=arm-cs-arch-pmu"
in_tree_unload
driver_unload
echo >$devices/$scf0/driver_override

# --- modprobe's configuration: both modules have the devices' alias, but ours has it
# only if the kernel's configuration lacks the in-tree driver

(cd "/lib/modules/$(uname -r)" && depmod)
mkdir -p /etc/modprobe.d
alias=$(sed -n 's/^MODALIAS=//p' "$devices/$scf0/uevent")
is "$alias" platform:arm-cs-arch-pmu "the modalias of a device is platform:arm-cs-arch-pmu"
echo "blacklist arm_cspmu_module" >/etc/modprobe.d/gpmu.conf
modprobe -b "$alias"
if zcat /proc/config.gz 2>/dev/null | grep -q '^CONFIG_NVIDIA_CORESIGHT_PMU_ARCH_SYSTEM_PMU='; then
	is "$(held grace-cspmu)" 0 "our driver built for a kernel with the in-tree driver is not loaded by the alias"
	modprobe grace_cspmu
	is "$(held grace-cspmu)" 10 "our driver built for a kernel with the in-tree driver is loaded by name"
else
	is "$(held grace-cspmu) $(grep -c arm_cspmu_module /proc/modules)" "10 0" \
		"blacklist arm_cspmu_module: the alias loads only our driver"
fi
driver_unload
echo "blacklist grace_cspmu" >/etc/modprobe.d/gpmu.conf
modprobe -b "$alias"
modprobe nvidia_cspmu
is "$(held arm-cs-arch-pmu) $(grep -c grace_cspmu /proc/modules)" "10 0" \
	"blacklist grace_cspmu: the alias loads only the in-tree driver"
in_tree_unload
done_testing
