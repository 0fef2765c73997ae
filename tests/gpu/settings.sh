# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What is run on the GPU, and where it is kept; the environment can have others.

export B=${B:-build}
export GPMU=${GPMU:-$B/gpmu} GPMU_PLUGINS=${GPMU_PLUGINS:-$B} LOADS=${LOADS:-$B/tests/gpu/load}
export WORK=${WORK:-$B/tests/gpu/work}
mkdir -p "$WORK"
