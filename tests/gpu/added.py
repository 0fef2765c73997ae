#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""added.py FILE LIMIT: compares the overhead of gpmu record with that of another profiler.

FILE has lines of a name, the number of a group and a time in ms. A group is a process "alone", one of "gpmu", one of "profiler" and
others, which have been measured in turn, several times. The overhead of each is the median of its times minus those of the process
alone in the same round. Prints the medians of the times and of the overheads, and the ratio of the medians of the overheads of gpmu
and the profiler with its 95 % interval by bootstrap over groups; fails if the ratio reaches LIMIT. It is no median of ratios: a
group whose profiler happened to add little has a ratio of any size.
"""
import collections
import random
import statistics
import sys

RESAMPLES = 10000


def ratio(groups):
    """The ratio of the medians of two overheads; infinite if the second is not positive"""
    gpmu, profiler = (statistics.median(group[name] for group in groups) for name in ("gpmu", "profiler"))
    return gpmu / profiler if profiler > 0 else float("inf")


def interval(groups):
    """The 95 % interval of ratio(); the same for each call"""
    rng = random.Random(1)
    ratios = sorted(ratio(rng.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    return ratios[RESAMPLES // 40], ratios[-RESAMPLES // 40 - 1]


def overheads(group):
    """The overheads by name; group: the times by name"""
    return {name: statistics.median(ms - base for ms, base in zip(times, group["alone"])) for name, times in group.items() if name != "alone"}


def main():
    limit = float(sys.argv[2])
    times, groups = collections.defaultdict(list), collections.defaultdict(lambda: collections.defaultdict(list))
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, number, ms in map(str.split, file):
            times[name].append(float(ms))
            groups[number][name].append(float(ms))
    added = [overheads(group) for group in groups.values()]
    print(f"{len(added)} groups, {len(times['alone']) // len(added)} rounds, ms of an iteration:",
          ", ".join(f"{name} {statistics.median(ms):.3f} ({min(ms):.3f} to {max(ms):.3f})" for name, ms in times.items()))
    if statistics.median(group["profiler"] for group in added) <= 0:
        sys.exit("the profiler adds nothing")
    print("median overheads: " + ", ".join(f"{name} {statistics.median(group[name] for group in added):.3f} ms" for name in added[0]),
          "; ratio of gpmu and profiler {:.3f}, 95 % interval {:.3f} to {:.3f}, limit {}".format(ratio(added), *interval(added), limit), sep="")
    sys.exit(ratio(added) >= limit)


if __name__ == "__main__":
    main()
