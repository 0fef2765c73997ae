#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks scripts with shellcheck.
. tests/lint/lib.sh

# A sourced file is checked on its own; its path is not always known
# statically (SC1090, SC1091).
check() {
	xargs -r -d '\n' shellcheck --format=gcc --exclude=SC1090,SC1091 --source-path=. --external-sources "$@"
}

need git shellcheck
guest='^tests/vm/(t|guest|init)'
none "$(scripts | grep -vE "$guest" | check)" "shellcheck finds nothing in the scripts of the host"
# Guest scripts are sh without arrays: lists are words, split by expansion without quotes.
none "$(scripts | grep -E "$guest" | check --severity=warning --exclude=SC2046)" "shellcheck warns of nothing in the scripts of the guest"
done_testing
