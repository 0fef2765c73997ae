/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that is freed all at once: a catalog's entries and their texts. */
#ifndef GPMU_CATALOG_POOL_H
#define GPMU_CATALOG_POOL_H

#include <stddef.h>

struct catalog_block;

/* Zeroed: empty */
struct catalog_pool {
	struct catalog_block *blocks;
};

/* Zeroed, and aligned for every type; NULL if there is no memory */
void *catalog_pool_alloc(struct catalog_pool *pool, size_t size);
/* A copy that ends in a NUL; NULL if there is no memory */
char *catalog_pool_copy(struct catalog_pool *pool, const char *text, size_t length);
/* All that is in @from, which is then empty; all of it stays where it is */
void catalog_pool_take(struct catalog_pool *pool, struct catalog_pool *from);
void catalog_pool_release(struct catalog_pool *pool);

#endif /* GPMU_CATALOG_POOL_H */
