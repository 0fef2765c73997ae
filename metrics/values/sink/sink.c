// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "values/sink/sink.h"

static const struct sink_ops *const kinds[] = {
	[GPMU_SINK_SUMMARY] = &sink_summary,
	[GPMU_SINK_CSV] = &sink_csv,
	[GPMU_SINK_JSON] = &sink_json,
};

#define KINDS	ARRAY_SIZE(kinds)

/* A separator must not contain characters of numbers, words, quotes or the first line. */
static bool is_separator(const char *text)
{
	return *text && !text[strcspn(text, "0123456789abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_+-.\"#\r\n")];
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

static int check(enum gpmu_sink_kind kind, const struct gpmu_sink_options *options,
		 struct gpmu_error *error)
{
	if (kind >= KINDS)
		error_set(error, 0, "no such kind of sink: %d", (int)kind);
	else if ((unsigned int)options->aggregation > GPMU_AGGREGATE_THREAD)
		error_set(error, 0, "no such aggregation: %d", (int)options->aggregation);
	else
		return 0;
	return -EINVAL;
}

struct gpmu_sink *gpmu_sink_new(enum gpmu_sink_kind kind, FILE *file,
				const struct gpmu_sink_options *options,
				struct gpmu_error *error)
{
	struct gpmu_sink_options all = { 0 };
	int ret = sized_options(&all, sizeof(all), options, error);
	struct gpmu_sink *sink;

	if (!ret)
		ret = check(kind, &all, error);
	if (ret) {
		errno = -ret;
		return NULL;
	}
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		goto no_memory;
	sink->ops = kinds[kind];
	sink->file = file;
	sink->options = all;
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
	error_no_memory(error);
	return NULL;
}

void gpmu_sink_free(struct gpmu_sink *sink)
{
	if (!sink)
		return;
	strings_release(&sink->whys);
	for (size_t i = 0; i < sink->line_count; i++)
		free(sink->lines[i].text);
	free(sink->lines);
	free(sink->partners);
	free(sink->part.data);
	free(sink->buffer.data);
	free(sink->separator);
	free(sink->title);
	free(sink->host);
	free(sink);
}

/* @done: set to the number of bytes that are written, also after an error */
static int write_all(int fd, const char *data, size_t length, size_t *done)
{
	for (*done = 0; *done < length;) {
		ssize_t n = write(fd, data + *done, length - *done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*done += (size_t)n;
	}
	return 0;
}

/* stdio would split the write. A FILE without a file descriptor is written by stdio. */
static int write_text(struct gpmu_sink *sink, size_t *done)
{
	const struct sink_buffer *buffer = &sink->buffer;
	int fd = fileno(sink->file);

	errno = 0;
	if (!fflush(sink->file)) {
		if (!buffer->length)
			return 0;
		if (fd >= 0)
			return write_all(fd, buffer->data, buffer->length, done);
		*done = fwrite(buffer->data, 1, buffer->length, sink->file);
		if (*done == buffer->length && !fflush(sink->file))
			return 0;
	}
	return errno ? -errno : -EIO;
}

static int flush(struct gpmu_sink *sink)
{
	struct sink_buffer *buffer = &sink->buffer;
	size_t done = 0;
	int ret = write_text(sink, &done);

	/* The caller has its rows, but not those that are held. */
	if (!sink->options.held)
		done = buffer->length;
	buffer->length -= done;
	if (buffer->length)
		memmove(buffer->data, buffer->data + done, buffer->length);
	return ret;
}

/* Without memory, drops the text after the first @held bytes. */
static int check_memory(struct sink_buffer *buffer, size_t held)
{
	if (!buffer->has_failed)
		return 0;
	buffer->has_failed = false;
	buffer->length = held;
	return -ENOMEM;
}

static void begin(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	if (!sink->has_begun && sink->ops->begin)
		sink->ops->begin(sink, rows);
}

int gpmu_sink_rows(struct gpmu_sink *sink, const struct gpmu_rows *rows)
{
	const size_t held = sink->buffer.length;
	int ret;

	if (!rows)
		return flush(sink);
	begin(sink, rows);
	if (sink->options.metric_only)
		sink_only_rows(sink, rows);
	else
		sink->ops->rows(sink, rows);
	ret = check_memory(&sink->buffer, held);
	if (ret)
		return ret;
	sink->has_begun = true;
	return sink->options.held ? 0 : flush(sink);
}

int gpmu_sink_end(struct gpmu_sink *sink, const struct gpmu_sink_end *end)
{
	static const struct gpmu_rows none;
	const size_t held = sink->buffer.length;
	struct gpmu_sink_end own = { 0 };
	int ret = sized_options(&own, sizeof(own), end, NULL);

	if (ret)
		return ret;
	begin(sink, &none);
	if (sink->ops->end)
		sink->ops->end(sink, &own);
	ret = check_memory(&sink->buffer, held);
	return ret ? ret : flush(sink);
}
