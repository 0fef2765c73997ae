// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events of a GPU. NVML's units by the descriptions of nvml.h: mW, mJ, MHz, KB/s for PCIe, KiB for NVLink, MiB/s
 * for GPM.
 */
#include "base/array.h"
#include "nvml_source.h"

#define MIB	1048576.0

/* --- reading --- */

/* Defines a function that reads a number by a function of NVML, whose arguments after the device follow. */
#define READER(name, type, function, ...) \
	static int name(const struct gpu *gpu, unsigned int argument, double *value) \
	{ \
		type number = 0; \
		int result = NV_CALL(gpu->api, function, gpu->device, __VA_ARGS__); \
		\
		(void)argument; \
		*value = (double)number; \
		return result; \
	}

READER(read_power, unsigned int, nvmlDeviceGetPowerUsage, &number)
READER(read_energy, unsigned long long, nvmlDeviceGetTotalEnergyConsumption, &number)
READER(read_temperature, unsigned int, nvmlDeviceGetTemperature, (int)argument, &number)
READER(read_clock, unsigned int, nvmlDeviceGetClockInfo, (int)argument, &number)
READER(read_pcie, unsigned int, nvmlDeviceGetPcieThroughput, (int)argument, &number)
/* The last argument is set to the length of the period in us. */
READER(read_encoder, unsigned int, nvmlDeviceGetEncoderUtilization, &number, &(unsigned int){ 0 })
READER(read_decoder, unsigned int, nvmlDeviceGetDecoderUtilization, &number, &(unsigned int){ 0 })
READER(read_jpeg, unsigned int, nvmlDeviceGetJpgUtilization, &number, &(unsigned int){ 0 })
READER(read_ofa, unsigned int, nvmlDeviceGetOfaUtilization, &number, &(unsigned int){ 0 })

static double number_of(const struct nv_field *field)
{
	switch (field->type) {
	case NV_TYPE_DOUBLE:
		return field->value.d;
	case NV_TYPE_UNSIGNED:
		return field->value.u;
	case NV_TYPE_UNSIGNED_LONG:
		return (double)field->value.ul;
	case NV_TYPE_LONG_LONG:
		return (double)field->value.ll;
	case NV_TYPE_INT:
		return field->value.i;
	case NV_TYPE_UNSIGNED_SHORT:
		return field->value.us;
	default:
		return (double)field->value.ull;
	}
}

static int read_field(const struct gpu *gpu, unsigned int id, double *value)
{
	struct nv_field field = { .id = id };
	int result = NV_CALL(gpu->api, nvmlDeviceGetFieldValues, gpu->device, 1, &field);

	*value = number_of(&field);
	return result ? result : field.result;
}

enum { UTIL_SM, UTIL_MEMORY };

static int read_utilization(const struct gpu *gpu, unsigned int unit, double *value)
{
	struct nv_utilization rates = { 0 };
	int result = NV_CALL(gpu->api, nvmlDeviceGetUtilizationRates, gpu->device, &rates);

	*value = unit == UTIL_SM ? rates.gpu : rates.memory;
	return result;
}

static int read_memory(const struct gpu *gpu, unsigned int argument, double *value)
{
	struct nv_memory memory;
	int reserved, result = nv_get_memory(gpu->api, gpu->device, &memory, &reserved);

	(void)argument;
	*value = (double)memory.used;
	return result;
}

/* 100 while the reason holds. A reason that the GPU never reports is not supported. */
static int read_reason(const struct gpu *gpu, unsigned int bit, double *value)
{
	unsigned long long reasons = 0, supported = bit;
	int result = nv_get_reasons(gpu->api, gpu->device, &reasons);

	if (!result && !NV_CALL(gpu->api, nvmlDeviceGetSupportedClocksEventReasons, gpu->device,
				&supported) && !(supported & bit))
		return NV_NOT_SUPPORTED;
	*value = reasons & bit ? 100 : 0;
	return result;
}

/* Sums all active links; fails if any link fails, as the sum would be too low. */
static int read_nvlink(const struct gpu *gpu, unsigned int id, double *value)
{
	double sum = 0;

	for (unsigned int link = 0; link < NV_MAX_LINKS; link++) {
		struct nv_field field = { .id = id, .scope = link };
		int result;

		if (!(gpu->links.nvlinks >> link & 1))
			continue;
		result = NV_CALL(gpu->api, nvmlDeviceGetFieldValues, gpu->device, 1, &field);
		if (result || field.result)
			return result ? result : field.result;
		sum += number_of(&field);
	}
	*value = sum;
	return NV_SUCCESS;
}

/* --- the tables --- */

#define MEAN(name_, unit_, read_, argument_, factor_, description_) \
	{ .name = (name_), .unit = (unit_), .description = (description_), .is_mean = true, \
	  .read = (read_), .argument = (argument_), .factor = (factor_) }

#define REASON(name_, bit, description_) \
	MEAN("throttle_" name_, "%", read_reason, bit, 1, "clocks are lower: " description_)

