// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fake NVML: scenario, system, values, GPM. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nvml_fake.h"

#ifndef SCENARIOS
#define SCENARIOS	"tests/gpu/fake"
#endif

struct fake fakes[MAX_FAKES];
size_t fake_count;

static json_t *scenario;
static uint64_t start;
static unsigned int users;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t fake_time(void)
{
	return now() - start;
}

struct fake *fake_of(nv_device device)
{
	struct fake *fake = (struct fake *)device;

	return fake >= fakes && fake < fakes + fake_count ? fake : NULL;
}

json_int_t fake_integer(const json_t *object, const char *key, json_int_t otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? (json_int_t)json_number_value(value) : otherwise;
}

int fake_text(const char *text, char *to, unsigned int size)
{
	if (!text)
		return NV_NOT_SUPPORTED;
	if (strlen(text) >= size)
		return NV_INSUFFICIENT_SIZE;
	memcpy(to, text, strlen(text) + 1);
	return NV_SUCCESS;
}

json_int_t fake_calls(struct fake *fake, const char *key)
{
	json_int_t calls;

	pthread_mutex_lock(&lock);
	calls = json_integer_value(json_object_get(fake->calls, key));
	json_object_set_new(fake->calls, key, json_integer(calls + 1));
	pthread_mutex_unlock(&lock);
	return calls;
}

/* The mean of {"before":, "after":, "at_ms":} from @from to @to, in ns */
static double mean_of(const json_t *value, uint64_t from, uint64_t to)
{
	double before = json_number_value(json_object_get(value, "before"));
	double after = json_number_value(json_object_get(value, "after"));
	uint64_t change_time = (uint64_t)fake_integer(value, "at_ms", 0) * 1000000;

	if (to <= change_time)
		return before;
	if (from >= change_time)
		return after;
	return (before * (double)(change_time - from) + after * (double)(to - change_time)) / (double)(to - from);
}

int fake_number(struct fake *fake, const char *key, const json_t *value, double *number)
{
	uint64_t time = fake_time();
	size_t call;

	if (json_is_array(value)) {
		call = (size_t)fake_calls(fake, key);
		if (call >= json_array_size(value))
			call = json_array_size(value) - 1;
		value = json_array_get(value, call);
	}
	if (!value)
		return NV_NOT_SUPPORTED;
	if (json_object_get(value, "return"))
		return (int)fake_integer(value, "return", 0);
	if (json_object_get(value, "rate"))
		*number = json_number_value(json_object_get(value, "start")) +
			  json_number_value(json_object_get(value, "rate")) * (double)time / 1e9;
	else if (json_object_get(value, "at_ms"))
		*number = mean_of(value, time, time);
	else
		*number = json_number_value(value);
	return NV_SUCCESS;
}

int fake_check(nv_device device, const char *key)
{
	struct fake *fake = fake_of(device);
	json_int_t lost;

	if (!fake)
		return NV_INVALID_ARGUMENT;
	lost = fake_integer(fake->is, "lost_at_ms", -1);
	if (lost >= 0 && fake_time() >= (uint64_t)lost * 1000000)
		return NV_GPU_IS_LOST;
	return (int)fake_integer(json_object_get(fake->is, "returns"), key, NV_SUCCESS);
}

int fake_value(nv_device device, const char *key, double *number)
{
	int result = fake_check(device, key);
	struct fake *fake = fake_of(device);

	*number = 0;
	if (result)
		return result;
	return fake_number(fake, key, json_object_get(json_object_get(fake->is, "values"), key), number);
}

/* --- the library --- */

/* The scenario of GPMU_FAKE_NVML, or that of the machine in GPMU_FAKE */
static const char *scenario_path(char *text, size_t size)
{
	const char *path = getenv("GPMU_FAKE_NVML"), *fake = getenv("GPMU_FAKE"), *name;
	int length;

	if (path)
		return path;
	name = fake ? strstr(fake, "machine=") : NULL;
	name = name ? name + strlen("machine=") : "h200";
	length = (int)strcspn(name, " ");
	snprintf(text, size, SCENARIOS "/nvml-%.*s.json", length, name);
	return text;
}

