#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks user-space C with clang-tidy, one test per file. The build of libperf
# provides its headers; files that need headers of QEMU or perf are skipped.
. tests/lint/lib.sh

need git clang-tidy
build=${B:-build}
make -s "B=$build" "$build/libperf/libperf.a" "$build/proto/trace.pb-c.h" >&2 || bail "no libperf"
mapfile -t flags < <(c_flags)
flags+=(-isystem "$build/libperf/include" -isystem "$build/proto")
mapfile -t internal < <(tr ' ' '\n' < "$build/libperf/internal")
files=$(user_c | grep '\.c$')
for f in $files; do
	if grep -q '#include "qemu/' "$f"; then
		skip "needs QEMU's headers" "clang-tidy finds nothing in $f"
		continue
	fi
	if grep -q '#include "util/' "$f"; then
		skip "needs perf's headers" "clang-tidy finds nothing in $f"
		continue
	fi
	more=()
	! grep -q '#include <internal/' "$f" || more=("${internal[@]}")
	found=$(clang-tidy --quiet --config-file=tests/lint/clang-tidy.yaml "$f" -- "${flags[@]}" "${more[@]}" 2> /dev/null |
		grep -E ': (warning|error): ' | sed "s|$PWD/||")
	none "$found" "clang-tidy finds nothing in $f"
done
done_testing
