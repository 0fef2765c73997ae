#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the driver for each kernel, and the in-tree driver with the patches of
# perfmod/upstream, with the warnings of W=1 and of sparse. Findings in the kernel's own
# headers are ignored.
. tests/lint/lib.sh

# KBUILD_CHECKSRC instead of C=1: Debian's headers lack the script with which C=1
# checks the checker.
build() { # RESULT KERNEL SOURCES
	rm -rf "${out:?}/$1" "$out/$1.sparse"
	GPMU_SPARSE_LOG=$PWD/$out/$1.sparse tests/vm/kbuild "$2" "$3" "$out/$1" -- \
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
clean() { # RESULT KERNEL SOURCES NAME
	build "$1" "$2" "$3"
	ok $? "$2: the $4 builds" || diag "$(tail -n 20 "$out/$1.log")"
	none "$(findings "$1")" "$2: W=1 and sparse find nothing in the $4"
	is "$(checked "$1")" "$(compiled "$1")" "$2: sparse checked each compiled source file of the $4"
}
for k in $(kernels); do
	clean "$k" "$k" kernel-drivers driver
done
rm -rf "$out/patched"
tests/vm/in-tree 7.3 "$out/patched" patched
ok $? "7.3: the patches of perfmod/upstream apply to the in-tree driver"
clean in-tree 7.3 "$out/patched" "patched in-tree driver"
plant
build faults 7.3 "$out/planted"
like "$(findings faults)" 'planted\.c:5:.*unused' "7.3: W=1 finds an unused variable"
like "$(findings faults)" 'planted\.c:8:.*dereference of noderef' "7.3: sparse finds a direct access to device memory"
done_testing
