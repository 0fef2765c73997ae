#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The driver asks to be loaded for the device only where the kernel has no
# driver of its own configured for it, and modprobe finds it once installed.
. tests/lib/tap.sh

command -v modinfo > /dev/null || bail "modinfo (kmod) is not installed: run ./setup"
out=${B:-build}/tests/unit/alias
option=CONFIG_ARM_CORESIGHT_PMU_ARCH_SYSTEM_PMU

# aliases WORD...: of the module built with these preprocessor options
aliases() {
	tests/vm/kbuild 7.3 kernel-drivers "$out" -- KCFLAGS="$*" > "$out.log" 2>&1 ||
		{ diag "$(tail -n 20 "$out.log")"; bail "the driver does not build"; }
	modinfo -F alias "$out/grace_cspmu.ko"
}

mkdir -p "$out"
is "$(aliases)" "platform:arm-cs-arch-pmu" "without the in-tree driver the module is loaded for the device"
is "$(aliases -D$option=1)" "" "with the in-tree driver built in it is not"
is "$(aliases -D${option}_MODULE=1)" "" "with the in-tree driver as a module it is not"

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
release=$(cat "$cache/kernel/7.3/release")
root=$(readlink -m "$out/root")
rm -rf "$root"
make=(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s "KDIR=$cache/kernel/7.3/headers" "INSTALL_MOD_PATH=$root")
"${make[@]}" modules >"$out.log" 2>&1 && "${make[@]}" modules_install >>"$out.log" 2>&1
ok $? "make modules and make modules_install end with 0" || diag "$(tail -n 20 "$out.log")"
"${make[@]}" modules_clean >/dev/null 2>&1
like "$(PATH=$PATH:/usr/sbin:/sbin modprobe -d "$root" -S "$release" -n -v grace_cspmu 2>&1)" 'insmod .*/grace_cspmu\.ko' \
	"modprobe finds what it installed, though Debian's headers have no System.map"
done_testing
