// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the behaviour of NVIDIA's libraries that the fakes imitate. It calls the libraries without the plugin; with
 * GPMU_TEST_REAL=1 it shows whether a real GPU behaves so. Results that nothing depends on are only printed.
 */
#include <math.h>
#include <stdatomic.h>

#include "contract.h"
#include "library/cupti_api.h"

#define INVALID_OPERATION	7
#define INVALID_METRIC_NAME	17
#define KEEP_OLDEST		0
#define KEEP_LATEST		1
#define FAST			20000	/* ns */
#define SMALL			(1u << 20)
#define LARGE			(64u << 20)

static struct cuda_api cuda;
static struct cupti_api cupti;

static const char usual[] = "/usr/local/cuda/lib64:/usr/local/cuda/extras/CUPTI/lib64:"
			    "/usr/local/cuda/targets/x86_64-linux/lib:/usr/local/cuda/targets/sbsa-linux/lib";

static void *open_library(const char *name)
{
	const char *folder = is_real() ? usual : FAKE;
	char path[512];
	void *handle = NULL;

	for (; folder && !handle; folder = strchr(folder, ':'), folder += folder != NULL) {
		snprintf(path, sizeof(path), "%.*s/libnvperf_host.so", (int)strcspn(folder, ":"), folder);
		dlopen(path, RTLD_NOW | RTLD_LOCAL);
		snprintf(path, sizeof(path), "%.*s/%s", (int)strcspn(folder, ":"), folder, name);
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return handle ? handle : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static void open_libraries(void)
{
	void *driver = open_library("libcuda.so.1"), *profiler = open_library("libcupti.so.13");

	if (!profiler) {
		ok(false, "libcupti.so.13 can be loaded");
		exit(1);
	}
#define GET(member, symbol, ...)	*(void **)&table->member = dlsym(handle, #symbol);
	if (driver) {
		struct cuda_api *table = &cuda;
		void *handle = driver;

		CUDA_FUNCTIONS(GET)
	}
	{
		struct cupti_api *table = &cupti;
		void *handle = profiler;

		CUPTI_HOST_FUNCTIONS(GET)
		CUPTI_SAMPLING_FUNCTIONS(GET)
	}
}

/* A structure of parameters with its size */
#define PARAMS(type, last, ...)	\
	(type){ .structSize = offsetof(type, last) + sizeof(typeof(((type *)NULL)->last)), __VA_ARGS__ }

static int start_profiler(void)
{
	CUpti_Profiler_Initialize_Params params = PARAMS(CUpti_Profiler_Initialize_Params, pPriv);

	return cupti.profiler(&params);
}

static CUpti_Profiler_Host_Object *new_host(const char *chip, int *result)
{
	CUpti_Profiler_Host_Initialize_Params params =
		PARAMS(CUpti_Profiler_Host_Initialize_Params, pHostObject,
		       .profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING, .pChipName = chip);

	*result = cupti.initialize(&params);
	return params.pHostObject;
}

static void free_host(CUpti_Profiler_Host_Object *host)
{
	CUpti_Profiler_Host_Deinitialize_Params params =
		PARAMS(CUpti_Profiler_Host_Deinitialize_Params, pHostObject, .pHostObject = host);

	cupti.deinitialize(&params);
}

static int add_metrics(CUpti_Profiler_Host_Object *host, const char **names, size_t length)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params params =
		PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics, .pHostObject = host,
		       .ppMetricNames = names, .numMetrics = length);

	return cupti.add_metrics(&params);
}

/* Makes a configuration image; returns its size, or 0 on failure */
static size_t config_of(CUpti_Profiler_Host_Object *host, uint8_t **image)
{
	CUpti_Profiler_Host_GetConfigImageSize_Params size =
		PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize, .pHostObject = host);
	CUpti_Profiler_Host_GetConfigImage_Params get =
		PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage, .pHostObject = host);

	if (cupti.config_size(&size))
		return 0;
	get.configImageSize = size.configImageSize;
	*image = get.pConfigImage = calloc(1, size.configImageSize);
	if (!cupti.config(&get))
		return get.configImageSize;
	free(*image);
	return 0;
}

static size_t passes_of(uint8_t *image, size_t size)
{
	CUpti_Profiler_Host_GetNumOfPasses_Params params =
		PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses, .configImageSize = size,
		       .pConfigImage = image);

	return cupti.passes(&params) ? 0 : params.numOfPasses;
}

