#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The module has an alias for the platform device only where the kernel has no
# driver of its own for it, and modprobe finds the module after its installation.
. tests/lib/tap.sh

command -v modinfo > /dev/null || bail "modinfo (kmod) is not installed: run ./setup"
out=${B:-build}/tests/unit/alias
core=CONFIG_ARM_CORESIGHT_PMU_ARCH_SYSTEM_PMU
nvidia=CONFIG_NVIDIA_CORESIGHT_PMU_ARCH_SYSTEM_PMU

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
make=(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s)

# table WORD...: prints the device table for which device.c makes aliases, compiled with these preprocessor options
table() {
	rm -f "$out/device.o"
	"${make[@]}" -C "$cache/kernel/7.3/headers" "M=$(realpath "$out")" KCFLAGS="$*" device.o > "$out.log" 2>&1 ||
		{ diag "$(tail -n 20 "$out.log")"; bail "the driver does not build"; }
	nm "$out/device.o" | grep -o 'platform__grace_ids'
}

tests/vm/fetch kernel 7.3 || bail "no kernel 7.3"
mkdir -p "$out"
cp -r kernel-drivers/. "$out"
is "$(table)" "platform__grace_ids" "driver: the module has aliases if the kernel has no in-tree driver"
is "$(table -D$core=1)" "platform__grace_ids" \
	"driver: the module has aliases if the kernel has the in-tree core without its NVIDIA part"
is "$(table -D$core=1 -D$nvidia=1)" "" "driver: the module has no aliases if both parts of the in-tree driver are built in"
is "$(table -D${core}_MODULE=1 -D${nvidia}_MODULE=1)" "" \
	"driver: the module has no aliases if both parts of the in-tree driver are modules"

release=$(cat "$cache/kernel/7.3/release")
root=$(readlink -m "$out/root")
rm -rf "$root"
make+=("KDIR=$cache/kernel/7.3/headers" "INSTALL_MOD_PATH=$root")
"${make[@]}" modules >"$out.log" 2>&1 && "${make[@]}" modules_install >>"$out.log" 2>&1
ok $? "driver: make modules and make modules_install succeed" || diag "$(tail -n 20 "$out.log")"
is "$(modinfo -F alias kernel-drivers/grace_cspmu.ko)" "platform:arm-cs-arch-pmu" \
	"driver: the module's alias is the platform device's"
"${make[@]}" modules_clean >/dev/null 2>&1
like "$(PATH=$PATH:/usr/sbin:/sbin modprobe -d "$root" -S "$release" -n -v grace_cspmu 2>&1)" 'insmod .*/grace_cspmu\.ko' \
	"driver: modprobe finds the installed module, though Debian's headers have no System.map"
done_testing
