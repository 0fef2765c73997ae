#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# make dkms: the contents of the source tree and of the package
. tests/lib/tap.sh

build=${B:-build}
out=$build/tests/unit/dkms
rm -rf "$out"
mkdir -p "$out"
paths=$(kernel-drivers/make-dkms "$out/a")
ok $? "DKMS: make-dkms exits with 0"
archive=$(grep 'tar\.gz$' <<< "$paths")
package=$(grep '\.deb$' <<< "$paths")
is "$(basename "$archive") $(basename "$package")" \
	"grace-cspmu-0.1.0.tar.gz grace-cspmu-dkms_0.1.0_all.deb" \
		"DKMS: make-dkms prints the paths of archive and package"

tar -C "$out" -xzf "$archive"
tree=$out/grace-cspmu-0.1.0
missing=
for file in kernel-drivers/*.[ch] kernel-drivers/compat/* kernel-drivers/Kbuild kernel-drivers/dkms.conf; do
	cmp -s "$file" "$tree/${file#kernel-drivers/}" || missing="$missing $file"
done
is "$missing" "" "DKMS: the archive has every source, unchanged"
is "$(cd "$tree" && find . -type f | sort)" \
	"$(cd kernel-drivers && printf './%s\n' ./*.[ch] compat/* Kbuild dkms.conf | sed 's|^\./\./|./|' | sort)" \
	"DKMS: the archive has no other file"
is "$(cd "$out/grace-cspmu-0.1.0" && bash -c '. ./dkms.conf; echo $PACKAGE_NAME $PACKAGE_VERSION ${BUILT_MODULE_NAME[0]} $AUTOINSTALL')" \
	"grace-cspmu 0.1.0 grace_cspmu yes" "DKMS: dkms.conf has package, version, module and AUTOINSTALL"

kernels=$(bash -c '. "$0/dkms.conf"
	for k in 5.10.0-39-arm64 5.15.0-1 6.0.12-arm64 6.1.0-40-arm64 6.12.94+deb13-arm64 6.1-rc1 7.0.1 7.3.6-arm64-16k 10.2.0; do
		[[ $k =~ $BUILD_EXCLUSIVE_KERNEL ]] && printf "%s " $k
	done' "$tree")
is "$kernels" "6.1.0-40-arm64 6.12.94+deb13-arm64 6.1-rc1 7.0.1 7.3.6-arm64-16k 10.2.0 " \
	"DKMS: dkms.conf selects Linux 6.1 and later"

dpkg-deb -x "$package" "$out/deb"
diff -r "$tree" "$out/deb/usr/src/grace-cspmu-0.1.0" > /dev/null
ok $? "DKMS: the package has the same tree in /usr/src"
is "$(dpkg-deb -f "$package" Architecture Depends)" "Architecture: all
Depends: dkms (>= 2.8)" "DKMS: the package is for all architectures and depends on dkms"
dpkg-deb -e "$package" "$out/control"
bash -n "$out/control/postinst" && bash -n "$out/control/prerm" &&
	[ -x "$out/control/postinst" ] && [ -x "$out/control/prerm" ]
ok $? "DKMS: postinst and prerm are executable scripts"
is "$(dpkg-deb -c "$package" | awk '$2 != "root/root"')" "" "DKMS: all files of the package belong to root"

export SOURCE_DATE_EPOCH=1700000000
kernel-drivers/make-dkms "$out/b" > /dev/null
kernel-drivers/make-dkms "$out/c" > /dev/null
diff -r "$out/b" "$out/c" > /dev/null
ok $? "DKMS: the same sources and date make the same files"
done_testing
