#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The driver compiles without a warning of W=1 for the newest arm64 headers package of
# each series and flavour in the suites of kernels.tsv. kbuild.t adds sparse for the kernels
# that are booted.
[ -n "${LONG:-}" ] || { echo "1..0 # SKIP only if LONG=1"; exit; }
. tests/lint/lib.sh

need git
out=build/lint/headers
mkdir -p "$out"
packages=$(tests/vm/fetch headers)
ok $? "headers: the packages of each suite are listed"
like "$packages" '^linux-headers-6\.1\.[^ ]*-arm64$' "headers: the list has a package of the oldest supported series"
for package in $packages; do
	rm -rf "${out:?}/$package"
	tests/vm/kbuild "$package" kernel-drivers "$out/$package" -- W=1 > "$out/$package.log" 2>&1
	ok $? "headers: the driver builds for $package" || diag "$(tail -n 20 "$out/$package.log")"
	none "$(grep -E ':[0-9]+(:[0-9]+)?: (warning|error)|^(WARNING|ERROR): modpost' "$out/$package.log" |
		grep -vE '/(include|arch/[a-z0-9]+/include)/|^\./(include|arch)/')" \
		"headers: W=1 finds nothing in the driver for $package"
	rm -rf "${out:?}/$package"
done
done_testing
