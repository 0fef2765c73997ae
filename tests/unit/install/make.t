#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The Makefile: its error messages, what it rebuilds, and which tests check-FOLDER runs.
. tests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset LONG KERNEL DRIVER TESTS

# makes ARGUMENT...: prints the output of make
makes() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$@" 2>&1
}

like "$(makes -n check-vm KERNEL=5.10)" 'KERNEL=5\.10: one of 6\.1 6\.12 7\.3 .*debug' \
	"make: an unknown kernel is refused with the list of kernels"
like "$(makes -n check-vm KERNEL=7.3 DRIVER=foo)" 'DRIVER=foo: one of ours in-tree' \
	"make: an unknown driver is refused with the list of drivers"
like "$(makes -n check-vm TESTS=foo)" 'TESTS=foo: one of .*superchip' \
	"make: an unknown test is refused with the list of tests"
like "$(makes -n check-vm TESTS="$dir/zoo.t")" 'zoo: one of' \
	"make: a test of another folder is refused with the list of tests"
for tests in zoo zoo.t tests/vm/t/zoo.t; do
	like "$(makes -n check-vm KERNEL=7.3 DRIVER=ours TESTS=$tests)" 'tests/vm/run. 7\.3/ours/zoo$' \
		"make: TESTS=$tests selects that test alone"
done
like "$(makes modules KDIR="$dir")" "^no kernel headers in $dir: install linux-headers-.*, or name others by KDIR=" \
	"make: make modules without headers names the package to install"
mkdir "$dir/a b"
like "$(cd "$dir/a b" && makes -f "$OLDPWD/Makefile" help)" 'with a blank in its path' \
	"make: a path with a blank is refused"

# make check with a make that does nothing: make -n runs a recipe with $(MAKE)
out=$(makes -n check MAKE=true B="$dir/check")
is "$(sed -n '/^stage/,$p' <<< "$out" | awk 'NR > 1 { print $1 }' | xargs)" "check-files check-unit check-more check-vm all" \
	"make: make check ends with the time of each stage"
for stage in check-unit check-more check-vm; do
	like "$(makes -n PREPARED=y TIMES="$dir" "$stage")" "--exec 'tests/lib/timed $dir/tests( |')" \
		"make: TIMES makes $stage keep the CPU time of each test"
done

# Rebuilds after changes of headers and flags, in a copy of the parts of the build folder that four objects need
build=$dir/build
objects=("$build/metrics/base/log.o" "$build/metrics/plugin/plugin_folder.o" "$build/metrics/plugin/source_load.o" "$build/tools/run/child.o")
mkdir "$build"
cp -a "${B:-build}/libperf" "${B:-build}/flags" "$build"

# anew ARGUMENT...: prints the objects that make builds
anew() {
	touch "$dir/before"
	makes -s B="$build" "$@" "${objects[@]}"
	find "${objects[@]}" -newer "$dir/before" -printf '%f '
}

is "$(anew)" "log.o plugin_folder.o source_load.o child.o " "make: absent objects are built"
is "$(anew)" "" "make: objects that are up to date are not rebuilt"
# -W pretends that a header has just changed.
is "$(anew -W metrics/base/log.h)" "log.o " "make: a changed leaf header rebuilds only the object that includes it"
is "$(anew -W metrics/plugin/source_object.h)" "source_load.o " \
	"make: a changed header of a folder rebuilds only the object that includes it"
is "$(anew -W metrics/include/gpmu/log.h)" "log.o source_load.o child.o " \
	"make: a changed public header rebuilds the objects that include it"
is "$(anew -W metrics/base/spans.h)" "" "make: a changed header that no object includes rebuilds nothing"
is "$(anew EXTRA_CFLAGS=-g1)" "log.o plugin_folder.o source_load.o child.o " "make: other CFLAGS rebuild all objects"
is "$(anew EXTRA_CFLAGS=-g1)" "" "make: the same CFLAGS rebuild nothing"
is "$(anew EXTRA_CFLAGS=-g1 CC="env gcc")" "log.o plugin_folder.o source_load.o child.o " \
	"make: another CC rebuilds all objects"
is "$(anew EXTRA_CFLAGS=-g1 CC="env gcc" PREFIX=/opt/gpmu)" "" "make: another PREFIX rebuilds nothing"
is "$(anew EXTRA_CFLAGS=-g1 CC="env gcc" PREFIX=/usr libdir=/usr/lib/aarch64-linux-gnu)" "plugin_folder.o " \
	"make: another path from bindir to libdir rebuilds only the object that has it"
like "$(grep -ao '[./]*lib/aarch64[a-z0-9-]*' "$build/metrics/plugin/plugin_folder.o" | head -n 1)" \
	'^\.\./lib/aarch64-linux-gnu$' "make: the path from bindir to libdir is compiled in"
cat > "$dir/cross-gcc" << 'END'
#!/bin/sh
[ "$1" != -dumpmachine ] || exec echo aarch64-linux-gnu
exec gcc "$@"
END
chmod +x "$dir/cross-gcc"
like "$(makes B="$build" CC="$dir/cross-gcc" LIBPERF_SOURCE="$dir" "$build/libperf/libperf.a")" 'is not a kernel source' \
	"make: libperf is rebuilt for another architecture"

# check-FOLDER: the tests of tests/unit/FOLDER, and the command's tests of that name
named() {
	makes -n B="$build" "$@" | sed -n "/--exec '' /{s/.* --exec '' //;s/ ||.*//;p}" | tr ' ' '\n' | sort
}
mapfile -t plan < <(grep -l 'int main' tests/unit/plan/*.c | sed "/plan-dump/d; s|^|$build/|; s|\.c$||")
is "$(named check-plan)" "$(printf '%s\n' "${plan[@]/%/-san.t}" tests/tools/plan.t | sort)" \
	"make: check-plan runs all tests of tests/unit/plan, sanitized, and tests/tools/plan.t, and no others"
is "$(named check-plan LONG=1)" "$(printf '%s\n' "${plan[@]/%/-san.t}" "${plan[@]/%/.t}" tests/tools/plan.t | sort)" \
	"make: check-plan with LONG=1 runs the plain tests, too"
is "$(named check-tools | sort -u)" "$(printf '%s\n' tests/tools/*.t | sort)" "make: check-tools runs all tests of the command"
is "$(makes -n B="$build" check-tools | grep GPMU_BIN="$build/san/gpmu" | tr ' ' '\n' | grep -cE '/(memory|samples|man|completion)\.t$')" 0 \
	"make: tests that cannot use a sanitized gpmu run gpmu itself"

mkdir "$dir/bin"
for tool in bash sed mkdir mktemp rm install cp find touch tar gzip mv printf dirname date git cat chmod; do
	ln -s "$(command -v $tool)" "$dir/bin/$tool" 2>/dev/null
done
out=$(PATH=$dir/bin kernel-drivers/make-dkms "$dir/dkms" 2>&1)
is "$? $(ls "$dir/dkms")" "0 grace-cspmu-0.1.0.tar.gz" "make: make-dkms without dpkg-deb makes only the archive" ||
	diag "$out"
like "$out" 'no dpkg-deb here, so no \.deb' "make: make-dkms without dpkg-deb reports that there is no package"
done_testing
