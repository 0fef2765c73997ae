# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Functions of the rig's scripts. $vm is this folder, $top the project's.
# shellcheck disable=SC2034

vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${vm%/tests/vm}
export GPMU_CACHE=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
case $GPMU_CACHE in /*) ;; *) GPMU_CACHE=$PWD/$GPMU_CACHE ;; esac
cache=$GPMU_CACHE

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# The names of the kernels from packages; "debug" is built from source
kernel_names() {
	awk -F '\t' '!/^#/ { print $1 }' "$vm/kernels.tsv"
}

# kernel_field NAME COLUMN: a column of kernels.tsv
kernel_field() {
	awk -F '\t' -v name="$1" -v column="$2" \
		'!/^#/ && $1 == name { print $column; found = 1 } END { exit !found }' \
		"$vm/kernels.tsv" || die "no kernel $1 in $vm/kernels.tsv"
}

# kernel_source NAME: the version of the source that the kernel was built from
kernel_source() {
	if [ "$1" = debug ]; then
		kernel_field 7.3 3
	else
		kernel_field "$1" 3
	fi
}
