#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ratios.py FILE UNIT WHAT LIMIT [median]: evaluates measurements taken alternately without and with something, one a line.

The first and the last are without. Each measurement with it is divided by the mean of the two around it. Prints the
median of these ratios and the interval of order statistics that contains the true median with 95 % or more; fails if
the interval, or with "median" the median, reaches LIMIT. WHAT describes the printed numbers, which are those of FILE divided by UNIT.
"""
import math
import sys


def interval(ratios):
    """The interval's lower and upper end, and its confidence"""
    n = len(ratios)
    # The largest rank with the median below it with a probability of at most 2.5 %
    rank, below = 0, 0.0
    while rank < (n - 1) // 2 and below + math.comb(n, rank) / 2 ** n <= 0.025:
        below += math.comb(n, rank) / 2 ** n
        rank += 1
    if not rank:
        sys.exit(f"{n} pairs are too few for an interval: at least 6 are needed")
    return ratios[rank - 1], ratios[n - rank], 1 - 2 * below


def main():
    unit, what, limit = float(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    with open(sys.argv[1], encoding="utf-8") as file:
        all_ = [float(line) for line in file]
    ratios = sorted(all_[i] * 2 / (all_[i - 1] + all_[i + 1]) for i in range(1, len(all_), 2))
    n = len(ratios)
    low, high, sure = interval(ratios)
    median = (ratios[(n - 1) // 2] + ratios[n // 2]) / 2
    print(f"{n} pairs, {what}: without {min(all_[::2]) / unit:.3f} to {max(all_[::2]) / unit:.3f}, "
          f"with {min(all_[1::2]) / unit:.3f} to {max(all_[1::2]) / unit:.3f}")
    print(f"ratio: median {median:.5f}, {sure * 100:.1f} % interval {low:.5f} to {high:.5f}, limit {limit}")
    sys.exit((median if sys.argv[5:] == ["median"] else high) >= limit)


if __name__ == "__main__":
    main()
