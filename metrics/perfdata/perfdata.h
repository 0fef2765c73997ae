/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader's parts */
#ifndef GPMU_PERFDATA_H
#define GPMU_PERFDATA_H

#include <stdarg.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/vector.h"
#include "perfdata/gpmu_perfdata.h"
#include "perfdata/perfdata_cursor.h"

/* --- perfdata_file.c: reads the bytes of one file of a recording in order, and earlier bytes again. */

struct perfdata_file {
	char *path;		/* for messages */
	int fd;			/* file, or the copy of a pipe */
	int pipe;		/* pipe that is being copied; -1: none */
	bool is_stopped;	/* the handler of a signal ran while the pipe had no bytes: it ends here */
	uint64_t size;		/* of the file; of a pipe: bytes copied so far */
	uint64_t end;		/* no byte is read from here on */
	uint64_t offset;	/* of the buffer's first byte */
	uint8_t *data;		/* buffer */
	size_t pos, length, room;
};

/* Opens a file or a pipe; "-": standard input. Returns 0 or -errno; nothing is left open then. */
int perfdata_file_open(struct perfdata_file *file, const char *path);
void perfdata_file_close(struct perfdata_file *file);
/* Sets the offset of the next byte. Of a pipe, bytes up to this offset have already been read. */
void perfdata_file_seek(struct perfdata_file *file, uint64_t offset);
/* Byte offset of the next byte */
uint64_t perfdata_file_offset(const struct perfdata_file *file);
/*
 * Reads ahead until the next @size bytes are in the buffer from data + pos on, or the file ends.
 * Returns the number of bytes there, at most @size; or -errno.
 */
ssize_t perfdata_file_fill(struct perfdata_file *file, size_t size);
/* Passes over @size bytes. Returns 0, -ENODATA if the file ends before, or -errno. */
int perfdata_file_skip(struct perfdata_file *file, uint64_t size);
/* Reads bytes at an offset. Returns 0, -ENODATA if the file ends before, or -errno. */
int perfdata_file_read(struct perfdata_file *file, uint64_t offset, void *data, size_t size);

/* --- perfdata_folder.c: the files of a recording: one, or those of a folder, "data", "data.0", ... */

/* Opens them, "data" first. Returns 0; or -errno with @error set, then nothing is left open. */
int perfdata_folder_open(const char *path, struct perfdata_file **files, size_t *count, struct gpmu_error *error);
/* @files: NULL is allowed */
void perfdata_folder_close(struct perfdata_file *files, size_t count);

/*
 * --- perfdata_inflate.c: the records that perf record -z compressed: one stream of zstd (RFC 8878) over all
 * compressed records of a file. A record in the stream may begin in one of them and end in the next.
 */

struct perfdata_inflate {
	struct ZSTD_DCtx_s *stream;	/* NULL: nothing was compressed yet */
	const uint8_t *input;		/* borrowed */
	size_t input_size;
	size_t block;			/* bytes to the end of the next block; 0: zstd finds them without input */
	bool is_damaged;		/* the rest of the input is not zstd's */
	uint8_t *data;			/* buffer, aligned to 8 bytes */
	size_t pos, length;
};

/*
 * Adds compressed bytes, which must stay valid until perfdata_inflate_fill() has returned less
 * than it was asked for. Returns 0 or -ENOMEM.
 */
int perfdata_inflate_add(struct perfdata_inflate *inflate, const void *data, size_t size);
/*
 * Decompresses until the next @size bytes, at most 64 KiB, are in the buffer from data + pos on, or the input ends.
 * Returns the number of bytes there, at most @size; -EINVAL if the input is not zstd's before the @size bytes end.
 */
ssize_t perfdata_inflate_fill(struct perfdata_inflate *inflate, size_t size);
/* Forgets all bytes, for another file. */
void perfdata_inflate_reset(struct perfdata_inflate *inflate);
void perfdata_inflate_release(struct perfdata_inflate *inflate);

/* --- perfdata_info.c: features of a perf.data's header to struct gpmu_perfdata_info */

/* Feature bits of the header */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_EVENT_DESC = 12,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_STAT = 19,
	FEATURE_COUNT = 256,
};

/*
 * Adds a feature; one that is unknown, or that has been added, is ignored. Returns 0; -EINVAL if it
 * ends before its last field; -ENOMEM.
 */
int perfdata_info_add(struct gpmu_perfdata_info *info, unsigned int feature, const void *data, size_t size);
/* Adds the build id of a record's body. Returns 0, -EINVAL or -ENOMEM. */
int perfdata_info_add_build_id(struct gpmu_perfdata_info *info, uint16_t misc, const void *data, size_t size);
void perfdata_info_release(struct gpmu_perfdata_info *info);

/* --- perfdata_events.c: the events of a recording, and their ids */

struct perfdata_event;

/* Zeroed: empty */
struct perfdata_events {
	struct perfdata_event **list;	/* in the order of the file, see perfdata_events.c */
	size_t n;
	struct map ids;		/* id: index */
	const struct gpmu_perfdata_pmu *pmus;	/* borrowed; NULL: not known */
	struct map pmu_numbers;	/* type: index in @pmus */
};

/*
 * Adds the event of an attr, of which the file has @size bytes. Its own member size may differ.
 * Returns 0; -EINVAL if @size is below PERF_ATTR_SIZE_VER0; -ENOMEM.
 */
