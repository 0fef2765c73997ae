// SPDX-License-Identifier: LGPL-2.1-or-later
/* Logs why no regions are in the trace. */
#include "base/log.h"
#include "plugin/preload.h"
#include "record/recorder.h"

void recorder_regions_warn(const struct gpmu_recorder *recorder)
{
	if (!recorder->has_loaded && !recorder->map.region_count)
		log_line(GPMU_LOG_WARNING, "no region can be recorded: " PRELOAD_REFUSED
			 "; from another network namespace none can reach gpmu");
	else if (!recorder->map.region_count && !recorder->refusal_count)
		log_line(GPMU_LOG_WARNING, PRELOAD_UNUSED ", or only outside the recorded time");
}
