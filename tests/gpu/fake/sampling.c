// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A fake of libcupti.so.13: PM sampling. It has no thread: the samples taken, and those still in the buffer, are
 * calculated from the time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cupti.h"

/* The first sample begins at a base time that lies before Start. */
#define EARLY		500000000
#define JUMP		1000000000
#define SYSCLK_MHZ	1800
#define SAMPLE_BYTES	256
#define METRIC_BYTES	64

/* A value of CUpti_PmSampling_HardwareBuffer_AppendMode */
#define KEEP_LATEST	1

static CUpti_PmSampling_Object *objects[FAKE_GPUS];
static CUpti_TimestampCallbackFunc timestamp;

PUBLIC int cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function)
{
	int code = fake_enter(__func__);

	if (!code)
		timestamp = function;
	return code;
}

uint64_t activity_now(void)
{
	return timestamp ? timestamp() : 0;
}

uint64_t activity_late(void)
{
	return fake_now() - UINT64_C(3600) * 1000000000;
}

/* The offset of the time stamps' clock to CLOCK_MONOTONIC_RAW; exactly 0 for that clock itself */
static int64_t ahead(void)
{
	uint64_t before = fake_now(), now, after;
	struct timespec real;

	if (timestamp) {
		now = timestamp();
	} else {
		clock_gettime(CLOCK_REALTIME, &real);
		now = real.tv_sec * UINT64_C(1000000000) + real.tv_nsec;
	}
	after = fake_now();
	return now >= before && now <= after ? 0 : (int64_t)(now - (before + after) / 2);
}

/* Without a registered clock the real one has CLOCK_REALTIME. */
PUBLIC int cuptiGetTimestamp(uint64_t *time)
{
	int code = fake_enter(__func__);

	*time = (uint64_t)((int64_t)fake_now() + ahead());
	return code;
}

/* A process has exclusive use of a GPU while it locks the byte with the GPU's number in the file of lock=. */
static int hold(int gpu)
{
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = gpu, .l_len = 1 };
	int fd = open(fake_options()->lock, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		perror(fake_options()->lock);
		abort();
	}
	if (!fcntl(fd, F_OFD_SETLK, &range))
		return fd;
	close(fd);
	return -1;
}

PUBLIC int cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params *params)
{
	int code = ENTER(params, pPmSamplingObject);
	CUpti_PmSampling_Object *object;
	int gpu, fd = -1;

	if (code)
		return code;
	gpu = cupti_device(__func__, params->deviceIndex);
	code = cupti_check_gpu(gpu);
	if (code)
		return code;
	if (objects[gpu])
		return ERROR_INVALID_OPERATION;
	if (fake_gpu(gpu)->enable_code)
		return fake_gpu(gpu)->enable_code;
	if (fake_gpu(gpu)->support[0])
		return CUPTI_ERROR_NOT_SUPPORTED;
	if (fake_options()->lock[0]) {
		fd = hold(gpu);
		if (fd < 0)
			return CUPTI_ERROR_HARDWARE_BUSY;
	}
	object = calloc(1, sizeof(*object));
	if (!object)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	object->gpu = gpu;
	object->lock = fd;
	objects[gpu] = object;
	params->pPmSamplingObject = object;
	fake_count("sampling", 1);
	return CUPTI_SUCCESS;
}

static int take(const char *function, CUpti_PmSampling_Object *object)
{
	bool is_known = false;

	for (size_t i = 0; i < FAKE_GPUS; i++)
		is_known = is_known || (object && objects[i] == object);
	if (!is_known) {
		fake_violation("%s: no such object", function);
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	if (atomic_flag_test_and_set(&object->in_use)) {
		fake_violation("%s while another thread has the object", function);
		return ERROR_INVALID_OPERATION;
	}
	return CUPTI_SUCCESS;
}

int cupti_release(CUpti_PmSampling_Object *object, int code)
{
	atomic_flag_clear(&object->in_use);
	return code;
}

int cupti_take(const char *function, CUpti_PmSampling_Object *object)
{
	int code = take(function, object);

	if (code || !cupti_check_gpu(object->gpu))
		return code;
	return cupti_release(object, cupti_check_gpu(object->gpu));
}

/* Frees the object whatever the result, also for a vanished GPU or an injected failure. */
PUBLIC int cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params *params)
{
	int fault = ENTER(params, pPmSamplingObject), code, gpu;

	code = take(__func__, params->pPmSamplingObject);
	if (code)
		return code;
	gpu = params->pPmSamplingObject->gpu;
	objects[gpu] = NULL;
	if (params->pPmSamplingObject->lock >= 0)
		close(params->pPmSamplingObject->lock);
	free(params->pPmSamplingObject);
	fake_count("sampling", -1);
	return fault ? fault : cupti_check_gpu(gpu);
}

