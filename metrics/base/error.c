// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>

#include "base/error.h"
#include "gpmu.h"

void error_set_at(struct gpmu_error *error, size_t offset, const char *fmt, va_list args)
{
	const size_t size = error ? error->size : 0, head = offsetof(struct gpmu_error, text);

	if (size <= head)
		return;
	error->offset = offset;
	vsnprintf(error->text, size - head < sizeof(error->text) ? size - head :
		  sizeof(error->text), fmt, args);
}

void error_set_offset(struct gpmu_error *error, size_t offset)
{
	if (error && error->size > offsetof(struct gpmu_error, text))
		error->offset = offset;
}

void error_set(struct gpmu_error *error, size_t offset, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error_set_at(error, offset, fmt, args);
	va_end(args);
}
