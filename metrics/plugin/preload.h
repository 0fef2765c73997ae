/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Preloads libraries, among them the one that counts or records the regions that programs mark. */
#ifndef GPMU_PRELOAD_H
#define GPMU_PRELOAD_H

#include <stdbool.h>

struct gpmu_error;

#define PRELOAD_VARIABLE	"LD_PRELOAD"
#define PRELOAD_LIBRARY		"libgpmu-mark.so"

/* The reason if no process has loaded the library */
#define PRELOAD_REFUSED		"no process of the command has loaded " PRELOAD_LIBRARY \
				", which a statically linked or a set-user-ID program cannot, " \
				"nor a program without " PRELOAD_VARIABLE " in its environment"
/* The reason if processes have loaded the library and marked no region */
#define PRELOAD_UNUSED		"the command marked no region with gpmu_mark_begin(), or only " \
				"in processes of another user"

/*
 * Finds a library. Returns its path, which is absolute because the command may run in another
 * folder, and which the caller frees; NULL with errno and the error set: ENOENT, EACCES (as for
 * source_find_file()), ENOMEM
 */
char *preload_path(const char *file, struct gpmu_error *error);
/* Finds PRELOAD_LIBRARY like preload_path(); also EINVAL: LD_PRELOAD cannot contain the path */
char *preload_find(struct gpmu_error *error);
/* Returns whether LD_PRELOAD can contain a path, which then has no blank and no colon */
bool preload_can_name(const char *path);
/* Returns the value of the last entry "NAME=..." for @start, "NAME="; "" if there is none. */
const char *preload_value(char *const *environment, const char *start);
/*
 * Returns "LD_PRELOAD=..." with libraries, separated by colons, before those of @environment; caller frees.
 * NULL: no memory
 */
char *preload_entry(const char *libraries, char *const *environment);

#endif /* GPMU_PRELOAD_H */
