// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Queries: gpmu-nvml.rst describes them, and tools/man/gpmu-gpu.rst the objects of the first four.
 * "gpus", "attributes", which is "gpus" with one more member, "accounting", "vgpu": an object with the driver and a
 * list of the GPUs.
 * "check": NVML's versions, and the reason why it fails; with the option check open() does not fail either. An object
 * with driver, nvml, cuda, versions, which are missing without a driver; trouble, null or an object with kind, a word,
 * text, and remedy, null if none is known; gpus, a list of objects with index, uuid, name, pci, node, the nearest NUMA
 * node, gpm, whether NVML can count in place of CUPTI, and mig; each is null if NVML does not have it.
 * "vgpu clear INSTANCE" forgets the accounting of a vGPU's processes that have ended.
 * "clocks lock [MHZ]" locks the GPUs' SM clocks: an object with a list of the GPUs, with mhz and kind, which is requested,
 * default or maximum. "clocks reset" ends the locks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/error.h"
#include "nvml_source.h"

#define SLACK		8	/* spare entries, as the list may grow between two calls */
#define TRIES		16
#define LIST_MAX	(1u << 20)

static const struct {
	const char *name;
	json_t *(*answer)(struct gpu *gpu);
} questions[] = {
	{ "gpus", nv_query_gpu },
	{ "attributes", nv_query_attributes },
	{ "accounting", nv_query_accounting },
	{ "vgpu", nv_query_vgpu },
	{ "check", nv_query_check },
};

int nv_list(nv_get_list *get, const void *context, size_t size, void **list, unsigned int *length)
{
	unsigned int room = 0;
	int result = NV_INSUFFICIENT_SIZE;

	*list = NULL;
	for (int i = 0; i < TRIES; i++) {
		void *larger;

		*length = room;
		result = get(context, length, *list);
		if (result == NV_SUCCESS && *length <= room)
			return NV_SUCCESS;
		if (result != NV_SUCCESS && result != NV_INSUFFICIENT_SIZE)
			break;
		/* The list may grow further before the next call, and NVML may not return its length. */
		room = (*length > room ? *length : room) + *length / 4 + SLACK;
		larger = room <= LIST_MAX ? realloc(*list, room * size) : NULL;
		if (!larger)
			break;
		memset(larger, 0, room * size);
		*list = larger;
	}
	free(*list);
	*list = NULL;
	*length = 0;
	/* The list did not fit. */
	if (result == NV_SUCCESS)
		return NV_INSUFFICIENT_SIZE;
	return result == NV_NOT_FOUND ? NV_SUCCESS : result;
}

void nv_set(const struct gpu *gpu, json_t *top, json_t *object, const char *path, const char *key,
	    int result, json_t *value)
{
	char name[96];

	if (!result) {
		json_object_set_new(object, key, value);
		return;
	}
	json_decref(value);
	json_object_set_new(object, key, json_null());
	snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", key);
	if (!json_object_get(top, "unavailable"))
		json_object_set_new(top, "unavailable", json_object());
	json_object_set_new(json_object_get(top, "unavailable"), name,
			    json_string(nv_text(gpu->api, result)));
}

json_t *nv_gpu_object(const struct gpu *gpu)
{
	json_t *object = json_object();

	json_object_set_new(object, "index", json_integer(gpu->index));
	json_object_set_new(object, "uuid", json_string(gpu->uuid));
	json_object_set_new(object, "name", json_string(gpu->name));
	json_object_set_new(object, "pci", json_string(gpu->pci));
	return object;
}

json_t *nv_word(const char *const *words, size_t length, int number)
{
	return number >= 0 && (size_t)number < length ? json_string(words[number]) : json_integer(number);
}

static unsigned long long realtime_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
}

unsigned long long nv_since(unsigned long long seen)
{
	return seen > realtime_us() ? 0 : seen;
}

bool nv_is_new(unsigned long long seen, unsigned long long time)
{
	unsigned long long now = realtime_us();

	return time > seen || (seen > now && time && time <= now);
}

json_t *nv_process_name(const struct gpu *gpu, unsigned int pid)
{
	char name[256] = "";
	json_t *text = NULL;

	if (!NV_CALL(gpu->api, nvmlSystemGetProcessName, pid, name, sizeof(name)))
		text = json_string(name);
	return text ? text : json_null();
}

