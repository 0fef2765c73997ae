// SPDX-License-Identifier: LGPL-2.1-or-later
#include "import/import.h"
#include "trace/trace.h"

/* Sets @placed, and @begin to the lower one of both. */
static bool place(struct import *import, uint64_t time, uint64_t shift, uint64_t *begin, uint64_t *placed)
{
	*placed = time + shift;
	if (*placed >= TRACE_TIME_END)
		return false;
	if (*placed < *begin)
		*begin = *placed;
	if (*placed > import->end)
		import->end = *placed;
	return true;
}

bool import_time(struct import *import, uint64_t time, uint64_t shift, uint64_t *placed)
{
	return place(import, time, shift, &import->begin, placed);
}

bool import_record_time(struct import *import, const struct gpmu_perfdata_record *record, uint64_t *placed)
{
	if (record->has & PERF_SAMPLE_TIME && import_time(import, record->time, import->clock.shift, placed))
		return true;
	import->facts.no_time++;
	import->timeless += !(record->has & PERF_SAMPLE_TIME);
	return false;
}

bool import_task_time(struct import *import, const struct gpmu_perfdata_record *record, uint64_t *placed)
{
	return record->has & PERF_SAMPLE_TIME && record->time &&
	       place(import, record->time, import->clock.shift, &import->first_task, placed);
}
