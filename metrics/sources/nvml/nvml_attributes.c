// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The attributes of a GPU that CUPTI's former Event API had (cuptiDeviceGetAttribute), from NVML's values. Rates of an
 * SM are those of the CUDA C++ Programming Guide, "Arithmetic Instructions" and "Compute Capabilities".
 */
#include "base/array.h"
#include "nvml_source.h"

#define KIB	1024

/* Rates of an SM by compute capability: results per cycle, an FMA being one */
struct rates {
	int major, minor;
	unsigned int schedulers, fp32, fp16, fp64;
	unsigned int shared;	/* KiB */
};

static const struct rates rates[] = {
	{ 7, 0, 4, 64, 128, 32, 96 },
	{ 7, 5, 4, 64, 128, 2, 64 },
	{ 8, 0, 4, 64, 256, 32, 164 },
	{ 8, 6, 4, 128, 128, 2, 100 },
	{ 8, 9, 4, 128, 128, 2, 100 },
	{ 9, 0, 4, 128, 256, 64, 228 },
	{ 10, 0, 4, 128, 256, 64, 228 },
	{ 12, 0, 4, 128, 128, 2, 100 },
};

/* Mbit/s of a lane by PCIe generation */
static const unsigned int pcie_rates[] = { 0, 2500, 5000, 8000, 16000, 32000, 64000 };

/* Values of the former API that NVML does not have */
static const char *const missing[] = {
	"event_ids", "event_domains", "frame_buffers", "l2_units", "shared_memory_prefer_l1", "shared_memory_prefer_equal",
};

static const char *const brands[] = {
	[1] = "Quadro", [2] = "Tesla", [3] = "NVS", [4] = "GRID", [5] = "GeForce", [6] = "TITAN", [7] = "vApps",
	[8] = "vPC", [9] = "vCS", [10] = "vWS", [11] = "Cloud Gaming", [12] = "Quadro RTX", [13] = "NVIDIA RTX",
	[14] = "NVIDIA", [15] = "GeForce RTX", [16] = "TITAN RTX",
};

/* One GPU's object and its member "attributes" */
struct target {
	const struct gpu *gpu;
	json_t *top, *attributes;
};

static void set(const struct target *target, const char *key, int result, json_t *value)
{
	nv_set(target->gpu, target->top, target->attributes, "attributes", key, result, value);
}

static const struct rates *find_rates(const struct gpu *gpu, int *result)
{
	int major = 0, minor = 0;

	*result = NV_CALL(gpu->api, nvmlDeviceGetCudaComputeCapability, gpu->device, &major, &minor);
	for (size_t i = 0; i < ARRAY_SIZE(rates) && !*result; i++)
		if (rates[i].major == major && rates[i].minor == minor)
			return &rates[i];
	if (!*result)
		*result = NV_NOT_SUPPORTED;
	return NULL;
}

static void set_rates(const struct target *target)
{
	static const struct rates none = { .fp32 = 1 };
	const struct gpu *gpu = target->gpu;
	const struct rates *sm;
	unsigned int cores = 0, mhz = 0, sms;
	int unknown, counted, clocked;

	sm = find_rates(gpu, &unknown);
	if (!sm)
		sm = &none;
	counted = NV_CALL(gpu->api, nvmlDeviceGetNumGpuCores, gpu->device, &cores);
	clocked = NV_CALL(gpu->api, nvmlDeviceGetMaxClockInfo, gpu->device, NV_CLOCK_SM, &mhz);
	sms = cores / sm->fp32;
	set(target, "instructions_per_cycle", unknown, json_integer(sm->schedulers));
	set(target, "shared_memory", unknown, json_integer((json_int_t)sm->shared * KIB));
	if (!unknown)
		unknown = counted;
	set(target, "sms", unknown, json_integer(sms));
	set(target, "flop_sp_per_cycle", unknown, json_integer((json_int_t)sms * sm->fp32 * 2));
	set(target, "flop_hp_per_cycle", unknown, json_integer((json_int_t)sms * sm->fp16 * 2));
	set(target, "flop_dp_per_cycle", unknown, json_integer((json_int_t)sms * sm->fp64 * 2));
	set(target, "sp_instructions_per_second", counted ? counted : clocked,
	    json_integer((json_int_t)cores * mhz * 1000000));
}

