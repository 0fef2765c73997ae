// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A fake of libcheckpoint.so, as measured with CUDA 13.0: it saves all memory of the program, to the GPU's memory
 * as far as it fits. Calls at which the real one crashes are violations, and end the program; so do those that
 * would spoil counters or a captured stream.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cupti.h"
#include "heap.h"
#include "ranges/checkpoint_api.h"

#define ERROR_INVALID_CONTEXT	15	/* as returned; the header has another number for it */

struct saved {
	size_t length;
	long device_bytes;
	struct heap_block blocks[HEAP_MAX];
};

static void refuse(const char *function, const char *why)
{
	fake_violation("%s: %s", function, why);
	abort();
}

static int check(const char *function, const CUpti_Checkpoint *checkpoint)
{
	int code = fake_enter(function);

	if (code)
		return code;
	if (fake_get("started"))
		refuse(function, "the kernels of CUPTI are counted");
	if (fake_get("captures"))
		refuse(function, "the capture of the stream is invalid");
	while (fake_get("waiting"))
		pause();
	return checkpoint->structSize == sizeof(*checkpoint) ? 0 : CUPTI_ERROR_INVALID_PARAMETER;
}

static void save(const CUpti_Checkpoint *checkpoint, struct saved *saved)
{
	const size_t available = heap_available(), reserve = checkpoint->reserveDeviceMB << 20;
	size_t room = available > reserve ? available - reserve : 0;
	struct heap_block *block;

	while ((block = heap_block(saved->length))) {
		saved->blocks[saved->length++] = *block;
		if (block->address && block->bytes <= room) {
			room -= block->bytes;
			saved->device_bytes += (long)block->bytes;
		}
	}
	heap_use(saved->device_bytes);
}

PUBLIC int cuptiCheckpointSave(CUpti_Checkpoint *checkpoint)
{
	int code = check(__func__, checkpoint);

	if (code)
		return code;
	if (!checkpoint->ctx)
		return ERROR_INVALID_CONTEXT;
	if (checkpoint->pPriv)
		return ERROR_INVALID_OPERATION;
	checkpoint->pPriv = calloc(1, sizeof(struct saved));
	save(checkpoint, checkpoint->pPriv);
	fake_count("checkpoints", 1);
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiCheckpointRestore(CUpti_Checkpoint *checkpoint)
{
	int code = check(__func__, checkpoint);
	const struct saved *saved = checkpoint->pPriv;

	if (code || !saved)
		return code ? code : CUPTI_ERROR_NOT_INITIALIZED;
	for (size_t i = 0; i < saved->length; i++) {
		if (!saved->blocks[i].address)
			continue;
		if (!heap_block(i)->address)
			refuse(__func__, "memory was freed: the real one crashes");
		heap_block(i)->content = saved->blocks[i].content;
	}
	return CUPTI_SUCCESS;
}

PUBLIC int cuptiCheckpointFree(CUpti_Checkpoint *checkpoint)
{
	int code = fake_enter(__func__);
	struct saved *saved = checkpoint->pPriv;

	if (code || !saved)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	heap_use(-saved->device_bytes);
	free(saved);
	checkpoint->pPriv = NULL;
	fake_count("checkpoints", -1);
	return CUPTI_SUCCESS;
}
