#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the events or metrics that a perf lists for Grace, sorted, in one format for all releases.

  listed.py PERF events     PMU, event and code of each uncore event
  listed.py PERF metrics    name of each metric, of the core and of Grace

perf list prints JSON since 6.2; of an older perf the text of --details is parsed.
"""

import json
import re
import subprocess
import sys


def perf_list(perf, *arguments):
    run = subprocess.run([perf, 'list', *arguments], check=False, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return run.stdout if run.returncode == 0 else None


def encoded(name, encoding):
    """{(PMU, name, code)} from an encoding such as nvidia_scf_pmu_0/event=0x1d/."""
    match = re.fullmatch(r'(nvidia_\w+?)(?:_\d+)?/event=(\w+)/', encoding)
    return {(match[1], name, hex(int(match[2], 0)))} if match else set()


def events(perf):
    found = set()
    listed = perf_list(perf, '-j')
    if listed is not None:
        for entry in json.loads(listed):
            found |= encoded(entry.get('EventName', ''), entry.get('Encoding', ''))
        return found
    name = ''
    for line in perf_list(perf, '--details').splitlines():
        if match := re.fullmatch(r'  ([\w.]+) *', line):
            name = match[1]
        elif match := re.fullmatch(r' {8}(\S+) *', line):
            found |= encoded(name, match[1])
    return found


def metrics(perf):
    listed = perf_list(perf, '-j', 'metric')
    if listed is not None:
        return {(entry['MetricName'],) for entry in json.loads(listed)
                if 'MetricName' in entry}
    return {(line.strip(),) for line in perf_list(perf, 'metric').splitlines()
            if re.fullmatch(r'  \w+', line)}


def main():
    perf, what = sys.argv[1:]
    for entry in sorted({'events': events, 'metrics': metrics}[what](perf)):
        print(*entry)


if __name__ == '__main__':
    main()
