// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_shown.h"
#include "machine/warnings.h"

#define MAX_LINE	512

static int add(struct warnings *warnings, char *line)
{
	warnings->lines[warnings->len] = strdup(gpmu_shown(line));
	if (!warnings->lines[warnings->len])
		return -ENOMEM;
	warnings->len++;
	return 0;
}

int warnings_add(struct warnings *warnings, const char *fmt, ...)
{
	char line[MAX_LINE];
	va_list args;

	if (warnings->len >= WARNINGS_MAX) {
		warnings->more++;
		return 0;
	}
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	return add(warnings, line);
}

int warnings_end(struct warnings *warnings)
{
	char line[MAX_LINE];

	if (!warnings->more)
		return 0;
	snprintf(line, sizeof(line), "and %zu more", warnings->more);
	return add(warnings, line);
}

void warnings_rewind(struct warnings *warnings, size_t len, size_t more)
{
	while (warnings->len > len)
		free(warnings->lines[--warnings->len]);
	warnings->more = more;
}

void warnings_release(struct warnings *warnings)
{
	warnings_rewind(warnings, 0, 0);
	*warnings = (struct warnings){ 0 };
}
