/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a section file by the table of its fields. */
#ifndef GPMU_SECTION_PARSE_H
#define GPMU_SECTION_PARSE_H

#include <stddef.h>

#include "base/vector.h"
#include "section/section_field.h"

struct gpmu_error;

#define SECTION_MAX_WARNINGS	100	/* later ones are only counted */

struct section_warnings {
	VECTOR(char *) lines;
	size_t more;		/* number of warnings that are not in @lines */
};

/*
 * Parses a file. @name: its path as shown to users; @root: empty. Returns 0; -ENOMEM; or -EINVAL with the error set,
 * "FILE:LINE: ...". On failure the caller also releases @root and @warnings.
 */
int section_parse(const char *name, const char *text, size_t size, struct section_field *root,
		  struct section_warnings *warnings, struct gpmu_error *error);
/* Adds a warning, "FILE:LINE: ..."; line 0 is left out. Returns 0 or -ENOMEM. */
__attribute__((format(printf, 4, 5)))
int section_warn(struct section_warnings *warnings, const char *name, unsigned int line, const char *fmt, ...);
void section_warnings_release(struct section_warnings *warnings);

#endif /* GPMU_SECTION_PARSE_H */
