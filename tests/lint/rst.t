#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Documentation: reStructuredText renders, targets of links inside the repository exist, and
# so do the files of C that a README names.
. tests/lint/lib.sh

# Messages of level 1, "info", and above
check_rst() {
	{ tracked '*.rst' | xargs -r -d '\n' python3 -c '
import sys
from docutils.core import publish_string
for path in sys.argv[1:]:
    publish_string(open(path, encoding="utf-8").read(), source_path=path, writer_name="html5",
                   settings_overrides={"report_level": 1, "halt_level": 5, "file_insertion_enabled": False})
' > /dev/null; } 2>&1
}

# [text](path) in Markdown, `text <path>`_ in reStructuredText
check_links() {
	local f line target

	tracked '*.md' '*.rst' | while IFS= read -r f; do
		# shellcheck disable=SC2016 # the backquotes are reStructuredText
		grep -noE '\]\([^)# ]+|`[^`]*<[^>#]+>`_' "$f" | while IFS=: read -r line target; do
			target=${target##*[(<]}
			target=${target%%>*}
			case $target in
			*://*|mailto:*) continue ;;
			esac
			[ -e "$(dirname "$f")/$target" ] || echo "$f:$line: no file $target"
		done
	done
}

# `name.c`, `name*.h`, `folder/name.c`: anywhere in the repository, because a folder's README also names public headers.
# Names with capitals, SUBCOMMAND.c, stand for others. READMEs of perfmod name files of Linux.
check_names() {
	# shellcheck disable=SC2016 # the backquotes are Markdown
	{ tracked '*.[ch]'; echo; tracked '*README.md' '*README.rst' ':!perfmod'; } | python3 -c '
import fnmatch, re, sys
files, readmes = (part.split("\n") for part in sys.stdin.read().rstrip("\n").split("\n\n"))
for readme in readmes:
    for number, line in enumerate(open(readme, encoding="utf-8"), 1):
        for name in re.findall(r"`([a-z0-9_/*.-]+\.[ch])`", line):
            if not fnmatch.filter(["/" + file for file in files], "*/" + name):
                print(f"{readme}:{number}: no file {name}")'
}

need git python3
python3 -c 'import docutils' 2> /dev/null || bail "python3-docutils is not installed: run ./setup"
none "$(check_rst)" "each .rst file renders without a message from docutils"
none "$(check_links)" "the target of each link to a file of the repository exists in .md and .rst files"
none "$(check_names)" "each file of C that a README names exists"
done_testing
