/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the records that processes with marks have appended to a file. */
#ifndef GPMU_MARKS_READ_H
#define GPMU_MARKS_READ_H

#include <stdbool.h>
#include <stdio.h>

/*
 * As gpmu_marks_print(), for the records in the file @fd. @is_named: a line with the name of the
 * process precedes its counts if there are several processes.
 */
int marks_read(int fd, bool is_named, FILE *file, void (*warn)(const char *line, void *user),
	       void *user);

#endif /* GPMU_MARKS_READ_H */
