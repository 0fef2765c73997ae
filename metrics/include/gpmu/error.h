/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error: why a function failed */
#ifndef GPMU_ERROR_API_H
#define GPMU_ERROR_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct gpmu_error - why a function failed
 * @size: size of this structure, which the caller sets before the call:
 *	struct gpmu_error error = { .size = sizeof(error) };
 * @offset: byte offset of the error in the text that the function read, from 0; 0 if it read none
 * @text: the reason, one line without a full stop
 *
 * A function that takes an error sets it whenever it fails, and at no other time. It writes no
 * byte beyond @size, and truncates @text. If @size is 0 or the pointer is NULL, it writes nothing.
 */
struct gpmu_error {
	size_t size;
	size_t offset;
	char text[192];
};

#ifdef __cplusplus
}
#endif

#endif /* GPMU_ERROR_API_H */
