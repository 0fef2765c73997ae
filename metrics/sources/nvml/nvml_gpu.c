// SPDX-License-Identifier: LGPL-2.1-or-later
/* The GPUs of the machine, their PMUs, and which events each has. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "nvml_source.h"

#define NOT_ASKED	(-1)

static const char *const formats[] = { "event", "config:0-31", NULL };

static const char *const pmu_names[PMUS] = { [PMU_NVML] = "nvidia_nvml", [PMU_GPM] = "nvidia_gpu" };

static int no_memory(struct gpmu_error *error)
{
	return fail(error, -ENOMEM, "NVML: %s", ERROR_NO_MEMORY);
}

/* --- probing --- */

/* Probes a metric of GPM by two samples of its own, apart from those of streams. */
static int ask_gpm(const struct gpu *gpu, unsigned int id)
{
	struct gpu probe = { .api = gpu->api, .device = gpu->device };
	struct nv_gpm_metrics *metrics = calloc(1, sizeof(*metrics));
	int result;

	if (!metrics)
		return NV_UNKNOWN;
	metrics->length = 1;
	metrics->metrics[0].id = id;
	result = nv_gpm_take(&probe, metrics);
	if (!result)
		result = nv_gpm_take(&probe, metrics);
	/* Other results may come from the short time between the two samples. */
	if (!result && (metrics->metrics[0].result == NV_NOT_SUPPORTED ||
			metrics->metrics[0].result == NV_INVALID_ARGUMENT))
		result = NV_NOT_SUPPORTED;
	nv_gpm_release(&probe);
	free(metrics);
	return result;
}

static int ask(const struct gpu *gpu, const struct nv_event *event)
{
	double value;

	if (gpu->links.results[event->need])
		return gpu->links.results[event->need];
	if (event->read)
		return event->read(gpu, event->argument, &value);
	return nv_supports_gpm(gpu) ? ask_gpm(gpu, event->argument) : NV_NOT_SUPPORTED;
}

int nv_has_event(struct gpu_pmu *pmu, size_t number)
{
	size_t length;
	const struct nv_event *list = nv_events(pmu->kind, &length);

	if (pmu->results[number] == NOT_ASKED)
		pmu->results[number] = ask(pmu->gpu, &list[number]);
	return pmu->results[number];
}

static char *make_why(const struct gpu_pmu *pmu, const struct nv_event *event, int result)
{
	const char *text = nv_text(pmu->gpu->api, result);
	char *why = NULL;
	int length;

	if (nv_lacks(&pmu->gpu->links, event->need))
		length = asprintf(&why, "%s: %s", pmu->name, nv_need_why(event->need));
	else
		length = asprintf(&why, "%s: NVML: %s%s", pmu->name, text,
				  result == NV_NO_PERMISSION ? "; run as root" : "");
	return length < 0 ? NULL : why;
}

const char *nv_why_not(struct gpu_pmu *pmu, size_t number)
{
	size_t length;
	const struct nv_event *list = nv_events(pmu->kind, &length);

	if (!pmu->whys)
		pmu->whys = calloc(length, sizeof(char *));
	if (pmu->whys && !pmu->whys[number])
		pmu->whys[number] = make_why(pmu, &list[number], pmu->results[number]);
	return pmu->whys && pmu->whys[number] ? pmu->whys[number] : ERROR_NO_MEMORY;
}

const struct gpmu_source_event_info *nv_info(struct gpu_pmu *pmu, size_t number)
{
	struct gpmu_source_event_info *info = &pmu->infos[number];

	info->absent = nv_has_event(pmu, number) == NV_NOT_SUPPORTED;
	info->why = info->absent ? nv_why_not(pmu, number) : NULL;
	return info;
}

const struct gpmu_source_event_info *nv_foreign(struct gpu_pmu *pmu, const char *name)
{
	struct foreign *foreign;

	if (pmu->kind != PMU_GPM || !strstr(name, "__"))
		return NULL;
	for (foreign = pmu->foreign; foreign; foreign = foreign->next)
		if (!strcmp(foreign->name, name))
			return &foreign->info;
	foreign = calloc(1, sizeof(*foreign) + strlen(name) + 1);
	if (!foreign)
		return NULL;
	memcpy(foreign->name, name, strlen(name) + 1);
	foreign->info = (struct gpmu_source_event_info){
		.size = sizeof(foreign->info), .name = foreign->name, .terms = "event=0x0",
		.absent = 1, .why = NV_FOREIGN_WHY,
	};
	foreign->next = pmu->foreign;
	pmu->foreign = foreign;
	return &foreign->info;
}

/* --- PMUs --- */

