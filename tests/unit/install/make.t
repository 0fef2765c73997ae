#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the Makefile refuses, and how it says so.
. tests/lib/tap.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset LONG KERNEL DRIVER TESTS

# makes ARGUMENT...: what make says
makes() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$@" 2>&1
}

like "$(makes -n check-vm KERNEL=5.10)" 'KERNEL=5\.10: one of 6\.1 6\.12 7\.3 .*debug' "an unknown kernel is refused with those there are"
like "$(makes -n check-vm KERNEL=7.3 DRIVER=foo)" 'DRIVER=foo: one of ours in-tree' "so is an unknown driver"
like "$(makes -n check-vm TESTS=foo)" 'TESTS=foo: one of .*superchip' "so is an unknown test"
like "$(makes -n check-vm TESTS="$dir/zoo.t")" 'zoo: one of' "and a test elsewhere that has the name of one"
for tests in zoo zoo.t tests/vm/t/zoo.t; do
	like "$(makes -n check-vm KERNEL=7.3 DRIVER=ours TESTS=$tests)" 'tests/vm/run 7\.3/ours/zoo$' "TESTS=$tests is that test alone"
done
like "$(makes modules KDIR="$dir")" "^no kernel headers in $dir: install linux-headers-.*, or name others by KDIR=" \
	"make modules without headers says what to install"
mkdir "$dir/a b"
like "$(cd "$dir/a b" && makes -f "$OLDPWD/Makefile" help)" 'with a blank in its path' "a path with a blank is refused"

# What is built with other flags, in a copy of what the build folder has for these three
build=$dir/build
objects=("$build/metrics/base/log.o" "$build/metrics/plugin/source_load.o" "$build/tools/child.o")
mkdir "$build"
cp -a "${B:-build}/libperf" "${B:-build}/flags" "$build"

# anew ARGUMENT...: which of the objects make makes
anew() {
	touch "$dir/before"
	makes -s B="$build" "$@" "${objects[@]}"
	find "${objects[@]}" -newer "$dir/before" -printf '%f '
}

is "$(anew)" "log.o source_load.o child.o " "objects are built"
is "$(anew)" "" "and not again"
is "$(anew EXTRA_CFLAGS=-g1)" "log.o source_load.o child.o " "with other CFLAGS all are built anew"
is "$(anew EXTRA_CFLAGS=-g1)" "" "once"
is "$(anew EXTRA_CFLAGS=-g1 CC="env gcc")" "log.o source_load.o child.o " "so they are with another CC"
is "$(anew EXTRA_CFLAGS=-g1 CC="env gcc" PREFIX=/opt/gpmu)" "source_load.o " \
	"and with another PREFIX the one that has the plugins' folder in it"
is "$(grep -aom1 '/opt/[a-z/]*' "$build/metrics/plugin/source_load.o" | head -n 1)" "/opt/gpmu/lib/gpmu" "which is below PREFIX"
cat > "$dir/cross-gcc" << 'END'
#!/bin/sh
[ "$1" != -dumpmachine ] || exec echo aarch64-linux-gnu
exec gcc "$@"
END
chmod +x "$dir/cross-gcc"
like "$(makes B="$build" CC="$dir/cross-gcc" LIBPERF_SOURCE="$dir" "$build/libperf/libperf.a")" 'is not a kernel source' \
	"for another machine libperf is built anew, too"

mkdir "$dir/bin"
for tool in bash sed mkdir mktemp rm install cp find touch tar gzip mv printf dirname date git cat chmod; do
	ln -s "$(command -v $tool)" "$dir/bin/$tool" 2>/dev/null
done
out=$(PATH=$dir/bin kernel-drivers/make-dkms "$dir/dkms" 2>&1)
is "$? $(ls "$dir/dkms")" "0 grace-cspmu-0.1.0.tar.gz" "without dpkg-deb make-dkms makes the archive alone" || diag "$out"
like "$out" 'no dpkg-deb here, so no \.deb' "and says so"
done_testing
