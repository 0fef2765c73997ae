// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Quantities that are counted on two sides. C2C0, C2C1 and GMEM: Grace performance tuning
 * guide, "GPU Traffic Measurement" and the tables of events. The GPU's side: CUPTI's
 * descriptions. traffic.rst explains the differences.
 */
#include "base/array.h"
#include "values/balance.h"

#define BEAT	32	/* maximum bytes of an SCF data beat */

#define SCF	"nvidia_scf_pmu"
#define C2C0	"nvidia_nvlink_c2c0_pmu"
#define C2C1	"nvidia_nvlink_c2c1_pmu"
#define GPU	"nvidia_gpu"
#define CTC	"CTC.TriageCompute.ctc__"

#define METRIC(text, name)		.label = text, .metric = name
#define EVENT(device, name, size)	.pmu = device, .event = name, .bytes = size

static const char of_c2c[] =
	"Grace's side excludes traffic of PCIe devices and other sockets to the GPU's memory; untested on Grace Hopper";
static const char of_copies[] =
	"the memory's side includes traffic of kernels, and excludes data that kernels read over a link without storing them and data that stay in the L2 cache; PCIe counts include overhead";

const struct balance_identity balance_identities[] = {
	{ .name = "C2C into %s",
	  .left = { { METRIC("C2C0", "GraceC2c0ReadBW"), EVENT(C2C0, "rd_bytes_loc", 1), .is_needed = true },
		    { EVENT(C2C0, "rd_bytes_rem", 1) },
		    { METRIC("C2C1", "GraceC2c1ReadBW"), EVENT(C2C1, "rd_bytes_loc", 1), .is_needed = true },
		    { EVENT(C2C1, "rd_bytes_rem", 1) },
		    { METRIC("GMEM", "GraceGpuMemWriteBW"), EVENT(SCF, "gmem_wr_total_bytes", 1) } },
	  .right = { { METRIC("GPU's C2C", "GpuC2cRxBW"), EVENT(GPU, CTC "rx_bytes_data_user.sum", 1),
		       .is_needed = true } },
	  .note = of_c2c },
	{ .name = "C2C out of %s",
	  .left = { { METRIC("C2C0", "GraceC2c0WriteBW"), EVENT(C2C0, "wr_bytes_loc", 1), .is_needed = true },
		    { EVENT(C2C0, "wr_bytes_rem", 1) },
		    { METRIC("C2C1", "GraceC2c1WriteBW"), EVENT(C2C1, "wr_bytes_loc", 1), .is_needed = true },
		    { EVENT(C2C1, "wr_bytes_rem", 1) },
		    { METRIC("GMEM", "GraceGpuMemReadBW"), EVENT(SCF, "gmem_rd_data", BEAT) } },
	  .right = { { METRIC("GPU's C2C", "GpuC2cTxBW"), EVENT(GPU, CTC "tx_bytes_data_user.sum", 1),
		       .is_needed = true } },
	  .note = of_c2c },
	{ .name = "C2C of %s",
	  .left = { { METRIC("C2C0", "GraceC2c0BW"), .is_needed = true },
		    { METRIC("C2C1", "GraceC2c1BW"), .is_needed = true },
		    { METRIC("GMEM", "GraceGpuMemBW") } },
	  .right = { { METRIC("GPU's C2C", "GpuC2cBW"), .is_needed = true } },
	  .note = of_c2c },
	{ .name = "copies into %s",
	  .is_per_gpu = true,
	  .left = { { METRIC("PCIe", "GpuPcieReadBW"), EVENT(GPU, "pcie__read_bytes.sum", 1) },
		    { METRIC("NVLink", "GpuNvlinkRxBW"), EVENT(GPU, "nvlrx__bytes.sum", 1) },
		    { METRIC("C2C", "GpuC2cRxBW"), EVENT(GPU, CTC "rx_bytes_data_user.sum", 1) } },
	  .right = { { METRIC("memory", "GpuDramWriteBW"), EVENT(GPU, "dram__bytes_write.sum", 1),
		       .is_needed = true } },
	  .note = of_copies },
	{ .name = "copies out of %s",
	  .is_per_gpu = true,
	  .left = { { METRIC("PCIe", "GpuPcieWriteBW"), EVENT(GPU, "pcie__write_bytes.sum", 1) },
		    { METRIC("NVLink", "GpuNvlinkTxBW"), EVENT(GPU, "nvltx__bytes.sum", 1) },
		    { METRIC("C2C", "GpuC2cTxBW"), EVENT(GPU, CTC "tx_bytes_data_user.sum", 1) } },
	  .right = { { METRIC("memory", "GpuDramReadBW"), EVENT(GPU, "dram__bytes_read.sum", 1), .is_needed = true } },
	  .note = of_copies },
};

const size_t balance_n_identities = ARRAY_SIZE(balance_identities);
