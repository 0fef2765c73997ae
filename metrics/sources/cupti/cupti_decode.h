/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of a sampler have in common: its thread, and the GPU that it restarts. */
#ifndef GPMU_CUPTI_DECODE_H
#define GPMU_CUPTI_DECODE_H

#include "cupti_sampling.h"

/* The thread's function: decodes until it is to stop */
void *sampler_decode(void *sampler);
/* With that thread gone: stops the hardware, decodes what it has. */
void sampler_drain(struct sampler *sampler);

/* Images, empty, and those who make values of what is decoded into them; 0 or -ENOMEM */
int images_init(struct sampler *sampler, const struct host *host);
/* All that were submitted are settled before. */
void images_release(struct sampler *sampler);
/* One that is free; waits for it. The decoder's, until it is submitted */
struct image *images_free(struct sampler *sampler);
/* One with samples and times: they are counted once all before it are. */
void images_submit(struct sampler *sampler, struct image *image);
/* Waits until all that were submitted are counted. */
void images_settle(struct sampler *sampler);
/* All become as the empty one is, which has changed; none is submitted. */
void images_reset(struct sampler *sampler);

/* These return a CUptiResult; the last one has none. Without the first two it is disabled. */
int sampler_enable(struct sampler *sampler, size_t buffer);
int sampler_start_hardware(struct sampler *sampler);
int sampler_stop_hardware(struct sampler *sampler);
void sampler_disable(struct sampler *sampler);

#endif /* GPMU_CUPTI_DECODE_H */
