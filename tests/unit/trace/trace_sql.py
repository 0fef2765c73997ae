#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""trace_sql.py TRACE SQL [--from N]: queries a trace of libgpmu by SQL.

Beside trace_processor's tables there are two views. all_slice is like slice, with "kernel", "memcpy", "memset" or "graph" as
the category of work of GPUs. gpu_queue has the tracks of this work with their GPU.

Reads the bytes without protobuf-c and metrics/trace/trace.proto, by the rules of Perfetto's
documentation. It fills tables with trace_processor's names, so that both accept the same SQL.
--from N leaves out all packets before the N-th restart, counted from 1. A violation of the
rules ends the program with "offset: reason".

If there is a trace_processor, named by $GPMU_TRACE_PROCESSOR or in the path as
trace_processor_shell, it gets the same query. Another answer, or an error that it counts, ends
the program. An empty GPMU_TRACE_PROCESSOR disables it; --processor prints its path.
"""
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

RAW, FIRST_OWN = 5, 64
CLEARED, NEEDED = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
CATEGORY, NAME, ARG, TEXT = 1, 2, 3, 29
UNITS = {1: "ns", 3: "bytes"}
MONO_RAW, SWITCH, WAKING = 4, 4, 20
CONTEXT, SPECIFICATION, DESCRIPTOR, KERNEL, COMPUTE_ARG = 23, 24, 47, 1000, 1001
APIS = {0: "UNDEFINED", 4: "CUDA"}
MEASURES = {0: "", 7: "B", 8: "KB", 9: "MB", 10: "GB", 13: "Hz", 15: "MHz", 16: "GHz", 19: "ns", 22: "s", 28: "mW", 29: "W", 37: "%"}
FUNCTION, FRAME, STACK, PATH, MAPPING = 5, 6, 7, 17, 19
MODES = {0: "unknown", 1: "kernel", 2: "user"}
STATES = ((1, "S"), (2, "D"), (4, "T"), (8, "t"), (16, "X"), (32, "Z"), (64, "P"), (128, "I"))  # from 4.14 on

SCHEMA = """
create table process (upid, pid, name);
create table thread (utid, tid, upid, name);
create table track (id, name, parent_id);
create table process_track (id, upid);
create table thread_track (id, utid);
create table counter_track (id, name, parent_id, unit);
create table slice (id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id);
create table counter (ts, track_id, value);
create table args (arg_set_id, key, int_value, real_value, string_value, display_value);
create table flow (slice_out, slice_in);
create table sched (id, ts, dur, cpu, utid, end_state, priority);
create table perf_sample (id, ts, utid, cpu, cpu_mode, callsite_id, perf_session_id);
create table perf_counter_track (id, name, perf_session_id, cpu, is_timebase);
create table stack_profile_callsite (id, depth, parent_id, frame_id);
create table stack_profile_frame (id, name, mapping, rel_pc);
create table stack_profile_mapping (id, name);
create table gpu_slice (id, ts, dur, track_id, name, depth, arg_set_id, context_id, submission_id, hw_queue_id, upid,
    render_stage_category);
