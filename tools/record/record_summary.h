/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last line of gpmu record: numbers of processes, threads and records, and losses. */
#ifndef GPMU_TOOLS_RECORD_SUMMARY_H
#define GPMU_TOOLS_RECORD_SUMMARY_H

#include <stdbool.h>

#include "gpmu.h"

/* Prints warnings of work out of order, and the line. Returns false, after a message, if losses fail --strict. */
bool record_summary_print(struct gpmu_recorder *recorder, const char *path, bool is_strict);

#endif /* GPMU_TOOLS_RECORD_SUMMARY_H */
