// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records the answers of this machine's NVML as a scenario of the fake (fake/nvml.rst): "nvml-record
 * >nvml-NAME.json". vGPUs are left out.
 */
#include <stdlib.h>
#include <unistd.h>

#include "nvml_source.h"

struct number {
	int result;
	double value;
};

static struct nv_api api;

static json_t *value_of(struct number number)
{
	if (number.result)
		return json_pack("{s:i}", "return", number.result);
	return number.value == (double)(json_int_t)number.value ?
	       json_integer((json_int_t)number.value) : json_real(number.value);
}

/* --- numbers --- */

#define ONE(name, type) \
	static struct number one_##name(nv_device device) \
	{ \
		__typeof__(type) value = 0; \
		int result = NV_CALL(&api, name, device, &value); \
		return (struct number){ result, (double)value }; \
	}

#define TWO(name, type) \
	static struct number one_##name(nv_device device) \
	{ \
		__typeof__(type) value = 0, other = 0; \
		int result = NV_CALL(&api, name, device, &value, &other); \
		return (struct number){ result, (double)value }; \
	}

#define NUMBERS(ONE, TWO) \
	ONE(nvmlDeviceGetArchitecture, unsigned int) \
	ONE(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long) \
	ONE(nvmlDeviceGetSupportedClocksEventReasons, unsigned long long) \
	ONE(nvmlDeviceGetPowerUsage, unsigned int) \
	ONE(nvmlDeviceGetEnforcedPowerLimit, unsigned int) \
	ONE(nvmlDeviceGetTotalEnergyConsumption, unsigned long long) \
	ONE(nvmlDeviceGetCurrPcieLinkGeneration, unsigned int) \
	ONE(nvmlDeviceGetCurrPcieLinkWidth, unsigned int) \
	ONE(nvmlDeviceGetPersistenceMode, int) \
	ONE(nvmlDeviceGetComputeMode, int) \
	ONE(nvmlDeviceGetAccountingMode, int) \
	ONE(nvmlDeviceGetAccountingBufferSize, unsigned int) \
	ONE(nvmlDeviceGetVirtualizationMode, int) \
	ONE(nvmlDeviceGetHostVgpuMode, int) \
	TWO(nvmlDeviceGetEncoderUtilization, unsigned int) \
	TWO(nvmlDeviceGetDecoderUtilization, unsigned int) \
	TWO(nvmlDeviceGetJpgUtilization, unsigned int) \
	TWO(nvmlDeviceGetOfaUtilization, unsigned int) \
	TWO(nvmlDeviceGetEccMode, int) \
	TWO(nvmlDeviceGetMigMode, unsigned int)

NUMBERS(ONE, TWO)

static const struct {
	const char *name;
	struct number (*get)(nv_device device);
} numbers[] = {
#define ROW(name, type) { #name, one_##name },
	NUMBERS(ROW, ROW)
#undef ROW
};

static void set(json_t *values, const char *name, unsigned int argument, int result, double value)
{
	char key[96];

	snprintf(key, sizeof(key), "%s:%u", name, argument);
	json_object_set_new(values, key, value_of((struct number){ result, value }));
}

static void add_numbered(nv_device device, json_t *values)
{
	struct nv_utilization rates = { 0 };
	struct nv_memory memory = { .version = NV_VERSION(memory, 2u) };
	struct nv_memory_v1 old_memory = { 0 };
	unsigned int number = 0;
	int result;

	for (unsigned int type = NV_CLOCK_GRAPHICS; type <= NV_CLOCK_VIDEO; type++) {
		result = NV_CALL(&api, nvmlDeviceGetClockInfo, device, (int)type, &number);
		set(values, "nvmlDeviceGetClockInfo", type, result, number);
		result = NV_CALL(&api, nvmlDeviceGetMaxClockInfo, device, (int)type, &number);
		set(values, "nvmlDeviceGetMaxClockInfo", type, result, number);
	}
	for (unsigned int counter = NV_PCIE_TX; counter <= NV_PCIE_RX; counter++) {
		result = NV_CALL(&api, nvmlDeviceGetPcieThroughput, device, (int)counter, &number);
		set(values, "nvmlDeviceGetPcieThroughput", counter, result, number);
	}
	result = NV_CALL(&api, nvmlDeviceGetTemperature, device, NV_TEMPERATURE_GPU, &number);
	set(values, "nvmlDeviceGetTemperature", NV_TEMPERATURE_GPU, result, number);
	result = NV_CALL(&api, nvmlDeviceGetUtilizationRates, device, &rates);
	set(values, "nvmlDeviceGetUtilizationRates", 0, result, rates.gpu);
	set(values, "nvmlDeviceGetUtilizationRates", 1, result, rates.memory);
	result = NV_CALL(&api, nvmlDeviceGetMemoryInfo, device, &old_memory);
	set(values, "nvmlDeviceGetMemoryInfo", 0, result, (double)old_memory.total);
	set(values, "nvmlDeviceGetMemoryInfo", 1, result, (double)old_memory.used);
	result = NV_CALL(&api, nvmlDeviceGetMemoryInfo_v2, device, &memory);
	set(values, "nvmlDeviceGetMemoryInfo_v2", 0, result, (double)memory.total);
	set(values, "nvmlDeviceGetMemoryInfo_v2", 1, result, (double)memory.reserved);
	set(values, "nvmlDeviceGetMemoryInfo_v2", 2, result, (double)memory.used);
}

