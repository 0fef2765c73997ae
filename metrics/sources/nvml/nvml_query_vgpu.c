// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * vGPUs of a host. Instances may begin and end between any two calls: an ended one is left out and counted. For the
 * utilisation NVML has a newer call, with JPEG and OFA, and an older one, which is used if the newer one is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "nvml_source.h"

static const char *const host_modes[] = { "non-sriov", "sriov" };
static const char *const license_states[] = {
	"unknown", "uninitialized", "unlicensed-unrestricted", "unlicensed-restricted",
	"unlicensed", "licensed",
};
static const char *const expiry_states[] = {
	"not-available", "invalid", "valid", "not-applicable", "permanent",
};

/* A sample by either call; -1: the call does not have the value */
struct sample {
	unsigned int instance, pid;
	char name[NV_VGPU_NAME];
	unsigned long long time;
	long long shares[6];
};

static const char *const shares[] = { "sm", "memory", "encoder", "decoder", "jpeg", "ofa" };

struct samples {
	struct sample *list;
	unsigned int length;
	int result;
};

/* --- lists by NVML --- */

static int get_instances(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;

	return NV_CALL(gpu->api, nvmlDeviceGetActiveVgpus, gpu->device, length, list);
}

static int get_infos(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;
	struct nv_vgpu_infos infos = {
		.version = NV_VERSION(struct nv_vgpu_infos, 1u),
		.length = *length,
		.last_seen = nv_since(gpu->seen_vgpus),
		.list = list,
	};
	int result = NV_CALL(gpu->api, nvmlDeviceGetVgpuInstancesUtilizationInfo, gpu->device, &infos);

	*length = infos.length;
	return result;
}

static int get_samples(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;
	int type = NV_TYPE_UNSIGNED;

	return NV_CALL(gpu->api, nvmlDeviceGetVgpuUtilization, gpu->device,
		       nv_since(gpu->seen_vgpus), &type, length, list);
}

static int get_process_infos(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;
	struct nv_vgpu_process_infos infos = {
		.version = NV_VERSION(struct nv_vgpu_process_infos, 1u),
		.length = *length,
		.last_seen = nv_since(gpu->seen_vgpu_processes),
		.list = list,
	};
	int result = NV_CALL(gpu->api, nvmlDeviceGetVgpuProcessesUtilizationInfo, gpu->device, &infos);

	*length = infos.length;
	return result;
}

static int get_process_samples(const void *context, unsigned int *length, void *list)
{
	const struct gpu *gpu = context;

	return NV_CALL(gpu->api, nvmlDeviceGetVgpuProcessUtilization, gpu->device,
		       nv_since(gpu->seen_vgpu_processes), length, list);
}

/* --- samples in one form --- */

static void take_info(struct sample *to, const void *from, unsigned int index)
{
	const struct nv_vgpu_info *info = (const struct nv_vgpu_info *)from + index;

	*to = (struct sample){ .instance = info->instance, .time = info->time,
			       .shares = { info->sm.u, info->memory.u, info->encoder.u, info->decoder.u,
				 info->jpeg.u, info->ofa.u } };
}

static void take_sample(struct sample *to, const void *from, unsigned int index)
{
	const struct nv_vgpu_sample *sample = (const struct nv_vgpu_sample *)from + index;

	*to = (struct sample){ .instance = sample->instance, .time = sample->time,
			       .shares = { sample->sm.u, sample->memory.u, sample->encoder.u,
				 sample->decoder.u, -1, -1 } };
}

static void take_process_info(struct sample *to, const void *from, unsigned int index)
{
	const struct nv_vgpu_process_info *info = (const struct nv_vgpu_process_info *)from + index;

	*to = (struct sample){ .instance = info->instance, .pid = info->pid, .time = info->time,
			       .shares = { info->sm, info->memory, info->encoder, info->decoder, info->jpeg,
				 info->ofa } };
	memcpy(to->name, info->name, sizeof(to->name) - 1);
}

static void take_process_sample(struct sample *to, const void *from, unsigned int index)
{
	const struct nv_vgpu_process_sample *sample =
		(const struct nv_vgpu_process_sample *)from + index;

	*to = (struct sample){ .instance = sample->instance, .pid = sample->pid, .time = sample->time,
			       .shares = { sample->sm, sample->memory, sample->encoder, sample->decoder, -1, -1 } };
	memcpy(to->name, sample->name, sizeof(to->name) - 1);
}

