#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks the sources of modules with the kernel's own tools from the kernel source
# package, and that the driver distinguishes kernels by capability (compat/).
. tests/lint/lib.sh

check_versions() {
	text 'kernel-drivers/*' | xargs -r -d '\n' \
		grep -HnE 'LINUX_VERSION_(CODE|MAJOR)|KERNEL_VERSION|linux/version\.h|\$\(?\{?(VERSION|PATCHLEVEL|SUBLEVEL)\b' --
}

# --no-tree: the sources are outside of a kernel tree, so there is no MAINTAINERS or
# Documentation.
check_patch() {
	"$src/scripts/checkpatch.pl" --no-tree --strict --terse --no-summary --show-types --file "$@" |
		sed 's/: \(ERROR\|WARNING\|CHECK\):/ &/; s/ : / /'
}

need git perl python3
files=$(kernel_c)
none "$(check_versions)" "kernel-drivers does not check the kernel version"
if [ -z "$files" ]; then
	skip "no source" "checkpatch --strict finds nothing in the modules"
	skip "no source" "kernel-doc finds nothing in the modules"
	done_testing
fi
src=$(kernel_source 7.3) || exit 1
mapfile -t files <<< "$files"
none "$(check_patch "${files[@]}")" "checkpatch --strict finds nothing in the modules"
none "$("$src/tools/docs/kernel-doc" -none -Wall "${files[@]}" 2>&1)" "kernel-doc finds nothing in the modules"
done_testing
