// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages for the user. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nvml_source.h"

#define MESSAGES_MAX	64	/* pending messages */

void nv_report(struct source *source, const char *fmt, ...)
{
	char **larger, *text = NULL;
	va_list args;
	int length;

	if (source->message_count == MESSAGES_MAX)
		return;
	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0)
		return;
	larger = realloc(source->messages, (source->message_count + 1) * sizeof(char *));
	if (!larger) {
		free(text);
		return;
	}
	source->messages = larger;
	source->messages[source->message_count++] = text;
}

static void report_missed(struct stream *stream)
{
	if (stream->missed && !stream->gpu->lost)
		nv_report(stream->gpu->source, "nvidia_%s_%u/%s/: %.1f ms were not counted: NVML: %s",
		       stream->event->read ? "nvml" : "gpu", stream->gpu->index, stream->event->name,
		       (double)stream->missed / 1e6, nv_text(stream->gpu->api, stream->why));
	stream->missed = 0;
}

void nv_say_missed(struct source *source)
{
	for (size_t i = 0; i < source->gpu_count; i++)
		for (struct stream *stream = source->gpus[i].streams; stream; stream = stream->next)
			report_missed(stream);
}
