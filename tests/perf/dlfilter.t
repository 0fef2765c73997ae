#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The dlfilters in the machine's perf and in the built ones, on recordings whose content is known.

# shellcheck source=tests/perf/lib.sh
. tests/perf/lib.sh

make -s --no-print-directory dlfilters >"$perf_work/log" 2>&1 || {
	diag "$(tail -n 20 "$perf_work/log")"
	bail "the dlfilters do not build"
}
filters=$(readlink -m "${B:-build}")/perfmod/dlfilters

# A program whose addresses are their distances from the start of the file, as in dlfilter-make.c
cat >"$perf_work/demo.s" <<'EOS'
	.text
	.type walk, %function
walk:	.skip 0x100
	.size walk, 0x100
	.type sum, %function
sum:	.skip 0x100
	.size sum, 0x100
	.data
	.type table, %object
table:	.fill 0x100, 1, 1
	.size table, 0x100
	.type list, %object
list:	.fill 0x100, 1, 1
	.size list, 0x100
EOS
spe=$perf_work/spe.data traffic=$perf_work/traffic.data
make_recordings() {
	"${CC:-gcc}" -nostdlib -static -no-pie -Wl,-Ttext=0x1000,-Tdata=0x2000,-z,max-page-size=0x1000,-e0,--build-id=none \
		-o "$perf_work/demo" "$perf_work/demo.s" &&
		"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Imetrics -Imetrics/include -Itests/lib \
			-Itests/unit -o "$perf_work/make" tests/perf/dlfilter-make.c &&
		"$perf_work/make" spe "$spe" "$perf_work/demo" >"$perf_work/spe" &&
		"$perf_work/make" traffic "$traffic" >"$perf_work/traffic"
}
make_recordings || bail "no recordings"

# filter FILTER FILE ARGUMENT...: run perf script with it, and print its standard output
filter() {
	"$perf" script -i "$2" --dlfilter "$filters/$1.so" "${@:3}" 2>"$perf_work/stderr"
}

# truth COLUMNS [CPU]: "SAMPLES MEAN LONGEST KEY" by the first COLUMNS columns after the CPU, most samples first
truth() {
	awk -F '\t' -v age="$age" -v columns="$1" -v cpu="${2:-}" '
		$1 == age && (cpu == "" || $2 == cpu) {
			key = $3
			if (columns == 3)
				key = key " | " $4 " (demo) | " $5 " (demo)"
			samples[key]++
			sum[key] += $6
			if ($6 > longest[key])
				longest[key] = $6
		}
		END { for (key in samples) printf "%d %.1f %d %s\n", samples[key], sum[key] / samples[key], longest[key], key }
	' "$perf_work/spe" | LC_ALL=C sort -k 1,1nr -k 4
}

# printed COLUMNS: the same of the filter's output on standard input
printed() {
	awk -v columns="$1" '
		$1 == "samples" { tables++; next }
		/^#/ || !NF || tables != (columns == 3) + 1 { next }
		{
			line = $1 " " $3 " " $4 " "
			$1 = $2 = $3 = $4 = ""
			sub(/^ */, "")
			print line $0
		}' | sed -E 's/ ([^ ]+ \([^ ]+\)) ([^ ]+ \([^ ]+\))$/ | \1 | \2/' | LC_ALL=C sort -k 1,1nr -k 4
}

# rates MS: "BEGIN END RATE EVENT" of each interval
rates() {
	awk -v ms="$1" '
		!($1 in begin) { begin[$1] = $2; from[$1] = $3; next }
		$1 ~ /\// && $2 - begin[$1] >= ms * 1e6 {
			scale = $1 ~ /rd_data/ ? 32 : $1 ~ /bytes/ ? 1 : 1000
			printf "%.6f %.6f %.3f %s\n", begin[$1] / 1e9, $2 / 1e9, ($3 - from[$1]) * scale / ($2 - begin[$1]), $1
			begin[$1] = $2
			from[$1] = $3
		}' "$perf_work/traffic"
}

