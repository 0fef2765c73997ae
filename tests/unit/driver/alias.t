#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The driver asks to be loaded for the device only where the kernel has no
# driver of its own configured for it, and modprobe finds it once installed.
. tests/lib/tap.sh

command -v modinfo > /dev/null || bail "modinfo (kmod) is not installed: run ./setup"
out=${B:-build}/tests/unit/alias
option=CONFIG_ARM_CORESIGHT_PMU_ARCH_SYSTEM_PMU

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
make=(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s)

# table WORD...: the devices that the file has aliases made of, compiled with these preprocessor options
table() {
	rm -f "$out/device.o"
	"${make[@]}" -C "$cache/kernel/7.3/headers" "M=$(realpath "$out")" KCFLAGS="$*" device.o > "$out.log" 2>&1 ||
		{ diag "$(tail -n 20 "$out.log")"; bail "the driver does not build"; }
	nm "$out/device.o" | grep -o 'platform__grace_ids'
}

tests/vm/fetch kernel 7.3 || bail "no kernel 7.3"
mkdir -p "$out"
cp -r kernel-drivers/. "$out"
is "$(table)" "platform__grace_ids" "without the in-tree driver the module has aliases"
is "$(table -D$option=1)" "" "with the in-tree driver built in it has none"
is "$(table -D${option}_MODULE=1)" "" "with the in-tree driver as a module it has none"

release=$(cat "$cache/kernel/7.3/release")
root=$(readlink -m "$out/root")
rm -rf "$root"
make+=("KDIR=$cache/kernel/7.3/headers" "INSTALL_MOD_PATH=$root")
"${make[@]}" modules >"$out.log" 2>&1 && "${make[@]}" modules_install >>"$out.log" 2>&1
ok $? "make modules and make modules_install end with 0" || diag "$(tail -n 20 "$out.log")"
is "$(modinfo -F alias kernel-drivers/grace_cspmu.ko)" "platform:arm-cs-arch-pmu" "which is that of the device"
"${make[@]}" modules_clean >/dev/null 2>&1
like "$(PATH=$PATH:/usr/sbin:/sbin modprobe -d "$root" -S "$release" -n -v grace_cspmu 2>&1)" 'insmod .*/grace_cspmu\.ko' \
	"modprobe finds what it installed, though Debian's headers have no System.map"
done_testing
