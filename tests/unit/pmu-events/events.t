#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# pmu-events as data: the events of the Grace system PMUs.

. tests/lib/tap.sh

# nothing CHECK DESCRIPTION: a check of events_check.py that finds nothing wrong
nothing() {
	is "$(python3 -B tests/unit/pmu-events/events_check.py "$1" 2>&1)" "" "$2"
}

nothing codes "all events of the table are there once, with its code and unit"
nothing files "each event is in the file of its PMU, with exactly its identifier as Compat"
nothing descriptions "all descriptions are sentences in ASCII and say source, destination and socket"
done_testing
