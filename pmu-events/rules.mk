# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Data only: nothing is built. Two of the tests also read the kernel source of
# each perf; they skip those parts if it is not in the cache.

SCRIPT_TESTS += tests/unit/pmu-events/events.t tests/unit/pmu-events/events-metrics.t tests/unit/pmu-events/events-core.t tests/unit/pmu-events/events-jevents.t
