# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Replaces the recording of PC samples: two kernels whose durations and samples are 1:3. REHEARSAL_SHARE is the percentage of the
samples that the longer one has, REHEARSAL_MISSING the number of samples that are counted and not delivered, and
REHEARSAL_FOREIGN that of samples without an instruction. The samples are in a file beside the trace.
"""
import os

SAMPLES = 100000
SOURCE = "load/pcs.cu"


def setting(name, default):
    return float(os.environ.get("REHEARSAL_" + name, default))


def kernels(count):
    """(name, begin, end), one after the other"""
    return [(name, n * 5000 + begin, n * 5000 + end) for n in range(count)
            for name, begin, end in (("hot_one", 0, 1000), ("hot_three", 1000, 4000))]


def option(arguments, name):
    """The value of --NAME=VALUE or --NAME VALUE, None if it is absent"""
    for n, argument in enumerate(arguments):
        if argument == name:
            return arguments[n + 1]
        if argument.startswith(name + "="):
            return argument.split("=")[1]
    return None


def audit():
    missing, foreign = int(setting("MISSING", "0")), int(setting("FOREIGN", "50"))
    return {"samples": SAMPLES, "delivered": SAMPLES - missing - foreign, "dropped": 0, "foreign": foreign, "full": 0}


def write(path, arguments):
    """Writes the folded stacks. Returns the exit status of gpmu record."""
    share = setting("SHARE", "75") / 100
    stalls = (option(arguments, "--pc-stall") or "wait,selected,long_scoreboard").split(",")
    with open(path + ".folded", "w", encoding="utf-8") as file:
        for name, part in (("hot_one", 1 - share), ("hot_three", share)):
            for stall in stalls:
                print(f"{name};{SOURCE}:9;{SOURCE}:20;{stall} {round(SAMPLES * part / len(stalls))}", file=file)
    return 125 if "--strict" in arguments and option(arguments, "--pc-period") == "32" else 0


def report(arguments):
    if "--folded" in arguments:
        with open(arguments[-1] + ".folded", encoding="utf-8") as file:
            print(file.read(), end="")
    else:
        print(f"  line           source\n  {SOURCE}:20  x = x * 1.0001f + 0.5f;")
