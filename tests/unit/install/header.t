#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu.h compiles as C and C++, and the headers, gpmu.map and the shared object have the same
# functions.

. tests/lib/tap.sh

include=metrics/include
so=${B:-build}/libgpmu.so.0
[ -e "$so" ] || bail "no $so: make it first"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# compile COMPILER STANDARD LANGUAGE: prints the compiler's messages about each header alone
compile() {
	local header

	for header in "$include"/gpmu.h "$include"/gpmu-source.h "$include"/gpmu-mark.h "$include"/gpmu/*.h; do
		"$1" "-std=$2" -x "$3" -pedantic -Wall -Wextra -Werror -I "$include" -fsyntax-only "$header" 2>&1
	done
}

# functions: names before "(" in the headers without comments
functions() {
	cat "$include"/gpmu/*.h | "${CC:-gcc}" -fpreprocessed -dD -E -P - |
		grep -oE '\bgpmu_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u
}

is "$(compile "${CC:-gcc}" c11 c)" "" "each header compiles by itself as C11"
is "$(compile "${CXX:-g++}" c++11 c++)" "" "each header compiles by itself as C++11"
# first_row EXPRESSION: compiles a function that returns the first row by it
first_row() {
	printf '#include <gpmu.h>\nconst struct gpmu_row *f(const struct gpmu_rows *rows) { return %s; }\n' "$1" |
		"${CC:-gcc}" -x c -I "$include" -fsyntax-only - 2>&1
}

is "$(first_row 'gpmu_rows_at(rows, 0)')" "" "a program gets a row by gpmu_rows_at()"
like "$(first_row '&rows[0]')" 'error: .*struct gpmu_rows' \
	"rows[0] does not compile, as a newer libgpmu may have longer rows"
is "$(sed -n 's|^#include <\(gpmu/.*\)>.*|\1|p' "$include/gpmu.h" | sort)" \
	"$(cd "$include" && printf '%s\n' gpmu/*.h)" "gpmu.h includes each header"
[ "$(functions | wc -l)" -gt 3 ]
ok $? "the headers declare more than three functions"
is "$(grep -oE '^\s+gpmu_[a-z0-9_]+;' metrics/gpmu.map | tr -d '\t ;' | sort -u)" "$(functions)" \
	"gpmu.map lists exactly the functions of the headers"
is "$(nm -D --defined-only "$so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort -u)" "$(functions)" \
	"the shared object exports exactly the functions of the headers"
is "$(nm -D --defined-only "$so" | awk '$2 == "T" && $3 !~ /@@GPMU_0\.[0-9]+$/')" "" "each exported function has the version of a release"
is "$(nm -D --defined-only "$so" | awk '$2 !~ /^[TA]$/')" "" "the shared object exports no data"

# ends: an assertion for each structure with a size that no padding follows its last member
ends() {
	printf '#include <assert.h>\n#include <stddef.h>\n#include <gpmu.h>\n#include <gpmu-source.h>\n'
	cat "$include"/gpmu-source.h "$include"/gpmu/*.h | "${CC:-gcc}" -fpreprocessed -dD -E -P - |
		tr '\n' ' ' | grep -oE 'struct gpmu_[a-z_]+ \{ *size_t size;[^}]*\}' | while read -r _ name text; do
		last=$(grep -oE '\(\*[a-z_]+\)\([^;]*;|[a-z_0-9]+(\[[0-9]+\])?;' <<< "$text" | tail -n 1 | grep -oE '[a-z_]+[0-9]?' | head -n 1)
		printf 'static_assert(offsetof(struct %s, %s) + sizeof(((struct %s *)0)->%s) == sizeof(struct %s), "%s");\n' \
			"$name" "$last" "$name" "$last" "$name" "$name"
	done
}

ends > "$dir/ends.c"
is "$(grep -c static_assert "$dir/ends.c")" "$(cat "$include"/gpmu-source.h "$include"/gpmu/*.h | grep -cE '^.size_t size;')" \
	"each structure with a size is checked for padding"
is "$("${CC:-gcc}" -std=c11 -I "$include" -fsyntax-only "$dir/ends.c" 2>&1)" "" \
	"no structure with a size ends in padding, in which a new member of a newer release would lie"
like "$(objdump -p "$so")" 'SONAME +libgpmu.so.0' "the soname of the shared object has the version of the interface"
done_testing
