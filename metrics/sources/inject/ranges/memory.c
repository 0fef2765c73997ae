// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "base/array.h"
#include "memory.h"
#include "sources/inject/inject.h"

/*
 * Functions of the driver that allocate or free, by callback id as in cupti_driver_cbid.h. The first parameter of
 * most is the address or handle, or points to it, and the second one the size.
 */
static const struct function {
	uint16_t cbid;
	enum {
		DEVICE,		/* (address *, size) */
		HOST,		/* the same, of memory that is, or may be, the host's */
		PITCHED,	/* (address *, pitch *, width, height) */
		OBJECT,		/* (handle *): its size is not known */
		REGISTERED,	/* (address, size) of memory of the host */
		MAPPED,		/* (address, size) */
		FREE,		/* (address or handle) */
		UNMAP,		/* (address, size) */
		ANY,		/* frees memory that is not known */
	} what;
} functions[] = {
	{ 29, DEVICE },		/* cuMemAlloc */
	{ 243, DEVICE },	/* cuMemAlloc_v2 */
	{ 598, DEVICE },	/* cuMemAllocAsync */
	{ 599, DEVICE },	/* cuMemAllocAsync_ptsz */
	{ 611, DEVICE },	/* cuMemAllocFromPoolAsync */
	{ 612, DEVICE },	/* cuMemAllocFromPoolAsync_ptsz */
	{ 31, PITCHED },	/* cuMemAllocPitch */
	{ 244, PITCHED },	/* cuMemAllocPitch_v2 */
	{ 371, HOST },		/* cuMemAllocManaged */
	{ 37, HOST },		/* cuMemAllocHost */
	{ 294, HOST },		/* cuMemAllocHost_v2 */
	{ 39, HOST },		/* cuMemHostAlloc */
	{ 271, HOST },		/* cuMemHostAlloc_v2 */
	{ 301, REGISTERED },	/* cuMemHostRegister */
	{ 379, REGISTERED },	/* cuMemHostRegister_v2 */
	{ 551, MAPPED },	/* cuMemMap */
	{ 87, OBJECT },		/* cuArrayCreate */
	{ 272, OBJECT },	/* cuArrayCreate_v2 */
	{ 90, OBJECT },		/* cuArray3DCreate */
	{ 274, OBJECT },	/* cuArray3DCreate_v2 */
	{ 347, OBJECT },	/* cuMipmappedArrayCreate */
	{ 18, OBJECT },		/* cuModuleLoad */
	{ 19, OBJECT },		/* cuModuleLoadData */
	{ 20, OBJECT },		/* cuModuleLoadDataEx */
	{ 21, OBJECT },		/* cuModuleLoadFatBinary */
	{ 678, OBJECT },	/* cuLibraryLoadData */
	{ 679, OBJECT },	/* cuLibraryLoadFromFile */
	{ 33, FREE },		/* cuMemFree */
	{ 245, FREE },		/* cuMemFree_v2 */
	{ 600, FREE },		/* cuMemFreeAsync */
	{ 601, FREE },		/* cuMemFreeAsync_ptsz */
	{ 38, FREE },		/* cuMemFreeHost */
	{ 302, FREE },		/* cuMemHostUnregister */
	{ 89, FREE },		/* cuArrayDestroy */
	{ 349, FREE },		/* cuMipmappedArrayDestroy */
	{ 22, FREE },		/* cuModuleUnload */
	{ 680, FREE },		/* cuLibraryUnload */
	{ 552, UNMAP },		/* cuMemUnmap */
	{ 602, ANY },		/* cuMemPoolTrimTo */
	{ 608, ANY },		/* cuMemPoolDestroy */
	{ 640, ANY },		/* cuDeviceGraphMemTrim */
	{ 330, ANY },		/* cuIpcCloseMemHandle */
	{ 488, ANY },		/* cuDestroyExternalMemory */
	{ 134, ANY },		/* cuGraphicsUnmapResources */
	{ 444, ANY },		/* cuGraphicsUnmapResources_ptsz */
};

