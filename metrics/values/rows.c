// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "base/vector.h"
#include "values/rows.h"

struct gpmu_rows *gpmu_rows_new(void)
{
	return calloc(1, sizeof(struct gpmu_rows));
}

void gpmu_rows_free(struct gpmu_rows *rows)
{
	if (!rows)
		return;
	free(rows->list);
	free(rows);
}

int gpmu_rows_add(struct gpmu_rows *rows, const struct gpmu_row *row)
{
	int ret = vector_append_value(rows->list, rows->length, *row);

	if (!ret)
		rows->list[rows->length - 1].size = sizeof(*row);
	return ret;
}

void gpmu_rows_clear(struct gpmu_rows *rows)
{
	rows->length = 0;
}

const struct gpmu_row *gpmu_rows_at(const struct gpmu_rows *rows, size_t index)
{
	return index < rows->length ? &rows->list[index] : NULL;
}