/* --- accounting, of GPUs and of vGPUs --- */

struct accounting {
	const struct gpu *gpu;
	bool is_vgpu;
	unsigned int instance;
};

static int get_pids(const void *context, unsigned int *length, void *list)
{
	const struct accounting *accounting = context;

	if (accounting->is_vgpu)
		return NV_CALL(accounting->gpu->api, nvmlVgpuInstanceGetAccountingPids, accounting->instance, length, list);
	return NV_CALL(accounting->gpu->api, nvmlDeviceGetAccountingPids, accounting->gpu->device, length, list);
}

static int get_stats(const struct accounting *accounting, unsigned int pid, struct nv_accounting *stats)
{
	if (accounting->is_vgpu)
		return NV_CALL(accounting->gpu->api, nvmlVgpuInstanceGetAccountingStats, accounting->instance, pid, stats);
	return NV_CALL(accounting->gpu->api, nvmlDeviceGetAccountingStats, accounting->gpu->device, pid, stats);
}

/* NVML sets all bits of an unavailable value. */
static json_t *amount(unsigned long long value, unsigned long long none)
{
	return value == none ? json_null() : json_integer((json_int_t)value);
}

static json_t *accounting_object(const struct accounting *accounting, unsigned int pid,
				 const struct nv_accounting *stats)
{
	json_t *object = json_object();

	json_object_set_new(object, "pid", json_integer(pid));
	json_object_set_new(object, "name", accounting->is_vgpu ? json_null() : nv_process_name(accounting->gpu, pid));
	json_object_set_new(object, "running", json_boolean(stats->running));
	json_object_set_new(object, "start_us", json_integer((json_int_t)stats->start_time));
	/* NVML returns the run time once the process has ended, 0 before. */
	json_object_set_new(object, "time_ms", stats->running && !stats->time ? json_null() :
			    json_integer((json_int_t)stats->time));
	json_object_set_new(object, "sm", amount(stats->gpu_utilization, ~0u));
	json_object_set_new(object, "memory", amount(stats->memory_utilization, ~0u));
	json_object_set_new(object, "memory_max", amount(stats->max_memory, ~0ull));
	return object;
}

json_t *nv_accounting_list(const struct gpu *gpu, bool is_vgpu, unsigned int instance, int *result,
			   unsigned int *forgotten)
{
	const struct accounting accounting = { gpu, is_vgpu, instance };
	json_t *list = json_array();
	unsigned int length, *pids;
	void *memory;

	*forgotten = 0;
	*result = nv_list(get_pids, &accounting, sizeof(*pids), &memory, &length);
	pids = memory;
	for (unsigned int i = 0; i < length && !*result; i++) {
		struct nv_accounting stats = { 0 };
		int ret = get_stats(&accounting, pids[i], &stats);

		/* The records are a ring: a new process replaces the oldest. */
		if (ret == NV_NOT_FOUND)
			(*forgotten)++;
		else if (ret)
			*result = ret;
		else
			json_array_append_new(list, accounting_object(&accounting, pids[i], &stats));
	}
	free(memory);
	return list;
}

json_t *nv_query_accounting(struct gpu *gpu)
{
	json_t *object = nv_gpu_object(gpu), *list;
	unsigned int size = 0, forgotten;
	int mode = 0, result;

	result = NV_CALL(gpu->api, nvmlDeviceGetAccountingMode, gpu->device, &mode);
	nv_set(gpu, object, object, "", "mode", result, json_boolean(mode));
	result = NV_CALL(gpu->api, nvmlDeviceGetAccountingBufferSize, gpu->device, &size);
	nv_set(gpu, object, object, "", "buffer_size", result, json_integer(size));
	list = nv_accounting_list(gpu, false, 0, &result, &forgotten);
	nv_set(gpu, object, object, "", "processes", result, list);
	json_object_set_new(object, "forgotten", json_integer(forgotten));
	return object;
}

/* --- queries --- */

