#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ktimes.py OUTPUT SLICES LIMIT: compares the kernels of a trace with their own clock readings.

OUTPUT is the output of load/ktime, SLICES has "BEGIN|DURATION" for each kernel of the trace, in order, LIMIT is in
ns. The GPU's clock is fitted to the host's by the quickest pairs before and after the kernels; a GPU time is assumed
to be from the middle of its pair. Prints how long a slice begins before its kernel's first reading and ends after its
last one, and fails if a difference exceeds LIMIT.
"""
import sys

BEST = 20


def fit(pairs):
    """Means of the GPU's and the host's time over the BEST quickest pairs, and half of the slowest one's duration"""
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
    # Sums of 60-bit numbers would lose bits as floating point: subtract the first pair.
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
    print(f"clocks: {(rate - 1) * 1e6:+.3f} ppm, a GPU time is at most {max(bound, later_bound):.0f} ns from the middle of its pair")

    def known(time):
        return host + (time - gpu) * rate

    off = say("begins before its first reading", [known(b) - (s - raw) for (b, _), (s, _) in zip(kernels, slices)],
              limit)
    off += say("ends after its last reading", [s + d - raw - known(e) for (_, e), (s, d) in zip(kernels, slices)], limit)
    off += say("longer", [d - (e - b) for (b, e), (_, d) in zip(kernels, slices)], 2 * limit)
    sys.exit(off > 0)


main()
