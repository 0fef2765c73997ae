# SPDX-License-Identifier: LGPL-2.1-or-later
"""Board files, as far as ACPI describes a board: tests/vm/boards/README.rst."""

KINDS = ("scf", "pcie", "c2c0", "c2c1", "cnvlink", "foreign")
CHIPS = ("superchip", "gracehopper")
LINES = 4
MAX_PMUS = 31

BASE = 0x3D000000
DEVICE_SPACE = 0x400000
PMU_SPACE = 0x20000
PACKED_SPACE = 0x1000
PAGE1 = 0x10000
# QEMU's virt machine wires INTA of PCI slot L to shared interrupt 3 + L % 4
GSI = 35
# Shared interrupts that no device of the machine raises begin here
UNUSED_GSI = 240


class BoardError(Exception):
    """What is wrong with a board file, as "FILE:LINE: message"."""


def number(low, high):
    """A decimal number from low to high"""

    def parse(word):
        if not word.isdecimal() or not low <= int(word) <= high:
            raise ValueError(f"a number from {low} to {high}")
        return int(word)

    return parse


def hexadecimal(bits):
    """A hexadecimal number of so many bits"""

    def parse(word):
        try:
            value = int(word, 16)
        except ValueError:
            value = -1
        if not 0 <= value < 1 << bits:
            raise ValueError(f"a hexadecimal number of {bits} bits")
        return value

    return parse


def choice(*words):
    """One of these words"""

    def parse(word):
        if word not in words:
            raise ValueError(" or ".join(words))
        return word

    return parse


def dead(word):
    """How a register page is broken; the value is the model's business"""
    if word not in ("ones", "zeros"):
        hexadecimal(32)(word)
    return word


PMU_KEYS = {
    "kind": choice(*KINDS),
    "socket": number(0, 3),
    "counters": number(1, 127),
    "width": number(8, 64),
    "cc": number(0, 1),
    "pages": number(1, 2),
    "atomic": number(0, 1),
    "line": number(0, LINES),
    "mode": choice("level", "edge"),
    "iidr": hexadecimal(32),
    "impl": hexadecimal(32),
    "dead": dead,
    "devarch": hexadecimal(32),
    "ext64": number(0, 1),
    "affinity": choice("container", "cpu"),
    "proc": number(0, 0xFFFFFFFF),
    "gsi": number(0, 0xFFFFFFFF),
    "wired": number(0, 1),
    "uid": number(0, 0xFFFFFFFF),
    "apmt_len": number(0, 0xFFFF),
    "apmt_type": number(0, 0xFF),
    "base0": hexadecimal(64),
    "base1": hexadecimal(64),
}
APMT_KEYS = {"table_len": number(36, 0xFFFFFFFF)}


def pairs(words, keys, what):
    """The KEY=VALUE words of a line, parsed by keys"""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in keys:
            raise ValueError(f'expected KEY=VALUE of {what}, found "{word}"')
        if name in found:
            raise ValueError(f'expected each key once, found a second "{name}"')
        try:
            found[name] = keys[name](value)
        except ValueError as error:
            raise ValueError(f'{name}: expected {error}, found "{value}"') from None
    return found


class Board:
    """chip, sockets, pmus (one dict each, APMT order) and table_len or None"""

    def __init__(self, path):
        self.chip = self.sockets = self.table_len = None
        self.pmus = []
        self.space = PMU_SPACE
        line_number = 0
        with open(path, encoding="utf-8") as file:
            for line_number, line in enumerate(file, 1):
                words = line.partition("#")[0].split()
                try:
                    if words:
                        self._line(words)
                except ValueError as error:
                    raise BoardError(f"{path}:{line_number}: {error}") from None
        if not self.sockets:
            raise BoardError(f"{path}:{line_number + 1}: expected chip and sockets")

    def _line(self, words):
        if words[0] == "pmu":
            self._pmu(words[1:])
        elif words[0] == "apmt":
            self.table_len = pairs(words[1:], APMT_KEYS, "apmt").get("table_len")
        elif words == ["packed"] and not self.pmus:
            self.space = PACKED_SPACE
        elif words[0] == "chip" and len(words) == 2 and not self.chip:
            if words[1] not in CHIPS:
                raise ValueError(f'expected {" or ".join(CHIPS)}, found "{words[1]}"')
            self.chip = words[1]
        elif words[0] == "sockets" and len(words) == 2 and not self.sockets:
            if words[1] not in ("1", "2", "4"):
                raise ValueError(f"expected 1, 2 or 4 sockets, found {words[1]}")
            self.sockets = int(words[1])
        else:
            raise ValueError(
                'expected "chip NAME" and "sockets N" once each, and '
                f'"pmu KEY=VALUE..."; found "{words[0]}"'
            )

    def _pmu(self, words):
        if not self.sockets:
            raise ValueError("expected chip and sockets before the first pmu")
        index = len(self.pmus)
        if index == MAX_PMUS:
            raise ValueError(f"expected at most {MAX_PMUS} pmus")
        pmu = pairs(words, PMU_KEYS, "pmu")
        if "kind" not in pmu or "socket" not in pmu:
            raise ValueError("expected kind= and socket=")
        if pmu["socket"] >= self.sockets:
            raise ValueError(f"expected a socket below {self.sockets}, found {pmu['socket']}")
        if self.space == PACKED_SPACE and pmu.get("pages", 1) == 2:
            raise ValueError("expected one page for each pmu of a packed board")
        line = pmu.setdefault("line", 0)
        base = BASE + (max(line, 1) - 1) * DEVICE_SPACE + index * self.space
        pmu.setdefault("gsi", GSI + line % 4 if line else UNUSED_GSI + index)
        pmu.setdefault("uid", index)
        pmu.setdefault("base0", base)
        pmu.setdefault("base1", base + PAGE1 if pmu.get("pages", 1) == 2 else 0)
        self.pmus.append(pmu)

    @property
    def cpus_per_socket(self):
        """Four CPUs in all, but two of a single socket"""
        return max(4 // self.sockets, 1) if self.sockets > 1 else 2

    @property
    def devices(self):
        """How many PCI devices carry the PMUs; the first has the control page"""
        return max([1] + [pmu["line"] for pmu in self.pmus])
