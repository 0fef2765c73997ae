#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks of every text file of the repository: licence line, size, forbidden names,
# syntax of JSON.
. tests/lint/lib.sh

# JSON has no comments, a recording is unmodified output, a licence text has no licence.
licensed() {
	text ':!LICENSES/*' ':!*.json' ':!tests/data/perf-output/*.csv' ':!tests/data/gpu/*.csv'
}

# spdx: prints each licensed file, a tab, and the licence that one of its first lines names
spdx() {
	# shellcheck disable=SC2016 # $0 is awk's
	licensed | xargs -r -d '\n' awk '
		FNR == 1 {
			if (file) print file "\t" id
			file = FILENAME
			id = ""
		}
		FNR <= 5 && !id && match($0, /SPDX-License-Identifier: *[A-Za-z0-9.+-]+/) {
			id = substr($0, RSTART, RLENGTH)
			sub(/.*: */, "", id)
		}
		END { if (file) print file "\t" id }'
}

# A module has the kernel's licence, and so have patches for upstream. Sets $want.
want_spdx() {
	local dir=$1

	want=GPL-2.0-only
	case $1 in
	perfmod/upstream/*/*) return ;;
	esac
	while [ "$dir" != "${dir%/*}" ]; do
		dir=${dir%/*}
		[ ! -e "$dir/Kbuild" ] || return
	done
	want=LGPL-2.1-or-later
}

check_spdx() {
	local f id want

	spdx | while IFS=$'\t' read -r f id; do
		want_spdx "$f"
		[ "$id" = "$want" ] || echo "$f:1: SPDX-License-Identifier is '$id', want '$want'"
	done
}

licence_texts() {
	tracked 'LICENSES/*' | sed 's|^LICENSES/||; s|\.txt$||' | sort -u
}

check_licence_texts() {
	local used

	used=$(spdx | cut -f 2 | grep . | sort -u)
	comm -23 <(echo "$used") <(licence_texts) | sed '/^$/d; s/.*/LICENSES: no text of &/'
	comm -13 <(echo "$used") <(licence_texts) | sed 's/.*/LICENSES: no file is under &/'
}

check_machine_paths() {
	text ':!LICENSES/*' | xargs -r -d '\n' \
		grep -HnE '(^|[^[:alnum:]_.~})/-])/(work|root|home)/[[:alnum:]_.]' --
}

# A mirror belongs in the machine's apt configuration, not in the repository.
check_mirrors() {
	local hosts

	hosts=$(grep -rhoE '^[^#]*https?://[^/: ]+' /etc/apt/sources.list /etc/apt/sources.list.d 2> /dev/null |
		sed 's|.*://||' | grep -vE '^(localhost|[0-9.]+)$' | sort -u)
	text . | xargs -r -d '\n' grep -HnE '(deb|ftp[a-z.]*|security|snapshot|archive|mirrors?)\.(debian|ubuntu)\.(org|com)' --
	[ -z "$hosts" ] || text . | xargs -r -d '\n' grep -HnFe "$hosts" --
}

check_length() {
	text ':!LICENSES/*' ':!*.json' ':!*.tsv' | xargs -r -d '\n' awk '
		FNR == 801 { print FILENAME ":801: more than 800 lines" }'
}

