# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2034 # for metrics.sh
#
# The values of the metrics with steady.scenario on a Superchip, for /lib/metrics.sh.

# NAME  both sockets  socket 0  socket 1. "-": the metric applies to one socket only.
# The values follow from the rates of steady.scenario (10^9 per second; a: accesses):
#   clock scf 3.2, 2.8; pcie 2; c2c0 1.6; c2c1 1.5
#   cmem reads 80, 35.2 GB (1.25, 0.55 a); written 51.52, 24 GB (0.91, 0.4 a)
#   remote reads 3.2, 16 GB (0.05, 0.25 a); written 8, 12.8 GB (0.15, 0.2 a)
#   pcie reads 9.6, 14.4 GB (0.15, 0.225 a); written 4.8, 0.96 GB (0.125, 0.03 a)
#   c2c0 reads 1.6, 3.2 GB (0.025, 0.05 a); written 0.64, 1.6 GB (0.02, 0.025 a)
# A percentage of peak: 100 x 1.25 / (8 x 3.2); over both (1.25 + 0.55) / (8 x 6.0).
# A latency over both sockets: requests in flight / accesses / mean clock,
#   cmem (400 + 231) / 1.8 / 3.0, remote (40 + 140) / 0.3 / 3.0,
#   pcie (100 + 160) / 0.3 / 2, (70 + 40) / 0.075 / 2; c2c0 (12 + 28) / 0.075 / 1.6
timed="
GraceScfFreq 3.0 3.2 2.8
GraceMemReadBW 115.2 80 35.2
GraceMemWriteBW 75.52 51.52 24
GraceMemBW 190.72 131.52 59.2
GraceGpuMemReadBW 0 0 0
GraceGpuMemWriteBW 0 0 0
GraceGpuMemBW 0 0 0
GraceRemoteReadBW 19.2 3.2 16
GraceRemoteWriteBW 20.8 8 12.8
GraceRemoteBW 40 11.2 28.8
GraceMemReadLatency 116.851852 100 150
GraceGpuMemReadLatency 0 0 0
GraceRemoteReadLatency0to1 250 250 -
GraceRemoteReadLatency1to0 200 - 200
GraceRemoteReadLatency 200 250 200
GracePcieFreq 2 2 2
GracePcieReadBW 24 9.6 14.4
GracePcieWriteBW 5.76 4.8 0.96
GracePcieBW 29.76 14.4 15.36
GracePcieLocalReadLatency 433.333333 500 400
GracePcieRemoteReadLatency 733.333333 700 800
GraceC2c0Freq 1.6 1.6 1.6
GraceC2c0ReadBW 4.8 1.6 3.2
GraceC2c0WriteBW 2.24 0.64 1.6
GraceC2c0BW 7.04 2.24 4.8
GraceC2c0ReadLatency 333.333333 300 350
GraceC2c1Freq 1.5 1.5 1.5
GraceC2c1ReadBW 0 0 0
GraceC2c1WriteBW 0 0 0
GraceC2c1BW 0 0 0
GraceC2c1ReadLatency 0 0 0
GraceCnvlinkReadBW 0 0 0
GraceCnvlinkWriteBW 0 0 0
GraceCnvlinkBW 0 0 0
GraceCnvlinkMemReadBW 0 0 0
GraceCnvlinkMemWriteBW 0 0 0
GraceCnvlinkGpuMemReadBW 0 0 0
GraceCnvlinkGpuMemWriteBW 0 0 0"
# Metrics that do not depend on time
exact="
GraceMemReadUtil 3.75 4.8828125 2.455357
GraceMemWriteUtil 2.729167 3.554688 1.785714
GraceFpIntensity 0 0 0
GraceGpuMemReadUtil 0 0 0
GraceGpuMemWriteUtil 0 0 0
GraceRemoteReadUtil0to1 0.78125 0.78125 -
GraceRemoteReadUtil1to0 4.464286 - 4.464286
GraceRemoteWriteUtil0to1 2.34375 2.34375 -
GraceRemoteWriteUtil1to0 3.571429 - 3.571429
GracePcieReadUtil 0.9375 0.75 1.125
GracePcieWriteUtil 0.3875 0.625 0.15
GraceC2c0ReadUtil 0.234375 0.15625 0.3125
GraceC2c0WriteUtil 0.140625 0.125 0.15625
GraceC2c1ReadUtil 0 0 0
GraceC2c1WriteUtil 0 0 0"

# Each line is one run without multiplexing: in it, no two metrics need the cycle counter
# of one PMU, and no PMU needs more than its six other counters.
runs="
GraceScfFreq GraceMemReadBW GraceMemWriteBW GraceMemBW GracePcieFreq GracePcieBW GraceC2c0Freq GraceC2c0ReadBW GraceC2c0WriteBW GraceC2c0BW GraceC2c1Freq GraceCnvlinkReadBW GraceCnvlinkWriteBW GraceCnvlinkBW GraceCnvlinkMemReadBW GraceCnvlinkMemWriteBW GraceCnvlinkGpuMemReadBW GraceCnvlinkGpuMemWriteBW
GraceMemReadUtil GraceRemoteReadBW GraceRemoteWriteBW GraceRemoteBW GracePcieReadUtil GracePcieReadBW GraceC2c0ReadUtil GraceC2c1ReadUtil GraceC2c1ReadBW GraceC2c1WriteBW GraceC2c1BW
GraceMemWriteUtil GraceGpuMemReadBW GraceGpuMemWriteBW GraceGpuMemBW GracePcieWriteUtil GracePcieWriteBW GraceC2c0WriteUtil GraceC2c1WriteUtil
GraceMemReadLatency GraceFpIntensity GracePcieLocalReadLatency GraceC2c0ReadLatency GraceC2c1ReadLatency
GraceGpuMemReadLatency GracePcieRemoteReadLatency
GraceRemoteReadLatency0to1 GraceRemoteReadLatency1to0
GraceRemoteReadLatency
GraceGpuMemReadUtil
GraceGpuMemWriteUtil
GraceRemoteReadUtil0to1 GraceRemoteReadUtil1to0
GraceRemoteWriteUtil0to1 GraceRemoteWriteUtil1to0"
