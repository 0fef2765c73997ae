// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profiled HOW LAUNCHES: a program with a profiler of its own, which uses CUPTI. It launches the kernel "before", starts
 * its profiler, launches the kernel "during", ends it and launches the kernel "after", LAUNCHES times each.
 *
 *	early		the profiler subscribes before cuInit()
 *	subscribe	it subscribes after "before"
 *	activity	it registers buffers and records kernels, without a subscription, as torch.profiler does
 *	finalize	the same, and ends CUPTI in this process afterwards
 *	clock		it registers a clock of its own for CUPTI's records, which is an hour late
 *	disable		it ends the recording of kernels that it has not begun
 *	state		it subscribes, ends CUPTI, and asks for the state of its subscription
 *
 * It prints a line of JSON: "launches", "own", the number of kernels that its profiler has recorded of each name, and
 * "codes", the results of its calls.
 */
#include <atomic>
#include <cupti.h>

#include "load/load.h"

static std::atomic<unsigned long> before_count, during_count, after_count;
static char codes[256];

extern "C" __global__ void before(void)
{
}

extern "C" __global__ void during(void)
{
}

extern "C" __global__ void after(void)
{
}

static void note(const char *call, CUptiResult code)
{
	size_t length = strlen(codes);

	snprintf(codes + length, sizeof(codes) - length, "%s%s %d", length ? ", " : "", call, (int)code);
}

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *records)
{
	*size = 1 << 20;
	*buffer = (uint8_t *)aligned_alloc(8, *size);
	*records = 0;
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context;
	(void)stream;
	(void)size;
	while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
		const CUpti_ActivityKernel9 *kernel = (const CUpti_ActivityKernel9 *)record;

		if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			continue;
		before_count += !strcmp(kernel->name, "before");
		during_count += !strcmp(kernel->name, "during");
		after_count += !strcmp(kernel->name, "after");
	}
	free(buffer);
}

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)data;
}

static uint64_t CUPTIAPI late(void)
{
	return load_time() - (uint64_t)3600 * 1000000000;
}

static CUpti_SubscriberHandle subscriber;

static void subscribe(void)
{
	note("subscribe", cuptiSubscribe(&subscriber, called, NULL));
}

static void start(const char *how)
{
	if (!strcmp(how, "subscribe"))
		subscribe();
	if (!strcmp(how, "activity") || !strcmp(how, "finalize")) {
		note("register", cuptiActivityRegisterCallbacks(request, complete));
		note("enable", cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
	}
	if (!strcmp(how, "clock")) {
		uint64_t stamp = 0;

		note("clock", cuptiActivityRegisterTimestampCallback(late));
		note("stamp", cuptiGetTimestamp(&stamp));
		note(stamp < load_time() - (uint64_t)1000000000 ? "late" : "not late", CUPTI_SUCCESS);
	}
	if (!strcmp(how, "state")) {
		uint32_t is_enabled = 0;

		subscribe();
		note("finalize", cuptiFinalize());
		note("state", cuptiGetCallbackState(&is_enabled, subscriber, CUPTI_CB_DOMAIN_RESOURCE, 1));
	}
	if (!strcmp(how, "disable"))
		note("disable", cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

static void stop(const char *how)
{
	if (strcmp(how, "activity") && strcmp(how, "finalize"))
		return;
	note("flush", cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
	note("disable", cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
	if (!strcmp(how, "finalize"))
		note("finalize", cuptiFinalize());
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const unsigned long launches = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;

	if (!strcmp(how, "early"))
		subscribe();
	for (unsigned long i = 0; i < launches; i++)
		before<<<1, 32>>>();
	LOAD_CHECK(cudaDeviceSynchronize());
	start(how);
	for (unsigned long i = 0; i < launches; i++)
		during<<<1, 32>>>();
	LOAD_CHECK(cudaDeviceSynchronize());
	stop(how);
	for (unsigned long i = 0; i < launches; i++)
		after<<<1, 32>>>();
	LOAD_CHECK(cudaDeviceSynchronize());
	if (argc > 3)
		load_sleep(atof(argv[3]));
	printf("{\"load\":\"profiled\",\"launches\":%lu,\"own\":\"%lu %lu %lu\",\"codes\":\"%s\"}\n", launches,
	       before_count.load(), during_count.load(), after_count.load(), codes);
	return 0;
}