# A function of C begins with { in the first column, one of a script with
# "name() {"; both end with } there.
check_functions() {
	{ tracked '*.[ch]'; scripts; } | sort -u | xargs -r -d '\n' awk '
		FNR == 1 { start = 0 }
		/^\{[ \t]*$/ || /^[a-zA-Z_][a-zA-Z0-9_]*\(\) *[{(]$/ { start = FNR; next }
		/^[})]/ && start {
			if (FNR - start > 80)
				print FILENAME ":" start ": a function of " FNR - start " lines"
			start = 0
		}'
	tracked '*.py' | xargs -r -d '\n' python3 -c '
import ast, sys
for path in sys.argv[1:]:
    for node in ast.walk(ast.parse(open(path).read(), path)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno > 80:
            print(f"{path}:{node.lineno}: a function of {node.end_lineno - node.lineno} lines")'
}

check_whitespace() {
	text ':!LICENSES/*' ':!*.patch' | xargs -r -d '\n' grep -HnE '[[:blank:]]+$' -- | sed 's/$/: trailing blanks/'
	text . | xargs -r -d '\n' python3 -c '
import sys
for path in sys.argv[1:]:
    if not open(path, "rb").read().endswith(b"\n"):
        print(f"{path}: no newline at the end")'
}

check_modes() {
	text . | xargs -r -d '\n' python3 -c '
import os, sys
for path in sys.argv[1:]:
    interpreter, executable = open(path, "rb").read(2) == b"#!", os.stat(path).st_mode & 0o111
    if interpreter and not executable:
        print(f"{path}:1: has an interpreter but is not executable")
    elif executable and not interpreter:
        print(f"{path}:1: is executable but names no interpreter")'
}

check_json() {
	# The output of perf's -j is one JSON text per line.
	tracked '*.json' ':!tests/data/perf-output/*' | xargs -r -d '\n' python3 -c '
import json, sys
def unique(pairs):
    keys = [key for key, value in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"key {key!r} occurs twice in one object")
    return dict(pairs)
for path in sys.argv[1:]:
    try:
        json.load(open(path, encoding="utf-8"), object_pairs_hook=unique)
    except json.JSONDecodeError as e:
        print(f"{path}:{e.lineno}: {e.msg}")
    except ValueError as e:
        print(f"{path}: {e}")'
}

check_unfinished() {
	text ':!LICENSES/*' | xargs -r -d '\n' grep -HnE '\b(TO''DO|FIX''ME|X''XX)\b' -- | grep -v '/# TO''DO/'
}

check_folders() {
	tracked 'metrics/*.[ch]' 'tools/*.[ch]' 'kernel-drivers/*.[ch]' | xargs -r -d '\n' -n 1 dirname | sort | uniq -c |
		awk '$1 > 30 { print $2 ": a folder of " $1 " files" }'
}

# Only one function opens perf events, so that all are close-on-exec.
check_event_opens() {
	tracked 'metrics/*.[ch]' 'tools/*.[ch]' ':!metrics/event/event_fd.c' | xargs -r -d '\n' \
		grep -HnE '(SYS|__NR)_perf_event_open|perf_evsel__open' --
}

# A program with capabilities must not take the name of a file from its user's environment. The exceptions name variables
# that are no files, or that gpmu only hides from others or passes on.
check_variables() {
	tracked 'metrics/*.[ch]' 'tools/*.[ch]' ':!metrics/record/recorder_inject.c' \
		':!metrics/sources/cupti/library/driver.c' ':!tools/record/record_path.c' | xargs -r -d '\n' \
		grep -HnE '(^|[^_[:alnum:]])getenv\(' -- | grep -vE '\bgetenv\("(NO_COLOR|TERM)"\)'
}

need git python3
none "$(check_spdx)" "each file names the licence of its folder in an SPDX line"
none "$(check_licence_texts)" "LICENSES holds the texts of the licences in use and no other"
none "$(check_machine_paths)" "no file names a directory of a developer's machine"
none "$(check_mirrors)" "no file names a package mirror"
none "$(check_length)" "no file has more than 800 lines"
none "$(check_functions)" "no function has more than 80 lines"
none "$(check_folders)" "no folder of sources has more than 30 files"
none "$(check_whitespace)" "no line ends in blanks, each file ends in a newline"
none "$(check_modes)" "a file is executable if and only if it names its interpreter"
none "$(check_json)" "each JSON file parses and has no key twice in one object"
none "$(check_event_opens)" "metrics/event/event_fd.c alone opens perf events"
none "$(check_variables)" "variables that name files are read by secure_getenv()"
none "$(check_unfinished)" "no file has a mark of unfinished work"
done_testing