static size_t passes(const char *const *names, bool is_single)
{
	int result;
	CUpti_Profiler_Host_Object *host = new_host("GH100", &result);
	size_t length = 0, size, found = 0;
	uint8_t *image;

	while (names[length])
		length++;
	if (is_single)
		for (size_t i = 0; i < length; i++)
			add_metrics(host, (const char **)&names[i], 1);
	else
		add_metrics(host, (const char **)names, length);
	size = config_of(host, &image);
	if (size) {
		found = passes_of(image, size);
		free(image);
	}
	free_host(host);
	return found;
}

static void test_host(void)
{
	static const char *good[] = { READ }, *unknown[] = { READ, "nosuch.sum" };
	static const char *bare[] = { "dram__bytes_read" };
	CUpti_Profiler_Host_Object *host;
	int result;
	uint8_t *image;

	open_libraries();
	new_host("gh100", &result);
	is_u64(result, CUPTI_ERROR_INVALID_CHIP_NAME, "names of chips are case-sensitive");
	host = new_host("GH100", &result);
	is_u64(result, 0, "the Host API needs no driver");
	is_u64(add_metrics(host, unknown, 2), CUPTI_ERROR_INVALID_PARAMETER, "AddMetrics refuses an unknown metric");
	is_u64(add_metrics(host, good, 1), CUPTI_ERROR_UNKNOWN, "an unknown metric makes the object unusable");
	free_host(host);
	host = new_host("GH100", &result);
	is_u64(add_metrics(host, bare, 1), CUPTI_ERROR_INVALID_PARAMETER, "AddMetrics refuses a metric without its suffix");
	free_host(host);
	host = new_host("GH100", &result);
	ok(!config_of(host, &image), "an object without metrics has no configuration");
	free_host(host);
	is_u64(passes(NAMES(READ, READ), false), 1, "a metric that is added twice takes one pass");
	is_u64(passes(NAMES(READ, WRITE, ACTIVE, "pcie__read_bytes.sum"), false), 1, "metrics added by one call share a pass");
	is_u64(passes(NAMES(READ, WRITE, ACTIVE, "pcie__read_bytes.sum"), true), 4, "metrics added one by one take a pass each");
	is_u64(passes(NAMES("sm__inst_executed.sum", "l1tex__t_bytes.sum"), false), 2, "two metrics without a common pass take two");
}

static void test_properties(void)
{
	CUpti_Profiler_Host_GetMetricProperties_Params params =
		PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, metricType);
	CUpti_Profiler_Host_GetSubMetrics_Params sub =
		PARAMS(CUpti_Profiler_Host_GetSubMetrics_Params, ppSubMetrics);
	static const struct {
		const char *name, *dim;
		int type;
		size_t suffixes;
	} metrics[] = {
		{ "dram__bytes_read", "byte", CUPTI_METRIC_TYPE_COUNTER, 44 },
		{ "dram__bytes_read.sum", "byte", CUPTI_METRIC_TYPE_COUNTER, 44 },
		{ "dram__bytes_read.sum.per_second", "byte/second", CUPTI_METRIC_TYPE_COUNTER, 44 },
		{ ACTIVE, "percent", CUPTI_METRIC_TYPE_COUNTER, 44 },
		{ "dram__throughput", "percent", CUPTI_METRIC_TYPE_THROUGHPUT, 8 },
	};
	int result;

	open_libraries();
	params.pHostObject = sub.pHostObject = new_host("GH100", &result);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		params.pMetricName = sub.pMetricName = metrics[i].name;
		ok(!cupti.properties(&params), "GetMetricProperties knows %s", metrics[i].name);
		is_str(params.pDimUnit, metrics[i].dim, "a metric has its dimension unit");
		is_u64(params.metricType, metrics[i].type, "a metric has its type");
		sub.metricType = params.metricType;
		cupti.sub_metrics(&sub);
		is_u64(sub.numOfSubmetrics, metrics[i].suffixes, "a metric has all its suffixes");
		ok(sub.numOfSubmetrics && sub.ppSubMetrics[0][0] == '.', "%s: suffixes begin with a dot", metrics[i].name);
	}
	params.pMetricName = "nosuch";
	is_u64(cupti.properties(&params), INVALID_METRIC_NAME, "GetMetricProperties refuses an unknown metric");
	free_host(params.pHostObject);
}

