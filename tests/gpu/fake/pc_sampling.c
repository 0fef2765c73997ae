// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A fake of CUPTI's PC Sampling API, with what an H200 does under CUDA 13.0. Samples are those of a recording, pcs.tsv.
 * Like the real API it returns success where it has no data: samples that are not yet decoded, functions of modules
 * that were loaded while nothing was enabled, a full hardware buffer. Calls that crash in the real one are violations.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity_fake.h"
#include "pcs/pcs_api.h"

#define CONTEXTS	16
#define MODULES		16
#define ROWS		256
#define REASONS		64
#define READY_GETS	2	/* samples are delivered by the call after the next one, as if decoded by then */

enum { OPERATION = 7, UNKNOWN = 999 };

struct row {
	uint64_t crc, offset;
	char function[64];
	uint32_t symbol, stall, samples;
	bool is_all;		/* not the variant of samples without an issued instruction */
};

struct reason {
	uint32_t index;
	char name[CUPTI_STALL_REASON_STRING_SIZE];
	bool is_all;
};

struct module {
	uint64_t crc;
	char *image;
	size_t size;
	uint32_t context;
	bool is_user;		/* loaded while sampling was enabled, or before CUPTI was attached */
};

struct context {
	uint32_t id, device;
	bool is_enabled, has_been_enabled, is_dead, is_full;
	uint64_t runs;		/* of the recording that were not yet delivered */
	uint64_t foreign, dropped;
	size_t next;		/* row from which a series goes on */
	unsigned int gets;	/* since the last run */
	CUpti_PCSamplingData *buffer;
	bool is_chosen[REASONS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[ROWS];
static struct reason reasons[REASONS];
static struct module modules[MODULES];
static struct context contexts[CONTEXTS];
static size_t row_count, reason_count, module_count, context_count;

static void read_reasons(void)
{
	FILE *file = fake_open_data("stall_reasons.tsv");
	char line[512], kind[32];

	while (fgets(line, sizeof(line), file))
		if (reason_count < REASONS &&
		    sscanf(line, "%u %127s %*s %31s", &reasons[reason_count].index, reasons[reason_count].name, kind) == 3)
			reasons[reason_count++].is_all = !strcmp(kind, "all");
	fclose(file);
}

static const struct reason *reason_of(uint32_t index)
{
	for (size_t i = 0; i < reason_count; i++)
		if (reasons[i].index == index)
			return &reasons[i];
	return NULL;
}

static void read_rows(void)
{
	FILE *file = fake_open_data("pcs.tsv");
	char line[512];

	while (fgets(line, sizeof(line), file) && row_count < ROWS) {
		struct row *row = &rows[row_count];

		if (sscanf(line, "%lx %63s %u %lx %u %*s %u", &row->crc, row->function, &row->symbol, &row->offset, &row->stall,
			   &row->samples) != 6)
			continue;
		row->is_all = reason_of(row->stall) && reason_of(row->stall)->is_all;
		row_count++;
	}
	fclose(file);
}

static void prepare(void)
{
	static pthread_once_t once_reasons = PTHREAD_ONCE_INIT, once_rows = PTHREAD_ONCE_INIT;

	pthread_once(&once_reasons, read_reasons);
	pthread_once(&once_rows, read_rows);
}

/* A handle is the number of the context. */
static struct context *context_of(const void *handle)
{
	const uintptr_t id = (uintptr_t)handle;

	return id && id <= context_count ? &contexts[id - 1] : NULL;
}

bool pc_sampling_is_enabled(void)
{
	for (size_t i = 0; i < context_count; i++)
		if (contexts[i].is_enabled)
			return true;
	return false;
}

static bool has_been_enabled(const struct context *context)
{
	return context->has_been_enabled;
}

/* --- the API */

PUBLIC int cuptiGetDeviceId(void *handle, uint32_t *device)
{
	const struct context *context = context_of(handle);
	int code = fake_enter(__func__);

	if (code || !context)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	*device = context->device;
	return 0;
}

PUBLIC int cuptiGetContextId(void *handle, uint32_t *id)
{
	const struct context *context = context_of(handle);
	int code = fake_enter(__func__);

	if (code || !context)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	*id = context->id;
	return 0;
}

PUBLIC int cuptiGetCubinCrc(CUpti_GetCubinCrcParams *params)
{
	int code = fake_enter(__func__);

	for (size_t i = 0; i < module_count && !code; i++)
		if (modules[i].image == params->cubin) {
			params->cubinCrc = modules[i].crc;
			return 0;
		}
	return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
}

PUBLIC int cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *params)
{
	struct context *context = context_of(params->ctx);
	int code = fake_enter(__func__);

	if (code || !context || params->size != sizeof(*params))
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	prepare();
	context->is_enabled = context->has_been_enabled = true;
	for (size_t i = 0; i < REASONS; i++)
		context->is_chosen[i] = true;
	fake_count("pc_sampling", 1);
	return 0;
}

PUBLIC int cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *params)
{
	const struct context *context = context_of(params->ctx);
	int code = fake_enter(__func__);

	if (code || !context || !context->is_enabled)
		return code ? code : OPERATION;
	*params->numStallReasons = reason_count;
	return 0;
}