create table gpu_track (id, name);
create table gpu_queue (id, name, ugpu);
create table gpu_counter_track (id, name, unit, description, gpu_id);
create table gpu_counter_group (group_id, track_id);
create table gpu (id, gpu, name, vendor, uuid, pci_bdf);
create table gpu_context (context_id, pid, api);
create index args_set on args (arg_set_id);
create table clock_snapshot (snapshot_id, clock_id, clock_value);
"""


# Errors that trace_processor counts. Switches that do not follow from the ones before are left out, as they are
# the kernel's: its own tracing has them too, in a guest with Linux 6.18.
ERRORS = """select name, idx, value from stats where severity in ('error', 'data_loss') and value > 0
    and name <> 'mismatched_sched_switch_tids'"""
HEAD = '"name","idx","value"\n'
# trace_processor adds an argument with the last described thread to events on no thread's track.
# Slices of all kinds: work of GPUs has its kind as the category.
ALL_SLICE = """create {}view all_slice as select s.id, s.ts, s.dur, s.track_id, coalesce(s.category, k.string_value) as category,
    s.name, s.depth, s.parent_id, s.arg_set_id from slice s
    left join args k on k.arg_set_id = s.arg_set_id and k.key = 'description'"""
# A track's GPU is a dimension of the track.
GPU_QUEUE = """create temp view gpu_queue as select id, name, extract_arg(dimension_arg_set_id, 'ugpu') as ugpu from track
    where type = 'gpu_render_stage'"""
OWN_ARGS = "create temp view args as select * from main.args where key <> 'legacy_event.passthrough_utid'"

class Bad(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Bad(what)


def varint(data, at):
    value = shift = 0
    while True:
        need(at < len(data) and shift < 70, "a number that is cut off")
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """{number: [values]} of a message"""
    out, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            need(tag & 7 in (1, 2), f"a field of type {tag & 7}")
            size, at = (8, at) if tag & 7 == 1 else varint(data, at)
            need(at + size <= len(data), "a field that is cut off")
            value, at = data[at:at + size], at + size
        out.setdefault(tag >> 3, []).append(value)
    return out


def one(message, number, default=None):
    values = message.get(number, [default])
    need(len(values) == 1, f"field {number} is there {len(values)} times")
    return values[0]


def text(value):
    return value if value is None else value.decode("utf-8")


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def packets(data):
    at = 0
    while at < len(data):
        begin = at
        tag, at = varint(data, at)
        need(tag == 10, f"{begin}: expected a packet, found tag {tag}")
        size, at = varint(data, at)
        need(at + size <= len(data), f"{begin}: a packet that is cut off")
        yield begin, fields(data[at:at + size])
        at += size


class Sequence:
    """The state that packets refer to: clocks, names, tracks"""

    def __init__(self, skip):
        self.restarts, self.skip = 0, skip
        self.valid, self.default = False, None
        self.begin = None               # offset of the first packet that is used
        self.clocks, self.names, self.tracks = {}, {}, {}
        self.kernel, self.snapshots, self.events = {}, [], []
        self.release, self.sched = None, []
        self.samplers = {}
        self.gpus, self.work, self.gpu_values = {}, [], []

    def packet(self, packet, begin):
        need(one(packet, 10, 0) >= 1, "a packet of no sequence")
        flags = one(packet, 13, 0)
        if one(packet, 10) > 1:
            self.sample(packet, flags, self.samplers.setdefault(one(packet, 10), Sampler()))
            return
        if flags & CLEARED:
            self.restarts += 1
            self.valid, self.names, self.tracks = self.restarts >= self.skip, {}, {}
            if self.valid and self.begin is None:
                self.begin = begin
        if not self.valid:
            need(self.skip, "a packet before any state")
            return
        if 59 in packet:
            self.default = one(fields(one(packet, 59)), 58)
        if 45 in packet:
            self.release = text(one(fields(one(fields(one(packet, 45)), 1)), 3))
        if 1 in packet:
            self.bundle(fields(one(packet, 1)))
        if 6 in packet:
            self.snapshot(fields(one(packet, 6)))
        if 60 in packet:
            self.track(fields(one(packet, 60)))
        for kind, entries in fields(one(packet, 12, b"")).items():
            for entry in map(fields, entries):
                whole = kind in (CONTEXT, SPECIFICATION, DESCRIPTOR, KERNEL)
                need(not whole or (kind, one(entry, 1)) not in self.names, f"entry {one(entry, 1)} of table {kind} is there twice")
                self.names[kind, one(entry, 1)] = entry if whole else text(one(entry, 2))
        if 128 in packet:
            for number, gpu in enumerate(map(fields, fields(one(packet, 128)).get(1, []))):
                self.gpus.setdefault(number, {}).update(gpu)
        if 53 in packet:
            need(flags & NEEDED, "work marked as needing no state")
            self.stage(fields(one(packet, 53)), self.time(packet))
        if 52 in packet:
            need(flags & NEEDED, "a value marked as needing no state")
            self.gpu_value(fields(one(packet, 52)), self.time(packet))
        if 11 in packet:
            need(flags & NEEDED, "an event marked as needing no state")
            self.event(fields(one(packet, 11)), self.time(packet))

    def sample(self, packet, flags, sampler):
        """A packet of the sequence of a sampled event"""
        if not self.valid:
            need(self.skip, "a sample before any state")
            return
        if flags & CLEARED:
            sampler.clear(fields(one(packet, 59)))
        if 66 not in packet:
            return
        need(RAW in self.kernel and sampler.event is not None and flags & NEEDED, "a sample before any state")
        for kind, entries in fields(one(packet, 12, b"")).items():
            for entry in map(fields, entries):
                need((kind, one(entry, 1)) not in sampler.names, f"entry {one(entry, 1)} of table {kind} is there twice")
                sampler.names[kind, one(entry, 1)] = entry
        sampler.samples.append((one(packet, 8), sampler.event, sampler.stack(one(fields(one(packet, 66)), 4)), fields(one(packet, 66))))

    def snapshot(self, message):
        need(one(message, 2) == RAW, "the clock of the trace is not CLOCK_MONOTONIC_RAW")
        clocks = {one(c, 1): (one(c, 2), one(c, 3, 0), one(c, 4, 1)) for c in map(fields, message[1])}
        for clock, (time, steps, unit) in clocks.items():
            if clock < FIRST_OWN:
                need(clock == 1 or time >= self.kernel.get(clock, 0), f"clock {clock} goes back")
                self.kernel[clock] = time
            else:
                need(steps and unit == 1 and time == clocks[RAW][0], f"clock {clock} is not RAW in steps")
                self.clocks[clock] = time
            self.snapshots.append((self.restarts - 1, clock, time))

    def bundle(self, message):
        need(one(message, 5) == MONO_RAW and RAW in self.kernel, "a bundle whose stamps are of no clock")
        need(one(message, 1) < 1024, f"CPU {one(message, 1)}")
        need(self.release, "scheduling of a kernel that is not known")
        for event in map(fields, message[2]):
            need(2 in event, "an event of no thread")
            for kind in (SWITCH, WAKING):
                if kind in event:
                    self.sched.append((one(event, 1), one(message, 1), kind, fields(one(event, kind))))

    def time(self, packet):
        clock, stamp = one(packet, 58, self.default), one(packet, 8)
        if clock == RAW:
            return stamp
        need(clock in self.clocks, f"clock {clock} is not known")
        self.clocks[clock] += stamp
        return self.clocks[clock]

    def track(self, message):
        need(one(message, 15, 2) == 2 and (15 in message) == (2 in message and 8 not in message),
             "a track that is one with others of its name")
        parent = one(message, 5)
        need(parent is None or parent in self.tracks, f"track {parent}, a parent, is not known")
        self.tracks[one(message, 1)] = message
        self.events.append((None, one(message, 1), message))

    def name(self, kind, number):
        need(number is None or (kind, number) in self.names, f"name {number} of kind {kind} is not known")
        return self.names.get((kind, number))

    def compute_args(self, messages):
        """[(name, integer, real, string)] of arguments of kernels and launches"""
        args = []
        for arg in map(fields, messages):
            args.append((self.name(COMPUTE_ARG, one(arg, 1)), signed(one(arg, 3)) if 3 in arg else one(arg, 4),
                         struct.unpack("<d", one(arg, 5))[0] if 5 in arg else None, self.name(TEXT, one(arg, 7))))
        return args

    def kernel_args(self, number):
        kernel = self.name(KERNEL, number) or {}
        texts = [(key, None, None, text(one(kernel, field))) for field, key in
                 ((2, "kernel_name"), (3, "kernel_demangled_name"), (4, "arch")) if field in kernel]
        return texts + self.compute_args(kernel.get(5, []))

    def launch_args(self, launch):
        args = []
        for field, key in (1, "launch.grid_size."), (2, "launch.workgroup_size."):
            size = fields(one(launch, field, b""))
            args += [(key + "xyz"[i - 1], one(size, i), None, None) for i in (1, 2, 3) if i in size]
        return args + self.compute_args(launch.get(3, []))

    def stage(self, message, time):
        """A piece of work of a GPU"""
        stage, context = self.name(SPECIFICATION, one(message, 14)), self.name(CONTEXT, one(message, 5))
        queue = self.name(SPECIFICATION, one(message, 13))
        need(1 in message and queue and stage and context, "work without id, queue, stage or context")
        category = one(stage, 4, 0)
        args = [("render_stage_category", category, None, None), ("description", None, None, text(one(stage, 3)))]
        args += self.kernel_args(one(message, 19)) + self.launch_args(fields(one(message, 21, b"")))
        self.work.append((time, {
            "id": one(message, 1), "dur": one(message, 2, 0), "waits": message.get(18, []), "gpu": one(message, 11, 0),
            "queue": one(message, 13), "queue_name": text(one(queue, 2)), "name": text(one(stage, 2)), "args": args,
            "context": one(message, 5), "pid": one(context, 2), "api": one(context, 3, 0), "submission": one(message, 10, 0),
            "category": category}))

    def gpu_value(self, message, time):
        descriptor = self.name(DESCRIPTOR, one(message, 4))
        specs = {one(s, 1): s for s in map(fields, fields(one(descriptor, 2))[1])}
        for counter in map(fields, message[2]):
            need(one(counter, 1) in specs, f"counter {one(counter, 1)} is not described")
            need((2 in counter) != (3 in counter), "a counter has one value")
            spec = specs[one(counter, 1)]
            need(one(spec, 11) == 2, "a counter whose values do not hold from their time on")
            value = float(signed(one(counter, 2))) if 2 in counter else struct.unpack("<d", one(counter, 3))[0]
            self.gpu_values.append((time, one(descriptor, 3, 0), spec, value))

    def event(self, message, time):
        track = one(message, 11)
        need(track in self.tracks, f"track {track} is not known")
        args = []
        for arg in map(fields, message.get(4, [])):
            real = one(arg, 5)
            pointer = one(arg, 7)
            args.append(("debug." + re.sub(r"[.[\]]", "_", self.name(ARG, one(arg, 1))), signed(one(arg, 4)) if 4 in arg else pointer if pointer is None else signed(pointer),
                         real and struct.unpack("<d", real)[0], self.name(TEXT, one(arg, 17)) if 17 in arg else text(one(arg, 6)), pointer))
        self.events.append((time, track, {
            "type": one(message, 9), "args": args,
            "category": self.name(CATEGORY, one(message, 3)), "name": self.name(NAME, one(message, 10)),
            "flow": one(message, 47), "flow_end": one(message, 48), "submits": fields(one(message, 3000, b"")).get(1, []),
            "value": signed(one(message, 30)) if 30 in message else None,
            "real": 44 in message and struct.unpack("<d", one(message, 44))[0]}))


class Sampler:
    """A sampled event, whose packets are a sequence of their own"""

    def __init__(self):
        self.event, self.names, self.samples = None, {}, []

    def clear(self, defaults):
        need(one(defaults, 58) == RAW, "samples in another clock than CLOCK_MONOTONIC_RAW")
        self.names, self.event = {}, text(one(fields(one(fields(one(defaults, 12)), 1)), 10))

    def entry(self, kind, number):
        need((kind, number) in self.names, f"entry {number} of table {kind} is not known")
        return self.names[kind, number]

    def stack(self, number):
        """[(function, object, address)], the outermost first"""
        frames = []
        for frame in (self.entry(FRAME, n) for n in (self.entry(STACK, number)[2] if number else [])):
            path = text(one(self.entry(PATH, one(self.entry(MAPPING, one(frame, 3)), 7)), 2))
            frames.append((text(one(self.entry(FUNCTION, one(frame, 2)), 2)) if 2 in frame else "",
                           path if path.startswith("/") else "/" + path, signed(one(frame, 4))))
        return frames


class Tables:
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.db.executescript(SCHEMA + ALL_SLICE.format(""))
        self.kinds, self.stacks, self.slices, self.flows = {}, {}, [], {}
        self.roots, self.rows = set(), {}
        self.calls, self.works, self.gpu_numbers = {}, {}, {}
        self.owners = {}        # track: the table of its process or thread, its number there

    def insert(self, table, *row):
        self.db.execute(f"insert into {table} values ({','.join('?' * len(row))})", row)

    def process(self, pid, name=None):
        if not self.db.execute("select 1 from process where pid = ?", (pid,)).fetchone():
            self.insert("process", pid, pid, name)
        if name:
            self.db.execute("update process set name = ? where pid = ?", (name, pid))

    def track(self, number, message):
        new = number not in self.kinds
        parent = one(message, 5)
        if parent in self.owners and 3 not in message and 4 not in message:
            self.owners[number] = self.owners[parent]
            new and 8 not in message and self.insert(self.owners[parent][0], number, self.owners[parent][1])
            parent = None if parent in self.roots else parent
        if 3 in message:
            process = fields(one(message, 3))
            self.process(one(process, 1), text(one(process, 6)))
            new and self.insert("process_track", number, one(process, 1))
            self.roots.add(number)
            self.owners[number] = ("process_track", one(process, 1))
            parent = None
        elif 4 in message:
            thread = fields(one(message, 4))
            self.process(one(thread, 1))
            self.db.execute("delete from thread where utid = ?", (number,))
            self.insert("thread", number, one(thread, 2), one(thread, 1), text(one(thread, 5)))
            new and self.insert("thread_track", number, number)
            self.roots.add(number)
            self.owners[number] = ("thread_track", number)
            parent = None
        elif 8 in message and new:
            counter = fields(one(message, 8))
            need(not one(counter, 5, 0), "a counter in steps")
            unit = text(one(counter, 6)) or UNITS.get(one(counter, 3))
            self.insert("counter_track", number, text(one(message, 2)), parent, unit)
        new and self.insert("track", number, text(one(message, 2)), parent)
        self.kinds[number] = 8 in message

    def event(self, time, track, event):
        kind = event["type"]
        need(self.kinds[track] == (kind == COUNTER), f"an event of type {kind} on track {track}")
        if kind == COUNTER:
            value = event["value"]
            need((value is None) != (event["real"] is False), "a counter has one value")
            self.insert("counter", time, track, float(event["real"] if value is None else value))
            return
        stack = self.stacks.setdefault(track, [])
        # Instants of the same time nest.
        while stack and self.slices[stack[-1]][2] == 0 and (kind != INSTANT or self.slices[stack[-1]][1] < time):
            stack.pop()
        if kind == END:
            if stack:
                slice_ = self.slices[stack.pop()]
                slice_[2] = time - slice_[1]
            return
        number = len(self.slices)
        self.slices.append([number, time, 0 if kind == INSTANT else -1, track, event["category"], event["name"],
                            len(stack), stack[-1] if stack else None, number if event["args"] else None])
        for key, whole, real, string, pointer in event["args"]:
            shown = next(str(v) for v in (whole, real, string) if v is not None) if pointer is None else hex(pointer)
            self.insert("args", number, key, whole, real, string, shown)
        for flow in filter(None, (event["flow"], event["flow_end"])):
            if flow in self.flows:
                self.insert("flow", self.flows[flow], number)
            self.flows[flow] = number
        if event["flow_end"]:
            del self.flows[event["flow_end"]]
        for work in event["submits"]:
            self.calls[work] = number
        stack.append(number)

    def gpu(self, number, info):
        self.insert("gpu", number, number, text(one(info, 1)) or None, text(one(info, 2)), one(info, 5, b"").hex() or None,
                    text(one(info, 7)))

    def gpu_tracks(self, kind, key, *row):
        """Number of a track of a GPU, below that of other tracks without a descriptor; inserts it if it is new"""
        if key not in self.gpu_numbers:
            self.gpu_numbers[key] = -1000000 - len(self.gpu_numbers)
            self.insert(kind, self.gpu_numbers[key], *row)
            self.insert("track", self.gpu_numbers[key], row[0], None)
            if kind == "gpu_queue":
                self.insert("gpu_track", self.gpu_numbers[key], row[0])
        return self.gpu_numbers[key]

    def stage(self, time, work):
        number = len(self.slices)
        self.process(work["pid"])
        track = self.gpu_tracks("gpu_queue", (work["gpu"], work["queue"], work["queue_name"]), work["queue_name"], work["gpu"])
        self.slices.append([number, time, work["dur"], track, None, work["name"], 0, None, number])
        self.insert("gpu_slice", number, time, work["dur"], track, work["name"], 0, number, work["context"],
                    work["submission"], work["queue"], work["pid"], work["category"])
        for key, whole, real, string in work["args"]:
            shown = next(str(v) for v in (whole, real, string) if v is not None)
            self.insert("args", number, key, whole, real, string, shown)
        if not self.db.execute("select 1 from gpu_context where context_id = ?", (work["context"],)).fetchone():
            self.insert("gpu_context", work["context"], work["pid"], APIS[work["api"]])
        need(work["id"] not in self.works, f"work {work['id']} is there twice")
        self.works[work["id"]] = number

    def work_flows(self, sequence):
        for _, work in sequence.work:
            number = self.works[work["id"]]
            if work["id"] in self.calls:
                self.insert("flow", self.calls[work["id"]], number)
            for before in filter(self.works.get, work["waits"]):
                self.insert("flow", self.works[before], number)

    def gpu_value(self, time, gpu, spec, value):
        name = text(one(spec, 2))
        unit = ":".join(MEASURES[u] for u in spec.get(7, [])) + "".join("/" + MEASURES[u] for u in spec.get(8, []))
        known = (gpu, name) in self.gpu_numbers
        track = self.gpu_tracks("gpu_counter_track", (gpu, name), name, unit or None, text(one(spec, 3)), gpu)
        for group in [] if known else spec.get(10, [0]):
            self.insert("gpu_counter_group", group, track)
        self.insert("counter", time, track, value)

    def thread(self, tid, name):
        """All idle threads are one; a track's name takes precedence over the kernel's."""
        tid = signed(tid)
        row = self.db.execute("select utid, name from thread where tid = ?", (tid,)).fetchone()
        if not row:
            row = (-tid, None)
            self.insert("thread", -tid, tid, None, None)
        if name and (row[0] <= 0 or not row[1]):
            self.db.execute("update thread set name = ? where utid = ?", (name, row[0]))
        return row[0]

    def schedule(self, events):
        """Makes the rows of each CPU; the running thread is the next one of the switch before."""
        running, rows = {}, []
        for time, cpu, kind, event in sorted(events, key=lambda e: e[0]):
            if kind == WAKING:
                self.thread(one(event, 2), text(one(event, 1)))
                continue
            before = self.thread(one(event, 2), text(one(event, 1)))
            if cpu in running and rows[running[cpu]][4] == before:
                row, state = rows[running[cpu]], signed(one(event, 4))
                row[2], row[5] = time - row[1], "|".join(s for bit, s in STATES if state & bit) or "R"
                row[5] += "+" if state & 256 else ""
            running[cpu] = len(rows)
            rows.append([len(rows), time, -1, cpu, self.thread(one(event, 6), text(one(event, 5))), None,
                         signed(one(event, 7))])
        for row in rows:
            self.insert("sched", *row)

    def number(self, table, key):
        """Inserts a row unless it is there. Returns its number."""
        rows = self.rows.setdefault(table, {})
        if key not in rows:
            rows[key] = len(rows)
            self.insert(table, rows[key], *key)
        return rows[key]

    def sample(self, time, session, event, stack, message):
        callsite = None
        for depth, (function, path, address) in enumerate(stack):
            frame = self.number("stack_profile_frame", (function, self.number("stack_profile_mapping", (path,)), address))
            callsite = self.number("stack_profile_callsite", (depth, callsite, frame))
        cpu = one(message, 1)
        known = len(self.rows.get("perf_counter_track", ()))
        track = self.number("perf_counter_track", (event, session, cpu, 1))
        if track == known:
            self.insert("track", -1 - track, event, None)
        self.insert("counter", time, -1 - track, float(one(message, 6)))
        utid = self.thread(one(message, 3), None)
        self.process(one(message, 2))
        self.db.execute("update thread set upid = ? where utid = ? and upid is null", (one(message, 2), utid))
        self.insert("perf_sample", len(self.rows.setdefault("perf_sample", {})), time, utid, cpu, MODES[one(message, 5)],
                    callsite, session)
        self.rows["perf_sample"][len(self.rows["perf_sample"])] = True

    def fill(self, sequence):
        for time, number, what in sequence.events:
            if time is None:
                self.track(number, what)
        # As trace_processor: by time, and events of one time in the order of the file
        for time, track, event in sorted((e for e in sequence.events if e[0] is not None), key=lambda e: e[0]):
            self.event(time, track, event)
        for number, info in sequence.gpus.items():
            self.gpu(number, info)
        for time, work in sorted(sequence.work, key=lambda w: w[0]):
            self.stage(time, work)
        self.work_flows(sequence)
        for time, gpu, spec, value in sorted(sequence.gpu_values, key=lambda v: v[0]):
            self.gpu_value(time, gpu, spec, value)
        for slice_ in self.slices:
            self.insert("slice", *slice_)
        self.schedule(sequence.sched)
        samples = [(sample, session) for session, sampler in enumerate(sequence.samplers.values()) for sample in sampler.samples]
        for (time, event, stack, message), session in sorted(samples, key=lambda s: s[0][0]):
            self.sample(time, session, event, stack, message)
        for row in sequence.snapshots:
            self.insert("clock_snapshot", *row)


def shown(value):
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def processor():
    return os.environ.get("GPMU_TRACE_PROCESSOR", shutil.which("trace_processor_shell"))


def row_of(line):
    """Parses a row of trace_processor; texts are quoted, and quotes in them are not escaped."""
    row = []
    for string, bare in re.findall(r'"(.*?)"(?=,|$),?|([^,]+),?', line):
        number = "." in bare and re.fullmatch(r"-?\d+\.\d+", bare)
        row.append(shown(float(bare)) if number else bare or string.replace("[NULL]", ""))
    return "|".join(row)


def ask(program, data, sql):
    with tempfile.NamedTemporaryFile() as trace, tempfile.NamedTemporaryFile("w") as query:
        trace.write(data)
        query.write(f"{OWN_ARGS};\n{ALL_SLICE.format('temp ')};\n{GPU_QUEUE};\n{sql};\n{ERRORS};\n")
        trace.flush()
        query.flush()
        done = subprocess.run([program, "-q", query.name, trace.name], capture_output=True, check=False)
    errors, asked = done.stderr.decode(errors="replace").strip(), done.stdout.decode(errors="replace")
    need(done.returncode == 0 and HEAD in asked, f"trace_processor: {errors[-400:]}")
    rows, errors = ([row_of(row) for row in part.splitlines() if row] for part in asked.split(HEAD))
    need(not errors, f"trace_processor counts {', '.join(errors)}")
    return rows[1:]


def main():
    if sys.argv[1:] == ["--processor"]:
        print(processor() or "")
        return
    sequence, tables, begin = Sequence(int(sys.argv[4]) if "--from" in sys.argv else 0), Tables(), 0
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    try:
        for begin, packet in packets(data):
            sequence.packet(packet, begin)
        tables.fill(sequence)
        rows = ["|".join(map(shown, row)) for row in tables.db.execute(sys.argv[2])]
        if processor():
            other = ask(processor(), data[sequence.begin or 0:], sys.argv[2])
            need(other == rows, "trace_processor says " + ", ".join(other) + ", and not " + ", ".join(rows))
    except Bad as bad:
        sys.exit(f"{begin}: {bad}")
    for row in rows:
        print(row)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(1)