#define SHARE(name_, id, description_) \
	{ .name = (name_), .unit = "%", .description = (description_), .is_mean = true, .argument = (id) }

/* Bytes; BOTH() adds their rate by CUPTI's name */
#define BYTES(name_, id, need_, description_) \
	{ .name = (name_), .unit = "B", .description = (description_), .argument = (id), \
	  .factor = MIB, .need = (need_) }

#define RATE(name_, id, need_, description_) \
	{ .name = name_ ".per_second", .unit = "B/s", .description = description_ " per second", \
	  .scale = 1e9, .is_mean = true, .argument = (id), .factor = MIB, .need = (need_) }

#define BOTH(name_, id, need_, description_) \
	BYTES(name_, id, need_, description_), RATE(name_, id, need_, description_)

static const struct nv_event events[] = {
	MEAN("power", "W", read_power, 0, 1e-3, "power of the whole board"),
	{ .name = "energy", .unit = "J", .description = "energy of the whole board", .scale = 1e-3,
	  .read = read_energy, .is_counter = true },
	MEAN("temperature", "C", read_temperature, NV_TEMPERATURE_GPU, 1, "temperature of the GPU"),
	MEAN("memory_temperature", "C", read_field, NV_FIELD_MEMORY_TEMPERATURE, 1,
	     "temperature of the memory"),
	MEAN("graphics_clock", "MHz", read_clock, NV_CLOCK_GRAPHICS, 1, "clock of the graphics engine"),
	MEAN("sm_clock", "MHz", read_clock, NV_CLOCK_SM, 1, "clock of the SMs"),
	MEAN("memory_clock", "MHz", read_clock, NV_CLOCK_MEMORY, 1, "clock of the memory"),
	MEAN("video_clock", "MHz", read_clock, NV_CLOCK_VIDEO, 1, "clock of encoders and decoders"),
	MEAN("sm_utilization", "%", read_utilization, UTIL_SM, 1, "percentage of time in which a kernel was running"),
	MEAN("memory_utilization", "%", read_utilization, UTIL_MEMORY, 1,
	     "percentage of time in which memory was read or written"),
	MEAN("encoder_utilization", "%", read_encoder, 0, 1,
	     "percentage of time in which video encoders were busy"),
	MEAN("decoder_utilization", "%", read_decoder, 0, 1,
	     "percentage of time in which video decoders were busy"),
	MEAN("jpeg_utilization", "%", read_jpeg, 0, 1,
	     "percentage of time in which JPEG decoders were busy"),
	MEAN("ofa_utilization", "%", read_ofa, 0, 1,
	     "percentage of time in which the optical flow accelerator was busy"),
	{ .name = "memory_used", .unit = "B", .description = "memory in use", .scale = 1e9,
	  .is_mean = true, .read = read_memory },
	REASON("gpu_idle", NV_REASON_GPU_IDLE, "no work"),
	REASON("applications_clocks", NV_REASON_APPLICATIONS_CLOCKS, "application clocks that a user has set"),
	REASON("sw_power_cap", NV_REASON_SW_POWER_CAP, "the power limit"),
	REASON("hw_slowdown", NV_REASON_HW_SLOWDOWN, "heat or power, detected by the hardware"),
	REASON("sync_boost", NV_REASON_SYNC_BOOST, "other GPUs of the sync boost group"),
	REASON("sw_thermal", NV_REASON_SW_THERMAL, "heat, detected by the driver"),
	REASON("hw_thermal", NV_REASON_HW_THERMAL, "heat, detected by the hardware"),
	REASON("hw_power_brake", NV_REASON_HW_POWER_BRAKE, "the machine's power supply"),
	REASON("display_clocks", NV_REASON_DISPLAY_CLOCKS, "the setting of a display"),
	{ .name = "pcie_rx", .unit = "B/s", .description = "data received over PCIe, measured during 20 ms of each period",
	  .scale = 1e9, .is_mean = true, .read = read_pcie, .argument = NV_PCIE_RX, .factor = 1e3,
	  .is_slow = true },
	{ .name = "pcie_tx", .unit = "B/s", .description = "data sent over PCIe, measured during 20 ms of each period",
	  .scale = 1e9, .is_mean = true, .read = read_pcie, .argument = NV_PCIE_TX, .factor = 1e3,
	  .is_slow = true },
	{ .name = "nvlink_rx", .unit = "B", .description = "data received over all NVLinks",
	  .read = read_nvlink, .argument = NV_FIELD_NVLINK_DATA_RX, .factor = 1024,
	  .is_counter = true, .need = NEED_NVLINK },
	{ .name = "nvlink_tx", .unit = "B", .description = "data sent over all NVLinks",
	  .read = read_nvlink, .argument = NV_FIELD_NVLINK_DATA_TX, .factor = 1024,
	  .is_counter = true, .need = NEED_NVLINK },
	BYTES("c2c_rx", NV_GPM_C2C_DATA_RX, NEED_C2C, "data received over NVLink-C2C (GPM)"),
	BYTES("c2c_tx", NV_GPM_C2C_DATA_TX, NEED_C2C, "data sent over NVLink-C2C (GPM)"),
	SHARE("tensor_utilization", NV_GPM_TENSOR_UTIL,
	      "percentage of time in which SMs execute tensor operations (GPM)"),
	SHARE("fp64_utilization", NV_GPM_FP64_UTIL, "percentage of time in which SMs execute FP64 operations (GPM)"),
	SHARE("fp32_utilization", NV_GPM_FP32_UTIL, "percentage of time in which SMs execute FP32 operations (GPM)"),
	SHARE("fp16_utilization", NV_GPM_FP16_UTIL, "percentage of time in which SMs execute FP16 operations (GPM)"),
	SHARE("integer_utilization", NV_GPM_INTEGER_UTIL,
	      "percentage of time in which SMs execute integer operations (GPM)"),
	SHARE("dram_utilization", NV_GPM_DRAM_UTIL, "percentage of the memory's peak bandwidth (GPM)"),
};