int perfdata_events_add(struct perfdata_events *events, const void *attr, size_t size);
/* Adds ids to the event that was added last. Returns 0 or -ENOMEM. */
int perfdata_events_add_ids(struct perfdata_events *events, const void *ids, size_t count);
/* Names the events as the feature EVENT_DESC does. Returns 0, -EINVAL or -ENOMEM. */
int perfdata_events_describe(struct perfdata_events *events, struct cursor *cursor);
/* Changes an event as the body of EVENT_UPDATE does. Returns 0, -EINVAL or -ENOMEM. */
int perfdata_events_update(struct perfdata_events *events, struct cursor *cursor);
/* Names an event that the file does not name. Returns 0 or -ENOMEM. */
int perfdata_events_name(struct perfdata_events *events, size_t index, const char *name);
/* Names the events of the PMUs in @info, which are borrowed, if the file does not name them. Returns 0 or -ENOMEM. */
int perfdata_events_set_pmus(struct perfdata_events *events, const struct gpmu_perfdata_info *info);
void perfdata_events_release(struct perfdata_events *events);

/* --- perfdata_tracing.c: parses the formats of tracepoints. */

/* Zeroed: empty */
struct perfdata_tracing {
	struct gpmu_perfdata_tracepoint *list;
	size_t n;
	struct map ids;		/* id: index */
};

/*
 * Adds the tracepoints in the data of HEADER_TRACING_DATA. Returns 0; -EINVAL, with the offset of the
 * damage in *@error_offset, if a part is malformed: the tracepoints before it have been added; or -ENOMEM.
 */
int perfdata_tracing_parse(struct perfdata_tracing *tracing, const void *data, size_t size, size_t *error_offset);
void perfdata_tracing_release(struct perfdata_tracing *tracing);

/* --- perfdata_skipped.c: counts records that could not be read and were skipped, by type. */

/* A zeroed struct has no records. */
struct perfdata_skipped {
	struct {
		uint64_t count, first;	/* @first: offset of the first one */
	} types[GPMU_PERFDATA_TYPES + 1];	/* unknown types are in the last element */
	uint64_t first;			/* offset of the first of all types */
};

void perfdata_skipped_add(struct perfdata_skipped *skipped, uint32_t type, uint64_t offset);

/* --- the reader, of perfdata.c and the other files */

#define PERFDATA_RECORD_MAX	(64U << 10)	/* exclusive limit of a record's 16-bit size */

struct gpmu_perfdata {
	struct perfdata_file *files;		/* one, or those of a folder */
	size_t file_count, file;		/* @file: the one being read */
	uint64_t *begins, *ends;		/* of the records of each file */
	struct gpmu_perfdata_info info;
	struct perfdata_events events;
	struct perfdata_tracing tracing;
	struct perfdata_inflate inflate;
	uint64_t compressed;			/* offset of the last compressed record */
	bool is_cut;				/* the file ends in it */
	struct gpmu_perfdata_record record;
	uint64_t aligned[PERFDATA_RECORD_MAX / 8];	/* copy of a record that is not aligned */
	struct gpmu_perfdata_value values[PERFDATA_RECORD_MAX / 8];	/* of the last record */
	uint64_t callchain[PERFDATA_RECORD_MAX / 8];	/* of the last sample, if it was in raw bytes */
	struct gpmu_perfdata_stats stats;
	uint64_t number, seen;			/* of records: in this reading, and in any */
	struct map refused;			/* numbers of skipped records, from 0 on, whose types are perf's own */
	struct perfdata_skipped skipped;	/* in all readings */
	size_t skipped_file;			/* index of the file with the first skipped record */
	uint64_t missing;			/* bytes of the last AUX buffer that the file lacks */
	int failed_features;			/* error to return after the last record; 0: none */
	int failed;				/* error of the last call; 0: none */
	struct gpmu_error error;
};

/* Notes an error at a byte offset of the file that is being read. Returns @ret. */
__attribute__((format(printf, 4, 5)))
int perfdata_fail(struct gpmu_perfdata *perfdata, int ret, uint64_t offset, const char *fmt, ...);
/*
 * Continues after an error that does not end the records. The first of these errors is reported after the last record. @before: the
 * error before this one
 */
void perfdata_note_damage(struct gpmu_perfdata *perfdata, const struct gpmu_error *before);
/* As perfdata_fail(), for a function that returned @ret, which is not 0, where @what was expected */
int perfdata_expected(struct gpmu_perfdata *perfdata, int ret, uint64_t offset, const char *what);

/*
 * Takes tracepoint formats, which begin at @offset of the file, and names the events of tracepoints. Damage is
 * reported after the last record. Returns 0 or -ENOMEM.
 */
int perfdata_take_tracing(struct gpmu_perfdata *perfdata, const void *data, size_t size, uint64_t offset);
/*
 * Reads the header of each file, and the attrs and features of a file that is no pipe's. Returns
 * 0 or -errno.
 */
int perfdata_read_header(struct gpmu_perfdata *perfdata);
/*
 * Parses the record whose type, misc, offset, body and size are set. Returns 0; -EINVAL if it ends
 * before its last field; -ENOMEM.
 */
int perfdata_parse(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record);
/* Parses a sample, whose event is known. Returns the same. */
int perfdata_parse_sample(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record);
/* Reads counts by the event's read_format. */
void perfdata_take_read(struct gpmu_perfdata *perfdata, const struct perf_event_attr *attr, struct cursor *cursor,
			struct gpmu_perfdata_read *read);

#endif /* GPMU_PERFDATA_H */
