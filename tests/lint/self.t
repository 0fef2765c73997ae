#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The lints themselves: each runs on a repository with planted faults, each in a file of its own, and must print the file and
# line of each.
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

# plant LINT FILE CONTENT EREGEX DESCRIPTION: adds FILE, in which LINT has to find DESCRIPTION by a message that matches
plant() {
	mkdir -p "$dir/$(dirname "$2")"
	printf '%b\n' "$3" > "$dir/$2"
	files+=("$2") expected+=("$4") descriptions+=("$1.t finds $5")
}

# caught LINT: a test for each planted fault that LINT finds it; removes them
caught() {
	local out i

	out=$(run "$1")
	for i in "${!files[@]}"; do
		like "$out" "^# .*${expected[i]}" "${descriptions[i]}"
		rm -f "${dir:?}/${files[i]}"
	done
	files=() expected=() descriptions=()
}

repeat() {
	yes "$2" | head -n "$1" | tr '\n' '@' | sed 's/@/\\n/g'
}

like "$(run files)" '^Bail out! git does not list' "the lints bail out if git lists no files"
git -C "$dir" add tests
for t in files rst shell descriptions words driver; do
	unlike "$(run $t)" '^not ok' "$t.t finds nothing in a clean repository"
done
plant files no-licence.c 'int a;' 'no-licence\.c:1: SPDX.*want .LGPL' "a file without a licence line"
plant files kernel-drivers/driver-licence.c "// $lgpl" 'kernel-drivers/driver-licence\.c:1: .*want .GPL-2' "a driver file under a licence other than the kernel's"
plant files LICENSES/MIT.txt 'text' 'no file is under MIT' "an unused licence text"
plant files machine.sh "# $lgpl\ncd /wo""rk/x" 'machine\.sh:2:' "a machine path"
plant files mirror.sh "# $lgpl\nm=http://deb.deb""ian.org/debian" 'mirror\.sh:2:' "a mirror"
plant files long.c "// $lgpl\n$(repeat 800 'int x;')" 'long\.c:801: more than 800' "a file of 801 lines"
plant files function.c "// $lgpl\nint f(void)\n{\n$(repeat 80 '\tg();')}" 'function\.c:3: a function of 81' "a C function of 81 lines"
plant files function-py.py "# $lgpl\ndef f():\n$(repeat 81 '    g()')" 'function-py\.py:2: a function of 81' "a Python function of 81 lines"
plant files blanks.c "// $lgpl\nint x; " 'blanks\.c:2:.*trailing' "trailing blanks"
plant files mode.sh "#!/bin/sh\n# $lgpl" 'mode\.sh:1: .*not executable' "a script that is not executable"
plant files json.json '{\n "a": 1,\n}' 'json\.json:3:' "JSON that does not parse"
plant files twice.json '{"a": 1, "a": 2}' 'twice\.json: .*twice' "a JSON key that occurs twice"
plant files tools/events.c "// $lgpl\nint f(void) { return syscall(SYS_perf_event_open); }" 'tools/events\.c:2:' \
	"an event that is opened elsewhere"
plant files tools/getenv.c "// $lgpl\nconst char *f(void) { return getenv(\"TMPDIR\"); }" 'tools/getenv\.c:2:' \
	"a variable that is read by getenv()"
plant files unfinished.c "// $lgpl\n/* TO""DO */" 'unfinished\.c:2:' "a mark of unfinished work"
caught files
plant rst title.rst ".. $lgpl\n\nTitle\n===\n\n\`open" 'title\.rst:6: \(WARNING' "malformed reStructuredText"
plant rst link.md "<!-- $lgpl -->\n[x](gone/b.md)" 'link\.md:2: no file gone/b.md' "a link without a target"
plant rst README.md "<!-- $lgpl -->\n| \`gone.c\` | \`lib/tap.h\` |" 'README\.md:2: no file gone\.c' "a README that names an absent file"
caught rst
# shellcheck disable=SC2016 # the fault is in the planted script
plant shell quote.sh "#!/bin/sh\n# $lgpl"'\nrm $1/x' 'quote\.sh:3:.*SC2086' "an unquoted expansion"
caught shell
c_test="// $lgpl\n#include \"lib/tap.h\"\n"
sh_test="#!/bin/bash\n# $lgpl\n. tests/lib/tap.sh\n"
plant descriptions tests/begins.c "${c_test}int main(void)\n{\n\tok(1, \"and the count is exact\");\n}" 'tests/begins\.c:5: .*begins with "and"' "a C description that begins with and"
plant descriptions tests/words.c "${c_test}int main(void)\n{\n\tis_u64(1, 1, \"the count\"\n\t\t\" grows\");\n}" 'tests/words\.c:5: the count grows: .*fewer' "a C description of three words"
plant descriptions tests/c-helper.c "${c_test}static void helper(int x, const char *what)\n{\n\tok(x, \"%s\", what);\n}\nint main(void)\n{\n\thelper(1, \"a read\");\n}" 'tests/c-helper\.c:9: a read' "a fragment that a C helper passes on"
plant descriptions tests/table.c "${c_test}static const struct { int x; const char *what; } cases[] = {\n\t{ 1, \"also a write\" },\n};\nint main(void)\n{\n\tok(cases[0].x, \"%s\", cases[0].what);\n}" 'tests/table\.c:4: also a write' "a fragment in a table of C"
plant descriptions tests/so.sh "${sh_test}is 1 1 \"so is the other one\"" 'tests/so\.sh:4: .*begins with "so"' "a shell description that begins with so"
plant descriptions tests/two-words.sh "${sh_test}ok \$? \"%s\" || diag 1\nlike a a 'which count'" 'tests/two-words\.sh:5: which count' "a shell description of two words"
plant descriptions tests/sh-helper.sh "${sh_test}helper() {\n\tis \"\$1\" 1 \"\$2\"\n}\nhelper 1 'it says why'" 'tests/sh-helper\.sh:7: it says why' "a fragment that a shell function passes on"
plant descriptions tests/prefix.sh "${sh_test}skip \"no module\" \"machine: nor is the second one loaded\"" 'tests/prefix\.sh:4: .*begins with "nor"' "a fragment after a prefix"
caught descriptions
plant words of.c "// $lgpl\nint of;" 'of\.c:2: of: name the thing' "an identifier that is a preposition"
plant words bool.c "// $lgpl\nstatic bool late;" 'bool\.c:2: late: a bool begins with' "a bool that is no statement"
plant words limit.h "// $lgpl\n#define NAME_MOST 3" 'limit\.h:2: NAME_MOST: use max' "a limit that is not called max"
plant words comment.c "// $lgpl\n/* Whether a is b */\nint a;" 'comment\.c:2: .*begins with "Whether"' "a comment without a subject"
caught words
plant driver kernel-drivers/Kbuild "# $gpl\nifeq (\$(VERSION),6)" 'Kbuild:2:' "a check of the kernel's version"
caught driver
if command -v cppcheck > /dev/null; then
	plant user bounds.c "// $lgpl\nint f(void)\n{\n\tint a[2];\n\n\treturn a[2];\n}" 'bounds\.c:6: error' "an index out of bounds"
	caught user
fi
done_testing
