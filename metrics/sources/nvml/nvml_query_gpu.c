// SPDX-License-Identifier: LGPL-2.1-or-later
/* The answer to "gpus": NVML's values of a GPU. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "nvml_source.h"

/* Events of nvml_events.c that are read once, and the paths of their values */
static const struct {
	const char *event, *object, *key;
	double factor;	/* 0: 1 */
} values[] = {
	{ .event = "sm_utilization", .object = "utilization", .key = "sm" },
	{ .event = "memory_utilization", .object = "utilization", .key = "memory" },
	{ .event = "encoder_utilization", .object = "utilization", .key = "encoder" },
	{ .event = "decoder_utilization", .object = "utilization", .key = "decoder" },
	{ .event = "jpeg_utilization", .object = "utilization", .key = "jpeg" },
	{ .event = "ofa_utilization", .object = "utilization", .key = "ofa" },
	{ .event = "power", .key = "power" },
	{ .event = "energy", .key = "energy", .factor = 1e-3 },
	{ .event = "temperature", .key = "temperature" },
	{ .event = "memory_temperature", .key = "memory_temperature" },
};

static const struct {
	const char *name;
	int type;
} clocks[] = {
	{ "graphics", NV_CLOCK_GRAPHICS },
	{ "sm", NV_CLOCK_SM },
	{ "memory", NV_CLOCK_MEMORY },
	{ "video", NV_CLOCK_VIDEO },
};

static const struct {
	unsigned int bit;
	const char *name;
} reasons[] = {
	{ NV_REASON_GPU_IDLE, "gpu_idle" },
	{ NV_REASON_APPLICATIONS_CLOCKS, "applications_clocks" },
	{ NV_REASON_SW_POWER_CAP, "sw_power_cap" },
	{ NV_REASON_HW_SLOWDOWN, "hw_slowdown" },
	{ NV_REASON_SYNC_BOOST, "sync_boost" },
	{ NV_REASON_SW_THERMAL, "sw_thermal" },
	{ NV_REASON_HW_THERMAL, "hw_thermal" },
	{ NV_REASON_HW_POWER_BRAKE, "hw_power_brake" },
	{ NV_REASON_DISPLAY_CLOCKS, "display_clocks" },
};

static const char *const compute_modes[] = {
	"default", "exclusive-thread", "prohibited", "exclusive-process",
};
static const char *const virtualization_modes[] = {
	"none", "passthrough", "vgpu", "host-vgpu", "host-vsga",
};

static json_t *part(json_t *object, const char *name)
{
	json_t *found = name ? json_object_get(object, name) : object;

	if (found)
		return found;
	json_object_set_new(object, name, json_object());
	return json_object_get(object, name);
}

static const struct nv_event *find(const char *name)
{
	size_t length;
	const struct nv_event *list = nv_events(PMU_NVML, &length);

	while (length-- && strcmp(list->name, name))
		list++;
	return list;
}

static void set_values(const struct gpu *gpu, json_t *object)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const struct nv_event *event = find(values[i].event);
		double value = 0;
		int result = event->read(gpu, event->argument, &value);

		value *= event->factor ? event->factor : 1;
		value *= values[i].factor ? values[i].factor : 1;
		nv_set(gpu, object, part(object, values[i].object), values[i].object ? values[i].object : "",
		       values[i].key, result, value == (double)(json_int_t)value ?
		       json_integer((json_int_t)value) : json_real(value));
	}
}

static void set_clocks(const struct gpu *gpu, json_t *object)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		unsigned int mhz = 0;
		int result = NV_CALL(gpu->api, nvmlDeviceGetClockInfo, gpu->device, clocks[i].type, &mhz);

		nv_set(gpu, object, part(object, "clocks"), "clocks", clocks[i].name, result,
		       json_integer(mhz));
		result = NV_CALL(gpu->api, nvmlDeviceGetMaxClockInfo, gpu->device, clocks[i].type, &mhz);
		nv_set(gpu, object, part(object, "clocks_max"), "clocks_max", clocks[i].name, result,
		       json_integer(mhz));
	}
}

static void set_reasons(const struct gpu *gpu, json_t *object)
{
	unsigned long long bits = 0;
	json_t *list = json_array();
	int result = nv_get_reasons(gpu->api, gpu->device, &bits);

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (bits & reasons[i].bit)
			json_array_append_new(list, json_string(reasons[i].name));
	nv_set(gpu, object, object, "", "throttle", result, list);
}

