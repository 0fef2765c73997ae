// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "values/sink.h"

static const struct sink_ops *const kinds[] = {
	[GPMU_SINK_SUMMARY] = &sink_summary,
	[GPMU_SINK_CSV] = &sink_csv,
	[GPMU_SINK_JSON] = &sink_json,
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* A separator must not contain characters of numbers, words, quotes or the first line. */
static bool is_separator(const char *text)
{
	return *text && !text[strcspn(text, "0123456789abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_+-.\"#\r\n")];
}

const char *sink_scope_name(enum gpmu_scope scope)
{
	static const char *const names[] = {
		[GPMU_SCOPE_MACHINE] = "machine",
		[GPMU_SCOPE_NODE] = "node",
		[GPMU_SCOPE_CPU] = "cpu",
		[GPMU_SCOPE_PROCESS] = "process",
		[GPMU_SCOPE_GPU] = "gpu",
	};

	return scope < sizeof(names) / sizeof(names[0]) ? names[scope] : "";
}

const char *sink_state_name(enum gpmu_state state)
{
	static const char *const names[] = {
		[GPMU_STATE_OK] = "ok",
		[GPMU_STATE_IDLE] = "idle",
		[GPMU_STATE_NOT_COUNTED] = "not_counted",
		[GPMU_STATE_NOT_SUPPORTED] = "not_supported",
	};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "";
}

/*
 * Copies a caller's structure of another size: members that it lacks are 0, unknown ones are
 * ignored.
 */
static void copy_sized(void *to, size_t size, const void *from)
{
	size_t given;

	memcpy(&given, from, sizeof(given));
	memset(to, 0, size);
	memcpy(to, from, given < size ? given : size);
}

static int copy_texts(struct gpmu_sink *sink)
{
	const char *host = sink->options.host;
	struct utsname name;

	if (!host)
		host = uname(&name) ? "" : name.nodename;
	sink->separator = strdup(sink->options.separator ? sink->options.separator : ",");
	sink->title = strdup(sink->options.title ? sink->options.title : "'system wide'");
	sink->host = strdup(host);
	sink->separator_length = sink->separator ? strlen(sink->separator) : 0;
	return sink->separator && sink->title && sink->host ? 0 : -ENOMEM;
}

struct gpmu_sink *gpmu_sink_new(enum gpmu_sink_kind kind, FILE *file,
				const struct gpmu_sink_options *options,
				struct gpmu_error *error)
{
	struct gpmu_sink *sink;

	if (kind >= KINDS || (options && options->size < sizeof(options->size))) {
		error_set(error, 0,
			  "a sink of kind %d: expected 0 to %zu, and options with their size",
			  (int)kind, KINDS - 1);
		errno = EINVAL;
		return NULL;
	}
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		goto no_memory;
	sink->ops = kinds[kind];
	sink->file = file;
	if (options)
		copy_sized(&sink->options, sizeof(sink->options), options);
	if (copy_texts(sink))
		goto no_memory;
	if (is_separator(sink->separator))
		return sink;
	error_set(error, 0, "separator \"%s\": expected one without letters, digits and any of "
		  "_+-.\"# and line ends", sink->separator);
	gpmu_sink_free(sink);
	errno = EINVAL;
	return NULL;
no_memory:
	gpmu_sink_free(sink);
	error_set(error, 0, "no memory");
	errno = ENOMEM;
	return NULL;
}

void gpmu_sink_free(struct gpmu_sink *sink)
{
	if (!sink)
		return;
	for (size_t i = 0; i < sink->why_count; i++)
		free(sink->whys[i]);
	free(sink->whys);
	for (size_t i = 0; i < sink->line_count; i++)
		free(sink->lines[i].text);
	free(sink->lines);
	free(sink->part.data);
	free(sink->copy);
	free(sink->buffer.data);
	free(sink->separator);
	free(sink->title);
	free(sink->host);
	free(sink);
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t n = write(fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		length -= (size_t)n;
	}
	return 0;
}

/* stdio would split the write. A FILE without a file descriptor is written by stdio. */
static int flush(struct gpmu_sink *sink)
{
	struct sink_buffer *buffer = &sink->buffer;
	size_t length = buffer->length;
	int fd;

	buffer->length = 0;
	if (buffer->failed) {
		buffer->failed = false;
		return -ENOMEM;
	}
	errno = 0;
	if (fflush(sink->file))
		return errno ? -errno : -EIO;
	fd = fileno(sink->file);
	if (fd >= 0)
		return write_all(fd, buffer->data, length);
	errno = 0;
	if (fwrite(buffer->data, 1, length, sink->file) != length || fflush(sink->file))
		return errno ? -errno : -EIO;
	return 0;
}

/* Copies rows of another size to an array of this library's size. */
static const struct gpmu_row *own_rows(struct gpmu_sink *sink, const struct gpmu_row *rows,
				       size_t n)
{
	struct gpmu_row *copy;

	if (!n || rows->size == sizeof(*rows))
		return rows;
	if (n > sink->copy_room) {
		copy = reallocarray(sink->copy, n, sizeof(*copy));
		if (!copy)
			return NULL;
		sink->copy = copy;
		sink->copy_room = n;
	}
	for (size_t i = 0; i < n; i++) {
		struct gpmu_row row = { 0 };

		copy_sized(&row, sizeof(row), gpmu_row_at(rows, i));
		sink->copy[i] = row;
	}
	return sink->copy;
}

/* The first version has the members up to this one. */
#define ROW_LEAST	(offsetof(struct gpmu_row, why) + sizeof(const char *))

static void begin(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n)
{
	if (!sink->begun)
		sink->ops->begin(sink, rows, n);
}

int gpmu_sink_rows(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n)
{
	int ret;

	if (n && rows->size < ROW_LEAST)
		return -EINVAL;
	rows = own_rows(sink, rows, n);
	if (!rows && n)
		return -ENOMEM;
	begin(sink, rows, n);
	sink->ops->rows(sink, rows, n);
	ret = sink->held && !sink->buffer.failed ? 0 : flush(sink);
	sink->begun = sink->begun || ret != -ENOMEM;
	return ret;
}

int gpmu_sink_hold(struct gpmu_sink *sink, int hold)
{
	sink->held = hold;
	return hold ? 0 : flush(sink);
}

int gpmu_sink_end(struct gpmu_sink *sink, const struct gpmu_sink_end *end)
{
	struct gpmu_sink_end own;

	if (end->size < sizeof(end->size))
		return -EINVAL;
	copy_sized(&own, sizeof(own), end);
	begin(sink, NULL, 0);
	sink->ops->end(sink, &own);
	return flush(sink);
}
