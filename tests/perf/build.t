#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# perfmod/build: its results, the files that it must not write, and its errors.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
out=$perf_work/perf

# refused ARGUMENT...: print the messages of a build that has to fail
refused() {
	echo left over >"$out"
	echo left over >"$out.stamp"
	perfmod/build "$@" --output "$out" >"$perf_work/stdout" 2>"$perf_work/stderr" &&
		echo "it passed"
	cat "$perf_work/stderr"
}

# at_rest ARCH VER COMMAND...: run it while no other test builds that perf
at_rest() {
	local dir=${B:-build}/perf/$1/$2

	shift 2
	flock "$dir/lock" "$@"
}

# nothing_left VER DESCRIPTION: the failed build left no result and no partial one
nothing_left() {
	is "$(at_rest arm64 "$1" ls -d "$out"* "${B:-build}/perf/arm64/$1/src.new" 2>/dev/null)" \
		"" "$2"
}

# tampered VER: print the path of a copy of the source, in links, that can be changed
tampered() {
	local copy=$perf_work/source-$1

	rm -rf "$copy"
	mkdir -p "$copy/tools"
	cp "$cache/source/$1/Makefile" "$copy"
	cp -rs "$cache/source/$1/tools/perf" "$copy/tools"
	echo "$copy"
}

# change FILE SED: edit a file of such a copy
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
		ok $? "perfmod/build: perf $ver builds for $arch" || diag "$(cat "$perf_work/build.log")"
		is "$perf" "$(readlink -m "${B:-build}")/perf/$arch/$ver/perf" \
			"perfmod/build: the path of perf $ver for $arch is printed"
		case $arch in
		arm64) unlike "$(readelf -lW "$perf")" INTERP "perfmod/build: perf $ver for $arch is statically linked" ;;
		native)
			if pkg-config --exists libelf; then
				like "$(readelf -dW "$perf")" 'NEEDED.*\[libelf\.so' \
					"perfmod/build: the native perf $ver uses libelf where it is installed"
			else
				skip "no libelf: run ./setup perf" "perfmod/build: the native perf $ver uses libelf where it is installed"
			fi
			;;
		esac
		is "$(at_rest "$arch" "$ver" find "${perf%/perf}" -maxdepth 1 -type f -printf '%f\n' | sort | xargs)" \
			"base.stamp lock log perf perf.stamp" "perfmod/build: the folder of perf $ver for $arch has no temporary files"
	done
	like "$(readelf -h "$perf")" 'Machine: *AArch64' "perfmod/build: perf $ver for arm64 is an AArch64 program"

	is "$(find "$cache/source/$ver" -name '*.pyc' -newer "$perf_work/begin")" "" \
		"perfmod/build: no file is written into the source of $ver"
	inode=$(stat -c %i "$perf")
	is "$(perfmod/build "$ver" arm64 2>&1)" "$perf" "perfmod/build: a second build of $ver prints the path only"
	is "$(stat -c %i "$perf")" "$inode" "perfmod/build: a second build of $ver does not replace the result"

	source=$(tampered "$ver")
	change "$source/tools/perf/pmu-events/jevents.py" 's/return table\[unit\]/return  table[unit]/'
	like "$(refused "$ver" arm64 --source "$source")" \
		"patches/$ver/0001-jevents-nvidia-units.patch does not apply .*perfmod/README.md" \
		"perfmod/build: a patch of $ver that does not apply is reported by name"
	nothing_left "$ver" "perfmod/build: a patch of $ver that does not apply leaves no result"
done

change "$source/tools/perf/pmu-events/jevents.py" 's/return  table/return table/'
change "$source/tools/perf/Makefile.perf" "1i \$(error broken)"
like "$(B=$perf_work/build refused "$ver" arm64 --source "$source")" \
	"perf $ver arm64 does not build; all of it is in .*log" \
	"perfmod/build: a compile error is reported with the path of the log"
nothing_left "$ver" "perfmod/build: a compile error leaves no result"

# The message precedes the compile error
mkdir "$perf_work/none"
printf '#!/bin/sh\nexit 1\n' >"$perf_work/none/pkg-config"
chmod +x "$perf_work/none/pkg-config"
like "$(PATH=$perf_work/none:$PATH B=$perf_work/build refused "$ver" native --source "$source")" \
	'it will lack libelf \(symbols\), libdw .*capstone \(disassembly\): run ./setup perf' \
	"perfmod/build: a build without optional libraries names them and the features that the native perf lacks"
