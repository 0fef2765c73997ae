/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the format of a tracepoint, a text of tracefs (Linux's Documentation/trace/events.rst,
 * "Event formats"). The parser cuts the text into lines and names, to which all results point.
 */
#ifndef GPMU_TRACE_FORMAT_H
#define GPMU_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_format {
	const char *name;
	uint64_t id;		/* config of the tracepoint's event */
	char *next;		/* the next line */
	bool is_common;		/* all tracepoints have the next field */
};

struct trace_field {
	const char *name;
	const char *type;	/* "unsigned long ", "__data_loc char[] ": @type_length bytes */
	size_t type_length;
	uint32_t offset, size;	/* bytes in a record */
	bool is_signed, is_array, is_common;
};

/* Parses the lines before the fields. Returns 0 or -EINVAL. */
int trace_format_begin(struct trace_format *format, char *text);
/* Parses the next field. Returns 1; 0 after the last field; or -EINVAL. */
int trace_format_next(struct trace_format *format, struct trace_field *field);

#endif /* GPMU_TRACE_FORMAT_H */
