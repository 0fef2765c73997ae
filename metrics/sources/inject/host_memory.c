// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports pinned and managed memory of the program, by callbacks of the driver's functions, and the NUMA nodes of
 * pinned memory. The pages of pinned memory exist and stay on their node from its allocation on, so gpmu's thread reads
 * /proc/self/numa_maps once soon after that. Memory that is freed before has no nodes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/raw_clock.h"
#include "inject.h"

#define MAPS		"/proc/self/numa_maps"
#define NODES		64
#define UNREAD		1024	/* new pinned memory whose nodes have not been read */
#define BATCH		64	/* pinned memory that is read at once */
#define SHARE		20	/* reading takes at most this fraction of the time */

/*
 * Functions by callback id as in cupti_driver_cbid.h. Their parameters, as in generated_cuda_meta.h, are the address
 * or, with is_indirect, a pointer to it, and the size.
 */
static const struct function {
	uint16_t id;
	uint8_t memory, event;
	bool is_indirect;
} functions[] = {
	{ 38, ACTIVITY_MEMORY_PINNED, ACTIVITY_HOST_FREED, false },	/* cuMemFreeHost */
	{ 39, ACTIVITY_MEMORY_PINNED, ACTIVITY_HOST_ALLOCATED, true },	/* cuMemHostAlloc */
	{ 271, ACTIVITY_MEMORY_PINNED, ACTIVITY_HOST_ALLOCATED, true },	/* cuMemHostAlloc_v2 */
	{ 294, ACTIVITY_MEMORY_PINNED, ACTIVITY_HOST_ALLOCATED, true },	/* cuMemAllocHost_v2 */
	{ 301, ACTIVITY_MEMORY_PINNED, ACTIVITY_HOST_REGISTERED, false },	/* cuMemHostRegister */
	{ 302, ACTIVITY_MEMORY_PINNED, ACTIVITY_HOST_FREED, false },	/* cuMemHostUnregister */
	{ 371, ACTIVITY_MEMORY_MANAGED, ACTIVITY_HOST_ALLOCATED, true },	/* cuMemAllocManaged */
	{ 379, ACTIVITY_MEMORY_PINNED, ACTIVITY_HOST_REGISTERED, false },	/* cuMemHostRegister_v2 */
};

struct pinned {
	uint64_t begin, end;
	uint32_t context;	/* of the call */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinned unread[UNREAD];
static size_t unread_count;	/* atomic */

/* Used by gpmu's thread */
static struct pinned batch[BATCH];
static uint64_t pages[BATCH][NODES];	/* KiB of the mappings that have a batch's memory */
static uint64_t next_read;

static bool is_wanted(const struct inject *self)
{
	return self->control->kinds >> ACTIVITY_HOST_MEMORY & 1;
}

void host_memory_enable(struct inject *self)
{
	for (size_t i = 0; is_wanted(self) && i < ARRAY_SIZE(functions); i++)
		self->api.callback(1, self->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, functions[i].id);
}

static void write_event(struct inject *self, const struct function *function, uint64_t address, uint64_t bytes,
			const CUpti_CallbackData *data)
{
	const struct activity_host_memory record = {
		.head = { sizeof(record), ACTIVITY_HOST_MEMORY, 0 }, .time = raw_clock_now(), .address = address,
		.bytes = bytes, .event = function->event, .memory = function->memory, .context = data->contextUid,
		.correlation = data->correlationId,
	};

	output_try(self, &record.head);
}

static void add_unread(uint64_t address, uint64_t bytes, uint32_t context)
{
	pthread_mutex_lock(&lock);
	if (unread_count < UNREAD)
		unread[unread_count++] = (struct pinned){ address, address + bytes, context };
	pthread_mutex_unlock(&lock);
}

static void remove_unread(uint64_t address)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < unread_count; i++)
		if (unread[i].begin == address)
			unread[i--] = unread[--unread_count];
	pthread_mutex_unlock(&lock);
}

static void on_allocated(struct inject *self, const struct function *function, const CUpti_CallbackData *data)
{
	struct {
		const void *address;
		uint64_t bytes;
	} parameters;
	uint64_t address;

	memcpy(&parameters, data->functionParams, sizeof(parameters));
	address = (uintptr_t)parameters.address;
	if (function->is_indirect)
		memcpy(&address, parameters.address, sizeof(address));
	write_event(self, function, address, parameters.bytes, data);
	if (function->memory == ACTIVITY_MEMORY_PINNED)
		add_unread(address, parameters.bytes, data->contextUid);
	else if (self->control->kinds >> ACTIVITY_UNIFIED & 1)
		capture_managed(self);
}

/* Called at the begin of the function: afterwards another thread may get the same address. */
static void on_freed(struct inject *self, const struct function *function, const CUpti_CallbackData *data)
{
	uint64_t address;

	memcpy(&address, data->functionParams, sizeof(address));
	remove_unread(address);
	write_event(self, function, address, 0, data);
}

