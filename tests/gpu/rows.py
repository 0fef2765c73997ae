#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
rows.py WHAT FILE NAME [GPU]: evaluates gpmu's CSV for tests/gpu/run.

NAME is part of a row's name; GPU is a UUID and selects one of several GPUs. A load is
quiet before and after its work: the longest run of intervals that are not quiet is its work.

sum     sum of the intervals of the work and of one more at each edge
rate    mean of the intervals of the work, without two at each edge
all     sum of all intervals
one     the value of the only row, in a file without intervals
each    sum of all intervals for each GPU, one line each: "UUID SUM"
state   each combination of state and source with its least share, one line each: "ok 1 cupti"
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import gpmu_csv  # noqa: E402

QUIET = 0.02    # share of the largest value, at most


def read(path, name, gpu):
    with open(path, encoding="utf-8", newline="") as file:
        return [row for row in gpmu_csv.rows(file) if name in row["name"] and gpu in ("", row["gpu"])]


def value(row):
    return float(row["value"]) if row["value"] else 0.0


def work(values):
    """The first interval of the longest run without a quiet one, and the first after the run"""
    most = max(values, default=0) * QUIET
    best, begin = (0, 0), None
    for i, v in enumerate(values + [0]):
        if v > most and begin is None:
            begin = i
        elif v <= most and begin is not None:
            best = max(best, (begin, i), key=lambda x: x[1] - x[0])
            begin = None
    return best


def sum_of(rows):
    values = [value(row) for row in rows]
    begin, end = work(values)
    return sum(values[max(begin - 1, 0):end + 1])


def rate_of(rows):
    values = [value(row) for row in rows]
    begin, end = work(values)
    inside = values[begin + 2:end - 2]
    if not inside:
        sys.exit("no intervals inside of the work")
    return sum(inside) / len(inside)


def each(rows):
    sums = {}
    for row in rows:
        sums[row["gpu"]] = sums.get(row["gpu"], 0) + value(row)
    return "\n".join(f"{gpu} {total:.17g}" for gpu, total in sorted(sums.items()))


def states(rows):
    shares = {}
    for row in rows:
        key = row["state"], row.get("source") or "-"
        shares[key] = min(shares.get(key, 1), float(row["share"] or 1))
    return "\n".join(f"{state} {share:.6g} {source}" for (state, source), share in sorted(shares.items()))


def one(rows):
    if len(rows) != 1:
        sys.exit(f"{len(rows)} rows, expected one")
    return rows[0]["value"]


WHATS = {
    "sum": lambda rows: f"{sum_of(rows):.17g}",
    "rate": lambda rows: f"{rate_of(rows):.17g}",
    "all": lambda rows: f"{sum(map(value, rows)):.17g}",
    "one": one,
    "each": each,
    "state": states,
}


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in WHATS:
        sys.exit(__doc__.strip())
    try:
        rows = read(*sys.argv[2:4], sys.argv[4] if len(sys.argv) == 5 else "")
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: {error.strerror}")
    if not rows:
        sys.exit(f"{sys.argv[2]}: no rows of {sys.argv[3]}")
    print(WHATS[sys.argv[1]](rows))


main()
