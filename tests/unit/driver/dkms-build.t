#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# DKMS builds and installs the driver for each kernel, in folders of this test: for the oldest and
# the newest kernel, with LONG=1 for all. The machine's own dkms builds for arm64 with cross headers.
. tests/lib/tap.sh

command -v dkms > /dev/null || bail "dkms is not installed: run ./setup"
cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

archive=$(kernel-drivers/make-dkms "$work" | grep 'tar\.gz$')
mkdir "$work/source" "$work/tree" "$work/modules"
tar -C "$work/source" -xzf "$archive"

# run ACTION KERNEL
run() {
	dkms "$1" --dkmstree "$work/tree" --sourcetree "$work/source" --installtree "$work/modules" \
		-m grace-cspmu -v 0.1.0 -k "$(cat "$cache/kernel/$2/release")" -a aarch64 \
		--kernelsourcedir "$cache/kernel/$2/headers" --no-depmod > "$work/log" 2>&1
}

while read -r kernel _; do
	case ${LONG:-}$kernel in 1* | 6.1 | 7.3) ;; *) continue ;; esac
	tests/vm/fetch kernel "$kernel" || bail "no kernel $kernel"
	release=$(cat "$cache/kernel/$kernel/release")
	mkdir "$work/modules/$release"
	run build "$kernel"
	ok $? "DKMS: dkms build succeeds for $kernel" || diag "$(tail -n 20 "$work/log")"
	run install "$kernel"
	ok $? "DKMS: dkms install succeeds for $kernel" || diag "$(tail -n 20 "$work/log")"
	module=$(find "$work/modules/$release" -name 'grace_cspmu.ko*')
	like "$module" '/updates/dkms/grace_cspmu\.ko(\.xz)?$' \
		"DKMS: the module for $kernel is below updates/dkms"
	case $module in *.xz) xz -d "$module" && module=${module%.xz} ;; esac
	is "$(modinfo -F vermagic "$module" | cut -d ' ' -f 1)" "$release" "DKMS: the module's vermagic is $kernel's"
	run remove "$kernel"
	is "$(find "$work/modules" -name 'grace_cspmu*')" "" "DKMS: dkms remove leaves no module for $kernel" ||
		diag "$(cat "$work/log")"
	run add "$kernel"
done < <(awk -F '\t' '!/^#/ && $5 != "-"' tests/vm/kernels.tsv)
done_testing
