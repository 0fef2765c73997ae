/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One JSON object of a pmu-events file: those of its members that libgpmu makes
 * use of, as text.
 */
#ifndef GPMU_CATALOG_OBJECT_H
#define GPMU_CATALOG_OBJECT_H

#include <jansson.h>
#include <stddef.h>

#include "catalog/catalog_key.h"

struct gpmu_error;

#define CATALOG_MAX_OBJECT	(1u << 20)	/* bytes */

struct catalog_object {
	struct catalog_text values[CATALOG_KEYS];	/* length 0: none, or "" */
	char unknown[64];	/* the first key that perf's schema does not have, or "" */
	size_t length;		/* of the object's text */
	json_t *json;		/* what the values are in; NULL: the text */
};

/*
 * Reads the object that begins with the "{" at @text. Its values are there
 * until it is released, and as long as @text is.
 * Returns 0; -EINVAL with the error set, its offset from @text; or -ENOMEM.
 * Then there is nothing to release.
 */
int catalog_object_read(struct catalog_object *object, const char *text, size_t size,
			struct gpmu_error *error);
void catalog_object_release(struct catalog_object *object);
/* Where a key is in an object's text; 0 if it is not there in so many letters */
size_t catalog_object_find(const char *text, size_t length, const char *key);

#endif /* GPMU_CATALOG_OBJECT_H */
