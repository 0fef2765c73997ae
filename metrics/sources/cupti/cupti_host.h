/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metrics of a chip by CUPTI's Profiler Host API for PM sampling: the list of metrics, configurations, and the
 * evaluation of counter images. Nothing here needs a GPU.
 */
#ifndef GPMU_CUPTI_HOST_H
#define GPMU_CUPTI_HOST_H

#include "library/cupti_library.h"

/*
 * CUPTI makes objects and configurations in one thread at a time; different objects can evaluate in several threads at
 * once. The functions below take this lock.
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
	int type;		/* CUPTI_PROFILER_TYPE_PM_SAMPLING, unless only host_configure() and host_describe() use it */
	CUpti_Profiler_Host_Object *object;
	struct host_metric *metrics;	/* counters, ratios, then throughputs, each sorted by name */
	size_t length;
};

/*
 * Returns 0 or -errno with the error set: -EINVAL if CUPTI does not know the chip, -ENODEV if it has no PM sampling for
 * the chip.
 */
int host_new(const struct library *library, const char *chip, struct host **host,
	     struct gpmu_error *error);
void host_free(struct host *host);

/*
 * Makes an object for a chip. @type: CUPTI_PROFILER_TYPE_... Returns CUPTI's result; @object is then NULL unless it is
 * 0.
 */
int host_object_new(const struct library *library, int type, const char *chip, CUpti_Profiler_Host_Object **object);
/* NULL is allowed. */
void host_object_free(const struct library *library, CUpti_Profiler_Host_Object *object);

/* Names of the chips that CUPTI supports, owned by CUPTI. Returns their number. */
size_t host_chips(const struct library *library, const char *const **names);

/* The name of a metric type: "counter", whose natural suffix is ".sum" */
const char *host_type(int type);

/*
 * The metric of a full name, "dram__bytes_read.sum"; *@suffix then points to the suffix. NULL if the metric or its
 * suffix is unknown.
 */
const struct host_metric *host_find(const struct host *host, const char *name,
				    const char **suffix);
/*
 * The suffixes of a metric, ".sum" and others, owned by CUPTI and valid until the next call. Returns their number, 0 on
 * failure.
 */
size_t host_suffixes(const struct host *host, const struct host_metric *metric,
		     const char *const **suffixes);

/* The suffix of a full name, of a metric of any profiler; NULL: it has none */
const char *host_suffix(const char *name);
/*
 * Describes metrics of full names for host->type, also those that host->metrics lacks. Returns as many elements, which the
 * caller frees by host_metrics_free(), or NULL: no memory, or CUPTI refused.
 */
struct host_metric *host_describe(const struct host *host, const char *const *names, size_t length);
/* NULL is allowed. */
void host_metrics_free(struct host_metric *metrics, size_t length);

/* A configuration for a set of metrics */
struct host_config {
	uint8_t *image;
	size_t size;
	size_t passes;
};

/* Returns 0 or -errno with the error set. The caller calls host_config_release() in any case. */
int host_configure(const struct host *host, const char *const *names, size_t length,
		   struct host_config *config, struct gpmu_error *error);
void host_config_release(struct host_config *config);

/*
 * Finds the smallest set of metrics without which the others fit into one pass, and sets @is_dropped for each of it. Of
 * several such sets it takes the one with the last metrics; with too many combinations it takes a small set. Returns the
 * size of the set, or -errno with the error set.
 */
int host_drop(const struct host *host, const char *const *names, size_t length, bool *is_dropped,
	      struct gpmu_error *error);

/*
 * Evaluates images; each thread has its own. The caller owns the names, which must outlive it.
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
 * The values of the sample @index, which the caller has checked, as CUPTI does not. A metric whose unit the GPU lacks is
 * NaN. Returns a CUptiResult.
 */
int evaluator_values(const struct evaluator *evaluator, const uint8_t *image, size_t size,
		     size_t index, double *values);
/* The number of samples in an image. Returns a CUptiResult. */
int host_samples(const struct library *library, const uint8_t *image, size_t size, size_t *samples);

#endif /* GPMU_CUPTI_HOST_H */
