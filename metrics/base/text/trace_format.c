// SPDX-License-Identifier: LGPL-2.1-or-later
/* libtraceevent is not used: its version 1.7 reads beyond a format that is cut off. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/trace_format.h"

static char *next_line(struct trace_format *format)
{
	char *line = format->next, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	if (end)
		*end = '\0';
	format->next = end ? end + 1 : line + strlen(line);
	return line;
}

/* The text after a prefix of the next line, or NULL */
static char *line_after(struct trace_format *format, const char *prefix)
{
	char *line = next_line(format);

	return line && !strncmp(line, prefix, strlen(prefix)) ? line + strlen(prefix) : NULL;
}

int trace_format_begin(struct trace_format *format, char *text)
{
	const char *id, *fields;
	char *end;

	*format = (struct trace_format){ .next = text, .is_common = true };
	format->name = line_after(format, "name: ");
	id = format->name ? line_after(format, "ID: ") : NULL;
	fields = id ? line_after(format, "format:") : NULL;
	if (!fields || *fields || !*format->name || !isdigit((unsigned char)*id))
		return -EINVAL;
	format->id = strtoul(id, &end, 10);
	return *end ? -EINVAL : 0;
}

/* Takes "PREFIX:N;". Returns whether it is there. */
static bool take_number(char **text, const char *prefix, unsigned long max, uint32_t *number)
{
	const char *digits = *text + strlen(prefix);
	unsigned long value;
	char *end;

	if (strncmp(*text, prefix, strlen(prefix)) != 0 || !isdigit((unsigned char)*digits))
		return false;
	value = strtoul(digits, &end, 10);
	if (value > max || *end != ';')
		return false;
	*number = (uint32_t)value;
	*text = end + 1;
	return true;
}

/* Splits "unsigned long args[6]", "void * addr", "__data_loc char[] name". Returns whether there is a name. */
static bool take_declaration(struct trace_field *field, char *text)
{
	char *end = text + strlen(text), *begin;

	field->is_array = end > text && end[-1] == ']';
	if (field->is_array) {
		end = strrchr(text, '[');
		if (!end)
			return false;
		*end = '\0';
	}
	begin = end;
	while (begin > text && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
		begin--;
	field->name = begin;
	field->type = text;
	field->type_length = (size_t)(begin - text);
	return begin > text && begin < end;
}

/* "\tfield:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;" */
static bool take_field(struct trace_field *field, char *line)
{
	static const char prefix[] = "\tfield:";
	char *end = strchr(line, ';'), *numbers = end ? end + 1 : NULL;
	uint32_t is_signed = 0;

	if (!end || strncmp(line, prefix, strlen(prefix)) != 0)
		return false;
	*end = '\0';
	if (!take_number(&numbers, "\toffset:", UINT16_MAX, &field->offset) ||
	    !take_number(&numbers, "\tsize:", UINT16_MAX, &field->size))
		return false;
	if (*numbers && !take_number(&numbers, "\tsigned:", 1, &is_signed))
		return false;
	field->is_signed = is_signed;
	return take_declaration(field, line + strlen(prefix));
}

int trace_format_next(struct trace_format *format, struct trace_field *field)
{
	char *line;

	/* An empty line follows the common fields. */
	while ((line = next_line(format)) && !*line)
		format->is_common = false;
	if (!line || !strncmp(line, "print fmt:", 10))
		return 0;
	*field = (struct trace_field){ .is_common = format->is_common };
	return take_field(field, line) ? 1 : -EINVAL;
}
