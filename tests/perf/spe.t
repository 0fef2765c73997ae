#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libgpmu's decoder of SPE compared with perf's. The decoder of Linux 7.3's perf is built from the kernel source. Both
# decode the same records. Each deliberate difference has a test of its own.

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

command -v "${CC:-gcc}" >/dev/null || bail "${CC:-gcc} is not installed: run ./setup"
tests/vm/fetch source 7.3 >&2 || bail "no kernel source 7.3"
tools=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}/source/7.3/tools
work=$(readlink -m "${B:-build}")/tests/perf
mkdir -p "$work"
work=$(mktemp -d "$work/XXXXXX")
trap 'rm -rf "$work"' EXIT

# build: compile the program peer from perf's files and ours. perf's header of CPU identifiers includes a generated
# one of system registers, which the decoder does not use.
build() {
	local arch file flags=(-std=gnu11 -O2 -D_GNU_SOURCE -D__ASM_SYSREG_H '-Dread_sysreg_s(r)=0')

	case $(uname -m) in
	x86_64 | i?86) arch=x86 ;;
	aarch64) arch=arm64 ;;
	*) arch=$(uname -m) ;;
	esac
	for file in "$tools"/{perf,perf/util,lib,include,include/uapi,lib/perf/include} \
		"$tools"/arch/{"$arch",arm64}/include; do
		flags+=(-isystem "$file")
	done
	for file in "$tools"/perf/util/arm-spe-decoder/arm-spe{,-pkt}-decoder.c "$tools/lib/zalloc.c"; do
		"${CC:-gcc}" -w "${flags[@]}" -c -o "$work/$(basename "$file" .c).o" "$file" || return
	done
	"${CC:-gcc}" -Wall -Wextra -Werror -Imetrics -Imetrics/include -Itests/lib "${flags[@]}" -o "$work/peer" \
		tests/perf/spe-peer.c metrics/spe/spe_{decode,header,op,packet,text,tier}.c "$work"/*.o
}

# number NAME: print a number of the last line of the output
number() {
	sed -n "s/.*\<$1=\([0-9]*\).*/\1/p" "$work/out"
}

# same WHAT MODE ARGUMENT...: no difference
same() {
	local what=$1

	shift
	"$work/peer" "$@" >"$work/out"
	ok $? "spe: perf and libgpmu agree: $what" || diag "$(head -n 20 "$work/out")"
	diag "$(tail -n 1 "$work/out")"
}

