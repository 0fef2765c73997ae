#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Identifiers and comments can be understood without their surroundings: words.py documents the rules.
. tests/lint/lib.sh

need git python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# names CODE: the names that words.py refuses in a file of these lines
names() {
	printf '%b\n' "$1" > "$work/planted.c"
	tests/lint/words.py "$work/planted.c" | sed 's/^[^ ]* //; s/:.*//' | tr '\n' ' '
}

is "$(names 'char *at = one[2], *attach;')" "at one " "an identifier named at or one is refused"
is "$(names 'static bool late = f(1, 2), *is_on, full[2];')" "late full " "a bool variable that is no statement is refused"
is "$(names 'int f(const bool *found,\n\tbool is_one, bool last);')" "found last " "a bool parameter that is no statement is refused"
is "$(names 'struct a {\n\tbool ended, has_end;\n\tbool used:1;\n};')" "ended used " "a bool member that is no statement is refused"
is "$(names 'bool fits(bool (*takes)(bool can_wait), int at_end);\nb = (bool)ended; /* bool late; */ s = "bool at;";')" "" \
	"functions that return bool, casts, comments and literals are not refused"
none "$(tracked '*.[ch]' '*.cu' | xargs -r -d '\n' tests/lint/words.py)" \
	"no identifier is a preposition or pronoun, limits are max or min, a bool is a statement, and each comment begins with a subject or a verb"
done_testing