static int read_scenario(void)
{
	char text[PATH_MAX];
	const char *path = scenario_path(text, sizeof(text));
	json_error_t error;
	json_t *gpu;
	size_t i;

	scenario = json_load_file(path, 0, &error);
	if (!scenario) {
		fprintf(stderr, "fake NVML: %s: %s\n", path, error.text);
		return NV_UNKNOWN;
	}
	json_array_foreach(json_object_get(scenario, "gpus"), i, gpu) {
		if (i == MAX_FAKES)
			break;
		fakes[i] = (struct fake){ .is = gpu, .calls = json_object() };
		fake_count = i + 1;
	}
	return (int)fake_integer(scenario, "init", NV_SUCCESS);
}

static void drop_scenario(void)
{
	for (size_t i = 0; i < fake_count; i++)
		json_decref(fakes[i].calls);
	fake_count = 0;
	json_decref(scenario);
	scenario = NULL;
}

/* Initialisation and shutdown are counted, as in NVML. */
EXPORT int nvmlInit_v2(void)
{
	int result;

	if (users++)
		return NV_SUCCESS;
	start = now();
	result = read_scenario();
	if (result) {
		users--;
		drop_scenario();
	}
	return result;
}

EXPORT int nvmlShutdown(void)
{
	if (!users)
		return NV_UNINITIALIZED;
	if (!--users)
		drop_scenario();
	return NV_SUCCESS;
}

EXPORT const char *nvmlErrorString(int result)
{
	static const struct {
		int result;
		const char *text;
	} texts[] = {
		{ NV_SUCCESS, "Success" },
		{ NV_INVALID_ARGUMENT, "Invalid Argument" },
		{ NV_NOT_SUPPORTED, "Not Supported" },
		{ NV_NO_PERMISSION, "Insufficient Permissions" },
		{ NV_NOT_FOUND, "Not Found" },
		{ NV_INSUFFICIENT_SIZE, "Insufficient Size" },
		{ NV_DRIVER_NOT_LOADED, "Driver Not Loaded" },
		{ NV_TIMEOUT, "Timeout" },
		{ NV_FUNCTION_NOT_FOUND, "Function Not Found" },
		{ NV_GPU_IS_LOST, "GPU is lost" },
		{ NV_LIB_RM_VERSION_MISMATCH, "Driver/library version mismatch" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].result == result)
			return texts[i].text;
	return "Unknown Error";
}

EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned int size)
{
	return fake_text(json_string_value(json_object_get(scenario, "driver")), text, size);
}

EXPORT int nvmlSystemGetNVMLVersion(char *text, unsigned int size)
{
	return fake_text(json_string_value(json_object_get(scenario, "nvml")), text, size);
}

EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	*version = (int)fake_integer(scenario, "cuda", 0);
	return *version ? NV_SUCCESS : NV_NOT_SUPPORTED;
}

EXPORT int nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int size)
{
	char key[16];
	const char *text;

	snprintf(key, sizeof(key), "%u", pid);
	text = json_string_value(json_object_get(json_object_get(scenario, "process_names"), key));
	return text ? fake_text(text, name, size) : NV_NOT_FOUND;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned int *count)
{
	*count = (unsigned int)fake_count;
	return (int)fake_integer(scenario, "count", NV_SUCCESS);
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned int index, nv_device *device)
{
	if (index >= fake_count)
		return NV_INVALID_ARGUMENT;
	*device = (nv_device)&fakes[index];
	return fake_check(*device, "nvmlDeviceGetHandleByIndex_v2");
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, nv_device *device)
{
	for (size_t i = 0; i < fake_count; i++) {
		const char *own = json_string_value(json_object_get(fakes[i].is, "uuid"));

		*device = (nv_device)&fakes[i];
		if (own && !strcmp(own, uuid))
			return fake_check(*device, __func__);
	}
	return NV_NOT_FOUND;
}

