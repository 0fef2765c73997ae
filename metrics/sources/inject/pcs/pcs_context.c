// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PC sampling of a context. The order of calls is enable, list the stall reasons, configure, get data, disable; other
 * orders fail or crash in CUPTI 13.0. Its results are not reliable: samples that are missing are found by comparing the
 * numbers that it reports with the samples that it delivers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/raw_clock.h"
#include "library/cupti_holders.h"
#include "pcs/pcs.h"
#include "trace/channel/gpmu_stall.h"

#define PCS		16384	/* instructions of one fetch, and the most of the last one */
#define FETCHES_MAX	4096	/* of a series: a CUPTI that never ends it must not hold up the process */

/* Size of a parameter structure up to its last member, as CUPTI expects it */
#define SIZE(type, last)	(offsetof(type, last) + sizeof(((type *)0)->last))

static const char *text_of(const struct inject *self, int code)
{
	const char *text = NULL;

	return self->api.text(code, &text) || !text ? "an unknown error" : text;
}

/* GetData reports that another process has the profiler by this error. */
static void note_busy(struct inject *self, const struct pcs_context *context, const char *call, int code)
{
	char holder[192];

	holders_describe("/proc", holder, sizeof(holder));
	output_note(self, ACTIVITY_WARNING, "PC sampling of context %u has ended: %s returned %d: the GPU's profiler is in use by "
		    "%s, or by another context of this process; end it, or run this program alone", context->id, call, code, holder);
}