unlike "$(PATH=$perf_work/none:$PATH B=$perf_work/build refused "$ver" arm64 --source "$source")" 'it will lack' \
	"perfmod/build: the static perf for arm64 names no optional library"

mkdir -p "$perf_work/events/arch/arm64/arm/neoverse-n2-v2"
echo '[]' >"$perf_work/events/arch/arm64/arm/neoverse-n2-v2/bus.json"
like "$(refused 7.3 arm64 --events "$perf_work/events")" \
	'bus.json would replace a file of perf 7.3' "perfmod/build: an event file with upstream's name is refused"
nothing_left 7.3 "perfmod/build: a refused event file leaves no result"

# Under another path and in other case: a later release may have Grace's tables itself
source=$(tampered 7.3)
theirs=$source/tools/perf/pmu-events/arch/arm64/nvidia/other/sys
mkdir -p "$theirs"
cat >"$theirs/uncore.json" <<"END"
[
	{ "EventName": "CMEM_RD_DATA", "EventCode": "0x1a5", "Unit": "nvidia_scf_pmu", "Compat": "2cf0036b" },
	{ "EventName": "cmem_wr_data", "EventCode": "0x1b1", "Unit": "nvidia_scf_pmu", "Compat": "2cf0136b" }
]
END
is "$(refused 7.3 arm64 --source "$source" | grep -v ' already:$')" \
	"nvidia_scf_pmu 2cf0036b cmem_rd_data of arm64/nvidia/grace/sys/scf.json is in arm64/nvidia/other/sys/uncore.json" \
	"perfmod/build: an event that perf has in another file is refused, and the same name of another PMU is not"
echo '[ { "MetricName": "BARRIER_percentage", "MetricExpr": "1" } ]' \
	>"$source/tools/perf/pmu-events/arch/arm64/arm/neoverse-n2-v2/more.json"
rm "$theirs/uncore.json"
like "$(refused 7.3 arm64 --source "$source")" \
	'neoverse-n2-v2 barrier_percentage of .*grace.json is in .*more.json' \
	"perfmod/build: a core metric that perf has in another file is refused"

mkdir -p "$perf_work/tables/core" "$perf_work/ours/core"
echo '[ { "EventName": "stall" }, { "ArchStdEvent": "bound" }, { "MetricName": "rate" } ]' >"$perf_work/tables/core/a.json"
echo '[ { "MetricName": "STALL" }, { "MetricName": "Bound" }, { "EventName": "rate" } ]' >"$perf_work/ours/core/b.json"
is "$(python3 perfmod/doubles "$perf_work/tables" "$perf_work/ours")" "core Bound of core/b.json is in core/a.json" \
	"perfmod/doubles: a metric is no duplicate of an event that has its name, except of an ArchStdEvent"

is "$(refused 7.4 native)" "perfmod/build: VER is one of 6.1 6.12 7.3, or auto" \
	"perfmod/build: an unknown release is refused with a list of the releases"
is "$(refused 7.3 riscv)" "perfmod/build: ARCH is native or arm64" \
	"perfmod/build: an unknown architecture is refused"
like "$(refused 7.3 native --source "$perf_work")" 'not a kernel source with tools/perf' \
	"perfmod/build: a source without perf is refused"

mkdir "$perf_work/bin"
cat >"$perf_work/bin/uname" <<"END"
#!/bin/sh
[ "$1" = -r ] && echo "$UNAME" || exec /bin/uname "$@"
END
chmod +x "$perf_work/bin/uname"
for pair in 6.12.94+deb13-arm64:6.12 6.1.0-40-arm64:6.1 6.18.1:7.3 8.0.0:7.3; do
	like "$(UNAME=${pair%:*} PATH=$perf_work/bin:$PATH perfmod/build auto native --built 2>&1)" \
		"/native/${pair#*:}/perf(;|\$)" "perfmod/build: auto is ${pair#*:} on a machine with Linux ${pair%:*}"
done

flock "${B:-build}/perf/native/7.3/lock" sleep 3 &
sleep 0.2
timeout 1 perfmod/build 7.3 native >/dev/null 2>&1
is $? 124 "perfmod/build: a build waits for another of the same release and architecture"
wait

done_testing
