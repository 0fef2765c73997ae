// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The data is what trace-cmd writes in version 0.6: the layout of the kernel's ring buffer, formats of ftrace's own events,
 * formats of the events of each system, and symbols, which are not needed. A format is the text of tracefs (Linux's
 * Documentation/trace/events.rst, "Event formats"). libtraceevent is not used, as its version 1.7 reads beyond a format that is cut off.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "perfdata/perfdata.h"

#define MAGIC		"\x17\x08\x44tracing"
#define FORMAT_MOST	(1U << 20)	/* bytes of a format; those of the kernel have at most a page or two */

/* --- a format */

/* A text that is being parsed; a line is cut at its end */
struct lines {
	char *next;
};

static char *next_line(struct lines *lines)
{
	char *line = lines->next, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	if (end)
		*end = '\0';
	lines->next = end ? end + 1 : line + strlen(line);
	return line;
}

/* The text after a prefix of the next line, or NULL */
static char *line_after(struct lines *lines, const char *prefix)
{
	char *line = next_line(lines);

	return line && !strncmp(line, prefix, strlen(prefix)) ? line + strlen(prefix) : NULL;
}

/* Takes "PREFIX:N;". Returns whether it is there. */
static bool take_number(char **at, const char *prefix, unsigned long most, uint32_t *number)
{
	unsigned long value;
	char *end;

	if (strncmp(*at, prefix, strlen(prefix)) != 0 || !isdigit((unsigned char)(*at)[strlen(prefix)]))
		return false;
	value = strtoul(*at + strlen(prefix), &end, 10);
	if (value > most || *end != ';')
		return false;
	*number = (uint32_t)value;
	*at = end + 1;
	return true;
}

/*
 * "unsigned long args[6]", "void * addr", "__data_loc char[] name", "__rel_loc char[] name": sets name and kind. Returns whether
 * the declaration has a name.
 */
