/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of an interval or of a run, in one array */
#ifndef GPMU_ROWS_H
#define GPMU_ROWS_H

#include <stddef.h>

#include "values/gpmu_rows.h"

struct gpmu_rows {
	struct gpmu_row *list;
	size_t length;
};

#endif /* GPMU_ROWS_H */
