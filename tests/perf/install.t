#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# make perf and make install-perf, which leave the distribution's perf alone.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

root=$perf_work/root

# quietly ARGUMENT...: run make and print its messages
quietly() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory "$@" 2>&1
}

# files: the files below $root
files() {
	(cd "$root" && find . -not -type d | sort | xargs)
}

native 7.3 >"$perf_work/7.3" || exit
is "$(quietly perf PERF_VERSION=7.3)" "$(cat "$perf_work/7.3")" \
	"make perf: PERF_VERSION=7.3 builds that release and prints its path"

like "$(B=$perf_work/none quietly install-perf PERF_VERSION=7.3 DESTDIR="$root")" \
	'no .*/none/perf/native/7.3/perf; run make perf PERF_VERSION=7.3 first' "make install-perf: a perf that is not built is an error"
mkdir -p "$root/usr/bin"
echo "the distribution's" >"$root/usr/bin/perf"
is "$(quietly install-perf PERF_VERSION=7.3 PREFIX=/usr DESTDIR="$root")" \
	"installed /usr/bin/gpmu-perf, perf 7.3" "make install-perf: the installed path and release are printed"
is "$(files)" "./usr/bin/gpmu-perf ./usr/bin/perf ./usr/lib/gpmu/perf-7.3 ./usr/lib/gpmu/tests/shell/grace_metrics.sh" \
	"make install-perf: files go below DESTDIR and PREFIX, under their own names"
is "$(cat "$root/usr/bin/perf")" "the distribution's" "make install-perf: the distribution's perf is unchanged"
is "$(readlink "$root/usr/bin/gpmu-perf")" ../lib/gpmu/perf-7.3 "make install-perf: gpmu-perf is a relative link"
like "$("$root/usr/bin/gpmu-perf" version)" 'perf version 7\.3\..*-gpmu' "make install-perf: the installed gpmu-perf runs"
like "$(cd / && "$root/usr/bin/gpmu-perf" test list 2>&1)" 'Grace metrics' \
	"make install-perf: perf test has the Grace suite in any working directory"

# Stands in for a second release's perf: install-perf does not look into it
second=$perf_work/second/perf/native/6.12
install -D "$(cat "$perf_work/7.3")" "$second/perf"
touch "$second/perf.stamp"
B=$perf_work/second quietly install-perf PERF_VERSION=6.12 PREFIX=/usr DESTDIR="$root" >/dev/null
is "$(cd "$root/usr/lib/gpmu" && echo perf-*)" "perf-6.12 perf-7.3" \
	"make install-perf: a second release is installed beside the first"
is "$(readlink "$root/usr/bin/gpmu-perf")" ../lib/gpmu/perf-6.12 "make install-perf: gpmu-perf links to the release installed last"

rm -r "$root"
quietly install PERF_VERSION=7.3 DESTDIR="$root" >/dev/null
is "$(files | tr ' ' '\n' | grep -E 'perf-|-perf|bin/|\.sh$' | grep -v '/man/' | xargs)" \
	"./usr/local/bin/gpmu ./usr/local/bin/gpmu-perf ./usr/local/lib/gpmu/perf-7.3 ./usr/local/lib/gpmu/tests/shell/grace_metrics.sh" \
	"make install: a built perf is installed beside gpmu, by default in /usr/local"
is "$(readlink "$root/usr/local/bin/gpmu-perf")" ../lib/gpmu/perf-7.3 "make install: gpmu-perf is the same relative link"
like "$(quietly install PERF_VERSION=9.9 DESTDIR="$root")" 'VER is one of' "make install: an unknown PERF_VERSION is an error"
rm -r "$root/usr/local/lib/gpmu/perf-7.3"
touch "$root/usr/local/lib/gpmu/perf-6.1" "$root/usr/local/lib/gpmu/gpmu-other.so"
quietly uninstall DESTDIR="$root"
is "$(files)" "./usr/local/lib/gpmu/gpmu-other.so" "make uninstall: perfs of all releases are removed, and no files of others"

rm -r "$root"
like "$(quietly install-perf PERF_VERSION=9.9 DESTDIR="$root")" 'VER is one of' \
	"make install-perf: an unknown PERF_VERSION is an error"
is "$(ls -d "$root" 2>/dev/null)" "" "make install-perf: an unknown PERF_VERSION installs nothing"

done_testing