/* In no particular order */
PUBLIC int cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params)
{
	const struct context *context = context_of(params->ctx);
	int code = fake_enter(__func__);

	if (code || !context || !context->is_enabled)
		return code ? code : OPERATION;
	for (size_t i = 0; i < params->numStallReasons; i++) {
		const struct reason *reason = &reasons[(i * 7 + 3) % reason_count];

		params->stallReasonIndex[i] = reason->index;
		memcpy(params->stallReasons[i], reason->name, sizeof(reason->name));
	}
	return 0;
}

static int set(struct context *context, const CUpti_PCSamplingConfigurationInfo *info)
{
	const uint32_t number = info->attributeData.number;

	switch (info->attributeType) {
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD:
		return number >= 5 && number <= 31 ? 0 : CUPTI_ERROR_INVALID_PARAMETER;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE:
		return number == 1 || number == 2 ? 0 : OPERATION;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER:
		context->buffer = info->attributeData.buffer;
		return 0;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON:
		memset(context->is_chosen, 0, sizeof(context->is_chosen));
		for (size_t i = 0; i < info->attributeData.reasons.count; i++)
			context->is_chosen[info->attributeData.reasons.indices[i] % REASONS] = true;
		return 0;
	case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT:
		return number == CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED ? 0 : CUPTI_ERROR_INVALID_PARAMETER;
	default:
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
}

PUBLIC int cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *params)
{
	struct context *context = context_of(params->ctx);
	int code = fake_enter(__func__);

	for (size_t i = 0; i < params->numAttributes && !code && context; i++)
		code = set(context, &params->pPCSamplingConfigurationInfo[i]);
	return context ? code : CUPTI_ERROR_INVALID_PARAMETER;
}

static bool is_user(const struct row *row)
{
	for (size_t i = 0; i < module_count; i++)
		if (modules[i].crc == row->crc)
			return modules[i].is_user;
	/* The recording has no image of one module: its functions are taken to be known. */
	return true;
}

/* Returns whether this row begins the samples of an instruction. */
static bool begins_instruction(size_t i)
{
	return !i || rows[i].crc != rows[i - 1].crc || rows[i].offset != rows[i - 1].offset || rows[i].symbol != rows[i - 1].symbol;
}

static uint64_t total_of(const struct context *context, bool wants_user)
{
	uint64_t total = 0;

	for (size_t i = 0; i < row_count; i++)
		if (rows[i].is_all && is_user(&rows[i]) == wants_user)
			total += rows[i].samples * context->runs;
	return total;
}

/* Fills a buffer with the instructions from context->next on. */
static void fill(struct context *context, CUpti_PCSamplingData *data)
{
	const size_t lost = fake_options()->pcs_lose;
	size_t count = 0, left = 0, instruction = 0;
	bool is_skipped = true;

	for (size_t i = 0; i < row_count; i++) {
		CUpti_PCSamplingPCData *pc;

		if (begins_instruction(i)) {
			instruction++;
			is_skipped = instruction <= context->next || !is_user(&rows[i]) || instruction <= lost;
			left += !is_skipped && count == data->collectNumPcs;
			is_skipped = is_skipped || count == data->collectNumPcs;
			if (is_skipped)
				continue;
			pc = &data->pPcData[count++];
			context->next = instruction;
			if (pc->size != sizeof(*pc))
				fake_violation("the size of a PC's record is not set");
			pc->cubinCrc = rows[i].crc;
			pc->pcOffset = rows[i].offset;
			pc->functionIndex = rows[i].symbol;
			/* Each call gives the same address: the tool must not free it. */
			pc->functionName = rows[i].function;
			pc->stallReasonCount = 0;
			pc->correlationId = 0;
		}
		if (is_skipped || !context->is_chosen[rows[i].stall % REASONS])
			continue;
		pc = &data->pPcData[count - 1];
		pc->stallReason[pc->stallReasonCount++] = (CUpti_PCSamplingStallReason){
			rows[i].stall, (uint32_t)(rows[i].samples * context->runs) };
	}
	data->totalNumPcs = count;
	data->remainingNumPcs = left;
}

static void deliver(struct context *context, CUpti_PCSamplingData *data)
{
	if (!context->next) {
		data->nonUsrKernelsTotalSamples = total_of(context, false);
		data->totalSamples = total_of(context, true) + data->nonUsrKernelsTotalSamples;
		data->droppedSamples = context->dropped;
		context->dropped = 0;
	}
	fill(context, data);
	if (data->remainingNumPcs)
		return;
	context->next = 0;
	context->runs = 0;
}

