#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Static buffers of programs and libraries: the kernel refuses to start a program whose static data exceed ulimit -d,
# even if the program does not use them, and a library adds its data to those of each program.
. tests/lint/lib.sh

B=${B:-build}
limit=65536	# bytes of a variable that can be written
need git nm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# large FILE...: variables in .data and .bss that are larger than the limit
large() {
	nm -A -S -t d --defined-only "$@" 2> /dev/null |
		awk -v limit=$limit '$3 ~ /^[bBdD]$/ && $2 + 0 > limit { sub(/:[0-9]*$/, "", $1); print $1 ": " $4 " has " $2 + 0 " bytes" }'
}

shopt -s nullglob
files=("$B"/gpmu "$B"/*.so)
[ -e "$B/gpmu" ] || bail "no $B/gpmu: make"
printf 'static char buffer[%d];\nchar *get(void) { return buffer; }\n' $((limit + 1)) > "$work/large.c"
${CC:-gcc} -fPIC -shared -o "$work/large.so" "$work/large.c"
like "$(large "$work/large.so")" 'buffer has 65537 bytes$' "a static buffer of more than 64 KiB is found"
none "$(large "${files[@]}")" "no static buffer of ${#files[@]} programs and libraries has more than 64 KiB"
done_testing
