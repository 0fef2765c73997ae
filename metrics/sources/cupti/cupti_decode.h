/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the parts of a sampler: its thread, its images, and the hardware. */
#ifndef GPMU_CUPTI_DECODE_H
#define GPMU_CUPTI_DECODE_H

#include "cupti_sampling.h"

/* decode.c: decodes samples into an image. Returns a CUptiResult. *@has_more: more samples may wait, so that no sleep should follow */
int sampler_decode(struct sampler *sampler, bool *has_more);
/* After the thread has ended: stops the hardware and decodes its remaining samples */
void sampler_drain(struct sampler *sampler);

/* Makes empty images and starts the workers that evaluate decoded ones. Returns 0 or -ENOMEM. */
int images_init(struct sampler *sampler, const struct host *host);
/* Ends the workers and frees the images, all of which must be settled */
void images_release(struct sampler *sampler);
/* Waits for a free image, which is the decoder's until it is submitted */
struct image *images_free(struct sampler *sampler);
/* Hands on an image with samples and their times. They are counted after those of all earlier images. */
void images_submit(struct sampler *sampler, struct image *image);
/* Waits until all submitted images are counted */
void images_settle(struct sampler *sampler);
/* Empties all images after the empty image has changed; none may be submitted */
void images_reset(struct sampler *sampler);

/*
 * hardware.c: the functions return a CUptiResult, but for sampler_disable(). If sampler_enable() or a start fails, sampling is
 * disabled.
 */
int sampler_enable(struct sampler *sampler, size_t buffer);
int sampler_start_hardware(struct sampler *sampler);
int sampler_stop_hardware(struct sampler *sampler);
void sampler_disable(struct sampler *sampler);

#endif /* GPMU_CUPTI_DECODE_H */
