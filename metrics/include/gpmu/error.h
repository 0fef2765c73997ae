/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error: why a function refused a text */
#ifndef GPMU_ERROR_API_H
#define GPMU_ERROR_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct gpmu_error - why a function refused a text
 * @offset: byte offset of the error in the text, from 0
 * @text: the reason, one line without a full stop
 *
 * A function sets it only when it fails.
 */
struct gpmu_error {
	size_t offset;
	char text[192];
};

#ifdef __cplusplus
}
#endif

#endif /* GPMU_ERROR_API_H */
