// SPDX-License-Identifier: LGPL-2.1-or-later
/* The answer to "check": the driver, CUPTI, the GPUs, and the reason why a GPU cannot be sampled. */
#include <stdio.h>

#include "cupti_source.h"

/* Formats CUDA's version: 13000 as "13.0" */
static json_t *cuda_text(int version)
{
	char text[32];

	if (!version)
		return json_null();
	snprintf(text, sizeof(text), "%d.%d", version / 1000, version % 1000 / 10);
	return json_string(text);
}

static json_t *cupti_object(const struct library *library)
{
	if (!library->cupti_handle)
		return json_null();
	return json_pack("{s:s, s:I, s:o}", "path", library->path, "version",
			 (json_int_t)library->version, "cuda", cuda_text(library->cuda_version));
}

static json_t *gpu_object(const struct gpu *gpu)
{
	return json_pack("{s:I, s:s, s:s, s:s, s:s, s:o}", "index", (json_int_t)gpu->index, "uuid", gpu->uuid,
			 "name", gpu->name, "chip", gpu->chip, "pci", gpu->pci, "trouble",
			 trouble_object(&gpu->trouble));
}

json_t *source_check(const struct source *source)
{
	const struct library *library = &source->library;
	json_t *gpus = json_array();

	for (size_t i = 0; i < source->gpus_len; i++)
		json_array_append_new(gpus, gpu_object(&source->gpus[i]));
	return json_pack("{s:o, s:o, s:o, s:o}", "driver", cuda_text(library->driver_version), "cupti",
			 cupti_object(library), "trouble", trouble_object(&library->trouble), "gpus", gpus);
}
