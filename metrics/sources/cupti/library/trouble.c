// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>

#include "library/cupti_messages.h"
#include "library/cupti_trouble.h"

void trouble_set(struct trouble *trouble, const char *kind, const char *remedy, const char *fmt, ...)
{
	va_list args;

	trouble->kind = kind;
	snprintf(trouble->remedy, sizeof(trouble->remedy), "%s", remedy);
	va_start(args, fmt);
	vsnprintf(trouble->text, sizeof(trouble->text), fmt, args);
	va_end(args);
}

int trouble_fail(const struct trouble *trouble, const char *who, int ret, struct gpmu_error *error)
{
	return fail(error, ret, "%s%s%s%s%s", who ? who : "", who ? ": " : "", trouble->text,
		    *trouble->remedy ? ": " : "", trouble->remedy);
}
