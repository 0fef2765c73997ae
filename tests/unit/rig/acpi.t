#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks the ACPI tables of the modelled machines as iasl's disassembler decodes
# them, and the error messages for board files. APMT is checked by its bytes (Arm
# DEN0117), because older disassemblers do not decode it.
. tests/lib/tap.sh

command -v iasl >/dev/null || bail "iasl is not installed: run ./setup"
boards=tests/vm/boards
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# generate BOARD [RAM_MIB]: writes the tables to $tmp/out
generate() {
	rm -rf "$tmp/out"
	tests/vm/acpi/generate "$1" "$tmp/out" "${2:-1024}" 2>&1
}

# decompile TABLE: prints the disassembly, without iasl's own messages
decompile() {
	(cd "$tmp/out" && iasl -vs -d "$1.aml" >"$1.log" 2>&1; cat "$1.dsl")
}

# fields TABLE NAME: prints the values of all fields with this name, in order
fields() {
	decompile "$1" | sed -n "s/^\(\[.*\]\)\{0,1\} *$2 : \([^ ]*\).*/\2/p" | xargs
}

# bytes FILE OFFSET LENGTH: prints a little-endian number in hexadecimal
bytes() {
	od -An -v -tx1 -j"$2" -N"$3" "$1" | tr -s ' \n' '\n' | tac | tr -d '\n'
}

# node N OFFSET LENGTH: prints a field of an APMT node; all nodes have 56 bytes
node() {
	bytes "$tmp/out/APMT.aml" $((36 + 56 * $1 + $2)) "$3"
}

sum() {
	od -An -v -tu1 "$1" | tr -s ' \n' '\n' | awk '{ n += $1 } END { print n % 256 }'
}

is "$(generate $boards/superchip.board)" "2 2 4" \
	"ACPI: a Superchip has 2 sockets of 2 CPUs, and its PMUs are in 4 devices"
for table in APIC APMT DSDT FACP GTDT MCFG PPTT SPCR SRAT; do
	is "$(sum "$tmp/out/$table.aml")" 0 "ACPI: the checksum of $table is right"
	found=$(decompile $table)
	case $found in
	*"Unknown ACPI table signature"*) skip "an older iasl" "ACPI: the disassembler accepts $table" ;;
	*) unlike "$found" 'Invalid|Unknown|\*\*\*' "ACPI: the disassembler accepts $table" ;;
	esac
done
is "$(fields APIC 'ARM MPIDR')" "0000000000000000 0000000000000001 0000000000000002 0000000000000003" \
	"ACPI: MADT has the MPIDRs of the four CPUs"
is "$(fields APIC 'Processor UID')" "00000000 00000001 00000002 00000003" \
	"ACPI: MADT has the ids of the four CPUs"
is "$(fields APIC 'Version')" 03 "ACPI: MADT describes a GICv3"
is "$(fields SRAT 'Proximity Domain')" "00000000 00000000 00000001 00000001 00000000 00000001" \
	"ACPI: SRAT has two CPUs and one memory range in each proximity domain"
is "$(fields SRAT 'Base Address')" "0000000040000000 0000000060000000" \
	"ACPI: SRAT gives each socket half of the memory"
is "$(fields SRAT 'Address Length')" "0000000020000000 0000000020000000" \
	"ACPI: SRAT's two memory ranges have the same size"
is "$(fields PPTT 'Physical package')" "1 0 0 1 0 0" "ACPI: PPTT has a package for every two CPUs"
is "$(fields PPTT 'ACPI Processor ID')" "00000000 00000000 00000001 00000001 00000002 00000003" \
	"ACPI: PPTT numbers packages by socket"
is "$(fields PPTT 'Parent')" "00000000 00000024 00000024 00000000 00000060 00000060" \
	"ACPI: PPTT places CPUs below their package"
is "$(fields FACP 'Hardware Reduced (V5)')" "1" "ACPI: FADT describes a hardware-reduced machine"
is "$(fields FACP 'PSCI Compliant')$(fields FACP 'Must use HVC for PSCI')" "11" \
	"ACPI: FADT offers PSCI by HVC"
is "$(fields GTDT 'Virtual Timer Interrupt')" "0000001B" "ACPI: GTDT has the virtual timer's interrupt"
is "$(fields MCFG 'Base Address')" "0000004010000000" \
	"ACPI: MCFG has QEMU's address of the PCI configuration space"
dsdt=$(decompile DSDT | sed 's#/\*.*\*/##; s#//.*##')
is "$(grep -c ACPI0010 <<<"$dsdt")" 2 "ACPI: the DSDT has a processor container for each socket"
like "$(tr -d ' \n' <<<"$dsdt")" 'Name\(_HID,"ACPI0010"[^{}]*\)Name\(_UID,One\)Device\(C002\)' \
	"ACPI: the DSDT has CPU 2 in the container of socket 1"
