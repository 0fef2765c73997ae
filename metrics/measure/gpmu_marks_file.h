/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* marks: the temporary file of a launcher that a signal ends */
#ifndef GPMU_MARKS_FILE_API_H
#define GPMU_MARKS_FILE_API_H

#include <gpmu/marks.h>

/* Deletes the temporary file, if it has a path. Async-signal-safe: for a signal that ends the launcher */
void gpmu_marks_delete_file(const struct gpmu_marks *marks);

#endif /* GPMU_MARKS_FILE_API_H */
