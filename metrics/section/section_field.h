/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of a message as a tree, in the order of the file. Unknown fields are not in it. */
#ifndef GPMU_SECTION_FIELD_H
#define GPMU_SECTION_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "section/section_schema.h"

struct section_field {
	const struct section_kind *kind;	/* NULL: the file itself */
	unsigned int line;
	/* of a scalar */
	char *text;
	double number;		/* NaN: the value is no number */
	/* of a message */
	struct section_field *list;
	size_t n;
};

/*
 * Return the fields of a message by name: the field itself, the one at an index of a repeated field, the one after
 * @previous or the first if that is NULL, its text and its number. Without the field they return NULL, and @otherwise.
 * If a field that is not repeated occurs several times, its last value is returned. @field may be NULL, which
 * stands for a message without fields.
 */
const struct section_field *section_field_find(const struct section_field *field, const char *name);
const struct section_field *section_field_index(const struct section_field *field, const char *name, size_t index);
const struct section_field *section_field_next(const struct section_field *field, const char *name,
					       const struct section_field *previous);
const char *section_field_text(const struct section_field *field, const char *name);
double section_field_number(const struct section_field *field, const char *name, double otherwise);
/* Frees what the field owns, at any depth. */
void section_field_release(struct section_field *field);

#endif /* GPMU_SECTION_FIELD_H */
