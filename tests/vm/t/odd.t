#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2154
#: board odd
#: scenario idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours
#: long 7.3-rt 6.12
#: load no
#: timeout 300
#
# PMUs that our driver refuses: each is logged once with the reason, and its registers are
# not written unless it is a PMU of Grace. Numbers are those of the PMUs in the board file.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

# Without the APMT the driver has nothing to do
insmod /lib/gpmu/acpifail.ko
driver_load 2>/dev/null
is "$? $(dmesg | sed -n 's/.*grace-cspmu: //p' | sort -u)" "5 cannot get the APMT: AE_BAD_CHECKSUM" \
	"the driver does not load if the kernel cannot get the APMT, and logs the reason"
rmmod acpifail
# AE_NOT_FOUND
insmod /lib/gpmu/acpifail.ko status=5
dmesg -c >/dev/null
driver_load && driver_unload
is "$? $(dmesg | grep 'grace-cspmu: ')" "0 " "the driver loads on a machine without an APMT, and logs no message about the table"
rmmod acpifail
dmesg -c >/dev/null

# GSI of line 2 is 35 + 2 % 4
insmod /lib/gpmu/irqhog.ko gsi=37 || bail "irqhog does not get line 2"
# 6.1 needs a move of the PMU's device below the platform device
[ "$KERNEL" != 6.1 ] || insmod /lib/gpmu/squatter.ko device="$(device 5)" name=nvidia_scf_pmu_1
driver_load
ok $? "the driver loads although most devices are refused"
is "$(cd $pmus && echo nvidia_*)" "nvidia_cnvlink_pmu_0 nvidia_scf_pmu_0 nvidia_scf_pmu_1" \
	"the driver registers only the three PMUs that it supports"

refused() { # PMU REASON DESCRIPTION
	is "$(line_of "$1")" "$2" "$3, which is logged once ($1)"
}
unsupported="are not supported"
refused 1 "PMCFGR 00005f06: 6 event counters of 32 bits $unsupported" "a PMU of 32-bit counters is refused"
refused 2 "PMCFGR 00006f06: 6 event counters of 48 bits $unsupported" "a PMU of 48-bit counters is refused"
refused 6 "PMIIDR 2cf2036b is not a PMU of Grace: skipped" "the UCF PMU of Vera is skipped"
refused 7 "PMIIDR 1030136b is not a PMU of Grace: skipped" "the PCIe PMU of Vera is skipped"
refused 8 "PMIIDR 1070036b is not a PMU of Grace: skipped" "the PCIe-TGT PMU of Vera is skipped"
refused 9 "PMIIDR 1030236b is not a PMU of Grace: skipped" "a PMU of an unknown revision is skipped"
refused 10 "PMIIDR 0a160a16 is not a PMU of Grace: skipped" "another vendor's PMU is skipped"
refused 11 "PMIIDR ffffffff is not a PMU of Grace: skipped" "a page of ones is skipped"
refused 12 "PMIIDR 00000000 is not a PMU of Grace: skipped" "a page of zeros is skipped"
refused 13 "PMCFGR 00007fff: 255 event counters of 64 bits $unsupported" "a PMU of 255 event counters is refused"
refused 14 "PMCFGR 00000506: 7 event counters of 6 bits $unsupported" "a PMU of 6-bit counters is refused"
refused 15 "PMCFGR 00007f00: 0 event counters of 64 bits $unsupported" "a PMU without event counters is refused"
refused 16 "PMCFGR 00007f20: 32 event counters of 64 bits $unsupported" "a PMU of 32 event counters is refused"
refused 17 "the 64-bit register layout is not supported" "a PMU whose PMDEVARCH has the 64-bit layout is refused"
refused 18 "the 64-bit register layout is not supported" "a PMU of the 64-bit layout without PMDEVARCH is refused"
refused 19 "no CPU has affinity 99" "a PMU with an affinity that no processor has is refused"
refused 20 "a PMU without a wired overflow interrupt is not supported" "a PMU whose interrupt is not wired is refused"
refused 21 "a PMU without a wired overflow interrupt is not supported" "a PMU without an interrupt is refused"
refused 22 "a second nvidia_scf_pmu_0 is not supported" "the second PMU of a variant on a socket is refused"
refused 23 "page 0 has no valid address" "a PMU whose page is not aligned is refused"
is "$(model illegal)" 0 "no register of another vendor's PMU or of an invalid page was written"

# --- an occupied name in sysfs: 5

what="a PMU whose device cannot be moved in sysfs is registered, and the failure is logged once"
if [ "$KERNEL" = 6.1 ]; then
	is "$(line_of 5)$(readlink -f $pmus/nvidia_scf_pmu_1)" \
		"cannot move nvidia_scf_pmu_1 below its device in sysfs (-17)/sys/devices/nvidia_scf_pmu_1" "$what"
	rmmod squatter
else
	skip "perf core sets the parent" "$what"
fi

# --- an interrupt line that another driver has: 3, 4; an edge-triggered one: 25

hog=$(awk '/irqhog/ { print $1 + 0 }' /proc/interrupts)
for n in 3 4; do
	is "$(line_of $n | grep -c "^interrupt $hog refused$")" 1 "a PMU whose interrupt is refused is logged ($n)"
done
like "$(line_of 25)" "^interrupt [0-9]+ refused$" "an edge-triggered interrupt of another PMU is not shared, which is logged (25)"
driver_unload
ok $? "the driver unloads while most devices are refused"
rmmod irqhog
driver_load
is "$(grep -c "$(device 3), $(device 4)" /proc/interrupts)" 1 "both PMUs share their interrupt line when no other driver has it"

# --- the line is shared with another driver's handler, which is a thread on PREEMPT_RT

driver_unload
insmod /lib/gpmu/irqhog.ko gsi=37 share=1
driver_load
is "$(grep -c "irqhog, $(device 3), $(device 4)" /proc/interrupts)" 1 "an interrupt line that another driver shares is shared with it"
# 2^64 + 5 - 0x7fffffffffffffff
evt nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/ -- sh -c 'model preset 4 0 5; model raise 4 0; model await 4 0 write; evt -R' >/tmp/shared
is "$(cut -d ' ' -f 1 /tmp/shared | xargs)" "9223372036854775814 9223372036854775814" "an overflow on an interrupt line shared with another driver is counted"
driver_unload
rmmod irqhog
driver_load
insmod /lib/gpmu/irqhog.ko gsi=37 share=1 2>/tmp/refused
got=$?
if [ "$KERNEL" = 7.3-rt ]; then
	like "$(cat /tmp/refused)" "busy" "PREEMPT_RT: a threaded handler is refused an interrupt line that our driver requested first"
else
	is "$got" 0 "another driver can share an interrupt line that our driver requested first"
fi
done_testing
