#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""added.py FILE LIMIT: compares the overhead of gpmu record with that of another profiler.

FILE has lines of a name and a time in ms: "alone", "gpmu" and "profiler" in turn, and "alone" at its end. The overhead of each is
its time minus the mean of the two times alone before and after it. Prints the medians of the times and of the overheads, and the ratio of
the medians of the overheads with its 95 % interval by bootstrap over pairs; fails if the ratio reaches LIMIT. It is no median of
ratios: a pair whose profiler happened to add little has a ratio of any size.
"""
import random
import statistics
import sys

RESAMPLES = 10000


def ratio(pairs):
    """The ratio of the medians of two overheads; infinite if the second is not positive"""
    gpmu, profiler = (statistics.median(of) for of in zip(*pairs))
    return gpmu / profiler if profiler > 0 else float("inf")


def interval(pairs):
    """The 95 % interval of ratio(); the same for each call"""
    rng = random.Random(1)
    ratios = sorted(ratio(rng.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    return ratios[RESAMPLES // 40], ratios[-RESAMPLES // 40 - 1]


def main():
    limit = float(sys.argv[2])
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [line.split() for line in file]
    times = {name: [float(ms) for of, ms in lines if of == name] for name in ("alone", "gpmu", "profiler")}
    alone = [(a + b) / 2 for a, b in zip(times["alone"], times["alone"][1:])]
    pairs = [(gpmu - base, profiler - base) for base, gpmu, profiler in zip(alone, times["gpmu"], times["profiler"])]
    print(f"{len(pairs)} pairs, ms of an iteration:",
          ", ".join(f"{name} {statistics.median(of):.3f} ({min(of):.3f} to {max(of):.3f})" for name, of in times.items()))
    gpmu, profiler = (statistics.median(of) for of in zip(*pairs))
    if profiler <= 0:
        sys.exit(f"the profiler adds nothing: a median of {profiler:.3f} ms")
    low, high = interval(pairs)
    print(f"median overheads: gpmu {gpmu:.3f} ms, profiler {profiler:.3f} ms; ratio {ratio(pairs):.3f}, 95 % interval "
          f"{low:.3f} to {high:.3f}, limit {limit}")
    sys.exit(ratio(pairs) >= limit)


if __name__ == "__main__":
    main()
