#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tally.py TRACE: prints the number of slices of each category and of work of each kind, "COUNT CATEGORY", and the instants, "moment NAME KEY=VALUE...".

For traces that are too long for tests/unit/trace/trace_sql.py: it keeps only the string table and does not check that
slices end.
"""
import collections
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "trace"))
from trace_sql import ARG, BEGIN, CATEGORY, CLEARED, INSTANT, NAME, SPECIFICATION, TEXT, fields, one, text, varint

EVENT, INTERNED, FLAGS, WORK = 11, 12, 13, 53
WORK_STAGE, STAGE_KIND = 14, 3
EVENT_CATEGORY, EVENT_ARGS, EVENT_TYPE, EVENT_NAME = 3, 4, 9, 10
ARG_INTEGER, ARG_REAL, ARG_TEXT, ARG_TEXT_NUMBER = 4, 5, 6, 17


def skim(data, at, end, wanted):
    """The wanted fields of a message: {number: value or (begin, end)}; optimised for numbers of one byte"""
    out = {}
    while at < end:
        tag = data[at]
        at += 1
        if tag & 0x80:
            tag, at = varint(data, at - 1)
        kind = tag & 7
        if kind == 1:
            at += 8
            continue
        value = data[at]
        at += 1
        if value & 0x80:
            value, at = varint(data, at - 1)
        if kind == 2:
            value, at = (at, at + value), at + value
        elif kind:
            sys.exit(f"{at}: a field of type {kind}")
        if tag >> 3 in wanted:
            out[tag >> 3] = value
    if at != end:
        sys.exit(f"{at}: truncated message")
    return out


def argument(arg, names):
    """The value of an argument"""
    if ARG_INTEGER in arg:
        return one(arg, ARG_INTEGER)
    if ARG_REAL in arg:
        return struct.unpack("<d", one(arg, ARG_REAL))[0]
    return names[TEXT, one(arg, ARG_TEXT_NUMBER)] if ARG_TEXT_NUMBER in arg else text(one(arg, ARG_TEXT))


def moment(event, names):
    """The name and arguments of an instant"""
    out = [names[NAME, one(event, EVENT_NAME)]]
    for arg in map(fields, event.get(EVENT_ARGS, [])):
        out.append(f"{names[ARG, one(arg, 1)]}={argument(arg, names)}")
    return " ".join(out)


class Tally:
    def __init__(self):
        self.names, self.counts, self.moments = {}, collections.Counter(), []

    def packet(self, data, at, end):
        packet = skim(data, at, end, (EVENT, INTERNED, FLAGS, WORK))
        if packet.get(FLAGS, 0) & CLEARED:
            self.names = {}
        if INTERNED in packet:
            begin, end = packet[INTERNED]
            for kind, entries in fields(data[begin:end]).items():
                for entry in map(fields, entries):
                    if kind in (CATEGORY, NAME, ARG, TEXT):
                        self.names[kind, one(entry, 1)] = text(one(entry, 2))
                    elif kind == SPECIFICATION:
                        self.names[kind, one(entry, 1)] = text(one(entry, STAGE_KIND))
        if WORK in packet:
            stage = skim(data, *packet[WORK], (WORK_STAGE,))[WORK_STAGE]
            self.counts[self.names[SPECIFICATION, stage]] += 1
        if EVENT not in packet:
            return
        event = skim(data, *packet[EVENT], (EVENT_CATEGORY, EVENT_TYPE))
        if event.get(EVENT_TYPE) == BEGIN:
            self.counts[self.names[CATEGORY, event[EVENT_CATEGORY]]] += 1
        elif event.get(EVENT_TYPE) == INSTANT:
            begin, end = packet[EVENT]
            self.moments.append(moment(fields(data[begin:end]), self.names))


def main():
    tally, at = Tally(), 0
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    while at < len(data):
        tag = data[at]
        size, at = varint(data, at + 1)
        if tag != 10 or at + size > len(data):
            sys.exit(f"{at}: not a packet, or a truncated one")
        tally.packet(data, at, at + size)
        at += size
    for category, count in sorted(tally.counts.items()):
        print(count, category)
    for line in tally.moments:
        print("moment", line)


main()
