// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The data is that of trace-cmd's version 0.6: the layout of the kernel's ring buffer, formats of
 * ftrace's own events, formats of the events of each system, and symbols, which are not needed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "base/text/trace_format.h"
#include "perfdata/perfdata.h"

#define MAGIC		"\x17\x08\x44tracing"
#define FORMAT_MAX	(1U << 20)	/* bytes of a format; the kernel's have a page or two */

/* --- a format */

static void free_tracepoint(struct gpmu_perfdata_tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->field_count; i++)
		free(tracepoint->fields[i].name);
	free(tracepoint->fields);
	free(tracepoint->name);
}

static bool begins_with(const struct trace_field *field, const char *prefix)
{
	return !strncmp(field->type, prefix, strlen(prefix));
}

static enum gpmu_perfdata_field_kind kind_of(const struct trace_field *field, bool is_array)
{
	if (is_array && memmem(field->type, field->type_length, "char", 4))
		return GPMU_PERFDATA_TEXT;
	if (is_array ||
	    (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
		return GPMU_PERFDATA_BYTES;
	if (memchr(field->type, '*', field->type_length))
		return GPMU_PERFDATA_POINTER;
	return field->is_signed ? GPMU_PERFDATA_SIGNED : GPMU_PERFDATA_UNSIGNED;
}

static int add_field(struct gpmu_perfdata_tracepoint *tracepoint, const struct trace_field *field)
{
	struct gpmu_perfdata_field *added =
		vector_append(tracepoint->fields, tracepoint->field_count);

	if (!added)
		return -ENOMEM;
	added->offset = field->offset;
	added->size = field->size;
	added->is_relative = begins_with(field, "__rel_loc ");
	added->is_dynamic = added->is_relative || begins_with(field, "__data_loc ");
	added->kind = kind_of(field, field->is_array || added->is_dynamic);
	added->name = strdup(field->name);
	return added->name ? 0 : -ENOMEM;
}

static int take_format(struct gpmu_perfdata_tracepoint *tracepoint, const char *system, char *text)
{
	struct trace_format format;
	struct trace_field field;
	int ret = trace_format_begin(&format, text);

	if (ret)
		return ret;
	tracepoint->id = format.id;
	tracepoint->name = text_print("%s:%s", system, format.name);
	if (!tracepoint->name)
		return -ENOMEM;
	while ((ret = trace_format_next(&format, &field)) > 0) {
		ret = field.is_common ? 0 : add_field(tracepoint, &field);
		if (ret)
			break;
	}
	return ret;
}

/* Returns 0; -EINVAL if the text is no format; -ENOMEM. */
static int add_format(struct perfdata_tracing *tracing, const char *system, const char *text,
		      size_t size)
{
	struct gpmu_perfdata_tracepoint tracepoint = { 0 };
	char *copy = strndup(text, size);
	int ret = copy ? take_format(&tracepoint, system, copy) : -ENOMEM;

	free(copy);
	if (!ret)
		ret = vector_push(tracing, &tracepoint);
	if (!ret)
		return map_set(&tracing->ids, tracepoint.id, (uint32_t)tracing->n - 1);
	free_tracepoint(&tracepoint);
	return ret;
}

/* --- the data */

/* Takes formats of a system; @system NULL: they are not needed. */
static int take_formats(struct perfdata_tracing *tracing, struct cursor *cursor, const char *system)
{
	uint32_t count = cursor_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->has_failed; i++) {
		uint64_t size = cursor_u64(cursor);
		struct cursor before = *cursor;
		const char *text = size > FORMAT_MAX ? NULL : cursor_bytes(cursor, size);
		int ret = text ? 0 : -EINVAL;

		if (text && system)
			ret = add_format(tracing, system, text, (size_t)size);
		if (ret) {
			*cursor = before;
			return ret;
		}
	}
	return cursor->has_failed ? -EINVAL : 0;
}

/* Takes a text up to its NUL. */
static const char *take_text(struct cursor *cursor)
{
	const uint8_t *end = memchr(cursor->data, '\0', cursor->left);

	if (end)
		return cursor_text(cursor, (uint64_t)(end - cursor->data) + 1);
	cursor->has_failed = true;
	return NULL;
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
	if (!cursor_bytes(cursor, 6) || !skip_part(cursor, "header_page") ||
	    !skip_part(cursor, "header_event"))
		return -EINVAL;
	ret = take_formats(tracing, cursor, NULL);
	systems = ret ? 0 : cursor_u32(cursor);
	for (uint32_t i = 0; i < systems && !ret; i++) {
		const char *system = take_text(cursor);

		ret = system ? take_formats(tracing, cursor, system) : -EINVAL;
	}
	return !ret && cursor->has_failed ? -EINVAL : ret;
}

int perfdata_tracing_parse(struct perfdata_tracing *tracing, const void *data, size_t size,
			   size_t *error_offset)
{
	struct cursor cursor = { .data = data, .left = size };
	int ret = take_all(tracing, &cursor);

	*error_offset = size - cursor.left;
	return ret;
}

const struct gpmu_perfdata_tracepoint *
gpmu_perfdata_tracepoint(const struct gpmu_perfdata *perfdata,
			 const struct gpmu_perfdata_event *event)
{
	const struct perfdata_tracing *tracing = &perfdata->tracing;
	uint32_t index;

	if (event->attr->type != PERF_TYPE_TRACEPOINT ||
	    !map_get(&tracing->ids, event->attr->config, &index))
		return NULL;
	return &tracing->list[index];
}

void perfdata_tracing_release(struct perfdata_tracing *tracing)
{
	for (size_t i = 0; i < tracing->n; i++)
		free_tracepoint(&tracing->list[i]);
	vector_free(tracing);
	map_release(&tracing->ids);
}

/* --- samples */

/* Reads a little-endian number of 1, 2, 4 or 8 bytes. */
static uint64_t number_at(const uint8_t *bytes, uint32_t size, bool is_signed)
{
	uint64_t number = 0;

	memcpy(&number, bytes, size);
	if (is_signed && size < 8)
		number = (uint64_t)((int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size));
	return number;
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
		content->number = number_at(bytes + offset, field->size,
					    field->kind == GPMU_PERFDATA_SIGNED);
		return true;
	}
	content->bytes = bytes + offset;
	if (field->kind == GPMU_PERFDATA_TEXT)
		length = strnlen((const char *)content->bytes, length);
	content->size = length;
	return true;
}