static void set_versions(const struct nv_api *api, json_t *answer)
{
	char text[96] = "";
	int version = 0;

	if (!NV_CALL(api, nvmlSystemGetDriverVersion, text, sizeof(text)))
		json_object_set_new(answer, "driver", json_string(text));
	if (!NV_CALL(api, nvmlSystemGetNVMLVersion, text, sizeof(text)))
		json_object_set_new(answer, "nvml", json_string(text));
	if (NV_CALL(api, nvmlSystemGetCudaDriverVersion_v2, &version))
		return;
	snprintf(text, sizeof(text), "%d.%d", version / 1000, version % 1000 / 10);
	json_object_set_new(answer, "cuda", json_string(text));
}

static int answer_gpus(struct source *source, json_t *(*answer_gpu)(struct gpu *gpu), char **answer)
{
	json_t *object, *gpus;

	errno = 0;
	object = json_object();
	gpus = json_array();
	if (source->api.library)
		set_versions(&source->api, object);
	if (answer_gpu == nv_query_check)
		json_object_set_new(object, "trouble", trouble_object(&source->trouble));
	for (size_t i = 0; i < source->gpu_count; i++)
		json_array_append_new(gpus, answer_gpu(&source->gpus[i]));
	json_object_set_new(object, "gpus", gpus);
	*answer = answer_text(object);
	return *answer ? 0 : -ENOMEM;
}

static int clear(struct source *source, const char *text, char **answer, struct gpmu_error *error)
{
	unsigned long instance;
	char *end;
	int result;

	errno = 0;
	instance = strtoul(text, &end, 10);
	if (end == text || *end || *text == '-' || errno || instance > ~0u)
		return fail(error, -EINVAL, "expected the number of a vGPU instance, found \"%.64s\"", text);
	result = NV_CALL(&source->api, nvmlVgpuInstanceClearAccountingPids, (unsigned int)instance);
	if (result)
		return fail(error, result == NV_NO_PERMISSION ? -EPERM : -EOPNOTSUPP,
			    "vGPU instance %lu: NVML: %s%s", instance, nv_text(&source->api, result),
			    result == NV_NO_PERMISSION ? "; run as root" : "");
	*answer = strdup("{}");
	return *answer ? 0 : -ENOMEM;
}

static int lock_clocks(struct source *source, const char *text, char **answer, struct gpmu_error *error)
{
	json_t *gpus = json_array();
	unsigned long mhz;
	char *end;
	int ret;

	errno = 0;
	mhz = strtoul(text, &end, 10);
	if (*end || strchr(text, '-') || errno || mhz > ~0u)
		ret = fail(error, -EINVAL, "expected a number of MHz, found \"%.64s\"", text);
	else
		ret = nv_lock_clocks(source, (unsigned int)mhz, gpus, error);
	if (ret) {
		json_decref(gpus);
		return ret;
	}
	*answer = answer_text(json_pack("{so}", "gpus", gpus));
	return *answer ? 0 : -ENOMEM;
}

static int reset_clocks(struct source *source, char **answer, struct gpmu_error *error)
{
	const int ret = nv_reset_clocks(source, error);

	*answer = ret ? NULL : strdup("{}");
	return *answer ? 0 : ret ? ret : -ENOMEM;
}

int nv_query(void *data, const char *question, char **answer, struct gpmu_error *error)
{
	static const char vgpu_clear[] = "vgpu clear ", clocks_lock[] = "clocks lock";
	struct source *source = data;

	if (!strncmp(question, vgpu_clear, strlen(vgpu_clear)))
		return clear(source, question + strlen(vgpu_clear), answer, error);
	if (!strncmp(question, clocks_lock, strlen(clocks_lock)))
		return lock_clocks(source, question + strlen(clocks_lock), answer, error);
	if (!strcmp(question, "clocks reset"))
		return reset_clocks(source, answer, error);
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		if (strcmp(questions[i].name, question))
			continue;
		if (source->trouble.kind && questions[i].answer != nv_query_check)
			return fail(error, -ENODEV, "%s", source->trouble.text);
		if (answer_gpus(source, questions[i].answer, answer))
			return fail(error, -ENOMEM, "NVML: %s", ERROR_NO_MEMORY);
		return 0;
	}
	return fail(error, -ENOENT,
		    "expected gpus, attributes, accounting, vgpu, check, vgpu clear INSTANCE, clocks lock or clocks reset, "
		    "found \"%.64s\"",
		    question);
}