static void set_memory(const struct gpu *gpu, json_t *object)
{
	struct nv_memory memory;
	int reserved, result = nv_get_memory(gpu->api, gpu->device, &memory, &reserved);
	json_t *in = part(object, "memory");

	nv_set(gpu, object, in, "memory", "total", result, json_integer((json_int_t)memory.total));
	nv_set(gpu, object, in, "memory", "used", result, json_integer((json_int_t)memory.used));
	nv_set(gpu, object, in, "memory", "free", result, json_integer((json_int_t)memory.free));
	nv_set(gpu, object, in, "memory", "reserved", reserved, json_integer((json_int_t)memory.reserved));
}

/* NVML's error with which it is not known whether the link is there */
static int link_error(const struct gpu *gpu, enum nv_need need)
{
	return nv_lacks(&gpu->links, need) ? NV_SUCCESS : gpu->links.results[need];
}

static void set_links(const struct gpu *gpu, json_t *object)
{
	unsigned int number = 0;
	json_t *pcie = part(object, "pcie");
	int result = NV_CALL(gpu->api, nvmlDeviceGetCurrPcieLinkGeneration, gpu->device, &number);

	nv_set(gpu, object, pcie, "pcie", "generation", result, json_integer(number));
	result = NV_CALL(gpu->api, nvmlDeviceGetCurrPcieLinkWidth, gpu->device, &number);
	nv_set(gpu, object, pcie, "pcie", "width", result, json_integer(number));
	nv_set(gpu, object, object, "", "nvlinks", link_error(gpu, NEED_NVLINK),
	       json_integer(__builtin_popcountll(gpu->links.nvlinks)));
	nv_set(gpu, object, object, "", "c2c", link_error(gpu, NEED_C2C),
	       json_boolean(!nv_lacks(&gpu->links, NEED_C2C)));
	json_object_set_new(object, "gpm", json_boolean(gpu->pmu_count > PMU_GPM));
}

static void set_modes(const struct gpu *gpu, json_t *object)
{
	unsigned int now = 0, later = 0, mw = 0;
	int mode = 0, pending = 0, result;

	result = NV_CALL(gpu->api, nvmlDeviceGetEnforcedPowerLimit, gpu->device, &mw);
	nv_set(gpu, object, object, "", "power_limit", result, json_integer(mw / 1000));
	result = NV_CALL(gpu->api, nvmlDeviceGetPersistenceMode, gpu->device, &mode);
	nv_set(gpu, object, object, "", "persistence", result, json_boolean(mode));
	result = NV_CALL(gpu->api, nvmlDeviceGetComputeMode, gpu->device, &mode);
	nv_set(gpu, object, object, "", "compute_mode", result,
	       nv_word(compute_modes, ARRAY_SIZE(compute_modes), mode));
	result = NV_CALL(gpu->api, nvmlDeviceGetEccMode, gpu->device, &mode, &pending);
	nv_set(gpu, object, object, "", "ecc", result, json_boolean(mode));
	result = NV_CALL(gpu->api, nvmlDeviceGetMigMode, gpu->device, &now, &later);
	nv_set(gpu, object, object, "", "mig", result, json_boolean(now));
	result = NV_CALL(gpu->api, nvmlDeviceGetVirtualizationMode, gpu->device, &mode);
	nv_set(gpu, object, object, "", "virtualization", result,
	       nv_word(virtualization_modes, ARRAY_SIZE(virtualization_modes), mode));
}

/* The first NUMA node near the GPU's memory */
static void set_node(const struct gpu *gpu, json_t *object)
{
	unsigned long nodes[16] = { 0 };
	int result = NV_CALL(gpu->api, nvmlDeviceGetMemoryAffinity, gpu->device, ARRAY_SIZE(nodes), nodes,
			     NV_AFFINITY_NODE);
	size_t bits = 8 * sizeof(nodes[0]), i = 0;

	while (i < ARRAY_SIZE(nodes) * bits && !(nodes[i / bits] >> i % bits & 1))
		i++;
	if (!result && i == ARRAY_SIZE(nodes) * bits)
		result = NV_NOT_FOUND;
	nv_set(gpu, object, object, "", "node", result, json_integer((json_int_t)i));
}

