// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perfdata/perfdata.h"

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

/*
 * Decompresses until the buffer is full or the input yields no more bytes. zstd gets a block at a time, as a call that
 * fails yields no bytes of the blocks before the damage.
 */
static void decompress(struct perfdata_inflate *inflate)
{
	ZSTD_inBuffer in = { .src = inflate->input };
	ZSTD_outBuffer out = { .dst = inflate->data, .size = BUFFER, .pos = inflate->length };
	size_t before;

	do {
		before = out.pos;
		in.size = inflate->input_size - in.pos > inflate->block ? in.pos + inflate->block : inflate->input_size;
		inflate->block = ZSTD_decompressStream(inflate->stream, &out, &in);
		inflate->is_damaged = ZSTD_isError(inflate->block);
	} while (!inflate->is_damaged && out.pos < out.size && (in.pos < inflate->input_size || out.pos > before));
	inflate->input += in.pos;
	inflate->input_size -= in.pos;
	inflate->length = out.pos;
}

ssize_t perfdata_inflate_fill(struct perfdata_inflate *inflate, size_t size)
{
	size_t left = inflate->length - inflate->pos;

	if (left < size && inflate->stream && !inflate->is_damaged) {
		memmove(inflate->data, inflate->data + inflate->pos, left);
		inflate->pos = 0;
		inflate->length = left;
		decompress(inflate);
		left = inflate->length;
	}
	if (left < size && inflate->is_damaged)
		return -EINVAL;
	return (ssize_t)(left < size ? left : size);
}

void perfdata_inflate_reset(struct perfdata_inflate *inflate)
{
	if (inflate->stream)
		ZSTD_DCtx_reset(inflate->stream, ZSTD_reset_session_only);
	inflate->input_size = inflate->pos = inflate->length = inflate->block = 0;
	inflate->is_damaged = false;
}

void perfdata_inflate_release(struct perfdata_inflate *inflate)
{
	ZSTD_freeDCtx(inflate->stream);
	free(inflate->data);
	*inflate = (struct perfdata_inflate){ 0 };
}
