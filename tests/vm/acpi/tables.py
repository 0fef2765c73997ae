# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The ACPI tables of a board on QEMU's virt machine (GICv3, PSCI by HVC).

Layouts are those of the ACPI specification 6.5, of APMT those of Arm DEN0117
1.0, of SPCR and MCFG those of the documents that ACPI refers to for them.
Checksums are left to the firmware, which moves the tables.
"""

import struct

RAM_BASE = 0x40000000
GICD_BASE = 0x08000000
GICR_BASE = 0x080A0000
GICR_SIZE = 0x00F60000
UART_BASE = 0x09000000
UART_GSI = 33
ECAM_BASE = 0x4010000000
PMU_PPI = 23
TIMER_SECURE_PPI = 29
TIMER_PPI = 30
TIMER_VIRTUAL_PPI = 27
TIMER_EL2_PPI = 26


def table(signature, revision, body):
    """A whole table; length and checksum can be patched later"""
    return (
        struct.pack(
            "<4sIBB6s8sI4sI",
            signature.encode(),
            36 + len(body),
            revision,
            0,
            b"GPMU  ",
            b"GRACEVM ",
            1,
            b"GPMU",
            1,
        )
        + body
    )


def generic_address(address, bits=32, access=3):
    """ACPI 5.2.3.2, a register in system memory; access 3 is 32 bits"""
    return struct.pack("<BBBBQ", 0, bits, 0, access, address)


def madt(board):
    """ACPI 5.2.12: one GICC per CPU, the distributor, the redistributors"""
    body = struct.pack("<II", 0, 0)
    body += struct.pack("<BBHIQIB3x", 0x0C, 24, 0, 0, GICD_BASE, 0, 3)
    for cpu in range(board.sockets * board.cpus_per_socket):
        gicc = struct.pack("<BBHIIII", 0x0B, 80, 0, cpu, cpu, 1, 0)
        gicc += struct.pack("<IQQQQIQ", PMU_PPI, 0, 0, 0, 0, 0, 0)
        # MPIDR: QEMU puts up to 16 CPUs of a GICv3 machine into Aff0
        gicc += struct.pack("<QBxH", cpu, 0, 0)
        body += gicc
    body += struct.pack("<BBHQI", 0x0E, 16, 0, GICR_BASE, GICR_SIZE)
    return table("APIC", 5, body)


def gtdt(_board):
    """ACPI 5.2.25: level-triggered timers, the EL1 one always on"""
    none = 0xFFFFFFFFFFFFFFFF
    body = struct.pack("<QI", none, 0)
    body += struct.pack("<IIII", TIMER_SECURE_PPI, 0, TIMER_PPI, 4)
    body += struct.pack("<IIII", TIMER_VIRTUAL_PPI, 0, TIMER_EL2_PPI, 0)
    body += struct.pack("<QIIII", none, 0, 0, 0, 0)
    return table("GTDT", 3, body)


def fadt(_board):
    """ACPI 5.2.9: hardware-reduced, PSCI by HVC; DSDT's address comes later"""
    body = bytearray(276 - 36)
    hw_reduced, psci_hvc = 1 << 20, 3
    struct.pack_into("<I", body, 112 - 36, hw_reduced)
    struct.pack_into("<HB", body, 129 - 36, psci_hvc, 5)
    struct.pack_into("<8s", body, 268 - 36, b"QEMU")
    return table("FACP", 6, bytes(body))


def srat(board, ram):
    """ACPI 5.2.16: a socket is a proximity domain with an equal part of RAM"""
    body = struct.pack("<IQ", 1, 0)
    for cpu in range(board.sockets * board.cpus_per_socket):
        socket = cpu // board.cpus_per_socket
        body += struct.pack("<BBIIII", 3, 18, socket, cpu, 1, 0)
    part = ram // board.sockets
    for socket in range(board.sockets):
        body += struct.pack(
            "<BBIHQQIIQ", 1, 40, socket, 0, RAM_BASE + socket * part, part, 0, 1, 0
        )
    return table("SRAT", 3, body)


def pptt(board):
    """
    ACPI 5.2.30: a package node per socket, whose id is that of the processor
    container in the DSDT and so becomes physical_package_id, and its CPUs
    """
    package, id_valid, leaf, identical = 1, 2, 8, 16
    body = b""
    for socket in range(board.sockets):
        parent = 36 + len(body)
        flags = package | id_valid | identical
        body += struct.pack("<BBHIIII", 0, 20, 0, flags, 0, socket, 0)
        for core in range(board.cpus_per_socket):
            cpu = socket * board.cpus_per_socket + core
            body += struct.pack("<BBHIIII", 0, 20, 0, id_valid | leaf, parent, cpu, 0)
    return table("PPTT", 2, body)


def spcr(_board):
    """The console: QEMU's first PL011, 115200 8n1"""
    body = struct.pack("<B3x", 3) + generic_address(UART_BASE)
    body += struct.pack("<BBIBBBBBx", 8, 0, UART_GSI, 7, 0, 1, 0, 3)
    body += struct.pack("<HHBBBIBI", 0xFFFF, 0xFFFF, 0, 0, 0, 0, 0, 0)
    return table("SPCR", 2, body)


def mcfg(_board):
    """PCI firmware specification 4.1.2: configuration space of segment 0"""
    return table("MCFG", 1, struct.pack("<QQHBBI", 0, ECAM_BASE, 0, 0, 255, 0))


def apmt_node(board, pmu):
    """
    DEN0117, a node of 56 bytes. A board can ask for another length: the node
    then is cut or padded to it, so that the nodes after it stay in step; a
    length that cannot be (below 4, above 256) is only claimed.
    """
    dual, container, atomic = 1, 2, 4
    by_container = pmu.get("affinity", "container") == "container"
    socket = pmu["socket"]
    flags = dual if pmu.get("pages", 1) == 2 else 0
    flags |= container if by_container else 0
    flags |= atomic if pmu.get("atomic", 1) else 0
    edge, not_wired = 1, 2
    gsi_flags = edge if pmu.get("mode", "level") == "edge" else 0
    gsi_flags |= 0 if pmu.get("wired", 1) else not_wired
    length = pmu.get("apmt_len", 56)
    node = struct.pack(
        "<HBBIQIQQIIIII",
        length,
        flags,
        pmu.get("apmt_type", 3),
        pmu["uid"],
        int.from_bytes(b"NVDA2004", "little"),
        pmu["uid"],
        pmu["base0"],
        pmu["base1"],
        pmu["gsi"],
        0,
        gsi_flags,
        pmu.get("proc", socket if by_container else socket * board.cpus_per_socket),
        pmu.get("impl", 0),
    )
    return node[:length].ljust(length, b"\0") if 4 <= length <= 256 else node


def apmt(board):
    """DEN0117: the nodes, and a table length that the board may falsify"""
    made = bytearray(
        table("APMT", 0, b"".join(apmt_node(board, pmu) for pmu in board.pmus))
    )
    if board.table_len is not None:
        struct.pack_into("<I", made, 4, board.table_len)
        made = made.ljust(board.table_len, b"\0")
    return bytes(made)


def all_tables(board, ram):
    """All but the DSDT, FADT first"""
    made = [make(board) for make in (fadt, madt, gtdt, pptt, spcr, mcfg, apmt)]
    return made + [srat(board, ram)]
