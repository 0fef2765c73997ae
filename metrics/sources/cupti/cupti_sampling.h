/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PM sampling of one GPU, device-wide. A thread decodes what the hardware has sampled into
 * an image of CUPTI's, makes values of its samples and hands them on as counts. Where
 * samples come faster than one thread can do that it only decodes, into one of several
 * images, and others make the values. What goes wrong with the hardware's buffer or with CUPTI's image
 * is recovered from; the time without samples is known.
 */
#ifndef GPMU_CUPTI_SAMPLING_H
#define GPMU_CUPTI_SAMPLING_H

#include <pthread.h>

#include "cupti_counts.h"
#include "cupti_gpus.h"
#include "cupti_host.h"
#include "cupti_image.h"
#include "cupti_options.h"

/* Why there is no sample of some time */
enum gap {
	GAP_NONE,		/* nobody knows */
	GAP_OVERFLOW,		/* the hardware's buffer was full */
	GAP_IMAGE,		/* CUPTI's image was full: the thread came too late */
	GAP_ERROR,		/* CUPTI failed */
	GAP_MEMORY,
	GAPS
};

struct sampler {
	const struct library *library;
	const struct gpu *gpu;
	struct messages *messages;
	struct trouble trouble;		/* why it could not begin */
	struct saver *saver;		/* NULL: samples are not saved */

	/* Constant while it runs */
	struct host_config config;
	const char *const *names;	/* of metrics */
	size_t length;
	uint64_t interval;		/* ns or cycles, as the trigger is */
	uint64_t period;		/* ns, about, that it is */
	enum trigger trigger;
	size_t buffer;
	uint32_t image_samples;
	size_t sample_bytes;		/* of the image, or a little less */
	uint32_t saver_run;
	size_t threads;			/* that make values; 0: the decoder does */
	struct worker {
		struct sampler *sampler;
		struct evaluator evaluator;
		pthread_t thread;
	} *workers;
	size_t workers_len;		/* that have a thread; none: there is one without */

	/* The decoder's, once it runs */
	CUpti_PmSampling_Object *object;
	uint64_t nap;			/* ns that it sleeps */
	uint8_t *empty;			/* an image without samples */
	size_t image_size;
	size_t batch;			/* samples that were decoded last */
	bool skip;			/* the next sample has a wrong beginning */
	enum gap reason;		/* for which samples are missing before it */

	pthread_t thread;
	bool running;			/* there is a thread */

	pthread_mutex_t lock;		/* of all that follows */
	pthread_cond_t wake;		/* the decoder */
	pthread_cond_t work;		/* the workers */
	pthread_cond_t freed;		/* an image */
	pthread_cond_t decoded;		/* those who wait for samples */
	struct image {
		uint8_t *bytes;
		struct sample_time *times;
		double *values;
		size_t samples;
		size_t decoded;		/* into it, which may have no values */
		uint64_t number;	/* in the order of time */
		bool skip;		/* its first sample */
		bool full;		/* its last sample is complete */
		enum gap reason;	/* before it */
		enum image_state {
			IMAGE_FREE, IMAGE_DECODED, IMAGE_BUSY, IMAGE_VALUED
		} state;
	} *images;
	size_t images_len;
	bool dense;			/* samples lie one behind the other, as was seen */
	uint64_t submitted, taken;	/* images */
	enum gap missing;		/* why samples are missing before the next one */
	int errors;			/* without a sample in between */
	int failure;			/* of a worker */
	bool stop, finish;		/* the decoder, the workers */
	uint64_t wanted;		/* a time whose samples somebody waits for; 0: nobody does */
	bool begun;			/* what is missing is a gap: sampler_begin() */
	bool dead;			/* the GPU or its profiler is gone */
	struct counts *counts;
	uint64_t samples;		/* in all */
	time_t said;			/* s, when gaps were said last; not by lock */
	struct gaps {
		uint64_t number, length;	/* ns; in all */
		uint64_t said_number, said_length;
	} gaps[GAPS];
};

int sampler_init(struct sampler *sampler, const struct library *library, const struct gpu *gpu,
		 struct messages *messages);
void sampler_release(struct sampler *sampler);

/*
 * Whether the GPU's profiler can be had, by sampling for a moment: that another has it only
 * shows when sampling is configured or begins. Returns 0 or -errno with the error set.
 */
int sampler_try(struct sampler *sampler, const struct host *host, const struct options *options,
		struct gpmu_error *error);

/*
 * Begins to sample metrics into counts, of the same length, as the options say. The names
 * and counts are the caller's and stay; from now on the counts are only to be used with the
 * lock. Returns 0 or -errno with the error set.
 */
int sampler_start(struct sampler *sampler, const struct host *host, const char *const *names,
		  size_t length, struct counts *counts, const struct options *options,
		  struct gpmu_error *error);
/* What the hardware has sampled until now is decoded. */
void sampler_stop(struct sampler *sampler);

/*
 * Waits for a sample that ends at or after @time. Returns whether there is one; there can be
 * none any more, or it takes much longer than it should.
 */
bool sampler_wait(struct sampler *sampler, uint64_t time);
/* What was missing since sampler_start() was not to be counted: from now on it is a gap. */
void sampler_begin(struct sampler *sampler);
/* "overflow": a word for programs */
const char *sampler_gap(enum gap gap);
/* Adds a message on what was not sampled since the last one; each second, or @now. */
void sampler_report(struct sampler *sampler, bool now);

#endif /* GPMU_CUPTI_SAMPLING_H */