/* --- links, fields, GPM --- */

static void add_field(nv_device device, json_t *values, unsigned int id, unsigned int scope)
{
	struct nv_field field = { .id = id, .scope = scope };
	int result = NV_CALL(&api, nvmlDeviceGetFieldValues, device, 1, &field);
	char name[32];

	snprintf(name, sizeof(name), "field:%u", id);
	set(values, name, scope, result ? result : field.result, field.type == NV_TYPE_UNSIGNED ?
	    field.value.u : (double)field.value.ull);
}

static void add_links(nv_device device, json_t *gpu, json_t *values)
{
	struct nv_c2c_mode mode = { 0 };
	json_t *links = json_array();
	int active = 0;

	for (unsigned int link = 0; link < NV_MAX_LINKS; link++) {
		if (NV_CALL(&api, nvmlDeviceGetNvLinkState, device, link, &active))
			break;
		json_array_append_new(links, json_integer(active));
		if (!active)
			continue;
		add_field(device, values, NV_FIELD_NVLINK_DATA_TX, link);
		add_field(device, values, NV_FIELD_NVLINK_DATA_RX, link);
	}
	if (json_array_size(links))
		json_object_set(gpu, "nvlinks", links);
	json_decref(links);
	add_field(device, values, NV_FIELD_MEMORY_TEMPERATURE, 0);
	add_field(device, values, NV_FIELD_C2C_LINK_COUNT, 0);
	if (!NV_CALL(&api, nvmlDeviceGetC2cModeInfoV, device, &mode))
		json_object_set_new(gpu, "c2c", json_integer(mode.enabled));
}

static void add_gpm(nv_device device, json_t *gpu)
{
	static const unsigned int ids[] = { 1, 2, 3, 4, 5, 10, 11, 12, 13, 20, 21, 60, 61, 100, 101, 102, 103 };
	const unsigned int length = sizeof(ids) / sizeof(ids[0]);
	struct nv_gpm_metrics *metrics = calloc(1, sizeof(*metrics));
	struct gpu sampled = { .api = &api, .device = device };
	json_t *list = json_object();
	char key[16];

	if (!metrics || !nv_supports_gpm(&sampled) || nv_gpm_take(&sampled, metrics))
		goto end;
	usleep(100000);
	metrics->length = length;
	for (unsigned int i = 0; i < length; i++)
		metrics->metrics[i].id = ids[i];
	if (nv_gpm_take(&sampled, metrics))
		goto end;
	for (unsigned int i = 0; i < length; i++) {
		const struct nv_gpm_metric *metric = &metrics->metrics[i];

		snprintf(key, sizeof(key), "%u", ids[i]);
		json_object_set_new(list, key, value_of((struct number){ metric->result, metric->value }));
	}
	json_object_set(gpu, "gpm", list);
end:
	json_decref(list);
	nv_gpm_release(&sampled);
	free(metrics);
}

/* --- lists --- */

static int get_compute(const void *device, unsigned int *length, void *list)
{
	return NV_CALL(&api, nvmlDeviceGetComputeRunningProcesses_v3, (nv_device)device, length, list);
}

static int get_graphics(const void *device, unsigned int *length, void *list)
{
	return NV_CALL(&api, nvmlDeviceGetGraphicsRunningProcesses_v3, (nv_device)device, length, list);
}

static int get_samples(const void *device, unsigned int *length, void *list)
{
	return NV_CALL(&api, nvmlDeviceGetProcessUtilization, (nv_device)device, list, length, 0);
}

static int get_pids(const void *device, unsigned int *length, void *list)
{
	return NV_CALL(&api, nvmlDeviceGetAccountingPids, (nv_device)device, length, list);
}

static void add_name(json_t *names, unsigned int pid)
{
	char key[16], name[256] = "";

	snprintf(key, sizeof(key), "%u", pid);
	if (!NV_CALL(&api, nvmlSystemGetProcessName, pid, name, sizeof(name)))
		json_object_set_new(names, key, json_string(name));
}

static json_t *process_object(const void *list, unsigned int index, nv_device device, json_t *names)
{
	const struct nv_process *process = (const struct nv_process *)list + index;

	(void)device;
	add_name(names, process->pid);
	return json_pack("{s:I,s:I}", "pid", (json_int_t)process->pid, "memory",
			 (json_int_t)process->memory);
}

static json_t *sample_object(const void *list, unsigned int index, nv_device device, json_t *names)
{
	const struct nv_process_sample *sample = (const struct nv_process_sample *)list + index;

	(void)device;
	add_name(names, sample->pid);
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "pid", (json_int_t)sample->pid, "time",
			 (json_int_t)sample->time, "sm", (json_int_t)sample->sm, "memory",
			 (json_int_t)sample->memory, "encoder", (json_int_t)sample->encoder,
			 "decoder", (json_int_t)sample->decoder);
}

