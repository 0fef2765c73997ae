/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu-mark.so, which gpmu preloads into programs that mark regions with gpmu-mark.h. The
 * environment selects the output: counts of each region (count.c), slices on the timeline of gpmu
 * record (slice.c), or both.
 */
#ifndef GPMU_MARK_LIBRARY_H
#define GPMU_MARK_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Appends a text to @file, the value of MARKS_FILE, by one write(2), as texts of several processes must not mix. */
void mark_append(const char *file, const char *text, size_t length);

/*
 * count.c and slice.c have the same functions. NAME_load() returns whether the environment
 * requests this output, and NAME_fork() is called in the child.
 */
bool count_load(void);
void count_begin(const char *name);
void count_end(const char *name);
void count_fork(void);
void count_exit(void);

bool slice_load(void);
void slice_begin(const char *name);
void slice_end(const char *name);
void slice_fork(void);
void slice_exit(void);

#endif /* GPMU_MARK_LIBRARY_H */
