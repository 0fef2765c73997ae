# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Data only: nothing is built. Two of the tests also look at the kernel source
# of each perf if it is in the cache, and skip that otherwise.

SCRIPT_TESTS += tests/unit/pmu-events/events.t tests/unit/pmu-events/events-metrics.t tests/unit/pmu-events/events-core.t tests/unit/pmu-events/events-jevents.t
