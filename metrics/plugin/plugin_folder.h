/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of installed plugins, relative to the file that contains libgpmu */
#ifndef GPMU_PLUGIN_FOLDER_H
#define GPMU_PLUGIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Relative path of the folder of libraries from the folder of programs; make passes it */
#ifndef GPMU_LIBDIR_FROM_BINDIR
#define GPMU_LIBDIR_FROM_BINDIR	"../lib"
#endif

/*
 * Writes the folder of plugins to @folder: "gpmu" in the folder of libgpmu.so or, if libgpmu
 * is linked into the program, in the library folder that belongs to the program's folder.
 * Returns false if /proc does not show the file or the path is too long; @folder is then "".
 */
bool plugin_folder(char *folder, size_t size);
/*
 * Writes the folder of plugins for libgpmu in @file, an absolute path without links.
 * @relative: path of the library folder from the folder of @file, "" or "../lib".
 * Returns false if the path is too long.
 */
bool plugin_folder_of(const char *file, const char *relative, char *folder, size_t size);

#endif /* GPMU_PLUGIN_FOLDER_H */