EXPORT int nvmlDeviceGetIndex(nv_device device, unsigned int *index)
{
	*index = (unsigned int)(fake_of(device) - fakes);
	return fake_check(device, __func__);
}

static int device_text(nv_device device, const char *function, const char *key, char *text,
		       unsigned int size)
{
	int result = fake_check(device, function);

	return result ? result : fake_text(json_string_value(json_object_get(fake_of(device)->is, key)),
					   text, size);
}

EXPORT int nvmlDeviceGetUUID(nv_device device, char *text, unsigned int size)
{
	return device_text(device, __func__, "uuid", text, size);
}

EXPORT int nvmlDeviceGetName(nv_device device, char *text, unsigned int size)
{
	return device_text(device, __func__, "name", text, size);
}

EXPORT int nvmlDeviceGetPciInfo_v3(nv_device device, struct nv_pci *pci)
{
	const json_t *is = fake_of(device)->is;

	memset(pci, 0, sizeof(*pci));
	pci->domain = (unsigned int)fake_integer(is, "domain", 0);
	pci->bus = (unsigned int)fake_integer(is, "bus", 0);
	return fake_check(device, __func__);
}

EXPORT int nvmlDeviceGetMemoryAffinity(nv_device device, unsigned int length, unsigned long *nodes,
				       unsigned int scope)
{
	json_int_t node = fake_integer(fake_of(device)->is, "node", -1);
	unsigned int bits = 8 * sizeof(*nodes);

	memset(nodes, 0, length * sizeof(*nodes));
	if (node < 0 || scope != NV_AFFINITY_NODE || node / bits >= length)
		return NV_NOT_SUPPORTED;
	nodes[node / bits] = 1ul << node % bits;
	return fake_check(device, __func__);
}

/* --- values --- */

