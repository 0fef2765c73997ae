#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks user-space C with cppcheck.
. tests/lint/lib.sh

# unusedFunction and missingInclude need the whole program and all headers.
run_cppcheck() {
	cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability \
		--inline-suppr --suppress=missingInclude --suppress=unknownMacro \
		--template='{file}:{line}: {severity}: {message} [{id}]' "$@" 2>&1
}

need git cppcheck
mapfile -t files < <(user_c)
if [ "${#files[@]}" -eq 0 ]; then
	skip "no source" "cppcheck finds nothing in user-space C"
else
	none "$(run_cppcheck "${files[@]}")" "cppcheck finds nothing in ${#files[@]} files of user-space C"
fi
done_testing
