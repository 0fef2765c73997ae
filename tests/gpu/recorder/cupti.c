// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The recorder's libcupti.so.13. Each sample has one line, written once its times and values are known. Calls without
 * information, such as decoding an empty buffer, have no line.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library/cupti_api.h"
#include "record.h"

#define GPUS	16
#define SAMPLES	65536
#define TEXT	12000
/* Most lines of properties: a list of all metrics would fill the recording. */
#define PROPERTIES	20

#define FUNCTION(member, symbol, ...) F_##symbol,
enum function { CUPTI_HOST_FUNCTIONS(FUNCTION) CUPTI_SAMPLING_FUNCTIONS(FUNCTION) FUNCTIONS };

static const char *const names[] = {
#define NAME(member, symbol, ...) #symbol,
	CUPTI_HOST_FUNCTIONS(NAME) CUPTI_SAMPLING_FUNCTIONS(NAME)
};

static void *reals[FUNCTIONS];

static void *real_of(enum function function)
{
	if (!reals[function])
		reals[function] = record_real("libcupti.so.13", names[function]);
	return reals[function];
}

static struct device {
	CUpti_PmSampling_Object *object;
	size_t index;
	const uint8_t *image;	/* of the last decoding */
	uint64_t end;		/* of the previous sample */
	struct times {
		int64_t start, length;
	} times[SAMPLES];	/* of this image */
} devices[GPUS];

static struct device *device_of(CUpti_PmSampling_Object *object)
{
	size_t i = 0;

	while (i < GPUS - 1 && devices[i].object && devices[i].object != object)
		i++;
	devices[i].object = object;
	return &devices[i];
}

static struct device *device_of_image(const uint8_t *image)
{
	size_t i = 0;

	while (i < GPUS - 1 && devices[i].image != image)
		i++;
	return &devices[i];
}

static void join(char *text, size_t size, const char *const *list, size_t length)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < length && used < size; i++)
		used += snprintf(text + used, size - used, "\t%s", list[i]);
}

/* CALL: calls the real function; declares its result and the time before the call */
#define CALL(symbol, params) \
	uint64_t now = record_now(); \
	int (*real)(typeof((params))) = (int (*)(typeof((params))))real_of(F_##symbol); \
	int result = real ? real(params) : CUPTI_ERROR_UNKNOWN

#define PLAIN(symbol, type) \
PUBLIC int symbol(typeof(type) *params) \
{ \
	CALL(symbol, params); \
\
	record_call(now, __func__, result, "%s", ""); \
	return result; \
}

PLAIN(cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params)
PLAIN(cuptiProfilerHostGetSupportedChips, CUpti_Profiler_Host_GetSupportedChips_Params)
PLAIN(cuptiProfilerHostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params)
PLAIN(cuptiProfilerHostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params)
PLAIN(cuptiProfilerHostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params)
PLAIN(cuptiPmSamplingStop, CUpti_PmSampling_Stop_Params)
PLAIN(cuptiPmSamplingDisable, CUpti_PmSampling_Disable_Params)

PUBLIC int cuptiGetVersion(uint32_t *version)
{
	CALL(cuptiGetVersion, version);

	record_call(now, __func__, result, "\tvalue=%u", *version);
	return result;
}

PUBLIC int cuptiGetResultString(int code, const char **text)
{
	int (*real)(int, const char **) = (int (*)(int, const char **))real_of(F_cuptiGetResultString);

	return real ? real(code, text) : CUPTI_ERROR_UNKNOWN;
}

PUBLIC int cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback)
{
	CALL(cuptiActivityRegisterTimestampCallback, callback);

	record_call(now, __func__, result, "%s", "");
	return result;
}

PUBLIC int cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *params)
{
	CALL(cuptiProfilerHostInitialize, params);

	record_call(now, __func__, result, "\tchip=%s\timage=%d", params->pChipName,
		    params->pCounterAvailabilityImage != NULL);
	return result;
}

PUBLIC int cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params *params)
{
	CALL(cuptiProfilerHostGetBaseMetrics, params);

	record_call(now, __func__, result, "\ttype=%d\tvalue=%zu", params->metricType,
		    params->numMetrics);
	return result;
}

PUBLIC int cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params *params)
{
	static int lines;
	CALL(cuptiProfilerHostGetSubMetrics, params);

	if (lines++ < PROPERTIES || result)
		record_call(now, __func__, result, "\tmetric=%s\tvalue=%zu", params->pMetricName,
			    result ? 0 : params->numOfSubmetrics);
	return result;
}

PUBLIC int cuptiProfilerHostGetMetricProperties(
	CUpti_Profiler_Host_GetMetricProperties_Params *params)
{
	static int lines;
	CALL(cuptiProfilerHostGetMetricProperties, params);

	if (result)
		record_call(now, __func__, result, "\tmetric=%s", params->pMetricName);
	else if (lines++ < PROPERTIES)
		record_call(now, __func__, result, "\tmetric=%s\tunit=%s\tdim=%s\ttype=%d",
			    params->pMetricName, params->pHwUnit, params->pDimUnit,
			    params->metricType);
	return result;
}

PUBLIC int cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
	char text[TEXT];
	CALL(cuptiProfilerHostConfigAddMetrics, params);

	join(text, sizeof(text), params->ppMetricNames, params->numMetrics);
	record_call(now, __func__, result, "%s", text);
	return result;
}

