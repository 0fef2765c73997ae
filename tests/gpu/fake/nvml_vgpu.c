// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fake NVML: vGPUs. */
#include <string.h>
#include <unistd.h>

#include "nvml_fake.h"

static unsigned int number(const json_t *entry, const char *key)
{
	return (unsigned int)fake_integer(entry, key, 0);
}

static int vgpu_list(nv_device device, const char *function, const char *name, unsigned int *length,
		     void *list, unsigned long long last_seen, fake_put *put)
{
	int result = fake_check(device, function);

	return result ? result : fake_give(fake_of(device), function,
					   json_object_get(fake_of(device)->is, name), length, list,
					   last_seen, put);
}

/* --- lists --- */

static void put_instance(void *list, unsigned int index, const json_t *entry)
{
	((unsigned int *)list)[index] = number(entry, "instance");
}

EXPORT int nvmlDeviceGetActiveVgpus(nv_device device, unsigned int *length, unsigned int *instances)
{
	return vgpu_list(device, __func__, "vgpus", length, instances, 0, put_instance);
}

static void put_info(void *list, unsigned int index, const json_t *entry)
{
	struct nv_vgpu_info *info = (struct nv_vgpu_info *)list + index;

	memset(info, 0, sizeof(*info));
	info->time = (unsigned long long)fake_integer(entry, "time", 0);
	info->instance = number(entry, "instance");
	info->sm.u = number(entry, "sm");
	info->memory.u = number(entry, "memory");
	info->encoder.u = number(entry, "encoder");
	info->decoder.u = number(entry, "decoder");
	info->jpeg.u = number(entry, "jpeg");
	info->ofa.u = number(entry, "ofa");
}

EXPORT int nvmlDeviceGetVgpuInstancesUtilizationInfo(nv_device device, struct nv_vgpu_infos *infos)
{
	if (infos->version != NV_VERSION(struct nv_vgpu_infos, 1u))
		return NV_ARGUMENT_VERSION_MISMATCH;
	infos->type = NV_TYPE_UNSIGNED;
	return vgpu_list(device, __func__, "vgpu_samples", &infos->length, infos->list, infos->last_seen,
			 put_info);
}

static void put_sample(void *list, unsigned int index, const json_t *entry)
{
	struct nv_vgpu_sample *sample = (struct nv_vgpu_sample *)list + index;

	memset(sample, 0, sizeof(*sample));
	sample->time = (unsigned long long)fake_integer(entry, "time", 0);
	sample->instance = number(entry, "instance");
	sample->sm.u = number(entry, "sm");
	sample->memory.u = number(entry, "memory");
	sample->encoder.u = number(entry, "encoder");
	sample->decoder.u = number(entry, "decoder");
}

EXPORT int nvmlDeviceGetVgpuUtilization(nv_device device, unsigned long long last_seen, int *type,
					unsigned int *length, struct nv_vgpu_sample *list)
{
	*type = NV_TYPE_UNSIGNED;
	return vgpu_list(device, __func__, "vgpu_samples", length, list, last_seen, put_sample);
}

static void put_process_info(void *list, unsigned int index, const json_t *entry)
{
	struct nv_vgpu_process_info *info = (struct nv_vgpu_process_info *)list + index;
	const char *name = json_string_value(json_object_get(entry, "name"));

	memset(info, 0, sizeof(*info));
	snprintf(info->name, sizeof(info->name), "%s", name ? name : "");
	info->time = (unsigned long long)fake_integer(entry, "time", 0);
	info->instance = number(entry, "instance");
	info->pid = number(entry, "pid");
	info->sm = number(entry, "sm");
	info->memory = number(entry, "memory");
	info->encoder = number(entry, "encoder");
	info->decoder = number(entry, "decoder");
	info->jpeg = number(entry, "jpeg");
	info->ofa = number(entry, "ofa");
}

EXPORT int nvmlDeviceGetVgpuProcessesUtilizationInfo(nv_device device,
						     struct nv_vgpu_process_infos *infos)
{
	if (infos->version != NV_VERSION(struct nv_vgpu_process_infos, 1u))
		return NV_ARGUMENT_VERSION_MISMATCH;
	return vgpu_list(device, __func__, "vgpu_processes", &infos->length, infos->list,
			 infos->last_seen, put_process_info);
}

static void put_process_sample(void *list, unsigned int index, const json_t *entry)
{
	struct nv_vgpu_process_sample *sample = (struct nv_vgpu_process_sample *)list + index;
	const char *name = json_string_value(json_object_get(entry, "name"));

	memset(sample, 0, sizeof(*sample));
	snprintf(sample->name, sizeof(sample->name), "%s", name ? name : "");
	sample->time = (unsigned long long)fake_integer(entry, "time", 0);
	sample->instance = number(entry, "instance");
	sample->pid = number(entry, "pid");
	sample->sm = number(entry, "sm");
	sample->memory = number(entry, "memory");
	sample->encoder = number(entry, "encoder");
	sample->decoder = number(entry, "decoder");
}

