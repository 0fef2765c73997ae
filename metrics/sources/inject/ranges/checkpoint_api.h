/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations of CUPTI's Checkpoint API (libcheckpoint.so), whose own header is C++. Names are CUPTI's;
 * tests/unit/sources/inject-abi.t compares the structure with the toolkit's.
 */
#ifndef GPMU_CHECKPOINT_API_H
#define GPMU_CHECKPOINT_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
	size_t structSize;
	void *ctx;
	size_t reserveDeviceMB;		/* left free; what does not fit is saved in memory of the host, then in a file */
	size_t reserveHostMB;
	uint8_t allowOverwrite;
	uint8_t optimizations;
	void *pPriv;
} CUpti_Checkpoint;

#define CHECKPOINT_LIBRARY	"libcheckpoint.so"

#define CHECKPOINT_FUNCTIONS(F) \
	F(save, cuptiCheckpointSave, CUpti_Checkpoint *checkpoint) \
	F(restore, cuptiCheckpointRestore, CUpti_Checkpoint *checkpoint) \
	F(release, cuptiCheckpointFree, CUpti_Checkpoint *checkpoint)

#endif /* GPMU_CHECKPOINT_API_H */