/* PM sampling of the first GPU */
static struct sampler {
	CUpti_PmSampling_Object *object;
	CUpti_Profiler_Host_Object *host;
	const char *const *names;
	size_t length, image_size, config_size;
	uint8_t *image, *config;
	uint64_t start;
} s;

static _Atomic unsigned int callbacks;

static uint64_t callback(void)
{
	callbacks++;
	return now();
}

static int enable_sampling(void)
{
	CUpti_PmSampling_Enable_Params params =
		PARAMS(CUpti_PmSampling_Enable_Params, pPmSamplingObject);
	int result = cupti.enable(&params);

	if (!result)
		s.object = params.pPmSamplingObject;
	return result;
}

static int disable_sampling(void)
{
	CUpti_PmSampling_Disable_Params params =
		PARAMS(CUpti_PmSampling_Disable_Params, pPmSamplingObject, .pPmSamplingObject = s.object);

	return cupti.disable(&params);
}

static int set_config(uint64_t interval, size_t buffer, int mode)
{
	CUpti_PmSampling_SetConfig_Params params =
		PARAMS(CUpti_PmSampling_SetConfig_Params, hwBufferAppendMode,
		       .pPmSamplingObject = s.object, .configSize = s.config_size, .pConfig = s.config,
		       .hardwareBufferSize = buffer, .samplingInterval = interval,
		       .triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL,
		       .hwBufferAppendMode = mode);

	return cupti.set_config(&params);
}

static int initialize_image(void)
{
	CUpti_PmSampling_CounterDataImage_Initialize_Params params =
		PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params, pCounterData,
		       .pPmSamplingObject = s.object, .counterDataSize = s.image_size,
		       .pCounterData = s.image);

	return cupti.data_initialize(&params);
}

static int new_image(uint32_t samples)
{
	CUpti_PmSampling_GetCounterDataSize_Params params =
		PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, counterDataSize,
		       .pPmSamplingObject = s.object, .pMetricNames = (const char **)s.names,
		       .numMetrics = s.length, .maxSamples = samples);
	int result = cupti.data_size(&params);

	if (result)
		return result;
	s.image_size = params.counterDataSize;
	free(s.image);
	s.image = calloc(1, s.image_size);
	return initialize_image();
}

static int start_sampling(void)
{
	CUpti_PmSampling_Start_Params params =
		PARAMS(CUpti_PmSampling_Start_Params, pPmSamplingObject, .pPmSamplingObject = s.object);

	s.start = now();
	return cupti.start(&params);
}

static int stop_sampling(void)
{
	CUpti_PmSampling_Stop_Params params =
		PARAMS(CUpti_PmSampling_Stop_Params, pPmSamplingObject, .pPmSamplingObject = s.object);

	return cupti.stop(&params);
}

static void times_of(size_t index, uint64_t *start, uint64_t *end)
{
	CUpti_PmSampling_CounterData_GetSampleInfo_Params params =
		PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, endTimestamp,
		       .pPmSamplingObject = s.object, .pCounterDataImage = s.image,
		       .counterDataImageSize = s.image_size, .sampleIndex = index);

	cupti.sample(&params);
	*start = params.startTimestamp;
	*end = params.endTimestamp;
}

struct decoded {
	int result, reason, overflow;
	size_t populated, completed;	/* without the sample in progress */
	bool has_more;			/* the last sample is in progress and has no time stamps yet */
};

static struct decoded decode(void)
{
	CUpti_PmSampling_DecodeData_Params params =
		PARAMS(CUpti_PmSampling_DecodeData_Params, overflow, .pPmSamplingObject = s.object,
		       .pCounterDataImage = s.image, .counterDataImageSize = s.image_size);
	CUpti_PmSampling_GetCounterDataInfo_Params info =
		PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, numCompletedSamples,
		       .pCounterDataImage = s.image, .counterDataImageSize = s.image_size);
	struct decoded decoded = { .result = cupti.decode(&params) };
	uint64_t start, end;

	cupti.data_info(&info);
	decoded.reason = params.decodeStopReason;
	decoded.overflow = params.overflow;
	decoded.populated = info.numPopulatedSamples;
	decoded.completed = info.numCompletedSamples;
	if (decoded.populated) {
		times_of(decoded.populated - 1, &start, &end);
		decoded.has_more = start == end;
		decoded.populated -= decoded.has_more;
		decoded.completed -= decoded.completed > decoded.populated;
	}
	diag("DecodeData: %d, reason %d, overflow %d, %zu samples, %zu completed%s", decoded.result,
	     decoded.reason, decoded.overflow, decoded.populated, decoded.completed,
	     decoded.has_more ? ", one goes on" : "");
	return decoded;
}

