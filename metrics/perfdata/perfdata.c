// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens a recording and splits its files into records. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sized.h"
#include "perfdata/perfdata.h"

#define TRACING_MAX	(256ULL << 20)	/* bytes of tracepoint formats */
#define SKIPPED		2		/* the caller is to read another record */
#define MISC_LOST_SAMPLES_BPF	(1U << 15)	/* of LOST_SAMPLES: dropped by a BPF filter (perf 6.4) */

/* --- opening */

static int open_files(struct gpmu_perfdata *perfdata, const char *path, struct gpmu_error *error)
{
	int ret = perfdata_folder_open(path, &perfdata->files, &perfdata->file_count, error);

	if (ret)
		return ret;
	perfdata->begins = calloc(perfdata->file_count, sizeof(*perfdata->begins));
	perfdata->ends = calloc(perfdata->file_count, sizeof(*perfdata->ends));
	if (!perfdata->begins || !perfdata->ends) {
		error_set_path(error, 0, path, ": %s", error_text(ENOMEM));
		return -ENOMEM;
	}
	return 0;
}

/* Begins with the first record of a file. */
static void begin_file(struct gpmu_perfdata *perfdata, size_t file)
{
	perfdata->file = file;
	perfdata->files[file].end = perfdata->ends[file];
	perfdata_file_seek(&perfdata->files[file], perfdata->begins[file]);
	perfdata_inflate_reset(&perfdata->inflate);
	perfdata->is_cut = false;
}

static int report(const struct gpmu_perfdata *perfdata, struct gpmu_error *error)
{
	error_set(error, perfdata->error.offset, "%s", perfdata->error.text);
	return perfdata->failed;
}

struct gpmu_perfdata *gpmu_perfdata_open(const char *path, struct gpmu_error *error)
{
	struct gpmu_perfdata *perfdata = calloc(1, sizeof(*perfdata));
	int ret;

	if (!perfdata) {
		error_set_path(error, 0, path, ": out of memory");
		errno = ENOMEM;
		return NULL;
	}
	perfdata->error.size = sizeof(perfdata->error);
	ret = open_files(perfdata, path, error);
	if (!ret) {
		ret = perfdata_read_header(perfdata);
		if (ret)
			report(perfdata, error);
	}
	if (ret) {
		gpmu_perfdata_free(perfdata);
		errno = -ret;
		return NULL;
	}
	begin_file(perfdata, 0);
	return perfdata;
}

void gpmu_perfdata_free(struct gpmu_perfdata *perfdata)
{
	if (!perfdata)
		return;
	perfdata_folder_close(perfdata->files, perfdata->file_count);
	free(perfdata->begins);
	free(perfdata->ends);
	perfdata_info_release(&perfdata->info);
	perfdata_events_release(&perfdata->events);
	perfdata_tracing_release(&perfdata->tracing);
	perfdata_inflate_release(&perfdata->inflate);
	map_release(&perfdata->refused);
	free(perfdata);
}

/* --- records */

/* Returns whether the record is read for the first time. */
static bool count_record(struct gpmu_perfdata *perfdata)
{
	const bool is_new = perfdata->number++ == perfdata->seen;

	perfdata->seen += is_new;
	return is_new;
}

/* A record of perf may have been stored in part. It is refused in each reading. */
static int skip_record(struct gpmu_perfdata *perfdata)
{
	const struct gpmu_perfdata_record *record = &perfdata->record;

	if (!count_record(perfdata))
		return SKIPPED;
	if (!perfdata->skipped.first)
		perfdata->skipped_file = perfdata->file;
	perfdata_skipped_add(&perfdata->skipped, record->type, record->offset);
	if (record->type >= GPMU_PERFDATA_HEADER_ATTR && map_set(&perfdata->refused, perfdata->number - 1, 0))
		return perfdata_expected(perfdata, -ENOMEM, record->offset, "a record");
	return SKIPPED;
}

