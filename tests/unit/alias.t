#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The driver asks to be loaded for the device only where the kernel has no
# driver of its own configured for it.
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
done_testing
