#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the examples of a manual page and compares their screens with what is printed.

examples.py [--update] PAGE: an example is "$ COMMAND" in a literal block, followed by its standard
output and standard error. The command runs in the current folder.
GPMU_ROOT is $MACHINES/machine-NAME, where a comment ".. root: NAME" before the block gives NAME;
without one it is "vm". NVIDIA's libraries are the fakes of the environment; a comment
".. gpus: NAME" before the block chooses another fake machine, and "none" hides the libraries.
Exits with 1 and a diff if a screen differs, and with 2 if there is no example.
--update writes the printed screens into the page; lines that differ only in what differs from run
to run stay as they are.
"""
import difflib
import os
import re
import subprocess
import sys

# What differs from run to run
VOLATILE = (
    (re.compile(r"^ +[\d.,]+( \+- [\d.]+)?( seconds (?:time elapsed|user|sys)).*$"), r" N\2"),
    (re.compile(r"^ +\d+\.\d{9} "), "T "),
    (re.compile(r"^\d+\.\d{9}(\W)\d+\.\d{9}\1[^,;\t]*\1"), r"T\1T\1HOST\1"),
    (re.compile(r"(?<=[^\w.])\d{7,}(?=[^\w.])"), "N"),
    (re.compile(r'"time_(begin|end)":[\d.]+'), r'"time_\1":T'),
    (re.compile(r'"host":"[^"]*"'), '"host":HOST'),
)

CUDA = "/usr/local/cuda/lib64"  # the folder that the page has for the fakes


def examples(lines):
    """(first, end, command, root, gpus) of each example; its screen is lines[first:end]."""
    root = first = gpus = None
    for i, line in enumerate(lines + ["EOF"]):
        new = line.startswith("    $ ")
        if first is not None and (new or (line and not line.startswith("    "))):
            yield first, end_of(lines, first, i), command, used, those
            first = None
            if not new:
                root = gpus = None
        if line.startswith(".. root: "):
            root = line[9:].strip()
        if line.startswith(".. gpus: "):
            gpus = line[9:].strip()
        if new:
            first, command, used, those = i + 1, line[6:], root or "vm", gpus


def end_of(lines, first, end):
    end = min(end, len(lines))
    while end > first and not lines[end - 1].strip():
        end -= 1
    return end


def screen(command, root, gpus):
    env = dict(os.environ, GPMU_ROOT=os.environ["MACHINES"] + "/machine-" + root)
    if gpus == "none":
        env["GPMU_CUDA"] = ""
    elif gpus:
        del env["GPMU_FAKE_NVML"]
        env["GPMU_FAKE"] = "machine=" + gpus
    done = subprocess.run(["bash", "-c", command], env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode()
    if env.get("GPMU_CUDA"):
        text = text.replace(env["GPMU_CUDA"], CUDA)
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def stable(lines):
    out = []
    for line in lines:
        for pattern, by in VOLATILE:
            line = pattern.sub(by, line)
        out.append(line)
    return out


def merged(want, got):
    """The lines of @got, replaced by lines of @want that differ only in paths and times."""
    out = []
    matcher = difflib.SequenceMatcher(None, stable(want), stable(got), autojunk=False)
    for tag, first, end, got_first, got_end in matcher.get_opcodes():
        out += want[first:end] if tag == "equal" else got[got_first:got_end]
    return out


def main():
    update = sys.argv[1] == "--update"
    page = sys.argv[-1]
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = list(examples(lines))
    status = 0 if found else 2
    for first, end, command, root, gpus in reversed(found):
        got = screen(command, root, gpus)
        want = [line[4:] for line in lines[first:end]]
        while want and not want[0]:
            want.pop(0)
        if update:
            lines[first:end] = ["    " + line if line else "" for line in merged(want, got)]
        elif stable(got) != stable(want):
            status = 1
            print(f"$ {command}  (on {root})")
            print("\n".join(difflib.unified_diff(stable(want), stable(got), "page", "gpmu", lineterm="")))
    if update:
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return status


sys.exit(main())
