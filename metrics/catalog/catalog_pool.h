/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that is freed all at once, for a catalog's entries and texts. */
#ifndef GPMU_CATALOG_POOL_H
#define GPMU_CATALOG_POOL_H

#include <stddef.h>

struct catalog_block;

/* Zeroed: empty */
struct catalog_pool {
	struct catalog_block *blocks;
};

/* Returns zeroed memory, aligned for every type; NULL: no memory */
void *catalog_pool_alloc(struct catalog_pool *pool, size_t size);
/* Returns a copy that ends with a NUL; NULL: no memory */
char *catalog_pool_copy(struct catalog_pool *pool, const char *text, size_t length);
/* Moves the memory of @from to @pool; its address stays the same. */
void catalog_pool_take(struct catalog_pool *pool, struct catalog_pool *from);
void catalog_pool_release(struct catalog_pool *pool);

#endif /* GPMU_CATALOG_POOL_H */
