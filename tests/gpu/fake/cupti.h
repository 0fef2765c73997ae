/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of the fake of libcupti.so.13 */
#ifndef GPMU_TESTS_GPU_FAKE_CUPTI_H
#define GPMU_TESTS_GPU_FAKE_CUPTI_H

#include <stdatomic.h>

#include "fake.h"
#include "library/cupti_api.h"

#define PUBLIC	__attribute__((visibility("default")))

/* Results that the plugin does not distinguish */
#define ERROR_INVALID_DEVICE		2
#define ERROR_INVALID_OPERATION		7
#define ERROR_INVALID_METRIC_NAME	17

/* The size of a parameter structure ends with its last member, without padding */
#define SIZE_MIN(params, last)	(offsetof(typeof(*(params)), last) + sizeof(typeof((params)->last)))
#define ENTER(params, last)	cupti_enter(__func__, params, SIZE_MIN(params, last), sizeof(*(params)))

/* Enters a call with parameters: returns 0, the code that the call has to return, or an error for bad parameters */
int cupti_enter(const char *function, const void *params, size_t min, size_t max);
/* The GPU of a device, or -1; a call before cuInit() is a violation, as the real one crashes */
int cupti_device(const char *function, size_t device);
/* The result of calls for a GPU */
int cupti_check_gpu(int gpu);

#define IMAGE_METRICS	300

/* A configuration image */
struct config_image {
	uint64_t magic;
	uint32_t passes, length;
	uint16_t metrics[IMAGE_METRICS];
};

/* A counter-data image, followed by its samples of @bytes each */
struct data_image {
	uint64_t magic;
	uint32_t max, populated, completed;
	uint32_t bytes, gpu, length;
	uint16_t metrics[IMAGE_METRICS];
};

struct data_sample {
	uint64_t start, end;	/* reported times */
	uint64_t from, to;	/* times between which it counted */
	uint64_t index;
};

struct CUpti_PmSampling_Object {
	int gpu;
	int lock;		/* descriptor that locks the GPU against other processes; -1: none */
	bool is_configured, is_started, is_stopped;
	bool has_overflowed;	/* KEEP_OLDEST: no further samples */
	struct config_image config;
	bool wants_latest;
	uint64_t interval, capacity;
	uint64_t start, stop;	/* CLOCK_MONOTONIC_RAW */
	uint64_t next;		/* next sample to decode */
	uint64_t next_last;	/* sample in progress at the last decoding */
	uint64_t timeless;	/* earlier samples have lost their times */
	struct data_image image;	/* of the last GetCounterDataSize */
	atomic_flag in_use;
};

#define CONFIG_MAGIC	UINT64_C(0x6769666e6f636b66)
#define DATA_MAGIC	UINT64_C(0x61746164656b6166)

/* Takes the object for a call. The real library crashes if two threads use it or if it does not exist. */
int cupti_take(const char *function, CUpti_PmSampling_Object *object);
/* Releases the object; returns @code */
int cupti_release(CUpti_PmSampling_Object *object, int code);

/* The time by the registered clock, also used for activities; 0 if none is registered */
uint64_t activity_now(void);

/* The image at a pointer, or NULL if it is none */
struct data_image *data_image_of(const uint8_t *image, size_t size);
struct data_sample *data_sample_of(const struct data_image *image, size_t index);

#endif /* GPMU_TESTS_GPU_FAKE_CUPTI_H */
