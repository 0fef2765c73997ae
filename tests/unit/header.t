#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu.h for programs in C and C++, and what libgpmu exports: the functions that
# the header has, those that gpmu.map lists, and those in the shared object.

. tests/lib/tap.sh

header=metrics/include/gpmu.h
so=${B:-build}/libgpmu.so.0
[ -e "$so" ] || bail "no $so: make it first"

# compile COMPILER STANDARD LANGUAGE: what it says to the header alone
compile() {
	"$1" "-std=$2" -x "$3" -pedantic -Wall -Wextra -Werror -fsyntax-only "$header" 2>&1 |
		grep -v 'pragma once'
}

# The names before "(" once comments are gone
functions() {
	"${CC:-gcc}" -fpreprocessed -dD -E -P "$header" |
		grep -oE '\bgpmu_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u
}

is "$(compile "${CC:-gcc}" c11 c)" "" "gpmu.h compiles by itself as C11"
is "$(compile "${CXX:-g++}" c++11 c++)" "" "gpmu.h compiles by itself as C++11"
[ "$(functions | wc -l)" -gt 3 ]
ok $? "the header has functions"
is "$(grep -oE '^\s+gpmu_[a-z0-9_]+;' metrics/gpmu.map | tr -d '\t ;' | sort -u)" "$(functions)" \
	"gpmu.map lists the functions of the header"
is "$(nm -D --defined-only "$so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort -u)" "$(functions)" \
	"the shared object exports those functions"
is "$(nm -D --defined-only "$so" | awk '$2 !~ /^[TA]$/')" "" "and no data"
like "$(objdump -p "$so")" 'SONAME +libgpmu.so.0' "its name has the version of its interface"
done_testing
