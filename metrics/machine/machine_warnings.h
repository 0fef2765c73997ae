/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of a machine was left out and why, a line each. */
#ifndef GPMU_MACHINE_WARNINGS_H
#define GPMU_MACHINE_WARNINGS_H

#include <stddef.h>

#define WARNINGS_MAX	100

/* Zeroed: none */
struct warnings {
	char *lines[WARNINGS_MAX + 1];
	size_t len;
	size_t more;	/* that there was no room for */
};

/* 0 or -ENOMEM. What is not printable is replaced, so that a line stays one. */
__attribute__((format(printf, 2, 3)))
int warnings_add(struct warnings *warnings, const char *fmt, ...);

/* Adds a line of how many there was no room for. 0 or -ENOMEM */
int warnings_end(struct warnings *warnings);

/* As it was when it had so many, and no room for @more */
void warnings_rewind(struct warnings *warnings, size_t len, size_t more);

void warnings_release(struct warnings *warnings);

#endif /* GPMU_MACHINE_WARNINGS_H */