is "$(grep -c ARMH0011 <<<"$dsdt")" 2 "ACPI: the DSDT has two UARTs"

is "$(stat -c %s "$tmp/out/APMT.aml")" $((36 + 10 * 56)) "ACPI: APMT has ten nodes"
is "$(node 0 0 2) $(node 0 2 1) $(node 0 3 1)" "0038 06 03" \
	"ACPI: an APMT node has 56 bytes, container affinity, 64-bit accesses and an ACPI device"
is "$(node 0 8 8) $(node 0 16 4)" "343030324144564e 00000000" "ACPI: an APMT node names its ACPI device"
is "$(node 0 20 8) $(node 0 28 8)" "000000003d000000 0000000000000000" \
	"ACPI: the first PMU is at 0x3d000000 and has one page"
is "$(node 0 36 4) $(node 5 36 4) $(node 1 36 4) $(node 2 36 4) $(node 3 36 4)" \
	"00000024 00000025 00000026 00000023 000000f3" \
	"ACPI: interrupt lines 1 to 4 are GSI 36, 37, 38 and 35, and PMU 3 without a line has GSI 243"
is "$(node 5 20 8)" "000000003d4a0000" "ACPI: PMU 5 on line 2 is in the second device's 4 MiB"
is "$(node 4 48 4) $(node 5 48 4)" "00000000 00000001" "ACPI: an APMT node's affinity is its socket"

generate $boards/grace.board >/dev/null
is "$(bytes "$tmp/out/APMT.aml" 4 4) $(bytes "$tmp/out/APMT.aml" 8 1) $(node 4 0 2)" "0000013c 00 0038" \
	"ACPI: the APMT of one Grace CPU has revision 0 and 316 bytes, with five nodes of 56"
is "$(node 3 20 8) $(node 4 20 8)" "000000003d003000 000000003d004000" \
	"ACPI: the PMUs of a packed board are 4 KiB apart"
generate $boards/superchip.board >/dev/null

# As the firmware does: relocate the tables by the loader's commands, then set the checksums.
python3 - "$tmp/out" <<'END' >"$tmp/loaded" 2>&1
import struct, sys
out = sys.argv[1]
files = {"etc/acpi/tables": bytearray(open(f"{out}/tables.bin", "rb").read()),
         "etc/acpi/rsdp": bytearray(open(f"{out}/rsdp.bin", "rb").read())}
loader = open(f"{out}/loader.bin", "rb").read()
address = {"etc/acpi/tables": 0x5B000000, "etc/acpi/rsdp": 0x5A000000}
text = lambda b: b.rstrip(b"\0").decode()
for at in range(0, len(loader), 128):
    command, = struct.unpack_from("<I", loader, at)
    name = text(loader[at + 4:at + 60])
    if command == 2:
        target = text(loader[at + 60:at + 116])
        offset, size = struct.unpack_from("<IB", loader, at + 116)
        value = int.from_bytes(files[name][offset:offset + size], "little") + address[target]
        files[name][offset:offset + size] = value.to_bytes(size, "little")
    elif command == 3:
        offset, start, length = struct.unpack_from("<III", loader, at + 60)
        files[name][offset] = -sum(files[name][start:start + length]) & 255
rsdp, tables = files["etc/acpi/rsdp"], files["etc/acpi/tables"]
print("rsdp", sum(rsdp[:20]) & 255, sum(rsdp) & 255, rsdp[:8].decode())
at = struct.unpack_from("<Q", rsdp, 24)[0] - 0x5B000000
def table(at):
    length = struct.unpack_from("<I", tables, at + 4)[0]
    return f"{tables[at:at + 4].decode()} {sum(tables[at:at + length]) & 255}", length
print(*table(at)[:1])
for i in range(36, table(at)[1], 8):
    entry = struct.unpack_from("<Q", tables, at + i)[0] - 0x5B000000
    print(*table(entry)[:1])
    if tables[entry:entry + 4] == b"FACP":
        print(*table(struct.unpack_from("<Q", tables, entry + 140)[0] - 0x5B000000)[:1])
END
is "$(xargs <"$tmp/loaded")" \
	"rsdp 0 0 RSD PTR XSDT 0 FACP 0 DSDT 0 APIC 0 GTDT 0 PPTT 0 SPCR 0 MCFG 0 APMT 0 SRAT 0" \
	"ACPI: the loader's commands link RSDP to all tables and set all checksums"

