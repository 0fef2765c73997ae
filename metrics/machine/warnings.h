/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Warnings about parts of a machine that were skipped, one line each. */
#ifndef GPMU_WARNINGS_H
#define GPMU_WARNINGS_H

#include <stddef.h>

#define WARNINGS_MAX	100

/* Zeroed: empty */
struct warnings {
	char *lines[WARNINGS_MAX + 1];
	size_t len;
	size_t more;	/* number of lines beyond the limit */
};

/*
 * Adds a line; replaces unprintable characters so that it remains one line. Returns 0 or
 * -ENOMEM.
 */
__attribute__((format(printf, 2, 3)))
int warnings_add(struct warnings *warnings, const char *fmt, ...);

/* Adds a line with the number of omitted warnings. Returns 0 or -ENOMEM. */
int warnings_end(struct warnings *warnings);

/* Restores an earlier state: @len lines and @more omitted ones. */
void warnings_rewind(struct warnings *warnings, size_t len, size_t more);

void warnings_release(struct warnings *warnings);

#endif /* GPMU_WARNINGS_H */