void memory_enable(struct inject *self)
{
	/* An older CUPTI refuses functions that it does not know, and no program can call these. */
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		self->api.callback(1, self->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, functions[i].cbid);
}

void memory_begin(struct memory *memory)
{
	map_clear(&memory->recent);
	memory->has_freed = memory->calls;
}

static uint64_t read_parameter(const void *parameters, size_t index)
{
	uint64_t value;

	memcpy(&value, (const char *)parameters + index * sizeof(value), sizeof(value));
	return value;
}

/* Reads what a parameter points to. */
static uint64_t read_target(const void *parameters, size_t index)
{
	uint64_t value = 0;
	const void *target;

	memcpy(&target, (const char *)parameters + index * sizeof(target), sizeof(target));
	if (target)
		memcpy(&value, target, sizeof(value));
	return value;
}

/* The bytes of memory of the host that a value of sizes has in its lowest bit, and all bytes above it */
static uint64_t pack(uint64_t bytes, bool is_host)
{
	return bytes << 1 | is_host;
}

static void count(struct memory *memory, uint64_t packed, bool is_added)
{
	const uint64_t bytes = is_added ? packed >> 1 : -(packed >> 1);

	memory->bytes += bytes;
	if (packed & 1)
		memory->host += bytes;
}

static void add(struct memory *memory, uint64_t key, uint64_t packed)
{
	union map_cell *cell = key ? map_add(&memory->sizes, key, NULL) : NULL;

	/* Without memory for the tables a later free counts as one of saved memory. */
	if (!cell || map_set(&memory->recent, key, 1))
		return;
	count(memory, cell->number, false);
	cell->number = packed;
	count(memory, packed, true);
}

/* @size: that has to be its size; 0: any */
static void take(struct memory *memory, uint64_t key, uint64_t size)
{
	union map_cell cell = { .number = 0 }, recent;
	const bool is_recent = map_take(&memory->recent, key, &recent);

	if (map_take(&memory->sizes, key, &cell))
		count(memory, cell.number, false);
	if (!is_recent || (size && size != cell.number >> 1))
		memory->has_freed = true;
}

static void allocate(struct memory *memory, const struct function *function, const void *parameters)
{
	switch (function->what) {
	case DEVICE:
	case HOST:
		return add(memory, read_target(parameters, 0), pack(read_parameter(parameters, 1), function->what == HOST));
	case PITCHED:
		return add(memory, read_target(parameters, 0),
			   pack(read_target(parameters, 1) * read_parameter(parameters, 3), false));
	case OBJECT:
		return add(memory, read_target(parameters, 0), 0);
	case REGISTERED:
	case MAPPED:
		return add(memory, read_parameter(parameters, 0),
			   pack(read_parameter(parameters, 1), function->what == REGISTERED));
	default:
		return;
	}
}

/* A failed call counts as one that has freed. */
static void release(struct memory *memory, const struct function *function, const void *parameters)
{
	if (function->what == ANY)
		memory->has_freed = true;
	else if (function->what >= FREE && read_parameter(parameters, 0))
		take(memory, read_parameter(parameters, 0), function->what == UNMAP ? read_parameter(parameters, 1) : 0);
}

static const struct function *find_function(uint32_t cbid)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].cbid == cbid)
			return &functions[i];
	return NULL;
}

bool memory_has_call(uint32_t cbid)
{
	return find_function(cbid);
}

void memory_call(struct memory *memory, uint32_t cbid, const void *parameters, const int *result)
{
	const struct function *function = find_function(cbid);

	if (!function || !parameters)
		return;
	memory->calls += result ? -(memory->calls != 0) : 1;
	if (!result)
		release(memory, function, parameters);
	else if (!*result)
		allocate(memory, function, parameters);
}