PUBLIC int cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params)
{
	struct context *context = context_of(params->ctx);
	CUpti_PCSamplingData *data = params->pcSamplingData;
	int code = fake_enter(__func__);

	if (code || !context || !context->is_enabled)
		return code ? code : OPERATION;
	if (!context->buffer)
		fake_violation("%s without a buffer in the configuration", __func__);
	if (context->is_dead)
		return UNKNOWN;
	pthread_mutex_lock(&lock);
	data->totalSamples = data->droppedSamples = data->nonUsrKernelsTotalSamples = 0;
	data->totalNumPcs = data->remainingNumPcs = 0;
	data->hardwareBufferFull = context->is_full;
	if (context->is_full)
		code = CUPTI_ERROR_OUT_OF_MEMORY;
	else if (context->runs && ++context->gets >= READY_GETS)
		deliver(context, data);
	pthread_mutex_unlock(&lock);
	return code;
}

PUBLIC int cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *params)
{
	struct context *context = context_of(params->ctx);
	int code = fake_enter(__func__);

	if (code || !context || !context->is_enabled)
		return code ? code : OPERATION;
	context->is_enabled = false;
	fake_count("pc_sampling", -1);
	if (context->is_dead)
		return UNKNOWN;
	pthread_mutex_lock(&lock);
	if (context->buffer && context->runs && !context->is_full)
		deliver(context, context->buffer);
	pthread_mutex_unlock(&lock);
	return 0;
}

/* --- words of the program */

void pc_sampling_context(uint32_t id, uint32_t device)
{
	const CUpti_ResourceData data = { .context = (void *)(uintptr_t)(context_count + 1) };

	if (context_count == CONTEXTS)
		return;
	contexts[context_count++] = (struct context){ .id = id, .device = device };
	activity_callback(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
}

static void callback(uint32_t cbid, struct module *module)
{
	CUpti_ModuleResourceData resource = { .moduleId = 1 };
	const CUpti_ResourceData data = { .context = (void *)(uintptr_t)context_count, .resourceDescriptor = module ? &resource : NULL };

	if (module) {
		resource.pCubin = module->image;
		resource.cubinSize = module->size;
	}
	activity_callback(CUPTI_CB_DOMAIN_RESOURCE, cbid, &data);
}

/* Loads the module of the recording with this CRC. */
static void load(const char *crc)
{
	struct module *module = &modules[module_count % MODULES];
	const struct context *context = context_count ? &contexts[context_count - 1] : NULL;
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "cubin_%s.bin", crc);
	file = fake_open_data(name);
	*module = (struct module){
		.crc = strtoull(crc, NULL, 16), .image = malloc(1 << 20),
		.is_user = !context || !has_been_enabled(context) || context->is_enabled,
	};
	module->size = fread(module->image, 1, 1 << 20, file);
	fclose(file);
	module_count++;
	callback(CUPTI_CBID_RESOURCE_MODULE_LOADED, module);
}

uint32_t pc_sampling_last_module(void)
{
	return module_count ? (uint32_t)modules[(module_count - 1) % MODULES].crc : 0;
}

/* The image is gone after the callback. */
static void unload(const char *crc)
{
	for (size_t i = 0; i < module_count; i++) {
		if (modules[i].crc != strtoull(crc, NULL, 16) || !modules[i].image)
			continue;
		callback(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &modules[i]);
		memset(modules[i].image, 0xff, modules[i].size);
		free(modules[i].image);
		modules[i].image = NULL;
	}
}

/* Runs the kernels of the recording in the last context. */
static void run(long times)
{
	struct context *context = context_count ? &contexts[context_count - 1] : NULL;
	size_t enabled = 0;

	if (!context || !context->is_enabled)
		return;
	pthread_mutex_lock(&lock);
	context->runs += (uint64_t)times;
	context->dropped += (uint64_t)fake_options()->pcs_drop;
	context->gets = 0;
	context->is_full = fake_options()->pcs_full && (long)context->runs >= fake_options()->pcs_full;
	for (size_t i = 0; i < context_count; i++)
		enabled += contexts[i].is_enabled && contexts[i].device == context->device;
	/* A second context, or another process, has the profiler: both get nothing from now on. */
	for (size_t i = 0; i < context_count; i++)
		contexts[i].is_dead = contexts[i].is_dead ||
				      ((enabled > 1 || fake_options()->pcs_busy) && contexts[i].device == context->device);
	pthread_mutex_unlock(&lock);
}

bool pc_sampling_do(const char *word, const char *value)
{
	if (!strcmp(word, "module"))
		load(value);
	else if (!strcmp(word, "unload"))
		unload(value);
	else if (!strcmp(word, "sampled"))
		run(strtol(value, NULL, 0));
	else if (!strcmp(word, "end-context"))
		callback(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, NULL);
	else
		return false;
	return true;
}
