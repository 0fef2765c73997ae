/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records that perf record -z compressed: one stream of zstd (RFC 8878) over all compressed
 * records of a file. A record in the stream may begin in one of them and end in the next.
 */
#ifndef GPMU_PERFDATA_INFLATE_H
#define GPMU_PERFDATA_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perfdata_inflate {
	struct ZSTD_DCtx_s *stream;	/* NULL: nothing was compressed yet */
	const uint8_t *input;		/* borrowed */
	size_t input_size;
	size_t block;			/* bytes to the end of the next block; 0: zstd finds them without input */
	bool is_damaged;		/* the rest of the input is not zstd's */
	uint8_t *data;			/* buffer, aligned to 8 bytes */
	size_t at, length;
};

/*
 * Adds compressed bytes, which must stay valid until perfdata_inflate_fill() has returned less
 * than it was asked for. Returns 0 or -ENOMEM.
 */
int perfdata_inflate_add(struct perfdata_inflate *inflate, const void *data, size_t size);
/*
 * Decompresses until the next @size bytes, at most 64 KiB, are at data + at, or the input ends.
 * Returns the number of bytes there, at most @size; -EINVAL if the input is not zstd's before the @size bytes end.
 */
ssize_t perfdata_inflate_fill(struct perfdata_inflate *inflate, size_t size);
/* Forgets all bytes, for another file. */
void perfdata_inflate_reset(struct perfdata_inflate *inflate);
void perfdata_inflate_release(struct perfdata_inflate *inflate);

#endif /* GPMU_PERFDATA_INFLATE_H */
