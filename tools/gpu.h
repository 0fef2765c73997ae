/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What NVML knows of GPUs, as the plugin nvml answers, for people. */
#ifndef GPMU_GPU_H
#define GPMU_GPU_H

#include <jansson.h>

/* One object of "gpus", of each question; @answer is the whole */
void gpu_text(const json_t *answer, const json_t *gpu);
void gpu_text_accounting(const json_t *answer, const json_t *gpu);
void gpu_text_vgpu(const json_t *answer, const json_t *gpu);

/* For these: "GPU 0  NVIDIA H200  0000:40:00.0  GPU-8a56a4bc-..." */
void gpu_text_head(const json_t *gpu);
/* What is not available, and why: a line, or nothing */
void gpu_text_unavailable(const json_t *object, const char *indent);
/* A cell of @width: the number at @key with @unit, "-" if there is none */
void gpu_text_cell(const json_t *object, const char *key, int width, const char *unit);
/* Likewise bytes in GiB */
void gpu_text_bytes(const json_t *object, const char *key, int width);
/* The text at @key, or "-" */
const char *gpu_text_of(const json_t *object, const char *key);

#endif /* GPMU_GPU_H */