json_t *nv_query_check(struct gpu *gpu)
{
	json_t *object = nv_gpu_object(gpu);
	unsigned int now = 0, later = 0;
	int result;

	set_node(gpu, object);
	json_object_set_new(object, "gpm", json_boolean(gpu->pmu_count > PMU_GPM));
	result = NV_CALL(gpu->api, nvmlDeviceGetMigMode, gpu->device, &now, &later);
	nv_set(gpu, object, object, "", "mig", result, json_boolean(now));
	return object;
}

/* --- processes --- */

static int get_compute(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;

	return NV_CALL(gpu->api, nvmlDeviceGetComputeRunningProcesses_v3, gpu->device, length, list);
}

static int get_graphics(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;

	return NV_CALL(gpu->api, nvmlDeviceGetGraphicsRunningProcesses_v3, gpu->device, length, list);
}

static int get_samples(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;

	return NV_CALL(gpu->api, nvmlDeviceGetProcessUtilization, gpu->device, list, length,
		       nv_since(gpu->seen_processes));
}

static json_t *process_object(const struct gpu *gpu, unsigned int pid, json_t *type, json_t *memory)
{
	json_t *object = json_object();

	json_object_set_new(object, "pid", json_integer(pid));
	json_object_set_new(object, "name", nv_process_name(gpu, pid));
	json_object_set_new(object, "type", type);
	json_object_set_new(object, "memory", memory);
	return object;
}

/* Adds the processes of a list; returns NVML's result */
static int add_processes(const struct gpu *gpu, nv_get_list *get, const char *type, json_t *list)
{
	struct nv_process *processes;
	unsigned int length;
	void *memory;
	int result = nv_list(get, gpu, sizeof(*processes), &memory, &length);

	processes = memory;
	for (unsigned int i = 0; i < length; i++)
		json_array_append_new(list, process_object(gpu, processes[i].pid, json_string(type),
							   processes[i].memory == ~0ull ? json_null() :
							   json_integer((json_int_t)processes[i].memory)));
	free(memory);
	return result;
}

static json_t *find_process(const struct gpu *gpu, json_t *list, unsigned int pid)
{
	json_t *object;
	size_t i;

	json_array_foreach(list, i, object)
		if (json_integer_value(json_object_get(object, "pid")) == (json_int_t)pid)
			return object;
	object = process_object(gpu, pid, json_null(), json_null());
	json_array_append_new(list, object);
	return object;
}

/* The driver has several samples of each process; the newest is shown if it is new. */
static int add_samples(struct gpu *gpu, json_t *list)
{
	unsigned long long newest = 0;
	struct nv_process_sample *samples;
	unsigned int length;
	void *memory;
	int result = nv_list(get_samples, gpu, sizeof(*samples), &memory, &length);

	samples = memory;
	for (unsigned int i = 0; i < length; i++) {
		const struct nv_process_sample *sample = &samples[i];
		json_t *object, *time;

		/* NVML may return empty entries. */
		if (!nv_is_new(gpu->seen_processes, sample->time))
			continue;
		newest = sample->time > newest ? sample->time : newest;
		object = find_process(gpu, list, sample->pid);
		time = json_object_get(object, "time_us");
		if (time && (unsigned long long)json_integer_value(time) > sample->time)
			continue;
		json_object_set_new(object, "time_us", json_integer((json_int_t)sample->time));
		json_object_set_new(object, "sm", json_integer(sample->sm));
		json_object_set_new(object, "memory_utilization", json_integer(sample->memory));
		json_object_set_new(object, "encoder", json_integer(sample->encoder));
		json_object_set_new(object, "decoder", json_integer(sample->decoder));
	}
	if (newest)
		gpu->seen_processes = newest;
	free(memory);
	return result;
}

json_t *nv_query_gpu(struct gpu *gpu)
{
	json_t *object = nv_gpu_object(gpu), *list = json_array();
	int result;

	set_node(gpu, object);
	set_values(gpu, object);
	set_modes(gpu, object);
	set_clocks(gpu, object);
	set_reasons(gpu, object);
	set_memory(gpu, object);
	set_links(gpu, object);
	result = add_processes(gpu, get_compute, "compute", list);
	/* Its failure is ignored: a GPU without graphics has no such list. */
	add_processes(gpu, get_graphics, "graphics", list);
	if (result) {
		nv_set(gpu, object, object, "", "processes", result, list);
		return object;
	}
	result = add_samples(gpu, list);
	json_object_set_new(object, "processes", list);
	if (result)
		nv_set(gpu, object, object, "", "process_utilization", result, NULL);
	return object;
}
