#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the driver for each kernel with the warnings of W=1 and of sparse. Findings
# in the kernel's own headers are ignored.
. tests/lint/lib.sh

# KBUILD_CHECKSRC instead of C=1: Debian's headers lack the script with which C=1
# checks the checker.
build() {
	rm -rf "${out:?}/$1" "$out/$1.sparse"
	GPMU_SPARSE_LOG=$PWD/$out/$1.sparse tests/vm/kbuild "$1" "$2" "$out/$1" -- \
		W=1 KBUILD_CHECKSRC=1 CHECK="$PWD/tests/lint/sparse" > "$out/$1.log" 2>&1
}

# The objects that were compiled from C, and the files that sparse checked
compiled() {
	find "$out/$1" -name '*.o' | sed 's/o$/c/' | while IFS= read -r f; do
		[ "${f%.mod.c}" = "$f" ] && [ -e "$f" ] && basename "$f"
	done | sort
}

checked() {
	sed 's|.*/||' "$out/$1.sparse" 2> /dev/null | sort
}

findings() {
	grep -E ':[0-9]+(:[0-9]+)?: (warning|error)|^(WARNING|ERROR): modpost' "$out/$1.log" |
		grep -vE '/(include|arch/[a-z0-9]+/include)/|^\./(include|arch)/'
}

# A module with a fault that only W=1 reports, and one that only sparse reports
plant() {
	mkdir -p "$out/planted"
	echo 'obj-m := planted.o' > "$out/planted/Kbuild"
	cat > "$out/planted/planted.c" <<-'END'
		#include <linux/module.h>

		int planted(void *p)
		{
			int unused = 0;

			unused = 1;
			return *(int __iomem *)p;
		}
		MODULE_DESCRIPTION("planted");
		MODULE_LICENSE("GPL");
	END
}

need git sparse
out=build/lint
mkdir -p "$out"
for k in $(kernels); do
	build "$k" kernel-drivers
	ok $? "$k: the driver builds" || diag "$(tail -n 20 "$out/$k.log")"
	none "$(findings "$k")" "$k: W=1 and sparse find nothing in the driver"
	is "$(checked "$k")" "$(compiled "$k")" "$k: sparse checked each compiled source file"
	[ "$k" = 7.3 ] || continue
	plant
	build "$k" "$out/planted"
	like "$(findings "$k")" 'planted\.c:5:.*unused' "$k: W=1 finds an unused variable"
	like "$(findings "$k")" 'planted\.c:8:.*dereference of noderef' "$k: sparse finds a direct access to device memory"
done
done_testing