/* Notes a call that has failed; the context is not sampled any more. */
static bool fail(struct inject *self, struct pcs_context *context, const char *call, int code)
{
	context->state = PCS_ENDED;
	output_lost(self, ACTIVITY_LOST_PC_CONTEXT, ACTIVITY_PC, 1);
	if (code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
		output_note(self, ACTIVITY_WARNING, "PC sampling is not permitted: run as root, or load the driver with "
			    "NVreg_RestrictProfilingToAdminUsers=0");
	else if (code == CUPTI_ERROR_UNKNOWN)
		note_busy(self, context, call, code);
	else
		output_note(self, ACTIVITY_WARNING, "PC sampling of context %u has ended: %s returned %d, %s", context->id, call, code,
			    text_of(self, code));
	return false;
}

/* --- begin */

/* Allocates a buffer for @PCS instructions. */
static bool make_buffer(struct inject *self, struct pcs_context *context, CUpti_PCSamplingData *data, size_t reasons)
{
	CUpti_PCSamplingPCData *list = inject_table(PCS * sizeof(*list));
	CUpti_PCSamplingStallReason *stalls = inject_table(PCS * reasons * sizeof(*stalls));

	if (!list || !stalls)
		return fail(self, context, "mmap", CUPTI_ERROR_OUT_OF_MEMORY);
	for (size_t i = 0; i < PCS; i++) {
		list[i].size = sizeof(*list);
		list[i].stallReason = stalls + i * reasons;
	}
	*data = (CUpti_PCSamplingData){ .size = sizeof(*data), .collectNumPcs = PCS, .pPcData = list };
	return true;
}

static uint32_t reason_number(struct pcs_context *context, const char *name, size_t length)
{
	uint32_t n = 0;

	while (n < context->reason_count && (strlen(context->reasons[n]) != length || memcmp(context->reasons[n], name, length) != 0))
		n++;
	if (n < context->reason_count || n == PCS_REASONS || length >= sizeof(context->reasons[0]))
		return n < context->reason_count ? n : PCS_REASONS;
	memcpy(context->reasons[n], name, length);
	context->reason_count++;
	return n;
}

/* Keeps a stall reason if it is one, and requests it if it is chosen. */
static void add_reason(struct pcs_context *context, uint32_t stalls, uint32_t index, const char *name)
{
	const size_t prefix = strlen(GPMU_STALL_PREFIX), suffix = strlen(GPMU_STALL_NOT_ISSUED);
	size_t length = strlen(name);
	bool is_not_issued;
	uint32_t number, known;

	if (index >= PCS_INDICES || strncmp(name, GPMU_STALL_PREFIX, prefix) != 0)
		return;
	name += prefix;
	length -= prefix;
	is_not_issued = length > suffix && !strcmp(name + length - suffix, GPMU_STALL_NOT_ISSUED);
	length -= is_not_issued ? suffix : 0;
	known = gpmu_stall_find(name, length);
	if (stalls && (known == GPMU_STALL_NONE || !(stalls >> known & 1)))
		return;
	number = reason_number(context, name, length);
	if (number == PCS_REASONS)
		return;
	context->variants[index].reason = (uint8_t)(number + 1);
	context->variants[index].is_not_issued = is_not_issued;
	context->indices[context->index_count++] = index;
}

static bool list_reasons(struct inject *self, const struct pcs_api *api, struct pcs_context *context, size_t *count)
{
	CUpti_PCSamplingGetNumStallReasonsParams number = {
		.size = SIZE(CUpti_PCSamplingGetNumStallReasonsParams, numStallReasons), .ctx = context->handle,
		.numStallReasons = count,
	};
	static char texts[PCS_INDICES][CUPTI_STALL_REASON_STRING_SIZE];
	char *names[PCS_INDICES];
	uint32_t indices[PCS_INDICES] = { 0 };
	CUpti_PCSamplingGetStallReasonsParams list = {
		.size = SIZE(CUpti_PCSamplingGetStallReasonsParams, stallReasons), .ctx = context->handle,
		.stallReasonIndex = indices, .stallReasons = names,
	};
	int code = api->count_reasons(&number);

	if (code || !*count || *count > PCS_INDICES)
		return fail(self, context, "cuptiPCSamplingGetNumStallReasons", code);
	memset(texts, 0, sizeof(texts));
	for (size_t i = 0; i < PCS_INDICES; i++)
		names[i] = texts[i];
	list.numStallReasons = *count;
	code = api->list_reasons(&list);
	if (code)
		return fail(self, context, "cuptiPCSamplingGetStallReasons", code);
	for (size_t i = 0; i < *count; i++) {
		texts[i][CUPTI_STALL_REASON_STRING_SIZE - 1] = '\0';
		add_reason(context, self->control->pc_stalls, indices[i], texts[i]);
	}
	return context->index_count || fail(self, context, "cuptiPCSamplingGetStallReasons", CUPTI_SUCCESS);
}

static bool configure(struct inject *self, const struct pcs_api *api, struct pcs_context *context)
{
	const bool is_continuous = self->control->pc_mode == CHANNEL_PC_CONTINUOUS;
	CUpti_PCSamplingConfigurationInfo list[] = {
		{ .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON,
		  .attributeData.reasons = { context->index_count, context->indices } },
		{ .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
		  .attributeData.buffer = &context->rest },
		{ .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
		  .attributeData.number = self->control->pc_period },
		{ .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
		  .attributeData.number = is_continuous ? CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS :
							  CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED },
		{ .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT,
		  .attributeData.number = CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED },
	};
	CUpti_PCSamplingConfigurationInfoParams params = {
		.size = SIZE(CUpti_PCSamplingConfigurationInfoParams, pPCSamplingConfigurationInfo), .ctx = context->handle,
		.numAttributes = ARRAY_SIZE(list), .pPCSamplingConfigurationInfo = list,
	};
	int code = api->configure(&params);

	return !code || fail(self, context, "cuptiPCSamplingSetConfigurationAttribute", code);
}

static void disable(const struct pcs_api *api, struct pcs_context *context, int *code)
{
	CUpti_PCSamplingDisableParams params = { .size = SIZE(CUpti_PCSamplingDisableParams, ctx), .ctx = context->handle };

	*code = api->disable(&params);
}

bool pcs_context_begin(struct inject *self, const struct pcs_api *api, struct pcs_context *context, void *handle)
{
	CUpti_PCSamplingEnableParams params = { .size = SIZE(CUpti_PCSamplingEnableParams, ctx), .ctx = handle };
	size_t reasons = 0;
	int code;

	if (context->state != PCS_NEW)
		return false;
	context->handle = handle;
	code = api->enable(&params);
	if (code)
		return fail(self, context, "cuptiPCSamplingEnable", code);
	if (list_reasons(self, api, context, &reasons) && make_buffer(self, context, &context->fetched, reasons) &&
	    make_buffer(self, context, &context->rest, reasons) && configure(self, api, context)) {
		context->state = PCS_SAMPLING;
		context->since = raw_clock_now();
		return true;
	}
	/* Without a buffer in the configuration only this call is safe. */
	disable(api, context, &code);
	context->state = PCS_ENDED;
	return false;
}

/* --- samples */

static void add_rows(const struct pcs_context *context, const CUpti_PCSamplingPCData *pc, uint64_t now)
{
	uint64_t samples[PCS_REASONS] = { 0 }, not_issued[PCS_REASONS] = { 0 };
	struct pcs_row row = { .pc = {
		.head = { sizeof(row.pc), ACTIVITY_PC, 0 }, .begin = context->since, .end = now, .cubin = pc->cubinCrc,
		.offset = pc->pcOffset, .device = context->device, .context = context->id, .symbol = pc->functionIndex,
		.correlation = pc->correlationId,
	}, .function = pc->functionName };

	for (size_t i = 0; i < pc->stallReasonCount; i++) {
		const uint32_t index = pc->stallReason[i].pcSamplingStallReasonIndex;
		const uint8_t reason = index < PCS_INDICES ? context->variants[index].reason : 0;

		if (reason)
			(context->variants[index].is_not_issued ? not_issued : samples)[reason - 1] += pc->stallReason[i].samples;
	}
	for (uint32_t n = 0; n < context->reason_count; n++) {
		if (!samples[n] && !not_issued[n])
			continue;
		row.pc.samples = samples[n];
		row.pc.not_issued = not_issued[n];
		row.stall = context->reasons[n];
		pcs_rows_add(&row);
	}
}

/* Takes the content of a buffer, which is then empty. */
static void take(struct inject *self, struct pcs_context *context, CUpti_PCSamplingData *data, uint64_t now)
{
	const size_t count = data->totalNumPcs < PCS ? data->totalNumPcs : PCS;
	struct activity_pc_total *total = &context->total;

	for (size_t i = 0; i < count; i++) {
		add_rows(context, &data->pPcData[i], now);
		data->pPcData[i].stallReasonCount = 0;
	}
	total->samples += data->totalSamples;
	total->dropped += data->droppedSamples;
	total->foreign += data->nonUsrKernelsTotalSamples;
	total->time = now;
	context->has_total = context->has_total || data->totalSamples || data->droppedSamples || data->nonUsrKernelsTotalSamples;
	data->totalSamples = data->droppedSamples = data->nonUsrKernelsTotalSamples = 0;
	data->totalNumPcs = 0;
	__atomic_add_fetch(&self->progress, 1, __ATOMIC_RELAXED);
}

static void note_full(struct inject *self, struct pcs_context *context)
{
	context->total.full++;
	context->total.time = raw_clock_now();
	context->has_total = true;
	output_note(self, ACTIVITY_WARNING, "PC sampling: the hardware buffer of context %u was full, and CUPTI has discarded its "
		    "samples; use gpmu record --pc-period with a longer period, or --pc-sampling=serialized", context->id);
}

void pcs_context_fetch(struct inject *self, const struct pcs_api *api, struct pcs_context *context)
{
	CUpti_PCSamplingGetDataParams params = {
		.size = SIZE(CUpti_PCSamplingGetDataParams, pcSamplingData), .ctx = context->handle,
		.pcSamplingData = &context->fetched,
	};
	CUpti_PCSamplingData *data = &context->fetched;
	const uint64_t now = raw_clock_now();
	size_t left = 1;

	for (int i = 0; left && i < FETCHES_MAX && context->state == PCS_SAMPLING; i++) {
		int code;

		data->remainingNumPcs = data->totalNumPcs = 0;
		data->hardwareBufferFull = 0;
		code = api->get(&params);
		if (data->hardwareBufferFull || code == CUPTI_ERROR_OUT_OF_MEMORY) {
			note_full(self, context);
			disable(api, context, &code);
			context->state = PCS_ENDED;
		} else if (code) {
			fail(self, context, "cuptiPCSamplingGetData", code);
		} else {
			left = data->totalNumPcs ? data->remainingNumPcs : 0;
			take(self, context, data, now);
		}
	}
	context->since = now;
}

void pcs_context_end(struct inject *self, const struct pcs_api *api, struct pcs_context *context)
{
	int code = 0;

	pcs_context_fetch(self, api, context);
	if (context->state != PCS_SAMPLING)
		return;
	disable(api, context, &code);
	if (code)
		fail(self, context, "cuptiPCSamplingDisable", code);
	context->state = PCS_ENDED;
	/* The samples that CUPTI had not yet decoded */
	take(self, context, &context->rest, raw_clock_now());
}