static double value_of(size_t index, const char *name)
{
	double value = -1;
	CUpti_Profiler_Host_EvaluateToGpuValues_Params params =
		PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues,
		       .pHostObject = s.host, .pCounterDataImage = s.image,
		       .counterDataImageSize = s.image_size, .rangeIndex = index,
		       .ppMetricNames = &name, .numMetrics = 1, .pMetricValues = &value);

	cupti.evaluate(&params);
	return value;
}

static void begin(const char *const *names)
{
	CUpti_Device_GetChipName_Params chip = PARAMS(CUpti_Device_GetChipName_Params, pChipName);
	int result;

	open_libraries();
	if (!cuda.init) {
		ok(false, "libcuda.so.1 can be loaded");
		exit(1);
	}
	ok(start_profiler() == CUPTI_ERROR_UNKNOWN, "the profiler cannot be initialised before cuInit()");
	ok(!cuda.init(0) && !cupti.timestamps(callback) && !start_profiler(), "the profiler can be initialised after cuInit()");
	is_u64(cupti.chip(&chip), 0, "GetChipName returns the chip's name");
	s.names = names;
	while (names[s.length])
		s.length++;
	s.host = new_host(chip.pChipName, &result);
	add_metrics(s.host, (const char **)names, s.length);
	s.config_size = config_of(s.host, &s.config);
	is_u64(enable_sampling(), 0, "the GPU is free for PM sampling");
}

static void end(void)
{
	is_u64(disable_sampling(), 0, "PM sampling can be disabled");
	free_host(s.host);
	free(s.config);
	free(s.image);
}

static void run(uint64_t interval, size_t buffer, int mode, uint32_t samples, uint64_t wait)
{
	is_u64(set_config(interval, buffer, mode), 0, "SetConfig accepts the configuration");
	is_u64(new_image(samples), 0, "a counter-data image can be initialised");
	is_u64(start_sampling(), 0, "PM sampling can be started");
	sleep_until(s.start + wait);
}

static void test_samples(void)
{
	uint64_t start, end_time, last, begun;
	struct decoded decoded;
	bool is_contiguous = true;

	begin(NAMES(READ, ACTIVE, TIME));
	diag("enabled twice: %d", enable_sampling());
	run(MS, LARGE, KEEP_OLDEST, 400, 60 * MS);
	begun = s.start;
	diag("started twice: %d", start_sampling());
	decoded = decode();
	is_u64(decoded.result, 0, "DecodeData decodes the samples");
	is_u64(decoded.reason, CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER,
	       "DecodeData stops at the end of the data so far");
	ok(decoded.populated > 20, "DecodeData returned many samples: %zu", decoded.populated);
	is_u64(decoded.completed, decoded.populated, "all decoded samples are completed");
	times_of(0, &start, &last);
	ok(last - start > 100 * MS, "the first sample begins before Start: it lasts %lu ms", (unsigned long)((last - start) / MS));
	for (size_t i = 1; i < decoded.populated; i++) {
		times_of(i, &start, &end_time);
		is_contiguous = is_contiguous && start == last && end_time - start > MS / 2 &&
				end_time - start < 2 * MS;
		last = end_time;
	}
	ok(is_contiguous, "all other samples are contiguous");
	ok(last > begun && last < now(), "time stamps are on the callback's clock: %u calls", callbacks);
	is_u64(stop_sampling(), 0, "PM sampling can be stopped");
	initialize_image();
	decoded = decode();
	is_u64(decoded.reason, CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS, "after Stop, DecodeData reports the end of records");
	end();
}

static void test_absent(void)
{
	struct decoded decoded;

	begin(NAMES(READ, "nvlrx__bytes.sum", "CTC.TriageCompute.ctc__rx_bytes.sum"));
	run(MS, LARGE, KEEP_OLDEST, 400, 30 * MS);
	decoded = decode();
	if (isnan(value_of(1, "nvlrx__bytes.sum")) ||
	    isnan(value_of(1, "CTC.TriageCompute.ctc__rx_bytes.sum")))
		is_u64(decoded.completed, 0, "with an absent unit no sample is completed");
	else
		is_u64(decoded.completed, decoded.populated, "with all units present all samples are completed");
	ok(decoded.populated > 5 && !isnan(value_of(1, READ)), "metrics of present units have values");
	stop_sampling();
	end();
}