EXPORT int nvmlDeviceGetVgpuProcessUtilization(nv_device device, unsigned long long last_seen,
					       unsigned int *length,
					       struct nv_vgpu_process_sample *list)
{
	return vgpu_list(device, __func__, "vgpu_processes", length, list, last_seen, put_process_sample);
}

/* --- one --- */

/* Finds a vGPU for a call. After "calls" calls it has ended, so that a listed vGPU can be gone. */
static int find(unsigned int instance, const char *function, struct fake **fake, const json_t **vgpu)
{
	json_t *entry;
	char key[32];
	size_t i;

	for (*fake = fakes; *fake < fakes + fake_count; (*fake)++) {
		json_array_foreach(json_object_get((*fake)->is, "vgpus"), i, entry) {
			if (number(entry, "instance") != instance)
				continue;
			*vgpu = entry;
			snprintf(key, sizeof(key), "vgpu:%u", instance);
			if (fake_calls(*fake, key) >= fake_integer(entry, "calls", INT64_MAX))
				return NV_NOT_FOUND;
			return (int)fake_integer(json_object_get(entry, "returns"), function, 0);
		}
	}
	return instance ? NV_NOT_FOUND : NV_INVALID_ARGUMENT;
}

static int text_of(unsigned int instance, const char *function, const char *name, char *text,
		   unsigned int size)
{
	const json_t *vgpu;
	struct fake *fake;
	int result = find(instance, function, &fake, &vgpu);

	return result ? result : fake_text(json_string_value(json_object_get(vgpu, name)), text, size);
}

EXPORT int nvmlVgpuInstanceGetUUID(unsigned int instance, char *text, unsigned int size)
{
	return text_of(instance, __func__, "uuid", text, size);
}

EXPORT int nvmlVgpuInstanceGetVmID(unsigned int instance, char *text, unsigned int size, int *type)
{
	*type = NV_VM_ID_UUID;
	return text_of(instance, __func__, "vm", text, size);
}

EXPORT int nvmlVgpuInstanceGetVmDriverVersion(unsigned int instance, char *text, unsigned int size)
{
	return text_of(instance, __func__, "vm_driver", text, size);
}

EXPORT int nvmlVgpuInstanceGetType(unsigned int instance, unsigned int *type)
{
	const json_t *vgpu;
	struct fake *fake;

	*type = instance;
	return find(instance, __func__, &fake, &vgpu);
}

EXPORT int nvmlVgpuTypeGetName(unsigned int type, char *text, unsigned int *size)
{
	return text_of(type, __func__, "type", text, *size);
}

EXPORT int nvmlVgpuInstanceGetFbUsage(unsigned int instance, unsigned long long *bytes)
{
	const json_t *vgpu;
	struct fake *fake;
	int result = find(instance, __func__, &fake, &vgpu);

	*bytes = result ? 0 : (unsigned long long)fake_integer(vgpu, "memory", 0);
	return result;
}

EXPORT int nvmlVgpuInstanceGetLicenseInfo_v2(unsigned int instance, struct nv_license *license)
{
	const json_t *vgpu, *is;
	struct fake *fake;
	int result = find(instance, __func__, &fake, &vgpu);

	if (result)
		return result;
	is = json_object_get(vgpu, "license");
	*license = (struct nv_license){
		.licensed = number(is, "licensed") != 0,
		.state = number(is, "state"),
	};
	license->expiry.year = number(is, "year");
	license->expiry.month = (unsigned short)number(is, "month");
	license->expiry.day = (unsigned short)number(is, "day");
	license->expiry.status = (unsigned char)number(is, "status");
	return NV_SUCCESS;
}

/* --- accounting --- */

EXPORT int nvmlVgpuInstanceGetAccountingMode(unsigned int instance, int *mode)
{
	const json_t *vgpu;
	struct fake *fake;
	int result = find(instance, __func__, &fake, &vgpu);

	*mode = result ? 0 : (int)number(json_object_get(vgpu, "accounting"), "mode");
	return result;
}

EXPORT int nvmlVgpuInstanceGetAccountingPids(unsigned int instance, unsigned int *length,
					     unsigned int *pids)
{
	const json_t *vgpu;
	struct fake *fake;
	int result = find(instance, __func__, &fake, &vgpu);

	return result ? result : fake_pids(fake, __func__, json_object_get(vgpu, "accounting"), length,
					   pids);
}

EXPORT int nvmlVgpuInstanceGetAccountingStats(unsigned int instance, unsigned int pid,
					      struct nv_accounting *stats)
{
	const json_t *vgpu;
	struct fake *fake;
	int result = find(instance, __func__, &fake, &vgpu);

	return result ? result : fake_stats(json_object_get(vgpu, "accounting"), pid, stats);
}

/* Clears the records of ended processes */
EXPORT int nvmlVgpuInstanceClearAccountingPids(unsigned int instance)
{
	const json_t *vgpu;
	struct fake *fake;
	json_t *list;
	int result = find(instance, __func__, &fake, &vgpu);

	if (result)
		return result;
	list = json_object_get(json_object_get(vgpu, "accounting"), "processes");
	for (size_t i = json_array_size(list); i--; )
		if (!number(json_array_get(list, i), "running"))
			json_array_remove(list, i);
	return NV_SUCCESS;
}
