// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * activity: a minimal tool with CUPTI's activity, the reference for the cost of gpmu record. It is a library for
 * CUDA_INJECTION64_PATH that enables kinds, hands buffers to CUPTI and frees them when they come back, without reading
 * a record. At the end it writes a line of JSON: "cupti", "buffers", "bytes", "dropped".
 *
 * ACTIVITY_KINDS	kernel,memcpy,runtime,... as gpmu record --cuda
 * ACTIVITY_LEAVE_OUT	r10,d2,...: calls of the runtime and the driver that are not recorded, by callback id
 * ACTIVITY_BUFFER	bytes of a buffer
 * ACTIVITY_OUT		the file that is written
 */
#include <cupti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	CUpti_ActivityKind kind;
} kinds[] = {
	{ "kernel", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL },
	{ "memcpy", CUPTI_ACTIVITY_KIND_MEMCPY },
	{ "memcpy", CUPTI_ACTIVITY_KIND_MEMCPY2 },
	{ "memset", CUPTI_ACTIVITY_KIND_MEMSET },
	{ "runtime", CUPTI_ACTIVITY_KIND_RUNTIME },
	{ "driver", CUPTI_ACTIVITY_KIND_DRIVER },
	{ "sync", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION },
};

static CUpti_SubscriberHandle subscriber;
static size_t buffer_size;
static atomic_size_t buffers, bytes, dropped;
static bool has_failed;

static void check(CUptiResult result, const char *what)
{
	const char *text = "?";

	if (result == CUPTI_SUCCESS)
		return;
	cuptiGetResultString(result, &text);
	fprintf(stderr, "activity: %s: %s\n", what, text);
	has_failed = true;
}

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = aligned_alloc(8, buffer_size);
	*size = *buffer ? buffer_size : 0;
	*records = 0;
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
			      size_t valid)
{
	size_t n = 0;

	(void)size;
	if (cuptiActivityGetNumDroppedRecords(context, stream, &n) == CUPTI_SUCCESS)
		dropped += n;
	buffers++;
	bytes += valid;
	free(buffer);
}

/* It has nothing to do. It subscribes because gpmu record subscribes, too. */
static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			    const void *data)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)data;
}

static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *cursor = list; (cursor = strstr(cursor, name)); cursor += length)
		if ((cursor == list || cursor[-1] == ',') && (!cursor[length] || cursor[length] == ','))
			return true;
	return false;
}

static void leave_out(const char *list)
{
	while (list && (*list == 'r' || *list == 'd')) {
		CUpti_CallbackId id = strtoul(list + 1, NULL, 10);

		check(*list == 'r' ? cuptiActivityEnableRuntimeApi(id, 0) : cuptiActivityEnableDriverApi(id, 0), list);
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
}

static void end(void)
{
	const char *path = getenv("ACTIVITY_OUT");
	uint32_t version = 0;
	FILE *file;

	check(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flush");
	cuptiGetVersion(&version);
	file = path && !has_failed ? fopen(path, "w") : NULL;
	if (!file)
		return;
	fprintf(file, "{\"cupti\":%u,\"buffers\":%zu,\"bytes\":%zu,\"dropped\":%zu}\n", version,
		atomic_load(&buffers), atomic_load(&bytes), atomic_load(&dropped));
	fclose(file);
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	const char *list = getenv("ACTIVITY_KINDS"), *size = getenv("ACTIVITY_BUFFER");

	buffer_size = size ? strtoul(size, NULL, 10) / 8 * 8 : 0;
	if (!list || !buffer_size) {
		fprintf(stderr, "activity: ACTIVITY_KINDS and ACTIVITY_BUFFER are not set\n");
		return 0;
	}
	check(cuptiSubscribe(&subscriber, called, NULL), "subscribe");
	check(cuptiActivityRegisterCallbacks(request, complete), "register");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_listed(list, kinds[i].name))
			check(cuptiActivityEnable(kinds[i].kind), kinds[i].name);
	leave_out(getenv("ACTIVITY_LEAVE_OUT"));
	atexit(end);
	return 1;
}
