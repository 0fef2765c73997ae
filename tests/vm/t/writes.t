#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash
#: board superchip
#: scenario idle
#: kernels 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k
#: drivers ours in-tree in-tree-patched
#: long 7.3-16k 7.3-rt 6.12 7.3
#: timeout 300
#
# Starts and stops of every shape, each between two marks in the model's access
# log. compare.t runs this with both drivers and compares the register writes:
# marks 2N and 2N + 1 delimit the case of the N-th test.
. /lib/tap.sh
# shellcheck source=tests/vm/guest/lib/gpmu.sh
. /lib/gpmu.sh

n=0
shape() { # DESCRIPTION EVT_ARGUMENT...
	s_what=$1
	shift
	model mark $((n * 2))
	evt -t 5 "$@" >/tmp/shape
	s_status=$?
	model mark $((n * 2 + 1))
	n=$((n + 1))
	ok $s_status "register writes: $s_what runs"
}

shape "one event" nvidia_scf_pmu_0/cmem_rd_data/
shape "the cycle counter alone" nvidia_scf_pmu_0/cycles/
shape "a full group" "{" nvidia_scf_pmu_1/cmem_rd_data/ nvidia_scf_pmu_1/cmem_rd_access/ \
	nvidia_scf_pmu_1/cmem_wr_data/ nvidia_scf_pmu_1/cmem_wr_access/ nvidia_scf_pmu_1/cmem_wb_data/ \
	nvidia_scf_pmu_1/cmem_wb_access/ nvidia_scf_pmu_1/cycles/ "}"
shape "two groups on one PMU" "{" nvidia_scf_pmu_0/0xf0/ nvidia_scf_pmu_0/0xf1/ "}" \
	"{" nvidia_scf_pmu_0/cycles/ nvidia_scf_pmu_0/0xf2/ "}"
shape "a root port filter" "{" nvidia_pcie_pmu_0/rd_bytes_loc,0x100/ nvidia_pcie_pmu_0/cycles,0x3ff/ "}"
shape "all root ports" "{" nvidia_pcie_pmu_1/rd_bytes_loc,0x3ff/ nvidia_pcie_pmu_1/wr_bytes_loc,0x3ff/ "}"
shape "filter 0 of pcie, cycles too" "{" nvidia_pcie_pmu_1/rd_bytes_loc/ nvidia_pcie_pmu_1/cycles/ "}"
shape "both ports of c2c0 and c2c1" nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc,3/ nvidia_nvlink_c2c1_pmu_1/rd_bytes_loc,3/
shape "filter 0 of c2c0" nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/ nvidia_nvlink_c2c0_pmu_0/cycles/
shape "one port of c2c0" nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc,1/
shape "a remote socket of cnvlink" nvidia_cnvlink_pmu_1/rd_bytes_loc,0x2/ nvidia_cnvlink_pmu_1/cycles,0xf/
shape "filter 0 of cnvlink" nvidia_cnvlink_pmu_0/rd_bytes_loc/
shape "event numbers beyond the sysfs names" nvidia_scf_pmu_0/0xffffffff/ nvidia_pcie_pmu_0/0x3f,0x3ff/
shape "events on both sockets" nvidia_scf_pmu_0/cmem_rd_data/ nvidia_scf_pmu_1/cmem_rd_data/
shape "a software leader" "{" cpu-clock nvidia_scf_pmu_0/cmem_rd_data/ "}"
shape "an event that is never enabled" -d nvidia_scf_pmu_0/cmem_rd_data/

# Reads while counting write no register
model mark $((n * 2))
evt nvidia_scf_pmu_0/cmem_rd_data/ -- sh -c 'evt -R; evt -R' >/tmp/shape
ok $? "register writes: an event is read while it counts"
model mark $((n * 2 + 1))
n=$((n + 1))

# A change of the counting CPU
model mark $((n * 2))
evt nvidia_scf_pmu_0/cmem_rd_data/ -- sh -c \
	'echo 0 >/sys/devices/system/cpu/cpu0/online; evt -R; echo 1 >/sys/devices/system/cpu/cpu0/online' >/tmp/shape
ok $? "register writes: an event moves to another CPU"
model mark $((n * 2 + 1))
n=$((n + 1))

done_testing