static int make_pmu(struct gpu *gpu, int kind)
{
	struct gpu_pmu *pmu = &gpu->pmus[gpu->pmu_count];
	size_t length;
	const struct nv_event *list = nv_events(kind, &length);

	snprintf(pmu->name, sizeof(pmu->name), "%s_%u", pmu_names[kind], gpu->index);
	pmu->gpu = gpu;
	pmu->kind = kind;
	pmu->shown = (struct gpmu_source_pmu){
		.size = sizeof(pmu->shown),
		.name = pmu->name,
		/* The names of nv_events() are GH100's, whatever the chip is. */
		.identifier = kind == PMU_GPM ? "GH100" : NULL,
		.node = -1,
		.counters = -1,
		.counter_width = 64,
		.formats = formats,
		.gpu = &gpu->shown,
	};
	pmu->infos = calloc(length, sizeof(*pmu->infos));
	pmu->terms = calloc(length, sizeof(*pmu->terms));
	pmu->results = calloc(length, sizeof(*pmu->results));
	pmu->listed = calloc(length, sizeof(*pmu->listed));
	gpu->pmu_count++;
	if (!pmu->infos || !pmu->terms || !pmu->results || !pmu->listed)
		return -ENOMEM;
	for (size_t i = 0; i < length; i++) {
		snprintf(pmu->terms[i], sizeof(pmu->terms[i]), "event=0x%zx", i + 1);
		pmu->results[i] = NOT_ASKED;
		pmu->infos[i] = (struct gpmu_source_event_info){
			.size = sizeof(pmu->infos[i]),
			.name = list[i].name,
			.terms = pmu->terms[i],
			.unit = list[i].unit,
			.scale = list[i].scale,
			.mean = list[i].is_mean,
			.description = list[i].description,
			.passes = 1,
		};
	}
	return 0;
}

static void describe(struct gpu *gpu)
{
	struct nv_pci pci = { 0 };
	unsigned int arch = 0;

	if (NV_CALL(gpu->api, nvmlDeviceGetName, gpu->device, gpu->name, sizeof(gpu->name)))
		gpu->name[0] = '\0';
	if (!NV_CALL(gpu->api, nvmlDeviceGetPciInfo_v3, gpu->device, &pci))
		snprintf(gpu->pci, sizeof(gpu->pci), "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
	NV_CALL(gpu->api, nvmlDeviceGetArchitecture, gpu->device, &arch);
	gpu->shown = (struct gpmu_source_gpu){
		.size = sizeof(gpu->shown),
		.uuid = gpu->uuid,
		.name = gpu->name[0] ? gpu->name : NULL,
		/* This architecture has one chip only. */
		.chip = arch == NV_ARCH_HOPPER ? "GH100" : NULL,
		.pci = gpu->pci[0] ? gpu->pci : NULL,
	};
}

/* Returns 0, also if NVML refuses the GPU, or -ENOMEM */
static int add_gpu(struct source *source, unsigned int index)
{
	struct gpu *gpu = &source->gpus[source->gpu_count];
	int result, ret;

	*gpu = (struct gpu){ .source = source, .api = &source->api, .index = index };
	result = NV_CALL(&source->api, nvmlDeviceGetHandleByIndex_v2, index, &gpu->device);
	if (!result)
		result = NV_CALL(&source->api, nvmlDeviceGetUUID, gpu->device, gpu->uuid,
				 sizeof(gpu->uuid));
	if (result) {
		messages_add(&source->messages, "NVML: GPU %u: %s", index, nv_text(&source->api, result));
		return 0;
	}
	source->gpu_count++;
	describe(gpu);
	nv_find_links(gpu->api, gpu->device, &gpu->links);
	ret = make_pmu(gpu, PMU_NVML);
	if (!ret && nv_supports_gpm(gpu))
		ret = make_pmu(gpu, PMU_GPM);
	return ret;
}

static int list_pmus(struct source *source)
{
	source->pmus = calloc(source->gpu_count * PMUS + 1, sizeof(struct gpu_pmu *));
	if (!source->pmus)
		return -ENOMEM;
	for (int kind = 0; kind < PMUS; kind++)
		for (size_t i = 0; i < source->gpu_count; i++)
			if (source->gpus[i].pmu_count > (size_t)kind)
				source->pmus[source->pmu_count++] = &source->gpus[i].pmus[kind];
	return 0;
}

int nv_find_gpus(struct source *source, struct gpmu_error *error)
{
	unsigned int count = 0;
	int result = NV_CALL(&source->api, nvmlDeviceGetCount_v2, &count);

	if (result)
		return fail(error, -EIO, "NVML: the number of GPUs: %s", nv_text(&source->api, result));
	if (!count)
		return fail(error, -ENODEV, "NVML: there is no GPU");
	source->gpus = calloc(count, sizeof(*source->gpus));
	if (!source->gpus)
		return no_memory(error);
	for (unsigned int i = 0; i < count; i++)
		if (add_gpu(source, i))
			return no_memory(error);
	if (!source->gpu_count)
		return fail(error, -ENODEV, "%s", source->messages.length ? source->messages.list[0] :
			    "NVML: no GPU can be used");
	return list_pmus(source) ? no_memory(error) : 0;
}

static void release_pmu(struct gpu_pmu *pmu)
{
	struct foreign *foreign;
	size_t length;

	nv_events(pmu->kind, &length);
	for (size_t i = 0; pmu->whys && i < length; i++)
		free(pmu->whys[i]);
	free(pmu->whys);
	while ((foreign = pmu->foreign)) {
		pmu->foreign = foreign->next;
		free(foreign);
	}
	free(pmu->infos);
	free(pmu->terms);
	free(pmu->results);
	free(pmu->listed);
}

void nv_release_gpus(struct source *source)
{
	for (size_t i = 0; i < source->gpu_count; i++) {
		nv_gpm_release(&source->gpus[i]);
		for (size_t j = 0; j < source->gpus[i].pmu_count; j++)
			release_pmu(&source->gpus[i].pmus[j]);
	}
	free(source->pmus);
	free(source->gpus);
}
