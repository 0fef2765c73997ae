#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The TAP producers: a test that checks nothing fails. prove would report it as skipped.
. tests/lib/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

out=$(bash -c '. tests/lib/tap.sh; done_testing')
is "$? $out" $'1 not ok 1 - the script has at least one test\n1..1' "tap.sh: a script without any test fails"

printf '#include "tap.h"\nint main(void) { return done_testing(); }\n' > "$tmp/empty.c"
"${CC:-cc}" -Itests/lib -o "$tmp/empty" "$tmp/empty.c" || bail "no compiler"
out=$("$tmp/empty")
is "$? $out" $'1 not ok 1 - the program has at least one test\n1..1' "tap.h: a program without any test fails"

mkdir "$tmp/bin"
printf '#!/bin/sh\necho wrapper\n' > "$tmp/bin/python3"
chmod +x "$tmp/bin/python3"
out=$(PATH=$tmp/bin:$PATH bash -c '. tests/lib/tap.sh; python3 -c "import sys; print(sys.executable)"')
is "$(realpath "$out")" "$(realpath /usr/bin/python3)" "tap.sh: scripts run the distribution's python3, not one before it in PATH"

done_testing