static int configure(CUpti_PmSampling_Object *object,
			     const CUpti_PmSampling_SetConfig_Params *params)
{
	bool has_time = params->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;

	if (!params->pConfig || params->configSize < sizeof(object->config) ||
	    !params->samplingInterval || !params->hardwareBufferSize)
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(&object->config, params->pConfig, sizeof(object->config));
	if (object->config.magic != CONFIG_MAGIC || object->is_started)
		return ERROR_INVALID_OPERATION;
	if (object->config.passes != 1 ||
	    (has_time && !strcmp(fake_gpu(object->gpu)->chip, "GA100")))
		return CUPTI_ERROR_NOT_SUPPORTED;
	object->interval = has_time ? params->samplingInterval :
				  params->samplingInterval * 1000 / SYSCLK_MHZ;
	object->wants_latest = params->structSize == SIZE_MIN(params, hwBufferAppendMode) &&
			       params->hwBufferAppendMode == KEEP_LATEST;
	object->capacity = params->hardwareBufferSize /
			   (SAMPLE_BYTES + METRIC_BYTES * object->config.length);
	object->is_configured = true;
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params *params)
{
	int code = ENTER(params, triggerMode);

	if (!code)
		code = cupti_take(__func__, params->pPmSamplingObject);
	if (code)
		return code;
	return cupti_release(params->pPmSamplingObject,
			     configure(params->pPmSamplingObject, params));
}

PUBLIC int cuptiPmSamplingStart(CUpti_PmSampling_Start_Params *params)
{
	int code = ENTER(params, pPmSamplingObject);
	CUpti_PmSampling_Object *object;

	if (!code)
		code = cupti_take(__func__, params->pPmSamplingObject);
	if (code)
		return code;
	object = params->pPmSamplingObject;
	if (!object->is_configured || object->is_started)
		return cupti_release(object, ERROR_INVALID_OPERATION);
	object->is_started = true;
	object->is_stopped = false;
	object->start = fake_now();
	object->next = 0;
	fake_count("start", (long)object->start - fake_get("start"));
	return cupti_release(object, CUPTI_SUCCESS);
}

PUBLIC int cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params *params)
{
	int code = ENTER(params, pPmSamplingObject);
	CUpti_PmSampling_Object *object;

	if (!code)
		code = cupti_take(__func__, params->pPmSamplingObject);
	if (code)
		return code;
	object = params->pPmSamplingObject;
	if (!object->is_started)
		return cupti_release(object, ERROR_INVALID_OPERATION);
	object->is_started = false;
	object->is_stopped = true;
	object->stop = fake_now();
	return cupti_release(object, CUPTI_SUCCESS);
}

static uint64_t end_of(const CUpti_PmSampling_Object *object, uint64_t index)
{
	struct fake_sample sample;

	if (fake_replays())
		return fake_replayed(index, &sample) ? object->start + sample.end : UINT64_MAX;
	return object->start + (index + 1) * object->interval;
}

static uint64_t start_of(const CUpti_PmSampling_Object *object, uint64_t index)
{
	struct fake_sample sample;

	if (fake_replays() && fake_replayed(index, &sample))
		return object->start + sample.start;
	return index ? end_of(object, index - 1) : object->start - EARLY;
}