static void set_memory(const struct target *target)
{
	const struct gpu *gpu = target->gpu;
	unsigned int bits = 0, mhz = 0;
	int result = NV_CALL(gpu->api, nvmlDeviceGetMemoryBusWidth, gpu->device, &bits), clocked;

	set(target, "memory_bus_width", result, json_integer(bits));
	clocked = NV_CALL(gpu->api, nvmlDeviceGetMaxClockInfo, gpu->device, NV_CLOCK_MEMORY, &mhz);
	/* Two transfers per cycle */
	set(target, "memory_bandwidth", result ? result : clocked,
	    json_integer((json_int_t)2 * mhz * 1000000 * (bits / 8)));
}

static void set_pcie(const struct target *target)
{
	const struct gpu *gpu = target->gpu;
	unsigned int number = 0;
	int result = NV_CALL(gpu->api, nvmlDeviceGetMaxPcieLinkGeneration, gpu->device, &number);
	bool has_rate = number < ARRAY_SIZE(pcie_rates);

	set(target, "pcie_generation", result, json_integer(number));
	set(target, "pcie_lane_rate", result ? result : has_rate ? NV_SUCCESS : NV_NOT_SUPPORTED,
	    json_integer(has_rate ? pcie_rates[number] : 0));
	result = NV_CALL(gpu->api, nvmlDeviceGetMaxPcieLinkWidth, gpu->device, &number);
	set(target, "pcie_width", result, json_integer(number));
}

/* Finds whether an active NVLink leads to an NVSwitch. */
static int find_switch(const struct gpu *gpu, bool *is_found)
{
	int type = 0, result = NV_SUCCESS;

	*is_found = false;
	for (unsigned int link = 0; link < NV_MAX_LINKS && !result && !*is_found; link++) {
		if (!(gpu->links.nvlinks >> link & 1))
			continue;
		result = NV_CALL(gpu->api, nvmlDeviceGetNvLinkRemoteDeviceType, gpu->device, link, &type);
		*is_found = !result && type == NV_LINK_TO_SWITCH;
	}
	return result;
}

/* Reads the bandwidth of all links of NVLink-C2C in MB/s. */
static int read_c2c(const struct gpu *gpu, unsigned long long *mb)
{
	struct nv_field fields[] = { { .id = NV_FIELD_C2C_LINK_COUNT }, { .id = NV_FIELD_C2C_LINK_MAX_BW } };
	int result;

	*mb = 0;
	if (nv_lacks(&gpu->links, NEED_C2C))
		return NV_SUCCESS;
	result = NV_CALL(gpu->api, nvmlDeviceGetFieldValues, gpu->device, (int)ARRAY_SIZE(fields), fields);
	for (size_t i = 0; i < ARRAY_SIZE(fields) && !result; i++)
		result = fields[i].result;
	if (!result)
		*mb = (unsigned long long)fields[0].value.u * fields[1].value.u;
	return result;
}

static void set_links(const struct target *target)
{
	const struct gpu *gpu = target->gpu;
	int linked = nv_lacks(&gpu->links, NEED_NVLINK) ? NV_SUCCESS : gpu->links.results[NEED_NVLINK], result;
	unsigned long long mb;
	bool has_switch;

	set(target, "nvlink", linked, json_boolean(gpu->links.nvlinks != 0));
	result = find_switch(gpu, &has_switch);
	set(target, "nvswitch", linked ? linked : result, json_boolean(has_switch));
	result = read_c2c(gpu, &mb);
	set(target, "cpu_bandwidth", result, json_integer((json_int_t)mb * 1000000));
}

static void set_brand(const struct target *target)
{
	int brand = 0, result = NV_CALL(target->gpu->api, nvmlDeviceGetBrand, target->gpu->device, &brand);
	bool has_name = brand > 0 && (size_t)brand < ARRAY_SIZE(brands) && brands[brand];

	set(target, "class", result ? result : has_name ? NV_SUCCESS : NV_NOT_SUPPORTED,
	    json_string(has_name ? brands[brand] : ""));
}

json_t *nv_query_attributes(struct gpu *gpu)
{
	json_t *top = nv_query_gpu(gpu);
	const struct target target = { .gpu = gpu, .top = top, .attributes = json_object() };

	json_object_set_new(top, "attributes", target.attributes);
	set_brand(&target);
	set_memory(&target);
	set_rates(&target);
	set_pcie(&target);
	set_links(&target);
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		set(&target, missing[i], NV_NOT_SUPPORTED, NULL);
	return top;
}
