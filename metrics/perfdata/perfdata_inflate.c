// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perfdata/perfdata_inflate.h"

#define BUFFER	(1U << 20)

int perfdata_inflate_add(struct perfdata_inflate *inflate, const void *data, size_t size)
{
	if (!inflate->stream) {
		inflate->stream = ZSTD_createDCtx();
		inflate->data = malloc(BUFFER);
		if (!inflate->stream || !inflate->data) {
			perfdata_inflate_release(inflate);
			return -ENOMEM;
		}
	}
	inflate->input = data;
	inflate->input_size = size;
	return 0;
}

/* Decompresses until the buffer is full or the input yields no more bytes. */
static int decompress(struct perfdata_inflate *inflate)
{
	ZSTD_inBuffer in = { .src = inflate->input, .size = inflate->input_size };
	ZSTD_outBuffer out = { .dst = inflate->data, .size = BUFFER, .pos = inflate->length };
	size_t before;

	do {
		before = out.pos;
		if (ZSTD_isError(ZSTD_decompressStream(inflate->stream, &out, &in)))
			return -EINVAL;
	} while (out.pos < out.size && (in.pos < in.size || out.pos > before));
	inflate->input += in.pos;
	inflate->input_size -= in.pos;
	inflate->length = out.pos;
	return 0;
}

ssize_t perfdata_inflate_fill(struct perfdata_inflate *inflate, size_t size)
{
	size_t left = inflate->length - inflate->at;
	int ret;

	if (left < size && inflate->stream) {
		memmove(inflate->data, inflate->data + inflate->at, left);
		inflate->at = 0;
		inflate->length = left;
		ret = decompress(inflate);
		if (ret)
			return ret;
		left = inflate->length;
	}
	return (ssize_t)(left < size ? left : size);
}

void perfdata_inflate_reset(struct perfdata_inflate *inflate)
{
	if (inflate->stream)
		ZSTD_DCtx_reset(inflate->stream, ZSTD_reset_session_only);
	inflate->input_size = inflate->at = inflate->length = 0;
}

void perfdata_inflate_release(struct perfdata_inflate *inflate)
{
	ZSTD_freeDCtx(inflate->stream);
	free(inflate->data);
	*inflate = (struct perfdata_inflate){ 0 };
}
