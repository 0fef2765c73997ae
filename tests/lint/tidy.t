#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# User-space C by clang-tidy, a test a file. What is built for the host only:
# a file that needs the headers of another program (QEMU) is named here.
. tests/lint/lib.sh

need git clang-tidy
mapfile -t flags < <(c_flags)
files=$(user_c | grep '\.c$')
for f in $files; do
	if grep -q '#include "qemu/' "$f"; then
		skip "needs QEMU's headers" "clang-tidy finds nothing in $f"
		continue
	fi
	found=$(clang-tidy --quiet --config-file=tests/lint/clang-tidy.yaml "$f" -- "${flags[@]}" 2> /dev/null |
		grep -E ': (warning|error): ' | sed "s|$PWD/||")
	none "$found" "clang-tidy finds nothing in $f"
done
done_testing
