# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a minimal trace with the kernels of one stream, PC samples and an audit, in the packets of gpmu record."""
import os
import struct

RAW, STEPS, ENDS = 5, 64, 65    # clocks
INSTANT = 3
CLEARED, NEEDED = 1, 2
CATEGORIES, NAMES, ARGS, CONTEXT, SPECIFICATION = 1, 2, 3, 23, 24
AUDIT, SAMPLES = 2, 3   # tracks
CONTEXT_NUMBER, QUEUE = 1, 1
CUDA, COMPUTE = 4, 2
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
        self.file, self.names, self.stages, self.work = file, {}, {}, 0
        context = message((1, CONTEXT_NUMBER), (2, 1), (3, CUDA))
        queue = message((1, QUEUE), (2, "stream 7"))
        clocks = [(1, message((1, RAW), (2, 0)))] + [(1, message((1, clock), (2, 0), (3, 1), (4, 1))) for clock in (STEPS, ENDS)]
        file.write(packet(CLEARED, (6, message(*clocks, (2, RAW))), (59, message((58, STEPS))), (12, field(CONTEXT, context) + field(SPECIFICATION, queue))))
        for track, name in (AUDIT, "audit"), (SAMPLES, "PC samples by instruction"):
            file.write(packet(NEEDED, (60, message((1, track), (2, name), (15, APART)))))

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
        self.file.write(packet(NEEDED, (8, time), (58, RAW), (12, interned), (11, message(*pairs))))

    def stage(self, name):
        """The number of a kernel's name among the specifications, and the entry to write if it is new"""
        if name in self.stages:
            return self.stages[name], b""
        number = self.stages[name] = QUEUE + 1 + len(self.stages)
        return number, field(SPECIFICATION, message((1, number), (2, name), (3, "kernel"), (4, COMPUTE)))

    def kernel(self, name, begin, end):
        stage, interned = self.stage(name)
        self.work += 1
        self.file.write(packet(NEEDED, (8, begin), (58, RAW), (12, interned), (53, message(
            (1, self.work), (2, end - begin), (5, CONTEXT_NUMBER), (13, QUEUE), (14, stage)))))

    def samples(self, name, **args):
        self.event(SAMPLES, INSTANT, 0, "pc", name, **args)

    def audit(self, name, **args):
        self.event(AUDIT, INSTANT, 0, "audit", name, **args)


def write(path, kernels, lost, pc_sampling=None, samples=()):
    """@kernels is a list of (name, begin, end), @pc_sampling a dict of numbers, @samples a list of (function, arguments)."""
    with open(path, "wb") as file:
        trace = Trace(file)
        for kernel in kernels:
            trace.kernel(*kernel)
        trace.audit("process", pid=1, program="load", cupti="13.0.0",
                    buffers=int(os.environ.get("REHEARSAL_BUFFERS", "4194304")), buffers_limit=268435456)
        trace.audit("clock", bound=50, of="cupti")
        if pc_sampling:
            trace.audit("pc_sampling", **pc_sampling)
        for function, arguments in samples:
            trace.samples(function, **arguments)
        if lost:
            trace.audit("source", source="cupti", lost=lost, why="CUPTI had no buffer")
