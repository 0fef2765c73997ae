// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>

#include "report/report_memory.h"

struct report_memory_row *report_memory_row(struct gpmu_report *report, struct report_memory *memory,
					    const char *fmt, ...)
{
	struct report_memory_row *row = NULL;
	char text[512];
	uint32_t word;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!strings_number(&report->timeline.strings, text, &word))
		row = vector_element(&memory->rows, &memory->numbers, word);
	if (!row)
		report->has_failed = true;
	return row;
}
