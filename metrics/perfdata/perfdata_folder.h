/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a recording: one, or those of a folder, "data", "data.0", ... */
#ifndef GPMU_PERFDATA_FOLDER_H
#define GPMU_PERFDATA_FOLDER_H

#include <stddef.h>

#include "perfdata/perfdata_file.h"

/* Opens them, "data" first. Returns 0; or -errno with @error set, then nothing is left open. */
int perfdata_folder_open(const char *path, struct perfdata_file **files, size_t *count, struct gpmu_error *error);
/* @files: NULL is allowed */
void perfdata_folder_close(struct perfdata_file *files, size_t count);

#endif /* GPMU_PERFDATA_FOLDER_H */