static bool take_declaration(char *text, bool is_signed, struct gpmu_perfdata_field *field, const char **name)
{
	size_t length = strlen(text);
	bool is_array = length && text[length - 1] == ']', is_text;
	char *begin;

	if (is_array) {
		begin = strrchr(text, '[');
		if (!begin)
			return false;
		length = (size_t)(begin - text);
		*begin = '\0';
	}
	begin = text + length;
	while (begin > text && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
		begin--;
	if (!*begin || begin == text)
		return false;
	*name = begin;
	field->is_relative = !strncmp(text, "__rel_loc ", 10);
	field->is_dynamic = field->is_relative || !strncmp(text, "__data_loc ", 11);
	is_array |= field->is_dynamic;
	/* The type is followed by the name, without its own NUL. */
	is_text = is_array && memmem(text, (size_t)(begin - text), "char", 4);
	if (is_text)
		field->kind = GPMU_PERFDATA_TEXT;
	else if (is_array || (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
		field->kind = GPMU_PERFDATA_BYTES;
	else if (memchr(text, '*', (size_t)(begin - text)))
		field->kind = GPMU_PERFDATA_POINTER;
	else
		field->kind = is_signed ? GPMU_PERFDATA_SIGNED : GPMU_PERFDATA_UNSIGNED;
	return true;
}

/* "\tfield:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;" */
static bool take_field(char *line, struct gpmu_perfdata_field *field, const char **name)
{
	static const char prefix[] = "\tfield:";
	char *end = strchr(line, ';'), *at = end ? end + 1 : NULL;
	uint32_t is_signed = 0;

	if (!end || strncmp(line, prefix, strlen(prefix)) != 0)
		return false;
	*end = '\0';
	if (!take_number(&at, "\toffset:", UINT16_MAX, &field->offset) || !take_number(&at, "\tsize:", UINT16_MAX, &field->size))
		return false;
	if (*at && !take_number(&at, "\tsigned:", 1, &is_signed))
		return false;
	return take_declaration(line + strlen(prefix), is_signed, field, name);
}

static void free_tracepoint(struct gpmu_perfdata_tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->field_count; i++)
		free(tracepoint->fields[i].name);
	free(tracepoint->fields);
	free(tracepoint->name);
}

static int add_field(struct gpmu_perfdata_tracepoint *tracepoint, const struct gpmu_perfdata_field *field, const char *name)
{
	struct gpmu_perfdata_field *added = vector_append(tracepoint->fields, tracepoint->field_count);

	if (!added)
		return -ENOMEM;
	*added = *field;
	added->name = strdup(name);
	return added->name ? 0 : -ENOMEM;
}

/* Takes the fields after the empty line; those in front of it are common to all tracepoints. */
static int take_fields(struct gpmu_perfdata_tracepoint *tracepoint, struct lines *lines)
{
	bool is_common = true;
	char *line;

	while ((line = next_line(lines)) && strncmp(line, "print fmt:", 10) != 0) {
		struct gpmu_perfdata_field field = { .name = NULL };
		const char *name;
		int ret;

		if (!*line) {
			is_common = false;
			continue;
		}
		if (!take_field(line, &field, &name))
			return -EINVAL;
		ret = is_common ? 0 : add_field(tracepoint, &field, name);
		if (ret)
			return ret;
	}
	return 0;
}

static int take_format(struct gpmu_perfdata_tracepoint *tracepoint, const char *system, char *text)
{
	struct lines lines = { text };
	const char *name = line_after(&lines, "name: "), *id = name ? line_after(&lines, "ID: ") : NULL, *format;
	char *end;

	format = id ? line_after(&lines, "format:") : NULL;
	if (!format || *format || !*name || !isdigit((unsigned char)*id))
		return -EINVAL;
	tracepoint->id = strtoul(id, &end, 10);
	if (*end)
		return -EINVAL;
	tracepoint->name = text_print("%s:%s", system, name);
	return tracepoint->name ? take_fields(tracepoint, &lines) : -ENOMEM;
}

/* Returns 0; -EINVAL if the text is no format; -ENOMEM. */
static int add_format(struct perfdata_tracing *tracing, const char *system, const char *text, size_t size)
{
	struct gpmu_perfdata_tracepoint *slot = NULL, tracepoint = { 0 };
	char *copy = strndup(text, size);
	int ret = copy ? take_format(&tracepoint, system, copy) : -ENOMEM;

	free(copy);
	if (!ret) {
		slot = vector_add(&tracing->list, sizeof(*slot));
		if (slot && map_set(&tracing->ids, tracepoint.id, (uint32_t)tracing->list.n - 1)) {
			tracing->list.n--;
			slot = NULL;
		}
		ret = slot ? 0 : -ENOMEM;
	}
	if (ret)
		free_tracepoint(&tracepoint);
	else
		*slot = tracepoint;
	return ret;
}

/* --- the data */

/* Takes formats of a system; @system NULL: they are not needed. */
static int take_formats(struct perfdata_tracing *tracing, struct cursor *cursor, const char *system)
{
	uint32_t count = cursor_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->failed; i++) {
		uint64_t size = cursor_u64(cursor);
		struct cursor before = *cursor;
		const char *text = size > FORMAT_MOST ? NULL : cursor_bytes(cursor, size);
		int ret = !text ? -EINVAL : system ? add_format(tracing, system, text, (size_t)size) : 0;

		if (ret) {
			*cursor = before;
			return ret;
		}
	}
	return cursor->failed ? -EINVAL : 0;
}

/* Takes a text up to its NUL. */
static const char *take_text(struct cursor *cursor)
{
	const void *end = memchr(cursor->data, '\0', cursor->left);

	if (!end)
		cursor->failed = true;
	return end ? cursor_text(cursor, (uint64_t)((const uint8_t *)end - cursor->data) + 1) : NULL;
}

/* Passes over a part that begins with its name and size. */
static bool skip_part(struct cursor *cursor, const char *name)
{
	const char *text = take_text(cursor);

	return text && !strcmp(text, name) && cursor_bytes(cursor, cursor_u64(cursor));
}

static int take_all(struct perfdata_tracing *tracing, struct cursor *cursor)
{
	const void *magic = cursor_bytes(cursor, strlen(MAGIC));
	uint32_t systems;
	int ret;

	if (!magic || memcmp(magic, MAGIC, strlen(MAGIC)) != 0 || !take_text(cursor))
		return -EINVAL;
	/* Byte order, bytes of a long, bytes of a page */
	if (!cursor_bytes(cursor, 6) || !skip_part(cursor, "header_page") || !skip_part(cursor, "header_event"))
		return -EINVAL;
	ret = take_formats(tracing, cursor, NULL);
	systems = ret ? 0 : cursor_u32(cursor);
	for (uint32_t i = 0; i < systems && !ret; i++) {
		const char *system = take_text(cursor);

		ret = system ? take_formats(tracing, cursor, system) : -EINVAL;
	}
	return !ret && cursor->failed ? -EINVAL : ret;
}

int perfdata_tracing_parse(struct perfdata_tracing *tracing, const void *data, size_t size, size_t *at)
{
	struct cursor cursor = { .data = data, .left = size };
	int ret = take_all(tracing, &cursor);

	*at = size - cursor.left;
	return ret;
}

const struct gpmu_perfdata_tracepoint *gpmu_perfdata_tracepoint(const struct gpmu_perfdata *perfdata,
								const struct gpmu_perfdata_event *event)
{
	const struct perfdata_tracing *tracing = &perfdata->tracing;
	uint32_t index;

	if (event->attr->type != PERF_TYPE_TRACEPOINT || !map_get(&tracing->ids, event->attr->config, &index))
		return NULL;
	return (struct gpmu_perfdata_tracepoint *)tracing->list.data + index;
}

void perfdata_tracing_release(struct perfdata_tracing *tracing)
{
	for (size_t i = 0; i < tracing->list.n; i++)
		free_tracepoint((struct gpmu_perfdata_tracepoint *)tracing->list.data + i);
	vector_release(&tracing->list);
	map_release(&tracing->ids);
}

/* --- samples */

/* Reads a little-endian number of 1, 2, 4 or 8 bytes. */
static uint64_t number_at(const uint8_t *bytes, uint32_t size, bool is_signed)
{
	uint64_t number = 0;

	memcpy(&number, bytes, size);
	return is_signed && size < 8 ? (uint64_t)((int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size)) : number;
}

bool gpmu_perfdata_content(const struct gpmu_perfdata_field *field, const void *raw, size_t size,
			   struct gpmu_perfdata_content *content)
{
	const uint8_t *bytes = raw;
	size_t offset = field->offset, length = field->size;

	*content = (struct gpmu_perfdata_content){ 0 };
	if (offset > size || length > size - offset)
		return false;
	if (field->is_dynamic) {
		uint64_t place;

		if (length != sizeof(uint32_t))
			return false;
		/* Offset in the low half, length in the high half */
		place = number_at(bytes + offset, sizeof(uint32_t), false);
		offset = (field->is_relative ? offset + length : 0) + (place & 0xffff);
		length = place >> 16;
		if (offset > size || length > size - offset)
			return false;
	} else if (field->kind < GPMU_PERFDATA_TEXT) {
		content->number = number_at(bytes + offset, field->size, field->kind == GPMU_PERFDATA_SIGNED);
		return true;
	}
	content->bytes = bytes + offset;
	content->size = field->kind == GPMU_PERFDATA_TEXT ? strnlen((const char *)content->bytes, length) : length;
	return true;
}
