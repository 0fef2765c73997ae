# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Replaces the recording of PC samples: two kernels whose durations and samples are 1:3. REHEARSAL_SHARE is the percentage of the
samples that the longer one has, REHEARSAL_MISSING the number of samples that are counted and not delivered, and
REHEARSAL_FOREIGN that of samples without an instruction. The built gpmu, $REHEARSAL_GPMU, reports them.
"""
import os
import sys

SAMPLES = 100000
SOURCE = "tests/gpu/load/pcs.cu"
CHAIN, CALL = 20, 28     # lines


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


def samples(arguments):
    """(function, arguments of its instant) of each function and stall reason"""
    share = setting("SHARE", "75") / 100
    stalls = (option(arguments, "--pc-stall") or "wait,selected,long_scoreboard").split(",")
    return [(name, {"samples": round(SAMPLES * part / len(stalls)), "stall": stall, "offset": 16, "file": SOURCE, "line": CHAIN,
                    "callers": f"{SOURCE}:{CALL}"})
            for name, part in (("hot_one", 1 - share), ("hot_three", share)) for stall in stalls]


def end(arguments):
    """Prints what gpmu record reports at its end. Returns its exit status."""
    if option(arguments, "--pc-period") != "32":
        return 0
    print("[ gpmu record: 1 process, 158,363,486 lost ]", file=sys.stderr)
    return 125 if "--strict" in arguments else 0


def report(arguments):
    os.execv(os.environ["REHEARSAL_GPMU"], ["gpmu", *arguments])
