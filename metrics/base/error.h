/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets the caller's struct gpmu_error, which may be NULL. No byte beyond its size is written. */
#ifndef GPMU_ERROR_H
#define GPMU_ERROR_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

struct gpmu_error;

__attribute__((format(printf, 3, 4)))
void error_set(struct gpmu_error *error, size_t offset, const char *fmt, ...);
__attribute__((format(printf, 3, 0)))
void error_set_at(struct gpmu_error *error, size_t offset, const char *fmt, va_list args);
/*
 * Sets an error whose text is @path and then the text of @fmt, without a character between them. If the path is too long for the
 * error, its middle is replaced by "...".
 */
__attribute__((format(printf, 4, 5)))
void error_set_path(struct gpmu_error *error, size_t offset, const char *path, const char *fmt, ...);
/* Sets an error without an offset, and errno to ENOMEM. Returns -ENOMEM. */
int error_no_memory(struct gpmu_error *error);
#define ERROR_NO_MEMORY	"out of memory"
/* The text of an errno number, valid until the end of the block */
#define error_text(number)	((number) == EFBIG ? "File too large; raise ulimit -f" : \
				 strerror_r(number, (char[ERROR_TEXT_SIZE]){ "" }, ERROR_TEXT_SIZE))
#define ERROR_TEXT_SIZE	96
/* Sets the offset of an error that has been set. */
void error_set_offset(struct gpmu_error *error, size_t offset);

#endif /* GPMU_ERROR_H */
