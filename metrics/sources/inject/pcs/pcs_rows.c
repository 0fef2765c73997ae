// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/vector.h"
#include "pcs/pcs.h"

static VECTOR(struct pcs_row) rows;

void pcs_rows_add(const struct pcs_row *row)
{
	if (vector_push(&rows, row))
		return;
}

struct pcs_row *pcs_rows_take(size_t *count)
{
	struct pcs_row *list = rows.list;

	*count = rows.n;
	rows.list = NULL;
	rows.n = 0;
	return list;
}
