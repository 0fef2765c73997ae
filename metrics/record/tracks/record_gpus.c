// SPDX-License-Identifier: LGPL-2.1-or-later
/* Maps GPUs' UUIDs to gpmu's numbers. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "base/vector.h"
#include "record/tracks/record_map.h"

static void free_gpu(struct record_gpu *gpu)
{
	free(gpu->uuid);
	free(gpu->name);
	free(gpu->address);
}

/* @name, @address: NULL if unknown */
static int add(struct record_map *map, const char *uuid, const char *name, const char *address, int number)
{
	struct record_gpu gpu = { .number = number }, *added = NULL;

	gpu.uuid = strdup(uuid);
	gpu.name = name ? strdup(name) : NULL;
	gpu.address = address ? strdup(address) : NULL;
	if (gpu.uuid && (!name || gpu.name) && (!address || gpu.address))
		added = vector_append(map->gpus, map->gpu_count);
	if (!added) {
		free_gpu(&gpu);
		return -ENOMEM;
	}
	*added = gpu;
	return 0;
}

/* Reads "GPU UUID: \t GPU-..." from a file of NVIDIA's driver. */
static void read_uuid(const char *root, const char *address, char *uuid, size_t size)
{
	char path[512], line[256];
	FILE *file;

	*uuid = '\0';
	snprintf(path, sizeof(path), "%s/proc/driver/nvidia/gpus/%s/information", root, address);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *begin = strncmp(line, "GPU UUID:", 9) ? NULL : strstr(line, "GPU-");

		if (begin)
			snprintf(uuid, size, "%.*s", (int)strcspn(begin, " \t\n"), begin);
	}
	if (file)
		fclose(file);
}

/* Lists GPUs in the order of PCI addresses, as NVML and the source plugins do. */
static int list_driver(struct record_map *map)
{
	const char *root = map->machine ? gpmu_machine_root(map->machine) : "/";
	struct dirent **entries = NULL;
	char path[512], uuid[64];
	int n, ret = 0, number = 0;

	snprintf(path, sizeof(path), "%s/proc/driver/nvidia/gpus", root);
	n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		read_uuid(root, entries[i]->d_name, uuid, sizeof(uuid));
		if (uuid[0] && !ret)
			ret = add(map, uuid, NULL, entries[i]->d_name, number++);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int list_all(struct record_map *map)
{
	const struct gpmu_gpu *gpu;
	int ret = 0;

	map->has_listed_gpus = true;
	for (size_t i = 0; map->machine && (gpu = gpmu_machine_gpu(map->machine, i)) && !ret; i++)
		ret = add(map, gpmu_gpu_uuid(gpu), gpmu_gpu_name(gpu), gpmu_gpu_pci(gpu), (int)gpmu_gpu_number(gpu));
	return map->gpu_count || ret ? ret : list_driver(map);
}

/* Number of an unlisted GPU, after all known ones */
static int next_number(const struct record_map *map)
{
	int next = 0;

	for (size_t i = 0; i < map->gpu_count; i++)
		if (map->gpus[i].number >= next)
			next = map->gpus[i].number + 1;
	return next;
}

static int find(struct record_map *map, const char *uuid, const char *name)
{
	for (size_t i = 0; i < map->gpu_count; i++)
		if (!strcmp(map->gpus[i].uuid, uuid))
			return (int)i;
	/* The trace has no room for more: further GPUs are the unknown one. */
	if (*uuid && next_number(map) >= GPMU_TRACE_GPUS_MAX - 1)
		return find(map, "", NULL);
	return add(map, uuid, name, NULL, next_number(map)) ? -ENOMEM : (int)map->gpu_count - 1;
}

int record_gpu_describe(struct record_map *map, const struct record_gpu *gpu)
{
	const struct gpmu_trace_gpu described = {
		.size = sizeof(described), .number = gpu->number, .name = gpu->name ? gpu->name : "?", .uuid = gpu->uuid,
		.address = gpu->address,
	};

	return gpmu_trace_gpu(map->trace, &described);
}

static int make_track(struct record_map *map, struct record_gpu *gpu)
{
	char *text =
		text_print("GPU %d: %s (%s)", gpu->number, gpu->name ? gpu->name : "?", gpu->uuid);

	gpu->track = text ? gpmu_trace_track(map->trace, 0, text) : -ENOMEM;
	free(text);
	return gpu->track;
}

/* Takes the name of a GPU that had none. */
static int take_name(struct record_map *map, struct record_gpu *gpu, const char *name)
{
	gpu->name = strdup(name);
	return !gpu->name ? -ENOMEM : gpu->is_used ? record_gpu_describe(map, gpu) : 0;
}

int record_gpu_of(struct record_map *map, const char *uuid, const char *name)
{
	int ret = map->has_listed_gpus ? 0 : list_all(map), index;
	struct record_gpu *gpu;

	if (ret)
		return ret;
	index = find(map, uuid ? uuid : "", name);
	if (index < 0)
		return index;
	gpu = &map->gpus[index];
	if (!gpu->name && name && *name && take_name(map, gpu, name))
		return -ENOMEM;
	if (!gpu->is_used) {
		ret = record_gpu_describe(map, gpu);
		if (ret)
			return ret;
	}
	gpu->is_used = true;
	ret = gpu->track ? gpu->track : make_track(map, gpu);
	return ret > 0 ? index : ret;
}

void record_gpus_release(struct record_map *map)
{
	for (size_t i = 0; i < map->gpu_count; i++)
		free_gpu(&map->gpus[i]);
	free(map->gpus);
}
