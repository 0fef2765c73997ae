// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "section/section.h"

/* An identifier is an argument of options, so it has no blanks and commas. */
static int check_identifier(const struct gpmu_section *section, struct gpmu_error *error)
{
	const struct section_field *field = section_field_find(&section->root, "Identifier");

	if (!field || !*field->text)
		error_set_path(error, 0, section->file, ": expected an Identifier");
	else if (strpbrk(field->text, " \t\r\n,"))
		error_set_path(error, 0, section->file, ":%u: Identifier: expected a text without blanks and commas",
			       field->line);
	else
		return 0;
	return -EINVAL;
}

/* Adds the number of warnings that were only counted. */
static int add_more(struct section_warnings *warnings, const char *name)
{
	char *line;

	if (!warnings->more)
		return 0;
	line = text_print("%s: %zu more warnings", name, warnings->more);
	if (line && !vector_push(&warnings->lines, &line))
		return 0;
	free(line);
	return -ENOMEM;
}

struct gpmu_section *gpmu_section_new(const char *name, const char *text, size_t size, struct gpmu_error *error)
{
	struct gpmu_section *section = calloc(1, sizeof(*section));
	int ret = section && (section->file = strdup(name)) ? 0 : -ENOMEM;

	if (!ret)
		ret = section_parse(name, text, size, &section->root, &section->warnings, error);
	if (!ret)
		ret = check_identifier(section, error);
	if (!ret)
		ret = section_check_patterns(section);
	if (!ret)
		ret = add_more(&section->warnings, name);
	if (!ret)
		return section;
	gpmu_section_free(section);
	if (ret == -ENOMEM)
		error_no_memory(error);
	errno = -ret;
	return NULL;
}

void gpmu_section_free(struct gpmu_section *section)
{
	if (!section)
		return;
	section_field_release(&section->root);
	section_warnings_release(&section->warnings);
	free(section->file);
	free(section);
}

const char *gpmu_section_file(const struct gpmu_section *section)
{
	return section->file;
}

const char *gpmu_section_identifier(const struct gpmu_section *section)
{
	return section_field_text(&section->root, "Identifier");
}

const char *gpmu_section_name(const struct gpmu_section *section)
{
	const char *name = section_field_text(&section->root, "DisplayName");

	return name && *name ? name : gpmu_section_identifier(section);
}

const char *gpmu_section_description(const struct gpmu_section *section)
{
	return section_field_text(&section->root, "Description");
}

int gpmu_section_order(const struct gpmu_section *section)
{
	double order = section_field_number(&section->root, "Order", 0);

	return order > INT_MAX ? INT_MAX : order < INT_MIN ? INT_MIN : (int)order;
}

const char *gpmu_section_extends(const struct gpmu_section *section, size_t index)
{
	const struct section_field *field = section_field_index(&section->root, "Extends", index);

	return field ? field->text : NULL;
}

const char *gpmu_section_set(const struct gpmu_section *section, size_t index)
{
	const struct section_field *set = section_field_index(&section->root, "Sets", index);

	return set ? section_field_text(set, "Identifier") : NULL;
}

const char *gpmu_section_warning(const struct gpmu_section *section, size_t index)
{
	return index < section->warnings.lines.n ? section->warnings.lines.list[index] : NULL;
}
