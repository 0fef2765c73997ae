#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""added.py FILE LIMIT: compares the overhead of gpmu record with that of another profiler.

FILE has lines of a name, the number of a triple and a time in ms. A triple is a process "alone", one of "gpmu" and one of
"profiler", which have been measured in turn, several times. The overhead of each is the median of its times minus those of the
process alone in the same round. Prints the medians of the times and of the overheads, and the ratio of the medians of the
overheads with its 95 % interval by bootstrap over triples; fails if the ratio reaches LIMIT. It is no median of ratios: a triple
whose profiler happened to add little has a ratio of any size.
"""
import collections
import random
import statistics
import sys

RESAMPLES = 10000
NAMES = ("alone", "gpmu", "profiler")


def ratio(triples):
    """The ratio of the medians of two overheads; infinite if the second is not positive"""
    gpmu, profiler = (statistics.median(of) for of in zip(*triples))
    return gpmu / profiler if profiler > 0 else float("inf")


def interval(triples):
    """The 95 % interval of ratio(); the same for each call"""
    rng = random.Random(1)
    ratios = sorted(ratio(rng.choices(triples, k=len(triples))) for _ in range(RESAMPLES))
    return ratios[RESAMPLES // 40], ratios[-RESAMPLES // 40 - 1]


def overheads(triple):
    """The overheads of gpmu and of the profiler; triple: the times of each by name"""
    return tuple(statistics.median(ms - base for ms, base in zip(triple[name], triple["alone"])) for name in NAMES[1:])


def main():
    limit = float(sys.argv[2])
    times, triples = collections.defaultdict(list), collections.defaultdict(lambda: collections.defaultdict(list))
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, number, ms in map(str.split, file):
            times[name].append(float(ms))
            triples[number][name].append(float(ms))
    added = [overheads(triple) for triple in triples.values()]
    print(f"{len(added)} triples, {len(times['alone']) // len(added)} rounds, ms of an iteration:",
          ", ".join(f"{name} {statistics.median(times[name]):.3f} ({min(times[name]):.3f} to {max(times[name]):.3f})" for name in NAMES))
    gpmu, profiler = (statistics.median(of) for of in zip(*added))
    if profiler <= 0:
        sys.exit(f"the profiler adds nothing: a median of {profiler:.3f} ms")
    low, high = interval(added)
    print(f"median overheads: gpmu {gpmu:.3f} ms, profiler {profiler:.3f} ms; ratio {ratio(added):.3f}, 95 % interval "
          f"{low:.3f} to {high:.3f}, limit {limit}")
    sys.exit(ratio(added) >= limit)


if __name__ == "__main__":
    main()