/* Sets the record at @data, which has a whole header and all bytes of @size. Returns 1, SKIPPED or -errno. */
static int take_record(struct gpmu_perfdata *perfdata, const uint8_t *data, uint64_t offset)
{
	struct gpmu_perfdata_record *record = &perfdata->record;
	struct perf_event_header header;
	uint32_t none;
	int ret;

	memcpy(&header, data, sizeof(header));
	if ((uintptr_t)data % sizeof(uint64_t))
		data = memcpy(perfdata->aligned, data, header.size);
	*record = (struct gpmu_perfdata_record){
		.type = header.type, .misc = header.misc, .offset = offset,
		.body = data + sizeof(header), .size = header.size - sizeof(header),
	};
	ret = perfdata_parse(perfdata, record);
	if (ret == -EINVAL || (!ret && map_get(&perfdata->refused, perfdata->number, &none)))
		return skip_record(perfdata);
	if (ret)
		return perfdata_expected(perfdata, ret, offset, "a record");
	count_record(perfdata);
	if (header.type == PERF_RECORD_LOST)
		perfdata->stats.lost += record->lost;
	if (header.type == PERF_RECORD_LOST_SAMPLES && !(header.misc & MISC_LOST_SAMPLES_BPF))
		perfdata->stats.lost_samples += record->lost;
	perfdata->stats.records[header.type < GPMU_PERFDATA_TYPES ? header.type : GPMU_PERFDATA_TYPES]++;
	return 1;
}

static bool is_compressed(uint32_t type)
{
	return type == GPMU_PERFDATA_COMPRESSED || type == GPMU_PERFDATA_COMPRESSED2;
}

/* Returns 1 if there is a whole record that was compressed, SKIPPED if it was skipped, 0, or -errno. */
static int next_inner(struct gpmu_perfdata *perfdata)
{
	struct perfdata_inflate *inflate = &perfdata->inflate;
	uint64_t offset = perfdata->compressed;
	struct perf_event_header header;
	ssize_t n = perfdata_inflate_fill(inflate, sizeof(header));
	int ret;

	if (n == (ssize_t)sizeof(header)) {
		memcpy(&header, inflate->data + inflate->pos, sizeof(header));
		if (header.size < sizeof(header) || header.type == GPMU_PERFDATA_AUXTRACE || is_compressed(header.type))
			return perfdata_fail(perfdata, -EINVAL, offset, "expected a record in compressed records");
		n = perfdata_inflate_fill(inflate, header.size);
		if (n == header.size) {
			ret = take_record(perfdata, inflate->data + inflate->pos, offset);
			inflate->pos += header.size;
			perfdata->stats.inner += ret == 1;
			return ret;
		}
	}
	return n < 0 ? perfdata_fail(perfdata, (int)n, offset, "expected zstd's format in a compressed record") : 0;
}

/* Passes over the bytes of an AUX buffer, which follow the record. */
static int take_trace(struct gpmu_perfdata *perfdata, struct perfdata_file *file)
{
	struct gpmu_perfdata_auxtrace *trace = &perfdata->record.auxtrace;
	uint64_t left;
	int ret;

	trace->position = perfdata_file_offset(file);
	trace->file = perfdata->file;
	ret = perfdata_file_skip(file, trace->size);
	if (ret == -ENODATA) {
		left = file->size < file->end ? file->size : file->end;
		left = left > trace->position ? left - trace->position : 0;
		perfdata->missing = trace->size - left;
		trace->size = left;
	} else if (ret) {
		return perfdata_expected(perfdata, ret, trace->position, "an AUX buffer");
	}
	perfdata->stats.traces += trace->size;
	return 1;
}

/* Passes over the bytes of an AUX buffer whose record was skipped. */
static int skip_trace(struct gpmu_perfdata *perfdata, struct perfdata_file *file)
{
	int ret;

	if (perfdata->record.size < sizeof(perfdata->record.auxtrace.size))
		return perfdata_fail(perfdata, -EINVAL, perfdata->record.offset, "expected the size of an AUX buffer");
	ret = take_trace(perfdata, file);
	return ret < 0 ? ret : SKIPPED;
}

