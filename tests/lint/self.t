#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The lints themselves: each is given a repository with one fault of the kind
# it is there for, and has to name the file and line.
. tests/lint/lib.sh

need git
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
git init -q "$dir"
mkdir -p "$dir/tests" "$dir/LICENSES" "$dir/kernel-drivers"
cp -r tests/lint tests/lib "$dir/tests/"
echo text > "$dir/LICENSES/LGPL-2.1-or-later.txt"
echo text > "$dir/LICENSES/GPL-2.0-only.txt"
lgpl="SPDX-License-Identifier: ""LGPL-2.1-or-later"
gpl="SPDX-License-Identifier: ""GPL-2.0-only"
echo "# $gpl" > "$dir/kernel-drivers/Kbuild"

run() {
	(cd "$dir" && "tests/lint/$1.t" 2>&1)
}

# catches LINT FILE CONTENT EREGEX DESCRIPTION: of LINT, when FILE is added
catches() {
	local out

	mkdir -p "$dir/$(dirname "$2")"
	printf '%b\n' "$3" > "$dir/$2"
	out=$(run "$1")
	like "$out" "^# .*$4" "$1.t finds $5"
	rm -f "${dir:?}/$2"
}

repeat() {
	yes "$2" | head -n "$1" | tr '\n' '@' | sed 's/@/\\n/g'
}

like "$(run files)" '^Bail out! git does not list' "where git lists no files nothing passes"
git -C "$dir" add tests
for t in files rst shell driver; do
	unlike "$(run $t)" '^not ok' "$t.t finds nothing in a clean repository"
done
catches files a.c 'int a;' 'a\.c:1: SPDX.*want .LGPL' "a file without a licence line"
catches files kernel-drivers/a.c "// $lgpl" 'kernel-drivers/a\.c:1: .*want .GPL-2' "a driver file under another licence than the kernel's"
catches files LICENSES/MIT.txt 'text' 'no file is under MIT' "a licence text that nothing uses"
catches files a.sh "# $lgpl\ncd /wo""rk/x" 'a\.sh:2:' "a machine path"
catches files a.sh "# $lgpl\nm=http://deb.deb""ian.org/debian" 'a\.sh:2:' "a mirror"
catches files a.c "// $lgpl\n$(repeat 800 'int x;')" 'a\.c:801: more than 800' "a file of 801 lines"
catches files a.c "// $lgpl\nint f(void)\n{\n$(repeat 80 '\tg();')}" 'a\.c:3: a function of 81' "a C function of 81 lines"
catches files a.py "# $lgpl\ndef f():\n$(repeat 81 '    g()')" 'a\.py:2: a function of 81' "a Python function of 81 lines"
catches files a.c "// $lgpl\nint x; " 'a\.c:2:.*trailing' "trailing blanks"
catches files a.sh "#!/bin/sh\n# $lgpl" 'a\.sh:1: .*not executable' "a script that is not executable"
catches files a.json '{\n "a": 1,\n}' 'a\.json:3:' "JSON that does not parse"
catches files a.json '{"a": 1, "a": 2}' 'a\.json: .*twice' "a JSON key that occurs twice"
catches files a.c "// $lgpl\n/* TO""DO */" 'a\.c:2:' "a mark of unfinished work"
catches rst a.rst ".. $lgpl\n\nTitle\n===\n\n\`open" 'a\.rst:6: \(WARNING' "malformed reStructuredText"
catches rst a.md "<!-- $lgpl -->\n[x](gone/b.md)" 'a\.md:2: no file gone/b.md' "a link that leads nowhere"
# shellcheck disable=SC2016 # the fault is in the planted script
catches shell a.sh "#!/bin/sh\n# $lgpl"'\nrm $1/x' 'a\.sh:3:.*SC2086' "an unquoted expansion"
catches driver kernel-drivers/Kbuild "# $gpl\nifeq (\$(VERSION),6)" 'Kbuild:2:' "a question for the kernel's version"
if command -v cppcheck > /dev/null; then
	catches user a.c "// $lgpl\nint f(void)\n{\n\tint a[2];\n\n\treturn a[2];\n}" 'a\.c:6: error' "an index out of bounds"
fi
done_testing
