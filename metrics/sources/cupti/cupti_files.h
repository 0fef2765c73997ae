/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where copies of CUPTI are: for the plugin, and for what is injected into programs. What the environment or the
 * process says is before what is installed.
 */
#ifndef GPMU_CUPTI_FILES_H
#define GPMU_CUPTI_FILES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define CUPTI_FILES_MOST	64

/* Copies of CUPTI, by their paths, the newest first */
struct cupti_files {
	struct cupti_file {
		char *path;
		char *real;	/* with links followed; NULL: the loader is to find it */
		int major;
	} files[CUPTI_FILES_MOST];
	size_t length;
};

/* The caller releases them. Those for which there is no memory are left out. */
void cupti_files_find(struct cupti_files *files);
/* Only those that the process has */
void cupti_files_mapped(struct cupti_files *files);
void cupti_files_release(struct cupti_files *files);

/* CUDA's version, 13000, of CUPTI's version of its API; 0: older than any that is used */
int library_cuda_version(uint32_t version);

/* Path of the first folder of $GPMU_CUDA that has the file; NULL: none has */
const char *library_override(const char *name, char path[PATH_MAX]);

#endif /* GPMU_CUPTI_FILES_H */
