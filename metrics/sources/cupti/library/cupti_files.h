/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds copies of CUPTI, for the plugin and for libgpmu-inject.so. Copies named by the environment or loaded in the
 * process come before installed ones.
 */
#ifndef GPMU_CUPTI_FILES_H
#define GPMU_CUPTI_FILES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define CUPTI_FILES_MAX	64

/* Copies of CUPTI, by their paths, the newest first */
struct cupti_files {
	struct cupti_file {
		char *path;
		char *real;	/* with links resolved; NULL if the loader has to find it */
		int major;
	} files[CUPTI_FILES_MAX];
	size_t length;
};

/* Finds all copies; the caller releases them. A copy is left out if memory is short. */
void cupti_files_find(struct cupti_files *files);
/* Finds only the copies loaded in the process */
void cupti_files_mapped(struct cupti_files *files);
void cupti_files_release(struct cupti_files *files);

/* CUDA's version, 13000, for a version of CUPTI's API; 0 if it is too old to be used */
int library_cuda_version(uint32_t version);

/* The file's path in the first folder of $GPMU_CUDA that has it; NULL if none has it */
const char *library_override(const char *name, char path[PATH_MAX]);

/*
 * Opens a library by its path, if this program may load it, or by its name, which the loader has to find. @flags are
 * dlopen()'s. NULL with the reason in @why
 */
void *library_load(const char *path, int flags, char *why, size_t size);

#endif /* GPMU_CUPTI_FILES_H */
