/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metrics of a chip, by CUPTI's Profiler Host API in its mode for PM sampling: what
 * there is, how it is configured, and how an image of counters becomes values. None of it
 * needs a GPU.
 */
#ifndef GPMU_CUPTI_HOST_H
#define GPMU_CUPTI_HOST_H

#include "cupti_library.h"

/*
 * CUPTI makes its objects and configurations for one thread at a time; objects of different
 * threads can evaluate at the same time. The functions below take this lock.
 */
void host_lock(void);
void host_unlock(void);

struct host_metric {
	char *name;		/* without rollup: "dram__bytes_read" */
	int type;		/* CUPTI_METRIC_TYPE_... */
	char *description;
	char *hw_unit;		/* "dram" */
	char *unit;		/* "byte" */
};

struct host {
	const struct library *library;
	char *chip;
	CUpti_Profiler_Host_Object *object;
	struct host_metric *metrics;	/* counters, ratios, throughputs, each by name */
	size_t length;
};

/*
 * Returns 0 or -errno with the error set; -EINVAL: CUPTI does not know the chip,
 * -ENODEV: or has no PM sampling of it.
 */
int host_new(const struct library *library, const char *chip, struct host **host,
	     struct gpmu_error *error);
void host_free(struct host *host);

/* Names of the chips that CUPTI knows; they are CUPTI's. Returns their number. */
size_t host_chips(const struct library *library, const char *const **names);

/* CUPTI's word for a type: "counter"; "counter" has ".sum" as its natural suffix */
const char *host_type(int type);

/*
 * The metric of a full name, "dram__bytes_read.sum", whose suffix is then at *suffix; NULL:
 * there is none, or it has no such suffix.
 */
const struct host_metric *host_find(const struct host *host, const char *name,
				    const char **suffix);
/*
 * The suffixes of a metric, ".sum" and others, which are CUPTI's and valid until the next
 * call. Returns their number, 0 if it fails.
 */
size_t host_suffixes(const struct host *host, const struct host_metric *metric,
		     const char *const **suffixes);

/* A configuration of metrics, each once */
struct host_config {
	uint8_t *image;
	size_t size;
	size_t passes;
};

/* Returns 0 or -errno with the error set; host_config_release() in any case. */
int host_configure(const struct host *host, const char *const *names, size_t length,
		   struct host_config *config, struct gpmu_error *error);
void host_config_release(struct host_config *config);

/*
 * The smallest set of metrics without which the others fit in one pass: sets drop[i] of
 * each of it. Of several as small that whose metrics are the last ones; where there are very
 * many, a small one. Returns its size, or -errno with the error set.
 */
int host_drop(const struct host *host, const char *const *names, size_t length, bool *drop,
	      struct gpmu_error *error);

/*
 * What makes values of images: each thread one of its own. The names are the caller's and
 * stay.
 */
struct evaluator {
	const struct library *library;
	CUpti_Profiler_Host_Object *object;
	const char **names;
	size_t length;
};

int evaluator_init(struct evaluator *evaluator, const struct host *host,
		   const char *const *names, size_t length, struct gpmu_error *error);
void evaluator_release(struct evaluator *evaluator);
/*
 * The values of the sample @index, which has to be below those that the image has: CUPTI
 * does not look. A metric whose unit the GPU lacks is not a number. Returns a CUptiResult.
 */
int evaluator_values(const struct evaluator *evaluator, const uint8_t *image, size_t size,
		     size_t index, double *values);
/* How many samples an image has; a CUptiResult */
int host_samples(const struct library *library, const uint8_t *image, size_t size, size_t *samples);

#endif /* GPMU_CUPTI_HOST_H */