PUBLIC int cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *params)
{
	CALL(cuptiProfilerHostGetNumOfPasses, params);

	record_call(now, __func__, result, "\tvalue=%zu\tbytes=%zu", params->numOfPasses,
		    params->configImageSize);
	return result;
}

PUBLIC int cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params)
{
	CALL(cuptiDeviceGetChipName, params);

	record_call(now, __func__, result, "\tdevice=%zu\tchip=%s", params->deviceIndex,
		    result ? "" : params->pChipName);
	return result;
}

PUBLIC int cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *params)
{
	CALL(cuptiProfilerDeviceSupported, params);

	record_call(now, __func__, result,
		    "\tdevice=%d\tsupported=%d\tarchitecture=%d\tsli=%d\tvgpu=%d\tcc=%d\tcmp=%d\twsl=%d",
		    params->cuDevice, params->isSupported, params->architecture, params->sli,
		    params->vGpu, params->confidentialCompute, params->cmp, params->wsl);
	return result;
}

PUBLIC int cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params *params)
{
	CALL(cuptiPmSamplingEnable, params);

	if (!result)
		device_of(params->pPmSamplingObject)->index = params->deviceIndex;
	record_call(now, __func__, result, "\tdevice=%zu", params->deviceIndex);
	return result;
}

PUBLIC int cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params *params)
{
	CALL(cuptiPmSamplingSetConfig, params);

	record_call(now, __func__, result, "\tinterval=%lu\ttrigger=%d\tbuffer=%zu\tbytes=%zu",
		    params->samplingInterval, params->triggerMode, params->hardwareBufferSize,
		    params->configSize);
	return result;
}

/* Later samples have the values of these metrics. */
PUBLIC int cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params *params)
{
	char text[TEXT];
	CALL(cuptiPmSamplingGetCounterDataSize, params);

	record_call(now, __func__, result, "\tsamples=%u\tbytes=%zu", params->maxSamples,
		    params->counterDataSize);
	join(text, sizeof(text), params->pMetricNames, params->numMetrics);
	record_call(now, "metrics", 0, "%s", text);
	return result;
}

PUBLIC int cuptiPmSamplingStart(CUpti_PmSampling_Start_Params *params)
{
	CALL(cuptiPmSamplingStart, params);
	struct device *device = device_of(params->pPmSamplingObject);

	device->end = now;
	record_call(now, __func__, result, "\tdevice=%zu", device->index);
	return result;
}

PUBLIC int cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params *params)
{
	CALL(cuptiPmSamplingDecodeData, params);

	device_of(params->pPmSamplingObject)->image = params->pCounterDataImage;
	if (result || params->overflow ||
	    params->decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS)
		record_call(now, __func__, result, "\treason=%d\toverflow=%d\tns=%lu",
			    params->decodeStopReason, params->overflow, record_now() - now);
	return result;
}

PUBLIC int cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params *params)
{
	CALL(cuptiPmSamplingGetCounterDataInfo, params);

	if (result || params->numPopulatedSamples)
		record_call(now, __func__, result, "\tpopulated=%zu\tcompleted=%zu",
			    params->numPopulatedSamples, params->numCompletedSamples);
	return result;
}

PUBLIC int cuptiPmSamplingCounterDataImageInitialize(
	CUpti_PmSampling_CounterDataImage_Initialize_Params *params)
{
	CALL(cuptiPmSamplingCounterDataImageInitialize, params);

	if (result)
		record_call(now, __func__, result, "%s", "");
	return result;
}

PUBLIC int cuptiPmSamplingCounterDataGetSampleInfo(
	CUpti_PmSampling_CounterData_GetSampleInfo_Params *params)
{
	struct device *device = device_of(params->pPmSamplingObject);
	CALL(cuptiPmSamplingCounterDataGetSampleInfo, params);

	if (result) {
		record_call(now, __func__, result, "\tindex=%zu", params->sampleIndex);
		return result;
	}
	device->times[params->sampleIndex % SAMPLES] = (struct times){
		.start = (int64_t)(params->startTimestamp - device->end),
		.length = (int64_t)(params->endTimestamp - params->startTimestamp),
	};
	device->end = params->endTimestamp;
	return result;
}

PUBLIC int cuptiProfilerHostEvaluateToGpuValues(
	CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
	struct device *device = device_of_image(params->pCounterDataImage);
	const struct times *times = &device->times[params->rangeIndex % SAMPLES];
	char text[TEXT];
	int used;
	CALL(cuptiProfilerHostEvaluateToGpuValues, params);

	if (result) {
		record_call(now, __func__, result, "\tindex=%zu", params->rangeIndex);
		return result;
	}
	used = snprintf(text, sizeof(text), "sample\t%zu\t%ld\t%ld", device->index, times->start,
			times->length);
	for (size_t i = 0; i < params->numMetrics && used < TEXT - 64; i++)
		used += snprintf(text + used, sizeof(text) - used, "\t%.*g",
				 params->pMetricValues[i] == rint(params->pMetricValues[i]) ? 17 : 9,
				 params->pMetricValues[i]);
	snprintf(text + used, sizeof(text) - used, "\n");
	record_line(text);
	return result;
}