/* The number of samples taken until now */
static uint64_t taken(const CUpti_PmSampling_Object *object)
{
	uint64_t now = object->is_stopped ? object->stop : fake_now() - fake_options()->latency;
	uint64_t count = object->next;

	if (fake_gpu(object->gpu)->is_frozen || (!object->is_started && !object->is_stopped))
		return count;
	if (!fake_replays())
		return now > object->start ? (now - object->start) / object->interval : 0;
	while (end_of(object, count) <= now)
		count++;
	return count;
}

static bool is_in_gap(const CUpti_PmSampling_Object *object, uint64_t index)
{
	const struct fake_options *options = fake_options();
	uint64_t time = end_of(object, index) - object->start;

	return time > options->gap_from && time - options->gap_from < options->gap_length;
}

/* Adds a sample. One without a known time, also the one in progress, starts and ends at the base time. */
static struct data_sample *place_sample(const CUpti_PmSampling_Object *object, struct data_image *image,
					uint64_t index, int64_t offset)
{
	struct data_sample *sample = data_sample_of(image, image->populated++);
	bool is_timeless = index < object->timeless || index == object->next_last;

	if (sample->start || sample->end)
		fake_violation("an image that was not emptied: sample %u", image->populated - 1);
	sample->from = sample->start = start_of(object, index) + offset;
	sample->to = sample->end = end_of(object, index) + offset;
	if (is_timeless)
		sample->start = sample->end = object->start - EARLY + offset;
	if (index + 1 == fake_options()->jump) {
		sample->start += JUMP;
		sample->end += JUMP;
	}
	sample->index = index;
	return sample;
}

static void add_sample(const CUpti_PmSampling_Object *object, struct data_image *image,
		       uint64_t index, int64_t offset)
{
	if (is_in_gap(object, index))
		return;
	place_sample(object, image, index, offset);
	for (size_t i = 0; i < image->length; i++)
		if (fake_is_absent(fake_metric(image->metrics[i]), object->gpu))
			return;
	image->completed = image->populated;
}

static int decode(CUpti_PmSampling_Object *object, struct data_image *image,
			  CUpti_PmSampling_DecodeData_Params *params)
{
	uint64_t capacity = fake_options()->hardware ? fake_options()->hardware : object->capacity;
	uint64_t stall = fake_stall(), last = taken(object);
	int64_t offset = ahead();
	int code = CUPTI_SUCCESS;

	if (stall) {
		nanosleep(&(struct timespec){ .tv_nsec = (long)stall }, NULL);
		last = taken(object);
	}
	params->overflow = 0;
	params->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER;
	if (last - object->next > capacity)
		fake_set("hardware=0");
	if (last - object->next > capacity && !object->wants_latest)
		object->has_overflowed = true;
	if (object->has_overflowed) {
		params->overflow = 1;
		return CUPTI_ERROR_OUT_OF_MEMORY;
	}
	if (last - object->next > capacity) {
		object->next = last - capacity;
		code = CUPTI_ERROR_UNKNOWN;
	}
	object->next_last = last;
	for (; object->next < last && image->populated < image->max; object->next++)
		add_sample(object, image, object->next, offset);
	if (object->next < last)
		params->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
	else if (object->is_stopped)
		params->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
	/* The sample in progress is there without its time, and again in the next image. */
	if (object->next == last && image->populated < image->max)
		place_sample(object, image, last, offset);
	if (!fake_options()->forget)
		object->next = last;
	else if (object->next < last)
		object->timeless = last;
	return code;
}

PUBLIC int cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params *params)
{
	int code = ENTER(params, overflow);
	CUpti_PmSampling_Object *object;
	struct data_image *image;

	if (!code)
		code = cupti_take(__func__, params->pPmSamplingObject);
	if (code)
		return code;
	object = params->pPmSamplingObject;
	image = data_image_of(params->pCounterDataImage, params->counterDataImageSize);
	if (!object->is_configured)
		code = ERROR_INVALID_OPERATION;
	else if (!image)
		code = CUPTI_ERROR_INVALID_PARAMETER;
	else
		code = decode(object, image, params);
	return cupti_release(object, code);
}
