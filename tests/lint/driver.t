#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks the sources of modules with the kernel's own tools from the kernel source
# package, that the driver distinguishes kernels by capability (compat/), and that its files
# call each other in one direction.
. tests/lint/lib.sh

check_versions() {
	text 'kernel-drivers/*' | xargs -r -d '\n' \
		grep -HnE 'LINUX_VERSION_(CODE|MAJOR)|KERNEL_VERSION|linux/version\.h|\$\(?\{?(VERSION|PATCHLEVEL|SUBLEVEL)\b' --
}

# Clocks that wait while another CPU updates the timekeeper: a counter is read under a lock, also in an NMI.
waiting_clocks() { # FOLDER
	grep -HnE '\b(hrtimer_forward_now|hrtimer_cb_get_time|ktime_get(_ns|_raw)?)\(' "$1"/*.c | grep -v '/\*'
}

# Calls that run up the list of files at the head of FOLDER/cspmu.h
calls_up() { # FOLDER
	awk '
		FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }
		file == "cspmu.h" { if (/^ \*   [a-z_]+\.c /) rank[$2] = ++files; next }
		/^[ \t]*\/?\*/ { next }
		/^[a-z]/ && match($0, /grace_[a-z0-9_]+\(/) { owner[substr($0, RSTART, RLENGTH)] = file }
		{ line[++lines] = $0; of[lines] = file }
		END {
			for (i = 1; i <= lines; i++) {
				if (!rank[of[i]])
					print of[i] " is not in the list"
				for (s = line[i]; match(s, /grace_[a-z0-9_]+\(/); s = substr(s, RSTART + RLENGTH)) {
					name = substr(s, RSTART, RLENGTH)
					if (name in owner && rank[owner[name]] < rank[of[i]])
						print of[i] " calls " name ") of " owner[name]
				}
			}
		}' "$1/cspmu.h" "$1"/*.c | sort -u
}

# --no-tree: the sources are outside of a kernel tree, so there is no MAINTAINERS or
# Documentation.
check_patch() {
	"$src/scripts/checkpatch.pl" --no-tree --strict --terse --no-summary --show-types --file "$@" |
		sed 's/: \(ERROR\|WARNING\|CHECK\):/ &/; s/ : / /'
}

need git perl python3
files=$(kernel_c)
none "$(check_versions)" "kernel-drivers does not check the kernel version"
if [ -z "$files" ]; then
	skip "no source" "a file of kernel-drivers calls only files below it in the list of cspmu.h"
	skip "no source" "the driver reads no clock that waits for an update of the timekeeper"
	skip "no source" "checkpatch --strict finds nothing in the modules"
	skip "no source" "kernel-doc finds nothing in the modules"
	done_testing
fi
none "$(calls_up kernel-drivers)" "a file of kernel-drivers calls only files below it in the list of cspmu.h"
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
cp kernel-drivers/*.[ch] "$planted"
echo 'void planted(void) { grace_core_exit(); }' >>"$planted/apmt.c"
echo 'void late(struct hrtimer *timer) { hrtimer_forward_now(timer, 1); }' >>"$planted/lock.c"
none "$(waiting_clocks kernel-drivers)" "the driver reads no clock that waits for an update of the timekeeper"
like "$(waiting_clocks "$planted")" '^[^:]*/lock\.c:[0-9]+:void late' "a planted clock that waits is reported"
is "$(calls_up "$planted")" "apmt.c calls grace_core_exit() of core.c" "a planted call to a file above is reported"
src=$(kernel_source 7.3) || exit 1
mapfile -t files <<< "$files"
none "$(check_patch "${files[@]}")" "checkpatch --strict finds nothing in the modules"
none "$("$src/tools/docs/kernel-doc" -none -Wall "${files[@]}" 2>&1)" "kernel-doc finds nothing in the modules"
done_testing
