# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a minimal trace with the kernels of one stream and an audit."""
import os
import struct

RAW, BEGIN, END, INSTANT = 5, 1, 2, 3
CLEARED, NEEDED = 1, 2
CATEGORIES, NAMES, ARGS = 1, 2, 3
APART = 2   # not merged with other tracks of the same name


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(*pairs):
    return b"".join(field(*pair) for pair in pairs)


def packet(flags, *pairs):
    return field(1, message((10, 1), (13, flags), *pairs))


class Trace:
    def __init__(self, file):
        self.file, self.names = file, {}
        file.write(packet(CLEARED, (6, message((1, message((1, RAW), (2, 0))), (2, RAW))),
                          (59, message((58, RAW))), (60, message((1, 1), (2, "stream 7"), (15, APART)))) +
                   packet(NEEDED, (60, message((1, 2), (2, "audit"), (15, APART)))))

    def name(self, kind, text):
        """The number of a name in the string table, and the entry to write if it is new"""
        number = self.names.get((kind, text))
        if number:
            return number, b""
        number = self.names[kind, text] = len(self.names) + 1
        return number, field(kind, message((1, number), (2, text)))

    def event(self, track, kind, time, category=None, name=None, **args):
        interned, pairs = b"", [(9, kind), (11, track)]
        for where, what, text in ((3, CATEGORIES, category), (10, NAMES, name)):
            if text:
                number, new = self.name(what, text)
                interned += new
                pairs.append((where, number))
        for key, value in args.items():
            number, new = self.name(ARGS, key)
            interned += new
            pairs.append((4, message((1, number), (4 if isinstance(value, int) else 6, value))))
        self.file.write(packet(NEEDED, (8, time), (12, interned), (11, message(*pairs))))

    def kernel(self, name, begin, end):
        self.event(1, BEGIN, begin, "kernel", name)
        self.event(1, END, end)

    def audit(self, name, **args):
        self.event(2, INSTANT, 0, "audit", name, **args)


def write(path, kernels, lost, pc_sampling=None):
    """@kernels is a list of (name, begin, end), @pc_sampling a dict of numbers."""
    with open(path, "wb") as file:
        trace = Trace(file)
        for kernel in kernels:
            trace.kernel(*kernel)
        trace.audit("process", pid=1, program="load", cupti="13.0.0",
                    buffers=int(os.environ.get("REHEARSAL_BUFFERS", "4194304")), buffers_limit=268435456)
        trace.audit("clock", bound=50, of="cupti")
        if pc_sampling:
            trace.audit("pc_sampling", **pc_sampling)
        if lost:
            trace.audit("source", source="cupti", lost=lost, why="CUPTI had no buffer")