struct call {
	nv_get_list *get;
	size_t size;
	void (*take)(struct sample *to, const void *from, unsigned int index);
};

static const struct call instance_calls[] = {
	{ .get = get_infos, .size = sizeof(struct nv_vgpu_info), .take = take_info },
	{ .get = get_samples, .size = sizeof(struct nv_vgpu_sample), .take = take_sample },
};

static const struct call process_calls[] = {
	{ .get = get_process_infos, .size = sizeof(struct nv_vgpu_process_info), .take = take_process_info },
	{ .get = get_process_samples, .size = sizeof(struct nv_vgpu_process_sample), .take = take_process_sample },
};

/* Gets samples by the first available of two calls, without those returned before. */
static struct samples get_all(const struct gpu *gpu, const struct call *calls,
			      unsigned long long *seen)
{
	struct samples samples = { 0 };
	unsigned long long newest = 0;
	void *list = NULL;
	unsigned int length = 0;

	for (int i = 0; i < 2; i++, calls++) {
		samples.result = nv_list(calls->get, gpu, calls->size, &list, &length);
		if (samples.result != NV_NOT_SUPPORTED && samples.result != NV_FUNCTION_NOT_FOUND &&
		    samples.result != NV_ARGUMENT_VERSION_MISMATCH)
			break;
	}
	if (!samples.result)
		samples.list = calloc(length + 1, sizeof(*samples.list));
	for (unsigned int i = 0; samples.list && i < length; i++) {
		struct sample *sample = &samples.list[samples.length];

		calls->take(sample, list, i);
		if (!nv_is_new(*seen, sample->time))
			continue;
		samples.length++;
		newest = sample->time > newest ? sample->time : newest;
	}
	if (newest)
		*seen = newest;
	free(list);
	return samples;
}

/* --- objects --- */

static void set_shares(json_t *object, const struct sample *sample)
{
	json_object_set_new(object, "time_us", json_integer((json_int_t)sample->time));
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		json_object_set_new(object, shares[i], sample->shares[i] < 0 ? json_null() :
				    json_integer(sample->shares[i]));
}

/* The newest sample of an instance, or null without a new one */
static json_t *utilization_of(const struct samples *samples, unsigned int instance)
{
	const struct sample *newest = NULL;
	json_t *object;

	for (unsigned int i = 0; i < samples->length; i++)
		if (samples->list[i].instance == instance &&
		    (!newest || samples->list[i].time > newest->time))
			newest = &samples->list[i];
	if (!newest)
		return json_null();
	object = json_object();
	set_shares(object, newest);
	return object;
}

/* A process may have several samples. */
static bool is_newest(const struct samples *samples, const struct sample *sample)
{
	for (unsigned int i = 0; i < samples->length; i++) {
		const struct sample *other = &samples->list[i];

		if (other->instance == sample->instance && other->pid == sample->pid &&
		    (other->time > sample->time || (other->time == sample->time && other > sample)))
			return false;
	}
	return true;
}

