#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
upstream_tables.py TREE BEFORE: prints the differences between pmu-events and the JSON that the
series for upstream puts into TREE; BEFORE is the file of core metrics without the series.
"""
import collections
import glob
import json
import sys

OURS, CORE = 'pmu-events/arch/arm64/nvidia/grace/sys', 'pmu-events/arch/arm64/arm/neoverse-n2-v2'
ARCH = 'tools/perf/pmu-events/arch/arm64'
CELLS = ('Unit', 'Compat', 'EventName', 'EventCode', 'MetricName', 'MetricExpr', 'ScaleUnit')


def read(pattern):
    return [entry for path in sorted(glob.glob(pattern)) for entry in json.load(open(path, encoding='utf-8'))]


def counted(entries):
    return collections.Counter(tuple(entry.get(cell) for cell in CELLS) for entry in entries)


def main(tree, before):
    with open('pmu-events/aliases.tsv', encoding='utf-8') as file:
        aliases = dict(line.split() for line in file if not line.startswith('#'))
    ours = [{**entry, 'MetricName': aliases[entry['MetricName']]} if 'MetricName' in entry else entry
            for entry in read(f'{OURS}/*.json')]
    theirs = read(f'{tree}/{ARCH}/nvidia/t241/sys/*.json')
    ours += read(f'{CORE}/*.json') + read(before)
    theirs += read(f'{tree}/{ARCH}/arm/neoverse-n2-v2/metrics.json')
    for what, left, right in (('missing', ours, theirs), ('more', theirs, ours)):
        for cells in counted(left) - counted(right):
            print(what, *filter(None, cells))
    for entry in theirs:
        name = entry.get('MetricName', 'x')
        if name != name.lower():
            print('not snake_case:', name)


main(*sys.argv[1:])
