/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the answers of the plugin nvml as text. */
#ifndef GPMU_GPU_H
#define GPMU_GPU_H

#include <jansson.h>
#include <stddef.h>

#include "output/table.h"

/*
 * Print one object of "gpus", by question; @answer is the whole answer. The attributes are those of "attributes", if
 * any.
 */
void gpu_text(const json_t *answer, const json_t *gpu);
void gpu_text_attributes(const json_t *gpu);
void gpu_text_accounting(const json_t *answer, const json_t *gpu);
void gpu_text_vgpu(const json_t *answer, const json_t *gpu);

/* Helpers. The heading: "GPU 0  NVIDIA H200  0000:40:00.0  GPU-8a56a4bc-..." */
void gpu_text_head(const json_t *gpu);
/* A line with the values that are not available and NVML's reasons, if there are any */
void gpu_text_unavailable(const json_t *object, const char *indent);
/* Writes the number at @key with @unit, or the bytes at @key in GiB, or "-". */
void gpu_text_number(const json_t *object, const char *key, const char *unit, char *text, size_t size);
void gpu_text_bytes(const json_t *object, const char *key, char *text, size_t size);
/* Add a cell with that text. */
void gpu_text_cell(struct table *table, const json_t *object, const char *key, const char *unit);
void gpu_text_bytes_cell(struct table *table, const json_t *object, const char *key);
/* The text at @key, or "-" */
const char *gpu_text_of(const json_t *object, const char *key);

#endif /* GPMU_GPU_H */
