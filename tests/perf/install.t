#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# make perf and make install-perf: beside the distribution's perf.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

root=$perf_work/root

# quietly ARGUMENT...: make, and what it says
quietly() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory "$@" 2>&1
}

# files: what is below $root
files() {
	(cd "$root" && find . -not -type d | sort | xargs)
}

native 7.3 >"$perf_work/7.3" || exit
is "$(quietly perf PERF_VERSION=7.3)" "$(cat "$perf_work/7.3")" \
	"make perf PERF_VERSION=7.3 builds that release and says where it is"

like "$(B=$perf_work/none quietly install-perf PERF_VERSION=7.3 DESTDIR="$root")" \
	'no .*/none/perf/native/7.3/perf; run make perf PERF_VERSION=7.3 first' "make install-perf builds nothing by itself"
mkdir -p "$root/usr/bin"
echo "the distribution's" >"$root/usr/bin/perf"
is "$(quietly install-perf PERF_VERSION=7.3 PREFIX=/usr DESTDIR="$root")" \
	"installed /usr/bin/gpmu-perf, perf 7.3" "make install-perf says what it installed"
is "$(files)" "./usr/bin/gpmu-perf ./usr/bin/perf ./usr/lib/gpmu/perf-7.3 ./usr/lib/gpmu/tests/shell/grace_metrics.sh" \
	"it installs below DESTDIR and PREFIX, under names of its own"
is "$(cat "$root/usr/bin/perf")" "the distribution's" "the distribution's perf is as it was"
is "$(readlink "$root/usr/bin/gpmu-perf")" ../lib/gpmu/perf-7.3 "gpmu-perf is a relative link"
like "$("$root/usr/bin/gpmu-perf" version)" 'perf version 7\.3\..*-gpmu' "it runs"
like "$(cd / && "$root/usr/bin/gpmu-perf" test list 2>&1)" 'Grace metrics' \
	"its perf test has the Grace suite, wherever it is called"

# In place of a second release's perf: what it is, install-perf need not know
second=$perf_work/second/perf/native/6.12
install -D "$(cat "$perf_work/7.3")" "$second/perf"
touch "$second/perf.stamp"
B=$perf_work/second quietly install-perf PERF_VERSION=6.12 PREFIX=/usr DESTDIR="$root" >/dev/null
is "$(cd "$root/usr/lib/gpmu" && echo perf-*)" "perf-6.12 perf-7.3" \
	"a second release is installed beside the first"
is "$(readlink "$root/usr/bin/gpmu-perf")" ../lib/gpmu/perf-6.12 "gpmu-perf is then that one"

rm -r "$root"
quietly install PERF_VERSION=7.3 DESTDIR="$root" >/dev/null
is "$(files | tr ' ' '\n' | grep -E 'perf-|-perf|bin/|\.sh$' | grep -v '/man/' | xargs)" \
	"./usr/local/bin/gpmu ./usr/local/bin/gpmu-perf ./usr/local/lib/gpmu/perf-7.3 ./usr/local/lib/gpmu/tests/shell/grace_metrics.sh" \
	"make install installs it too, beside gpmu, by default to /usr/local"
is "$(readlink "$root/usr/local/bin/gpmu-perf")" ../lib/gpmu/perf-7.3 "with the same link"
like "$(quietly install PERF_VERSION=9.9 DESTDIR="$root")" 'VER is one of' "a release that was asked for has to be there"
rm -r "$root/usr/local/lib/gpmu/perf-7.3"
touch "$root/usr/local/lib/gpmu/perf-6.1" "$root/usr/local/lib/gpmu/gpmu-other.so"
quietly uninstall DESTDIR="$root"
is "$(files)" "./usr/local/lib/gpmu/gpmu-other.so" "make uninstall removes perfs of other releases, and nothing of others"

rm -r "$root"
like "$(quietly install-perf PERF_VERSION=9.9 DESTDIR="$root")" 'VER is one of' \
	"a release that there is not is an error"
is "$(ls -d "$root" 2>/dev/null)" "" "and installs nothing"

done_testing
