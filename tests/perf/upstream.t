#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# make upstream: the series applies, passes checkpatch, and has all of pmu-events once; a
# fault in it leaves no result. The shell tests that the series adds to perf pass in the perf
# that perfmod builds with it.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
out=$perf_work/out
copy=$perf_work/upstream
export GIT_AUTHOR_NAME=Author GIT_AUTHOR_EMAIL=author@example.org

# series FILE: makes the patches that the file lists
series() {
	perfmod/upstream/make-series --series "$1" --output "$out" 2>&1
}

# entries: the files that the series list
entries() {
	sed 's/[[:space:]]*#.*//; /^$/d; /^\[/d' perfmod/upstream/series
}

# planted FILE SED REGEX DESCRIPTION: a series whose FILE was edited fails with that message
planted() {
	rm -rf "$copy" "$out"
	cp -r perfmod/upstream "$copy"
	echo "$1" >"$copy/series"
	sed -i "$2" "$copy/$1"
	like "$(series "$copy/series" && echo "it passed")" "$3" "$4"
	[ ! -e "$out" ]
	ok $? "make upstream: no result is left if $5"
}

made=$(series perfmod/upstream/series)
ok $? "make upstream: git am and checkpatch --strict accept each series" || diag "$made"
is "$(wc -l <<<"$made")" "$(entries | wc -l)" "make upstream: each entry of the series becomes a patch"
is "$(cat "$out"/*/*.patch | grep -c '^From: Author <author@example.org>$')" "$(entries | wc -l)" \
	"make upstream: the author is that of the user's git configuration"
unlike "$(cat "$out"/*/*.patch)" 'Signed-off-by' "make upstream: no patch is signed off"
is "$(grep -l '^Fixes: ' "$out"/tables/* "$out"/driver/*)" "" \
	"make upstream: no table and no fault that only a model has shown is said to fix a commit"
is "$(grep -L '^Fixes: ' "$out"/perf/*)" "" "make upstream: each fix of perf names the commit that introduced the fault"
is "$(entries | LC_ALL=C sort)" "$(cd perfmod/upstream && find . -mindepth 2 -type f -printf "%P\n" | LC_ALL=C sort)" \
	"perfmod/upstream: the series lists each file of driver and perf once"
is "$(entries | grep '^perf/.*patch')" "$(cd perfmod/upstream && LC_ALL=C ls -1 perf/*.patch)" \
	"perfmod/upstream: perfmod/build applies the patches of perf in the order of the series"

core=tools/perf/pmu-events/arch/arm64/arm/neoverse-n2-v2/metrics.json
mkdir -p "$perf_work/tree/${core%/*}"
cp "$cache/source/7.3/$core" "$perf_work/tree/$core"
for patch in "$out"/tables/*vendor-events*; do
	patch -s -p1 -d "$perf_work/tree" <"$patch"
done
compare() {
	tests/perf/upstream_tables.py "$perf_work/tree" "$cache/source/7.3/$core" 2>&1
}
is "$(compare)" "" \
	"make upstream: the series has each event and metric of pmu-events once, with the same formula"
sed -i '0,/cmem_rd_data@ \* 32/s//cmem_rd_data@ * 64/' "$perf_work"/tree/tools/perf/pmu-events/arch/arm64/nvidia/t241/sys/metrics.json
is "$(compare | cut -d ' ' -f 1,4)" "missing grace_mem_read_bw
more grace_mem_read_bw" "upstream_tables.py: another formula is reported"

planted perf/0009-list-comma.patch 's/^+\tbool comma = false, space = false;$/& /' \
	'TRAILING_WHITESPACE' "make upstream: a blank at the end of a line is reported" "checkpatch reports a fault"
planted perf/0009-list-comma.patch 's/^\(Fixes: [0-9a-f]\{7\}\)[0-9a-f]*/\1/' \
	'BAD_FIXES_TAG' "make upstream: a Fixes: tag with a short commit id is reported" "a Fixes: tag is malformed"
planted perf/0009-list-comma.patch 's/^ \tbool saw_newline = false;$/ \tbool other = false;/' \
	'perf/0009-list-comma.patch does not apply' "make upstream: a patch that does not apply is named" \
	"a patch does not apply"
touch "$out"
like "$(env -u GIT_AUTHOR_NAME -u GIT_AUTHOR_EMAIL GIT_DIR=/dev/null GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null \
	perfmod/upstream/make-series --output "$out" 2>&1)" \
	'git does not know your name: set user.name and user.email' \
	"make upstream: without a name in git's configuration it names the remedy"
[ ! -e "$out" ]
ok $? "make upstream: no older result is left if git does not know the name"

# perf is searched in the path
perf=$(native 7.3) || exit
for script in stat_uncore_merge list; do
	log=$(PATH=${perf%/*}:$PATH bash "${perf%/*}/src/tools/perf/tests/shell/$script.sh" 2>&1)
	rc=$?
	if [ "$rc" = 2 ]; then
		skip "$log" "perf 7.3: its shell test $script passes"
	else
		is "$rc $(grep -c Skip <<<"$log")" "0 0" "perf 7.3: its shell test $script passes and skips nothing" ||
			diag "$log"
	fi
done

done_testing
