// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "perfdata/perfdata.h"

int perfdata_fail(struct gpmu_perfdata *perfdata, int ret, uint64_t offset, const char *fmt, ...)
{
	char text[sizeof(perfdata->error.text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set_path(&perfdata->error, (size_t)offset, perfdata->files[perfdata->file].path, ":%llu: %s",
		       (unsigned long long)offset, text);
	perfdata->failed = ret;
	return ret;
}

void perfdata_note_damage(struct gpmu_perfdata *perfdata, const struct gpmu_error *before)
{
	if (perfdata->failed_features)
		perfdata->error = *before;
	perfdata->failed_features = -EINVAL;
	perfdata->failed = 0;
}

int perfdata_expected(struct gpmu_perfdata *perfdata, int ret, uint64_t offset, const char *what)
{
	if (ret == -EINVAL)
		return perfdata_fail(perfdata, ret, offset, "expected %s", what);
	if (ret == -ENODATA)
		return perfdata_fail(perfdata, -EINVAL, offset, "expected %s, the file ends", what);
	return perfdata_fail(perfdata, ret, offset, "%s: %s", what, error_text(-ret));
}
