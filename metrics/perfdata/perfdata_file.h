/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the bytes of one file of a recording in order, and earlier bytes again. */
#ifndef GPMU_PERFDATA_FILE_H
#define GPMU_PERFDATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perfdata_file {
	char *path;		/* for messages */
	int fd;			/* file, or the copy of a pipe */
	int pipe;		/* pipe that is being copied; -1: none */
	bool stopped;		/* the handler of a signal ran while the pipe had no bytes: it ends here */
	uint64_t size;		/* of the file; of a pipe: bytes copied so far */
	uint64_t end;		/* no byte is read from here on */
	uint64_t offset;	/* of the buffer's first byte */
	uint8_t *data;		/* buffer */
	size_t at, length, room;
};

/* Opens a file or a pipe; "-": standard input. Returns 0 or -errno; nothing is left open then. */
int perfdata_file_open(struct perfdata_file *file, const char *path);
void perfdata_file_close(struct perfdata_file *file);
/* Sets the offset of the next byte. Of a pipe, bytes up to this offset have already been read. */
void perfdata_file_seek(struct perfdata_file *file, uint64_t offset);
/* Byte offset of the next byte */
uint64_t perfdata_file_offset(const struct perfdata_file *file);
/*
 * Reads ahead until the next @size bytes are in the buffer at data + at, or the file ends.
 * Returns the number of bytes there, at most @size; or -errno.
 */
ssize_t perfdata_file_fill(struct perfdata_file *file, size_t size);
/* Passes over @size bytes. Returns 0, -ENODATA if the file ends before, or -errno. */
int perfdata_file_skip(struct perfdata_file *file, uint64_t size);
/* Reads bytes at an offset. Returns 0, -ENODATA if the file ends before, or -errno. */
int perfdata_file_read(struct perfdata_file *file, uint64_t offset, void *data, size_t size);

#endif /* GPMU_PERFDATA_FILE_H */
