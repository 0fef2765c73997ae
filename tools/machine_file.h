/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that describe a machine: the files of sysfs and procfs that show its PMUs, topology and
 * versions, so that its counts can be evaluated elsewhere. A file is a JSON object:
 *
 *	{ "gpmu_machine": 1, "gpmu": VERSION, "files": { PATH: TEXT, ... } }
 */
#ifndef GPMU_MACHINE_FILE_H
#define GPMU_MACHINE_FILE_H

#include "gpmu.h"

/* Writes @machine to a file. Dies on failure. */
void machine_file_save(const struct gpmu_machine *machine, const char *path);
/*
 * Makes a root folder of the file's machine, which is removed at exit. Returns its path, valid
 * until exit. Dies on failure; only one can be made.
 */
const char *machine_file_root(const char *path);

#endif /* GPMU_MACHINE_FILE_H */
