# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Data only: nothing is built. Two of the tests also compare with the kernel source
# of each perf if it is in the cache, and skip that otherwise.

SCRIPT_TESTS += $(addprefix tests/unit/,events.t events-metrics.t events-core.t events-jevents.t)
