#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the events of the Grace PMUs as initialisers of struct name in plugin_grace_cspmu.c:
the PMU without its number, the event's number, its name.

usage: events.py FILE.json...
"""

import json
import sys


def main():
    events = set()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for entry in json.load(file):
                if "EventName" in entry:
                    events.add((entry["Unit"], int(entry["EventCode"], 16), entry["EventName"]))
    if not events:
        sys.exit("events.py: no event in " + " ".join(sys.argv[1:]))
    for unit, code, name in sorted(events):
        print(f'{{ "{unit}", {code:#x}, "{name}" }},')


main()
