/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PM sampling of one GPU, device-wide. A thread decodes the hardware's samples into an image of CUPTI, evaluates the
 * image and adds the values to the counts. If samples come faster than one thread can handle, it only decodes, into one
 * of several images, and workers evaluate them. Sampling recovers from overflows of the hardware's buffer and of CUPTI's
 * image; the time without samples is known.
 */
#ifndef GPMU_CUPTI_SAMPLING_H
#define GPMU_CUPTI_SAMPLING_H

#include <pthread.h>

#include "cupti_counts.h"
#include "cupti_gpus.h"
#include "cupti_host.h"
#include "cupti_image.h"
#include "cupti_options.h"

/* The reason for a time without samples */
enum gap {
	GAP_NONE,		/* unknown */
	GAP_OVERFLOW,		/* the hardware's buffer was full */
	GAP_IMAGE,		/* CUPTI's image was full: decoding came too late */
	GAP_ERROR,		/* CUPTI failed */
	GAP_MEMORY,
	GAPS
};

struct sampler {
	const struct library *library;
	const struct gpu *gpu;
	struct messages *messages;
	struct trouble trouble;		/* the reason why sampling could not begin */
	struct saver *saver;		/* NULL: samples are not saved */

	/* Constant while the sampler runs */
	struct host_config config;
	const char *const *names;	/* of metrics */
	size_t length;
	uint64_t interval;		/* ns or cycles, by the trigger */
	uint64_t period;		/* the interval in ns; approximate for cycles */
	enum trigger trigger;
	size_t buffer;
	uint32_t image_samples;
	size_t sample_bytes;		/* of the image for a sample, or a little less */
	uint32_t saver_run;
	size_t threads;			/* workers; 0: the decoder evaluates */
	struct worker {
		struct sampler *sampler;
		struct evaluator evaluator;
		pthread_t thread;
	} *workers;
	size_t workers_len;		/* evaluators with a thread; 0: the decoder's only */

	/* Used by the decoder alone once it runs */
	CUpti_PmSampling_Object *object;
	uint64_t nap;			/* ns of its sleep */
	uint8_t *empty;			/* an image without samples */
	size_t image_size;
	size_t batch;			/* samples of the last decoding */
	bool is_skipped;		/* the next sample has a wrong start */
	enum gap reason;		/* for samples that are missing before the next one */

	pthread_t thread;
	bool is_running;		/* the thread runs */

	pthread_mutex_t lock;		/* protects all members below */
	pthread_cond_t wake;		/* the decoder */
	pthread_cond_t work;		/* the workers */
	pthread_cond_t freed;		/* an image */
	pthread_cond_t decoded;		/* threads that wait for samples */
	struct image {
		uint8_t *bytes;
		struct sample_time *times;
		double *values;
		size_t samples;
		size_t decoded;		/* samples decoded into it; they may have no values yet */
		uint64_t number;	/* position in the order of time */
		bool is_skipped;	/* its first sample */
		bool is_full;		/* its last sample is complete */
		enum gap reason;	/* before it */
		enum image_state {
			IMAGE_FREE, IMAGE_DECODED, IMAGE_BUSY, IMAGE_VALUED
		} state;
	} *images;
	size_t images_len;
	bool is_dense;			/* samples are known to be contiguous in memory */
	uint64_t submitted, taken;	/* images */
	enum gap missing;		/* the reason for samples missing before the next one */
	int errors;			/* consecutive, without a sample between them */
	int failure;			/* CUptiResult of a worker */
	bool wants_stop, wants_finish;	/* the decoder, the workers */
	uint64_t wanted;		/* a reader waits for the samples of this time; 0: nobody waits */
	bool has_begun;			/* missing samples are gaps: sampler_begin() */
	bool is_dead;			/* the GPU or its profiler is lost */
	struct counts *counts;
	uint64_t samples;		/* in all */
	time_t reported;		/* s, time of the last report of gaps; not under the lock */
	struct gaps {
		uint64_t number, length;	/* number and total ns */
		uint64_t reported_number, reported_length;
	} gaps[GAPS];
};

void sampler_init(struct sampler *sampler, const struct library *library, const struct gpu *gpu,
		  struct messages *messages);
void sampler_release(struct sampler *sampler);

/*
 * Samples for a moment to find out whether the GPU's profiler is free: CUPTI reports another holder only when sampling is
 * configured or begins. Returns 0 or -errno with the error set.
 */
int sampler_try(struct sampler *sampler, const struct host *host, const struct options *options,
		struct gpmu_error *error);

/*
 * Begins to sample metrics by the options into @counts, which has @length events. The caller owns the names and counts,
 * which must outlive the sampler; from now on the counts may only be used under the lock. Returns 0 or -errno with the
 * error set.
 */
int sampler_start(struct sampler *sampler, const struct host *host, const char *const *names,
		  size_t length, struct counts *counts, const struct options *options,
		  struct gpmu_error *error);
/* Ends sampling and decodes the samples taken until now */
void sampler_stop(struct sampler *sampler);

/*
 * Waits for a sample that ends at or after @time. Returns whether it came: sampling may have ended, or the sample may take
 * far too long.
 */
bool sampler_wait(struct sampler *sampler, uint64_t time);
/* From now on missing samples are gaps; those before were not to be counted. */
void sampler_begin(struct sampler *sampler);
/* The name of a reason for programs: "overflow" */
const char *sampler_gap(enum gap gap);
/* Adds a message on the gaps since the last report; once a second, or immediately if @is_due is set */
void sampler_report(struct sampler *sampler, bool is_due);

#endif /* GPMU_CUPTI_SAMPLING_H */