/* Takes the tracepoint formats that follow a record in a pipe. */
static int take_tracing(struct gpmu_perfdata *perfdata, struct perfdata_file *file)
{
	struct cursor cursor = { .data = perfdata->record.body, .left = perfdata->record.size };
	uint64_t size = cursor_u32(&cursor), offset = perfdata_file_offset(file);
	ssize_t n;
	int ret;

	if (cursor.has_failed || size > TRACING_MAX)
		return perfdata_fail(perfdata, -EINVAL, perfdata->record.offset,
				     "expected the size of tracepoint formats");
	n = perfdata_file_fill(file, (size_t)size);
	if (n != (ssize_t)size)
		return perfdata_expected(perfdata, n < 0 ? (int)n : -ENODATA, offset, "tracepoint formats");
	ret = perfdata_take_tracing(perfdata, file->data + file->pos, (size_t)size, offset);
	if (!ret)
		ret = perfdata_file_skip(file, (size + 7) & ~7ULL);
	perfdata->record.body = NULL;	/* the buffer may have moved */
	perfdata->record.size = 0;
	return ret ? perfdata_expected(perfdata, ret, offset, "tracepoint formats") : 1;
}

/* Gives the content of a compressed record, of which the file has @size bytes, to the decompressor. */
static int take_compressed(struct gpmu_perfdata *perfdata, uint32_t type, const uint8_t *data, size_t size,
			   uint64_t offset)
{
	struct cursor cursor = { .data = data, .left = size };
	uint64_t length = size;
	int ret;

	if (type == GPMU_PERFDATA_COMPRESSED2) {
		length = cursor_u64(&cursor);
		if (!perfdata->is_cut && (cursor.has_failed || length > cursor.left))
			return perfdata_fail(perfdata, -EINVAL, offset, "expected the size of compressed records");
	}
	perfdata->compressed = offset;
	if (length > cursor.left)
		length = cursor.left;
	ret = perfdata_inflate_add(&perfdata->inflate, cursor.data, (size_t)length);
	return ret ? perfdata_expected(perfdata, ret, offset, "compressed records") : 0;
}

/* Reports the records that were skipped. */
static int fail_skipped(struct gpmu_perfdata *perfdata)
{
	char *text = gpmu_perfdata_skipped(perfdata);
	int ret;

	perfdata->file = perfdata->skipped_file;
	ret = text ? perfdata_fail(perfdata, -EINVAL, perfdata->skipped.first, "%s", text) :
		     perfdata_expected(perfdata, -ENOMEM, perfdata->skipped.first, "a record");
	free(text);
	return ret;
}

/* Ends a file: begins with the next one, or returns 0 at the end of the last. */
static int end_file(struct gpmu_perfdata *perfdata, uint64_t offset)
{
	const struct perfdata_file *file = &perfdata->files[perfdata->file];

	if (file->end != UINT64_MAX && offset < file->end)
		return perfdata_fail(perfdata, -EINVAL, offset, "expected records up to %llu, the file ends",
				     (unsigned long long)file->end);
	if (perfdata->inflate.length > perfdata->inflate.pos)
		return perfdata_fail(perfdata, -EINVAL, offset, "expected more of the last compressed record");
	if (perfdata->file + 1 < perfdata->file_count) {
		begin_file(perfdata, perfdata->file + 1);
		return 1;
	}
	perfdata->stats.is_whole = true;
	perfdata->failed = perfdata->failed_features;
	return perfdata->failed || !perfdata->skipped.first ? perfdata->failed : fail_skipped(perfdata);
}

/*
 * Reads a record of the file. Returns 1 if there is one; SKIPPED if the caller is to read another one, because this
 * one was compressed, malformed, or the end of a file; 0 at the end; -errno.
 */
