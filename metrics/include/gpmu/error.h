/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error: why something was refused */
#ifndef GPMU_ERROR_API_H
#define GPMU_ERROR_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct gpmu_error - why a text was refused
 * @offset: where in the text, in bytes from its beginning
 * @text: one line without a full stop
 *
 * Set only by a function that fails.
 */
struct gpmu_error {
	size_t offset;
	char text[192];
};

#ifdef __cplusplus
}
#endif

#endif /* GPMU_ERROR_API_H */
