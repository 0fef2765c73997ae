/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader's parts */
#ifndef GPMU_PERFDATA_H
#define GPMU_PERFDATA_H

#include <stdarg.h>

#include "perfdata/gpmu_perfdata.h"
#include "perfdata/perfdata_cursor.h"
#include "perfdata/perfdata_events.h"
#include "perfdata/perfdata_file.h"
#include "perfdata/perfdata_inflate.h"
#include "perfdata/perfdata_info.h"
#include "perfdata/perfdata_skipped.h"
#include "perfdata/perfdata_tracing.h"

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