tests() { # NAME
	local out

	out=$(filter grace-spe "$spe" --itrace=M)
	is "$(printed 1 <<<"$out")" "$(truth 1)" "$1: grace-spe.so prints each tier with its samples and latencies"
	like "$out" "^# $(truth 1 | awk '{ n += $1 } END { print n }') sampled loads and stores" \
		"$1: grace-spe.so counts each load and store once, and no other operation"
	is "$(filter grace-spe "$spe" --itrace=M --dlarg 0 | printed 3)" "$(truth 3)" \
		"$1: grace-spe.so --dlarg 0 prints all functions and data by tier"
	is "$(filter grace-spe "$spe" --dlarg 0 | printed 3)" "$(truth 3)" \
		"$1: grace-spe.so ignores the other samples that perf makes by default of a record"
	is "$(filter grace-spe "$spe" --itrace=M -C 1 | printed 1)" "$(truth 1 1)" \
		"$1: grace-spe.so counts only samples that the options of perf script select"
	if [ "$age" = old ]; then
		like "$out" 'guesses tiers from events' "$1: grace-spe.so reports that perf guesses the tiers"
	else
		unlike "$out" 'guesses' "$1: grace-spe.so does not report guessed tiers where perf knows the data sources"
	fi
	like "$out" 'gpmu report' "$1: grace-spe.so names gpmu report"
	out=$(filter grace-spe "$spe" --itrace=M --dlarg 3)
	is "$(printed 3 <<<"$out" | grep -vc 'lines not printed')" 3 "$1: grace-spe.so --dlarg 3 prints three lines of functions"
	like "$out" " in $(($(truth 3 | wc -l) - 3)) lines not printed: --dlarg 0" "$1: grace-spe.so counts the lines that it does not print"
	like "$(filter grace-spe "$spe" --itrace=i1i)" '^# no sample of loads or stores among [1-9][0-9]* samples: .*--itrace=M' \
		"$1: grace-spe.so names the option that it needs"
	filter grace-spe "$spe" --dlarg many >"$perf_work/out"
	is "$? $(grep -c 'grace-spe.so: --dlarg many: expected the number of lines' "$perf_work/stderr") $(wc -c <"$perf_work/out")" "234 1 0" \
		"$1: grace-spe.so refuses a --dlarg that is no number"

	for ms in 250 100 10; do
		is "$(filter grace-traffic "$traffic" --dlarg $ms | sed '/^#/d' | awk '{ print $1, $2, $4, $NF }')" "$(rates $ms)" \
			"$1: grace-traffic.so prints the bandwidth of each interval of $ms ms"
	done
	is "$(filter grace-traffic "$traffic")" "$(filter grace-traffic "$traffic" --dlarg 100)" \
		"$1: grace-traffic.so has intervals of 100 ms by default"
	is "$(filter grace-traffic "$traffic" --dlarg 500 | awk '/rd_bytes_loc/ { line = $1 " " $2 " " $4 } END { print line }')" \
		"0.500000 1.000000 0.000" "$1: grace-traffic.so prints an interval without traffic"
	like "$(filter grace-traffic "$spe" --itrace=M)" '^# no counts of PMUs in leader samples' \
		"$1: grace-traffic.so names the recording that it needs"
	filter grace-traffic "$traffic" --dlarg 0 >"$perf_work/out"
	is "$? $(grep -c 'grace-traffic.so: --dlarg 0: expected the length of an interval' "$perf_work/stderr")" "234 1" \
		"$1: grace-traffic.so refuses an interval of 0 ms"

	mkdir -p "$perf_work/exec/dlfilters"
	cp "$filters"/*.so "$perf_work/exec/dlfilters"
	is "$(cd / && PERF_EXEC_PATH=$perf_work/exec "$perf" script --list-dlfilters | grep -o 'grace-[a-z]*\.so' | sort | xargs)" \
		"grace-spe.so grace-traffic.so" "$1: --list-dlfilters lists both filters in the folder dlfilters of its exec-path"
}

# of VERSION: sets age; fails if it is not known which data sources that perf has
of() {
	case $1 in
	6.1 | 6.12) age=old ;;
	7.3) age=new ;;
	*) return 1 ;;
	esac
}

what="the machine's perf prints the tables of the dlfilters"
perf=$(command -v perf)
version=$("${perf:-false}" --version 2>/dev/null | sed -n 's/^perf version \([0-9]*\.[0-9]*\).*/\1/p')
if [ -z "$version" ]; then
	skip "perf is not installed" "$what"
elif ! of "$version"; then
	skip "not known which data sources perf $version has" "$what"
else
	tests "the machine's perf $version"
fi
for version in $perf_natives; do
	perf=$(native "$version") || exit
	of "$version"
	tests "our perf $version"
done
done_testing
