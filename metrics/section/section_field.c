// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "section/section_field.h"

const struct section_field *section_field_find(const struct section_field *field, const char *name)
{
	const struct section_field *found = NULL;

	for (size_t i = 0; field && i < field->n; i++)
		if (!strcmp(field->list[i].kind->name, name))
			found = &field->list[i];
	return found;
}

const struct section_field *section_field_index(const struct section_field *field, const char *name, size_t index)
{
	for (size_t i = 0; field && i < field->n; i++)
		if (!strcmp(field->list[i].kind->name, name) && !index--)
			return &field->list[i];
	return NULL;
}

const struct section_field *section_field_next(const struct section_field *field, const char *name,
					       const struct section_field *previous)
{
	if (!field)
		return NULL;
	for (size_t i = previous ? (size_t)(previous - field->list) + 1 : 0; i < field->n; i++)
		if (!strcmp(field->list[i].kind->name, name))
			return &field->list[i];
	return NULL;
}

const char *section_field_text(const struct section_field *field, const char *name)
{
	const struct section_field *found = section_field_find(field, name);

	return found ? found->text : NULL;
}

double section_field_number(const struct section_field *field, const char *name, double otherwise)
{
	const struct section_field *found = section_field_find(field, name);

	return found && !isnan(found->number) ? found->number : otherwise;
}

void section_field_release(struct section_field *field)
{
	for (size_t i = 0; i < field->n; i++)
		section_field_release(&field->list[i]);
	free(field->list);
	free(field->text);
	field->list = NULL;
	field->text = NULL;
	field->n = 0;
}