# differ WHAT HEX LINE...: the records of each decoder
differ() {
	local what=$1 hex=${2// /}

	shift 2
	is "$("$work/peer" show "$hex")" "$(printf '%s\n' "$@")" "spe: deliberate difference: $what"
}

build >"$work/log" 2>&1
ok $? "spe: perf's decoder of Linux 7.3 and ours are linked into one program" || {
	diag "$(cat "$work/log")"
	bail "nothing to compare with"
}

same "200,000 records have the same fields in perf's records and the same payloads in its packets" stream 200000
is "$(number records) $(number lost)" "200000 0" "spe: all 200,000 records are compared, and nothing is lost"
for field in pc target previous va pa total events source context time op fields; do
	"$work/peer" stream 1000 "$field" >"$work/out"
	is "$? $(number differences)" "1 1" "spe: a wrong field, $field, makes the comparison fail"
done
same "packets have the same texts, but for those that are deliberately different" texts 200000
[ "$(number deliberate)" -gt 1000 ] && [ "$(number deliberate)" -lt 100000 ]
ok $? "spe: fewer than half of the compared texts, and more than 1,000, are deliberately different"

# The stream that the guest's perf records of the stand-in for SPE (tests/vm/guest/spe), 1,000 times its script
# shellcheck source=tests/vm/guest/lib/spe.sh
. tests/vm/guest/lib/spe.sh
address() { printf 'a0ff800008%06x' $(($(cksum <<<"$1" | cut -c 1-4) * 256 + $2)); }
truth >"$work/truth"
bytes=$(slots "$work/truth")
for ((i = 0; i < 1000; i++)); do
	# shellcheck disable=SC2059 # escape sequences
	printf "$bytes"
done >"$work/script"
same "the records of the stand-in's script" file "$work/script"
is "$(number records) $(number lost)" "11000 0" "spe: all records of the stand-in's script are compared, and nothing is lost"

# The AUX bytes, with their padding, of a recording that Debian's perf 7.3 made in the guest: perf record -a -m 8,8
# -e arm_spe_0/ts_enable=1,pa_enable=1/. A stand-in, whose script is the output of the peer's "slots 256", wrote 160 records
# on each of four CPUs.
python3 - tests/data/spe/recorded.data.gz >"$work/recorded" <<'EOF'
import gzip
import struct
import sys

data = gzip.open(sys.argv[1]).read()
at, size = struct.unpack_from("<QQ", data, 40)  # the section of records
end = at + size
while at < end:
    kind, _, size = struct.unpack_from("<IHH", data, at)
    if kind == 71:  # PERF_RECORD_AUXTRACE
        (trace,) = struct.unpack_from("<Q", data, at + 8)
        sys.stdout.buffer.write(data[at + size:at + size + trace])
        size += trace
    at += size
EOF
same "the records of a recording of the guest" file "$work/recorded"
is "$(number records) $(number lost)" "640 0" "spe: all 640 records of the recording are compared, and nothing is lost"

# Deliberate differences. b0 is a PC, 4a a branch, 01 an end, 71 a time stamp.
differ "a low address at EL2 stays low; perf fills its top byte" "b0 00100000000000c0 01" \
	"ours pc=1000" "lost 0" "perf record pc=ff00000000001000 va=0 context=-1 source=0 time=0"
differ "a data address is extended from bit 55; perf extends it only if bits 52 to 55 are ones" \
	"49 00 b2 0010000000008000 01" "ours va=ff80000000001000 op=1" "lost 0" \
	"perf record pc=0 va=80000000001000 context=-1 source=0 time=0"
differ "fields without a packet are absent; perf has 0" "b0 0010000000000080 49 00 01" "ours pc=1000 op=1" "lost 0" \
	"perf record pc=1000 va=0 context=-1 source=0 time=0"
differ "an operation of the reserved class is part of the record; perf's record ends with an error" \
	"b0 0010000000000080 4b 07 43 0e 01" "ours pc=1000 op=703 source=e" "lost 0" \
	"perf error pc=1000 va=0 context=-1 source=0 time=0" "perf record pc=0 va=0 context=-1 source=e time=0"
differ "both contexts of a record are kept; perf keeps the last" \
	"b0 0010000000000080 64 11000000 65 22000000 01" "ours pc=1000 el1=11 el2=22" "lost 0" \
	"perf record pc=1000 va=0 context=34 source=0 time=0"
differ "a data source has up to 64 bits; perf keeps 16" "b0 0010000000000080 63 78563412 01" \
	"ours pc=1000 source=12345678" "lost 0" "perf record pc=1000 va=0 context=-1 source=5678 time=0"
differ "the part of a record before a damaged byte is lost; perf makes a sample of it" \
	"b0 0010000000000080 ff 49 00 71 0500000000000000 b0 0020000000000080 01" \
	"ours op=1 time=5" "ours pc=2000" "lost 10" \
	"perf error pc=1000 va=0 context=-1 source=0 time=0" "perf record pc=0 va=0 context=-1 source=0 time=5" \
	"perf record pc=2000 va=0 context=-1 source=0 time=0"
slot=b00010000000000080000000000000000000004900521600990000980000b200000000000000000000000000000000000000000000000071
differ "a damaged record of 64 bytes is lost as a whole; perf makes two samples of it" \
	"$slot 01000000000000 00 ${slot/4900/ff00} 02000000000000 00 $slot 03000000000000 00" \
	"ours pc=1000 va=0 total=0 issue=0 op=1 events=16 time=1" "ours pc=1000 va=0 total=0 issue=0 op=1 events=16 time=3" \
	"lost 64" "perf record pc=1000 va=0 context=-1 source=0 time=1" \
	"perf error pc=1000 va=0 context=-1 source=0 time=0" "perf record pc=0 va=0 context=-1 source=0 time=2" \
	"perf record pc=1000 va=0 context=-1 source=0 time=3"
differ "an unknown packet is skipped by its size; perf reads its payload as packets" \
	"b0 0010000000000080 80 01 49 00 71 0500000000000000" "ours pc=1000 op=1 time=5" "lost 0" \
	"perf error pc=1000 va=0 context=-1 source=0 time=0" "perf record pc=0 va=0 context=-1 source=0 time=0" \
	"perf record pc=0 va=0 context=-1 source=0 time=5"
differ "a record that the end of the trace cuts is lost; perf makes samples of its parts" "b0 0010000000000080 52 16" \
	"lost 11" "perf error pc=1000 va=0 context=-1 source=0 time=0" "perf error pc=0 va=0 context=-1 source=0 time=0"
differ "a record may span buffers; perf joins none" "b0 0010000000000080 52 16, 00 01" \
	"ours pc=1000 events=16" "lost 0" "perf error pc=1000 va=0 context=-1 source=0 time=0" \
	"perf error pc=0 va=0 context=-1 source=0 time=0" "perf record pc=0 va=0 context=-1 source=0 time=0"
differ "an end packet alone is no record; perf makes an empty sample" "01" "lost 1" \
	"perf record pc=0 va=0 context=-1 source=0 time=0"
differ "a second PC begins a record; perf replaces the first and mixes two records" \
	"b0 0010000000000080 65 11000000 b0 0020000000000080 01" "ours pc=2000" "lost 14" \
	"perf record pc=2000 va=0 context=17 source=0 time=0"
is "$("$work/peer" alignment 1)" $'ours 4 perf 4\nours 4 perf 2' \
	"spe: an alignment packet depends on the trace offset; in perf it depends on the address of the buffer"
done_testing
