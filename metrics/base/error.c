// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>

#include "base/error.h"
#include "gpmu.h"

void error_set_at(struct gpmu_error *error, size_t offset, const char *fmt, va_list args)
{
	if (!error)
		return;
	error->offset = offset;
	vsnprintf(error->text, sizeof(error->text), fmt, args);
}

void error_set(struct gpmu_error *error, size_t offset, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error_set_at(error, offset, fmt, args);
	va_end(args);
}
