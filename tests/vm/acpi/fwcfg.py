# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Tables into the three fw_cfg files by which QEMU hands ACPI to the firmware:
etc/acpi/tables, etc/acpi/rsdp and etc/table-loader, a list of 128-byte
commands (docs/specs/acpi... and OVMF's QemuLoader.h describe them).
"""

import struct

TABLES = b"etc/acpi/tables"
RSDP = b"etc/acpi/rsdp"
ALLOCATE, ADD_POINTER, ADD_CHECKSUM = 1, 2, 3
ZONE_HIGH, ZONE_FSEG = 1, 2
FADT_DSDT, FADT_X_DSDT = 40, 140


class Loader:
    """The command list"""

    def __init__(self):
        self.blob = b""

    def _command(self, number, body):
        self.blob += struct.pack("<I", number) + body.ljust(124, b"\0")

    def allocate(self, name, align, zone):
        """Puts a file into memory"""
        self._command(ALLOCATE, struct.pack("<56sIB", name, align, zone))

    def pointer(self, name, offset, size, target):
        """Turns an offset in file target, stored in file name, into an address"""
        self._command(ADD_POINTER, struct.pack("<56s56sIB", name, target, offset, size))

    def checksum(self, name, offset, start, length):
        """Makes length bytes from start sum to 0 by the byte at offset"""
        self._command(ADD_CHECKSUM, struct.pack("<56sIII", name, offset, start, length))


def build(dsdt, tables):
    """Returns the three files' contents; tables[0] is the FADT"""
    loader = Loader()
    loader.allocate(RSDP, 16, ZONE_FSEG)
    loader.allocate(TABLES, 64, ZONE_HIGH)
    blob = bytearray()

    def place(made):
        blob.extend(b"\0" * (-len(blob) % 8))
        offset = len(blob)
        made = bytearray(made)
        made[9] = 0
        blob.extend(made)
        return offset

    def seal(offset):
        length = struct.unpack_from("<I", blob, offset + 4)[0]
        loader.checksum(TABLES, offset + 9, offset, length)

    dsdt_offset = place(dsdt)
    seal(dsdt_offset)
    offsets = [place(made) for made in tables]
    struct.pack_into("<Q", blob, offsets[0] + FADT_X_DSDT, dsdt_offset)
    loader.pointer(TABLES, offsets[0] + FADT_X_DSDT, 8, TABLES)
    for offset in offsets:
        seal(offset)

    header = bytearray(tables[0][:36])
    struct.pack_into("<4sIB", header, 0, b"XSDT", 36 + 8 * len(offsets), 1)
    xsdt = place(bytes(header) + struct.pack(f"<{len(offsets)}Q", *offsets))
    for index in range(len(offsets)):
        loader.pointer(TABLES, xsdt + 36 + 8 * index, 8, TABLES)
    seal(xsdt)

    rsdp = struct.pack("<8sB6sBIIQB3x", b"RSD PTR ", 0, b"GPMU  ", 2, 0, 36, xsdt, 0)
    loader.pointer(RSDP, 24, 8, TABLES)
    loader.checksum(RSDP, 8, 0, 20)
    loader.checksum(RSDP, 32, 0, 36)
    return bytes(blob), rsdp, loader.blob
