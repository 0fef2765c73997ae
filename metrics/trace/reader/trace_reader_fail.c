// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/reader/trace_reader.h"

int reader_fail(struct gpmu_trace_reader *reader, int ret, const char *fmt, ...)
{
	char text[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set_path(&reader->why, (size_t)reader->packet_offset, reader->path, ":%" PRIu64 ": %s", reader->packet_offset, text);
	reader->failed = ret;
	return ret;
}

int reader_no_memory(struct gpmu_trace_reader *reader)
{
	error_no_memory(&reader->why);
	reader->failed = -ENOMEM;
	return -ENOMEM;
}