#define PERCENT	".avg.pct_of_peak_sustained_elapsed"
#define CTC	"CTC.TriageCompute.ctc__"
#define CTC_RX	"CTC_B.TriageCompute.ctc__"
#define CTC_TX	"CTC_A.TriageCompute.ctc__"
#define PCI	"PCI.TriageCompute."

/*
 * CUPTI's names, those of GH100 and, if different, also those of GB100. Bytes that the GPU receives over PCIe are its
 * reads.
 */
static const struct nv_event gpm_events[] = {
	SHARE("gr__cycles_active" PERCENT, NV_GPM_GRAPHICS_UTIL,
	      "percentage of time in which graphics or compute engines are busy"),
	SHARE("gr__cycles_active.sum.pct_of_peak_sustained_elapsed", NV_GPM_GRAPHICS_UTIL,
	      "percentage of time in which graphics or compute engines are busy"),
	SHARE("sm__cycles_active" PERCENT, NV_GPM_SM_UTIL, "percentage of time in which SMs have a warp"),
	SHARE("sm__warps_active" PERCENT, NV_GPM_SM_OCCUPANCY, "warps of SMs, percentage of the maximum"),
	SHARE("sm__pipe_tensor_cycles_active" PERCENT, NV_GPM_TENSOR_UTIL, "percentage of time in which tensor pipes are busy"),
	SHARE("sm__pipe_fp64_cycles_active" PERCENT, NV_GPM_FP64_UTIL, "percentage of time in which FP64 pipes are busy"),
	SHARE("dram__throughput" PERCENT, NV_GPM_DRAM_UTIL, "percentage of the memory's peak bandwidth"),
	BOTH("pcie__read_bytes.sum", NV_GPM_PCIE_RX, NEED_NOTHING, "bytes received over PCIe"),
	BOTH("pcie__write_bytes.sum", NV_GPM_PCIE_TX, NEED_NOTHING, "bytes sent over PCIe"),
	BOTH(PCI "pcie__read_bytes.sum", NV_GPM_PCIE_RX, NEED_NOTHING, "bytes received over PCIe"),
	BOTH(PCI "pcie__write_bytes.sum", NV_GPM_PCIE_TX, NEED_NOTHING, "bytes sent over PCIe"),
	BOTH("nvlrx__bytes.sum", NV_GPM_NVLINK_RX, NEED_NVLINK, "bytes received over NVLink"),
	BOTH("nvltx__bytes.sum", NV_GPM_NVLINK_TX, NEED_NVLINK, "bytes sent over NVLink"),
	BOTH(CTC "rx_bytes.sum", NV_GPM_C2C_TOTAL_RX, NEED_C2C, "bytes received over NVLink-C2C"),
	BOTH(CTC "tx_bytes.sum", NV_GPM_C2C_TOTAL_TX, NEED_C2C, "bytes sent over NVLink-C2C"),
	BOTH(CTC "rx_bytes_data_user.sum", NV_GPM_C2C_DATA_RX, NEED_C2C, "data received over NVLink-C2C"),
	BOTH(CTC "tx_bytes_data_user.sum", NV_GPM_C2C_DATA_TX, NEED_C2C, "data sent over NVLink-C2C"),
	BOTH(CTC_RX "rx_bytes.sum", NV_GPM_C2C_TOTAL_RX, NEED_C2C, "bytes received over NVLink-C2C"),
	BOTH(CTC_TX "tx_bytes.sum", NV_GPM_C2C_TOTAL_TX, NEED_C2C, "bytes sent over NVLink-C2C"),
	BOTH(CTC_RX "rx_bytes_data_user.sum", NV_GPM_C2C_DATA_RX, NEED_C2C, "data received over NVLink-C2C"),
	BOTH(CTC_TX "tx_bytes_data_user.sum", NV_GPM_C2C_DATA_TX, NEED_C2C, "data sent over NVLink-C2C"),
};

const struct nv_event *nv_events(int kind, size_t *length)
{
	*length = kind == PMU_GPM ? ARRAY_SIZE(gpm_events) :
				    ARRAY_SIZE(events);
	return kind == PMU_GPM ? gpm_events : events;
}
