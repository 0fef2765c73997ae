/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of a sampler have in common: its thread, and the GPU that it restarts. */
#ifndef GPMU_CUPTI_DECODE_H
#define GPMU_CUPTI_DECODE_H

#include "cupti_sampling.h"

/* The thread's function: decodes until it is to stop */
void *sampler_decode(void *sampler);
/* With no thread any more: stops the hardware, decodes what it has. */
void sampler_drain(struct sampler *sampler);

/* These return a CUptiResult; the last is to be called in any case. */
int sampler_enable(struct sampler *sampler, size_t buffer);
int sampler_reset_image(struct sampler *sampler);
int sampler_stop_hardware(struct sampler *sampler);
void sampler_disable(struct sampler *sampler);

#endif /* GPMU_CUPTI_DECODE_H */
