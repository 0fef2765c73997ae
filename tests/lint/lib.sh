# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Functions for the lints: lists of files, and TAP from findings. A check prints its
# findings as "file:line: text" and passes if there are none.

. tests/lib/tap.sh

git ls-files --error-unmatch tests/lint/lib.sh >/dev/null ||
	bail "git does not list this project's files (above): the lints would check nothing"

# tracked PATTERN...: files of the repository, also those not yet committed
tracked() {
	git ls-files --cached --others --exclude-standard --exclude=/build/ -- "$@" | while IFS= read -r f; do
		[ -f "$f" ] && [ ! -L "$f" ] && printf '%s\n' "$f"
	done | sort -u
}

# text PATTERN...: like tracked, only text files
text() {
	tracked "$@" | xargs -r -d '\n' grep -IlE '' 2> /dev/null
}

# kernel_folders: pathspecs of the files in the folders of modules
kernel_folders() {
	tracked '*/Kbuild' | sed 's|/Kbuild$|/*|'
}

# kernel_c: the C of modules; user_c: all other C
kernel_c() {
	local folders

	mapfile -t folders < <(kernel_folders)
	[ "${#folders[@]}" -eq 0 ] || tracked "${folders[@]}" | grep '\.[ch]$'
}

user_c() {
	comm -23 <(tracked '*.[ch]') <(kernel_c)
}

# scripts: files that bash or a POSIX shell runs or sources
scripts() {
	text . | xargs -r -d '\n' awk '
		FNR == 1 { found = 0 }
		FNR <= 3 && !found && /^#!(.*[^[:alnum:]_])?(ba|da)?sh([^[:alnum:]_]|$)|^# shellcheck shell=/ {
			found = 1
			print FILENAME
		}'
}

# c_flags: compiler options to parse user-space C, one per line. Only quoted includes see our
# folders, as metrics/base has a strings.h.
c_flags() {
	printf '%s\n' -std=gnu11 -D_GNU_SOURCE -DGPMU_VERSION='""' -Imetrics/include -iquote. -iquotemetrics -iquotetests/unit -iquotetools
	user_c | sed -n 's|/[^/]*\.h$||p' | grep -vx metrics/include/gpmu | sort -ru | sed 's|^|-iquote|'
}

# none FINDINGS DESCRIPTION: passes if FINDINGS is empty
none() {
	if [ -z "$1" ]; then
		ok 0 "$2"
	else
		ok 1 "$2"
		diag "$(head -n 50 <<< "$1")"
		diag "findings: $(wc -l <<< "$1")"
	fi
}

# need COMMAND...: bails out if a tool is missing, as the lint would pass any code
need() {
	local c

	for c in "$@"; do
		command -v "$c" > /dev/null || bail "$c is not installed: run ./setup"
	done
}

# kernel_source VERSION: unpacks the source if necessary and prints its path
kernel_source() {
	tests/vm/fetch source "$1" >&2 || bail "no kernel source $1"
	echo "${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}/source/$1"
}

# kernels: names of the kernels from packages
kernels() {
	awk -F '\t' '!/^#/ && $5 != "-" { print $1 }' tests/vm/kernels.tsv
}
