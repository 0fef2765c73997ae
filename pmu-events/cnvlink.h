/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memories of the PMU's own socket whose traffic the CNVLink events *_loc and *_rem count:
 * CMEM, GMEM, both, or 0. The includer defines CMEM and GMEM as bits.
 *
 * NVIDIA's patch for the driver of 2024-09-18 names the events *_cmem and *_gmem
 * (https://lore.kernel.org/all/20240918215846.1424282-3-bwicaksono@nvidia.com). It was not
 * merged, because event names in sysfs are ABI. By the driver's names the table would be
 * (CMEM | GMEM) and 0: the kernel's nvidia-tegra241-pmu.rst has traffic to local memory only. No
 * hardware has confirmed either reading.
 */
#ifndef GPMU_CNVLINK_H
#define GPMU_CNVLINK_H

#define CNVLINK_LOC	(CMEM)
#define CNVLINK_REM	(GMEM)

#endif /* GPMU_CNVLINK_H */
