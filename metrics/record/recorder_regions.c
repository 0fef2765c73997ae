// SPDX-License-Identifier: LGPL-2.1-or-later
/* Logs why no regions are in the trace. */
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text/text.h"
#include "plugin/preload.h"
#include "record/recorder.h"

void recorder_regions_warn(const struct gpmu_recorder *recorder)
{
	char *path = text_print("%s/" CHANNEL_REGIONS, recorder->folders[RECORDER_MAIN].path);

	if (path && access(path, F_OK))
		log_line(GPMU_LOG_WARNING, "no region can be recorded: " PRELOAD_REFUSED);
	else if (!recorder->map.region_count && !recorder->refusal_count)
		log_line(GPMU_LOG_WARNING, PRELOAD_UNUSED ", or only outside the recorded time");
	free(path);
}
