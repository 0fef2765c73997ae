#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The lints themselves: each runs on a repository with one planted fault and must
# print its file and line.
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

# catches LINT FILE CONTENT EREGEX DESCRIPTION: a test that LINT finds DESCRIPTION in the added FILE
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

like "$(run files)" '^Bail out! git does not list' "the lints bail out if git lists no files"
git -C "$dir" add tests
for t in files rst shell descriptions driver; do
	unlike "$(run $t)" '^not ok' "$t.t finds nothing in a clean repository"
done
catches files a.c 'int a;' 'a\.c:1: SPDX.*want .LGPL' "a file without a licence line"
catches files kernel-drivers/a.c "// $lgpl" 'kernel-drivers/a\.c:1: .*want .GPL-2' "a driver file under a licence other than the kernel's"
catches files LICENSES/MIT.txt 'text' 'no file is under MIT' "an unused licence text"
catches files a.sh "# $lgpl\ncd /wo""rk/x" 'a\.sh:2:' "a machine path"
catches files a.sh "# $lgpl\nm=http://deb.deb""ian.org/debian" 'a\.sh:2:' "a mirror"
catches files a.c "// $lgpl\n$(repeat 800 'int x;')" 'a\.c:801: more than 800' "a file of 801 lines"
catches files a.c "// $lgpl\nint f(void)\n{\n$(repeat 80 '\tg();')}" 'a\.c:3: a function of 81' "a C function of 81 lines"
catches files a.py "# $lgpl\ndef f():\n$(repeat 81 '    g()')" 'a\.py:2: a function of 81' "a Python function of 81 lines"
catches files a.c "// $lgpl\nint x; " 'a\.c:2:.*trailing' "trailing blanks"
catches files a.sh "#!/bin/sh\n# $lgpl" 'a\.sh:1: .*not executable' "a script that is not executable"
catches files a.json '{\n "a": 1,\n}' 'a\.json:3:' "JSON that does not parse"
catches files a.json '{"a": 1, "a": 2}' 'a\.json: .*twice' "a JSON key that occurs twice"
catches files tools/a.c "// $lgpl\nint f(void) { return syscall(SYS_perf_event_open); }" 'tools/a\.c:2:' \
	"an event that is opened elsewhere"
catches files tools/a.c "// $lgpl\nconst char *f(void) { return getenv(\"TMPDIR\"); }" 'tools/a\.c:2:' \
	"a variable that is read by getenv()"
catches files a.c "// $lgpl\n/* TO""DO */" 'a\.c:2:' "a mark of unfinished work"
catches rst a.rst ".. $lgpl\n\nTitle\n===\n\n\`open" 'a\.rst:6: \(WARNING' "malformed reStructuredText"
catches rst a.md "<!-- $lgpl -->\n[x](gone/b.md)" 'a\.md:2: no file gone/b.md' "a link without a target"
# shellcheck disable=SC2016 # the fault is in the planted script
catches shell a.sh "#!/bin/sh\n# $lgpl"'\nrm $1/x' 'a\.sh:3:.*SC2086' "an unquoted expansion"
c_test="// $lgpl\n#include \"lib/tap.h\"\n"
sh_test="#!/bin/bash\n# $lgpl\n. tests/lib/tap.sh\n"
catches descriptions tests/a.c "${c_test}int main(void)\n{\n\tok(1, \"and the count is exact\");\n}" 'tests/a\.c:5: .*begins with "and"' "a C description that begins with and"
catches descriptions tests/a.c "${c_test}int main(void)\n{\n\tis_u64(1, 1, \"the count\"\n\t\t\" grows\");\n}" 'tests/a\.c:5: the count grows: .*fewer' "a C description of three words"
catches descriptions tests/a.c "${c_test}static void helper(int x, const char *what)\n{\n\tok(x, \"%s\", what);\n}\nint main(void)\n{\n\thelper(1, \"a read\");\n}" 'tests/a\.c:9: a read' "a fragment that a C helper passes on"
catches descriptions tests/a.c "${c_test}static const struct { int x; const char *what; } cases[] = {\n\t{ 1, \"also a write\" },\n};\nint main(void)\n{\n\tok(cases[0].x, \"%s\", cases[0].what);\n}" 'tests/a\.c:4: also a write' "a fragment in a table of C"
catches descriptions tests/a.sh "${sh_test}is 1 1 \"so is the other one\"" 'tests/a\.sh:4: .*begins with "so"' "a shell description that begins with so"
catches descriptions tests/a.sh "${sh_test}ok \$? \"%s\" || diag 1\nlike a a 'which count'" 'tests/a\.sh:5: which count' "a shell description of two words"
catches descriptions tests/a.sh "${sh_test}helper() {\n\tis \"\$1\" 1 \"\$2\"\n}\nhelper 1 'it says why'" 'tests/a\.sh:7: it says why' "a fragment that a shell function passes on"
catches descriptions tests/a.sh "${sh_test}skip \"no module\" \"machine: nor is the second one loaded\"" 'tests/a\.sh:4: .*begins with "nor"' "a fragment after a prefix"
catches driver kernel-drivers/Kbuild "# $gpl\nifeq (\$(VERSION),6)" 'Kbuild:2:' "a check of the kernel's version"
if command -v cppcheck > /dev/null; then
	catches user a.c "// $lgpl\nint f(void)\n{\n\tint a[2];\n\n\treturn a[2];\n}" 'a\.c:6: error' "an index out of bounds"
fi
done_testing
