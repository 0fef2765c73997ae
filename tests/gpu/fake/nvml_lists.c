// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fake NVML: lists, in two calls; processes, accounting, vGPUs. */
#include <string.h>
#include <unistd.h>

#include "nvml_fake.h"

int fake_give(struct fake *fake, const char *key, const json_t *list, unsigned int *length, void *to,
	      unsigned long long last_seen, fake_put *put)
{
	json_int_t call = fake_calls(fake, key);
	unsigned int n = 0, room = *length;
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry) {
		if (call < fake_integer(entry, "from", 0) ||
		    call >= fake_integer(entry, "until", INT64_MAX) ||
		    (unsigned long long)fake_integer(entry, "time", INT64_MAX) <= last_seen)
			continue;
		if (to && n < room)
			put(to, n, entry);
		n++;
	}
	*length = n;
	return n > (to ? room : 0) ? NV_INSUFFICIENT_SIZE : NV_SUCCESS;
}

static const json_t *list_of(nv_device device, const char *name)
{
	return json_object_get(fake_of(device)->is, name);
}

/* --- processes --- */

static void put_process(void *list, unsigned int index, const json_t *entry)
{
	struct nv_process *process = (struct nv_process *)list + index;

	*process = (struct nv_process){
		.pid = (unsigned int)fake_integer(entry, "pid", 0),
		.memory = (unsigned long long)fake_integer(entry, "memory", -1),
		.gpu_instance = ~0u,
		.compute_instance = ~0u,
	};
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(nv_device device, unsigned int *length,
						   struct nv_process *list)
{
	int result = fake_check(device, __func__);

	return result ? result : fake_give(fake_of(device), __func__, list_of(device, "processes"), length,
					   list, 0, put_process);
}

EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(nv_device device, unsigned int *length,
						    struct nv_process *list)
{
	int result = fake_check(device, __func__);

	return result ? result : fake_give(fake_of(device), __func__, list_of(device, "graphics"), length,
					   list, 0, put_process);
}

static unsigned int share(const json_t *entry, const char *key)
{
	return (unsigned int)fake_integer(entry, key, 0);
}

static void put_sample(void *list, unsigned int index, const json_t *entry)
{
	struct nv_process_sample *sample = (struct nv_process_sample *)list + index;

	*sample = (struct nv_process_sample){
		.pid = share(entry, "pid"),
		.time = (unsigned long long)fake_integer(entry, "time", 0),
		.sm = share(entry, "sm"),
		.memory = share(entry, "memory"),
		.encoder = share(entry, "encoder"),
		.decoder = share(entry, "decoder"),
	};
}

EXPORT int nvmlDeviceGetProcessUtilization(nv_device device, struct nv_process_sample *list,
					   unsigned int *length, unsigned long long last_seen)
{
	int result = fake_check(device, __func__);

	return result ? result : fake_give(fake_of(device), __func__, list_of(device, "samples"), length,
					   list, last_seen, put_sample);
}

/* --- accounting --- */

static void put_pid(void *list, unsigned int index, const json_t *entry)
{
	((unsigned int *)list)[index] = share(entry, "pid");
}

int fake_pids(struct fake *fake, const char *key, const json_t *accounting, unsigned int *length,
	      unsigned int *pids)
{
	return fake_give(fake, key, json_object_get(accounting, "processes"), length, pids, 0, put_pid);
}

int fake_stats(const json_t *accounting, unsigned int pid, struct nv_accounting *stats)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(accounting, "processes"), i, entry) {
		if (share(entry, "pid") != pid || json_is_true(json_object_get(entry, "forgotten")))
			continue;
		*stats = (struct nv_accounting){
			.gpu_utilization = share(entry, "sm"),
			.memory_utilization = share(entry, "memory"),
			.max_memory = (unsigned long long)fake_integer(entry, "max_memory", -1),
			.time = (unsigned long long)fake_integer(entry, "time_ms", 0),
			.start_time = (unsigned long long)fake_integer(entry, "start_us", 0),
			.running = share(entry, "running"),
		};
		return NV_SUCCESS;
	}
	return NV_NOT_FOUND;
}

EXPORT int nvmlDeviceGetAccountingPids(nv_device device, unsigned int *length, unsigned int *pids)
{
	int result = fake_check(device, __func__);

	return result ? result : fake_pids(fake_of(device), __func__, list_of(device, "accounting"), length,
					   pids);
}

EXPORT int nvmlDeviceGetAccountingStats(nv_device device, unsigned int pid, struct nv_accounting *stats)
{
	int result = fake_check(device, __func__);

	return result ? result : fake_stats(list_of(device, "accounting"), pid, stats);
}
