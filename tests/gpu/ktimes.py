#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ktimes.py OUTPUT SLICES LIMIT: kernels of a trace beside what they have noted themselves.

OUTPUT is what load/ktime has printed, SLICES has "BEGIN|DURATION" of each kernel of the trace, in their
order, LIMIT is in ns. The GPU's clock is fitted to the host's by the pairs that took the shortest, before
and behind the kernels: an answer was given in the middle of the time that it took. Says by how much a slice begins
before its kernel notes the time and ends behind that, and fails if one is further off than LIMIT.
"""
import sys

BEST = 20


def fit(pairs):
    """(the GPU's time, the host's) of the best of these, and the half of what the worst of them took"""
    best = sorted(pairs, key=lambda p: p[2] - p[0])[:BEST]
    return (sum(p[1] for p in best) / len(best), sum((p[0] + p[2]) / 2 for p in best) / len(best),
            (best[-1][2] - best[-1][0]) / 2)


def read_output(path):
    pairs, kernels = [], []
    with open(path, encoding="utf-8") as file:
        for words in map(str.split, file):
            if words[0] == "pair":
                pairs.append(tuple(map(int, words[1:])))
            elif words[0] == "kernel":
                kernels.append(tuple(map(int, words[1:])))
    if len(pairs) < 2 or not kernels:
        sys.exit(f"{path}: no pairs or no kernels")
    # To add numbers of 60 bits as floating point would lose some: all are from these on.
    raw, gpu = pairs[0][0], pairs[0][1]
    return (raw, [(b - raw, g - gpu, a - raw) for b, g, a in pairs],
            [(b - gpu, e - gpu) for b, e in kernels])


def say(what, differences, limit):
    ordered = sorted(differences)
    n = len(ordered)
    off = sum(abs(d) > limit for d in ordered)
    print(f"{what}: ns: least {ordered[0]:.0f}, 1 % {ordered[n // 100]:.0f}, median {ordered[n // 2]:.0f}, "
          f"99 % {ordered[n - 1 - n // 100]:.0f}, most {ordered[-1]:.0f}; off by more than {limit}: {off} of {n}")
    return off


def main():
    raw, pairs, kernels = read_output(sys.argv[1])
    limit = int(sys.argv[3])
    with open(sys.argv[2], encoding="utf-8") as file:
        slices = [tuple(map(int, line.split("|"))) for line in file]
    if len(slices) != len(kernels):
        sys.exit(f"{len(slices)} slices of {len(kernels)} kernels")
    half = len(pairs) // 2
    gpu, host, bound = fit(pairs[:half])
    later_gpu, later_host, later_bound = fit(pairs[half:])
    rate = (later_host - host) / (later_gpu - gpu)
    print(f"clocks: {(rate - 1) * 1e6:+.3f} ppm, an answer is at most {max(bound, later_bound):.0f} ns from the middle")

    def known(time):
        return host + (time - gpu) * rate

    off = say("begins before it notes the time", [known(b) - (s - raw) for (b, _), (s, _) in zip(kernels, slices)],
              limit)
    off += say("ends behind that", [s + d - raw - known(e) for (_, e), (s, d) in zip(kernels, slices)], limit)
    off += say("longer", [d - (e - b) for (b, e), (_, d) in zip(kernels, slices)], 2 * limit)
    sys.exit(off > 0)


main()
