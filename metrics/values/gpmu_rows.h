/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rows: lists of rows that a caller makes */
#ifndef GPMU_ROWS_API_H
#define GPMU_ROWS_API_H

#include <gpmu/row.h>

/* Returns a new empty list; NULL with errno ENOMEM */
struct gpmu_rows *gpmu_rows_new(void);
/* Frees @rows; NULL is allowed. */
void gpmu_rows_free(struct gpmu_rows *rows);
/*
 * Appends a copy of @row. The copy refers to the same texts, which must outlive @rows. Returns 0;
 * -ENOMEM, and then @rows are unchanged
 */
int gpmu_rows_add(struct gpmu_rows *rows, const struct gpmu_row *row);
/* Removes all rows. */
void gpmu_rows_clear(struct gpmu_rows *rows);

#endif /* GPMU_ROWS_API_H */
