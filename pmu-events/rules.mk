# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Data only: nothing is built. Two of the tests also look at the kernel source
# of each perf if it is in the cache, and skip that otherwise.

SCRIPT_TESTS += tests/unit/events.t tests/unit/events-metrics.t tests/unit/events-core.t tests/unit/events-jevents.t