static int next_outer(struct gpmu_perfdata *perfdata)
{
	struct perfdata_file *file = &perfdata->files[perfdata->file];
	uint64_t offset = perfdata_file_offset(file);
	struct perf_event_header header;
	const uint8_t *data;
	ssize_t n;
	int ret;

	if (perfdata->is_cut)
		return perfdata_expected(perfdata, -ENODATA, perfdata->compressed, "a record");
	n = perfdata_file_fill(file, sizeof(header));
	if (!n) {
		ret = end_file(perfdata, offset);
		return ret == 1 ? SKIPPED : ret;
	}
	if (n != (ssize_t)sizeof(header))
		return perfdata_expected(perfdata, n < 0 ? (int)n : -ENODATA, offset, "a record");
	memcpy(&header, file->data + file->pos, sizeof(header));
	if (header.size < sizeof(header))
		return perfdata_fail(perfdata, -EINVAL, offset, "expected a record of at least 8 bytes, not %u",
				     header.size);
	n = perfdata_file_fill(file, header.size);
	data = file->data + file->pos;
	/* Records before a cut in compressed records are read, then the cut is reported. */
	perfdata->is_cut = n >= (ssize_t)sizeof(header) && n < header.size && is_compressed(header.type);
	if (perfdata->is_cut)
		return take_compressed(perfdata, header.type, data + sizeof(header), (size_t)n - sizeof(header), offset) ?:
		       SKIPPED;
	if (n != header.size)
		return perfdata_expected(perfdata, n < 0 ? (int)n : -ENODATA, offset, "a record");
	ret = take_record(perfdata, data, offset);
	file->pos += header.size;
	perfdata->stats.bytes = perfdata_file_offset(file);
	if (ret == SKIPPED && header.type == GPMU_PERFDATA_AUXTRACE)
		return skip_trace(perfdata, file);
	if (ret != 1)
		return ret;
	if (header.type == GPMU_PERFDATA_AUXTRACE)
		return take_trace(perfdata, file);
	if (header.type == GPMU_PERFDATA_HEADER_TRACING_DATA)
		return take_tracing(perfdata, file);
	if (!is_compressed(header.type))
		return 1;
	return take_compressed(perfdata, header.type, data + sizeof(header), header.size - sizeof(header), offset) ?:
	       SKIPPED;
}

int gpmu_perfdata_next(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_record **record,
		       struct gpmu_error *error)
{
	int ret = perfdata->failed;

	if (!ret && perfdata->missing)
		ret = perfdata_fail(perfdata, -EINVAL, perfdata->record.offset,
				    "expected %llu more bytes of an AUX buffer, the file ends",
				    (unsigned long long)perfdata->missing);
	while (!ret || ret == SKIPPED) {
		ret = next_inner(perfdata);
		if (ret)
			continue;
		ret = next_outer(perfdata);
		if (!ret)
			break;
	}
	if (ret < 0)
		return report(perfdata, error);
	*record = &perfdata->record;
	return ret;
}

int gpmu_perfdata_rewind(struct gpmu_perfdata *perfdata, struct gpmu_error *error)
{
	if (perfdata->failed && perfdata->failed != -EINVAL)
		return report(perfdata, error);
	perfdata->failed = 0;
	perfdata->missing = perfdata->number = 0;
	memset(&perfdata->stats, 0, sizeof(perfdata->stats));
	begin_file(perfdata, 0);
	return 0;
}

int gpmu_perfdata_trace(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_auxtrace *trace,
			uint64_t from, void *data, size_t size, struct gpmu_error *error)
{
	struct perfdata_file *file = &perfdata->files[trace->file];
	int ret = perfdata_file_read(file, trace->position + from, data, size);

	if (ret)
		error_set_path(error, (size_t)trace->position, file->path, ":%llu: %s",
			       (unsigned long long)trace->position,
			       ret == -ENODATA ? "expected an AUX buffer, the file ends" : error_text(-ret));
	return ret == -ENODATA ? -EINVAL : ret;
}

void gpmu_perfdata_note_damage(struct gpmu_perfdata *perfdata, uint64_t offset, const char *expected)
{
	const struct gpmu_error before = perfdata->error;

	perfdata_fail(perfdata, -EINVAL, offset, "%s", expected);
	perfdata_note_damage(perfdata, &before);
}

/* --- what the recording has */

const struct gpmu_perfdata_info *gpmu_perfdata_info(const struct gpmu_perfdata *perfdata)
{
	return &perfdata->info;
}

int gpmu_perfdata_get_stats(const struct gpmu_perfdata *perfdata, struct gpmu_perfdata_stats *stats)
{
	struct gpmu_perfdata_stats all = perfdata->stats;
	size_t size = stats->size;

	if (size < sizeof(size))
		return -EINVAL;
	all.is_stopped = perfdata->files[0].is_stopped;
	memcpy(stats, &all, size < sizeof(*stats) ? size : sizeof(*stats));
	stats->size = size;
	return 0;
}