static json_t *account_object(const void *list, unsigned int index, nv_device device, json_t *names)
{
	unsigned int pid = ((const unsigned int *)list)[index];
	struct nv_accounting stats = { 0 };

	add_name(names, pid);
	if (NV_CALL(&api, nvmlDeviceGetAccountingStats, device, pid, &stats))
		return json_pack("{s:I,s:b}", "pid", (json_int_t)pid, "forgotten", 1);
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "pid", (json_int_t)pid,
			 "sm", (json_int_t)stats.gpu_utilization, "memory",
			 (json_int_t)stats.memory_utilization, "max_memory",
			 (json_int_t)stats.max_memory, "time_ms", (json_int_t)stats.time, "start_us",
			 (json_int_t)stats.start_time, "running", (json_int_t)stats.running);
}

static void add_list(nv_device device, json_t *gpu, json_t *names, const char *name, const char *function,
		     nv_get_list *get, size_t size,
		     json_t *(*object)(const void *, unsigned int, nv_device, json_t *))
{
	json_t *array = json_array(), *returns = json_object_get(gpu, "returns");
	unsigned int length;
	void *list;
	int result = nv_list(get, device, size, &list, &length);

	for (unsigned int i = 0; i < length; i++)
		json_array_append_new(array, object(list, i, device, names));
	if (result)
		json_object_set_new(returns, function, json_integer(result));
	json_object_set_new(gpu, name, array);
	free(list);
}

static void add_lists(nv_device device, json_t *gpu, json_t *names)
{
	json_t *accounting = json_object();

	json_object_set_new(gpu, "returns", json_object());
	add_list(device, gpu, names, "processes", "nvmlDeviceGetComputeRunningProcesses_v3", get_compute,
		 sizeof(struct nv_process), process_object);
	add_list(device, gpu, names, "graphics", "nvmlDeviceGetGraphicsRunningProcesses_v3", get_graphics,
		 sizeof(struct nv_process), process_object);
	add_list(device, gpu, names, "samples", "nvmlDeviceGetProcessUtilization", get_samples,
		 sizeof(struct nv_process_sample), sample_object);
	add_list(device, gpu, names, "accounts", "nvmlDeviceGetAccountingPids", get_pids,
		 sizeof(unsigned int), account_object);
	json_object_set(accounting, "processes", json_object_get(gpu, "accounts"));
	json_object_del(gpu, "accounts");
	json_object_set_new(gpu, "accounting", accounting);
}

/* --- all --- */

static json_t *record_gpu(nv_device device, json_t *names)
{
	json_t *gpu = json_object(), *values = json_object();
	unsigned long nodes[16] = { 0 };
	struct nv_pci pci = { 0 };
	char text[96] = "";

	NV_CALL(&api, nvmlDeviceGetUUID, device, text, sizeof(text));
	json_object_set_new(gpu, "uuid", json_string(text));
	NV_CALL(&api, nvmlDeviceGetName, device, text, sizeof(text));
	json_object_set_new(gpu, "name", json_string(text));
	NV_CALL(&api, nvmlDeviceGetPciInfo_v3, device, &pci);
	json_object_set_new(gpu, "domain", json_integer(pci.domain));
	json_object_set_new(gpu, "bus", json_integer(pci.bus));
	if (!NV_CALL(&api, nvmlDeviceGetMemoryAffinity, device, 16, nodes, NV_AFFINITY_NODE) && nodes[0])
		json_object_set_new(gpu, "node", json_integer(__builtin_ctzl(nodes[0])));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(values, numbers[i].name, value_of(numbers[i].get(device)));
	add_numbered(device, values);
	add_links(device, gpu, values);
	json_object_set_new(gpu, "values", values);
	add_gpm(device, gpu);
	add_lists(device, gpu, names);
	return gpu;
}

int main(void)
{
	json_t *scenario = json_object(), *gpus = json_array(), *names = json_object();
	unsigned int count = 0;
	nv_device device;
	struct trouble trouble;
	char text[96] = "";
	int cuda = 0;

	if (nv_load(&api, &trouble)) {
		fprintf(stderr, "nvml-record: %s\n", trouble.text);
		return 1;
	}
	NV_CALL(&api, nvmlSystemGetDriverVersion, text, sizeof(text));
	json_object_set_new(scenario, "driver", json_string(text));
	NV_CALL(&api, nvmlSystemGetNVMLVersion, text, sizeof(text));
	json_object_set_new(scenario, "nvml", json_string(text));
	NV_CALL(&api, nvmlSystemGetCudaDriverVersion_v2, &cuda);
	json_object_set_new(scenario, "cuda", json_integer(cuda));
	NV_CALL(&api, nvmlDeviceGetCount_v2, &count);
	for (unsigned int i = 0; i < count; i++)
		if (!NV_CALL(&api, nvmlDeviceGetHandleByIndex_v2, i, &device))
			json_array_append_new(gpus, record_gpu(device, names));
	json_object_set_new(scenario, "gpus", gpus);
	json_object_set_new(scenario, "process_names", names);
	json_dumpf(scenario, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(scenario);
	nv_unload(&api);
	return 0;
}