static void test_oldest(void)
{
	struct decoded decoded;

	begin(NAMES(READ, WRITE));
	run(FAST, SMALL, KEEP_OLDEST, 20000, 500 * MS);
	decoded = decode();
	is_u64(decoded.result, CUPTI_ERROR_OUT_OF_MEMORY, "KEEP_OLDEST: DecodeData fails after an overflow");
	is_u64(decoded.overflow, 1, "KEEP_OLDEST: DecodeData sets overflow");
	sleep_until(now() + 20 * MS);
	decoded = decode();
	is_u64(decoded.result, CUPTI_ERROR_OUT_OF_MEMORY, "KEEP_OLDEST: DecodeData keeps failing after an overflow");
	stop_sampling();
	is_u64(disable_sampling(), 0, "KEEP_OLDEST: PM sampling can be disabled after an overflow");
	is_u64(enable_sampling(), 0, "KEEP_OLDEST: PM sampling can be enabled after an overflow");
	run(MS, LARGE, KEEP_OLDEST, 400, 30 * MS);
	decoded = decode();
	ok(!decoded.result && decoded.populated > 5, "KEEP_OLDEST: samples are decoded after it is enabled again");
	stop_sampling();
	end();
}

static void test_latest(void)
{
	uint64_t start, end_time = 0;
	struct decoded decoded;

	begin(NAMES(READ, WRITE));
	run(FAST, SMALL, KEEP_LATEST, 40000, 500 * MS);
	decoded = decode();
	/* An H200 has returned either result. */
	ok(decoded.result == CUPTI_ERROR_UNKNOWN || !decoded.result, "KEEP_LATEST: DecodeData returns no error or UNKNOWN after a wrap");
	is_u64(decoded.overflow, 0, "KEEP_LATEST: DecodeData does not set overflow");
	ok(decoded.populated > 10, "KEEP_LATEST: samples are decoded after a wrap: %zu", decoded.populated);
	if (decoded.populated)
		times_of(decoded.populated - 1, &start, &end_time);
	ok(end_time > s.start + 400 * MS, "KEEP_LATEST: the decoded samples are the newest");
	initialize_image();
	decode();
	stop_sampling();
	end();
}

static void test_full(void)
{
	uint64_t start, before, after;
	struct decoded decoded;

	begin(NAMES(READ, WRITE));
	run(MS, LARGE, KEEP_OLDEST, 8, 50 * MS);
	decoded = decode();
	is_u64(decoded.reason, CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL, "DecodeData stops at a full image");
	is_u64(decoded.populated, 8, "a full image has as many samples as it has room for");
	times_of(7, &start, &before);
	initialize_image();
	sleep_until(now() + 4 * MS);
	decode();
	times_of(0, &start, &after);
	ok(after - before > 10 * MS, "samples that did not fit into an image are lost: %lu ms",
	   (unsigned long)((after - before) / MS));
	stop_sampling();
	end();
}

/* An object learns its metrics' names only by GetCounterDataSize. */
static void test_unasked(void)
{
	begin(NAMES(READ, WRITE));
	new_image(64);
	disable_sampling();
	is_u64(enable_sampling(), 0, "PM sampling can be enabled once more");
	set_config(MS, LARGE, KEEP_OLDEST);
	diag("an image of an object that was not asked for its size: %d", initialize_image());
	end();
}

static void test_passes(void)
{
	begin(NAMES("sm__inst_executed.sum", "l1tex__t_bytes.sum"));
	is_u64(set_config(MS, LARGE, KEEP_OLDEST), CUPTI_ERROR_NOT_SUPPORTED, "SetConfig refuses a configuration of two passes");
	end();
}

int main(void)
{
	run_case("the Host API", NULL, test_host);
	run_case("properties", NULL, test_properties);
	run_case("samples", NULL, test_samples);
	run_case("absent units", NULL, test_absent);
	run_case("KEEP_OLDEST", NULL, test_oldest);
	run_case("KEEP_LATEST", NULL, test_latest);
	run_case("a full image", NULL, test_full);
	run_case("two passes", NULL, test_passes);
	run_case("an image without GetCounterDataSize", NULL, test_unasked);
	return done_testing();
}