is "$(generate $boards/gh4.board 1024)" "4 1 4" "ACPI: a machine of four sockets has one CPU in each"
is "$(fields SRAT 'Address Length' | tr ' ' '\n' | sort -u)" "0000000010000000" \
	"ACPI: SRAT gives each of four sockets a quarter of the memory"
is "$(fields PPTT 'Physical package')" "1 0 1 0 1 0 1 0" "ACPI: PPTT of four sockets has four packages"
is "$(generate $boards/gracehopper.board)" "1 2 4" "ACPI: a Grace Hopper has one socket of two CPUs"
for board in "$boards"/*.board; do
	generate "$board" >"$tmp/log"
	ok $? "ACPI: tables are generated for ${board##*/}"
done

generate $boards/zoo.board >/dev/null
is "$(node 5 2 1) $(node 5 28 8)" "07 000000003d4b0000" \
	"ACPI: a dual-page APMT node has the flag and the second page"
is "$(node 0 2 1)" 02 "ACPI: the atomic flag is clear without 64-bit accesses"
is "$(node 7 44 4) $(node 8 44 4)" "00000001 00000000" \
	"ACPI: the interrupt mode is edge only where the board asks for it"
is "$(node 2 52 4) $(node 1 52 4)" "1050036b 00000000" \
	"ACPI: the implementation id is in APMT only where the board asks for it"
is "$(node 9 2 1) $(node 9 48 4)" "04 00000002" "ACPI: a CPU affinity names the socket's first CPU"
is "$(node 1 36 4) $(node 8 36 4)" "00000023 00000023" "ACPI: two PMUs can share an interrupt"

generate $boards/odd.board >/dev/null
is "$(node 19 2 1) $(node 19 48 4)" "06 00000063" \
	"ACPI: a board can give a PMU an affinity that does not exist"
is "$(node 20 44 4) $(node 21 36 4)" "00000002 00000000" "ACPI: an interrupt can be unwired or absent"

generate $boards/malformed.board >/dev/null
is "$(bytes "$tmp/out/APMT.aml" 4 4)" "0000030c" "ACPI: a board can cut the length of APMT"
is "$(bytes "$tmp/out/APMT.aml" 92 2) $(bytes "$tmp/out/APMT.aml" 132 2)" "0028 0038" \
	"ACPI: a short APMT node is followed at once by the next node"
is "$(node 3 $((3 - 16)) 1)$(node 3 -16 1)" "033c" "ACPI: a long APMT node states its length"

# An error message has the file, the line, and the expected input.
while IFS='|' read -r content line message; do
	printf '%b' "$content" >"$tmp/bad.board"
	is "$(generate "$tmp/bad.board")" "$tmp/bad.board:$line: $message" \
		"ACPI: a malformed board is refused: $(tail -n 1 "$tmp/bad.board")"
done <<'END'
|1|expected chip and sockets
chip grace|1|expected superchip or gracehopper, found "grace"
chip superchip\nsockets 3|2|expected 1, 2 or 4 sockets, found 3
chip superchip\npmu kind=scf socket=0|2|expected chip and sockets before the first pmu
chip superchip\nsockets 2\npmu kind=scf socket=2|3|expected a socket below 2, found 2
chip superchip\nsockets 2\npmu socket=0|3|expected kind= and socket=
chip superchip\nsockets 2\npmu kind=l3 socket=0|3|kind: expected scf or pcie or c2c0 or c2c1 or cnvlink or foreign, found "l3"
chip superchip\nsockets 2\npmu kind=scf socket=0 line=5|3|line: expected a number from 0 to 4, found "5"
chip superchip\nsockets 2\npmu kind=scf socket=0 iidr=xyz|3|iidr: expected a hexadecimal number of 32 bits, found "xyz"
chip superchip\nsockets 2\npmu kind=scf socket=0 speed=1|3|expected KEY=VALUE of pmu, found "speed=1"
chip superchip\nsockets 2\npmu kind=scf kind=scf socket=0|3|expected each key once, found a second "kind"
chip superchip\nsockets 2\napmt length=3|3|expected KEY=VALUE of apmt, found "length=3"
chip superchip\nsockets 2\npacked\npmu kind=scf socket=0 pages=2|4|expected one page for each pmu of a packed board
chip superchip\nsockets 2\nsocket 2|3|expected "chip NAME" and "sockets N" once each, and "pmu KEY=VALUE..."; found "socket"
END
is "$(generate "$tmp/none.board")" "$tmp/none.board: No such file or directory" \
	"ACPI: generate names an absent board"
generate "$tmp/none.board" >/dev/null
is $? 1 "ACPI: generate exits with 1 for an absent board"
done_testing