static json_t *processes_of(const struct samples *samples, unsigned int instance)
{
	json_t *list = json_array(), *object;

	for (unsigned int i = 0; i < samples->length; i++) {
		const struct sample *sample = &samples->list[i];
		json_t *name;

		if (sample->instance != instance || !is_newest(samples, sample))
			continue;
		name = json_string(sample->name);
		object = json_object();
		json_object_set_new(object, "pid", json_integer(sample->pid));
		json_object_set_new(object, "name", name ? name : json_null());
		set_shares(object, sample);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *license_object(const struct nv_license *license)
{
	json_t *object = json_object();
	char text[64];

	json_object_set_new(object, "licensed", json_boolean(license->licensed));
	json_object_set_new(object, "state", nv_word(license_states, ARRAY_SIZE(license_states), (int)license->state));
	json_object_set_new(object, "expiry_state", nv_word(expiry_states, ARRAY_SIZE(expiry_states),
							    license->expiry.status));
	snprintf(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02uZ", license->expiry.year,
		 license->expiry.month, license->expiry.day, license->expiry.hour,
		 license->expiry.minute, license->expiry.second);
	json_object_set_new(object, "expiry", license->expiry.year ? json_string(text) : json_null());
	return object;
}

static void set_identity(const struct gpu *gpu, json_t *object, unsigned int instance)
{
	unsigned int type = 0, size;
	unsigned long long used = 0;
	char text[96] = "";
	int result, id = 0;

	result = NV_CALL(gpu->api, nvmlVgpuInstanceGetUUID, instance, text, sizeof(text));
	nv_set(gpu, object, object, "", "vgpu_uuid", result, json_string(text));
	text[0] = '\0';
	result = NV_CALL(gpu->api, nvmlVgpuInstanceGetVmID, instance, text, sizeof(text), &id);
	nv_set(gpu, object, object, "", "vm", result, json_string(text));
	result = NV_CALL(gpu->api, nvmlVgpuInstanceGetType, instance, &type);
	size = sizeof(text);
	text[0] = '\0';
	if (!result)
		result = NV_CALL(gpu->api, nvmlVgpuTypeGetName, type, text, &size);
	nv_set(gpu, object, object, "", "type", result, json_string(text));
	result = NV_CALL(gpu->api, nvmlVgpuInstanceGetFbUsage, instance, &used);
	nv_set(gpu, object, object, "", "memory_used", result, json_integer((json_int_t)used));
	text[0] = '\0';
	result = NV_CALL(gpu->api, nvmlVgpuInstanceGetVmDriverVersion, instance, text, sizeof(text));
	nv_set(gpu, object, object, "", "vm_driver", result, json_string(text));
}

static void set_accounting(const struct gpu *gpu, json_t *object, unsigned int instance)
{
	unsigned int forgotten = 0;
	json_t *list, *in;
	int mode = 0, result;

	result = NV_CALL(gpu->api, nvmlVgpuInstanceGetAccountingMode, instance, &mode);
	if (result) {
		nv_set(gpu, object, object, "", "accounting", result, NULL);
		return;
	}
	in = json_object();
	json_object_set_new(object, "accounting", in);
	json_object_set_new(in, "mode", json_boolean(mode));
	list = nv_accounting_list(gpu, true, instance, &result, &forgotten);
	nv_set(gpu, object, in, "accounting", "processes", result, list);
	json_object_set_new(in, "forgotten", json_integer(forgotten));
}

static json_t *instance_object(const struct gpu *gpu, unsigned int instance,
			       const struct samples *used, const struct samples *processes)
{
	json_t *object = json_object();
	struct nv_license license = { 0 };
	int result;

	json_object_set_new(object, "instance", json_integer(instance));
	set_identity(gpu, object, instance);
	nv_set(gpu, object, object, "", "utilization", used->result, utilization_of(used, instance));
	nv_set(gpu, object, object, "", "processes", processes->result,
	       processes_of(processes, instance));
	result = NV_CALL(gpu->api, nvmlVgpuInstanceGetLicenseInfo_v2, instance, &license);
	nv_set(gpu, object, object, "", "license", result, license_object(&license));
	set_accounting(gpu, object, instance);
	return object;
}

/* Probes by a call that succeeds for every existing instance */
static bool is_gone(const struct gpu *gpu, unsigned int instance)
{
	unsigned int type;
	int result = NV_CALL(gpu->api, nvmlVgpuInstanceGetType, instance, &type);

	return result == NV_NOT_FOUND || result == NV_INVALID_ARGUMENT;
}

json_t *nv_query_vgpu(struct gpu *gpu)
{
	json_t *object = nv_gpu_object(gpu), *list = json_array();
	struct samples used, processes;
	unsigned int length, *instances, gone = 0;
	void *memory;
	int mode = 0, result;

	result = NV_CALL(gpu->api, nvmlDeviceGetHostVgpuMode, gpu->device, &mode);
	nv_set(gpu, object, object, "", "host_mode", result,
	       nv_word(host_modes, ARRAY_SIZE(host_modes), mode));
	result = nv_list(get_instances, gpu, sizeof(*instances), &memory, &length);
	instances = memory;
	used = get_all(gpu, instance_calls, &gpu->seen_vgpus);
	processes = get_all(gpu, process_calls, &gpu->seen_vgpu_processes);
	for (unsigned int i = 0; i < length; i++) {
		json_t *instance = instance_object(gpu, instances[i], &used, &processes);

		if (!is_gone(gpu, instances[i])) {
			json_array_append_new(list, instance);
			continue;
		}
		json_decref(instance);
		gone++;
	}
	nv_set(gpu, object, object, "", "instances", result, list);
	json_object_set_new(object, "gone", json_integer(gone));
	free(memory);
	free(used.list);
	free(processes.list);
	return object;
}
