/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One JSON object of a pmu-events file: the values of the keys that libgpmu uses. */
#ifndef GPMU_CATALOG_OBJECT_H
#define GPMU_CATALOG_OBJECT_H

#include <jansson.h>
#include <stddef.h>

#include "catalog/catalog_key.h"

struct gpmu_error;

struct catalog_object {
	const char *values[CATALOG_KEYS];	/* NULL: absent, or "" */
	const char *unknown;	/* the first key that is not in perf's schema, or NULL */
	size_t length;		/* of the object's text */
	json_t *json;		/* owns the texts above */
};

/*
 * Reads the object that begins at @text; more text may follow it. Returns 0; -EINVAL with the
 * error set, its offset relative to @text; or -ENOMEM. On failure there is nothing to release.
 */
int catalog_object_read(struct catalog_object *object, const char *text, size_t size,
			struct gpmu_error *error);
void catalog_object_release(struct catalog_object *object);

#endif /* GPMU_CATALOG_OBJECT_H */
