#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# perfmod/build itself: what it makes, what it leaves alone, how it fails.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
out=$perf_work/perf

# refused ARGUMENT...: what a build that has to fail says
refused() {
	echo left over >"$out"
	echo left over >"$out.stamp"
	perfmod/build "$@" --output "$out" >"$perf_work/stdout" 2>"$perf_work/stderr" &&
		echo "it passed"
	cat "$perf_work/stderr"
}

# at_rest ARCH VER COMMAND...: runs it while no other test builds that perf
at_rest() {
	local dir=${B:-build}/perf/$1/$2

	shift 2
	flock "$dir/lock" "$@"
}

# nothing_left VER DESCRIPTION
nothing_left() {
	is "$(at_rest arm64 "$1" ls -d "$out"* "${B:-build}/perf/arm64/$1/src.new" 2>/dev/null)" \
		"" "$2"
}

# tampered VER: a copy of the source, in links, whose perf can be changed
tampered() {
	local copy=$perf_work/source-$1

	mkdir -p "$copy/tools"
	cp "$cache/source/$1/Makefile" "$copy"
	cp -rs "$cache/source/$1/tools/perf" "$copy/tools"
	echo "$copy"
}

# change FILE SED: in a copy in links
change() {
	sed "$2" "$1" >"$perf_work/changed"
	rm "$1"
	mv "$perf_work/changed" "$1"
}

touch "$perf_work/begin"
for ver in $perf_versions; do
	archs=arm64
	! grep -Fqx "$ver" <<<"$perf_natives" || archs="native arm64"
	for arch in $archs; do
		perf=$(perfmod/build "$ver" "$arch" 2>"$perf_work/build.log")
		ok $? "perf $ver builds for $arch" || diag "$(cat "$perf_work/build.log")"
		is "$perf" "$(readlink -m "${B:-build}")/perf/$arch/$ver/perf" \
			"and the path of the result is printed"
		unlike "$(readelf -lW "$perf")" INTERP "it is statically linked"
		is "$(at_rest "$arch" "$ver" find "${perf%/perf}" -maxdepth 1 -type f -printf '%f\n' | sort | xargs)" \
			"base.stamp lock log perf perf.stamp" "nothing is half built"
	done
	like "$(readelf -h "$perf")" 'Machine: *AArch64' "arm64 is cross-built"

	is "$(find "$cache/source/$ver" -name '*.pyc' -newer "$perf_work/begin")" "" \
		"nothing is written into the source of $ver"
	inode=$(stat -c %i "$perf")
	is "$(perfmod/build "$ver" arm64 2>&1)" "$perf" "a second build of $ver says nothing else"
	is "$(stat -c %i "$perf")" "$inode" "and does nothing: the source too is what it was"

	source=$(tampered "$ver")
	change "$source/tools/perf/pmu-events/jevents.py" 's/return table\[unit\]/return  table[unit]/'
	like "$(refused "$ver" arm64 --source "$source")" \
		"patches/$ver/0001-jevents-nvidia-units.patch does not apply .*perfmod/README.md" \
		"another Unit table in $ver than the patch was made for is refused by name"
	nothing_left "$ver" "and leaves neither a result, nor an old one, nor half of one"
done

change "$source/tools/perf/pmu-events/jevents.py" 's/return  table/return table/'
change "$source/tools/perf/Makefile.perf" "1i \$(error broken)"
like "$(B=$perf_work/build refused "$ver" arm64 --source "$source")" \
	"perf $ver arm64 does not build; all of it is in .*log" \
	"a perf that does not compile is an error that names the log"
nothing_left "$ver" "and leaves no result"

mkdir -p "$perf_work/events/arch/arm64/arm/neoverse-n2-v2"
echo '[]' >"$perf_work/events/arch/arm64/arm/neoverse-n2-v2/bus.json"
like "$(refused 7.3 arm64 --events "$perf_work/events")" \
	'bus.json would replace a file of perf 7.3' "an event file with upstream's name is refused"
nothing_left 7.3 "and leaves no result"

is "$(refused 7.4 native)" "perfmod/build: VER is one of 6.1 6.12 7.3, or auto" \
	"an unknown release is refused with those there are"
is "$(refused 7.3 riscv)" "perfmod/build: ARCH is native or arm64" \
	"an unknown architecture is refused"
like "$(refused 7.3 native --source "$perf_work")" 'not a kernel source with tools/perf' \
	"a source without perf is refused"

mkdir "$perf_work/bin"
cat >"$perf_work/bin/uname" <<"END"
#!/bin/sh
[ "$1" = -r ] && echo "$UNAME" || exec /bin/uname "$@"
END
chmod +x "$perf_work/bin/uname"
for pair in 6.12.94+deb13-arm64:6.12 6.1.0-40-arm64:6.1 6.18.1:7.3 8.0.0:7.3; do
	like "$(UNAME=${pair%:*} PATH=$perf_work/bin:$PATH perfmod/build auto native --built 2>&1)" \
		"/native/${pair#*:}/perf(;|\$)" "on a machine with Linux ${pair%:*} auto is ${pair#*:}"
done

flock "${B:-build}/perf/native/7.3/lock" sleep 3 &
sleep 0.2
timeout 1 perfmod/build 7.3 native >/dev/null 2>&1
is $? 124 "a build waits for another of the same release and architecture"
wait

done_testing
