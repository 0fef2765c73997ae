// SPDX-License-Identifier: LGPL-2.1-or-later
/* Words of program.c that allocate and free memory, with the callbacks of the driver's functions */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity_fake.h"
#include "heap.h"

enum { ALLOCATE = 243, ALLOCATE_HOST = 39, FREE = 245, FREE_HOST = 38, TRIM = 602 };

static void call(uint32_t cbid, const void *parameters, const int *result)
{
	const CUpti_CallbackData data = {
		.callbackSite = result ? CUPTI_API_EXIT : CUPTI_API_ENTER, .functionName = "cuMem",
		.functionParams = parameters, .functionReturnValue = (void *)result,
	};

	activity_callback(CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
}

static void allocate(uint32_t cbid, const char *bytes)
{
	uint64_t address = 0;
	const struct {
		uint64_t *address;
		size_t bytes;
	} parameters = { &address, strtoull(bytes, NULL, 0) };
	const int result = 0;

	call(cbid, &parameters, NULL);
	address = heap_allocate(parameters.bytes, cbid == ALLOCATE_HOST);
	call(cbid, &parameters, &result);
}

static void release(const char *number)
{
	struct heap_block *block = heap_block(strtoul(number, NULL, 0));
	const int result = 0;
	uint32_t cbid;

	if (!block || !block->address)
		abort();
	cbid = block->is_host ? FREE_HOST : FREE;
	call(cbid, &block->address, NULL);
	if (!block->is_host)
		heap_use(-(long)block->bytes);
	block->address = 0;
	call(cbid, &block->address, &result);
}

static void trim(void)
{
	const uint64_t parameters[] = { 1, 0 };
	const int result = 0;

	call(TRIM, parameters, NULL);
	call(TRIM, parameters, &result);
}

static void print(void)
{
	struct heap_block *block;

	dprintf(STDOUT_FILENO, "contents");
	for (size_t i = 0; (block = heap_block(i)); i++)
		if (block->address)
			dprintf(STDOUT_FILENO, " %ld", block->content);
	dprintf(STDOUT_FILENO, "\n");
}

bool heap_do(const char *word, const char *value)
{
	if (!strcmp(word, "allocate"))
		allocate(ALLOCATE, value);
	else if (!strcmp(word, "host"))
		allocate(ALLOCATE_HOST, value);
	else if (!strcmp(word, "free"))
		release(value);
	else if (!strcmp(word, "trim"))
		trim();
	else if (!strcmp(word, "contents"))
		print();
	else
		return false;
	return true;
}