/* A function with one number, of NVML's type */
#define ONE(name, type, ...) \
	EXPORT int name(nv_device device, type *value, ##__VA_ARGS__) \
	{ \
		double number; \
		int result = fake_value(device, #name, &number); \
		*value = (type)number; \
		return result; \
	}

ONE(nvmlDeviceGetArchitecture, unsigned int)
ONE(nvmlDeviceGetBrand, int)
ONE(nvmlDeviceGetNumGpuCores, unsigned int)
ONE(nvmlDeviceGetMemoryBusWidth, unsigned int)
ONE(nvmlDeviceGetMaxPcieLinkGeneration, unsigned int)
ONE(nvmlDeviceGetMaxPcieLinkWidth, unsigned int)
ONE(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long)
ONE(nvmlDeviceGetSupportedClocksEventReasons, unsigned long long)
ONE(nvmlDeviceGetPowerUsage, unsigned int)
ONE(nvmlDeviceGetEnforcedPowerLimit, unsigned int)
ONE(nvmlDeviceGetTotalEnergyConsumption, unsigned long long)
ONE(nvmlDeviceGetCurrPcieLinkGeneration, unsigned int)
ONE(nvmlDeviceGetCurrPcieLinkWidth, unsigned int)
ONE(nvmlDeviceGetPersistenceMode, int)
ONE(nvmlDeviceGetComputeMode, int)
ONE(nvmlDeviceGetAccountingMode, int)
ONE(nvmlDeviceGetAccountingBufferSize, unsigned int)
ONE(nvmlDeviceGetVirtualizationMode, int)
ONE(nvmlDeviceGetHostVgpuMode, int)

/* A function with two numbers; the second is the same, or the sampling period */
#define TWO(name, type) \
	EXPORT int name(nv_device device, __typeof__(type) *value, __typeof__(type) *second) \
	{ \
		double number; \
		int result = fake_value(device, #name, &number); \
		*value = *second = (type)number; \
		return result; \
	}

TWO(nvmlDeviceGetEncoderUtilization, unsigned int)
TWO(nvmlDeviceGetDecoderUtilization, unsigned int)
TWO(nvmlDeviceGetJpgUtilization, unsigned int)
TWO(nvmlDeviceGetOfaUtilization, unsigned int)
TWO(nvmlDeviceGetEccMode, int)
TWO(nvmlDeviceGetMigMode, unsigned int)

EXPORT int nvmlDeviceGetCudaComputeCapability(nv_device device, int *major, int *minor)
{
	double number;
	int result = fake_value(device, __func__, &number);

	*major = (int)number / 10;
	*minor = (int)number % 10;
	return result;
}

/* A value for each argument: "name:0", "name:1" */
static int numbered(nv_device device, const char *name, unsigned int argument, double *number)
{
	char key[96];

	snprintf(key, sizeof(key), "%s:%u", name, argument);
	return fake_value(device, key, number);
}

#define NUMBERED(name) \
	EXPORT int name(nv_device device, int argument, unsigned int *value) \
	{ \
		double number; \
		int result = numbered(device, #name, (unsigned int)argument, &number); \
		*value = (unsigned int)number; \
		return result; \
	}

NUMBERED(nvmlDeviceGetClockInfo)
NUMBERED(nvmlDeviceGetMaxClockInfo)
NUMBERED(nvmlDeviceGetDefaultApplicationsClock)
NUMBERED(nvmlDeviceGetTemperature)

/* Appends a line to the file $GPMU_FAKE_CLOCKS. */
static int log_clocks(nv_device device, const char *function, unsigned int min, unsigned int max)
{
	const char *path = getenv("GPMU_FAKE_CLOCKS");
	const int result = fake_check(device, function);
	FILE *file = path && !result ? fopen(path, "a") : NULL;

	if (!file)
		return result;
	if (max)
		fprintf(file, "lock %td %u %u\n", fake_of(device) - fakes, min, max);
	else
		fprintf(file, "reset %td\n", fake_of(device) - fakes);
	fclose(file);
	return result;
}

EXPORT int nvmlDeviceSetGpuLockedClocks(nv_device device, unsigned int min, unsigned int max)
{
	return log_clocks(device, __func__, min, max);
}

EXPORT int nvmlDeviceResetGpuLockedClocks(nv_device device)
{
	return log_clocks(device, __func__, 0, 0);
}

/* Takes 20 ms, during which NVML counts bytes. */
EXPORT int nvmlDeviceGetPcieThroughput(nv_device device, int counter, unsigned int *value)
{
	double number;
	int result = numbered(device, __func__, (unsigned int)counter, &number);

	if (!result)
		usleep(20000);
	*value = (unsigned int)number;
	return result;
}

EXPORT int nvmlDeviceGetUtilizationRates(nv_device device, struct nv_utilization *rates)
{
	double gpu, memory = 0;
	int result = numbered(device, __func__, 0, &gpu);

	if (!result)
		result = numbered(device, __func__, 1, &memory);
	*rates = (struct nv_utilization){ (unsigned int)gpu, (unsigned int)memory };
	return result;
}

EXPORT int nvmlDeviceGetMemoryInfo(nv_device device, struct nv_memory_v1 *memory)
{
	double total, used = 0;
	int result = numbered(device, __func__, 0, &total);

	if (!result)
		result = numbered(device, __func__, 1, &used);
	memory->total = (unsigned long long)total;
	memory->used = (unsigned long long)used;
	memory->free = memory->total - memory->used;
	return result;
}

EXPORT int nvmlDeviceGetMemoryInfo_v2(nv_device device, struct nv_memory *memory)
{
	double values[3] = { 0 };
	int result = NV_SUCCESS;

	if (memory->version != NV_VERSION(*memory, 2u))
		return NV_ARGUMENT_VERSION_MISMATCH;
	for (unsigned int i = 0; i < 3 && !result; i++)
		result = numbered(device, __func__, i, &values[i]);
	memory->total = (unsigned long long)values[0];
	memory->reserved = (unsigned long long)values[1];
	memory->used = (unsigned long long)values[2];
	memory->free = memory->total - memory->reserved - memory->used;
	return result;
}

/* --- links and fields --- */

/* The type of all links' other ends */
EXPORT int nvmlDeviceGetNvLinkRemoteDeviceType(nv_device device, unsigned int link, int *type)
{
	double number;
	int result = fake_value(device, __func__, &number);

	(void)link;
	*type = (int)number;
	return result;
}


EXPORT int nvmlDeviceGetNvLinkState(nv_device device, unsigned int link, int *active)
{
	double number;
	int result = fake_check(device, __func__);
	const json_t *links;

	if (result)
		return result;
	links = json_object_get(fake_of(device)->is, "nvlinks");
	if (!links)
		return NV_NOT_SUPPORTED;
	if (link >= json_array_size(links))
		return NV_INVALID_ARGUMENT;
	number = json_number_value(json_array_get(links, link));
	*active = (int)number;
	return NV_SUCCESS;
}

EXPORT int nvmlDeviceGetC2cModeInfoV(nv_device device, struct nv_c2c_mode *mode)
{
	json_int_t enabled = fake_integer(fake_of(device)->is, "c2c", -1);

	mode->enabled = enabled > 0;
	return enabled < 0 ? NV_NOT_SUPPORTED : fake_check(device, __func__);
}

EXPORT int nvmlDeviceGetFieldValues(nv_device device, int length, struct nv_field *fields)
{
	int result = fake_check(device, __func__);

	for (int i = 0; i < length && !result; i++) {
		char key[64];
		double number;

		snprintf(key, sizeof(key), "field:%u:%u", fields[i].id, fields[i].scope);
		fields[i].result = fake_value(device, key, &number);
		fields[i].type = fields[i].id == NV_FIELD_MEMORY_TEMPERATURE ||
				 fields[i].id == NV_FIELD_C2C_LINK_COUNT ||
				 fields[i].id == NV_FIELD_C2C_LINK_MAX_BW ? NV_TYPE_UNSIGNED :
				 NV_TYPE_UNSIGNED_LONG_LONG;
		if (fields[i].type == NV_TYPE_UNSIGNED)
			fields[i].value.u = (unsigned int)number;
		else
			fields[i].value.ull = (unsigned long long)number;
	}
	return result;
}

/* --- GPM --- */

struct nv_gpm_sample_of_library {
	struct fake *fake;
	uint64_t time;
};

EXPORT int nvmlGpmQueryDeviceSupport(nv_device device, struct nv_gpm_support *support)
{
	if (support->version != NV_GPM_VERSION)
		return NV_ARGUMENT_VERSION_MISMATCH;
	support->supported = json_object_get(fake_of(device)->is, "gpm") != NULL;
	return fake_check(device, __func__);
}

EXPORT int nvmlGpmSampleAlloc(nv_gpm_sample *sample)
{
	*sample = calloc(1, sizeof(**sample));
	return *sample ? NV_SUCCESS : NV_UNKNOWN;
}

EXPORT int nvmlGpmSampleFree(nv_gpm_sample sample)
{
	free(sample);
	return NV_SUCCESS;
}

EXPORT int nvmlGpmSampleGet(nv_device device, nv_gpm_sample sample)
{
	int result = fake_check(device, __func__);

	if (result)
		return result;
	usleep(400);
	sample->fake = fake_of(device);
	sample->time = fake_time();
	return NV_SUCCESS;
}

EXPORT int nvmlGpmMetricsGet(struct nv_gpm_metrics *metrics)
{
	if (metrics->version != NV_GPM_VERSION)
		return NV_ARGUMENT_VERSION_MISMATCH;
	if (!metrics->from->fake || metrics->from->time >= metrics->to->time)
		return NV_INVALID_ARGUMENT;
	for (unsigned int i = 0; i < metrics->length; i++) {
		struct nv_gpm_metric *metric = &metrics->metrics[i];
		struct fake *fake = metrics->from->fake;
		const json_t *value;
		char key[16];

		snprintf(key, sizeof(key), "%u", metric->id);
		value = json_object_get(json_object_get(fake->is, "gpm"), key);
		metric->result = fake_number(fake, key, value, &metric->value);
		if (!metric->result && json_object_get(value, "at_ms"))
			metric->value = mean_of(value, metrics->from->time, metrics->to->time);
	}
	return NV_SUCCESS;
}