void host_memory_callback(struct inject *self, uint32_t cbid, const CUpti_CallbackData *data)
{
	const struct function *function = functions;

	while (function < functions + ARRAY_SIZE(functions) && function->id != cbid)
		function++;
	if (function == functions + ARRAY_SIZE(functions) || !is_wanted(self) || !inject_is_alive(self) ||
	    !data->functionParams)
		return;
	if (function->event == ACTIVITY_HOST_FREED && data->callbackSite == CUPTI_API_ENTER)
		on_freed(self, function, data);
	else if (function->event != ACTIVITY_HOST_FREED && data->callbackSite == CUPTI_API_EXIT &&
		 !*(const int *)data->functionReturnValue)
		on_allocated(self, function, data);
}

/* --- nodes --- */

static size_t take_batch(void)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = unread_count < BATCH ? unread_count : BATCH;
	memcpy(batch, unread, n * sizeof(*batch));
	unread_count -= n;
	memmove(unread, unread + n, unread_count * sizeof(*unread));
	pthread_mutex_unlock(&lock);
	return n;
}

/* Adds the pages of a mapping: "default file=... N0=512 N1=512 kernelpagesize_kB=4". It ends at or before @end. */
static void add_mapping(const char *fields, uint64_t begin, uint64_t end, size_t n)
{
	const char *size = strstr(fields, " kernelpagesize_kB=");
	const uint64_t page = size ? strtoull(strchr(size, '=') + 1, NULL, 10) : 4;

	for (const char *field = strstr(fields, " N"); field; field = strstr(field + 1, " N")) {
		char *equals;
		const unsigned long node = strtoul(field + 2, &equals, 10);

		if (*equals != '=' || equals == field + 2 || node >= NODES)
			continue;
		for (size_t i = 0; i < n; i++)
			if (batch[i].begin < end && begin < batch[i].end)
				pages[i][node] += page * strtoull(equals + 1, NULL, 10);
	}
}

static FILE *open_maps(void)
{
	const char *root = secure_getenv("GPMU_ROOT");
	char path[512];

	snprintf(path, sizeof(path), "%s" MAPS, root ? root : "");
	return fopen(path, "re");
}

/* A line has only the begin of a mapping, which ends at or before the begin in the next line. */
static bool read_maps(size_t n)
{
	FILE *file = open_maps();
	char *line = NULL, *last = NULL, *kept;
	size_t size = 0, last_size = 0, kept_size;
	uint64_t begin = 0, next;

	if (!file)
		return false;
	while (getline(&line, &size, file) > 0) {
		next = strtoull(line, NULL, 16);
		if (last)
			add_mapping(last, begin, next, n);
		begin = next;
		kept = last;
		kept_size = last_size;
		last = line;
		last_size = size;
		line = kept;
		size = kept_size;
	}
	if (last)
		add_mapping(last, begin, UINT64_MAX, n);
	free(line);
	free(last);
	fclose(file);
	return true;
}

/* Assumes that the pages of each part of a mapping are spread over the nodes as those of the mapping. */
static void write_nodes(struct inject *self, size_t index)
{
	const uint64_t bytes = batch[index].end - batch[index].begin;
	double all = 0;

	for (uint32_t node = 0; node < NODES; node++)
		all += (double)pages[index][node];
	for (uint32_t node = 0; node < NODES; node++) {
		const struct activity_host_memory record = {
			.head = { sizeof(record), ACTIVITY_HOST_MEMORY, 0 }, .time = raw_clock_now(),
			.address = batch[index].begin, .event = ACTIVITY_HOST_ON_NODE, .memory = ACTIVITY_MEMORY_PINNED,
			.bytes = all > 0 ? (uint64_t)((double)bytes * (double)pages[index][node] / all) : 0,
			.node = node, .context = batch[index].context,
		};

		if (pages[index][node])
			output_write(self, &record.head);
	}
}

static bool read_batch(struct inject *self)
{
	const size_t n = take_batch();

	memset(pages, 0, n * sizeof(*pages));
	if (!n || !read_maps(n))
		return false;
	for (size_t i = 0; i < n; i++)
		write_nodes(self, i);
	return true;
}

void host_memory_poll(struct inject *self)
{
	const uint64_t begin = raw_clock_now();

	if (!__atomic_load_n(&unread_count, __ATOMIC_RELAXED) || begin < next_read ||
	    !channel_has_reader(self->control))
		return;
	read_batch(self);
	next_read = raw_clock_now() + (raw_clock_now() - begin) * SHARE;
}

void host_memory_end(struct inject *self)
{
	while (channel_has_reader(self->control) && read_batch(self))
		;
}
