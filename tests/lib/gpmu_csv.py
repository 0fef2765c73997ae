#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
gpmu_csv.py SEPARATOR NAME...: gpmu's columns of these names in CSV on standard input, one line each row

The columns of perf come first; how many there are depends on the options of gpmu stat. Lines that are
not rows, such as warnings, are skipped.
"""
import csv
import sys

COLUMNS = ("gpmu time_begin time_end host scope numa_node package cpu_number pid pmu kind name value unit state "
           "share raw enabled_ns running_ns counters runs deviation alert why gpu gpu_number source").split()


def rows(lines, separator=","):
    for row in csv.reader((line for line in lines if not line.startswith("#")), delimiter=separator):
        ours = row[-len(COLUMNS):]
        if len(ours) == len(COLUMNS) and ours[0] == "2":
            yield dict(zip(COLUMNS, ours))


def main():
    for row in rows(sys.stdin, sys.argv[1]):
        print(*(row[name] for name in sys.argv[2:]))


if __name__ == "__main__":
    main()
