/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of the fake of libcupti.so.13 */
#ifndef GPMU_TESTS_GPU_FAKE_CUPTI_H
#define GPMU_TESTS_GPU_FAKE_CUPTI_H

#include <stdatomic.h>

#include "cupti_api.h"
#include "fake.h"

#define PUBLIC	__attribute__((visibility("default")))

/* What the plugin does not tell apart */
#define ERROR_INVALID_DEVICE		2
#define ERROR_INVALID_OPERATION		7
#define ERROR_INVALID_METRIC_NAME	17

/* A structure of parameters ends with its last member, without padding */
#define LEAST(params, last)	(offsetof(typeof(*(params)), last) + sizeof(typeof((params)->last)))
#define ENTER(params, last)	cupti_enter(__func__, params, LEAST(params, last), sizeof(*(params)))

/* A call with parameters: 0, the code that it is to return, or that they are bad */
int cupti_enter(const char *function, const void *params, size_t least, size_t most);
/* The GPU of a device, or -1; a call before cuInit() would crash */
int cupti_device(const char *function, size_t device);
/* What a call of it returns */
int cupti_check_gpu(int gpu);

#define IMAGE_METRICS	300

/* A configuration image */
struct config_image {
	uint64_t magic;
	uint32_t passes, length;
	uint16_t metrics[IMAGE_METRICS];
};

/* A counter-data image; samples begin behind it, each of bytes_per_sample */
struct data_image {
	uint64_t magic;
	uint32_t most, populated, completed;
	uint32_t bytes, gpu, length;
	uint16_t metrics[IMAGE_METRICS];
};

struct data_sample {
	uint64_t start, end;	/* that are said */
	uint64_t from, to;	/* that it has counted */
	uint64_t index;
};

struct CUpti_PmSampling_Object {
	int gpu;
	int lock;		/* descriptor that locks the GPU against other processes; -1: none */
	bool configured, started, stopped;
	bool overflowed;	/* KEEP_OLDEST: no sample comes any more */
	struct config_image config;
	bool keep_latest;
	uint64_t interval, capacity;
	uint64_t start, stop;	/* CLOCK_MONOTONIC_RAW */
	uint64_t next;		/* sample to be decoded */
	uint64_t next_last;	/* that goes on while it is decoded */
	uint64_t timeless;	/* those before it have no time any more */
	struct data_image image;	/* that was asked for last */
	atomic_flag in_use;
};

#define CONFIG_MAGIC	UINT64_C(0x6769666e6f636b66)
#define DATA_MAGIC	UINT64_C(0x61746164656b6166)

/* Has the object for this call; the real one crashes where two threads have it, or it is not there */
int cupti_take(const char *function, CUpti_PmSampling_Object *object);
/* Ends that; returns what the call does */
int cupti_release(CUpti_PmSampling_Object *object, int code);

/* The time by the clock that was registered; 0: none was. Also activities have it */
uint64_t activity_now(void);

/* The image that a pointer is, or NULL */
struct data_image *data_image_of(const uint8_t *image, size_t size);
struct data_sample *data_sample_of(const struct data_image *image, size_t index);

#endif /* GPMU_TESTS_GPU_FAKE_CUPTI_H */
