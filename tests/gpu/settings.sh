# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Defaults for the programs that run on the GPU and for their output; the environment overrides them.

export B=${B:-build}
export GPMU=${GPMU:-$B/gpmu} GPMU_PLUGINS=${GPMU_PLUGINS:-$B} LOADS=${LOADS:-$B/tests/gpu/load}
export WORK=${WORK:-$B/tests/gpu/work}
mkdir -p "$WORK"
# The loads in Python need the user's python3, which may have PyTorch. Removes the distribution's, which tests/lib/tap.sh puts first.
PATH=${PATH//"$PWD/tests/lib/bin:"/}
