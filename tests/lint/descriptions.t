#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Test descriptions are whole statements: descriptions.py documents the rules.
. tests/lint/lib.sh

check() {
	{ tracked 'tests/*.[ch]'; scripts | grep '^tests/'; } | sort -u |
		xargs -r -d '\n' tests/lint/descriptions.py
}

need git python3
none "$(check)" "each test description has at least four words and does not begin as a fragment"
done_testing
