// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu-source.h"
#include "machine/gpu.h"
#include "base/sized.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "plugin/source_object.h"

static int copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

static void free_gpu(struct gpmu_gpu *gpu)
{
	free(gpu->uuid);
	free(gpu->name);
	free(gpu->chip);
	free(gpu->pci);
	free(gpu);
}

static struct gpmu_gpu *new_gpu(const struct gpmu_source_gpu *shown)
{
	struct gpmu_gpu *gpu = calloc(1, sizeof(*gpu));

	if (!gpu)
		return NULL;
	if (!copy(&gpu->uuid, shown->uuid) && !copy(&gpu->name, shown->name) &&
	    !copy(&gpu->chip, shown->chip) && !copy(&gpu->pci, shown->pci))
		return gpu;
	free_gpu(gpu);
	return NULL;
}

/* Fills in members that the first source left unset. */
static int complete(struct gpmu_gpu *gpu, const struct gpmu_source_gpu *shown)
{
	int ret = gpu->name ? 0 : copy(&gpu->name, shown->name);

	if (!ret && !gpu->chip)
		ret = copy(&gpu->chip, shown->chip);
	if (!ret && !gpu->pci)
		ret = copy(&gpu->pci, shown->pci);
	return ret;
}

int gpus_add(struct gpus *gpus, const struct gpmu_source_gpu *table, const struct gpmu_gpu **gpu)
{
	struct gpmu_source_gpu shown = { .size = 0 };
	struct gpmu_gpu **added;

	sized_copy(&shown, sizeof(shown), table);
	if (!shown.uuid || !*shown.uuid || !pmu_is_name(shown.uuid))
		return -EINVAL;
	for (size_t i = 0; i < gpus->len; i++) {
		if (!strcmp(gpus->list[i]->uuid, shown.uuid)) {
			*gpu = gpus->list[i];
			return complete(gpus->list[i], &shown);
		}
	}
	added = vector_append(gpus->list, gpus->len);
	if (!added)
		return -ENOMEM;
	*added = new_gpu(&shown);
	if (!*added) {
		gpus->len--;
		return -ENOMEM;
	}
	(*added)->number = gpus->len - 1;
	*gpu = *added;
	return 0;
}

void gpus_shorten(struct gpus *gpus, size_t len)
{
	while (gpus->len > len)
		free_gpu(gpus->list[--gpus->len]);
}

void gpus_release(struct gpus *gpus)
{
	gpus_shorten(gpus, 0);
	free(gpus->list);
}

const struct gpmu_gpu *gpmu_machine_gpu(const struct gpmu_machine *machine, size_t index)
{
	return index < machine->gpus.len ? machine->gpus.list[index] : NULL;
}

const struct gpmu_gpu *gpmu_pmu_gpu(const struct gpmu_pmu *pmu)
{
	return pmu->gpu;
}

size_t gpmu_gpu_number(const struct gpmu_gpu *gpu)
{
	return gpu->number;
}

const char *gpmu_gpu_uuid(const struct gpmu_gpu *gpu)
{
	return gpu->uuid;
}

const char *gpmu_gpu_name(const struct gpmu_gpu *gpu)
{
	return gpu->name;
}

const char *gpmu_gpu_chip(const struct gpmu_gpu *gpu)
{
	return gpu->chip;
}

const char *gpmu_gpu_pci(const struct gpmu_gpu *gpu)
{
	return gpu->pci;
}
