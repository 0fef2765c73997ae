/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* marks: counts regions that other programs mark */
#ifndef GPMU_MARKS_API_H
#define GPMU_MARKS_API_H

#include <gpmu/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Programs mark their regions with the inline functions of gpmu-mark.h, without a library. A
 * launcher such as "gpmu stat --regions" decides which counters are counted in the regions. It
 * starts the program with the environment of a struct gpmu_marks, which preloads the library
 * libgpmu-mark.so. At its first mark a process opens the counters. When it exits, it appends
 * its counts to a temporary file, which the launcher prints. Child processes are counted in the
 * same way, each by itself.
 *
 * A process loses its counts if it is killed, or leaves by _exit(2) or execve(2) after its
 * first mark. A statically linked or set-user-ID program is not counted.
 */
struct gpmu_marks;

/**
 * gpmu_marks_new() - prepares the environment in which marks are counted
 * @list: metrics and events, as for gpmu_open()
 * @options: as for gpmu_open(), read during the call. The marks of a process count its threads:
 *	system, cpus, pids, tids and inherit must be 0 or NULL. NULL: all defaults
 * @error: set on failure, or NULL
 *
 * Return: a new object; NULL with errno ENOENT (libgpmu-mark.so is in none of the folders of
 * plugins; the error lists them), EINVAL (options that marks do not have, or a path that
 * LD_PRELOAD cannot contain), ENOMEM, or the error of creating the temporary file
 */
struct gpmu_marks *gpmu_marks_new(const char *list, const struct gpmu_options *options,
				  struct gpmu_error *error);
/* Deletes the temporary file and frees @marks; NULL is allowed. */
void gpmu_marks_free(struct gpmu_marks *marks);
/*
 * Deletes the temporary file, which has a path if this process has capabilities. Its counts can still be
 * printed; processes that start later are not counted. Async-signal-safe: a launcher calls it in the
 * handler of a signal that ends it.
 */
void gpmu_marks_delete_file(const struct gpmu_marks *marks);
/*
 * Returns the environment for the program: that of this process with the variables of libgpmu
 * and LD_PRELOAD; borrowed. The program inherits a descriptor of the temporary file.
 */
char *const *gpmu_marks_environment(const struct gpmu_marks *marks);

/**
 * gpmu_marks_print() - prints the counts of all processes that have exited
 * @marks: the object
 * @file: printed to
 * @warn: called with a line for each process that was not counted, and why, and for marks that had no
 *	effect. NULL: not called
 * @user: passed to @warn
 *
 * Counts are printed as by gpmu_print(), process by process in the order of their exits.
 *
 * Return: the number of processes with counts; -ENOMEM, or the error of reading or writing
 */
int gpmu_marks_print(struct gpmu_marks *marks, FILE *file,
		     void (*warn)(const char *line, void *user), void *user);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_MARKS_API_H */
