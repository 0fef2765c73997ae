/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists that grow, and texts that are made */
#ifndef GPMU_LIST_H
#define GPMU_LIST_H

#include <stdarg.h>
#include <stddef.h>

/*
 * A list that has grown by this alone, with room for one more than @length entries of @size;
 * NULL if there is no memory: it is as it was. What is behind @length is lost
 */
void *list_room(void *list, size_t length, size_t size);

/* "FMT" of printf, new; NULL if there is no memory */
__attribute__((format(printf, 1, 2)))
char *text_print(const char *fmt, ...);
__attribute__((format(printf, 1, 0)))
char *text_vprint(const char *fmt, va_list args);

#endif /* GPMU_LIST_H */
