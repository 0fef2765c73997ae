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

# The names of the kernels from packages, and of those that build-kernel builds
packaged_kernels() {
	awk -F '\t' '!/^#/ && $5 != "-" { print $1 }' "$vm/kernels.tsv"
}
built_kernels() {
	awk -F '\t' '$5 == "-" { print $1 }' "$vm/kernels.tsv"
}

# is_built NAME
is_built() {
	built_kernels | grep -qx -- "$1"
}

# kernel_field NAME COLUMN: a column of kernels.tsv. A headers package has the release and
# the compiler of the kernels of its release.
kernel_field() {
	case $1 in
	linux-headers-*+deb13-*) set -- 7.3 "$2" "$1" ;;
	linux-headers-*) set -- 6.1 "$2" "$1" ;;
	esac
	if [ $# = 3 ] && [ "$2" = 5 ]; then
		echo "${3//+/\\+}"
		return
	fi
	awk -F '\t' -v name="$1" -v column="$2" \
		'!/^#/ && $1 == name { print $column; found = 1 } END { exit !found }' \
		"$vm/kernels.tsv" || die "no kernel $1 in $vm/kernels.tsv"
}
